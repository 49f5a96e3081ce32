// SPDX-License-Identifier: MIT
/*
 * test_cube_size.c - many threads have a CPU, one after the other, in one cell of the cube: nodes are as large as
 * it needs them, and where none would do, states say who had the CPU.  The answers are the same.
 */
#include "histree/history.h"
#include "histree/states.h"
#include "histree/time_use.h"
#include "overview/overview_writer.h"
#include "state/history.h"
#include "support/test.h"

/* Nothing changes for so long that all that does is in one cell, of a thousandth of the time. */
enum { QUIET = 1 << 28, FIRST_OWNER = 100, WAITS = 5, FEW = 10000, MANY = 40000, MORE = 140000, TOO_MANY = 320000 };

static char path[64], cube_path[96];

static void build(uint32_t owners)
{
	const struct histree_history_options made = { .path = path,
						      .provider = "kernel",
						      .tree = { .threads = 1 } };
	struct histree_state_system *system;
	histree_quark thread, queue, owner;
	unlink(path);
	unlink(cube_path);
	assert_ok(histree_state_create(&made, &system, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "Threads/1", &thread, NULL));
	assert_ok(histree_state_attribute(system, thread, "Current_cpu_rq", &queue, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "CPUs/0/Current_thread", &owner, NULL));
	assert_ok(histree_state_modify(system, 0, thread, histree_int(WAITS), NULL));
	assert_ok(histree_state_modify(system, 0, queue, histree_int(0), NULL));
	for (uint32_t i = 0; i < owners; i++)
		assert_ok(histree_state_modify(system, i == 0 ? 0 : QUIET + (histree_time)i, owner,
					       histree_int((int32_t)(FIRST_OWNER + i)), NULL));
	assert_ok(histree_state_close(system, QUIET + (histree_time)owners - 1, NULL));
	histree_state_free(system);
}

static struct histree_history *open_it(bool no_overviews)
{
	const struct histree_open_options how = { .no_overviews = no_overviews };
	struct histree_history *history;
	assert_ok(histree_history_open(path, &how, &history, NULL));
	return history;
}

static struct histree_time_use *ask(struct histree_history *history, histree_time from, histree_time to)
{
	const struct histree_time_use_request request = { .from = from, .to = to, .by = HISTREE_BY(HAD_BY) };
	struct histree_time_use *use;
	assert_ok(histree_time_use_create(history, &request, &use, NULL));
	return use;
}

static void expect_the_same(struct histree_history *with, struct histree_history *without, histree_time from,
			    histree_time to)
{
	struct histree_time_use *one = ask(with, from, to), *other = ask(without, from, to);
	size_t count, other_count;
	const struct histree_use_row *rows = histree_time_use_rows(one, &count);
	const struct histree_use_row *other_rows = histree_time_use_rows(other, &other_count);
	assert_int_equal(count, other_count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(rows[i].keys[HISTREE_USE_BY_HAD_BY].int32,
				 other_rows[i].keys[HISTREE_USE_BY_HAD_BY].int32);
		assert_memory_equal(rows[i].ns, other_rows[i].ns, sizeof(rows[i].ns));
		assert_int_equal(rows[i].count, other_rows[i].count);
	}
	histree_time_use_free(one);
	histree_time_use_free(other);
}

static void say(void *context, const char *fault)
{
	(void)context;
	print_error("%s\n", fault);
}

static void is_of(uint32_t owners, uint32_t node_size, bool has_owners)
{
	const struct overview_options options = {
		.history_states_min = 1,
		.states_min = UINT32_MAX, /* only the cube */
		.number_states_min = UINT32_MAX,
		.sum_states_min = UINT32_MAX,
		.cube_percent_max = 100000,
		.threads = 1,
	};
	build(owners);
	assert_ok(overviews_write(&io_posix, path, &options, NULL));
	struct histree_history *with = open_it(false), *without = open_it(true);
	const struct pyramid *cube = history_pyramid(with, PYRAMID_CUBE);
	histree_quark cpus;
	assert_true(cube->level_count > 0);
	assert_int_equal(histree_history_info(cube->levels[0].history)->node_size, node_size);
	assert_ok(histree_attributes_find(histree_history_attributes(with), HISTREE_ROOT, "CPUs", &cpus));
	assert_int_equal(pyramid_level_find(&cube->levels[0], cpus) != NULL, has_owners);
	const histree_time end = histree_history_info(with)->end;
	expect_the_same(with, without, 0, end);
	expect_the_same(with, without, 7, end);
	expect_the_same(with, without, 0, QUIET + owners / 2);
	assert_ok(histree_sums_verify(with, say, NULL, NULL));
	histree_history_close(with);
	histree_history_close(without);
}

TEST(nodes_are_as_large_as_a_cell_needs)
{
	snprintf(path, sizeof(path), "test_cube_size.%ld.sht", (long)getpid());
	pyramid_path(PYRAMID_CUBE, path, 1, cube_path);
	is_of(FEW, pyramid_kinds[PYRAMID_CUBE].node_size, true);
	is_of(MANY, 2 * pyramid_kinds[PYRAMID_CUBE].node_size, true);
	is_of(MORE, CUBE_NODE_SIZE_MAX, true);
	is_of(TOO_MANY, pyramid_kinds[PYRAMID_CUBE].node_size, false);
	unlink(path);
	unlink(cube_path);
}
