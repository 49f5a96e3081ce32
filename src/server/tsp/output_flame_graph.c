// SPDX-License-Identifier: MIT
/*
 * output_flame_graph.c - call stacks added up, as a time graph whose axis is the accumulated time, from 0 on.
 *
 * The trees and states cover the whole trace, by thread; the parameter `selection_range`, two times of the trace,
 * selects a window instead, and `group_by` "all" combines all threads.  Each request has to repeat them.
 *
 * Entry 1 is the trace; that of a group has a number, and those of its rows the numbers after it: the same for the
 * same window.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/search.h"
#include "server/model/flame_view.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"

enum { ENTRY_ROOT = 1, ENTRY_FIRST = 2, ROWS_MAX = 1 << 20 };

static int64_t entry_of(size_t group, uint32_t row)
{
	return ENTRY_FIRST + (int64_t)group * ROWS_MAX + row;
}

/* Returns the group of an entry, and 0 in *row, or the number of a row, from 1 on; NULL: there is no such entry. */
static const struct flame_group *find_entry(const struct flame_rows *rows, int64_t entry, uint32_t *row)
{
	if (entry < ENTRY_FIRST || (uint64_t)(entry - ENTRY_FIRST) / ROWS_MAX >= rows->group_count)
		return NULL;
	const struct flame_group *group = &rows->groups[(entry - ENTRY_FIRST) / ROWS_MAX];
	*row = (uint32_t)((entry - ENTRY_FIRST) % ROWS_MAX);
	return *row <= group->row_count ? group : NULL;
}

/* ---- what is shown ------------------------------------------------------------------------------------------ */

/* A viewer of this width in pixels shows all that it can zoom into. */
static const struct flame_request whole = { .from = INT64_MIN, .to = INT64_MAX, .pixels = 1, .by_thread = true };

static void free_view(void *view)
{
	flame_rows_release(view);
	free(view);
}

/* The view: the whole trace. */
static enum histree_status output_flame_graph_make(struct dataset *dataset, void **view,
						   struct histree_error *error)
{
	struct flame_rows *rows = calloc(1, sizeof(*rows));
	if (rows == NULL)
		return error_memory(error, "a flame graph");
	enum histree_status status = flame_rows_make(rows, dataset, &whole, error);
	*view = rows;
	if (status != HISTREE_OK)
		free_view(rows);
	return status;
}

static const struct view_kind whole_kind = { flame_list_applies, output_flame_graph_make, free_view };

struct flame_answer {
	const struct flame_rows *rows; /* the view, or `own` */
	struct flame_rows own;
	struct parameter_times times;    /* of states */
	const struct flame_group *group; /* whose states are being written */
	uint32_t row, node;              /* of it */
};

static void answer_release(void *context)
{
	struct flame_answer *answer = context;
	flame_rows_release(&answer->own);
}

/* Returns false if it has answered that the parameter is not valid. */
static bool read_selection(const struct call *call, struct flame_request *request)
{
	const json_t *range = json_object_get(call->parameters, "selection_range");
	const json_t *first = json_array_get(range, 0), *second = json_array_get(range, 1);
	if (range == NULL)
		return true;
	if (json_array_size(range) != 2 || !json_is_integer(first) || !json_is_integer(second))
		return reply_error(call->reply, HTTP_BAD_REQUEST, "selection_range: not two times");
	const int64_t one = json_integer_value(first), other = json_integer_value(second);
	request->from = one < other ? one : other;
	request->to = one < other ? other : one;
	return true;
}

/* NULL: it has answered. */
static struct flame_answer *make_answer(struct call *call)
{
	struct flame_request request = whole;
	const char *group_by = parameters_text(call, "group_by");
	struct flame_answer *answer =
		read_selection(call, &request) ? reply_memory(call->reply, 1, sizeof(*answer)) : NULL;
	if (answer == NULL)
		return NULL;
	request.by_thread = group_by == NULL || strcmp(group_by, "all") != 0;
	request.work = reply_cancel(call->reply);
	const bool is_whole = request.from == INT64_MIN && request.to == INT64_MAX && request.by_thread;
	answer->rows = is_whole ? call->view : &answer->own;
	if (!is_whole &&
	    !reply_ok(call->reply, flame_rows_make(&answer->own, call->dataset, &request, &call->reply->error))) {
		answer_release(answer);
		return NULL;
	}
	if (histree_flame_loss(answer->rows->list.flame, 0).nodes > 0)
		call->reply->notice = "some stacks are unknown: the store is damaged; histree verify says where";
	return answer;
}

/* ---- tree --------------------------------------------------------------------------------------------------- */

/* Rows of a group follow it. */
static const struct flame_group *group_at(const struct flame_rows *rows, size_t index, uint32_t *row)
{
	/* Group i is entry first_row + i. */
	const size_t low = SEARCH(i, 1, rows->group_count, rows->groups[i].first_row + i <= index) - 1;
	*row = (uint32_t)(index - rows->groups[low].first_row - low);
	return &rows->groups[low];
}

static const char *name_of(const struct flame_rows *rows, const struct flame_group *group)
{
	const struct histree_flame_node *node = &rows->list.nodes[group->node];
	return node->kind == HISTREE_FLAME_ROOT ? "all" : node->name;
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct flame_answer *answer = context;
	const struct flame_rows *rows = answer->rows;
	char number[16];
	uint32_t row;
	struct tree_entry entry = { .id = ENTRY_ROOT, .parent = -1, .start = 0, .is_default = true };
	if (index > rows->group_count + rows->row_count)
		return false;
	if (index == 0) {
		entry.end = (int64_t)rows->width - 1;
		tree_entry_begin(json, &entry);
		tree_entry_label(json, "Flame graph", strlen("Flame graph"));
		return true;
	}
	const struct flame_group *group = group_at(rows, index - 1, &row);
	const size_t number_of_group = (size_t)(group - rows->groups);
	entry.id = entry_of(number_of_group, row);
	entry.parent = row > 0 ? entry_of(number_of_group, 0) : ENTRY_ROOT;
	entry.end = (int64_t)rows->list.nodes[group->node].total[0] - 1;
	entry.has_data = row > 0;
	snprintf(number, sizeof(number), "%" PRIu32, row - 1);
	const char *label = row > 0 ? number : name_of(rows, group);
	tree_entry_begin(json, &entry);
	tree_entry_label(json, label, strlen(label));
	return true;
}

static void tree(struct call *call)
{
	static const struct tree_header headers[] = {
		{ "Thread, depth", "a thread of the program, and how deep its calls are", NULL },
		{ 0 },
	};
	static const struct tree_source source = { headers, -1, write_entry, answer_release };
	struct flame_answer *answer = make_answer(call);
	if (answer != NULL)
		tree_reply(call, &source, answer);
}

/* ---- states ------------------------------------------------------------------------------------------------- */

/* Of unknown groups and rows there is no answer. */
static enum histree_status go_to_row(void *context, int64_t item, struct histree_error *error)
{
	(void)error;
	struct flame_answer *answer = context;
	answer->group = find_entry(answer->rows, item, &answer->row);
	answer->node = answer->group != NULL ? answer->group->node : 0;
	return answer->group != NULL ? HISTREE_OK : HISTREE_NOT_FOUND;
}

static enum histree_status next_state(void *context, struct shown_state *out, struct histree_error *error)
{
	(void)error;
	struct flame_answer *answer = context;
	const struct flame_rows *rows = answer->rows;
	while (answer->row > 0 && (answer->node = flame_rows_next(rows, answer->group, answer->row - 1,
								  answer->node)) != HISTREE_NO_INDEX) {
		const struct histree_flame_node *node = &rows->list.nodes[answer->node];
		const uint64_t start = rows->starts[answer->node];
		answer->node += node->descendants + 1;
		/* Whether a time is asked for that lies in the node. */
		const size_t low = SEARCH(i, 0, answer->times.count,
					  answer->times.times[i] < 0 || (uint64_t)answer->times.times[i] < start);
		if (!(low < answer->times.count && (uint64_t)answer->times.times[low] - start < node->total[0]))
			continue;
		const bool is_frame = node->kind == HISTREE_FLAME_FRAME;
		const struct histree_value name = is_frame ? histree_string(node->name) : histree_unknown();
		*out = (struct shown_state){
			.start = (int64_t)start,
			.end = (int64_t)(start + node->total[0]),
			.style = histree_style_of(NULL, &name),
			.label = node->name,
			.label_size = strlen(node->name),
		};
		return HISTREE_OK;
	}
	return HISTREE_END;
}

static void states(struct call *call)
{
	static const struct states_source source = { go_to_row, next_state, answer_release };
	struct parameter_times times;
	int64_t *items;
	size_t item_count;
	if (!parameters_times(call, &times) || !parameters_items(call, &items, &item_count))
		return;
	struct flame_answer *answer = make_answer(call);
	if (answer == NULL)
		return;
	answer->times = times;
	states_reply(call, &source, answer, items, item_count);
}

/* ---- tooltip, style ----------------------------------------------------------------------------------------- */

static void write_duration(struct call *call, const char *key, uint64_t ns, uint64_t of)
{
	char text[TIME_TEXT_SIZE];
	struct byte_buffer words = { 0 };
	time_format_duration(ns, text);
	byte_buffer_format(&words, "%s", text);
	if (of > 0)
		byte_buffer_format(&words, ", %.2f %%", 100.0 * (double)ns / (double)of);
	tooltip_pair(call, key, &words);
	byte_buffer_release(&words);
}

static void tooltip(struct call *call)
{
	uint32_t row;
	struct tooltip_request request;
	struct flame_answer *answer = make_answer(call);
	if (answer == NULL)
		return;
	const struct flame_rows *rows = answer->rows;
	if (tooltip_begin(call, 0, INT64_MAX, &request)) {
		const struct flame_group *group = find_entry(rows, request.item, &row);
		const uint32_t at = group != NULL && row > 0
					    ? flame_rows_at(rows, group, row - 1, (uint64_t)request.time)
					    : HISTREE_NO_INDEX;
		if (at != HISTREE_NO_INDEX) {
			const struct histree_flame_node *node = &rows->list.nodes[at];
			const uint64_t all = rows->list.nodes[group->node].total[0];
			struct byte_buffer name = { 0 };
			byte_buffer_put_chars(&name, node->name);
			tooltip_pair(call, "Function", &name);
			write_duration(call, "Total time", node->total[0], all);
			write_duration(call, "Self time", node->self[0], all);
			byte_buffer_release(&name);
		}
	}
	answer_release(answer);
}

static void style(struct call *call)
{
	static const struct histree_label_table *const palette;
	style_reply(call, &palette, 1);
}

const struct output output_flame_graph = {
	.id = "org.eclipse.tracecompass.analysis.profiling.core.flamegraph",
	.name = "Flame Graph",
	.description = "How long threads were in each function, with who called it; the axis is time added up",
	.type = OUTPUT_GANTT_CHART,
	.view = &whole_kind,
	.tree = tree,
	.states = states,
	.tooltip = tooltip,
	.style = style,
};
