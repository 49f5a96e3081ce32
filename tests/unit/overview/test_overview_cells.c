// SPDX-License-Identifier: MIT
/*
 * test_overview_cells.c - random states of one attribute, made fewer in random windows, against sums over the
 * array.
 *
 * A piece is what a window has of a cell between two long states: in each, what was kept is compared with the plain
 * sum of every value.
 */
#include "base/hash_index.h"
#include "overview/row_pyramid.h"
#include "support/effort.h"
#include "support/test.h"
#include "support/workload.h"

enum { STATES_MAX = 600, VALUES_MAX = 200, RUNS = 400, RUNS_OF_ALL_TIME = 100, ATTRIBUTE = 7 };

struct cells_case {
	struct random random;
	unsigned width_log2;
	uint32_t value_count;
	uint32_t apart[OVERVIEW_VALUES_APART];
	struct overview_state states[STATES_MAX];
	size_t count;
	/* What came of all windows, one after the other. */
	struct overview_state *overview;
	size_t overview_count;
};

/* How long each value lasted; the rest comes last. */
struct sums {
	uint64_t ns[VALUES_MAX + 1];
};

static uint64_t after(const struct cells_case *test, histree_time t)
{
	return (uint64_t)t - (uint64_t)test->states[0].start;
}

static bool is_short(const struct cells_case *test, const struct overview_state *state)
{
	return (uint64_t)state->end - (uint64_t)state->start < (UINT64_C(1) << test->width_log2) - 1;
}

static bool is_apart(const struct cells_case *test, uint32_t value)
{
	for (size_t i = 0; i < OVERVIEW_VALUES_APART; i++)
		if (test->apart[i] == value)
			return true;
	return false;
}

/* ---- making ---------------------------------------------------------------------------------------------- */

static uint32_t some_value(struct cells_case *test)
{
	return random_percent(&test->random, 5) ? OVERVIEW_REST
						: (uint32_t)random_below(&test->random, test->value_count);
}

static void choose_values(struct cells_case *test)
{
	static const uint32_t counts[] = { 1, 2, 3, 5, 20, VALUES_MAX };
	test->value_count = counts[random_below(&test->random, 6)];
	for (size_t i = 0; i < OVERVIEW_VALUES_APART; i++)
		test->apart[i] = some_value(test);
}

/* From far shorter to far longer than a cell; mostly what is short stays among itself. */
static void make_states(struct cells_case *test)
{
	histree_time start = (histree_time)random_below(&test->random, 2000) - 1000;
	uint64_t width = UINT64_C(1) << test->width_log2, most = 1;
	test->count = 1 + random_below(&test->random, STATES_MAX);
	for (size_t i = 0; i < test->count; i++) {
		if (i == 0 || random_percent(&test->random, 5))
			most = 1 + random_below(&test->random,
						random_percent(&test->random, 70) ? width / 8 + 2 : 4 * width);
		uint64_t length = random_percent(&test->random, 2) ? width : 1 + random_below(&test->random, most);
		test->states[i] = (struct overview_state){
			.start = start,
			.end = start + (histree_time)(length - 1),
			.value = some_value(test),
			.attribute = ATTRIBUTE,
		};
		start = test->states[i].end + 1;
	}
}

static int compare_times(const void *one, const void *other)
{
	histree_time a = *(const histree_time *)one, b = *(const histree_time *)other;
	return (a > b) - (a < b);
}

/* From INT64_MIN, or anywhere, to INT64_MAX, cut at random: anywhere, or within a few ns of the end of a cell. */
static void make_states_of_all_time(struct cells_case *test)
{
	histree_time ends[STATES_MAX];
	size_t count = random_below(&test->random, 60);
	histree_time start =
		random_percent(&test->random, 50) ? INT64_MIN : (histree_time)random_bits(&test->random);
	for (size_t i = 0; i < count; i++) {
		uint64_t t = random_bits(&test->random);
		if (random_percent(&test->random, 50))
			t = (t >> test->width_log2 << test->width_log2) + random_below(&test->random, 5) - 2;
		ends[i] = (histree_time)((uint64_t)start + t);
	}
	ends[count++] = INT64_MAX;
	qsort(ends, count, sizeof(*ends), compare_times);
	test->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (ends[i] < start || (i + 1 < count && ends[i] == INT64_MAX))
			continue;
		test->states[test->count++] = (struct overview_state){
			.start = start,
			.end = ends[i],
			.value = some_value(test),
			.attribute = ATTRIBUTE,
		};
		if (ends[i] < INT64_MAX)
			start = ends[i] + 1;
	}
}

/* ---- one piece ------------------------------------------------------------------------------------------- */

static struct sums sums_of(const struct overview_state *states, size_t count, histree_time from, histree_time to)
{
	struct sums sums = { { 0 } };
	for (size_t i = 0; i < count; i++) {
		if (states[i].start > to || states[i].end < from)
			continue;
		histree_time start = states[i].start > from ? states[i].start : from;
		histree_time end = states[i].end < to ? states[i].end : to;
		sums.ns[states[i].value == OVERVIEW_REST ? VALUES_MAX : states[i].value] +=
			(uint64_t)end - (uint64_t)start + 1;
	}
	return sums;
}

static unsigned count_longer(const struct sums *sums, uint64_t ns)
{
	unsigned longer = 0;
	for (uint32_t value = 0; value < VALUES_MAX; value++)
		longer += sums->ns[value] > ns;
	return longer;
}

static void check_piece(const struct cells_case *test, histree_time from, histree_time to)
{
	struct sums all = sums_of(test->states, test->count, from, to);
	struct sums kept = sums_of(test->overview, test->overview_count, from, to);
	uint64_t rest = all.ns[VALUES_MAX], sum = kept.ns[VALUES_MAX];
	unsigned longest = 0; /* kept, and not because they are apart */
	for (uint32_t value = 0; value < VALUES_MAX; value++) {
		sum += kept.ns[value];
		if (kept.ns[value] > 0) {
			assert_int_equal(kept.ns[value], all.ns[value]);
			unsigned longer = count_longer(&all, all.ns[value]);
			assert_true(longer < OVERVIEW_VALUES_KEPT || is_apart(test, value));
			longest += longer < OVERVIEW_VALUES_KEPT;
		} else if (all.ns[value] > 0) {
			assert_false(is_apart(test, value));
			assert_true(count_longer(&all, all.ns[value] - 1) > OVERVIEW_VALUES_KEPT);
			rest += all.ns[value];
		}
	}
	unsigned values = count_longer(&all, 0);
	assert_true(longest >= (values < OVERVIEW_VALUES_KEPT ? values : OVERVIEW_VALUES_KEPT));
	assert_int_equal(kept.ns[VALUES_MAX], rest);
	assert_int_equal(sum, (uint64_t)to - (uint64_t)from + 1);
}

/* From `from` to `to` there are short states only. */
static void check_pieces(const struct cells_case *test, histree_time from, histree_time to)
{
	for (;;) {
		uint64_t cell = after(test, from) >> test->width_log2;
		uint64_t last = ((cell + 1) << test->width_log2) - 1; /* behind the last cell of all time is 0 */
		histree_time end =
			last < after(test, to) ? (histree_time)((uint64_t)test->states[0].start + last) : to;
		check_piece(test, from, end);
		if (end == to)
			return;
		from = end + 1;
	}
}

static void check_window(const struct cells_case *test, histree_time from, histree_time to)
{
	bool is_open = false;
	histree_time begin = 0;
	for (size_t i = 0; i < test->count; i++) {
		const struct overview_state *state = &test->states[i];
		if (state->end < from || state->start > to)
			continue;
		if (is_short(test, state) && !is_open)
			begin = state->start > from ? state->start : from;
		else if (!is_short(test, state) && is_open)
			check_pieces(test, begin, state->start - 1);
		is_open = is_short(test, state);
		if (is_open && (state->end >= to || i + 1 == test->count))
			check_pieces(test, begin, state->end < to ? state->end : to);
	}
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static void overview_window(struct cells_case *test, struct overview_cells *cells, histree_time from,
			    histree_time to)
{
	struct overview_scale scale = {
		.origin = test->states[0].start,
		.from = from,
		.to = to,
		.width_log2 = test->width_log2,
		.value_count = test->value_count,
	};
	struct overview_state window[STATES_MAX];
	size_t count = 0;
	memcpy(scale.apart, test->apart, sizeof(scale.apart));
	for (size_t i = 0; i < test->count; i++)
		if (test->states[i].start <= to && test->states[i].end >= from)
			window[count++] = test->states[i];
	overview_cells_clear(cells);
	assert_ok(overview_cells_add(cells, &scale, window, count, NULL));
	test->overview =
		realloc(test->overview, (test->overview_count + cells->count + 1) * sizeof(*test->overview));
	assert_non_null(test->overview);
	if (cells->count > 0)
		memcpy(test->overview + test->overview_count, cells->states, cells->count * sizeof(*cells->states));
	test->overview_count += cells->count;
}

/* One after the other, from the beginning to the end. */
static void check_order(const struct cells_case *test)
{
	assert_true(test->overview_count > 0);
	assert_int_equal(test->overview[0].start, test->states[0].start);
	assert_int_equal(test->overview[test->overview_count - 1].end, test->states[test->count - 1].end);
	for (size_t i = 0; i < test->overview_count; i++) {
		assert_int_equal(test->overview[i].attribute, ATTRIBUTE);
		assert_true(test->overview[i].start <= test->overview[i].end);
		assert_true(i == 0 || test->overview[i].start == test->overview[i - 1].end + 1);
	}
}

/* They are in order and nothing overlaps: what is found is there once. */
static void check_long(const struct cells_case *test, const struct overview_state *state)
{
	size_t i = 0;
	while (test->overview[i].start < state->start)
		i++;
	assert_memory_equal(&test->overview[i], state, sizeof(*state));
}

static void overview_and_check(struct cells_case *test, uint64_t window_max)
{
	struct overview_cells cells = { 0 };
	struct {
		histree_time from, to;
	} windows[STATES_MAX];
	size_t count = 0;
	histree_time from = test->states[0].start, end = test->states[test->count - 1].end;
	for (bool is_last = false; !is_last;) {
		uint64_t left = (uint64_t)end - (uint64_t)from, length = random_below(&test->random, window_max);
		is_last = length >= left || count + 1 == STATES_MAX;
		histree_time to = is_last ? end : (histree_time)((uint64_t)from + length);
		size_t before = test->overview_count;
		overview_window(test, &cells, from, to);
		/* A long state is of the window in which it ends. */
		assert_true(test->overview_count == before || test->overview[test->overview_count - 1].end <= to);
		windows[count].from = from;
		windows[count++].to = to;
		if (!is_last)
			from = to + 1;
	}
	check_order(test);
	for (size_t i = 0; i < count; i++)
		check_window(test, windows[i].from, windows[i].to);
	for (size_t i = 0; i < test->count; i++)
		if (!is_short(test, &test->states[i]))
			check_long(test, &test->states[i]);
	overview_cells_release(&cells);
	free(test->overview);
}

static struct cells_case *new_case(uint64_t seed)
{
	struct cells_case *test = calloc(1, sizeof(*test));
	assert_non_null(test);
	test->random.state = seed;
	choose_values(test);
	return test;
}

TEST(cells_are_as_their_states_say)
{
	for (uint64_t run = 0; run < RUNS * test_rounds(); run++) {
		struct cells_case *test = new_case(test_seed() + run);
		test->width_log2 = (unsigned)random_below(&test->random, 11);
		make_states(test);
		uint64_t span = after(test, test->states[test->count - 1].end);
		overview_and_check(test, 1 + span / (1 + random_below(&test->random, 30)));
		free(test);
	}
}

TEST(cells_of_all_time)
{
	static const unsigned widths_log2[] = { 0, 1, 20, 57, 60, 61, 62 };
	for (uint64_t run = 0; run < RUNS_OF_ALL_TIME * test_rounds(); run++) {
		struct cells_case *test = new_case(test_seed() + run);
		/* Short states in short cells are for the other test: there would be too many cells here. */
		test->width_log2 = widths_log2[run % 7];
		make_states_of_all_time(test);
		overview_and_check(test, UINT64_MAX / (1 + random_below(&test->random, 30)));
		free(test);
	}
}
