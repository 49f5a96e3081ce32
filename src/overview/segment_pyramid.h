/* SPDX-License-Identifier: MIT */
/*
 * segment_pyramid.h - the pyramid beside a segment store: summaries by cells of time, level above level, and by
 * parts of duration (docs/design/05-pyramid.md).
 *
 * It is made in one pass.  Segments come slice by slice of the time at which they start, within a slice in any
 * order. They enter the cells of the lowest level; a cell of a level is twice as long as one of the level below.
 * When a slice is over, the summaries of a level are written to its file and enter the cells of the next one;
 * cells longer than a slice are open until they are over themselves.  A level that turns out to have too many
 * summaries loses its file, or never gets one, and segments then enter above it.
 */
#ifndef OVERVIEW_SEGMENT_PYRAMID_H
#define OVERVIEW_SEGMENT_PYRAMID_H

#include "segment/segment_overviews.h"
#include "segment/segment_summary.h"

/* What overviews are worth making. */
struct segment_overview_limits {
	uint64_t segments_min;  /* of the store */
	uint64_t bytes_max;     /* of all overviews by cells together */
	uint64_t parts_bytes;   /* of the one by parts of duration, at most */
	uint64_t summaries_max; /* of each */
	uint64_t enough;        /* an overview of so few summaries needs none with longer cells */
	uint64_t slice;         /* about how many segments are read at a time */
};

/* The limits with which histree_segment_store_make_overviews() makes those of a store. */
struct segment_overview_limits segment_overview_limits(const struct histree_segment_store_info *of);

/* The same as that function with any limits. */
enum histree_status segment_overviews_write(struct histree_segment_store *store,
					    const struct segment_overview_limits *limits, struct histree_work work,
					    struct histree_error *error);

#endif
