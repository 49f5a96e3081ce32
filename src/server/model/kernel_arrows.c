// SPDX-License-Identifier: MIT
#include "server/model/kernel_arrows.h"

#include "server/model/kernel_text.h"
#include "server/model/kernel_threads.h"

enum histree_status kernel_arrows_make(const struct kernel_view *view, enum kernel_rows rows, histree_time from,
				       histree_time to, uint32_t pixels, struct histree_cancel cancel,
				       struct histree_arrows **out, struct histree_error *error)
{
	bool are_threads = rows == KERNEL_THREADS;
	struct histree_arrows_request request = {
		.history = view->history,
		.resources = view->resources,
		.flow = are_threads ? view->threads->flow : NULL,
		.wakeups = are_threads ? view->wakeups : NULL,
		.from = from > view->start ? from : view->start,
		.to = to < view->end ? to : view->end,
		.pixels = pixels,
		.cancel = cancel,
	};
	*out = NULL;
	return request.from <= request.to ? histree_arrows_create(&request, out, error) : HISTREE_OK;
}

/* The row of a CPU's status. */
static uint32_t find_cpu(const struct kernel_view *view, int32_t cpu)
{
	for (uint32_t i = 0; i < view->resource_count; i++)
		if (view->resource_list[i].kind == HISTREE_RESOURCE_CPU && view->resource_list[i].cpu == cpu)
			return i;
	return HISTREE_NO_INDEX;
}

bool kernel_arrow_rows(const struct kernel_view *view, enum kernel_rows rows, const struct histree_arrow *arrow,
		       uint32_t *from, uint32_t *to)
{
	bool are_threads = rows == KERNEL_THREADS;
	if ((arrow->kind == HISTREE_ARROW_MIGRATION) == are_threads)
		return false;
	*from = are_threads ? histree_control_flow_find(view->threads->flow, arrow->from, -1)
			    : find_cpu(view, arrow->from);
	*to = are_threads ? histree_control_flow_find(view->threads->flow, arrow->to, -1)
			  : find_cpu(view, arrow->to);
	return *from != HISTREE_NO_INDEX && *to != HISTREE_NO_INDEX;
}

void kernel_row_name(const struct kernel_view *view, enum kernel_rows rows, uint32_t row, struct piece *name)
{
	if (rows == KERNEL_THREADS)
		kernel_thread_label(view, view->threads->list[row].tid, name);
	else
		piece_put_text(name, view->resource_list[row].name);
}
