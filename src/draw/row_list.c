// SPDX-License-Identifier: MIT
#include "draw/row_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/compare.h"
#include "base/error.h"
#include "draw/picture_text.h"

static enum histree_status add(struct row_list *list, struct picture_row row, const char *label, const char *detail,
			       struct histree_error *error)
{
	row.label = arena_copy(&list->texts, label, strlen(label));
	row.detail = arena_copy(&list->texts, detail, strlen(detail));
	if (row.label == NULL || row.detail == NULL ||
	    !array_reserve(&list->rows, &list->capacity, list->count + 1))
		return error_memory(error, "the rows of a picture");
	list->rows[list->count++] = row;
	return HISTREE_OK;
}

/* A pattern may name a million rows, of which each thread is looked for. */
static enum histree_status sort_asked(struct row_list *list, const struct histree_draw_options *options,
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

static bool is_asked(const struct row_list *list, const struct histree_draw_options *options, histree_quark quark)
{
	return options->quarks == NULL ||
	       bsearch(&quark, list->asked, list->asked_count, sizeof(*list->asked), compare_u32) != NULL;
}

static void say_which(struct row_list *list, size_t all, const char *what, const char *chosen)
{
	char shown[GROUPED_NUMBER_SIZE], total[GROUPED_NUMBER_SIZE];
	if (list->count == all)
		snprintf(list->note, sizeof(list->note), "%s %s", grouped_number(all, total), what);
	else
		snprintf(list->note, sizeof(list->note), "%s of %s %s, %s", grouped_number(list->count, shown),
			 grouped_number(all, total), what, chosen);
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

struct candidate {
	uint32_t thread;
	int64_t ns;
};

static int compare_busy(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->thread < b->thread ? -1 : 1;
}

static int compare_position(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;
	return a->thread < b->thread ? -1 : 1;
}

/* How many of those that are shown already it descends from: they are on the path to the last row. */
static uint32_t indent_of(const struct row_list *list, const struct histree_thread *threads, uint32_t thread)
{
	for (size_t i = list->count; i-- > 0;) {
		uint32_t above = list->rows[i].thread;
		if (thread <= above + threads[above].descendants)
			return list->rows[i].indent + 1;
	}
	return 0;
}

static enum histree_status add_thread(struct row_list *list, const struct histree_thread *threads, uint32_t index,
				      struct histree_error *error)
{
	const struct histree_thread *thread = &threads[index];
	const struct picture_row row = {
		.quark = thread->status,
		.text = thread->system_call,
		.table = histree_labels_for(list->history, HISTREE_MEANS_THREAD_STATUS),
		.indent = indent_of(list, threads, index),
		.thread = index,
	};
	char detail[32];
	snprintf(detail, sizeof(detail), "%d", thread->tid);
	if (thread->tid == 0 && thread->cpu >= 0)
		snprintf(detail, sizeof(detail), "CPU %d", thread->cpu);
	return add(list, row,
		   *thread->name != '\0' ? thread->name
		   : thread->tid == 0    ? "idle"
					 : "?",
		   detail, error);
}

/* The threads asked for, each with the time that it ran.  The caller frees *out. */
static enum histree_status find_candidates(const struct row_list *list, const struct histree_draw_options *options,
					   const struct histree_control_flow *flow,
					   const struct histree_cpu_usage *usage, struct candidate **out,
					   size_t *count, struct histree_error *error)
{
	uint32_t thread_count;
	size_t time_count;
	const struct histree_thread *threads = histree_control_flow_threads(flow, &thread_count);
	const struct histree_cpu_time *times = histree_cpu_usage_times(usage, &time_count);
	int64_t *ran = calloc((size_t)thread_count + 1, sizeof(*ran));
	*out = malloc(((size_t)thread_count + 1) * sizeof(**out));
	*count = 0;
	if (ran == NULL || *out == NULL) {
		free(ran);
		return error_memory(error, "the rows of a picture");
	}
	for (size_t i = 0; i < time_count; i++) {
		uint32_t index = histree_control_flow_find(flow, times[i].tid, -1);
		if (index != HISTREE_NO_INDEX)
			ran[index] = times[i].ns;
	}
	for (uint32_t i = 0; i < thread_count; i++) {
		bool lived = threads[i].first <= options->to && threads[i].last >= options->from;
		/*
		 * Idle threads run whenever no one does: they say nothing that others do not, so only if asked
		 * for.
		 */
		bool wanted = options->quarks == NULL ? lived && threads[i].tid > 0
						      : is_asked(list, options, threads[i].node) ||
								is_asked(list, options, threads[i].status);
		if (wanted)
			(*out)[(*count)++] = (struct candidate){ i, ran[i] };
	}
	free(ran);
	return HISTREE_OK;
}

enum histree_status row_list_threads(struct row_list *list, const struct histree_draw_options *options,
				     const struct histree_control_flow *flow, const struct histree_cpu_usage *usage,
				     size_t rows_max, struct histree_error *error)
{
	struct candidate *candidates = NULL;
	size_t count = 0;
	uint32_t thread_count;
	const struct histree_thread *threads = histree_control_flow_threads(flow, &thread_count);
	enum histree_status status = sort_asked(list, options, error);
	if (status == HISTREE_OK)
		status = find_candidates(list, options, flow, usage, &candidates, &count, error);
	size_t shown = count < rows_max ? count : rows_max;
	if (status == HISTREE_OK && count > shown)
		qsort(candidates, count, sizeof(*candidates), compare_busy);
	if (status == HISTREE_OK && shown > 1)
		qsort(candidates, shown, sizeof(*candidates), compare_position);
	for (size_t i = 0; i < shown && status == HISTREE_OK; i++)
		status = add_thread(list, threads, candidates[i].thread, error);
	free(candidates);
	say_which(list, count, "threads", "the busiest");
	return status;
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

/* Classes from the first on, as long as all of a class has room. */
static int choose_classes(const struct row_list *list, const struct histree_draw_options *options,
			  const struct histree_resource *all, uint32_t count, size_t rows_max, size_t *asked)
{
	size_t of_class[CLASS_COUNT] = { 0 }, sum = 0;
	for (uint32_t i = 0; i < count; i++)
		of_class[class_of(&all[i])] += is_asked(list, options, all[i].quark);
	*asked = 0;
	for (int i = 0; i < CLASS_COUNT; i++)
		*asked += of_class[i];
	int classes = 0;
	for (; classes < CLASS_COUNT && sum + of_class[classes] <= rows_max; classes++)
		sum += of_class[classes];
	return sum > 0 ? classes : CLASS_COUNT; /* not even the first: then as many as there is room for */
}

enum histree_status row_list_resources(struct row_list *list, const struct histree_draw_options *options,
				       const struct histree_resources *resources, size_t rows_max,
				       struct histree_error *error)
{
	uint32_t count;
	size_t asked;
	const struct histree_resource *all = histree_resources_list(resources, &count);
	enum histree_status status = sort_asked(list, options, error);
	if (status != HISTREE_OK)
		return status;
	int classes = choose_classes(list, options, all, count, rows_max, &asked);
	for (uint32_t i = 0; i < count && list->count < rows_max && status == HISTREE_OK; i++) {
		if (!is_asked(list, options, all[i].quark) || class_of(&all[i]) >= classes)
			continue;
		const struct picture_row row = {
			.quark = all[i].quark,
			.text = HISTREE_ROOT,
			.table = histree_labels_for(list->history, histree_resource_meaning(all[i].kind)),
			.indent = all[i].parent != HISTREE_NO_INDEX,
			.thread = HISTREE_NO_INDEX,
		};
		status = add(list, row, all[i].name, "", error);
	}
	say_which(list, asked, "resources", "CPUs first");
	return status;
}

static enum histree_status add_attribute(struct row_list *list, const struct histree_history *history,
					 histree_quark quark, struct histree_error *error)
{
	char path[256];
	const struct picture_row row = {
		.quark = quark,
		.text = HISTREE_ROOT,
		.table = histree_labels_of(history, quark),
		.thread = HISTREE_NO_INDEX,
	};
	histree_attributes_path(histree_history_attributes(history), quark, path, sizeof(path));
	return add(list, row, path, "", error);
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
					const struct histree_history *history, size_t rows_max,
					struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	size_t all = options->quarks != NULL ? options->quark_count : histree_attributes_count(attributes);
	enum histree_status status = sort_asked(list, options, error);
	for (histree_quark quark = next_in_tree(attributes, HISTREE_ROOT);
	     quark != HISTREE_ROOT && list->count < rows_max && status == HISTREE_OK;
	     quark = next_in_tree(attributes, quark))
		if (is_asked(list, options, quark))
			status = add_attribute(list, history, quark, error);
	say_which(list, all, "attributes", "the first");
	return status;
}

void row_list_release(struct row_list *list)
{
	free(list->rows);
	free(list->asked);
	arena_release(&list->texts);
	*list = (struct row_list){ 0 };
}
