/* SPDX-License-Identifier: MIT */
/*
 * chart_view.h - charts that analyses declare, from inside: their rows as a tree and in order, their lines.
 */
#ifndef VIEW_CHART_VIEW_H
#define VIEW_CHART_VIEW_H

#include "base/arena.h"
#include "view/view.h"

struct histree_chart_view {
	struct histree_history *history; /* borrowed */
	const struct histree_chart *chart;
	struct histree_chart_row *rows;
	uint32_t count;
	size_t capacity;
	bool is_cut;
	struct arena names;
};

#endif
