/* SPDX-License-Identifier: MIT */
/*
 * lines_picture.h - numbers over time: the lines of a chart that matter most, with an axis of numbers.
 */
#ifndef DRAW_LINES_PICTURE_H
#define DRAW_LINES_PICTURE_H

#include "draw/rows_picture.h"

enum histree_status lines_picture(struct histree_history *history, const struct histree_draw_options *options,
				  picture_write *write, void *context, struct histree_error *error);

#endif
