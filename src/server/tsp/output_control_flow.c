// SPDX-License-Identifier: MIT
/*
 * output_control_flow.c - the threads as a tree by PPID, and what each of them did (thesis 4.8.2, "PsTree").
 *
 * Of entries, host_entries.h says which is what.
 */
#include <stdio.h>

#include "server/model/kernel_rows.h"
#include "server/model/state_text.h"
#include "server/tsp/arrows_reply.h"
#include "server/tsp/host_entries.h"
#include "server/tsp/style_reply.h"
#include "server/tsp/tooltip.h"

enum { STATUS_SYSTEM_CALL = 3 };

/* Of the tree, at first: viewers ask for the states of all rows that they show before they show any. */
enum { EXPANDED_LEVELS = 3 };

/* ---- tree -------------------------------------------------------------------------------------------- */

static void write_labels(struct json_writer *json, const struct histree_thread *thread)
{
	const int32_t numbers[] = { thread->tid, thread->pid, thread->ppid };
	json_key(json, "labels");
	json_begin_array(json);
	json_put_text(json, thread->name[0] != '\0' ? thread->name : "unknown"); /* viewers draw no empty row */
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char text[16] = "";
		if (numbers[i] >= 0)
			snprintf(text, sizeof(text), "%d", numbers[i]);
		json_put_text(json, text);
	}
	json_end(json);
}

static void write_number_fact(struct json_writer *json, const char *key, int32_t number)
{
	json_key(json, key);
	json_begin_array(json);
	json_put_int(json, number);
	json_end(json);
}

/* By which viewers find the row of an event. */
static void write_metadata(struct json_writer *json, const struct histree_thread *thread, const char *host)
{
	json_key(json, "metadata");
	json_begin_object(json);
	write_number_fact(json, "TID", thread->tid);
	write_number_fact(json, "PID", thread->pid);
	write_number_fact(json, "PTID", thread->ppid);
	json_key(json, "Exec_Name");
	json_begin_array(json);
	json_put_text(json, thread->name);
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
	enum host_entry kind = host_entry_begin(rows, index, json, &entry, &host, &own);
	if (kind != HOST_ENTRY_OWN)
		return kind == HOST_ENTRY_WRITTEN;
	const struct kernel_threads *threads = host->view;
	const struct histree_thread *thread = &threads->list[own];
	entry.parent = host_entry_id(rows, host, thread->parent);
	entry.has_data = thread->first <= thread->last;
	if (entry.has_data) {
		entry.start = thread->first;
		entry.end = thread->last;
	}
	tree_entry_begin(json, &entry);
	write_labels(json, thread);
	write_metadata(json, thread, host->name);
	return true;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = {
		{ "Process", "the name of its program", NULL },
		{ "TID", "the number of the thread", "NUMBER" },
		{ "PID", "the process that it belongs to", "NUMBER" },
		{ "PTID", "the thread that made it", "NUMBER" },
		{ 0 },
	};
	static const struct tree_source source = { headers, EXPANDED_LEVELS, write_entry, NULL };
	tree_reply(output, &source, output->view);
}

/* ---- states ------------------------------------------------------------------------------------------ */

static bool find_row(const void *context, int64_t id, struct state_row *out)
{
	return host_entry_row(context, id, out);
}

static void label(const void *context, const struct state_row *row, const struct row_state *state,
		  struct piece *text)
{
	(void)context;
	(void)row;
	if (state->value.type == HISTREE_INT && state->value.int32 == STATUS_SYSTEM_CALL)
		state_value_text(&state->label, text);
}

static void states(const struct output_call *output)
{
	static const struct state_source source = { find_row, label, { kernel_thread_facts, NULL } };
	state_rows_reply(output, &source);
}

static void style(const struct output_call *output)
{
	static const enum histree_arrow_kind arrows[] = { HISTREE_ARROW_SWITCH, HISTREE_ARROW_FORK,
							  HISTREE_ARROW_WAKEUP, HISTREE_ARROW_PACKET };
	const struct histree_label_table *table =
		histree_labels_for(kernel_view_history(output->dataset), HISTREE_MEANS_THREAD_STATUS);
	style_reply_with_arrows(output, &table, 1, arrows, sizeof(arrows) / sizeof(arrows[0]));
}

/* ---- arrows, tooltip --------------------------------------------------------------------------------- */

static void arrows(const struct output_call *output)
{
	arrows_reply(output, &(struct arrow_asked){ .next = host_rows_arrows, .view = output->view },
		     HOST_ENTRIES_FIRST);
}

static void tooltip(const struct output_call *output)
{
	static const struct {
		const char *attribute, *key;
	} pairs[] = { { "Current_cpu_rq", "CPU" }, { "System_call", "System call" }, { "Prio", "Priority" } };
	struct tooltip_request request;
	uint32_t own;
	const struct host_view *host = host_entry_tooltip(output, &request, &own);
	struct piece text = { 0 };
	for (size_t i = 0; host != NULL && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct kernel_threads *threads = host->view;
		const struct kernel_view *view = threads->kernel;
		const struct histree_attributes *attributes = histree_history_attributes(view->history);
		struct histree_place place;
		text.size = 0;
		if (histree_thread_place(attributes, threads->list[own].node, pairs[i].attribute, &place))
			kernel_view_value_at(view, place, request.time, &text);
		tooltip_pair(output, pairs[i].key, &text);
	}
	piece_release(&text);
}

const struct output output_control_flow = {
	.id = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus.ThreadStatusDataProvider",
	.name = "Control Flow",
	.description = "What each thread did, as a tree of processes",
	.type = OUTPUT_TIME_GRAPH,
	.applies = kernel_view_applies,
	.make = host_threads_make,
	.free = host_rows_free,
	.tree = tree,
	.states = states,
	.arrows = arrows,
	.tooltip = tooltip,
	.style = style,
};
