/* SPDX-License-Identifier: MIT */
/*
 * segment_summaries.h - the segments of a window, as summaries if a store has suitable overviews
 * (docs/design/05-pyramid.md), of one store or of a union.
 *
 * The times at which segments start are cut: whole cells of the overview with the longest cells in the middle,
 * then cells of overviews with shorter ones on either side, single segments at both ends.  So each segment of the
 * window is read once, alone or in a summary.
 *
 * Answers about all segments of a query continue after a damaged node, and then say that they are partial.
 */
#ifndef QUERY_SEGMENT_SUMMARIES_H
#define QUERY_SEGMENT_SUMMARIES_H

#include "histree/segments.h"
#include "segment/segment_overviews.h"
#include "segment/segment_summary.h"
#include "segment_tree/segment_scan.h"

struct summaries_request {
	const struct histree_segment_query *query; /* its window and cancel; order and limit are ignored */
	size_t field;            /* the value of which is needed; HISTREE_SEGMENTS_TOGETHER: of none */
	unsigned width_log2_max; /* no longer cells than these */
	bool longest_alone;      /* leave out what lies at the ends of the window, and in cells that are shorter */
	void *context;
	/* The value of a summary is null if there is no field.  It is borrowed during the call. */
	enum histree_status (*take)(void *context, const struct segment_summary *summary,
				    struct histree_error *error);
};

/*
 * Returns whether summaries can answer: the query has no filter, overviews tell the values apart,
 * and the window is wide enough for that to pay.
 */
bool segment_summaries_can(struct histree_segment_store *store, const struct histree_segment_query *query,
			   size_t field);

/*
 * Returns whether there are summaries by parts of duration, and the query asks for all segments of all values,
 * which they cover. `parts` is set then.
 */
bool segment_summaries_can_parts(struct histree_segment_store *store, const struct histree_segment_query *query,
				 size_t field, struct duration_parts *parts);

/* Hand those to take(); the rest is as with segment_summaries_read(). */
enum histree_status segment_summaries_read_parts(struct histree_segment_store *store,
						 const struct summaries_request *request,
						 struct histree_error *error);

/* Returns the width of the longest cells up to a width, as logarithms; UINT_MAX if none are as short. */
unsigned segment_summaries_width(struct histree_segment_store *store, unsigned width_log2_max);

/*
 * Hand all of it to take().  Returns HISTREE_PARTIAL if something is damaged, in the store or in an overview: what
 * was taken is then to be forgotten, and every segment to be read.
 */
enum histree_status segment_summaries_read(struct histree_segment_store *store,
					   const struct summaries_request *request, struct histree_error *error);

/*
 * Hand the segments of the window that start in [from, to], both inclusive, to take(); those that overlap the
 * window because they started before it are left out.
 */
enum histree_status segment_summaries_read_starts(struct histree_segment_store *store,
						  const struct summaries_request *request, histree_time from,
						  histree_time to, struct histree_error *error);

/* Hand all single segments of the window whose durations are chosen to take(). */
enum histree_status segment_summaries_read_chosen(struct histree_segment_store *store,
						  const struct summaries_request *request,
						  struct segment_choice choice, struct histree_error *error);

/* Returns the value of the group to which a segment belongs; bytes are borrowed until the next call. */
static inline struct histree_value segment_group_value(const struct histree_segment_query *query,
						       const struct histree_segment *segment, size_t field)
{
	struct histree_value value = segment->content[field];
	if (query->group != NULL)
		query->group(query->group_context, segment, &value);
	return value;
}

#endif
