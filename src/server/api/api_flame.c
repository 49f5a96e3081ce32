// SPDX-License-Identifier: MIT
/*
 * api_flame.c - call stacks in the visible range, added up, for the page.
 */
#include <string.h>

#include "histree/labels.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/flame_view.h"

enum { STYLES_MAX = 64 };

/* Which colours were used; those of the palette are few. */
struct styles_used {
	const struct histree_style *all[STYLES_MAX];
	size_t count;
};

static int64_t number_of(struct styles_used *styles, const struct histree_flame_node *node)
{
	const struct histree_value name =
		node->kind == HISTREE_FLAME_UNKNOWN ? histree_unknown() : histree_string(node->name);
	const struct histree_style *style = histree_style_of(NULL, &name);
	for (size_t i = 0; i < styles->count; i++)
		if (styles->all[i] == style)
			return (int64_t)i;
	if (style == NULL || node->kind == HISTREE_FLAME_REST || styles->count == STYLES_MAX)
		return -1;
	styles->all[styles->count++] = style;
	return (int64_t)styles->count - 1;
}

static void write_nodes(const struct flame_list *list, struct styles_used *styles, struct json_writer *json)
{
	json_key(json, "nodes");
	json_begin_array(json);
	for (uint32_t i = 1; i < list->count; i++) {
		const struct histree_flame_node *node = &list->nodes[i];
		if (node->total[0] < list->least || node->total[0] == 0) {
			i += node->descendants;
			continue;
		}
		json_begin_array(json);
		json_put_text(json, node->name);
		json_put_int(json, node->depth);
		json_put_unsigned(json, node->total[0]);
		json_put_unsigned(json, node->self[0]);
		json_put_int(json, number_of(styles, node));
		json_end(json);
	}
	json_end(json);
}

static void write_styles(const struct styles_used *styles, struct json_writer *json)
{
	json_key(json, "styles");
	json_begin_array(json);
	for (size_t i = 0; i < styles->count; i++)
		api_write_style(json, styles->all[i]);
	json_end(json);
}

static void answer(struct call *call, const struct dataset *dataset)
{
	struct page_range range;
	struct flame_list list = { .flame = NULL };
	struct styles_used styles = { .count = 0 };
	struct histree_error error = { 0 };
	struct json_writer *json = &call->reply->json;
	const struct histree_store_info *info = histree_store_info(dataset->store);
	if (!flame_list_applies(dataset)) {
		reply_error(call->reply, HTTP_NOT_FOUND, "The trace has no call stacks");
		return;
	}
	if (!page_range(call, info->start, info->end, &range))
		return;
	const struct flame_request request = { .from = range.from,
					       .to = range.to,
					       .pixels = range.pixels,
					       .by_thread = strcmp(page_text(call, "by"), "thread") == 0,
					       .cancel = reply_cancel(call->reply) };
	if (flame_list_make(&list, dataset, &request, &error) == HISTREE_OK) {
		json_begin_object(json);
		json_key(json, "total");
		json_put_unsigned(json, list.nodes[0].total[0]);
		if (histree_flame_unit(list.flame) != NULL)
			json_text_member(json, "unit", histree_flame_unit(list.flame));
		json_bool_member(json, "isDamaged", histree_flame_is_damaged(list.flame, 0));
		write_nodes(&list, &styles, json);
		write_styles(&styles, json);
		json_end(json);
	} else {
		reply_failure(call->reply, &error);
	}
	flame_list_release(&list);
}

void api_flame(struct call *call)
{
	struct dataset *dataset;
	if (!page_dataset(call, &dataset))
		return;
	answer(call, dataset);
	dataset_release(dataset);
}
