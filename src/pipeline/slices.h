/* SPDX-License-Identifier: MIT */
/*
 * slices.h - a build whose trace is cut in time, with slices that other processes read and analyse.
 *
 * One process builds and *owns* the store; the others are its workers.  The program carries messages between them,
 * by any means, as bytes whose content it ignores; none may be lost, and those of one worker must stay in order.
 * The same version of histree has to be at both ends.  The owner:
 *
 * 	histree_slice_post_create(workers, threads, &post, &error);
 * 	a thread: options.slice_post = post; histree_build(&options, &error);
 * 	another one, until that returns, for each worker:
 * 		histree_slice_post_take(post, worker, &bytes, &size, &error)	and send it
 * 		histree_slice_post_put(post, worker, bytes, size, &error)	what has come
 * 	histree_slice_post_free(post);
 *
 * and a worker:
 *
 * 	histree_slice_worker_create(threads, &worker, &error);
 * 	histree_slice_worker_put(worker, bytes, size, &error);			what has come
 * 	histree_slice_worker_take(worker, &bytes, &size, &error)		and send it
 * 	histree_slice_worker_free(worker);
 *
 * Messages to users call worker 0 "rank 1", the owner being rank 0.  The store is that of a build with
 * options.slices: the same intervals, index and sentences as in one pass.
 *
 * Threads: one thread at a time calls the functions of a post, beside the build, and one those of a worker.
 */
#ifndef PIPELINE_SLICES_H
#define PIPELINE_SLICES_H

#include "histree/build.h"

struct histree_slice_post;

/* Create a post for this many workers, with this many threads each. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_post_create(unsigned workers, unsigned threads,
									     struct histree_slice_post **out,
									     struct histree_error *error);

/* Get a message for a worker, which the caller frees.  Returns HISTREE_NOT_FOUND if there is none now. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_post_take(struct histree_slice_post *post,
									   unsigned worker, void **bytes,
									   size_t *size,
									   struct histree_error *error);

/*
 * Hand over a message from a worker.  Returns HISTREE_ERR_FORMAT if no worker of this version writes such a
 * message, or the worker's own error.  The build ends with that error, too, and later messages are ignored.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_post_put(struct histree_slice_post *post,
									  unsigned worker, const void *bytes,
									  size_t size, struct histree_error *error);

/* Report that a worker is gone.  The build goes on without it and reads its slices again. */
HISTREE_API void histree_slice_post_lose(struct histree_slice_post *post, unsigned worker);

/* Counts of a build that has ended. */
struct histree_slice_counts {
	uint64_t slices, used; /* slices that were cut, and that were of use */
	uint64_t sent;         /* of those of use: slices that workers have read */
	const char *refusal;   /* why the trace was not cut, a constant; NULL: it was */
};

HISTREE_API struct histree_slice_counts histree_slice_post_counts(const struct histree_slice_post *post);

/* Free the post after the build has returned, or do nothing if it is NULL. */
HISTREE_API void histree_slice_post_free(struct histree_slice_post *post);

/* ---- workers ------------------------------------------------------------------------------------------------- */

struct histree_slice_worker;

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_slice_worker_create(unsigned threads, struct histree_slice_worker **out, struct histree_error *error);

/* Hand over a message from the owner. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_worker_put(struct histree_slice_worker *worker,
									    const void *bytes, size_t size,
									    struct histree_error *error);

/* Get a message for the owner, which the caller frees.  Returns HISTREE_NOT_FOUND if there is none now. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_slice_worker_take(struct histree_slice_worker *worker,
									     void **bytes, size_t *size,
									     struct histree_error *error);

/* End the worker's threads and free it, or do nothing if it is NULL. */
HISTREE_API void histree_slice_worker_free(struct histree_slice_worker *worker);

#endif
