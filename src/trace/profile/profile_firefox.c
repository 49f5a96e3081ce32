// SPDX-License-Identifier: MIT
/*
 * profile_firefox.c - profiles of the Firefox Profiler: as its page saves them and as samply and others write them
 * ("processed", docs-developer/ processed-profile-format.md of firefox-devtools/profiler), and as Gecko itself
 * writes them (gecko-profile-format.md).
 *
 * Threads have tables, or share those of "shared": of strings; of frames, each with a function of another table, or
 * with a location as text; of stacks, each a frame and a prefix before it.  A table is an object with a list for
 * each column or, in Gecko's format, rows and a schema that gives the position of each column in them.
 *
 * A sample without a stack is skipped.  Its weight is given by the profile; without weights, samples are counted.
 *
 * Markers are spans and instants.  Intervals of a thread overlap, so each name has its own track beside the thread,
 * as in the profiler's chart of markers; an interval recorded as a separate beginning and end is two markers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/table.h"
#include "trace/profile/profile.h"

/*
 * Limits: processes within one another, and rows that are read of a column, each of which may be two bytes of a
 * file.
 */
enum { PROCESS_DEPTH_MAX = 4, COLUMN_ROWS_MAX = 1 << 23 };

struct tables {
	struct packed_text *strings;
	size_t string_count, string_capacity;
	uint32_t *stacks; /* of packed_samples.h, by number */
	size_t stack_count, stack_capacity;
	struct arena memory;                    /* of the strings */
	struct table string_table, stack_table; /* of the arrays */
};

/* A column of a table; what is no number is NOTHING. */
struct column {
	int64_t *numbers;
	size_t count, capacity;
	struct table table;
};

struct firefox {
	struct profile *profile;
	struct tables shared;
	struct profile_thread thread;
	int64_t made_up;          /* the last number of a thread that had none */
	struct tables categories; /* their names */
	struct histree_error *error;
};

#define NOTHING INT64_MIN

static enum histree_status no_memory(const struct firefox *firefox)
{
	return error_memory(firefox->error, "a profile");
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

static bool put_number(struct column *column, struct json_span value, int scale)
{
	json_wide wide;
	histree_time time;
	int64_t number = NOTHING;
	if (scale == 0 && !json_span_int(value, &number))
		number = NOTHING;
	if (scale != 0 && json_span_scaled(value, scale, &wide) && profile_time(wide, &time))
		number = time;
	if (column->count == COLUMN_ROWS_MAX)
		return true;
	if (!table_reserve(&column->table, &column->numbers, &column->capacity, column->count + 1))
		return false;
	column->numbers[column->count++] = number;
	return true;
}

/* Returns the element at that place of a row, or nothing. */
static struct json_span element_of(struct json_span row, int64_t place)
{
	struct json_span rest = json_span_inside(row, '['), element;
	while (json_span_next(&rest, &element))
		if (place-- == 0)
			return element;
	return (struct json_span){ row.end, row.end, row.space };
}

/* Read a column, of times in ms with a scale.  Returns false if memory runs out; one that is not there is empty. */
static bool read_column(struct json_span table, const char *name, int scale, struct column *column)
{
	const struct json_span schema = json_span_find(table, "schema");
	struct json_span rest, element;
	int64_t place = 0;
	column->count = 0;
	column->table.space = table.space;
	if (!json_span_is_there(schema)) {
		rest = json_span_inside(json_span_find(table, name), '[');
		while (json_span_next(&rest, &element))
			if (!put_number(column, element, scale))
				return false;
		return true;
	}
	if (!json_span_int(json_span_find(schema, name), &place) || place < 0)
		return true;
	rest = json_span_inside(json_span_find(table, "data"), '[');
	while (json_span_next(&rest, &element))
		if (!put_number(column, element_of(element, place), scale))
			return false;
	return true;
}

/* Returns the list of a column, or, of Gecko, that of rows. */
static struct json_span column_of(struct json_span table, const char *name)
{
	const bool has_rows = json_span_is_there(json_span_find(table, "schema"));
	return json_span_find(table, has_rows ? "data" : name);
}

static int64_t number_at(const struct column *column, int64_t row)
{
	return row >= 0 && (uint64_t)row < column->count ? column->numbers[row] : NOTHING;
}

/* ---- strings --------------------------------------------------------------------------------------------- */

/* With `member`, the members of that name of the elements. */
static bool read_strings(struct firefox *firefox, struct json_span list, const char *member, struct tables *tables)
{
	struct json_span rest = json_span_inside(list, '['), element;
	while (json_span_next(&rest, &element)) {
		if (member != NULL)
			element = json_span_find(element, member);
		const struct packed_text text =
			json_span_text(element, &firefox->profile->texts[0], &firefox->profile->is_out_of_memory);
		const size_t size = text.size < PACKED_NAME_MAX ? text.size : PACKED_NAME_MAX;
		if (!table_reserve(&tables->string_table, &tables->strings, &tables->string_capacity,
				   tables->string_count + 1))
			return false;
		const char *copy = arena_copy(&tables->memory, text.bytes, size);
		if (copy == NULL)
			return false;
		tables->strings[tables->string_count++] = (struct packed_text){ copy, size };
	}
	return true;
}

static struct packed_text string_at(const struct tables *tables, int64_t number)
{
	const struct packed_text none = { "", 0 };
	return number >= 0 && (uint64_t)number < tables->string_count ? tables->strings[number] : none;
}

static struct json_span strings_of(struct json_span object)
{
	const struct json_span processed = json_span_find(object, "stringArray");
	return json_span_is_there(processed) ? processed : json_span_find(object, "stringTable");
}

/* ---- frames and stacks ----------------------------------------------------------------------------------- */

struct stack_columns {
	struct column frame, prefix;            /* of stacks */
	struct column function, line, location; /* of frames */
	struct column name, file, resource;     /* of functions */
	struct column resource_name;
};

static bool read_columns(struct json_span object, struct stack_columns *columns)
{
	const struct json_span stacks = json_span_find(object, "stackTable");
	const struct json_span frames = json_span_find(object, "frameTable");
	const struct json_span functions = json_span_find(object, "funcTable");
	return read_column(stacks, "frame", 0, &columns->frame) &&
	       read_column(stacks, "prefix", 0, &columns->prefix) &&
	       read_column(frames, "func", 0, &columns->function) &&
	       read_column(frames, "line", 0, &columns->line) &&
	       read_column(frames, "location", 0, &columns->location) &&
	       read_column(functions, "name", 0, &columns->name) &&
	       read_column(functions, "fileName", 0, &columns->file) &&
	       read_column(functions, "resource", 0, &columns->resource) &&
	       read_column(json_span_find(object, "resourceTable"), "name", 0, &columns->resource_name);
}

static void release_column(struct column *column)
{
	table_release(&column->table, column->numbers);
}

/* A prefix stands before the stacks that have it; one that does not is ignored. */
static bool read_stacks(struct firefox *firefox, struct json_span object, const struct tables *strings,
			struct tables *out)
{
	struct stack_columns columns = { .frame = { .count = 0 } };
	bool is_read =
		read_columns(object, &columns) &&
		table_reserve(&out->stack_table, &out->stacks, &out->stack_capacity, columns.frame.count + 1);
	for (size_t i = 0; i < columns.frame.count && is_read; i++) {
		const int64_t prefix = number_at(&columns.prefix, (int64_t)i);
		const uint32_t parent = prefix >= 0 && (uint64_t)prefix < i ? out->stacks[prefix] : EVENT_NO_STACK;
		char text[32] = "";
		const int64_t line = number_at(&columns.line, columns.frame.numbers[i]),
			      function = number_at(&columns.function, columns.frame.numbers[i]);
		struct packed_text name = string_at(strings,
						    number_at(&columns.location, columns.frame.numbers[i])),
				   binary = { "", 0 };
		if (function != NOTHING) {
			const int64_t resource = number_at(&columns.resource, function);
			name = string_at(strings, number_at(&columns.name, function));
			binary = string_at(strings, number_at(&columns.file, function));
			if (binary.size == 0)
				binary = string_at(strings, number_at(&columns.resource_name, resource));
		}
		if (line > 0)
			snprintf(text, sizeof(text), "%lld", (long long)line);
		const uint32_t frame =
			packed_samples_frame(&firefox->profile->samples, name, binary, packed_string(text));
		out->stacks[i] = packed_samples_stack(&firefox->profile->samples, parent, frame);
		is_read = out->stacks[i] != EVENT_NO_STACK;
		out->stack_count = i + 1;
	}
	release_column(&columns.frame);
	release_column(&columns.prefix);
	release_column(&columns.function);
	release_column(&columns.line);
	release_column(&columns.location);
	release_column(&columns.name);
	release_column(&columns.file);
	release_column(&columns.resource);
	release_column(&columns.resource_name);
	return is_read;
}

static void use_space(struct tables *tables, struct table_space *space)
{
	tables->memory.space = tables->string_table.space = tables->stack_table.space = space;
}

static void release_tables(struct tables *tables)
{
	table_release(&tables->string_table, tables->strings);
	table_release(&tables->stack_table, tables->stacks);
	arena_release(&tables->memory);
}

/* ---- samples --------------------------------------------------------------------------------------------- */

struct sample_columns {
	struct column stack, time, delta, weight;
};

/* What weights are: "samples", "tracing-ms", "bytes". */
static const char *read_weight(struct json_span samples, int *scale)
{
	const struct json_span type = json_span_find(samples, "weightType");
	*scale = json_span_is_text(type, "tracing-ms") ? PROFILE_SCALE_MS : PROFILE_SCALE_NS;
	return json_span_is_text(type, "tracing-ms") ? "wall-clock"
	       : json_span_is_text(type, "bytes")    ? "bytes"
						     : "samples";
}

static enum histree_status add_samples(struct firefox *firefox, const struct sample_columns *columns,
				       const struct tables *stacks, const char *event)
{
	struct profile *profile = firefox->profile;
	enum histree_status status = HISTREE_OK;
	histree_time time = 0;
	if (columns->stack.count == COLUMN_ROWS_MAX)
		trace_notes_warn(profile->packed->base.notes, "%s: of a thread, %d samples are read, and no more",
				 profile->packed->base.path, COLUMN_ROWS_MAX);
	for (size_t i = 0; i < columns->stack.count && status == HISTREE_OK; i++) {
		const int64_t stack = columns->stack.numbers[i], delta = number_at(&columns->delta, (int64_t)i);
		int64_t weight = number_at(&columns->weight, (int64_t)i);
		if (columns->time.count > 0)
			time = number_at(&columns->time, (int64_t)i);
		else if (delta != NOTHING && __builtin_add_overflow(time, delta, &time))
			time = NOTHING;
		weight = weight < 0 ? -1 : weight;
		if (stack == NOTHING)
			status = packed_source_look(profile->packed, firefox->error);
		else if (stack < 0 || (uint64_t)stack >= stacks->stack_count || time == NOTHING ||
			 time == INT64_MAX)
			profile->left_out++;
		else
			status = profile_sample(profile, &firefox->thread, event, time, weight,
						stacks->stacks[stack], firefox->error);
	}
	return status;
}

static enum histree_status read_samples(struct firefox *firefox, struct json_span samples,
					const struct tables *stacks)
{
	struct sample_columns columns = { .stack = { .count = 0 } };
	int scale;
	const char *event = read_weight(samples, &scale);
	bool is_read = read_column(samples, "stack", 0, &columns.stack) &&
		       read_column(samples, "time", PROFILE_SCALE_MS, &columns.time) &&
		       read_column(samples, "timeDeltas", PROFILE_SCALE_MS, &columns.delta) &&
		       read_column(samples, "weight", scale, &columns.weight);
	enum histree_status status = is_read ? add_samples(firefox, &columns, stacks, event) : no_memory(firefox);
	release_column(&columns.stack);
	release_column(&columns.time);
	release_column(&columns.delta);
	release_column(&columns.weight);
	return status;
}

/* ---- markers --------------------------------------------------------------------------------------------- */

struct marker_columns {
	struct column name, category, phase, start, end, time;
};

/* Of a marker: MarkerPhase of the processed format. */
enum { MARKER_INSTANT, MARKER_INTERVAL, MARKER_BEGINS, MARKER_ENDS };

/* Profiles before phases have one time, and what is an interval says so in its data. */
static int64_t read_times(const struct marker_columns *columns, int64_t row, struct json_span data,
			  histree_time *start, histree_time *end)
{
	int64_t phase = number_at(&columns->phase, row);
	json_wide from, to;
	*start = number_at(&columns->start, row);
	*end = number_at(&columns->end, row);
	if (columns->phase.count > 0)
		return phase;
	*start = number_at(&columns->time, row);
	if (!json_span_scaled(json_span_find(data, "startTime"), PROFILE_SCALE_MS, &from) ||
	    !json_span_scaled(json_span_find(data, "endTime"), PROFILE_SCALE_MS, &to) ||
	    !profile_time(from, start) || !profile_time(to, end))
		return MARKER_INSTANT;
	return MARKER_INTERVAL;
}

static enum histree_status add_marker(struct firefox *firefox, const struct marker_columns *columns, int64_t row,
				      struct json_span data, const struct tables *strings)
{
	static const enum track_class classes[] = { [MARKER_INSTANT] = TRACK_INSTANT,
						    [MARKER_INTERVAL] = TRACK_SPAN,
						    [MARKER_BEGINS] = TRACK_SPAN_BEGIN,
						    [MARKER_ENDS] = TRACK_SPAN_END };
	char track[PACKED_NAME_MAX];
	struct profile_span span = { .name = string_at(strings, number_at(&columns->name, row)),
				     .category =
					     string_at(&firefox->categories, number_at(&columns->category, row)),
				     .args = data };
	const int64_t phase = read_times(columns, row, data, &span.time, &span.end);
	if (phase == MARKER_ENDS)
		span.time = span.end;
	int64_t duration;
	if (phase < MARKER_INSTANT || phase > MARKER_ENDS || span.time == NOTHING || span.time == INT64_MAX ||
	    (phase == MARKER_INTERVAL &&
	     (span.end == NOTHING || __builtin_sub_overflow(span.end, span.time, &duration) || duration < 0))) {
		firefox->profile->left_out++;
		return packed_source_look(firefox->profile->packed, firefox->error);
	}
	span.class = classes[phase];
	if (phase != MARKER_INSTANT) {
		const int size = snprintf(track, sizeof(track), "marker:%lld:%lld:%.*s",
					  (long long)(firefox->thread.has_pid ? firefox->thread.pid : 0),
					  (long long)firefox->thread.tid, (int)span.name.size, span.name.bytes);
		span.track = (struct packed_text){ track, (size_t)size < sizeof(track) ? (size_t)size
										       : sizeof(track) - 1 };
	}
	return profile_add_span(firefox->profile, &firefox->thread, &span, firefox->error);
}

static enum histree_status add_markers(struct firefox *firefox, const struct marker_columns *columns,
				       struct json_span markers, const struct tables *strings)
{
	const struct json_span schema = json_span_find(markers, "schema");
	struct json_span rest = json_span_inside(column_of(markers, "data"), '['), data;
	int64_t place = -1;
	enum histree_status status = HISTREE_OK;
	json_span_int(json_span_find(schema, "data"), &place);
	for (size_t i = 0; i < columns->name.count && status == HISTREE_OK; i++) {
		if (!json_span_next(&rest, &data))
			data = (struct json_span){ rest.end, rest.end, rest.space };
		else if (json_span_is_there(schema))
			data = element_of(data, place);
		status = add_marker(firefox, columns, (int64_t)i, data, strings);
	}
	return status;
}

static enum histree_status read_markers(struct firefox *firefox, struct json_span markers,
					const struct tables *strings)
{
	struct marker_columns columns = { .name = { .count = 0 } };
	const bool is_read = read_column(markers, "name", 0, &columns.name) &&
			     read_column(markers, "category", 0, &columns.category) &&
			     read_column(markers, "phase", 0, &columns.phase) &&
			     read_column(markers, "startTime", PROFILE_SCALE_MS, &columns.start) &&
			     read_column(markers, "endTime", PROFILE_SCALE_MS, &columns.end) &&
			     read_column(markers, "time", PROFILE_SCALE_MS, &columns.time);
	const enum histree_status status =
		is_read ? add_markers(firefox, &columns, markers, strings) : no_memory(firefox);
	release_column(&columns.name);
	release_column(&columns.category);
	release_column(&columns.phase);
	release_column(&columns.start);
	release_column(&columns.end);
	release_column(&columns.time);
	return status;
}

/* ---- threads --------------------------------------------------------------------------------------------- */

/* A number, or a text that is one: "1234", "1234-1". */
static bool read_number(struct firefox *firefox, struct json_span value, int64_t *out)
{
	if (json_span_int(value, out))
		return *out >= 0 && *out <= INT32_MAX;
	const struct packed_text text =
		json_span_text(value, &firefox->profile->texts[0], &firefox->profile->is_out_of_memory);
	return text.size > 0 && json_number_int(text.bytes, text.size, out) && *out >= 0 && *out <= INT32_MAX;
}

static enum histree_status name_thread(struct firefox *firefox, struct json_span object)
{
	struct profile_thread *thread = &firefox->thread;
	thread->has_pid = read_number(firefox, json_span_find(object, "pid"), &thread->pid);
	thread->has_tid = read_number(firefox, json_span_find(object, "tid"), &thread->tid);
	if (!thread->has_tid) {
		thread->tid = --firefox->made_up;
		thread->has_tid = true;
	}
	const struct json_span process = json_span_find(object, "processName");
	enum histree_status status = thread->has_pid
					     ? profile_name(firefox->profile, thread, true, process, firefox->error)
					     : HISTREE_OK;
	return status == HISTREE_OK ? profile_name(firefox->profile, thread, false, json_span_find(object, "name"),
						   firefox->error)
				    : status;
}

/* Gecko has the threads of other processes in profiles of their own. */
static enum histree_status read_process(struct firefox *firefox, struct json_span object, unsigned depth)
{
	struct json_span rest = json_span_inside(json_span_find(object, "threads"), '['), element;
	const struct json_span categories = json_span_find(json_span_find(object, "meta"), "categories");
	firefox->categories.string_count = 0;
	enum histree_status status =
		read_strings(firefox, categories, "name", &firefox->categories) ? HISTREE_OK : no_memory(firefox);
	while (status == HISTREE_OK && json_span_next(&rest, &element)) {
		struct tables own = { .strings = NULL };
		use_space(&own, element.space);
		const struct json_span strings = strings_of(element);
		const bool has_stacks = json_span_is_there(json_span_find(element, "stackTable"));
		bool is_read = read_strings(firefox, strings, NULL, &own);
		if (is_read && has_stacks)
			is_read = read_stacks(firefox, element,
					      json_span_is_there(strings) ? &own : &firefox->shared, &own);
		status = is_read ? name_thread(firefox, element) : no_memory(firefox);
		if (status == HISTREE_OK)
			status = read_samples(firefox, json_span_find(element, "samples"),
					      has_stacks ? &own : &firefox->shared);
		if (status == HISTREE_OK)
			status = read_markers(firefox, json_span_find(element, "markers"),
					      json_span_is_there(strings) ? &own : &firefox->shared);
		release_tables(&own);
	}
	if (depth == PROCESS_DEPTH_MAX)
		return status;
	rest = json_span_inside(json_span_find(object, "processes"), '[');
	while (status == HISTREE_OK && json_span_next(&rest, &element))
		status = read_process(firefox, element, depth + 1);
	return status;
}

enum histree_status profile_read_firefox(struct profile *profile, struct json_span document,
					 struct histree_error *error)
{
	struct firefox firefox = { .profile = profile, .error = error };
	const struct json_span recorded = json_span_find(document, "profile");
	if (json_span_is(recorded, '{'))
		document = recorded;
	const struct json_span shared = json_span_find(document, "shared");
	use_space(&firefox.shared, document.space);
	use_space(&firefox.categories, document.space);
	bool is_read = read_strings(&firefox, strings_of(shared), NULL, &firefox.shared) &&
		       read_stacks(&firefox, shared, &firefox.shared, &firefox.shared);
	enum histree_status status = is_read ? read_process(&firefox, document, 0) : no_memory(&firefox);
	release_tables(&firefox.shared);
	release_tables(&firefox.categories);
	return status;
}
