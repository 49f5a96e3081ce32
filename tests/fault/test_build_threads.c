// SPDX-License-Identifier: MIT
/*
 * test_build_threads.c - a build with several threads makes the bytes that one thread makes, of whole traces and of
 * damaged ones; and whatever fails in whichever thread, or is cancelled, it ends, says so, and leaves no thread.
 */
#include "base/hash_index.h"
#include "pipeline/hosts/experiment.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/files.h"
#include "support/test.h"
#include "support/trace_copy.h"

static const char *const traces[] = {
	"demo-trace",
	"ctf-calls",
	"ctf-made",
	"ctf-perf-small",
	"dat-made/row.dat",
	"perf-made/file.data",
	"perf-made/threads",
	"perf-made/packed.data",
	"lines-made/trace.txt",
	"uftrace-made",
	"perfetto-made/both.pftrace",
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
static const uint32_t thread_counts[] = { 1, 2, 7, 0 }; /* the last: as many as a trace of this length is worth */

struct world {
	char folder[64], copy[128], stores[COUNT_OF(thread_counts)][128];
	const char *paths[1];
	struct histree_build_options options;
	unsigned questions, cancel_at; /* 0: never */
};

/* What somebody else is told of a trace has no part in it, and neither has when it is told. */
static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	assert_non_null(world);
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->copy, sizeof(world->copy), "%s/trace", world->folder);
	for (size_t i = 0; i < COUNT_OF(thread_counts); i++)
		snprintf(world->stores[i], sizeof(world->stores[i]), "%s/store-%u", world->folder,
			 thread_counts[i]);
	world->paths[0] = world->copy;
	world->options = (struct histree_build_options){ .traces = world->paths, .trace_count = 1, .force = true };
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

/* ---- the same bytes -------------------------------------------------------------------------------------- */

static enum histree_status build(struct world *world, size_t which, struct histree_error *error)
{
	world->options.store = world->stores[which];
	world->options.threads = thread_counts[which];
	enum histree_status status = histree_build(&world->options, error);
	assert_no_thread_left();
	return status;
}

/* All but when it was built, and how long that took. */
static void assert_same_store(const struct world *world, size_t which, const char *trace, uint64_t seed)
{
	char why[512];
	if (!same_files(world->stores[0], world->stores[which], own_of_builds, why, sizeof(why)))
		fail_msg("%s with seed %llu: %u threads make another store than one: %s", trace,
			 (unsigned long long)seed, thread_counts[which], why);
}

static void check_trace(struct world *world, const char *trace, uint64_t seed, bool is_damaged)
{
	static const char *const variants[] = { NULL, "sht", "osht", "esht", "rsht", "vrsht" };
	struct random random = { seed };
	trace_copy(trace, world->copy);
	if (is_damaged)
		trace_copy_damage(world->copy, &random);
	world->options.tree.variant = variants[random_below(&random, COUNT_OF(variants))];
	world->options.tree.memory_max = random_percent(&random, 30) ? 2 << 20 : 0;
	world->options.tree.node_size = random_percent(&random, 50) ? 4096 : 0;
	world->options.ignore_gaps = random_percent(&random, 20);
	world->options.publish_ns = random_percent(&random, 30) ? 1 : 0;
	struct histree_error error;
	enum histree_status expected = build(world, 0, &error);
	char message[sizeof(error.message)] = "";
	if (expected != HISTREE_OK)
		snprintf(message, sizeof(message), "%s", error.message);
	for (size_t which = 1; which < COUNT_OF(thread_counts); which++) {
		assert_int_equal(build(world, which, &error), expected);
		if (expected != HISTREE_OK)
			assert_string_equal(error.message, message);
		if (expected >= 0)
			assert_same_store(world, which, trace, seed);
	}
	remove_all("%s/store-*", world->folder);
}

TEST_WITH(threads_make_no_difference, set_up, tear_down)
{
	for (size_t i = 0; i < COUNT_OF(traces); i++)
		for (uint64_t round = 0; round < test_effort(2, 1); round++)
			check_trace(*state, traces[i], test_seed() + round, false);
}

TEST_WITH(damage_is_told_alike, set_up, tear_down)
{
	for (size_t i = 0; i < COUNT_OF(traces); i++)
		for (uint64_t round = 0; round < test_effort(3, 1); round++)
			check_trace(*state, traces[i], test_seed() + 100 * i + round, true);
}

/* With more events than are read ahead. */
TEST_WITH(a_long_trace_is_the_same, set_up, tear_down)
{
	struct world *world = *state;
	char path[DATA_PATH_SIZE];
	if (!shared_path(path, "traces/lttng-kernel/many-threads"))
		skip();
	world->paths[0] = path;
	world->options.no_overviews = true;
	for (size_t which = 0; which < COUNT_OF(thread_counts); which += test_effort(1, 2)) {
		struct histree_error error;
		world->options.publish_ns = which == 2 ? 1 : 0;
		assert_ok(build(world, which, &error));
		if (which > 0)
			assert_same_store(world, which, "many-threads", 0);
	}
}

/* ---- what fails ------------------------------------------------------------------------------------------ */

static bool goes_on(void *context)
{
	struct world *world = context;
	return ++world->questions != world->cancel_at;
}

/* Whenever it is cancelled, there is no store, and nothing else. */
TEST_WITH(a_cancelled_build_ends, set_up, tear_down)
{
	struct world *world = *state;
	struct histree_error error;
	char path[DATA_PATH_SIZE];
	trace_copy("demo-trace", world->copy);
	if (shared_path(path, "traces/lttng-kernel/many-threads"))
		world->paths[0] = path;
	world->options.work = (struct histree_work){ .go_on = goes_on, .context = world };
	for (world->cancel_at = 1; world->cancel_at < 100; world->cancel_at += (unsigned)test_effort(7, 50)) {
		world->questions = 0;
		enum histree_status status = build(world, 2, &error);
		assert_int_equal(status, world->questions < world->cancel_at ? HISTREE_OK : HISTREE_ERR_CANCELLED);
		if (status == HISTREE_OK)
			break;
		assert_int_not_equal(access(world->stores[2], F_OK), 0);
	}
}

/* Of three threads, whichever is refused what it asks for. */
TEST_WITH(refused_memory_is_told, set_up, tear_down)
{
	struct world *world = *state;
	struct histree_error error;
	trace_copy("demo-trace", world->copy);
	assert_ok(build(world, 0, &error));
	faulty_memory_begin(0, false);
	assert_ok(build(world, 2, &error));
	uint64_t requests = faulty_memory.requests, step = test_effort(71, 1501);
	struct random random = { test_seed() };
	for (uint64_t at = 1 + random_below(&random, step); at < requests; at += step) {
		remove_all("%s*", world->stores[2]);
		faulty_memory_begin(at, random_percent(&random, 50));
		world->options.store = world->stores[2];
		world->options.threads = 3;
		enum histree_status status = histree_build(&world->options, &error);
		bool was_refused = faulty_memory.refused;
		faulty_memory_end();
		assert_no_thread_left();
		if (status != HISTREE_ERR_MEMORY && status != HISTREE_OK && status != HISTREE_PARTIAL)
			fail_msg("request %llu: status %d, %s", (unsigned long long)at, (int)status, error.message);
		if (status == HISTREE_OK && !was_refused)
			assert_same_store(world, 2, "demo-trace", at);
	}
}

TEST_WITH(a_failing_disk_is_told, set_up, tear_down)
{
	struct world *world = *state;
	struct histree_error error;
	struct faulty_io faulty;
	trace_copy("demo-trace", world->copy);
	world->options.store = world->stores[1];
	world->options.threads = 7;
	world->options.publish_ns = 1;
	faulty_io_init(&faulty, &io_posix);
	assert_ok(pipeline_build(&world->options, &faulty.io, &error));
	uint64_t operations = faulty.operations, step = test_effort(5, 90), failed = 0;
	for (uint64_t at = 1; at < operations; at += step) {
		remove_all("%s*", world->stores[1]);
		faulty_io_init(&faulty, &io_posix);
		faulty.fail_at = at;
		faulty.for_ever = true;
		enum histree_status status = pipeline_build(&world->options, &faulty.io, &error);
		assert_no_thread_left();
		assert_true(status < 0 || faulty.operations < at);
		failed += status < 0;
	}
	assert_true(failed > operations / step / 2);
}

static int begin_threads(void **state)
{
	(void)state;
	return threads_begin() ? 0 : -1;
}

TEST_FILE(begin_threads, NULL)
