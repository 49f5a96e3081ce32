// SPDX-License-Identifier: MIT
/*
 * api_path.c - the critical path of a thread in the visible range, for the page: as a panel of its own, and over
 * the rows of a view.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/path_list.h"

/* Where the rows of a view are shown. */
struct shown_rows {
	struct page_rows rows;
	struct page_order order;
	uint32_t *positions; /* by row; HISTREE_NO_INDEX: not shown; NULL: no view was asked for */
};

static enum histree_status find_positions(struct shown_rows *shown, struct histree_error *error)
{
	uint32_t count = shown->rows.model->count(shown->rows.view);
	shown->positions = malloc(((size_t)count + 1) * sizeof(*shown->positions));
	if (shown->positions == NULL)
		return error_memory(error, "a path");
	for (uint32_t row = 0; row < count; row++)
		shown->positions[row] = HISTREE_NO_INDEX;
	for (uint32_t position = 0; position < shown->order.order->count; position++)
		shown->positions[row_order_at(shown->order.order, position)] = position;
	return HISTREE_OK;
}

static int64_t position_of(const struct shown_rows *shown, const struct path_list *list,
			   const struct path_place *place)
{
	const struct row_model *model = shown->rows.model;
	if (shown->positions == NULL || model->find == NULL || place->tid <= 0)
		return -1;
	const char *host = path_list_host(list, place);
	const struct row_wanted wanted = { .tid = place->tid, .cpu = -1, .host = host != NULL ? host : "" };
	uint32_t row = model->find(shown->rows.view, &wanted);
	bool is_shown = row != HISTREE_NO_INDEX && shown->positions[row] != HISTREE_NO_INDEX;
	return is_shown ? (int64_t)shown->positions[row] : -1;
}

static void write_threads(const struct path_list *list, const struct shown_rows *shown, struct json_writer *json)
{
	json_key(json, "threads");
	json_begin_array(json);
	for (size_t i = 0; i < list->place_count; i++) {
		struct piece name = { 0 };
		const struct path_place *place = &list->places[i];
		const char *host = path_list_host(list, place);
		path_list_name(list, place, &name);
		json_begin_object(json);
		json_int_member(json, "tid", place->tid);
		json_string_member(json, "name", name.bytes, name.size);
		if (host != NULL)
			json_text_member(json, "host", host);
		json_int_member(json, "position", position_of(shown, list, place));
		json_end(json);
		piece_release(&name);
	}
	json_end(json);
}

static void write_states(const struct path_list *list, struct json_writer *json)
{
	const struct histree_label_table *table = path_list_table(list->history);
	json_key(json, "states");
	json_begin_array(json);
	for (unsigned state = 0; state < HISTREE_GRAPH_STATE_COUNT; state++) {
		const struct histree_style *style = path_list_style(table, (enum histree_graph_state)state);
		json_begin_object(json);
		json_int_member(json, "own", (int64_t)list->own_ns[state]);
		json_int_member(json, "others", (int64_t)list->others_ns[state]);
		if (style != NULL) {
			json_key(json, "style");
			api_write_style(json, style);
		}
		json_end(json);
	}
	json_end(json);
}

static void write_steps(const struct path_list *list, histree_time start, struct json_writer *json)
{
	json_key(json, "steps");
	json_begin_array(json);
	for (size_t i = 0; i < list->step_count; i++) {
		const struct histree_path_step *step = &list->steps[i];
		json_begin_array(json);
		json_put_int(json, (int64_t)path_list_place(list, step->host, step->tid));
		json_put_int(json,
			     step->is_arrow ? (int64_t)path_list_place(list, step->to_host, step->to_tid) : -1);
		json_put_int(json, step->state);
		json_put_int(json, step->start - start);
		json_put_int(json, step->end - start);
		json_end(json);
	}
	json_end(json);
}

static void answer(struct call *call, const struct dataset *dataset, const struct shown_rows *shown)
{
	struct path_request request = { .cancel = reply_cancel(call->reply) };
	struct path_list list = { 0 };
	struct page_range range;
	struct histree_error error = { 0 };
	const struct histree_store_info *info = histree_store_info(dataset->store);
	struct json_writer *json = &call->reply->json;
	if (!path_list_applies(dataset) || !path_list_thread(dataset, page_text(call, "thread"), &request.thread)) {
		reply_error(call->reply, HTTP_NOT_FOUND, "The graph has no thread '%s'", page_text(call, "thread"));
		return;
	}
	if (!page_range(call, info->start, info->end, &range))
		return;
	request.from = range.from;
	request.to = range.to;
	request.pixels = range.pixels;
	if (path_list_make(&list, dataset, &request, &error) == HISTREE_OK) {
		json_begin_object(json);
		json_bool_member(json, "all", list.is_all);
		write_states(&list, json);
		write_threads(&list, shown, json);
		write_steps(&list, info->start, json);
		json_end(json);
	} else {
		reply_failure(call->reply, &error);
	}
	path_list_release(&list);
}

void api_path(struct call *call)
{
	struct shown_rows shown = { .positions = NULL };
	struct dataset *dataset;
	struct histree_error error = { 0 };
	if (*page_text(call, "view") == '\0') {
		if (!page_dataset(call, &dataset))
			return;
		answer(call, dataset, &shown);
		dataset_release(dataset);
		return;
	}
	if (!page_rows_open(call, &shown.rows))
		return;
	if (page_order_open(call, &shown.rows, &shown.order)) {
		if (find_positions(&shown, &error) == HISTREE_OK)
			answer(call, shown.rows.dataset, &shown);
		else
			reply_failure(call->reply, &error);
		page_order_close(&shown.order);
	}
	free(shown.positions);
	page_rows_close(&shown.rows);
}
