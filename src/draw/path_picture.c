// SPDX-License-Identifier: MIT
/*
 * path_picture.c - a critical path: the thread that it is on, what that does, and where the path goes from there.
 *
 * The path is walked three times: for the threads on it, for what they do in each pixel, and for the arrows.  So
 * memory is that of the picture, however long the path is.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "draw/row_list.h"
#include "draw/rows_picture.h"
#include "histree/critical_path.h"

enum { NAME_SIZE = 64, ARROW_DISTANCE = 3 /* pixels between two arrows of the same rows, at least */ };
#define NO_ROW SIZE_MAX

struct path_thread {
	size_t host;
	int32_t tid;
	histree_time life; /* since when it has had the number */
	size_t next;       /* that had it, too, plus one; 0: none */
	uint64_t ns;       /* on the path */
	size_t order, row;
	double last_arrow; /* into its row: where */
	size_t last_from;  /* and from which */
};

struct path_picture {
	struct histree_history *history;
	const struct histree_draw_path_options *options;
	struct histree_cursor *path;
	const struct histree_history_host *hosts; /* NULL: one */
	struct id_map known;                      /* numbers of threads plus one, by host and tid */
	struct path_thread *threads;
	size_t thread_count, thread_capacity;
	bool is_begun;
	histree_time from, to; /* of the steps */
	struct row_list list;
	struct chart chart;
	struct canvas canvas;
	struct legend legend;
	uint32_t pixels;
	double *cells; /* by row, pixel and state: ns */
};

/* ---- the path ----------------------------------------------------------------------------------------------- */

static struct path_thread *thread_of(struct path_picture *picture, size_t host, int32_t tid, histree_time time)
{
	const uint64_t id = (uint64_t)host << 32 | (uint32_t)tid;
	const histree_time life = histree_critical_path_life(picture->path, host, tid, time);
	const size_t first = (uintptr_t)id_map_find(&picture->known, id);
	for (size_t number = first; number > 0; number = picture->threads[number - 1].next)
		if (picture->threads[number - 1].life == life)
			return &picture->threads[number - 1];
	if (!array_reserve(&picture->threads, &picture->thread_capacity, picture->thread_count + 1) ||
	    (first == 0 && !id_map_add(&picture->known, id, (void *)(uintptr_t)(picture->thread_count + 1))))
		return NULL;
	struct path_thread *thread = &picture->threads[picture->thread_count];
	*thread = (struct path_thread){ .host = host,
					.tid = tid,
					.life = life,
					.next = first == 0 ? 0 : picture->threads[first - 1].next,
					.order = picture->thread_count++,
					.row = NO_ROW,
					.last_arrow = -1 };
	if (first > 0)
		picture->threads[first - 1].next = picture->thread_count;
	return thread;
}

static enum histree_status note_step(struct path_picture *picture, const struct histree_path_step *step,
				     struct histree_error *error)
{
	struct path_thread *thread = thread_of(picture, step->host, step->tid, step->start);
	if (thread == NULL || thread_of(picture, step->to_host, step->to_tid, step->end) == NULL)
		return error_memory(error, "the picture of a path");
	thread = thread_of(picture, step->host, step->tid, step->start);
	if (!step->is_arrow)
		thread->ns += (uint64_t)step->end - (uint64_t)step->start;
	if (!picture->is_begun || step->start < picture->from)
		picture->from = step->start;
	if (!picture->is_begun || step->end > picture->to)
		picture->to = step->end;
	picture->is_begun = true;
	return HISTREE_OK;
}

static double middle_of(const struct path_picture *picture, size_t row)
{
	return picture->chart.rows_top + ((double)row + 0.5) * CHART_ROW;
}

static enum histree_status take_state(struct path_picture *picture, const struct histree_path_step *step,
				      struct histree_error *error)
{
	(void)error;
	const struct path_thread *thread = thread_of(picture, step->host, step->tid, step->start);
	if (!step->is_arrow && thread->row != NO_ROW) {
		const size_t row = thread->row;
		const struct time_axis *axis = &picture->chart.axis;
		double start = time_axis_x(axis, step->start) - axis->x,
		       end = time_axis_x(axis, step->end) - axis->x;
		enum histree_graph_state state =
			step->state == HISTREE_GRAPH_DEFAULT ? HISTREE_GRAPH_UNKNOWN : step->state;
		start = fmax(start, 0);
		end = fmin(end, picture->pixels);
		for (uint32_t pixel = (uint32_t)start; pixel < picture->pixels && pixel < end; pixel++) {
			double part = fmin(end, pixel + 1.0) - fmax(start, pixel);
			picture->cells[((size_t)row * picture->pixels + pixel) * HISTREE_GRAPH_STATE_COUNT +
				       state] += part + 1e-9;
		}
	}
	return HISTREE_OK;
}

static enum histree_status draw_arrow(struct path_picture *picture, const struct histree_path_step *step,
				      struct histree_error *error)
{
	(void)error;
	const struct path_thread *from = thread_of(picture, step->host, step->tid, step->start);
	struct path_thread *to = thread_of(picture, step->to_host, step->to_tid, step->end);
	if (!step->is_arrow || from->row == NO_ROW || to->row == NO_ROW)
		return HISTREE_OK;
	double x = time_axis_x(&picture->chart.axis, step->end);
	if (to->last_from == from->row && to->last_arrow >= 0 && x - to->last_arrow < ARROW_DISTANCE)
		return HISTREE_OK;
	to->last_from = from->row;
	to->last_arrow = x;
	arrow_draw(&picture->canvas, &picture->chart.axis,
		   (struct arrow_end){ step->start, middle_of(picture, from->row) },
		   (struct arrow_end){ step->end, middle_of(picture, to->row) });
	return HISTREE_OK;
}

static enum histree_status walk(struct path_picture *picture,
				enum histree_status (*take)(struct path_picture *, const struct histree_path_step *,
							    struct histree_error *),
				struct histree_error *error)
{
	const struct histree_draw_path_options *options = picture->options;
	const struct histree_path_request request = { .rules = options->rules,
						      .host = options->host,
						      .tid = options->tid,
						      .from = options->from,
						      .to = options->to,
						      .work = options->work };
	enum histree_status status = histree_critical_path_start(picture->path, &request, error);
	for (uint64_t steps = 0; status == HISTREE_OK; steps++) {
		status = cancel_or_next(&options->work, steps, picture->path, error);
		if (status == HISTREE_OK)
			status = take(picture, histree_cursor_path_step(picture->path), error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

COMPARE_POINTERS(by_time, struct path_thread, BY_MOST(ns) BY(order))
COMPARE_POINTERS(by_order, struct path_thread, BY(order))

static char *keep_text(struct row_list *list, const char *text)
{
	size_t size = strlen(text) + 1;
	char *kept = arena_allocate(&list->texts, size, 1);
	return kept != NULL ? memcpy(kept, text, size) : NULL;
}

static enum histree_status add_row(struct path_picture *picture, struct path_thread *thread,
				   struct histree_error *error)
{
	char name[NAME_SIZE], detail[2 * NAME_SIZE];
	struct row_list *list = &picture->list;
	histree_critical_path_name(picture->path, thread->host, thread->tid, thread->life, name, sizeof(name));
	snprintf(detail, sizeof(detail), "%s%s%" PRId32,
		 picture->hosts != NULL ? picture->hosts[thread->host].name : "", picture->hosts != NULL ? " " : "",
		 thread->tid);
	if (!array_reserve(&list->rows, &list->capacity, list->count + 1))
		return error_memory(error, "the picture of a path");
	struct picture_row *row = &list->rows[list->count];
	*row = (struct picture_row){ .thread = HISTREE_NO_INDEX,
				     .label = keep_text(list, name),
				     .detail = keep_text(list, detail) };
	if (row->label == NULL || row->detail == NULL)
		return error_memory(error, "the picture of a path");
	thread->row = list->count++;
	return HISTREE_OK;
}

/* ---- drawing ------------------------------------------------------------------------------------------------ */

static const struct histree_label_table *table_of_edges(const struct histree_history *history)
{
	size_t count;
	const struct histree_label_table *tables = histree_labels(history, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(tables[i].name, "edge") == 0)
			return &tables[i];
	return NULL;
}

/* The state that a pixel is in for longest; HISTREE_GRAPH_STATE_COUNT: none. */
static unsigned state_in(const struct path_picture *picture, size_t row, uint32_t pixel)
{
	const double *cell = &picture->cells[(row * picture->pixels + pixel) * HISTREE_GRAPH_STATE_COUNT];
	unsigned longest = HISTREE_GRAPH_STATE_COUNT;
	for (unsigned state = 0; state < HISTREE_GRAPH_STATE_COUNT; state++)
		if (cell[state] > (longest < HISTREE_GRAPH_STATE_COUNT ? cell[longest] : 0))
			longest = state;
	return longest;
}

static uint32_t height_without_rows(void)
{
	return CHART_HEAD + CHART_AXIS + CHART_LEGEND + 8;
}

static size_t rows_that_fit(const struct histree_draw_path_options *options)
{
	if (options->look.height == 0)
		return CHART_ROWS;
	return options->look.height > height_without_rows() + CHART_ROW
		       ? (options->look.height - height_without_rows()) / CHART_ROW
		       : 1;
}

static enum histree_status open_canvas(struct path_picture *picture, picture_write *write, void *context,
				       struct histree_error *error)
{
	const struct histree_draw_path_options *options = picture->options;
	struct chart *chart = &picture->chart;
	double width = CHART_LABELS;
	uint32_t rows = (uint32_t)picture->list.count * CHART_ROW;
	chart->width = options->look.width != 0 ? options->look.width : 1200;
	chart->height = options->look.height != 0 ? options->look.height : height_without_rows() + rows;
	enum histree_status status =
		canvas_open(&picture->canvas, &options->look, chart->width, chart->height, write, context, error);
	if (status != HISTREE_OK)
		return status;
	for (size_t i = 0; i < picture->list.count; i++)
		width = fmax(width,
			     canvas_text_width(&picture->canvas, FONT_LABEL, picture->list.rows[i].label) +
				     canvas_text_width(&picture->canvas, FONT_SMALL, picture->list.rows[i].detail) +
				     34);
	chart->left = CHART_MARGIN + (uint32_t)fmin(width, fmin(CHART_LABELS_MAX, chart->width / 3.0));
	chart->right = chart->width - CHART_MARGIN;
	chart->rows_top = CHART_HEAD;
	chart->rows_bottom = chart->rows_top + rows;
	picture->pixels = chart->right - chart->left;
	histree_time last = picture->to > picture->from ? picture->to - 1 : picture->from;
	chart->axis = time_axis(picture->from, last, chart->left, picture->pixels, 120);
	picture->cells = calloc(picture->list.count * picture->pixels + 1,
				HISTREE_GRAPH_STATE_COUNT * sizeof(*picture->cells));
	return picture->cells != NULL ? HISTREE_OK : error_memory(error, "the picture of a path");
}

static enum histree_status draw(struct path_picture *picture, struct histree_error *error)
{
	char name[NAME_SIZE], title[2 * NAME_SIZE];
	const struct histree_draw_path_options *options = picture->options;
	const struct histree_label_table *table = table_of_edges(picture->history);
	histree_critical_path_name(picture->path, options->host, options->tid, picture->from, name, sizeof(name));
	snprintf(title, sizeof(title), "Critical path of %s %" PRId32, name, options->tid);
	chart_frame(&picture->canvas, &picture->chart, &picture->list,
		    options->look.title != NULL ? options->look.title : title);
	enum histree_status status = walk(picture, take_state, error);
	for (size_t row = 0; row < picture->list.count && status == HISTREE_OK; row++) {
		const double top = picture->chart.rows_top + (double)row * CHART_ROW;
		for (uint32_t pixel = 0, end; pixel < picture->pixels; pixel = end) {
			unsigned state = state_in(picture, row, pixel);
			for (end = pixel + 1; end < picture->pixels && state_in(picture, row, end) == state; end++)
				;
			if (state == HISTREE_GRAPH_STATE_COUNT)
				continue;
			const struct histree_value value = histree_int((int32_t)state);
			const struct histree_style *style = histree_style_of(table, &value);
			if (style == NULL)
				continue;
			double height = round(CHART_BAR * style->height);
			canvas_colour(&picture->canvas, style_colour(&picture->canvas, style), 1);
			canvas_box(&picture->canvas, picture->chart.left + pixel, top + (CHART_ROW - height) / 2,
				   end - pixel, height);
			legend_add(&picture->legend, style);
		}
	}
	canvas_colour(&picture->canvas, picture->canvas.theme->soft_text, 0.8);
	if (status == HISTREE_OK)
		status = walk(picture, draw_arrow, error);
	if (status != HISTREE_OK)
		return status;
	chart_legend(&picture->canvas, &picture->chart, &picture->legend, picture->history);
	return canvas_finish(&picture->canvas, error);
}

enum histree_status histree_draw_path(struct histree_history *history,
				      const struct histree_draw_path_options *options, picture_write *write,
				      void *context, struct histree_error *error)
{
	size_t host_count;
	struct path_picture picture = { .history = history, .options = options, .list = { .history = history } };
	picture.hosts = histree_history_hosts(history, &host_count);
	enum histree_status status = picture_look_check(&options->look, error);
	if (status == HISTREE_OK)
		status = histree_critical_path_create(history, &picture.path, error);
	if (status == HISTREE_OK)
		status = walk(&picture, note_step, error);
	if (status == HISTREE_OK && picture.thread_count == 0)
		status = error_set(error, HISTREE_NOT_FOUND, "thread %" PRId32 " has no path in that time",
				   options->tid);
	if (status == HISTREE_OK) {
		/* Those that the path is on for longest, in the order in which it comes to them. */
		const size_t rows_max = rows_that_fit(options);
		size_t count = picture.thread_count;
		struct path_thread **order = malloc((count + 1) * sizeof(*order));
		status = order != NULL ? HISTREE_OK : error_memory(error, "the picture of a path");
		for (size_t i = 0; i < count && order != NULL; i++)
			order[i] = &picture.threads[i];
		if (status == HISTREE_OK && count > rows_max) {
			qsort(order, count, sizeof(*order), by_time);
			count = rows_max;
			snprintf(picture.list.note, sizeof(picture.list.note),
				 "%zu of %zu threads on the critical path, those with most time on it", count,
				 picture.thread_count);
		} else {
			snprintf(picture.list.note, sizeof(picture.list.note), "%zu thread%s on the critical path",
				 count, count == 1 ? "" : "s");
		}
		if (status == HISTREE_OK)
			qsort(order, count, sizeof(*order), by_order);
		for (size_t i = 0; i < count && status == HISTREE_OK; i++)
			status = add_row(&picture, order[i], error);
		free(order);
	}
	if (status == HISTREE_OK)
		status = open_canvas(&picture, write, context, error);
	if (status == HISTREE_OK)
		status = draw(&picture, error);
	canvas_release(&picture.canvas);
	row_list_release(&picture.list);
	id_map_release(&picture.known);
	histree_cursor_free(picture.path);
	free(picture.threads);
	free(picture.cells);
	return status;
}
