/* SPDX-License-Identifier: MIT */
/*
 * variant.h - what differs between the trees of the papers, and nothing else.
 *
 * Insertion, descent, closing, caching and verification exist once, in the other files of this folder.  A variant
 * is a row of the table in variant_table.c; every test then runs on it too.  No other file asks which variant it
 * has before it.
 *
 * Which children a query visits is not a function here: bounds that a variant does not keep are read as the widest
 * possible (node.h), so that one rule, "the bounds meet the query", serves all.
 */
#ifndef TREE_VARIANT_H
#define TREE_VARIANT_H

#include <stdbool.h>

#include "node/node.h"

struct leaf_source;

/* What the depth of the next R-tree may depend on. */
struct variant_shape {
	uint32_t r_depth;        /* of the R-trees so far */
	uint32_t r_depth_asked;  /* the option of the user */
	uint32_t nodes_asked;    /* that a single query is to read at most; 0: no target */
	uint32_t height;         /* h: of the tree so far */
	uint32_t fan_out;        /* c */
	uint64_t key_count;      /* A: attributes so far */
	uint64_t node_intervals; /* n: intervals that a node holds on average */
};

/* What the leaves of a tree hold, and how. */
enum variant_leaves {
	LEAVES_OF_ROWS,
	LEAVES_OF_COLUMNS,
	LEAVES_OF_SEGMENTS,
};

struct tree_variant {
	const char *name; /* as in -t */
	uint32_t id;      /* in the file: never changed, never used again */
	const char *summary;

	uint32_t child_bounds; /* what a parent keeps of a child: enum node_child_bounds, combined by or */
	enum variant_leaves leaves;
	const struct leaf_source *source; /* what makes them (leaf_source.h) */
	histree_time end_max;             /* the last time at which a tree may end */

	/* Every file has the section LIFE (lifetimes.h); those of other variants have it if they need it. */
	bool has_lifetimes;
	bool leaves_out_nulls; /* before and after the lifetimes of keys, by default */

	/* Returns where a new branch starts that is made for an interval that starts at `start`. */
	histree_time (*branch_start)(histree_time start, histree_time tree_end);

	/* Returns the levels of the next R-tree.  NULL, and a default of 0: the variant has no R-trees. */
	uint32_t (*r_depth)(const struct variant_shape *shape);
	uint32_t r_depth_default;
	bool r_grows; /* the R-trees to come may be deeper than those so far */

	/* Defaults of options; 0: those of all variants. */
	uint32_t node_size_default, fan_out_default;
	size_t memory_default;

	/*
	 * The most threads for which a tree has work: the caller's, those of its source of leaves, and the
	 * inserter.
	 */
	uint32_t threads_max;

	/* Checks the rule of siblings: returns a sentence if it is broken, else NULL.  NULL: there is no rule. */
	const char *(*check_siblings)(const struct node_child *before, const struct node_child *after);
};

/* Every variant of a history, ended by NULL. */
extern const struct tree_variant *const tree_variants[];

/* The variant of segment stores.  No history has it. */
extern const struct tree_variant variant_segments;

/* Returns the variant of a history with this name, or NULL if there is no such variant. */
const struct tree_variant *tree_variant_by_name(const char *name);

/* Returns the variant of a history or of segment stores with this id, or NULL if there is no such variant. */
const struct tree_variant *tree_variant_by_id(uint32_t id);

/* Returns what nodes of a tree look like; see node_layout(). */
struct node_layout tree_variant_layout(const struct tree_variant *variant, uint32_t node_size, uint32_t fan_out);

#endif
