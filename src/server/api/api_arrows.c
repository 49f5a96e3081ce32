// SPDX-License-Identifier: MIT
/*
 * api_arrows.c - arrows between the rows of a view, for the page.
 */
#include <stdlib.h>

#include "base/error.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/arrow_set.h"

struct arrow_writer {
	struct json_writer *json;
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

/* Where a row of a source is shown. */
static uint32_t position_of(const struct arrow_writer *writer, const struct arrow_source *source, uint32_t row)
{
	uint32_t position = writer->positions[arrow_source_row(source, row)];
	if (position != HISTREE_NO_INDEX || source->model->instead == NULL)
		return position;
	return writer->positions[arrow_source_row(source, source->model->instead(source->view, row))];
}

/* Whether the chart shows any row of a source: of hosts that are folded no arrow is read. */
static bool is_shown(const void *context, const struct arrow_source *source)
{
	const struct arrow_writer *writer = context;
	bool is_shown = source->row_count == 0;
	for (uint32_t i = 0; i < source->row_count && !is_shown; i++)
		is_shown = writer->positions[source->first_row + i] != HISTREE_NO_INDEX;
	return is_shown;
}

static void write_end(const struct arrow_writer *writer, const struct arrow_source *source, const char *key,
		      const char *name_key, uint32_t row)
{
	struct piece name = { 0 };
	source->model->name(source->view, row, &name);
	json_int_member(writer->json, key, position_of(writer, source, row));
	json_string_member(writer->json, name_key, name.bytes, name.size);
	piece_release(&name);
}

static void write_arrow(const struct arrow_writer *writer, const struct arrow_source *source,
			const struct histree_arrow *arrow)
{
	uint32_t from, to;
	if (!source->model->rows(source->view, arrow, &from, &to) ||
	    position_of(writer, source, from) == HISTREE_NO_INDEX ||
	    position_of(writer, source, to) == HISTREE_NO_INDEX)
		return;
	json_begin_object(writer->json);
	json_int_member(writer->json, "kind", arrow->kind);
	write_end(writer, source, "from", "fromName", from);
	write_end(writer, source, "to", "toName", to);
	json_int_member(writer->json, "tid", arrow->tid);
	json_int_member(writer->json, "cpu", arrow->cpu);
	json_int_member(writer->json, "start", arrow->start - writer->start);
	json_int_member(writer->json, "end", arrow->end - writer->start);
	json_end(writer->json);
}

static void write_arrows(const struct arrow_writer *writer, const struct arrow_set *set)
{
	struct json_writer *json = writer->json;
	json_begin_object(json);
	json_bool_member(json, "all", set->are_all);
	json_key(json, "kinds");
	json_begin_array(json);
	for (unsigned kind = 0; kind < HISTREE_ARROW_KIND_COUNT; kind++)
		api_write_style(json, histree_arrow_style((enum histree_arrow_kind)kind));
	json_end(json);
	json_key(json, "arrows");
	json_begin_array(json);
	for (size_t i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->parts[i].count; k++)
			write_arrow(writer, &set->parts[i].source, &set->parts[i].list[k]);
	json_end(json);
	json_end(json);
}

static enum histree_status answer(struct call *call, struct arrow_writer *writer, const struct page_rows *rows,
				  const struct row_order *order, const struct page_range *range,
				  struct histree_error *error)
{
	struct arrow_set set = { 0 };
	enum histree_status status = find_positions(writer, rows, order, error);
	const struct arrow_asked asked = { rows->model->arrows, rows->view, is_shown, writer };
	const struct arrow_range own = { range->from, range->to, range->pixels, reply_cancel(call->reply) };
	if (status == HISTREE_OK)
		status = arrow_set_make(&set, &asked, &own, error);
	if (status == HISTREE_OK)
		write_arrows(writer, &set);
	arrow_set_release(&set);
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
	if (page_range(call, info->start, info->end, &range) &&
	    answer(call, &writer, &rows, order.order, &range, &error) != HISTREE_OK)
		reply_failure(call->reply, &error);
	page_order_close(&order);
out:
	page_rows_close(&rows);
}
