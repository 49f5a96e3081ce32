// SPDX-License-Identifier: MIT
#include "histree/draw.h"

#include "base/error.h"
#include "draw/canvas.h"
#include "draw/lines_picture.h"
#include "draw/tree_picture.h"

static enum histree_status check(const struct histree_history_info *info,
				 const struct histree_draw_options *options, struct histree_error *error)
{
	enum histree_status status = picture_size_check(options->width, options->height, error);
	if (status != HISTREE_OK)
		return status;
	if (options->view == HISTREE_DRAW_TREE)
		return HISTREE_OK;
	if (options->view == HISTREE_DRAW_CHART && options->chart == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a picture of a chart without its name");
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

static enum histree_status draw_flame(struct histree_history *history, const struct histree_draw_options *options,
				      picture_write *write, void *context, struct histree_error *error)
{
	struct histree_flame *flame;
	const struct histree_flame_request request = { .history = history,
						       .quarks = options->quarks,
						       .quark_count = options->quark_count,
						       .from = options->from,
						       .to = options->to,
						       .cancel = options->cancel };
	const struct histree_draw_flame_options picture = { .format = options->format,
							    .theme = options->theme,
							    .width = options->width,
							    .height = options->height,
							    .title = options->title };
	enum histree_status status = histree_flame_create(&(struct histree_flame_options){ 0 }, &flame, error);
	if (status == HISTREE_OK)
		status = histree_flame_add_history(flame, &request, error);
	if (status == HISTREE_OK)
		status = histree_flame_finish(flame, error);
	if (status == HISTREE_OK)
		status = histree_draw_flame(flame, &picture, write, context, error);
	histree_flame_free(flame);
	return status;
}

static enum histree_status draw_chart(struct histree_history *history, const struct histree_draw_options *options,
				      picture_write *write, void *context, struct histree_error *error)
{
	const struct histree_chart *chart = histree_chart_find(history, options->chart);
	return chart != NULL && chart->kind == HISTREE_CHART_STATES
		       ? rows_picture(history, options, write, context, error)
		       : lines_picture(history, options, write, context, error);
}

enum histree_status histree_draw(struct histree_history *history, const struct histree_draw_options *options,
				 bool (*write)(void *context, const void *bytes, size_t size), void *context,
				 struct histree_error *error)
{
	enum histree_status status = check(histree_history_info(history), options, error);
	if (status != HISTREE_OK)
		return status;
	switch (options->view) {
	case HISTREE_DRAW_TREE:
		return tree_picture(history, options, write, context, error);
	case HISTREE_DRAW_FLAME:
		return draw_flame(history, options, write, context, error);
	case HISTREE_DRAW_CHART:
		return draw_chart(history, options, write, context, error);
	default:
		return rows_picture(history, options, write, context, error);
	}
}

bool histree_can_draw(void)
{
	return true;
}
