/* SPDX-License-Identifier: MIT */
/*
 * flow_arrows.h - flows over the rows of a picture, from the span where one was to the span where it is next.
 */
#ifndef DRAW_FLOW_ARROWS_H
#define DRAW_FLOW_ARROWS_H

#include "draw/chart.h"
#include "histree/arrows.h"

/* A zeroed one has no flows. */
struct flow_arrows {
	struct histree_arrows *arrows;
	bool are_too_many; /* to be read, or to be followed with the eye: then none is drawn */
};

/* Finds the flows of the options that a chart of these rows can show, and says of them in the note of the rows. */
enum histree_status flow_arrows_make(struct flow_arrows *flows, struct histree_history *history,
				     const struct histree_draw_options *options, const struct chart *chart,
				     struct row_list *list, struct histree_error *error);

void flow_arrows_draw(const struct flow_arrows *flows, struct canvas *canvas, const struct chart *chart,
		      const struct row_list *list);

/* A time and a height in the picture, such as the middle of a row. */
struct arrow_end {
	histree_time time;
	double y;
};

/* Draws one arrow, or what of it is in the chart. */
void arrow_draw(struct canvas *canvas, const struct time_axis *axis, struct arrow_end from, struct arrow_end to);

void flow_arrows_release(struct flow_arrows *flows);

#endif
