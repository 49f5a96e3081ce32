// SPDX-License-Identifier: MIT
/*
 * test_build_slices.c - a build whose trace is cut in time makes the intervals, the index of events and the
 * sentences of one pass, of whole traces and of damaged ones, wherever the cuts are and whatever memory slices
 * have; and whatever fails in whichever thread, or is cancelled, it ends, says so, and leaves no thread.
 */
#include "analysis/registry.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"
#include "histree/store.h"
#include "pipeline/build/slice_run.h"
#include "pipeline/hosts/experiment.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/files.h"
#include "support/slice_carrier.h"
#include "support/test.h"
#include "support/trace_copy.h"

static const char *const traces[] = { "demo-trace", "ctf-perf-small" };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { WHOLE, CUT };

struct world {
	char folder[64], copy[128], stores[2][128];
	const char *paths[1];
	struct histree_build_options options;
	unsigned questions, cancel_at; /* 0: never */
	struct histree_slice_counts counts;
	struct slice_carrier carrier; /* of a build that has workers, too */
};

static const char *const kernel[] = { "kernel" };

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	assert_non_null(world);
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->copy, sizeof(world->copy), "%s/trace", world->folder);
	snprintf(world->stores[WHOLE], sizeof(world->stores[WHOLE]), "%s/whole", world->folder);
	snprintf(world->stores[CUT], sizeof(world->stores[CUT]), "%s/cut", world->folder);
	world->paths[0] = world->copy;
	world->options = (struct histree_build_options){
		.traces = world->paths,
		.trace_count = 1,
		.analyses = kernel,
		.analysis_count = 1,
		.force = true,
		.no_overviews = true,
	};
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	remove_all("%s", world->folder);
	free(world);
	return 0;
}

/* ---- the same intervals -------------------------------------------------------------------------------------- */

struct intervals {
	struct histree_interval *list; /* without the bytes of their values */
	size_t count, capacity;
	uint64_t sum; /* of these */
};

COMPARE(by_quark_and_start, struct histree_interval, BY(quark) BY(start))

/* Bytes become a number that other bytes hardly have. */
static void take_value(struct histree_value *value)
{
	uint64_t hash = value->size;
	if (value->type != HISTREE_STRING && value->type != HISTREE_CUSTOM)
		return;
	for (uint32_t i = 0; i < value->size; i++)
		hash = (hash ^ ((const uint8_t *)value->bytes)[i]) * UINT64_C(0x9e3779b97f4a7c15);
	*value = histree_long((int64_t)hash);
}

static void read_all(struct histree_history *history, struct intervals *out)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region region = { .from = info->start, .to = info->end };
	struct histree_cursor *query;
	struct histree_interval interval;
	enum histree_status status;
	*out = (struct intervals){ 0 };
	assert_ok(histree_query_create(history, &query, NULL));
	assert_ok(histree_query_start(query, &region, NULL));
	while ((status = histree_cursor_next(query, NULL)) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		assert_true(array_reserve(&out->list, &out->capacity, out->count + 1));
		take_value(&interval.value);
		out->list[out->count++] = interval;
	}
	assert_int_equal(status, HISTREE_END);
	histree_cursor_free(query);
	qsort(out->list, out->count, sizeof(*out->list), by_quark_and_start);
}

static struct histree_history *open_history(const struct world *world, size_t which)
{
	char path[160];
	struct histree_history *history;
	struct histree_error error;
	snprintf(path, sizeof(path), "%s/kernel.sht", world->stores[which]);
	if (histree_history_open(path, NULL, &history, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	return history;
}

static void assert_same_attributes(struct histree_history *one, struct histree_history *other)
{
	const struct histree_attributes *a = histree_history_attributes(one),
					*b = histree_history_attributes(other);
	uint32_t count = histree_attributes_count(a);
	assert_int_equal(histree_attributes_count(b), count);
	for (histree_quark quark = 0; quark < count; quark++) {
		char path[256], other_path[256];
		histree_attributes_path(a, quark, path, sizeof(path));
		histree_attributes_path(b, quark, other_path, sizeof(other_path));
		assert_string_equal(path, other_path);
	}
}

/* What the manifest says of the trace, but for when the store was built. */
static void assert_same_manifest(const struct world *world)
{
	static const char *const own[] = { "\"build_ns\"", "\"checksum\"", "\"identity\"", "\"options\"", NULL };
	static const char *const files[] = { "events.idx", "manifest.json" };
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char whole[160], cut[160], why[512];
		snprintf(whole, sizeof(whole), "%s/%s", world->stores[WHOLE], files[i]);
		snprintf(cut, sizeof(cut), "%s/%s", world->stores[CUT], files[i]);
		if (!same_files(whole, cut, own, why, sizeof(why)))
			fail_msg("%s", why);
	}
}

static void assert_same(const struct world *world)
{
	struct histree_history *whole = open_history(world, WHOLE), *cut = open_history(world, CUT);
	const struct histree_history_info *a = histree_history_info(whole), *b = histree_history_info(cut);
	struct intervals one, other;
	assert_true(a->start == b->start && a->end == b->end);
	assert_int_equal(a->interval_count, b->interval_count);
	assert_same_attributes(whole, cut);
	read_all(whole, &one);
	read_all(cut, &other);
	assert_int_equal(one.count, other.count);
	for (size_t i = 0; i < one.count; i++) {
		const struct histree_interval *first = &one.list[i], *second = &other.list[i];
		if (first->quark != second->quark || first->start != second->start || first->end != second->end ||
		    !histree_value_equal(&first->value, &second->value))
			fail_msg("interval %zu: attribute %u from %lld to %lld, and %u from %lld to %lld", i,
				 first->quark, (long long)first->start, (long long)first->end, second->quark,
				 (long long)second->start, (long long)second->end);
	}
	free(one.list);
	free(other.list);
	histree_history_close(whole);
	histree_history_close(cut);
	assert_same_manifest(world);
}

static enum histree_status build(struct world *world, size_t which, struct histree_error *error)
{
	struct histree_build_options options = world->options;
	options.store = world->stores[which];
	if (which == WHOLE) {
		options.slices = 0;
		options.slice_events = 0;
	}
	bool has_workers = which == CUT && world->carrier.workers > 0;
	if (has_workers) {
		assert_true(slice_carrier_begin(&world->carrier, 1));
		options.slice_post = world->carrier.post;
	}
	enum histree_status status = histree_build(&options, error);
	if (has_workers) {
		world->counts = histree_slice_post_counts(world->carrier.post);
		slice_carrier_end(&world->carrier);
	}
	assert_no_thread_left();
	return status;
}

static void check_trace(struct world *world, const char *trace, uint64_t seed, bool is_damaged)
{
	static const char *const variants[] = { NULL, NULL, NULL, "esht", "vrsht" };
	static const uint64_t lengths[] = { 0, 16, 40, 150, 1000 };
	struct random random = { seed };
	struct histree_error error;
	trace_copy(trace, world->copy);
	if (is_damaged)
		trace_copy_damage(world->copy, &random);
	world->options.tree.variant = variants[random_below(&random, COUNT_OF(variants))];
	world->options.tree.memory_max = random_percent(&random, 30) ? 2 << 20 : 0;
	world->options.tree.node_size = random_percent(&random, 50) ? 4096 : 0;
	world->options.ignore_gaps = random_percent(&random, 30);
	world->options.slices = 1 + (unsigned)random_below(&random, 4);
	world->options.slice_events = lengths[random_below(&random, COUNT_OF(lengths))];
	world->carrier.workers = (unsigned)random_below(&random, 3);
	enum histree_status expected = build(world, WHOLE, &error);
	char message[sizeof(error.message)] = "";
	if (expected != HISTREE_OK)
		snprintf(message, sizeof(message), "%s", error.message);
	enum histree_status status = build(world, CUT, &error);
	bool is_refused = status == HISTREE_ERR_ARGUMENT && strstr(error.message, "cannot be cut") != NULL;
	if (!is_refused) {
		assert_int_equal(status, expected);
		if (expected != HISTREE_OK)
			assert_string_equal(error.message, message);
		if (expected >= 0)
			assert_same(world);
	}
	remove_all("%s", world->stores[WHOLE]);
	remove_all("%s", world->stores[CUT]);
}

TEST_WITH(slices_make_no_difference, set_up, tear_down)
{
	for (size_t i = 0; i < COUNT_OF(traces); i++)
		for (uint64_t round = 0; round < test_effort(10, 4); round++)
			check_trace(*state, traces[i], test_seed() + round, false);
}

TEST_WITH(damage_is_told_alike, set_up, tear_down)
{
	/* A clock steps back in a slice that the owner reads, behind which others read on. */
	static const uint64_t steps_back[] = { 55444, 63359 };
	for (size_t i = 0; i < COUNT_OF(steps_back); i++)
		check_trace(*state, "demo-trace", steps_back[i], true);
	for (size_t i = 0; i < COUNT_OF(traces); i++)
		for (uint64_t round = 0; round < test_effort(20, 6); round++)
			check_trace(*state, traces[i], test_seed() + 100 * i + round, true);
}

TEST_WITH(a_long_trace_is_the_same, set_up, tear_down)
{
	struct world *world = *state;
	struct histree_error error;
	char path[DATA_PATH_SIZE];
	if (!shared_path(path, "traces/lttng-kernel/scp_dest"))
		skip();
	world->paths[0] = path;
	world->options.slices = 2;
	world->options.slice_events = 10000;
	assert_ok(build(world, WHOLE, &error));
	assert_ok(build(world, CUT, &error));
	assert_same(world);
}

/* All slices but the first that anybody reads are read elsewhere now and then, and come back as bytes. */
TEST_WITH(workers_make_no_difference, set_up, tear_down)
{
	struct world *world = *state;
	struct histree_error error;
	char path[DATA_PATH_SIZE];
	if (!shared_path(path, "traces/lttng-kernel/scp_dest"))
		skip();
	world->paths[0] = path;
	world->options.slices = 1;
	world->options.slice_events = 5000;
	world->carrier.workers = 2;
	assert_ok(build(world, WHOLE, &error));
	assert_ok(build(world, CUT, &error));
	assert_same(world);
	assert_null(world->counts.refusal);
	assert_true(world->counts.sent > 0);
	print_message("%llu of %llu slices were of use, %llu from workers, %llu bytes\n",
		      (unsigned long long)world->counts.used, (unsigned long long)world->counts.slices,
		      (unsigned long long)world->counts.sent, (unsigned long long)world->carrier.carried);
}

/* ---- what fails ---------------------------------------------------------------------------------------------- */

static bool goes_on(void *context)
{
	struct world *world = context;
	return ++world->questions != world->cancel_at;
}

TEST_WITH(a_cancelled_build_ends, set_up, tear_down)
{
	struct world *world = *state;
	struct histree_error error;
	char path[DATA_PATH_SIZE];
	trace_copy("demo-trace", world->copy);
	if (shared_path(path, "traces/lttng-kernel/many-threads"))
		world->paths[0] = path;
	world->options.work = (struct histree_work){ .go_on = goes_on, .context = world };
	world->options.slices = 2;
	for (world->cancel_at = 1; world->cancel_at < 100; world->cancel_at += 3) {
		world->questions = 0;
		enum histree_status status = build(world, CUT, &error);
		assert_int_equal(status, world->questions < world->cancel_at ? HISTREE_OK : HISTREE_ERR_CANCELLED);
		if (status == HISTREE_OK)
			break;
		assert_int_not_equal(access(world->stores[CUT], F_OK), 0);
	}
}

/* Whichever thread is refused memory: a slice that fails is read by whoever knows, and else the build ends. */
TEST_WITH(refused_memory_is_told, set_up, tear_down)
{
	struct world *world = *state;
	struct histree_error error;
	trace_copy("demo-trace", world->copy);
	world->options.slices = 2;
	world->options.slice_events = 300;
	assert_ok(build(world, WHOLE, &error));
	faulty_memory_begin(0, false);
	assert_ok(build(world, CUT, &error));
	uint64_t requests = faulty_memory.requests, step = test_effort(29, 811);
	struct random random = { test_seed() };
	for (uint64_t at = 1 + random_below(&random, step); at < requests; at += step) {
		remove_all("%s*", world->stores[CUT]);
		struct histree_build_options options = world->options;
		options.store = world->stores[CUT];
		world->carrier.workers = (unsigned)random_below(&random, 2);
		if (world->carrier.workers > 0 && slice_carrier_begin(&world->carrier, 1))
			options.slice_post = world->carrier.post;
		faulty_memory_begin(at, random_percent(&random, 50));
		enum histree_status status = histree_build(&options, &error);
		faulty_memory_end();
		if (options.slice_post != NULL)
			slice_carrier_end(&world->carrier);
		assert_no_thread_left();
		bool is_worker_gone = status == HISTREE_ERR_IO && strstr(error.message, "is gone with it") != NULL;
		if (status != HISTREE_ERR_MEMORY && status != HISTREE_OK && status != HISTREE_PARTIAL &&
		    !is_worker_gone)
			fail_msg("request %llu: status %d, %s", (unsigned long long)at, (int)status, error.message);
		if (status == HISTREE_OK)
			assert_same(world);
	}
}

/* A worker that is gone costs time: also one that was handing over a slice, or was to make its leaves. */
TEST_WITH(lost_workers_are_done_without, set_up, tear_down)
{
	static const char kinds[] = { '\0', SLICE_WAS_READ, SLICE_WAS_MADE };
	struct world *world = *state;
	struct histree_error error;
	char path[DATA_PATH_SIZE];
	trace_copy("demo-trace", world->copy);
	if (shared_path(path, "traces/lttng-kernel/scp_dest"))
		world->paths[0] = path;
	world->options.slices = 1;
	world->options.slice_events = 5000;
	assert_ok(build(world, WHOLE, &error));
	world->carrier.workers = 2;
	for (uint64_t round = 0; round < test_effort(20, 4); round++) {
		world->carrier.random = (struct random){ test_seed() + round };
		world->carrier.loses = 1 + (unsigned)(round / COUNT_OF(kinds)) % 9;
		world->carrier.loses_at = kinds[round % COUNT_OF(kinds)];
		remove_all("%s*", world->stores[CUT]);
		enum histree_status status = build(world, CUT, &error);
		if (status != HISTREE_OK)
			fail_msg("round %llu: status %d, %s", (unsigned long long)round, (int)status,
				 error.message);
		assert_same(world);
	}
}

/* What a worker says may be anything: the build ends with a sentence, or nobody could tell. */
TEST(a_plan_is_read_or_memory_is_out)
{
	static const char *const paths[] = { "one", "another" };
	struct byte_buffer saved = { 0 };
	struct slice_plan plan = {
		.source = { .analysis = registry_find("kernel")->analysis,
			    .origin = { .paths = paths, .path_count = 2, .wants_gaps = true } },
		.ring_size = 4,
	};
	assert_ok(slice_plan_code(&plan, NULL, &(struct codec){ .out = &saved }, NULL));
	enum histree_status status = HISTREE_ERR_MEMORY;
	for (uint64_t at = 1; status != HISTREE_OK; at++) {
		struct byte_reader reader = byte_reader(saved.bytes, saved.size);
		struct arena arena = { 0 };
		faulty_memory_begin(at, false);
		plan = (struct slice_plan){ 0 };
		status = slice_plan_code(&plan, &arena, &(struct codec){ .in = &reader }, NULL);
		assert_int_equal(status, faulty_memory.refused ? HISTREE_ERR_MEMORY : HISTREE_OK);
		faulty_memory_end();
		arena_release(&arena);
	}
	assert_string_equal(plan.source.analysis->name, "kernel");
	assert_int_equal(plan.source.origin.path_count, 2);
	byte_buffer_release(&saved);
}

TEST_WITH(what_makes_no_sense_is_told, set_up, tear_down)
{
	enum { ROUNDS_MAX = 1000 };
	struct world *world = *state;
	struct histree_error error;
	unsigned told = 0;
	trace_copy("demo-trace", world->copy);
	world->options.slices = 1;
	world->options.slice_events = 100;
	world->carrier.workers = 2;
	world->carrier.damages = 4;
	/* On a busy machine the build may read all slices of a round itself, and no worker says anything. */
	for (uint64_t round = 0; round < test_effort(200, 10) || (told == 0 && round < ROUNDS_MAX); round++) {
		world->carrier.random = (struct random){ test_seed() + round };
		remove_all("%s*", world->stores[CUT]);
		enum histree_status status = build(world, CUT, &error);
		told += status < 0;
		if (status < 0 && error.message[0] == '\0')
			fail_msg("round %llu: status %d without a sentence", (unsigned long long)round,
				 (int)status);
	}
	assert_true(told > 0);
}

TEST_WITH(a_failing_disk_is_told, set_up, tear_down)
{
	struct world *world = *state;
	struct histree_error error;
	struct faulty_io faulty;
	struct histree_build_options options = world->options;
	trace_copy("demo-trace", world->copy);
	options.store = world->stores[CUT];
	options.slices = 2;
	options.slice_events = 300;
	faulty_io_init(&faulty, &io_posix);
	assert_ok(pipeline_build(&options, &faulty.io, &error));
	uint64_t operations = faulty.operations;
	for (uint64_t at = 1; at < operations; at += test_effort(1, 10)) {
		remove_all("%s*", world->stores[CUT]);
		faulty_io_init(&faulty, &io_posix);
		faulty.fail_at = at;
		faulty.for_ever = true;
		enum histree_status status = pipeline_build(&options, &faulty.io, &error);
		assert_no_thread_left();
		assert_true(status < 0 || faulty.operations < at);
	}
}

static int begin_threads(void **state)
{
	(void)state;
	return threads_begin() ? 0 : -1;
}

TEST_FILE(begin_threads, NULL)
