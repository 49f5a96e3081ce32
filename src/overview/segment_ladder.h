/* SPDX-License-Identifier: MIT */
/*
 * segment_ladder.h - overviews of a segment store being made, all in one pass: a ladder of cells of which each is
 * twice as long as the one below it.
 *
 * Segments come slice by slice of the time at which they start, within a slice in any order.  They enter the cells
 * of the lowest rung.  When a slice is over, the summaries of a rung are written to its file and enter the cells of
 * the next one; cells longer than a slice are open until they are over themselves.  A rung that turns out to have
 * too many summaries loses its file, or never gets one, and segments then enter above it.
 */
#ifndef OVERVIEW_SEGMENT_LADDER_H
#define OVERVIEW_SEGMENT_LADDER_H

#include "base/io.h"
#include "overview/part_sums.h"
#include "segment/segment_overviews.h"

/* What overviews are worth making. */
struct segment_overview_limits {
	uint64_t segments_min;  /* of the store */
	uint64_t bytes_max;     /* of all overviews by cells together */
	uint64_t parts_bytes;   /* of the one by parts of duration, at most */
	uint64_t summaries_max; /* of each */
	uint64_t enough;        /* an overview of so few summaries needs none with longer cells */
	uint64_t slice;         /* so many segments are read at a time, about */
};

struct ladder_rung {
	unsigned width_log2;
	uint64_t period; /* of time, in which its open cells are: a slice, or one cell */
	struct summary_cells cells;
	bool is_dropped;                     /* it has no file and will have none */
	struct histree_segment_store *store; /* NULL: it has no file yet, or none any more */
	char *path;                          /* of that, NULL too */
	uint64_t summaries;
};

enum { LADDER_RUNGS_MAX = 24, LADDER_PARTS = LADDER_RUNGS_MAX, LADDER_ONE_SLICE = 64 };

struct segment_ladder {
	const struct io *io;
	const char *path; /* of the segment store */
	const struct histree_segment_store_info *of;
	size_t field; /* or SEGMENT_OVERVIEWS_TOGETHER */
	struct segment_overview_limits limits;
	struct duration_buckets buckets;
	struct ladder_rung rungs[LADDER_RUNGS_MAX + 1]; /* the last is of the sums by parts */
	struct part_sums parts;
	unsigned count;
	unsigned slice_log2; /* of the ns in a slice, counted as cells are; LADDER_ONE_SLICE: one slice */
	size_t cells_max;    /* that a rung has open */
	uint64_t seen;       /* segments so far */
	unsigned first;      /* those below it are dropped, and nothing is in them */
};

/* A zeroed ladder with its first five members set becomes one with rungs; release it also after a failure. */
void segment_ladder_init(struct segment_ladder *ladder);

/* `number` is that of the value, whose bytes stay where they are. */
enum histree_status segment_ladder_add(struct segment_ladder *ladder, const struct histree_segment *segment,
				       const struct histree_value *value, uint32_t number,
				       struct histree_error *error);

/* No more segments of a slice come. */
enum histree_status segment_ladder_end_slice(struct segment_ladder *ladder, struct histree_error *error);

/* Write what is open, and remove the files that are not worth their bytes. */
enum histree_status segment_ladder_finish(struct segment_ladder *ladder, struct histree_error *error);

/* Close all, and remove the files that are left. */
void segment_ladder_release(struct segment_ladder *ladder);

#endif
