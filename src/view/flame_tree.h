/* SPDX-License-Identifier: MIT */
/*
 * flame_tree.h - the tree of a flame graph while stacks are added to it.
 */
#ifndef VIEW_FLAME_TREE_H
#define VIEW_FLAME_TREE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/time_use.h"

/* A number of a name or a node where memory runs out. */
#define FLAME_NONE UINT32_MAX
/* That of a name that is not kept, as there are too many: its frames belong to the rest. */
#define FLAME_NO_ROOM (UINT32_MAX - 1)

struct flame_branch {
	uint32_t parent, name;
	enum histree_flame_kind kind;
	uint64_t self[HISTREE_FLAME_SIDES];
};

struct histree_flame {
	struct histree_flame_options options;
	struct intern names;
	size_t name_bytes;
	/* Each branch comes after its parent; the first one is the root. */
	struct flame_branch *branches;
	size_t branch_capacity;
	uint32_t branch_count, rest_count; /* rest_count: those among them that are the rest of another one */
	struct hash_index by_name;
	struct histree_flame_node *nodes; /* once it is finished */
	struct histree_loss losses[HISTREE_FLAME_SIDES];
	/* Of samples. */
	bool has_unit;
	char *unit; /* NULL: ns */
	char *events[HISTREE_FLAME_SIDES];
	uint32_t event_counts[HISTREE_FLAME_SIDES];
};

/* Returns the number of a name. */
uint32_t flame_name(struct histree_flame *flame, const char *bytes, size_t size);

/*
 * Returns the branch below `parent` that has this name and kind, made if it is missing, or FLAME_NONE.  If there is
 * no more room it is the rest of `parent`; below a rest, or below what is unknown, it is `parent` itself.
 */
uint32_t flame_branch(struct histree_flame *flame, uint32_t parent, enum histree_flame_kind kind, uint32_t name);

void flame_spend(struct histree_flame *flame, unsigned side, uint32_t branch, uint64_t ns);

#endif
