/* SPDX-License-Identifier: MIT */
/*
 * slice_worker.h - who reads slices: threads of a build, and other processes.
 *
 * Threads of the owner's process take slices from the ring.  What another process had read and handed over, and is
 * gone with, they read again: what comes of a slice depends on nothing but what it was read with, which is still
 * there.
 *
 * Other processes have theirs by messages (slices.h).  While a job is attached, its ring has work that is given to
 * workers, and what they have done is put there.  A worker has no more slices to read than threads: one that waited
 * there would hold up all that come after it.
 */
#ifndef PIPELINE_BUILD_SLICE_WORKER_H
#define PIPELINE_BUILD_SLICE_WORKER_H

#include "pipeline/slices.h"
#include "pipeline/build/slice_run.h"

enum { SLICE_CREW_MAX = 64 };

/* What they work with; borrowed, and constant once slices are cut. */
struct slice_crew_plan {
	struct slice_ring *ring;
	const struct slice_source *source;
	const struct change_log_frame *frame; /* without a pack */
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

/* What the carrier asks of a job; borrowed while it is attached. */
struct slice_post_job {
	struct slice_ring *ring;
	struct slice_plan plan;
	const struct interval_sink *sink;
	const struct slice_pass *pass; /* whose index says whether there is one, once slices are cut */
};

/* How many slices workers may have at a time. */
unsigned slice_post_slices(const struct histree_slice_post *post);

/* NULL: detach the job, once nothing of it is in use. */
void slice_post_attach(struct histree_slice_post *post, const struct slice_post_job *job);

/* Returns what the build is to end with, because of a worker; HISTREE_OK: nothing. */
enum histree_status slice_post_check(struct histree_slice_post *post, struct histree_error *error);

/* The trace is not cut, for this reason, a constant. */
void slice_post_refuse(struct histree_slice_post *post, const char *why);

/* A slice was handed over, of use or not. */
void slice_post_count(struct histree_slice_post *post, int worker, bool was_used);

#endif
