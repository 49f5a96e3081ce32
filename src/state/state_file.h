/* SPDX-License-Identifier: MIT */
/*
 * state_file.h - histree_state_create() on a table of file calls, so that a test can make each of them fail.
 */
#ifndef STATE_STATE_FILE_H
#define STATE_STATE_FILE_H

#include "base/io.h"
#include "histree/state_system.h"
#include "state/interval_sink.h"

/* Create a state system; `io` outlives it. */
enum histree_status state_file_create(const struct io *io, const struct histree_history_options *options,
				      struct histree_state_system **out, struct histree_error *error);

/*
 * Make a history file as a sink by itself, for a caller that has intervals and attributes.  It cannot publish.
 * Its context is freed with sink.free().
 */
enum histree_status state_file_sink(const struct io *io, const struct histree_history_options *options,
				    struct interval_sink *out, struct histree_error *error);

#endif
