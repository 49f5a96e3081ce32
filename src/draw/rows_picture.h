/* SPDX-License-Identifier: MIT */
/*
 * rows_picture.h - the picture of rows: states as bars, flows over them.
 *
 * Flows over the rows of a picture, from the span where one was to the span where it is next.
 *
 * States over time, a row an attribute.
 */
#ifndef DRAW_ROWS_PICTURE_H
#define DRAW_ROWS_PICTURE_H

#include "draw/pictures.h"
#include "draw/row_list.h"
#include "view/view.h"

/* A zeroed one has no flows. */
struct flow_arrows {
	struct histree_arrows *arrows;
	bool are_too_many; /* to be read, or to be followed with the eye: then none is drawn */
};

/* A time and a height in the picture, such as the middle of a row. */
struct arrow_end {
	histree_time time;
	double y;
};

/* Draws one arrow, or what of it is in the chart. */
void arrow_draw(struct canvas *canvas, const struct time_axis *axis, struct arrow_end from, struct arrow_end to);

enum histree_status rows_picture(struct histree_history *history, const struct histree_draw_options *options,
				 picture_write *write, void *context, struct histree_error *error);

#endif
