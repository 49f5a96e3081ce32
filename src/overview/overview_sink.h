/* SPDX-License-Identifier: MIT */
/*
 * overview_sink.h - the file of an overview of states while it is made.
 */
#ifndef OVERVIEW_OVERVIEW_SINK_H
#define OVERVIEW_OVERVIEW_SINK_H

#include "base/io.h"
#include "overview/overview_choice.h"
#include "overview/overview_window.h"
#include "state/attribute_tree.h"
#include "state/interval_sink.h"

struct table_space;

/* A zeroed one is none. */
struct overview_sink {
	bool is_there; /* what follows is */
	struct interval_sink sink;
	struct attribute_tree attributes;
};

/* Begins the file, with the attributes that are chosen, of which `own` is set.  `tables`: NULL: it has its own. */
enum histree_status overview_sink_begin(struct overview_sink *sink, const struct io *io, const char *path,
					const struct histree_history_info *of, struct overview_choice *choice,
					const struct overview_options *options, struct table_space *tables,
					struct histree_error *error);

/* Adds the states that a window was condensed to, and counts those of each attribute. */
enum histree_status overview_sink_take(struct overview_sink *sink, struct overview_choice *choice,
				       const struct overview_window *window, struct histree_error *error);

/* Completes the file; either way there is no sink any more. */
enum histree_status overview_sink_finish(struct overview_sink *sink, const struct histree_history_info *of,
					 struct histree_error *error);

/* What is left of the file is of no use. */
void overview_sink_drop(struct overview_sink *sink);

#endif
