/* SPDX-License-Identifier: MIT */
/*
 * slice_crew.h - threads of the owner's process that read slices and make their leaves.
 *
 * What another process had read and handed over, and is gone with, they read again: what comes of a slice depends
 * on nothing but what it was read with, which is still there.
 */
#ifndef PIPELINE_SLICE_CREW_H
#define PIPELINE_SLICE_CREW_H

#include "pipeline/slice_ring.h"

enum { SLICE_CREW_MAX = 64 };

/* What they work with; borrowed, and constant once slices are cut. */
struct slice_crew_plan {
	struct slice_ring *ring;
	const struct slice_source *source;
	const struct slice_frame *frame; /* without a pack */
	const struct interval_sink *sink;
	const struct slice_pass *pass; /* whose index says whether there is one */
	size_t kept_max;               /* bytes of a pack */
};

struct slice_crew {
	struct slice_crew_plan plan;
	atomic_bool is_of_no_use; /* to read slices from here on */
	atomic_bool is_ending;    /* nothing is of use */
	pthread_t threads[SLICE_CREW_MAX];
	unsigned count;
};

/* Returns how many threads there are, of so many that are wanted. */
unsigned slice_crew_start(struct slice_crew *crew, const struct slice_crew_plan *plan, unsigned wanted);

/* The ring is stopped: wait for all of them.  A zeroed crew has none. */
void slice_crew_end(struct slice_crew *crew);

#endif
