// SPDX-License-Identifier: MIT
/*
 * state_change.c - the rules of one change (state_system.h), and the changes made of it alone.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/error.h"
#include "state/state_system.h"

/* ---- checks ---------------------------------------------------------------------------------------- */

static bool is_text(const struct histree_value *value)
{
	return value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM;
}

enum histree_status state_check_value(const struct histree_state_system *system, const struct histree_value *value,
				      struct histree_error *error)
{
	if (histree_type_name(value->type) == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no type %d of values", (int)value->type);
	if (!is_text(value))
		return HISTREE_OK;
	if (value->bytes == NULL && value->size > 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a %s value of %" PRIu32 " bytes without its bytes",
				 histree_type_name(value->type), value->size);
	if (value->size > system->sink.value_size_max)
		return error_set(error, HISTREE_ERR_TOO_LARGE,
				 "a %s value of %" PRIu32 " bytes, but a node holds %zu at most; use larger nodes",
				 histree_type_name(value->type), value->size, system->sink.value_size_max);
	return HISTREE_OK;
}

/* The first value that says something fixes the type. */
static enum histree_status check_type(const struct histree_state_system *system, histree_quark quark,
				      const struct histree_value *value, struct histree_error *error)
{
	uint8_t fixed_type = system->ongoing.states[quark].fixed_type;
	enum histree_type fixed = (enum histree_type)fixed_type;
	if (fixed_type == ONGOING_FOLDER && value->type != HISTREE_NULL) {
		error_set(error, HISTREE_ERR_TYPE, "a value of type %s, but it is a folder, which has no states",
			  histree_type_name(value->type));
		attributes_prefix(&system->attributes.base, quark, error);
		return HISTREE_ERR_TYPE;
	}
	if (value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN || fixed == HISTREE_NULL ||
	    value->type == fixed)
		return HISTREE_OK;
	if (system->sink.refused != NULL) {
		enum histree_status status = system->sink.refused(system->sink.context, quark, fixed_type, error);
		if (status != HISTREE_OK)
			return status;
	}
	error_set(error, HISTREE_ERR_TYPE, "a value of type %s, but it holds %s", histree_type_name(value->type),
		  histree_type_name(fixed));
	attributes_prefix(&system->attributes.base, quark, error);
	return HISTREE_ERR_TYPE;
}

/* Check what can be wrong with any value at that time. */
static enum histree_status check_value_at(const struct histree_state_system *system, histree_time t,
					  const struct histree_value *value, struct histree_error *error)
{
	if (t < system->start)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "a change at %" PRId64 " is before the start of the history at %" PRId64, t,
				 system->start);
	return state_check_value(system, value, error);
}

/* And with one that the attribute does not have already. */
static enum histree_status check_other_value(const struct histree_state_system *system, histree_time t,
					     histree_quark quark, const struct histree_value *value,
					     struct histree_error *error)
{
	enum histree_status status = check_type(system, quark, value, error);
	histree_time since = system->ongoing.states[quark].since;
	if (status == HISTREE_OK && t < since) {
		status = error_set(error, HISTREE_ERR_TIME_BACKWARDS,
				   "a change at %" PRId64 ", but its ongoing state began at %" PRId64, t, since);
		attributes_prefix(&system->attributes.base, quark, error);
	}
	return status;
}

enum histree_status state_check_change(const struct histree_state_system *system, histree_time t,
				       histree_quark quark, const struct histree_value *value,
				       struct histree_error *error)
{
	enum histree_status status = check_value_at(system, t, value, error);
	const struct histree_value now = ongoing_states_value(&system->ongoing, quark);
	if (status != HISTREE_OK || histree_value_equal(&now, value))
		return status;
	return check_other_value(system, t, quark, value, error);
}

/* ---- changes ----------------------------------------------------------------------------------------- */

/* The value of the ongoing state is about to be replaced; a sink that cannot take that has failed. */
static enum histree_status tell_replaced(struct histree_state_system *system, histree_quark quark,
					 struct histree_error *error)
{
	const struct histree_value value = ongoing_states_value(&system->ongoing, quark);
	system->sink_status = system->sink.replaced(system->sink.context, quark,
						    system->ongoing.states[quark].since, &value, error);
	return system->sink_status;
}

/* The ongoing value is `now`, which is another one.  After a failure the caller still has what is held. */
static enum histree_status apply_held_from(struct histree_state_system *system, histree_time t, histree_quark quark,
					   const struct histree_value *now, const struct held_value *held,
					   struct histree_error *error)
{
	struct histree_interval interval = {
		.start = system->ongoing.states[quark].since,
		.quark = quark,
		.value = *now,
	};
	/* No interval of zero length: at the start of the ongoing state its value is replaced. */
	if (t > interval.start) {
		interval.end = t - 1;
		assert(interval.start >= system->start && interval.start <= interval.end);
		enum histree_status status = state_add_interval(system, &interval, error);
		if (status != HISTREE_OK)
			return status;
	} else if (system->sink.replaced != NULL) {
		enum histree_status status = tell_replaced(system, quark, error);
		if (status != HISTREE_OK)
			return status;
	}
	ongoing_states_set(&system->ongoing, quark, t, held);
	if (t > system->current_end)
		system->current_end = t;
	assert(system->ongoing.states[quark].since == t && t >= system->start);
	return HISTREE_OK;
}

static enum histree_status apply_change_from(struct histree_state_system *system, histree_time t,
					     histree_quark quark, const struct histree_value *now,
					     const struct histree_value *value, struct histree_error *error)
{
	struct held_value held;
	if (!ongoing_states_hold(&system->ongoing, value, &held))
		return error_memory(error, "the value of an attribute");
	enum histree_status status = apply_held_from(system, t, quark, now, &held, error);
	if (status != HISTREE_OK)
		ongoing_states_drop(&system->ongoing, &held);
	return status;
}

enum histree_status state_apply_held(struct histree_state_system *system, histree_time t, histree_quark quark,
				     const struct histree_value *value, const struct held_value *held,
				     struct histree_error *error)
{
	const struct histree_value now = ongoing_states_value(&system->ongoing, quark);
	if (!histree_value_equal(&now, value))
		return apply_held_from(system, t, quark, &now, held, error);
	ongoing_states_drop(&system->ongoing, held);
	return HISTREE_OK;
}

enum histree_status state_apply_change(struct histree_state_system *system, histree_time t, histree_quark quark,
				       const struct histree_value *value, struct histree_error *error)
{
	const struct histree_value now = ongoing_states_value(&system->ongoing, quark);
	if (histree_value_equal(&now, value))
		return HISTREE_OK;
	return apply_change_from(system, t, quark, &now, value, error);
}

/* An attribute of whole numbers that goes on with one or with null, as most changes are: nothing can be wrong. */
static inline bool is_plain(const struct histree_state_system *system, histree_time t, histree_quark quark,
			    const struct histree_value *value)
{
	if (system->closed || system->sink_status != HISTREE_OK || quark >= system->attributes.base.count)
		return false;
	const struct ongoing_state *state = &system->ongoing.states[quark];
	bool is_number = state->fixed_type == HISTREE_INT || state->fixed_type == HISTREE_LONG;
	bool is_of_type = value->type == HISTREE_NULL || (uint8_t)value->type == state->fixed_type;
	return is_number && is_of_type && t > state->since;
}

/* The same as below, in a fifth of the time. */
static enum histree_status apply_plain(struct histree_state_system *system, histree_time t, histree_quark quark,
				       const struct histree_value *value, struct histree_error *error)
{
	struct ongoing_state *state = &system->ongoing.states[quark];
	uint64_t bits = 0; /* all that null and unknown have */
	if (value->type == HISTREE_INT)
		bits = (uint32_t)value->int32;
	else if (value->type == HISTREE_LONG)
		bits = (uint64_t)value->int64;
	if (state->type == (uint8_t)value->type && state->bits == bits)
		return HISTREE_OK;
	struct histree_interval interval = {
		.start = state->since,
		.end = t - 1,
		.quark = quark,
		.value = { .type = (enum histree_type)state->type },
	};
	if (state->type == HISTREE_INT)
		interval.value = histree_int((int32_t)state->bits);
	else if (state->type == HISTREE_LONG)
		interval.value.int64 = (int64_t)state->bits;
	enum histree_status status = state_add_interval(system, &interval, error);
	if (status != HISTREE_OK)
		return status;
	state->since = t;
	state->bits = bits;
	state->type = (uint8_t)value->type;
	if (t > system->current_end)
		system->current_end = t;
	return HISTREE_OK;
}

/* The same of strings: what may be wrong besides is that there is no memory for one. */
static inline bool is_simple(const struct histree_state_system *system, histree_time t, histree_quark quark,
			     const struct histree_value *value)
{
	if (system->closed || system->sink_status != HISTREE_OK || quark >= system->attributes.base.count)
		return false;
	const struct ongoing_state *state = &system->ongoing.states[quark];
	bool is_of_type = value->type == HISTREE_NULL ||
			  (value->type == HISTREE_STRING && value->size <= system->sink.value_size_max &&
			   (value->bytes != NULL || value->size == 0));
	return state->fixed_type == HISTREE_STRING && is_of_type && t > state->since;
}

/* A string, null or unknown. */
static enum histree_status apply_simple(struct histree_state_system *system, histree_time t, histree_quark quark,
					const struct histree_value *value, struct histree_error *error)
{
	struct held_value held;
	struct histree_interval interval = {
		.start = system->ongoing.states[quark].since,
		.end = t - 1,
		.quark = quark,
		.value = ongoing_states_value(&system->ongoing, quark),
	};
	if (histree_value_equal(&interval.value, value))
		return HISTREE_OK;
	if (!ongoing_states_hold(&system->ongoing, value, &held))
		return error_memory(error, "the value of an attribute");
	enum histree_status status = state_add_interval(system, &interval, error);
	if (status != HISTREE_OK) {
		ongoing_states_drop(&system->ongoing, &held);
		return status;
	}
	ongoing_states_set(&system->ongoing, quark, t, &held);
	if (t > system->current_end)
		system->current_end = t;
	return HISTREE_OK;
}

bool state_goes_on(const struct histree_state_system *system, histree_time t, histree_quark quark,
		   const struct histree_value *value)
{
	return is_plain(system, t, quark, value) || is_simple(system, t, quark, value);
}

enum histree_status histree_state_modify(struct histree_state_system *system, histree_time t, histree_quark quark,
					 struct histree_value value, struct histree_error *error)
{
	if (is_plain(system, t, quark, &value))
		return apply_plain(system, t, quark, &value, error);
	if (is_simple(system, t, quark, &value))
		return apply_simple(system, t, quark, &value, error);
	enum histree_status status = state_check_attribute(system, quark, error);
	if (status != HISTREE_OK)
		return status;
	status = check_value_at(system, t, &value, error);
	const struct histree_value now = ongoing_states_value(&system->ongoing, quark);
	if (status != HISTREE_OK || histree_value_equal(&now, &value))
		return status;
	status = check_other_value(system, t, quark, &value, error);
	return status == HISTREE_OK ? apply_change_from(system, t, quark, &now, &value, error) : status;
}

enum histree_status histree_state_update(struct histree_state_system *system, histree_quark quark,
					 struct histree_value value, struct histree_error *error)
{
	enum histree_status status = state_check_attribute(system, quark, error);
	if (status == HISTREE_OK)
		status = state_check_value(system, &value, error);
	if (status == HISTREE_OK)
		status = check_type(system, quark, &value, error);
	if (status != HISTREE_OK)
		return status;
	struct held_value held;
	if (!ongoing_states_hold(&system->ongoing, &value, &held))
		return error_memory(error, "the value of an attribute");
	if (system->sink.replaced != NULL) {
		status = tell_replaced(system, quark, error);
		if (status != HISTREE_OK) {
			ongoing_states_drop(&system->ongoing, &held);
			return status;
		}
	}
	ongoing_states_set(&system->ongoing, quark, system->ongoing.states[quark].since, &held);
	return HISTREE_OK;
}

/* ---- increments --------------------------------------------------------------------------------------- */

/* *sum += increment, of the same type.  False on overflow. */
static bool add_number(struct histree_value *sum, const struct histree_value *increment)
{
	switch (increment->type) {
	case HISTREE_INT:
		return !__builtin_add_overflow(sum->int32, increment->int32, &sum->int32);
	case HISTREE_LONG:
		return !__builtin_add_overflow(sum->int64, increment->int64, &sum->int64);
	case HISTREE_DOUBLE:
		sum->real += increment->real;
		return true;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_BOOL:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		break;
	}
	return false;
}

static bool is_number(const struct histree_value *value)
{
	return value->type == HISTREE_INT || value->type == HISTREE_LONG || value->type == HISTREE_DOUBLE;
}

enum histree_status histree_state_increment(struct histree_state_system *system, histree_time t,
					    histree_quark quark, struct histree_value increment,
					    struct histree_error *error)
{
	enum histree_status status = state_check_attribute(system, quark, error);
	if (status == HISTREE_OK)
		status = state_check_value(system, &increment, error);
	if (status != HISTREE_OK)
		return status;
	if (!is_number(&increment))
		return error_set(error, HISTREE_ERR_TYPE, "cannot add a %s; an increment is an int, long or double",
				 histree_type_name(increment.type));
	status = check_type(system, quark, &increment, error);
	if (status != HISTREE_OK)
		return status;

	struct histree_value sum = ongoing_states_value(&system->ongoing, quark);
	if (sum.type == HISTREE_NULL)
		sum = (struct histree_value){ .type = increment.type };
	if (sum.type != HISTREE_UNKNOWN && !add_number(&sum, &increment)) {
		error_set(error, HISTREE_ERR_ARGUMENT, "the sum does not fit the type %s",
			  histree_type_name(increment.type));
		attributes_prefix(&system->attributes.base, quark, error);
		return HISTREE_ERR_ARGUMENT;
	}
	return histree_state_modify(system, t, quark, sum, error);
}

/* ---- removal ------------------------------------------------------------------------------------------ */

enum histree_status state_check_removal(const struct histree_state_system *system, histree_time t,
					histree_quark top, struct histree_error *error)
{
	const struct histree_value null = histree_null();
	struct attribute_range near = { 0 };
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = top; quark != HISTREE_ROOT && status == HISTREE_OK;
	     quark = attributes_next(&system->attributes.base, top, quark, &near))
		status = state_check_change(system, t, quark, &null, error);
	return status;
}

enum histree_status state_apply_removal(struct histree_state_system *system, histree_time t, histree_quark top,
					struct histree_error *error)
{
	const struct histree_value null = histree_null();
	struct attribute_range near = { 0 };
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = top; quark != HISTREE_ROOT && status == HISTREE_OK;
	     quark = attributes_next(&system->attributes.base, top, quark, &near))
		status = state_apply_change(system, t, quark, &null, error);
	return status;
}

enum histree_status histree_state_remove(struct histree_state_system *system, histree_time t, histree_quark quark,
					 struct histree_error *error)
{
	enum histree_status status = state_check_attribute(system, quark, error);
	if (status == HISTREE_OK)
		status = state_check_removal(system, t, quark, error);
	if (status == HISTREE_OK)
		status = state_apply_removal(system, t, quark, error);
	return status;
}
