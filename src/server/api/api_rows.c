// SPDX-License-Identifier: MIT
/*
 * api_rows.c - the rows of a view for the page: the cells of a window of rows; the next row with a name; where the
 * row of a selection is.
 *
 * A row may stand for many: what the threads of a process did, pixel by pixel.  One query reads the states of all
 * members, and for each style the time that it has in each pixel is added up: the whole pixels of a state as a
 * difference at its two ends, so that a state costs the same however long it is.  Where they have more states than
 * a picture needs, it is made of some members, chosen evenly from the busiest to the idlest, and the answer says
 * so.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/row_model.h"

/* ---- group cells --------------------------------------------------------------------------------------------- */

struct group_cell {
	const struct histree_style *style; /* NULL: nothing */
	const struct histree_style *other; /* what is worth more, but was there for moments only; NULL: nothing */
};

enum {
	GROUP_STYLES_MAX = 16,
	GROUP_STATES_MAX = 1 << 19,  /* that are read before fewer members are asked, */
	GROUP_MEMBERS_MAX = 1 << 16, /* and how many of these are asked at first */
	GROUP_FEWER = 4,             /* times fewer each time */
	GROUP_SAMPLED_MAX = 64,      /* so few are not made fewer: they are looked at so often */
	GROUP_SAMPLES = 4,           /* in a pixel */
};

/* Of one style, by pixel. */
struct style_time {
	const struct histree_style *style;
	double *parts;  /* of pixels that a state covers in part */
	int32_t *whole; /* how many states begin to cover pixels here, less those that end to */
};

struct member {
	histree_quark quark;
	struct histree_row_life life;
};

/* What is asked of the rows of one history, and what is found. */
struct group {
	const struct host_rows *rows;
	histree_time from, to; /* both inclusive, within the history */
	uint32_t pixels;
	struct histree_work work;
	struct histree_history *history;
	const struct histree_label_table *table;
	uint32_t *present; /* rows that have a state in the range, the busiest first */
	uint32_t present_count;
	bool is_estimate;       /* not all states of these were added up */
	struct member *members; /* of those that are asked, ascending by quark */
	uint32_t count;
	histree_quark *quarks; /* without those that two lives share */
	size_t quark_count;
	struct style_time styles[GROUP_STYLES_MAX];
	size_t style_count;
};

COMPARE(compare_members, struct member, BY(quark))

/* Finds who is there in the range: only these have states to be read. */
static enum histree_status find_present(struct group *group, const uint32_t *rows, uint32_t count,
					struct histree_error *error)
{
	struct row_facts facts;
	group->present = malloc(((size_t)count + 1) * sizeof(*group->present));
	if (group->present == NULL)
		return error_memory(error, "the threads of a process");
	for (uint32_t i = 0; i < count; i++) {
		host_rows_facts(group->rows, rows[i], &facts);
		const bool is_always = facts.seen.from == 0 && facts.seen.to == 0;
		const bool is_there = facts.seen.from <= facts.seen.to && facts.seen.from <= group->to &&
				      facts.seen.to >= group->from;
		if (is_always || is_there)
			group->present[group->present_count++] = rows[i];
	}
	return HISTREE_OK;
}

/* Chooses so many of those that are there, each from the middle of its part of them. */
static enum histree_status choose_members(struct group *group, uint32_t count, struct histree_error *error)
{
	free(group->members);
	free(group->quarks);
	group->count = count;
	group->quark_count = 0;
	group->members = malloc(((size_t)count + 1) * sizeof(*group->members));
	group->quarks = malloc(((size_t)count + 1) * sizeof(*group->quarks));
	if (group->members == NULL || group->quarks == NULL)
		return error_memory(error, "the threads of a process");
	for (uint64_t i = 0; i < count; i++) {
		struct row_facts facts;
		const uint64_t at = (2 * i + 1) * group->present_count / (2 * (uint64_t)count);
		host_rows_facts(group->rows, group->present[at], &facts);
		group->members[i] = (struct member){ facts.quark, row_own_life(&facts) };
	}
	qsort(group->members, count, sizeof(*group->members), compare_members);
	for (uint32_t i = 0; i < count; i++)
		if (group->quark_count == 0 || group->quarks[group->quark_count - 1] != group->members[i].quark)
			group->quarks[group->quark_count++] = group->members[i].quark;
	return HISTREE_OK;
}

/* Returns HISTREE_NOT_FOUND where there are more styles than a kernel has. */
static enum histree_status times_of(struct group *group, const struct histree_style *style, struct style_time **out,
				    struct histree_error *error)
{
	for (size_t i = 0; i < group->style_count; i++)
		if (group->styles[i].style == style) {
			*out = &group->styles[i];
			return HISTREE_OK;
		}
	if (group->style_count == GROUP_STYLES_MAX)
		return HISTREE_NOT_FOUND;
	struct style_time *made = &group->styles[group->style_count++];
	made->style = style;
	made->parts = calloc((size_t)group->pixels + 1, sizeof(*made->parts));
	made->whole = calloc((size_t)group->pixels + 1, sizeof(*made->whole));
	*out = made;
	return made->parts != NULL && made->whole != NULL ? HISTREE_OK
							  : error_memory(error, "the states of a process");
}

/* Adds a time, both ends inclusive, which is cut at the range. */
static void add_time(const struct group *group, struct style_time *times, histree_time from, histree_time to)
{
	from = from > group->from ? from : group->from;
	to = to < group->to ? to : group->to;
	if (from > to)
		return;
	const double scale = (double)group->pixels / ((double)(group->to - group->from) + 1);
	const double left = (double)(from - group->from) * scale;
	const double right = ((double)(to - group->from) + 1) * scale;
	uint32_t first = (uint32_t)left, last = (uint32_t)right;
	first = first < group->pixels ? first : group->pixels - 1;
	last = last < group->pixels ? last : group->pixels - 1;
	if (first == last) {
		times->parts[first] += right - left;
		return;
	}
	times->parts[first] += first + 1 - left;
	times->parts[last] += right - last;
	times->whole[first + 1]++;
	times->whole[last]--;
}

/* Of a number that was used again, each member has its own time. */
static void add_state(const struct group *group, struct style_time *times, const struct histree_interval *state)
{
	const struct member wanted = { .quark = state->quark };
	const uint32_t count = group->count;
	const struct member *found = bsearch(&wanted, group->members, count, sizeof(wanted), compare_members);
	if (found == NULL)
		return;
	while (found > group->members && found[-1].quark == state->quark)
		found--;
	for (; found < group->members + count && found->quark == state->quark; found++)
		add_time(group, times, state->start > found->life.from ? state->start : found->life.from,
			 state->end < found->life.to ? state->end : found->life.to);
}

static void forget_times(struct group *group)
{
	for (size_t i = 0; i < group->style_count; i++) {
		free(group->styles[i].parts);
		free(group->styles[i].whole);
	}
	group->style_count = 0;
}

/* Returns HISTREE_PARTIAL where there are more states than are read. */
static enum histree_status read_states(struct group *group, struct histree_cursor *query,
				       struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = group->quarks, .quark_count = group->quark_count, .from = group->from, .to = group->to
	};
	enum histree_status status = histree_query_start(query, &region, error);
	for (uint32_t states = 0; status == HISTREE_OK; states++) {
		status = histree_cursor_next(query, error);
		if (status != HISTREE_OK)
			break;
		if (states == GROUP_STATES_MAX)
			return HISTREE_PARTIAL;
		if (states % 65536 == 0 && group->work.go_on != NULL && !group->work.go_on(group->work.context))
			return error_set(error, HISTREE_ERR_CANCELLED, "nobody waits for it any more");
		const struct histree_interval *state = histree_cursor_interval(query);
		const struct histree_style *style = histree_style_of(group->table, &state->value);
		if (style == NULL)
			continue;
		struct style_time *times;
		status = times_of(group, style, &times, error);
		if (status != HISTREE_OK)
			return status;
		add_state(group, times, state);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* A state has a part of a pixel for each of the times at which its thread was looked at and was in it. */
static void add_samples(const struct group *group, struct style_time *times, const struct histree_interval *state,
			const histree_time *samples, size_t count)
{
	const double scale = (double)group->pixels / ((double)(group->to - group->from) + 1);
	const struct member wanted = { .quark = state->quark };
	const struct member *found =
		bsearch(&wanted, group->members, group->count, sizeof(wanted), compare_members);
	while (found != NULL && found > group->members && found[-1].quark == state->quark)
		found--;
	for (; found != NULL && found < group->members + group->count && found->quark == state->quark; found++) {
		const histree_time from = state->start > found->life.from ? state->start : found->life.from;
		const histree_time to = state->end < found->life.to ? state->end : found->life.to;
		for (size_t i = SEARCH(at, 0, count, samples[at] < from); i < count && samples[i] <= to; i++) {
			const uint32_t pixel = (uint32_t)((double)(samples[i] - group->from) * scale);
			times->parts[pixel < group->pixels ? pixel : group->pixels - 1] += 1.0 / GROUP_SAMPLES;
		}
	}
}

/* What those that are asked did at some times in each pixel: that costs what is drawn. */
static enum histree_status read_samples(struct group *group, struct histree_cursor *query,
					struct histree_error *error)
{
	const uint32_t parts = group->pixels * GROUP_SAMPLES;
	histree_time *samples = malloc(parts * sizeof(*samples));
	size_t count = 0;
	if (samples == NULL)
		return error_memory(error, "the threads of a process");
	for (uint32_t part = 0; part < parts; part++) {
		const histree_time middle = histree_pixel_start(group->from, group->to, parts * 2, part * 2 + 1);
		if (count == 0 || samples[count - 1] < middle)
			samples[count++] = middle;
	}
	const struct histree_region region = {
		.quarks = group->quarks, .quark_count = group->quark_count, .times = samples, .time_count = count
	};
	enum histree_status status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, error)) == HISTREE_OK) {
		const struct histree_interval *state = histree_cursor_interval(query);
		const struct histree_style *style = histree_style_of(group->table, &state->value);
		struct style_time *times;
		if (style != NULL && (status = times_of(group, style, &times, error)) == HISTREE_OK)
			add_samples(group, times, state, samples, count);
	}
	free(samples);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* All that are there, if they have no more states than are read; else fewer of them. */
static enum histree_status read_members(struct group *group, struct histree_cursor *query,
					struct histree_error *error)
{
	uint32_t count = group->present_count < GROUP_MEMBERS_MAX ? group->present_count : GROUP_MEMBERS_MAX;
	enum histree_status status;
	for (;;) {
		status = choose_members(group, count, error);
		if (status == HISTREE_OK)
			status = read_states(group, query, error);
		if (status != HISTREE_PARTIAL)
			break;
		group->is_estimate = true;
		forget_times(group);
		if (count <= GROUP_SAMPLED_MAX) {
			status = read_samples(group, query, error);
			break;
		}
		count = count / GROUP_FEWER > GROUP_SAMPLED_MAX ? count / GROUP_FEWER : GROUP_SAMPLED_MAX;
	}
	group->is_estimate |= count < group->present_count;
	return status;
}

/* Those of one height are always in one order. */
COMPARE(compare_worth, struct style_time, BY_MOST(style->height) BY_TEXT(style->key))

static void choose(struct group *group, struct group_cell *out)
{
	int64_t whole[GROUP_STYLES_MAX] = { 0 };
	const double each =
		group->count > 0 ? (double)group->present_count / group->count : 1; /* stands for so many */
	qsort(group->styles, group->style_count, sizeof(group->styles[0]), compare_worth);
	for (uint32_t pixel = 0; pixel < group->pixels; pixel++) {
		const struct histree_style *most = NULL, *shortly = NULL;
		double longest = 0, chosen = 0;
		out[pixel].style = NULL;
		for (size_t i = 0; i < group->style_count; i++) {
			const struct style_time *times = &group->styles[i];
			whole[i] += times->whole[pixel];
			const double time = (times->parts[pixel] + (double)whole[i]) * each;
			const bool is_equal =
				out[pixel].style == NULL || out[pixel].style->height == times->style->height;
			if (time >= 0.5 && is_equal && time > chosen) {
				out[pixel].style = times->style;
				chosen = time;
			}
			if (out[pixel].style == NULL && shortly == NULL && time > 0)
				shortly = times->style;
			if (time > longest) {
				longest = time;
				most = times->style;
			}
		}
		if (out[pixel].style == NULL)
			out[pixel].style = most;
		out[pixel].other = shortly != out[pixel].style ? shortly : NULL;
	}
}

/*
 * Who runs hides who waits, and they who sleep: a pixel has the state of greatest worth, of equals the longest,
 * that members were in, added up, for half of it or more.  A style is worth as much as it is high.  Returns
 * HISTREE_NOT_FOUND where there are more styles than a kernel has, and then there are no cells.
 */
static enum histree_status group_cells_make(struct group *group, const uint32_t *rows, uint32_t count,
					    struct group_cell *out, struct histree_error *error)
{
	struct histree_cursor *query = NULL;
	enum histree_status status = find_present(group, rows, count, error);
	if (status == HISTREE_OK)
		status = histree_query_create(group->history, &query, error);
	if (status == HISTREE_OK)
		status = read_members(group, query, error);
	if (status == HISTREE_OK)
		choose(group, out);
	histree_cursor_free(query);
	forget_times(group);
	free(group->present);
	free(group->members);
	free(group->quarks);
	return status;
}

/* ---- the window ------------------------------------------------------------------------------------- */

enum {
	RUN_SIZE = 12,
	NO_STYLE = 0xffff,
	MORE_STATES = 1, /* api.h: more */
	SHORT_STATE = 2,
	OPEN_STATE = 4,
	STYLES_MAX = 1024,
	TEXT_PIXELS_MIN = 24, /* of a span, or of neighbours with one value, that get the text of it */
	THREAD_TEXTS =
		1 << 30, /* from here on in the place of values: which text, as a number may be two threads' */
};
#define END_OF_ROWS UINT32_MAX

struct window {
	struct page_rows rows;
	struct page_range range;
	uint32_t first, count;

	struct histree_cursor *cells;
	histree_quark *quarks;          /* of the rows that have states, */
	struct histree_row_life *lives; /* and when they are theirs */
	struct histree_cell_span *spans;
	struct group_cell *cells_of_group;
	uint32_t *estimated_from; /* by row of the window: of how many threads it is an estimate, or 0 */
	uint32_t next;            /* row of the window */

	const struct histree_style *styles[STYLES_MAX];
	size_t style_count;
	uint32_t value_base; /* values of the stretches before; those of this one follow */
	const char *host;    /* of the last row; NULL: there is but one */
	struct histree_work work;
	bool *has_text; /* by value of this stretch */
	size_t has_text_capacity;
	struct intern thread_texts;
	struct byte_buffer texts; /* members of an object, by value */
	struct json_writer texts_json;
};

static void window_release(void *state)
{
	struct window *window = state;
	histree_cursor_free(window->cells);
	page_rows_close(&window->rows);
	free(window->has_text);
	intern_release(&window->thread_texts);
	byte_buffer_release(&window->texts);
}

static uint32_t row_at(const struct window *window, uint32_t index)
{
	return row_order_at(window->rows.order, window->first + index);
}

static void facts_at(const struct window *window, uint32_t index, struct row_facts *facts)
{
	host_rows_facts(window->rows.rows, row_at(window, index), facts);
}

/* The group whose rows a row of the window stands for; NULL: it is but itself. */
static const struct row_group *folded_at(const struct window *window, uint32_t index)
{
	const struct row_group *lead = row_order_lead(window->rows.order, window->first + index);
	return lead != NULL && lead->is_folded ? lead : NULL;
}

/* ---- cells ------------------------------------------------------------------------------------------- */

static uint16_t style_index(struct window *window, const struct histree_style *style)
{
	size_t i = 0;
	if (style == NULL)
		return NO_STYLE;
	while (i < window->style_count && window->styles[i] != style)
		i++;
	if (i == STYLES_MAX)
		return NO_STYLE;
	if (i == window->style_count)
		window->styles[window->style_count++] = style;
	return (uint16_t)i;
}

static void write_text(struct window *window, uint32_t number, const struct byte_buffer *text)
{
	char key[16];
	snprintf(key, sizeof(key), "%u", number);
	json_string_member(&window->texts_json, key, byte_buffer_chars(text), text->size);
}

/* When the middle of a span is. */
static histree_time middle_of(const struct window *window, const struct histree_cell_span *span)
{
	const struct page_range *range = &window->range;
	return histree_pixel_start(range->from, range->to, range->pixels, span->start + span->length / 2);
}

/* The text of a thread is that of the thread that had the number then. */
static bool add_thread_text(struct window *window, const struct histree_cell_span *span, uint32_t index,
			    const struct row_facts *facts, uint32_t *number)
{
	struct byte_buffer text = { 0 };
	const struct histree_value value = histree_rows_value(window->cells, index);
	const uint32_t known = window->thread_texts.count;
	row_put_text(window->rows.rows->model, facts, &value, middle_of(window, span), &text);
	const uint32_t id =
		text.failed ? INTERN_NONE : intern_add(&window->thread_texts, byte_buffer_chars(&text), text.size);
	*number = THREAD_TEXTS + id;
	if (id != INTERN_NONE && window->thread_texts.count > known)
		write_text(window, *number, &text);
	byte_buffer_release(&text);
	return id != INTERN_NONE;
}

/*
 * A text is made while its value is available: it is freed with the cells of its stretch. *number stands for the
 * text.
 */
static bool add_text(struct window *window, const struct histree_cell_span *span, uint32_t index,
		     const struct row_facts *facts, uint32_t *number)
{
	size_t had = window->has_text_capacity;
	if (facts->table != NULL && facts->table->meaning == HISTREE_MEANS_TID)
		return add_thread_text(window, span, index, facts, number);
	if (!array_reserve(&window->has_text, &window->has_text_capacity, (size_t)index + 1))
		return false;
	memset(window->has_text + had, 0, window->has_text_capacity - had);
	if (window->has_text[index])
		return true;
	window->has_text[index] = true;
	struct byte_buffer text = { 0 };
	struct histree_value value = histree_rows_value(window->cells, index);
	row_put_text(window->rows.rows->model, facts, &value, middle_of(window, span), &text);
	write_text(window, *number, &text);
	bool failed = text.failed;
	byte_buffer_release(&text);
	return !failed;
}

/* The style of a span, and the value it is of: the dominant one, or where that is nothing the other one. */
static const struct histree_style *style_of_span(const struct window *window, const struct histree_cell_span *span,
						 const struct histree_label_table *table, uint32_t *value,
						 uint16_t *more)
{
	struct histree_value dominant = histree_rows_value(window->cells, span->cell.value);
	const struct histree_style *style = histree_style_of(table, &dominant);
	bool has_other = span->cell.other != HISTREE_NO_VALUE;
	*value = span->cell.value;
	*more = has_other ? MORE_STATES : 0;
	if (style != NULL || !has_other || span->cell.other == HISTREE_UNKNOWN_VALUE)
		return style;
	struct histree_value other = histree_rows_value(window->cells, span->cell.other);
	style = histree_style_of(table, &other);
	if (style != NULL) {
		*value = span->cell.other;
		*more = SHORT_STATE;
	}
	return style;
}

/*
 * The state at the end of the trace, if it is of a call that was open then.  Its bytes are the query's, which is
 * the caller's to free.
 */
static bool find_open(const struct window *window, const struct row_facts *facts, struct histree_cursor **query,
		      struct histree_interval *open)
{
	*query = NULL;
	if (!row_is_of_calls(facts))
		return false;
	const histree_time end = row_trace_end(facts);
	return end >= window->range.from && end <= window->range.to &&
	       histree_query_create(facts->history, query, NULL) == HISTREE_OK &&
	       histree_query_single(*query, facts->quark, end, open, NULL) == HISTREE_OK &&
	       row_is_open(facts, open);
}

/* Returns whether the span is of the open state, and reaches to the end of the trace. */
static bool is_open(const struct window *window, const struct histree_cell_span *span,
		    const struct row_facts *facts, const struct histree_interval *open)
{
	const struct page_range *range = &window->range;
	const histree_time end = row_trace_end(facts);
	const uint32_t after = span->start + span->length;
	const struct histree_value value = histree_rows_value(window->cells, span->cell.value);
	return histree_value_equal(&value, &open->value) &&
	       histree_pixel_start(range->from, range->to, range->pixels, span->start) <= end &&
	       (after == range->pixels || histree_pixel_start(range->from, range->to, range->pixels, after) > end);
}

static bool write_spans(struct window *window, const struct histree_cell *cells, const struct row_facts *facts,
			const struct histree_interval *open, struct byte_buffer *out)
{
	size_t count = histree_cells_to_spans(cells, window->range.pixels, window->spans);
	uint8_t *at = byte_buffer_room(out, 4 + count * RUN_SIZE);
	if (at == NULL)
		return false;
	put_le32(at, (uint32_t)count);
	at += 4;
	uint32_t pixels = 0; /* of the spans up to `end`, which have one value, though some had other states too */
	for (size_t i = 0, end = 0; i < count; i++, at += RUN_SIZE) {
		const struct histree_cell_span *span = &window->spans[i];
		for (pixels = i == end ? 0 : pixels;
		     end < count && window->spans[end].cell.value == span->cell.value; end++)
			pixels += window->spans[end].length;
		uint32_t value;
		uint16_t more;
		const struct histree_style *style = style_of_span(window, span, facts->table, &value, &more);
		uint32_t number = window->value_base + value;
		if ((value == span->cell.value ? pixels : span->length) >= TEXT_PIXELS_MIN && style != NULL &&
		    !add_text(window, span, value, facts, &number))
			return false;
		put_le16(at, (uint16_t)span->start);
		put_le16(at + 2, (uint16_t)span->length);
		put_le16(at + 4, style_index(window, style));
		put_le16(at + 6, open != NULL && is_open(window, span, facts, open) ? more | OPEN_STATE : more);
		put_le32(at + 8, number);
	}
	out->size += 4 + count * RUN_SIZE;
	return true;
}

/* Values from here on are others than those so far, even if they are equal. */
static void begin_values(struct window *window)
{
	window->value_base += histree_rows_value_count(window->cells);
	if (window->has_text != NULL)
		memset(window->has_text, 0, window->has_text_capacity);
}

static void end_stretch(struct window *window)
{
	if (window->cells == NULL)
		return;
	begin_values(window);
	histree_cursor_free(window->cells);
	window->cells = NULL;
}

/* Cells are asked for in stretches of rows of one history; a window nearly always is one. */
static enum histree_status begin_stretch(struct window *window, struct histree_error *error)
{
	struct row_facts first, facts;
	uint32_t count = 0;
	facts_at(window, window->next, &first);
	for (uint32_t i = window->next; i < window->count; i++) {
		facts_at(window, i, &facts);
		if (facts.quark == HISTREE_ROOT || facts.history != first.history ||
		    (i > window->next && folded_at(window, i) != NULL))
			break;
		window->lives[count] = row_own_life(&facts);
		window->quarks[count++] = facts.quark;
	}
	end_stretch(window);
	enum histree_status status = histree_rows_create(first.history, &window->cells, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(first.history);
	struct histree_rows_request request = {
		.quarks = window->quarks,
		.lives = window->lives,
		.quark_count = count,
		.from = window->range.from > info->start ? window->range.from : info->start,
		.to = window->range.to < info->end ? window->range.to : info->end,
		.pixels = window->range.pixels,
		.work = window->work,
	};
	return histree_rows_start(window->cells, &request, error);
}

/* ---- the cells of a group -------------------------------------------------------------------------------- */

/* Neighbours of one style have one text, though some of their pixels had other states too. */
static void begin_group_text(struct window *window, uint32_t first)
{
	const struct group_cell *cells = window->cells_of_group;
	uint32_t end = first + 1;
	while (end < window->range.pixels && cells[end].style == cells[first].style)
		end++;
	window->value_base++;
	if (cells[first].style == NULL || end - first < TEXT_PIXELS_MIN)
		return;
	struct byte_buffer text = { 0 };
	byte_buffer_put_chars(&text, cells[first].style->name);
	write_text(window, window->value_base, &text);
	byte_buffer_release(&text);
}

static bool write_group_spans(struct window *window, struct byte_buffer *out)
{
	const struct group_cell *cells = window->cells_of_group;
	const size_t count_at = out->size;
	uint32_t count = 0;
	uint8_t *at = byte_buffer_room(out, 4 + (size_t)window->range.pixels * RUN_SIZE);
	if (at == NULL)
		return false;
	at += 4;
	for (uint32_t first = 0, end; first < window->range.pixels; first = end, count++, at += RUN_SIZE) {
		const struct group_cell *cell = &cells[first];
		for (end = first + 1; end < window->range.pixels && cells[end].style == cell->style &&
				      cells[end].other == cell->other;)
			end++;
		if (first == 0 || cells[first - 1].style != cell->style)
			begin_group_text(window, first);
		put_le16(at, (uint16_t)first);
		put_le16(at + 2, (uint16_t)(end - first));
		put_le16(at + 4, style_index(window, cell->style));
		put_le16(at + 6, cell->other != NULL ? MORE_STATES : 0);
		put_le32(at + 8, window->value_base);
	}
	window->value_base++;
	out->size += 4 + (size_t)count * RUN_SIZE;
	put_le32(out->bytes + count_at, count);
	return true;
}

/* A row that stands for all of a folded group.  HISTREE_NOT_FOUND: the first of them stands for itself alone. */
static enum histree_status write_group(struct window *window, const struct row_group *group,
				       struct byte_buffer *out, struct histree_error *error)
{
	const uint32_t *members = window->rows.order->members + group->first;
	struct row_facts facts;
	facts_at(window, window->next, &facts);
	const struct histree_history_info *info = histree_history_info(facts.history);
	struct group asked = {
		.rows = window->rows.rows,
		.from = window->range.from > info->start ? window->range.from : info->start,
		.to = window->range.to < info->end ? window->range.to : info->end,
		.pixels = window->range.pixels,
		.work = window->work,
		.history = facts.history,
		.table = facts.table,
	};
	enum histree_status status = group_cells_make(&asked, members, group->count, window->cells_of_group, error);
	if (status != HISTREE_OK)
		return status;
	window->estimated_from[window->next] = asked.is_estimate ? asked.count : 0;
	end_stretch(window);
	window->next++;
	return write_group_spans(window, out) ? HISTREE_OK : error_memory(error, "cells");
}

/* The next row of the window. */
static enum histree_status write_row(struct window *window, struct byte_buffer *out, struct histree_error *error)
{
	struct row_facts facts;
	facts_at(window, window->next, &facts);
	if (facts.quark == HISTREE_ROOT) {
		/* A row that only holds others together. */
		uint8_t none[4];
		put_le32(none, 0);
		byte_buffer_put(out, none, sizeof(none));
		window->next++;
		end_stretch(window);
		return HISTREE_OK;
	}
	const struct row_group *group = folded_at(window, window->next);
	enum histree_status status = group != NULL ? write_group(window, group, out, error) : HISTREE_NOT_FOUND;
	if (status != HISTREE_NOT_FOUND)
		return status;
	status = window->cells == NULL ? begin_stretch(window, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = histree_cursor_next(window->cells, error);
	if (status == HISTREE_END) { /* of the stretch, not of the window */
		status = begin_stretch(window, error);
		if (status == HISTREE_OK)
			status = histree_cursor_next(window->cells, error);
	}
	if (status != HISTREE_OK)
		return status < 0 ? status : error_set(error, HISTREE_ERR_INTERNAL, "a row has no cells");
	window->next++;
	/* A stretch goes on over hosts, but a tid of another host is another thread, and has another text. */
	if (window->host != NULL && window->host != facts.host)
		begin_values(window);
	window->host = facts.host;
	struct histree_cursor *query;
	struct histree_interval open;
	const bool has_open = find_open(window, &facts, &query, &open);
	const bool is_written =
		write_spans(window, histree_cursor_row(window->cells)->cells, &facts, has_open ? &open : NULL, out);
	histree_cursor_free(query);
	return is_written ? HISTREE_OK : error_memory(error, "cells");
}

/* ---- what the cells are of --------------------------------------------------------------------------- */

/* Where a row stands in the tree. */
static void describe_place(const struct window *window, uint32_t index, const struct row_facts *facts,
			   struct json_writer *json)
{
	const bool is_tree =
		window->rows.request.sort == ROW_SORT_TREE && window->first + index >= window->rows.order->pinned;
	json_int_member(json, "depth", is_tree ? facts->depth : 0);
	json_int_member(json, "below", is_tree ? facts->descendants : 0);
	json_bool_member(json, "folded",
			 is_tree && row_is_folded(&window->rows.request, row_at(window, index), facts));
}

/* Where it stands among the rows of its process, and of the first of them what they did. */
static void describe_group(const struct window *window, uint32_t index, struct json_writer *json)
{
	const struct row_group *group = &window->rows.order->groups[window->first + index];
	json_int_member(json, "depth", group->count > 1 && !group->is_lead ? 1 : 0);
	json_int_member(json, "below", group->is_lead ? group->count - 1 : 0);
	json_bool_member(json, "folded", group->is_folded);
	if (!group->is_lead)
		return;
	json_int_member(json, "group", group->row);
	json_int_member(json, "ran", group->ran);
	json_int_member(json, "waited", group->waited);
	if (window->estimated_from[index] > 0)
		json_int_member(json, "estimatedFrom", window->estimated_from[index]);
	struct byte_buffer name = { 0 };
	host_rows_label(window->rows.rows, group->row, &name);
	json_string_member(json, "groupName", byte_buffer_chars(&name), name.size);
	byte_buffer_release(&name);
}

static enum histree_status window_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct window *window = state;
	while (window->next < window->count && json->out->size < PIECE_SIZE) {
		enum histree_status status = write_row(window, json->out, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (window->next < window->count)
		return HISTREE_OK;
	uint8_t mark[4];
	put_le32(mark, END_OF_ROWS);
	byte_buffer_put(json->out, mark, sizeof(mark));
	json_begin_object(json);
	json_int_member(json, "total", window->rows.order->count);
	json_int_member(json, "first", window->first);
	json_bool_member(json, "early", window->rows.is_early);
	json_int_member(json, "pinned", window->rows.order->pinned);
	if (window->rows.order->groups != NULL)
		json_int_member(json, "rest", window->rows.order->rest);
	json_begin_array_member(json, "rows");
	for (uint32_t i = 0; i < window->count; i++) {
		struct row_facts facts;
		facts_at(window, i, &facts);
		json_begin_object(json);
		json_int_member(json, "row", row_at(window, i));
		if (window->rows.order->groups != NULL)
			describe_group(window, i, json);
		else
			describe_place(window, i, &facts, json);
		host_rows_describe(window->rows.rows, row_at(window, i), json);
		json_end(json);
	}
	json_end(json);
	json_begin_array_member(json, "styles");
	for (size_t i = 0; i < window->style_count; i++)
		api_write_style(json, window->styles[i]);
	json_end(json);
	json_begin_object_member(json, "texts");
	if (window->texts.size > 0)
		json_put_raw(json, byte_buffer_chars(&window->texts), window->texts.size);
	json_end(json);
	json_end(json);
	return window->texts.failed ? error_memory(error, "texts") : HISTREE_END;
}

/* ---- the request ------------------------------------------------------------------------------------- */

static bool open_window(struct call *call, struct window *window)
{
	int64_t first, count;
	if (!page_rows_open(call, &window->rows) ||
	    !page_range(call, window->rows.info->start, window->rows.info->end, &window->range) ||
	    !page_number(call, "first", 0, UINT32_MAX, 0, &first) ||
	    !page_number(call, "count", 0, PAGE_ROWS_MAX, PAGE_ROWS_MAX, &count))
		return false;
	uint32_t total = window->rows.order->count;
	window->first = first < total ? (uint32_t)first : total;
	window->count = count < total - window->first ? (uint32_t)count : total - window->first;
	window->quarks = reply_memory(call->reply, window->count + 1, sizeof(*window->quarks));
	window->lives = reply_memory(call->reply, window->count + 1, sizeof(*window->lives));
	window->estimated_from = reply_memory(call->reply, window->count + 1, sizeof(*window->estimated_from));
	window->spans = reply_memory(call->reply, window->range.pixels, sizeof(*window->spans));
	window->cells_of_group = reply_memory(call->reply, window->range.pixels, sizeof(*window->cells_of_group));
	return window->quarks != NULL && window->lives != NULL && window->spans != NULL &&
	       window->cells_of_group != NULL && window->estimated_from != NULL;
}

void api_rows(struct call *call)
{
	struct window *window = reply_memory(call->reply, 1, sizeof(*window));
	if (window == NULL)
		return;
	if (!open_window(call, window)) {
		window_release(window);
		return;
	}
	call->reply->content_type = "application/octet-stream";
	window->texts_json.out = &window->texts;
	window->work = reply_cancel(call->reply);
	byte_buffer_put(&call->reply->body, "HTR1", 4);
	reply_steps(call->reply, &(struct reply_steps){ window_next, window_release, window });
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* The rows that a text means, those that are called so before those that have it in their names or numbers. */
struct row_hits {
	uint32_t *rows;
	uint32_t count, called; /* of all, and of those that are called so */
	uint32_t before;        /* of the others, those above the row after which is searched */
};

static bool find_hits(struct call *call, const struct page_rows *rows, const char *text, int64_t after,
		      struct row_hits *out)
{
	const uint32_t total = rows->order->count;
	uint32_t *others = reply_memory(call->reply, (size_t)total + 1, sizeof(*others)), other_count = 0;
	*out = (struct row_hits){ .rows = reply_memory(call->reply, (size_t)total + 1, sizeof(*others)) };
	if (others == NULL || out->rows == NULL)
		return false;
	for (uint32_t position = 0; position < total; position++) {
		const uint32_t row = row_order_at(rows->order, position);
		const enum row_match match = host_rows_match(rows->rows, row, text);
		if (match == ROW_IS_CALLED)
			out->rows[out->count++] = row;
		else if (match == ROW_CONTAINS)
			others[other_count++] = row;
		if (row == after)
			out->before = other_count;
	}
	out->called = out->count;
	memcpy(out->rows + out->count, others, other_count * sizeof(*others));
	out->count += other_count;
	return true;
}

/* Which hit comes after a row, or before it, round the end; -1: there are none. */
static int64_t next_hit(const struct row_hits *hits, int64_t after, bool backwards)
{
	const int64_t count = hits->count;
	int64_t number = backwards ? -1 : 0;
	if (count == 0)
		return -1;
	if (hits->called == 0)
		number += hits->before;
	for (uint32_t i = 0; i < hits->count; i++)
		if (hits->rows[i] == after)
			number = backwards ? (int64_t)i - 1 : (int64_t)i + 1;
	return (number + count) % count;
}

void api_search(struct call *call)
{
	struct page_rows rows;
	struct row_hits hits;
	int64_t after, backwards, list;
	struct json_writer *json = call->json;
	if (page_rows_open(call, &rows) && page_number(call, "after", -1, UINT32_MAX, -1, &after) &&
	    page_number(call, "backwards", 0, 1, 0, &backwards) &&
	    page_number(call, "list", 0, PAGE_ROWS_MAX, 0, &list) &&
	    find_hits(call, &rows, page_text(call, "text"), after, &hits)) {
		const int64_t number = next_hit(&hits, after, backwards != 0);
		json_begin_object(json);
		json_int_member(json, "count", hits.count);
		json_int_member(json, "number", number);
		json_int_member(json, "row", number >= 0 ? (int64_t)hits.rows[number] : -1);
		json_begin_array_member(json, "hits");
		for (uint32_t i = 0; i < hits.count && i < list; i++) {
			json_begin_object(json);
			json_int_member(json, "row", hits.rows[i]);
			host_rows_describe(rows.rows, hits.rows[i], json);
			json_end(json);
		}
		json_end(json);
		json_end(json);
	}
	page_rows_close(&rows);
}

/* ---- the row of a selection -------------------------------------------------------------------------- */

/* Where a row is shown, if only by the group that it is of, and what has to be toggled for it to be shown. */
static void write_place(struct json_writer *json, const struct page_rows *rows, uint32_t row)
{
	uint32_t hiders[ROW_HIDERS_MAX];
	const uint32_t shown = row < rows->rows->count ? row_order_find(rows->order, row) : HISTREE_NO_INDEX;
	const size_t count =
		row < rows->rows->count ? row_order_hiders(rows->order, &rows->request, row, hiders) : 0;
	const bool is_there = shown != HISTREE_NO_INDEX || count > 0;
	json_begin_object(json);
	json_int_member(json, "position", shown != HISTREE_NO_INDEX ? (int64_t)shown : -1);
	json_int_member(json, "row", is_there ? (int64_t)row : -1);
	json_begin_array_member(json, "hiders");
	for (size_t i = 0; i < count; i++)
		json_put_int(json, hiders[i]);
	json_end(json);
	json_end(json);
}

void api_find_row(struct call *call)
{
	struct page_rows rows;
	int64_t tid, cpu, at, row;
	if (page_rows_open(call, &rows) && page_number(call, "tid", -1, INT32_MAX, -1, &tid) &&
	    page_number(call, "cpu", -1, INT32_MAX, -1, &cpu) &&
	    page_number(call, "row", -1, UINT32_MAX, -1, &row) &&
	    page_number(call, "at", 0, rows.info->end - rows.info->start, row >= 0 ? 0 : -1, &at)) {
		struct row_wanted wanted = { (int32_t)tid, (int32_t)cpu, rows.info->start + at,
					     page_text(call, "host") };
		write_place(call->json, &rows, row >= 0 ? (uint32_t)row : host_rows_seek(rows.rows, &wanted));
	}
	page_rows_close(&rows);
}
