/* SPDX-License-Identifier: MIT */
/*
 * segment_ladder.h - overviews of a segment store being made, all in one pass: a ladder of cells of which each is
 * twice as long as the one below it.
 *
 * A segment enters the open cell of the lowest rung.  When a cell is over, its summaries are written to the file of
 * its rung and enter the open cell of the next one.  A rung that turns out to have too many summaries loses its
 * file, and segments then enter above it.
 */
#ifndef OVERVIEW_SEGMENT_LADDER_H
#define OVERVIEW_SEGMENT_LADDER_H

#include "base/io.h"
#include "overview/summary_cells.h"
#include "segment/segment_overviews.h"

/* What overviews are worth making. */
struct segment_overview_limits {
	uint64_t segments_min;  /* of the store */
	uint64_t bytes_max;     /* of all overviews together */
	uint64_t summaries_max; /* of each */
	uint64_t enough;        /* an overview of so few summaries needs none with longer cells */
};

struct ladder_rung {
	unsigned width_log2;
	uint64_t cell; /* the open one */
	struct summary_cells cells;
	struct histree_segment_store *store; /* NULL: it lost its file */
	char *path;                          /* of that, NULL too */
	uint64_t summaries;
};

enum { LADDER_RUNGS_MAX = 24 };

struct segment_ladder {
	const struct io *io;
	const char *path; /* of the segment store */
	const struct histree_segment_store_info *of;
	size_t field; /* or SEGMENT_OVERVIEWS_TOGETHER */
	struct segment_overview_limits limits;
	struct duration_buckets buckets;
	struct ladder_rung rungs[LADDER_RUNGS_MAX];
	unsigned count;
	uint64_t seen;  /* segments so far */
	unsigned first; /* those below it lost their files, and nothing is in them */
};

/* A zeroed ladder with its first five members set becomes one with rungs; release it also after a failure. */
enum histree_status segment_ladder_init(struct segment_ladder *ladder, struct histree_error *error);

/* Segments come by start.  `number` is that of the value, whose bytes stay where they are. */
enum histree_status segment_ladder_add(struct segment_ladder *ladder, const struct histree_segment *segment,
				       const struct histree_value *value, uint32_t number,
				       struct histree_error *error);

/* Write what is open, and remove the files that are not worth their bytes. */
enum histree_status segment_ladder_finish(struct segment_ladder *ladder, struct histree_error *error);

/* Close all, and remove the files that are left. */
void segment_ladder_release(struct segment_ladder *ladder);

#endif
