// SPDX-License-Identifier: MIT
#include "server/model/track_arrows.h"

#include "histree/attributes.h"

bool track_arrows_apply(const struct dataset *dataset)
{
	const struct histree_store_info *store = histree_store_info(dataset->store);
	bool has_flows = false;
	for (size_t i = 0; i < store->segments_count; i++)
		has_flows = has_flows || strcmp(store->segments[i].analysis, "track-flows") == 0;
	return has_flows && dataset_history(dataset, "tracks") != NULL;
}

/* States can be shown without them. */
void track_arrows_open(struct track_arrows *arrows, struct dataset *dataset)
{
	*arrows = (struct track_arrows){ 0 };
	if (track_arrows_apply(dataset) &&
	    histree_store_segments(dataset->store, "track-flows", false, NULL, &arrows->flows, NULL) == HISTREE_OK)
		arrows->history = dataset_history(dataset, "tracks");
	else
		arrows->flows = NULL;
}

void track_arrows_close(struct track_arrows *arrows)
{
	histree_segment_store_close(arrows->flows);
}

static enum histree_status make(const void *view, const struct arrow_range *range, struct histree_arrows **out,
				struct histree_error *error)
{
	const struct track_arrows *arrows = view;
	const struct histree_history_info *info = histree_history_info(arrows->history);
	const struct histree_arrows_request request = {
		.history = arrows->history,
		.flows = arrows->flows,
		.from = range->from > info->start ? range->from : info->start,
		.to = range->to < info->end ? range->to : info->end,
		.pixels = range->pixels,
		.cancel = range->cancel,
	};
	return request.from <= request.to ? histree_arrows_create(&request, out, error) : HISTREE_OK;
}

static bool rows(const void *view, const struct histree_arrow *arrow, uint32_t *from, uint32_t *to)
{
	(void)view;
	*from = (uint32_t)arrow->from;
	*to = (uint32_t)arrow->to;
	return true;
}

/* The whole path, as a row of its own is called by its depth only. */
static void name(const void *view, uint32_t row, struct piece *name)
{
	const struct track_arrows *arrows = view;
	const struct histree_attributes *attributes = histree_history_attributes(arrows->history);
	size_t size = histree_attributes_path(attributes, row, NULL, 0);
	char *room = piece_room(name, size + 1);
	if (room != NULL)
		name->size += histree_attributes_path(attributes, row, room, size + 1);
}

const struct arrow_model arrow_model_flows = { make, rows, name, NULL };
