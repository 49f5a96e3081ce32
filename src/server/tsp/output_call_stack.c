// SPDX-License-Identifier: MIT
/*
 * output_call_stack.c - the functions that threads were in, as a flame chart.
 *
 * Of entries, host_entries.h says which is what.
 */
#include "server/model/call_view.h"
#include "server/model/state_text.h"
#include "server/tsp/host_entries.h"
#include "server/tsp/style_reply.h"
#include "server/tsp/tooltip.h"

/* By which viewers find the rows of an event's thread. */
static void write_metadata(struct json_writer *json, const struct call_row *row, const char *host)
{
	json_key(json, "metadata");
	json_begin_object(json);
	json_key(json, "TID");
	json_begin_array(json);
	json_put_int(json, row->tid);
	json_end(json);
	host_entry_metadata(json, host);
	json_end(json);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	uint32_t own;
	struct tree_entry entry;
	const struct host_view *host;
	const struct host_rows *rows = context;
	struct piece name = { 0 };
	enum host_entry kind = host_entry_begin(rows, index, json, &entry, &host, &own);
	if (kind != HOST_ENTRY_OWN)
		return kind == HOST_ENTRY_WRITTEN;
	const struct call_view *view = host->view;
	const struct call_row *row = &view->rows[own];
	entry.has_data = row->depth > 0;
	entry.parent = host_entry_id(rows, host, row->depth > 0 ? row->thread : HISTREE_NO_INDEX);
	call_row_name(row, &name);
	tree_entry_begin(json, &entry);
	tree_entry_label(json, name.bytes, name.size);
	write_metadata(json, row, host->name);
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

/* Functions have colours of the palette. */
static bool find_row(const void *context, int64_t id, struct state_row *out)
{
	bool is_there = host_entry_row(context, id, out);
	out->table = NULL;
	return is_there;
}

static void states(const struct output_call *output)
{
	static const struct state_source source = { find_row, state_label, { call_facts, state_any_text } };
	state_rows_reply(output, &source);
}

static void tooltip(const struct output_call *output)
{
	struct tooltip_request request;
	uint32_t own;
	const struct host_view *host = host_entry_tooltip(output, &request, &own);
	struct piece text = { 0 };
	if (host != NULL) {
		const struct call_view *view = host->view;
		call_row_name(&view->rows[view->rows[own].thread], &text);
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
	.make = host_calls_make,
	.free = host_rows_free,
	.tree = tree,
	.states = states,
	.tooltip = tooltip,
	.style = style,
};
