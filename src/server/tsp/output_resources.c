// SPDX-License-Identifier: MIT
/*
 * output_resources.c - what each CPU and each interrupt did.
 *
 * Entry 1 is the trace.  Resource i is entry i + 2.  The interrupts of a CPU stand below the row of its status.
 */
#include "server/model/kernel_facts.h"
#include "server/model/kernel_text.h"
#include "server/tsp/arrows_reply.h"
#include "server/tsp/state_rows.h"
#include "server/tsp/style_reply.h"
#include "server/tsp/tooltip.h"
#include "server/tsp/tree_reply.h"

enum { ROOT_ID = 1, FIRST_ID = 2 };

static const struct histree_resource *find_resource(const struct kernel_view *view, int64_t id)
{
	int64_t index = id - FIRST_ID;
	return index >= 0 && index < view->resource_count ? &view->resource_list[index] : NULL;
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct kernel_view *view = context;
	struct tree_entry entry = { ROOT_ID, -1, view->start, view->end, false, false };
	if (index == 0) {
		tree_entry_begin(json, &entry);
		tree_entry_label(json, view->name, strlen(view->name));
		return true;
	}
	entry.id = (int64_t)index - 1 + FIRST_ID;
	const struct histree_resource *resource = find_resource(view, entry.id);
	if (resource == NULL)
		return false;
	entry.parent = resource->parent == HISTREE_NO_INDEX ? ROOT_ID : (int64_t)resource->parent + FIRST_ID;
	entry.has_data = true;
	tree_entry_begin(json, &entry);
	tree_entry_label(json, resource->name, strlen(resource->name));
	if (resource->cpu >= 0) {
		json_key(json, "metadata");
		json_begin_object(json);
		json_key(json, "CPU");
		json_begin_array(json);
		json_put_int(json, resource->cpu);
		json_end(json);
		json_end(json);
	}
	return true;
}

static void tree(const struct output_call *output)
{
	static const struct tree_header headers[] = { { 0 } };
	static const struct tree_source source = { headers, 1, write_entry, NULL };
	tree_reply(output, &source, output->view);
}

static bool find_row(const void *context, int64_t id, struct state_row *out)
{
	const struct kernel_view *view = context;
	const struct histree_resource *resource = find_resource(view, id);
	*out = (struct state_row){ .id = id, .label = HISTREE_ROOT };
	if (resource == NULL)
		return id == ROOT_ID;
	out->history = view->history;
	out->row = (uint32_t)(id - FIRST_ID);
	out->quark = resource->quark;
	out->table = histree_labels_for(view->history, histree_resource_meaning(resource->kind));
	return true;
}

static void label(const void *context, const struct state_row *row, const struct row_state *state,
		  struct piece *text)
{
	kernel_resource_text(context, row->table, &state->value, text);
}

static void states(const struct output_call *output)
{
	static const struct state_source source = { find_row,
						    label,
						    { kernel_resource_facts, kernel_resource_text } };
	state_rows_reply(output, &source);
}

static void style(const struct output_call *output)
{
	static const enum histree_meaning meanings[] = {
		HISTREE_MEANS_CPU_STATUS, HISTREE_MEANS_TID,       HISTREE_MEANS_IRQ,
		HISTREE_MEANS_SOFT_IRQ,   HISTREE_MEANS_FREQUENCY,
	};
	static const enum histree_arrow_kind arrow = HISTREE_ARROW_MIGRATION;
	const struct kernel_view *view = output->view;
	const struct histree_label_table *tables[sizeof(meanings) / sizeof(meanings[0])];
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		tables[i] = histree_labels_for(view->history, meanings[i]);
	style_reply_with_arrows(output, tables, sizeof(tables) / sizeof(const struct histree_label_table *), &arrow,
				1);
}

/* From the CPU that a thread left to the one where it went on. */
static void arrows(const struct output_call *output)
{
	arrows_reply(output, &arrow_model_resources, output->view, FIRST_ID);
}

/* Writes the thread that has a CPU. */
static void tooltip(const struct output_call *output)
{
	const struct kernel_view *view = output->view;
	struct tooltip_request request;
	if (!tooltip_begin(output, view->start, view->end, &request))
		return;
	const struct histree_resource *asked = find_resource(view, request.item);
	struct piece text = { 0 };
	for (uint32_t i = 0; asked != NULL && asked->cpu >= 0 && i < view->resource_count; i++) {
		const struct histree_resource *resource = &view->resource_list[i];
		if (resource->kind == HISTREE_RESOURCE_CURRENT_THREAD && resource->cpu == asked->cpu)
			kernel_view_value_at(view, (struct histree_place){ .quark = resource->quark }, request.time,
					     &text);
	}
	tooltip_pair(output, "TID", &text);
	piece_release(&text);
}

const struct output output_resources = {
	.id = "org.eclipse.tracecompass.internal.analysis.os.linux.core.threadstatus.ResourcesStatusDataProvider",
	.name = "Resources",
	.description = "What each CPU and each interrupt did",
	.type = OUTPUT_TIME_GRAPH,
	.applies = kernel_view_applies,
	.make = kernel_view_make,
	.free = kernel_view_free,
	.tree = tree,
	.states = states,
	.arrows = arrows,
	.tooltip = tooltip,
	.style = style,
};
