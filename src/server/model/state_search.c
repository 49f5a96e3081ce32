// SPDX-License-Identifier: MIT
/*
 * state_search.c - states of some rows that match an expression.
 *
 * Rows are sorted by their histories and attributes, so that each history is asked once, and a state finds its row.
 * Threads that had one number one after another are rows of one attribute: a state is then of those that had the
 * number at a time of it, as far as they had.
 */
#include "server/model/state_search.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"

enum {
	STATES_MAX = 4 * 1024 * 1024, /* that are looked at for one picture */
	SEARCH_MS = 10000,
	MATCHES_PER_LOOK = 64,
	FIRST_PART = 1024, /* of the history: how much is searched at first */
	CANDIDATES_MAX = 1 << 16,
	SMALLER = 8, /* the next part, after one with more than that */
};

/* Where the states of an attribute are shown. */
struct searched_row {
	uint16_t history; /* of the search */
	histree_quark quark;
	uint32_t position;
	struct histree_row_life life; /* when states are the row's own */
};

struct search {
	const struct searched_rows *asked;
	struct searched_row *rows; /* by history, then quark */
	histree_quark *quarks;     /* of the rows of a history, each once */
	size_t count;
	struct histree_history *histories[DATASET_HISTORIES_MAX];
	struct histree_cursor *queries[DATASET_HISTORIES_MAX];
	uint64_t looked;               /* states */
	uint64_t matched, matched_max; /* states that did not match; 0: as many as there are */
	int64_t deadline_ms;           /* 0: none yet */
};

/* ---- which rows ------------------------------------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b)
{
	const struct searched_row *first = a, *second = b;
	if (first->history != second->history)
		return first->history < second->history ? -1 : 1;
	if (first->quark != second->quark)
		return first->quark < second->quark ? -1 : 1;
	return (first->position > second->position) - (first->position < second->position);
}

/* There are at most as many as a dataset has. */
static uint16_t history_index(struct search *search, struct histree_history *history)
{
	uint16_t i = 0;
	while (i < DATASET_HISTORIES_MAX && search->histories[i] != NULL && search->histories[i] != history)
		i++;
	assert(i < DATASET_HISTORIES_MAX);
	search->histories[i] = history;
	return i;
}

static void search_close(struct search *search)
{
	for (size_t i = 0; i < DATASET_HISTORIES_MAX; i++)
		histree_cursor_free(search->queries[i]);
	free(search->rows);
	free(search->quarks);
}

static enum histree_status search_open(struct search *search, const struct searched_rows *asked,
				       struct histree_error *error)
{
	*search = (struct search){ .asked = asked };
	search->rows = malloc(((size_t)asked->count + 1) * sizeof(*search->rows));
	search->quarks = malloc(((size_t)asked->count + 1) * sizeof(*search->quarks));
	if (search->rows == NULL || search->quarks == NULL)
		return error_memory(error, "a search");
	for (uint32_t i = 0; i < asked->count; i++) {
		struct row_facts facts;
		asked->facts(asked->context, i, &facts);
		const bool is_whole = facts.life.from == 0 && facts.life.to == 0;
		if (facts.quark == HISTREE_ROOT)
			continue;
		search->rows[search->count++] = (struct searched_row){
			.history = history_index(search, facts.history),
			.quark = facts.quark,
			.position = i,
			.life = is_whole ? (struct histree_row_life){ INT64_MIN, INT64_MAX } : facts.life,
		};
	}
	if (search->count > 0)
		qsort(search->rows, search->count, sizeof(*search->rows), compare_rows);
	return HISTREE_OK;
}

static bool matches(const struct search *search, const struct searched_row *row,
		    const struct histree_interval *state)
{
	struct row_facts facts;
	search->asked->facts(search->asked->context, row->position, &facts);
	return state_filter_match(search->asked->filter, &facts, state);
}

static int64_t monotonic_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_over(const struct search *search)
{
	return (search->matched_max != 0 && search->matched >= search->matched_max) ||
	       (search->deadline_ms != 0 && monotonic_ms() >= search->deadline_ms);
}

/* ---- their states ---------------------------------------------------------------------------------------- */

typedef void visit_state(void *context, const struct search *search, const struct searched_row *row,
			 const struct histree_interval *state);

/* Puts the attributes of the rows [first, end) into `quarks`; returns how many. */
static size_t choose_quarks(struct search *search, size_t first, size_t end)
{
	size_t count = 0;
	for (size_t i = first; i < end; i++)
		if (count == 0 || search->quarks[count - 1] != search->rows[i].quark)
			search->quarks[count++] = search->rows[i].quark;
	return count;
}

/* Visits the states of the rows [first, end) of one history.  HISTREE_PARTIAL: the search was over before. */
static enum histree_status visit_history(struct search *search, size_t first, size_t end, histree_time from,
					 histree_time to, visit_state *visit, void *context,
					 struct histree_error *error)
{
	uint16_t index = search->rows[first].history;
	struct histree_history *history = search->histories[index];
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_region region = {
		.quarks = search->quarks,
		.quark_count = choose_quarks(search, first, end),
		.from = from > info->start ? from : info->start,
		.to = to < info->end ? to : info->end,
	};
	struct histree_interval state;
	enum histree_status status = HISTREE_OK;
	state_filter_narrow(search->asked->filter, &region.from, &region.to);
	if (region.from > region.to)
		return HISTREE_OK;
	if (search->queries[index] == NULL)
		status = histree_query_create(history, &search->queries[index], error);
	if (status == HISTREE_OK)
		status = histree_query_start(search->queries[index], &region, error);
	while (status == HISTREE_OK &&
	       (status = histree_cursor_next(search->queries[index], error)) == HISTREE_OK) {
		state = *histree_cursor_interval(search->queries[index]);
		const struct histree_work *cancel = &search->asked->work;
		if (search->looked++ % CANCEL_STEPS == 0) {
			if (cancel_asked(cancel))
				return error_set(error, HISTREE_ERR_CANCELLED, "the search is no longer wanted");
			if (is_over(search))
				return HISTREE_PARTIAL;
		}

		/* Visits a state for each of the rows [first, end) that it is of. */
		size_t i = SEARCH(at, first, end, search->rows[at].quark < state.quark);
		for (; i < end && search->rows[i].quark == state.quark; i++) {
			const struct searched_row *row = &search->rows[i];
			struct histree_interval own = state;
			own.start = own.start > row->life.from ? own.start : row->life.from;
			own.end = own.end < row->life.to ? own.end : row->life.to;
			if (own.start <= own.end)
				visit(context, search, row, &own);
		}
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status visit_states(struct search *search, histree_time from, histree_time to,
					visit_state *visit, void *context, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t first = 0, end; first < search->count && status == HISTREE_OK; first = end) {
		end = first + 1;
		while (end < search->count && search->rows[end].history == search->rows[first].history)
			end++;
		status = visit_history(search, first, end, from, to, visit, context, error);
	}
	return status;
}

/* ---- the next one ---------------------------------------------------------------------------------------- */

/* A state that may match, copied. */
struct candidate {
	struct histree_interval state;
	size_t text; /* where the bytes of its value are */
	const struct searched_row *row;
};

/*
 * Candidates are gathered part by part, and then looked at in their order: to match one may take several queries.
 */
struct next_search {
	struct search_position from; /* after, or before, what was searched */
	bool backwards;
	histree_time part_start; /* only states that start in a part belong to it */
	struct candidate *candidates;
	size_t count, capacity, candidates_max;
	struct piece text;
	bool is_full, failed; /* there are more than `candidates_max`; memory is out */
};

/* In the order of states: below, at or above 0. */
static int compare_found(histree_time start, int64_t position, histree_time other_start, int64_t other_position)
{
	if (start != other_start)
		return start < other_start ? -1 : 1;
	return (position > other_position) - (position < other_position);
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *one = a, *other = b;
	return compare_found(one->state.start, one->row->position, other->state.start, other->row->position);
}

static void gather(void *context, const struct search *search, const struct searched_row *row,
		   const struct histree_interval *state)
{
	(void)search;
	struct next_search *next = context;
	int order = compare_found(state->start, row->position, next->from.start, next->from.position);
	if (next->is_full || state->value.type == HISTREE_NULL || state->start < next->part_start ||
	    (next->backwards ? order >= 0 : order <= 0))
		return;
	if (next->count == next->candidates_max) {
		next->is_full = true;
		return;
	}
	if (!array_reserve(&next->candidates, &next->capacity, next->count + 1)) {
		next->failed = true;
		return;
	}
	next->candidates[next->count++] = (struct candidate){ *state, next->text.size, row };
	if (state->value.size > 0)
		piece_put(&next->text, state->value.bytes, state->value.size);
}

/* The first that matches.  HISTREE_PARTIAL: none up to the position that next->from then is. */
static enum histree_status match_in_order(struct search *search, struct next_search *next, struct state_found *out,
					  struct histree_error *error)
{
	const struct histree_work *cancel = &search->asked->work;
	if (next->count > 0)
		qsort(next->candidates, next->count, sizeof(*next->candidates), compare_candidates);
	for (size_t i = 0; i < next->count; i++) {
		struct candidate *candidate = &next->candidates[next->backwards ? next->count - 1 - i : i];
		if (candidate->state.value.size > 0)
			candidate->state.value.bytes = next->text.bytes + candidate->text;
		next->from = (struct search_position){ candidate->state.start, candidate->row->position };
		*out = (struct state_found){ candidate->state.start, candidate->state.end,
					     candidate->row->position };
		if (matches(search, candidate->row, &candidate->state))
			return HISTREE_OK;
		search->matched++;
		if (search->matched % MATCHES_PER_LOOK == 0 && cancel_asked(cancel))
			return error_set(error, HISTREE_ERR_CANCELLED, "the search is no longer wanted");
		if (is_over(search))
			return HISTREE_PARTIAL;
	}
	return HISTREE_NOT_FOUND;
}

/* The part of a length next to `from`; false: it is the last one. */
static bool choose_part(const struct next_search *next, const struct histree_store_info *info, int64_t length,
			histree_time *from, histree_time *to)
{
	*from = *to = next->from.start;
	if (next->backwards) {
		*from = *to - info->start > length ? *to - length : info->start;
		return *from > info->start;
	}
	*to = info->end - *from > length ? *from + length : info->end;
	return *to < info->end;
}

/*
 * Parts of doubling length, away from where the search begins: what is near is found soon.  It is over at the first
 * candidate at the earliest, so that a search which goes on comes further each time.
 */
static enum histree_status search_parts(struct search *search, const struct histree_store_info *info,
					struct next_search *next, struct state_found *out,
					struct histree_error *error)
{
	const int64_t deadline = monotonic_ms() + SEARCH_MS;
	int64_t length = (info->end - info->start) / FIRST_PART + 1;
	for (;;) {
		histree_time from, to;
		bool has_more = choose_part(next, info, length, &from, &to);

		/* A part that is full is not read to its end. */
		const bool is_last = !has_more;
		next->part_start = next->backwards && is_last ? INT64_MIN : from;
		next->candidates_max = to - from > 1 ? CANDIDATES_MAX : SIZE_MAX;
		next->count = next->text.size = 0;
		next->is_full = false;
		enum histree_status status = visit_states(search, from, to, gather, next, error);
		status = next->failed || next->text.failed ? error_memory(error, "a search") : status;
		if (status == HISTREE_OK && next->is_full) {
			length = (to - from) / SMALLER + 1;
			continue;
		}
		search->deadline_ms = deadline;
		if (status == HISTREE_OK)
			status = match_in_order(search, next, out, error);
		if (status != HISTREE_NOT_FOUND || !has_more)
			return status;
		next->from = next->backwards ? (struct search_position){ from, -1 }
					     : (struct search_position){ to, UINT32_MAX };
		if (is_over(search))
			return HISTREE_PARTIAL;
		if (next->count < CANDIDATES_MAX / 4)
			length *= 2;
	}
}

enum histree_status state_search_next(const struct searched_rows *rows, const struct histree_store_info *info,
				      struct search_position *from, bool backwards, uint64_t states_max,
				      struct state_found *out, struct histree_error *error)
{
	struct search search;
	struct next_search next = { .from = *from, .backwards = backwards };
	enum histree_status status = search_open(&search, rows, error);
	search.matched_max = states_max;
	if (status == HISTREE_OK)
		status = search_parts(&search, info, &next, out, error);
	search_close(&search);
	free(next.candidates);
	piece_release(&next.text);
	*from = next.from;
	return status;
}

/* ---- all of a picture ------------------------------------------------------------------------------------ */

struct pixel_search {
	histree_time from, to;
	uint32_t pixels;
	bool *out;
	bool is_over; /* there are too many */
};

/* The last pixel that begins at or before a time, as in states.h; the first one for times before the range. */
static uint32_t pixel_of(const struct pixel_search *range, histree_time time)
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

static void mark_pixels(void *context, const struct search *search, const struct searched_row *row,
			const struct histree_interval *state)
{
	struct pixel_search *pixels = context;
	pixels->is_over = pixels->is_over || search->looked > STATES_MAX;
	uint32_t first = pixel_of(pixels, state->start), last = pixel_of(pixels, state->end);
	bool *marks = pixels->out + (size_t)row->position * pixels->pixels;
	if (pixels->is_over || memchr(marks + first, false, last - first + 1) == NULL ||
	    !matches(search, row, state))
		return;
	memset(marks + first, true, last - first + 1);
}

enum histree_status state_search_pixels(const struct searched_rows *rows, histree_time from, histree_time to,
					uint32_t count, bool *out, bool *all, struct histree_error *error)
{
	struct search search;
	struct pixel_search pixels = { from, to, count, out, false };
	enum histree_status status = search_open(&search, rows, error);
	if (status == HISTREE_OK)
		status = visit_states(&search, from, to, mark_pixels, &pixels, error);
	search_close(&search);
	*all = !pixels.is_over;
	return status;
}

/* ---- between samples ------------------------------------------------------------------------------------- */

struct gap_search {
	const histree_time *times;
	size_t time_count;
	bool *taken; /* by row, then gap */
	state_visit *visit;
	void *context;
	enum histree_status status;
	struct histree_error *error;
};

struct sought_time {
	const histree_time *times;
	histree_time time;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought_time *sought = context;
	return sought->times[index] < sought->time;
}

static void take_in_gap(void *context, const struct search *search, const struct searched_row *row,
			const struct histree_interval *state)
{
	struct row_facts facts;
	struct gap_search *gaps = context;
	const struct sought_time sought = { gaps->times, state->start };
	const size_t gap = search_first(0, gaps->time_count, gaps->time_count / 2, is_before, &sought);
	bool meets_sample = gap < gaps->time_count && gaps->times[gap] <= state->end;
	bool *is_taken = &gaps->taken[(size_t)(row - search->rows) * gaps->time_count + gap];
	if (gaps->status != HISTREE_OK || meets_sample || *is_taken || !matches(search, row, state))
		return;
	*is_taken = true;
	search->asked->facts(search->asked->context, row->position, &facts);
	gaps->status = gaps->visit(gaps->context, &facts, state, gaps->error);
}

enum histree_status state_search_between(const struct searched_rows *rows, const histree_time *times,
					 size_t time_count, state_visit *visit, void *context,
					 struct histree_error *error)
{
	struct search search;
	struct gap_search gaps = {
		.times = times, .time_count = time_count, .visit = visit, .context = context, .error = error
	};
	if (time_count == 0)
		return HISTREE_OK;
	enum histree_status status = search_open(&search, rows, error);
	gaps.taken = calloc(search.count * time_count + 1, sizeof(*gaps.taken));
	if (status == HISTREE_OK && gaps.taken == NULL)
		status = error_memory(error, "a search");
	if (status == HISTREE_OK)
		status = visit_states(&search, times[0], times[time_count - 1], take_in_gap, &gaps, error);
	search_close(&search);
	free(gaps.taken);
	return status == HISTREE_OK ? gaps.status : status;
}
