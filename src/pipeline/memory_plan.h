/* SPDX-License-Identifier: MIT */
/*
 * memory_plan.h - what each part of a build may have of its memory (docs/design/0019-memory.md).
 *
 * Of what the build may have, two fifths are for tables, which all analyses share, and three fifths for buffers.
 * As long as there is one history and no more than six segment stores, each has a buffer of its own size,
 * whichever others are built: its file is the same to the byte.  More of them have less.
 */
#ifndef PIPELINE_MEMORY_PLAN_H
#define PIPELINE_MEMORY_PLAN_H

#include <stddef.h>

struct memory_plan {
	size_t tables;   /* of all analyses */
	size_t history;  /* the buffers of each history, and of its overviews after it */
	size_t segments; /* the buffer of each segment store */
};

/* `memory_max` is for all of it; 0: the default, 160 MiB.  No part has less than 1 MiB. */
struct memory_plan memory_plan(size_t memory_max, size_t histories, size_t segment_stores);

#endif
