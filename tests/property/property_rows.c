// SPDX-License-Identifier: MIT
/*
 * property_rows.c - rows of random requests on random histories, compared with the plainest reading of
 * histree/states.h: for each pixel, walk through all intervals of the attribute and add up.
 */
#include "driver.h"
#include "history_case.h"
#include "histree/states.h"
#include "support/test.h"
#include "tree/tree_shape.h"

enum { REQUESTS = 60, ROWS_MAX = 6, PIXELS_MAX = 400, SAMPLES = 4, SHARES_MAX = 4096 };

struct rows_case {
	struct history_case base;
	/* Of the request at hand. */
	struct histree_rows_request request;
	histree_quark quarks[ROWS_MAX];
	const struct reference *reference;
	struct histree_cursor *rows;
};

static const char *faulty(struct rows_case *test, size_t row, uint32_t pixel, const char *what)
{
	const struct histree_rows_request *request = &test->request;
	snprintf(test->base.fault, sizeof(test->base.fault),
		 "%s; from %lld to %lld, %u pixels, %u intervals a cell, %s: row %zu (attribute %u), pixel %u",
		 what, (long long)request->from, (long long)request->to, request->pixels,
		 request->intervals_per_cell, histree_rows_sampled(test->rows) ? "sampled" : "exact", row,
		 test->quarks[row], pixel);
	return test->base.fault;
}

/* ---- what must be in a pixel ------------------------------------------------------------------------------ */

struct share {
	const struct histree_value *value;
	uint64_t weight;
};

struct pixel {
	histree_time first, last;
	struct share *shares;
	size_t share_count;
	size_t state_count;
};

static histree_time pixel_start(const struct histree_rows_request *request, uint32_t pixel)
{
	/* As the header says it, in a number of ns that fits. */
	__extension__ typedef unsigned __int128 wide;
	wide length = (wide)((uint64_t)request->to - (uint64_t)request->from) + 1;
	return (histree_time)((uint64_t)request->from + (uint64_t)(length * pixel / request->pixels));
}

static void add_share(struct pixel *pixel, const struct histree_value *value, uint64_t weight)
{
	size_t i = 0;
	while (i < pixel->share_count && !histree_value_equal(pixel->shares[i].value, value))
		i++;
	if (i == pixel->share_count) {
		assert_true(i < SHARES_MAX);
		pixel->shares[pixel->share_count++] = (struct share){ .value = value };
	}
	pixel->shares[i].weight += weight;
}

static uint64_t count_samples(const struct pixel *pixel, histree_time start, histree_time end)
{
	__extension__ typedef unsigned __int128 wide;
	wide width = (uint64_t)pixel->last - (uint64_t)pixel->first;
	uint64_t samples = 0;
	for (unsigned k = 0; k < SAMPLES; k++) {
		histree_time t =
			(histree_time)((uint64_t)pixel->first + (uint64_t)(width * (2 * k + 1) / (2 * SAMPLES)));
		samples += t >= start && t <= end;
	}
	return samples;
}

/* Its shares are those of the pixel before: one is looked at a time. */
static struct pixel pixel_at(const struct rows_case *test, uint32_t number)
{
	static struct share shares[SHARES_MAX];
	const struct histree_rows_request *request = &test->request;
	struct pixel pixel = { .first = pixel_start(request, number), .shares = shares };
	histree_time next = number + 1 == request->pixels ? request->to : pixel_start(request, number + 1);
	pixel.last = next > pixel.first && number + 1 != request->pixels ? next - 1 : next;
	return pixel;
}

/*
 * Every state of the attribute that meets the pixel from `from` to `to`, or, where it is sampled, a sample there.
 */
static void fill_pixel(const struct rows_case *test, histree_quark quark, histree_time from, histree_time to,
		       struct pixel *pixel)
{
	const struct reference *reference = test->reference;
	bool sampled = histree_rows_sampled(test->rows);
	for (size_t i = 0; i < reference->count; i++) {
		const struct histree_interval *interval = &reference->sorted[i];
		if (interval->quark != quark || interval->start > to || interval->end < from)
			continue;
		histree_time start = interval->start > from ? interval->start : from;
		histree_time end = interval->end < to ? interval->end : to;
		pixel->state_count++;
		uint64_t weight = sampled ? count_samples(pixel, start, end) : (uint64_t)end - (uint64_t)start + 1;
		if (weight > 0)
			add_share(pixel, &interval->value, weight);
	}
}

static const struct share *share_of(const struct pixel *pixel, const struct histree_value *value)
{
	for (size_t i = 0; i < pixel->share_count; i++)
		if (histree_value_equal(pixel->shares[i].value, value))
			return &pixel->shares[i];
	return NULL;
}

/* NULL, or what is wrong with a cell that claims to show these shares. */
static const char *check_shares(const struct rows_case *test, const struct pixel *pixel, uint32_t value_index,
				uint32_t other_index)
{
	struct histree_value value = histree_rows_value(test->rows, value_index);
	const struct share *most = share_of(pixel, &value);
	if (value_index >= histree_rows_value_count(test->rows) || most == NULL)
		return "a value that the attribute does not have there";
	for (size_t i = 0; i < pixel->share_count; i++)
		if (pixel->shares[i].weight > most->weight)
			return "not the dominant value";
	bool others = pixel->share_count > 1;
	if (other_index == HISTREE_NO_VALUE)
		return others ? "other values are not mentioned" : NULL;
	if (other_index == HISTREE_UNKNOWN_VALUE)
		return others ? "another value was seen but is called unknown" : NULL;
	struct histree_value other = histree_rows_value(test->rows, other_index);
	const struct share *second = share_of(pixel, &other);
	if (second == NULL || second == most)
		return "another value that the attribute does not have there";
	for (size_t i = 0; i < pixel->share_count; i++)
		if (&pixel->shares[i] != most && pixel->shares[i].weight > second->weight)
			return "not the greatest of the other values";
	return NULL;
}

/* ---- comparing -------------------------------------------------------------------------------------------- */

static const char *check_cells(struct rows_case *test, const struct histree_row *row)
{
	bool sampled = histree_rows_sampled(test->rows);
	for (uint32_t number = 0; number < test->request.pixels; number++) {
		struct pixel pixel = pixel_at(test, number);
		struct histree_cell cell = row->cells[number];
		fill_pixel(test, row->quark, pixel.first, pixel.last, &pixel);
		const char *fault = check_shares(test, &pixel, cell.value, cell.other);
		if (fault == NULL && (cell.other == HISTREE_NO_VALUE) && sampled && pixel.state_count > 1)
			fault = "a sampled pixel of several states says that there is one";
		if (fault == NULL && cell.other == HISTREE_UNKNOWN_VALUE && (!sampled || pixel.state_count == 1))
			fault = "states are called unknown where all are known";
		if (fault != NULL)
			return faulty(test, row->index, number, fault);
	}
	return NULL;
}

static uint32_t pixel_of(const struct rows_case *test, histree_time t)
{
	uint32_t pixel = 0;
	while (pixel + 1 < test->request.pixels && pixel_start(&test->request, pixel + 1) <= t)
		pixel++;
	return pixel;
}

/* A state made of ones that are too short to be shown: in each pixel that it meets it has the dominant value. */
static const char *check_merged(struct rows_case *test, const struct histree_row *row,
				const struct histree_visible_state *state)
{
	for (uint32_t number = pixel_of(test, state->start); number <= pixel_of(test, state->end); number++) {
		struct pixel pixel = pixel_at(test, number);
		histree_time from = pixel.first > state->start ? pixel.first : state->start;
		histree_time to = pixel.last < state->end ? pixel.last : state->end;
		fill_pixel(test, row->quark, from, to, &pixel);
		if (pixel.share_count == 0) /* no sample: what is there at its beginning */
			add_share(&pixel, &reference_at(test->reference, row->quark, from)->value, 1);
		const char *fault = check_shares(test, &pixel, state->value, state->other);
		if (fault != NULL)
			return faulty(test, row->index, number, fault);
	}
	return NULL;
}

static const char *check_states(struct rows_case *test, const struct histree_row *row)
{
	uint64_t quotient = ((uint64_t)test->request.to - (uint64_t)test->request.from) / test->request.pixels;
	histree_time next = test->request.from;
	for (size_t i = 0; i < row->state_count; i++) {
		const struct histree_visible_state *state = &row->states[i];
		histree_time seen = state->start > next ? state->start : next;
		const struct histree_interval *true_state = reference_at(test->reference, row->quark, seen);
		uint32_t pixel = pixel_of(test, seen);
		if (state->start > next || (i > 0 && state->start < next) || state->end < next)
			return faulty(test, row->index, pixel, "a gap or an overlap between states");
		if ((uint64_t)true_state->end - (uint64_t)true_state->start >= quotient) {
			struct histree_value value = histree_rows_value(test->rows, state->value);
			if (state->start != true_state->start || state->end != true_state->end ||
			    state->other != HISTREE_NO_VALUE || !histree_value_equal(&value, &true_state->value))
				return faulty(test, row->index, pixel, "a state that is long enough is not there");
		} else {
			const char *fault = check_merged(test, row, state);
			if (fault != NULL)
				return fault;
		}
		if (state->end >= test->request.to)
			return i + 1 == row->state_count
				       ? NULL
				       : faulty(test, row->index, pixel, "states after the range");
		next = state->end + 1;
	}
	return faulty(test, row->index, test->request.pixels - 1, "the range is not covered to its end");
}

/* ---- asking ----------------------------------------------------------------------------------------------- */

static histree_time some_time(const struct reference *reference, struct random *random)
{
	if (random_percent(random, 30) && reference->count > 0)
		return reference->sorted[random_below(random, reference->count)].start;
	uint64_t length = (uint64_t)reference->end - (uint64_t)reference->start;
	uint64_t after = length == UINT64_MAX ? random_bits(random) : random_below(random, length + 1);
	return (histree_time)((uint64_t)reference->start + after);
}

static void choose_request(struct rows_case *test, struct random *random)
{
	const struct reference *reference = test->reference;
	static const uint32_t pixels[] = { 1, 2, 7, 64, PIXELS_MAX };
	histree_time one = some_time(reference, random), other = some_time(reference, random);
	bool everything = random_percent(random, 30);
	test->request = (struct histree_rows_request){
		.quarks = test->quarks,
		.quark_count = reference->key_count == 0 ? 0 : random_below(random, ROWS_MAX + 1),
		.from = everything    ? reference->start
			: one < other ? one
				      : other,
		.to = everything    ? reference->end
		      : one < other ? other
				    : one,
		.pixels = pixels[random_below(random, 5)],
		.shape = random_percent(random, 50) ? HISTREE_ROWS_STATES : HISTREE_ROWS_CELLS,
		.intervals_per_cell = random_percent(random, 60) ? 1 : 0,
	};
	if (random_percent(random, 30) && (uint64_t)test->request.to - (uint64_t)test->request.from > 100)
		test->request.to = test->request.from + (histree_time)random_below(random, 100);
	for (size_t i = 0; i < test->request.quark_count; i++)
		test->quarks[i] = (histree_quark)random_below(random, reference->key_count);
}

static const char *ask(struct rows_case *test)
{
	struct histree_error error;
	struct histree_row row;
	enum histree_status status = histree_rows_start(test->rows, &test->request, &error);
	const char *fault = NULL;
	size_t index = 0;
	while (status == HISTREE_OK && fault == NULL) {
		status = histree_cursor_next(test->rows, &error);
		if (status == HISTREE_OK)
			row = *histree_cursor_row(test->rows);
		if (status != HISTREE_OK)
			break;
		if (row.index != index || row.quark != test->quarks[index])
			return faulty(test, index, 0, "the rows are out of order");
		fault = row.cells != NULL ? check_cells(test, &row) : check_states(test, &row);
		index++;
	}
	if (fault != NULL)
		return fault;
	if (status != HISTREE_END) {
		snprintf(test->base.fault, sizeof(test->base.fault), "%s", error.message);
		return test->base.fault;
	}
	return index == test->request.quark_count ? NULL : "rows are missing";
}

static const char *check_history(struct history_case *base, struct histree_history *history,
				 const struct reference *reference)
{
	struct rows_case *test = (struct rows_case *)base;
	struct histree_error error;
	struct random random = { test->base.seed };
	const char *fault = NULL;
	test->reference = reference;
	if (histree_rows_create(history, &test->rows, &error) != HISTREE_OK) {
		snprintf(test->base.fault, sizeof(test->base.fault), "%s", error.message);
		return test->base.fault;
	}
	for (int i = 0; i < REQUESTS && fault == NULL; i++) {
		choose_request(test, &random);
		fault = ask(test);
	}
	histree_cursor_free(test->rows);
	return fault;
}

static void rows_are_as_their_states_say(const void *chosen, uint64_t seed)
{
	const struct workload_kind *kind = chosen;
	static const char *const variants[] = { "cluster", "sht" }; /* nulls out of the nodes, and in them */
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		struct workload workload;
		struct rows_case test = { .base = {
						  .check = check_history,
						  .options = { .variant = variants[i],
							       .node_size = 4 << 10,
							       .fan_out = 7 },
						  .seed = seed + i,
					  } };
		assert_true(workload_make(&workload, kind, seed));
		history_case_check(&test.base, "rows", &workload, kind->name);
		workload_release(&workload);
	}
}

static void rows_of_hosts_are_as_their_states_say(const void *kind, uint64_t seed)
{
	struct rows_case test = { .base = { .check = check_history, .seed = seed } };
	history_case_check_union(&test.base, "rows", kind);
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 1, .check = rows_are_as_their_states_say },
	   { KINDS(workload_kinds), .rounds = 1, .check = rows_of_hosts_are_as_their_states_say })
