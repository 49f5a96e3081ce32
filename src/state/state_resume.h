/* SPDX-License-Identifier: MIT */
/*
 * state_resume.h - a state system that continues at a checkpoint of a partial history.
 *
 * It has the names of the finished history from the beginning on.  The analysis sees no difference, as an
 * attribute is null before its first state, whenever it is made; and so any number of systems can share the
 * names, which none of them changes.
 */
#ifndef STATE_STATE_RESUME_H
#define STATE_STATE_RESUME_H

#include "histree/state_system.h"
#include "state/attribute_tree.h"
#include "state/interval_sink.h"

/*
 * Create a system with these names, which outlive it; each attribute is null since `start`.  It then owns the sink;
 * after a failure the caller still does.  A name that is not there is refused with HISTREE_ERR_TRACE.
 */
enum histree_status state_resume(histree_time start, const struct attribute_tree *names,
				 const struct interval_sink *sink, struct histree_state_system **out,
				 struct histree_error *error);

/* What an attribute was at the checkpoint.  Returns false if memory is out. */
bool state_resume_state(struct histree_state_system *system, histree_quark quark, histree_time since,
			const struct histree_value *value);

/* The attribute takes values of this type only. */
void state_resume_type(struct histree_state_system *system, histree_quark quark, uint8_t fixed_type);

/* The greatest time of a change until the checkpoint, and the option of the history of that name. */
void state_resume_options(struct histree_state_system *system, histree_time time, bool null_empty_stacks);

#endif
