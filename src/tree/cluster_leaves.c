// SPDX-License-Identifier: MIT
/*
 * cluster_leaves.c - leaves of columns below the branch of a cluster tree: those that its buffers make
 * (leaf_pack.h), and those of packs (leaf_pack.h).
 */
#include <stdlib.h>

#include "base/error.h"
#include "tree/leaf_pack.h"
#include "tree/tree_shape.h"
#include "tree/tree_writer.h"

struct cluster_leaves {
	struct cluster cluster;
	struct chunk_pool pool;
	struct tree_branch *branch; /* borrowed; and as the lifetimes the task's while it is at work */
	struct lifetimes lifetimes; /* of the keys in the leaves so far */
	struct lifetimes counted;   /* of intervals that are in no leaf */
};

/* ---- leaves that the buffers make ------------------------------------------------------------------- */

static bool live(void *context, histree_quark key, struct lifetime lifetime)
{
	struct cluster_leaves *leaves = context;
	return lifetimes_add(&leaves->lifetimes, key, lifetime) == HISTREE_OK;
}

static enum histree_status take_leaf(void *context, struct column_builder *builder, histree_time start,
				     struct histree_error *error)
{
	struct tree_branch *branch = ((struct cluster_leaves *)context)->branch;
	struct node_child leaf;
	enum histree_status status = tree_output_leaf(&branch->output, builder, &leaf, error);
	return status == HISTREE_OK ? tree_branch_attach(branch, &leaf, start, error) : status;
}

static struct leaf_taker taker_of(struct cluster_leaves *leaves)
{
	return (struct leaf_taker){
		.context = leaves,
		.node_size = leaves->branch->output.layout.node_size,
		.live = live,
		.take = take_leaf,
	};
}

static void free_leaves(void *context)
{
	struct cluster_leaves *leaves = context;
	if (leaves == NULL)
		return;
	cluster_release(&leaves->cluster);
	chunk_pool_release(&leaves->pool);
	lifetimes_release(&leaves->lifetimes);
	lifetimes_release(&leaves->counted);
	free(leaves);
}

static enum histree_status create(struct tree_branch *branch, const struct tree_options *options, void **out,
				  struct histree_error *error)
{
	struct cluster_leaves *leaves = calloc(1, sizeof(*leaves));
	*out = leaves;
	if (leaves == NULL)
		return error_memory(error, "the buffers of the tree");
	leaves->branch = branch;
	leaves->lifetimes.table.space = leaves->counted.table.space = options->tables;
	chunk_pool_init(&leaves->pool);
	const struct leaf_taker taker = taker_of(leaves);
	cluster_init(&leaves->cluster, options, &taker, &leaves->pool);
	return tree_branch_open(branch, 1, error);
}

/* The copy is finished by itself, without a thread of its own. */
static enum histree_status copy(const void *context, struct tree_branch *branch, void **out)
{
	const struct cluster_leaves *leaves = context;
	struct cluster_leaves *copied = calloc(1, sizeof(*copied));
	*out = copied;
	if (copied == NULL)
		return HISTREE_ERR_MEMORY;
	copied->branch = branch;
	chunk_pool_init(&copied->pool);
	const struct leaf_taker taker = taker_of(copied);
	enum histree_status status = cluster_copy(&leaves->cluster, &taker, &copied->pool, &copied->cluster);
	if (status == HISTREE_OK && (!lifetimes_copy(&leaves->lifetimes, &copied->lifetimes) ||
				     !lifetimes_copy(&leaves->counted, &copied->counted)))
		status = HISTREE_ERR_MEMORY;
	return status;
}

static enum histree_status wait(void *context, struct histree_error *error)
{
	return cluster_wait(&((struct cluster_leaves *)context)->cluster, error);
}

static enum histree_status add(void *context, const struct histree_interval *intervals, size_t count,
			       struct histree_error *error)
{
	return cluster_add(&((struct cluster_leaves *)context)->cluster, intervals, count, error);
}

static enum histree_status count(void *context, const struct histree_interval *interval)
{
	struct cluster_leaves *leaves = context;
	if (cluster_leaves_out(&leaves->cluster, interval))
		return HISTREE_OK;
	if (!cluster_know_key(&leaves->cluster, interval->quark))
		return HISTREE_ERR_MEMORY;
	return lifetimes_add(&leaves->counted, interval->quark,
			     (struct lifetime){ .first = interval->start, .last = interval->end });
}

static void close_at(void *context, histree_time end)
{
	struct cluster *cluster = &((struct cluster_leaves *)context)->cluster;
	cluster->closing = true;
	cluster->closing_end = end;
}

/* ---- leaves of packs -------------------------------------------------------------------------------- */

static enum histree_status begin_pack(void *context, const struct tree_options *options, size_t kept_max,
				      struct leaf_pack **out, struct histree_error *error)
{
	return leaf_pack_create(options, &((struct cluster_leaves *)context)->pool, kept_max, out, error);
}

static enum histree_status take_lives(struct cluster_leaves *leaves, const struct leaf_pack *pack)
{
	size_t count;
	const struct pack_life *lives = leaf_pack_lives(pack, &count);
	for (size_t i = 0; i < count; i++)
		if (!cluster_know_key(&leaves->cluster, lives[i].key) ||
		    lifetimes_add(&leaves->lifetimes, lives[i].key, lives[i].lifetime) != HISTREE_OK)
			return HISTREE_ERR_MEMORY;
	return HISTREE_OK;
}

static enum histree_status take_pack(void *context, const struct leaf_pack *pack, struct histree_error *error)
{
	struct cluster_leaves *leaves = context;
	enum histree_status status = cluster_wait(&leaves->cluster, error);
	if (status == HISTREE_OK && take_lives(leaves, pack) != HISTREE_OK)
		status = error_memory(error, "the lifetimes of attributes");
	for (size_t i = 0; i < leaf_pack_count(pack) && status == HISTREE_OK; i++) {
		struct pack_leaf leaf = leaf_pack_leaf(pack, i);
		status = tree_output_sealed(&leaves->branch->output, leaf.bytes, leaf.used, &leaf.bounds, error);
		if (status == HISTREE_OK)
			status = tree_branch_attach(leaves->branch, &leaf.bounds, leaf.start, error);
	}
	return status;
}

/* ---- the end ---------------------------------------------------------------------------------------- */

static enum histree_status finish(void *context, histree_time end, struct tree_shape *shape,
				  struct histree_error *error)
{
	struct cluster_leaves *leaves = context;
	enum histree_status status = cluster_flush(&leaves->cluster, error);
	if (status != HISTREE_OK)
		return status;
	leaves->branch->end = end;
	return tree_branch_close_on_leaves(leaves->branch, &shape->root, error);
}

static enum histree_status write_section(void *context, const struct tree_shape *shape, struct block_file *file,
					 struct histree_error *error)
{
	struct cluster_leaves *leaves = context;
	cluster_assert_waited_for(&leaves->cluster);
	for (histree_quark key = 0; key < leaves->counted.count; key++)
		if (lifetimes_add(&leaves->lifetimes, key, leaves->counted.by_key[key]) != HISTREE_OK)
			return error_memory(error, "the lifetimes of attributes");
	return lifetimes_write(&leaves->lifetimes, shape->key_count, shape->start, shape->end, file, error);
}

const struct leaf_source leaves_of_clusters = {
	.key_limit = COLUMN_KEY_LIMIT,
	.create = create,
	.add = add,
	.count = count,
	.close_at = close_at,
	.wait = wait,
	.copy = copy,
	.begin_pack = begin_pack,
	.take_pack = take_pack,
	.finish = finish,
	.write_section = write_section,
	.free = free_leaves,
};
