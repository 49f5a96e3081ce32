// SPDX-License-Identifier: MIT
/*
 * state_stack.c - a stack in the attribute tree: the attribute holds the depth, the sub-attributes "1", "2", ...
 * the values.
 *
 * As the interface of Trace Compass promises, an emptied stack has the depth 0; a stack that was never used, or
 * was removed, is null.  What its code does is to make an emptied stack null too: an option of the history.
 */
#include <inttypes.h>

#include "base/error.h"
#include "state/state_system.h"

enum histree_status state_stack_depth(const struct histree_state_system *system, histree_quark quark,
				      int32_t *depth, struct histree_error *error)
{
	struct histree_value value = ongoing_states_value(&system->ongoing, quark);
	enum histree_status status = HISTREE_OK;
	*depth = 0;
	if (value.type == HISTREE_INT && value.int32 >= 0)
		*depth = value.int32;
	else if (value.type == HISTREE_INT)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "%" PRId32 " is no depth of a stack", value.int32);
	else if (value.type != HISTREE_NULL)
		status = error_set(error, HISTREE_ERR_TYPE, "a stack holds its depth as an int, but this is a %s",
				   histree_type_name(value.type));
	if (status != HISTREE_OK)
		attributes_prefix(&system->attributes.base, quark, error);
	return status;
}

enum histree_status state_stack_occupied(const struct histree_state_system *system, histree_quark quark,
					 int32_t *depth, struct histree_error *error)
{
	enum histree_status status = attributes_check(&system->attributes.base, quark, error);
	if (status == HISTREE_OK)
		status = state_stack_depth(system, quark, depth, error);
	if (status == HISTREE_OK && *depth == 0)
		status = HISTREE_NOT_FOUND;
	return status;
}

struct histree_value state_stack_depth_value(const struct histree_state_system *system, int32_t depth)
{
	return depth == 0 && system->null_empty_stacks ? histree_null() : histree_int(depth);
}

enum { SLOT_NAME_SIZE = sizeof("2147483647") };

static size_t slot_name(int32_t slot, char name[SLOT_NAME_SIZE])
{
	size_t size = 0;
	for (int32_t rest = slot; size == 0 || rest != 0; rest /= 10)
		size++;
	name[size] = '\0';
	for (size_t at = size; at > 0; slot /= 10)
		name[--at] = (char)('0' + slot % 10);
	return size;
}

/* Attributes never go, so what was found once is there. */
static bool find_slot(struct histree_state_system *system, histree_quark stack, int32_t depth, histree_quark *out)
{
	uint32_t place = (stack * UINT32_C(0x9e3779b1) + (uint32_t)depth) >> 8;
	struct known_slot *known = &system->slots[place & (KNOWN_SLOTS - 1)];
	*out = known->slot;
	if (known->stack == stack && known->depth == depth)
		return true;
	char name[SLOT_NAME_SIZE];
	size_t size = slot_name(depth, name);
	if (histree_attributes_child(&system->attributes.base, stack, name, size, out) != HISTREE_OK)
		return false;
	*known = (struct known_slot){ stack, *out, depth };
	return true;
}

enum histree_status state_stack_slot(struct histree_state_system *system, histree_quark quark, int32_t slot,
				     histree_quark *out, struct histree_error *error)
{
	if (find_slot(system, quark, slot, out))
		return HISTREE_OK;
	error_set(error, HISTREE_ERR_ARGUMENT, "as a stack it has no sub-attribute '%d'", (int)slot);
	attributes_prefix(&system->attributes.base, quark, error);
	return HISTREE_ERR_ARGUMENT;
}

/* Check both changes of a push. */
static enum histree_status check_push(const struct histree_state_system *system, histree_time t,
				      histree_quark quark, const struct histree_value *depth,
				      const histree_quark *top, const struct histree_value *value,
				      struct histree_error *error)
{
	if (top != NULL && state_goes_on(system, t, quark, depth) && state_goes_on(system, t, *top, value))
		return HISTREE_OK;
	enum histree_status status = state_check_change(system, t, quark, depth, error);
	if (status == HISTREE_OK && top != NULL)
		status = state_check_change(system, t, *top, value, error);
	else if (status == HISTREE_OK)
		status = state_check_value(system, value, error);
	return status;
}

enum histree_status histree_state_push(struct histree_state_system *system, histree_time t, histree_quark quark,
				       struct histree_value value, struct histree_error *error)
{
	int32_t depth;
	enum histree_status status = state_check_attribute(system, quark, error);
	if (status == HISTREE_OK)
		status = state_stack_depth(system, quark, &depth, error);
	if (status != HISTREE_OK)
		return status;
	if (depth == INT32_MAX)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "a stack holds %" PRId32 " values at most", depth);

	const struct histree_value new_depth = histree_int(depth + 1);
	histree_quark top;
	bool is_there = find_slot(system, quark, depth + 1, &top);
	status = check_push(system, t, quark, &new_depth, is_there ? &top : NULL, &value, error);
	if (status != HISTREE_OK)
		return status;

	/* Held before anything changes, so that neither change below needs memory. */
	struct held_value held;
	if (!ongoing_states_hold(&system->ongoing, &value, &held))
		return error_memory(error, "the value of an attribute");
	if (!is_there) {
		char name[SLOT_NAME_SIZE];
		size_t size = slot_name(depth + 1, name);
		status = histree_state_child(system, quark, name, size, &top, error);
	}
	if (status == HISTREE_OK)
		status = state_apply_change(system, t, quark, &new_depth, error);
	if (status == HISTREE_OK)
		status = state_apply_held(system, t, top, &value, &held, error);
	if (status != HISTREE_OK)
		ongoing_states_drop(&system->ongoing, &held);
	return status;
}

enum histree_status histree_state_top(struct histree_state_system *system, histree_quark quark,
				      struct histree_value *value, struct histree_error *error)
{
	int32_t depth;
	histree_quark top;
	*value = histree_null();
	enum histree_status status = state_stack_occupied(system, quark, &depth, error);
	if (status == HISTREE_OK)
		status = state_stack_slot(system, quark, depth, &top, error);
	if (status == HISTREE_OK)
		*value = ongoing_states_value(&system->ongoing, top);
	return status;
}

/* Both changes of a pop, where there is nothing below the top, and nothing to be checked. */
static enum histree_status pop_plainly(struct histree_state_system *system, histree_time t, histree_quark quark,
				       const struct histree_value *depth, histree_quark top,
				       struct histree_error *error)
{
	enum histree_status status = histree_state_modify(system, t, quark, *depth, error);
	return status == HISTREE_OK ? histree_state_modify(system, t, top, histree_null(), error) : status;
}

enum histree_status state_stack_pop(struct histree_state_system *system, histree_time t, histree_quark quark,
				    bool null_empty, struct histree_value *popped, struct histree_error *error)
{
	int32_t depth;
	histree_quark top;
	if (popped != NULL)
		*popped = histree_null();
	enum histree_status status = state_check_open(system, error);
	if (status == HISTREE_OK)
		status = state_stack_occupied(system, quark, &depth, error);
	if (status == HISTREE_OK)
		status = state_stack_slot(system, quark, depth, &top, error);
	if (status != HISTREE_OK)
		return status;

	const struct histree_value new_depth = depth == 1 && null_empty ? histree_null() : histree_int(depth - 1);
	const struct histree_value value = ongoing_states_value(&system->ongoing, top), null = histree_null();
	if (system->attributes.attributes[top].first_child == HISTREE_ROOT &&
	    state_goes_on(system, t, quark, &new_depth) && state_goes_on(system, t, top, &null)) {
		status = pop_plainly(system, t, quark, &new_depth, top, error);
	} else {
		status = state_check_change(system, t, quark, &new_depth, error);
		if (status == HISTREE_OK)
			status = state_check_removal(system, t, top, error);
		if (status == HISTREE_OK)
			status = state_apply_change(system, t, quark, &new_depth, error);
		if (status == HISTREE_OK)
			status = state_apply_removal(system, t, top, error);
	}
	if (status == HISTREE_OK && popped != NULL)
		*popped = value;
	return status;
}

enum histree_status histree_state_pop(struct histree_state_system *system, histree_time t, histree_quark quark,
				      struct histree_value *popped, struct histree_error *error)
{
	return state_stack_pop(system, t, quark, system->null_empty_stacks, popped, error);
}
