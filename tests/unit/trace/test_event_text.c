// SPDX-License-Identifier: MIT
/*
 * test_event_text.c - events as text: the states of a trace that was written as a table are those of the trace;
 * rows come in the order of time whatever their order in the text, within the window; reading can begin at any
 * event; and what is wrong is said with its place.
 */
#include "base/hash_index.h"
#include "histree/build.h"
#include "histree/events.h"
#include "histree/states.h"
#include "support/data.h"
#include "support/test.h"
#include "trace/trace.h"

enum { COLUMNS_MAX = 512, ROWS = 30000 };

struct world {
	char folder[64], text[96], word[256], store[96], other[96];
	struct histree_error error;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->text, sizeof(world->text), "%s/text", world->folder);
	snprintf(world->store, sizeof(world->store), "%s/store", world->folder);
	snprintf(world->other, sizeof(world->other), "%s/other", world->folder);
	*state = world;
	return 0;
}

static void write_text(struct world *world, const char *text)
{
	FILE *file = fopen(world->text, "w");
	fputs(text, file);
	fclose(file);
}

/* ---- a trace as a table ------------------------------------------------------------------------------ */

struct columns {
	const char *names[COLUMNS_MAX];
	size_t count;
};

static size_t column_of(struct columns *columns, const char *name)
{
	size_t i = 0;
	while (i < columns->count && strcmp(columns->names[i], name) != 0)
		i++;
	if (i == columns->count) {
		assert_true(columns->count < COLUMNS_MAX);
		columns->names[columns->count++] = strdup(name);
	}
	return i;
}

/* Commas, quotes and ends of lines put a text in quotes. */
static void put_text(FILE *file, const char *text, size_t size)
{
	fputc('"', file);
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"')
			fputc('"', file);
		fputc(text[i], file);
	}
	fputc('"', file);
}

static void put_row(FILE *file, struct columns *columns, const struct event *event, bool by_line)
{
	const struct event_class *class = event->class;
	int64_t thread, number;
	const char *text;
	size_t size;
	fprintf(file, by_line ? "{\"at\":%lld,\"core\":%d,\"kind\":" : "%lld,%d,", (long long)event->time,
		event->cpu);
	put_text(file, class->name, strlen(class->name));
	bool has_thread = event_int(event, event_class_context_field(class, "tid"), &thread);
	if (by_line && has_thread)
		fprintf(file, ",\"own\":%lld", (long long)thread);
	else if (!by_line)
		has_thread ? fprintf(file, ",%lld", (long long)thread) : fprintf(file, ",");
	for (size_t i = 0; i < columns->count; i++) {
		uint32_t field = event_class_field(class, columns->names[i]);
		bool is_number = event_int(event, field, &number);
		bool is_there = is_number || event_string(event, field, &text, &size);
		if (by_line && is_there)
			fprintf(file, ",\"%s\":", columns->names[i]);
		else if (!by_line)
			fputc(',', file);
		if (is_number)
			fprintf(file, "%lld", (long long)number);
		else if (is_there)
			put_text(file, text, size);
	}
	fputs(by_line ? "}\n" : "\n", file);
}

/* Returns which tracer the map is to name. */
static const char *write_table(struct world *world, const char *path, bool by_line)
{
	struct columns columns = { .count = 0 };
	struct trace *trace;
	struct event event;
	assert_ok(trace_open(&path, 1, &trace, &world->error));
	const char *tracer = strcmp(trace_at(trace, 0)->tracer_name, "perf") == 0 ? "perf" : "lttng";
	while (trace_next(trace, &event, &world->error) == HISTREE_OK)
		for (uint32_t i = 0; i < event.class->field_count; i++)
			column_of(&columns, event.class->fields[i]);
	trace_close(trace);
	FILE *file = fopen(world->text, "w");
	for (size_t i = 0; !by_line && i < columns.count; i++)
		fprintf(file, "%s%s", i == 0 ? "at,core,kind,own," : ",", columns.names[i]);
	fputc('\n', file);
	assert_ok(trace_open(&path, 1, &trace, &world->error));
	while (trace_next(trace, &event, &world->error) == HISTREE_OK)
		put_row(file, &columns, &event, by_line);
	trace_close(trace);
	assert_int_equal(fclose(file), 0);
	for (size_t i = 0; i < columns.count; i++)
		free((void *)(uintptr_t)columns.names[i]);
	return tracer;
}

static void build(struct world *world, const char *trace, const char *store)
{
	static const char *const analyses[] = { "kernel" };
	const struct histree_build_options options = {
		.traces = &trace, .trace_count = 1, .store = store, .analyses = analyses, .analysis_count = 1
	};
	if (histree_build(&options, &world->error) != HISTREE_OK)
		fail_msg("%s", world->error.message);
}

static struct histree_cursor *ask(struct world *world, const char *path, struct histree_history **history)
{
	struct histree_store *store;
	struct histree_cursor *query;
	assert_ok(histree_store_open(path, &store, &world->error));
	assert_ok(histree_store_history(store, "kernel", false, NULL, history, &world->error));
	histree_store_close(store);
	assert_ok(histree_query_create(*history, &query, &world->error));
	const struct histree_history_info *info = histree_history_info(*history);
	assert_ok(histree_query_start(query, &(struct histree_region){ .from = info->start, .to = info->end },
				      &world->error));
	return query;
}

static void check_same_states(struct world *world)
{
	struct histree_history *one, *other;
	struct histree_cursor *of_one = ask(world, world->store, &one),
			      *of_other = ask(world, world->other, &other);
	struct histree_interval a, b;
	enum histree_status status;
	uint64_t count = 0;
	while ((status = histree_cursor_next(of_one, &world->error)) == HISTREE_OK) {
		a = *histree_cursor_interval(of_one);
		char path[256], its_path[256];
		assert_ok(histree_cursor_next(of_other, &world->error));
		b = *histree_cursor_interval(of_other);
		histree_attributes_path(histree_history_attributes(one), a.quark, path, sizeof(path));
		histree_attributes_path(histree_history_attributes(other), b.quark, its_path, sizeof(its_path));
		assert_string_equal(path, its_path);
		if (a.start != b.start || a.end != b.end || !histree_value_equal(&a.value, &b.value))
			fail_msg("%s has another state from %lld on", path, (long long)a.start);
		count++;
	}
	assert_int_equal(status, HISTREE_END);
	assert_int_equal(histree_cursor_next(of_other, &world->error), HISTREE_END);
	assert_true(count > 100);
	histree_cursor_free(of_one);
	histree_cursor_free(of_other);
	histree_history_close(one);
	histree_history_close(other);
}

/* Events are read again from the middle of the text. */
static void check_events(struct world *world)
{
	struct histree_store *store;
	struct histree_events *events;
	struct histree_cursor *reader;
	struct histree_event event;
	assert_ok(histree_store_open(world->other, &store, &world->error));
	assert_ok(histree_events_open(store, &events, &world->error));
	uint64_t number = histree_events_count(events) - 5;
	assert_ok(histree_event_reader_create(events, &reader, &world->error));
	assert_ok(histree_event_reader_seek(reader, number, &world->error));
	assert_ok(histree_cursor_next(reader, &world->error));
	event = *histree_cursor_event(reader);
	assert_int_equal(event.number, number);
	assert_non_null(strchr(histree_event_reader_contents(reader), '='));
	histree_cursor_free(reader);
	histree_events_close(events);
	histree_store_close(store);
}

static void compare_with_trace(struct world *world, const char *name, bool by_line)
{
	char trace[DATA_PATH_SIZE];
	source_path(trace, name);
	const char *tracer = write_table(world, trace, by_line);
	build(world, trace, world->store);
	snprintf(world->word, sizeof(world->word),
		 "text:time=at,cpu=core,name=kind,thread=own,machine=x86_64,tracer=%s:%s", tracer, world->text);
	build(world, world->word, world->other);
	check_same_states(world);
	check_events(world);
}

TEST_WITH(states_of_the_demo_are_the_same, set_up, scratch_remove_world)
{
	compare_with_trace(*state, "tests/data/demo-trace", false);
}

TEST_WITH(states_of_perf_are_the_same, set_up, scratch_remove_world)
{
	compare_with_trace(*state, "tests/data/ctf-perf-small", false);
}

TEST_WITH(states_of_lines_of_json_are_the_same, set_up, scratch_remove_world)
{
	compare_with_trace(*state, "tests/data/ctf-perf-small", true);
}

/* ---- order ------------------------------------------------------------------------------------------- */

struct plain_event {
	histree_time time;
	uint32_t number;
};

static int by_time(const void *one, const void *other)
{
	const struct plain_event *a = one, *b = other;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

/* Rows that are up to `away` places from where they belong; sorted, they are in `plain`. */
static void write_rows(struct world *world, uint64_t seed, uint32_t away, struct plain_event *plain)
{
	struct random random = { seed };
	struct plain_event *late = calloc(ROWS, sizeof(*late));
	for (uint32_t i = 0; i < ROWS; i++)
		late[i] = (struct plain_event){ i + random_below(&random, away), i };
	qsort(late, ROWS, sizeof(*late), by_time); /* `number` is the time now, and its place in the text is `i` */
	FILE *file = fopen(world->text, "w");
	fputs("time\tname\tnumber\n", file);
	for (uint32_t i = 0; i < ROWS; i++) {
		plain[i] = (struct plain_event){ late[i].number / 4, i };
		fprintf(file, "%u\tevent %u\t%u\n", late[i].number / 4, i % 7, i);
	}
	fclose(file);
	free(late);
	qsort(plain, ROWS, sizeof(*plain), by_time);
}

static void check_rows(struct trace *trace, const struct plain_event *plain, size_t from)
{
	struct histree_error error;
	struct event event;
	for (size_t i = from; i < ROWS; i++) {
		int64_t number;
		if (trace_next(trace, &event, &error) != HISTREE_OK)
			fail_msg("%s", error.message);
		assert_true(event_int(&event, event_class_field(event.class, "number"), &number));
		assert_int_equal(event.time, plain[i].time);
		assert_int_equal(number, plain[i].number);
	}
	assert_int_equal(trace_next(trace, &event, &error), HISTREE_END);
}

TEST_WITH(rows_come_by_time_from_any_event_on, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct plain_event *plain = calloc(ROWS, sizeof(*plain));
	const char *path = world->text;
	for (uint32_t away = 1; away <= 4000; away = away * 20 - 1) {
		struct trace *trace;
		struct event event;
		struct trace_position positions[16];
		size_t places[16];
		struct random random = { away };
		write_rows(world, away, away, plain);
		assert_ok(trace_open(&path, 1, &trace, &world->error));
		check_rows(trace, plain, 0);
		trace_close(trace);
		assert_ok(trace_open(&path, 1, &trace, &world->error));
		for (size_t i = 0, at = 0; i < 16; i++) {
			for (size_t next = at + random_below(&random, ROWS / 16) + 1; at < next; at++)
				assert_ok(trace_next(trace, &event, &world->error));
			places[i] = at - 1;
			trace_positions(trace, &positions[i]);
		}
		trace_close(trace);
		/* By opening the text there, and by moving from elsewhere. */
		for (size_t i = 0; i < 16; i++) {
			struct trace *moved;
			assert_ok(trace_open_at(&path, 1, &positions[i], 1, &trace, &world->error));
			check_rows(trace, plain, places[i]);
			trace_close(trace);
			assert_ok(trace_open_at(&path, 1, &positions[15 - i], 1, &moved, &world->error));
			assert_ok(trace_next(moved, &event, &world->error));
			assert_ok(trace_move(moved, &positions[i], 1, &world->error));
			check_rows(moved, plain, places[i]);
			trace_close(moved);
		}
	}
	free(plain);
}

/* Objects name their fields in different orders; classes know the fields by the order in which they first came. */
TEST_WITH(fields_are_the_same_after_a_move, set_up, scratch_remove_world)
{
	struct world *world = *state;
	const char *path = world->text;
	struct trace_position start, middle;
	struct trace *trace;
	struct event event;
	FILE *file = fopen(world->text, "w");
	for (int i = 0; i < 20000; i++)
		fprintf(file,
			i < 10000 ? "{\"time\":%d,\"name\":\"n\",\"one\":1,\"two\":2}\n"
				  : "{\"two\":2,\"time\":%d,\"name\":\"n\",\"one\":1}\n",
			i);
	fclose(file);
	assert_ok(trace_open(&path, 1, &trace, &world->error));
	for (int i = 0; i < 15001; i++) {
		assert_ok(trace_next(trace, &event, &world->error));
		trace_positions(trace, i == 0 ? &start : &middle);
	}
	const struct trace_position *const places[] = { &middle, &start, &middle };
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int64_t one, two;
		assert_ok(trace_move(trace, places[i], 1, &world->error));
		assert_ok(trace_next(trace, &event, &world->error));
		assert_int_equal(event.time, places[i] == &start ? 0 : 15000);
		assert_true(event_int(&event, event_class_field(event.class, "one"), &one));
		assert_true(event_int(&event, event_class_field(event.class, "two"), &two));
		assert_int_equal(one, 1);
		assert_int_equal(two, 2);
	}
	trace_close(trace);
}

TEST_WITH(numbers_may_be_addresses, set_up, scratch_remove_world)
{
	struct world *world = *state;
	static const struct {
		const char *text;
		int64_t number;
		bool is_number;
	} cases[] = {
		{ "0x7f10", 0x7f10, true },
		{ "0xffffffffffffffff", -1, true },
		{ "0X10", 0, false },
		{ "0x", 0, false },
		{ "0x0x12", 0, false },
		{ "0x 12", 0, false },
		{ "0x 0x+12", 0, false },
		{ "0x-1", 0, false },
		{ "0x1g", 0, false },
		{ "0x10000000000000000", 0, false },
		{ "18446744073709551614", -2, true },
		{ "18446744073709551616", 0, false },
		{ "7zip", 0, false },
		{ "3 7ffd a", 0, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[96];
		const char *path = world->text;
		struct trace *trace;
		struct event event;
		int64_t number;
		snprintf(text, sizeof(text), "time,name,at\n1,a,%s\n", cases[i].text);
		write_text(world, text);
		assert_ok(trace_open(&path, 1, &trace, &world->error));
		assert_ok(trace_next(trace, &event, &world->error));
		assert_int_equal(event_int(&event, event_class_field(event.class, "at"), &number),
				 cases[i].is_number);
		if (cases[i].is_number)
			assert_int_equal(number, cases[i].number);
		trace_close(trace);
	}
}

/* ---- what is wrong ----------------------------------------------------------------------------------- */

/* Reads all events, and returns the sentence that ended it; "" if none did. */
static const char *read_all(struct world *world, const char *map)
{
	struct trace *trace = NULL;
	struct event event;
	const char *word = world->word;
	snprintf(world->word, sizeof(world->word), "text:%s:%s", map, world->text);
	world->error.message[0] = '\0';
	enum histree_status status = trace_open(&word, 1, &trace, &world->error);
	while (status == HISTREE_OK)
		status = trace_next(trace, &event, &world->error);
	trace_close(trace);
	assert_true(status == HISTREE_END || world->error.message[0] != '\0');
	return world->error.message;
}

static void check_refused(struct world *world, const char *map, const char *text, const char *sentence)
{
	write_text(world, text);
	const char *said = read_all(world, map);
	if (strstr(said, sentence) == NULL)
		fail_msg("'%s' is not in '%s'", sentence, said);
}

TEST_WITH(what_is_wrong_is_said, set_up, scratch_remove_world)
{
	struct world *world = *state;
	check_refused(world, "", "time,name\n1,a\nsoon,b\n", "line 3, column 1 (time): 'soon' is no time");
	check_refused(world, "", "time,name\n1,a\n99999999999999999999,b\n", "line 3, column 1 (time)");
	check_refused(world, "unit=s", "time,name\n1,a\n9999999999999,b\n", "line 3, column 1 (time)");
	check_refused(world, "", "time,name\n9223372036854775807,a\n", "line 2, column 1 (time)");
	check_refused(world, "", "time,name\n1,\n", "line 2, column 2 (name): '' is no name of an event");
	check_refused(world, "", "time,name,cpu\n1,a,x\n", "line 2, column 3 (cpu): 'x' is no number of a CPU");
	check_refused(world, "", "time\tname\n1\ta\\x\n", "line 2, column 2 (name): a backslash in TSV");
	check_refused(world, "", "ts,name\n1,a\n", "no column 'time' for the time of an event; it has ts, name");
	check_refused(world, "cpu=core", "time,name\n1,a\n", "no column 'core' for the cpu");
	check_refused(world, "columns=time+name,cpu=core", "1,a\n", "no column 'core' for the cpu");
	check_refused(world, "tid=x", "time,name\n1,a\n", "no column 'x' for the tid");
	check_refused(world, "", "time,name\n", "has no events");
	check_refused(world, "unit=h", "time,name\n1,a\n", "there are s, ms, us and ns");
	check_refused(world, "tracer=me", "time,name\n1,a\n", "there are lttng, perf, ust and none");
	check_refused(world, "format=xml", "time,name\n1,a\n", "there are tsv, csv and json");
	check_refused(world, "time", "time,name\n1,a\n", "is not KEY=COLUMN");
	check_refused(world, "", "{\"time\":1,\"name\":\"a\"}\n{\"time\":[],\"name\":\"a\"}\n", "line 2, \"time\"");
}

TEST_WITH(a_row_that_is_late_is_refused, set_up, scratch_remove_world)
{
	struct world *world = *state;
	FILE *file = fopen(world->text, "w");
	fputs("time,name\n", file);
	for (int i = 1; i <= 5000; i++)
		fprintf(file, "%d,a\n", i);
	fputs("1,b\n", file);
	fclose(file);
	const char *said = read_all(world, "");
	assert_non_null(strstr(said, "line 5002, column 1 (time)"));
	assert_non_null(strstr(said, "sort the text"));
}

TEST_WITH(times_have_units, set_up, scratch_remove_world)
{
	struct world *world = *state;
	static const struct {
		const char *map, *text;
		histree_time time;
	} cases[] = {
		{ "", "time,name\n-5,a\n", -5 },
		{ "unit=s", "time,name\n12.3456789019,a\n", 12345678901 },
		{ "unit=us,time=t", "t,name\n1.5,a\n", 1500 },
		{ "unit=ms", "time,name\n-.25,a\n", -250000 },
		{ "unit=s", "time,name\n2016-03-04 17:46:23.1,a\n", 1457113583100000000 },
		{ "columns=name+time", "a,7\n", 7 },
		{ "unit=s", "{\"timestamp\":1.25,\"event\":\"a\"}\n", 1250000000 },
		{ "unit=s", "{\"timestamp\":3,\"event\":\"a\"}\n", 3000000000 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace *trace;
		struct event event;
		const char *word = world->word;
		write_text(world, cases[i].text);
		snprintf(world->word, sizeof(world->word), "text:%s:%s", cases[i].map, world->text);
		if (trace_open(&word, 1, &trace, &world->error) != HISTREE_OK)
			fail_msg("%s", world->error.message);
		assert_ok(trace_next(trace, &event, &world->error));
		assert_int_equal(event.time, cases[i].time);
		assert_string_equal(event.class->name, "a");
		trace_close(trace);
	}
}
