// SPDX-License-Identifier: MIT
/*
 * load_states.c - records of states become a history.
 *
 * Intervals go to the file as they are, by their ends: two equal states that touch stay two.  Where the rows say
 * nothing, an attribute is null.  Changes go through a state system, whose rules are theirs.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "item/value_codec.h"
#include "pipeline/load_inside.h"
#include "state/state_file.h"
#include "state/state_system.h"

struct state_record {
	histree_quark quark;
	uint64_t duration;
	struct load_place place;
	struct histree_value value;
};

static struct state_record decode(const struct load *load, const struct sorted_record *record)
{
	struct byte_reader reader = byte_reader(record->bytes, record->size);
	struct state_record state = { .quark = (histree_quark)read_varint(&reader) };
	if (load->kind == LOAD_INTERVALS)
		state.duration = read_varint(&reader);
	state.place = load_place_get(&reader);
	struct histree_value value = value_decode(&reader);
	state.value = load_widen(&value, (enum histree_type)load->attributes[state.quark].type);
	return state;
}

static histree_time time_of(const struct sorted_record *record)
{
	return (histree_time)record_key_signed((int64_t)record->key);
}

static struct histree_history_options history_options(const struct load *load, const char *path)
{
	struct histree_history_options options = {
		.path = path,
		.provider = load_analysis(load),
		.provider_version = load_version(load),
		.start = load->start,
		.tree = load->options->tree,
	};
	options.tree.memory_max = load->memory.history;
	return options;
}

/* ---- intervals ------------------------------------------------------------------------------------- */

static enum histree_status add_null(const struct load *load, struct interval_sink *sink, histree_quark quark,
				    histree_time end)
{
	const struct histree_interval null = {
		.start = load->attributes[quark].since, .end = end, .quark = quark, .value = histree_null()
	};
	return sink->add(sink->context, &null, load->error);
}

static enum histree_status add_interval(struct load *load, struct interval_sink *sink,
					const struct histree_interval *interval)
{
	struct load_attribute *attribute = &load->attributes[interval->quark];
	if (attribute->is_over || interval->start < attribute->since)
		return error_set(load->error, HISTREE_ERR_FORMAT,
				 "the attribute has another state until %" PRId64
				 " already, and this one begins at %" PRId64 ": it has one at a time",
				 attribute->since - 1, interval->start);
	enum histree_status status = HISTREE_OK;
	if (interval->start > attribute->since)
		status = add_null(load, sink, interval->quark, interval->start - 1);
	if (status == HISTREE_OK)
		status = sink->add(sink->context, interval, load->error);
	attribute->since = interval->end + 1;
	attribute->is_over = interval->end == load->end;
	return status;
}

/* From here on, each interval is the last of its attribute; null is what follows the last of the others. */
static enum histree_status close_intervals(struct load *load, struct interval_sink *sink)
{
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = 0; quark < load->attribute_count && status == HISTREE_OK; quark++) {
		const struct load_attribute *attribute = &load->attributes[quark];
		if (attribute->has_rows && !attribute->is_over)
			status = add_null(load, sink, quark, load->end);
	}
	return status;
}

static enum histree_status add_intervals(struct load *load, struct interval_sink *sink)
{
	struct sorted_record record;
	bool closing = false;
	enum histree_status status;
	for (uint64_t count = 0; (status = record_sort_next(load->sort, &record, load->error)) == HISTREE_OK;
	     count++) {
		struct state_record state = decode(load, &record);
		const struct histree_interval interval = {
			.start = (histree_time)((uint64_t)time_of(&record) - state.duration),
			.end = time_of(&record),
			.quark = state.quark,
			.value = state.value,
		};
		if (!closing && interval.end == load->end) {
			sink->closing(sink->context, load->end);
			closing = true;
		}
		status = add_interval(load, sink, &interval);
		if (status != HISTREE_OK) {
			load_prefix(load, &state.place);
			return status;
		}
		status = load_go_on(load, count);
		if (status != HISTREE_OK)
			return status;
	}
	if (status != HISTREE_END)
		return status;
	if (!closing)
		sink->closing(sink->context, load->end);
	return close_intervals(load, sink);
}

static void make_folders(struct load *load)
{
	for (histree_quark quark = 0; quark < load->attribute_count; quark++)
		if (!load->attributes[quark].has_rows)
			attribute_tree_make_folder(&load->names, quark);
}

static enum histree_status make_of_intervals(struct load *load, const char *path)
{
	const struct histree_history_options options = history_options(load, path);
	struct interval_sink sink;
	const struct state_shared shared = { .tables = &load->tables };
	enum histree_status status = state_file_sink(load->io, &options, &shared, &sink, load->error);
	if (status != HISTREE_OK)
		return status;
	for (histree_quark quark = 0; quark < load->attribute_count; quark++)
		load->attributes[quark].since = load->start;
	make_folders(load);
	status = load_set_labels(load, &sink);
	if (status == HISTREE_OK)
		status = add_intervals(load, &sink);
	if (status == HISTREE_OK)
		status = sink.finish(sink.context, &load->names, load->end, load->error);
	sink.free(sink.context);
	return status;
}

/* ---- changes --------------------------------------------------------------------------------------- */

/* The attributes of the records, with the same quarks: parents are older than their children. */
static enum histree_status add_attributes(struct load *load, struct histree_state_system *system)
{
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = 0; quark < load->attribute_count && status == HISTREE_OK; quark++) {
		struct attribute_name name = attribute_tree_name(&load->names, quark);
		char room[ATTRIBUTE_NUMBER_SIZE];
		size_t size;
		const char *text = attribute_name_text(&name, room, &size);
		histree_quark made;
		status = histree_state_child(system, load->names.attributes[quark].parent, text, size, &made,
					     load->error);
		if (status == HISTREE_OK && !load->attributes[quark].has_rows)
			status = histree_state_folder(system, made, load->error);
	}
	return status;
}

static enum histree_status add_changes(struct load *load, struct histree_state_system *system)
{
	struct sorted_record record;
	enum histree_status status;
	for (uint64_t count = 0; (status = record_sort_next(load->sort, &record, load->error)) == HISTREE_OK;
	     count++) {
		struct state_record state = decode(load, &record);
		histree_time time = state.place.file == 0 ? load->start : time_of(&record);
		status = histree_state_modify(system, time, state.quark, state.value, load->error);
		if (status != HISTREE_OK) {
			load_prefix(load, &state.place);
			return status;
		}
		status = load_go_on(load, count);
		if (status != HISTREE_OK)
			return status;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status make_of_changes(struct load *load, const char *path)
{
	const struct histree_history_options options = history_options(load, path);
	const struct state_shared shared = { .tables = &load->tables };
	struct histree_state_system *system;
	enum histree_status status = state_file_create_in(load->io, &options, &shared, &system, load->error);
	if (status == HISTREE_OK)
		status = load_set_labels(load, &system->sink);
	if (status == HISTREE_OK)
		status = add_attributes(load, system);
	/* They are in the system now. */
	attribute_tree_release(&load->names);
	if (status == HISTREE_OK)
		status = add_changes(load, system);
	if (status == HISTREE_OK)
		status = histree_state_close(system, load->end, load->error);
	histree_state_free(system);
	return status;
}

enum histree_status load_make_history(struct load *load, const char *path)
{
	return load->kind == LOAD_INTERVALS ? make_of_intervals(load, path) : make_of_changes(load, path);
}
