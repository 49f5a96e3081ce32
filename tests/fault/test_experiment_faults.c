// SPDX-License-Identifier: MIT
/*
 * test_experiment_faults.c - a build of two hosts while file calls fail, memory is refused or the caller has
 * enough: what had the name of the store before is whole, what was complete is kept, and a build with `resume`
 * ends with the same.
 */
#include "histree/build.h"
#include "pipeline/hosts/experiment.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/files.h"
#include "support/test.h"
#include "support/trace_copy.h"

struct world {
	char folder[64], store[96], one[DATA_PATH_SIZE], two[DATA_PATH_SIZE];
	struct histree_build_host hosts[2];
	struct histree_build_options options;
	struct faulty_io faulty;
	uint64_t identities[2]; /* of the stores of the hosts, as they are without faults */
	unsigned questions, cancel_at;
};

static void clear(const struct world *world)
{
	remove_all("%s", world->store);
	remove_all("%s.building*", world->store);
}

static enum histree_status build(struct world *world, struct histree_error *error)
{
	return pipeline_build(&world->options, &world->faulty.io, error);
}

/* The store is there, complete, and each host is what it is without faults; or there is none, if that may be. */
static bool check_store(struct world *world, bool may_lack)
{
	struct histree_error error;
	struct histree_store *store;
	enum histree_status status = histree_store_open(world->store, &store, &error);
	if (status != HISTREE_OK) {
		assert_true(may_lack);
		return false;
	}
	const struct histree_store_info *info = histree_store_info(store);
	bool is_complete = info->complete;
	assert_int_equal(info->host_count, 2);
	for (size_t i = 0; i < 2 && is_complete; i++) {
		assert_null(info->hosts[i].why);
		if (world->identities[i] == 0)
			world->identities[i] = info->hosts[i].identity;
		assert_true(info->hosts[i].identity == world->identities[i]);
	}
	histree_store_close(store);
	assert_true(is_complete || may_lack);
	return is_complete;
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	assert_non_null(world);
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->store, sizeof(world->store), "%s/store", world->folder);
	source_path(world->one, "tests/data/ctf-calls");
	source_path(world->two, "tests/data/lines-made/trace.txt");
	world->hosts[0] = (struct histree_build_host){ "one", world->one };
	world->hosts[1] = (struct histree_build_host){ "two", world->two };
	static const char *const analyses[] = { "kernel", "ust-calls", "tracks" };
	world->options = (struct histree_build_options){
		.hosts = world->hosts,
		.host_count = 2,
		.store = world->store,
		.analyses = analyses,
		.analysis_count = 3,
		.threads = 1,
		.no_overviews = true,
	};
	*state = world;
	faulty_io_init(&world->faulty, &io_posix);
	struct histree_error error;
	enum histree_status status = build(world, &error);
	assert_true(status == HISTREE_OK || status == HISTREE_PARTIAL);
	assert_true(check_store(world, false));
	return 0;
}

/* After a build that failed: one that goes on, without faults. */
static void resume(struct world *world)
{
	struct histree_error error;
	faulty_io_init(&world->faulty, &io_posix);
	world->options.resume = true;
	enum histree_status status = build(world, &error);
	world->options.resume = false;
	if (status != HISTREE_OK && status != HISTREE_PARTIAL)
		fail_msg("resumed: %s", error.message);
	assert_true(check_store(world, false));
}

static void fail_each_call(struct world *world, bool for_ever, bool replaces)
{
	struct histree_error error;
	world->options.force = replaces;
	for (uint64_t at = 1, step = test_effort(5, 17);; at += step) {
		if (!replaces)
			clear(world);
		faulty_io_init(&world->faulty, &io_posix);
		world->faulty.fail_at = at;
		world->faulty.for_ever = for_ever;
		enum histree_status status = build(world, &error);
		bool was_reached = world->faulty.operations >= at;
		bool is_there = check_store(world, !replaces);
		if (status >= 0)
			assert_true(is_there);
		if (!was_reached)
			break;
		if (status < 0 && !is_there)
			resume(world);
		if (replaces)
			remove_all("%s.building", world->store);
	}
	world->options.force = false;
}

TEST_WITH(a_failing_call_loses_nothing, set_up, scratch_remove_world)
{
	fail_each_call(*state, false, false);
}

TEST_WITH(a_full_disk_loses_nothing, set_up, scratch_remove_world)
{
	fail_each_call(*state, true, false);
}

TEST_WITH(what_is_replaced_is_whole, set_up, scratch_remove_world)
{
	fail_each_call(*state, true, true);
}

TEST_WITH(refused_memory_is_told, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error;
	faulty_io_init(&world->faulty, &io_posix);
	for (uint64_t at = 1, step = 1 + test_effort(16, 100);; at += step) {
		clear(world);
		faulty_memory_begin(at, true);
		enum histree_status status = build(world, &error);
		bool was_refused = faulty_memory.refused;
		faulty_memory_end();
		if (!was_refused)
			break;
		if (status < 0)
			resume(world);
	}
	assert_true(check_store(world, false));
}

static bool has_enough(void *context)
{
	struct world *world = context;
	return ++world->questions != world->cancel_at;
}

TEST_WITH(who_has_enough_keeps_what_is_complete, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error;
	world->options.work = (struct histree_work){ .go_on = has_enough, .context = world };
	for (world->cancel_at = 1;; world->cancel_at++) {
		clear(world);
		world->questions = 0;
		enum histree_status status = build(world, &error);
		if (world->questions < world->cancel_at)
			break;
		assert_true(status == HISTREE_ERR_CANCELLED || check_store(world, false));
		world->options.work.go_on = NULL;
		if (status == HISTREE_ERR_CANCELLED)
			resume(world);
		world->options.work.go_on = has_enough;
	}
}

TEST_WITH(steps_are_taken_apart, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error;
	struct histree_experiment *owner, *other;
	size_t count;
	clear(world);
	assert_ok(histree_experiment_open(&world->options, true, &owner, &error));
	assert_ok(histree_experiment_open(&world->options, false, &other, &error));
	assert_true(histree_experiment_complete(other, &error) < 0);
	assert_ok(histree_experiment_find_clocks(owner, &error));
	const struct histree_experiment_host *hosts = histree_experiment_hosts(owner, &count);
	assert_int_equal(count, 2);
	for (size_t i = 0; i < count; i++)
		histree_experiment_set_clock(other, i, hosts[i].clock);
	assert_int_equal(histree_experiment_complete(owner, &error), HISTREE_ERR_INCOMPLETE);
	assert_true(histree_experiment_build_host(other, 1, NULL, &error) >= 0);
	assert_true(histree_experiment_build_host(owner, 0, NULL, &error) >= 0);
	assert_true(histree_experiment_build_host(owner, 2, NULL, &error) < 0);
	histree_experiment_free(other);
	assert_true(histree_experiment_complete(owner, &error) >= 0);
	histree_experiment_free(owner);
	assert_true(check_store(world, false));
}
