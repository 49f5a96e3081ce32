// SPDX-License-Identifier: MIT
/*
 * test_trace.c - reading traces: what comes out of whole ones, and of damaged ones.
 *
 * tests/data/ctf-made has one of everything (make-ctf-made.py says what), tests/data/ctf-perf-small was
 * recorded with `perf record` and converted by `perf data convert --to-ctf`.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "support/data.h"
#include "support/effort.h"
#include "support/scratch_trace.h"
#include "support/test.h"

enum { PATH_SIZE = DATA_PATH_SIZE, MADE_EVENTS = 18, PERF_EVENTS = 256 };

static char made[PATH_SIZE], perf_small[PATH_SIZE], data[PATH_SIZE], damaged[PATH_SIZE];

static int find_data(void **state)
{
	(void)state;
	source_path(data, "tests/data");
	source_path(made, "tests/data/ctf-made");
	source_path(perf_small, "tests/data/ctf-perf-small");
	return 0;
}

static enum histree_status next(struct trace *trace, struct event *event)
{
	struct histree_error error = { 0 };
	enum histree_status status = trace_next(trace, event, &error);
	if (status < 0)
		fail_msg("%s", error.message);
	return status;
}

static struct trace_report read_all(struct trace *trace)
{
	struct event event;
	while (next(trace, &event) == HISTREE_OK)
		;
	assert_int_equal(next(trace, &event), HISTREE_END);
	return trace_report(trace);
}

static bool warns_of(const struct trace_report *report, const char *text)
{
	for (size_t index = 0; index < report->warning_count; index++)
		if (strstr(report->warnings[index], text) != NULL)
			return true;
	return false;
}

static int64_t int_of(const struct event *event, const char *name)
{
	int64_t number;
	if (!event_int(event, event_class_field(event->class, name), &number))
		fail_msg("event %s has no number %s", event->class->name, name);
	return number;
}

static void assert_text(const struct event *event, const char *name, const char *expected)
{
	const char *text;
	size_t size;
	assert_true(event_string(event, event_class_field(event->class, name), &text, &size));
	assert_int_equal(size, strlen(expected));
	assert_memory_equal(text, expected, size);
}

struct expected_event {
	histree_time time;
	int32_t cpu;
	const char *name;
};

/* make-ctf-made.py, merged: channel_0 before channel_1 at 160, and channel_1 as it is where it steps back. */
static const struct expected_event made_events[MADE_EVENTS] = {
	{ 100, 0, "numbers" },      { 105, 1, "empty" },   { 110, 0, "texts" },    { 120, 3, "cpu_inside" },
	{ 130, -1, "cpu_nowhere" }, { 140, 0, "empty" },   { 150, 0, "contexts" }, { 160, 0, "numbers" },
	{ 160, 1, "numbers" },      { 170, 0, "numbers" }, { 180, 1, "empty" },    { 175, 1, "empty" },
	{ 177, 1, "empty" },        { 190, 0, "empty" },   { 200, 0, "texts" },    { 210, 0, "empty" },
	{ 220, 1, "numbers" },      { 230, 0, "numbers" },
};

static bool is_expected(const struct event *event, const struct expected_event *expected)
{
	return event->time == INT64_C(1000000000000) + expected->time && event->cpu == expected->cpu &&
	       strcmp(event->class->name, expected->name) == 0;
}

TEST(streams_are_merged_by_time)
{
	struct trace *trace = trace_must_open(made);
	struct event event;
	for (size_t index = 0; index < MADE_EVENTS; index++) {
		assert_ok(next(trace, &event));
		if (!is_expected(&event, &made_events[index]))
			fail_msg("event %zu is %s at %" PRId64 " on CPU %" PRId32, index, event.class->name,
				 event.time, event.cpu);
	}
	assert_int_equal(next(trace, &event), HISTREE_END);
	trace_close(trace);
}

TEST(the_trace_says_who_recorded_it)
{
	struct trace *trace = trace_must_open(made);
	assert_int_equal(trace_count(trace), 1);
	const struct event_trace *facts = trace_at(trace, 0);
	assert_int_equal(facts->id, 0);
	assert_string_equal(facts->path, made);
	assert_string_equal(facts->domain, "kernel");
	assert_string_equal(facts->tracer_name, "lttng-modules");
	assert_int_equal(facts->tracer_major, 2);
	assert_int_equal(facts->tracer_minor, 8);
	assert_string_equal(facts->hostname, "somewhere");
	assert_string_equal(facts->machine, "x86_64");
	trace_close(trace);

	trace = trace_must_open(perf_small);
	facts = trace_at(trace, 0);
	assert_string_equal(facts->tracer_name, "perf");
	assert_int_equal(facts->tracer_major, -1);
	assert_string_equal(facts->hostname, "somewhere");
	trace_close(trace);
}

TEST(the_report_counts_what_was_lost)
{
	struct trace *trace = trace_must_open(made);
	struct trace_report report = trace_report(trace);
	assert_int_equal(report.bytes_total, 3072);
	assert_int_equal(report.events, 0);
	report = read_all(trace);
	assert_int_equal(report.events, MADE_EVENTS);
	assert_int_equal(report.clock_steps_back, 1);
	assert_int_equal(report.discarded_events, 7);
	assert_int_equal(report.discarded_packets, 1);
	assert_int_equal(report.damaged_streams, 0);
	assert_int_equal(report.bytes_done, 3072);
	assert_int_equal(report.warning_count, 3);
	assert_true(warns_of(&report, "channel_0: the tracer lost 7 events between "
				      "1000.000000140 and 1000.000000190"));
	assert_true(warns_of(&report, "channel_0: the tracer lost 1 packet between"));
	assert_true(warns_of(&report, "channel_1: the clock steps back 1 time, first to"));
	trace_close(trace);
}

/* A gap begins behind the last event that is there, and comes in its place among the events of all streams. */
TEST(gaps_are_handed_out_where_they_are_wanted)
{
	static const histree_time second = 1000000000, begins[] = { 1000 * second + 141, 1000 * second + 191 };
	static const uint64_t lost[] = { 7, 0 };
	struct trace *trace = trace_must_open(made);
	struct event event;
	histree_time before = INT64_MIN;
	size_t gaps = 0, events = 0;
	trace_want_gaps(trace);
	while (next(trace, &event) == HISTREE_OK) {
		if (event.gap == NULL) {
			before = event.time;
			events++;
			continue;
		}
		assert_true(gaps < 2);
		assert_int_equal(event.time, begins[gaps]);
		assert_int_equal(event.gap->begin, begins[gaps]);
		assert_true(event.gap->end >= event.gap->begin);
		assert_int_equal(event.gap->cpu, 0);
		assert_int_equal(event.gap->events, lost[gaps]);
		assert_ptr_equal(event.gap->trace, trace_at(trace, 0));
		assert_null(event.class);
		assert_true(before <= event.time);
		gaps++;
	}
	assert_int_equal(gaps, 2);
	assert_int_equal(events, MADE_EVENTS);
	assert_int_equal(trace_report(trace).gaps, 2);
	assert_int_equal(trace_report(trace).events, MADE_EVENTS);
	trace_close(trace);
}

/* The n-th event of that name, counted from 0. */
static void find_event(struct trace *trace, const char *name, unsigned which, struct event *event)
{
	do
		assert_ok(next(trace, event));
	while (strcmp(event->class->name, name) != 0 || which-- > 0);
}

TEST(numbers_are_decoded)
{
	struct trace *trace = trace_must_open(made);
	struct event event;
	find_event(trace, "numbers", 2, &event);
	assert_int_equal(int_of(&event, "small"), 5);
	assert_int_equal(int_of(&event, "negative"), -5);
	assert_int_equal(int_of(&event, "large"), (INT64_C(1) << 40) + 5);
	assert_int_equal(int_of(&event, "choice"), 2);
	assert_int_equal(int_of(&event, "vtid"), 42);

	int64_t number;
	const char *text;
	size_t size;
	assert_int_equal(event_class_field(event.class, "absent"), EVENT_NO_FIELD);
	assert_false(event_int(&event, EVENT_NO_FIELD, &number));
	assert_false(event_int(&event, event.class->field_count, &number));
	assert_false(event_string(&event, event_class_field(event.class, "small"), &text, &size));
	trace_close(trace);
}

TEST(texts_are_decoded)
{
	struct trace *trace = trace_must_open(made);
	struct event event;
	int64_t number;
	const char *text;
	size_t size;
	find_event(trace, "texts", 0, &event);
	assert_text(&event, "filename", "/etc/made");
	assert_text(&event, "comm", "made");
	assert_false(event_int(&event, event_class_field(event.class, "filename"), &number));
	assert_false(event_string(&event, event_class_field(event.class, "raw"), &text, &size));
	/* Empty, behind one that was not; and an array without a zero. */
	find_event(trace, "texts", 0, &event);
	assert_text(&event, "filename", "");
	assert_text(&event, "comm", "exactly16letters");
	trace_close(trace);
}

TEST(the_payload_comes_before_the_contexts)
{
	struct trace *trace = trace_must_open(made);
	struct event event;
	find_event(trace, "contexts", 0, &event);
	assert_int_equal(event.class->field_count, 4);
	assert_string_equal(event.class->fields[0], "twice");
	assert_string_equal(event.class->fields[1], "depth");
	assert_string_equal(event.class->fields[2], "vtid");
	assert_string_equal(event.class->fields[3], "twice");
	assert_int_equal(int_of(&event, "twice"), -1);
	assert_int_equal(int_of(&event, "depth"), 5);
	int64_t number;
	assert_true(event_int(&event, 3, &number));
	assert_int_equal(number, 1002);
	trace_close(trace);
}

TEST(classes_are_dense_and_stay)
{
	struct trace *trace = trace_must_open(made);
	const struct event_class *classes[6] = { NULL };
	struct event event;
	while (next(trace, &event) == HISTREE_OK) {
		assert_true(event.class->id < 6);
		if (classes[event.class->id] == NULL)
			classes[event.class->id] = event.class;
		assert_ptr_equal(classes[event.class->id], event.class);
		assert_ptr_equal(event.class->trace, trace_at(trace, 0));
	}
	for (size_t index = 0; index < 6; index++)
		assert_non_null(classes[index]);
	trace_close(trace);
}

TEST(perf_traces_are_read)
{
	struct trace *trace = trace_must_open(perf_small);
	struct event event;
	histree_time before = INT64_MIN;
	unsigned entries = 0, exits = 0;
	while (next(trace, &event) == HISTREE_OK) {
		assert_true(event.time >= before);
		before = event.time;
		assert_int_equal(event.cpu, 1);
		entries += strcmp(event.class->name, "raw_syscalls:sys_enter") == 0;
		exits += strcmp(event.class->name, "raw_syscalls:sys_exit") == 0;
	}
	assert_int_equal(trace_report(trace).events, PERF_EVENTS);
	assert_int_equal(entries, 122);
	assert_int_equal(exits, 122);
	trace_close(trace);

	trace = trace_must_open(perf_small);
	find_event(trace, "sched:sched_switch", 0, &event);
	assert_int_equal(event.time, INT64_C(2554822225148));
	assert_text(&event, "prev_comm", "sh");
	assert_text(&event, "next_comm", "perf");
	assert_int_equal(int_of(&event, "prev_pid"), 21574);
	assert_int_equal(int_of(&event, "prev_state"), 2);
	assert_int_equal(int_of(&event, "next_prio"), 120);
	trace_close(trace);
}

TEST(several_traces_are_one_experiment)
{
	const char *paths[] = { perf_small, made };
	struct trace *trace;
	assert_ok(trace_open(paths, 2, &trace, NULL));
	assert_int_equal(trace_count(trace), 2);
	assert_string_equal(trace_at(trace, 0)->tracer_name, "perf");
	assert_int_equal(trace_at(trace, 1)->id, 1);
	/* The made one is from 1000 s, the recorded one from 2554 s. */
	struct event event;
	for (unsigned index = 0; index < MADE_EVENTS + PERF_EVENTS; index++) {
		assert_ok(next(trace, &event));
		assert_int_equal(event.class->trace->id, index < MADE_EVENTS ? 1 : 0);
	}
	assert_int_equal(next(trace, &event), HISTREE_END);
	trace_close(trace);
}

TEST(traces_are_found_below_a_folder)
{
	struct trace *trace = trace_must_open(data);
	bool found_made = false, found_perf = false;
	for (size_t index = 0; index < trace_count(trace); index++) {
		found_made |= strcmp(trace_at(trace, index)->path, made) == 0;
		found_perf |= strcmp(trace_at(trace, index)->path, perf_small) == 0;
	}
	assert_true(found_made && found_perf);
	trace_close(trace);
}

static void assert_refused(const char *path, const char *reason)
{
	struct trace *trace = (struct trace *)1;
	struct histree_error error = { 0 };
	assert_int_equal(trace_open(&path, 1, &trace, &error), HISTREE_ERR_TRACE);
	assert_null(trace);
	if (strstr(error.message, reason) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, reason);
	assert_int_equal(trace_open(&path, 1, &trace, NULL), HISTREE_ERR_TRACE);
}

TEST(what_is_no_trace_is_refused)
{
	struct trace *trace;
	assert_int_equal(trace_open(NULL, 0, &trace, NULL), HISTREE_ERR_ARGUMENT);
	assert_refused("/nonexistent", "No such file");
	char path[PATH_SIZE + 16];
	snprintf(path, sizeof(path), "%s/metadata", made);
	assert_refused(path, "name the folder that it is in");
	const char *paths[] = { made, "/nonexistent" };
	assert_int_equal(trace_open(paths, 2, &trace, NULL), HISTREE_ERR_TRACE);
	trace_close(NULL);
}

/*
 * Damage.  `damaged` is a folder of its own for each test, with a copy of the made trace.
 */

static size_t read_bytes_of(const char *folder, const char *name, char *bytes, size_t capacity)
{
	char path[2 * PATH_SIZE];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t size = fread(bytes, 1, capacity, file);
	fclose(file);
	return size;
}

static void write_bytes_to(const char *name, const char *bytes, size_t size)
{
	char path[2 * PATH_SIZE];
	snprintf(path, sizeof(path), "%s/%s", damaged, name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static const char *const made_files[] = { "metadata", "channel_0", "channel_1", "channel_2" };
enum { MADE_FILE_COUNT = 4, FILE_SIZE_MAX = 8192, PACKET_SIZE = 512 };

static int copy_made(void **state)
{
	(void)state;
	const char *temporary = getenv("TMPDIR");
	snprintf(damaged, sizeof(damaged), "%s/test-trace-XXXXXX", temporary == NULL ? "/tmp" : temporary);
	if (mkdtemp(damaged) == NULL)
		return -1;
	char bytes[FILE_SIZE_MAX];
	for (size_t index = 0; index < MADE_FILE_COUNT; index++)
		write_bytes_to(made_files[index], bytes,
			       read_bytes_of(made, made_files[index], bytes, sizeof(bytes)));
	return 0;
}

static int remove_copy(void **state)
{
	(void)state;
	static const char *const others[] = { "junk", "index/channel_0.idx", "index" };
	char path[2 * PATH_SIZE];
	for (size_t index = 0; index < MADE_FILE_COUNT + 3; index++) {
		snprintf(path, sizeof(path), "%s/%s", damaged,
			 index < MADE_FILE_COUNT ? made_files[index] : others[index - MADE_FILE_COUNT]);
		remove(path);
	}
	/* Nothing else was put there. */
	return rmdir(damaged);
}

/* Read the damaged copy; its events must be events of the whole one, in its order. */
static struct trace_report read_damaged(struct trace **trace)
{
	struct event event;
	size_t expected = 0;
	*trace = trace_must_open(damaged);
	while (next(*trace, &event) == HISTREE_OK) {
		while (expected < MADE_EVENTS && !is_expected(&event, &made_events[expected]))
			expected++;
		if (expected++ == MADE_EVENTS)
			fail_msg("%s at %" PRId64 " does not belong here", event.class->name, event.time);
	}
	return trace_report(*trace);
}

TEST_WITH(a_stream_may_be_cut_anywhere, copy_made, remove_copy)
{
	char bytes[FILE_SIZE_MAX];
	size_t size = read_bytes_of(made, "channel_0", bytes, sizeof(bytes));
	assert_int_equal(size, 3 * PACKET_SIZE);
	/* Those of the other streams are always there. */
	uint64_t events_before = 8;
	/* Every byte of the first header and context, and the ends of packets. */
	size_t stride = test_effort(1, 11);
	for (size_t cut = 0; cut <= size; cut += stride * (cut < 110 || cut % 8 == 0 ? 1 : 7)) {
		write_bytes_to("channel_0", bytes, cut);
		struct trace *trace;
		struct trace_report report = read_damaged(&trace);
		assert_true(report.events >= events_before);
		events_before = report.events;
		assert_int_equal(report.damaged_streams, cut % PACKET_SIZE == 0 ? 0 : 1);
		assert_true(warns_of(&report, "cut short") == (cut % PACKET_SIZE != 0));
		assert_int_equal(report.bytes_done, report.bytes_total);
		/* Whole packets are read whole. */
		static const uint64_t whole[] = { 8, 11, 15, 18 };
		assert_true(report.events >= whole[cut / PACKET_SIZE]);
		trace_close(trace);
	}
	assert_true(stride > 1 || events_before == MADE_EVENTS);
}

/* A name of another file in the warning would send the user to the wrong one. */
TEST_WITH(damage_names_the_file_and_the_packet, copy_made, remove_copy)
{
	char bytes[FILE_SIZE_MAX], expected[2 * PATH_SIZE];
	size_t size = read_bytes_of(made, "channel_0", bytes, sizeof(bytes));
	bytes[PACKET_SIZE] ^= 1;
	write_bytes_to("channel_0", bytes, size);
	struct trace *trace;
	struct trace_report report = read_damaged(&trace);
	assert_int_equal(report.damaged_streams, 1);
	assert_int_equal(report.events, MADE_EVENTS - 4);
	snprintf(expected, sizeof(expected),
		 "%s/channel_0: packet 1 at offset 512 does not begin with the magic number; "
		 "the packets from offset 1024 on are read",
		 damaged);
	assert_true(warns_of(&report, expected));
	trace_close(trace);
}

TEST_WITH(a_damaged_event_ends_its_packet_only, copy_made, remove_copy)
{
	char bytes[FILE_SIZE_MAX];
	/* The id of the second event of packet 1 of channel_0: 76 bytes of header and context, one event of 28. */
	size_t size = read_bytes_of(made, "channel_0", bytes, sizeof(bytes)), at = PACKET_SIZE + 76 + 28;
	assert_memory_equal(bytes + at, "\0\0\0\0\xa0\0", 6);
	bytes[at] = 99;
	write_bytes_to("channel_0", bytes, size);
	struct trace *trace;
	struct trace_report report = read_damaged(&trace);
	assert_int_equal(report.events, 8 + 3 + 1 + 3);
	assert_int_equal(report.damaged_streams, 1);
	assert_true(warns_of(&report, "channel_0: packet 1 cannot be decoded (event id 99 has no class in the "
				      "metadata); the events before that are read"));
	trace_close(trace);
}

TEST_WITH(the_gap_of_a_damaged_packet_ends_where_the_next_begins, copy_made, remove_copy)
{
	static const histree_time second = 1000000000;
	char bytes[FILE_SIZE_MAX];
	size_t size = read_bytes_of(made, "channel_0", bytes, sizeof(bytes));
	bytes[PACKET_SIZE + 76 + 28] = 99;
	write_bytes_to("channel_0", bytes, size);
	struct trace *trace = trace_must_open(damaged);
	struct event event;
	const struct event_gap *gap = NULL;
	trace_want_gaps(trace);
	while (gap == NULL || gap->begin != 1000 * second + 151) {
		assert_ok(next(trace, &event));
		gap = event.gap != NULL ? event.gap : gap;
	}
	assert_int_equal(gap->end, 1000 * second + 200);
	assert_int_equal(gap->cpu, 0);
	trace_close(trace);
}

/* What is there when the reader comes to it is read; the process goes on. */
TEST_WITH(a_trace_may_be_cut_while_it_is_read, copy_made, remove_copy)
{
	char bytes[FILE_SIZE_MAX];
	size_t size = read_bytes_of(made, "channel_0", bytes, sizeof(bytes));
	for (size_t cut = 0; cut < size; cut += test_effort(1, 37)) {
		struct event event;
		write_bytes_to("channel_0", bytes, size);
		struct trace *trace = trace_must_open(damaged);
		assert_ok(next(trace, &event));
		write_bytes_to("channel_0", bytes, cut);
		struct trace_report report = read_all(trace);
		assert_true(report.events >= MADE_EVENTS - 8 && report.events <= MADE_EVENTS);
		if (report.events < MADE_EVENTS) {
			assert_int_equal(report.damaged_streams, 1);
			assert_true(warns_of(&report, "the file has become shorter"));
		}
		trace_close(trace);
	}
}

TEST_WITH(any_byte_may_be_wrong, copy_made, remove_copy)
{
	static const char wrong[] = { 0x00, 0x01, 0x7f, (char)0xff };
	char bytes[FILE_SIZE_MAX];
	size_t size = read_bytes_of(made, "channel_1", bytes, sizeof(bytes));
	for (size_t at = 0; at < size; at += test_effort(1, 11) * (at % PACKET_SIZE < 76 ? 1 : 5)) {
		char right = bytes[at];
		bytes[at] = (char)(right ^ wrong[1 + at % 3]);
		write_bytes_to("channel_1", bytes, size);
		struct trace *trace = trace_must_open(damaged);
		struct trace_report report = read_all(trace);
		/* What is in the other streams comes out whatever this one holds. */
		assert_true(report.events >= 12 && report.events <= 100);
		trace_close(trace);
		bytes[at] = right;
	}
}

/* Times and sizes that make babeltrace2 2.0 abort, or never return. */
TEST_WITH(a_packet_that_cannot_be_costs_itself, copy_made, remove_copy)
{
	enum { BEGIN_AT = 24, CONTENT_AT = 40, SEQUENCE_AT = 56, DISCARDED_AT = 64 };
	static const struct {
		size_t at, size;
		char byte;
		const char *reason;
	} cases[] = {
		{ BEGIN_AT, 8, (char)0xff, "packet 0 at offset 0 has an impossible time or counter" },
		{ BEGIN_AT + 8, 8, (char)0xff, "packet 0 at offset 0 has an impossible time or counter" },
		{ PACKET_SIZE + SEQUENCE_AT, 8, (char)0xff, "packet 1 at offset 512 has an impossible time or" },
		{ PACKET_SIZE + DISCARDED_AT, 8, (char)0xff, "packet 1 at offset 512 has an impossible time or" },
		{ CONTENT_AT, 16, 0,
		  "packet 0 at offset 0 has an impossible size; the packets from offset 512 on" },
		{ PACKET_SIZE + CONTENT_AT, 16, 0, "packet 1 at offset 512 has an impossible size" },
		{ 20, 1, 3, "names a stream that the metadata does not have" },
		{ PACKET_SIZE + 20, 1, 7, "names another stream than the ones before it" },
	};
	char right[FILE_SIZE_MAX], bytes[FILE_SIZE_MAX];
	size_t size = read_bytes_of(made, "channel_0", right, sizeof(right));
	for (size_t index = 0; index < sizeof(cases) / sizeof(cases[0]); index++) {
		memcpy(bytes, right, size);
		memset(bytes + cases[index].at, cases[index].byte, cases[index].size);
		write_bytes_to("channel_0", bytes, size);
		struct trace *trace;
		struct trace_report report = read_damaged(&trace);
		assert_int_equal(report.damaged_streams, 1);
		assert_int_equal(report.events, MADE_EVENTS - (cases[index].at < PACKET_SIZE ? 3 : 4));
		if (!warns_of(&report, cases[index].reason))
			fail_msg("no warning says \"%s\"", cases[index].reason);
		trace_close(trace);
	}
}

TEST_WITH(files_that_are_no_streams_do_not_matter, copy_made, remove_copy)
{
	write_bytes_to("junk", "not a stream", 12);
	write_bytes_to("channel_2", "", 0);
	struct trace *trace;
	struct trace_report report = read_damaged(&trace);
	assert_int_equal(report.events, MADE_EVENTS - 2);
	assert_int_equal(report.damaged_streams, 1);
	assert_true(
		warns_of(&report, "junk: packet 0 at offset 0 is cut short in its header; nothing of it is read"));
	trace_close(trace);
}

TEST_WITH(an_index_is_not_used, copy_made, remove_copy)
{
	char index[16 + 3 * 56] = { (char)0xc1, (char)0xf1, (char)0xdc, (char)0xc1, [7] = 1, [15] = 56 };
	char path[PATH_SIZE + 16];
	snprintf(path, sizeof(path), "%s/index", damaged);
	assert_int_equal(mkdir(path, 0700), 0);
	for (int packet = 0; packet < 3; packet++) {
		char *entry = index + 16 + packet * 56;
		entry[6] = (char)(packet * PACKET_SIZE >> 8);
		entry[14] = (char)(8 * PACKET_SIZE >> 8);
	}
	write_bytes_to("index/channel_0.idx", index, sizeof(index));
	struct trace *trace;
	struct trace_report report = read_damaged(&trace);
	assert_int_equal(report.events, MADE_EVENTS);
	assert_false(warns_of(&report, "index"));
	trace_close(trace);

	index[16 + 2 * 56 + 3] = 1; /* the third packet 4 GiB further on, where nothing is */
	write_bytes_to("index/channel_0.idx", index, sizeof(index));
	report = read_damaged(&trace);
	assert_int_equal(report.events, MADE_EVENTS);
	assert_int_equal(report.damaged_streams, 0);
	assert_false(warns_of(&report, "index"));
	trace_close(trace);
}

TEST_WITH(damaged_metadata_is_refused, copy_made, remove_copy)
{
	char bytes[FILE_SIZE_MAX], text[FILE_SIZE_MAX];
	size_t size = read_bytes_of(made, "metadata", text, sizeof(text));
	write_bytes_to("metadata", text, 0);
	assert_refused(damaged, "the metadata is empty");
	write_bytes_to("metadata", text, size / 2);
	assert_refused(damaged, "line 54 of the metadata: the text ends where");
	write_bytes_to("metadata", "/* CTF 1.8 */ \0", 15);
	assert_refused(damaged, "the metadata is damaged: it is not text");
	unlink(strcat(strcpy(bytes, damaged), "/metadata"));
	assert_refused(damaged, "holds no trace");
}

/* The same metadata in packets of 200 bytes of text; returns the size. */
static size_t packetize(const char *text, size_t size, char *out)
{
	size_t used = 0;
	for (size_t at = 0; at < size; at += 200) {
		uint32_t length = (uint32_t)(size - at < 200 ? size - at : 200);
		uint32_t numbers[] = { 0x75d11d57, 0, 0, 0, 0, 0, 8 * (37 + length), 8 * 256 };
		memset(out + used, 0, 256);
		memcpy(out + used, numbers, sizeof(numbers));
		memcpy(out + used + 35, "\1\10", 2);
		memcpy(out + used + 37, text + at, length);
		used += 256;
	}
	return used;
}

TEST_WITH(metadata_may_come_in_packets, copy_made, remove_copy)
{
	char text[FILE_SIZE_MAX], packets[FILE_SIZE_MAX];
	size_t size = read_bytes_of(made, "metadata", text, sizeof(text));
	size = packetize(text, size, packets);
	write_bytes_to("metadata", packets, size);
	struct trace *trace;
	assert_int_equal(read_damaged(&trace).events, MADE_EVENTS);
	trace_close(trace);
	for (size_t cut = 40; cut < size; cut += 97)
		if (cut % 256 != 0) {
			write_bytes_to("metadata", packets, cut);
			assert_refused(damaged, "the metadata is cut short at offset");
		}
	packets[256] ^= 1;
	write_bytes_to("metadata", packets, size);
	assert_refused(damaged, "the metadata is damaged at offset 256");
	packets[256] ^= 1;
	packets[256 + 32] = 1;
	write_bytes_to("metadata", packets, size);
	assert_refused(damaged, "the metadata at offset 256 is compressed");
}

/*
 * The traces beside the repository.  Counts are Trace Compass's; values are what babeltrace2 prints.
 */
static struct trace *open_shared(const char *name)
{
	char path[DATA_PATH_SIZE];
	if (!shared_path(path, name))
		skip();
	return trace_must_open(path);
}

static uint64_t count_in_order(struct trace *trace, int32_t cpu_count)
{
	struct event event;
	histree_time before = INT64_MIN;
	uint64_t count = 0;
	for (; next(trace, &event) == HISTREE_OK; count++) {
		assert_true(event.time >= before);
		assert_true(event.cpu >= 0 && event.cpu < cpu_count);
		before = event.time;
	}
	struct trace_report report = trace_report(trace);
	assert_int_equal(report.events, count);
	assert_int_equal(report.damaged_streams, 0);
	assert_int_equal(report.clock_steps_back, 0);
	assert_int_equal(report.warning_count, 0);
	assert_int_equal(report.bytes_done, report.bytes_total);
	trace_close(trace);
	return count;
}

/* ---- positions ------------------------------------------------------------------------------------------- */

enum { FILES_MAX = 16, KEPT_MAX = 4096 };

struct kept_event {
	histree_time time;
	int32_t cpu;
	char name[64];
	struct trace_position positions[FILES_MAX];
};

static size_t keep_events(const char *const *paths, size_t path_count, uint64_t every, size_t *file_count,
			  struct kept_event *kept)
{
	struct trace *trace;
	struct event event;
	size_t count = 0;
	assert_ok(trace_open(paths, path_count, &trace, NULL));
	*file_count = trace_file_count(trace);
	assert_in_range(*file_count, 1, FILES_MAX);
	for (uint64_t index = 0; count < KEPT_MAX && next(trace, &event) == HISTREE_OK; index++) {
		if (index % every != 0)
			continue;
		kept[count] = (struct kept_event){ .time = event.time, .cpu = event.cpu };
		snprintf(kept[count].name, sizeof(kept[count].name), "%s", event.class->name);
		trace_positions(trace, kept[count++].positions);
	}
	trace_close(trace);
	return count;
}

/* From the place of each `stride`th of the events kept the rest comes as it came when all was read. */
static void check_places(const char *const *paths, size_t path_count, uint64_t every, size_t stride)
{
	struct kept_event *kept = calloc(KEPT_MAX, sizeof(*kept));
	assert_non_null(kept);
	size_t file_count, count = keep_events(paths, path_count, every, &file_count, kept);
	assert_true(count > 1);
	for (size_t first = 0; first < count; first += stride) {
		struct trace *trace;
		struct event event;
		struct histree_error error = { 0 };
		if (trace_open_at(paths, path_count, kept[first].positions, file_count, &trace, &error) !=
		    HISTREE_OK)
			fail_msg("event %zu: %s", first, error.message);
		for (size_t i = first; i < count && i < first + stride + 2; i++) {
			for (uint64_t skipped = 0; i > first && skipped + 1 < every; skipped++)
				assert_ok(next(trace, &event));
			assert_ok(next(trace, &event));
			assert_int_equal(event.time, kept[i].time);
			assert_int_equal(event.cpu, kept[i].cpu);
			assert_string_equal(event.class->name, kept[i].name);
		}
		trace_close(trace);
	}
	free(kept);
}

TEST(a_trace_is_read_on_from_any_event)
{
	check_places((const char *[]){ made }, 1, 1, test_effort(1, 4));
	check_places((const char *[]){ perf_small }, 1, 1, test_effort(7, 29));
	check_places((const char *[]){ made, perf_small }, 2, 1, test_effort(11, 41));
}

/* An event, or a gap. */
struct item {
	histree_time time, gap_end;
	int32_t cpu;
	uint64_t lost;
	char name[64]; /* "" of a gap */
	bool can_begin_here;
	struct trace_position positions[FILES_MAX];
};

static bool next_item(struct trace *trace, struct item *out)
{
	struct event event;
	if (next(trace, &event) != HISTREE_OK)
		return false;
	*out = (struct item){ .time = event.time,
			      .cpu = event.cpu,
			      .gap_end = event.gap == NULL ? 0 : event.gap->end,
			      .lost = event.gap == NULL ? 0 : event.gap->events };
	snprintf(out->name, sizeof(out->name), "%s", event.gap == NULL ? event.class->name : "");
	return true;
}

static void assert_rest(struct trace *trace, const struct item *items, size_t count)
{
	struct item item;
	for (size_t i = 0; i < count; i++) {
		assert_true(next_item(trace, &item));
		assert_int_equal(item.time, items[i].time);
		assert_int_equal(item.cpu, items[i].cpu);
		assert_int_equal(item.gap_end, items[i].gap_end);
		assert_int_equal(item.lost, items[i].lost);
		assert_string_equal(item.name, items[i].name);
	}
	assert_false(next_item(trace, &item));
}

/* One trace goes forth and back, with its gaps. */
TEST(a_trace_that_lost_events_moves)
{
	static struct item items[2 * MADE_EVENTS];
	size_t count = 0, places = 0, gaps = 0;
	const char *path = made;
	struct trace *trace = trace_must_open(path);
	size_t file_count = trace_file_count(trace);
	trace_want_gaps(trace);
	for (; next_item(trace, &items[count]); count++) {
		assert_in_range(count, 0, 2 * MADE_EVENTS - 2);
		gaps += items[count].name[0] == '\0';
		items[count].can_begin_here = items[count].name[0] != '\0' && trace_can_begin_here(trace);
		trace_positions(trace, items[count].positions);
	}
	assert_true(gaps > 1);
	for (size_t step = 0; step < 2 * count; step++) {
		size_t at = step % 2 == 0 ? step / 2 : count - 1 - step / 2;
		struct trace *opened;
		if (!items[at].can_begin_here)
			continue;
		assert_ok(trace_move(trace, items[at].positions, file_count, NULL));
		assert_rest(trace, &items[at], count - at);
		assert_ok(trace_open_at(&path, 1, items[at].positions, file_count, &opened, NULL));
		trace_want_gaps(opened);
		assert_rest(opened, &items[at], count - at);
		trace_close(opened);
		places++;
	}
	assert_true(places > MADE_EVENTS);
	struct trace_position elsewhere[FILES_MAX] = { { .packet = 1000000 } };
	assert_ok(trace_move(trace, items[0].positions, file_count, NULL));
	assert_int_equal(trace_move(trace, elsewhere, file_count, NULL), HISTREE_ERR_TRACE);
	assert_rest(trace, items, count);
	trace_close(trace);
}

TEST(a_live_trace_does_not_move)
{
	char live;
	struct trace trace = { .live = (struct ctf_live *)&live };
	struct histree_error error = { 0 };
	assert_false(trace_can_move(&trace));
	assert_int_equal(trace_move(&trace, NULL, 0, &error), HISTREE_ERR_ARGUMENT);
	assert_non_null(strstr(error.message, "has to be opened"));
}

/* A snapshot of the made trace, with the first two packets of channel_0, besides it: nothing comes twice. */
TEST_WITH(packets_that_are_repeated_come_once, copy_made, remove_copy)
{
	char bytes[FILE_SIZE_MAX];
	write_bytes_to("channel_0", bytes, read_bytes_of(made, "channel_0", bytes, 2 * (size_t)PACKET_SIZE));
	const char *const orders[][2] = { { damaged, made }, { made, damaged }, { made, made } };
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		struct trace *trace;
		struct event event;
		assert_ok(trace_open(orders[i], 2, &trace, NULL));
		for (unsigned count = 0; count < MADE_EVENTS; count++)
			assert_ok(next(trace, &event));
		assert_int_equal(next(trace, &event), HISTREE_END);
		struct trace_report report = trace_report(trace);
		assert_int_equal(report.discarded_events, 7);
		assert_int_equal(report.discarded_packets, 1);
		assert_int_equal(report.repeated_packets, orders[i][0] == orders[i][1] ? 6 : 5);
		trace_close(trace);
		check_places(orders[i], 2, 1, 1);
	}
}

TEST(places_of_another_trace_are_refused)
{
	const char *path = perf_small;
	struct trace *trace = trace_must_open(path);
	struct trace_position positions[FILES_MAX] = { 0 };
	struct histree_error error = { 0 };
	size_t count = trace_file_count(trace);
	trace_close(trace);
	positions[0].packet = 1000000;
	assert_int_equal(trace_open_at(&path, 1, positions, count, &trace, &error), HISTREE_ERR_TRACE);
	assert_null(trace);
	assert_non_null(strstr(error.message, "has changed"));
	positions[0].packet = 0;
	assert_int_equal(trace_open_at(&path, 1, positions, count + 1, &trace, &error), HISTREE_ERR_TRACE);
}

TEST(many_threads_is_read)
{
	struct trace *trace = open_shared("traces/lttng-kernel/many-threads");
	struct event event;
	assert_ok(next(trace, &event));
	assert_int_equal(event.time, INT64_C(1457113582794565804));
	assert_int_equal(event.cpu, 2);
	assert_string_equal(event.class->name, "sched_waking");
	assert_text(&event, "comm", "lttng-consumerd");
	assert_int_equal(int_of(&event, "tid"), 4297);
	assert_int_equal(int_of(&event, "target_cpu"), 5);
	find_event(trace, "sched_switch", 0, &event);
	assert_int_equal(event.time, INT64_C(1457113582794569892));
	assert_int_equal(event.cpu, 5);
	assert_text(&event, "prev_comm", "swapper/5");
	assert_int_equal(int_of(&event, "next_prio"), 20);
	/* babeltrace2's text has the file name of an earlier event here; the trace has an empty one. */
	do
		find_event(trace, "syscall_entry_access", 0, &event);
	while (event.time != INT64_C(1457113583226574671));
	assert_text(&event, "filename", "");
	assert_int_equal(int_of(&event, "mode"), 4);
	trace_close(trace);
	assert_int_equal(count_in_order(open_shared("traces/lttng-kernel/many-threads"), 8), 240644);
}

/* The clock steps back between packets; babeltrace2's muxer ends after 11,679 events. */
TEST(scp_dest_is_read_to_its_end)
{
	assert_int_equal(count_in_order(open_shared("traces/lttng-kernel/scp_dest"), 1), 85729);
}

TEST(user_space_traces_are_read)
{
	struct trace *trace = open_shared("traces/lttng-ust/cyg-profile");
	assert_int_equal(trace_count(trace), 2);
	assert_string_equal(trace_at(trace, 0)->domain, "ust");
	struct event event;
	assert_ok(next(trace, &event));
	assert_int_equal(event.class->trace->id, 0);
	assert_int_equal(event.time, INT64_C(1378850463596911581));
	assert_string_equal(event.class->name, "lttng_ust_cyg_profile:func_entry");
	assert_int_equal(int_of(&event, "addr"), 0x40472b);
	assert_text(&event, "procname", "glxgears");
	assert_int_equal(int_of(&event, "vtid"), 16073);
	trace_close(trace);
	assert_int_equal(count_in_order(open_shared("traces/lttng-ust/cyg-profile"), 4), 10138);
}

TEST_FILE(find_data, NULL)
