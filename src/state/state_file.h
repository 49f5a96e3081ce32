/* SPDX-License-Identifier: MIT */
/*
 * state_file.h - state systems that write a file, keep their history in memory, make no history, or continue at a
 * checkpoint of a partial history.
 *
 * A system that continues has the names of the finished history from the beginning.  The analysis sees no
 * difference, because an attribute is null before its first state, whenever it is created; and any number of
 * systems can share the names, because none changes them.
 *
 * histree_state_create() takes a table of file calls, so that a test can make each of them fail.
 */
#ifndef STATE_STATE_FILE_H
#define STATE_STATE_FILE_H

#include "base/io.h"
#include "histree/history.h"
#include "state/attributes.h"
#include "state/ongoing_states.h"

/*
 * Create a system with these names, which outlive it; each attribute is null since `start`.  It then owns the sink;
 * after a failure the caller still does.  A name that is not there is refused with HISTREE_ERR_TRACE.
 */
enum histree_status state_resume(histree_time start, const struct attribute_tree *names,
				 const struct interval_sink *sink, struct histree_state_system **out,
				 struct histree_error *error);

/* What an attribute was at the checkpoint.  Returns false if memory runs out. */
bool state_resume_state(struct histree_state_system *system, histree_quark quark, histree_time since,
			const struct histree_value *value);

/* The attribute takes values of this type only. */
void state_resume_type(struct histree_state_system *system, histree_quark quark, uint8_t fixed_type);

/* The greatest time of a change until the checkpoint, and the option of the history of that name. */
void state_resume_options(struct histree_state_system *system, histree_time time, bool null_empty_stacks);

struct block_file;
struct crew;

/* What a history shares with the others of a build, and what outlives them. */
struct state_shared {
	struct table_space *tables; /* for what grows with the attributes; NULL: it has a space of its own */
	struct crew *crew;          /* that does what the caller need not; NULL: with threads, one of its own */
};

/* Create a state system; `io` outlives it.  `shared` may be NULL. */
enum histree_status state_file_create_in(const struct io *io, const struct histree_history_options *options,
					 const struct state_shared *shared, struct histree_state_system **out,
					 struct histree_error *error);

static inline enum histree_status state_file_create(const struct io *io,
						    const struct histree_history_options *options,
						    struct histree_state_system **out, struct histree_error *error)
{
	return state_file_create_in(io, options, NULL, out, error);
}

/*
 * Make a history file as a sink by itself, for a caller that has intervals and attributes.  It cannot publish.
 * Its context is freed with sink.free().
 */
enum histree_status state_file_sink(const struct io *io, const struct histree_history_options *options,
				    const struct state_shared *shared, struct interval_sink *out,
				    struct histree_error *error);

/* Have such a file be partial: `write` adds the section PART once all others are there. */
void state_file_make_partial(const struct interval_sink *sink,
			     enum histree_status (*write)(void *context, struct block_file *file,
							  struct histree_error *error),
			     void *context);

/* Count an interval that the file is without (tree_writer_count()). */
enum histree_status state_file_count(const struct interval_sink *sink, const struct histree_interval *interval,
				     struct histree_error *error);

#endif
