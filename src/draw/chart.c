// SPDX-License-Identifier: MIT
/*
 * chart.c - the frame that pictures over time share: title, time axis, labels of rows, legend.
 */
#include "draw/chart.h"

#include <stdio.h>
#include <string.h>

#include "base/time_text.h"

uint32_t style_colour(const struct canvas *canvas, const struct histree_style *style)
{
	return canvas->theme->is_dark ? style->dark : style->light;
}

/* ---- frame ------------------------------------------------------------------------------------------------ */

static void draw_head(struct canvas *canvas, const struct chart *chart, const struct row_list *list,
		      const char *title)
{
	char from[TIME_TEXT_SIZE], length[TIME_TEXT_SIZE], range[2 * TIME_TEXT_SIZE + 16];
	double width = chart->width - 2 * CHART_MARGIN;
	time_format_date(chart->axis.from, from);
	time_format_duration((uint64_t)chart->axis.to - (uint64_t)chart->axis.from + 1, length);
	snprintf(range, sizeof(range), "%s + %s", from, length);
	canvas_colour(canvas, canvas->theme->text, 1);
	canvas_text(canvas, FONT_TITLE, ALIGN_LEFT, CHART_MARGIN, 26, width, title);
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_LABEL, ALIGN_LEFT, CHART_MARGIN, 44, width, list->note);
	if (canvas_text_width(canvas, FONT_LABEL, list->note) + canvas_text_width(canvas, FONT_LABEL, range) + 20 <
	    width)
		canvas_text(canvas, FONT_LABEL, ALIGN_RIGHT, chart->width - CHART_MARGIN, 44, width, range);
}

static void draw_axis(struct canvas *canvas, const struct chart *chart)
{
	histree_time tick;
	uint32_t top = chart->usage_top != 0 ? chart->usage_top : chart->rows_top;
	for (bool more = time_axis_first(&chart->axis, &tick); more; more = time_axis_next(&chart->axis, &tick)) {
		char label[TIME_TEXT_SIZE];
		double x = (uint32_t)time_axis_x(&chart->axis, tick) + 0.5;
		canvas_colour(canvas, canvas->theme->grid, 1);
		canvas_line(canvas, x, top, x, chart->rows_bottom, 1);
		canvas_colour(canvas, canvas->theme->line, 1);
		canvas_line(canvas, x, chart->rows_bottom, x, chart->rows_bottom + 5, 1);
		time_axis_label(&chart->axis, tick, label, sizeof(label));
		double half = canvas_text_width(canvas, FONT_SMALL, label) / 2;
		canvas_colour(canvas, canvas->theme->soft_text, 1);
		if (x + half < chart->width - 4 && x - half > 4)
			canvas_text(canvas, FONT_SMALL, ALIGN_CENTRE, x, chart->rows_bottom + 17, 4 * half, label);
	}
	canvas_colour(canvas, canvas->theme->line, 1);
	canvas_line(canvas, chart->left, chart->rows_bottom + 0.5, chart->right, chart->rows_bottom + 0.5, 1);
}

static void draw_label(struct canvas *canvas, const struct chart *chart, const struct picture_row *row, double top)
{
	double x = CHART_MARGIN + (double)row->indent * CHART_INDENT, right = chart->left - 10;
	double detail = canvas_text_width(canvas, FONT_SMALL, row->detail);
	double base = top + (CHART_ROW + CHART_BAR) / 2.0 - 3;
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_RIGHT, right, base, right - CHART_MARGIN, row->detail);
	canvas_colour(canvas, canvas->theme->text, 1);
	canvas_text(canvas, FONT_LABEL, ALIGN_LEFT, x, base, right - x - (detail > 0 ? detail + 8 : 0), row->label);
}

/* A band over the rows of hosts, which stand above their own. */
static void draw_hosts(struct canvas *canvas, const struct chart *chart, const struct row_list *list)
{
	canvas_colour(canvas, canvas->theme->grid, 1);
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].is_host)
			canvas_box(canvas, CHART_MARGIN - 6, chart->rows_top + (double)i * CHART_ROW + 1,
				   chart->right - CHART_MARGIN + 6, CHART_ROW - 1);
}

void chart_frame(struct canvas *canvas, const struct chart *chart, const struct row_list *list, const char *title)
{
	draw_head(canvas, chart, list, title);
	canvas_colour(canvas, canvas->theme->panel, 1);
	canvas_box(canvas, chart->left, chart->rows_top, chart->right - chart->left,
		   chart->rows_bottom - chart->rows_top);
	canvas_colour(canvas, canvas->theme->grid, 0.6);
	for (size_t i = 1; i < list->count; i++)
		canvas_box(canvas, chart->left, chart->rows_top + (double)i * CHART_ROW, chart->right - chart->left,
			   1);
	draw_hosts(canvas, chart, list);
	draw_axis(canvas, chart);
	for (size_t i = 0; i < list->count; i++)
		draw_label(canvas, chart, &list->rows[i], chart->rows_top + (double)i * CHART_ROW);
}

/* ---- legend ----------------------------------------------------------------------------------------------- */

/* Returns where the next entry begins. */
static double draw_entry(struct canvas *canvas, double x, double y, double right, const char *text)
{
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_SMALL, ALIGN_LEFT, x + 20, y + 10, right - x - 20, text);
	return x + 20 + canvas_text_width(canvas, FONT_SMALL, text) + 18;
}

static bool is_used(const struct legend *legend, const struct histree_style *style)
{
	for (size_t i = 0; i < legend->count; i++)
		if (legend->styles[i] == style)
			return true;
	return false;
}

void legend_add(struct legend *legend, const struct histree_style *style)
{
	if (!is_used(legend, style) && legend->count < sizeof(legend->styles) / sizeof(legend->styles[0]))
		legend->styles[legend->count++] = style;
}

/* What the legend has so far: of styles that look and are called the same, it has one. */
struct said {
	const struct histree_style *styles[LEGEND_STYLES];
	size_t count;
};

static bool is_said(const struct said *said, const struct histree_style *style)
{
	for (size_t i = 0; i < said->count; i++)
		if (said->styles[i] == style ||
		    (said->styles[i]->light == style->light && strcmp(said->styles[i]->name, style->name) == 0))
			return true;
	return false;
}

enum { LEGEND_ENTRY_MIN = 60 };

/* Where each value has a colour of its own there is nothing to say of it. */
static double draw_styles(struct canvas *canvas, const struct chart *chart, const struct legend *legend,
			  const struct histree_label_table *table, struct said *said, double x, double y)
{
	const struct histree_style *style;
	for (size_t i = 0; (style = histree_styles(table, i)) != NULL; i++) {
		if (!is_used(legend, style) || histree_style_is_palette(style) || is_said(said, style))
			continue;
		if (x > chart->right - LEGEND_ENTRY_MIN)
			break; /* as many as there is room for */
		said->styles[said->count++] = style;
		double height = 12 * style->height;
		canvas_colour(canvas, style_colour(canvas, style), 1);
		canvas_box(canvas, x, y + (12 - height) / 2, 14, height);
		x = draw_entry(canvas, x, y, chart->right, style->name);
	}
	return x;
}

/* In the order of the tables of labels; those of rows that a kernel model knows may not be of the history. */
void chart_legend(struct canvas *canvas, const struct chart *chart, const struct legend *legend,
		  const struct histree_history *history)
{
	double x = chart->left, y = chart->rows_bottom + CHART_AXIS + 12;
	struct said said = { .count = 0 };
	size_t count;
	const struct histree_label_table *tables = histree_labels(history, &count);
	for (int meaning = HISTREE_MEANS_ANYTHING + 1; meaning < HISTREE_MEANING_COUNT; meaning++) {
		x = draw_styles(canvas, chart, legend, histree_labels_for(history, (enum histree_meaning)meaning),
				&said, x, y);
	}
	for (size_t i = 0; i < count; i++)
		x = draw_styles(canvas, chart, legend, &tables[i], &said, x, y);
	x = draw_styles(canvas, chart, legend, NULL, &said, x, y);
	if (legend->more) {
		canvas_colour(canvas, canvas->theme->soft_text, 1);
		canvas_box(canvas, x, y + 9, 14, 3);
		draw_entry(canvas, x, y, chart->right, "shorter states too");
	}
}
