// SPDX-License-Identifier: MIT
/*
 * test_clock.c - clocks from packets: the lines that can be are those of a search through all pairs of points, and
 * a clock that was made up is found within the bound that is said.
 */
#include <math.h>

#include "base/hash_index.h"
#include "clock/clock.h"
#include "support/data.h"
#include "support/test.h"

enum { PACKETS_MAX = 60, ROUNDS = 400 };

#define EPOCH INT64_C(1361214078000000000)

struct packet {
	struct clock_point point;
	bool is_from_y;
};

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* Whether the line through two points leaves every packet on its side. */
static bool can_be(const struct packet *packets, size_t count, struct clock_point a, struct clock_point b)
{
	struct clock_slope slope = { b.y - a.y, b.x - a.x };
	for (size_t i = 0; i < count; i++) {
		wide_int over = clock_above(packets[i].point, a, slope);
		if (packets[i].is_from_y ? over > 0 : over < 0)
			return false;
	}
	return true;
}

static int compare_slopes(struct clock_slope a, struct clock_slope b)
{
	wide_int left = (wide_int)a.dy * b.dx, right = (wide_int)b.dy * a.dx;
	return (left > right) - (left < right);
}

/* The flattest and the steepest line through a point below and one above; false if there is none. */
static bool search(const struct packet *packets, size_t count, struct clock_slope *flattest,
		   struct clock_slope *steepest)
{
	bool found = false;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++) {
			struct clock_point a = packets[i].point, b = packets[j].point;
			if (a.x >= b.x || packets[i].is_from_y == packets[j].is_from_y ||
			    !can_be(packets, count, a, b))
				continue;
			struct clock_slope slope = { b.y - a.y, b.x - a.x };
			if (!found || compare_slopes(slope, *flattest) < 0)
				*flattest = slope;
			if (!found || compare_slopes(slope, *steepest) > 0)
				*steepest = slope;
			found = true;
		}
	return found;
}

static struct clock_slope slope_of(const struct clock_line *line)
{
	struct clock_slope slope = { line->above.y - line->below.y, line->above.x - line->below.x };
	return slope.dx > 0 ? slope : (struct clock_slope){ -slope.dy, -slope.dx };
}

/* y = x + offset + drift x / 10^6, packets take 50 us and more; some come late, so that x is not in order. */
static size_t draw_packets(struct random *random, struct packet *packets, histree_time offset, int64_t drift)
{
	size_t count = 4 + random_below(random, PACKETS_MAX - 4);
	for (size_t i = 0; i < count; i++) {
		histree_time x = EPOCH + (histree_time)(i * 1000000 + random_below(random, 3000000));
		histree_time delay =
			50000 + (histree_time)random_below(random, random_percent(random, 80) ? 20000 : 900000);
		histree_time y = x + offset + (x - EPOCH) * drift / 1000000;
		packets[i].is_from_y = random_percent(random, 50);
		packets[i].point = packets[i].is_from_y ? (struct clock_point){ x + delay, y }
							: (struct clock_point){ x, y + delay };
	}
	return count;
}

TEST(lines_are_those_of_a_search)
{
	struct random random = { 11 };
	unsigned lines = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct packet packets[PACKETS_MAX];
		struct clock_pair pair;
		struct clock_slope flattest = { 0 }, steepest = { 0 };
		size_t count =
			draw_packets(&random, packets, -79800000000 + (histree_time)round, (int64_t)round - 200);
		clock_pair_begin(&pair);
		for (size_t i = 0; i < count; i++)
			assert_true(clock_pair_add(&pair, packets[i].point, packets[i].is_from_y));
		assert_false(pair.is_contradicted);
		assert_int_equal(pair.matches, count);
		bool found = search(packets, count, &flattest, &steepest);
		assert_true(found || !(pair.flattest.is_there && pair.steepest.is_there));
		if (found && pair.flattest.is_there)
			assert_int_equal(compare_slopes(slope_of(&pair.flattest), flattest), 0);
		if (found && pair.steepest.is_there)
			assert_int_equal(compare_slopes(slope_of(&pair.steepest), steepest), 0);
		lines += found && pair.flattest.is_there && pair.steepest.is_there;
		clock_pair_release(&pair);
	}
	assert_true(lines > ROUNDS / 2);
}

TEST(a_clock_is_found_within_its_bound)
{
	struct random random = { 12 };
	unsigned accurate = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct packet packets[PACKETS_MAX];
		struct clock_pair pair;
		int64_t drift = (int64_t)random_below(&random, 400) - 200;
		histree_time offset = (histree_time)random_below(&random, 1u << 30) - (1 << 29);
		size_t count = draw_packets(&random, packets, offset, drift);
		clock_pair_begin(&pair);
		for (size_t i = 0; i < count; i++)
			assert_true(clock_pair_add(&pair, packets[i].point, packets[i].is_from_y));
		const struct histree_clock clock = clock_pair_fit(&pair);
		const struct histree_clock back = clock_invert(&clock);
		accurate += clock.quality == HISTREE_CLOCK_ACCURATE;
		for (histree_time x = pair.first; x <= pair.last && clock.quality == HISTREE_CLOCK_ACCURATE;
		     x += 1000003) {
			histree_time y = x + offset + (x - EPOCH) * drift / 1000000;
			histree_time found = histree_clock_apply(&clock, y);
			if (!(fabs((double)(found - x)) <= clock.error * 1.001 + 2))
				fail_msg("round %u: off by %" PRId64 " at %" PRId64 " of %" PRId64
					 ", bound %g, slope %g",
					 round, found - x, x - pair.first, pair.last - pair.first, clock.error,
					 histree_clock_slope(&clock));
			assert_true(llabs(histree_clock_apply(&back, found) - y) <= 2);
		}
		clock_pair_release(&pair);
	}
	assert_true(accurate > ROUNDS / 2);
}

TEST(packets_that_contradict_each_other_correct_nothing)
{
	struct clock_pair pair;
	clock_pair_begin(&pair);
	for (int i = 0; i < 10; i++) {
		histree_time x = EPOCH + i * 1000000, step = i < 6 ? 0 : -50000000; /* the clock of y is set back */
		assert_true(clock_pair_add(&pair, (struct clock_point){ x + 1000, x + step }, true));
		assert_true(clock_pair_add(&pair, (struct clock_point){ x + 2000, x + step + 3000 }, false));
	}
	assert_true(pair.is_contradicted);
	assert_int_equal(pair.contradiction.x, EPOCH + 6 * 1000000 + 2000);
	const struct histree_clock clock = clock_pair_fit(&pair);
	assert_int_equal(clock.quality, HISTREE_CLOCK_ABSENT);
	assert_int_equal(histree_clock_apply(&clock, EPOCH), EPOCH);
	assert_int_equal(histree_clock_apply(&clock, INT64_MIN), INT64_MIN);
	clock_pair_release(&pair);
}

TEST(one_side_bounds_an_offset)
{
	struct clock_pair pair;
	clock_pair_begin(&pair);
	assert_int_equal(clock_pair_fit(&pair).quality, HISTREE_CLOCK_ABSENT);
	assert_true(clock_pair_add(&pair, (struct clock_point){ EPOCH + 500, EPOCH + 7000 }, true));
	assert_true(clock_pair_add(&pair, (struct clock_point){ EPOCH + 9000, EPOCH + 15000 }, true));
	struct histree_clock clock = clock_pair_fit(&pair);
	assert_int_equal(clock.quality, HISTREE_CLOCK_APPROXIMATE);
	assert_true(isinf(clock.error));
	assert_int_equal(histree_clock_apply(&clock, EPOCH + 7000), EPOCH + 500); /* no earlier than it was sent */
	/* One the other way, at the same moment: now it is bounded, but its rate is not. */
	assert_true(clock_pair_add(&pair, (struct clock_point){ EPOCH + 500, EPOCH + 7600 }, false));
	clock = clock_pair_fit(&pair);
	assert_int_equal(clock.quality, HISTREE_CLOCK_APPROXIMATE);
	assert_true(clock.error == 300);
	assert_int_equal(histree_clock_apply(&clock, EPOCH + 7300), EPOCH + 500);
	clock_pair_release(&pair);
}

TEST(times_keep_their_order)
{
	const struct histree_clock clock = {
		.from = EPOCH, .to = EPOCH - 5, .fraction = 1u << 31, .rate = -(INT64_C(1) << 60)
	};
	histree_time last = INT64_MIN;
	for (histree_time t = EPOCH - 1000; t < EPOCH + 1000; t++) {
		assert_true(histree_clock_apply(&clock, t) >= last);
		last = histree_clock_apply(&clock, t);
	}
	assert_int_equal(histree_clock_apply(&clock, EPOCH), EPOCH - 5);
	assert_int_equal(histree_clock_apply(&clock, EPOCH + 4), EPOCH - 5 + 3);
	assert_true(histree_clock_slope(&clock) == 0.75);
	const struct histree_clock fast = { .from = 0, .to = 0, .rate = INT64_C(1) << 61 };
	assert_int_equal(histree_clock_apply(&fast, INT64_MAX), INT64_MAX);
	assert_int_equal(histree_clock_apply(&fast, INT64_MIN), INT64_MIN);
}

/* ---- many hosts ------------------------------------------------------------------------------------------- */

/* Packets both ways between hosts whose clocks are off by what is given; they take `delay`. */
static void exchange(struct clock_link *link, histree_time x_off, histree_time y_off, histree_time delay)
{
	clock_pair_begin(&link->pair);
	for (int i = 0; i < 20; i++) {
		histree_time at = EPOCH + i * 1000000;
		assert_true(
			clock_pair_add(&link->pair, (struct clock_point){ at + delay + x_off, at + y_off }, true));
		at += 300000;
		assert_true(
			clock_pair_add(&link->pair, (struct clock_point){ at + x_off, at + delay + y_off }, false));
	}
}

TEST(hosts_hang_on_the_best_path)
{
	static const histree_time off[] = { 1000, -70000000, 123456789, 0, 5 };
	struct clock_link links[] = {
		{ .x = 0, .y = 2 }, { .x = 1, .y = 0 }, { .x = 1, .y = 2 }, { .x = 2, .y = 3 }
	};
	struct histree_clock clocks[5];
	size_t neighbours[5];
	exchange(&links[0], off[0], off[2], 5000000); /* slow: round about is better */
	exchange(&links[1], off[1], off[0], 1000);
	exchange(&links[2], off[1], off[2], 1000);
	exchange(&links[3], off[2], off[3], 1000);
	clock_tree_find(links, 4, 0, 5, clocks, neighbours);
	assert_int_equal(clocks[0].quality, HISTREE_CLOCK_REFERENCE);
	assert_int_equal(neighbours[1], 0);
	assert_int_equal(neighbours[2], 1);
	assert_int_equal(neighbours[3], 2);
	assert_int_equal(neighbours[4], 4);
	assert_int_equal(clocks[4].quality, HISTREE_CLOCK_ABSENT);
	for (int host = 1; host < 4; host++) {
		assert_int_equal(clocks[host].quality, HISTREE_CLOCK_ACCURATE);
		for (int i = 0; i < 19; i++) {
			histree_time at = EPOCH + i * 1000000;
			double wrong = (double)(histree_clock_apply(&clocks[host], at + off[host]) - (at + off[0]));
			assert_true(fabs(wrong) <= clocks[host].error + 4);
		}
	}
	assert_true(clocks[3].error > clocks[2].error && clocks[2].error > clocks[1].error);
	for (int i = 0; i < 4; i++)
		clock_pair_release(&links[i].pair);
}

/* ---- halves of packets ------------------------------------------------------------------------------------- */

static bool take(struct packet_table *table, uint32_t seq, uint32_t host, bool is_sent, histree_time time,
		 struct packet_half *other)
{
	const struct packet_half half = { .key = { seq, 1, 2 }, .host = host, .is_sent = is_sent, .time = time };
	return packet_table_take(table, &half, other);
}

TEST(halves_find_each_other)
{
	struct packet_table *table = packet_table_create();
	struct packet_half other;
	assert_non_null(table);
	assert_false(take(table, 7, 0, true, 10, &other));
	assert_false(take(table, 7, 0, true, 11, &other)); /* again: the first one is meant */
	assert_false(take(table, 8, 1, true, 12, &other));
	assert_true(take(table, 7, 1, false, 13, &other));
	assert_true(other.host == 0 && other.time == 10);
	assert_false(take(table, 7, 1, false, 14, &other)); /* none is left */
	assert_false(take(table, 7, 1, true, 15, &other));  /* nobody receives what it has yet to send */
	assert_true(take(table, 7, 0, true, 16, &other));   /* but by another clock that may be */
	assert_int_equal(other.time, 14);
	assert_true(take(table, 8, 1, false, 17, &other)); /* to itself */
	assert_int_equal(other.host, 1);
	/* There is room for so many, and the oldest goes first. */
	assert_false(take(table, 1, 0, true, 20, &other));
	for (uint32_t i = 0; i < PACKET_TABLE_ROOM; i++)
		assert_false(take(table, 1000 + i, 0, true, 21 + i, &other));
	assert_false(take(table, 1, 1, false, 0, &other));
	assert_true(take(table, 1001, 1, false, 0, &other));
	packet_table_free(table);
}

/* ---- a recorded copy between two machines ------------------------------------------------------------------ */

TEST(a_recorded_copy_has_the_published_clock)
{
	char path[DATA_PATH_SIZE], line[512], from[64], to[64];
	long long sent, received;
	struct clock_pair pair;
	if (!shared_path(path, "oracle/sync-scp-matches.tsv"))
		skip();
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	clock_pair_begin(&pair);
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "%*d\t%63s\t%lld\t%63s\t%lld", from, &sent, to, &received) == 4) {
			bool is_from_y = strcmp(from, "scp_src") == 0;
			struct clock_point point = { is_from_y ? received : sent, is_from_y ? sent : received };
			assert_true(clock_pair_add(&pair, point, is_from_y));
		}
	fclose(file);
	const struct histree_clock clock = clock_pair_fit(&pair);
	assert_int_equal(pair.matches, 46);
	assert_int_equal(pair.accurate, 25);
	assert_int_equal(clock.quality, HISTREE_CLOCK_ACCURATE);
	assert_true(fabs(histree_clock_slope(&clock) - 0.9999413783703139011) < 1e-16);
	assert_true(fabs(histree_clock_offset(&clock) - 79796507913179.33347660124688) < 1);
	static const histree_time times[][2] = { { 1361214078963711320, 1361214078883963984 },
						 { 1361214090000000000, 1361214089919605698 },
						 { 1361214096385469974, 1361214096304701345 } };
	for (size_t i = 0; i < 3; i++)
		assert_true(llabs(histree_clock_apply(&clock, times[i][0]) - times[i][1]) <= 1);
	clock_pair_release(&pair);
}
