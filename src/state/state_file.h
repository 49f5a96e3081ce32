/* SPDX-License-Identifier: MIT */
/*
 * state_file.h - histree_state_create() on a table of file calls, so that a test can make each of them fail.
 */
#ifndef STATE_STATE_FILE_H
#define STATE_STATE_FILE_H

#include "base/io.h"
#include "histree/state_system.h"

/* `io` must outlive the state system. */
enum histree_status state_file_create(const struct io *io, const struct histree_history_options *options,
				      struct histree_state_system **out, struct histree_error *error);

#endif
