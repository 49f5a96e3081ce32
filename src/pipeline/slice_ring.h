/* SPDX-License-Identifier: MIT */
/*
 * slice_ring.h - the slices of a trace that are on their way: a ring of those that were cut and not yet taken.
 *
 *	STEP_READ	somebody is to read it, or does
 *	STEP_COMMIT	it waits for the owner to hand it over
 *	STEP_MAKE	whoever has read it is to make its leaves, or does
 *	STEP_TAKE	the tree can have them
 *
 * Threads of this process take work out of it, and so do those who carry messages to other processes
 * (slice_post.c).  A slice belongs to whoever took it until the step is ended; at the other steps to the owner.
 */
#ifndef PIPELINE_SLICE_RING_H
#define PIPELINE_SLICE_RING_H

#include <pthread.h>

#include "pipeline/slice_run.h"

enum slice_step {
	STEP_READ,
	STEP_COMMIT,
	STEP_MAKE,
	STEP_TAKE,
};

enum { SLICE_WORKER_HERE = -1 }; /* a thread of this process */

struct slice {
	uint64_t number;
	struct slice_range range;
	uint64_t bytes;          /* of the trace, about */
	struct saved_bytes hint; /* of the owner, when it was cut */
	struct slice_run *run;   /* NULL: it was not begun, or could not be read */
	struct slice_memory memory;
	enum slice_step step;
	bool is_begun;   /* the step is */
	bool is_refused; /* the owner is to read it */
	int worker;      /* who has taken it to read, another process by number; SLICE_WORKER_HERE */
	enum histree_status made;
	struct histree_error error;
};

struct slice_ring {
	struct slice *slices;
	size_t size;
	/* The owner has seen those before `committed`, the tree those before `taken`. */
	uint64_t cut, committed, taken;
	pthread_mutex_t mutex; /* of these, and of the steps */
	pthread_cond_t changed;
	bool is_stopping;
};

/* Returns false if memory is out; release it all the same. */
bool slice_ring_init(struct slice_ring *ring, size_t size);
void slice_ring_release(struct slice_ring *ring);

static inline struct slice *slice_ring_at(const struct slice_ring *ring, uint64_t number)
{
	return &ring->slices[number % ring->size];
}

static inline bool slice_ring_has_room(const struct slice_ring *ring)
{
	return ring->cut - ring->taken < ring->size;
}

/* The owner has filled in the next slice, at `cut`: it is to be read. */
void slice_ring_cut(struct slice_ring *ring);

/* ---- who does the steps -------------------------------------------------------------------------------------- */

/*
 * Take the oldest slice to make that this worker has read; else, if it `may_read`, the oldest to read.  Returns
 * NULL if there is none.
 */
struct slice *slice_ring_take(struct slice_ring *ring, int worker, bool may_read);

/* The same, waiting for one.  NULL: there will be none. */
struct slice *slice_ring_wait(struct slice_ring *ring);

/* Returns the slice that this worker has taken for this step; NULL: it has no such slice. */
struct slice *slice_ring_find(struct slice_ring *ring, uint64_t number, int worker, enum slice_step step);

/* A worker is gone: what it was to do, or did, is to be done by threads of this process. */
void slice_ring_lose(struct slice_ring *ring, int worker);

/* Whoever has taken it has done the step. */
void slice_ring_end_step(struct slice_ring *ring, struct slice *slice, enum slice_step next);

/* No worker waits for work any more. */
void slice_ring_stop(struct slice_ring *ring);

/* ---- the owner ----------------------------------------------------------------------------------------------- */

/* Returns whether the slice has come to a step, after a while of waiting for that if `waits`. */
bool slice_ring_has_come(struct slice_ring *ring, const struct slice *slice, enum slice_step step, bool waits);

/* Returns who has taken a slice to read. */
int slice_ring_worker(struct slice_ring *ring, const struct slice *slice);

/* Returns how many are taken. */
uint64_t slice_ring_taken(struct slice_ring *ring);

/* One more is committed, or taken. */
void slice_ring_count(struct slice_ring *ring, uint64_t *counter);

#endif
