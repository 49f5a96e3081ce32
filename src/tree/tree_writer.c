// SPDX-License-Identifier: MIT
/*
 * Growth, as eSHT paper III.A and thesis 4.4.1 draw it and Trace Compass does it.
 *
 * The open branch has one node a height, from `bottom` to `top`.  Invariants:
 *
 *  - the start of an open node is not before that of the open node above it; the top starts with the tree;
 *  - a closed node is written, and known to the node above it, which was open when it was closed;
 *  - tree_end is the greatest end in the branch and below it, and the end of every node that is closed now.
 *
 * Without a buffer bottom is 0.  With an R-buffer, bottom is r: R-trees of height r - 1 hang below it, and an
 * interval that starts late enough for the bottom node goes into the buffer.  With a cluster, bottom is 1 and every
 * interval goes into the cluster, whose leaves are attached to the lowest open node that starts early enough.  The
 * branch and the output are then the cluster's thread's until the cluster is finished (tree/cluster.h).
 */
#include "tree/tree_writer.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "node/node_builder.h"
#include "tree/cluster.h"
#include "tree/r_buffer.h"
#include "tree/tree_output.h"
#include "tree/tree_shape.h"

enum { R_DEPTH_FIRST = 2 };

struct tree_writer {
	struct tree_options options;
	struct tree_output output;
	struct node_builder *open;        /* by height; those below bottom are unused */
	size_t open_count, open_capacity; /* top is open_count - 1 */
	uint32_t bottom;
	histree_time tree_end;
	histree_time added_end; /* the greatest so far */
	uint64_t key_count;     /* greatest key so far + 1 */
	struct r_buffer buffer; /* R-SHT */
	struct cluster cluster; /* cluster: bottom is 1, leaves come from it */
	size_t value_size_max;
	uint32_t key_limit; /* keys are below it */
	bool has_unknown;   /* among the values */
};

static bool has_buffer(const struct tree_writer *writer)
{
	return writer->options.variant->r_depth != NULL;
}

static uint32_t top_of(const struct tree_writer *writer)
{
	return (uint32_t)writer->open_count - 1;
}

/* One more level: its node becomes the top. */
static enum histree_status open_top(struct tree_writer *writer, struct histree_error *error)
{
	if (writer->open_count > UINT16_MAX)
		return error_set(error, HISTREE_ERR_TOO_LARGE,
				 "the tree is more than %d levels deep; use another variant or a greater node size",
				 UINT16_MAX);
	if (!array_reserve(&writer->open, &writer->open_capacity, writer->open_count + 1))
		return error_memory(error, "a level of the tree");
	struct node_builder *builder = &writer->open[writer->open_count++];
	*builder = (struct node_builder){ 0 };
	node_builder_begin(builder, &writer->output.layout, top_of(writer), writer->options.start);
	return HISTREE_OK;
}

static uint32_t next_r_depth(const struct tree_writer *writer)
{
	uint64_t intervals = writer->output.statistics.interval_count;
	uint64_t nodes = writer->output.node_count;
	struct variant_shape shape = {
		.r_depth = writer->bottom,
		.r_depth_asked = writer->options.r_depth,
		.fan_out = writer->options.fan_out,
		.key_count = writer->key_count,
		.node_intervals = nodes > 0 ? intervals / nodes : 0,
	};
	return writer->options.variant->r_depth(&shape);
}

/* Close the open node of a height and tell the one above, which exists. */
static enum histree_status close_node(struct tree_writer *writer, uint32_t height, struct histree_error *error)
{
	struct node_child child;
	enum histree_status status =
		tree_output_node(&writer->output, &writer->open[height], writer->tree_end, &child, error);
	if (status == HISTREE_OK && node_builder_add_child(&writer->open[height + 1], &child) != HISTREE_OK)
		status = error_memory(error, "a node");
	return status;
}

/* The open node below it counts as a child too. */
static bool has_room_for_child(const struct tree_writer *writer, uint32_t height)
{
	size_t children = writer->open[height].child_count + (height > writer->bottom ? 1 : 0);
	return children < writer->output.layout.child_capacity;
}

/*
 * Give the open node of this height a sibling that starts at `start`: close the branch below a parent that has
 * room and starts early enough, which may be higher up or have to be made, and open a new one.
 */
static enum histree_status add_sibling(struct tree_writer *writer, uint32_t height, histree_time start,
				       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (height < top_of(writer) &&
	       (!has_room_for_child(writer, height + 1) || writer->open[height + 1].start > start))
		height++;
	if (height == top_of(writer))
		status = open_top(writer, error);
	for (uint32_t h = writer->bottom; status == HISTREE_OK && h <= height; h++)
		status = close_node(writer, h, error);
	if (status != HISTREE_OK)
		return status;
	for (uint32_t h = writer->bottom; h <= height; h++)
		node_builder_begin(&writer->open[h], &writer->output.layout, h, start);
	return HISTREE_OK;
}

/* ---- the R-buffer ------------------------------------------------------------------------------------ */

/* The parent of the next R-tree is the root of a deeper one instead (thesis 4.7.4, figure 4.12). */
static enum histree_status deepen_r_trees(struct tree_writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (writer->bottom == top_of(writer))
		status = open_top(writer, error);
	if (status == HISTREE_OK)
		status = close_node(writer, writer->bottom, error);
	if (status == HISTREE_OK)
		writer->bottom++;
	return status;
}

/* Make an R-tree of what is in the buffer; if it can become deeper, there is room in it again instead. */
static enum histree_status flush_buffer(struct tree_writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (!has_room_for_child(writer, writer->bottom)) {
		if (next_r_depth(writer) > writer->bottom)
			return deepen_r_trees(writer, error);
		status = add_sibling(writer, writer->bottom, writer->buffer.start, error);
	}
	struct node_child child;
	if (status == HISTREE_OK)
		status = r_buffer_build(&writer->buffer, &writer->output, writer->bottom, &child, error);
	if (status == HISTREE_OK && node_builder_add_child(&writer->open[writer->bottom], &child) != HISTREE_OK)
		status = error_memory(error, "a node");
	return status;
}

/* HISTREE_NOT_FOUND: it starts too early for the buffer. */
static enum histree_status add_to_buffer(struct tree_writer *writer, const struct histree_interval *interval,
					 struct histree_error *error)
{
	while (r_buffer_is_full(&writer->buffer, &writer->output.layout, writer->bottom,
				writer->options.memory_max)) {
		enum histree_status status = flush_buffer(writer, error);
		if (status != HISTREE_OK)
			return status;
	}
	histree_time base = writer->open[writer->bottom].start;
	if (interval->start < base)
		return HISTREE_NOT_FOUND;
	if (r_buffer_add(&writer->buffer, interval, base) != HISTREE_OK)
		return error_memory(error, "the R-tree buffer");
	return HISTREE_OK;
}

/* ---- the cluster --------------------------------------------------------------------------------------- */

/* The lowest open node that starts early enough gets the leaf; siblings are made as for an interval. */
static enum histree_status attach_leaf(void *context, const struct node_child *leaf, histree_time start,
				       struct histree_error *error)
{
	struct tree_writer *writer = context;
	uint32_t height = writer->bottom;
	while (leaf->start < writer->open[height].start || !has_room_for_child(writer, height)) {
		if (leaf->start < writer->open[height].start) {
			height++;
			continue;
		}
		enum histree_status status = add_sibling(writer, height, start, error);
		if (status != HISTREE_OK)
			return status;
		height = writer->bottom;
	}
	if (node_builder_add_child(&writer->open[height], leaf) != HISTREE_OK)
		return error_memory(error, "a node");
	writer->tree_end = leaf->end > writer->tree_end ? leaf->end : writer->tree_end;
	return HISTREE_OK;
}

struct tree_output *tree_writer_output(struct tree_writer *writer)
{
	return &writer->output;
}

enum histree_status tree_writer_attach(struct tree_writer *writer, const struct node_child *leaf, size_t count,
				       struct histree_error *error)
{
	enum histree_status status = attach_leaf(writer, leaf, writer->options.start, error);
	if (status != HISTREE_OK)
		return status;
	writer->output.statistics.interval_count += count;
	writer->added_end = writer->tree_end;
	return HISTREE_OK;
}

static void connect_cluster(struct tree_writer *writer)
{
	writer->cluster.writer.output = &writer->output;
	writer->cluster.writer.attach = attach_leaf;
	writer->cluster.writer.context = writer;
}

static void begin_cluster(struct tree_writer *writer)
{
	connect_cluster(writer);
	cluster_init(&writer->cluster, writer->options.start, writer->options.memory_max,
		     writer->options.threads > 1);
}

enum histree_status tree_writer_create(struct block_file *file, const struct tree_options *options,
				       struct tree_writer **out, struct histree_error *error)
{
	*out = NULL;
	struct tree_writer *writer = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "a tree");
	writer->options = *options;
	writer->tree_end = writer->added_end = options->start;
	struct node_layout layout =
		node_layout(options->node_size, options->variant->child_bounds, options->fan_out);
	layout.columns = options->variant->clusters;
	layout.segments = options->variant->segments;
	writer->value_size_max = node_value_size_max(&layout);
	writer->key_limit = options->variant->clusters ? COLUMN_KEY_LIMIT : HISTREE_ROOT;
	enum histree_status status = tree_output_init(&writer->output, file, layout, error);
	if (options->variant->clusters) {
		writer->bottom = 1;
		begin_cluster(writer);
	}
	if (options->variant->segments)
		writer->bottom = 1;
	if (has_buffer(writer)) {
		writer->bottom = R_DEPTH_FIRST;
		writer->bottom = next_r_depth(writer);
	}
	while (status == HISTREE_OK && writer->open_count <= writer->bottom)
		status = open_top(writer, error);
	if (status != HISTREE_OK) {
		tree_writer_free(writer);
		return status;
	}
	*out = writer;
	return HISTREE_OK;
}

static enum histree_status copy_open(const struct tree_writer *writer, struct tree_writer *copy)
{
	if (!array_reserve(&copy->open, &copy->open_capacity, writer->open_count))
		return HISTREE_ERR_MEMORY;
	enum histree_status status = HISTREE_OK;
	for (; status == HISTREE_OK && copy->open_count < writer->open_count; copy->open_count++)
		status = node_builder_copy(&writer->open[copy->open_count], &copy->output.layout,
					   &copy->open[copy->open_count]);
	return status;
}

enum histree_status tree_writer_settle(struct tree_writer *writer, struct histree_error *error)
{
	return writer->options.variant->clusters ? cluster_settle(&writer->cluster, error) : HISTREE_OK;
}

enum histree_status tree_writer_copy(const struct tree_writer *writer, struct block_file *file,
				     struct tree_writer **out, struct histree_error *error)
{
	*out = NULL;
	struct tree_writer *copy = calloc(1, sizeof(*copy));
	if (copy == NULL)
		return error_memory(error, "a tree");
	copy->options = writer->options;
	copy->bottom = writer->bottom;
	copy->tree_end = writer->tree_end;
	copy->added_end = writer->added_end;
	copy->key_count = writer->key_count;
	copy->value_size_max = writer->value_size_max;
	copy->key_limit = writer->key_limit;
	copy->has_unknown = writer->has_unknown;
	enum histree_status status = HISTREE_OK;
	if (writer->options.variant->clusters) {
		connect_cluster(copy);
		status = cluster_copy(&writer->cluster, &copy->cluster);
	}
	if (status == HISTREE_OK)
		status = tree_output_copy(&writer->output, file, &copy->output);
	if (status == HISTREE_OK)
		status = copy_open(writer, copy);
	if (status == HISTREE_OK)
		status = r_buffer_copy(&writer->buffer, &copy->buffer);
	if (status != HISTREE_OK) {
		tree_writer_free(copy);
		return error_memory(error, "a tree");
	}
	*out = copy;
	return HISTREE_OK;
}

void tree_writer_close_at(struct tree_writer *writer, histree_time end)
{
	if (writer->options.variant->clusters)
		cluster_close_at(&writer->cluster, end);
}

/* ---- adding ------------------------------------------------------------------------------------------ */

/*
 * Trace Compass's order of tests: an interval that does not fit by size makes a sibling at that level and
 * begins again; one that starts before the node tries the level above.  It ends, because a new leaf is
 * empty and the top starts with the tree.
 */
static __attribute__((noinline)) enum histree_status
add_to_branch(struct tree_writer *writer, const struct histree_interval *interval, struct histree_error *error)
{
	uint32_t height = writer->bottom;
	for (;;) {
		struct node_builder *builder = &writer->open[height];
		enum histree_status status;
		if (has_buffer(writer) && height == writer->bottom) {
			status = add_to_buffer(writer, interval, error);
			if (status != HISTREE_NOT_FOUND)
				return status;
			height++;
		} else if (!node_builder_fits(builder, interval)) {
			histree_time start =
				writer->options.variant->branch_start(interval->start, writer->tree_end);
			status = add_sibling(writer, height, start, error);
			if (status != HISTREE_OK)
				return status;
			height = writer->bottom;
		} else if (interval->start < builder->start) {
			height++;
		} else {
			status = node_builder_add(builder, interval);
			return status == HISTREE_OK ? HISTREE_OK : error_memory(error, "a node");
		}
		assert(height <= top_of(writer));
	}
}

size_t tree_writer_value_size_max(const struct tree_writer *writer)
{
	return writer->value_size_max;
}

/* Whether the tree takes it; what every interval is asked, in one condition. */
static inline bool is_acceptable(const struct tree_writer *writer, const struct histree_interval *interval)
{
	/* The interval after it starts at end + 1: no end may be the last time there is. */
	return interval->start >= writer->options.start && interval->end >= interval->start &&
	       interval->end != INT64_MAX && interval->value.size <= writer->value_size_max &&
	       interval->quark < writer->key_limit;
}

static __attribute__((cold, noinline)) enum histree_status
refuse(const struct tree_writer *writer, const struct histree_interval *interval, struct histree_error *error)
{
	if (interval->value.size > writer->value_size_max)
		return error_set(
			error, HISTREE_ERR_TOO_LARGE,
			"a value of %u bytes: nodes of this size take %zu at most; use a greater node size",
			interval->value.size, writer->value_size_max);
	if (interval->quark >= writer->key_limit)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "attribute %u: there is room for %u",
				 interval->quark, writer->key_limit);
	return error_set(error, HISTREE_ERR_TIME_RANGE,
			 "an interval from %lld to %lld in a history that starts at %lld",
			 (long long)interval->start, (long long)interval->end, (long long)writer->options.start);
}

enum histree_status tree_writer_add(struct tree_writer *writer, const struct histree_interval *interval,
				    struct histree_error *error)
{
	if (!is_acceptable(writer, interval))
		return refuse(writer, interval, error);
	bool clusters = writer->options.variant->clusters;
	enum histree_status status =
		clusters ? cluster_add(&writer->cluster, interval, error) : add_to_branch(writer, interval, error);
	if (status != HISTREE_OK)
		return status;
	if (interval->end > writer->added_end)
		writer->added_end = interval->end;
	if (!clusters)
		writer->tree_end = writer->added_end;
	if (interval->quark >= writer->key_count)
		writer->key_count = (uint64_t)interval->quark + 1;
	writer->output.statistics.interval_count++;
	if (interval->value.type == HISTREE_NULL)
		writer->output.statistics.null_count++;
	if (interval->value.type == HISTREE_UNKNOWN)
		writer->has_unknown = true;
	return HISTREE_OK;
}

/* ---- the end ------------------------------------------------------------------------------------------ */

/* Close the branch up to the top, which becomes the root. */
static enum histree_status close_branch(struct tree_writer *writer, struct node_child *root,
					struct histree_error *error)
{
	for (uint32_t height = writer->bottom; height < top_of(writer); height++) {
		enum histree_status status = close_node(writer, height, error);
		if (status != HISTREE_OK)
			return status;
	}
	return tree_output_node(&writer->output, &writer->open[top_of(writer)], writer->tree_end, root, error);
}

/* A history that fits into one R-tree is that R-tree, without a branch above it. */
static enum histree_status close_with_buffer(struct tree_writer *writer, struct node_child *root,
					     struct histree_error *error)
{
	const struct node_builder *bottom = &writer->open[writer->bottom];
	bool first = writer->bottom == top_of(writer) && bottom->child_count == 0 && writer->buffer.count > 0;
	enum histree_status status = HISTREE_OK;
	if (first) {
		status = r_buffer_build(&writer->buffer, &writer->output, writer->bottom, root, error);
		if (status != HISTREE_OK || writer->buffer.count == 0)
			return status;
		if (node_builder_add_child(&writer->open[writer->bottom], root) != HISTREE_OK)
			return error_memory(error, "a node");
	}
	while (status == HISTREE_OK && writer->buffer.count > 0)
		status = flush_buffer(writer, error);
	return status == HISTREE_OK ? close_branch(writer, root, error) : status;
}

/* The same for one that fits into one leaf of columns, or of segments. */
static enum histree_status close_with_leaves(struct tree_writer *writer, struct node_child *root,
					     struct histree_error *error)
{
	const struct node_builder *bottom = &writer->open[writer->bottom];
	if (writer->bottom == top_of(writer) && bottom->child_count == 1) {
		*root = bottom->children[0];
		return HISTREE_OK;
	}
	return close_branch(writer, root, error);
}

enum histree_status tree_writer_finish(struct tree_writer *writer, histree_time end, uint32_t key_count,
				       struct histree_error *error)
{
	const struct tree_variant *variant = writer->options.variant;
	bool last_time = end == INT64_MAX && !variant->segments;
	if (end < writer->added_end || last_time || key_count < writer->key_count)
		return error_set(
			error, HISTREE_ERR_TIME_RANGE,
			"a tree that ends at %lld with %u keys, but has intervals to %lld and keys to %llu",
			(long long)end, key_count, (long long)writer->added_end,
			(unsigned long long)writer->key_count);
	enum histree_status status = variant->clusters ? cluster_finish(&writer->cluster, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	writer->tree_end = end;

	struct node_child root;
	if (variant->clusters || variant->segments)
		status = close_with_leaves(writer, &root, error);
	else if (has_buffer(writer))
		status = close_with_buffer(writer, &root, error);
	else
		status = close_branch(writer, &root, error);
	if (status != HISTREE_OK)
		return status;
	struct tree_shape shape = {
		.variant = writer->options.variant,
		.layout = writer->output.layout,
		.r_depth = has_buffer(writer) ? writer->bottom : 0,
		.fan_out = writer->options.fan_out,
		.root = root.number,
		.node_count = writer->output.node_count,
		.key_count = key_count,
		.start = writer->options.start,
		.end = end,
	};
	if (writer->has_unknown)
		block_file_has_unknown(writer->output.file);
	tree_statistics_finish(&writer->output.statistics, key_count);
	status = tree_shape_write(&shape, writer->output.file, error);
	if (status == HISTREE_OK)
		status = tree_statistics_write(&writer->output.statistics, writer->output.file, error);
	if (status == HISTREE_OK && variant->clusters)
		status = lifetimes_write(&writer->cluster.writer.lifetimes, key_count, writer->options.start, end,
					 writer->output.file, error);
	return status;
}

void tree_writer_free(struct tree_writer *writer)
{
	if (writer == NULL)
		return;
	/* First of all: its thread may still write. */
	if (writer->options.variant->clusters)
		cluster_release(&writer->cluster);
	for (size_t height = 0; height < writer->open_count; height++)
		node_builder_release(&writer->open[height]);
	free(writer->open);
	r_buffer_release(&writer->buffer);
	tree_output_release(&writer->output);
	free(writer);
}
