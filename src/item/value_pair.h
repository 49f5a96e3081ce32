/* SPDX-License-Identifier: MIT */
/*
 * value_pair.h - two ints that change together as one string: "3/20", "-/20" if the first is null, "3/?" if the
 * second is unknown.  A pair of nulls is null, a pair of unknowns unknown.  histree_value_part() takes it apart.
 */
#ifndef ITEM_VALUE_PAIR_H
#define ITEM_VALUE_PAIR_H

#include "histree/value.h"

enum { VALUE_PAIR_SIZE = 24 }; /* two ints and a slash */

/* Returns the pair of two values, each an int, null or unknown.  Its bytes are those of `text`. */
struct histree_value value_pair(struct histree_value first, struct histree_value second,
				char text[static VALUE_PAIR_SIZE]);

#endif
