// SPDX-License-Identifier: MIT
#include "server/model/flame_list.h"

#include "server/model/call_view.h"

/* Boxes of less than half a pixel nobody sees, even when a part of the picture is made twice as wide twice. */
enum { PARTS_OF_PIXEL = 8 };

struct histree_history *flame_list_history(const struct dataset *dataset)
{
	struct histree_history *calls = dataset_history(dataset, "ust-calls");
	if (calls == NULL)
		calls = dataset_history(dataset, "tracks");
	return calls != NULL ? calls : call_view_declared(dataset);
}

bool flame_list_applies(const struct dataset *dataset)
{
	return flame_list_history(dataset) != NULL;
}

enum histree_status flame_list_make(struct flame_list *list, const struct dataset *dataset,
				    const struct flame_request *request, struct histree_error *error)
{
	const struct histree_flame_request stacks = { .history = flame_list_history(dataset),
						      .from = request->from,
						      .to = request->to,
						      .by_thread = request->by_thread,
						      .cancel = request->cancel };
	*list = (struct flame_list){ .flame = NULL };
	enum histree_status status =
		histree_flame_create(&(struct histree_flame_options){ 0 }, &list->flame, error);
	if (status == HISTREE_OK)
		status = histree_flame_add_history(list->flame, &stacks, error);
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
