/* SPDX-License-Identifier: MIT */
/*
 * slice_post.h - the owner's end of slices.h: between the slices of a job and whoever carries messages.
 *
 * While a job is attached, its ring has work that is given to workers, and what they have done is put there.  A
 * worker has no more slices to read than threads: one that waited there would hold up all that come after it.
 */
#ifndef PIPELINE_SLICE_POST_H
#define PIPELINE_SLICE_POST_H

#include "histree/slices.h"
#include "pipeline/slice_plan.h"
#include "pipeline/slice_ring.h"

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
