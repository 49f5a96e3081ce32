// SPDX-License-Identifier: MIT
/*
 * The events of a store, by number and by time, compared with all events of the trace read once from left to right;
 * and the index of events, damaged anywhere.
 */
#include <fcntl.h>

#include "base/hash_index.h"
#include "base/table.h"
#include "event_index/event_index.h"
#include "histree/build.h"
#include "histree/events.h"
#include "histree/states.h"
#include "support/data.h"
#include "support/files.h"
#include "support/test.h"
#include "trace/trace.h"

/*
 * babeltrace2 2.0 does not free all of it where a stream turns out to be damaged.  That memory it has from glib,
 * which nobody else in this program asks: so stacks need not be unwound in full, as in test_trace.c.
 */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libglib-2.0\n";
}

struct known_event {
	histree_time time;
	int32_t cpu;
	uint32_t type;
};

struct world {
	char folder[64], store[96], trace[512];
	struct histree_events *events;
	struct histree_cursor *reader;
	struct known_event *known; /* all of them, in order */
	size_t count, capacity;
};

static void make_world(struct world *world, const char *trace)
{
	struct histree_error error = { 0 };
	struct histree_store *store;
	*world = (struct world){ .folder = "/tmp/histree-events-XXXXXX" };
	snprintf(world->trace, sizeof(world->trace), "%s", trace);
	assert_non_null(mkdtemp(world->folder));
	snprintf(world->store, sizeof(world->store), "%s/s.histree", world->folder);
	struct histree_build_options options = { .traces = (const char *[]){ world->trace },
						 .trace_count = 1,
						 .store = world->store };
	if (histree_build(&options, &error) < 0)
		fail_msg("%s: %s", trace, error.message);
	assert_ok(histree_store_open(world->store, &store, &error));
	if (histree_events_open(store, &world->events, &error) != HISTREE_OK)
		fail_msg("%s: %s", trace, error.message);
	histree_store_close(store);
	assert_ok(histree_event_reader_create(world->events, &world->reader, &error));
}

static void end_world(struct world *world)
{
	histree_cursor_free(world->reader);
	histree_events_close(world->events);
	free(world->known);
	remove_all("%s", world->folder);
}

static uint32_t type_named(const struct world *world, const char *name)
{
	size_t count;
	const char *const *types = histree_events_types(world->events, &count);
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(types[i], name) == 0)
			return i;
	fail_msg("no type '%s'", name);
	return 0;
}

static void read_known(struct world *world)
{
	struct trace *trace;
	struct event event;
	struct histree_error error = { 0 };
	assert_ok(trace_open((const char *[]){ world->trace }, 1, &trace, &error));
	while (trace_next(trace, &event, &error) == HISTREE_OK) {
		assert_true(array_reserve(&world->known, &world->capacity, world->count + 1));
		world->known[world->count++] =
			(struct known_event){ event.time, event.cpu, type_named(world, event.class->name) };
	}
	trace_close(trace);
}

/* The first event at or after a time. */
static size_t first_at(const struct world *world, histree_time time)
{
	size_t i = 0;
	while (i < world->count && world->known[i].time < time)
		i++;
	return i;
}

static void check_seek(struct world *world, uint64_t number, unsigned length)
{
	struct histree_error error = { 0 };
	struct histree_event event;
	if (histree_event_reader_seek(world->reader, number, &error) != HISTREE_OK)
		fail_msg("event %" PRIu64 ": %s", number, error.message);
	for (unsigned i = 0; i < length; i++, number++) {
		enum histree_status status = histree_cursor_next(world->reader, &error);
		if (status == HISTREE_OK)
			event = *histree_cursor_event(world->reader);
		assert_int_equal(status, number < world->count ? HISTREE_OK : HISTREE_END);
		if (status == HISTREE_END)
			return;
		assert_int_equal(event.number, number);
		assert_int_equal(event.time, world->known[number].time);
		assert_int_equal(event.cpu, world->known[number].cpu);
		assert_int_equal(event.type, world->known[number].type);
	}
}

static void check_find(struct world *world, histree_time time)
{
	struct histree_error error = { 0 };
	uint64_t number;
	assert_ok(histree_event_reader_find(world->reader, time, &number, &error));
	assert_int_equal(number, first_at(world, time));
}

static void check_types(struct world *world, histree_time from, histree_time to)
{
	struct histree_error error = { 0 };
	size_t types;
	histree_events_types(world->events, &types);
	uint64_t *counts = calloc(types, sizeof(*counts)), *expected = calloc(types, sizeof(*expected));
	assert_true(counts != NULL && expected != NULL);
	for (size_t i = first_at(world, from), end = first_at(world, to + 1); i < end; i++)
		expected[world->known[i].type]++;
	assert_ok(histree_event_reader_count_types(world->reader, from, to, counts, &error));
	assert_memory_equal(counts, expected, types * sizeof(*counts));
	free(counts);
	free(expected);
}

/* Up to the end of each pixel there are as many as were counted, up to the events of a tick. */
static void check_density(struct world *world, histree_time from, histree_time to, uint32_t pixels)
{
	struct histree_error error = { 0 };
	double *counts = calloc(pixels, sizeof(*counts)), sum = 0;
	bool are_exact;
	assert_non_null(counts);
	assert_ok(histree_event_reader_density(world->reader, from, to, pixels, counts, &are_exact, &error));
	size_t first = first_at(world, from);
	bool is_small = first_at(world, to + 1) - first < 2 * EVENTS_PER_BLOCK - 2 * EVENTS_PER_TICK;
	assert_true(are_exact || !is_small);
	for (uint32_t i = 0; i < pixels; i++) {
		histree_time end = i + 1 < pixels ? histree_pixel_start(from, to, pixels, i + 1) : to + 1;
		double known = (double)(first_at(world, end) - first), slack = are_exact ? 0 : 2 * EVENTS_PER_TICK;
		sum += counts[i];
		if (sum < known - slack || sum > known + slack)
			fail_msg("pixel %u of %u: %g events, not %g", i, pixels, sum, known);
	}
	free(counts);
}

static void check_all(const char *trace, uint64_t seed, unsigned rounds, bool is_ordered)
{
	struct world world;
	struct random random = { seed };
	make_world(&world, trace);
	read_known(&world);
	print_message("%zu events, seed %" PRIu64 "\n", world.count, seed);
	assert_int_equal(histree_events_count(world.events), world.count);
	histree_time start = world.known[0].time, end = world.known[world.count - 1].time;
	check_seek(&world, 0, (unsigned)world.count + 1);
	check_find(&world, start - 1);
	check_find(&world, end);
	check_types(&world, start - 1, end + 1);
	for (unsigned round = 0; round < rounds; round++) {
		uint64_t number = random_below(&random, world.count + 1);
		histree_time one = start + (histree_time)random_below(&random, (uint64_t)(end - start));
		histree_time other = start + (histree_time)random_below(&random, (uint64_t)(end - start));
		check_seek(&world, number, 1 + (unsigned)random_below(&random, 300));
		check_find(&world, number < world.count ? world.known[number].time : one);
		check_types(&world, one < other ? one : other, one < other ? other : one);
		if (is_ordered && one != other)
			check_density(&world, one < other ? one : other, one < other ? other : one,
				      1 + (uint32_t)random_below(&random, 50));
	}
	end_world(&world);
}

static const char *data(const char *name)
{
	static char path[DATA_PATH_SIZE];
	return source_path(path, name);
}

static const char *shared(const char *name)
{
	static char path[DATA_PATH_SIZE];
	if (!shared_path(path, name))
		skip();
	return path;
}

TEST(small_traces_answer_like_a_list)
{
	check_all(data("tests/data/ctf-perf-small"), 1, 40, true);
	check_all(data("tests/data/demo-trace"), 2, 40, true);
}

TEST(many_threads_answers_like_a_list)
{
	check_all(shared("traces/lttng-kernel/many-threads"), 3, 2, true);
}

/* Its clock steps back. */
TEST(scp_dest_answers_like_a_list)
{
	check_all(shared("traces/lttng-kernel/scp_dest"), 4, 2, false);
}

TEST(contents_are_names_and_values)
{
	struct world world;
	struct histree_error error = { 0 };
	struct histree_event event;
	make_world(&world, data("tests/data/ctf-perf-small"));
	uint32_t wanted = type_named(&world, "sched:sched_switch");
	do {
		assert_ok(histree_cursor_next(world.reader, &error));
		event = *histree_cursor_event(world.reader);
	} while (event.type != wanted);
	const char *text = histree_event_reader_contents(world.reader);
	assert_non_null(strstr(text, "prev_comm="));
	assert_non_null(strstr(text, ", next_prio=120"));
	end_world(&world);
}

TEST(what_is_inside_of_fields_has_paths)
{
	struct world world;
	struct histree_error error = { 0 };
	struct histree_event event;
	struct histree_value value;
	make_world(&world, data("tests/data/ctf-perf-small"));
	uint32_t wanted = type_named(&world, "raw_syscalls:sys_enter");
	assert_int_equal(histree_event_reader_value(world.reader, "args[1]", &value), HISTREE_NOT_FOUND);
	do {
		assert_ok(histree_cursor_next(world.reader, &error));
		event = *histree_cursor_event(world.reader);
	} while (event.type != wanted);
	assert_non_null(strstr(histree_event_reader_contents(world.reader),
			       ", id=12, args=[0x0, 0x7fff8b650c8c, 0x0, 0x37f, 0x0, 0x0]"));
	const char *json = histree_event_reader_json(world.reader);
	assert_non_null(strstr(json, "\"id\":12,\"args\":[0,140735532043404,0,895,0,0]"));
	assert_true(json[0] == '{' && json[strlen(json) - 1] == '}');
	assert_string_equal(histree_event_reader_stream(world.reader), "perf_stream_0");
	assert_ok(histree_event_reader_value(world.reader, "args[1]", &value));
	assert_true(value.type == HISTREE_LONG && value.int64 == 140735532043404);
	assert_ok(histree_event_reader_value(world.reader, "id", &value));
	assert_true(value.type == HISTREE_LONG && value.int64 == 12);
	static const char *const nowhere[] = { "args",   "args[6]", "args[1", "args[1].x",
					       "args.x", "id[0]",   "",       "[0]" };
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		assert_int_equal(histree_event_reader_value(world.reader, nowhere[i], &value), HISTREE_NOT_FOUND);
	end_world(&world);
}

TEST(a_store_without_its_trace_still_counts)
{
	struct world world;
	struct histree_error error = { 0 };
	struct histree_store *store;
	double counts[4] = { 0 };
	const char *original = data("tests/data/ctf-perf-small");
	char copy[] = "/tmp/histree-trace-XXXXXX";
	assert_non_null(mkdtemp(copy));
	assert_int_equal(rmdir(copy), 0);
	copy_all(original, copy);
	make_world(&world, copy);
	assert_ok(histree_store_open(world.store, &store, &error));
	histree_time start = histree_store_info(store)->start, end = histree_store_info(store)->end;
	histree_store_close(store);
	remove_all("%s", copy);
	assert_int_equal(histree_cursor_next(world.reader, &error), HISTREE_ERR_TRACE);
	bool are_exact = true;
	assert_ok(histree_event_reader_density(world.reader, start, end, 4, counts, &are_exact, &error));
	assert_false(are_exact);
	assert_int_equal(counts[0] + counts[1] + counts[2] + counts[3] + 0.5, histree_events_count(world.events));
	end_world(&world);
}

/* The tracer said so at two packets; the manifest counts the same. */
TEST(gaps_are_kept)
{
	static const histree_time second = 1000000000;
	struct world world;
	size_t count;
	make_world(&world, data("tests/data/ctf-made"));
	const struct histree_gap *gaps = histree_events_gaps(world.events, &count);
	assert_int_equal(count, 2);
	assert_int_equal(gaps[0].from, 1000 * second + 141);
	assert_int_equal(gaps[0].to, 1000 * second + 190);
	assert_int_equal(gaps[0].events, 7);
	assert_int_equal(gaps[1].from, 1000 * second + 191);
	assert_int_equal(gaps[1].events, 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(gaps[i].cpu, 0);
	end_world(&world);
	make_world(&world, data("tests/data/demo-trace"));
	histree_events_gaps(world.events, &count);
	assert_int_equal(count, 0);
	end_world(&world);
}

/*
 * Whatever they are, they are read as they were written, by their beginnings; one without end has that of the
 * trace.
 */
TEST(gaps_are_read_as_written)
{
	enum { COUNT = 300, END = 12 };
	static struct event_gap gaps[COUNT];
	struct event_index_writer writer = { .end = END };
	struct event_index index;
	struct histree_error error = { 0 };
	struct random random = { 7 };
	char folder[] = "/tmp/histree-gaps-XXXXXX", path[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/" EVENT_INDEX_FILE, folder);
	for (int i = 0; i < COUNT; i++) {
		int64_t begin = i == 0   ? INT64_MIN
				: i == 1 ? INT64_MAX
					 : (int64_t)random_below(&random, 1000) - 500;
		bool is_open = i == 1 || random_below(&random, 4) == 0;
		gaps[i] = (struct event_gap){ .cpu = (int32_t)random_below(&random, 5) - 1,
					      .begin = begin,
					      .end = is_open ? INT64_MAX
							     : begin + (int64_t)random_below(&random, 100),
					      .events = random_below(&random, 3) };
		assert_ok(event_index_add_gap(&writer, &gaps[i], &error));
	}
	uint64_t identity;
	assert_ok(event_index_write(&writer, &io_posix, path, &identity, &error));
	assert_ok(event_index_read(&io_posix, path, &index, &error));
	assert_true(index.identity == identity);
	assert_int_equal(index.gap_count, COUNT);
	for (int i = 0; i < COUNT; i++) {
		const struct histree_gap *gap = &index.gaps[i];
		assert_true(i == 0 || gap->from >= gap[-1].from);
		bool found = false;
		for (int k = 0; k < COUNT && !found; k++) {
			histree_time open_end = gaps[k].begin > END ? gaps[k].begin : END;
			found = gaps[k].begin == gap->from && gaps[k].cpu == gap->cpu &&
				gaps[k].events == gap->events &&
				(gaps[k].end == INT64_MAX ? open_end : gaps[k].end) == gap->to;
		}
		assert_true(found);
	}
	event_index_release(&index);
	event_index_writer_release(&writer);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* An index of the events of a trace, by a writer that had so much memory before; its memory, or 0: left out. */
static uint64_t memory_after(const char *trace_path, const char *path, uint64_t before)
{
	struct event_index_writer writer = { .memory = before };
	struct event_index index;
	struct histree_error error = { 0 };
	struct trace *trace;
	struct event event;
	uint64_t identity = 1, memory = 0;
	const struct event_gap gap = { .cpu = 1, .begin = 2, .end = 3, .events = 4 };
	assert_ok(trace_open(&trace_path, 1, &trace, &error));
	while (trace_next(trace, &event, &error) == HISTREE_OK)
		assert_ok(event_index_add(&writer, trace, &event, &error));
	assert_ok(event_index_add_gap(&writer, &gap, &error));
	trace_close(trace);
	assert_ok(event_index_write(&writer, &io_posix, path, &identity, &error));
	enum histree_status status = event_index_read(&io_posix, path, &index, &error);
	if (event_index_missing(&writer) != NULL) {
		assert_int_equal(identity, 0);
		assert_int_equal(status, HISTREE_NOT_FOUND);
	} else {
		assert_ok(status);
		memory = index.memory;
		event_index_release(&index);
	}
	event_index_writer_release(&writer);
	return memory;
}

/* A writer counts to the byte what a reader takes, gives up where that is refused, and leaves no older file. */
TEST(what_is_written_can_be_read)
{
	static const char *const traces[] = { "tests/data/ctf-made", "tests/data/demo-trace" };
	char folder[] = "/tmp/histree-index-XXXXXX", path[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/" EVENT_INDEX_FILE, folder);
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		char trace[512];
		snprintf(trace, sizeof(trace), "%s", data(traces[i]));
		uint64_t memory = memory_after(trace, path, 0);
		assert_true(memory > 0);
		assert_true(memory_after(trace, path, EVENT_INDEX_MEMORY_MAX - memory) == memory);
		assert_true(memory_after(trace, path, EVENT_INDEX_MEMORY_MAX - memory + 1) == 0);
		assert_true(memory_after(trace, path, EVENT_INDEX_MEMORY_MAX + 1) == 0);
	}
	assert_int_equal(rmdir(folder), 0);
}

/* Flip each byte in turn, and cut the file anywhere: the index is refused, and nothing worse. */
TEST(a_damaged_index_is_refused)
{
	struct world world;
	struct histree_error error = { 0 };
	struct event_index index;
	char path[160];
	uint8_t bytes[8192];
	make_world(&world, data("tests/data/ctf-made"));
	snprintf(path, sizeof(path), "%s/" EVENT_INDEX_FILE, world.store);
	int file = open(path, O_RDWR);
	ssize_t size = read(file, bytes, sizeof(bytes));
	assert_in_range(size, EVENT_INDEX_HEADER_SIZE, sizeof(bytes) - 1);
	for (ssize_t i = 0; i < size; i++) {
		uint8_t wrong = bytes[i] ^ 0x41;
		assert_int_equal(pwrite(file, &wrong, 1, i), 1);
		assert_true(event_index_read(&io_posix, path, &index, &error) < 0);
		assert_int_equal(pwrite(file, &bytes[i], 1, i), 1);
	}
	assert_ok(event_index_read(&io_posix, path, &index, &error));
	event_index_release(&index);
	for (ssize_t i = size - 1; i >= 0; i--) {
		assert_int_equal(ftruncate(file, i), 0);
		assert_true(event_index_read(&io_posix, path, &index, &error) < 0);
	}
	close(file);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(event_index_read(&io_posix, path, &index, &error), HISTREE_NOT_FOUND);
	end_world(&world);
}
