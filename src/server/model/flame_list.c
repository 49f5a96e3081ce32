// SPDX-License-Identifier: MIT
#include "server/model/flame_list.h"

#include <string.h>

#include "server/model/call_view.h"

static const char samples[] = "samples", stacks[] = "sample-stacks";

/* Boxes of less than half a pixel nobody sees, even when a part of the picture is made twice as wide twice. */
enum { PARTS_OF_PIXEL = 8 };

struct histree_history *flame_list_history(const struct dataset *dataset)
{
	struct histree_history *calls = dataset_history(dataset, "ust-calls");
	if (calls == NULL)
		calls = dataset_history(dataset, "tracks");
	return calls != NULL ? calls : call_view_declared(dataset);
}

static bool has_segments(const struct histree_store_info *info, const char *analysis)
{
	for (size_t i = 0; i < info->segments_count; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			return true;
	return false;
}

static bool has_samples(const struct dataset *dataset)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	return has_segments(info, samples) && has_segments(info, stacks);
}

bool flame_list_applies(const struct dataset *dataset)
{
	return flame_list_history(dataset) != NULL || has_samples(dataset);
}

static enum histree_status add_calls(struct histree_flame *flame, const struct dataset *dataset,
				     const struct flame_request *request, struct histree_error *error)
{
	const struct histree_flame_request calls = { .history = flame_list_history(dataset),
						     .from = request->from,
						     .to = request->to,
						     .by_thread = request->by_thread,
						     .cancel = request->cancel };
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
	wanted.query.cancel = request->cancel;
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
		status = flame_list_history(dataset) != NULL ? add_calls(list->flame, dataset, request, error)
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
