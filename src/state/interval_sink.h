/* SPDX-License-Identifier: MIT */
/*
 * interval_sink.h - where the intervals of a state system go: a history file, or the memory of a test.
 */
#ifndef STATE_INTERVAL_SINK_H
#define STATE_INTERVAL_SINK_H

#include "histree/value.h"

struct attribute_tree;

struct interval_sink {
	/* One interval; its bytes are borrowed for the call. */
	enum histree_status (*add)(void *context, const struct histree_interval *interval,
				   struct histree_error *error);
	/* From here on, intervals that end at `end` are the last of their attributes.  May be NULL. */
	void (*closing)(void *context, histree_time end);
	/* There are no more; the history ends at `end` and has these attributes. */
	enum histree_status (*finish)(void *context, const struct attribute_tree *attributes, histree_time end,
				      struct histree_error *error);
	/* Let go of everything; what was not finished leaves nothing behind. */
	void (*free)(void *context);
	void *context;
	size_t value_size_max; /* bytes of a string or custom value that it takes */
};

#endif
