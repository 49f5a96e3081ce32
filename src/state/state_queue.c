// SPDX-License-Identifier: MIT
/*
 * state_queue.c - a queue over the layout of the stack: "1" is the first to leave.
 *
 * Polling moves each value one slot up.  A slot keeps the type of the first value it ever had, so values of
 * mixed types cannot queue.
 */
#include "state/state_system.h"

enum histree_status histree_state_queue_offer(struct histree_state_system *system, histree_time t,
					      histree_quark quark, struct histree_value value,
					      struct histree_error *error)
{
	return histree_state_push(system, t, quark, value, error);
}

enum histree_status histree_state_queue_peek(struct histree_state_system *system, histree_quark quark,
					     struct histree_value *value, struct histree_error *error)
{
	int32_t depth;
	histree_quark first;
	*value = histree_null();
	enum histree_status status = state_stack_occupied(system, quark, &depth, error);
	if (status == HISTREE_OK)
		status = state_stack_slot(system, quark, 1, &first, error);
	if (status == HISTREE_OK)
		*value = ongoing_states_value(&system->ongoing, first);
	return status;
}

/* Do `step` for each slot but the last, with the value after it. */
static enum histree_status
each_move(struct histree_state_system *system, histree_time t, histree_quark quark, int32_t depth,
	  enum histree_status (*step)(struct histree_state_system *system, histree_time t, histree_quark quark,
				      const struct histree_value *value, struct histree_error *error),
	  struct histree_error *error)
{
	histree_quark slot, next;
	enum histree_status status = state_stack_slot(system, quark, 1, &slot, error);
	for (int32_t number = 2; number <= depth && status == HISTREE_OK; number++) {
		status = state_stack_slot(system, quark, number, &next, error);
		if (status != HISTREE_OK)
			break;
		const struct histree_value value = ongoing_states_value(&system->ongoing, next);
		status = step(system, t, slot, &value, error);
		slot = next;
	}
	return status;
}

static enum histree_status check_move(struct histree_state_system *system, histree_time t, histree_quark quark,
				      const struct histree_value *value, struct histree_error *error)
{
	return state_check_change(system, t, quark, value, error);
}

enum histree_status histree_state_queue_poll(struct histree_state_system *system, histree_time t,
					     histree_quark quark, struct histree_value *polled,
					     struct histree_error *error)
{
	int32_t depth;
	histree_quark last;
	struct histree_value first;
	if (polled != NULL)
		*polled = histree_null();
	enum histree_status status = state_check_open(system, error);
	if (status == HISTREE_OK)
		status = state_stack_occupied(system, quark, &depth, error);
	if (status == HISTREE_OK)
		status = histree_state_queue_peek(system, quark, &first, error);
	if (status == HISTREE_OK)
		status = state_stack_slot(system, quark, depth, &last, error);
	if (status != HISTREE_OK)
		return status;

	const struct histree_value new_depth = state_stack_depth_value(system, depth - 1);
	status = state_check_change(system, t, quark, &new_depth, error);
	if (status == HISTREE_OK)
		status = each_move(system, t, quark, depth, check_move, error);
	if (status == HISTREE_OK)
		status = state_check_removal(system, t, last, error);
	if (status == HISTREE_OK)
		status = state_apply_change(system, t, quark, &new_depth, error);
	if (status == HISTREE_OK)
		status = each_move(system, t, quark, depth, state_apply_change, error);
	if (status == HISTREE_OK)
		status = state_apply_removal(system, t, last, error);
	if (status == HISTREE_OK && polled != NULL)
		*polled = first;
	return status;
}
