/* SPDX-License-Identifier: MIT */
/*
 * segment_table.h - the side table of a field: where the segments of a store on disk lie, in the order of that
 * field (docs/design/06-segments.md).
 *
 * A table is a block file beside the store, STORE.N.order for field N.  Its blocks are pages of locations, which
 * together list each segment of the store once, by the field, then start, end and location.  Its section RANK
 * identifies the store, and has the times of the segments of each page.
 *
 * A table is an optimisation.  It belongs to the store whose checksums it has; a table that does not belong to its
 * store, or is damaged, is not used but made again.
 *
 * A page of locations (segment_writer.h):
 *
 * 	OFFSET	SIZE
 * 	0	4	CRC-32C of the bytes from 4 to the end of the locations
 * 	4	4	number of the page: its own address
 * 	8	4	number of locations
 * 	12	1	width of a node's number
 * 	13	1	width of a location in its node
 * 	14	2	zero
 * 	16	4	smallest number of a node
 * 	20	4	zero
 * 	24		bits: the numbers of the nodes above the smallest, then the locations in them
 *
 * All pages but the last are full, so that the page of a rank is known.
 *
 * Segments come lazily in the order of a table: their segments are gathered for a batch of locations, and the next
 * batch is twice as large.  So the first hundred cost a page and up to a hundred nodes, and all of them about as
 * much as reading the store once for each time that memory is full.
 */
#ifndef SEGMENT_SEGMENT_TABLE_H
#define SEGMENT_SEGMENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "segment/segment_memory.h"
#include "segment_tree/segment_scan.h"

/* All of it is borrowed, and outlives the table. */
struct table_store {
	const struct io *io;
	const char *path; /* of the store */
	const struct block_file *file;
	struct segment_source source;
	uint64_t segment_count;
	struct segment_room room; /* to sort in */
};

enum {
	TABLE_PAGE_LOCATIONS = 1024,
	TABLE_PAGE_SIZE = 8 << 10, /* room for as many of the widest */
};

/* Returns the bytes used; those after them are zero. */
uint32_t table_page_put(uint8_t page[TABLE_PAGE_SIZE], uint32_t number, const uint64_t *locations, uint32_t count);

/* Get the locations of page `number`, which has `count` of them.  Returns false if it is damaged. */
bool table_page_get(const uint8_t page[TABLE_PAGE_SIZE], uint32_t number, uint32_t count, uint64_t *locations);

struct segment_table;

/* Returns HISTREE_NOT_FOUND if there is no table, HISTREE_ERR_FORMAT if it is of another store or damaged. */
enum histree_status segment_table_open(const struct table_store *store, size_t field, struct segment_table **out,
				       struct histree_error *error);

/* Sort, and replace the table that is there, if there is one.  An error leaves that as it was. */
enum histree_status segment_table_make(const struct table_store *store, size_t field, struct histree_error *error);

/*
 * Check the table of a field, if there is one, against the store: it has each segment once, in order.  Returns
 * HISTREE_ERR_FORMAT if something is wrong with it, HISTREE_OK if there is no table.
 */
enum histree_status segment_table_verify(const struct table_store *store, size_t field,
					 struct histree_error *error);

/* Returns the path of the table of a field, which the caller frees, or NULL if memory runs out. */
char *segment_table_path(const struct table_store *store, size_t field);

/* Close a table, or do nothing if it is NULL. */
void segment_table_close(struct segment_table *table);

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
void table_cursor_stats(const struct table_cursor *cursor, struct histree_statistics *stats);

/* NULL is fine. */
void table_cursor_free(struct table_cursor *cursor);

#endif
