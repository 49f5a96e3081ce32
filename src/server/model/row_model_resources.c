// SPDX-License-Identifier: MIT
/*
 * row_model_resources.c - CPUs, each followed by its interrupts, and the interrupts of all of them.
 */
#include "server/model/kernel_rows.h"
#include "server/model/row_model.h"

static uint32_t count(const void *context)
{
	const struct kernel_view *view = context;
	return view->resource_count;
}

/* What is below a resource follows it at once. */
static uint32_t descendants(const struct kernel_view *view, uint32_t row)
{
	uint32_t next = row + 1;
	while (next < view->resource_count && view->resource_list[next].parent == row)
		next++;
	return next - row - 1;
}

static void facts(const void *context, uint32_t row, struct row_facts *out)
{
	const struct kernel_view *view = context;
	const struct histree_resource *resource = &view->resource_list[row];
	*out = (struct row_facts){
		.history = view->history,
		.quark = resource->quark,
		.label = HISTREE_ROOT,
		.table = histree_labels_for(view->history, histree_resource_meaning(resource->kind)),
		.depth = resource->parent != HISTREE_NO_INDEX,
		.descendants = descendants(view, row),
	};
}

static void describe(const void *context, uint32_t row, struct json_writer *json)
{
	const struct kernel_view *view = context;
	json_text_member(json, "name", view->resource_list[row].name);
	if (view->resource_list[row].cpu >= 0)
		json_int_member(json, "onCpu", view->resource_list[row].cpu);
}

static bool matches(const void *context, uint32_t row, const char *text)
{
	const struct kernel_view *view = context;
	const char *name = view->resource_list[row].name;
	return row_text_contains(name, strlen(name), text);
}

/* Finds the row of the CPU that a thread had. */
static uint32_t find(const void *context, const struct row_wanted *wanted)
{
	const struct kernel_view *view = context;
	int32_t cpu = wanted->cpu >= 0 ? wanted->cpu : kernel_view_cpu_of(view, wanted->tid, wanted->at);
	for (uint32_t i = 0; cpu >= 0 && i < view->resource_count; i++)
		if (view->resource_list[i].kind == HISTREE_RESOURCE_CPU && view->resource_list[i].cpu == cpu)
			return i;
	return HISTREE_NO_INDEX;
}

static bool arrows(const void *view, size_t index, struct arrow_source *out)
{
	*out = (struct arrow_source){ .model = &arrow_model_resources, .view = view };
	return index == 0;
}

const struct row_model row_model_resources = {
	.name = "resources",
	.title = "Resources",
	.applies = kernel_view_applies,
	.has_arrows = kernel_view_applies,
	.history = kernel_view_history,
	.make = kernel_view_make,
	.free = kernel_view_free,
	.count = count,
	.facts = facts,
	.describe = describe,
	.matches = matches,
	.find = find,
	.arrows = arrows,
	.text = kernel_resource_text,
	.kind = { kernel_resource_facts, kernel_resource_text },
};
