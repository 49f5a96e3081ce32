// SPDX-License-Identifier: MIT
/*
 * test_overview_feed.c - pyramids that are fed while a history is made say what its states do, wherever windows
 * end: threads that wait, sleep through many windows, share CPUs, or were in a call before the trace began; states
 * that end a ns out of order; and corrections, after which the history is read instead.
 *
 * The oracle is histree_sums_verify(), which makes cells again of the states of the complete file.
 */
#include "histree/history.h"
#include "histree/states.h"
#include "histree/time_use.h"
#include "overview/overview_feed.h"
#include "overview/overview_writer.h"
#include "overview/pyramid_maker.h"
#include "state/history.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "support/test.h"

enum { THREADS = 40, CPUS = 3, CALLS = 4, STEPS = 4000, START = 1000, WAITS = 5 };

enum disorder { IN_ORDER, LATE_STATE, LATE_CORRECTION };

static char path[64], cube_path[96];
static unsigned fed; /* histories that were not read again */

struct thread {
	histree_quark node, status, queue, call;
	bool is_known;
};

struct world {
	struct histree_state_system *system;
	struct overview_feed *feed;
	struct thread threads[THREADS];
	histree_quark cpus[CPUS];
	histree_time now;
};

static uint32_t below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

static histree_quark attribute(struct world *world, histree_quark from, const char *name)
{
	histree_quark quark;
	assert_ok(histree_state_attribute(world->system, from, name, &quark, NULL));
	return quark;
}

static void change(struct world *world, histree_time time, histree_quark quark, struct histree_value value)
{
	assert_ok(histree_state_modify(world->system, time, quark, value, NULL));
}

static struct histree_value call_value(uint32_t call)
{
	static const char *const names[CALLS] = { "read", "futex", "poll", "nanosleep" };
	return call == 0 ? histree_null() : histree_string(names[call % CALLS]);
}

static void begin(struct world *world, size_t window)
{
	const struct histree_history_options made = {
		.path = path, .provider = "kernel", .start = START, .tree = { .threads = 1 }
	};
	const struct overview_options options = { .states_in_window = (uint32_t)window };
	const struct overview_feed_plan plan = { .provider = "kernel", .start = START, .options = &options };
	struct interval_sink sink;
	*world = (struct world){ .now = START };
	unlink(path);
	unlink(cube_path);
	assert_ok(state_file_sink(&io_posix, &made, NULL, &sink, NULL));
	assert_ok(overview_feed_create(&plan, &world->feed, NULL));
	overview_feed_stand_before(world->feed, &sink);
	assert_ok(state_system_create(START, &sink, &world->system, NULL));
	overview_feed_watch(world->feed, histree_state_attributes(world->system), &world->system->ongoing);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		char name[64];
		snprintf(name, sizeof(name), "CPUs/%u/Current_thread", cpu);
		world->cpus[cpu] = attribute(world, HISTREE_ROOT, name);
	}
}

/* Some were in a call all along, which is known only now. */
static void meet(struct world *world, struct thread *thread, uint32_t number)
{
	char name[64];
	snprintf(name, sizeof(name), "Threads/%u", number + (number > 0) * 99);
	thread->node = attribute(world, HISTREE_ROOT, name);
	thread->status = number % 2 == 0 ? attribute(world, thread->node, "Status") : thread->node;
	thread->queue = attribute(world, thread->node, "Current_cpu_rq");
	thread->call = attribute(world, thread->node, "System_call");
	attribute(world, thread->node, "Exec_name");
	thread->is_known = true;
}

static void step(struct world *world)
{
	const uint32_t number = below(3) == 0 ? below(THREADS) : below(5);
	struct thread *thread = &world->threads[number];
	world->now += below(4);
	if (below(200) == 0)
		world->now += 1000;
	if (thread->node == 0 && !thread->is_known) {
		meet(world, thread, number);
		change(world, world->now, thread->status, histree_int(WAITS));
		return;
	}
	switch (below(7)) {
	case 0:
		change(world, world->now, thread->status, histree_int((int32_t)below(7)));
		break;
	case 6: { /* a fact decides what it did, sooner or later */
		const struct undecided_value value = {
			.fact = thread->call, .believed = histree_int(2), .if_null = 2, .if_other = 3
		};
		if (below(3) > 0)
			assert_ok(state_decide(world->system, thread->call,
					       below(2) == 0 ? FACT_IS_NULL : FACT_IS_OTHER, START, NULL));
		else if (number < 5)
			assert_true(state_modify_undecided(world->system, world->now, thread->status, &value,
							   NULL) >= 0);
		break;
	}
	case 1:
		change(world, world->now, thread->queue, histree_int((int32_t)below(CPUS + 1)));
		break;
	case 2:
		change(world, world->now, thread->call, call_value(below(CALLS)));
		break;
	case 3:
		change(world, world->now, world->cpus[below(CPUS)], histree_int((int32_t)below(THREADS)));
		break;
	case 4: /* two ends of one event */
		change(world, world->now + 1, thread->status, histree_int((int32_t)below(7)));
		change(world, world->now, thread->queue, histree_int(WAITS));
		world->now++;
		break;
	default: {
		histree_time since;
		assert_ok(histree_state_ongoing(world->system, thread->call, NULL, &since, NULL));
		if (since == START)
			assert_ok(
				histree_state_update(world->system, thread->call, call_value(1 + below(3)), NULL));
	}
	}
}

static void disturb(struct world *world, enum disorder disorder)
{
	struct histree_value value = histree_int(3);
	if (disorder == LATE_STATE)
		change(world, START + 1,
		       attribute(world, HISTREE_ROOT, below(2) == 0 ? "Late" : "CPUs/77/Current_thread"), value);
	else if (disorder == LATE_CORRECTION)
		assert_ok(histree_state_update(world->system, world->cpus[0], value, NULL));
}

static void say(void *context, const char *fault)
{
	(void)context;
	print_error("%s\n", fault);
}

static struct histree_history *open_it(bool no_overviews)
{
	const struct histree_open_options how = { .no_overviews = no_overviews };
	struct histree_history *history;
	assert_ok(histree_history_open(path, &how, &history, NULL));
	return history;
}

static void expect_rows(struct histree_history *with, struct histree_history *without, uint32_t by)
{
	const struct histree_history_info *info = histree_history_info(with);
	const uint32_t length = (uint32_t)(info->end - info->start);
	const histree_time from = info->start + below(length), to = from + below((uint32_t)(info->end - from) + 1);
	const struct histree_time_use_request request = { .from = from, .to = to, .by = by };
	struct histree_time_use *one, *other;
	size_t count, other_count;
	assert_ok(histree_time_use_create(with, &request, &one, NULL));
	assert_ok(histree_time_use_create(without, &request, &other, NULL));
	const struct histree_use_row *rows = histree_time_use_rows(one, &count);
	const struct histree_use_row *other_rows = histree_time_use_rows(other, &other_count);
	assert_int_equal(count, other_count);
	for (size_t i = 0; i < count; i++)
		assert_memory_equal(rows[i].ns, other_rows[i].ns, sizeof(rows[i].ns));
	histree_time_use_free(one);
	histree_time_use_free(other);
}

static void try(size_t window, enum disorder disorder)
{
	const struct overview_options options = {
		.history_states_min = 1,
		.states_min = UINT32_MAX, /* only the cube */
		.number_states_min = UINT32_MAX,
		.sum_states_min = UINT32_MAX,
		.cube_percent_max = 100000,
		.threads = 1,
	};
	struct world world;
	begin(&world, window);
	const uint32_t steps = 200 + below(STEPS), disturbed = steps / 2 + below(steps / 2);
	for (uint32_t i = 0; i < steps; i++) {
		step(&world);
		if (i == disturbed)
			disturb(&world, disorder);
		if (i == steps / 3)
			assert_ok(histree_state_publish(world.system, world.now, NULL));
	}
	assert_ok(histree_state_close(world.system, world.now + below(50), NULL));
	histree_state_free(world.system);
	fed += overview_feed_maker(world.feed, PYRAMID_CUBE) != NULL;
	if (disorder == IN_ORDER && window > STEPS)
		assert_non_null(overview_feed_maker(world.feed, PYRAMID_CUBE));
	assert_ok(overviews_write_fed(&io_posix, path, &options, world.feed, NULL));
	overview_feed_free(world.feed);
	struct histree_history *with = open_it(false), *without = open_it(true);
	assert_true(history_pyramid(with, PYRAMID_CUBE)->level_count > 0);
	assert_ok(histree_sums_verify(with, say, NULL, NULL));
	assert_ok(histree_history_verify(with, say, NULL, NULL));
	for (int i = 0; i < 4; i++) {
		expect_rows(with, without, HISTREE_BY(CPU));
		expect_rows(with, without, HISTREE_BY(SYSTEM_CALL));
		expect_rows(with, without, HISTREE_BY(HAD_BY));
	}
	histree_history_close(with);
	histree_history_close(without);
}

TEST(cells_say_what_states_do)
{
	for (unsigned seed = 0; seed < 60; seed++) {
		srand(seed);
		const size_t windows[] = { 16, 60, 500, 10 * STEPS };
		try(windows[seed % 4], seed % 7 == 5 ? LATE_STATE : seed % 7 == 6 ? LATE_CORRECTION : IN_ORDER);
	}
	assert_true(fed >= 30); /* most, with windows of each size */
	unlink(path);
	unlink(cube_path);
}

/* A state system that is freed before it is closed has fed for nothing. */
TEST(what_is_not_closed_has_no_cells)
{
	struct world world;
	srand(1);
	begin(&world, 16);
	for (int i = 0; i < 500; i++)
		step(&world);
	histree_state_free(world.system);
	assert_null(overview_feed_maker(world.feed, PYRAMID_CUBE));
	overview_feed_free(world.feed);
	unlink(path);
}

static int name_files(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "test_overview_feed.%ld.sht", (long)getpid());
	pyramid_path(PYRAMID_CUBE, path, 1, cube_path);
	return 0;
}

TEST_FILE(name_files, NULL)
