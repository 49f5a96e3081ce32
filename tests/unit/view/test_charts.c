// SPDX-License-Identifier: MIT
/*
 * test_charts.c - charts that a history declares: what is refused, every byte of their section as every other,
 * copies and damage; and their rows and lines against a walk over the states that the history was made of.
 */
#include <math.h>

#include "analysis/registry.h"
#include "base/hash_index.h"
#include "histree/history.h"
#include "state/charts.h"
#include "state/history.h"
#include "state/history_copy.h"
#include "state/state_file.h"
#include "store/block_file.h"
#include "support/memory_io.h"
#include "support/test.h"
#include "view/view.h"

enum { START = 100, END = 1000, NODES = 6, TIMES = 40 };

static const struct histree_chart_entry line_entries[] = {
	{ .parent = HISTREE_CHART_TOP, .path = "Nodes/*", .name = "Name" },
	{ .parent = 0, .path = "value", .shown = ".", .label = "is" },
	{ .parent = 0, .path = "value", .shown = ".", .label = "grows", .measure = HISTREE_CHART_DIFFERENCE },
	{ .parent = 0, .path = "v*", .shown = ".", .measure = HISTREE_CHART_RATE, .factor = -2.5 },
	{ .parent = HISTREE_CHART_TOP, .path = "Nodes", .shown = "/Nodes/0/value", .label = "of the first" },
	{ .parent = HISTREE_CHART_TOP, .path = "Nodes/*", .shown = "nowhere" },
	{ .parent = HISTREE_CHART_TOP, .path = "Nodes/*", .label = "of nothing" },
};
static const struct histree_chart_entry kin_entries[] = {
	{ .parent = HISTREE_CHART_TOP,
	  .path = "Nodes/*",
	  .shown = ".",
	  .name = "Name",
	  .id = "Id",
	  .above = "Above" },
};
static const struct histree_chart charts[] = {
	{ .name = "lines",
	  .title = "Numbers",
	  .unit = "B/s",
	  .entries = line_entries,
	  .entry_count = sizeof(line_entries) / sizeof(line_entries[0]) },
	{ .name = "kin",
	  .title = "Who is below whom",
	  .unit = "",
	  .kind = HISTREE_CHART_STATES,
	  .labels = "colours",
	  .entries = kin_entries,
	  .entry_count = 1 },
};

/* What the attribute `value` of each node is at each time. */
struct truth {
	double numbers[NODES][END + 1]; /* a NaN: not known */
};

static void set(struct histree_state_system *system, histree_time time, const char *path,
		struct histree_value value)
{
	histree_quark quark;
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL));
	assert_ok(histree_state_modify(system, time, quark, value, NULL));
}

static struct histree_value draw_value(struct random *random, double *number)
{
	int64_t drawn = (int64_t)random_below(random, 1000) - 300;
	*number = (double)drawn;
	if (random_percent(random, 10)) {
		*number = NAN;
		return histree_unknown();
	}
	if (random_percent(random, 10)) {
		*number = 0;
		return histree_null();
	}
	return histree_long(drawn);
}

/* Node 1 says that it is below node 0, and so on; 4 and 5 say that of each other. */
static void write_history(struct memory_io *memory, const char *provider, uint64_t seed, struct truth *truth)
{
	static const int above[NODES] = { -1, 0, 1, 9, 5, 4 };
	const struct histree_history_options options = {
		.path = "f", .provider = provider, .provider_version = 1, .start = START
	};
	struct histree_state_system *system;
	struct random random;
	char path[64];
	random = (struct random){ seed };
	assert_ok(state_file_create(&memory->io, &options, &system, NULL));
	assert_ok(histree_state_charts(system, charts, 2, NULL));
	for (int node = 0; node < NODES; node++) {
		snprintf(path, sizeof(path), "Nodes/%d", node);
		set(system, START, path, histree_int(node));
		snprintf(path, sizeof(path), "Nodes/%d/Id", node);
		set(system, START, path, histree_int(100 + node));
		snprintf(path, sizeof(path), "Nodes/%d/Above", node);
		set(system, START, path, above[node] < 0 ? histree_null() : histree_int(100 + above[node]));
	}
	set(system, START + 5, "Nodes/1/Name", histree_string("one"));
	for (histree_time time = START; time <= END; time++)
		for (int node = 0; node < NODES; node++) {
			double *number = &truth->numbers[node][time];
			*number = time > START ? number[-1] : 0;
			if (!random_percent(&random, 6))
				continue;
			snprintf(path, sizeof(path), "Nodes/%d/value", node);
			set(system, time, path, draw_value(&random, number));
		}
	assert_ok(histree_state_close(system, END, NULL));
	assert_int_equal(histree_state_charts(system, charts, 2, NULL), HISTREE_ERR_CLOSED);
	histree_state_free(system);
}

static struct histree_history *open_history(struct memory_io *memory, const char *path)
{
	struct block_file *file;
	struct histree_history *history;
	assert_ok(block_file_open(&memory->io, path, &file, NULL));
	assert_ok(history_open_file(file, NULL, &history, NULL));
	return history;
}

static struct histree_chart_view *view_of(struct histree_history *history, const char *name)
{
	struct histree_chart_view *view;
	assert_ok(histree_chart_view_create(history, name, (struct histree_work){ 0 }, &view, NULL));
	uint32_t count;
	histree_chart_view_rows(view, &count);
	assert_true(histree_chart_has_rows(history, histree_chart_view_chart(view)) == (count > 0));
	return view;
}

/* ---- what is declared ------------------------------------------------------------------------------------- */

static void refuse(struct histree_chart_entry entry, const char *why)
{
	const struct histree_chart chart = { "c", "t", "", HISTREE_CHART_LINES, NULL, &entry, 1 };
	struct histree_error error = { 0 };
	assert_int_equal(charts_check(&chart, 1, &error), HISTREE_ERR_ARGUMENT);
	if (strstr(error.message, why) == NULL)
		fail_msg("'%s' does not say '%s'", error.message, why);
}

TEST(what_makes_no_sense_is_refused)
{
	char longest[HISTREE_CHART_TEXT_MAX + 2];
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	refuse((struct histree_chart_entry){ HISTREE_CHART_TOP, .path = "" }, "1 to 255 bytes");
	refuse((struct histree_chart_entry){ HISTREE_CHART_TOP, .path = longest }, "1 to 255 bytes");
	refuse((struct histree_chart_entry){ HISTREE_CHART_TOP, .path = "a//b" }, "empty");
	refuse((struct histree_chart_entry){ HISTREE_CHART_TOP, .path = "a/../b" }, "'..'");
	refuse((struct histree_chart_entry){ HISTREE_CHART_TOP, .path = "a", .shown = "b/*" }, "star");
	refuse((struct histree_chart_entry){ HISTREE_CHART_TOP, .path = "a", .name = "/" }, "reference");
	refuse((struct histree_chart_entry){ HISTREE_CHART_TOP, .path = "a", .label = "" }, "label");
	refuse((struct histree_chart_entry){ HISTREE_CHART_TOP, .path = "a", .factor = INFINITY }, "factor");
	refuse((struct histree_chart_entry){ .parent = 0, .path = "a" }, "comes later");
	const struct histree_chart_entry good = { HISTREE_CHART_TOP, .path = "a" };
	const struct histree_chart two[] = { { "c", "t", "", HISTREE_CHART_LINES, NULL, &good, 1 },
					     { "c", "t", "", HISTREE_CHART_LINES, NULL, &good, 1 } };
	const struct histree_chart odd = { "a b", "t", "", HISTREE_CHART_LINES, NULL, &good, 1 };
	const struct histree_chart empty = { "c", "t", "", HISTREE_CHART_LINES, NULL, &good, 0 };
	assert_ok(charts_check(two, 1, NULL));
	assert_int_equal(charts_check(two, 2, NULL), HISTREE_ERR_ARGUMENT);
	assert_int_equal(charts_check(&odd, 1, NULL), HISTREE_ERR_ARGUMENT);
	assert_int_equal(charts_check(&empty, 1, NULL), HISTREE_ERR_ARGUMENT);
}

/* Whatever the bytes are: charts that could have been written, or none and a sentence. */
static void decode_odd(const uint8_t *bytes, size_t size)
{
	struct told_list found;
	struct histree_error error = { 0 };
	enum histree_status status = told_decode(&told_charts, bytes, size, &found, &error);
	if (status == HISTREE_OK) {
		assert_ok(charts_check(found.charts, found.count, NULL));
	} else {
		assert_true(status == HISTREE_ERR_FORMAT || status == HISTREE_NOT_FOUND);
		assert_int_equal(error.status, status);
		assert_int_equal(found.count, 0);
	}
	told_list_release(&found);
}

TEST(every_byte_may_be_another)
{
	size_t size, again_size;
	uint8_t *bytes, *again;
	struct told_list found;
	assert_ok(told_encode(&told_charts, charts, 2, &bytes, &size, NULL));
	assert_ok(told_decode(&told_charts, bytes, size, &found, NULL));
	assert_ok(told_encode(&told_charts, found.charts, found.count, &again, &again_size, NULL));
	assert_int_equal(again_size, size);
	assert_memory_equal(again, bytes, size);
	free(again);
	told_list_release(&found);
	for (size_t at = 0; at < size; at++) {
		uint8_t was = bytes[at];
		for (unsigned value = 0; value < 256; value++) {
			bytes[at] = (uint8_t)value;
			decode_odd(bytes, size);
		}
		bytes[at] = was;
	}
	for (size_t shorter = 0; shorter < size; shorter++) {
		uint8_t *exact = malloc(shorter + 1); /* so that the sanitizer sees a read behind the end */
		memcpy(exact, bytes, shorter);
		assert_int_equal(told_decode(&told_charts, exact, shorter, &found, NULL), HISTREE_ERR_FORMAT);
		free(exact);
	}
	free(bytes);
}

TEST(charts_of_analyses_can_be_written)
{
	for (size_t i = 0; registry_at(i) != NULL; i++) {
		uint8_t *bytes;
		size_t size;
		const struct analysis *analysis = registry_at(i)->analysis;
		if (analysis == NULL)
			continue;
		assert_ok(charts_check(analysis->charts, analysis->chart_count, NULL));
		assert_ok(told_encode(&told_charts, analysis->charts, analysis->chart_count, &bytes, &size, NULL));
		free(bytes);
	}
}

/* A copy has the same ones; a history that lacks them has those that are known of its provider. */
TEST(charts_stay_where_a_history_is_copied)
{
	struct memory_io memory;
	static struct truth truth;
	const struct copy_watch watch = { .lost = NULL };
	size_t count;
	memory_io_init(&memory);
	write_history(&memory, "io", 1, &truth);
	struct histree_history *history = open_history(&memory, "f");
	assert_non_null(histree_chart_find(history, "kin"));
	assert_ok(history_copy(&memory.io, history, "g", NULL, NULL, &watch, NULL));
	histree_history_close(history);
	history = open_history(&memory, "g");
	histree_charts(history, &count);
	assert_int_equal(count, 2);
	histree_history_close(history);
	struct memory_file *file = memory_io_find(&memory, "g");
	for (size_t at = 0; at + 4 <= file->size; at++)
		if (memcmp(file->bytes + at, "Who is below whom", 17) == 0)
			file->bytes[at] ^= 1;
	history = open_history(&memory, "g");
	assert_null(histree_chart_find(history, "kin"));
	assert_non_null(histree_chart_find(history, "disk-bytes"));
	assert_int_equal(histree_history_verify(history, NULL, NULL, NULL), HISTREE_ERR_FORMAT);
	histree_history_close(history);
	memory_io_release(&memory);
}

/* ---- rows and lines --------------------------------------------------------------------------------------- */

static void assert_line(const struct truth *truth, int node, const struct histree_chart_entry *entry,
			const histree_time *times, const double *values)
{
	for (size_t k = 0; k < TIMES; k++) {
		const double *numbers = truth->numbers[node];
		size_t at = k == 0 ? 1 : k;
		double expected = numbers[times[k]];
		if (entry->measure != HISTREE_CHART_VALUE)
			expected = numbers[times[at]] - numbers[times[at - 1]];
		if (entry->measure == HISTREE_CHART_RATE)
			expected = expected / ((double)(times[at] - times[at - 1]) * 1e-9);
		expected *= entry->factor != 0 ? entry->factor : 1;
		if (isnan(expected))
			assert_true(isnan(values[k]));
		else
			assert_true(values[k] == expected);
	}
}

TEST(lines_are_the_states)
{
	static struct truth truth;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct memory_io memory;
		struct random random;
		histree_time times[TIMES];
		uint32_t count, lines[NODES * 3 + 1];
		double values[(NODES * 3 + 1) * TIMES];
		size_t found = 0;
		memory_io_init(&memory);
		random = (struct random){ seed };
		write_history(&memory, "mine", seed, &truth);
		struct histree_history *history = open_history(&memory, "f");
		struct histree_chart_view *view = view_of(history, "lines");
		const struct histree_chart_row *rows = histree_chart_view_rows(view, &count);
		assert_int_equal(count, NODES * 4 + 1);
		times[0] = START + (histree_time)random_below(&random, 20);
		for (size_t k = 1; k < TIMES; k++)
			times[k] = times[k - 1] + 1 + (histree_time)random_below(&random, 20);
		for (uint32_t i = 0; i < count; i++)
			if (rows[i].shown != HISTREE_ROOT)
				lines[found++] = i;
		assert_int_equal(found, NODES * 3 + 1);
		assert_ok(histree_chart_view_lines(view, lines, found, times, TIMES, values, NULL));
		for (size_t i = 0; i < found; i++) {
			int node = rows[lines[i]].parent == UINT32_MAX ? 0 : (int)(lines[i] / 4);
			assert_line(&truth, node, &line_entries[rows[lines[i]].entry], times, values + i * TIMES);
		}
		histree_chart_view_free(view);
		histree_history_close(history);
		memory_io_release(&memory);
	}
}

TEST(rows_have_names_and_places)
{
	struct memory_io memory;
	static struct truth truth;
	uint32_t count;
	char name[64];
	memory_io_init(&memory);
	write_history(&memory, "mine", 1, &truth);
	struct histree_history *history = open_history(&memory, "f");
	struct histree_chart_view *view = view_of(history, "lines");
	const struct histree_chart_row *rows = histree_chart_view_rows(view, &count);
	assert_string_equal(rows[0].name, "0");
	assert_string_equal(rows[4].name, "one");
	assert_string_equal(rows[7].name, "value");
	assert_string_equal(rows[count - 1].name, "of the first");
	assert_int_equal(histree_chart_view_name(view, 6, name, sizeof(name)), strlen("one / grows"));
	assert_string_equal(name, "one / grows");
	histree_chart_view_free(view);

	/* 0 has 1, that has 2; of a ring, the first one that says so is below the other; 9 is not there. */
	static const char *const names[] = { "0", "one", "2", "3", "5", "4" };
	static const uint32_t depths[] = { 0, 1, 2, 0, 0, 1 };
	view = view_of(history, "kin");
	rows = histree_chart_view_rows(view, &count);
	assert_int_equal(count, NODES);
	for (uint32_t i = 0; i < count; i++) {
		assert_string_equal(rows[i].name, names[i]);
		assert_int_equal(rows[i].depth, depths[i]);
	}
	histree_chart_view_free(view);
	assert_int_equal(histree_chart_view_create(history, "none", (struct histree_work){ 0 }, &view, NULL),
			 HISTREE_NOT_FOUND);
	/* Entries that show nothing, group nothing, or match nothing make no rows; one that groups a row does. */
	static const struct {
		struct histree_chart_entry entries[2];
		bool has_rows;
	} cases[] = {
		{ { { .parent = HISTREE_CHART_TOP, .path = "Nodes/*", .shown = "nowhere" },
		    { .parent = HISTREE_CHART_TOP, .path = "Nodes/*" } },
		  false },
		{ { { .parent = HISTREE_CHART_TOP, .path = "Disks/*" },
		    { .parent = 0, .path = "*", .shown = "." } },
		  false },
		{ { { .parent = HISTREE_CHART_TOP, .path = "Nodes/*" },
		    { .parent = 0, .path = "none", .shown = "." } },
		  false },
		{ { { .parent = HISTREE_CHART_TOP, .path = "Nodes/*" },
		    { .parent = 0, .path = "value", .shown = "." } },
		  true },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct histree_chart chart = { "c", "t", "", HISTREE_CHART_LINES, NULL, cases[i].entries, 2 };
		assert_true(histree_chart_has_rows(history, &chart) == cases[i].has_rows);
	}
	histree_history_close(history);
	memory_io_release(&memory);
}

/* By absolute value, among the numbers of a line at every ns of a range. */
static double greatest_between(const struct histree_chart_view *view, uint32_t line, const histree_time ends[2])
{
	static histree_time times[END];
	static double values[END];
	const size_t count = (size_t)(ends[1] - ends[0]) + 1;
	double greatest = 0;
	for (size_t i = 0; i < count; i++)
		times[i] = ends[0] + (histree_time)i;
	assert_ok(histree_chart_view_lines(view, &line, 1, times, count, values, NULL));
	for (size_t i = 0; i < count; i++)
		greatest = isnan(values[i]) ? greatest : fmax(greatest, fabs(values[i]));
	return greatest;
}

TEST(the_busiest_come_first)
{
	struct memory_io memory;
	static struct truth truth;
	uint32_t count, lines[32];
	size_t found;
	memory_io_init(&memory);
	write_history(&memory, "mine", 3, &truth);
	struct histree_history *history = open_history(&memory, "f");
	struct histree_chart_view *view = view_of(history, "lines");
	const struct histree_chart_row *rows = histree_chart_view_rows(view, &count);
	const histree_time times[] = { 200, 700 };
	assert_ok(histree_chart_view_busiest(view, times[0], times[1], lines, 8, &found, NULL));
	assert_int_equal(found, 8);
	double before = INFINITY;
	for (size_t i = 0; i < found; i++) {
		double ends[2];
		assert_ok(histree_chart_view_lines(view, &lines[i], 1, times, 2, ends, NULL));
		double weight = isnan(ends[1]) ? 0 : fabs(ends[1]);
		if (line_entries[rows[lines[i]].entry].measure == HISTREE_CHART_VALUE)
			weight = greatest_between(view, lines[i], times);
		assert_true(weight > 0 && weight <= before);
		before = weight;
	}

	/* A number that is 0 at both ends is there between them. */
	const int node = 1;
	histree_time from = START + 10, to;
	while (truth.numbers[node][from] != 0)
		from++;
	for (to = from; truth.numbers[node][to] == 0;)
		to++;
	while (truth.numbers[node][to] != 0)
		to++;
	assert_ok(histree_chart_view_busiest(view, from, to, lines, 32, &found, NULL));
	bool is_found = false;
	for (size_t i = 0; i < found; i++) {
		char name[64];
		histree_chart_view_name(view, lines[i], name, sizeof(name));
		is_found = is_found || strcmp(name, "one / is") == 0;
	}
	assert_true(is_found);
	histree_chart_view_free(view);
	histree_history_close(history);
	memory_io_release(&memory);
}
