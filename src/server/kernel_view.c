// SPDX-License-Identifier: MIT
#include "server/kernel_view.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "histree/query.h"
#include "server/allowed_paths.h"
#include "server/state_rows.h"

static struct histree_history *find_history(const struct dataset *dataset)
{
	struct histree_history *history = dataset_history(dataset, "kernel");
	return history != NULL ? history : dataset_history(dataset, "kernel-2016");
}

bool kernel_view_applies(const struct dataset *dataset)
{
	return find_history(dataset) != NULL;
}

/* A view without threads. */
static enum histree_status make_view(const struct dataset *dataset, struct kernel_view **out,
				     struct histree_error *error)
{
	*out = NULL;
	struct kernel_view *view = calloc(1, sizeof(*view));
	if (view == NULL)
		return error_memory(error, "a view");
	pthread_mutex_init(&view->cpu_lock, NULL);
	const struct histree_store_info *store = histree_store_info(dataset->store);
	view->history = find_history(dataset);
	view->start = histree_history_info(view->history)->start;
	view->end = histree_history_info(view->history)->end;
	view->name = path_name(store->trace_count == 1 ? store->traces[0] : store->path);
	enum histree_status status = histree_resources_create(view->history, &view->resources, error);
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

static bool is_wanted(void *context)
{
	const struct dataset *dataset = context;
	return !dataset->cancelled;
}

enum histree_status kernel_view_make(struct dataset *dataset, void **out, struct histree_error *error)
{
	struct kernel_view *view;
	*out = NULL;
	enum histree_status status = make_view(dataset, &view, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_cancel cancel = { is_wanted, dataset };
	status = histree_control_flow_create(view->history, cancel, &view->flow, error);
	if (status != HISTREE_OK) {
		kernel_view_free(view);
		return status;
	}
	view->threads = histree_control_flow_threads(view->flow, &view->thread_count);
	*out = view;
	return HISTREE_OK;
}

/* ---- early ------------------------------------------------------------------------------------------- */

enum { NODES_AT_ONCE = 4096 };

static enum histree_status list_nodes(struct kernel_view *view, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(view->history);
	histree_quark group, last = HISTREE_ROOT;
	size_t capacity = 0, found;
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &group) != HISTREE_OK)
		return HISTREE_OK;
	do {
		if (!array_reserve(&view->nodes, &capacity, view->thread_count + (size_t)NODES_AT_ONCE))
			return error_memory(error, "the threads");
		histree_quark *room = view->nodes + view->thread_count;
		found = histree_attributes_children(attributes, group, last, room, NODES_AT_ONCE);
		view->thread_count += (uint32_t)found;
		last = found > 0 ? room[found - 1] : HISTREE_ROOT;
	} while (found == NODES_AT_ONCE);
	return HISTREE_OK;
}

enum histree_status kernel_view_make_early(struct dataset *dataset, void **out, struct histree_error *error)
{
	struct kernel_view *view;
	*out = NULL;
	enum histree_status status = make_view(dataset, &view, error);
	if (status != HISTREE_OK)
		return status;
	status = list_nodes(view, error);
	if (status != HISTREE_OK) {
		kernel_view_free(view);
		return status;
	}
	*out = view;
	return HISTREE_OK;
}

/* ------------------------------------------------------------------------------------------------------ */

void kernel_view_free(void *context)
{
	struct kernel_view *view = context;
	free(view->cpu_ns);
	free(view->nodes);
	pthread_mutex_destroy(&view->cpu_lock);
	histree_segment_store_close(view->wakeups);
	histree_resources_free(view->resources);
	histree_control_flow_free(view->flow);
	free(view);
}

void kernel_view_thread_label(const struct kernel_view *view, int32_t tid, struct piece *text)
{
	if (tid == 0)
		return;
	uint32_t index = view->flow != NULL ? histree_control_flow_find(view->flow, tid, -1) : HISTREE_NO_INDEX;
	const char *name = index != HISTREE_NO_INDEX ? view->threads[index].name : "";
	piece_format(text, *name != '\0' ? "%s (%d)" : "%s%d", name, tid);
}

void kernel_view_thread_text(const void *view, enum histree_meaning meaning, const struct histree_value *value,
			     struct piece *text)
{
	(void)view;
	const struct histree_style *style = histree_style_of(meaning, value);
	if (style != NULL)
		piece_put_text(text, style->name);
}

void kernel_view_resource_text(const void *view, enum histree_meaning meaning, const struct histree_value *value,
			       struct piece *text)
{
	if (meaning == HISTREE_MEANS_TID && value->type == HISTREE_INT)
		kernel_view_thread_label(view, value->int32, text);
	else if (meaning == HISTREE_MEANS_IRQ && value->type == HISTREE_INT)
		piece_format(text, "CPU %d", value->int32);
	else if (meaning == HISTREE_MEANS_FREQUENCY && value->type == HISTREE_LONG)
		piece_format(text, "%.3f GHz", (double)value->int64 / 1e9);
}

/* ---- CPU times --------------------------------------------------------------------------------------- */

static enum histree_status add_up(const struct kernel_view *view, int64_t *cpu_ns, struct histree_error *error)
{
	struct histree_cpu_usage_request request = { .from = view->start, .to = view->end, .pixels = 1 };
	struct histree_cpu_usage *usage;
	size_t count;
	enum histree_status status = histree_cpu_usage_create(view->history, &request, &usage, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_cpu_time *times = histree_cpu_usage_times(usage, &count);
	for (size_t i = 0; i < count; i++) {
		uint32_t thread = histree_control_flow_find(view->flow, times[i].tid, -1);
		if (thread != HISTREE_NO_INDEX)
			cpu_ns[thread] = times[i].ns;
	}
	histree_cpu_usage_free(usage);
	return HISTREE_OK;
}

enum histree_status kernel_view_add_up_cpu(struct kernel_view *view, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&view->cpu_lock);
	if (view->cpu_ns == NULL) {
		int64_t *cpu_ns = calloc((size_t)view->thread_count + 1, sizeof(*cpu_ns));
		status = cpu_ns != NULL ? add_up(view, cpu_ns, error) : error_memory(error, "CPU times");
		if (status == HISTREE_OK)
			view->cpu_ns = cpu_ns;
		else
			free(cpu_ns);
	}
	pthread_mutex_unlock(&view->cpu_lock);
	return status;
}

int64_t kernel_view_cpu_ns(const struct kernel_view *view, uint32_t thread)
{
	const int64_t *cpu_ns = view->cpu_ns;
	return cpu_ns != NULL ? cpu_ns[thread] : -1;
}

/* ---- values ------------------------------------------------------------------------------------------ */

void kernel_view_value_at(const struct kernel_view *view, histree_quark quark, histree_time time,
			  struct piece *text)
{
	struct histree_query *query;
	struct histree_interval interval;
	if (quark == HISTREE_ROOT || histree_query_create(view->history, &query, NULL) != HISTREE_OK)
		return;
	if (histree_query_single(query, quark, time, &interval, NULL) == HISTREE_OK)
		state_value_text(&interval.value, text);
	histree_query_free(query);
}

/* ---- who was where --------------------------------------------------------------------------------------- */

/* The tid in an attribute Current_thread at a time. */
static int32_t tid_at(struct histree_query *query, histree_quark quark, histree_time at)
{
	struct histree_interval who;
	bool is_known = histree_query_single(query, quark, at, &who, NULL) == HISTREE_OK;
	return is_known && who.value.type == HISTREE_INT ? who.value.int32 : -1;
}

/* Of the CPUs in turn, the first whose number or thread is the one wanted; its thread and number at *tid and *cpu.
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
