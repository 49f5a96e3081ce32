/* SPDX-License-Identifier: MIT */
/*
 * tree_picture.h - the structure of a tree, as the thesis draws it (section 3.1, figure 3.1): the root a square,
 * core nodes triangles, leaves circles, from red for an empty node to green for a full one.
 */
#ifndef DRAW_TREE_PICTURE_H
#define DRAW_TREE_PICTURE_H

#include "draw/rows_picture.h"

enum histree_status tree_picture(struct histree_history *history, const struct histree_draw_options *options,
				 picture_write *write, void *context, struct histree_error *error);

#endif
