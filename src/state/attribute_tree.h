/* SPDX-License-Identifier: MIT */
/*
 * attribute_tree.h - the attribute tree as it grows while a history is built.
 *
 * Attributes are rows of one array, by quark.  A parent is always older than its children, so its quark is
 * smaller; siblings are linked in the order of their creation, which is that of their quarks.  The children of
 * most attributes are few, and are found by going through them; where they are more, a hash index finds them by
 * (parent, name).
 *
 * Memory an attribute: 20 bytes here; 5 to 11 in the index if it has many siblings.  A name that is no number costs
 * another 17 to 28 and its own bytes, once, however many attributes have it.
 */
#ifndef STATE_ATTRIBUTE_TREE_H
#define STATE_ATTRIBUTE_TREE_H

#include "base/hash_index.h"
#include "base/arena.h"
#include "state/attributes.h"

/* In `name`: the rest is a number, not the id of a text. */
#define ATTRIBUTE_IS_NUMBER (UINT32_C(1) << 31)

struct attribute {
	histree_quark parent;
	uint32_t name; /* in `texts`, or a number */
	histree_quark first_child, next_sibling;
	uint32_t last_child : 30; /* if there is a first one */
	uint32_t is_folder : 1;   /* it has no states, for good */
	uint32_t is_indexed : 1;  /* its children are in the index, because they are many */
};

/* Ids count up mostly: a child that is named by a greater number than all others is new, and need not be sought. */
struct counted_family {
	histree_quark parent;
	/* The greatest number among the names of its children, as struct attribute has it; 0: no numbers */
	uint32_t greatest;
};

enum { COUNTED_FAMILIES = 4 };

struct attribute_tree {
	struct histree_attributes base;
	struct intern texts;
	struct attribute root; /* not an attribute: only its children count */
	struct attribute *attributes;
	size_t capacity;
	struct table table;         /* of `attributes` */
	struct hash_index children; /* of those with many siblings, by parent and name */
	/* The first families that are in the index. */
	struct counted_family counted[COUNTED_FAMILIES];
	unsigned counted_count;
};

void attribute_tree_init(struct attribute_tree *tree);

/* Have the memory from this space.  The tree is empty yet. */
void attribute_tree_use_space(struct attribute_tree *tree, struct table_space *space);

void attribute_tree_release(struct attribute_tree *tree);

/*
 * Find the child with that name, or the attribute at a path, and create it if missing.  See histree_state_child().
 */
enum histree_status attribute_tree_add(struct attribute_tree *tree, histree_quark parent, const char *name,
				       size_t name_size, histree_quark *out, struct histree_error *error);
enum histree_status attribute_tree_add_path(struct attribute_tree *tree, histree_quark from, const char *path,
					    histree_quark *out, struct histree_error *error);

/* The attribute has no states, for good. */
void attribute_tree_make_folder(struct attribute_tree *tree, histree_quark quark);

/* Returns the name of an attribute of the tree. */
struct attribute_name attribute_tree_name(const struct attribute_tree *tree, histree_quark quark);

#endif
