// SPDX-License-Identifier: MIT
#include "server/kernel_view.h"

#include <stdlib.h>

#include "base/error.h"
#include "histree/query.h"
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

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

enum histree_status kernel_view_make(struct dataset *dataset, void **out, struct histree_error *error)
{
	*out = NULL;
	struct kernel_view *view = calloc(1, sizeof(*view));
	if (view == NULL)
		return error_memory(error, "a view");
	const struct histree_store_info *store = histree_store_info(dataset->store);
	view->history = find_history(dataset);
	view->start = histree_history_info(view->history)->start;
	view->end = histree_history_info(view->history)->end;
	view->name = last_component(store->trace_count == 1 ? store->traces[0] : store->path);
	enum histree_status status =
		histree_control_flow_create(view->history, (struct histree_cancel){ 0 }, &view->flow, error);
	if (status == HISTREE_OK)
		status = histree_resources_create(view->history, &view->resources, error);
	if (status != HISTREE_OK) {
		kernel_view_free(view);
		return status;
	}
	view->threads = histree_control_flow_threads(view->flow, &view->thread_count);
	view->resource_list = histree_resources_list(view->resources, &view->resource_count);
	*out = view;
	return HISTREE_OK;
}

void kernel_view_free(void *context)
{
	struct kernel_view *view = context;
	histree_resources_free(view->resources);
	histree_control_flow_free(view->flow);
	free(view);
}

void kernel_view_thread_label(const struct kernel_view *view, int32_t tid, struct piece *text)
{
	if (tid == 0)
		return;
	uint32_t index = histree_control_flow_find(view->flow, tid, -1);
	const char *name = index != HISTREE_NO_INDEX ? view->threads[index].name : "";
	piece_format(text, *name != '\0' ? "%s (%d)" : "%s%d", name, tid);
}

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
