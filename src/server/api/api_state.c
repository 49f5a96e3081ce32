// SPDX-License-Identifier: MIT
/*
 * api_state.c - one state, for whoever points at it.
 */
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/kernel_rows.h"
#include "server/model/row_order.h"
#include "server/model/state_text.h"

#include "histree/query.h"

struct pointed {
	struct page_rows rows;
	struct row_facts facts;
	uint32_t row;
	histree_time start, at; /* of the history; that is pointed at */
};

static bool find_pointed(const struct call *call, struct pointed *out)
{
	int64_t row, at;
	*out = (struct pointed){ 0 };
	if (!page_rows_open(call, &out->rows))
		return false;
	const struct histree_store_info *info = histree_store_info(out->rows.dataset->store);
	uint32_t count = out->rows.model->count(out->rows.view);
	if (!page_number(call, "row", 0, (int64_t)count - 1, -1, &row) ||
	    !page_number(call, "at", 0, info->end - info->start, -1, &at))
		return false;
	out->row = (uint32_t)row;
	out->start = info->start;
	out->at = info->start + at;
	out->rows.model->facts(out->rows.view, out->row, &out->facts);
	return true;
}

static void write_state(const struct pointed *pointed, const struct histree_interval *state,
			struct json_writer *json)
{
	struct piece text = { 0 };
	const struct histree_style *style = histree_style_of(pointed->facts.table, &state->value);
	json_int_member(json, "start", state->start - pointed->start);
	json_int_member(json, "end", state->end - pointed->start);
	state_value_text(&state->value, &text);
	json_string_member(json, "value", text.bytes, text.size);
	text.size = 0;
	row_put_text(pointed->rows.model, pointed->rows.view, &pointed->facts, &state->value, &text);
	json_string_member(json, "text", text.bytes, text.size);
	piece_release(&text);
	if (style != NULL) {
		json_key(json, "style");
		api_write_style(json, style);
	}
}

/* The values at this time of the attributes below that of the row: of a thread its system call, its CPU, ... */
static void write_others(const struct pointed *pointed, struct histree_query *query, struct json_writer *json)
{
	const struct histree_attributes *attributes = histree_history_attributes(pointed->facts.history);
	struct piece text = { 0 }, name = { 0 };
	json_key(json, "others");
	json_begin_object(json);
	histree_quark child = histree_attributes_first_child(attributes, pointed->facts.quark);
	for (int i = 0; child != HISTREE_ROOT && i < 16; i++) {
		struct histree_interval other;
		text.size = 0;
		if (histree_query_single(query, child, pointed->at, &other, NULL) == HISTREE_OK)
			state_value_text(&other.value, &text);
		if (text.size > 0) {
			piece_put_name(attributes, child, &name);
			json_key_string(json, name.bytes, name.size);
			json_put_string(json, text.bytes, text.size);
		}
		child = histree_attributes_next_sibling(attributes, child);
	}
	json_end(json);
	piece_release(&name);
	piece_release(&text);
}

void api_state(struct call *call)
{
	struct pointed pointed;
	struct histree_query *query = NULL;
	struct histree_interval state;
	struct histree_error error = { 0 };
	struct json_writer *json = &call->reply->json;
	if (!find_pointed(call, &pointed))
		goto out;
	json_begin_object(json);
	if (pointed.facts.quark != HISTREE_ROOT) {
		if (histree_query_create(pointed.facts.history, &query, &error) != HISTREE_OK ||
		    histree_query_single(query, pointed.facts.quark, pointed.at, &state, &error) != HISTREE_OK) {
			reply_failure(call->reply, &error);
			goto out;
		}
		write_state(&pointed, &state, json);
		write_others(&pointed, query, json);
	}
	pointed.rows.model->describe(pointed.rows.view, pointed.row, json);
	json_end(json);
out:
	histree_query_free(query);
	if (pointed.rows.dataset != NULL)
		page_rows_close(&pointed.rows);
}
