// SPDX-License-Identifier: MIT
/*
 * property_overview_usage.c - the usage of CPUs that is made of overviews, against the one that is made of the
 * history.
 */
#include "driver.h"
#include "overview_case.h"
#include "query/row_group.h"
#include "state/history.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/test.h"
#include "view/view.h"

enum { HISTORIES = 4, CPUS = 4, STATES_OF_CPU = 1500, REQUESTS = 30 };

static histree_quark cpus[CPUS];

/*
 * Idle every other time, or seldom; few threads, or a new one each time; null and unknown where events were lost.
 */
static struct histree_value some_thread(struct random *random, unsigned cpu)
{
	if (random_percent(random, 3))
		return random_percent(random, 50) ? histree_null() : histree_unknown();
	if (random_percent(random, cpu % 2 == 0 ? 50 : 10))
		return histree_int(0);
	return histree_int(1 + (int32_t)random_below(random, cpu < 2 ? 5 : 100000));
}

static void build(const char *path, struct random *random, histree_time start, unsigned step_log2)
{
	const struct histree_history_options options = { .path = path, .provider = "test", .start = start };
	struct histree_state_system *system;
	histree_time now = options.start;
	assert_ok(histree_state_create(&options, &system, NULL));
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		char name[32];
		snprintf(name, sizeof(name), "CPUs/%u/Current_thread", cpu);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &cpus[cpu], NULL));
	}
	for (unsigned i = 0; i < CPUS * STATES_OF_CPU; i++) {
		unsigned cpu = (unsigned)random_below(random, CPUS);
		now += (histree_time)(random_below(random, random_percent(random, 2) ? 10000 : 100) << step_log2);
		assert_ok(histree_state_modify(system, now, cpus[cpu], some_thread(random, cpu), NULL));
	}
	assert_ok(histree_state_close(system, now + 10, NULL));
	histree_state_free(system);
}

/* What the CPUs may differ in a pixel, ns: in the cell at each of its ends, half of a cell. */
static double tolerance(struct histree_history *history, uint64_t quotient, unsigned *from_overviews)
{
	double ns = 0;
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		const struct pyramid_entry *entry;
		if (pyramid_find_width(history_pyramid(history, PYRAMID_ROWS), cpus[cpu], quotient / 4, &entry) ==
		    UINT32_MAX)
			continue;
		ns += (double)(UINT64_C(1) << entry->width_log2);
		++*from_overviews;
	}
	return ns;
}

static void compare_curves(const double *some, const double *exact, const struct pixel_scale *scale, double most,
			   bool is_whole)
{
	double sum = 0;
	for (uint32_t pixel = 0; pixel < scale->pixels; pixel++) {
		double width = (double)(pixel_last(scale, pixel) - pixel_first(scale, pixel)) + 1;
		double difference = (some[pixel] - exact[pixel]) * width / 100;
		sum += difference;
		if (difference > most + 1e-3 || difference < -most - 1e-3)
			fail_msg("pixel %u of %u, from %lld to %lld: %f ns more, and not within %f", pixel,
				 scale->pixels, (long long)scale->from, (long long)scale->to, difference, most);
	}
	/* No cell is cut by the ends of the history. */
	if (is_whole && (sum > 1e-3 || sum < -1e-3))
		fail_msg("%u pixels of all of it: %f ns more", scale->pixels, sum);
}

static void compare(struct histree_history *with, struct histree_history *without, struct random *random,
		    unsigned *from_overviews)
{
	const struct histree_history_info *info = histree_history_info(with);
	struct histree_cpu_usage_request request = { .from = info->start, .to = info->end, .no_times = true };
	struct histree_cpu_usage *some, *exact;
	uint64_t half = ((uint64_t)info->end - (uint64_t)info->start) / 2;
	request.pixels = 1 + (uint32_t)random_below(random, 60);
	bool is_whole = random_percent(random, 40);
	if (!is_whole) {
		request.from += (histree_time)random_below(random, half);
		request.to -= (histree_time)random_below(random, half);
	}
	struct pixel_scale scale = pixel_scale(request.from, request.to, request.pixels);
	double most = tolerance(with, scale.quotient, from_overviews);
	assert_ok(histree_cpu_usage_create(with, &request, &some, NULL));
	assert_ok(histree_cpu_usage_create(without, &request, &exact, NULL));
	compare_curves(histree_cpu_usage_curve(some, 0), histree_cpu_usage_curve(exact, 0), &scale, most, is_whole);
	compare_curves(histree_cpu_usage_unknown(some), histree_cpu_usage_unknown(exact), &scale, most, is_whole);
	histree_cpu_usage_free(some);
	histree_cpu_usage_free(exact);
}

static void usage_is_right_to_within_a_cell(const void *kind, uint64_t seed)
{
	char path[64];
	unsigned from_overviews = 0;
	(void)kind;
	snprintf(path, sizeof(path), "property_overview_usage.%ld.sht", (long)getpid());
	for (uint64_t number = 0; number < HISTORIES; number++) {
		struct random random = { seed + number };
		const struct histree_open_options no_overviews = { .no_overviews = true };
		struct histree_history *with, *without;
		history_files_remove(path);
		build(path, &random, 5000, 0);
		const struct overview_options options = overview_case_options(&random);
		assert_ok(overviews_write(&io_posix, path, &options, NULL));
		assert_ok(histree_history_open(path, NULL, &with, NULL));
		assert_ok(histree_history_open(path, &no_overviews, &without, NULL));
		for (int i = 0; i < REQUESTS; i++)
			compare(with, without, &random, &from_overviews);
		histree_history_close(with);
		histree_history_close(without);
		history_files_remove(path);
	}
	assert_true(from_overviews > 50);
}

/* Whatever the order in which the CPUs' states come, and however long they are: of 64 states little is left. */
TEST(overviews_are_small)
{
	static const struct overview_options options = { .history_states_min = 1,
							 .states_min = 8,
							 .cells_min = 8,
							 .cost_max_share = 1,
							 .cells_least = 1,
							 .percent_max = 100000 };
	static const struct {
		histree_time start;
		unsigned step_log2;
	} kinds[] = { { 5000, 0 }, { INT64_MIN, 43 } };
	for (unsigned i = 0; i < 2; i++) {
		struct random random = { test_seed() };
		struct histree_history *history;
		char path[64];
		snprintf(path, sizeof(path), "property_overview_usage.%ld.sht", (long)getpid());
		history_files_remove(path);
		build(path, &random, kinds[i].start, kinds[i].step_log2);
		assert_ok(overviews_write(&io_posix, path, &options, NULL));
		assert_ok(histree_history_open(path, NULL, &history, NULL));
		assert_true(history_pyramid(history, PYRAMID_ROWS)->level_count > 0);
		const struct histree_history *overview = history_pyramid(history, PYRAMID_ROWS)->levels[0].history;
		uint64_t all = histree_history_info(history)->interval_count;
		assert_in_range(histree_history_info(overview)->interval_count, 1, all / 4);
		histree_history_close(history);
		history_files_remove(path);
	}
}

static const struct {
	const char *name;
} kinds[] = { { "states of CPUs" }, { NULL } };

PROPERTIES({ KINDS(kinds), .rounds = 1, .check = usage_is_right_to_within_a_cell })
