// SPDX-License-Identifier: MIT
/*
 * output_resources.c - what each CPU and each interrupt did.
 *
 * The interrupts of a CPU stand below the row of its status.  Of entries, host_entries.h says which is what.
 */
#include "server/model/kernel_rows.h"
#include "server/tsp/arrows_reply.h"
#include "server/tsp/host_entries.h"
#include "server/tsp/style_reply.h"
#include "server/tsp/tooltip.h"

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	uint32_t own;
	struct tree_entry entry;
	const struct host_view *host;
	const struct host_rows *rows = context;
	enum host_entry kind = host_entry_begin(rows, index, json, &entry, &host, &own);
	if (kind != HOST_ENTRY_OWN)
		return kind == HOST_ENTRY_WRITTEN;
	const struct kernel_view *view = host->view;
	const struct histree_resource *resource = &view->resource_list[own];
	entry.parent = host_entry_id(rows, host, resource->parent);
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
		host_entry_metadata(json, host->name);
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
	return host_entry_row(context, id, out);
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
	const struct histree_history *history = kernel_view_history(output->dataset);
	const struct histree_label_table *tables[sizeof(meanings) / sizeof(meanings[0])];
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		tables[i] = histree_labels_for(history, meanings[i]);
	style_reply_with_arrows(output, tables, sizeof(tables) / sizeof(const struct histree_label_table *), &arrow,
				1);
}

/* From the CPU that a thread left to the one where it went on. */
static void arrows(const struct output_call *output)
{
	arrows_reply(output, &(struct arrow_asked){ .next = host_rows_arrows, .view = output->view },
		     HOST_ENTRIES_FIRST);
}

/* Writes the thread that has a CPU. */
static void tooltip(const struct output_call *output)
{
	struct tooltip_request request;
	uint32_t own;
	const struct host_view *host = host_entry_tooltip(output, &request, &own);
	const struct kernel_view *view = host != NULL ? host->view : NULL;
	struct piece text = { 0 };
	for (uint32_t i = 0; view != NULL && view->resource_list[own].cpu >= 0 && i < view->resource_count; i++) {
		const struct histree_resource *resource = &view->resource_list[i];
		if (resource->kind == HISTREE_RESOURCE_CURRENT_THREAD &&
		    resource->cpu == view->resource_list[own].cpu)
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
	.make = host_resources_make,
	.free = host_rows_free,
	.tree = tree,
	.states = states,
	.arrows = arrows,
	.tooltip = tooltip,
	.style = style,
};
