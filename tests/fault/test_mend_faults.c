// SPDX-License-Identifier: MIT
/*
 * test_mend_faults.c - the store of two hosts is repaired or converted, all of it or a part, while file calls fail,
 * one after the other, or while the process is killed at each of them.  What it is made of is as it was; what had
 * the name of the new store before is whole, and so is the new one once it has the name; and the same again,
 * undisturbed, makes what would have been made at first.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "histree/build.h"
#include "pipeline/copy/repair.h"
#include "pipeline/copy/store_copy.h"
#include "pipeline/hosts/experiment.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/files.h"
#include "support/killing_io.h"
#include "support/test.h"
#include "support/trace_copy.h"

enum { HOSTS = 2 };

/* What is done, of what, and what it makes; to be replaced is what `whole` is a copy of. */
struct mending {
	const char *name;
	bool repairs, in_place, is_part;
};

static const struct mending repair_beside = { .name = "repair", .repairs = true };
static const struct mending convert_beside = { .name = "convert" };
static const struct mending convert_in_place = { .name = "convert in place", .in_place = true };
static const struct mending convert_part = { .name = "copy a part", .is_part = true };

struct world {
	char folder[64], whole[96], damaged[96], from[96], to[96];
	uint64_t before[HOSTS],
		made[HOSTS];      /* identities of the stores of hosts: of `whole`, and of what is made */
	_Atomic uint64_t *counts; /* of file calls, shared with a process that is killed */
};

/* ---- stores ------------------------------------------------------------------------------------------------ */

/* The identities of the stores of the hosts, all of which are there; false: there is no such store. */
static bool read_identities(const char *path, uint64_t identities[static HOSTS])
{
	struct histree_error error;
	struct histree_store *store;
	if (histree_store_open(path, &store, &error) != HISTREE_OK)
		return false;
	const struct histree_store_info *info = histree_store_info(store);
	bool is_complete = info->complete;
	for (size_t i = 0; i < HOSTS && is_complete; i++) {
		assert_int_equal(info->host_count, HOSTS);
		if (info->hosts[i].why != NULL)
			fail_msg("'%s': %s", path, info->hosts[i].why);
		identities[i] = info->hosts[i].identity;
	}
	histree_store_close(store);
	return is_complete;
}

/* A repair leaves out a host whose files cannot be read, and says so; what was to be repaired still has it. */
static bool lacks_a_host(const char *path)
{
	struct histree_error error;
	struct histree_store *store;
	assert_ok(histree_store_open(path, &store, &error));
	const struct histree_store_info *info = histree_store_info(store);
	bool lacks = info->complete && info->host_count == HOSTS - 1 && info->hosts[0].why == NULL;
	histree_store_close(store);
	return lacks;
}

static bool is_same(const uint64_t one[static HOSTS], const uint64_t other[static HOSTS])
{
	return memcmp(one, other, HOSTS * sizeof(*one)) == 0;
}

static void check_sound(const char *path)
{
	struct histree_error error;
	struct histree_store *store;
	assert_ok(histree_store_open(path, &store, &error));
	for (size_t i = 0; i < HOSTS; i++) {
		struct histree_store *host;
		struct histree_history *history;
		assert_ok(histree_store_host(store, i, &host, &error));
		assert_ok(histree_store_history(host, NULL, false, NULL, &history, &error));
		if (histree_history_verify(history, NULL, NULL, &error) != HISTREE_OK)
			fail_msg("'%s', host %zu: %s", path, i, error.message);
		histree_history_close(history);
		histree_store_close(host);
	}
	histree_store_close(store);
}

static void build_whole(struct world *world)
{
	static const char *const analyses[] = { "kernel", "system-calls" };
	char one[DATA_PATH_SIZE], two[DATA_PATH_SIZE];
	const struct histree_build_host hosts[HOSTS] = {
		{ "one", source_path(one, "tests/data/ctf-made") },
		{ "two", source_path(two, "tests/data/lines-made/trace.txt") },
	};
	const struct histree_build_options options = {
		.hosts = hosts,
		.host_count = HOSTS,
		.store = world->whole,
		.analyses = analyses,
		.analysis_count = 2,
		.threads = 1,
	};
	struct histree_error error;
	enum histree_status status = pipeline_build(&options, &io_posix, &error);
	if (status != HISTREE_OK && status != HISTREE_PARTIAL)
		fail_msg("%s", error.message);
}

/* A leaf of the first host, and the manifest of the second. */
static void do_damage(const struct world *world)
{
	copy_all(world->whole, world->damaged);
	run_command("printf XXXXXXXX | dd of='%s/hosts/one/kernel.sht' bs=1 seek=4200 conv=notrunc 2>/dev/null",
		    world->damaged);
	remove_all("%s/hosts/two/manifest.json", world->damaged);
}

/* ---- what is tried ----------------------------------------------------------------------------------------- */

static enum histree_status mend(const struct world *world, const struct mending *mending, const struct io *io,
				struct histree_error *error)
{
	const struct histree_repair_options repair = { .path = world->from, .out = world->to, .force = true };
	const struct histree_convert_options convert = {
		.path = world->from,
		.out = world->to,
		.force = true,
		.tree = { .variant = "esht", .node_size = 4096, .threads = 1 },
		.is_part = mending->is_part,
		.to = INT64_MAX,
		.rows = mending->is_part ? "path present" : NULL,
	};
	return mending->repairs ? pipeline_repair(&repair, io, error) : pipeline_convert(&convert, io, error);
}

static bool is_done(enum histree_status status)
{
	return status == HISTREE_OK || status == HISTREE_PARTIAL;
}

/* As before each try; `replaces`: there is a store of the name that the new one is to have. */
static void lay_out(const struct world *world, const struct mending *mending, bool replaces)
{
	remove_all("%s", world->from);
	remove_all("%s", world->to);
	remove_all("%s.*", world->to);
	if (!mending->in_place)
		copy_all(mending->repairs ? world->damaged : world->whole, world->from);
	if (mending->in_place || replaces)
		copy_all(world->whole, world->to);
}

/* After a try that went wrong; `is_there`: there was a store of that name. */
static void check_what_is_left(struct world *world, const struct mending *mending, bool was_there)
{
	uint64_t found[HOSTS] = { 0 };
	bool is_there = read_identities(world->to, found);
	assert_true(is_there || !was_there);
	if (is_there && !is_same(found, world->made) && !(was_there && is_same(found, world->before)))
		fail_msg("%s: the store is neither the old one nor the new one", mending->name);
	if (is_there)
		check_sound(world->to);
	char why[512];
	if (!mending->in_place &&
	    !same_files(mending->repairs ? world->damaged : world->whole, world->from, NULL, why, sizeof(why)))
		fail_msg("%s: %s", mending->name, why);
}

static void assert_nothing_at(const char *path, const char *suffix)
{
	char whole[128];
	snprintf(whole, sizeof(whole), "%s%s", path, suffix);
	assert_int_not_equal(access(whole, F_OK), 0);
}

/* Once more, undisturbed.  What is converted in its place may have been converted. */
static void do_again(struct world *world, const struct mending *mending)
{
	struct histree_error error;
	uint64_t found[HOSTS];
	enum histree_status status = mend(world, mending, &io_posix, &error);
	if (!is_done(status))
		fail_msg("%s, again: %s", mending->name, error.message);
	assert_true(read_identities(world->to, found));
	assert_true(is_same(found, world->made));
	assert_nothing_at(world->to, ".building");
	assert_nothing_at(world->to, ".building.old");
}

static void learn_what_is_made(struct world *world, const struct mending *mending)
{
	struct histree_error error;
	snprintf(world->from, sizeof(world->from), "%s/%s", world->folder, mending->in_place ? "to" : "from");
	lay_out(world, mending, false);
	enum histree_status status = mend(world, mending, &io_posix, &error);
	if (!is_done(status))
		fail_msg("%s: %s", mending->name, error.message);
	assert_true(mending->repairs == (status == HISTREE_PARTIAL));
	assert_true(read_identities(world->to, world->made));
	assert_false(is_same(world->made, world->before));
	check_sound(world->to);
}

/* ---- calls that fail --------------------------------------------------------------------------------------- */

static void fail_each_call(struct world *world, const struct mending *mending, bool for_ever, bool replaces)
{
	struct histree_error error;
	uint64_t failures = 0;
	learn_what_is_made(world, mending);
	for (uint64_t step = test_effort(16, 61), at = 1 + test_seed() % step;; at += step) {
		struct faulty_io faulty;
		lay_out(world, mending, replaces);
		faulty_io_init(&faulty, &io_posix);
		faulty.fail_at = at;
		faulty.for_ever = for_ever;
		enum histree_status status = mend(world, mending, &faulty.io, &error);
		if (faulty.operations < at)
			break;
		if (!mending->repairs || status != HISTREE_PARTIAL || !lacks_a_host(world->to))
			check_what_is_left(world, mending, replaces || mending->in_place);
		failures += !is_done(status);
		do_again(world, mending);
	}
	assert_true(failures > 1);
}

TEST(a_failing_call_damages_nothing)
{
	fail_each_call(*state, &repair_beside, false, false);
	fail_each_call(*state, &convert_beside, false, false);
	fail_each_call(*state, &convert_part, false, false);
}

TEST(a_full_disk_damages_nothing)
{
	fail_each_call(*state, &repair_beside, true, true);
	fail_each_call(*state, &convert_beside, true, true);
}

TEST(a_store_is_converted_in_its_place_or_not_at_all)
{
	fail_each_call(*state, &convert_in_place, true, true);
}

/* ---- kills -------------------------------------------------------------------------------------------------- */

/* In a process of its own.  Returns whether it was killed. */
static bool mend_and_die(struct world *world, const struct mending *mending, enum killing_way way, uint64_t at)
{
	int status;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct killing_io killing;
		struct histree_error error;
		killing_io_init(&killing, world->counts);
		killing.calls = KILLING_ANY;
		killing.way = way;
		killing.kill_at = at;
		_exit(is_done(mend(world, mending, &killing.io, &error)) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
	return WIFSIGNALED(status);
}

static void kill_at_each_call(struct world *world, const struct mending *mending)
{
	bool is_killed = true;
	uint64_t kills = 0;
	learn_what_is_made(world, mending);
	for (uint64_t step = test_effort(16, 61), at = 1 + test_seed() % step; is_killed; at += step) {
		/* Both with a store to replace and without one, by turns. */
		bool replaces = at / step % 2 == 0;
		lay_out(world, mending, replaces);
		for (int kind = 0; kind < KILLING_KINDS; kind++)
			world->counts[kind] = 0;
		is_killed = mend_and_die(world, mending, (enum killing_way)(at % KILLING_WAYS), at);
		check_what_is_left(world, mending, replaces || mending->in_place);
		kills += is_killed;
		do_again(world, mending);
	}
	assert_true(kills > 1);
}

TEST(a_kill_damages_nothing)
{
	kill_at_each_call(*state, &repair_beside);
	kill_at_each_call(*state, &convert_beside);
	kill_at_each_call(*state, &convert_part);
	kill_at_each_call(*state, &convert_in_place);
}

/* ------------------------------------------------------------------------------------------------------------- */

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	assert_non_null(world);
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->whole, sizeof(world->whole), "%s/whole", world->folder);
	snprintf(world->damaged, sizeof(world->damaged), "%s/damaged", world->folder);
	snprintf(world->to, sizeof(world->to), "%s/to", world->folder);
	world->counts = mmap(NULL, KILLING_KINDS * sizeof(*world->counts), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(world->counts != MAP_FAILED);
	*state = world;
	build_whole(world);
	assert_true(read_identities(world->whole, world->before));
	do_damage(world);
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

TEST_FILE(set_up, tear_down)
