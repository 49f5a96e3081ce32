// SPDX-License-Identifier: MIT
/*
 * api_arrows.c - arrows between the rows of a view, for the page.
 */
#include <stdlib.h>

#include "base/error.h"
#include "server/api/api.h"
#include "server/api/page_request.h"

struct arrow_writer {
	struct json_writer *json;
	struct arrow_source source;
	histree_time start;  /* of the store */
	uint32_t *positions; /* by row; HISTREE_NO_INDEX: it is not shown */
};

/* Where each row stands. */
static enum histree_status find_positions(struct arrow_writer *writer, const struct page_rows *rows,
					  const struct row_order *order, struct histree_error *error)
{
	uint32_t count = rows->model->count(rows->view);
	writer->positions = malloc(((size_t)count + 1) * sizeof(*writer->positions));
	if (writer->positions == NULL)
		return error_memory(error, "arrows");
	for (uint32_t row = 0; row < count; row++)
		writer->positions[row] = HISTREE_NO_INDEX;
	for (uint32_t position = 0; position < order->count; position++)
		writer->positions[row_order_at(order, position)] = position;
	return HISTREE_OK;
}

/* Where a row of the source is shown. */
static uint32_t position_of(const struct arrow_writer *writer, uint32_t row)
{
	return writer->positions[writer->source.shown_as != NULL ? writer->source.shown_as[row] : row];
}

static void write_end(const struct arrow_writer *writer, const char *key, const char *name_key, uint32_t row)
{
	struct piece name = { 0 };
	writer->source.model->name(writer->source.view, row, &name);
	json_int_member(writer->json, key, position_of(writer, row));
	json_string_member(writer->json, name_key, name.bytes, name.size);
	piece_release(&name);
}

static void write_arrow(const struct arrow_writer *writer, const struct histree_arrow *arrow)
{
	uint32_t from, to;
	if (!writer->source.model->rows(writer->source.view, arrow, &from, &to) ||
	    position_of(writer, from) == HISTREE_NO_INDEX || position_of(writer, to) == HISTREE_NO_INDEX)
		return;
	json_begin_object(writer->json);
	json_int_member(writer->json, "kind", arrow->kind);
	write_end(writer, "from", "fromName", from);
	write_end(writer, "to", "toName", to);
	json_int_member(writer->json, "tid", arrow->tid);
	json_int_member(writer->json, "cpu", arrow->cpu);
	json_int_member(writer->json, "start", arrow->start - writer->start);
	json_int_member(writer->json, "end", arrow->end - writer->start);
	json_end(writer->json);
}

static void write_arrows(const struct arrow_writer *writer, const struct histree_arrows *arrows)
{
	size_t count = 0;
	struct json_writer *json = writer->json;
	const struct histree_arrow *list = arrows != NULL ? histree_arrows_list(arrows, &count) : NULL;
	json_begin_object(json);
	json_bool_member(json, "all", arrows == NULL || histree_arrows_are_all(arrows));
	json_key(json, "kinds");
	json_begin_array(json);
	for (unsigned kind = 0; kind < HISTREE_ARROW_KIND_COUNT; kind++)
		api_write_style(json, histree_arrow_style((enum histree_arrow_kind)kind));
	json_end(json);
	json_key(json, "arrows");
	json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		write_arrow(writer, &list[i]);
	json_end(json);
	json_end(json);
}

static enum histree_status answer(struct call *call, struct arrow_writer *writer, const struct page_rows *rows,
				  const struct row_order *order, const struct page_range *range,
				  struct histree_error *error)
{
	struct histree_arrows *arrows = NULL;
	enum histree_status status = find_positions(writer, rows, order, error);
	const struct arrow_range asked = { range->from, range->to, range->pixels, reply_cancel(call->reply) };
	if (status == HISTREE_OK)
		status = arrow_source_make(&writer->source, &asked, &arrows, error);
	if (status == HISTREE_OK)
		write_arrows(writer, arrows);
	histree_arrows_free(arrows);
	free(writer->positions);
	return status;
}

void api_arrows(struct call *call)
{
	struct page_rows rows;
	struct page_order order;
	struct page_range range;
	struct histree_error error = { 0 };
	if (!page_rows_open(call, &rows))
		return;
	if (!page_order_open(call, &rows, &order))
		goto out;
	const struct histree_store_info *info = histree_store_info(rows.dataset->store);
	struct arrow_writer writer = {
		.json = &call->reply->json,
		.start = info->start,
	};
	if (rows.model->arrows != NULL)
		writer.source = rows.model->arrows(rows.view);
	if (page_range(call, info->start, info->end, &range) &&
	    answer(call, &writer, &rows, order.order, &range, &error) != HISTREE_OK)
		reply_failure(call->reply, &error);
	page_order_close(&order);
out:
	page_rows_close(&rows);
}
