// SPDX-License-Identifier: MIT
#include "server/model/arrow_model.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/table.h"

enum histree_status arrow_model_within(struct histree_arrows_request *request, const struct arrow_range *range,
				       struct histree_arrows **out, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(request->history);
	request->from = range->from > info->start ? range->from : info->start;
	request->to = range->to < info->end ? range->to : info->end;
	request->pixels = range->pixels;
	request->work = range->work;
	return request->from <= request->to ? histree_arrows_create(request, out, error) : HISTREE_OK;
}

static enum histree_status list_sources(struct arrow_set *set, const struct arrow_asked *asked,
					struct histree_error *error)
{
	struct arrow_source source;
	size_t capacity = 0;
	for (size_t i = 0; asked->next != NULL && asked->next(asked->view, i, &source); i++) {
		if (source.model == NULL || (asked->wants != NULL && !asked->wants(asked->context, &source)))
			continue;
		if (!array_reserve(&set->parts, &capacity, set->count + 1))
			return error_memory(error, "arrows");
		set->parts[set->count++] = (struct arrow_part){ .source = source };
	}
	return HISTREE_OK;
}

enum histree_status arrow_set_make(struct arrow_set *set, const struct arrow_asked *asked,
				   const struct arrow_range *range, struct histree_error *error)
{
	*set = (struct arrow_set){ .are_all = true };
	enum histree_status status = list_sources(set, asked, error);
	struct arrow_range own = *range;
	if (set->count > 1)
		own.pixels = range->pixels / (uint32_t)set->count + 1;
	for (size_t i = 0; i < set->count && status == HISTREE_OK; i++) {
		struct arrow_part *part = &set->parts[i];
		status = part->source.model->make(part->source.view, &own, &part->arrows, error);
		if (status != HISTREE_OK || part->arrows == NULL)
			continue;
		part->list = histree_arrows_list(part->arrows, &part->count);
		set->are_all = set->are_all && histree_arrows_are_all(part->arrows);
	}
	return status;
}

void arrow_set_release(struct arrow_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		histree_arrows_free(set->parts[i].arrows);
	free(set->parts);
	*set = (struct arrow_set){ 0 };
}
