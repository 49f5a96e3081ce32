// SPDX-License-Identifier: MIT
/*
 * state_search.c - the states of some rows that pass a filter.
 *
 * Rows to be searched are sorted by their histories and attributes, so that each history is queried once, and a
 * state finds its row.  Threads that had the same number one after another are rows of one attribute: a state then
 * belongs to the threads that had the number during it, each for its part.
 */
#include "server/model/state_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/monotonic.h"
#include "base/search.h"
#include "base/table.h"

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
	uint32_t history; /* of the search */
	histree_quark quark;
	uint32_t position;
	struct histree_row_life life; /* when states are the row's own */
};

struct searched_history {
	struct histree_history *history;
	struct histree_cursor *query; /* NULL until it is asked */
};

struct search {
	const struct searched_rows *asked;
	struct searched_row *rows; /* by history, then quark */
	histree_quark *quarks;     /* of the rows of a history, each once */
	size_t count;
	struct searched_history *histories;
	size_t history_count, history_capacity;
	uint64_t looked;               /* states */
	uint64_t matched, matched_max; /* states that did not match; 0: as many as there are */
	int64_t deadline_ms;           /* 0: none yet */
};

/* ---- which rows ------------------------------------------------------------------------------------------ */

COMPARE(compare_rows, struct searched_row, BY(history) BY(quark) BY(position))

/* Returns which of the histories it is; they become one more if it is new, if there is memory for it. */
static size_t history_index(struct search *search, struct histree_history *history)
{
	size_t i = 0;
	while (i < search->history_count && search->histories[i].history != history)
		i++;
	if (i == search->history_count &&
	    array_reserve(&search->histories, &search->history_capacity, search->history_count + 1))
		search->histories[search->history_count++] = (struct searched_history){ .history = history };
	return i;
}

static void search_close(struct search *search)
{
	for (size_t i = 0; i < search->history_count; i++)
		histree_cursor_free(search->histories[i].query);
	free(search->histories);
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
		if (facts.quark == HISTREE_ROOT)
			continue;
		const size_t history = history_index(search, facts.history);
		if (history == search->history_count)
			return error_memory(error, "a search");
		search->rows[search->count++] = (struct searched_row){
			.history = (uint32_t)history,
			.quark = facts.quark,
			.position = i,
			.life = row_own_life(&facts),
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
	struct searched_history *history = &search->histories[search->rows[first].history];
	const struct histree_history_info *info = histree_history_info(history->history);
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
	if (history->query == NULL)
		status = histree_query_create(history->history, &history->query, error);
	if (status == HISTREE_OK)
		status = histree_query_start(history->query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(history->query, error)) == HISTREE_OK) {
		state = *histree_cursor_interval(history->query);
		const struct histree_work *work = &search->asked->work;
		if (search->looked++ % CANCEL_STEPS == 0) {
			if (cancel_asked(work))
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
	struct byte_buffer text;
	bool is_full, failed; /* there are more than `candidates_max`; memory runs out */
};

/* In the order of states: below, at or above 0. */
static int compare_found(histree_time start, int64_t position, histree_time other_start, int64_t other_position)
{
	if (start != other_start)
		return start < other_start ? -1 : 1;
	return (position > other_position) - (position < other_position);
}

COMPARE(compare_candidates, struct candidate, BY(state.start) BY(row->position))

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
		byte_buffer_put(&next->text, state->value.bytes, state->value.size);
}

/* The first that matches.  HISTREE_PARTIAL: none up to the position that next->from then is. */
static enum histree_status match_in_order(struct search *search, struct next_search *next, struct state_found *out,
					  struct histree_error *error)
{
	const struct histree_work *work = &search->asked->work;
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
		if (search->matched % MATCHES_PER_LOOK == 0 && cancel_asked(work))
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
		next->part_start = next->backwards && !has_more ? INT64_MIN : from;
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
	byte_buffer_release(&next.text);
	*from = next.from;
	return status;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

struct count_search {
	const struct search_position *place;
	struct state_hits *hits;
	struct state_found *found; /* the first ones of those so far, and others: twice as many as are listed */
	size_t count;
};

COMPARE(compare_hits, struct state_found, BY(start) BY(position))

/* Keeps the first ones. */
static void sort_hits(struct count_search *counting)
{
	if (counting->count > 1)
		qsort(counting->found, counting->count, sizeof(*counting->found), compare_hits);
	if (counting->count > counting->hits->room)
		counting->count = counting->hits->room;
}

static void count_hit(void *context, const struct search *search, const struct searched_row *row,
		      const struct histree_interval *state)
{
	struct count_search *counting = context;
	const struct search_position *place = counting->place;
	if (state->value.type == HISTREE_NULL || !matches(search, row, state))
		return;
	counting->hits->count++;
	counting->hits->before += compare_found(state->start, row->position, place->start, place->position) < 0;
	counting->found[counting->count++] = (struct state_found){ state->start, state->end, row->position };
	if (counting->count > 2 * counting->hits->room)
		sort_hits(counting);
}

enum histree_status state_search_count(const struct searched_rows *rows, const struct histree_store_info *info,
				       const struct search_position *place, struct state_hits *hits,
				       struct histree_error *error)
{
	struct search search;
	struct count_search counting = { .place = place, .hits = hits };
	enum histree_status status = search_open(&search, rows, error);
	search.deadline_ms = monotonic_ms() + SEARCH_MS;
	counting.found = malloc((2 * hits->room + 1) * sizeof(*counting.found));
	if (status == HISTREE_OK && counting.found == NULL)
		status = error_memory(error, "a search");
	if (status == HISTREE_OK)
		status = visit_states(&search, info->start, info->end, count_hit, &counting, error);
	hits->are_all = status != HISTREE_PARTIAL;
	if (status >= 0) {
		sort_hits(&counting);
		hits->listed = counting.count;
		if (counting.count > 0)
			memcpy(hits->first, counting.found, counting.count * sizeof(*hits->first));
	}
	search_close(&search);
	free(counting.found);
	return status >= 0 ? HISTREE_OK : status;
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

static void take_in_gap(void *context, const struct search *search, const struct searched_row *row,
			const struct histree_interval *state)
{
	struct row_facts facts;
	struct gap_search *gaps = context;
	const size_t gap = SEARCH(i, 0, gaps->time_count, gaps->times[i] < state->start);
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
