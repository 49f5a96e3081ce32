/* SPDX-License-Identifier: MIT */
/*
 * attribute_section.h - write the section ATTR of a history file (attributes.h); attribute_view.h searches
 * it.
 */
#ifndef STATE_ATTRIBUTE_SECTION_H
#define STATE_ATTRIBUTE_SECTION_H

#include "histree/status.h"
#include "state/attributes.h"

/* Where the bytes go, in pieces. */
struct section_sink {
	enum histree_status (*write)(void *context, const void *bytes, size_t size, struct histree_error *error);
	void *context;
};

enum histree_status attribute_section_save(const struct attribute_tree *tree, const struct section_sink *sink,
					   struct histree_error *error);

#endif
