/* SPDX-License-Identifier: MIT */
/*
 * attribute_view.h - the attributes of a finished history: the section ATTR, searched where it lies.
 *
 * Nothing is built when it is opened.  An attribute is searched among the ranges by quark, and a child among the
 * ranges of its parent by name: each takes as many steps as the number of ranges has bits.
 */
#ifndef STATE_ATTRIBUTE_VIEW_H
#define STATE_ATTRIBUTE_VIEW_H

#include "state/attributes.h"
#include "state/history_sections.h"

struct attribute_view {
	struct histree_attributes base;
	uint8_t *bytes;
	struct text_list texts, shapes;
	struct range_table ranges;
	const uint8_t *order;
	unsigned order_width;
	struct folder_list folders; /* the owner's to fill in, from a section of their own */
};

/* Make a view without attributes. */
void attribute_view_init(struct attribute_view *view);

/*
 * Open a view of `bytes`, which were allocated; the view frees them when it is released, or at once if this fails.
 * Returns HISTREE_ERR_FORMAT if the sizes of the parts are wrong; what is in them is checked when it is asked for.
 */
enum histree_status attribute_view_open(struct attribute_view *view, uint8_t *bytes, size_t size,
					struct histree_error *error);
void attribute_view_release(struct attribute_view *view);

#endif
