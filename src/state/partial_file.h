/* SPDX-License-Identifier: MIT */
/*
 * partial_file.h - a history file with only those intervals that were going on at a checkpoint (thesis 1.2).
 *
 * The producer of states says now and then that here is a checkpoint, and hands over all its knowledge besides
 * states. Intervals that begin and end between two checkpoints can be made again from the first one, and are not
 * kept: the file has only their number and a sum of them.
 *
 * "Begin" and "end" mean the changes, in the order in which they are made, not their times: an analysis that
 * finds a state to have ended long ago ends it now.  If the file then says of a checkpoint something else than
 * was known there, the section PART has an exception.
 */
#ifndef STATE_PARTIAL_FILE_H
#define STATE_PARTIAL_FILE_H

#include "base/io.h"
#include "histree/state_system.h"

struct partial_file;
struct state_shared;

/*
 * Make a state system whose file is partial, as state_file_create_in() does.  *partial is the system's.  Such a
 * file is neither published nor opened before it is closed (HISTREE_ERR_ARGUMENT).
 */
enum histree_status partial_file_create_in(const struct io *io, const struct histree_history_options *options,
					   const struct state_shared *shared, struct histree_state_system **out,
					   struct partial_file **partial, struct histree_error *error);

/* What is known of all checkpoints; called once, before the first of them.  The bytes are copied. */
enum histree_status partial_file_begin(struct partial_file *partial, const void *origin, size_t size,
				       struct histree_error *error);

/* Here is a checkpoint.  The first one comes before all changes.  The bytes are copied. */
enum histree_status partial_file_checkpoint(struct partial_file *partial, const struct histree_state_system *system,
					    const void *knowledge, size_t size, struct histree_error *error);

#endif
