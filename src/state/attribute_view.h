/* SPDX-License-Identifier: MIT */
/*
 * attribute_view.h - the attributes of a finished history: the section ATTR, searched where it lies.
 *
 * Nothing is built when it is opened.  An attribute is a search among the ranges by quark, a child by name one
 * among those of its parent in the order of names: as many steps as the number of ranges has bits.
 */
#ifndef STATE_ATTRIBUTE_VIEW_H
#define STATE_ATTRIBUTE_VIEW_H

#include "state/attribute_reader.h"
#include "state/attributes.h"

struct attribute_view {
	struct histree_attributes base;
	uint8_t *bytes;
	struct text_list texts, shapes;
	struct range_table ranges;
	const uint8_t *order;
	unsigned order_width;
};

/* Without attributes. */
void attribute_view_init(struct attribute_view *view);

/*
 * The view takes `bytes`, which were allocated, and frees them when it is released; if it fails, at once.
 * HISTREE_ERR_FORMAT says what is wrong with the sizes of the parts; what is in them is checked when it is
 * asked for.
 */
enum histree_status attribute_view_open(struct attribute_view *view, uint8_t *bytes, size_t size,
					struct histree_error *error);
void attribute_view_release(struct attribute_view *view);

#endif
