/* SPDX-License-Identifier: MIT */
/*
 * segment_sort.h - the orders that have no bounds in the tree, by a field or by the caller's comparison: an
 * external merge sort.
 *
 * Segments gather in memory; when there is no more, they are sorted and written as a run beside the store; the runs
 * are merged.  With a limit, whatever cannot be among the first is dropped each time, and mostly nothing is
 * written.
 */
#ifndef SEGMENT_SEGMENT_SORT_H
#define SEGMENT_SEGMENT_SORT_H

#include "segment/segment_backend.h"
#include "segment/sorted_segment.h"

struct segment_sort;

/* Compare two values of one field: null first, strings by their bytes, doubles in the total order of IEEE 754. */
int segment_value_compare(const struct histree_value *a, const struct histree_value *b);

/* Create a sort, which borrows the query, the schema and the room. */
enum histree_status segment_sort_create(const struct histree_segment_query *query,
					const struct histree_segment_schema *schema,
					const struct segment_room *room, struct segment_sort **out,
					struct histree_error *error);

/* Add a segment.  Equal ones come by their numbers of arrival, no two of which are equal. */
enum histree_status segment_sort_add(struct segment_sort *sort, const struct histree_segment *segment,
				     uint64_t arrival, struct histree_error *error);

/* No more are added. */
enum histree_status segment_sort_finish(struct segment_sort *sort, struct histree_error *error);

/* Get the next segment, whose content is borrowed until the next call, or return HISTREE_END. */
enum histree_status segment_sort_next(struct segment_sort *sort, struct sorted_segment *out,
				      struct histree_error *error);

uint64_t segment_sort_spilled_bytes(const struct segment_sort *sort);
void segment_sort_free(struct segment_sort *sort);

#endif
