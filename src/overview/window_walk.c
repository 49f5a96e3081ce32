// SPDX-License-Identifier: MIT
#include "overview/window_walk.h"

#include <stdlib.h>

#include "base/error.h"

/* What could not be read came as unknown, which the history does not say. */
static enum histree_status check_whole(const struct window_walk *walk, struct histree_error *error)
{
	if (histree_query_stats(walk->query).nodes_damaged == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s' is damaged: build it again", walk->path);
}

/*
 * Windows are as long as what is in them lets them be.  Each attribute has a state in a window, however short that
 * is.  `ahead` is how far the last ns of a window is from its first: all of time is 2^64 ns.
 */
static enum histree_status walk_windows(struct window_walk *walk, const histree_quark *quarks,
					enum histree_status (*take)(void *context, struct overview_window *window,
								    struct histree_error *error),
					void *context, struct histree_error *error)
{
	const struct histree_history_info *of = histree_history_info(histree_query_history(walk->query));
	struct overview_window *window = &walk->window;
	size_t enough = walk->states_in_window + walk->choice->count;
	uint64_t whole = (uint64_t)of->end - (uint64_t)of->start;
	uint64_t ahead = whole / (walk->choice->states / enough + 1);
	enum histree_status status = HISTREE_OK;
	window->from = of->start;
	while (status == HISTREE_OK) {
		uint64_t left = (uint64_t)of->end - (uint64_t)window->from;
		window->to = (histree_time)((uint64_t)window->from + (left < ahead ? left : ahead));
		status = overview_progress_show(walk->progress, 1 - (double)left / ((double)whole + 1), error);
		if (status == HISTREE_OK)
			status = overview_window_read(window, walk->query, walk->choice, quarks,
						      ahead > 0 ? 2 * enough : SIZE_MAX, error);
		if (status == HISTREE_PARTIAL) {
			ahead /= 2;
			status = HISTREE_OK;
			continue;
		}
		if (status == HISTREE_OK)
			status = check_whole(walk, error);
		if (status == HISTREE_OK)
			status = take(context, window, error);
		if (window->to == of->end)
			break;
		window->from = window->to + 1;
		if (window->state_count < enough / 2)
			ahead = ahead < whole / 2 ? 2 * ahead + 1 : whole;
	}
	return status;
}

enum histree_status window_walk(struct window_walk *walk,
				enum histree_status (*take)(void *context, struct overview_window *window,
							    struct histree_error *error),
				void *context, struct histree_error *error)
{
	histree_quark *quarks = malloc(((size_t)walk->choice->count + 1) * sizeof(*quarks));
	if (quarks == NULL)
		return error_memory(error, "an overview");
	for (uint32_t i = 0; i < walk->choice->count; i++)
		quarks[i] = walk->choice->condensed[i].source;
	enum histree_status status = walk_windows(walk, quarks, take, context, error);
	free(quarks);
	return status;
}
