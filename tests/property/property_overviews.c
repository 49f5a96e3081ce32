// SPDX-License-Identifier: MIT
/*
 * property_overviews.c - overviews of random histories, and rows that are made of them, against a plain array of
 * all states: what histree/states.h promises, and no more.
 */
#include "driver.h"
#include "histree/states.h"
#include "overview_case.h"
#include "query/row_group.h"
#include "state/history.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/test.h"

enum { REQUESTS = 40, ROWS_MAX = 6 };

struct overviews_case {
	struct histree_tree_options options;
	char path[64];
	uint64_t seed;
	char fault[512];
	const struct reference *plain;
	/* Of the request at hand. */
	struct histree_rows_request request;
	histree_quark quarks[ROWS_MAX];
};

/* A test that compares nothing shall not pass. */
static uint64_t cells_compared, rows_compared, states_compared;

static const char *wrong(struct overviews_case *test, histree_quark quark, histree_time from, histree_time to,
			 const char *what)
{
	const struct histree_rows_request *request = &test->request;
	snprintf(test->fault, sizeof(test->fault),
		 "%.300s: attribute %u from %lld to %lld; rows from %lld to %lld, %u pixels, shape %d", what, quark,
		 (long long)from, (long long)to, (long long)request->from, (long long)request->to, request->pixels,
		 (int)request->shape);
	return test->fault;
}

/* ---- the overviews themselves ------------------------------------------------------------------------------- */

static const char *check_cell(struct overviews_case *test, const struct reference *overview,
			      const struct pyramid_entry *entry, bool few_values, histree_time from,
			      histree_time to)
{
	static struct shares plain, kept;
	shares_of(&plain, test->plain, entry->quark, from, to);
	shares_of(&kept, overview, entry->own, from, to);
	cells_compared++;
	size_t values = 0, values_min = plain.count < OVERVIEW_VALUES_KEPT ? plain.count : OVERVIEW_VALUES_KEPT;
	for (size_t i = 0; i < kept.count; i++) {
		const struct histree_value *value = kept.shares[i].value;
		uint64_t ns = shares_find(&plain, value);
		values += !pyramid_value_is_rest(value);
		if (kept.shares[i].ns > ns && !pyramid_value_is_rest(value))
			return wrong(test, entry->quark, from, to, "a value lasts longer than it did");
		if (pyramid_value_is_rest(value) && (few_values || plain.count <= OVERVIEW_VALUES_KEPT))
			return wrong(test, entry->quark, from, to, "a few values are not told apart");
	}
	for (size_t i = 0; i < plain.count; i++) {
		const struct histree_value *value = plain.shares[i].value;
		bool exact = few_values || plain.count <= OVERVIEW_VALUES_KEPT || value_is_idle(value);
		if (exact && shares_find(&kept, value) != plain.shares[i].ns)
			return wrong(test, entry->quark, from, to,
				     "a value that is kept lasts shorter than it did");
	}
	if (values < values_min)
		return wrong(test, entry->quark, from, to, "fewer values than a cell keeps");
	return shares_sum(&kept) == shares_sum(&plain) ? NULL
						       : wrong(test, entry->quark, from, to, "time is missing");
}

static const char *check_attribute(struct overviews_case *test, const struct reference *overview,
				   const struct pyramid_entry *entry)
{
	uint64_t whole = (uint64_t)test->plain->end - (uint64_t)test->plain->start;
	bool few_values = attribute_has_few_values(test->plain, entry->quark);
	const char *fault = NULL;
	for (uint64_t cell = 0; fault == NULL && cell <= whole >> entry->width_log2; cell++) {
		uint64_t first = cell << entry->width_log2, last = first + (UINT64_C(1) << entry->width_log2) - 1;
		if (last > whole || last < first)
			last = whole;
		fault = check_cell(test, overview, entry, few_values,
				   (histree_time)((uint64_t)test->plain->start + first),
				   (histree_time)((uint64_t)test->plain->start + last));
	}
	return fault;
}

static void print_fault(void *context, const char *fault)
{
	struct overviews_case *test = context;
	snprintf(test->fault, sizeof(test->fault), "an overview does not verify: %s", fault);
}

static const char *check_overview(struct overviews_case *test, const struct pyramid_level *overview)
{
	struct histree_error error;
	struct kept_states states;
	if (histree_history_verify(overview->history, print_fault, test, &error) != HISTREE_OK)
		return test->fault;
	if (!kept_states_read(&states, overview->history))
		return "the states of an overview cannot be read";
	const char *fault = NULL;
	for (size_t i = 0; i < overview->count && fault == NULL; i++)
		fault = check_attribute(test, &states.states, &overview->entries[i]);
	kept_states_release(&states);
	return fault;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

/* The range, and a cell more or less at both ends; false: nothing is left. */
static bool widen(const struct overviews_case *test, histree_time *from, histree_time *to, uint64_t cell)
{
	uint64_t before = (uint64_t)*from - (uint64_t)test->plain->start;
	uint64_t behind = (uint64_t)test->plain->end - (uint64_t)*to;
	*from = (histree_time)((uint64_t)*from - (cell < before ? cell : before));
	*to = (histree_time)((uint64_t)*to + (cell < behind ? cell : behind));
	return true;
}

static bool narrow(histree_time *from, histree_time *to, uint64_t cell)
{
	if ((uint64_t)*to - (uint64_t)*from < 2 * cell)
		return false;
	*from += (histree_time)cell;
	*to -= (histree_time)cell;
	return true;
}

static const char *check_pixel(struct overviews_case *test, const struct histree_cursor *rows, histree_quark quark,
			       uint64_t cell_ns, histree_time first, histree_time last, struct histree_cell cell)
{
	static struct shares near, inside, sure;
	histree_time from = first, to = last;
	widen(test, &from, &to, cell_ns);
	shares_of(&near, test->plain, quark, from, to);
	shares_of(&inside, test->plain, quark, first, last);
	if (cell.value >= histree_rows_value_count(rows))
		return wrong(test, quark, first, last, "a pixel without a value");
	struct histree_value value = histree_rows_value(rows, cell.value);
	if (shares_find(&near, &value) == 0)
		return wrong(test, quark, first, last, "an invented value");
	if (attribute_has_few_values(test->plain, quark) &&
	    shares_find(&inside, &value) + 2 * cell_ns < shares_most(&inside))
		return wrong(test, quark, first, last, "a value that others outlast by more than two cells");
	if (cell.other != HISTREE_NO_VALUE) {
		struct histree_value other = histree_rows_value(rows, cell.other);
		bool is_there = cell.other < histree_rows_value_count(rows) && cell.other != cell.value &&
				shares_find(&near, &other) > 0;
		return is_there ? NULL : wrong(test, quark, first, last, "an invented other value");
	}
	if (!narrow(&first, &last, cell_ns))
		return NULL;
	shares_of(&sure, test->plain, quark, first, last);
	return sure.count < 2 ? NULL : wrong(test, quark, first, last, "other values are not mentioned");
}

static const char *check_cells(struct overviews_case *test, const struct histree_cursor *rows,
			       const struct histree_row *row, uint64_t cell_ns)
{
	struct pixel_scale scale = pixel_scale(test->request.from, test->request.to, test->request.pixels);
	const char *fault = NULL;
	for (uint32_t pixel = 0; pixel < scale.pixels && fault == NULL; pixel++)
		fault = check_pixel(test, rows, row->quark, cell_ns, pixel_first(&scale, pixel),
				    pixel_last(&scale, pixel), row->cells[pixel]);
	return fault;
}

/* A value that is shown was there, or in the pixels that meet the state, or less than a cell from them. */
static const char *check_state(struct overviews_case *test, const struct histree_cursor *rows, histree_quark quark,
			       uint64_t cell_ns, const struct histree_visible_state *state)
{
	static struct shares near;
	struct pixel_scale scale = pixel_scale(test->request.from, test->request.to, test->request.pixels);
	histree_time from = state->start > scale.from ? state->start : scale.from;
	histree_time to = state->end < scale.to ? state->end : scale.to;
	from = pixel_first(&scale, pixel_from(&scale, from));
	to = pixel_last(&scale, pixel_to(&scale, to));
	widen(test, &from, &to, cell_ns);
	shares_of(&near, test->plain, quark, from, to);
	struct histree_value value = histree_rows_value(rows, state->value);
	if (state->value >= histree_rows_value_count(rows) || shares_find(&near, &value) == 0)
		return wrong(test, quark, state->start, state->end, "a state of an invented value");
	return NULL;
}

static const char *check_states(struct overviews_case *test, const struct histree_cursor *rows,
				const struct histree_row *row, uint64_t cell_ns)
{
	const struct histree_rows_request *request = &test->request;
	uint64_t quotient = pixel_scale(request->from, request->to, request->pixels).quotient;
	const char *fault = NULL;
	size_t i = 0;
	for (; i < row->state_count && fault == NULL; i++) {
		const struct histree_visible_state *state = &row->states[i];
		bool is_next = i == 0 ? state->start <= request->from : state->start == state[-1].end + 1;
		if (!is_next || state->end < state->start)
			return wrong(test, row->quark, state->start, state->end, "a gap or an overlap");
		fault = check_state(test, rows, row->quark, cell_ns, state);
	}
	if (fault != NULL)
		return fault;
	if (i == 0 || row->states[i - 1].end < request->to)
		return wrong(test, row->quark, request->from, request->to, "the range is not covered");
	/* Each true state that can be seen is there. */
	const struct histree_interval *shown = reference_at(test->plain, row->quark, request->from);
	const struct histree_interval *end = test->plain->sorted + test->plain->count;
	for (; shown < end && shown->quark == row->quark && shown->start <= request->to; shown++) {
		if ((uint64_t)shown->end - (uint64_t)shown->start < quotient)
			continue;
		for (i = 0; i + 1 < row->state_count && row->states[i].end < shown->end; i++)
			;
		const struct histree_visible_state *state = &row->states[i];
		struct histree_value value = histree_rows_value(rows, state->value);
		states_compared++;
		if (state->start != shown->start || state->end != shown->end || state->other != HISTREE_NO_VALUE ||
		    !histree_value_equal(&value, &shown->value))
			return wrong(test, row->quark, shown->start, shown->end, "a long state is not there");
	}
	return NULL;
}

/* 0: the row is not made of an overview. */
static uint64_t cell_of_row(const struct overviews_case *test, struct histree_history *history, histree_quark quark)
{
	const struct histree_rows_request *request = &test->request;
	uint64_t most = request->intervals_per_cell != 0 ? request->intervals_per_cell : INTERVALS_PER_CELL;
	uint64_t cells = most / INTERVALS_PER_OVERVIEW_CELL > 4 ? most / INTERVALS_PER_OVERVIEW_CELL : 4;
	uint64_t quotient = pixel_scale(request->from, request->to, request->pixels).quotient;
	const struct pyramid_entry *entry;
	uint32_t found =
		pyramid_find_width(history_pyramid(history, PYRAMID_ROWS), quark, quotient / cells, &entry);
	return found == UINT32_MAX ? 0 : UINT64_C(1) << entry->width_log2;
}

static void choose_request(struct overviews_case *test, struct random *random)
{
	const struct reference *plain = test->plain;
	static const uint32_t pixels[] = { 1, 3, 7, 20, 50 }, numbers[] = { 0, 1, 32 };
	uint64_t whole = (uint64_t)plain->end - (uint64_t)plain->start;
	uint64_t before = random_percent(random, 40) ? 0 : random_bits(random) % (whole / 2 + 1);
	uint64_t behind = random_percent(random, 40) ? 0 : random_bits(random) % (whole / 2 + 1);
	test->request = (struct histree_rows_request){
		.quarks = test->quarks,
		.quark_count = plain->key_count == 0 ? 0 : 1 + random_below(random, ROWS_MAX),
		.from = (histree_time)((uint64_t)plain->start + before),
		.to = (histree_time)((uint64_t)plain->end - behind),
		.pixels = pixels[random_below(random, 5)],
		.shape = random_percent(random, 50) ? HISTREE_ROWS_STATES : HISTREE_ROWS_CELLS,
		.intervals_per_cell = numbers[random_below(random, 3)],
	};
	for (size_t i = 0; i < test->request.quark_count; i++)
		test->quarks[i] = (histree_quark)random_below(random, plain->key_count);
	/* One that has overviews, likely. */
	if (test->request.quark_count > 0 && random_percent(random, 80))
		test->quarks[0] = reference_busiest(plain, random);
}

static const char *ask(struct overviews_case *test, struct histree_history *history, struct histree_cursor *rows)
{
	struct histree_error error;
	struct histree_row row;
	enum histree_status status = histree_rows_start(rows, &test->request, &error);
	const char *fault = NULL;
	while (status == HISTREE_OK && fault == NULL) {
		status = histree_cursor_next(rows, &error);
		if (status == HISTREE_OK)
			row = *histree_cursor_row(rows);
		uint64_t cell_ns = status == HISTREE_OK ? cell_of_row(test, history, row.quark) : 0;
		if (cell_ns == 0)
			continue;
		rows_compared++;
		if (pixel_scale(test->request.from, test->request.to, test->request.pixels).quotient < 4 * cell_ns)
			return wrong(test, row.quark, 0, 0, "a row of cells that are too long for it");
		fault = row.cells != NULL ? check_cells(test, rows, &row, cell_ns)
					  : check_states(test, rows, &row, cell_ns);
	}
	if (fault == NULL && status != HISTREE_END)
		fault = wrong(test, 0, 0, 0, error.message);
	return fault;
}

/* Two of them of one history answer the same. */
static const char *compare_rows(struct overviews_case *test, struct histree_cursor *one,
				struct histree_cursor *other)
{
	struct histree_row row, second;
	enum histree_status status = histree_rows_start(one, &test->request, NULL);
	if (status != HISTREE_OK || histree_rows_start(other, &test->request, NULL) != HISTREE_OK)
		return "rows that cannot be asked for";
	while (status == HISTREE_OK) {
		status = histree_cursor_next(one, NULL);
		if (status == HISTREE_OK)
			row = *histree_cursor_row(one);
		if (status != histree_cursor_next(other, NULL))
			return "not as many rows without overviews";
		if (status != HISTREE_OK)
			break;
		second = *histree_cursor_row(other);
		/* Values are numbered as they are seen. */
		bool same = row.cells != NULL ? memcmp(row.cells, second.cells,
						       test->request.pixels * sizeof(*row.cells)) == 0
					      : row.state_count == second.state_count &&
							memcmp(row.states, second.states,
							       row.state_count * sizeof(*row.states)) == 0;
		if (!same)
			return wrong(test, row.quark, 0, 0, "a row without overviews is another one");
	}
	return status == HISTREE_END ? NULL : "a row that cannot be made";
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

struct opened {
	struct histree_history *history;
	struct histree_cursor *rows;
};

static bool open_rows(struct opened *opened, const char *path, bool no_overviews)
{
	const struct histree_open_options options = { .no_overviews = no_overviews };
	*opened = (struct opened){ 0 };
	return histree_history_open(path, &options, &opened->history, NULL) == HISTREE_OK &&
	       histree_rows_create(opened->history, &opened->rows, NULL) == HISTREE_OK;
}

static void close_rows(struct opened *opened)
{
	histree_cursor_free(opened->rows);
	histree_history_close(opened->history);
}

static const char *check_history(struct overviews_case *test)
{
	struct histree_error error;
	struct random random = { test->seed };
	struct opened before = { 0 }, with = { 0 }, without = { 0 };
	struct overview_options options = overview_case_options(&random);
	const char *fault = "a history that cannot be opened";
	overview_case_vary(&options, &random);
	if (!open_rows(&before, test->path, false))
		goto out;
	if (overviews_write(&io_posix, test->path, &options, &error) != HISTREE_OK) {
		fault = wrong(test, 0, 0, 0, error.message);
		goto out;
	}
	if (!open_rows(&with, test->path, false) || !open_rows(&without, test->path, true))
		goto out;
	const struct pyramid *rows = history_pyramid(with.history, PYRAMID_ROWS);
	fault = history_pyramid(without.history, PYRAMID_ROWS)->level_count == 0
			? NULL
			: "overviews that were not asked for";
	for (uint32_t i = 0; i < rows->level_count && fault == NULL; i++)
		fault = check_overview(test, &rows->levels[i]);
	for (int i = 0; i < REQUESTS && fault == NULL; i++) {
		choose_request(test, &random);
		fault = ask(test, with.history, with.rows);
		if (fault == NULL)
			fault = compare_rows(test, before.rows, without.rows);
	}
out:
	close_rows(&before);
	close_rows(&with);
	close_rows(&without);
	return fault;
}

static const char *check_workload(void *context, const struct workload *workload)
{
	struct overviews_case *test = context;
	struct histree_error error;
	struct reference plain = { 0 };
	histree_quark *quarks = calloc((size_t)workload->key_count + 1, sizeof(*quarks));
	const char *fault = "out of memory";
	if (quarks == NULL)
		return fault;
	history_files_remove(test->path);
	if (history_file_build(test->path, &test->options, workload, quarks, &error) != HISTREE_OK) {
		fault = wrong(test, 0, 0, 0, error.message);
	} else if (history_file_reference(workload, quarks, &plain)) {
		test->plain = &plain;
		fault = check_history(test);
	}
	reference_release(&plain);
	history_files_remove(test->path);
	free(quarks);
	return fault;
}

static void overviews_say_what_their_history_says(const void *kind, uint64_t seed)
{
	static const char *const variants[] = { "cluster", "sht" }; /* nulls out of the nodes, and in them */
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		struct workload workload;
		struct overviews_case test = {
			.options = { .variant = variants[i], .node_size = 4 << 10, .fan_out = 7 },
			.seed = seed + i,
		};
		snprintf(test.path, sizeof(test.path), "property_overviews.%ld.sht", (long)getpid());
		assert_true(workload_make(&workload, kind, seed));
		overview_case_choose_values(&workload);
		const char *fault = check_workload(&test, &workload);
		if (fault != NULL)
			property_fail_shrunk(&workload, &(struct workload_check){ check_workload, &test }, fault,
					     "variant %s", test.options.variant);
		workload_release(&workload);
	}
}

static const struct property property = {
	.kinds = workload_kinds,
	.kind_size = sizeof(*workload_kinds),
	.rounds = 4,
	.check = overviews_say_what_their_history_says,
};

static bool is_enough(void)
{
	return cells_compared > 1000 && rows_compared > 100 && states_compared > 0;
}

/* Few seeds have cells that last longer than all of their pixels, or rows that come from overviews. */
TEST(something_was_compared)
{
	bool is_so = property_go_on(&property, is_enough);
	fprintf(stderr, "%llu cells, %llu rows, %llu long states compared\n", (unsigned long long)cells_compared,
		(unsigned long long)rows_compared, (unsigned long long)states_compared);
	assert_true(is_so);
}

TEST_SUITE
{
	return properties_run(__FILE__, &property, 1);
}
