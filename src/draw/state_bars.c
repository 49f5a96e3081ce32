// SPDX-License-Identifier: MIT
#include "draw/state_bars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "histree/query.h"
#include "histree/rows.h"

/* A bar that is smaller has no text in it. */
enum { TEXT_WIDTH_MIN = 34, TEXT_HEIGHT_MIN = 11, TID_WIDTH_MIN = 90 };

/* A picture is worth more work than a view on a screen: rows are sampled where a pixel has more states. */
enum { INTERVALS_PER_CELL = 250 };

struct drawing {
	const struct state_bars *bars;
	struct histree_rows *rows;
	struct histree_query *query;
	struct histree_cell_span *spans;
	size_t span_count;
	const struct picture_row *row;
	double top; /* of the row */
};

static uint32_t pixels(const struct drawing *drawing)
{
	return drawing->bars->chart->right - drawing->bars->chart->left;
}

static const struct histree_style *style_of(const struct drawing *drawing, uint32_t value)
{
	if (value >= histree_rows_value_count(drawing->rows))
		return NULL;
	const struct histree_value known = histree_rows_value(drawing->rows, value);
	return histree_style_of(drawing->row->table, &known);
}

/* ---- bars ------------------------------------------------------------------------------------------------- */

/* Paths of one colour are filled together: a picture has some hundred boxes a row, and a few colours. */
enum layer { LAYER_STATE, LAYER_SHORT_ALONE, LAYER_MORE, LAYER_COUNT };

/* Another state of a sampled row, of which no one knows which. */
static const struct histree_style unknown = { "unknown", "", 0x646e79, 0x98a2ad, 0.33 };

static const struct histree_style *style_in(const struct drawing *drawing, const struct histree_cell_span *span,
					    enum layer layer)
{
	const struct histree_style *state = style_of(drawing, span->cell.value);
	const struct histree_style *other =
		span->cell.other == HISTREE_UNKNOWN_VALUE ? &unknown : style_of(drawing, span->cell.other);
	switch (layer) {
	case LAYER_STATE:
		return state;
	case LAYER_SHORT_ALONE:
		return state == NULL ? other : NULL;
	default:
		return state != NULL && other != state ? other : NULL;
	}
}

static void add_span(const struct drawing *drawing, const struct histree_cell_span *span,
		     const struct histree_style *style, enum layer layer)
{
	double x = drawing->bars->chart->left + (double)span->start;
	double height = layer == LAYER_MORE ? 3 : round(CHART_BAR * style->height);
	double top = drawing->top + (CHART_ROW - CHART_BAR) / 2.0;
	top += layer == LAYER_MORE ? CHART_BAR - height : floor((CHART_BAR - height) / 2);
	canvas_add_box(drawing->bars->canvas, x, top, span->length, height);
}

/* The spans of one style, all at once. */
static void draw_style(const struct drawing *drawing, const struct histree_style *style, enum layer layer)
{
	static const double opacities[] = { [LAYER_STATE] = 1, [LAYER_SHORT_ALONE] = 0.6, [LAYER_MORE] = 1 };
	struct canvas *canvas = drawing->bars->canvas;
	for (size_t i = 0; i < drawing->span_count; i++)
		if (style_in(drawing, &drawing->spans[i], layer) == style)
			add_span(drawing, &drawing->spans[i], style, layer);
	canvas_colour(canvas, style_colour(canvas, style), opacities[layer]);
	canvas_fill(canvas);
}

static void draw_layer(const struct drawing *drawing, enum layer layer)
{
	struct legend used = { 0 };
	for (size_t i = 0; i < drawing->span_count; i++) {
		const struct histree_style *style = style_in(drawing, &drawing->spans[i], layer);
		if (style != NULL)
			legend_add(&used, style);
	}
	for (size_t i = 0; i < used.count; i++) {
		draw_style(drawing, used.styles[i], layer);
		legend_add(drawing->bars->legend, used.styles[i]);
	}
	if (layer == LAYER_MORE && used.count > 0)
		drawing->bars->legend->more = true;
}

/* ---- text ------------------------------------------------------------------------------------------------- */

static void text_of_thread(const struct drawing *drawing, int32_t tid, bool with_tid, char *text, size_t size)
{
	const struct histree_control_flow *flow = drawing->row->host->flow;
	uint32_t count, index = histree_control_flow_find(flow, tid, -1);
	const struct histree_thread *threads = histree_control_flow_threads(flow, &count);
	const char *name = index != HISTREE_NO_INDEX ? threads[index].name : "";
	if (*name == '\0')
		snprintf(text, size, "%d", tid);
	else if (with_tid)
		snprintf(text, size, "%s %d", name, tid);
	else
		snprintf(text, size, "%s", name);
}

/* What a value says in a bar of that width, "" if nothing. */
static void text_of(const struct drawing *drawing, const struct histree_value *value, uint32_t width, char *text,
		    size_t size)
{
	const struct histree_label_table *table = drawing->row->table;
	enum histree_meaning meaning = table != NULL ? table->meaning : HISTREE_MEANS_ANYTHING;
	const char *words = meaning == HISTREE_MEANS_ANYTHING ? histree_label_words(table, value) : NULL;
	text[0] = '\0';
	if (words != NULL) {
		snprintf(text, size, "%s", words);
	} else if (value->type == HISTREE_STRING) {
		snprintf(text, size, "%.*s", (int)(value->size < size ? value->size : size - 1),
			 (const char *)value->bytes);
	} else if (value->type == HISTREE_INT && meaning == HISTREE_MEANS_TID && drawing->row->host->flow != NULL) {
		text_of_thread(drawing, value->int32, width >= TID_WIDTH_MIN, text, size);
	} else if (value->type == HISTREE_INT && meaning == HISTREE_MEANS_ANYTHING) {
		snprintf(text, size, "%d", value->int32);
	} else if (value->type == HISTREE_LONG && meaning == HISTREE_MEANS_FREQUENCY) {
		snprintf(text, size, "%.2f GHz", (double)value->int64 / 1e9);
	} else if (value->type == HISTREE_LONG) {
		snprintf(text, size, "%lld", (long long)value->int64);
	}
}

/* The value whose text goes into a span: of the text's attribute in its middle, else its own. */
static enum histree_status value_of(const struct drawing *drawing, const struct histree_cell_span *span,
				    struct histree_value *value, struct histree_error *error)
{
	*value = histree_rows_value(drawing->rows, span->cell.value);
	if (drawing->row->text == HISTREE_ROOT)
		return HISTREE_OK;
	const struct time_axis *axis = &drawing->bars->chart->axis;
	histree_time middle =
		histree_pixel_start(axis->from, axis->to, pixels(drawing), span->start + span->length / 2);
	struct histree_interval interval;
	enum histree_status status =
		histree_query_single(drawing->query, drawing->row->text, middle, &interval, error);
	if (status == HISTREE_OK)
		*value = interval.value;
	return status;
}

/* Of a host that cannot be read, over its states, which are unknown. */
static void draw_why(const struct drawing *drawing, const struct histree_cell_span *span)
{
	struct canvas *canvas = drawing->bars->canvas;
	const char *why = drawing->row->host->why;
	double left = drawing->bars->chart->left + (double)span->start + 10, room = span->length - 20.0;
	if (why == NULL || span->length < TEXT_WIDTH_MIN)
		return;
	double width = fmin(canvas_text_width(canvas, FONT_SMALL, why), room);
	canvas_colour(canvas, canvas->theme->panel, 1);
	canvas_box(canvas, left - 4, drawing->top + 2, width + 8, CHART_ROW - 4);
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, left, drawing->top + CHART_ROW / 2.0 + 4, room, why);
}

static enum histree_status draw_text(const struct drawing *drawing, const struct histree_cell_span *span,
				     struct histree_error *error)
{
	const struct histree_style *style = style_of(drawing, span->cell.value);
	if (drawing->row->is_host) {
		draw_why(drawing, span);
		return HISTREE_OK;
	}
	if (drawing->row->is_silent || span->length < TEXT_WIDTH_MIN || style == NULL ||
	    style->height * CHART_BAR < TEXT_HEIGHT_MIN)
		return HISTREE_OK;
	char text[96];
	struct histree_value value;
	enum histree_status status = value_of(drawing, span, &value, error);
	if (status != HISTREE_OK)
		return status;
	text_of(drawing, &value, span->length, text, sizeof(text));
	struct canvas *canvas = drawing->bars->canvas;
	canvas_colour(canvas, readable_on(style_colour(canvas, style)), 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, drawing->bars->chart->left + (double)span->start + 4,
		    drawing->top + CHART_ROW / 2.0 + 4, span->length - 8, text);
	return HISTREE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- */

static enum histree_status draw_row(struct drawing *drawing, const struct histree_row *row,
				    struct histree_error *error)
{
	drawing->row = &drawing->bars->list->rows[row->index];
	drawing->top = drawing->bars->chart->rows_top + (double)row->index * CHART_ROW;
	drawing->span_count = histree_cells_to_spans(row->cells, pixels(drawing), drawing->spans);
	for (int layer = 0; layer < LAYER_COUNT; layer++)
		draw_layer(drawing, (enum layer)layer);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < drawing->span_count && status == HISTREE_OK; i++)
		status = draw_text(drawing, &drawing->spans[i], error);
	return status;
}

static enum histree_status draw_rows(struct drawing *drawing, const histree_quark *quarks,
				     const struct histree_row_life *lives, struct histree_error *error)
{
	const struct state_bars *bars = drawing->bars;
	const struct histree_rows_request request = {
		.quarks = quarks,
		.lives = lives,
		.quark_count = bars->list->count,
		.from = bars->chart->axis.from,
		.to = bars->chart->axis.to,
		.pixels = pixels(drawing),
		.intervals_per_cell = INTERVALS_PER_CELL,
		.cancel = bars->cancel,
	};
	struct histree_row row;
	enum histree_status status = histree_rows_start(drawing->rows, &request, error);
	while (status == HISTREE_OK) {
		status = histree_rows_next(drawing->rows, &row, error);
		if (status == HISTREE_OK)
			status = draw_row(drawing, &row, error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status state_bars_draw(const struct state_bars *bars, struct histree_error *error)
{
	struct drawing drawing = { .bars = bars };
	histree_quark *quarks = malloc((bars->list->count + 1) * sizeof(*quarks));
	struct histree_row_life *lives = malloc((bars->list->count + 1) * sizeof(*lives));
	drawing.spans = malloc(pixels(&drawing) * sizeof(*drawing.spans));
	enum histree_status status = HISTREE_OK;
	if (quarks == NULL || lives == NULL || drawing.spans == NULL)
		status = error_memory(error, "the rows of a picture");
	for (size_t i = 0; i < bars->list->count && status == HISTREE_OK; i++) {
		const struct picture_row *row = &bars->list->rows[i];
		const bool is_whole = row->life.from == 0 && row->life.to == 0;
		quarks[i] = row->quark;
		lives[i] = is_whole ? (struct histree_row_life){ INT64_MIN, INT64_MAX } : row->life;
	}
	if (status == HISTREE_OK)
		status = histree_rows_create(bars->history, &drawing.rows, error);
	if (status == HISTREE_OK)
		status = histree_query_create(bars->history, &drawing.query, error);
	if (status == HISTREE_OK)
		status = draw_rows(&drawing, quarks, lives, error);
	histree_query_free(drawing.query);
	histree_rows_free(drawing.rows);
	free(drawing.spans);
	free(quarks);
	free(lives);
	return status;
}
