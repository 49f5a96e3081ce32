// SPDX-License-Identifier: MIT
/*
 * api_arrows.c - arrows between the rows of a view, for the page.
 */
#include "server/api.h"
#include "server/kernel_arrows.h"
#include "server/page_request.h"

static void write_arrow(struct json_writer *json, const struct kernel_view *view, enum kernel_rows rows,
			const struct histree_arrow *arrow)
{
	uint32_t from, to;
	if (!kernel_arrow_rows(view, rows, arrow, &from, &to))
		return;
	json_begin_object(json);
	json_int_member(json, "kind", arrow->kind);
	json_int_member(json, "from", from);
	json_int_member(json, "to", to);
	json_int_member(json, "tid", arrow->tid);
	json_int_member(json, "cpu", arrow->cpu);
	json_int_member(json, "start", arrow->start - view->start);
	json_int_member(json, "end", arrow->end - view->start);
	json_end(json);
}

static void write_arrows(struct json_writer *json, const struct kernel_view *view, enum kernel_rows rows,
			 const struct histree_arrows *arrows)
{
	size_t count = 0;
	const struct histree_arrow *list = arrows != NULL ? histree_arrows_list(arrows, &count) : NULL;
	json_begin_object(json);
	json_bool_member(json, "all", arrows == NULL || histree_arrows_are_all(arrows));
	json_key(json, "kinds");
	json_begin_array(json);
	for (unsigned kind = 0; kind < HISTREE_ARROW_KIND_COUNT; kind++)
		api_write_style(json, histree_arrow_style((enum histree_arrow_kind)kind));
	json_end(json);
	json_key(json, "arrows");
	json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		write_arrow(json, view, rows, &list[i]);
	json_end(json);
	json_end(json);
}

/* Views that are not of a kernel have no arrows. */
void api_arrows(struct call *call)
{
	struct page_rows rows;
	struct page_range range;
	struct histree_arrows *arrows = NULL;
	struct histree_error error = { 0 };
	if (!page_rows_open(call, &rows))
		return;
	const struct kernel_view *view = rows.model->has_arrows ? rows.view : NULL;
	const struct histree_store_info *info = histree_store_info(rows.dataset->store);
	enum kernel_rows which = rows.model == &row_model_threads ? KERNEL_THREADS : KERNEL_RESOURCES;
	if (!page_range(call, info->start, info->end, &range))
		goto out;
	if (view != NULL && kernel_arrows_make(view, which, range.from, range.to, range.pixels,
					       reply_cancel(call->reply), &arrows, &error) != HISTREE_OK)
		reply_failure(call->reply, &error);
	else
		write_arrows(&call->reply->json, view, which, arrows);
out:
	histree_arrows_free(arrows);
	page_rows_close(&rows);
}
