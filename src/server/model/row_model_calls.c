// SPDX-License-Identifier: MIT
/*
 * row_model_calls.c - the threads of an instrumented program, each followed by the depths of its stack.
 */
#include "server/model/call_view.h"
#include "server/model/row_model.h"
#include "server/model/state_text.h"

static uint32_t count(const void *context)
{
	const struct call_view *view = context;
	return view->row_count;
}

static void facts(const void *context, uint32_t index, struct row_facts *out)
{
	const struct call_view *view = context;
	const struct call_row *row = &view->rows[index];
	*out = (struct row_facts){
		.history = view->history,
		.quark = row->quark,
		.label = HISTREE_ROOT,
		.table = histree_labels_of(view->history, row->quark),
		.depth = row->depth > 0,
		.descendants = row->below,
	};
}

static void describe(const void *context, uint32_t index, struct json_writer *json)
{
	const struct call_view *view = context;
	struct piece name = { 0 };
	call_row_name(&view->rows[index], &name);
	json_string_member(json, "name", name.bytes, name.size);
	json_int_member(json, "ofThread", view->rows[index].tid);
	piece_release(&name);
}

/* With a thread come its depths. */
static bool matches(const void *context, uint32_t index, const char *text)
{
	const struct call_view *view = context;
	struct piece name = { 0 };
	call_row_name(&view->rows[view->rows[index].thread], &name);
	bool contains = row_text_contains(name.bytes, name.size, text);
	piece_release(&name);
	return contains;
}

static uint32_t find(const void *context, const struct row_wanted *wanted)
{
	const struct call_view *view = context;
	for (uint32_t i = 0; wanted->tid >= 0 && i < view->row_count; i += view->rows[i].below + 1)
		if (view->rows[i].tid == wanted->tid)
			return i;
	return HISTREE_NO_INDEX;
}

const struct row_model row_model_calls = {
	.name = "calls",
	.title = "Call Stack",
	.applies = call_view_applies,
	.history = call_view_history,
	.make = call_view_make,
	.free = call_view_free,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.find = find,
	.text = state_any_text,
	.kind = { call_facts, state_any_text },
};
