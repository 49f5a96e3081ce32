// SPDX-License-Identifier: MIT
/*
 * load_rows.c - turns rows of a table into records, and these into states, changes or segments.
 *
 * A record of a state is an attribute's number, how long it lasted (intervals only), the file and the line, and the
 * value.  Intervals go to the file as they are, by their ends: two equal states that touch stay two.  Where no row
 * covers it, an attribute is null.  Changes go through a state system and follow its rules.
 *
 * A record of a segment is how long it lasted, the file and the line, and a value for each field that the text had
 * by then.  Cells of TSV and CSV are kept as text until the types of all values of a field are known.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/table.h"
#include "item/value.h"
#include "pipeline/load/load.h"
#include "segment/segment_memory.h"
#include "state/attributes.h"
#include "state/state_file.h"
#include "state/state_system.h"

/* ---- what is said of a load -------------------------------------------------------------------------------- */

enum { ROWS_PER_LOOK = 4096 }; /* at whether the caller wants more */

/* The share of the work that is done when a phase begins. */
static const double begins[] = { [LOAD_READING] = 0, [LOAD_MAKING] = 0.6, [LOAD_OVERVIEWS] = 0.9, 1 };

void load_show(const struct load *load, double done)
{
	const struct histree_work *work = &load->options->work;
	if (work->progress == NULL)
		return;
	struct histree_progress now = { .rows = load->result.rows, .bytes = load->result.bytes, .share = -1 };
	if (load->phase == LOAD_READING)
		now.bytes += load->text.input.at;
	if (done >= 0)
		now.share = begins[load->phase] + (begins[load->phase + 1] - begins[load->phase]) * done;
	work->progress(work->context, &now);
}

enum histree_status load_go_on(const struct load *load, uint64_t count)
{
	if (count % ROWS_PER_LOOK != 0)
		return HISTREE_OK;
	double done = (double)count / (double)load->result.rows;
	if (load->phase == LOAD_READING && load->bytes_total > 0) {
		done = (double)(load->result.bytes + load->text.input.at) / (double)load->bytes_total;
		done = done < 1 ? done : 1; /* a file may grow meanwhile */
	}
	load_show(load, load->phase == LOAD_READING && load->bytes_total == 0 ? -1 : done);
	return cancel_asked(&load->options->work) ? error_set(load->error, HISTREE_ERR_CANCELLED, "cancelled")
						  : HISTREE_OK;
}

void load_prefix(const struct load *load, const struct load_place *place)
{
	const char *path = place->file == 0 ? load->options->initial : load->options->files[place->file - 1];
	error_prefix(load->error, "'%.150s', line %" PRIu64, path, place->line);
}

const char *load_analysis(const struct load *load)
{
	if (load->options->analysis != NULL)
		return load->options->analysis;
	return load->kind == LOAD_SEGMENTS ? "segments" : "states";
}

uint32_t load_version(const struct load *load)
{
	const struct registry_entry *known = registry_find(load_analysis(load));
	return known != NULL ? registry_version(known) : 1;
}

/* ---- values -------------------------------------------------------------------------------------------------- */

static bool find_type(const struct text_cell *cell, enum histree_type *out)
{
	if (cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING)
		return false;
	for (int type = 0; type < HISTREE_TYPE_COUNT; type++) {
		*out = (enum histree_type)type;
		if (strcmp(histree_type_name(*out), cell->bytes) == 0)
			return true;
	}
	return false;
}

static enum histree_status fault(struct load *load, const char *wanted)
{
	char text[64];
	size_t column = load->columns.value;
	return text_table_fault(&load->text, column, load->error, "%s is not %s",
				text_cell_quote(text_table_cell(&load->text, column), text), wanted);
}

static enum histree_status read_int(struct load *load, const struct text_cell *cell, struct histree_value *out)
{
	int64_t number;
	if (!text_cell_integer(cell, &number) || number < INT32_MIN || number > INT32_MAX)
		return fault(load, "an int (a whole number of 32 bits; the type 'long' has 64)");
	*out = histree_int((int32_t)number);
	return HISTREE_OK;
}

static enum histree_status read_long(struct load *load, const struct text_cell *cell, struct histree_value *out)
{
	int64_t number;
	if (!text_cell_integer(cell, &number))
		return fault(load, "a long (a whole number of 64 bits)");
	*out = histree_long(number);
	return HISTREE_OK;
}

static enum histree_status read_real(struct load *load, const struct text_cell *cell, struct histree_value *out)
{
	double number;
	if (!text_cell_real(cell, &number))
		return fault(
			load,
			"a double (a number such as 1.5 or -2e9 that a double has room for, nan, inf or -inf)");
	*out = histree_double(number);
	return HISTREE_OK;
}

static enum histree_status read_bool(struct load *load, const struct text_cell *cell, struct histree_value *out)
{
	bool truth;
	if (!text_cell_bool(cell, &truth))
		return fault(load, "a bool (true or false)");
	*out = histree_bool(truth);
	return HISTREE_OK;
}

static enum histree_status read_text(struct load *load, struct text_cell *cell, struct histree_value *out)
{
	if (cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING)
		return fault(load, "a string");
	if (!text_cell_unescape(cell))
		return fault(load,
			     "a text of TSV: a backslash is written twice, tab, LF and CR as \\t, \\n and \\r");
	*out = histree_string_n(cell->bytes, cell->size);
	return HISTREE_OK;
}

static enum histree_status read_typed(struct load *load, enum histree_type type, struct text_cell *cell,
				      struct histree_value *out)
{
	switch (type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		*out = (struct histree_value){ .type = type };
		return text_cell_is_empty(cell) ? HISTREE_OK : fault(load, "empty, as its type has no values");
	case HISTREE_INT:
		return read_int(load, cell, out);
	case HISTREE_LONG:
		return read_long(load, cell, out);
	case HISTREE_DOUBLE:
		return read_real(load, cell, out);
	case HISTREE_BOOL:
		return read_bool(load, cell, out);
	case HISTREE_STRING:
		return read_text(load, cell, out);
	case HISTREE_CUSTOM:
		if (!text_cell_hexadecimal(cell))
			return fault(load, "bytes in hexadecimal");
		*out = histree_custom(cell->bytes, cell->size);
		return HISTREE_OK;
	}
	return HISTREE_ERR_INTERNAL;
}

/*
 * Read the value of the row, which borrows from it.  *is_typed: the row says what it is, rather than how it looks.
 */
static enum histree_status load_value(struct load *load, struct histree_value *out, bool *is_typed)
{
	struct text_cell *cell = text_table_cell(&load->text, load->columns.value);
	const struct text_cell *type_cell = text_table_cell(&load->text, load->columns.type);
	enum histree_type type;
	char text[64];
	*out = histree_null();
	*is_typed = !text_cell_is_empty(type_cell);
	if (*is_typed && !find_type(type_cell, &type))
		return text_table_fault(
			&load->text, load->columns.type, load->error,
			"%s is no type; there are null, int, long, double, bool, string, custom and unknown",
			text_cell_quote(type_cell, text));
	if (*is_typed)
		return read_typed(load, type, cell, out);
	if (cell->kind == TEXT_NESTED)
		return fault(load, "one value");
	if (!text_cell_unescape(cell))
		return read_text(load, cell, out);
	*out = text_cell_value(cell);
	return HISTREE_OK;
}

static bool is_number(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG || type == HISTREE_DOUBLE;
}

/*
 * Returns the type to which values of both types can be converted; HISTREE_NULL if there is none.  Null stands for
 * a field without values so far.
 */
static enum histree_type load_common_type(enum histree_type a, enum histree_type b)
{
	if (a == b || b == HISTREE_NULL)
		return a;
	if (a == HISTREE_NULL)
		return b;
	return is_number(a) && is_number(b) ? (a > b ? a : b) : HISTREE_NULL;
}

/* Returns a number as one of another type, which is the common one of that number and others. */
static struct histree_value load_widen(const struct histree_value *value, enum histree_type type)
{
	if (value->type == type || !is_number(value->type))
		return *value;
	int64_t number = value->type == HISTREE_INT ? value->int32 : value->int64;
	return type == HISTREE_LONG ? histree_long(number) : histree_double((double)number);
}

/* ---- paths ----------------------------------------------------------------------------------------- */

/* A component from `at` on: returns where it ends, and sets its name, in `room` if there is a backslash in it. */
static const char *take_component(const char *at, const char *end, char *room, const char **name, size_t *size)
{
	const char *from = at;
	while (at < end && *at != '/' && *at != '\\')
		at++;
	*name = from;
	*size = (size_t)(at - from);
	if (at == end || *at == '/')
		return at;
	for (*name = room, *size = 0, at = from; at < end && *at != '/'; at++) {
		if (*at == '\\' && (++at == end || (*at != '/' && *at != '\\')))
			return NULL;
		if (*size == ATTRIBUTE_NAME_SIZE_MAX)
			return NULL;
		room[(*size)++] = *at;
	}
	return at;
}

static enum histree_status path_fault(struct load *load)
{
	char text[64];
	size_t column = load->columns.path;
	return text_table_fault(&load->text, column, load->error,
				"%s is no path: names of at most 65535 bytes with '/' between them; in a name a "
				"slash is '\\/' and a backslash '\\\\'",
				text_cell_quote(text_table_cell(&load->text, column), text));
}

static enum histree_status add_path(struct load *load, const char *path, size_t size, histree_quark *out)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	const char *at = path, *end = path + size, *name;
	*out = HISTREE_ROOT;
	for (;;) {
		size_t name_size;
		at = take_component(at, end, room, &name, &name_size);
		if (at == NULL || name_size == 0 || name_size > ATTRIBUTE_NAME_SIZE_MAX)
			return path_fault(load);
		enum histree_status status =
			attribute_tree_add(&load->names, *out, name, name_size, out, load->error);
		if (status != HISTREE_OK)
			return status;
		if (at == end)
			return HISTREE_OK;
		at++;
	}
}

/* What is to be known of each attribute has its room, and says nothing yet. */
static enum histree_status load_rows_add_attributes(struct load *load)
{
	uint32_t count = load->names.base.count;
	if (!table_reserve(&load->attribute_table, &load->attributes, &load->attribute_capacity, count))
		return error_memory(load->error, "the attributes");
	while (load->attribute_count < count)
		load->attributes[load->attribute_count++] = (struct load_attribute){ .type = HISTREE_NULL };
	return HISTREE_OK;
}

static enum histree_status find_attribute(struct load *load, histree_quark *out)
{
	struct text_cell *cell = text_table_cell(&load->text, load->columns.path);
	*out = load->last_quark;
	if ((cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING) || !text_cell_unescape_path(cell))
		return path_fault(load);
	if (load->last_path != NULL && cell->size == load->last_path_size &&
	    memcmp(cell->bytes, load->last_path, cell->size) == 0)
		return HISTREE_OK;
	enum histree_status status = add_path(load, cell->bytes, cell->size, out);
	if (status == HISTREE_OK)
		status = load_rows_add_attributes(load);
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&load->last_path, &load->last_path_capacity, cell->size + 1))
		return error_memory(load->error, "a path");
	memcpy(load->last_path, cell->bytes, cell->size);
	load->last_path_size = cell->size;
	load->last_quark = *out;
	return HISTREE_OK;
}

/* ---- types ----------------------------------------------------------------------------------------- */

/* Values that do not say their types may be numbers of several kinds; those that do have one. */
static enum histree_status load_rows_learn_type(struct load *load, histree_quark quark,
						const struct histree_value *value, bool is_typed)
{
	struct load_attribute *attribute = &load->attributes[quark];
	attribute->has_rows = true;
	if (value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN)
		return HISTREE_OK;
	enum histree_type known = (enum histree_type)attribute->type;
	enum histree_type common = load_common_type(known, value->type);
	if (is_typed && known != HISTREE_NULL && known != value->type)
		common = HISTREE_NULL;
	if (common == HISTREE_NULL) {
		text_table_fault(&load->text, load->columns.value, load->error,
				 "this is of type %s, and the attribute had values of type %s before: it has one "
				 "type only%s",
				 histree_type_name(value->type), histree_type_name(known),
				 is_typed ? "" : ", which a column 'type' can say");
		if (load->error != NULL)
			load->error->status = HISTREE_ERR_TYPE;
		return HISTREE_ERR_TYPE;
	}
	attribute->type = (uint8_t)common;
	return HISTREE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static enum histree_status load_rows_read_time(struct load *load, size_t column, histree_time *out)
{
	char text[64];
	const struct text_cell *cell = text_table_cell(&load->text, column);
	if (text_cell_integer(cell, out) && *out != INT64_MAX)
		return HISTREE_OK;
	return text_table_fault(&load->text, column, load->error,
				"%s is no time in ns (a whole number of 64 bits, below the greatest)",
				text_cell_quote(cell, text));
}

static void note_times(struct load *load, histree_time start, histree_time end)
{
	if (!load->has_times || start < load->start)
		load->start = start;
	if (!load->has_times || end > load->end)
		load->end = end;
	load->has_times = true;
}

/* The times of the row; what a history begins with has none. */
static enum histree_status read_times(struct load *load, histree_time *start, histree_time *end)
{
	const struct load_columns *columns = &load->columns;
	enum histree_status status = HISTREE_OK;
	*start = *end = INT64_MIN;
	if (load->file == 0)
		return HISTREE_OK;
	if (load->kind == LOAD_CHANGES) {
		status = load_rows_read_time(load, columns->time, start);
		*end = *start;
	} else {
		status = load_rows_read_time(load, columns->start, start);
		if (status == HISTREE_OK)
			status = load_rows_read_time(load, columns->end, end);
		if (status == HISTREE_OK && *start > *end)
			return text_table_fault(&load->text, columns->end, load->error,
						"the interval ends before it starts");
	}
	if (status == HISTREE_OK)
		note_times(load, *start, *end);
	return status;
}

enum histree_status load_state_row(struct load *load)
{
	histree_time start, end;
	histree_quark quark;
	struct histree_value value;
	bool is_typed;
	enum histree_status status = read_times(load, &start, &end);
	if (status == HISTREE_OK)
		status = find_attribute(load, &quark);
	if (status == HISTREE_OK)
		status = load_value(load, &value, &is_typed);
	if (status == HISTREE_OK)
		status = load_rows_learn_type(load, quark, &value, is_typed);
	if (status != HISTREE_OK)
		return status;
	uint8_t *room = record_sort_room(load->sort, 4 * VARINT_SIZE_MAX + value_encoded_size(&value), load->error);
	if (room == NULL)
		return load->error->status;
	uint8_t *at = put_varint(room, quark);
	if (load->kind == LOAD_INTERVALS)
		at = put_varint(at, (uint64_t)end - (uint64_t)start);
	at = value_encode(load_place_put(at, load), &value);
	record_sort_add(load->sort, record_key_signed(end), (size_t)(at - room));
	return HISTREE_OK;
}

/* ---- states -------------------------------------------------------------------------------------------------- */

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

	/* From here on, each interval is the last of its attribute; null is what follows the last of the others. */
	status = HISTREE_OK;
	for (histree_quark quark = 0; quark < load->attribute_count && status == HISTREE_OK; quark++) {
		const struct load_attribute *attribute = &load->attributes[quark];
		if (attribute->has_rows && !attribute->is_over)
			status = add_null(load, sink, quark, load->end);
	}
	return status;
}

static enum histree_status set_labels(const struct load *load, const struct interval_sink *sink)
{
	return load->label_size > 0
		       ? sink->set_section(sink->context, TOLD_LABELS, load->labels, load->label_size, load->error)
		       : HISTREE_OK;
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
	for (histree_quark quark = 0; quark < load->attribute_count; quark++)
		if (!load->attributes[quark].has_rows)
			attribute_tree_make_folder(&load->names, quark);
	status = set_labels(load, &sink);
	if (status == HISTREE_OK)
		status = add_intervals(load, &sink);
	if (status == HISTREE_OK)
		status = sink.finish(sink.context, &load->names, load->end, load->error);
	sink.free(sink.context);
	return status;
}

/* ---- changes --------------------------------------------------------------------------------------- */

/* The attributes of the records, with the same quarks: parents are older than their children. */
static enum histree_status load_states_add_attributes(struct load *load, struct histree_state_system *system)
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
		status = set_labels(load, &system->sink);
	if (status == HISTREE_OK)
		status = load_states_add_attributes(load, system);
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

/* ---- segments ------------------------------------------------------------------------------------------------ */

/* What is written with more bytes is text, whatever it looks like. */
enum { NUMBER_BYTES_MAX = 16 * NUMBER_TEXT_SIZE };

/* ---- fields ---------------------------------------------------------------------------------------- */

static bool is_time(const char *name)
{
	return strcmp(name, "start") == 0 || strcmp(name, "end") == 0 || strcmp(name, "duration") == 0;
}

/* The fields of texts are told apart by their names. */
static enum histree_status add_field(struct load *load, size_t column)
{
	const char *name = load->text.columns[column];
	size_t field = 0;
	while (field < load->field_count && strcmp(load->fields[field].name, name) != 0)
		field++;
	if (field == HISTREE_SEGMENT_FIELDS_MAX)
		return text_table_fault(&load->text, column, load->error,
					"segments have at most %d fields besides start, end and duration",
					HISTREE_SEGMENT_FIELDS_MAX);
	if (field == load->field_count) {
		const char *copy = arena_copy(&load->field_names, name, strlen(name));
		if (copy == NULL)
			return error_memory(load->error, "the fields of segments");
		load->fields[load->field_count++] = (struct load_field){ .name = copy, .type = HISTREE_NULL };
	}
	load->field_columns[field] = column;
	return HISTREE_OK;
}

/* In JSON, a row may have columns that none had before it. */
static enum histree_status look_at_columns(struct load *load)
{
	enum histree_status status = HISTREE_OK;
	if (load->columns_seen == 0)
		for (size_t i = 0; i < HISTREE_SEGMENT_FIELDS_MAX; i++)
			load->field_columns[i] = TEXT_NO_COLUMN;
	for (; load->columns_seen < load->text.column_count && status == HISTREE_OK; load->columns_seen++)
		if (!is_time(load->text.columns[load->columns_seen]))
			status = add_field(load, load->columns_seen);
	return status;
}

/* Whatever has no type in common with others is text. */
static void load_segments_learn_type(struct load_field *field, const struct histree_value *value)
{
	enum histree_type common = load_common_type(field->type, value->type);
	bool is_nothing = field->type == HISTREE_NULL && value->type == HISTREE_NULL;
	field->type = common == HISTREE_NULL && !is_nothing ? HISTREE_STRING : common;
}

static enum histree_status take_value(struct load *load, size_t field, struct histree_value *out)
{
	struct text_cell *cell = text_table_cell(&load->text, load->field_columns[field]);
	*out = histree_null();
	if (text_cell_is_empty(cell))
		return HISTREE_OK;
	if (cell->kind == TEXT_NESTED)
		return text_table_fault(&load->text, load->field_columns[field], load->error,
					"a list or an object is no value of a field");
	if (!text_cell_unescape(cell))
		return text_table_fault(&load->text, load->field_columns[field], load->error,
					"a backslash in TSV is written twice");
	bool is_text = cell->kind == TEXT_PLAIN && cell->size > NUMBER_BYTES_MAX;
	*out = is_text ? histree_string_n(cell->bytes, cell->size) : text_cell_value(cell);
	load_segments_learn_type(&load->fields[field], out);
	if (cell->kind == TEXT_PLAIN)
		*out = histree_string_n(cell->bytes, cell->size);
	return HISTREE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static enum histree_status load_segments_read_time(struct load *load, size_t column, histree_time *out)
{
	char text[64];
	const struct text_cell *cell = text_table_cell(&load->text, column);
	if (text_cell_integer(cell, out))
		return HISTREE_OK;
	return text_table_fault(&load->text, column, load->error, "%s is no time in ns (a whole number of 64 bits)",
				text_cell_quote(cell, text));
}

enum histree_status load_segment_row(struct load *load)
{
	struct histree_value values[HISTREE_SEGMENT_FIELDS_MAX];
	histree_time start, end;
	enum histree_status status = look_at_columns(load);
	if (status == HISTREE_OK)
		status = load_segments_read_time(load, load->columns.start, &start);
	if (status == HISTREE_OK)
		status = load_segments_read_time(load, load->columns.end, &end);
	if (status == HISTREE_OK && start > end)
		status = text_table_fault(&load->text, load->columns.end, load->error,
					  "the segment ends before it starts");
	size_t size = 4 * VARINT_SIZE_MAX;
	for (size_t i = 0; i < load->field_count && status == HISTREE_OK; i++) {
		status = take_value(load, i, &values[i]);
		size += value_encoded_size(&values[i]);
	}
	if (status != HISTREE_OK)
		return status;
	uint8_t *room = record_sort_room(load->sort, size, load->error);
	if (room == NULL)
		return load->error->status;
	uint8_t *at = load_place_put(put_varint(room, (uint64_t)end - (uint64_t)start), load);
	at = put_varint(at, load->field_count);
	for (size_t i = 0; i < load->field_count; i++)
		at = value_encode(at, &values[i]);
	record_sort_add(load->sort, record_key_signed(end), (size_t)(at - room));
	if (!load->has_times || start < load->start)
		load->start = start;
	if (!load->has_times || end > load->end)
		load->end = end;
	load->has_times = true;
	return HISTREE_OK;
}

/* ---- the store ------------------------------------------------------------------------------------- */

/* A value as text; `room` is for numbers. */
static struct histree_value as_text(const struct histree_value *value, char room[NUMBER_TEXT_SIZE])
{
	switch (value->type) {
	case HISTREE_INT:
		return histree_string_n(room, number_format_signed(value->int32, room));
	case HISTREE_LONG:
		return histree_string_n(room, number_format_signed(value->int64, room));
	case HISTREE_DOUBLE:
		return histree_string_n(room, number_format_real(value->real, room));
	case HISTREE_BOOL:
		return histree_string(value->boolean ? "true" : "false");
	default:
		return *value;
	}
}

/* A value of a field as one of the field's type; `room` is for numbers. */
static struct histree_value convert(const struct histree_value *value, enum histree_type type,
				    char room[NUMBER_TEXT_SIZE])
{
	if (value->type == HISTREE_NULL)
		return *value;
	if (type == HISTREE_STRING)
		return as_text(value, room);
	if (value->type != HISTREE_STRING)
		return load_widen(value, type);
	/* A number or a bool, as all values of the field were seen to be. */
	char text[NUMBER_BYTES_MAX + 1];
	assert(value->size <= NUMBER_BYTES_MAX);
	memcpy(text, value->bytes, value->size);
	text[value->size] = '\0';
	const struct text_cell cell = { .kind = TEXT_PLAIN, .bytes = text, .size = value->size };
	const struct histree_value found = text_cell_value(&cell);
	return load_widen(&found, type);
}

static enum histree_status add_segments(struct load *load, struct histree_segment_store *store)
{
	struct sorted_record record;
	enum histree_status status;
	char rooms[HISTREE_SEGMENT_FIELDS_MAX][NUMBER_TEXT_SIZE];
	for (uint64_t count = 0; (status = record_sort_next(load->sort, &record, load->error)) == HISTREE_OK;
	     count++) {
		struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX] = { 0 };
		struct byte_reader reader = byte_reader(record.bytes, record.size);
		histree_time end = (histree_time)record_key_signed((int64_t)record.key);
		uint64_t duration = read_varint(&reader);
		struct load_place place = load_place_get(&reader);
		uint64_t fields = read_varint(&reader);
		for (size_t i = 0; i < fields && i < load->field_count; i++) {
			struct histree_value value = value_decode(&reader);
			content[i] = convert(&value, load->fields[i].type, rooms[i]);
		}
		const struct histree_segment segment = { .start = (histree_time)((uint64_t)end - duration),
							 .end = end,
							 .content = content };
		status = histree_segment_store_add(store, &segment, load->error);
		if (status != HISTREE_OK) {
			load_prefix(load, &place);
			return status;
		}
		status = load_go_on(load, count);
		if (status != HISTREE_OK)
			return status;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status load_make_segments(struct load *load, const char *path)
{
	struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	for (size_t i = 0; i < load->field_count; i++) {
		enum histree_type type = load->fields[i].type;
		fields[i] = (struct histree_segment_field){ .name = load->fields[i].name,
							    .type = type != HISTREE_NULL ? type : HISTREE_STRING };
	}
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_DISK,
		.path = path,
		.schema = {
			.provider = load_analysis(load),
			.provider_version = load_version(load),
			.fields = fields,
			.field_count = load->field_count,
		},
		.memory_max = load->memory.segments,
	};
	struct histree_segment_store *store = NULL;
	enum histree_status status = segment_store_create(load->io, &options, &store, load->error);
	if (status == HISTREE_OK)
		status = add_segments(load, store);
	if (status == HISTREE_OK)
		status = histree_segment_store_finish(store, load->error);
	if (status == HISTREE_OK && !load->options->no_overviews)
		status = histree_segment_store_make_overviews(store, load->options->work, load->error);
	histree_segment_store_close(store);
	return status;
}
