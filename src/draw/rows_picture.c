// SPDX-License-Identifier: MIT
/*
 * rows_picture.c - the picture of rows: states as bars, flows over them.
 *
 * The states of rows are bars with a text inside.
 *
 * The bar of a pixel has the colour and the height of its dominant state.  If there were others, a line along the
 * bottom has the colour of the second longest; if the dominant state is not drawn, the bar itself has that colour,
 * paler.
 */
#include "draw/rows_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "draw/pictures.h"
#include "draw/row_list.h"
#include "histree/states.h"
#include "view/control_flow.h"
#include "view/view.h"

/* All borrowed. */
struct state_bars {
	struct histree_history *history;
	const struct row_list *list;
	const struct chart *chart;
	struct canvas *canvas;
	struct legend *legend; /* gets what was used */
	struct histree_work work;
};

/* ---- flow arrows --------------------------------------------------------------------------------------------- */

enum { ARROW_ROOM = 3 /* of the chart's width for each; more arrows would be a hatching */ };

static const double HEAD = 6, HEAD_ANGLE = 0.42, SHAFT = 1.3;

/* Returns the row of an attribute; list->count if the picture has none. */
static size_t row_of(const struct row_list *list, int32_t quark)
{
	size_t row = 0;
	while (row < list->count && list->rows[row].quark != (histree_quark)quark)
		row++;
	return row;
}

static bool find_rows(const struct row_list *list, const struct histree_arrow *arrow, size_t *from, size_t *to)
{
	*from = row_of(list, arrow->from);
	*to = row_of(list, arrow->to);
	return *from < list->count && *to < list->count;
}

static size_t count_shown(const struct flow_arrows *flows, const struct row_list *list)
{
	size_t count, shown = 0, from, to;
	const struct histree_arrow *arrows = histree_arrows_list(flows->arrows, &count);
	for (size_t i = 0; i < count; i++)
		shown += find_rows(list, &arrows[i], &from, &to);
	return shown;
}

static void add_note(struct row_list *list, const char *text)
{
	size_t size = strlen(list->note);
	snprintf(list->note + size, sizeof(list->note) - size, "; %s", text);
}

/* Finds the flows of the options that a chart of these rows can show, and says of them in the note of the rows. */
static enum histree_status flow_arrows_make(struct flow_arrows *flows, struct histree_history *history,
					    const struct histree_draw_options *options, const struct chart *chart,
					    struct row_list *list, struct histree_error *error)
{
	size_t count;
	const uint32_t width = chart->right - chart->left;
	const struct histree_arrows_request request = {
		.history = history,
		.flows = options->flows,
		.from = options->from,
		.to = options->to,
		.pixels = width,
		.work = options->work,
	};
	if (options->flows == NULL)
		return HISTREE_OK;
	enum histree_status status = histree_arrows_create(&request, &flows->arrows, error);
	if (status != HISTREE_OK)
		return status;
	histree_arrows_list(flows->arrows, &count);
	size_t shown = count_shown(flows, list);
	bool are_all = histree_arrows_are_all(flows->arrows);
	flows->are_too_many = shown * ARROW_ROOM > width || (count == 0 && !are_all);
	if (flows->are_too_many)
		add_note(list, "too many flows to draw: choose a shorter range");
	else if (shown > 0)
		add_note(list, are_all ? "arrows are flows" : "arrows are some of the flows");
	return HISTREE_OK;
}

/* Where an arrow enters or leaves the chart, if its end lies outside: on its way, as cairo counts to 2^23 only. */
static double y_at(const struct arrow_end *from, const struct arrow_end *to, histree_time time)
{
	double length = (double)((uint64_t)to->time - (uint64_t)from->time);
	double part = (double)((uint64_t)time - (uint64_t)from->time) / length;
	return from->y + part * (to->y - from->y);
}

void arrow_draw(struct canvas *canvas, const struct time_axis *axis, struct arrow_end from, struct arrow_end to)
{
	bool begins = from.time >= axis->from, ends = to.time <= axis->to;
	double y1 = begins ? from.y : y_at(&from, &to, axis->from), y2 = ends ? to.y : y_at(&from, &to, axis->to);
	double x1 = time_axis_x(axis, begins ? from.time : axis->from);
	double x2 = time_axis_x(axis, ends ? to.time : axis->to);
	canvas_line(canvas, x1, y1, x2, y2, SHAFT);
	if (ends) {
		const double angle = atan2(y2 - y1, x2 - x1);
		lib_cairo.move_to(canvas->cairo, x2, y2);
		lib_cairo.line_to(canvas->cairo, x2 - HEAD * cos(angle + HEAD_ANGLE),
				  y2 - HEAD * sin(angle + HEAD_ANGLE));
		lib_cairo.line_to(canvas->cairo, x2 - HEAD * cos(angle - HEAD_ANGLE),
				  y2 - HEAD * sin(angle - HEAD_ANGLE));
		lib_cairo.close_path(canvas->cairo);
		canvas_fill(canvas);
	}
}

static void flow_arrows_draw(const struct flow_arrows *flows, struct canvas *canvas, const struct chart *chart,
			     const struct row_list *list)
{
	size_t count, from, to;
	if (flows->arrows == NULL || flows->are_too_many)
		return;
	const struct histree_arrow *arrows = histree_arrows_list(flows->arrows, &count);
	canvas_colour(canvas, style_colour(canvas, histree_arrow_style(HISTREE_ARROW_FLOW)), 0.9);
	for (size_t i = 0; i < count; i++)
		if (find_rows(list, &arrows[i], &from, &to))
			arrow_draw(canvas, &chart->axis,
				   (struct arrow_end){ arrows[i].start,
						       chart->rows_top + ((double)from + 0.5) * CHART_ROW },
				   (struct arrow_end){ arrows[i].end,
						       chart->rows_top + ((double)to + 0.5) * CHART_ROW });
}

/* ---- state bars ---------------------------------------------------------------------------------------------- */

/* A bar that is smaller has no text in it. */
enum { TEXT_WIDTH_MIN = 34, TEXT_HEIGHT_MIN = 11, TID_WIDTH_MIN = 90 };

/* A picture is worth more work than a view on a screen: rows are sampled where a pixel has more states. */
enum { INTERVALS_PER_CELL = 250 };

struct drawing {
	const struct state_bars *bars;
	struct histree_cursor *rows;
	struct histree_cursor *query;
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

/* Another state of a sampled row; it is not known which. */
static const struct histree_style style_of_unknown = { "unknown", "", 0x646e79, 0x98a2ad, 0.33 };

static const struct histree_style *style_in(const struct drawing *drawing, const struct histree_cell_span *span,
					    enum layer layer)
{
	const struct histree_style *state = style_of(drawing, span->cell.value);
	const struct histree_style *other =
		span->cell.other == HISTREE_UNKNOWN_VALUE ? &style_of_unknown : style_of(drawing, span->cell.other);
	switch (layer) {
	case LAYER_STATE:
		return state;
	case LAYER_SHORT_ALONE:
		return state == NULL ? other : NULL;
	default:
		return state != NULL && other != state ? other : NULL;
	}
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
		/* The spans of one style, all at once. */
		static const double opacities[] = {
			[LAYER_STATE] = 1, [LAYER_SHORT_ALONE] = 0.6, [LAYER_MORE] = 1
		};
		struct canvas *canvas = drawing->bars->canvas;
		for (size_t j = 0; j < drawing->span_count; j++)
			if (style_in(drawing, &drawing->spans[j], layer) == used.styles[i]) {
				double x = drawing->bars->chart->left + (double)drawing->spans[j].start;
				double height = layer == LAYER_MORE ? 3 : round(CHART_BAR * used.styles[i]->height);
				double top = drawing->top + (CHART_ROW - CHART_BAR) / 2.0;
				top += layer == LAYER_MORE ? CHART_BAR - height : floor((CHART_BAR - height) / 2);
				canvas_add_box(drawing->bars->canvas, x, top, drawing->spans[j].length, height);
			}
		canvas_colour(canvas, style_colour(canvas, used.styles[i]), opacities[layer]);
		canvas_fill(canvas);

		legend_add(drawing->bars->legend, used.styles[i]);
	}
	if (layer == LAYER_MORE && used.count > 0)
		drawing->bars->legend->more = true;
}

/* ---- text ------------------------------------------------------------------------------------------------- */

/* When the middle of a bar is. */
static histree_time middle_of(const struct drawing *drawing, const struct histree_cell_span *span)
{
	const struct time_axis *axis = &drawing->bars->chart->axis;
	return histree_pixel_start(axis->from, axis->to, pixels(drawing), span->start + span->length / 2);
}

/* What a value says in a bar, "" if nothing. */
static void text_of(const struct drawing *drawing, const struct histree_cell_span *span,
		    const struct histree_value *value, char *text, size_t size)
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
		const histree_time time = middle_of(drawing, span);
		const struct histree_control_flow *flow = drawing->row->host->flow;
		uint32_t count, index = histree_control_flow_find_at(flow, value->int32, -1, time);
		const struct histree_thread *threads = histree_control_flow_threads(flow, &count);
		const char *name = index != HISTREE_NO_INDEX ? threads[index].name : "";
		if (*name == '\0')
			snprintf(text, size, "%d", value->int32);
		else if (span->length >= TID_WIDTH_MIN)
			snprintf(text, size, "%s %d", name, value->int32);
		else
			snprintf(text, size, "%s", name);
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
	struct histree_interval interval;
	enum histree_status status = histree_query_single(drawing->query, drawing->row->text,
							  middle_of(drawing, span), &interval, error);
	if (status == HISTREE_OK)
		*value = interval.value;
	return status;
}

static enum histree_status draw_text(const struct drawing *drawing, const struct histree_cell_span *span,
				     struct histree_error *error)
{
	const struct histree_style *style = style_of(drawing, span->cell.value);
	if (drawing->row->is_host) {
		/* Of a host that cannot be read, over its states, which are unknown. */
		struct canvas *canvas = drawing->bars->canvas;
		const char *why = drawing->row->host->why;
		double left = drawing->bars->chart->left + (double)span->start + 10, room = span->length - 20.0;
		if (why != NULL && span->length >= TEXT_WIDTH_MIN) {
			double width = fmin(canvas_text_width(canvas, FONT_SMALL, why), room);
			canvas_colour(canvas, canvas->theme->panel, 1);
			canvas_box(canvas, left - 4, drawing->top + 2, width + 8, CHART_ROW - 4);
			canvas_colour(canvas, canvas->theme->soft_text, 1);
			canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, left, drawing->top + CHART_ROW / 2.0 + 4, room,
				    why);
		}

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
	text_of(drawing, span, &value, text, sizeof(text));
	struct canvas *canvas = drawing->bars->canvas;
	canvas_colour(canvas, readable_on(style_colour(canvas, style)), 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, drawing->bars->chart->left + (double)span->start + 4,
		    drawing->top + CHART_ROW / 2.0 + 4, span->length - 8, text);
	return HISTREE_OK;
}

/* ----------------------------------------------------------------------------------------------------------- */

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
		.work = bars->work,
	};
	enum histree_status status = histree_rows_start(drawing->rows, &request, error);
	while (status == HISTREE_OK) {
		status = histree_cursor_next(drawing->rows, error);
		if (status == HISTREE_OK) {
			const struct histree_row *row = histree_cursor_row(drawing->rows);
			drawing->row = &drawing->bars->list->rows[row->index];
			drawing->top = drawing->bars->chart->rows_top + (double)row->index * CHART_ROW;
			drawing->span_count = histree_cells_to_spans(row->cells, pixels(drawing), drawing->spans);
			for (int layer = 0; layer < LAYER_COUNT; layer++)
				draw_layer(drawing, (enum layer)layer);
			for (size_t i = 0; i < drawing->span_count && status == HISTREE_OK; i++)
				status = draw_text(drawing, &drawing->spans[i], error);
		}
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status state_bars_draw(const struct state_bars *bars, struct histree_error *error)
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
	histree_cursor_free(drawing.query);
	histree_cursor_free(drawing.rows);
	free(drawing.spans);
	free(quarks);
	free(lives);
	return status;
}

/* ---- rows picture -------------------------------------------------------------------------------------------- */

struct picture {
	struct histree_history *history;
	const struct histree_draw_options *options;
	struct picture_host *hosts;
	size_t host_count;
	struct histree_cpu_usage *usage; /* of all, a point a pixel of the chart; NULL: of no use in this view */
	double cpus;
	struct row_list list;
	struct flow_arrows flows;
	struct chart chart;
	struct canvas canvas;
	struct legend legend;
};

/* ---- models ----------------------------------------------------------------------------------------------- */

static double count_cpus(const struct histree_resources *resources)
{
	uint32_t count, cpus = 0;
	const struct histree_resource *list = histree_resources_list(resources, &count);
	for (uint32_t i = 0; i < count; i++)
		cpus += list[i].kind == HISTREE_RESOURCE_CURRENT_THREAD;
	return cpus;
}

static enum histree_status make_usage(const struct picture *picture, struct histree_history *history,
				      uint32_t pixels, struct histree_cpu_usage **out, struct histree_error *error)
{
	const struct histree_cpu_usage_request request = {
		.from = picture->options->from,
		.to = picture->options->to,
		.pixels = pixels,
		.work = picture->options->work,
	};
	return histree_cpu_usage_create(history, &request, out, error);
}

static uint32_t chart_width(const struct histree_draw_options *options)
{
	return options->look.width != 0 ? options->look.width : 1200;
}

static enum histree_status make_rows(struct picture *picture, size_t rows_max, struct histree_error *error)
{
	const struct histree_draw_options *options = picture->options;
	enum histree_status status;
	switch (options->view) {
	case HISTREE_DRAW_CONTROL_FLOW:
		status = row_list_threads(&picture->list, options, picture->hosts, picture->host_count, rows_max,
					  error);
		break;
	case HISTREE_DRAW_RESOURCES:
		status = row_list_resources(&picture->list, options, picture->hosts, picture->host_count, rows_max,
					    error);
		break;
	case HISTREE_DRAW_CHART:
		status = row_list_chart(&picture->list, options, picture->history, picture->hosts, rows_max, error);
		break;
	default:
		status = row_list_attributes(&picture->list, options, picture->history, picture->hosts, rows_max,
					     error);
	}
	if (status == HISTREE_OK && picture->list.count == 0)
		return error_set(error, HISTREE_NOT_FOUND, "nothing to draw: this history has no such %s",
				 options->view == HISTREE_DRAW_CONTROL_FLOW ? "threads"
				 : options->view == HISTREE_DRAW_RESOURCES  ? "resources"
				 : options->view == HISTREE_DRAW_CHART      ? "rows of this chart"
									    : "attributes");
	return status;
}

/* ---- layout ----------------------------------------------------------------------------------------------- */

static uint32_t height_without_rows(const struct picture *picture)
{
	return CHART_HEAD + (picture->cpus > 0 ? CHART_USAGE : 0) + CHART_AXIS + CHART_LEGEND + 8;
}

static size_t rows_that_fit(const struct picture *picture)
{
	uint32_t height = picture->options->look.height, around = height_without_rows(picture);
	if (height == 0)
		return CHART_ROWS;
	return height > around + CHART_ROW ? (height - around) / CHART_ROW : 1;
}

static void lay_out(struct picture *picture)
{
	struct chart *chart = &picture->chart;
	uint32_t top = CHART_HEAD;

	/* Wide enough for most labels, as measured in the fonts that there are. */
	double width = CHART_LABELS;
	for (size_t i = 0; i < picture->list.count; i++) {
		const struct picture_row *row = &picture->list.rows[i];
		double own = row->indent * (double)CHART_INDENT +
			     canvas_text_width(&picture->canvas, FONT_LABEL, row->label) +
			     canvas_text_width(&picture->canvas, FONT_SMALL, row->detail) + 34;
		width = own > width ? own : width;
	}
	double width_max = fmin(CHART_LABELS_MAX, picture->chart.width / 3.0);
	chart->left = CHART_MARGIN + (uint32_t)fmin(width, width_max);

	chart->right = chart->width - CHART_MARGIN;
	if (picture->cpus > 0) {
		chart->usage_top = top;
		top += CHART_USAGE;
	}
	chart->rows_top = top;
	chart->rows_bottom = top + (uint32_t)picture->list.count * CHART_ROW;
	chart->axis = time_axis(picture->options->from, picture->options->to, chart->left,
				chart->right - chart->left, 120);
}

/* ---- drawing ---------------------------------------------------------------------------------------------- */

/* How high above `bottom` a curve is, in percent of one CPU, in quarters of a unit. */
static double usage_height(const struct picture *picture, double percent, double height)
{
	return round(fmin(percent / (100 * picture->cpus), 1) * height * 4) / 4;
}

/* Above the usage that is known: what may be more. */
static void draw_unknown_usage(struct picture *picture, double bottom, double height)
{
	const struct chart *chart = &picture->chart;
	struct canvas *canvas = &picture->canvas;
	const double *known = histree_cpu_usage_curve(picture->usage, HISTREE_NO_INDEX);
	const double *unknown = histree_cpu_usage_unknown(picture->usage);
	canvas_colour(canvas, canvas->theme->soft_text, 0.45);
	for (uint32_t pixel = 0; pixel < chart->right - chart->left; pixel++) {
		double low = usage_height(picture, known[pixel], height);
		double high = usage_height(picture, known[pixel] + unknown[pixel], height);
		if (high > low)
			canvas_box(canvas, chart->left + pixel, bottom - high, 1, high - low);
	}
}

/* An area below the curve; its full height is all CPUs. */
static void draw_usage(struct picture *picture)
{
	const struct chart *chart = &picture->chart;
	struct canvas *canvas = &picture->canvas;
	const double *curve = histree_cpu_usage_curve(picture->usage, HISTREE_NO_INDEX);
	double bottom = chart->usage_top + CHART_USAGE - 8, height = CHART_USAGE - 14;
	char label[32];
	snprintf(label, sizeof(label), "CPU usage, %.0f CPU%s", picture->cpus, picture->cpus > 1 ? "s" : "");
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, CHART_MARGIN, bottom - height / 2 + 3,
		    chart->left - CHART_MARGIN - 10, label);
	canvas_colour(canvas, canvas->theme->panel, 1);
	canvas_box(canvas, chart->left, bottom - height, chart->right - chart->left, height);
	lib_cairo.move_to(canvas->cairo, chart->left, bottom);
	for (uint32_t pixel = 0; pixel < chart->right - chart->left; pixel++) {
		double high = usage_height(picture, curve[pixel], height);
		lib_cairo.line_to(canvas->cairo, chart->left + pixel, bottom - high);
		lib_cairo.line_to(canvas->cairo, chart->left + pixel + 1, bottom - high);
	}
	lib_cairo.line_to(canvas->cairo, chart->right, bottom);
	lib_cairo.close_path(canvas->cairo);
	canvas_colour(canvas, canvas->theme->is_dark ? 0x5c9df0 : 0x2a6cb8, canvas->theme->is_dark ? 0.7 : 0.55);
	canvas_fill(canvas);
	draw_unknown_usage(picture, bottom, height);
}

/* From the row of its parent, where that is above, to the thread's own when it is made. */
static enum histree_status draw_fork(struct picture *picture, struct histree_cursor *query, size_t child,
				     struct histree_error *error)
{
	const struct chart *chart = &picture->chart;
	uint32_t count;
	const struct picture_row *rows = picture->list.rows;
	const struct histree_thread *threads = histree_control_flow_threads(rows[child].host->flow, &count);
	const struct histree_thread *thread = &threads[rows[child].thread];
	size_t above = 1;
	bool forked;
	while (above <= child && rows[child].host == rows[child - above].host &&
	       rows[child - above].thread != thread->parent)
		above++;
	if (above > child || rows[child].host != rows[child - above].host || thread->parent == HISTREE_NO_INDEX ||
	    thread->first < chart->axis.from || thread->first > chart->axis.to)
		return HISTREE_OK;
	enum histree_status status = histree_thread_is_forked(query, thread, &forked, error);
	if (status != HISTREE_OK || !forked)
		return status;
	double top = chart->rows_top + (double)child * CHART_ROW;

	const double x = floor(time_axis_x(&chart->axis, thread->first)) + 0.5;
	const double to = top + (CHART_ROW - CHART_BAR) / 2.0 + 1;
	canvas_line(&picture->canvas, x, top - ((double)above - 0.5) * CHART_ROW, x, to, 1);
	lib_cairo.move_to(picture->canvas.cairo, x - 3, to - 5);
	lib_cairo.line_to(picture->canvas.cairo, x + 3, to - 5);
	lib_cairo.line_to(picture->canvas.cairo, x, to);
	lib_cairo.close_path(picture->canvas.cairo);
	canvas_fill(&picture->canvas);

	return HISTREE_OK;
}

static enum histree_status draw(struct picture *picture, struct histree_error *error)
{
	const struct histree_draw_options *options = picture->options;
	const char *title = options->look.title != NULL ? options->look.title
							: histree_history_info(picture->history)->provider;
	chart_frame(&picture->canvas, &picture->chart, &picture->list, title);
	if (picture->cpus > 0)
		draw_usage(picture);
	const struct state_bars bars = {
		.history = picture->history,
		.list = &picture->list,
		.chart = &picture->chart,
		.canvas = &picture->canvas,
		.legend = &picture->legend,
		.work = options->work,
	};
	enum histree_status status = state_bars_draw(&bars, error);
	if (status == HISTREE_OK && options->view == HISTREE_DRAW_CONTROL_FLOW) {
		/* What a thread was at first is asked of its own host. */
		struct histree_cursor *query = NULL;
		const struct picture_host *host = NULL; /* of the query */
		status = HISTREE_OK;
		canvas_colour(&picture->canvas, picture->canvas.theme->soft_text, 0.8);
		for (size_t child = 1; child < picture->list.count && status == HISTREE_OK; child++) {
			const struct picture_row *row = &picture->list.rows[child];
			if (row->thread == HISTREE_NO_INDEX)
				continue;
			if (row->host != host) {
				histree_cursor_free(query);
				query = NULL;
				status = histree_query_create(row->host->history, &query, error);
				host = row->host;
			}
			if (status == HISTREE_OK)
				status = draw_fork(picture, query, child, error);
		}
		histree_cursor_free(query);
	}
	if (status == HISTREE_OK)
		flow_arrows_draw(&picture->flows, &picture->canvas, &picture->chart, &picture->list);
	if (status != HISTREE_OK)
		return status;
	chart_legend(&picture->canvas, &picture->chart, &picture->legend, picture->history);
	return canvas_finish(&picture->canvas, error);
}

/* ----------------------------------------------------------------------------------------------------------- */

static bool meets_range(const struct picture *picture, const struct picture_host *host)
{
	const struct histree_history_info *info = histree_history_info(host->history);
	return info->start <= picture->options->to && info->end >= picture->options->from;
}

/*
 * Who had the CPUs says which threads are the busiest, on whose labels depends how many pixels the curve has. It is
 * read once, with those that labels of the usual width leave, and again only where labels are wider.
 */
static uint32_t likely_pixels(const struct histree_draw_options *options)
{
	const uint32_t width = chart_width(options);
	const bool is_usual = width / 3 >= CHART_LABELS && width <= HISTREE_DRAW_SIZE_MAX;
	return is_usual ? width - CHART_MARGIN - CHART_LABELS - CHART_MARGIN : 1;
}

static enum histree_status make_models_of(struct picture *picture, struct picture_host *host,
					  struct histree_error *error)
{
	const struct histree_draw_options *options = picture->options;
	const bool is_all = options->quarks != NULL; /* who was asked for has a row, even if it did not live then */
	if (host->history == NULL || !meets_range(picture, host))
		return HISTREE_OK;
	enum histree_status status = histree_resources_create(host->history, &host->resources, error);
	if (status == HISTREE_OK && options->view == HISTREE_DRAW_CONTROL_FLOW)
		status = make_usage(picture, host->history, likely_pixels(options), &host->usage, error);
	if (status == HISTREE_OK)
		status = control_flow_create_during(host->history, is_all ? INT64_MIN : options->from,
						    is_all ? INT64_MAX : options->to, options->work, &host->flow,
						    error);
	if (status == HISTREE_OK && options->view != HISTREE_DRAW_ATTRIBUTES && options->view != HISTREE_DRAW_CHART)
		picture->cpus += count_cpus(host->resources);
	return status;
}

/* Of all hosts, in the pixels of the chart. */
static enum histree_status find_curve(struct picture *picture, struct histree_error *error)
{
	const uint32_t pixels = picture->chart.right - picture->chart.left;
	struct picture_host *host = &picture->hosts[0];
	if (host->history != picture->history || host->usage == NULL || pixels != likely_pixels(picture->options))
		return make_usage(picture, picture->history, pixels, &picture->usage, error);
	picture->usage = host->usage;
	host->usage = NULL;
	return HISTREE_OK;
}

enum histree_status rows_picture(struct histree_history *history, const struct histree_draw_options *options,
				 picture_write *write, void *context, struct histree_error *error)
{
	struct picture picture = { .history = history, .options = options, .list = { .history = history } };

	/* One without a name, or those of the union. */
	enum histree_status status = HISTREE_OK;
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(picture.history, &count);
	picture.hosts = calloc(count + 1, sizeof(*picture.hosts));
	if (picture.hosts == NULL) {
		status = error_memory(error, "the rows of a picture");
	} else {
		picture.host_count = count > 0 ? count : 1;
		if (count == 0)
			picture.hosts[0].history = picture.history;
		for (size_t i = 0; i < count; i++)
			picture.hosts[i] = (struct picture_host){
				.name = hosts[i].name,
				.why = hosts[i].history == NULL ? hosts[i].why : NULL,
				.history = hosts[i].history,
				.folder = hosts[i].folder,
				.first = hosts[i].folder + 1,
			};
	}

	for (size_t i = 0; i < picture.host_count && status == HISTREE_OK; i++)
		status = make_models_of(&picture, &picture.hosts[i], error);
	if (status == HISTREE_OK)
		status = make_rows(&picture, rows_that_fit(&picture), error);

	if (status == HISTREE_OK) {
		/* Before the layout: text is measured on a canvas. */
		uint32_t rows = (uint32_t)picture.list.count * CHART_ROW;
		picture.chart.width = chart_width(options);
		picture.chart.height = picture.options->look.height != 0 ? picture.options->look.height
									 : height_without_rows(&picture) + rows;
		status = canvas_open(&picture.canvas, &picture.options->look, picture.chart.width,
				     picture.chart.height, write, context, error);
	}
	if (status == HISTREE_OK) {
		lay_out(&picture);
		if (picture.cpus > 0)
			status = find_curve(&picture, error);
	}
	if (status == HISTREE_OK && options->view == HISTREE_DRAW_ATTRIBUTES)
		status = flow_arrows_make(&picture.flows, history, options, &picture.chart, &picture.list, error);
	if (status == HISTREE_OK)
		status = draw(&picture, error);
	canvas_release(&picture.canvas);
	struct flow_arrows *flows = &picture.flows;
	histree_arrows_free(flows->arrows);
	*flows = (struct flow_arrows){ 0 };
	row_list_release(&picture.list);
	histree_cpu_usage_free(picture.usage);

	for (size_t i = 0; i < picture.host_count && picture.hosts != NULL; i++) {
		histree_cpu_usage_free(picture.hosts[i].usage);
		histree_resources_free(picture.hosts[i].resources);
		histree_control_flow_free(picture.hosts[i].flow);
	}
	free(picture.hosts);

	return status;
}
