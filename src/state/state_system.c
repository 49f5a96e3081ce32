// SPDX-License-Identifier: MIT
#include "state/state_system.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "state/attribute_path.h"
#include "state/chart_section.h"
#include "state/label_section.h"

enum { STATES_PER_LOOK = 1 << 14 }; /* at what is resident of their table: 384 KiB */

enum histree_status state_system_create(histree_time start, const struct interval_sink *sink,
					struct histree_state_system **out, struct histree_error *error)
{
	*out = NULL;
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
	/* The tables are of a space that goes with the sink. */
	ongoing_states_release(&system->ongoing);
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

enum histree_status state_check_attribute(const struct histree_state_system *system, histree_quark quark,
					  struct histree_error *error)
{
	enum histree_status status = state_check_open(system, error);
	return status != HISTREE_OK ? status : attributes_check(&system->attributes.base, quark, error);
}

enum histree_status state_add_interval(struct histree_state_system *system, const struct histree_interval *interval,
				       struct histree_error *error)
{
	system->sink_status = system->sink.add(system->sink.context, interval, error);
	return system->sink_status;
}

enum histree_status state_add_intervals(struct histree_state_system *system,
					const struct histree_interval *intervals, size_t count, size_t *added,
					struct histree_error *error)
{
	if (system->sink.add_many != NULL) {
		system->sink_status = system->sink.add_many(system->sink.context, intervals, count, added, error);
		return system->sink_status;
	}
	enum histree_status status = HISTREE_OK;
	for (*added = 0; *added < count && status == HISTREE_OK; *added += status == HISTREE_OK)
		status = state_add_interval(system, &intervals[*added], error);
	return status;
}

/* ---- attributes -------------------------------------------------------------------------------------- */

/* Whoever goes on from a checkpoint makes nothing that the history does not have. */
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
	struct label_tables copy = { 0 };
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum histree_status status = state_check_open(system, error);
	if (status == HISTREE_OK)
		status = label_tables_copy(tables, count, &copy, error);
	if (status == HISTREE_OK && count > 0)
		status = label_section_encode(&copy, &bytes, &size, error);
	if (status == HISTREE_OK && system->sink.set_section != NULL)
		status = system->sink.set_section(system->sink.context, TOLD_LABELS, bytes, size, error);
	label_tables_release(&copy);
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
		status = chart_section_encode(charts, count, &bytes, &size, error);
	if (status == HISTREE_OK && system->sink.set_section != NULL)
		status = system->sink.set_section(system->sink.context, TOLD_CHARTS, bytes, size, error);
	free(bytes);
	return status;
}

/* ---- the end ------------------------------------------------------------------------------------------- */

/* Attributes that never changed give one null interval over the whole history; folders give none. */
static enum histree_status end_ongoing_states(const struct histree_state_system *system,
					      const struct interval_sink *sink, histree_time end,
					      struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = 0; quark < system->attributes.base.count && status == HISTREE_OK; quark++) {
		if (quark % STATES_PER_LOOK == 0)
			table_space_look(system->ongoing.table.space);
		/* What was inserted up to the very end has nothing after it, nor what begins after a branch. */
		if (system->ongoing.states[quark].since > end ||
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
	return status;
}

/* Give the sink what is ongoing, ended at `end`, and finish it. */
static enum histree_status finish_sink(const struct histree_state_system *system, const struct interval_sink *sink,
				       histree_time end, struct histree_error *error)
{
	if (sink->closing != NULL)
		sink->closing(sink->context, end);
	enum histree_status status = end_ongoing_states(system, sink, end, error);
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
	/* The latest change began the latest ongoing state: there is no need to look at all of them. */
	if (end < system->current_end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "cannot end the history at %" PRId64 ": a state began at %" PRId64, end,
				 system->current_end);
	status = system->sink_status = finish_sink(system, &system->sink, end, error);
	if (status != HISTREE_OK)
		return status;
	system->current_end = end;
	system->closed = true;
	return HISTREE_OK;
}
