// SPDX-License-Identifier: MIT
#include "draw/row_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/compare.h"
#include "base/error.h"
#include "draw/picture_text.h"

enum histree_status row_list_add(struct row_list *list, struct picture_row row, const char *label,
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

enum histree_status row_list_sort_asked(struct row_list *list, const struct histree_draw_options *options,
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

bool row_list_is_asked(const struct row_list *list, const struct histree_draw_options *options, histree_quark quark)
{
	return options->quarks == NULL ||
	       bsearch(&quark, list->asked, list->asked_count, sizeof(*list->asked), compare_u32) != NULL;
}

void row_list_say_which(struct row_list *list, size_t shown_count, size_t all, size_t host_count, const char *what,
			const char *chosen)
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

bool row_list_is_missing(const struct row_list *list, const struct histree_draw_options *options,
			 const struct picture_host *host)
{
	return host->why != NULL && row_list_is_asked(list, options, host->folder);
}

enum histree_status row_list_add_host(struct row_list *list, const struct picture_host *host,
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

histree_quark picture_host_quark(const struct picture_host *host, histree_quark own)
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

/* Below an attribute come those that it has, then its next sibling.  HISTREE_ROOT is before the first. */
static histree_quark next_in_tree(const struct histree_attributes *attributes, histree_quark quark)
{
	histree_quark next = histree_attributes_first_child(attributes, quark);
	while (next == HISTREE_ROOT && quark != HISTREE_ROOT) {
		next = histree_attributes_next_sibling(attributes, quark);
		quark = histree_attributes_parent(attributes, quark);
	}
	return next;
}

enum histree_status row_list_attributes(struct row_list *list, const struct histree_draw_options *options,
					const struct histree_history *history, const struct picture_host *hosts,
					size_t rows_max, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	size_t all = options->quarks != NULL ? options->quark_count : histree_attributes_count(attributes);
	enum histree_status status = row_list_sort_asked(list, options, error);
	for (histree_quark quark = next_in_tree(attributes, HISTREE_ROOT);
	     quark != HISTREE_ROOT && list->count < rows_max && status == HISTREE_OK;
	     quark = next_in_tree(attributes, quark))
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
