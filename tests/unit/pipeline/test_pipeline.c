// SPDX-License-Identifier: MIT
/*
 * From a trace to a store: what is in it, what it refuses, and that a store which is there survives whatever goes
 * wrong.
 */
#include <sys/stat.h>
#include <time.h>

#include "histree/states.h"
#include "pipeline/build_plan.h"
#include "pipeline/hosts/experiment.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/files.h"
#include "support/test.h"
#include "support/trace_copy.h"

/* A folder of our own, a trace of the repository, and the store to make of it. */
struct world {
	char folder[64], trace[DATA_PATH_SIZE], store[128];
	const char *traces[1];
	struct io hasty;
	struct faulty_io faulty;
	struct histree_build_options options;
	unsigned looks; /* that progress may have before it cancels */
};

static bool is_there(const char *path)
{
	struct stat facts;
	return lstat(path, &facts) == 0;
}

static char *beside(const struct world *world, const char *suffix)
{
	static char path[160];
	snprintf(path, sizeof(path), "%s%s", world->store, suffix);
	return path;
}

/* No power fails here: a thousand syncs would only take time. */
static int no_sync(void *context, int file)
{
	(void)context, (void)file;
	return 0;
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	scratch_folder(world->folder, sizeof(world->folder));
	source_path(world->trace, "tests/data/ctf-perf-small");
	snprintf(world->store, sizeof(world->store), "%s/s.histree", world->folder);
	world->traces[0] = world->trace;
	/* A few, so that walks over all that can fail in a build are short. */
	static const char *const analyses[] = { "kernel", "timers" };
	world->options = (struct histree_build_options){
		.traces = world->traces,
		.trace_count = 1,
		.store = world->store,
		.analyses = analyses,
		.analysis_count = 2,
	};
	world->hasty = io_posix;
	world->hasty.sync = no_sync;
	faulty_io_init(&world->faulty, &world->hasty);
	*state = world;
	return 0;
}

static void build(struct world *world)
{
	struct histree_error error = { 0 };
	if (pipeline_build(&world->options, &world->faulty.io, &error) != HISTREE_OK)
		fail_msg("the build failed: %s", error.message);
}

/* How many intervals the store's history answers to a full query in its middle. */
static uint64_t ask(const struct world *world)
{
	struct histree_store *store;
	struct histree_history *history;
	struct histree_cursor *query;
	assert_ok(histree_store_open(world->store, &store, NULL));
	assert_ok(histree_store_history(store, NULL, false, NULL, &history, NULL));
	const struct histree_history_info *info = histree_history_info(history);
	histree_time middle = info->start + (info->end - info->start) / 2;
	uint64_t count = 0;
	assert_ok(histree_query_create(history, &query, NULL));
	assert_ok(histree_query_start(query, &(struct histree_region){ .from = middle, .to = middle }, NULL));
	while (histree_cursor_next(query, NULL) == HISTREE_OK)
		count++;
	assert_int_equal(count, info->attribute_count);
	histree_cursor_free(query);
	histree_history_close(history);
	histree_store_close(store);
	return count;
}

TEST_WITH(a_store_says_what_it_was_made_of, set_up, scratch_remove_world)
{
	struct world *world = *state;
	build(world);
	struct histree_store *store;
	assert_ok(histree_store_open(world->store, &store, NULL));
	const struct histree_store_info *info = histree_store_info(store);
	assert_string_equal(info->path, world->store);
	assert_int_equal(info->trace_count, 1);
	assert_string_equal(info->traces[0], world->trace);
	assert_int_equal(info->history_count, 1);
	assert_string_equal(info->histories[0].analysis, "kernel");
	assert_true(info->event_count > 0);
	assert_true(info->start < info->end);
	assert_true(info->build_ns > 0);
	assert_false(info->partial);

	struct histree_history *history;
	struct histree_error error = { 0 };
	assert_int_equal(histree_store_history(store, "latency", false, NULL, &history, &error), HISTREE_NOT_FOUND);
	assert_non_null(strstr(error.message, "only kernel; 'histree info --analyses' lists"));
	histree_store_close(store);
	assert_true(ask(world) > 0);
	assert_false(is_there(beside(world, ".building")));
}

/* A history of the same trace, sound in itself, in the place of another. */
TEST_WITH(a_file_of_another_build_is_refused, set_up, scratch_remove_world)
{
	struct world *world = *state;
	char history_path[160], kept[160];
	struct histree_store *store;
	struct histree_history *history;
	struct histree_error error = { 0 };
	build(world);
	uint64_t count = ask(world);
	snprintf(history_path, sizeof(history_path), "%s/kernel.sht", world->store);
	snprintf(kept, sizeof(kept), "%s/kept", world->folder);
	copy_all(history_path, kept);
	world->options.force = true;
	world->options.tree.node_size = 4096;
	build(world);
	assert_int_equal(ask(world), count);
	remove_all("%s", history_path);
	copy_all(kept, history_path);
	assert_ok(histree_store_open(world->store, &store, NULL));
	assert_int_equal(histree_store_history(store, NULL, false, NULL, &history, &error), HISTREE_ERR_FORMAT);
	assert_null(history);
	assert_non_null(strstr(error.message, "is not the file that the manifest of its store means"));
	histree_store_close(store);
	world->options.tree.node_size = 0; /* the same build again has the same identity */
	build(world);
	remove_all("%s", history_path);
	copy_all(kept, history_path);
	assert_int_equal(ask(world), count);
}

TEST_WITH(a_store_replaced_while_it_is_open_gives_its_successor, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_store *store;
	struct histree_history *history;
	struct histree_error error;
	build(world);
	assert_ok(histree_store_open(world->store, &store, &error));
	world->options.force = true;
	world->options.tree.node_size = 4096;
	build(world);
	assert_ok(histree_store_history(store, NULL, false, NULL, &history, &error));
	assert_int_equal(histree_history_info(history)->node_size, 4096);
	histree_history_close(history);
	histree_store_close(store);
}

TEST_WITH(what_is_asked_for_wrongly_is_refused, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error = { 0 };
	struct histree_build_options options = world->options;
	static const char *const unknown[] = { "kernal" }, *const foreign[] = { "ust-calls" };
	options.analyses = unknown;
	options.analysis_count = 1;
	assert_int_equal(histree_build(&options, &error), HISTREE_ERR_ARGUMENT);
	assert_non_null(strstr(error.message, "there is no analysis 'kernal'; there are kernel"));
	options.analyses = foreign;
	assert_int_equal(histree_build(&options, &error), HISTREE_ERR_ARGUMENT);
	assert_non_null(strstr(error.message, "'ust-calls' needs"));
	options = world->options;
	options.trace_count = 0;
	assert_int_equal(histree_build(&options, &error), HISTREE_ERR_ARGUMENT);
	const char *nowhere[] = { "/nonexistent" };
	options = world->options;
	options.traces = nowhere;
	assert_true(histree_build(&options, &error) < 0);
	assert_false(is_there(world->store));
	assert_false(is_there(beside(world, ".building")));
}

TEST_WITH(a_store_is_replaced_only_by_force_and_only_if_it_is_one, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error = { 0 };
	build(world);
	assert_int_equal(histree_build(&world->options, &error), HISTREE_ERR_EXISTS);
	assert_non_null(strstr(error.message, "--force"));
	world->options.force = true;
	build(world);
	assert_true(ask(world) > 0);
	world->faulty.no_exchange = true;
	build(world);
	assert_true(ask(world) > 0);
	assert_false(is_there(beside(world, ".building.old")));
	assert_false(is_there(beside(world, ".building")));

	/* A folder of somebody's is no store, whatever is said. */
	char precious[160];
	snprintf(world->store, sizeof(world->store), "%s/home", world->folder);
	snprintf(precious, sizeof(precious), "%s/thesis.tex", world->store);
	assert_int_equal(mkdir(world->store, 0777), 0);
	fclose(fopen(precious, "w"));
	assert_int_equal(histree_build(&world->options, &error), HISTREE_ERR_EXISTS);
	assert_true(is_there(precious));
}

/* Killed after the names were exchanged and before all of the older store was removed, which has no lock. */
TEST_WITH(a_store_that_was_replaced_does_not_come_back, set_up, scratch_remove_world)
{
	struct world *world = *state;
	static const char *const removed[] = { "nothing", "kernel.sht" };
	build(world);
	uint64_t before = ask(world);
	for (size_t i = 0; i < 2; i++) {
		struct histree_error error = { 0 };
		copy_all(world->store, beside(world, ".building"));
		remove_all("%s.building/%s", world->store, removed[i]);
		world->options.resume = true;
		assert_int_equal(histree_build(&world->options, &error), HISTREE_ERR_EXISTS);
		assert_false(is_there(beside(world, ".building")));
		assert_int_equal(ask(world), before);
	}
}

/* Each option that decides what is in a store is compared with that of a build which was killed at its end. */
TEST_WITH(a_resume_has_the_same_options, set_up, scratch_remove_world)
{
	struct world *world = *state;
	const struct histree_build_options plain = world->options;
	struct histree_build_options others[5];
	for (size_t i = 0; i < 5; i++)
		others[i] = plain;
	others[0].tree.nulls = HISTREE_NULLS_KEPT;
	others[1].tree.prefer = HISTREE_PREFER_SPACE;
	others[2].tree.variant = "vrsht";
	others[2].tree.r_nodes = 7;
	others[3].tree.fan_out = 20;
	others[4].no_overviews = true;
	for (size_t i = 0; i < 10; i++) {
		struct histree_error error = { 0 };
		world->options = others[i % 5];
		build(world);
		assert_int_equal(rename(world->store, beside(world, ".building")), 0);
		world->options = i < 5 ? plain : others[(i + 1) % 5];
		world->options.resume = true;
		assert_int_equal(histree_build(&world->options, &error), HISTREE_ERR_EXISTS);
		assert_non_null(strstr(error.message, "with those options"));
		remove_all("%s.building", world->store);
	}
}

/* Killed between the two renames of a file system that cannot exchange names. */
TEST_WITH(a_store_that_was_set_aside_comes_back, set_up, scratch_remove_world)
{
	struct world *world = *state;
	build(world);
	uint64_t before = ask(world);
	assert_int_equal(rename(world->store, beside(world, ".building.old")), 0);
	struct histree_error error = { 0 };
	assert_int_equal(histree_build(&world->options, &error), HISTREE_ERR_EXISTS);
	assert_int_equal(ask(world), before);
	world->options.force = true;
	build(world);
	assert_int_equal(ask(world), before);
	assert_false(is_there(beside(world, ".building.old")));
}

static void see_events(void *context, const struct histree_progress *progress)
{
	(void)context;
	assert_true(progress->rows > 0);
}

static bool cancel_later(void *context)
{
	struct world *world = context;
	return world->looks-- > 1;
}

TEST_WITH(a_cancelled_build_leaves_nothing, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_error error = { 0 };
	world->looks = 1;
	world->options.work = (struct histree_work){ cancel_later, world, see_events };
	assert_int_equal(histree_build(&world->options, &error), HISTREE_ERR_CANCELLED);
	assert_false(is_there(world->store));
	assert_false(is_there(beside(world, ".building")));
}

/* Each file call fails in its turn, on a first build and on one that replaces: the old store answers as before. */
TEST_WITH(whatever_fails_the_store_that_is_there_survives, set_up, scratch_remove_world)
{
	struct world *world = *state;
	for (int replacing = 0; replacing < 2; replacing++) {
		uint64_t before = replacing ? ask(world) : 0, failures = 0;
		enum histree_status status = HISTREE_ERR_IO;
		world->options.force = replacing;
		while (status != HISTREE_OK) {
			struct histree_error error = { 0 };
			world->faulty.operations = 0;
			world->faulty.fail_at = ++failures;
			status = pipeline_build(&world->options, &world->faulty.io, &error);
			if (status == HISTREE_OK)
				break;
			assert_int_equal(status, HISTREE_ERR_IO);
			assert_true(error.message[0] != '\0');
			assert_false(is_there(beside(world, ".building")));
			assert_int_equal(is_there(world->store), replacing);
			if (replacing)
				assert_int_equal(ask(world), before);
		}
		assert_true(failures > 8 && world->faulty.operations < failures); /* no fault was passed over */
		world->faulty.fail_at = 0;
		assert_true(ask(world) > 0);
	}
}

/* ---- publishing ------------------------------------------------------------------------------------------ */

static void ignore_fault(void *context, const char *fault)
{
	print_error("%s\n", fault);
	(*(unsigned *)context)++;
}

/* The store as anybody opens it, which must be sound; INT64_MIN if there is none. */
static histree_time end_of_store(const struct world *world, bool *complete)
{
	struct histree_store *store;
	struct histree_history *history;
	unsigned faults = 0;
	if (histree_store_open(world->store, &store, NULL) != HISTREE_OK)
		return INT64_MIN;
	*complete = histree_store_info(store)->complete;
	assert_ok(histree_store_history(store, NULL, false, NULL, &history, NULL));
	assert_ok(histree_history_verify(history, ignore_fault, &faults, NULL));
	assert_int_equal(faults, 0);
	histree_time end = histree_history_info(history)->end;
	histree_history_close(history);
	histree_store_close(store);
	return end;
}

static void use_longer_trace(struct world *world)
{
	source_path(world->trace, "tests/data/demo-trace");
	world->options.publish_ns = 1; /* at each look at the clock */
}

/* A build asks now and then: each answer takes so long that it asks at its next look at the clock again. */
static bool cancel_later_and_slowly(void *context)
{
	nanosleep(&(struct timespec){ .tv_nsec = 60 * 1000 * 1000 }, NULL);
	return cancel_later(context);
}

/* A build that publishes is cancelled at its n-th question; returns false if it has fewer. */
static bool cancel_at(struct world *world, unsigned question, bool keeps, histree_time *end)
{
	struct histree_error error = { 0 };
	bool complete = false;
	world->options.work = (struct histree_work){ .go_on = cancel_later_and_slowly, .context = world };
	world->options.keep_cancelled = keeps;
	world->looks = question;
	enum histree_status status = histree_build(&world->options, &error);
	*end = end_of_store(world, &complete);
	assert_int_equal(*end != INT64_MIN, is_there(complete ? world->store : beside(world, ".building")));
	assert_int_equal(complete, status == HISTREE_OK);
	if (status == HISTREE_OK)
		return false;
	assert_int_equal(status, HISTREE_ERR_CANCELLED);
	assert_int_equal(*end != INT64_MIN, strstr(error.message, "--resume goes on with it") != NULL);
	return true;
}

/* Whenever it is cancelled, what was published is there if that is asked, and is what a resume goes on with. */
TEST_WITH(a_cancelled_build_keeps_what_it_published_if_that_is_asked, set_up, scratch_remove_world)
{
	struct world *world = *state;
	unsigned kept = 0;
	histree_time end;
	bool complete = false;
	use_longer_trace(world);
	world->options.force = true;
	for (unsigned question = 1; kept < 2 && cancel_at(world, question, true, &end); question++) {
		if (end == INT64_MIN)
			continue;
		kept++;
		world->options.work = (struct histree_work){ .context = NULL };
		world->options.resume = true;
		build(world);
		world->options.resume = false;
		assert_true(end_of_store(world, &complete) >= end && complete);
		remove_all("%s", world->store);
		if (cancel_at(world, question, false, &end))
			assert_true(end == INT64_MIN);
		remove_all("%s", world->store);
	}
	assert_true(kept > 0);
}

/* Each file call of a build that publishes fails; what it published stays, and another build goes on with it. */
TEST_WITH(what_was_published_survives_whatever_fails, set_up, scratch_remove_world)
{
	struct world *world = *state;
	use_longer_trace(world);
	enum histree_status status = HISTREE_ERR_IO;
	uint64_t failures = 0, kept = 0, stride = test_effort(2, 7);
	histree_time whole = 0;
	while (status != HISTREE_OK) {
		struct histree_error error = { 0 };
		bool complete = false;
		world->options.force = true;
		world->options.resume = false;
		world->faulty.operations = 0;
		world->faulty.fail_at = failures += stride;
		status = pipeline_build(&world->options, &world->faulty.io, &error);
		world->faulty.fail_at = 0;
		histree_time end = end_of_store(world, &complete);
		assert_true(complete || status != HISTREE_OK);
		if (status == HISTREE_OK) {
			whole = end;
			break;
		}
		assert_int_equal(status, HISTREE_ERR_IO);
		assert_int_equal(end != INT64_MIN, is_there(beside(world, ".building")));
		if (end == INT64_MIN)
			continue;
		kept++;
		assert_non_null(strstr(error.message, "--resume goes on with it"));
		world->options.force = false;
		assert_int_equal(histree_build(&world->options, &error), HISTREE_ERR_EXISTS);
		assert_non_null(strstr(error.message, "--resume"));
		world->options.resume = true;
		build(world);
		histree_time resumed = end_of_store(world, &complete);
		assert_true(complete && resumed >= end);
		assert_false(is_there(beside(world, ".building")));
		if (whole != 0)
			assert_int_equal(resumed, whole);
		whole = resumed;
		remove_all("%s", world->store);
	}
	assert_true(failures > 60 && kept > 40 / stride);
}

/* What a build left may be a part of a history or a complete one; no resume takes anything away. */
TEST_WITH(resumes_of_resumes_lose_nothing, set_up, scratch_remove_world)
{
	struct world *world = *state;
	use_longer_trace(world);
	faulty_io_init(&world->faulty, &world->hasty);
	build(world);
	/* The last calls come after the history is complete and before the store is. */
	uint64_t total = world->faulty.operations, count = test_effort(20, 10), resumes = 0;
	assert_true(total > count);
	for (uint64_t first = total - count; first <= total; first++) {
		struct histree_error error = { 0 };
		bool complete = false;
		remove_all("%s", world->store);
		faulty_io_init(&world->faulty, &world->hasty);
		world->options.resume = false;
		world->faulty.fail_at = first;
		enum histree_status status = pipeline_build(&world->options, &world->faulty.io, &error);
		histree_time end = end_of_store(world, &complete);
		world->options.resume = true;
		for (uint64_t next = 30; status != HISTREE_OK; next += 7) {
			world->faulty.operations = 0;
			world->faulty.fail_at = next;
			status = pipeline_build(&world->options, &world->faulty.io, &error);
			assert_true(status == HISTREE_OK || status == HISTREE_ERR_IO);
			resumes++;
			histree_time now = end_of_store(world, &complete);
			assert_true(now >= end);
			end = now;
		}
		assert_true(complete);
		assert_false(is_there(beside(world, ".building")));
		assert_true(ask(world) > 0);
	}
	assert_true(resumes > 2 * count);
}

/* The folder of a store that is replaced goes with everything that a build could have made. */
TEST_WITH(overviews_go_with_their_store, set_up, scratch_remove_world)
{
	struct world *world = *state;
	build(world);
	char path[256];
	const char *const names[] = { "kernel.sht.overview1", "kernel.sht.overview16", "kernel.sht.digest2" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", world->store, names[i]);
		fclose(fopen(path, "w"));
	}
	world->options.force = true;
	build(world);
	assert_false(is_there(beside(world, ".building")));
	assert_false(is_there(path));
}

static struct world *looking; /* of looking_rename(), which is given another context */

/* What others see at the moment at which something is published. */
static int looking_rename(void *context, const char *from, const char *to)
{
	int result = rename(from, to);
	struct world building = *looking;
	bool complete = false;
	(void)context;
	strcat(building.store, ".building");
	if (strstr(to, "manifest.json") == NULL || end_of_store(&building, &complete) == INT64_MIN || complete)
		return result;
	struct histree_store *store;
	assert_ok(histree_store_open(building.store, &store, NULL));
	assert_true(histree_store_info(store)->building);
	histree_store_close(store);
	assert_true(end_of_store(looking, &complete) > end_of_store(&building, &(bool){ false }));
	assert_true(complete);
	looking->looks++;
	return result;
}

/* The older store answers until the new one is complete, which has its own name until then. */
TEST_WITH(a_store_that_grows_can_be_opened_beside_the_old_one, set_up, scratch_remove_world)
{
	struct world *world = *state;
	use_longer_trace(world);
	build(world);
	world->options.force = true;
	world->faulty.io.rename = looking_rename;
	looking = world;
	build(world);
	assert_true(world->looks >= 3);
	assert_false(is_there(beside(world, ".building")));
	assert_true(ask(world) > 0);
}

TEST(when_to_publish)
{
	const int64_t ms = 1000000, second = 1000 * ms;
	struct publish_clock clock = publish_clock_begin(0, false, 5 * second);
	assert_false(publish_clock_is_due(&clock, 8 * second - 1));
	assert_true(publish_clock_is_due(&clock, 8 * second));
	clock = publish_clock_begin(0, true, 5 * second);
	assert_false(publish_clock_is_due(&clock, 6 * second - 1));
	assert_true(publish_clock_is_due(&clock, 6 * second));
	publish_clock_done(&clock, 6 * second, 6 * second + ms); /* cheap: once a second */
	assert_false(publish_clock_is_due(&clock, 7 * second));
	assert_true(publish_clock_is_due(&clock, 7 * second + ms));
	publish_clock_done(&clock, 10 * second, 11 * second); /* 3 % of the time */
	assert_false(publish_clock_is_due(&clock, 43 * second));
	assert_true(publish_clock_is_due(&clock, 44 * second));
	clock = publish_clock_begin(10 * ms, false, 0);
	publish_clock_done(&clock, 10 * ms, 30 * ms); /* as often as asked for, whatever it costs */
	assert_true(publish_clock_is_due(&clock, 40 * ms));
}

TEST_WITH(a_killed_build_is_cleared_away_and_a_running_one_is_not, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct store_folder running;
	struct histree_error error = { 0 };
	assert_ok(store_folder_begin(&running, &io_posix, world->store, false, false, &error));
	char *half = store_folder_path(&running, "kernel.sht");
	fclose(fopen(half, "w"));
	assert_int_equal(histree_build(&world->options, &error), HISTREE_ERR_EXISTS);
	assert_non_null(strstr(error.message, "another build"));
	assert_true(is_there(half));

	/* The lock goes with its process; here it is closed by hand. */
	close(running.lock);
	running.lock = -1;
	build(world);
	assert_true(ask(world) > 0);
	free(half);
	store_folder_release(&running);
}

/* ---- the manifest ---------------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

#define HEAD "\"format\": \"histree store\", \"version\": 1, \"oldest_reader\": 1"
#define TAIL                                                                                                     \
	"\"made_by\": \"t\", \"traces\": [], \"partial\": false, \"warnings\": [], \"events\": 1, "              \
	"\"clock_steps_back\": 0, \"discarded_events\": 0, \"discarded_packets\": 0, \"start\": 1, \"end\": 2, " \
	"\"build_ns\": 3"

TEST_WITH(malformed_manifests_are_refused, set_up, scratch_remove_world)
{
	struct world *world = *state;
	static const struct {
		const char *text;
		enum histree_status status;
		const char *reason;
	} cases[] = {
		{ "", HISTREE_ERR_FORMAT, "line 1" },
		{ "[]", HISTREE_ERR_FORMAT, "is not the manifest" },
		{ "{\"format\": \"recipe\", \"version\": 1, \"oldest_reader\": 1}", HISTREE_ERR_FORMAT,
		  "is not the manifest" },
		{ "{\"format\": \"histree store\", \"version\": 9, \"oldest_reader\": 9}", HISTREE_ERR_VERSION,
		  "use a newer one" },
		{ "{" HEAD "}", HISTREE_ERR_FORMAT, "lacks something" },
		{ "{" HEAD ", " TAIL ", \"histories\": [{}]}", HISTREE_ERR_FORMAT, "a history lacks" },
		{ "{" HEAD ", " TAIL ", \"histories\": [{\"analysis\": \"k\", \"version\": 1, \"file\": "
		  "\"../../etc/passwd\", \"refused\": 0}]}",
		  HISTREE_ERR_FORMAT, "outside the store" },
		{ "{" HEAD ", " TAIL ", \"histories\": []}", HISTREE_OK, NULL },
	};
	char path[160];
	snprintf(path, sizeof(path), "%s/manifest.json", world->folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena arena = { 0 };
		struct histree_store_info info;
		struct histree_error error = { 0 };
		write_text(path, cases[i].text);
		assert_int_equal(manifest_read(&io_posix, path, &arena, &info, &error), cases[i].status);
		if (cases[i].reason != NULL && strstr(error.message, cases[i].reason) == NULL)
			fail_msg("refused, but because: %s", error.message);
		arena_release(&arena);
	}
}

/* A path is bytes, and JSON is not: what cannot be said in UTF-8 is shown as question marks. */
TEST_WITH(a_manifest_comes_back, set_up, scratch_remove_world)
{
	struct world *world = *state;
	static const char *const traces[] = { "caf\xc3\xa9", "caf\xe9" }, *const warnings[] = {
		"a \"quoted\"\nline"
	};
	static const struct histree_store_history histories[] = {
		{ .analysis = "kernel", .analysis_version = 31, .file = "kernel.sht", .state_changes_refused = 7 }
	};
	const struct histree_store_info written = {
		.made_by = "test",
		.traces = traces,
		.trace_count = 2,
		.histories = histories,
		.history_count = 1,
		.partial = true,
		.null_empty_stacks = true,
		.warnings = warnings,
		.warning_count = 1,
		.event_count = 5,
		.start = INT64_MIN,
		.end = INT64_MAX,
		.build_ns = 9,
	};
	struct arena arena = { 0 };
	struct histree_store_info read;
	char path[160];
	snprintf(path, sizeof(path), "%s/manifest.json", world->folder);
	assert_ok(manifest_write(&io_posix, path, &written, NULL));
	assert_ok(manifest_read(&io_posix, path, &arena, &read, NULL));
	assert_string_equal(read.traces[0], traces[0]);
	assert_string_equal(read.traces[1], "caf?");
	assert_string_equal(read.warnings[0], warnings[0]);
	assert_string_equal(read.histories[0].file, "kernel.sht");
	assert_int_equal(read.histories[0].state_changes_refused, 7);
	assert_true(read.partial);
	assert_true(read.null_empty_stacks && !read.ignores_gaps);
	assert_true(read.start == INT64_MIN && read.end == INT64_MAX);
	arena_release(&arena);
}

TEST(analyses_are_listed)
{
	struct histree_analysis_info info;
	size_t count = 0, segments = 0, segments_by_default = 0;
	for (; histree_analysis(count, &info); count++) {
		assert_true(info.name[0] != '\0' && info.version > 0 && info.summary[0] != '\0');
		segments_by_default += info.makes_segments && info.by_default;
		segments += info.makes_segments;
	}
	assert_int_equal(count, 43);
	assert_int_equal(segments, 29);
	assert_int_equal(segments_by_default, segments); /* only layouts of kernel have to be named */
}
