// SPDX-License-Identifier: MIT
/*
 * variant_table.c - the table of variants.  A new variant is a new row; the number in a file says which row it was
 * made with.
 */
#include <math.h>
#include <string.h>

#include "node/node_builder.h"
#include "tree/leaf_source.h"
#include "tree/variant.h"

/* SHT: siblings follow one another without gap or overlap. */
static histree_time consecutive_start(histree_time start, histree_time tree_end)
{
	(void)start;
	return tree_end + 1;
}

static const char *check_consecutive(const struct node_child *before, const struct node_child *after)
{
	return after->start >= before->start ? NULL : "siblings are not in the order of time";
}

/* oSHT and all after it: a branch starts with the interval that asked for it, and siblings overlap. */
static histree_time overlapping_start(histree_time start, histree_time tree_end)
{
	(void)tree_end;
	return start;
}

/* R-SHT(r): as asked for. */
static uint32_t fixed_depth(const struct variant_shape *shape)
{
	return shape->r_depth_asked;
}

/* The nodes that a single query reads if R-trees have r levels (thesis 4.7.1, S of the R-SHT). */
static double single_query_nodes(const struct variant_shape *shape, uint32_t r)
{
	double keys = (double)shape->key_count, nodes = keys / (double)shape->node_intervals;
	double below = pow(shape->fan_out, r - 1.0), height = shape->height > r ? shape->height : r;
	return height - r + nodes / (below * shape->fan_out * shape->fan_out) +
	       (1 + nodes / below) * floor(r + below / keys);
}

/* Returns whether R-trees of r levels are deep enough: for the target, or by r >= log_c(A / n) (thesis 4.7.4). */
static bool is_deep_enough(const struct variant_shape *shape, uint32_t r)
{
	double nodes = (double)shape->key_count / (double)shape->node_intervals;
	return shape->nodes_asked > 0 ? single_query_nodes(shape, r) <= shape->nodes_asked
				      : pow(shape->fan_out, r) >= nodes;
}

/* vR-SHT: r grows with A, by one level at a time, whenever a parent of R-trees is full (thesis 4.7.4). */
static uint32_t growing_depth(const struct variant_shape *shape)
{
	uint32_t r = shape->r_depth;
	bool is_known = shape->node_intervals > 0 && shape->key_count > 0;
	return is_known && r < shape->r_depth_asked && !is_deep_enough(shape, r) ? r + 1 : r;
}

/* After a state comes one that starts at its end + 1, so no history may end at the last time that there is. */
#define STATES_END_MAX (INT64_MAX - 1)

/*
 * The State History Tree of Montplaisir et al. (2013), as eSHT paper III.A and thesis 4.4.1 describe it.  A parent
 * keeps only the starts of its children, and a query goes down one branch.  With many attributes the tree
 * degenerates into a comb (thesis 4.4.2): intervals that began early fit only into nodes that began early.
 */
static const struct tree_variant sht = {
	.name = "sht",
	.id = 1,
	.summary = "consecutive siblings (the classic tree; degenerates with many attributes)",
	.child_bounds = NODE_CHILD_START,
	.leaves = LEAVES_OF_ROWS,
	.source = &leaves_of_branch,
	.end_max = STATES_END_MAX,
	.branch_start = consecutive_start,
	.check_siblings = check_consecutive,
	.threads_max = 2,
};

/*
 * The Overlapping State History Tree (thesis 4.5.1).  Siblings overlap in time, so a parent keeps their ends too,
 * and a query searches a sub-tree (algorithm 4.1).
 */
static const struct tree_variant osht = {
	.name = "osht",
	.id = 2,
	.summary = "siblings may overlap in time",
	.child_bounds = NODE_CHILD_END,
	.leaves = LEAVES_OF_ROWS,
	.source = &leaves_of_branch,
	.end_max = STATES_END_MAX,
	.branch_start = overlapping_start,
	.threads_max = 2,
};

/*
 * The enhanced State History Tree (eSHT paper IV; thesis 4.5.2): an oSHT whose parents also keep the smallest and
 * greatest key of each child's sub-tree, so that a query for some keys passes others by.
 */
static const struct tree_variant esht = {
	.name = "esht",
	.id = 3,
	.summary = "overlapping siblings with key bounds",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
	.leaves = LEAVES_OF_ROWS,
	.source = &leaves_of_branch,
	.end_max = STATES_END_MAX,
	.branch_start = overlapping_start,
	.threads_max = 2,
};

/* R-SHT(r) (thesis 4.6): below an eSHT hang R-trees of r levels, each made at once from a full buffer. */
static const struct tree_variant rsht = {
	.name = "rsht",
	.id = 4,
	.summary = "R-trees of r levels below an eSHT, clustered by attribute",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
	.leaves = LEAVES_OF_ROWS,
	.source = &leaves_of_r_trees,
	.end_max = STATES_END_MAX,
	.branch_start = overlapping_start,
	.r_depth = fixed_depth,
	.r_depth_default = 2,
	.threads_max = 2,
};

static const struct tree_variant vrsht = {
	.name = "vrsht",
	.id = 5,
	.summary = "R-SHT whose r grows with the number of attributes",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
	.leaves = LEAVES_OF_ROWS,
	.source = &leaves_of_r_trees,
	.end_max = STATES_END_MAX,
	.branch_start = overlapping_start,
	.r_depth = growing_depth,
	.r_grows = true,
	.r_depth_default = 4,
	.threads_max = 2,
};

/* Leaves of columns, in batches clustered by time and key, below an eSHT (docs/design/01-tree.md). */
static const struct tree_variant cluster = {
	.name = "cluster",
	.id = 6,
	.summary = "leaves of columns in batches by time and attribute, nulls left out",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_KEYS,
	.leaves = LEAVES_OF_COLUMNS,
	.source = &leaves_of_clusters,
	.end_max = STATES_END_MAX,
	.has_lifetimes = true,
	.leaves_out_nulls = true,
	.branch_start = overlapping_start,
	.node_size_default = 256 << 10,
	.fan_out_default = 1000,
	.memory_default = (size_t)256 << 20,
	.threads_max = 3,
};

/* Leaves of segments, packed in batches by duration and start (docs/design/06-segments.md). */
const struct tree_variant variant_segments = {
	.name = "segments",
	.id = 7,
	.summary = "leaves of segments in batches by duration and start",
	.child_bounds = NODE_CHILD_END | NODE_CHILD_SEGMENTS,
	.leaves = LEAVES_OF_SEGMENTS,
	.source = &leaves_attached,
	.end_max = INT64_MAX,
	.branch_start = overlapping_start,
	.node_size_default = 64 << 10,
	.fan_out_default = 1000,
	.memory_default = (size_t)80 << 20,
	.threads_max = 1,
};

const struct tree_variant *const tree_variants[] = { &sht, &osht, &esht, &rsht, &vrsht, &cluster, NULL };

const struct tree_variant *tree_variant_by_name(const char *name)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++)
		if (strcmp(tree_variants[i]->name, name) == 0)
			return tree_variants[i];
	return NULL;
}

const struct tree_variant *tree_variant_by_id(uint32_t id)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++)
		if (tree_variants[i]->id == id)
			return tree_variants[i];
	return id == variant_segments.id ? &variant_segments : NULL;
}

struct node_layout tree_variant_layout(const struct tree_variant *variant, uint32_t node_size, uint32_t fan_out)
{
	struct node_layout layout = node_layout(node_size, variant->child_bounds, fan_out);
	layout.columns = variant->leaves == LEAVES_OF_COLUMNS;
	layout.segments = variant->leaves == LEAVES_OF_SEGMENTS;
	return layout;
}
