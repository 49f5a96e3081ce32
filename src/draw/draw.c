// SPDX-License-Identifier: MIT
#include "histree/draw.h"

#include "base/error.h"
#include "draw/tree_picture.h"

static bool is_size(uint32_t size)
{
	return size == 0 || (size >= HISTREE_DRAW_SIZE_MIN && size <= HISTREE_DRAW_SIZE_MAX);
}

static enum histree_status check(const struct histree_history_info *info,
				 const struct histree_draw_options *options, struct histree_error *error)
{
	if (!is_size(options->width) || !is_size(options->height))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a picture of %u x %u; each is %d to %d",
				 options->width, options->height, HISTREE_DRAW_SIZE_MIN, HISTREE_DRAW_SIZE_MAX);
	if (options->view == HISTREE_DRAW_TREE)
		return HISTREE_OK;
	if (options->from > options->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %lld to %lld", (long long)options->from,
				 (long long)options->to);
	if (options->from < info->start || options->to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "a picture from %lld to %lld; the history goes from %lld to %lld",
				 (long long)options->from, (long long)options->to, (long long)info->start,
				 (long long)info->end);
	for (size_t i = 0; i < options->quark_count; i++)
		if (options->quarks[i] >= info->attribute_count)
			return error_set(error, HISTREE_ERR_QUARK, "there is no attribute %u; the history has %u",
					 options->quarks[i], info->attribute_count);
	return HISTREE_OK;
}

enum histree_status histree_draw(struct histree_history *history, const struct histree_draw_options *options,
				 bool (*write)(void *context, const void *bytes, size_t size), void *context,
				 struct histree_error *error)
{
	enum histree_status status = check(histree_history_info(history), options, error);
	if (status != HISTREE_OK)
		return status;
	return options->view == HISTREE_DRAW_TREE ? tree_picture(history, options, write, context, error)
						  : rows_picture(history, options, write, context, error);
}

bool histree_can_draw(void)
{
	return true;
}
