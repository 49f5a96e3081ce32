// SPDX-License-Identifier: MIT
/*
 * test_overview_trial.c - a history whose first overview would be too large gets one that fits without making
 * another before.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/hash_index.h"
#include "histree/history.h"
#include "overview/overview_writer.h"
#include "state/pyramid.h"
#include "support/test.h"

enum { ATTRIBUTES = 4, STATES = 400000, STATES_IN_WINDOW = 8000 };

static char path[64], overview[96];

/* States of random lengths and eight values, some attributes with a tenth as many as others. */
static void build(void)
{
	const struct histree_history_options options = { .path = path, .provider = "test" };
	struct random random = { 3 };
	struct histree_state_system *system;
	histree_time now = 0;
	assert_ok(histree_state_create(&options, &system, NULL));
	for (int i = 0; i < ATTRIBUTES; i++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "a%d", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
	}
	for (int i = 0; i < STATES; i++) {
		histree_quark quark = (histree_quark)random_below(&random, ATTRIBUTES);
		if (quark >= ATTRIBUTES / 2 && !random_percent(&random, 10))
			quark -= ATTRIBUTES / 2;
		now += 1 + (histree_time)random_below(&random, 900);
		const struct histree_value value = histree_int((int32_t)random_below(&random, 8));
		assert_ok(histree_state_modify(system, now, quark, value, NULL));
	}
	assert_ok(histree_state_close(system, now, NULL));
	histree_state_free(system);
}

/* Counts how often the first overview is begun. */
struct counting_io {
	struct io io;
	unsigned begun;
};

static int count_open(void *context, const char *name, int flags, mode_t mode)
{
	struct counting_io *counting = context;
	counting->begun += strcmp(name, overview) == 0 && (flags & O_CREAT) != 0;
	return io_posix.open(io_posix.context, name, flags, mode);
}

static uint64_t size_of(const char *name)
{
	struct stat facts;
	assert_int_equal(stat(name, &facts), 0);
	return (uint64_t)facts.st_size;
}

/* With `percent` of the history's bytes for all overviews; returns how often the first one was begun. */
static unsigned write_with(uint32_t percent)
{
	const struct overview_options options = {
		.history_states_min = 1,
		.number_states_min = UINT32_MAX,
		.sum_states_min = UINT32_MAX,
		.states_in_window = STATES_IN_WINDOW,
		.cells_least = 64,
		.percent_max = percent,
		.cost_max_share = 1,
	};
	struct counting_io counting = { .io = io_posix };
	counting.io.open = count_open;
	counting.io.context = &counting;
	assert_ok(overviews_write(&counting.io, path, &options, NULL));
	return counting.begun;
}

TEST(an_overview_that_has_to_fit_is_made_once)
{
	const uint64_t all = size_of(path);
	unsigned limited = 0, again = 0;
	write_with(1000);
	const uint64_t unlimited = size_of(overview);
	for (uint32_t percent = 15; percent <= 60; percent += 5) {
		unsigned times = write_with(percent);
		uint64_t made = size_of(overview);
		assert_true(made <= all / 100 * percent);
		limited += made < unlimited;
		again += made < unlimited && times > 1;
	}
	/* What is likely is not certain. */
	assert_true(limited >= 8 && again <= 1);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "test_overview_trial.%ld.sht", (long)getpid());
	pyramid_path(PYRAMID_ROWS, path, 1, overview);
	build();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (uint32_t number = 1; number <= PYRAMID_LEVELS_MAX; number++) {
		pyramid_path(PYRAMID_ROWS, path, number, overview);
		unlink(overview);
	}
	unlink(path);
	return 0;
}

TEST_FILE(set_up, tear_down)
