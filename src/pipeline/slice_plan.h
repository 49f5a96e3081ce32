/* SPDX-License-Identifier: MIT */
/*
 * slice_plan.h - the messages of slices.h, and the first of them: what a worker has to know before its first slice.
 *
 * A message is a letter and what that has (slice_post.c, slice_worker.c).
 */
#ifndef PIPELINE_SLICE_PLAN_H
#define PIPELINE_SLICE_PLAN_H

#include "base/arena.h"
#include "pipeline/slice_reader.h"
#include "tree/tree_options.h"

enum slice_message {
	SLICE_PLAN = 'P', /* to a worker: struct slice_plan */
	SLICE_READ =
		'R', /* to a worker: number, that of the first not taken, whether it is for an index, times, hint */
	SLICE_MAKE = 'M',     /* to a worker: number, keys */
	SLICE_WAS_READ = 'r', /* number, what was read */
	SLICE_WAS_MADE = 'm', /* number, status; what was made, or a message */
	SLICE_REFUSED = 'E',  /* the plan: status, a message */
};

struct slice_plan {
	struct slice_source source;
	struct slice_frame frame; /* without a pack */
	bool has_packs;
	struct tree_options tree; /* of packs */
	size_t kept_max;          /* bytes of a pack */
};

void slice_plan_save(const struct slice_plan *plan, struct saved_bytes *out);

/* Texts are copied to the arena.  Returns HISTREE_ERR_FORMAT if the bytes make no sense. */
enum histree_status slice_plan_load(struct slice_plan *plan, struct arena *arena, struct byte_reader *reader,
				    struct histree_error *error);

#endif
