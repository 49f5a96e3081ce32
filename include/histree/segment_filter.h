/* SPDX-License-Identifier: MIT */
/*
 * segment_filter.h - filter expressions (filter.h) over segments.
 *
 * Fields are start and end (times), duration, and those of the schema; one of the schema with the name of one of
 * the first three can not be asked for.  A duration above INT64_MAX nanoseconds is taken for INT64_MAX.
 *
 *	histree_segment_filter_create(&info->schema, "duration > 1ms && name == futex", info->start, info->end,
 *				      &filter, &error);
 *	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
 *	histree_segment_filter_apply(filter, &query);
 */
#ifndef HISTREE_SEGMENT_FILTER_H
#define HISTREE_SEGMENT_FILTER_H

#include "segment_store.h"

struct histree_segment_filter;

/*
 * `start` and `end`: what times such as +12.5ms and 17:46:23 count from, those of the trace or of the store.  The
 * schema is borrowed during the call.  HISTREE_ERR_ARGUMENT as for histree_filter_create().
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_filter_create(const struct histree_segment_schema *schema, const char *text, histree_time start,
			      histree_time end, struct histree_segment_filter **out, struct histree_error *error);

/*
 * The query now hands out only what passes, the filter being borrowed as long as the query is used; its window
 * becomes narrower where the expression bounds start or end.
 */
HISTREE_API void histree_segment_filter_apply(struct histree_segment_filter *filter,
					      struct histree_segment_query *query);

/* Any number of threads may ask the same filter. */
HISTREE_API bool histree_segment_filter_match(const struct histree_segment_filter *filter,
					      const struct histree_segment *segment);

/* NULL is fine. */
HISTREE_API void histree_segment_filter_free(struct histree_segment_filter *filter);

#endif
