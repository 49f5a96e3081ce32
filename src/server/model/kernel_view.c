// SPDX-License-Identifier: MIT
#include "server/model/kernel_view.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/query.h"
#include "server/model/state_text.h"

struct histree_history *kernel_view_history(const struct dataset *dataset)
{
	static const char *const analyses[] = { "kernel", "kernel-compact", "kernel-tc", "kernel-2016" };
	struct histree_history *history = NULL;
	for (size_t i = 0; i < sizeof(analyses) / sizeof(analyses[0]) && history == NULL; i++)
		history = dataset_history(dataset, analyses[i]);
	return history;
}

bool kernel_view_applies(const struct dataset *dataset)
{
	return kernel_view_history(dataset) != NULL;
}

enum { NODES_AT_ONCE = 4096 };

static enum histree_status list_nodes(struct kernel_view *view, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(view->history);
	histree_quark group, last = HISTREE_ROOT;
	size_t capacity = 0, found;
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &group) != HISTREE_OK)
		return HISTREE_OK;
	do {
		if (!array_reserve(&view->nodes, &capacity, view->node_count + (size_t)NODES_AT_ONCE))
			return error_memory(error, "the threads");
		histree_quark *room = view->nodes + view->node_count;
		found = histree_attributes_children(attributes, group, last, room, NODES_AT_ONCE);
		view->node_count += (uint32_t)found;
		last = found > 0 ? room[found - 1] : HISTREE_ROOT;
	} while (found == NODES_AT_ONCE);
	return HISTREE_OK;
}

enum histree_status kernel_view_make(struct dataset *dataset, void **out, struct histree_error *error)
{
	*out = NULL;
	struct kernel_view *view = calloc(1, sizeof(*view));
	if (view == NULL)
		return error_memory(error, "a view");
	view->history = kernel_view_history(dataset);
	view->start = histree_history_info(view->history)->start;
	view->end = histree_history_info(view->history)->end;
	view->shown_from = dataset->whole != NULL ? dataset_start(dataset) : view->start;
	enum histree_status status = histree_resources_create(view->history, &view->resources, error);
	if (status == HISTREE_OK)
		status = list_nodes(view, error);
	if (status != HISTREE_OK) {
		kernel_view_free(view);
		return status;
	}
	/* States can be shown without them. */
	if (histree_store_segments(dataset->store, "wakeups", false, NULL, &view->wakeups, NULL) != HISTREE_OK)
		view->wakeups = NULL;
	view->resource_list = histree_resources_list(view->resources, &view->resource_count);
	*out = view;
	return HISTREE_OK;
}

void kernel_view_free(void *context)
{
	struct kernel_view *view = context;
	free(view->nodes);
	histree_segment_store_close(view->wakeups);
	histree_resources_free(view->resources);
	free(view);
}

/* ---- values ------------------------------------------------------------------------------------------ */

void kernel_view_value_at(const struct kernel_view *view, struct histree_place place, histree_time time,
			  struct piece *text)
{
	struct histree_query *query;
	struct histree_interval interval;
	if (place.quark == HISTREE_ROOT || histree_query_create(view->history, &query, NULL) != HISTREE_OK)
		return;
	if (histree_query_single(query, place.quark, time, &interval, NULL) == HISTREE_OK) {
		struct histree_value value = histree_value_part(&interval.value, place.part);
		state_value_text(&value, text);
	}
	histree_query_free(query);
}

bool kernel_view_last_value(const struct kernel_view *view, struct histree_query *query, histree_quark quark,
			    struct histree_value *out)
{
	struct histree_interval last;
	if (quark == HISTREE_ROOT || histree_query_single(query, quark, view->end, &last, NULL) != HISTREE_OK)
		return false;
	if (last.value.type == HISTREE_NULL && last.start > view->start &&
	    histree_query_single(query, quark, last.start - 1, &last, NULL) != HISTREE_OK)
		return false;
	*out = last.value;
	return last.value.type != HISTREE_NULL;
}

/* ---- who was where --------------------------------------------------------------------------------------- */

/* The tid in an attribute Current_thread at a time. */
static int32_t tid_at(struct histree_query *query, histree_quark quark, histree_time at)
{
	struct histree_interval who;
	bool is_known = histree_query_single(query, quark, at, &who, NULL) == HISTREE_OK;
	return is_known && who.value.type == HISTREE_INT ? who.value.int32 : -1;
}

/*
 * Of the CPUs in turn, the first whose number or thread is the one wanted; its thread and number at *tid and
 * *cpu.
 */
static bool find_current(const struct kernel_view *view, histree_time at, int32_t *tid, int32_t *cpu)
{
	struct histree_query *query;
	bool found = false;
	if (histree_query_create(view->history, &query, NULL) != HISTREE_OK)
		return false;
	for (uint32_t i = 0; i < view->resource_count && !found; i++) {
		const struct histree_resource *resource = &view->resource_list[i];
		if (resource->kind != HISTREE_RESOURCE_CURRENT_THREAD || (*cpu >= 0 && resource->cpu != *cpu))
			continue;
		int32_t who = tid_at(query, resource->quark, at);
		found = *cpu >= 0 || who == *tid;
		if (found) {
			*tid = who;
			*cpu = resource->cpu;
		}
	}
	histree_query_free(query);
	return found;
}

int32_t kernel_view_thread_on(const struct kernel_view *view, int32_t cpu, histree_time at)
{
	int32_t tid = -1;
	return cpu >= 0 && find_current(view, at, &tid, &cpu) ? tid : -1;
}

int32_t kernel_view_cpu_of(const struct kernel_view *view, int32_t tid, histree_time at)
{
	int32_t cpu = -1;
	return tid > 0 && find_current(view, at, &tid, &cpu) ? cpu : -1;
}
