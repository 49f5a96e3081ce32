// SPDX-License-Identifier: MIT
/*
 * kernel_arrows.c - the arrows of the views of a kernel: their rows are indexes of threads or of resources.
 *
 * Asking for the arrows of threads makes their tree.
 */
#include "server/model/arrow_model.h"
#include "server/model/kernel_rows.h"

static enum histree_status make(const struct kernel_view *view, const struct arrow_range *range,
				struct histree_arrows_request *request, struct histree_arrows **out,
				struct histree_error *error)
{
	request->history = view->history;
	request->resources = view->resources;
	request->from = range->from > view->start ? range->from : view->start;
	request->to = range->to < view->end ? range->to : view->end;
	request->pixels = range->pixels;
	request->cancel = range->cancel;
	return request->from <= request->to ? histree_arrows_create(request, out, error) : HISTREE_OK;
}

/* ---- threads ---------------------------------------------------------------------------------------------- */

static enum histree_status make_of_threads(const void *context, const struct arrow_range *range,
					   struct histree_arrows **out, struct histree_error *error)
{
	const struct kernel_view *view = context;
	struct histree_arrows_request request = { .flow = view->threads->flow, .wakeups = view->wakeups };
	return make(view, range, &request, out, error);
}

static bool rows_of_threads(const void *context, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	const struct kernel_view *view = context;
	if (arrow->kind == HISTREE_ARROW_MIGRATION)
		return false;
	*from = histree_control_flow_find_at(view->threads->flow, arrow->from, -1, arrow->start);
	*to = histree_control_flow_find_at(view->threads->flow, arrow->to, -1, arrow->end);
	return *from != HISTREE_NO_INDEX && *to != HISTREE_NO_INDEX;
}

static void name_of_thread(const void *context, uint32_t row, struct piece *name)
{
	const struct kernel_view *view = context;
	const struct histree_thread *thread = &view->threads->list[row];
	kernel_thread_label(view, thread->tid, thread->from, name);
}

const struct arrow_model arrow_model_threads = { make_of_threads, rows_of_threads, name_of_thread, NULL };

/* ---- resources -------------------------------------------------------------------------------------------- */

static enum histree_status make_of_resources(const void *view, const struct arrow_range *range,
					     struct histree_arrows **out, struct histree_error *error)
{
	return make(view, range, &(struct histree_arrows_request){ 0 }, out, error);
}

/* The row of a CPU's status. */
static uint32_t find_cpu(const struct kernel_view *view, int32_t cpu)
{
	for (uint32_t i = 0; i < view->resource_count; i++)
		if (view->resource_list[i].kind == HISTREE_RESOURCE_CPU && view->resource_list[i].cpu == cpu)
			return i;
	return HISTREE_NO_INDEX;
}

static bool rows_of_resources(const void *view, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	if (arrow->kind != HISTREE_ARROW_MIGRATION)
		return false;
	*from = find_cpu(view, arrow->from);
	*to = find_cpu(view, arrow->to);
	return *from != HISTREE_NO_INDEX && *to != HISTREE_NO_INDEX;
}

static void name_of_resource(const void *context, uint32_t row, struct piece *name)
{
	const struct kernel_view *view = context;
	piece_put_text(name, view->resource_list[row].name);
}

const struct arrow_model arrow_model_resources = { make_of_resources, rows_of_resources, name_of_resource, NULL };
