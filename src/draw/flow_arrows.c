// SPDX-License-Identifier: MIT
#include "draw/flow_arrows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

enum histree_status flow_arrows_make(struct flow_arrows *flows, struct histree_history *history,
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
		.cancel = options->cancel,
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

static void draw_head(struct canvas *canvas, double x, double y, double angle)
{
	cairo_move_to(canvas->cairo, x, y);
	cairo_line_to(canvas->cairo, x - HEAD * cos(angle + HEAD_ANGLE), y - HEAD * sin(angle + HEAD_ANGLE));
	cairo_line_to(canvas->cairo, x - HEAD * cos(angle - HEAD_ANGLE), y - HEAD * sin(angle - HEAD_ANGLE));
	cairo_close_path(canvas->cairo);
	canvas_fill(canvas);
}

void arrow_draw(struct canvas *canvas, const struct time_axis *axis, struct arrow_end from, struct arrow_end to)
{
	bool begins = from.time >= axis->from, ends = to.time <= axis->to;
	double y1 = begins ? from.y : y_at(&from, &to, axis->from), y2 = ends ? to.y : y_at(&from, &to, axis->to);
	double x1 = time_axis_x(axis, begins ? from.time : axis->from);
	double x2 = time_axis_x(axis, ends ? to.time : axis->to);
	canvas_line(canvas, x1, y1, x2, y2, SHAFT);
	if (ends)
		draw_head(canvas, x2, y2, atan2(y2 - y1, x2 - x1));
}

void flow_arrows_draw(const struct flow_arrows *flows, struct canvas *canvas, const struct chart *chart,
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

void flow_arrows_release(struct flow_arrows *flows)
{
	histree_arrows_free(flows->arrows);
	*flows = (struct flow_arrows){ 0 };
}
