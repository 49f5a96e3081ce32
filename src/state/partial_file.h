/* SPDX-License-Identifier: MIT */
/*
 * partial_file.h - the sink of a partial history, which keeps the states at each checkpoint; and the slices that
 * are made again from there.
 *
 * The file has only the intervals that were ongoing at a checkpoint (thesis 1.2).
 *
 * From time to time the producer of states announces a checkpoint, and hands over what it knows besides states.
 * Intervals that begin and end between two checkpoints can be made again from the first one, and are not kept: the
 * file has only their number and a sum over them.
 *
 * "Begin" and "end" mean the changes, in the order in which they are made, not their times: an analysis that finds
 * a state to have ended long ago ends it now.  If the file then disagrees with what was known at a checkpoint, the
 * section PART has an exception.
 *
 * A *maker* is a state system that continues from a checkpoint of a partial history, and keeps what the file has
 * left out.
 *
 * 	slice_maker_begin(&maker, history, &names, number, null_empty_stacks, &system, &error);
 * 	... the changes that were made between this checkpoint and the next one ...
 * 	histree_state_close(system, end, &error);	// after the last checkpoint only
 * 	slice_maker_end(&maker, system, &slice, &error);
 *
 * Threads: a maker and its system belong to one thread; any number of makers may work on one history.
 */
#ifndef STATE_PARTIAL_FILE_H
#define STATE_PARTIAL_FILE_H

#include "base/io.h"
#include "histree/history.h"
#include "state/attributes.h"
#include "state/partial_section.h"

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

struct slice_maker {
	struct histree_history *history; /* borrowed */
	const struct partial_checkpoint *checkpoint;
	uint8_t *has_begun; /* by attribute: what is going on began in the slice */
	struct state_slice slice;
	uint64_t interval_count, sum;
};

/* The names are those of the history, and outlive the system.  slice_maker_end() also after a failure. */
enum histree_status slice_maker_begin(struct slice_maker *maker, struct histree_history *history,
				      const struct attribute_tree *names, size_t checkpoint, bool null_empty_stacks,
				      struct histree_state_system **out, struct histree_error *error);

/*
 * Free the system, which may be NULL, and give the slice away, if it was made, to be released; NULL: it is not
 * wanted. Returns HISTREE_ERR_TRACE if it is not the slice that the file has left out.
 */
enum histree_status slice_maker_end(struct slice_maker *maker, struct histree_state_system *system,
				    struct state_slice *out, struct histree_error *error);

#endif
