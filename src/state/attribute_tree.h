/* SPDX-License-Identifier: MIT */
/*
 * attribute_tree.h - the attribute tree: grows while a history is built, and is read through attributes.h.
 *
 * Attributes are rows of one array, by quark.  A parent is always older than its children, so its quark is
 * smaller; siblings are linked in the order of their creation, which is that of their quarks.  One
 * open-addressing table finds (parent, name), where names are interned.
 *
 * Memory an attribute: 20 bytes here, 5 to 11 in the table; a name costs another 17 to 28 and its own bytes,
 * once, however many attributes have it.
 */
#ifndef STATE_ATTRIBUTE_TREE_H
#define STATE_ATTRIBUTE_TREE_H

#include "base/intern.h"
#include "histree/attributes.h"

/* So that slot counts fit 32 bits. */
enum { ATTRIBUTE_COUNT_MAX = 1 << 30 };

struct attribute {
	histree_quark parent;
	uint32_t name; /* in `names` */
	histree_quark first_child, last_child, next_sibling;
};

struct histree_attributes {
	struct intern names;
	struct attribute root; /* not an attribute: only its children count */
	struct attribute *attributes;
	size_t capacity;
	uint32_t count;
	uint32_t *slots; /* linear probing; quark + 1, 0 is free */
	uint32_t slot_mask;
};

void attribute_tree_init(struct histree_attributes *tree);
void attribute_tree_release(struct histree_attributes *tree);

/* Room for `more` attributes. */
enum histree_status attribute_tree_reserve(struct histree_attributes *tree, size_t more,
					   struct histree_error *error);

/* A new attribute; its room was reserved.  False if `parent` has a child with that name already. */
bool attribute_tree_append(struct histree_attributes *tree, histree_quark parent, uint32_t name,
			   histree_quark *out);

/* The child with that name, or the attribute at a path; created if missing.  See histree_state_child(). */
enum histree_status attribute_tree_add(struct histree_attributes *tree, histree_quark parent, const char *name,
				       size_t name_size, histree_quark *out, struct histree_error *error);
enum histree_status attribute_tree_add_path(struct histree_attributes *tree, histree_quark from, const char *path,
					    histree_quark *out, struct histree_error *error);

/*
 * The attribute behind `quark` in a walk of everything below `top`, depth first, parents before their
 * children; the walk begins with `top` itself and is over at HISTREE_ROOT.  No recursion, however deep.
 */
histree_quark attribute_tree_next(const struct histree_attributes *tree, histree_quark top, histree_quark quark);

/* HISTREE_ERR_QUARK with a message unless `quark` is an attribute. */
enum histree_status attribute_tree_check(const struct histree_attributes *tree, histree_quark quark,
					 struct histree_error *error);

/* Put "attribute 'PATH': " before the message of an error. */
void attribute_tree_prefix(const struct histree_attributes *tree, histree_quark quark, struct histree_error *error);

#endif
