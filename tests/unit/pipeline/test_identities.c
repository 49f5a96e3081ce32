// SPDX-License-Identifier: MIT
/*
 * test_identities.c - the files of a store know each other: one of another store or build in the place of ours is
 * told from it, and is no answer.
 */
#include "histree/events.h"
#include "histree/store.h"
#include "pipeline/hosts/experiment.h"
#include "support/data.h"
#include "support/faulty_io.h"
#include "support/files.h"
#include "support/test.h"
#include "support/trace_copy.h"

enum { OURS, OTHER, STORES };

/* Two stores of one trace that differ in their nodes alone: nothing but an identity tells their files apart. */
struct world {
	char folder[64], trace[DATA_PATH_SIZE], stores[STORES][128], out[128];
	const char *traces[1];
	struct faulty_io faulty;
	struct histree_build_options options;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	scratch_folder(world->folder, sizeof(world->folder));
	source_path(world->trace, "tests/data/demo-trace");
	snprintf(world->stores[OURS], sizeof(world->stores[OURS]), "%s/ours.histree", world->folder);
	snprintf(world->stores[OTHER], sizeof(world->stores[OTHER]), "%s/other.histree", world->folder);
	snprintf(world->out, sizeof(world->out), "%s/repaired.histree", world->folder);
	world->traces[0] = world->trace;
	static const char *const analyses[] = { "kernel" };
	world->options = (struct histree_build_options){
		.traces = world->traces, .trace_count = 1, .analyses = analyses, .analysis_count = 1
	};
	*state = world;
	return 0;
}

/* Build one of them; it is cut off at this file call, 0: at none. */
static enum histree_status build(struct world *world, int which, uint64_t fail_at)
{
	world->options.store = world->stores[which];
	world->options.tree.node_size = which == OURS ? 4096 : 8192;
	faulty_io_init(&world->faulty, &io_posix);
	world->faulty.fail_at = fail_at;
	world->faulty.for_ever = true;
	return pipeline_build(&world->options, &world->faulty.io, NULL);
}

static enum histree_status open_history(struct world *world, const char *path, struct histree_error *error)
{
	struct histree_store *store;
	struct histree_history *history = NULL;
	(void)world;
	enum histree_status status = histree_store_open(path, &store, error);
	if (status == HISTREE_OK)
		status = histree_store_history(store, NULL, false, NULL, &history, error);
	histree_history_close(history);
	histree_store_close(store);
	return status;
}

static enum histree_status open_events(const char *path, struct histree_error *error)
{
	struct histree_store *store;
	struct histree_events *events = NULL;
	if (histree_store_open(path, &store, error) != HISTREE_OK)
		fail_msg("%s", error->message);
	enum histree_status status = histree_events_open(store, &events, error);
	histree_events_close(events);
	histree_store_close(store);
	return status;
}

static enum histree_status repair(struct world *world, const char *path, struct histree_error *error)
{
	const struct histree_repair_options options = { .path = path, .out = world->out, .force = true };
	return histree_repair(&options, error);
}

TEST_WITH(a_manifest_of_another_build_is_told, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error;
	assert_ok(build(world, OURS, 0));
	assert_ok(build(world, OTHER, 0));
	assert_ok(open_history(world, world->stores[OURS], &error));
	run_command("cp '%s/manifest.json' '%s'", world->stores[OTHER], world->stores[OURS]);
	assert_int_equal(open_history(world, world->stores[OURS], &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "is not the file that the manifest of its store means"));
	/* A repair does not mix them either, and says so; of one file alone nobody claims anything. */
	assert_int_equal(repair(world, world->stores[OURS], &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "no history in it can be repaired"));
	char file[160];
	snprintf(file, sizeof(file), "%s/kernel.sht", world->stores[OURS]);
	assert_ok(repair(world, file, &error));
}

/* Every byte that changes is noticed, but for blanks at the end, and a checksum that is not there. */
TEST_WITH(a_manifest_that_was_changed_is_told, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error;
	struct histree_store *store;
	char path[160], text[4096];
	assert_ok(build(world, OURS, 0));
	snprintf(path, sizeof(path), "%s/manifest.json", world->stores[OURS]);
	FILE *file = fopen(path, "r+");
	assert_non_null(file);
	size_t size = fread(text, 1, sizeof(text), file);
	assert_true(size > 100 && size < sizeof(text) && text[size - 1] == '\n');
	for (size_t at = 0; at + 1 < size; at++) {
		for (int bit = 0; bit < 8; bit += 3) {
			fseek(file, (long)at, SEEK_SET);
			fputc(text[at] ^ 1 << bit, file);
			fflush(file);
			enum histree_status status = histree_store_open(world->stores[OURS], &store, &error);
			if (status != HISTREE_ERR_FORMAT && status != HISTREE_ERR_VERSION)
				fail_msg("bit %d of byte %zu, '%c': %d", bit, at, text[at], status);
		}
		fseek(file, (long)at, SEEK_SET);
		fputc(text[at], file);
	}
	fclose(file);
	assert_ok(open_history(world, world->stores[OURS], &error));
	run_command("sed -i -z 's/,\\n *\"checksum[^\\n]*//' '%s'", path);
	assert_int_equal(histree_store_open(world->stores[OURS], &store, &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "lacks its checksum"));
	/* As older versions wrote it. */
	run_command("sed -i 's/\"version\": 2/\"version\": 1/; /\"identity\"/d; s/\"refused\": 0,/\"refused\": 0/' "
		    "'%s'",
		    path);
	assert_ok(open_history(world, world->stores[OURS], &error));
	assert_ok(open_events(world->stores[OURS], &error));
}

/* An index of as many events, sound in itself. */
TEST_WITH(an_index_of_another_store_is_told, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error;
	assert_ok(build(world, OURS, 0));
	assert_ok(build(world, OTHER, 0));
	/* The same trace has the same index, byte by byte: it is ours as well. */
	run_command("cp '%s/events.idx' '%s'", world->stores[OTHER], world->stores[OURS]);
	assert_ok(open_events(world->stores[OURS], &error));
	run_command("python3 -c '\n"
		    "import sys\n"
		    "sys.path.insert(0, sys.argv[2])\n"
		    "from hostile import crc32c\n"
		    "data = bytearray(open(sys.argv[1], \"rb\").read())\n"
		    "data[24] ^= 1\n" /* the last time is one ns other */
		    "data[12:16] = crc32c(bytes(data[16:])).to_bytes(4, \"little\")\n"
		    "open(sys.argv[1], \"wb\").write(data)' '%s/events.idx' \"$HISTREE_SOURCE_ROOT/tests/support\"",
		    world->stores[OURS]);
	assert_int_equal(open_events(world->stores[OURS], &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "is the index of another store or build"));
	/* A repair leaves it out; of a store that is sound but for something else, it copies the index. */
	assert_int_equal(repair(world, world->stores[OURS], &error), HISTREE_PARTIAL);
	assert_ok(open_history(world, world->out, &error));
	assert_int_equal(open_events(world->out, &error), HISTREE_NOT_FOUND);
	run_command(
		"cp '%s/events.idx' '%s'; printf x | dd of='%s/kernel.sht' bs=1 seek=20 conv=notrunc status=none",
		world->stores[OTHER], world->stores[OURS], world->stores[OURS]);
	assert_int_equal(repair(world, world->stores[OURS], &error), HISTREE_PARTIAL);
	assert_ok(open_events(world->out, &error));
	/* One that the manifest of the new store does not mean is none of it. */
	run_command("rm '%s/events.idx'", world->stores[OTHER]);
	assert_int_equal(open_events(world->stores[OTHER], &error), HISTREE_NOT_FOUND);
}

/* Cut it off after it published something. */
static void leave_growing(struct world *world, int which)
{
	struct histree_store *store;
	world->options.publish_ns = 1;
	assert_ok(build(world, which, 0));
	uint64_t operations = world->faulty.operations;
	remove_all("%s", world->stores[which]);
	assert_int_equal(build(world, which, operations * 3 / 4), HISTREE_ERR_IO);
	assert_ok(histree_store_open(world->stores[which], &store, NULL));
	assert_false(histree_store_info(store)->complete);
	histree_store_close(store);
}

TEST_WITH(a_growing_store_of_another_build_is_told, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error;
	leave_growing(world, OURS);
	leave_growing(world, OTHER);
	assert_ok(open_history(world, world->stores[OURS], &error));
	run_command("cp '%s.building/manifest.json' '%s/kept'", world->stores[OURS], world->folder);
	run_command("cp '%s.building/manifest.json' '%s.building'", world->stores[OTHER], world->stores[OURS]);
	assert_int_equal(open_history(world, world->stores[OURS], &error), HISTREE_ERR_FORMAT);
	assert_non_null(strstr(error.message, "is not the file that the manifest"));
	run_command("cp '%s/kept' '%s.building/manifest.json'", world->folder, world->stores[OURS]);
	assert_ok(open_history(world, world->stores[OURS], &error));
	/* Whoever goes on with it makes the files anew that cannot be gone on with. */
	world->options.resume = true;
	assert_ok(build(world, OURS, 0));
	assert_ok(open_history(world, world->stores[OURS], &error));
}

/* A build that was cut off after its last event; the name is all that it lacks. */
static void leave_complete(struct world *world)
{
	remove_all("%s*", world->stores[OURS]);
	world->options.resume = false;
	assert_ok(build(world, OURS, 0));
	run_command("mv '%s' '%s.building'", world->stores[OURS], world->stores[OURS]);
	world->options.resume = true;
}

static enum histree_status resume(struct world *world, struct histree_error *error)
{
	world->options.store = world->stores[OURS];
	world->options.tree.node_size = 4096;
	return histree_build(&world->options, error);
}

TEST_WITH(what_is_resumed_is_what_was_asked_for, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error;
	leave_complete(world);
	struct histree_build_options asked = world->options;
	char other[DATA_PATH_SIZE];
	source_path(other, "tests/data/ctf-perf-small");
	const char *const others[] = { other };
	world->options.traces = others;
	assert_int_equal(resume(world, &error), HISTREE_ERR_EXISTS);
	assert_non_null(strstr(error.message, "is complete and of other traces"));
	world->options = asked;
	for (int which = 0; which < 4; which++) {
		static const char *const analyses[] = { "kernel-tc" };
		world->options = asked;
		world->options.ignore_gaps = which == 0;
		world->options.tree.variant = which == 1 ? "esht" : NULL;
		world->options.no_overviews = which == 2;
		if (which == 3)
			world->options.analyses = analyses;
		assert_int_equal(resume(world, &error), HISTREE_ERR_EXISTS);
		assert_non_null(strstr(error.message, "was made with '"));
		assert_null(strstr(error.message, "keeps what was published"));
	}
	/* As it is asked for, and what makes no difference may be other. */
	world->options = asked;
	world->options.tree.variant = "cluster";
	world->options.tree.threads = 1;
	world->options.publish_ns = 1000;
	assert_ok(resume(world, &error));
	assert_ok(open_history(world, world->stores[OURS], &error));
	leave_complete(world);
	world->options = asked;
	world->options.resume = false;
	world->options.force = true;
	world->options.ignore_gaps = true;
	assert_ok(resume(world, &error));
}

/* The store has its kernel's history once more, by the name of a number. */
static void link_history(const struct world *world, unsigned number)
{
	char path[256], other[256];
	snprintf(path, sizeof(path), "%s/kernel.sht", world->stores[OURS]);
	snprintf(other, sizeof(other), "%s/%u.sht", world->stores[OURS], number);
	assert_int_equal(link(path, other), 0);
}

/* More files than a manifest may name are no store. */
TEST_WITH(a_folder_of_many_histories_is_no_store, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error;
	assert_ok(build(world, OURS, 0));
	remove_all("%s/manifest.json", world->stores[OURS]);
	for (unsigned i = 1; i <= 256; i++)
		link_history(world, i);
	assert_int_equal(repair(world, world->stores[OURS], &error), HISTREE_ERR_TOO_LARGE);
	assert_non_null(strstr(error.message, "more than a store has"));
	for (unsigned i = 3; i <= 256; i++)
		remove_all("%s/%u.sht", world->stores[OURS], i);
	assert_int_equal(repair(world, world->stores[OURS], &error), HISTREE_PARTIAL);
	assert_ok(open_history(world, world->out, &error));
}
