/* SPDX-License-Identifier: MIT */
/*
 * segment_memory.h - what the stores in memory have in common: copies of segments, and lists of them by a key of
 * time.
 */
#ifndef SEGMENT_SEGMENT_MEMORY_H
#define SEGMENT_SEGMENT_MEMORY_H

#include "base/arena.h"
#include "base/intern.h"
#include "segment/segment_backend.h"
#include "segment_tree/segment_order.h"

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

static inline struct segment_times segment_times_of(const struct histree_segment *segment)
{
	return (struct segment_times){ segment->start, histree_segment_duration(segment) };
}

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

/* Returns the first position that does not come before the key. */
size_t segment_list_seek(const struct segment_list *list, struct segment_order order, struct segment_key key);

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
void list_cursor_stats(const void *cursor, struct histree_segment_iter_stats *stats);
void list_cursor_free(void *cursor);

#endif
