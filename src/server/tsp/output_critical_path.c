// SPDX-License-Identifier: MIT
/*
 * output_critical_path.c - what a thread waited for, as a time graph: a row for each thread on its critical path,
 * and arrows along it.
 *
 * The thread is that of the output's id, after a colon, or of the parameter `requested_thread`, each TID or
 * HOST/TID. Entry 1 is the trace; that of a thread has a number made of host and tid, whichever path it is on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/model/path_list.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"

enum { ENTRY_ROOT = 1, ENTRY_FIRST = 2, USUAL_PIXELS = 1000, PIXELS_MAX = 16384 };

static int64_t entry_of(size_t host, int32_t tid)
{
	return ENTRY_FIRST + (int64_t)((uint64_t)host << 32 | (uint32_t)tid);
}

/* The dataset's graph is all the view that there is. */
static enum histree_status make(struct dataset *dataset, void **view, struct histree_error *error)
{
	(void)error;
	*view = path_list_history(dataset);
	return HISTREE_OK;
}

static void free_nothing(void *view)
{
	(void)view;
}

struct path_answer {
	struct dataset *dataset; /* held */
	struct path_list list;
	bool has_list; /* a thread is chosen */
	histree_time start, end;
	int64_t *items; /* of states */
	size_t item_count, item, step;
	bool is_open; /* the object of an item has been begun */
	const struct histree_label_table *table;
};

static void answer_free(void *context)
{
	struct path_answer *answer = context;
	path_list_release(&answer->list);
	dataset_release(answer->dataset);
	free(answer->items);
	free(answer);
}

/* Returns false if it has answered that there is no such thread. */
static bool choose_thread(const struct output_call *output, struct path_place *thread, bool *is_chosen)
{
	char number[24];
	int64_t tid;
	const char *text = parameters_text(output->call, "requested_thread");
	if (text == NULL && parameters_int(output->call, "requested_thread", &tid)) {
		snprintf(number, sizeof(number), "%" PRId64, tid);
		text = number;
	}
	text = text != NULL ? text : output->analysis;
	*is_chosen = text != NULL;
	if (text == NULL || path_list_thread(output->dataset, text, thread))
		return true;
	reply_error(output->call->reply, HTTP_BAD_REQUEST, "The graph has no thread '%s'", text);
	return false;
}

/* The path between two times, cut at the history; NULL: it has answered. */
static struct path_answer *make_answer(const struct output_call *output, histree_time from, histree_time to,
				       uint32_t pixels)
{
	struct reply *reply = output->call->reply;
	struct histree_error error = { 0 };
	struct path_request request = { .pixels = pixels, .cancel = reply_cancel(reply) };
	struct path_answer *answer = reply_memory(reply, 1, sizeof(*answer));
	const struct histree_history_info *info = histree_history_info(path_list_history(output->dataset));
	if (answer == NULL)
		return NULL;
	*answer = (struct path_answer){ .dataset = dataset_hold(output->dataset),
					.list = { .is_all = true }, /* of a range outside of the trace, too */
					.start = info->start,
					.end = info->end };
	request.from = from > info->start ? from : info->start;
	request.to = to < info->end ? to : info->end;
	bool is_good = choose_thread(output, &request.thread, &answer->has_list);
	if (is_good && answer->has_list && request.from <= request.to &&
	    path_list_make(&answer->list, output->dataset, &request, &error) != HISTREE_OK) {
		reply_failure(reply, &error);
		is_good = false;
	}
	if (is_good && answer->has_list && !answer->list.is_all)
		reply->notice = "the path is longer than what is shown: ask for a shorter range";
	if (is_good)
		return answer;
	answer_free(answer);
	return NULL;
}

/* ---- tree --------------------------------------------------------------------------------------------------- */

static void write_root(const struct path_answer *answer, struct json_writer *json)
{
	const char *text =
		answer->has_list ? "Critical path" : "choose a thread: requested_thread, or an output of its own";
	const struct tree_entry root = {
		.id = ENTRY_ROOT, .parent = -1, .start = answer->start, .end = answer->end
	};
	tree_entry_begin(json, &root);
	tree_entry_label(json, text, strlen(text));
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct path_answer *answer = context;
	const struct path_list *list = &answer->list;
	if (index == 0) {
		write_root(answer, json);
		return true;
	}
	if (index > list->place_count)
		return false;
	char tid[16] = "";
	struct piece name = { 0 };
	const struct path_place *place = &list->places[index - 1];
	const char *host = path_list_host(list, place);
	const struct tree_entry entry = { .id = entry_of(place->host, place->tid),
					  .parent = ENTRY_ROOT,
					  .start = answer->start,
					  .end = answer->end,
					  .has_data = true,
					  .is_default = true };
	if (place->tid > 0)
		snprintf(tid, sizeof(tid), "%" PRId32, place->tid);
	path_list_name(list, place, &name);
	tree_entry_begin(json, &entry);
	json_begin_array_member(json, "labels");
	json_put_string(json, name.size > 0 ? name.bytes : "unknown", name.size > 0 ? name.size : 7);
	json_put_text(json, tid);
	json_put_text(json, host != NULL ? host : "");
	json_end(json);
	piece_release(&name);
	return true;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = {
		{ "Process", "the name of its program", NULL },
		{ "TID", "the number of the thread", "NUMBER" },
		{ "Host", "where it ran", NULL },
		{ 0 },
	};
	static const struct tree_source source = { headers, -1, write_entry, answer_free };
	const struct histree_history_info *info = histree_history_info(path_list_history(output->dataset));
	histree_time from = info->start, to = info->end;
	if (!parameters_range(output->call, &from, &to))
		return;
	struct path_answer *answer = make_answer(output, from, to, USUAL_PIXELS);
	if (answer != NULL)
		tree_reply(output, &source, answer);
}

/* ---- states, arrows ----------------------------------------------------------------------------------------- */

static void write_state(const struct path_answer *answer, const struct histree_path_step *step,
			struct json_writer *json)
{
	const struct histree_style *style = path_list_style(answer->table, step->state);
	const char *label = style != NULL ? style->name : NULL;
	states_put(json, step->start, step->end, style, label, label != NULL ? strlen(label) : 0, 0);
}

/* States of a row, until it is done or the piece is full; true: done. */
static bool write_row(struct path_answer *answer, struct json_writer *json)
{
	const int64_t item = answer->items[answer->item];
	if (!answer->is_open) {
		answer->is_open = true;
		answer->step = 0;
		states_begin_row(json, item);
	}
	for (; answer->step < answer->list.step_count; answer->step++) {
		const struct histree_path_step *step = &answer->list.steps[answer->step];
		if (json->piece->size >= PIECE_SIZE)
			return false;
		if (!step->is_arrow && entry_of(step->host, step->tid) == item)
			write_state(answer, step, json);
	}
	json_end(json);
	json_end(json);
	answer->is_open = false;
	return true;
}

static enum histree_status next_rows(void *context, struct json_writer *json, struct histree_error *error)
{
	(void)error;
	struct path_answer *answer = context;
	while (answer->item < answer->item_count && json->piece->size < PIECE_SIZE)
		if (write_row(answer, json))
			answer->item++;
	return answer->item < answer->item_count ? HISTREE_OK : HISTREE_END;
}

static enum histree_status next_arrows(void *context, struct json_writer *json, struct histree_error *error)
{
	(void)error;
	struct path_answer *answer = context;
	for (; answer->step < answer->list.step_count && json->piece->size < PIECE_SIZE; answer->step++) {
		const struct histree_path_step *step = &answer->list.steps[answer->step];
		if (!step->is_arrow)
			continue;
		bool is_packet = step->state == HISTREE_GRAPH_NETWORK;
		json_begin_object(json);
		json_int_member(json, "sourceId", entry_of(step->host, step->tid));
		json_int_member(json, "targetId", entry_of(step->to_host, step->to_tid));
		json_int_member(json, "start", step->start);
		json_int_member(json, "end", step->end);
		style_reference(json, is_packet ? histree_graph_state_name(step->state)
						: histree_arrow_style(HISTREE_ARROW_WAKEUP)->key);
		json_end(json);
	}
	return answer->step < answer->list.step_count ? HISTREE_OK : HISTREE_END;
}

/* The path in the times that are asked for; NULL: it has answered. */
static struct path_answer *answer_of_times(const struct output_call *output)
{
	struct parameter_times times;
	if (!parameters_times(output->call, &times))
		return NULL;
	uint32_t pixels = times.count > 2 ? (uint32_t)times.count - 1 : USUAL_PIXELS;
	struct path_answer *answer =
		make_answer(output, times.start, times.end, pixels < PIXELS_MAX ? pixels : PIXELS_MAX);
	parameter_times_release(&times);
	return answer;
}

static void states(const struct output_call *output)
{
	struct reply *reply = output->call->reply;
	struct path_answer *answer = answer_of_times(output);
	if (answer == NULL)
		return;
	if (!parameters_items(output->call, &answer->items, &answer->item_count)) {
		answer_free(answer);
		return;
	}
	answer->table = path_list_table(path_list_history(output->dataset));
	states_reply(reply, &(struct reply_steps){ next_rows, answer_free, answer });
}

static void arrows(const struct output_call *output)
{
	struct reply *reply = output->call->reply;
	struct path_answer *answer = answer_of_times(output);
	if (answer == NULL)
		return;
	reply_envelope(reply);
	json_begin_array(&reply->json);
	reply_steps(reply, &(struct reply_steps){ next_arrows, answer_free, answer });
}

static void style(const struct output_call *output)
{
	static const enum histree_arrow_kind kinds[] = { HISTREE_ARROW_WAKEUP };
	const struct histree_label_table *table = path_list_table(path_list_history(output->dataset));
	style_reply_with_arrows(output, &table, 1, kinds, 1);
}

const struct output output_critical_path = {
	.id = "org.eclipse.tracecompass.analysis.graph.core.dataprovider.CriticalPathDataProvider",
	.name = "Critical Path",
	.description = "What a thread waited for, and what that waited for in turn",
	.type = OUTPUT_TIME_GRAPH,
	.is_per_thread = true,
	.applies = path_list_applies,
	.make = make,
	.free = free_nothing,
	.tree = tree,
	.states = states,
	.arrows = arrows,
	.style = style,
};
