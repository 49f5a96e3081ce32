/* SPDX-License-Identifier: MIT */
/*
 * summary_parts.h - a question for summaries (segment_summaries.h), and what one of a union asks each of its parts.
 */
#ifndef QUERY_SUMMARY_PARTS_H
#define QUERY_SUMMARY_PARTS_H

#include "segment/segment_overviews.h"
#include "segment/segment_summary.h"

struct summaries_request {
	const struct histree_segment_query *query; /* its window and cancel; order and limit are ignored */
	size_t field;            /* the value of which is needed; HISTREE_SEGMENTS_TOGETHER: of none */
	unsigned width_log2_max; /* no longer cells than these */
	bool longest_alone;      /* leave out what lies at the ends of the window, and in cells that are shorter */
	void *context;
	/* The value of a summary is null where the field is none.  It is borrowed during the call. */
	enum histree_status (*take)(void *context, const struct segment_summary *summary,
				    struct histree_error *error);
};

/* The parts of a union that a query reads, one after the other. */
struct summary_parts {
	const struct histree_segment_store *store;
	const struct summaries_request *request; /* of the union */
	size_t next;
	struct histree_segment_store *part; /* the current one; NULL: it is missing */
	struct summaries_request of_part;   /* its own */
	struct histree_value value;         /* that its summaries get */
	bool has_value;                     /* false: they have theirs */
};

/* Begin before the first part; both are borrowed. */
struct summary_parts summary_parts(const struct histree_segment_store *store,
				   const struct summaries_request *request);

/* Go to the next part that is wanted; false: there is none. */
bool summary_parts_next(struct summary_parts *parts);

static inline bool summary_parts_has(const struct histree_segment_store *store)
{
	size_t count;
	return histree_segment_store_parts(store, &count) != NULL;
}

#endif
