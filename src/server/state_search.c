// SPDX-License-Identifier: MIT
#include "server/state_search.h"

#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "histree/query.h"
#include "histree/rows.h"

enum {
	STATES_PER_LOOK = 4096,
	STATES_MAX = 4 * 1024 * 1024, /* that are looked at for one picture */
	SEARCH_SECONDS = 10,
	FIRST_PART = 1024, /* of the history: how much is searched at first */
};

/* Where the states of an attribute are shown. */
struct place {
	uint16_t history; /* of the dataset */
	histree_quark quark;
	uint32_t position;
};

struct search {
	const struct state_rows_asked *asked;
	struct place *places; /* by history, then quark */
	histree_quark *quarks;
	size_t count;
	struct histree_query *queries[DATASET_HISTORIES_MAX];
	uint64_t looked; /* states */
};

/* ---- which rows ------------------------------------------------------------------------------------------ */

static int compare_places(const void *a, const void *b)
{
	const struct place *first = a, *second = b;
	if (first->history != second->history)
		return first->history < second->history ? -1 : 1;
	return (first->quark > second->quark) - (first->quark < second->quark);
}

static uint16_t history_index(const struct dataset *dataset, const struct histree_history *history)
{
	uint16_t i = 0;
	while (i + 1u < dataset->history_count && dataset->histories[i] != history)
		i++;
	return i;
}

static void search_close(struct search *search)
{
	for (size_t i = 0; i < DATASET_HISTORIES_MAX; i++)
		histree_query_free(search->queries[i]);
	free(search->places);
	free(search->quarks);
}

static enum histree_status search_open(struct search *search, const struct state_rows_asked *asked,
				       struct histree_error *error)
{
	const struct page_rows *rows = asked->rows;
	*search = (struct search){ .asked = asked };
	search->places = malloc(((size_t)asked->count + 1) * sizeof(*search->places));
	search->quarks = malloc(((size_t)asked->count + 1) * sizeof(*search->quarks));
	if (search->places == NULL || search->quarks == NULL)
		return error_memory(error, "a search");
	for (uint32_t i = 0; i < asked->count; i++) {
		struct row_facts facts;
		uint32_t position = asked->first + i;
		rows->model->facts(rows->view, row_order_at(asked->order, position), &facts);
		if (facts.quark != HISTREE_ROOT)
			search->places[search->count++] =
				(struct place){ history_index(rows->dataset, facts.history), facts.quark,
						position };
	}
	if (search->count > 0)
		qsort(search->places, search->count, sizeof(*search->places), compare_places);
	for (size_t i = 0; i < search->count; i++)
		search->quarks[i] = search->places[i].quark;
	return HISTREE_OK;
}

static bool matches(const struct search *search, const struct place *place, const struct histree_interval *state)
{
	const struct page_rows *rows = search->asked->rows;
	struct row_facts facts;
	uint32_t row = row_order_at(search->asked->order, place->position);
	rows->model->facts(rows->view, row, &facts);
	const struct state_owner owner = {
		.view = rows->view,
		.kind = &rows->model->kind,
		.history = facts.history,
		.row = row,
		.label = facts.label,
		.meaning = facts.meaning,
	};
	return state_filter_match(search->asked->filter, &owner, state);
}

/* ---- their states ---------------------------------------------------------------------------------------- */

typedef void visit_state(void *context, const struct search *search, const struct place *place,
			 const struct histree_interval *state);

/* Of the places [first, behind), which are of one history. */
static enum histree_status visit_history(struct search *search, size_t first, size_t behind, histree_time from,
					 histree_time to, visit_state *visit, void *context,
					 struct histree_error *error)
{
	uint16_t index = search->places[first].history;
	struct histree_history *history = search->asked->rows->dataset->histories[index];
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_region region = {
		.quarks = search->quarks + first,
		.quark_count = behind - first,
		.from = from > info->start ? from : info->start,
		.to = to < info->end ? to : info->end,
	};
	struct histree_interval state;
	enum histree_status status = HISTREE_OK;
	if (region.from > region.to)
		return HISTREE_OK;
	if (search->queries[index] == NULL)
		status = histree_query_create(history, &search->queries[index], error);
	if (status == HISTREE_OK)
		status = histree_query_start(search->queries[index], &region, error);
	while (status == HISTREE_OK &&
	       (status = histree_query_next(search->queries[index], &state, error)) == HISTREE_OK) {
		const struct histree_cancel *cancel = &search->asked->cancel;
		if (search->looked++ % STATES_PER_LOOK == 0 && !cancel->go_on(cancel->context))
			return error_set(error, HISTREE_ERR_CANCELLED, "the search is no longer wanted");
		const struct place key = { .history = index, .quark = state.quark };
		const struct place *place =
			bsearch(&key, search->places + first, behind - first, sizeof(key), compare_places);
		if (place != NULL)
			visit(context, search, place, &state);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status visit_states(struct search *search, histree_time from, histree_time to,
					visit_state *visit, void *context, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t first = 0, behind; first < search->count && status == HISTREE_OK; first = behind) {
		behind = first + 1;
		while (behind < search->count && search->places[behind].history == search->places[first].history)
			behind++;
		status = visit_history(search, first, behind, from, to, visit, context, error);
	}
	return status;
}

/* ---- the next one ---------------------------------------------------------------------------------------- */

struct next_search {
	histree_time at;
	int64_t position;
	bool backwards, found;
	struct state_found best;
};

/* In the order of states: below, at or above 0. */
static int compare_found(histree_time start, int64_t position, histree_time other_start, int64_t other_position)
{
	if (start != other_start)
		return start < other_start ? -1 : 1;
	return (position > other_position) - (position < other_position);
}

static void look_at_next(void *context, const struct search *search, const struct place *place,
			 const struct histree_interval *state)
{
	struct next_search *next = context;
	int sign = next->backwards ? -1 : 1;
	if (compare_found(state->start, place->position, next->at, next->position) * sign <= 0)
		return;
	if (next->found &&
	    compare_found(state->start, place->position, next->best.start, next->best.position) * sign >= 0)
		return;
	if (!matches(search, place, state))
		return;
	next->found = true;
	next->best = (struct state_found){ state->start, state->end, place->position };
}

static int64_t monotonic_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Parts of doubling length, away from where the search begins: what is near is found soon. */
static enum histree_status search_parts(struct search *search, struct next_search *next,
					struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(search->asked->rows->dataset->store);
	int64_t deadline = monotonic_seconds() + SEARCH_SECONDS;
	int64_t length = (info->end - info->start) / FIRST_PART + 1;
	histree_time from = next->at, to = next->at;
	enum histree_status status = HISTREE_OK;
	for (bool is_last = false; status == HISTREE_OK && !next->found && !is_last; length *= 2) {
		if (monotonic_seconds() > deadline)
			return error_set(error, HISTREE_ERR_CANCELLED,
					 "no state found in %d s; go on from another time", SEARCH_SECONDS);
		if (next->backwards) {
			from = to - info->start > length ? to - length : info->start;
			is_last = from <= info->start;
		} else {
			to = info->end - from > length ? from + length : info->end;
			is_last = to >= info->end;
		}
		status = visit_states(search, from, to, look_at_next, next, error);
		if (next->backwards && !is_last)
			to = from - 1;
		else if (!is_last)
			from = to + 1;
	}
	return status == HISTREE_OK && !next->found ? HISTREE_NOT_FOUND : status;
}

enum histree_status state_search_next(const struct state_rows_asked *asked, histree_time at, int64_t position,
				      bool backwards, struct state_found *out, struct histree_error *error)
{
	struct search search;
	struct next_search next = { .at = at, .position = position, .backwards = backwards };
	enum histree_status status = search_open(&search, asked, error);
	if (status == HISTREE_OK)
		status = search_parts(&search, &next, error);
	search_close(&search);
	*out = next.best;
	return status;
}

/* ---- all of a picture ------------------------------------------------------------------------------------ */

struct pixel_search {
	const struct page_range *range;
	bool *out;
	bool is_over; /* there are too many */
};

/* The last pixel that begins at or before a time, as in rows.h; the first one for times before the range. */
static uint32_t pixel_of(const struct page_range *range, histree_time time)
{
	double share = ((double)time - (double)range->from) / ((double)range->to - (double)range->from + 1);
	double near = share * range->pixels;
	uint32_t pixel = near < 0 ? 0 : near >= range->pixels ? range->pixels - 1 : (uint32_t)near;
	while (pixel > 0 && histree_pixel_start(range->from, range->to, range->pixels, pixel) > time)
		pixel--;
	while (pixel + 1 < range->pixels &&
	       histree_pixel_start(range->from, range->to, range->pixels, pixel + 1) <= time)
		pixel++;
	return pixel;
}

static void mark_pixels(void *context, const struct search *search, const struct place *place,
			const struct histree_interval *state)
{
	struct pixel_search *pixels = context;
	pixels->is_over = pixels->is_over || search->looked > STATES_MAX;
	uint32_t first = pixel_of(pixels->range, state->start), last = pixel_of(pixels->range, state->end);
	bool *row = pixels->out + (size_t)(place->position - search->asked->first) * pixels->range->pixels;
	if (pixels->is_over || memchr(row + first, false, last - first + 1) == NULL ||
	    !matches(search, place, state))
		return;
	memset(row + first, true, last - first + 1);
}

enum histree_status state_search_pixels(const struct state_rows_asked *asked, const struct page_range *range,
					bool *out, bool *all, struct histree_error *error)
{
	struct search search;
	struct pixel_search pixels = { .range = range, .out = out };
	enum histree_status status = search_open(&search, asked, error);
	if (status == HISTREE_OK)
		status = visit_states(&search, range->from, range->to, mark_pixels, &pixels, error);
	search_close(&search);
	*all = !pixels.is_over;
	return status;
}
