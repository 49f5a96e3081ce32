/* SPDX-License-Identifier: MIT */
/*
 * variant.h - what differs between the trees of the papers, and nothing else.
 *
 * Insertion, descent, closing, caching and verification exist once, in the other files of this folder.  A
 * new variant is one file variant_*.c and one line in variant.c; every test then runs on it too.
 *
 * Which children a query visits is not a function here: bounds that a variant does not keep are read as the
 * widest possible (node.h), so that one rule, "the bounds meet the query", serves all.
 */
#ifndef TREE_VARIANT_H
#define TREE_VARIANT_H

#include <stdbool.h>

#include "node/node.h"

/* What the depth of the next R-tree may depend on. */
struct variant_shape {
	uint32_t r_depth;       /* of now */
	uint32_t r_depth_asked; /* the option of the user */
	uint32_t fan_out;
	uint64_t key_count;      /* A: attributes so far */
	uint64_t node_intervals; /* n: intervals that a node holds on average */
};

struct tree_variant {
	const char *name; /* as in -t */
	uint32_t id;      /* in the file: never changed, never used again */
	const char *summary;

	uint32_t child_bounds; /* or of enum node_child_bounds: what a parent keeps of a child */

	/* Where a new branch starts that is made for an interval that starts at `start`. */
	histree_time (*branch_start)(histree_time start, histree_time tree_end);

	/*
	 * Levels of R-trees, built from a buffer below the branch; NULL: no buffer, the branch reaches the
	 * leaves.
	 */
	uint32_t (*r_depth)(const struct variant_shape *shape);
	uint32_t r_depth_default; /* of the option */

	/*
	 * Leaves are of columns, made in batches (cluster.h), and nulls at the ends of a life are left out
	 * (lives.h).
	 */
	bool clusters;

	/* Holds segments instead of states: no variant of a history, and not in the list of them. */
	bool segments;

	/* Of the options; 0: those of all variants. */
	uint32_t node_size_default, fan_out_default;
	size_t memory_default;

	/* A rule that siblings keep, for verify: NULL if there is none, else a sentence when it is broken. */
	const char *(*check_siblings)(const struct node_child *before, const struct node_child *after);
};

extern const struct tree_variant variant_sht, variant_osht, variant_esht, variant_rsht, variant_vrsht,
	variant_cluster, variant_segments;

/* Every variant of a history, ended by NULL. */
extern const struct tree_variant *const tree_variants[];

const struct tree_variant *tree_variant_by_name(const char *name);
/* Also the one of segments. */
const struct tree_variant *tree_variant_by_id(uint32_t id);

/* oSHT and all after it: the branch starts with the interval that asked for it, and siblings overlap. */
histree_time variant_overlapping_start(histree_time start, histree_time tree_end);

#endif
