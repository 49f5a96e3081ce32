// SPDX-License-Identifier: MIT
/*
 * row_model_early_threads.c - the threads of a kernel in the order of their attributes, which is that in which they
 * were first seen.
 *
 * What is said of a thread is looked up when it is shown: three queries at one time each.
 */
#include "base/number_text.h"
#include "histree/query.h"
#include "server/model/kernel_rows.h"
#include "server/model/row_order.h"
#include "server/model/row_model.h"

static uint32_t count(const void *context)
{
	const struct kernel_view *view = context;
	return view->node_count;
}

/* HISTREE_ROOT: there is none. */
static histree_quark child_of(const struct kernel_view *view, uint32_t row, const char *name)
{
	histree_quark child;
	if (histree_attributes_child(histree_history_attributes(view->history), view->nodes[row], name,
				     strlen(name), &child) != HISTREE_OK)
		return HISTREE_ROOT;
	return child;
}

static void facts(const void *context, uint32_t row, struct row_facts *out)
{
	const struct kernel_view *view = context;
	histree_quark status = child_of(view, row, "Status");
	*out = (struct row_facts){
		.history = view->history,
		.quark = status != HISTREE_ROOT ? status : view->nodes[row],
		.label = child_of(view, row, "System_call"),
		.table = histree_labels_for(view->history, HISTREE_MEANS_THREAD_STATUS),
	};
}

static void describe_tid(const struct kernel_view *view, uint32_t row, struct json_writer *json)
{
	struct piece name = { 0 };
	uint64_t tid;
	piece_put_name(histree_history_attributes(view->history), view->nodes[row], &name);
	piece_put_char(&name, '\0');
	if (!name.failed && number_parse(name.bytes, &tid) && tid <= INT32_MAX)
		json_int_member(json, "tid", (int64_t)tid);
	piece_release(&name);
}

static void describe(const void *context, uint32_t row, struct json_writer *json)
{
	const struct kernel_view *view = context;
	struct histree_query *query;
	struct histree_value value;
	describe_tid(view, row, json);
	if (histree_query_create(view->history, &query, NULL) != HISTREE_OK)
		return;
	if (kernel_view_last_value(view, query, child_of(view, row, "Exec_name"), &value) &&
	    value.type == HISTREE_STRING)
		json_string_member(json, "name", value.bytes, value.size);
	struct histree_place place;
	if (histree_thread_place(histree_history_attributes(view->history), view->nodes[row], "PPID", &place) &&
	    kernel_view_last_value(view, query, place.quark, &value))
		value = histree_value_part(&value, place.part);
	else
		value = histree_null();
	if (value.type == HISTREE_INT)
		json_int_member(json, "ppid", value.int32);
	histree_query_free(query);
}

static bool matches(const void *context, uint32_t row, const char *text)
{
	(void)context;
	(void)row;
	return *text == '\0';
}

const struct row_model row_model_early_threads = {
	.name = "early threads",
	.make = kernel_view_make,
	.free = kernel_view_free,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.text = kernel_thread_text,
};
