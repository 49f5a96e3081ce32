// SPDX-License-Identifier: MIT
/*
 * row_list.c - which rows a picture has, and what is said of each.
 *
 * Rows of threads are the busiest of the threads asked for, in the order of their tree.
 */
#include "draw/row_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/search.h"
#include "base/error.h"
#include "draw/canvas.h"
#include "histree/draw.h"
#include "histree/rows.h"

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

static enum histree_status add_attribute(struct row_list *list, const struct histree_history *history,
					 const struct picture_host *hosts, histree_quark quark,
					 struct histree_error *error)
{
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
	return row_list_add(list, row, path, "", error);
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
		if (row_list_is_asked(list, options, quark))
			status = add_attribute(list, history, hosts, quark, error);
	row_list_say_which(list, list->count, all, 1, "attributes", "the first");
	return status;
}

static bool shows_text(const struct histree_chart_view *view, uint32_t index)
{
	uint32_t count, entry = histree_chart_view_rows(view, &count)[index].entry;
	return entry != UINT32_MAX && histree_chart_view_chart(view)->entries[entry].shows_text;
}

static enum histree_status add_chart_row(struct row_list *list, const struct histree_history *history,
					 const struct picture_host *hosts, const struct histree_chart_view *view,
					 uint32_t index, histree_quark shown, struct histree_error *error)
{
	char name[CLEAN_TEXT_SIZE];
	const struct picture_row row = {
		.host = &hosts[histree_history_host_of(history, shown)],
		.quark = shown,
		.text = HISTREE_ROOT,
		.table = histree_chart_view_labels(view, index),
		.is_silent = !shows_text(view, index),
		.thread = HISTREE_NO_INDEX,
	};
	histree_chart_view_name(view, index, name, sizeof(name));
	return row_list_add(list, row, name, "", error);
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
		status = histree_chart_view_create(history, options->chart, options->cancel, &view, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_chart_row *rows = histree_chart_view_rows(view, &count);
	for (uint32_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (rows[i].shown == HISTREE_ROOT || !row_list_is_asked(list, options, rows[i].shown))
			continue;
		all++;
		if (list->count < rows_max)
			status = add_chart_row(list, history, hosts, view, i, rows[i].shown, error);
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

static int compare_position(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static int compare_busy(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return compare_position(one, other);
}

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

/* Sorts those that have room to the front, in the order of rows; the caller has made room at `has_row`. */
static size_t choose_shown(struct candidates *candidates, const struct picture_host *hosts, size_t host_count,
			   size_t room, bool *has_row)
{
	size_t shown = count_shown(candidates, hosts, host_count, room, has_row);
	if (shown < candidates->count) {
		qsort(candidates->all, candidates->count, sizeof(*candidates->all), compare_busy);
		shown = count_shown(candidates, hosts, host_count, room, has_row);
	}
	if (shown > 1)
		qsort(candidates->all, shown, sizeof(*candidates->all), compare_position);
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
		shown = choose_shown(&candidates, hosts, host_count, rows_max - missing, has_row);
		status = add_threads(list, options, hosts, host_count, &candidates, shown, missing, has_row, error);
	}
	row_list_say_which(list, shown, candidates.count, host_count, "threads", "the busiest");
	free(candidates.all);
	free(has_row);
	return status;
}
