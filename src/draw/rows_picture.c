// SPDX-License-Identifier: MIT
/*
 * Models first, then the rows that fit, then where everything is, then the drawing.
 */
#include "draw/rows_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "draw/chart.h"
#include "draw/flow_arrows.h"
#include "draw/state_bars.h"
#include "histree/query.h"

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
				      uint32_t pixels, bool no_times, struct histree_cpu_usage **out,
				      struct histree_error *error)
{
	const struct histree_cpu_usage_request request = {
		.from = picture->options->from,
		.to = picture->options->to,
		.pixels = pixels,
		.no_times = no_times,
		.cancel = picture->options->cancel,
	};
	return histree_cpu_usage_create(history, &request, out, error);
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
	uint32_t height = picture->options->height, around = height_without_rows(picture);
	if (height == 0)
		return CHART_ROWS;
	return height > around + CHART_ROW ? (height - around) / CHART_ROW : 1;
}

/* Wide enough for most labels, as measured in the fonts that there are. */
static uint32_t width_of_labels(struct picture *picture)
{
	double width = CHART_LABELS;
	for (size_t i = 0; i < picture->list.count; i++) {
		const struct picture_row *row = &picture->list.rows[i];
		double own = row->indent * (double)CHART_INDENT +
			     canvas_text_width(&picture->canvas, FONT_LABEL, row->label) +
			     canvas_text_width(&picture->canvas, FONT_SMALL, row->detail) + 34;
		width = own > width ? own : width;
	}
	double width_max = fmin(CHART_LABELS_MAX, picture->chart.width / 3.0);
	return (uint32_t)fmin(width, width_max);
}

static void lay_out(struct picture *picture)
{
	struct chart *chart = &picture->chart;
	uint32_t top = CHART_HEAD;
	chart->left = CHART_MARGIN + width_of_labels(picture);
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
	cairo_move_to(canvas->cairo, chart->left, bottom);
	for (uint32_t pixel = 0; pixel < chart->right - chart->left; pixel++) {
		double high = usage_height(picture, curve[pixel], height);
		cairo_line_to(canvas->cairo, chart->left + pixel, bottom - high);
		cairo_line_to(canvas->cairo, chart->left + pixel + 1, bottom - high);
	}
	cairo_line_to(canvas->cairo, chart->right, bottom);
	cairo_close_path(canvas->cairo);
	canvas_colour(canvas, canvas->theme->is_dark ? 0x5c9df0 : 0x2a6cb8, canvas->theme->is_dark ? 0.7 : 0.55);
	canvas_fill(canvas);
	draw_unknown_usage(picture, bottom, height);
}

static void draw_arrow(struct canvas *canvas, double x, double from, double to)
{
	canvas_line(canvas, x, from, x, to, 1);
	cairo_move_to(canvas->cairo, x - 3, to - 5);
	cairo_line_to(canvas->cairo, x + 3, to - 5);
	cairo_line_to(canvas->cairo, x, to);
	cairo_close_path(canvas->cairo);
	canvas_fill(canvas);
}

/* From the row of its parent, where that is above, to the thread's own when it is made. */
static enum histree_status draw_fork(struct picture *picture, struct histree_query *query, size_t child,
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
	draw_arrow(&picture->canvas, floor(time_axis_x(&chart->axis, thread->first)) + 0.5,
		   top - ((double)above - 0.5) * CHART_ROW, top + (CHART_ROW - CHART_BAR) / 2.0 + 1);
	return HISTREE_OK;
}

/* What a thread was at first is asked of its own host. */
static enum histree_status draw_forks(struct picture *picture, struct histree_error *error)
{
	struct histree_query *query = NULL;
	const struct picture_host *host = NULL; /* of the query */
	enum histree_status status = HISTREE_OK;
	canvas_colour(&picture->canvas, picture->canvas.theme->soft_text, 0.8);
	for (size_t child = 1; child < picture->list.count && status == HISTREE_OK; child++) {
		const struct picture_row *row = &picture->list.rows[child];
		if (row->thread == HISTREE_NO_INDEX)
			continue;
		if (row->host != host) {
			histree_query_free(query);
			query = NULL;
			status = histree_query_create(row->host->history, &query, error);
			host = row->host;
		}
		if (status == HISTREE_OK)
			status = draw_fork(picture, query, child, error);
	}
	histree_query_free(query);
	return status;
}

static enum histree_status draw(struct picture *picture, struct histree_error *error)
{
	const struct histree_draw_options *options = picture->options;
	const char *title =
		options->title != NULL ? options->title : histree_history_info(picture->history)->provider;
	chart_frame(&picture->canvas, &picture->chart, &picture->list, title);
	if (picture->cpus > 0)
		draw_usage(picture);
	const struct state_bars bars = {
		.history = picture->history,
		.list = &picture->list,
		.chart = &picture->chart,
		.canvas = &picture->canvas,
		.legend = &picture->legend,
		.cancel = options->cancel,
	};
	enum histree_status status = state_bars_draw(&bars, error);
	if (status == HISTREE_OK && options->view == HISTREE_DRAW_CONTROL_FLOW)
		status = draw_forks(picture, error);
	if (status == HISTREE_OK)
		flow_arrows_draw(&picture->flows, &picture->canvas, &picture->chart, &picture->list);
	if (status != HISTREE_OK)
		return status;
	chart_legend(&picture->canvas, &picture->chart, &picture->legend, picture->history);
	return canvas_finish(&picture->canvas, error);
}

/* ----------------------------------------------------------------------------------------------------------- */

/* One without a name, or those of the union. */
static enum histree_status list_hosts(struct picture *picture, struct histree_error *error)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(picture->history, &count);
	picture->hosts = calloc(count + 1, sizeof(*picture->hosts));
	if (picture->hosts == NULL)
		return error_memory(error, "the rows of a picture");
	picture->host_count = count > 0 ? count : 1;
	if (count == 0)
		picture->hosts[0].history = picture->history;
	for (size_t i = 0; i < count; i++)
		picture->hosts[i] = (struct picture_host){
			.name = hosts[i].name,
			.why = hosts[i].history == NULL ? hosts[i].why : NULL,
			.history = hosts[i].history,
			.folder = hosts[i].folder,
			.first = hosts[i].folder + 1,
		};
	return HISTREE_OK;
}

static bool meets_range(const struct picture *picture, const struct picture_host *host)
{
	const struct histree_history_info *info = histree_history_info(host->history);
	return info->start <= picture->options->to && info->end >= picture->options->from;
}

static enum histree_status make_models_of(struct picture *picture, struct picture_host *host,
					  struct histree_error *error)
{
	const struct histree_draw_options *options = picture->options;
	if (host->history == NULL || !meets_range(picture, host))
		return HISTREE_OK;
	enum histree_status status = histree_resources_create(host->history, &host->resources, error);
	if (status == HISTREE_OK && options->view == HISTREE_DRAW_CONTROL_FLOW)
		status = make_usage(picture, host->history, 1, false, &host->usage, error);
	if (status == HISTREE_OK)
		status = histree_control_flow_create(host->history, options->cancel, &host->flow, error);
	if (status == HISTREE_OK && options->view != HISTREE_DRAW_ATTRIBUTES && options->view != HISTREE_DRAW_CHART)
		picture->cpus += count_cpus(host->resources);
	return status;
}

static enum histree_status make_models(struct picture *picture, struct histree_error *error)
{
	enum histree_status status = list_hosts(picture, error);
	for (size_t i = 0; i < picture->host_count && status == HISTREE_OK; i++)
		status = make_models_of(picture, &picture->hosts[i], error);
	if (status == HISTREE_OK)
		status = make_rows(picture, rows_that_fit(picture), error);
	return status;
}

static void release_hosts(struct picture *picture)
{
	for (size_t i = 0; i < picture->host_count && picture->hosts != NULL; i++) {
		histree_cpu_usage_free(picture->hosts[i].usage);
		histree_resources_free(picture->hosts[i].resources);
		histree_control_flow_free(picture->hosts[i].flow);
	}
	free(picture->hosts);
}

/* Before the layout: text is measured on a canvas. */
static enum histree_status open_canvas(struct picture *picture, picture_write *write, void *context,
				       struct histree_error *error)
{
	uint32_t rows = (uint32_t)picture->list.count * CHART_ROW;
	picture->chart.width = picture->options->width != 0 ? picture->options->width : 1200;
	picture->chart.height =
		picture->options->height != 0 ? picture->options->height : height_without_rows(picture) + rows;
	return canvas_open(&picture->canvas, picture->options, picture->chart.width, picture->chart.height, write,
			   context, error);
}

enum histree_status rows_picture(struct histree_history *history, const struct histree_draw_options *options,
				 picture_write *write, void *context, struct histree_error *error)
{
	struct picture picture = { .history = history, .options = options, .list = { .history = history } };
	enum histree_status status = make_models(&picture, error);
	if (status == HISTREE_OK)
		status = open_canvas(&picture, write, context, error);
	if (status == HISTREE_OK) {
		lay_out(&picture);
		if (picture.cpus > 0)
			status = make_usage(&picture, history, picture.chart.right - picture.chart.left, false,
					    &picture.usage, error);
	}
	if (status == HISTREE_OK && options->view == HISTREE_DRAW_ATTRIBUTES)
		status = flow_arrows_make(&picture.flows, history, options, &picture.chart, &picture.list, error);
	if (status == HISTREE_OK)
		status = draw(&picture, error);
	canvas_release(&picture.canvas);
	flow_arrows_release(&picture.flows);
	row_list_release(&picture.list);
	histree_cpu_usage_free(picture.usage);
	release_hosts(&picture);
	return status;
}
