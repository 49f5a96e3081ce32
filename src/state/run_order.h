/* SPDX-License-Identifier: MIT */
/*
 * run_order.h - the runs of a section ATTR in the order in which a child is searched by its name.
 *
 * By parent.  Of one parent the first is its oldest run, where a walk of the children begins; the others follow by
 * the name of their first head.
 */
#ifndef STATE_RUN_ORDER_H
#define STATE_RUN_ORDER_H

#include "base/bits.h"
#include "state/attribute_tree.h"

/* The numbers of the runs, which begin with these heads.  False when memory is out. */
bool run_order_pack(const struct attribute_tree *tree, const histree_quark *heads, uint32_t count,
		    struct bit_buffer *out);

#endif
