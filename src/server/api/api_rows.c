// SPDX-License-Identifier: MIT
/*
 * api_rows.c - the cells of a window of rows.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/states.h"
#include "server/api/api.h"
#include "server/api/page_request.h"

enum {
	RUN_SIZE = 12,
	NO_STYLE = 0xffff,
	MORE_STATES = 1, /* api.h: more */
	SHORT_STATE = 2,
	OPEN_STATE = 4,
	STYLES_MAX = 1024,
	TEXT_PIXELS_MIN = 24, /* of a span that gets the text of its value */
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
	uint32_t next; /* row of the window */

	const struct histree_style *styles[STYLES_MAX];
	size_t style_count;
	uint32_t value_base; /* values of the stretches before; those of this one follow */
	const char *host;    /* of the last row; NULL: there is but one */
	struct histree_work work;
	bool *has_text; /* by value of this stretch */
	size_t has_text_capacity;
	struct intern thread_texts;
	struct piece texts; /* members of an object, by value */
	struct json_writer texts_json;
};

static void window_release(void *state)
{
	struct window *window = state;
	histree_cursor_free(window->cells);
	page_rows_close(&window->rows);
	free(window->has_text);
	intern_release(&window->thread_texts);
	piece_release(&window->texts);
}

static uint32_t row_at(const struct window *window, uint32_t index)
{
	return row_order_at(window->rows.order, window->first + index);
}

static void facts_at(const struct window *window, uint32_t index, struct row_facts *facts)
{
	host_rows_facts(window->rows.rows, row_at(window, index), facts);
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

static void write_text(struct window *window, uint32_t number, const struct piece *text)
{
	char key[16];
	snprintf(key, sizeof(key), "%u", number);
	json_string_member(&window->texts_json, key, text->bytes, text->size);
}

/* When the middle of a span is. */
static histree_time middle_of(const struct window *window, const struct histree_cell_span *span)
{
	const struct page_range *range = &window->range;
	return histree_pixel_start(range->from, range->to, range->pixels, span->start + span->length / 2);
}

/* The text of a thread is that of who had the number then. */
static bool add_thread_text(struct window *window, const struct histree_cell_span *span, uint32_t index,
			    const struct row_facts *facts, uint32_t *number)
{
	struct piece text = { 0 };
	const struct histree_value value = histree_rows_value(window->cells, index);
	const uint32_t known = window->thread_texts.count;
	row_put_text(window->rows.rows->model, facts, &value, middle_of(window, span), &text);
	const uint32_t id =
		text.failed ? INTERN_NONE
			    : intern_add(&window->thread_texts, text.bytes != NULL ? text.bytes : "", text.size);
	*number = THREAD_TEXTS + id;
	if (id != INTERN_NONE && window->thread_texts.count > known)
		write_text(window, *number, &text);
	piece_release(&text);
	return id != INTERN_NONE;
}

/*
 * A text is made while its value is at hand: the cells of a stretch are given up with it.  *number is what stands
 * for the text.
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
	struct piece text = { 0 };
	struct histree_value value = histree_rows_value(window->cells, index);
	row_put_text(window->rows.rows->model, facts, &value, middle_of(window, span), &text);
	write_text(window, *number, &text);
	bool failed = text.failed;
	piece_release(&text);
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

static bool write_spans(struct window *window, const struct histree_row *row, const struct row_facts *facts,
			const struct histree_interval *open, struct piece *piece)
{
	size_t count = histree_cells_to_spans(row->cells, window->range.pixels, window->spans);
	char *room = piece_room(piece, 4 + count * RUN_SIZE);
	if (room == NULL)
		return false;
	uint8_t *at = (uint8_t *)room;
	put_le32(at, (uint32_t)count);
	at += 4;
	for (size_t i = 0; i < count; i++, at += RUN_SIZE) {
		const struct histree_cell_span *span = &window->spans[i];
		uint32_t value;
		uint16_t more;
		const struct histree_style *style = style_of_span(window, span, facts->table, &value, &more);
		uint32_t number = window->value_base + value;
		if (span->length >= TEXT_PIXELS_MIN && style != NULL &&
		    !add_text(window, span, value, facts, &number))
			return false;
		put_le16(at, (uint16_t)span->start);
		put_le16(at + 2, (uint16_t)span->length);
		put_le16(at + 4, style_index(window, style));
		put_le16(at + 6, open != NULL && is_open(window, span, facts, open) ? more | OPEN_STATE : more);
		put_le32(at + 8, number);
	}
	piece->size += 4 + count * RUN_SIZE;
	return true;
}

/* A row that only holds others together. */
static void write_no_spans(struct piece *piece)
{
	uint8_t none[4];
	put_le32(none, 0);
	piece_put(piece, none, sizeof(none));
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

/* A stretch goes on over hosts, but a tid of another host is another thread, and has another text. */
static void follow_host(struct window *window, const struct row_facts *facts)
{
	if (window->host != NULL && window->host != facts->host)
		begin_values(window);
	window->host = facts->host;
}

/* Cells are asked for in stretches of rows of one history; a window nearly always is one. */
static enum histree_status begin_stretch(struct window *window, struct histree_error *error)
{
	struct row_facts first, facts;
	uint32_t count = 0;
	facts_at(window, window->next, &first);
	for (uint32_t i = window->next; i < window->count; i++) {
		facts_at(window, i, &facts);
		if (facts.quark == HISTREE_ROOT || facts.history != first.history)
			break;
		const bool is_whole = facts.life.from == 0 && facts.life.to == 0;
		window->lives[count] = is_whole ? (struct histree_row_life){ INT64_MIN, INT64_MAX } : facts.life;
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

/* The next row of the window. */
static enum histree_status write_row(struct window *window, struct piece *piece, struct histree_error *error)
{
	struct row_facts facts;
	facts_at(window, window->next, &facts);
	if (facts.quark == HISTREE_ROOT) {
		write_no_spans(piece);
		window->next++;
		end_stretch(window);
		return HISTREE_OK;
	}
	enum histree_status status = window->cells == NULL ? begin_stretch(window, error) : HISTREE_OK;
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
	follow_host(window, &facts);
	struct histree_cursor *query;
	struct histree_interval open;
	const bool has_open = find_open(window, &facts, &query, &open);
	const bool is_written =
		write_spans(window, histree_cursor_row(window->cells), &facts, has_open ? &open : NULL, piece);
	histree_cursor_free(query);
	return is_written ? HISTREE_OK : error_memory(error, "cells");
}

/* ---- what the cells are of --------------------------------------------------------------------------- */

static void write_descriptions(const struct window *window, struct json_writer *json)
{
	json_begin_array_member(json, "rows");
	for (uint32_t i = 0; i < window->count; i++) {
		struct row_facts facts;
		facts_at(window, i, &facts);
		bool is_tree = window->rows.request.sort == ROW_SORT_TREE;
		json_begin_object(json);
		json_int_member(json, "row", row_at(window, i));
		json_int_member(json, "depth", is_tree ? facts.depth : 0);
		json_int_member(json, "below", is_tree ? facts.descendants : 0);
		json_bool_member(json, "folded",
				 is_tree && row_is_folded(&window->rows.request, row_at(window, i), &facts));
		host_rows_describe(window->rows.rows, row_at(window, i), json);
		json_end(json);
	}
	json_end(json);
}

static void write_end(const struct window *window, struct json_writer *json)
{
	uint8_t mark[4];
	put_le32(mark, END_OF_ROWS);
	piece_put(json->piece, mark, sizeof(mark));
	json_begin_object(json);
	json_int_member(json, "total", window->rows.order->count);
	json_int_member(json, "first", window->first);
	json_bool_member(json, "early", window->rows.is_early);
	write_descriptions(window, json);
	json_begin_array_member(json, "styles");
	for (size_t i = 0; i < window->style_count; i++)
		api_write_style(json, window->styles[i]);
	json_end(json);
	json_begin_object_member(json, "texts");
	if (window->texts.size > 0)
		json_put_raw(json, window->texts.bytes, window->texts.size);
	json_end(json);
	json_end(json);
}

static enum histree_status window_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct window *window = state;
	while (window->next < window->count && json->piece->size < PIECE_SIZE) {
		enum histree_status status = write_row(window, json->piece, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (window->next < window->count)
		return HISTREE_OK;
	write_end(window, json);
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
	window->spans = reply_memory(call->reply, window->range.pixels, sizeof(*window->spans));
	return window->quarks != NULL && window->lives != NULL && window->spans != NULL;
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
	window->texts_json.piece = &window->texts;
	window->work = reply_cancel(call->reply);
	piece_put(&call->reply->piece, "HTR1", 4);
	reply_steps(call->reply, &(struct reply_steps){ window_next, window_release, window });
}
