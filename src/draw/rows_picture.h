/* SPDX-License-Identifier: MIT */
/*
 * rows_picture.h - states over time, a row an attribute.
 */
#ifndef DRAW_ROWS_PICTURE_H
#define DRAW_ROWS_PICTURE_H

#include "histree/draw.h"

typedef bool picture_write(void *context, const void *bytes, size_t size);

enum histree_status rows_picture(struct histree_history *history, const struct histree_draw_options *options,
				 picture_write *write, void *context, struct histree_error *error);

#endif
