// SPDX-License-Identifier: MIT
/*
 * row_list.c - the rows of a picture with their labels, and the frame around them.
 *
 * Rows of threads are the busiest of the threads asked for, in the order of their tree.
 */
#include "draw/row_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/search.h"
#include "base/table.h"
#include "draw/canvas.h"
#include "draw/pictures.h"
#include "histree/states.h"

/* ---- row list ------------------------------------------------------------------------------------------------ */

/* ---- row list ------------------------------------------------------------------------------------------------ */

/* Adds a row; its texts are copied. */
static enum histree_status row_list_add(struct row_list *list, struct picture_row row, const char *label,
					const char *detail, struct histree_error *error)
{
	row.label = arena_copy(&list->texts, label, strlen(label));
	row.detail = arena_copy(&list->texts, detail, strlen(detail));
	if (row.label == NULL || row.detail == NULL ||
	    !array_reserve(&list->rows, &list->capacity, list->count + 1))
		return error_memory(error, "the rows of a picture");
	list->rows[list->count++] = row;
	return HISTREE_OK;
}

/*
 * Must be called before row_list_is_asked(), which searches: a pattern may name a million attributes.
 */
static enum histree_status row_list_sort_asked(struct row_list *list, const struct histree_draw_options *options,
					       struct histree_error *error)
{
	list->asked = malloc((options->quark_count + 1) * sizeof(*list->asked));
	if (list->asked == NULL)
		return error_memory(error, "the rows of a picture");
	list->asked_count = options->quark_count;
	for (size_t i = 0; i < options->quark_count; i++)
		list->asked[i] = options->quarks[i];
	qsort(list->asked, list->asked_count, sizeof(*list->asked), compare_u32);
	return HISTREE_OK;
}

static bool row_list_is_asked(const struct row_list *list, const struct histree_draw_options *options,
			      histree_quark quark)
{
	return options->quarks == NULL ||
	       bsearch(&quark, list->asked, list->asked_count, sizeof(*list->asked), compare_u32) != NULL;
}

/* Says which rows these are, in the list's note. */
static void row_list_say_which(struct row_list *list, size_t shown_count, size_t all, size_t host_count,
			       const char *what, const char *chosen)
{
	char shown[GROUPED_NUMBER_SIZE], total[GROUPED_NUMBER_SIZE], hosts[GROUPED_NUMBER_SIZE + 16] = "";
	if (host_count > 1)
		snprintf(hosts, sizeof(hosts), " of %s hosts", grouped_number(host_count, total));
	if (shown_count == all)
		snprintf(list->note, sizeof(list->note), "%s %s%s", grouped_number(all, total), what, hosts);
	else
		snprintf(list->note, sizeof(list->note), "%s of %s %s%s, %s", grouped_number(shown_count, shown),
			 grouped_number(all, total), what, hosts, chosen);
}

/* ---- hosts ------------------------------------------------------------------------------------------------ */

static bool row_list_is_missing(const struct row_list *list, const struct histree_draw_options *options,
				const struct picture_host *host)
{
	return host->why != NULL && row_list_is_asked(list, options, host->folder);
}

/* The row of a host: above its own, or in their place if it cannot be read. */
static enum histree_status row_list_add_host(struct row_list *list, const struct picture_host *host,
					     struct histree_error *error)
{
	const struct picture_row row = {
		.quark = host->folder,
		.text = HISTREE_ROOT,
		.host = host,
		.is_host = true,
		.thread = HISTREE_NO_INDEX,
	};
	return host->name != NULL ? row_list_add(list, row, host->name, "", error) : HISTREE_OK;
}

/* Returns the number that an attribute of the host has in the history that is drawn. */
static histree_quark picture_host_quark(const struct picture_host *host, histree_quark own)
{
	return own != HISTREE_ROOT ? own + host->first : own;
}

/* ---- resources, attributes -------------------------------------------------------------------------------- */

/* What is left out first where there is no room for all: the last class. */
enum { CLASS_CPU, CLASS_THREAD, CLASS_FREQUENCY, CLASS_TOTAL, CLASS_INTERRUPT, CLASS_COUNT };

static int class_of(const struct histree_resource *resource)
{
	switch (resource->kind) {
	case HISTREE_RESOURCE_CPU:
		return CLASS_CPU;
	case HISTREE_RESOURCE_CURRENT_THREAD:
		return CLASS_THREAD;
	case HISTREE_RESOURCE_FREQUENCY:
		return CLASS_FREQUENCY;
	case HISTREE_RESOURCE_IRQ:
	case HISTREE_RESOURCE_SOFT_IRQ:
		break;
	}
	return resource->cpu < 0 ? CLASS_TOTAL : CLASS_INTERRUPT;
}

/* Of a host, how many resources are asked for, by class; returns whether there are any. */
static bool count_classes(const struct row_list *list, const struct histree_draw_options *options,
			  const struct picture_host *host, size_t of_class[CLASS_COUNT])
{
	uint32_t count = 0;
	bool has_some = false;
	const struct histree_resource *all =
		host->resources != NULL ? histree_resources_list(host->resources, &count) : NULL;
	for (uint32_t i = 0; i < count; i++) {
		bool is_wanted = row_list_is_asked(list, options, picture_host_quark(host, all[i].quark));
		of_class[class_of(&all[i])] += is_wanted;
		has_some = has_some || is_wanted;
	}
	return has_some;
}

/* Classes from the first on, as long as all of a class has room. */
static int choose_classes(const size_t of_class[CLASS_COUNT], size_t room)
{
	size_t sum = 0;
	int classes = 0;
	for (; classes < CLASS_COUNT && sum + of_class[classes] <= room; classes++)
		sum += of_class[classes];
	return sum > 0 ? classes : CLASS_COUNT; /* not even the first: then as many as there is room for */
}

static enum histree_status add_resources(struct row_list *list, const struct histree_draw_options *options,
					 const struct picture_host *host, int classes, size_t rows_max,
					 size_t *shown, struct histree_error *error)
{
	uint32_t count;
	enum histree_status status = row_list_add_host(list, host, error);
	const struct histree_resource *all = histree_resources_list(host->resources, &count);
	for (uint32_t i = 0; i < count && list->count < rows_max && status == HISTREE_OK; i++) {
		if (!row_list_is_asked(list, options, picture_host_quark(host, all[i].quark)) ||
		    class_of(&all[i]) >= classes)
			continue;
		const struct picture_row row = {
			.quark = picture_host_quark(host, all[i].quark),
			.text = HISTREE_ROOT,
			.table = histree_labels_for(list->history, histree_resource_meaning(all[i].kind)),
			.host = host,
			.indent = (all[i].parent != HISTREE_NO_INDEX) + (uint32_t)(host->name != NULL),
			.thread = HISTREE_NO_INDEX,
		};
		status = row_list_add(list, row, all[i].name, "", error);
		++*shown;
	}
	return status;
}

enum histree_status row_list_resources(struct row_list *list, const struct histree_draw_options *options,
				       const struct picture_host *hosts, size_t host_count, size_t rows_max,
				       struct histree_error *error)
{
	size_t of_class[CLASS_COUNT] = { 0 }, asked = 0, shown = 0, above = 0;
	enum histree_status status = row_list_sort_asked(list, options, error);
	if (status != HISTREE_OK)
		return status;
	for (size_t i = 0; i < host_count; i++)
		above += (count_classes(list, options, &hosts[i], of_class) && hosts[i].name != NULL) ||
			 row_list_is_missing(list, options, &hosts[i]);
	for (int i = 0; i < CLASS_COUNT; i++)
		asked += of_class[i];
	int classes = choose_classes(of_class, above < rows_max ? rows_max - above : 0);
	for (size_t i = 0; i < host_count && list->count < rows_max && status == HISTREE_OK; i++) {
		size_t own[CLASS_COUNT] = { 0 };
		if (row_list_is_missing(list, options, &hosts[i]))
			status = row_list_add_host(list, &hosts[i], error);
		else if (count_classes(list, options, &hosts[i], own))
			status = add_resources(list, options, &hosts[i], classes, rows_max, &shown, error);
	}
	row_list_say_which(list, shown, asked, host_count, "resources", "CPUs first");
	return status;
}

enum histree_status row_list_attributes(struct row_list *list, const struct histree_draw_options *options,
					const struct histree_history *history, const struct picture_host *hosts,
					size_t rows_max, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	size_t all = options->quarks != NULL ? options->quark_count : histree_attributes_count(attributes);
	enum histree_status status = row_list_sort_asked(list, options, error);
	for (histree_quark quark = histree_attributes_next_below(attributes, HISTREE_ROOT, HISTREE_ROOT);
	     quark != HISTREE_ROOT && list->count < rows_max && status == HISTREE_OK;
	     quark = histree_attributes_next_below(attributes, HISTREE_ROOT, quark))
		if (row_list_is_asked(list, options, quark)) {
			char path[256];
			const struct picture_host *host = &hosts[histree_history_host_of(history, quark)];
			const struct picture_row row = {
				.host = host,
				.is_host = host->why != NULL && host->folder == quark,
				.quark = quark,
				.text = HISTREE_ROOT,
				.table = histree_labels_of(history, quark),
				.thread = HISTREE_NO_INDEX,
			};
			histree_attributes_path(histree_history_attributes(history), quark, path, sizeof(path));
			status = row_list_add(list, row, path, "", error);
		}
	row_list_say_which(list, list->count, all, 1, "attributes", "the first");
	return status;
}

static bool shows_text(const struct histree_chart_view *view, uint32_t index)
{
	uint32_t count, entry = histree_chart_view_rows(view, &count)[index].entry;
	return entry != UINT32_MAX && histree_chart_view_chart(view)->entries[entry].shows_text;
}

enum histree_status row_list_chart(struct row_list *list, const struct histree_draw_options *options,
				   struct histree_history *history, const struct picture_host *hosts,
				   size_t rows_max, struct histree_error *error)
{
	struct histree_chart_view *view;
	uint32_t count;
	size_t all = 0;
	enum histree_status status = row_list_sort_asked(list, options, error);
	if (status == HISTREE_OK)
		status = histree_chart_view_create(history, options->chart, options->work, &view, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_chart_row *rows = histree_chart_view_rows(view, &count);
	for (uint32_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (rows[i].shown == HISTREE_ROOT || !row_list_is_asked(list, options, rows[i].shown))
			continue;
		all++;
		if (list->count < rows_max) {
			char name[CLEAN_TEXT_SIZE];
			const struct picture_row row = {
				.host = &hosts[histree_history_host_of(history, rows[i].shown)],
				.quark = rows[i].shown,
				.text = HISTREE_ROOT,
				.table = histree_chart_view_labels(view, i),
				.is_silent = !shows_text(view, i),
				.thread = HISTREE_NO_INDEX,
			};
			histree_chart_view_name(view, i, name, sizeof(name));
			status = row_list_add(list, row, name, "", error);
		}
	}
	row_list_say_which(list, list->count, all, 1, "rows", "the first");
	histree_chart_view_free(view);
	return status;
}

void row_list_release(struct row_list *list)
{
	free(list->rows);
	free(list->asked);
	arena_release(&list->texts);
	*list = (struct row_list){ 0 };
}

/* ---- row list threads ---------------------------------------------------------------------------------------- */

struct candidate {
	const struct picture_host *host;
	uint32_t thread;
	int64_t ns;
};

struct candidates {
	struct candidate *all;
	size_t count, capacity;
};

COMPARE(compare_position, struct candidate, BY(host) BY(thread))

COMPARE(compare_busy, struct candidate, BY_MOST(ns) BY(host) BY(thread))

/* Returns how many ancestors of a thread are shown already: they are on the path to the last row. */
static uint32_t indent_of(const struct row_list *list, const struct histree_thread *threads, uint32_t thread)
{
	for (size_t i = list->count; i-- > 0;) {
		uint32_t above = list->rows[i].thread;
		if (list->rows[i].is_host)
			return 1;
		if (thread <= above + threads[above].descendants)
			return list->rows[i].indent + 1;
	}
	return 0;
}

static enum histree_status add_thread(struct row_list *list, const struct candidate *candidate,
				      struct histree_error *error)
{
	uint32_t count;
	const struct picture_host *host = candidate->host;
	const struct histree_thread *threads = histree_control_flow_threads(host->flow, &count);
	const struct histree_thread *thread = &threads[candidate->thread];
	const struct picture_row row = {
		.quark = picture_host_quark(host, thread->status),
		.text = picture_host_quark(host, thread->system_call),
		.table = histree_labels_for(list->history, HISTREE_MEANS_THREAD_STATUS),
		.host = host,
		.indent = indent_of(list, threads, candidate->thread),
		.thread = candidate->thread,
		.life = { thread->from, thread->to },
	};
	char detail[32];
	snprintf(detail, sizeof(detail), "%d", thread->tid);
	if (thread->tid == 0 && thread->cpu >= 0)
		snprintf(detail, sizeof(detail), "CPU %d", thread->cpu);
	return row_list_add(list, row,
			    *thread->name != '\0' ? thread->name
			    : thread->tid == 0    ? "idle"
						  : "?",
			    detail, error);
}

/* Adds the threads asked for of a host, each with the time that it ran. */
static enum histree_status find_candidates(const struct row_list *list, const struct histree_draw_options *options,
					   const struct picture_host *host, struct candidates *candidates,
					   struct histree_error *error)
{
	uint32_t thread_count;
	const struct histree_thread *threads = histree_control_flow_threads(host->flow, &thread_count);
	int64_t *ran = calloc((size_t)thread_count + 1, sizeof(*ran));
	if (ran == NULL ||
	    !array_reserve(&candidates->all, &candidates->capacity, candidates->count + thread_count + 1)) {
		free(ran);
		return error_memory(error, "the rows of a picture");
	}
	enum histree_status status = histree_cpu_usage_by_thread(host->usage, host->flow, ran, error);
	for (uint32_t i = 0; i < thread_count; i++) {
		bool lived = threads[i].first <= options->to && threads[i].last >= options->from;
		/*
		 * Idle threads run whenever no one does: they say nothing that others do not, so only if asked
		 * for.
		 */
		bool wanted =
			options->quarks == NULL
				? lived && threads[i].tid > 0
				: row_list_is_asked(list, options, picture_host_quark(host, threads[i].node)) ||
					  row_list_is_asked(list, options,
							    picture_host_quark(host, threads[i].status));
		if (wanted)
			candidates->all[candidates->count++] = (struct candidate){ host, i, ran[i] };
	}
	free(ran);
	return status;
}

/* How many of the first ones have room, with a row for each host among them. */
static size_t count_shown(const struct candidates *candidates, const struct picture_host *hosts, size_t host_count,
			  size_t room, bool *has_row)
{
	size_t shown = 0, rows = 0;
	memset(has_row, 0, host_count * sizeof(*has_row));
	for (; shown < candidates->count; shown++) {
		const struct picture_host *host = candidates->all[shown].host;
		bool is_first = host->name != NULL && !has_row[host - hosts];
		if (rows + 1 + is_first > room)
			break;
		rows += 1 + is_first;
		has_row[host - hosts] = true;
	}
	return shown;
}

/* How many rows hosts that cannot be read take; where there are many, most of the room is for others. */
static size_t count_missing(const struct row_list *list, const struct histree_draw_options *options,
			    const struct picture_host *hosts, size_t host_count, size_t rows_max)
{
	size_t missing = 0, most = rows_max / 4 + 1;
	for (size_t i = 0; i < host_count; i++)
		missing += row_list_is_missing(list, options, &hosts[i]);
	return missing < most ? missing : most;
}

/* Each host with its own rows, or without any if it cannot be read. */
static enum histree_status add_threads(struct row_list *list, const struct histree_draw_options *options,
				       const struct picture_host *hosts, size_t host_count,
				       const struct candidates *candidates, size_t shown, size_t missing,
				       const bool *has_row, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t next = 0;
	for (size_t i = 0; i < host_count && status == HISTREE_OK; i++) {
		bool is_shown = has_row[i] || (missing > 0 && row_list_is_missing(list, options, &hosts[i]));
		missing -= is_shown && !has_row[i];
		if (is_shown)
			status = row_list_add_host(list, &hosts[i], error);
		for (; next < shown && candidates->all[next].host == &hosts[i] && status == HISTREE_OK; next++)
			status = add_thread(list, &candidates->all[next], error);
	}
	return status;
}

enum histree_status row_list_threads(struct row_list *list, const struct histree_draw_options *options,
				     const struct picture_host *hosts, size_t host_count, size_t rows_max,
				     struct histree_error *error)
{
	struct candidates candidates = { 0 };
	size_t shown = 0;
	bool *has_row = calloc(host_count + 1, sizeof(*has_row));
	enum histree_status status = has_row != NULL ? row_list_sort_asked(list, options, error)
						     : error_memory(error, "the rows of a picture");
	for (size_t i = 0; i < host_count && status == HISTREE_OK; i++)
		if (hosts[i].flow != NULL)
			status = find_candidates(list, options, &hosts[i], &candidates, error);
	if (status == HISTREE_OK) {
		size_t missing = count_missing(list, options, hosts, host_count, rows_max);

		/* Sorts those that have room to the front, in the order of rows. */
		const size_t room = rows_max - missing;
		shown = count_shown(&candidates, hosts, host_count, room, has_row);
		if (shown < candidates.count) {
			qsort(candidates.all, candidates.count, sizeof(*candidates.all), compare_busy);
			shown = count_shown(&candidates, hosts, host_count, room, has_row);
		}
		if (shown > 1)
			qsort(candidates.all, shown, sizeof(*candidates.all), compare_position);

		status = add_threads(list, options, hosts, host_count, &candidates, shown, missing, has_row, error);
	}
	row_list_say_which(list, shown, candidates.count, host_count, "threads", "the busiest");
	free(candidates.all);
	free(has_row);
	return status;
}

/* ---- chart --------------------------------------------------------------------------------------------------- */

uint32_t style_colour(const struct canvas *canvas, const struct histree_style *style)
{
	return canvas->theme->is_dark ? style->dark : style->light;
}

/* ---- frame ------------------------------------------------------------------------------------------------ */

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

void chart_frame(struct canvas *canvas, const struct chart *chart, const struct row_list *list, const char *title)
{
	char from[TIME_TEXT_SIZE], length[TIME_TEXT_SIZE], range[2 * TIME_TEXT_SIZE + 16];
	double width = chart->width - 2 * CHART_MARGIN;
	time_format_date(chart->axis.from, from);
	time_format_duration((uint64_t)chart->axis.to - (uint64_t)chart->axis.from + 1, length);
	snprintf(range, sizeof(range), "%s%s + %s", from, time_has_day(chart->axis.from) ? "" : " s", length);
	canvas_colour(canvas, canvas->theme->text, 1);
	canvas_text(canvas, FONT_TITLE, ALIGN_LEFT, CHART_MARGIN, 26, width, title);
	canvas_colour(canvas, canvas->theme->soft_text, 1);
	canvas_text(canvas, FONT_LABEL, ALIGN_LEFT, CHART_MARGIN, 44, width, list->note);
	if (canvas_text_width(canvas, FONT_LABEL, list->note) + canvas_text_width(canvas, FONT_LABEL, range) + 20 <
	    width)
		canvas_text(canvas, FONT_LABEL, ALIGN_RIGHT, chart->width - CHART_MARGIN, 44, width, range);

	canvas_colour(canvas, canvas->theme->panel, 1);
	canvas_box(canvas, chart->left, chart->rows_top, chart->right - chart->left,
		   chart->rows_bottom - chart->rows_top);
	canvas_colour(canvas, canvas->theme->grid, 0.6);
	for (size_t i = 1; i < list->count; i++)
		canvas_box(canvas, chart->left, chart->rows_top + (double)i * CHART_ROW, chart->right - chart->left,
			   1);

	/* A band over the rows of hosts, which stand above their own. */
	canvas_colour(canvas, canvas->theme->grid, 1);
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].is_host)
			canvas_box(canvas, CHART_MARGIN - 6, chart->rows_top + (double)i * CHART_ROW + 1,
				   chart->right - CHART_MARGIN + 6, CHART_ROW - 1);

	draw_axis(canvas, chart);
	for (size_t i = 0; i < list->count; i++) {
		const double top = chart->rows_top + (double)i * CHART_ROW;
		double x = CHART_MARGIN + (double)list->rows[i].indent * CHART_INDENT, right = chart->left - 10;
		double detail = canvas_text_width(canvas, FONT_SMALL, list->rows[i].detail);
		double base = top + (CHART_ROW + CHART_BAR) / 2.0 - 3;
		canvas_colour(canvas, canvas->theme->soft_text, 1);
		canvas_text(canvas, FONT_SMALL, ALIGN_RIGHT, right, base, right - CHART_MARGIN,
			    list->rows[i].detail);
		canvas_colour(canvas, canvas->theme->text, 1);
		canvas_text(canvas, FONT_LABEL, ALIGN_LEFT, x, base, right - x - (detail > 0 ? detail + 8 : 0),
			    list->rows[i].label);
	}
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
