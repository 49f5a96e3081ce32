// SPDX-License-Identifier: MIT
/*
 * output_call_stack.c - the functions that threads were in, as a flame chart.
 *
 * Entry 1 is the trace; row i of the view is entry i + 2.
 */
#include "server/model/call_view.h"
#include "server/model/state_text.h"
#include "server/tsp/state_rows.h"
#include "server/tsp/style_reply.h"
#include "server/tsp/tooltip.h"
#include "server/tsp/tree_reply.h"

enum { ROOT_ID = 1, FIRST_ID = 2 };

static const struct call_row *find_call_row(const struct call_view *view, int64_t id)
{
	int64_t index = id - FIRST_ID;
	return index >= 0 && index < view->row_count ? &view->rows[index] : NULL;
}

/* By which viewers find the rows of an event's thread. */
static void write_metadata(struct json_writer *json, const struct call_row *row)
{
	json_key(json, "metadata");
	json_begin_object(json);
	json_key(json, "TID");
	json_begin_array(json);
	json_put_int(json, row->tid);
	json_end(json);
	json_end(json);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct call_view *view = context;
	struct tree_entry entry = { ROOT_ID, -1, view->start, view->end, false, false };
	struct piece name = { 0 };
	if (index == 0) {
		tree_entry_begin(json, &entry);
		tree_entry_label(json, view->name, strlen(view->name));
		return true;
	}
	entry.id = (int64_t)index - 1 + FIRST_ID;
	const struct call_row *row = find_call_row(view, entry.id);
	if (row == NULL)
		return false;
	entry.has_data = row->depth > 0;
	entry.parent = row->depth > 0 ? (int64_t)row->thread + FIRST_ID : ROOT_ID;
	call_row_name(row, &name);
	tree_entry_begin(json, &entry);
	tree_entry_label(json, name.bytes, name.size);
	write_metadata(json, row);
	piece_release(&name);
	return true;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = {
		{ "Thread, depth", "a thread of the program, and how deep its calls are", NULL },
		{ 0 },
	};
	static const struct tree_source source = { headers, -1, write_entry, NULL };
	tree_reply(output, &source, output->view);
}

static bool find_row(const void *context, int64_t id, struct state_row *out)
{
	const struct call_view *view = context;
	const struct call_row *row = find_call_row(view, id);
	*out = (struct state_row){ .id = id, .label = HISTREE_ROOT };
	if (row == NULL || row->depth == 0)
		return id == ROOT_ID || row != NULL;
	out->row = (uint32_t)(id - FIRST_ID);
	out->history = view->history;
	out->quark = row->quark;
	return true;
}

static void states(const struct output_call *output)
{
	static const struct state_source source = { find_row, state_label, { call_facts, state_any_text } };
	state_rows_reply(output, &source);
}

static void tooltip(const struct output_call *output)
{
	const struct call_view *view = output->view;
	struct tooltip_request request;
	if (!tooltip_begin(output, view->start, view->end, &request))
		return;
	const struct call_row *row = find_call_row(view, request.item);
	struct piece text = { 0 };
	if (row != NULL) {
		call_row_name(&view->rows[row->thread], &text);
		tooltip_pair(output, "Thread", &text);
	}
	piece_release(&text);
}

static void style(const struct output_call *output)
{
	static const struct histree_label_table *const palette;
	style_reply(output, &palette, 1);
}

const struct output output_call_stack = {
	.id = "org.eclipse.tracecompass.internal.analysis.profiling.callstack.provider.CallStackDataProvider",
	.name = "Call Stack",
	.description = "The functions that threads were in, as a flame chart",
	.type = OUTPUT_TIME_GRAPH,
	.applies = call_view_applies,
	.make = call_view_make,
	.free = call_view_free,
	.tree = tree,
	.states = states,
	.tooltip = tooltip,
	.style = style,
};
