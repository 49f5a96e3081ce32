// SPDX-License-Identifier: MIT
/*
 * leaf_sources.c - the sources of a tree's leaves: the buffer below an R-SHT's branch, and the packs of a cluster
 * tree.
 *
 * The leaves of columns below the branch of a cluster tree come from its own buffers and from packs (leaf_pack.h).
 * The buffer below an R-SHT's branch is packed into a sub-tree (thesis 4.6.2, 4.6.3): outliers by duration are set
 * apart, and the others are cut into slices of time and these into leaves.
 */
#include "tree/leaf_sources.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "node/node_builder.h"
#include "tree/leaf_pack.h"
#include "tree/tree_branch.h"
#include "tree/tree_shape.h"

/* ---- the branch as a source ---------------------------------------------------------------------------------- */

static enum histree_status branch_create(struct tree_branch *branch, const struct tree_options *options, void **out,
					 struct histree_error *error)
{
	(void)options;
	*out = branch;
	return tree_branch_open(branch, 0, error);
}

static enum histree_status attached_create(struct tree_branch *branch, const struct tree_options *options,
					   void **out, struct histree_error *error)
{
	(void)options;
	*out = branch;
	return tree_branch_open(branch, 1, error);
}

static enum histree_status branch_add(void *leaves, const struct histree_interval *intervals, size_t count,
				      struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		struct tree_branch *branch = leaves;
		do
			status = tree_branch_try(branch, 0, &intervals[i], error);
		while (status == HISTREE_NOT_FOUND);
		if (status == HISTREE_OK && intervals[i].end > branch->end)
			branch->end = intervals[i].end;
	}
	return status;
}

/* The writer has copied the branch. */
static enum histree_status branch_take_copy(const void *leaves, struct tree_branch *branch, void **out)
{
	(void)leaves;
	*out = branch;
	return HISTREE_OK;
}

static enum histree_status branch_finish(void *leaves, histree_time end, struct tree_shape *shape,
					 struct histree_error *error)
{
	struct tree_branch *branch = leaves;
	branch->end = end;
	return tree_branch_close(branch, &shape->root, error);
}

static enum histree_status attached_finish(void *leaves, histree_time end, struct tree_shape *shape,
					   struct histree_error *error)
{
	struct tree_branch *branch = leaves;
	branch->end = end;
	return tree_branch_close_on_leaves(branch, &shape->root, error);
}

/* The writer releases the branch. */
static void branch_free_nothing(void *leaves)
{
	(void)leaves;
}

static const struct leaf_source leaves_of_branch = {
	.key_limit = HISTREE_ROOT,
	.create = branch_create,
	.add = branch_add,
	.copy = branch_take_copy,
	.finish = branch_finish,
	.free = branch_free_nothing,
};

static const struct leaf_source leaves_attached = {
	.key_limit = 0,
	.create = attached_create,
	.copy = branch_take_copy,
	.finish = attached_finish,
	.free = branch_free_nothing,
};

/* ---- cluster leaves ------------------------------------------------------------------------------------------ */

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

static void cluster_leaves_release(void *context)
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

static enum histree_status cluster_leaves_create(struct tree_branch *branch, const struct tree_options *options,
						 void **out, struct histree_error *error)
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
static enum histree_status cluster_leaves_copy(const void *context, struct tree_branch *branch, void **out)
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

static enum histree_status cluster_leaves_add(void *context, const struct histree_interval *intervals, size_t count,
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

static enum histree_status take_pack(void *context, const struct leaf_pack *pack, struct histree_error *error)
{
	struct cluster_leaves *leaves = context;
	enum histree_status status = cluster_wait(&leaves->cluster, error);
	for (size_t i = 0; i < pack->life_count && status == HISTREE_OK; i++)
		if (!cluster_know_key(&leaves->cluster, pack->lives[i].key) ||
		    lifetimes_add(&leaves->lifetimes, pack->lives[i].key, pack->lives[i].lifetime) != HISTREE_OK)
			status = error_memory(error, "the lifetimes of attributes");
	for (size_t i = 0; i < pack->leaf_count && status == HISTREE_OK; i++) {
		struct pack_leaf leaf = pack->leaves[i];
		assert(leaf.offset + leaf.used <= pack->size);
		status = tree_output_sealed(&leaves->branch->output, pack->bytes + leaf.offset, leaf.used,
					    &leaf.bounds, error);
		if (status == HISTREE_OK)
			status = tree_branch_attach(leaves->branch, &leaf.bounds, leaf.start, error);
	}
	return status;
}

/* ---- the end ---------------------------------------------------------------------------------------- */

static enum histree_status cluster_leaves_finish(void *context, histree_time end, struct tree_shape *shape,
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

static const struct leaf_source leaves_of_clusters = {
	.key_limit = COLUMN_KEY_LIMIT,
	.create = cluster_leaves_create,
	.add = cluster_leaves_add,
	.count = count,
	.close_at = close_at,
	.wait = wait,
	.copy = cluster_leaves_copy,
	.take_pack = take_pack,
	.finish = cluster_leaves_finish,
	.write_section = write_section,
	.free = cluster_leaves_release,
};

/* ---- r tree leaves ------------------------------------------------------------------------------------------- */

/* A zeroed struct r_buffer is an empty one. */
struct r_buffer {
	struct histree_interval *intervals;
	size_t count, capacity;
	struct arena bytes; /* of their strings and customs */
	size_t row_bytes;   /* that they take as rows, at most */
	histree_time start; /* the smallest, if count > 0 */
};

static void r_buffer_release(struct r_buffer *buffer);

/* ---- r buffer ------------------------------------------------------------------------------------------------ */

/* Bytes that the intervals of a sub-tree may take as rows. */
static size_t subtree_capacity(const struct node_layout *layout, uint32_t height)
{
	size_t capacity = node_capacity(layout, 0);
	for (uint32_t level = 1; level <= height; level++) {
		if (capacity > SIZE_MAX / 4 / layout->child_capacity)
			return SIZE_MAX / 4;
		capacity = node_capacity(layout, 1) + layout->child_capacity * capacity;
	}
	/* No node is filled to its last byte: an interval is not cut in two. */
	return capacity - capacity / 32;
}

/* Rows and the index over them. */
static size_t share_of_node(size_t row_bytes, size_t count)
{
	return row_bytes + node_index_size(count);
}

/* Returns whether the memory has no room for more. */
static bool r_buffer_is_at_limit(const struct r_buffer *buffer, size_t memory_max)
{
	size_t each = sizeof(*buffer->intervals) + 2 * sizeof(struct keyed_index) + sizeof(uint32_t);
	return buffer->count * each + buffer->bytes.bytes_total >= memory_max;
}

/* Returns whether a sub-tree of `depth` levels has no room for more. */
static bool r_buffer_fills(const struct r_buffer *buffer, const struct node_layout *layout, uint32_t depth)
{
	return share_of_node(buffer->row_bytes, buffer->count) >= subtree_capacity(layout, depth - 1);
}

static bool append(struct r_buffer *buffer, const struct histree_interval *interval)
{
	if (!array_reserve(&buffer->intervals, &buffer->capacity, buffer->count + 1))
		return false;
	struct histree_interval *copy = &buffer->intervals[buffer->count];
	*copy = *interval;
	if (interval->value.size > 0) {
		copy->value.bytes = arena_copy(&buffer->bytes, interval->value.bytes, interval->value.size);
		if (copy->value.bytes == NULL)
			return false;
	}
	buffer->count++;
	return true;
}

/* Add an interval.  No node of the sub-tree will start before `base`. */
static enum histree_status r_buffer_add(struct r_buffer *buffer, const struct histree_interval *interval,
					histree_time base)
{
	if (!append(buffer, interval))
		return HISTREE_ERR_MEMORY;
	if (buffer->count == 1 || interval->start < buffer->start)
		buffer->start = interval->start;
	buffer->row_bytes += node_row_size(interval, base);
	return HISTREE_OK;
}

static void r_buffer_release(struct r_buffer *buffer)
{
	free(buffer->intervals);
	arena_release(&buffer->bytes);
	*buffer = (struct r_buffer){ 0 };
}

/* ---- algorithm 4.2 --------------------------------------------------------------------------------- */

struct r_build {
	const struct r_buffer *buffer;
	struct tree_output *output;
	struct histree_error *error;
	struct keyed_index *spare;     /* as many as intervals */
	uint32_t *sizes;               /* by index: bytes as a row, at most */
	struct node_builder *builders; /* by height */
};

/* A slice of the sorted intervals that a sub-tree is asked to take; what it leaves is a slice at the end. */
struct r_slice {
	struct keyed_index *order;
	size_t count;
};

static const struct histree_interval *interval_at(const struct r_build *build, const struct keyed_index *entry)
{
	return &build->buffer->intervals[entry->index];
}

/* How many from the beginning of the slice take at most `capacity` bytes of a node; at least one. */
static size_t prefix_that_fits(const struct r_build *build, struct r_slice slice, size_t capacity)
{
	size_t bytes = 0, count = 0;
	for (; count < slice.count; count++) {
		bytes += build->sizes[slice.order[count].index];
		if (share_of_node(bytes, count + 1) > capacity && count > 0)
			break;
	}
	return count;
}

static histree_time slice_start(const struct r_build *build, struct r_slice slice)
{
	histree_time start = interval_at(build, slice.order)->start;
	for (size_t i = 1; i < slice.count; i++)
		if (interval_at(build, &slice.order[i])->start < start)
			start = interval_at(build, &slice.order[i])->start;
	return start;
}

/* Classes of duration, sixteen to an octave; longer ones are greater. */
enum { DURATION_CLASSES = 64 * 16 };

static uint32_t duration_class(const struct histree_interval *interval)
{
	uint64_t duration = (uint64_t)interval->end - (uint64_t)interval->start;
	if (duration < 16)
		return (uint32_t)duration;
	unsigned exponent = 63 - (unsigned)__builtin_clzll(duration);
	return (exponent - 3) * 16 + (uint32_t)(duration >> (exponent - 4) & 15);
}

/*
 * Move the longest intervals of the slice, as many as a core node has room for, to its beginning; the others
 * keep their order.  Returns how many.  The longest to within a sixteenth: what differs less is alike.
 */
static size_t separate_outliers(struct r_build *build, struct r_slice slice, size_t capacity)
{
	size_t class_bytes[DURATION_CLASSES] = { 0 };
	for (size_t i = 0; i < slice.count; i++)
		class_bytes[duration_class(interval_at(build, &slice.order[i]))] +=
			share_of_node(build->sizes[slice.order[i].index], 1);
	uint32_t threshold = DURATION_CLASSES;
	size_t left = capacity;
	while (threshold > 0 && class_bytes[threshold - 1] <= left)
		left -= class_bytes[--threshold];

	size_t outliers = 0, others = 0;
	for (size_t i = 0; i < slice.count; i++) {
		struct keyed_index entry = slice.order[i];
		uint32_t class = duration_class(interval_at(build, &entry));
		size_t size = share_of_node(build->sizes[entry.index], 1);
		bool longest = class >= threshold;
		if (!longest && class + 1 == threshold && size <= left) {
			left -= size;
			longest = true;
		}
		if (longest)
			slice.order[outliers++] = entry;
		else
			build->spare[others++] = entry;
	}
	memcpy(slice.order + outliers, build->spare, others * sizeof(*slice.order));
	return outliers;
}

static enum histree_status add_slice(struct r_build *build, struct node_builder *builder, struct r_slice slice,
				     histree_time *end)
{
	for (size_t i = 0; i < slice.count; i++) {
		const struct histree_interval *interval = interval_at(build, &slice.order[i]);
		if (node_builder_add(builder, interval) != HISTREE_OK)
			return error_memory(build->error, "a node");
		if (interval->end > *end)
			*end = interval->end;
	}
	return HISTREE_OK;
}

/*
 * Build a sub-tree of at most this height from the beginning of the slice; `left` is the end of the slice that
 * it had no room for.
 */
static enum histree_status build_subtree(struct r_build *build, uint32_t height, struct r_slice slice,
					 struct node_child *child, struct r_slice *left)
{
	const struct node_layout *layout = &build->output->layout;
	while (height > 0 && prefix_that_fits(build, slice, subtree_capacity(layout, height - 1)) == slice.count)
		height--;

	struct node_builder *builder = &build->builders[height];
	size_t capacity = height == 0 ? node_capacity(layout, 0) : subtree_capacity(layout, height);
	struct r_slice mine = { slice.order, prefix_that_fits(build, slice, capacity) };
	assert(mine.count > 0 && mine.count <= slice.count);
	node_builder_begin(builder, layout, height, slice_start(build, mine));
	size_t own = height == 0 ? mine.count : separate_outliers(build, mine, node_capacity(layout, height));
	histree_time end = builder->start;
	enum histree_status status = add_slice(build, builder, (struct r_slice){ mine.order, own }, &end);

	struct r_slice rest = { mine.order + own, mine.count - own };
	while (status == HISTREE_OK && rest.count > 0 && builder->child_count < layout->child_capacity) {
		struct node_child grandchild;
		status = build_subtree(build, height - 1, rest, &grandchild, &rest);
		if (status != HISTREE_OK)
			break;
		if (grandchild.end > end)
			end = grandchild.end;
		if (node_builder_add_child(builder, &grandchild) != HISTREE_OK)
			status = error_memory(build->error, "a node");
	}
	if (status != HISTREE_OK)
		return status;
	*left = (struct r_slice){ rest.order, slice.count - (size_t)(rest.order - slice.order) };
	assert(left->count < slice.count);
	return tree_output_node(build->output, builder, end, child, build->error);
}

/* Keep only the intervals of the slice, which were not built. */
static enum histree_status keep_slice(struct r_buffer *buffer, struct r_slice slice)
{
	struct r_buffer kept = { 0 };
	for (size_t i = 0; i < slice.count; i++)
		if (r_buffer_add(&kept, &buffer->intervals[slice.order[i].index], buffer->start) != HISTREE_OK) {
			r_buffer_release(&kept);
			return HISTREE_ERR_MEMORY;
		}
	if (slice.count == 0) { /* as nearly always: keep the memory for the next filling */
		kept.intervals = buffer->intervals;
		kept.capacity = buffer->capacity;
		buffer->intervals = NULL;
	}
	r_buffer_release(buffer);
	*buffer = kept;
	return HISTREE_OK;
}

/*
 * Write one sub-tree of at most `depth` levels and say what its parent must know.  What it had no room for
 * stays in the buffer; at least one interval leaves it.
 */
static enum histree_status r_buffer_build(struct r_buffer *buffer, struct tree_output *output, uint32_t depth,
					  struct node_child *child, struct histree_error *error)
{
	assert(buffer->count > 0 && depth > 0);
	struct r_build build = { .buffer = buffer, .output = output, .error = error };
	struct r_slice slice = { malloc(buffer->count * sizeof(*slice.order)), buffer->count }, left;
	build.spare = malloc(buffer->count * sizeof(*build.spare));
	build.sizes = malloc(buffer->count * sizeof(*build.sizes));
	build.builders = calloc(depth, sizeof(*build.builders));
	enum histree_status status = HISTREE_ERR_MEMORY;
	if (slice.order == NULL || build.spare == NULL || build.sizes == NULL || build.builders == NULL) {
		error_memory(error, "sorting the R-tree buffer");
		goto out;
	}
	for (size_t i = 0; i < buffer->count; i++) {
		slice.order[i] = (struct keyed_index){ .key = buffer->intervals[i].quark, .index = (uint32_t)i };
		build.sizes[i] = (uint32_t)node_row_size(&buffer->intervals[i], buffer->start);
	}
	radix_sort(slice.order, build.spare, buffer->count);
	status = build_subtree(&build, depth - 1, slice, child, &left);
	if (status == HISTREE_OK && keep_slice(buffer, left) != HISTREE_OK)
		status = error_memory(error, "the R-tree buffer");
out:
	if (build.builders != NULL)
		for (uint32_t height = 0; height < depth; height++)
			node_builder_release(&build.builders[height]);
	free(build.builders);
	free(build.sizes);
	free(build.spare);
	free(slice.order);
	return status;
}

/* ---- r tree leaves ------------------------------------------------------------------------------------------- */

enum { R_DEPTH_FIRST = 2 };

struct r_tree_leaves {
	struct tree_branch *branch;
	struct r_buffer buffer;
	uint32_t r_depth_asked, nodes_asked, fan_out;
	size_t memory_max;
	uint32_t deepest;        /* levels of the deepest R-tree so far */
	bool is_cut;             /* the memory had no room for one of all levels */
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

static enum histree_status r_tree_leaves_create(struct tree_branch *branch, const struct tree_options *options,
						void **out, struct histree_error *error)
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

static void r_tree_leaves_release(void *context)
{
	struct r_tree_leaves *leaves = context;
	if (leaves == NULL)
		return;
	r_buffer_release(&leaves->buffer);
	free(leaves);
}

static enum histree_status r_tree_leaves_copy(const void *context, struct tree_branch *branch, void **out)
{
	const struct r_tree_leaves *leaves = context;
	struct r_tree_leaves *copied = malloc(sizeof(*copied));
	*out = copied;
	if (copied == NULL)
		return HISTREE_ERR_MEMORY;
	*copied = *leaves;
	copied->branch = branch;
	copied->buffer = (struct r_buffer){ .row_bytes = leaves->buffer.row_bytes, .start = leaves->buffer.start };
	for (size_t i = 0; i < leaves->buffer.count; i++)
		if (!append(&copied->buffer, &leaves->buffer.intervals[i])) {
			r_buffer_release(&copied->buffer);
			return HISTREE_ERR_MEMORY;
		}
	return HISTREE_OK;
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
	/* The next R-tree has only the levels that it fills (r_buffer_build()). */
	const struct node_layout *layout = &leaves->branch->output.layout;
	while (leaves->deepest < leaves->branch->bottom &&
	       (leaves->deepest < R_DEPTH_FIRST || r_buffer_fills(&leaves->buffer, layout, leaves->deepest)))
		leaves->deepest++;
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

static enum histree_status r_tree_leaves_add(void *leaves, const struct histree_interval *intervals, size_t count,
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

static enum histree_status r_tree_leaves_finish(void *context, histree_time end, struct tree_shape *shape,
						struct histree_error *error)
{
	struct r_tree_leaves *leaves = context;
	leaves->branch->end = end;
	enum histree_status status = close_branch(leaves, &shape->root, error);
	shape->r_depth = leaves->is_cut ? leaves->deepest : leaves->branch->bottom;
	return status;
}

static const struct leaf_source leaves_of_r_trees = {
	.key_limit = HISTREE_ROOT,
	.create = r_tree_leaves_create,
	.add = r_tree_leaves_add,
	.copy = r_tree_leaves_copy,
	.finish = r_tree_leaves_finish,
	.free = r_tree_leaves_release,
};

const struct leaf_source *leaf_source_of(enum tree_leaf_source source)
{
	static const struct leaf_source *const sources[] = {
		[SOURCE_BRANCH] = &leaves_of_branch,
		[SOURCE_R_TREES] = &leaves_of_r_trees,
		[SOURCE_CLUSTERS] = &leaves_of_clusters,
		[SOURCE_ATTACHED] = &leaves_attached,
	};
	return sources[source];
}
