// SPDX-License-Identifier: MIT
/*
 * test_pyramid_maker.c - cells may be filled by somebody who has states as they end, in any order of the owners,
 * who takes what is ready whenever he likes, and who reads nothing again: each cell is that of the pyramid in the
 * file.
 */
#include "base/hash_index.h"
#include "histree/attributes.h"
#include "histree/history.h"
#include "overview/overview_feed.h"
#include "overview/overview_writer.h"
#include "overview/pyramid_maker.h"
#include "state/history.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/test.h"

enum { ATTRIBUTES = 4, STATES = 12000, VALUES = 5 };

static char path[64];

static void build(struct random *random)
{
	static const struct histree_label labels[] = {
		{ .first = 0, .last = VALUES, .is_code = true, .style = { "STATUS", "status", 1, 1, 1 } },
	};
	static const char *const patterns[] = { "*", NULL };
	static const struct histree_label_table table = {
		.name = "status", .patterns = patterns, .labels = labels, .label_count = 1
	};
	const struct histree_history_options made = { .path = path, .provider = "test", .start = 1000 };
	struct histree_state_system *system;
	histree_time now = made.start;
	history_files_remove(path);
	assert_ok(histree_state_create(&made, &system, NULL));
	assert_ok(histree_state_labels(system, &table, 1, NULL));
	for (unsigned i = 0; i < ATTRIBUTES; i++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "a%u", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
	}
	for (unsigned i = 0; i < STATES; i++) {
		/* Some states are longer than many cells of the level above. */
		now += 1 + (histree_time)random_below(random, random_percent(random, 1) ? 20000 : 60);
		struct histree_value value = histree_int((int32_t)random_below(random, VALUES));
		if (random_percent(random, 10))
			value = random_percent(random, 50) ? histree_unknown() : histree_null();
		assert_ok(histree_state_modify(system, now, (histree_quark)random_below(random, ATTRIBUTES), value,
					       NULL));
	}
	assert_ok(histree_state_close(system, now + 77, NULL));
	histree_state_free(system);
}

/* ---- what there is ------------------------------------------------------------------------------------------- */

struct compared {
	struct histree_cursor *query; /* of the pyramid that was made */
	uint64_t *ns;                 /* by attribute of it: of what was given */
};

/* One cell is as it is there; what is alike may be one state there, or several. */
static enum histree_status compare(void *context, const struct ready_states *ready, struct histree_error *error)
{
	struct compared *compared = context;
	(void)error;
	for (size_t i = 0; i < ready->count; i++) {
		const struct histree_interval cell = ready_states_get(ready, i);
		const bool is_one = cell.value.type == HISTREE_CUSTOM && cell.value.size > 1;
		struct histree_interval there;
		for (histree_time t = cell.start; t <= cell.end; t = there.end + 1) {
			assert_ok(histree_query_single(compared->query, cell.quark, t, &there, NULL));
			assert_true(histree_value_equal(&there.value, &cell.value));
			assert_true(!is_one || (there.start == cell.start && there.end == cell.end));
		}
		compared->ns[cell.quark] += (uint64_t)(cell.end - cell.start) + 1;
	}
	return HISTREE_OK;
}

/* ---- who has states as they end ------------------------------------------------------------------------------ */

static int by_end(const void *one, const void *other)
{
	const struct histree_interval *a = one, *b = other;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (a->quark < b->quark) - (a->quark > b->quark); /* not the order in which a replay has them */
}

static struct histree_interval *read_states(struct histree_history *history, size_t *count)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region all = { .from = info->start, .to = info->end };
	struct histree_interval *states = calloc(info->interval_count, sizeof(*states));
	struct histree_cursor *query;
	assert_non_null(states);
	assert_ok(histree_query_create(history, &query, NULL));
	assert_ok(histree_query_start(query, &all, NULL));
	for (*count = 0; histree_cursor_next(query, NULL) == HISTREE_OK; ++*count) {
		states[*count] = *histree_cursor_interval(query);
		assert_true(*count < info->interval_count);
	}
	histree_cursor_free(query);
	qsort(states, *count, sizeof(*states), by_end);
	return states;
}

static void add(struct pyramid_maker *maker, const struct histree_interval *state)
{
	for (uint32_t owner = 0; owner < maker->owner_count; owner++)
		if (maker->owners[owner].quark == state->quark)
			assert_ok(pyramid_maker_add(maker, owner, state, NULL));
}

static void add_all(struct pyramid_maker *maker, const struct histree_interval *states, size_t count,
		    struct random *random)
{
	for (size_t next = 0; next < count; next++) {
		add(maker, &states[next]);
		if (random_percent(random, 1))
			assert_ok(pyramid_maker_give(maker, NULL));
	}
}

static void is_the_same(struct histree_history *history, enum pyramid_id id, struct random *random)
{
	const struct overview_options options = { .threads = 1 };
	const struct pyramid *there = history_pyramid(history, id);
	const struct pyramid_source source = { .path = path, .history = history, .options = &options };
	struct pyramid_maker maker = { .kind = NULL };
	struct compared compared = { .ns = NULL };
	size_t count;
	assert_true(there->level_count > 1);
	struct histree_history *file = there->levels[0].history;
	struct histree_interval *states = read_states(history, &count);
	compared.ns = calloc(histree_history_info(file)->attribute_count, sizeof(*compared.ns));
	assert_non_null(compared.ns);
	assert_ok(histree_query_create(file, &compared.query, NULL));
	assert_ok(pyramid_maker_again(&maker, cell_kinds[id], &source, there, NULL, NULL));
	maker.give = compare;
	maker.give_context = &compared;
	add_all(&maker, states, count, random);
	assert_ok(pyramid_maker_finish(&maker, NULL));
	for (size_t i = 0; i < maker.owner_count; i++)
		for (uint32_t level = 0; level < maker.owners[i].level_count; level++)
			assert_int_equal(compared.ns[maker.owners[i].own[level]],
					 (uint64_t)(maker.of.end - maker.of.start) + 1);
	assert_int_equal(maker.owner_count, ATTRIBUTES);
	pyramid_maker_release(&maker);
	histree_cursor_free(compared.query);
	free(compared.ns);
	free(states);
}

TEST(cells_may_be_filled_as_states_end)
{
	const struct overview_options options = {
		.history_states_min = 1,
		.states_min = UINT32_MAX,
		.percent_max = 100000,
		.numbers_percent_max = 50000,
		.number_states_min = 8,
		.number_states_log2 = 2,
		.sums_percent_max = 50000,
		.sum_states_min = 8,
	};
	struct random random = { test_seed() };
	snprintf(path, sizeof(path), "test_pyramid_maker.%ld.sht", (long)getpid());
	for (uint64_t round = test_effort(20, 4) * test_rounds(); round > 0; round--) {
		struct histree_history *history;
		build(&random);
		assert_ok(overviews_write(&io_posix, path, &options, NULL));
		assert_ok(histree_history_open(path, NULL, &history, NULL));
		is_the_same(history, PYRAMID_NUMBERS, &random);
		is_the_same(history, PYRAMID_SUMS, &random);
		histree_history_close(history);
	}
	history_files_remove(path);
}
