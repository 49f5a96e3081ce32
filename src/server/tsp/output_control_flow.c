// SPDX-License-Identifier: MIT
/*
 * output_control_flow.c - the threads as a tree by PPID, and what each of them did (thesis 4.8.2, "PsTree").
 *
 * Entry 1 is the trace, and begins with it: viewers take the times of arrows from there.  Thread i is entry i + 2.
 */
#include <stdio.h>

#include "server/model/kernel_facts.h"
#include "server/model/kernel_threads.h"
#include "server/model/state_text.h"
#include "server/tsp/arrows_reply.h"
#include "server/tsp/state_rows.h"
#include "server/tsp/style_reply.h"
#include "server/tsp/tooltip.h"
#include "server/tsp/tree_reply.h"

enum { ROOT_ID = 1, FIRST_THREAD_ID = 2, STATUS_SYSTEM_CALL = 3 };

/* Of the tree, at first: viewers ask for the states of all rows that they show before they show any. */
enum { EXPANDED_LEVELS = 3 };

static const struct histree_thread *find_thread(const struct kernel_threads *threads, int64_t id)
{
	int64_t index = id - FIRST_THREAD_ID;
	return index >= 0 && index < threads->count ? &threads->list[index] : NULL;
}

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
static void write_metadata(struct json_writer *json, const struct histree_thread *thread)
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
	json_end(json);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct kernel_threads *threads = context;
	const struct kernel_view *view = threads->kernel;
	struct tree_entry entry = { ROOT_ID, -1, view->start, view->end, false, false };
	if (index == 0) {
		tree_entry_begin(json, &entry);
		tree_entry_label(json, view->name, strlen(view->name));
		return true;
	}
	const struct histree_thread *thread = find_thread(threads, (int64_t)index - 1 + FIRST_THREAD_ID);
	if (thread == NULL)
		return false;
	entry.id = (int64_t)index - 1 + FIRST_THREAD_ID;
	entry.parent = thread->parent == HISTREE_NO_INDEX ? ROOT_ID : (int64_t)thread->parent + FIRST_THREAD_ID;
	entry.has_data = thread->first <= thread->last;
	if (entry.has_data) {
		entry.start = thread->first;
		entry.end = thread->last;
	}
	tree_entry_begin(json, &entry);
	write_labels(json, thread);
	write_metadata(json, thread);
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
	const struct kernel_threads *threads = context;
	const struct histree_thread *thread = find_thread(threads, id);
	*out = (struct state_row){ .id = id, .label = HISTREE_ROOT };
	if (thread == NULL)
		return id == ROOT_ID;
	out->history = threads->kernel->history;
	out->row = (uint32_t)(id - FIRST_THREAD_ID);
	out->quark = thread->status;
	out->label = thread->system_call;
	out->table = histree_labels_for(out->history, HISTREE_MEANS_THREAD_STATUS);
	return true;
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
							  HISTREE_ARROW_WAKEUP };
	const struct kernel_threads *threads = output->view;
	const struct histree_label_table *table =
		histree_labels_for(threads->kernel->history, HISTREE_MEANS_THREAD_STATUS);
	style_reply_with_arrows(output, &table, 1, arrows, sizeof(arrows) / sizeof(arrows[0]));
}

/* ---- arrows, tooltip --------------------------------------------------------------------------------- */

static void arrows(const struct output_call *output)
{
	const struct kernel_threads *threads = output->view;
	arrows_reply(output, &arrow_model_threads, threads->kernel, FIRST_THREAD_ID);
}

static void tooltip(const struct output_call *output)
{
	static const struct {
		const char *attribute, *key;
	} pairs[] = { { "Current_cpu_rq", "CPU" }, { "System_call", "System call" }, { "Prio", "Priority" } };
	const struct kernel_threads *threads = output->view;
	const struct kernel_view *view = threads->kernel;
	struct tooltip_request request;
	if (!tooltip_begin(output, view->start, view->end, &request))
		return;
	const struct histree_thread *thread = find_thread(threads, request.item);
	const struct histree_attributes *attributes = histree_history_attributes(view->history);
	struct piece text = { 0 };
	for (size_t i = 0; thread != NULL && i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct histree_place place;
		text.size = 0;
		if (histree_thread_place(attributes, thread->node, pairs[i].attribute, &place))
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
	.make = kernel_threads_make,
	.free = kernel_threads_free,
	.tree = tree,
	.states = states,
	.arrows = arrows,
	.tooltip = tooltip,
	.style = style,
};
