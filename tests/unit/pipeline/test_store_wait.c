// SPDX-License-Identifier: MIT
/*
 * test_store_wait.c - waiting for a history that is not there yet, that grows, whose build was cut off, or is
 * complete.
 */
#include <pthread.h>
#include <time.h>

#include "histree/store.h"
#include "pipeline/hosts/experiment.h"
#include "store_folder/store_folder.h"
#include "support/data.h"
#include "support/faulty_io.h"
#include "support/test.h"

struct world {
	char folder[64], trace[DATA_PATH_SIZE], store[128];
	const char *traces[1];
	struct histree_build_options options;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	scratch_folder(world->folder, sizeof(world->folder));
	source_path(world->trace, "tests/data/demo-trace");
	snprintf(world->store, sizeof(world->store), "%s/s.histree", world->folder);
	world->traces[0] = world->trace;
	world->options = (struct histree_build_options){
		.traces = world->traces, .trace_count = 1, .store = world->store, .publish_ns = 1
	};
	*state = world;
	return 0;
}

/* Wait, and get where the history ends. */
static enum histree_status wait_for(const struct world *world, const struct histree_store_wait *wait,
				    histree_time *end, bool *complete)
{
	struct histree_history *history;
	struct histree_error error = { 0 };
	enum histree_status status = histree_store_wait(world->store, NULL, wait, NULL, &history, &error);
	if (status != HISTREE_OK) {
		assert_null(history);
		assert_true(error.message[0] != '\0');
		return status;
	}
	*end = histree_history_info(history)->end;
	*complete = histree_history_info(history)->complete;
	histree_history_close(history);
	return status;
}

static bool never_goes_on(void *context)
{
	(void)context;
	return false;
}

static void *build_later(void *context)
{
	const struct world *world = context;
	const struct timespec while_the_other_waits = { .tv_nsec = 50 * 1000 * 1000 };
	nanosleep(&while_the_other_waits, NULL);
	assert_ok(histree_build(&world->options, NULL));
	return NULL;
}

TEST_WITH(a_store_that_is_not_there_yet_comes, set_up, scratch_remove_world)
{
	struct world *world = *state;
	histree_time end = 0;
	bool complete = false;
	pthread_t builder;
	struct histree_store_wait wait = { .until = INT64_MAX, .timeout_ns = 0 };
	assert_int_equal(wait_for(world, &wait, &end, &complete), HISTREE_NOT_FOUND);
	wait = (struct histree_store_wait){ INT64_MAX, -1, { .go_on = never_goes_on } };
	assert_int_equal(wait_for(world, &wait, &end, &complete), HISTREE_ERR_CANCELLED);
	assert_int_equal(pthread_create(&builder, NULL, build_later, world), 0);
	wait = (struct histree_store_wait){ .until = INT64_MAX, .timeout_ns = -1 };
	assert_ok(wait_for(world, &wait, &end, &complete));
	assert_true(complete);
	assert_int_equal(pthread_join(builder, NULL), 0);
	/* What is complete is all that will come. */
	wait.until = end + 1;
	assert_ok(wait_for(world, &wait, &end, &complete));
}

/* No power fails here: a thousand syncs would only take time. */
static int no_sync(void *context, int file)
{
	(void)context, (void)file;
	return 0;
}

/* Leave what a build has published when one of its file calls fails; get where that ends. */
static void cut_off_build(const struct world *world, histree_time *end)
{
	struct histree_build_options options = world->options;
	struct io hasty = io_posix;
	struct faulty_io faulty;
	bool complete = true;
	hasty.sync = no_sync;
	options.force = true;
	for (uint64_t at = 20;; at += 10) {
		faulty_io_init(&faulty, &hasty);
		faulty.fail_at = at;
		assert_int_equal(pipeline_build(&options, &faulty.io, NULL), HISTREE_ERR_IO);
		const struct histree_store_wait anything = { .until = INT64_MIN };
		if (wait_for(world, &anything, end, &complete) == HISTREE_OK)
			break;
	}
	assert_false(complete);
}

TEST_WITH(what_was_cut_off_is_not_waited_for, set_up, scratch_remove_world)
{
	struct world *world = *state;
	histree_time published, end;
	bool complete;
	struct store_folder running;
	cut_off_build(world, &published);
	struct histree_store_wait wait = { .until = published, .timeout_ns = -1 };
	assert_ok(wait_for(world, &wait, &end, &complete));
	assert_true(end == published && !complete);
	wait.until = published + 1;
	assert_int_equal(wait_for(world, &wait, &end, &complete), HISTREE_ERR_INCOMPLETE);

	/* Once somebody goes on with it, it is, as long as the caller likes. */
	assert_ok(store_folder_begin(&running, &io_posix, world->store, false, true, NULL));
	wait.timeout_ns = 30 * 1000 * 1000;
	assert_int_equal(wait_for(world, &wait, &end, &complete), HISTREE_NOT_FOUND);
	wait.until = published;
	assert_ok(wait_for(world, &wait, &end, &complete));
	store_folder_release(&running);
}

TEST_WITH(what_cannot_come_is_said_at_once, set_up, scratch_remove_world)
{
	struct world *world = *state;
	struct histree_history *history;
	const struct histree_store_wait wait = { .until = INT64_MAX, .timeout_ns = -1 };
	assert_ok(histree_build(&world->options, NULL));
	assert_int_equal(histree_store_wait(world->store, "nonsense", &wait, NULL, &history, NULL),
			 HISTREE_NOT_FOUND);
	assert_null(history);
	assert_int_equal(histree_store_wait(world->trace, NULL, &wait, NULL, &history, NULL), HISTREE_ERR_FORMAT);
}
