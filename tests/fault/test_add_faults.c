// SPDX-License-Identifier: MIT
/*
 * test_add_faults.c - analyses are added to a store while file calls fail, one after the other, or while the
 * process is killed at one of them: each file of the old store is there as it was, in the old store or the new one.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "histree/store.h"
#include "pipeline/hosts/experiment.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/files.h"
#include "support/killing_io.h"
#include "support/test.h"

struct world {
	/* `old` has the kernel's history, and `new` what is added too; `store` is a copy of the old one. */
	char folder[64], old[96], new[96], store[96], trace[DATA_PATH_SIZE];
	struct faulty_io faulty;
	_Atomic uint64_t *counts; /* of file calls, which a process that is killed shares */
};

static enum histree_status make(const struct world *world, const char *store, bool adds, const struct io *io,
				struct histree_error *error)
{
	static const char *const kernel[] = { "kernel" }, *const added[] = { "wakeups", "switches" };
	const char *const traces[] = { world->trace };
	const struct histree_build_options options = {
		.traces = traces,
		.trace_count = 1,
		.store = store,
		.analyses = adds ? added : kernel,
		.analysis_count = adds ? 2 : 1,
		.add = adds,
		.threads = 1,
		.no_overviews = true,
	};
	return pipeline_build(&options, io, error);
}

static void make_without_faults(const struct world *world, const char *store, bool adds)
{
	struct histree_error error;
	if (make(world, store, adds, &io_posix, &error) != HISTREE_OK)
		fail_msg("%s: %s", store, error.message);
}

static void lay_out(const struct world *world)
{
	remove_all("%s", world->store);
	remove_all("%s.building*", world->store);
	copy_all(world->old, world->store);
}

static bool is_same(const struct world *world, const char *file)
{
	char made[128], found[128], why[512];
	snprintf(made, sizeof(made), "%s/%s", world->new, file);
	snprintf(found, sizeof(found), "%s/%s", world->store, file);
	return same_files(made, found, NULL, why, sizeof(why));
}

/* The store is whole.  Returns whether it is the new one. */
static bool check_store(const struct world *world)
{
	struct histree_error error;
	struct histree_store *store;
	if (histree_store_open(world->store, &store, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	const struct histree_store_info *info = histree_store_info(store);
	const size_t count = info->history_count + info->segments_count;
	assert_true(info->complete);
	assert_true(count == 1 || count == 3);
	histree_store_close(store);
	assert_true(is_same(world, "kernel.sht"));
	assert_true(is_same(world, "events.idx"));
	if (count == 3)
		assert_true(is_same(world, "switches.sht") && is_same(world, "wakeups.seg"));
	return count == 3;
}

/* What failed, or was killed, is in nobody's way. */
static void do_again(const struct world *world, bool is_new)
{
	struct histree_error error;
	const enum histree_status status = make(world, world->store, true, &io_posix, &error);
	if (status != (is_new ? HISTREE_ERR_EXISTS : HISTREE_OK))
		fail_msg("again: %s", error.message);
	assert_true(check_store(world));
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	assert_non_null(world);
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->old, sizeof(world->old), "%s/old", world->folder);
	snprintf(world->new, sizeof(world->new), "%s/new", world->folder);
	snprintf(world->store, sizeof(world->store), "%s/store", world->folder);
	source_path(world->trace, "tests/data/demo-trace");
	world->counts = mmap(NULL, KILLING_KINDS * sizeof(*world->counts), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(world->counts != MAP_FAILED);
	make_without_faults(world, world->old, false);
	copy_all(world->old, world->new);
	make_without_faults(world, world->new, true);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	remove_all("%s", world->folder);
	munmap((void *)(uintptr_t)world->counts, KILLING_KINDS * sizeof(*world->counts));
	free(world);
	return 0;
}

/* ---- calls that fail ---------------------------------------------------------------------------------------- */

static void fail_each_call(struct world *world, bool for_ever)
{
	struct histree_error error;
	bool was_reached = true;
	for (uint64_t step = test_effort(3, 23), at = 1 + test_seed() % step; was_reached; at += step) {
		lay_out(world);
		faulty_io_init(&world->faulty, &io_posix);
		world->faulty.fail_at = at;
		world->faulty.for_ever = for_ever;
		const enum histree_status status = make(world, world->store, true, &world->faulty.io, &error);
		was_reached = world->faulty.operations >= at;
		const bool is_new = check_store(world);
		assert_true(is_new || status < 0);
		assert_true(status >= 0 || error.message[0] != '\0');
		do_again(world, is_new);
	}
}

TEST(a_failing_call_loses_nothing)
{
	fail_each_call(*state, false);
}

TEST(a_full_disk_loses_nothing)
{
	fail_each_call(*state, true);
}

/* The two calls that no other build makes; where files have one name only, they are copied. */
static int refuse_link(void *context, const char *path, const char *other)
{
	(void)context;
	(void)path;
	(void)other;
	return -1;
}

static int refuse_list(void *context, const char *path, bool (*take)(void *names, const char *name), void *names)
{
	(void)context;
	(void)path;
	(void)take;
	(void)names;
	return -1;
}

TEST(files_that_have_one_name_only_are_copied)
{
	const struct world *world = *state;
	struct io io = io_posix;
	struct histree_error error;
	io.link = refuse_link;
	for (int can_refuse = 0; can_refuse < 2; can_refuse++) {
		lay_out(world);
		assert_ok(make(world, world->store, true, &io, &error));
		assert_true(check_store(world));
		io.link = NULL;
	}
}

TEST(a_folder_that_cannot_be_read_is_told)
{
	const struct world *world = *state;
	struct io io = io_posix;
	struct histree_error error;
	io.list = refuse_list;
	lay_out(world);
	assert_int_equal(make(world, world->store, true, &io, &error), HISTREE_ERR_IO);
	assert_non_null(strstr(error.message, "cannot read the folder"));
	do_again(world, check_store(world));
}

/* ---- kills -------------------------------------------------------------------------------------------------- */

/* In a process of its own.  Returns whether it was killed. */
static bool add_and_die(struct world *world, enum killing_calls calls, enum killing_way way, uint64_t at)
{
	int status;
	for (int kind = 0; kind < KILLING_KINDS; kind++)
		world->counts[kind] = 0;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct killing_io killing;
		struct histree_error error;
		killing_io_init(&killing, world->counts);
		killing.calls = calls;
		killing.way = way;
		killing.kill_at = at;
		_exit(make(world, world->store, true, &killing.io, &error) == HISTREE_OK ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
	return WIFSIGNALED(status);
}

/* All over the build, half of them at calls that make, change or remove names: most of its end. */
TEST(a_kill_loses_nothing)
{
	struct world *world = *state;
	const uint64_t kills = test_effort(200, 10);
	uint64_t calls[KILLING_KINDS], news = 0;
	lay_out(world);
	assert_false(add_and_die(world, KILLING_ANY, KILLING_BEFORE, 0));
	for (int kind = 0; kind < KILLING_KINDS; kind++)
		calls[kind] = world->counts[kind];
	for (uint64_t i = 0; i < kills; i++) {
		const enum killing_calls kind = i % 2 == 0 ? KILLING_ANY : KILLING_NAMES;
		const uint64_t at = 1 + (i * calls[kind] + test_seed() % calls[kind]) / kills;
		lay_out(world);
		assert_true(add_and_die(world, kind, (enum killing_way)(i % KILLING_WAYS), at));
		const bool is_new = check_store(world);
		news += is_new;
		do_again(world, is_new);
	}
	assert_true(news < kills);
}

TEST_FILE(set_up, tear_down)
