// SPDX-License-Identifier: MIT
/*
 * The events of several hosts, compared with those of all hosts read once and sorted: random traces, small ones and
 * some of several blocks, with many equal times; the same trace as three hosts; and one whose clock steps back.
 */
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "event_index/events.h"
#include "histree/build.h"
#include "histree/events.h"
#include "histree/states.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/files.h"
#include "support/test.h"

enum { HOSTS_MAX = 6 };

static const char *const host_names[HOSTS_MAX] = { "a", "VM2", "c c", "d/e", "", "b" };

struct known_event {
	histree_time time, greatest; /* of its host so far */
	uint64_t number;             /* within its host */
	uint32_t host;
	int32_t cpu;
	char type[40];
	char contents[120];
};

struct world {
	char folder[64];
	struct histree_events *events;
	struct histree_cursor *reader;
	size_t host_count;
	bool is_missing[HOSTS_MAX];
	struct known_event *known;
	size_t count, capacity;
	const char *const *types;
	size_t type_count;
};

/* ---- hosts ------------------------------------------------------------------------------------------------- */

static void write_text(const char *path, struct random *random, unsigned count, unsigned steps)
{
	static const char *const types[] = { "alpha", "beta", "gamma", "delta" };
	FILE *file = fopen(path, "w");
	uint64_t time = 1000000 + random_below(random, 1000);
	assert_non_null(file);
	fprintf(file, "# tracer: nop\n#\n");
	for (unsigned i = 0; i < count; i++) {
		time += random_below(random, steps);
		fprintf(file, "   task-%u     [00%u] d..2. %" PRIu64 ".%06" PRIu64 ": %s: n=%u value=%u\n",
			1 + i % 7, (unsigned)random_below(random, 3), time / 1000000, time % 1000000,
			types[random_below(random, 1 + i % 4)], i, (unsigned)random_below(random, 100));
	}
	assert_int_equal(fclose(file), 0);
}

static struct histree_events *open_host(const struct world *world, const char *trace)
{
	struct histree_error error = { 0 };
	struct histree_store *store;
	struct histree_events *events;
	char path[128];
	snprintf(path, sizeof(path), "%s/%zu.histree", world->folder, world->host_count);
	struct histree_build_options options = { .traces = &trace, .trace_count = 1, .store = path };
	if (histree_build(&options, &error) < 0)
		fail_msg("%s: %s", trace, error.message);
	assert_ok(histree_store_open(path, &store, &error));
	assert_ok(histree_events_open(store, &events, &error));
	histree_store_close(store);
	return events;
}

static void read_known(struct world *world, const struct histree_events *events, uint32_t host)
{
	struct histree_error error = { 0 };
	struct histree_cursor *reader;
	struct histree_event event;
	size_t type_count;
	histree_time greatest = INT64_MIN;
	const char *const *types = histree_events_types(events, &type_count);
	assert_ok(histree_event_reader_create(events, &reader, &error));
	while (histree_cursor_next(reader, &error) == HISTREE_OK) {
		event = *histree_cursor_event(reader);
		assert_true(array_reserve(&world->known, &world->capacity, world->count + 1));
		struct known_event *known = &world->known[world->count++];
		greatest = event.time > greatest ? event.time : greatest;
		*known = (struct known_event){ event.time, greatest, event.number, host, event.cpu, "", "" };
		snprintf(known->type, sizeof(known->type), "%s", types[event.type]);
		snprintf(known->contents, sizeof(known->contents), "%s", histree_event_reader_contents(reader));
	}
	histree_cursor_free(reader);
}

static void add_host(struct world *world, struct events_part *parts, const char *trace)
{
	uint32_t host = (uint32_t)world->host_count;
	parts[host] = (struct events_part){ .name = host_names[host], .why = "its disk burnt" };
	world->is_missing[host] = trace == NULL;
	if (trace != NULL) {
		parts[host].events = open_host(world, trace);
		read_known(world, parts[host].events, host);
	}
	world->host_count++;
}

COMPARE(compare_known, struct known_event, BY(greatest) BY(host) BY(number))

static void begin_world(struct world *world)
{
	*world = (struct world){ .folder = "/tmp/histree-hosts-XXXXXX" };
	assert_non_null(mkdtemp(world->folder));
}

static void unite(struct world *world, const struct events_part *parts)
{
	struct histree_error error = { 0 };
	size_t count;
	qsort(world->known, world->count, sizeof(*world->known), compare_known);
	assert_ok(events_unite(parts, world->host_count, &world->events, &error));
	assert_ok(histree_event_reader_create(world->events, &world->reader, &error));
	world->types = histree_events_types(world->events, &world->type_count);
	assert_int_equal(histree_events_count(world->events), world->count);
	const struct histree_event_host *hosts = histree_events_hosts(world->events, &count);
	assert_int_equal(count, world->host_count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(hosts[i].name, host_names[i]);
		assert_int_equal(hosts[i].why != NULL, world->is_missing[i]);
	}
}

static void end_world(struct world *world)
{
	histree_cursor_free(world->reader);
	histree_events_close(world->events);
	free(world->known);
	remove_all("%s", world->folder);
}

/* ---- questions --------------------------------------------------------------------------------------------- */

static void check_event(const struct world *world, const struct histree_event *event)
{
	const struct known_event *known = &world->known[event->number];
	assert_int_equal(event->time, known->time);
	assert_int_equal(event->host, known->host);
	assert_int_equal(event->cpu, known->cpu);
	assert_true(strncmp(world->types[event->type], known->type, sizeof(known->type) - 1) == 0);
	assert_true(strncmp(histree_event_reader_contents(world->reader), known->contents,
			    sizeof(known->contents) - 1) == 0);
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
		check_event(world, &event);
	}
}

/* The first event at or after a time. */
static size_t first_at(const struct world *world, histree_time time)
{
	size_t i = 0;
	while (i < world->count && world->known[i].time < time)
		i++;
	return i;
}

static void check_find(struct world *world, histree_time time)
{
	struct histree_error error = { 0 };
	uint64_t number;
	assert_ok(histree_event_reader_find(world->reader, time, &number, &error));
	assert_int_equal(number, first_at(world, time));
}

/* Of a host whose clock steps back, up to the first that is after `to`. */
static void check_types(struct world *world, histree_time from, histree_time to)
{
	struct histree_error error = { 0 };
	uint64_t *counts = calloc(world->type_count + 1, sizeof(*counts));
	assert_non_null(counts);
	for (size_t i = 0; i < world->count; i++)
		for (size_t type = 0; type < world->type_count; type++)
			if (world->known[i].greatest >= from && world->known[i].greatest <= to &&
			    strncmp(world->types[type], world->known[i].type, sizeof(world->known[i].type) - 1) ==
				    0) {
				counts[type]--;
				break;
			}
	uint64_t *said = calloc(world->type_count + 1, sizeof(*said));
	assert_non_null(said);
	assert_ok(histree_event_reader_count_types(world->reader, from, to, said, &error));
	for (size_t type = 0; type < world->type_count; type++)
		assert_int_equal(said[type] + counts[type], 0);
	free(counts);
	free(said);
}

static void check_density(struct world *world, histree_time from, histree_time to, uint32_t pixels)
{
	struct histree_error error = { 0 };
	double *counts = calloc(pixels, sizeof(*counts)), sum = 0;
	bool are_exact;
	assert_non_null(counts);
	assert_ok(histree_event_reader_density(world->reader, from, to, pixels, counts, &are_exact, &error));
	size_t first = first_at(world, from);
	for (uint32_t i = 0; i < pixels; i++) {
		histree_time end = i + 1 < pixels ? histree_pixel_start(from, to, pixels, i + 1) : to + 1;
		double known = (double)(first_at(world, end) - first);
		double slack = are_exact ? 0 : 2.0 * EVENTS_PER_TICK * (double)world->host_count;
		sum += counts[i];
		if (sum < known - slack || sum > known + slack)
			fail_msg("pixel %u of %u: %g events, not %g", i, pixels, sum, known);
	}
	free(counts);
}

/* Of one host, in a range of time. */
static void check_expression(struct world *world, uint32_t host, histree_time from, histree_time to)
{
	struct histree_error error = { 0 };
	struct histree_cursor *query;
	struct histree_event event;
	char text[64];
	size_t at = 0;
	const struct histree_event_range range = { HISTREE_WINDOW_ALL, { from, to, false } };
	snprintf(text, sizeof(text), "host == \"%s\" && cpu != 1", host_names[host]);
	assert_ok(histree_event_query_create(world->events, world->reader, text, 0, 0, &query, &error));
	assert_ok(histree_event_query_start(query, &range, &error));
	while (histree_cursor_next(query, &error) == HISTREE_OK) {
		event = *histree_cursor_event(query);
		const struct known_event *known;
		do {
			assert_true(at < world->count);
			known = &world->known[at++];
		} while (known->host != host || known->cpu == 1 || known->time < from || known->time > to);
		assert_int_equal(event.number, at - 1);
		check_event(world, &event);
	}
	for (; at < world->count; at++) {
		const struct known_event *known = &world->known[at];
		assert_true(known->host != host || known->cpu == 1 || known->time < from || known->time > to);
	}
	histree_cursor_free(query);
}

static void check_world(struct world *world, struct random *random, unsigned rounds, bool is_ordered)
{
	check_seek(world, 0, (unsigned)world->count + 1);
	if (world->count == 0)
		return;
	histree_time start = world->known[0].time, end = world->known[world->count - 1].greatest;
	check_find(world, start);
	check_find(world, end);
	check_find(world, end + 1);
	check_find(world, INT64_MIN);
	check_types(world, start, end);
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t number = random_below(random, world->count + 1);
		histree_time a = start + (histree_time)random_below(random, (uint64_t)(end - start) + 1);
		histree_time b = start + (histree_time)random_below(random, (uint64_t)(end - start) + 1);
		histree_time from = a < b ? a : b, to = a < b ? b : a;
		check_seek(world, number, 1 + (unsigned)random_below(random, 300));
		if (number > 0)
			check_seek(world, number - 1, 2);
		check_find(world, number < world->count ? world->known[number].time : a);
		check_types(world, from, to);
		if (is_ordered && from < to)
			check_density(world, from, to, 1 + (uint32_t)random_below(random, 50));
		check_expression(world, (uint32_t)random_below(random, world->host_count), from, to);
	}
}

/* ---- tests ------------------------------------------------------------------------------------------------- */

TEST(random_hosts_merge)
{
	for (uint64_t seed = 1; seed <= test_effort(12, 4); seed++) {
		struct random random = { seed };
		struct events_part parts[HOSTS_MAX];
		struct world world;
		size_t hosts = 1 + random_below(&random, HOSTS_MAX);
		unsigned steps = 1 + (unsigned)random_below(&random, 3);
		begin_world(&world);
		for (size_t i = 0; i < hosts; i++) {
			char path[96];
			unsigned most = seed % 4 == 0 ? 6000 : 900;
			snprintf(path, sizeof(path), "%s/%zu.txt", world.folder, i);
			write_text(path, &random, 1 + (unsigned)random_below(&random, most), steps);
			add_host(&world, parts, i > 0 && random_percent(&random, 20) ? NULL : path);
		}
		unite(&world, parts);
		check_world(&world, &random, (unsigned)test_effort(seed % 4 == 0 ? 12 : 40, 6), true);
		end_world(&world);
	}
}

/* Each event comes three times, in the order of the hosts. */
TEST(equal_hosts_merge)
{
	struct random random = { 3 };
	struct events_part parts[HOSTS_MAX];
	struct world world;
	char path[DATA_PATH_SIZE];
	begin_world(&world);
	for (int i = 0; i < 3; i++)
		add_host(&world, parts, source_path(path, "tests/data/demo-trace"));
	unite(&world, parts);
	for (uint64_t number = 0; number + 2 < 300 && number + 2 < world.count; number += 3)
		assert_int_equal(world.known[number].time, world.known[number + 2].time);
	check_world(&world, &random, 25, true);
	end_world(&world);
}

TEST(a_clock_that_steps_back_merges)
{
	if (test_is_quick())
		skip();
	struct random random = { 5 };
	struct events_part parts[HOSTS_MAX];
	struct world world;
	char path[DATA_PATH_SIZE];
	if (!shared_path(path, "traces/lttng-kernel/scp_dest"))
		skip();
	begin_world(&world);
	add_host(&world, parts, path);
	add_host(&world, parts, NULL);
	add_host(&world, parts, path);
	unite(&world, parts);
	check_world(&world, &random, 3, false);
	end_world(&world);
}

TEST(gaps_say_their_host)
{
	struct events_part parts[HOSTS_MAX];
	struct world world;
	char path[DATA_PATH_SIZE];
	size_t count;
	begin_world(&world);
	add_host(&world, parts, source_path(path, "tests/data/ctf-made"));
	add_host(&world, parts, source_path(path, "tests/data/demo-trace"));
	add_host(&world, parts, source_path(path, "tests/data/ctf-made"));
	unite(&world, parts);
	const struct histree_gap *gaps = histree_events_gaps(world.events, &count);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(gaps[i].host, i % 2 * 2);
	assert_true(gaps[0].from == gaps[1].from && gaps[1].from < gaps[2].from && gaps[2].from == gaps[3].from);
	end_world(&world);
}

TEST(a_host_without_its_trace_is_named)
{
	struct events_part parts[HOSTS_MAX];
	struct random random = { 9 };
	struct histree_error error = { 0 };
	struct world world;
	char path[96], other[DATA_PATH_SIZE];
	double counts[4];
	bool are_exact = true;
	begin_world(&world);
	snprintf(path, sizeof(path), "%s/gone.txt", world.folder);
	write_text(path, &random, 500, 3);
	add_host(&world, parts, source_path(other, "tests/data/demo-trace"));
	add_host(&world, parts, path);
	assert_int_equal(remove(path), 0);
	unite(&world, parts);
	assert_int_equal(histree_cursor_next(world.reader, &error), HISTREE_ERR_TRACE);
	assert_true(strncmp(error.message, "VM2: ", 5) == 0);
	assert_ok(histree_event_reader_density(world.reader, 0, INT64_MAX - 1, 4, counts, &are_exact, &error));
	assert_false(are_exact);
	histree_event_reader_keep_closed(world.reader, "it is not to be read");
	assert_int_equal(histree_event_reader_seek(world.reader, 5, &error), HISTREE_ERR_TRACE);
	end_world(&world);
}
