// SPDX-License-Identifier: MIT
#include "server/model/kernel_text.h"

#include <stdio.h>

#include "histree/query.h"
#include "server/model/kernel_threads.h"

/* Adds the label of a thread of the tree. */
static void put_listed(const struct kernel_threads *threads, int32_t tid, struct piece *text)
{
	uint32_t index = histree_control_flow_find(threads->flow, tid, -1);
	if (index != HISTREE_NO_INDEX)
		piece_put_text(text, threads->list[index].name);
}

/* From the history. */
static void put_asked(const struct kernel_view *view, int32_t tid, struct piece *text)
{
	char path[64];
	histree_quark quark;
	struct histree_value name;
	struct histree_query *query;
	snprintf(path, sizeof(path), "Threads/%d/Exec_name", tid);
	if (histree_attributes_find(histree_history_attributes(view->history), HISTREE_ROOT, path, &quark) !=
		    HISTREE_OK ||
	    histree_query_create(view->history, &query, NULL) != HISTREE_OK)
		return;
	if (kernel_view_last_value(view, query, quark, &name) && name.type == HISTREE_STRING)
		piece_put(text, name.bytes, name.size);
	histree_query_free(query);
}

void kernel_thread_label(const struct kernel_view *view, int32_t tid, struct piece *text)
{
	const struct kernel_threads *threads = view->threads;
	size_t before = text->size;
	if (tid == 0)
		return;
	if (threads != NULL)
		put_listed(threads, tid, text);
	else
		put_asked(view, tid, text);
	piece_format(text, text->size > before ? " (%d)" : "%d", tid);
}

void kernel_thread_text(const void *view, const struct histree_label_table *table,
			const struct histree_value *value, struct piece *text)
{
	(void)view;
	const struct histree_style *style = histree_style_of(table, value);
	if (style != NULL)
		piece_put_text(text, style->name);
}

void kernel_resource_text(const void *view, const struct histree_label_table *table,
			  const struct histree_value *value, struct piece *text)
{
	enum histree_meaning meaning = table != NULL ? table->meaning : HISTREE_MEANS_ANYTHING;
	if (meaning == HISTREE_MEANS_TID && value->type == HISTREE_INT)
		kernel_thread_label(view, value->int32, text);
	else if (meaning == HISTREE_MEANS_IRQ && value->type == HISTREE_INT)
		piece_format(text, "CPU %d", value->int32);
	else if (meaning == HISTREE_MEANS_FREQUENCY && value->type == HISTREE_LONG)
		piece_format(text, "%.3f GHz", (double)value->int64 / 1e9);
}
