/* SPDX-License-Identifier: MIT */
/*
 * slices.h - a build whose trace is cut in time, with slices that other processes read and analyse.
 *
 * One process builds and *owns* the store; the others are its workers.  Somebody carries messages between them,
 * bytes without a meaning to whoever carries them, by whatever means; none may be lost, and those of one worker
 * come in their order.  The same version of histree has to be at both ends.  The owner:
 *
 *	histree_slice_post_create(workers, threads, &post, &error);
 *	a thread: options.slice_post = post; histree_build(&options, &error);
 *	another one, until that returns, for each worker:
 *		histree_slice_post_take(post, worker, &bytes, &size, &error)	and send it
 *		histree_slice_post_put(post, worker, bytes, size, &error)	what has come
 *	histree_slice_post_free(post);
 *
 * and a worker:
 *
 *	histree_slice_worker_create(threads, &worker, &error);
 *	histree_slice_worker_put(worker, bytes, size, &error);			what has come
 *	histree_slice_worker_take(worker, &bytes, &size, &error)		and send it
 *	histree_slice_worker_free(worker);
 *
 * Sentences call worker 0 "rank 1", the owner being rank 0.  The store is that of a build with options.slices: the
 * same intervals, index and sentences as in one pass.
 *
 * Threads: one at a time calls the functions of a post, beside the build, and one those of a worker.
 */
#ifndef HISTREE_SLICES_H
#define HISTREE_SLICES_H

#include "build.h"

struct histree_slice_post;

/* For so many workers, which have so many threads each. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_post_create(unsigned workers, unsigned threads,
									     struct histree_slice_post **out,
									     struct histree_error *error);

/* Get a message for a worker, to be freed.  HISTREE_NOT_FOUND: there is none now. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_post_take(struct histree_slice_post *post,
									   unsigned worker, void **bytes,
									   size_t *size,
									   struct histree_error *error);

/*
 * A message has come from a worker.  After an error, which the build ends with, too, what comes is of no interest
 * any more: HISTREE_ERR_FORMAT for what no worker of this version says, or what else the worker could not do.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_post_put(struct histree_slice_post *post,
									  unsigned worker, const void *bytes,
									  size_t size, struct histree_error *error);

/* A worker is gone.  The build does without it: what it had is read again. */
HISTREE_API void histree_slice_post_lose(struct histree_slice_post *post, unsigned worker);

/* What became of a trace, once it was built. */
struct histree_slice_counts {
	uint64_t slices, used; /* that were cut, and that were of use */
	uint64_t sent;         /* of those of use: that workers have read */
	const char *refusal;   /* why the trace was not cut, a constant; NULL: it was */
};

HISTREE_API struct histree_slice_counts histree_slice_post_counts(const struct histree_slice_post *post);

/* The build has returned.  NULL is fine. */
HISTREE_API void histree_slice_post_free(struct histree_slice_post *post);

/* ---- workers ------------------------------------------------------------------------------------------------- */

struct histree_slice_worker;

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_slice_worker_create(unsigned threads, struct histree_slice_worker **out, struct histree_error *error);

/* A message has come from the owner. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_worker_put(struct histree_slice_worker *worker,
									    const void *bytes, size_t size,
									    struct histree_error *error);

/* Get a message for the owner, to be freed.  HISTREE_NOT_FOUND: there is none now. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_worker_take(struct histree_slice_worker *worker,
									     void **bytes, size_t *size,
									     struct histree_error *error);

/* End what it does.  NULL is fine. */
HISTREE_API void histree_slice_worker_free(struct histree_slice_worker *worker);

#endif
