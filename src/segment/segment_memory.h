/* SPDX-License-Identifier: MIT */
/*
 * segment_memory.h - what the stores in memory have in common, copies of segments and lists of them by a key of
 * time; and the sort of segments by orders that have no bounds in the tree: by a field or by the caller's
 * comparison.
 *
 * The sort is an external merge sort.  Segments gather in memory; when it is full, they are sorted and written as
 * a run (record_sort.h) beside the store; the runs are merged.  With a limit, segments that cannot be among the
 * first are dropped each time, and mostly nothing is written.
 *
 * A segment in a run: its start as a zigzag varint, its duration and its number of arrival as varints, then its
 * values (value.h).
 */
#ifndef SEGMENT_SEGMENT_MEMORY_H
#define SEGMENT_SEGMENT_MEMORY_H

#include "base/arena.h"
#include "base/bytes.h"
#include "histree/segment.h"
#include "segment/segment_backend.h"
#include "segment_tree/segment_order.h"

struct sorted_segment {
	struct histree_segment segment;
	uint64_t arrival; /* its number among all segments of the sort, by arrival */
};

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

/* Content, and the bytes of strings, each kept once.  A zeroed one is empty. */
struct segment_contents {
	size_t field_count;
	struct arena values;
	struct intern strings;
};

/* Make a copy that lives as long as the contents do.  Returns HISTREE_ERR_MEMORY if memory is out. */
enum histree_status segment_contents_copy(struct segment_contents *contents, const struct histree_segment *segment,
					  struct histree_segment *out);
void segment_contents_release(struct segment_contents *contents);

/* The lowest and highest times of what was added. */
void segment_info_include(struct histree_segment_store_info *info, const struct histree_segment *segment);

/* The segments of a query, in its order. */
struct segment_list {
	const struct histree_segment **segments;
	size_t count, capacity;
};

/* Returns HISTREE_ERR_MEMORY if memory is out. */
enum histree_status segment_list_add(struct segment_list *list, const struct histree_segment *segment);
void segment_list_reverse(struct segment_list *list);

/*
 * Sort a list that is sorted by (start, end), equal ones in the order of their arrival, into a query's order.
 * HISTREE_ERR_MEMORY only.
 */
enum histree_status segment_list_sort(struct segment_list *list, struct segment_order order);

/* A cursor over such a list.  The store fills the list. */
struct list_cursor {
	void *body; /* of the store */
	struct segment_list list;
	struct segment_order order;
	size_t at;
	bool sorted; /* by a key of time */
};

enum histree_status list_cursor_create(void *body, void **out, struct histree_error *error);

/* The list has the segments in the order of the query: go to where the token was taken. */
void list_cursor_begin(struct list_cursor *cursor, const struct histree_segment_query *query,
		       const struct histree_segment_token *resume);
enum histree_status list_cursor_next(void *cursor, struct histree_segment *out, struct histree_error *error);
void list_cursor_key(const void *cursor, uint64_t key[2]);
void list_cursor_stats(const void *cursor, struct histree_statistics *stats);
void list_cursor_free(void *cursor);

#endif
