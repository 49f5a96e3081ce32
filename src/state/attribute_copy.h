/* SPDX-License-Identifier: MIT */
/*
 * attribute_copy.h - attributes from one of their two forms to the other: from a finished history to a tree that
 * can be saved again, and from a tree to what is searched where it lies.
 */
#ifndef STATE_ATTRIBUTE_COPY_H
#define STATE_ATTRIBUTE_COPY_H

#include "state/attributes.h"
#include "state/attribute_view.h"

/* Copy attributes with their quarks.  Returns HISTREE_ERR_FORMAT if no tree can have them; `tree` is then empty. */
enum histree_status attribute_copy_to_tree(const struct histree_attributes *attributes, struct attribute_tree *tree,
					   struct histree_error *error);

/* On failure, `view` is without attributes. */
enum histree_status attribute_copy_to_view(const struct attribute_tree *tree, struct attribute_view *view,
					   struct histree_error *error);

#endif
