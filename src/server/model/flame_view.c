// SPDX-License-Identifier: MIT
/*
 * flame_view.c - flame graphs as rows.
 */
#include "server/model/flame_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "histree/time_use.h"
#include "server/catalogue/dataset.h"

/* ---- flame list ---------------------------------------------------------------------------------------------- */

static const char samples[] = "samples", stacks[] = "sample-stacks";

/* Boxes of less than half a pixel cannot be seen, even when a part of the picture is made twice as wide twice. */
enum { PARTS_OF_PIXEL = 8 };

bool flame_list_applies(const struct dataset *dataset)
{
	return dataset->stacks != NULL ||
	       (dataset_has_segments(dataset, samples) && dataset_has_segments(dataset, stacks));
}

static enum histree_status add_calls(struct histree_flame *flame, const struct dataset *dataset,
				     const struct flame_request *request, struct histree_error *error)
{
	const struct histree_flame_request calls = { .history = dataset->stacks,
						     .from = request->from,
						     .to = request->to,
						     .by_thread = request->by_thread,
						     .work = request->work };
	return histree_flame_add_history(flame, &calls, error);
}

/* Those of the event that has most of them. */
static enum histree_status add_samples(struct histree_flame *flame, const struct dataset *dataset,
				       const struct flame_request *request, struct histree_error *error)
{
	struct histree_flame_samples_request wanted = {
		.query = HISTREE_SEGMENTS_ALL,
		.group = request->by_thread ? HISTREE_FLAME_BY_THREAD : HISTREE_FLAME_TOGETHER,
	};
	wanted.query.from = request->from;
	wanted.query.to = request->to;
	wanted.query.work = request->work;
	enum histree_status status =
		histree_store_segments(dataset->store, samples, true, NULL, &wanted.samples, error);
	if (status == HISTREE_OK)
		status = histree_store_segments(dataset->store, stacks, true, NULL, &wanted.stacks, error);
	if (status == HISTREE_OK)
		status = histree_flame_add_samples(flame, &wanted, error);
	histree_segment_store_close(wanted.samples);
	histree_segment_store_close(wanted.stacks);
	return status;
}

enum histree_status flame_list_make(struct flame_list *list, const struct dataset *dataset,
				    const struct flame_request *request, struct histree_error *error)
{
	*list = (struct flame_list){ .flame = NULL };
	enum histree_status status =
		histree_flame_create(&(struct histree_flame_options){ 0 }, &list->flame, error);
	if (status == HISTREE_OK)
		status = dataset->stacks != NULL ? add_calls(list->flame, dataset, request, error)
						 : add_samples(list->flame, dataset, request, error);
	/* A trace without a call has an empty graph. */
	if (status == HISTREE_OK || status == HISTREE_NOT_FOUND)
		status = histree_flame_finish(list->flame, error);
	if (status != HISTREE_OK)
		return status;
	list->nodes = histree_flame_nodes(list->flame, &list->count);
	list->least = list->nodes[0].total[0] / request->pixels / PARTS_OF_PIXEL;
	return HISTREE_OK;
}

void flame_list_release(struct flame_list *list)
{
	histree_flame_free(list->flame);
	*list = (struct flame_list){ .flame = NULL };
}

/* ---- flame rows ---------------------------------------------------------------------------------------------- */

/* Siblings follow each other in the order of the list, from where their caller begins. */
static bool place_nodes(struct flame_rows *rows)
{
	const struct flame_list *list = &rows->list;
	uint64_t *ends = calloc(list->count, sizeof(*ends)); /* of the children so far */
	rows->starts = calloc(list->count, sizeof(*rows->starts));
	if (ends == NULL || rows->starts == NULL) {
		free(ends);
		return false;
	}
	for (uint32_t i = 1; i < list->count; i++) {
		const struct histree_flame_node *node = &list->nodes[i];
		if (node->kind != HISTREE_FLAME_GROUP) {
			rows->starts[i] = ends[node->parent];
			ends[node->parent] += node->total[0];
		}
		ends[i] = rows->starts[i];
	}
	free(ends);
	return true;
}

static void add_group(struct flame_rows *rows, uint32_t number)
{
	const struct histree_flame_node *node = &rows->list.nodes[number];
	/* What is no group stands for itself: stacks of unknown threads. */
	const bool holds = node->kind == HISTREE_FLAME_GROUP || node->kind == HISTREE_FLAME_ROOT;
	struct flame_group group = {
		.node = number, .top = node->depth + holds, .row_count = holds ? 0 : 1, .first_row = rows->row_count
	};
	for (uint32_t i = 1; i <= node->descendants; i++) {
		const uint32_t row_count = node[i].depth - group.top + 1;
		group.row_count = row_count > group.row_count ? row_count : group.row_count;
	}
	rows->row_count += group.row_count;
	rows->width = node->total[0] > rows->width ? node->total[0] : rows->width;
	rows->groups[rows->group_count++] = group;
}

static bool add_groups(struct flame_rows *rows, bool by_thread)
{
	const struct histree_flame_node *nodes = rows->list.nodes;
	size_t count = by_thread ? 0 : 1;
	for (uint32_t i = 1; by_thread && i < rows->list.count; i += nodes[i].descendants + 1)
		count++;
	rows->groups = calloc(count + 1, sizeof(*rows->groups));
	if (rows->groups == NULL)
		return false;
	if (!by_thread)
		add_group(rows, 0);
	for (uint32_t i = 1; by_thread && i < rows->list.count; i += nodes[i].descendants + 1)
		add_group(rows, i);
	return true;
}

enum histree_status flame_rows_make(struct flame_rows *rows, const struct dataset *dataset,
				    const struct flame_request *request, struct histree_error *error)
{
	*rows = (struct flame_rows){ .starts = NULL };
	enum histree_status status = flame_list_make(&rows->list, dataset, request, error);
	if (status == HISTREE_OK && (!place_nodes(rows) || !add_groups(rows, request->by_thread)))
		status = error_memory(error, "a flame graph");
	return status;
}

void flame_rows_release(struct flame_rows *rows)
{
	flame_list_release(&rows->list);
	free(rows->starts);
	free(rows->groups);
	*rows = (struct flame_rows){ .starts = NULL };
}

uint32_t flame_rows_next(const struct flame_rows *rows, const struct flame_group *group, uint32_t row,
			 uint32_t node)
{
	const struct histree_flame_node *nodes = rows->list.nodes;
	const uint32_t end = group->node + nodes[group->node].descendants + 1;
	const uint32_t depth = group->top + row;
	while (node < end && nodes[node].depth != depth)
		node += nodes[node].depth > depth ? nodes[node].descendants + 1 : 1;
	return node < end ? node : HISTREE_NO_INDEX;
}

uint32_t flame_rows_at(const struct flame_rows *rows, const struct flame_group *group, uint32_t row, uint64_t place)
{
	const struct histree_flame_node *nodes = rows->list.nodes;
	uint32_t at = flame_rows_next(rows, group, row, group->node);
	while (at != HISTREE_NO_INDEX && place - rows->starts[at] >= nodes[at].total[0])
		at = flame_rows_next(rows, group, row, at + nodes[at].descendants + 1);
	return at;
}
