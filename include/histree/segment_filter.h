/* SPDX-License-Identifier: MIT */
/*
 * segment_filter.h - filter expressions (filter.h) over segments.
 *
 * The fields are start and end (times), duration, and the fields of the schema; a field of the schema that is
 * called start, end or duration cannot be named.  A duration above INT64_MAX nanoseconds counts as INT64_MAX.
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
 * Compile an expression.  Times such as +12.5ms and 17:46:23 are relative to `start` and `end`, which are those of
 * the trace or of the store.  The schema is borrowed during the call.  Returns HISTREE_ERR_ARGUMENT as
 * histree_filter_create() does.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_filter_create(const struct histree_segment_schema *schema, const char *text, histree_time start,
			      histree_time end, struct histree_segment_filter **out, struct histree_error *error);

/*
 * Make the query hand out only segments that pass; the filter is borrowed as long as the query is used.  The
 * window of the query becomes narrower if the expression bounds start or end.
 */
HISTREE_API void histree_segment_filter_apply(struct histree_segment_filter *filter,
					      struct histree_segment_query *query);

/* Returns true if the segment passes.  Any number of threads may use one filter at a time. */
HISTREE_API bool histree_segment_filter_match(const struct histree_segment_filter *filter,
					      const struct histree_segment *segment);

/* Free the filter, or do nothing if it is NULL. */
HISTREE_API void histree_segment_filter_free(struct histree_segment_filter *filter);

#endif
