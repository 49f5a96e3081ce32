// SPDX-License-Identifier: MIT
/*
 * state_system.c - the inside of a state system: names, ongoing states, the rules of a change, and a sink for
 * intervals.
 *
 * The rules of one change (state_system.h) come first, then the operations that consist of changes.
 *
 * A whole interval is two changes of state, made in one step if the attribute was null before.
 *
 * A stack in the attribute tree: the attribute holds the depth, the sub-attributes "1", "2", ...
 * the values.
 *
 * As the interface of Trace Compass documents, an emptied stack has the depth 0; a stack that was never used, or
 * was removed, is null.  The code of Trace Compass makes an emptied stack null, too: that is an option of the
 * history.
 */
#include "state/state_system.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "histree/history.h"
#include "item/value.h"
#include "state/attributes.h"
#include "state/charts.h"
#include "state/labels.h"
#include "state/ongoing_states.h"

/* ---- state system -------------------------------------------------------------------------------------------- */

enum { STATES_PER_LOOK = 1 << 14 }; /* at what is resident of their table: 384 KiB */

enum histree_status state_system_create(histree_time start, const struct interval_sink *sink,
					struct histree_state_system **out, struct histree_error *error)
{
	*out = NULL;
	assert(sink->add != NULL);
	assert((sink->withhold == NULL) == (sink->add_late == NULL));
	struct histree_state_system *system = malloc(sizeof(*system));
	if (system == NULL)
		return error_memory(error, "a state system");
	*system = (struct histree_state_system){ .sink = *sink, .start = start, .current_end = start };
	attribute_tree_init(&system->attributes);
	attribute_tree_use_space(&system->attributes, sink->tables);
	ongoing_states_use_space(&system->ongoing, sink->tables);
	*out = system;
	return HISTREE_OK;
}

void histree_state_free(struct histree_state_system *system)
{
	if (system == NULL)
		return;
	/* The tables belong to a space that is freed with the sink. */
	ongoing_states_release(&system->ongoing);
	undecided_free(system->undecided);
	if (!system->shares_names)
		attribute_tree_release(&system->attributes);
	if (system->sink.free != NULL)
		system->sink.free(system->sink.context);
	free(system);
}

histree_time histree_state_start(const struct histree_state_system *system)
{
	return system->start;
}

histree_time histree_state_current_end(const struct histree_state_system *system)
{
	return system->current_end;
}

/* ---- checks ---------------------------------------------------------------------------------------- */

enum histree_status state_check_open(const struct histree_state_system *system, struct histree_error *error)
{
	if (system->closed)
		return error_set(error, HISTREE_ERR_CLOSED, "the history was closed at %" PRId64,
				 system->current_end);
	if (system->sink_status != HISTREE_OK)
		return error_set(error, system->sink_status, "the history could not be written earlier on: %s",
				 histree_status_text(system->sink_status));
	return HISTREE_OK;
}

static enum histree_status state_check_attribute(const struct histree_state_system *system, histree_quark quark,
						 struct histree_error *error)
{
	enum histree_status status = state_check_open(system, error);
	return status != HISTREE_OK ? status : attributes_check(&system->attributes.base, quark, error);
}

enum histree_status state_add_interval(struct histree_state_system *system, const struct histree_interval *interval,
				       struct histree_error *error)
{
	assert(interval->start >= system->start && interval->start <= interval->end);
	assert(interval->quark < system->attributes.base.count);
	system->sink_status = system->sink.add(system->sink.context, interval, error);
	return system->sink_status;
}

enum histree_status state_add_intervals(struct histree_state_system *system,
					const struct histree_interval *intervals, size_t count, size_t *added,
					struct histree_error *error)
{
	if (system->sink.add_many != NULL) {
		system->sink_status = system->sink.add_many(system->sink.context, intervals, count, added, error);
		assert(*added <= count);
		assert(system->sink_status != HISTREE_OK || *added == count);
		return system->sink_status;
	}
	enum histree_status status = HISTREE_OK;
	for (*added = 0; *added < count && status == HISTREE_OK; *added += status == HISTREE_OK)
		status = state_add_interval(system, &intervals[*added], error);
	return status;
}

/* ---- attributes -------------------------------------------------------------------------------------- */

/* A system that continues from a checkpoint makes no names that the history does not have. */
static enum histree_status no_such_name(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE, "an attribute that the history does not have");
}

/* Before an attribute is made, so that making it is the last thing that can fail. */
static enum histree_status prepare_attributes(struct histree_state_system *system, size_t more,
					      struct histree_error *error)
{
	enum histree_status status = state_check_open(system, error);
	if (status != HISTREE_OK)
		return status;
	if (!ongoing_states_reserve(&system->ongoing, system->attributes.base.count + more))
		return error_memory(error, "ongoing states");
	return HISTREE_OK;
}

enum histree_status histree_state_attribute(struct histree_state_system *system, histree_quark from,
					    const char *path, histree_quark *out, struct histree_error *error)
{
	if (histree_attributes_find(&system->attributes.base, from, path, out) == HISTREE_OK)
		return HISTREE_OK;
	if (system->shares_names)
		return no_such_name(error);
	size_t component_count;
	enum histree_status status = path_check(path, &component_count, error);
	if (status == HISTREE_OK)
		status = prepare_attributes(system, component_count, error);
	if (status == HISTREE_OK)
		status = attribute_tree_add_path(&system->attributes, from, path, out, error);
	ongoing_states_extend(&system->ongoing, system->attributes.base.count, system->start);
	return status;
}

enum histree_status histree_state_child(struct histree_state_system *system, histree_quark parent, const char *name,
					size_t name_size, histree_quark *out, struct histree_error *error)
{
	if (system->shares_names)
		return histree_attributes_child(&system->attributes.base, parent, name, name_size, out) ==
				       HISTREE_OK
			       ? HISTREE_OK
			       : no_such_name(error);
	enum histree_status status = prepare_attributes(system, 1, error);
	if (status == HISTREE_OK)
		status = attribute_tree_add(&system->attributes, parent, name, name_size, out, error);
	ongoing_states_extend(&system->ongoing, system->attributes.base.count, system->start);
	/* Where nothing can be made, what is there is found: it is looked up once, as a rule. */
	if (status != HISTREE_OK &&
	    histree_attributes_child(&system->attributes.base, parent, name, name_size, out) == HISTREE_OK)
		status = HISTREE_OK;
	return status;
}

enum histree_status histree_state_folder(struct histree_state_system *system, histree_quark quark,
					 struct histree_error *error)
{
	enum histree_status status = state_check_attribute(system, quark, error);
	if (status != HISTREE_OK)
		return status;
	struct ongoing_state *state = &system->ongoing.states[quark];
	bool is_folder = state->fixed_type == ONGOING_FOLDER;
	if (is_folder)
		return HISTREE_OK;
	bool had_states =
		state->fixed_type != HISTREE_NULL || state->type != HISTREE_NULL || state->since != system->start;
	if (had_states) {
		error_set(error, HISTREE_ERR_TYPE, "it cannot become a folder: it had a state");
		attributes_prefix(&system->attributes.base, quark, error);
		return HISTREE_ERR_TYPE;
	}
	state->fixed_type = ONGOING_FOLDER;
	attribute_tree_make_folder(&system->attributes, quark);
	return HISTREE_OK;
}

const struct histree_attributes *histree_state_attributes(const struct histree_state_system *system)
{
	return &system->attributes.base;
}

enum histree_status histree_state_ongoing(const struct histree_state_system *system, histree_quark quark,
					  struct histree_value *value, histree_time *since,
					  struct histree_error *error)
{
	enum histree_status status = attributes_check(&system->attributes.base, quark, error);
	if (status != HISTREE_OK)
		return status;
	if (value != NULL)
		*value = ongoing_states_value(&system->ongoing, quark);
	if (since != NULL)
		*since = system->ongoing.states[quark].since;
	return HISTREE_OK;
}

enum histree_status histree_state_labels(struct histree_state_system *system,
					 const struct histree_label_table *tables, size_t count,
					 struct histree_error *error)
{
	struct told_list copy = { .count = 0 };
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum histree_status status = state_check_open(system, error);
	if (status == HISTREE_OK)
		status = label_tables_copy(tables, count, &copy, error);
	if (status == HISTREE_OK && count > 0)
		status = told_encode(&told_labels, copy.tables, copy.count, &bytes, &size, error);
	if (status == HISTREE_OK && system->sink.set_section != NULL)
		status = system->sink.set_section(system->sink.context, TOLD_LABELS, bytes, size, error);
	told_list_release(&copy);
	free(bytes);
	return status;
}

enum histree_status histree_state_charts(struct histree_state_system *system, const struct histree_chart *charts,
					 size_t count, struct histree_error *error)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum histree_status status = state_check_open(system, error);
	if (status == HISTREE_OK)
		status = charts_check(charts, count, error);
	if (status == HISTREE_OK && count > 0)
		status = told_encode(&told_charts, charts, count, &bytes, &size, error);
	if (status == HISTREE_OK && system->sink.set_section != NULL)
		status = system->sink.set_section(system->sink.context, TOLD_CHARTS, bytes, size, error);
	free(bytes);
	return status;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* Give the sink what is ongoing, ended at `end`, and finish it. */
static enum histree_status finish_sink(const struct histree_state_system *system, const struct interval_sink *sink,
				       histree_time end, struct histree_error *error)
{
	if (sink->closing != NULL)
		sink->closing(sink->context, end);
	/* Those that never changed give one null over the whole history; folders give none, nor do runs. */
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = 0; quark < system->attributes.base.count && status == HISTREE_OK; quark++) {
		if (quark % STATES_PER_LOOK == 0)
			table_space_look(system->ongoing.table.space);
		/* What was inserted up to the very end has nothing after it, nor what begins after a branch. */
		if (system->ongoing.states[quark].since > end || system->ongoing.states[quark].run != 0 ||
		    system->ongoing.states[quark].fixed_type == ONGOING_FOLDER)
			continue;
		const struct histree_interval interval = {
			.start = system->ongoing.states[quark].since,
			.end = end,
			.quark = quark,
			.value = ongoing_states_value(&system->ongoing, quark),
		};
		status = sink->add(sink->context, &interval, error);
	}
	return status == HISTREE_OK ? sink->finish(sink->context, &system->attributes, end, error) : status;
}

/* A branch that ends at `end`; `history` NULL: published.  States that begin after it are left out. */
static enum histree_status finish_branch(const struct histree_state_system *system, histree_time end,
					 const struct histree_open_options *options,
					 struct histree_history **history, struct histree_error *error)
{
	enum histree_status status = state_check_open(system, error);
	if (status != HISTREE_OK)
		return status;
	if (end < system->start || (end < system->current_end && (uint64_t)system->current_end - (uint64_t)end > 1))
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "cannot end the history at %" PRId64 " for now: it begins at %" PRId64
				 ", and a state began at %" PRId64,
				 end, system->start, system->current_end);
	struct interval_sink branch;
	status = system->sink.branch(system->sink.context, history == NULL, &branch, error);
	if (status != HISTREE_OK)
		return status;
	assert(branch.add != NULL && branch.finish != NULL && branch.free != NULL);
	assert(history == NULL || branch.open != NULL);
	if (system->undecided != NULL)
		status = undecided_tell(system->undecided, &branch, end, error);
	if (status == HISTREE_OK)
		status = finish_sink(system, &branch, end, error);
	if (status == HISTREE_OK && history != NULL)
		status = branch.open(branch.context, options, history, error);
	branch.free(branch.context);
	return status;
}

enum histree_status histree_state_publish(struct histree_state_system *system, histree_time end,
					  struct histree_error *error)
{
	return finish_branch(system, end, NULL, NULL, error);
}

enum histree_status histree_state_history(struct histree_state_system *system, histree_time end,
					  const struct histree_open_options *options, struct histree_history **out,
					  struct histree_error *error)
{
	*out = NULL;
	if (!system->closed || system->sink.open == NULL)
		return finish_branch(system, end, options, out, error);
	if (end != system->current_end)
		return error_set(error, HISTREE_ERR_TIME_RANGE, "the history was closed at %" PRId64,
				 system->current_end);
	return system->sink.open(system->sink.context, options, out, error);
}

enum histree_status histree_state_close(struct histree_state_system *system, histree_time end,
					struct histree_error *error)
{
	enum histree_status status = state_check_open(system, error);
	if (status != HISTREE_OK)
		return status;
	/* The latest change began the latest ongoing state, so not all of them need to be examined. */
	if (end < system->current_end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "cannot end the history at %" PRId64 ": a state began at %" PRId64, end,
				 system->current_end);
	if (system->undecided != NULL)
		status = system->sink_status = undecided_close(system->undecided, end, error);
	if (status == HISTREE_OK)
		status = system->sink_status = finish_sink(system, &system->sink, end, error);
	if (status != HISTREE_OK)
		return status;
	assert(!system->closed && end >= system->start);
	system->current_end = end;
	system->closed = true;
	return HISTREE_OK;
}

/* ---- state change -------------------------------------------------------------------------------------------- */

/* ---- checks ---------------------------------------------------------------------------------------- */

/* Check that this is a value at all, and fits into a node. */
static enum histree_status state_check_value(const struct histree_state_system *system,
					     const struct histree_value *value, struct histree_error *error)
{
	if (histree_type_name(value->type) == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no type %d of values", (int)value->type);
	if (!value_has_bytes(value))
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

static enum histree_status end_undecided(struct histree_state_system *system, histree_time end, histree_quark quark,
					 struct histree_error *error)
{
	system->sink_status = undecided_end(system->undecided, quark, end, error);
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
	assert(!system->closed && system->sink_status == HISTREE_OK);
	assert(quark < system->ongoing.count && t >= interval.start);
	assert(system->ongoing.states[quark].run == 0 || system->undecided != NULL);
	/* No interval of zero length: at the start of the ongoing state its value is replaced. */
	const bool is_undecided = system->ongoing.states[quark].run != 0;
	enum histree_status status = HISTREE_OK;
	if (t > interval.start) {
		interval.end = t - 1;
		status = is_undecided ? end_undecided(system, t - 1, quark, error)
				      : state_add_interval(system, &interval, error);
	} else {
		if (is_undecided)
			undecided_replace(system->undecided, quark);
		if (system->sink.replaced != NULL)
			status = tell_replaced(system, quark, error);
	}
	if (status != HISTREE_OK)
		return status;
	ongoing_states_set(&system->ongoing, quark, t, held);
	assert(held->type == HISTREE_NULL || held->type == HISTREE_UNKNOWN ||
	       held->type == system->ongoing.states[quark].fixed_type);
	if (t > system->current_end)
		system->current_end = t;
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

/* The same with the value held already, which the attribute has then; after a failure the caller still has it. */
static enum histree_status state_apply_held(struct histree_state_system *system, histree_time t,
					    histree_quark quark, const struct histree_value *value,
					    const struct held_value *held, struct histree_error *error)
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

/* Returns the type of an attribute that gets a value, which fixes it if it is the first one. */
static inline unsigned type_with(const struct ongoing_state *state, const struct histree_value *value)
{
	return state->fixed_type != HISTREE_NULL ? state->fixed_type : (unsigned)value->type;
}

/*
 * An attribute of whole numbers that goes on with one or with null, as most changes are, or that gets its first
 * value: nothing can be wrong.
 */
static inline bool is_plain(const struct histree_state_system *system, histree_time t, histree_quark quark,
			    const struct histree_value *value)
{
	if (system->closed || system->sink_status != HISTREE_OK || quark >= system->attributes.base.count)
		return false;
	const struct ongoing_state *state = &system->ongoing.states[quark];
	const unsigned type = type_with(state, value);
	bool is_number = type == HISTREE_INT || type == HISTREE_LONG;
	bool is_of_type = value->type == HISTREE_NULL || (unsigned)value->type == type;
	return is_number && is_of_type && t >= state->since && state->run == 0;
}

/* The ongoing state ends before `t`; at its own start its value is replaced, as no interval has no length. */
static inline enum histree_status end_plainly(struct histree_state_system *system, histree_time t,
					      struct histree_interval *interval, struct histree_error *error)
{
	if (t > interval->start) {
		interval->end = t - 1;
		return state_add_interval(system, interval, error);
	}
	return system->sink.replaced != NULL ? tell_replaced(system, interval->quark, error) : HISTREE_OK;
}

/* The same as below, in a fifth of the time. */
static enum histree_status apply_plain(struct histree_state_system *system, histree_time t, histree_quark quark,
				       const struct histree_value *value, struct histree_error *error)
{
	struct ongoing_state *state = &system->ongoing.states[quark];
	assert(state->run == 0 && t >= state->since);
	assert(state->type != HISTREE_STRING && state->type != HISTREE_CUSTOM);
	uint64_t bits = 0; /* all that null and unknown have */
	if (value->type == HISTREE_INT)
		bits = (uint32_t)value->int32;
	else if (value->type == HISTREE_LONG)
		bits = (uint64_t)value->int64;
	if (state->type == (uint8_t)value->type && state->bits == bits)
		return HISTREE_OK;
	struct histree_interval interval = {
		.start = state->since,
		.quark = quark,
		.value = { .type = (enum histree_type)state->type },
	};
	if (state->type == HISTREE_INT)
		interval.value = histree_int((int32_t)state->bits);
	else if (state->type == HISTREE_LONG)
		interval.value.int64 = (int64_t)state->bits;
	enum histree_status status = end_plainly(system, t, &interval, error);
	if (status != HISTREE_OK)
		return status;
	state->since = t;
	state->bits = bits;
	state->type = (uint8_t)value->type;
	if (value->type != HISTREE_NULL)
		state->fixed_type = (uint8_t)value->type;
	if (t > system->current_end)
		system->current_end = t;
	return HISTREE_OK;
}

/* The same for strings, which can also fail for lack of memory. */
static inline bool is_simple(const struct histree_state_system *system, histree_time t, histree_quark quark,
			     const struct histree_value *value)
{
	if (system->closed || system->sink_status != HISTREE_OK || quark >= system->attributes.base.count)
		return false;
	const struct ongoing_state *state = &system->ongoing.states[quark];
	bool is_of_type = value->type == HISTREE_NULL ||
			  (value->type == HISTREE_STRING && value->size <= system->sink.value_size_max &&
			   (value->bytes != NULL || value->size == 0));
	const unsigned type = type_with(state, value);
	return type == HISTREE_STRING && is_of_type && t >= state->since && state->run == 0;
}

/* A string, null or unknown. */
static enum histree_status apply_simple(struct histree_state_system *system, histree_time t, histree_quark quark,
					const struct histree_value *value, struct histree_error *error)
{
	struct held_value held;
	struct histree_interval interval = {
		.start = system->ongoing.states[quark].since,
		.quark = quark,
		.value = ongoing_states_value(&system->ongoing, quark),
	};
	assert(interval.start <= t);
	if (histree_value_equal(&interval.value, value))
		return HISTREE_OK;
	if (!ongoing_states_hold(&system->ongoing, value, &held))
		return error_memory(error, "the value of an attribute");
	enum histree_status status = end_plainly(system, t, &interval, error);
	if (status != HISTREE_OK) {
		ongoing_states_drop(&system->ongoing, &held);
		return status;
	}
	ongoing_states_set(&system->ongoing, quark, t, &held);
	if (t > system->current_end)
		system->current_end = t;
	return HISTREE_OK;
}

/* Whether an attribute gets a value of its type, or null, as nearly always: then nothing is to be checked. */
static bool state_goes_on(const struct histree_state_system *system, histree_time t, histree_quark quark,
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
	if (status == HISTREE_OK && histree_value_equal(&now, &value) && system->ongoing.states[quark].run != 0)
		return undecided_go_on(system->undecided, quark, t, error);
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
	if (system->ongoing.states[quark].run != 0)
		undecided_replace(system->undecided, quark);
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

/* ---- what is not decided yet --------------------------------------------------------------------------- */

static bool has_undecided(struct histree_state_system *system)
{
	if (system->undecided == NULL)
		system->undecided = undecided_create(&system->ongoing, &system->sink);
	return system->undecided != NULL;
}

enum histree_status state_modify_undecided(struct histree_state_system *system, histree_time t, histree_quark quark,
					   const struct undecided_value *value, struct histree_error *error)
{
	if (!has_undecided(system))
		return error_memory(error, "states that are not decided");
	if (quark < system->attributes.base.count && undecided_goes_on_alike(system->undecided, quark, value))
		return state_check_open(system, error);
	enum histree_status status = histree_state_modify(system, t, quark, value->believed, error);
	return status == HISTREE_OK ? undecided_add(system->undecided, t, quark, value, error) : status;
}

enum histree_status state_decide(struct histree_state_system *system, histree_quark fact,
				 enum undecided_outcome outcome, histree_time since, struct histree_error *error)
{
	enum histree_status status = state_check_open(system, error);
	if (status == HISTREE_OK && system->undecided != NULL)
		status = system->sink_status = undecided_decide(system->undecided, fact, outcome, since, error);
	return status;
}

uint32_t state_undecided_count(const struct histree_state_system *system, histree_quark fact)
{
	return system->undecided == NULL ? 0 : undecided_count(system->undecided, fact);
}

bool state_resume_undecided(struct histree_state_system *system, histree_quark fact, uint32_t count)
{
	return has_undecided(system) && undecided_resume(system->undecided, fact, count);
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
	assert(sum.type == HISTREE_UNKNOWN || sum.type == increment.type);
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

/* ---- state insert -------------------------------------------------------------------------------------------- */

enum {
	/* So far ahead of its use an ongoing state is asked for: shuffled attributes meet no cached one. */
	PREFETCH_DISTANCE = 32,
	RUN_INTERVALS = 64, /* handed to the sink at once, at most: what it reads again is in the nearest cache */
};

static enum histree_status check_times(const struct histree_state_system *system,
				       const struct histree_interval *interval, struct histree_error *error)
{
	if (interval->start > interval->end || interval->end == INT64_MAX)
		return error_set(error, HISTREE_ERR_TIME_RANGE, "an interval from %" PRId64 " to %" PRId64,
				 interval->start, interval->end);
	histree_time since = system->ongoing.states[interval->quark].since;
	if (interval->start >= since || interval->value.type == HISTREE_NULL)
		return HISTREE_OK;
	error_set(error, HISTREE_ERR_TIME_BACKWARDS,
		  "an interval from %" PRId64 ", but its ongoing state began at %" PRId64, interval->start, since);
	attributes_prefix(&system->attributes.base, interval->quark, error);
	return HISTREE_ERR_TIME_BACKWARDS;
}

/* The same as changes, the second of which is after the end of what was inserted. */
static enum histree_status apply(struct histree_state_system *system, const struct histree_interval *interval,
				 struct histree_error *error)
{
	const struct histree_value null = histree_null();
	histree_time end = system->current_end > interval->end ? system->current_end : interval->end;
	enum histree_status status =
		state_apply_change(system, interval->start, interval->quark, &interval->value, error);
	if (status == HISTREE_OK)
		status = state_apply_change(system, interval->end + 1, interval->quark, &null, error);
	assert(status != HISTREE_OK || system->ongoing.states[interval->quark].type == HISTREE_NULL);
	system->current_end = end;
	return status;
}

/* The attribute is null since the interval's start, as it is when its intervals come one after the other. */
static inline bool goes_on(const struct ongoing_state *state, const struct histree_interval *interval)
{
	return state->type == HISTREE_NULL && state->since == interval->start &&
	       (state->fixed_type == interval->value.type || state->fixed_type == HISTREE_NULL) &&
	       interval->value.type == HISTREE_INT && interval->start <= interval->end &&
	       interval->end != INT64_MAX;
}

/* A state may lie in two lines. */
static inline void prefetch_state(const struct histree_state_system *system,
				  const struct histree_interval *interval)
{
	const struct ongoing_state *state = &system->ongoing.states[interval->quark];
	if (interval->quark >= system->attributes.base.count)
		return;
	__builtin_prefetch(&state->since, 1);
	__builtin_prefetch(&state->type, 1);
}

/*
 * Have the attributes of the next intervals be null after them, as long as these just go on, before they are added:
 * if that fails, the system is of no use any more.  Returns how many.
 */
static size_t take_run(struct histree_state_system *system, const struct histree_interval *intervals, size_t count)
{
	struct ongoing_state *const states = system->ongoing.states;
	const uint32_t attribute_count = system->attributes.base.count;
	const size_t ahead = count > PREFETCH_DISTANCE ? count - PREFETCH_DISTANCE : 0;
	size_t most = count < RUN_INTERVALS ? count : RUN_INTERVALS, taken = 0;
	histree_time end = system->current_end;
	for (; taken < most; taken++) {
		const struct histree_interval *interval = &intervals[taken];
		if (taken < ahead)
			prefetch_state(system, interval + PREFETCH_DISTANCE);
		if (interval->quark >= attribute_count)
			break;
		struct ongoing_state *state = &states[interval->quark];
		if (!goes_on(state, interval))
			break;
		state->since = interval->end + 1;
		state->fixed_type = HISTREE_INT;
		end = interval->end > end ? interval->end : end;
	}
	system->current_end = end;
	return taken;
}

/* One that does not just go on: a pair of changes. */
static enum histree_status insert_one(struct histree_state_system *system, const struct histree_interval *interval,
				      struct histree_error *error)
{
	enum histree_status status = attributes_check(&system->attributes.base, interval->quark, error);
	if (status == HISTREE_OK)
		status = check_times(system, interval, error);
	if (status == HISTREE_OK)
		status = state_check_change(system, interval->start, interval->quark, &interval->value, error);
	return status == HISTREE_OK ? apply(system, interval, error) : status;
}

enum histree_status histree_state_insert(struct histree_state_system *system,
					 const struct histree_interval *intervals, size_t count, size_t *inserted,
					 struct histree_error *error)
{
	enum histree_status status = state_check_open(system, error);
	size_t done = 0;
	for (size_t i = 0; i < count && i < PREFETCH_DISTANCE; i++)
		prefetch_state(system, &intervals[i]);
	while (done < count && status == HISTREE_OK) {
		size_t added = 0, run = take_run(system, &intervals[done], count - done);
		if (run > 0) {
			status = state_add_intervals(system, &intervals[done], run, &added, error);
		} else {
			status = insert_one(system, &intervals[done], error);
			added = status == HISTREE_OK;
		}
		assert(added <= count - done);
		done += added;
	}
	if (inserted != NULL)
		*inserted = done;
	return status;
}

/* ---- state stack --------------------------------------------------------------------------------------------- */

/* Get the depth of the stack that the attribute `quark` is, 0 for null.  Refuses what is no depth. */
static enum histree_status state_stack_depth(const struct histree_state_system *system, histree_quark quark,
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
	assert(slot >= 0 && size < SLOT_NAME_SIZE);
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
	if (known->stack == stack && known->depth == depth) {
		assert(system->attributes.attributes[known->slot].parent == stack);
		return true;
	}
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
	assert(slot > 0);
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
	assert(status != HISTREE_OK || top < system->ongoing.count);
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

	assert(depth > 0 && top < system->ongoing.count);
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
