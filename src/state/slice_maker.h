/* SPDX-License-Identifier: MIT */
/*
 * slice_maker.h - a state system that goes on from a checkpoint of a partial history, and keeps what the file has
 * left out.
 *
 *	slice_maker_begin(&maker, history, &names, number, null_empty_stacks, &system, &error);
 *	... the changes that were made between this checkpoint and the next one ...
 *	histree_state_close(system, end, &error);	// after the last checkpoint only
 *	slice_maker_end(&maker, system, &slice, &error);
 *
 * Threads: a maker and its system belong to one; any number of them work on one history.
 */
#ifndef STATE_SLICE_MAKER_H
#define STATE_SLICE_MAKER_H

#include "histree/state_system.h"
#include "state/attributes.h"
#include "state/partial_section.h"

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
