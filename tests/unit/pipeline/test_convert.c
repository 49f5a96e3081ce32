// SPDX-License-Identifier: MIT
/*
 * test_convert.c - whatever fails while a store is converted, what was there stays, and nothing else is left.
 */
#include <sys/stat.h>

#include "histree/build.h"
#include "histree/states.h"
#include "histree/store.h"
#include "pipeline/copy/store_copy.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/test.h"

struct world {
	char folder[64], trace[DATA_PATH_SIZE], store[128], other[128];
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	const char *const analyses[] = { "kernel", "system-calls" };
	scratch_folder(world->folder, sizeof(world->folder));
	source_path(world->trace, "tests/data/ctf-perf-small");
	snprintf(world->store, sizeof(world->store), "%s/s.histree", world->folder);
	snprintf(world->other, sizeof(world->other), "%s/other", world->folder);
	const char *const traces[] = { world->trace };
	const struct histree_build_options options = {
		.traces = traces, .trace_count = 1, .store = world->store, .analyses = analyses, .analysis_count = 2
	};
	assert_ok(histree_build(&options, NULL));
	*state = world;
	return 0;
}

static bool is_there(const char *path, const char *suffix)
{
	char name[192];
	struct stat facts;
	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return lstat(name, &facts) == 0;
}

/* Returns the number of intervals of a sound store, and of which variant its history is. */
static uint64_t ask(const char *path, char variant[16])
{
	struct histree_store *store;
	struct histree_history *history;
	struct histree_cursor *query;
	uint64_t count = 0;
	assert_ok(histree_store_open(path, &store, NULL));
	assert_ok(histree_store_history(store, NULL, false, NULL, &history, NULL));
	const struct histree_history_info *info = histree_history_info(history);
	memcpy(variant, info->variant, sizeof(info->variant));
	assert_ok(histree_query_create(history, &query, NULL));
	assert_ok(
		histree_query_start(query, &(struct histree_region){ .from = info->start, .to = info->end }, NULL));
	while (histree_cursor_next(query, NULL) == HISTREE_OK)
		count++;
	histree_cursor_free(query);
	histree_history_close(history);
	histree_store_close(store);
	return count;
}

TEST_WITH(whatever_fails_the_store_survives, set_up, scratch_remove_world)
{
	struct world *world = *state;
	char variant[16];
	struct faulty_io faulty;
	uint64_t count = ask(world->store, variant), failures = 0;
	const struct histree_convert_options options = {
		.path = world->store, .out = world->store, .force = true, .tree = { .variant = "esht" }
	};
	enum histree_status status = HISTREE_ERR_IO;
	for (uint64_t at = 1; status != HISTREE_OK; at += test_effort(1, 3)) {
		struct histree_error error = { 0 };
		faulty_io_init(&faulty, &io_posix);
		faulty.fail_at = at;
		status = pipeline_convert(&options, &faulty.io, &error);
		assert_true(status == HISTREE_OK || (status == HISTREE_ERR_IO && error.message[0] != '\0'));
		assert_int_equal(ask(world->store, variant), count);
		assert_string_equal(variant, status == HISTREE_OK ? "esht" : "cluster");
		failures += status != HISTREE_OK;
		if (status != HISTREE_OK)
			assert_false(is_there(world->store, ".building") &&
				     is_there(world->store, ".building/manifest.json"));
	}
	assert_true(failures > 10);
	assert_false(is_there(world->store, ".building"));
}

/* Asked so often, then it wants no more; what it is told of the share never goes back. */
struct patience {
	int questions;
	double share;
};

static bool goes_on(void *context)
{
	struct patience *patience = context;
	return patience->questions-- > 0;
}

static void check_share(void *context, const struct histree_progress *now)
{
	struct patience *patience = context;
	assert_true(now->share >= patience->share && now->share <= 1);
	patience->share = now->share;
}

TEST_WITH(what_is_not_wanted_any_more_leaves_nothing, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct patience patience;
	const struct histree_convert_options options = { .path = world->store,
							 .out = world->other,
							 .work = { goes_on, &patience, check_share } };
	int questions = 0;
	for (enum histree_status status = HISTREE_ERR_CANCELLED; status != HISTREE_OK; questions++) {
		patience = (struct patience){ .questions = questions };
		status = histree_convert(&options, NULL);
		assert_true(status == HISTREE_OK || status == HISTREE_ERR_CANCELLED);
		assert_int_equal(is_there(world->other, ""), status == HISTREE_OK);
		assert_false(is_there(world->other, ".building"));
	}
	/* before each of the files, and in the history */
	assert_true(questions > 3 && patience.share > 0);
}

TEST_WITH(a_repair_that_is_not_wanted_leaves_nothing, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct patience patience;
	char file[160];
	struct histree_repair_options options = { .path = world->store,
						  .out = world->other,
						  .work = { goes_on, &patience, check_share } };
	int questions = 0;
	for (enum histree_status status = HISTREE_ERR_CANCELLED; status != HISTREE_NOT_FOUND; questions++) {
		patience = (struct patience){ .questions = questions };
		status = histree_repair(&options, NULL);
		assert_true(status == HISTREE_NOT_FOUND || status == HISTREE_ERR_CANCELLED);
		assert_false(is_there(world->other, "") || is_there(world->other, ".building"));
	}
	assert_true(questions > 2 && patience.share > 0);
	snprintf(file, sizeof(file), "%s/kernel.sht", world->store);
	options.path = file;
	patience = (struct patience){ .questions = 0 };
	assert_int_equal(histree_repair(&options, NULL), HISTREE_ERR_CANCELLED);
	assert_false(is_there(world->other, ""));
}
