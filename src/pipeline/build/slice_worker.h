/* SPDX-License-Identifier: MIT */
/*
 * slice_worker.h - who reads slices: threads of a build, and other processes.
 *
 * A *crew* of threads takes slices from its ring.  The owner of a store has one; so has each other process, which
 * works with the same plan on what comes there by messages (slices.h), and answers with what was done.  What
 * another process had read and handed over, and is gone with, the owner's crew reads again: what comes of a slice
 * depends on nothing but what it was read with, which is still there.
 *
 * While a crew is attached to a *post*, its ring has work that is given to workers, and what they have done is put
 * there.  A worker has no more slices to read than threads: one that waited there would hold up all that come after
 * it.
 */
#ifndef PIPELINE_BUILD_SLICE_WORKER_H
#define PIPELINE_BUILD_SLICE_WORKER_H

#include "pipeline/build/slice_run.h"
#include "pipeline/slices.h"

enum { SLICE_CREW_MAX = 64 };

/* A zeroed one has no ring, nor threads. */
struct slice_crew {
	struct slice_plan plan; /* constant once there are threads */
	struct slice_ring ring;
	struct chunk_pool pool;   /* of packs */
	bool answers;             /* what is done goes to an owner in another process, as bytes */
	atomic_bool is_of_no_use; /* to read slices from here on */
	atomic_bool is_ending;    /* nothing is of use */
	pthread_t threads[SLICE_CREW_MAX];
	unsigned count;
};

/* Returns false if memory runs out; release it all the same. */
bool slice_crew_init(struct slice_crew *crew, size_t ring_size);

/* Returns how many threads there are, of those that are wanted. */
unsigned slice_crew_start(struct slice_crew *crew, unsigned wanted);

/* Stop the ring, and wait for all threads. */
void slice_crew_end(struct slice_crew *crew);
void slice_crew_release(struct slice_crew *crew);

/* ---- the post ------------------------------------------------------------------------------------------------ */

/* How many slices workers may have at a time. */
unsigned slice_post_slices(const struct histree_slice_post *post);

/* Borrowed while it is attached; NULL: detach it, once nothing of it is in use. */
void slice_post_attach(struct histree_slice_post *post, struct slice_crew *crew);

/* Returns what the build is to end with, because of a worker; HISTREE_OK: nothing. */
enum histree_status slice_post_check(const struct histree_slice_post *post, struct histree_error *error);

/* The trace is not cut, for this reason, a constant. */
void slice_post_refuse(struct histree_slice_post *post, const char *why);

/* A slice was handed over, of use or not. */
void slice_post_count(struct histree_slice_post *post, int worker, bool was_used);

#endif
