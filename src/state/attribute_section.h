/* SPDX-License-Identifier: MIT */
/*
 * attribute_section.h - the names of a finished history, section ATTR: written, searched in place, and copied into
 * a tree that grows.
 *
 * Nothing is built when a section is opened.  An attribute is searched among the ranges by quark, and a child
 * among the ranges of its parent by name: each takes as many steps as the number of ranges has bits.
 */
#ifndef STATE_ATTRIBUTE_SECTION_H
#define STATE_ATTRIBUTE_SECTION_H

#include "histree/status.h"
#include "state/attributes.h"
#include "state/history_sections.h"

/* Where the bytes go, in pieces. */
struct section_sink {
	enum histree_status (*write)(void *context, const void *bytes, size_t size, struct histree_error *error);
	void *context;
};

enum histree_status attribute_section_save(const struct attribute_tree *tree, const struct section_sink *sink,
					   struct histree_error *error);

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

/* Copy attributes with their quarks.  Returns HISTREE_ERR_FORMAT if no tree can have them; `tree` is then empty. */
enum histree_status attribute_copy_to_tree(const struct histree_attributes *attributes, struct attribute_tree *tree,
					   struct histree_error *error);

/*
 * The same of the wanted ones, by quark, and of those above them, which become folders; NULL: of all.  quarks[q] is
 * then the quark of attribute q in the tree, in the same order, or HISTREE_ROOT; it has room for all.
 */
enum histree_status attribute_copy_some(const struct histree_attributes *attributes, const bool *wanted,
					struct attribute_tree *tree, histree_quark *quarks,
					struct histree_error *error);

/* On failure, `view` is without attributes. */
enum histree_status attribute_copy_to_view(const struct attribute_tree *tree, struct attribute_view *view,
					   struct histree_error *error);

#endif
