/* SPDX-License-Identifier: MIT */
/*
 * chart_view.h - the inside of a chart's view: its rows, and how they are put in order.
 */
#ifndef VIEW_CHART_VIEW_H
#define VIEW_CHART_VIEW_H

#include "base/arena.h"
#include "histree/chart_view.h"

enum { CHART_ROWS_MAX = 1 << 20, CHART_KIN_DEPTH_MAX = 256 };

struct histree_chart_view {
	struct histree_history *history; /* borrowed */
	const struct histree_chart *chart;
	struct histree_chart_row *rows;
	uint32_t count;
	size_t capacity;
	bool is_cut;
	struct arena names;
};

/* What a row says of itself while the tree is made: "" is nothing. */
struct chart_kin {
	const char *id, *above;
};

/*
 * Put rows below those of the same entry and the same parent that they name, unless that would make a ring or the
 * two are never there together; then all in the order of the tree.  `kin` has one for each row.
 */
enum histree_status chart_tree_arrange(struct histree_chart_view *view, const struct chart_kin *kin,
				       struct histree_error *error);

#endif
