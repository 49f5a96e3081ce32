/* SPDX-License-Identifier: MIT */
/*
 * segment_source.h - a segment store whose segments another process or machine hands out.  It is read as every
 * store is, and can be a part of a union (segment_store.h).
 *
 * A source is a table of functions that answer the queries that a store answers by itself: orders by start, end,
 * duration, a field, and unsorted.  Filters and limits are applied above it.  A source may leave out segments in
 * advance, if no query above it would hand them out.
 *
 * Threads: the functions of one store are called by one thread at a time.
 */
#ifndef HISTREE_SEGMENT_SOURCE_H
#define HISTREE_SEGMENT_SOURCE_H

#include "segment_store.h"

struct histree_segment_source {
	void *context;
	enum histree_status (*cursor_create)(void *context, void **cursor, struct histree_error *error);
	/*
	 * Starts a query: its window (segments that overlap it), its order, which is never by comparison, its
	 * field, and, by a field, its limit and filter if they are set.  It may be started again.
	 */
	enum histree_status (*cursor_start)(void *cursor, const struct histree_segment_query *query,
					    struct histree_error *error);
	/* As histree_cursor_next() and histree_cursor_losses(). */
	enum histree_status (*cursor_next)(void *cursor, struct histree_segment *out, struct histree_error *error);
	const struct histree_loss *(*cursor_losses)(const void *cursor, size_t *count);
	void (*cursor_free)(void *cursor);
	void (*free)(void *context);
};

/* An overview of a segment store, which is a segment store itself (docs/design/05-pyramid.md). */
struct histree_segment_overview {
	struct histree_segment_store *store;
	unsigned width_log2; /* of its cells, in ns */
	unsigned parts_log2; /* 0: of buckets of duration; else of parts, over all times and all values together */
	size_t field;        /* whose values they tell apart; SIZE_MAX: no field */
};

/*
 * Make a store from a source.  `info` is that of the store that the source reads; its schema is copied.
 * Overviews are in the order of histree_segment_store_overview(), and the store owns their sources.  If the call
 * fails, it closes them and frees the source.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_of_source(const struct histree_segment_source *source,
				const struct histree_segment_store_info *info,
				const struct histree_segment_overview *overviews, size_t overview_count,
				struct histree_segment_store **out, struct histree_error *error);

/*
 * Get an overview of a finished store, those with cells first, the one of parts last; borrowed.  Returns
 * HISTREE_NOT_FOUND if there is no overview with that number.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_store_overview(struct histree_segment_store *store, size_t index,
			       struct histree_segment_overview *out);

#endif
