/* SPDX-License-Identifier: MIT */
/*
 * table_cursor.h - segments in the order of a side table, lazily: a batch of locations, their segments gathered,
 * the next batch twice as large.
 *
 * So the first hundred cost a page and as many nodes, and all of them about as much as reading the store once for
 * each time that memory is full.
 */
#ifndef SEGMENT_TABLE_CURSOR_H
#define SEGMENT_TABLE_CURSOR_H

#include "segment/segment_table.h"

struct table_cursor;

enum histree_status table_cursor_create(const struct table_store *store, struct table_cursor **out,
					struct histree_error *error);

/* Returns whether reading the table is likely to be quicker than sorting what meets the window of the query. */
bool table_cursor_pays(const struct segment_table *table, const struct histree_segment_query *query,
		       const struct histree_segment_store_info *info);

/* Start at the beginning of the order, or after the first `rank` segments of it.  The table is borrowed. */
void table_cursor_start(struct table_cursor *cursor, const struct segment_table *table,
			const struct histree_segment_query *query, uint64_t rank);

/* Get the next segment that meets the window.  Returns HISTREE_ERR_FORMAT if the table or the store is damaged. */
enum histree_status table_cursor_next(struct table_cursor *cursor, struct histree_segment *out,
				      struct histree_error *error);

/* Return the rank of the segment handed out last, from 1, and where in the store it lies. */
uint64_t table_cursor_rank(const struct table_cursor *cursor);
uint64_t table_cursor_location(const struct table_cursor *cursor);

void table_cursor_stats(const struct table_cursor *cursor, struct histree_segment_iter_stats *stats);

/* NULL is fine. */
void table_cursor_free(struct table_cursor *cursor);

#endif
