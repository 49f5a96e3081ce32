// SPDX-License-Identifier: MIT
/*
 * Leaves in R-trees of r levels, which hang below the bottom of the branch, so that this is at height r.
 *
 * An interval that does not start before the bottom node goes into the buffer (r_buffer.h).  Whenever that is full
 * it becomes an R-tree.  Earlier intervals go into the branch above.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "tree/leaf_source.h"
#include "tree/r_buffer.h"
#include "tree/tree_writer.h"

enum { R_DEPTH_FIRST = 2 };

struct r_tree_leaves {
	struct tree_branch *branch;
	struct r_buffer buffer;
	uint32_t r_depth_asked, nodes_asked, fan_out;
	size_t memory_max;
	uint32_t deepest; /* levels of the deepest R-tree so far */
	bool is_cut;      /* the memory had no room for one of all levels */
	uint64_t key_count;      /* greatest key so far + 1 */
	uint64_t interval_count; /* so far, in the buffer or not */
};

/* Returns the levels of the next R-tree if those of now have `r_depth`. */
static uint32_t next_r_depth(const struct r_tree_leaves *leaves, uint32_t r_depth)
{
	uint64_t nodes = leaves->branch->output.node_count;
	const struct variant_shape shape = {
		.r_depth = r_depth,
		.r_depth_asked = leaves->r_depth_asked,
		.nodes_asked = leaves->nodes_asked,
		.height = leaves->branch->open_count > 0 ? tree_branch_top(leaves->branch) : 0,
		.fan_out = leaves->fan_out,
		.key_count = leaves->key_count,
		.node_intervals = nodes > 0 ? leaves->interval_count / nodes : 0,
	};
	return leaves->branch->variant->r_depth(&shape);
}

static enum histree_status create(struct tree_branch *branch, const struct tree_options *options, void **out,
				  struct histree_error *error)
{
	struct r_tree_leaves *leaves = calloc(1, sizeof(*leaves));
	*out = leaves;
	if (leaves == NULL)
		return error_memory(error, "the R-tree buffer");
	leaves->branch = branch;
	leaves->r_depth_asked = options->r_depth;
	leaves->nodes_asked = options->r_nodes;
	leaves->fan_out = options->fan_out;
	leaves->memory_max = options->memory_max;
	return tree_branch_open(branch, next_r_depth(leaves, R_DEPTH_FIRST), error);
}

static void free_leaves(void *context)
{
	struct r_tree_leaves *leaves = context;
	if (leaves == NULL)
		return;
	r_buffer_release(&leaves->buffer);
	free(leaves);
}

static enum histree_status copy(const void *context, struct tree_branch *branch, void **out)
{
	const struct r_tree_leaves *leaves = context;
	struct r_tree_leaves *copied = malloc(sizeof(*copied));
	*out = copied;
	if (copied == NULL)
		return HISTREE_ERR_MEMORY;
	*copied = *leaves;
	copied->branch = branch;
	return r_buffer_copy(&leaves->buffer, &copied->buffer);
}

/* The next R-tree has only the levels that it fills (r_buffer_build()). */
static void count_levels(struct r_tree_leaves *leaves)
{
	const struct node_layout *layout = &leaves->branch->output.layout;
	while (leaves->deepest < leaves->branch->bottom &&
	       (leaves->deepest < R_DEPTH_FIRST || r_buffer_fills(&leaves->buffer, layout, leaves->deepest)))
		leaves->deepest++;
}

/*
 * Make an R-tree of what is in the buffer.  If the bottom node has no room for it, but R-trees may become deeper,
 * the parent of the next R-tree is the root of a deeper one instead (thesis 4.7.4, figure 4.12): the buffer has
 * room again.
 */
static enum histree_status flush_buffer(struct r_tree_leaves *leaves, struct histree_error *error)
{
	struct tree_branch *branch = leaves->branch;
	enum histree_status status = HISTREE_OK;
	assert(leaves->buffer.start >= branch->open[branch->bottom].start);
	if (!tree_branch_has_room(branch, branch->bottom)) {
		if (next_r_depth(leaves, branch->bottom) > branch->bottom)
			return tree_branch_raise_bottom(branch, error);
		status = tree_branch_add_sibling(branch, branch->bottom, leaves->buffer.start, error);
	}
	struct node_child root;
	count_levels(leaves);
	if (status == HISTREE_OK)
		status = r_buffer_build(&leaves->buffer, &branch->output, branch->bottom, &root, error);
	return status == HISTREE_OK ? tree_branch_add_child(branch, &root, error) : status;
}

/* Returns HISTREE_NOT_FOUND if the interval starts too early for the buffer. */
static enum histree_status add_to_buffer(struct r_tree_leaves *leaves, const struct histree_interval *interval,
					 struct histree_error *error)
{
	struct tree_branch *branch = leaves->branch;
	for (;;) {
		bool is_full = r_buffer_fills(&leaves->buffer, &branch->output.layout, branch->bottom);
		bool is_cut = !is_full && r_buffer_is_at_limit(&leaves->buffer, leaves->memory_max);
		if (!is_full && !is_cut)
			break;
		leaves->is_cut |= is_cut;
		enum histree_status status = flush_buffer(leaves, error);
		if (status != HISTREE_OK)
			return status;
	}
	histree_time base = branch->open[branch->bottom].start;
	if (interval->start < base)
		return HISTREE_NOT_FOUND;
	if (r_buffer_add(&leaves->buffer, interval, base) != HISTREE_OK)
		return error_memory(error, "the R-tree buffer");
	return HISTREE_OK;
}

static enum histree_status add_one(void *context, const struct histree_interval *interval,
				   struct histree_error *error)
{
	struct r_tree_leaves *leaves = context;
	struct tree_branch *branch = leaves->branch;
	enum histree_status status;
	do {
		status = add_to_buffer(leaves, interval, error);
		if (status == HISTREE_NOT_FOUND)
			status = tree_branch_try(branch, branch->bottom + 1, interval, error);
	} while (status == HISTREE_NOT_FOUND);
	if (status != HISTREE_OK)
		return status;
	leaves->interval_count++;
	if (interval->quark >= leaves->key_count)
		leaves->key_count = (uint64_t)interval->quark + 1;
	if (interval->end > branch->end)
		branch->end = interval->end;
	return HISTREE_OK;
}

static enum histree_status add(void *leaves, const struct histree_interval *intervals, size_t count,
			       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = add_one(leaves, &intervals[i], error);
	return status;
}

/* Close the branch.  A history that fits into one R-tree is that R-tree, without a branch above it. */
static enum histree_status close_branch(struct r_tree_leaves *leaves, uint32_t *root, struct histree_error *error)
{
	struct tree_branch *branch = leaves->branch;
	enum histree_status status = HISTREE_OK;
	bool is_new = branch->bottom == tree_branch_top(branch) && branch->open[branch->bottom].child_count == 0;
	if (is_new && leaves->buffer.count > 0) {
		struct node_child only;
		status = r_buffer_build(&leaves->buffer, &branch->output, branch->bottom, &only, error);
		if (status != HISTREE_OK)
			return status;
		*root = only.number;
		if (leaves->buffer.count == 0)
			return HISTREE_OK;
		status = tree_branch_add_child(branch, &only, error);
	}
	while (status == HISTREE_OK && leaves->buffer.count > 0)
		status = flush_buffer(leaves, error);
	return status == HISTREE_OK ? tree_branch_close(branch, root, error) : status;
}

static enum histree_status finish(void *context, histree_time end, struct tree_shape *shape,
				  struct histree_error *error)
{
	struct r_tree_leaves *leaves = context;
	leaves->branch->end = end;
	enum histree_status status = close_branch(leaves, &shape->root, error);
	shape->r_depth = leaves->is_cut ? leaves->deepest : leaves->branch->bottom;
	return status;
}

const struct leaf_source leaves_of_r_trees = {
	.key_limit = HISTREE_ROOT,
	.create = create,
	.add = add,
	.copy = copy,
	.finish = finish,
	.free = free_leaves,
};
