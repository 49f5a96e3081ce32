// SPDX-License-Identifier: MIT
/*
 * output_critical_path.c - what a thread waited for, as a time graph: a row for each thread on its critical path,
 * and arrows along it.
 *
 * The thread is that of the output's id, after a colon, or of the parameter `requested_thread`, each TID or
 * HOST/TID. Entry 1 is the trace; the entry of a thread has a number made from host and tid, the same on every
 * path.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/model/path_list.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"

enum { ENTRY_ROOT = 1, ENTRY_FIRST = 2, TREE_PIXELS = 1000, PIXELS_MAX = 16384 };

static int64_t entry_of(size_t host, int32_t tid)
{
	return ENTRY_FIRST + (int64_t)((uint64_t)host << 32 | (uint32_t)tid);
}

struct path_answer {
	struct path_list list;
	bool has_list; /* a thread is chosen */
	histree_time start, end;
	int64_t item; /* whose states are being written */
	size_t step;
	const struct histree_label_table *table;
};

static void answer_release(void *context)
{
	struct path_answer *answer = context;
	path_list_release(&answer->list);
}

/* Returns false if it has answered that there is no such thread. */
static bool choose_thread(struct call *call, struct path_place *thread, bool *is_chosen)
{
	char number[24];
	int64_t tid;
	const char *text = parameters_text(call, "requested_thread");
	if (text == NULL && parameters_int(call, "requested_thread", &tid)) {
		snprintf(number, sizeof(number), "%" PRId64, tid);
		text = number;
	}
	text = text != NULL ? text : call->part;
	*is_chosen = text != NULL;
	if (text == NULL || path_list_thread(call->dataset, text, thread))
		return true;
	return reply_error(call->reply, HTTP_BAD_REQUEST, "The graph has no thread '%s'", text);
}

/* The path between two times, cut at the history; NULL: it has answered. */
static struct path_answer *make_answer(struct call *call, histree_time from, histree_time to, uint32_t pixels)
{
	struct path_request request = { .pixels = pixels, .work = reply_cancel(call->reply) };
	const struct histree_history_info *info = histree_history_info(path_list_history(call->dataset));
	struct path_answer *answer = reply_memory(call->reply, 1, sizeof(*answer));
	if (answer == NULL || !choose_thread(call, &request.thread, &answer->has_list))
		return NULL;
	answer->list.is_all = true; /* of a range outside of the trace, too */
	answer->start = info->start;
	answer->end = info->end;
	request.from = from > info->start ? from : info->start;
	request.to = to < info->end ? to : info->end;
	if (answer->has_list && request.from <= request.to &&
	    !reply_ok(call->reply, path_list_make(&answer->list, call->dataset, &request, &call->reply->error))) {
		path_list_release(&answer->list);
		return NULL;
	}
	if (answer->has_list && !answer->list.is_all)
		call->reply->notice = "the path is longer than what is shown: ask for a shorter range";
	return answer;
}

/* ---- tree --------------------------------------------------------------------------------------------------- */

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct path_answer *answer = context;
	const struct path_list *list = &answer->list;
	if (index == 0) {
		const char *text = answer->has_list ? "Critical path"
						    : "choose a thread: requested_thread, or an output of its own";
		const struct tree_entry root = {
			.id = ENTRY_ROOT, .parent = -1, .start = answer->start, .end = answer->end
		};
		tree_entry_begin(json, &root);
		tree_entry_label(json, text, strlen(text));
		return true;
	}
	if (index > list->place_count)
		return false;
	char tid[16] = "";
	struct byte_buffer name = { 0 };
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
	json_put_string(json, name.size > 0 ? byte_buffer_chars(&name) : "unknown", name.size > 0 ? name.size : 7);
	json_put_text(json, tid);
	json_put_text(json, host != NULL ? host : "");
	json_end(json);
	byte_buffer_release(&name);
	return true;
}

static void tree(struct call *call)
{
	static const struct tree_header headers[] = {
		{ "Process", "the name of its program", NULL },
		{ "TID", "the number of the thread", "NUMBER" },
		{ "Host", "where it ran", NULL },
		{ 0 },
	};
	static const struct tree_source source = { headers, -1, write_entry, answer_release };
	const struct histree_history_info *info = histree_history_info(path_list_history(call->dataset));
	histree_time from = info->start, to = info->end;
	struct path_answer *answer =
		parameters_range(call, &from, &to) ? make_answer(call, from, to, TREE_PIXELS) : NULL;
	if (answer != NULL)
		tree_reply(call, &source, answer);
}

/* ---- states, arrows ----------------------------------------------------------------------------------------- */

static enum histree_status go_to_item(void *context, int64_t item, struct histree_error *error)
{
	(void)error;
	struct path_answer *answer = context;
	answer->item = item;
	answer->step = 0;
	return HISTREE_OK;
}

static enum histree_status next_state(void *context, struct shown_state *out, struct histree_error *error)
{
	(void)error;
	struct path_answer *answer = context;
	while (answer->step < answer->list.step_count) {
		const struct histree_path_step *step = &answer->list.steps[answer->step++];
		if (step->is_arrow || entry_of(step->host, step->tid) != answer->item)
			continue;
		*out = (struct shown_state){ .start = step->start, .end = step->end };
		out->style = path_list_style(answer->table, step->state);
		out->label = out->style != NULL ? out->style->name : NULL;
		out->label_size = out->label != NULL ? strlen(out->label) : 0;
		return HISTREE_OK;
	}
	return HISTREE_END;
}

static enum histree_status next_arrows(void *context, struct json_writer *json, struct histree_error *error)
{
	(void)error;
	struct path_answer *answer = context;
	for (; answer->step < answer->list.step_count && json->out->size < PIECE_SIZE; answer->step++) {
		const struct histree_path_step *step = &answer->list.steps[answer->step];
		if (step->is_arrow)
			arrow_put(json, entry_of(step->host, step->tid), entry_of(step->to_host, step->to_tid),
				  step->start, step->end,
				  step->state == HISTREE_GRAPH_NETWORK
					  ? histree_graph_state_name(step->state)
					  : histree_arrow_style(HISTREE_ARROW_WAKEUP)->key);
	}
	return answer->step < answer->list.step_count ? HISTREE_OK : HISTREE_END;
}

/* The path in the times that are asked for; NULL: it has answered. */
static struct path_answer *answer_of_times(struct call *call)
{
	struct parameter_times times;
	if (!parameters_times(call, &times))
		return NULL;
	uint32_t pixels = parameter_times_pixels(&times);
	return make_answer(call, times.start, times.end, pixels < PIXELS_MAX ? pixels : PIXELS_MAX);
}

static void states(struct call *call)
{
	static const struct states_source source = { go_to_item, next_state, answer_release };
	int64_t *items;
	size_t item_count;
	struct path_answer *answer = parameters_items(call, &items, &item_count) ? answer_of_times(call) : NULL;
	if (answer == NULL)
		return;
	answer->table = path_list_table(path_list_history(call->dataset));
	states_reply(call, &source, answer, items, item_count);
}

static void arrows(struct call *call)
{
	struct path_answer *answer = answer_of_times(call);
	if (answer != NULL)
		arrows_reply(call, &(struct reply_steps){ next_arrows, answer_release, answer });
}

static void style(struct call *call)
{
	static const enum histree_arrow_kind kinds[] = { HISTREE_ARROW_WAKEUP };
	const struct histree_label_table *table = path_list_table(path_list_history(call->dataset));
	style_reply_with_arrows(call, &table, 1, kinds, 1);
}

const struct output output_critical_path = {
	.id = "org.eclipse.tracecompass.analysis.graph.core.dataprovider.CriticalPathDataProvider",
	.name = "Critical Path",
	.description = "What a thread waited for, and what that waited for in turn",
	.type = OUTPUT_TIME_GRAPH,
	.is_per_thread = true,
	.applies = path_list_applies,
	.tree = tree,
	.states = states,
	.arrows = arrows,
	.style = style,
};
