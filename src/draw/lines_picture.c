// SPDX-License-Identifier: MIT
/*
 * lines_picture.c - lines first, one point a pixel, then the scale that holds them, then the drawing.
 *
 * A point is drawn at the end of its pixel.  Where it is not known what one of the lines was, a band says so.
 */
#include "draw/lines_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/error.h"
#include "draw/canvas.h"
#include "draw/chart.h"
#include "histree/rows.h"

enum {
	LINES_MAX = 12, /* as many as the palette has colours */
	LINES_USUAL = 8,
	LINES_HEIGHT = 420, /* where nothing says how high */
	NUMBERS_WIDTH = 78, /* of the axis of numbers */
	TICK_DISTANCE = 44,
};

struct lines_picture {
	struct histree_history *history;
	const struct histree_draw_options *options;
	struct histree_chart_view *view;
	uint32_t lines[LINES_MAX];
	size_t count, all; /* all: lines that there are */
	double *values;    /* `points` of each line */
	histree_time *times;
	size_t points;
	double low, high, step; /* of the axis of numbers */
	struct chart chart;
	struct canvas canvas;
};

/* ---- what is drawn ---------------------------------------------------------------------------------------- */

static bool is_line(const struct histree_chart_row *row)
{
	return row->shown != HISTREE_ROOT;
}

/* The lines that --rows asks for, in the order of the chart. */
static void choose_asked(struct lines_picture *picture, const struct histree_chart_row *rows, uint32_t count)
{
	const struct histree_draw_options *options = picture->options;
	for (uint32_t i = 0; i < count && picture->count < LINES_MAX; i++)
		for (size_t k = 0; k < options->quark_count && is_line(&rows[i]); k++)
			if (options->quarks[k] == rows[i].shown || options->quarks[k] == rows[i].attribute) {
				picture->lines[picture->count++] = i;
				break;
			}
}

static enum histree_status choose_lines(struct lines_picture *picture, struct histree_error *error)
{
	uint32_t count;
	const struct histree_draw_options *options = picture->options;
	const struct histree_chart_row *rows = histree_chart_view_rows(picture->view, &count);
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < count; i++)
		picture->all += is_line(&rows[i]);
	if (options->quarks != NULL)
		choose_asked(picture, rows, count);
	else
		status = histree_chart_view_busiest(picture->view, options->from, options->to, picture->lines,
						    LINES_USUAL, &picture->count, error);
	/* Nothing happened: the first lines say so. */
	for (uint32_t i = 0; i < count && options->quarks == NULL && picture->count < LINES_USUAL; i++) {
		bool is_there = !is_line(&rows[i]);
		for (size_t k = 0; k < picture->count; k++)
			is_there = is_there || picture->lines[k] == i;
		if (!is_there)
			picture->lines[picture->count++] = i;
	}
	qsort(picture->lines, picture->count, sizeof(picture->lines[0]), compare_u32);
	if (status == HISTREE_OK && picture->count == 0)
		return error_set(error, HISTREE_NOT_FOUND, "nothing to draw: the chart '%s' has no such lines here",
				 options->chart);
	return status;
}

/* Ends of pixels, and what comes before the first one. */
static enum histree_status compute(struct lines_picture *picture, struct histree_error *error)
{
	const struct histree_draw_options *options = picture->options;
	uint32_t pixels = picture->chart.right - picture->chart.left;
	picture->points = (size_t)pixels + 1;
	picture->times = malloc(picture->points * sizeof(*picture->times));
	picture->values = malloc(picture->points * picture->count * sizeof(*picture->values));
	if (picture->times == NULL || picture->values == NULL)
		return error_memory(error, "a picture");
	histree_time start = histree_history_info(picture->history)->start;
	picture->times[0] = options->from > start ? options->from - 1 : options->from;
	for (uint32_t i = 0; i < pixels; i++) {
		histree_time next = histree_pixel_start(options->from, options->to, pixels, i + 1);
		picture->times[i + 1] = next > options->from ? next - 1 : options->from;
	}
	return histree_chart_view_lines(picture->view, picture->lines, picture->count, picture->times,
					picture->points, picture->values, error);
}

/* 1, 2 or 5 times a power of ten, such that ticks are far enough from each other. */
static void scale(struct lines_picture *picture)
{
	picture->low = picture->high = 0;
	for (size_t i = 0; i < picture->points * picture->count; i++) {
		double value = picture->values[i];
		picture->low = isfinite(value) && value < picture->low ? value : picture->low;
		picture->high = isfinite(value) && value > picture->high ? value : picture->high;
	}
	if (picture->low == picture->high)
		picture->high = picture->low + 1;
	double height = picture->chart.rows_bottom - picture->chart.rows_top;
	double least = (picture->high - picture->low) * TICK_DISTANCE / height;
	picture->step = pow(10, floor(log10(least)));
	for (int i = 0; picture->step < least; i++)
		picture->step *= i % 3 == 1 ? 2.5 : 2;
	picture->high = ceil(picture->high / picture->step) * picture->step;
	picture->low = floor(picture->low / picture->step) * picture->step;
}

/* ---- drawing ---------------------------------------------------------------------------------------------- */

static double height_of(const struct lines_picture *picture, double value)
{
	double room = picture->chart.rows_bottom - picture->chart.rows_top;
	return picture->chart.rows_bottom - (value - picture->low) / (picture->high - picture->low) * room;
}

/* "2.5 M": what is small stays what it is. */
static void write_number(double number, char *text, size_t size)
{
	static const char *const prefixes[] = { "", " k", " M", " G", " T", " P" };
	size_t prefix = 0;
	while (fabs(number) >= 1000 && prefix + 1 < sizeof(prefixes) / sizeof(prefixes[0])) {
		number /= 1000;
		prefix++;
	}
	snprintf(text, size, "%.4g%s", number, prefixes[prefix]);
}

static void draw_numbers(struct lines_picture *picture)
{
	struct canvas *canvas = &picture->canvas;
	const struct chart *chart = &picture->chart;
	const struct histree_chart *shown = histree_chart_view_chart(picture->view);
	int ticks = (int)lround((picture->high - picture->low) / picture->step);
	for (int i = 0; i <= ticks; i++) {
		char text[48];
		double value = picture->low + i * picture->step, y = floor(height_of(picture, value)) + 0.5;
		write_number(fabs(value) < picture->step / 2 ? 0 : value, text, sizeof(text));
		canvas_colour(canvas, canvas->theme->grid, 1);
		canvas_line(canvas, chart->left, y, chart->right, y, 1);
		canvas_colour(canvas, canvas->theme->soft_text, 1);
		canvas_text(canvas, FONT_SMALL, ALIGN_RIGHT, chart->left - 8, y + 4, NUMBERS_WIDTH, text);
	}
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, CHART_MARGIN, chart->rows_bottom + 17,
		    chart->left - CHART_MARGIN - 4, shown->unit);
}

static double x_of(const struct lines_picture *picture, size_t point)
{
	return picture->chart.left + (double)point;
}

static void draw_unknown(struct lines_picture *picture)
{
	const struct chart *chart = &picture->chart;
	canvas_colour(&picture->canvas, picture->canvas.theme->soft_text, 0.3);
	for (size_t k = 1; k < picture->points; k++) {
		bool is_known = true;
		for (size_t i = 0; i < picture->count; i++)
			is_known = is_known && !isnan(picture->values[i * picture->points + k]);
		if (!is_known)
			canvas_add_box(&picture->canvas, x_of(picture, k - 1), chart->rows_top, 1,
				       chart->rows_bottom - chart->rows_top);
	}
	canvas_fill(&picture->canvas);
}

/* A point belongs to the pixel that ends there. */
static void draw_line(struct lines_picture *picture, size_t line)
{
	const double *values = picture->values + line * picture->points;
	cairo_t *cairo = picture->canvas.cairo;
	bool is_down = false;
	for (size_t k = 1; k < picture->points; k++) {
		double y = floor(height_of(picture, values[k]) * 4) / 4;
		if (!isnan(values[k]) && is_down)
			lib_cairo.line_to(cairo, x_of(picture, k) - 0.5, y);
		else if (!isnan(values[k]))
			lib_cairo.move_to(cairo, x_of(picture, k) - 0.5, y);
		is_down = !isnan(values[k]);
	}
	canvas_colour(&picture->canvas, style_colour(&picture->canvas, histree_styles(NULL, line)), 1);
	lib_cairo.set_line_width(cairo, 1.4);
	lib_cairo.set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
	lib_cairo.stroke(cairo);
}

/* Returns how many rows the entries of the legend take; `draws` them or only counts. */
static unsigned lay_legend(struct lines_picture *picture, bool draws)
{
	enum { ENTRY_HEIGHT = 18, SWATCH = 14, GAP = 18 };
	struct canvas *canvas = &picture->canvas;
	const struct chart *chart = &picture->chart;
	double x = chart->left, y = chart->rows_bottom + CHART_AXIS + 12;
	unsigned rows = 1;
	for (size_t i = 0; i < picture->count; i++) {
		char name[CLEAN_TEXT_SIZE];
		histree_chart_view_name(picture->view, picture->lines[i], name, sizeof(name));
		double width = SWATCH + 6 + canvas_text_width(canvas, FONT_SMALL, name);
		if (x > chart->left && x + width > chart->right) {
			x = chart->left;
			y += ENTRY_HEIGHT;
			rows++;
		}
		if (draws) {
			canvas_colour(canvas, style_colour(canvas, histree_styles(NULL, i)), 1);
			canvas_box(canvas, x, y + 4, SWATCH, 4);
			canvas_colour(canvas, canvas->theme->soft_text, 1);
			canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x + SWATCH + 6, y + 10,
				    chart->right - x - SWATCH - 6, name);
		}
		x += width + GAP;
	}
	return rows;
}

static enum histree_status draw(struct lines_picture *picture, struct histree_error *error)
{
	const struct histree_chart *shown = histree_chart_view_chart(picture->view);
	struct row_list list = { .count = 0 };
	char all[GROUPED_NUMBER_SIZE];
	const char *title = picture->options->title != NULL ? picture->options->title : shown->title;
	const bool is_own = strcmp(title, shown->title) == 0; /* then it is not said twice */
	if (picture->all > picture->count)
		snprintf(list.note, sizeof(list.note), "%.90s%s%zu of %s lines, %s", is_own ? "" : shown->title,
			 is_own ? "" : ": ", picture->count, grouped_number(picture->all, all),
			 picture->options->quarks != NULL ? "those asked for" : "those that matter most");
	else
		snprintf(list.note, sizeof(list.note), "%.150s", is_own ? "" : shown->title);
	chart_frame(&picture->canvas, &picture->chart, &list, title);
	draw_numbers(picture);
	draw_unknown(picture);
	for (size_t i = 0; i < picture->count; i++)
		draw_line(picture, i);
	lay_legend(picture, true);
	return canvas_finish(&picture->canvas, error);
}

/* ---- layout ----------------------------------------------------------------------------------------------- */

static enum histree_status open_canvas(struct lines_picture *picture, picture_write *write, void *context,
				       struct histree_error *error)
{
	const struct histree_draw_options *options = picture->options;
	struct chart *chart = &picture->chart;
	chart->width = options->width != 0 ? options->width : 1200;
	chart->height = options->height != 0 ? options->height : LINES_HEIGHT;
	chart->left = CHART_MARGIN + NUMBERS_WIDTH;
	chart->right = chart->width - CHART_MARGIN;
	enum histree_status status =
		canvas_open(&picture->canvas, options, chart->width, chart->height, write, context, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t below = CHART_AXIS + CHART_LEGEND + 18 * (lay_legend(picture, false) - 1);
	chart->rows_top = CHART_HEAD + 6;
	chart->rows_bottom =
		chart->height > chart->rows_top + below + 40 ? chart->height - below : chart->rows_top + 40;
	chart->axis = time_axis(options->from, options->to, chart->left, chart->right - chart->left, 120);
	return HISTREE_OK;
}

enum histree_status lines_picture(struct histree_history *history, const struct histree_draw_options *options,
				  picture_write *write, void *context, struct histree_error *error)
{
	struct lines_picture picture = { .history = history, .options = options };
	enum histree_status status =
		histree_chart_view_create(history, options->chart, options->cancel, &picture.view, error);
	if (status == HISTREE_OK)
		status = choose_lines(&picture, error);
	if (status == HISTREE_OK)
		status = open_canvas(&picture, write, context, error);
	if (status == HISTREE_OK)
		status = compute(&picture, error);
	if (status == HISTREE_OK) {
		scale(&picture);
		status = draw(&picture, error);
	}
	canvas_release(&picture.canvas);
	histree_chart_view_free(picture.view);
	free(picture.values);
	free(picture.times);
	return status;
}
