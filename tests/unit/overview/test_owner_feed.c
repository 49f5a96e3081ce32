// SPDX-License-Identifier: MIT
/*
 * test_owner_feed.c - rows, numbers and sums that were fed while a history was made: attributes with few and with
 * many states, of all types, some of which are decided late, and more young ones than there is room for.
 *
 * The oracles are those that make cells again of the states of the complete file, and for rows, the time of the
 * values that are kept apart, up to the end of each cell.  Pyramids that are made of the complete file have the
 * same states.
 */
#include "base/hash_index.h"
#include "histree/attributes.h"
#include "histree/history.h"
#include "histree/states.h"
#include "overview/overview_feed.h"
#include "overview/overview_writer.h"
#include "overview/owner_feed.h"
#include "overview/pyramid_maker.h"
#include "state/history.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "support/history_file.h"
#include "support/test.h"

enum { ATTRIBUTES = 24, STATUSES = 8, CHANGES = 30000, START = 1000 };

static const char *const patterns[] = { "a/*", NULL };
static const struct histree_label labels[] = {
	{ .first = 0, .last = 0, .is_code = true, .style = { "IDLE", "is idle", 1, 1, 1 } },
	{ .first = 1, .last = 5, .is_code = true, .style = { "BUSY", "is busy", 2, 2, 1 } },
};
static const struct histree_label_table table = {
	.name = "what it does", .patterns = patterns, .labels = labels, .label_count = 2
};

static char path[64];
static unsigned fed[PYRAMIDS]; /* histories that have a pyramid of a kind */

struct world {
	struct histree_state_system *system;
	struct overview_feed *feed;
	histree_quark quarks[ATTRIBUTES];
	histree_quark fact;
	histree_time now;
	bool is_decided; /* nothing is decided late */
};

static uint32_t below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

static void say(void *context, const char *fault)
{
	(void)context;
	print_error("%s\n", fault);
}

static void begin(struct world *world, const struct overview_options *options)
{
	const struct histree_history_options made = {
		.path = path, .provider = "test", .start = START, .tree = { .node_size = 4096, .threads = 1 }
	};
	const struct overview_feed_plan plan = { .provider = "test", .start = START, .options = options };
	struct interval_sink sink;
	*world = (struct world){ .now = START };
	history_files_remove(path);
	assert_ok(state_file_sink(&io_posix, &made, NULL, &sink, NULL));
	assert_ok(overview_feed_create(&plan, &world->feed, NULL));
	overview_feed_stand_before(world->feed, &sink);
	assert_ok(state_system_create(START, &sink, &world->system, NULL));
	overview_feed_watch(world->feed, histree_state_attributes(world->system), &world->system->ongoing);
	assert_ok(histree_state_labels(world->system, &table, 1, NULL));
	assert_ok(histree_state_attribute(world->system, HISTREE_ROOT, "fact", &world->fact, NULL));
	for (int i = 0; i < ATTRIBUTES; i++) {
		char name[16];
		snprintf(name, sizeof(name), "%s/%d", i < STATUSES ? "a" : "b", i);
		assert_ok(histree_state_attribute(world->system, HISTREE_ROOT, name, &world->quarks[i], NULL));
	}
}

static struct histree_value any_value(uint32_t number)
{
	if (below(6) == 0)
		return below(3) == 0 ? histree_unknown() : histree_null();
	if (number < STATUSES)
		return histree_int((int32_t)below(5));
	switch (number % 4) {
	case 0:
		return histree_int((int32_t)below(100000) - 50000);
	case 1:
		return histree_long((int64_t)below(1000) << 33);
	case 2:
		return histree_double((double)below(1000) / 7);
	default:
		return histree_string(below(2) == 0 ? "one" : "other");
	}
}

/* The first attributes have most states; the last one begins late. */
static void step(struct world *world, uint32_t at)
{
	uint32_t number = 0;
	while (number + 1 < ATTRIBUTES && below(3) > 0)
		number++;
	if (number + 1 == ATTRIBUTES && at < CHANGES / 2)
		number = 0;
	world->now += below(3) == 0 ? below(40) : below(3);
	if (number == STATUSES - 1 && below(4) == 0 && !world->is_decided) {
		const struct undecided_value value = {
			.fact = world->fact, .believed = histree_int(2), .if_null = 2, .if_other = 3
		};
		assert_true(state_modify_undecided(world->system, world->now, world->quarks[number], &value,
						   NULL) >= 0);
		return;
	}
	if (below(300) == 0)
		assert_ok(state_decide(world->system, world->fact, FACT_IS_OTHER, START, NULL));
	assert_ok(histree_state_modify(world->system, world->now, world->quarks[number], any_value(number), NULL));
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

static bool is_apart(const struct histree_value *value)
{
	return value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN ||
	       (value->type == HISTREE_INT && value->int32 == 0);
}

/* Marks the times at which an attribute has a value that is kept apart; each time has a state. */
static void read_apart(struct histree_history *history, histree_quark quark, uint8_t *marks)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region region = {
		.quarks = &quark, .quark_count = 1, .from = info->start, .to = info->end
	};
	struct histree_cursor *query;
	histree_time covered = 0;
	assert_ok(histree_query_create(history, &query, NULL));
	assert_ok(histree_query_start(query, &region, NULL));
	while (histree_cursor_next(query, NULL) == HISTREE_OK) {
		const struct histree_interval state = *histree_cursor_interval(query);
		memset(marks + (state.start - START), is_apart(&state.value),
		       (size_t)(state.end - state.start + 1));
		covered += state.end - state.start + 1;
	}
	assert_int_equal(covered, info->end - info->start + 1);
	histree_cursor_free(query);
}

static void expect_rows(struct histree_history *history)
{
	const struct pyramid *pyramid = history_pyramid(history, PYRAMID_ROWS);
	const size_t length = (size_t)(histree_history_info(history)->end - START + 1);
	uint8_t *one = malloc(length), *other = malloc(length);
	assert_true(one != NULL && other != NULL);
	for (uint32_t level = 0; level < pyramid->level_count; level++)
		for (size_t i = 0; i < pyramid->levels[level].count; i++) {
			const struct pyramid_entry *entry = &pyramid->levels[level].entries[i];
			int64_t ahead = 0;
			read_apart(history, entry->quark, one);
			read_apart(pyramid->levels[level].history, entry->own, other);
			for (size_t t = 0; t < length; t++) {
				if (t % ((size_t)1 << entry->width_log2) == 0)
					assert_int_equal(ahead, 0);
				ahead += one[t] - other[t];
			}
			assert_int_equal(ahead, 0);
		}
	free(one);
	free(other);
}

/* ---- the complete file -------------------------------------------------------------------------------------- */

/* A number for all states of all pyramids, in whatever order a file has them. */
static uint64_t sum_of_pyramids(struct histree_history *history)
{
	uint64_t sum = 0;
	for (unsigned id = 0; id < PYRAMIDS; id++) {
		const struct pyramid *pyramid = history_pyramid(history, id);
		const uint32_t files = id == PYRAMID_ROWS ? pyramid->level_count : pyramid->level_count > 0;
		for (uint32_t file = 0; file < files; file++) {
			const struct histree_history_info *info =
				histree_history_info(pyramid->levels[file].history);
			const struct histree_region all = { .from = info->start, .to = info->end };
			struct histree_cursor *query;
			assert_ok(histree_query_create(pyramid->levels[file].history, &query, NULL));
			assert_ok(histree_query_start(query, &all, NULL));
			while (histree_cursor_next(query, NULL) == HISTREE_OK) {
				const struct histree_interval *state = histree_cursor_interval(query);
				uint64_t hash = hash_mix(state->quark + (uint64_t)id * 1000 + file * 100000);
				hash = hash_mix(hash + (uint64_t)state->start);
				hash = hash_mix(hash + (uint64_t)state->end);
				hash = hash_mix(hash + state->value.type);
				if (state->value.type == HISTREE_CUSTOM || state->value.type == HISTREE_STRING)
					hash += hash_bytes(state->value.bytes, state->value.size);
				else if (state->value.type == HISTREE_INT)
					hash += (uint32_t)state->value.int32;
				sum += hash_mix(hash);
			}
			histree_cursor_free(query);
		}
	}
	return sum;
}

static uint64_t open_and_sum(void)
{
	struct histree_history *history;
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	const uint64_t sum = sum_of_pyramids(history);
	histree_history_close(history);
	return sum;
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

/* With `is_tight`, cells become wider while they are fed, and again when they are chosen. */
static void try(uint32_t window, bool is_tight, bool is_left, bool is_decided)
{
	const struct overview_options options = {
		.history_states_min = 1,
		.states_min = 300,
		.states_in_cell = 8,
		.states_in_window = window,
		.cells_min = 64,
		.cells_least = 8,
		.cost_max_share = 2,
		.percent_max = 1000,
		.numbers_percent_max = is_tight ? 20 : 100,
		.number_states_min = 300,
		.number_states_log2 = 4,
		.sums_percent_max = is_tight ? 20 : 100,
		.threads = 1,
	};
	struct overview_options of_feed = options;
	struct world world;
	of_feed.memory_max = is_tight ? 20 << 10 : 0;
	begin(&world, &of_feed);
	world.is_decided = is_decided;
	for (uint32_t i = 0; i < CHANGES; i++)
		step(&world, i);
	if (is_left) {
		histree_state_free(world.system);
		assert_null(overview_feed_owners(world.feed));
		overview_feed_free(world.feed);
		return;
	}
	assert_ok(histree_state_close(world.system, world.now + below(50), NULL));
	histree_state_free(world.system);
	assert_non_null(overview_feed_owners(world.feed));
	assert_ok(overviews_write_fed(&io_posix, path, &options, world.feed, NULL));
	overview_feed_free(world.feed);
	const struct histree_open_options how = { .no_overviews = false };
	struct histree_history *history;
	assert_ok(histree_history_open(path, &how, &history, NULL));
	for (unsigned id = 0; id < PYRAMIDS; id++)
		fed[id] += history_pyramid(history, id)->level_count > 0;
	assert_ok(histree_numbers_verify(history, say, NULL, NULL));
	assert_ok(histree_sums_verify(history, say, NULL, NULL));
	assert_ok(histree_history_verify(history, say, NULL, NULL));
	expect_rows(history);
	histree_history_close(history);
	if (is_decided) {
		const uint64_t sum = open_and_sum();
		assert_ok(overviews_write(&io_posix, path, &options, NULL));
		assert_int_equal(open_and_sum(), sum);
	}
	history_files_remove(path);
}

TEST(owners_have_what_states_say)
{
	static const uint32_t windows[] = { 8, 60, 1000, 10 * CHANGES };
	for (unsigned seed = 0; seed < 12; seed++) {
		srand(seed);
		try(windows[seed % 4], seed >= 6, false, false);
	}
	assert_int_equal(fed[PYRAMID_ROWS], 12);
	assert_int_equal(fed[PYRAMID_NUMBERS], 12);
	assert_int_equal(fed[PYRAMID_SUMS], 12);
	srand(1);
	try(60, false, true, false);
	history_files_remove(path);
}

TEST(a_complete_file_has_the_same)
{
	for (unsigned seed = 0; seed < 6; seed++) {
		srand(seed);
		try(seed % 2 == 0 ? 1000 : 10 * CHANGES, false, false, true);
	}
}

/* One of the first states of an attribute stays undecided while it gets more than wait for it. */
TEST(a_gap_that_stays_open_is_read_from_the_complete_file)
{
	enum { MORE_THAN_WAIT = 6000 };
	const struct overview_options options = { .history_states_min = 1,
						  .states_min = 300,
						  .percent_max = 1000,
						  .numbers_percent_max = 100,
						  .sums_percent_max = 100,
						  .threads = 1 };
	struct world world;
	struct histree_history *history;
	begin(&world, &options);
	const struct undecided_value first = {
		.fact = world.fact, .believed = histree_int(2), .if_null = 2, .if_other = 3
	};
	assert_true(state_modify_undecided(world.system, world.now, world.quarks[0], &first, NULL) >= 0);
	for (int i = 0; i < MORE_THAN_WAIT; i++)
		assert_ok(
			histree_state_modify(world.system, ++world.now, world.quarks[0], histree_int(i % 5), NULL));
	assert_ok(histree_state_close(world.system, world.now + 1, NULL));
	histree_state_free(world.system);
	assert_null(overview_feed_owners(world.feed));
	assert_ok(overviews_write_fed(&io_posix, path, &options, world.feed, NULL));
	overview_feed_free(world.feed);
	assert_ok(histree_history_open(path, NULL, &history, NULL));
	assert_int_equal(history_pyramid(history, PYRAMID_SUMS)->levels[0].count, 1);
	assert_int_equal(history_pyramid(history, PYRAMID_NUMBERS)->levels[0].count, 1);
	histree_history_close(history);
	const uint64_t sum = open_and_sum();
	assert_ok(overviews_write(&io_posix, path, &options, NULL));
	assert_int_equal(open_and_sum(), sum);
	history_files_remove(path);
}

static int name_file(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "test_owner_feed.%ld.sht", (long)getpid());
	return 0;
}

TEST_FILE(name_file, NULL)
