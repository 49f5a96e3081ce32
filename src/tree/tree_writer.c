// SPDX-License-Identifier: MIT
/*
 * tree_writer.c - how a tree grows: intervals go into the open leaf, full nodes are sealed, numbered and written,
 * and the open branch from the root to the leaf holds what is not.
 */
#include "tree/tree_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/costly.h"
#include "base/crew.h"
#include "base/error.h"
#include "histree/status.h"
#include "histree/value.h"
#include "node/column_builder.h"
#include "node/node_builder.h"
#include "node/node_view.h"
#include "node/segment_node.h"
#include "store/block_file.h"
#include "tree/edge_nulls.h"
#include "tree/leaf_pack.h"
#include "tree/tree_shape.h"

enum { INSERTER_INTERVALS = 16384, INSERTER_BYTES = 128 << 10 };

struct inserter_block {
	struct histree_interval *intervals; /* room for INSERTER_INTERVALS */
	size_t count;
	uint8_t *bytes; /* of their values; NULL: none had any yet */
	size_t used, room;
};

struct tree_inserter {
	tree_insert insert;
	void *context;
	struct inserter_block blocks[2];
	unsigned filling;
	struct crew *crew;
	struct crew_task task;
	enum histree_status status; /* of what was handed over; read when the task is finished */
	struct histree_error error;
};

/* ---- tree output --------------------------------------------------------------------------------------------- */

static enum histree_status tree_output_init(struct tree_output *output, struct block_file *file,
					    struct node_layout layout, struct histree_error *error)
{
	*output = (struct tree_output){ .file = file, .layout = layout };
	output->block = malloc(layout.node_size);
	return output->block != NULL ? HISTREE_OK : error_memory(error, "a node");
}

static enum histree_status check_room(const struct tree_output *output, struct histree_error *error)
{
	if (output->node_count < UINT32_MAX)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_TOO_LARGE, "'%s': more than %u nodes; use a greater node size",
			 block_file_path(output->file), UINT32_MAX);
}

static bool is_child_within(const struct node_layout *layout, const struct node_view *node,
			    const struct node_child *child)
{
	bool has_end = (layout->child_bounds & NODE_CHILD_END) != 0;
	return child->number < node->number && child->start >= node->start && (!has_end || child->end <= node->end);
}

/*
 * Returns whether the sealed block can be read and has the bounds that its parent gets.  node_view() asserts the
 * same of the blocks that are opened.
 */
static bool is_sealed(const struct tree_output *output, uint32_t height, uint32_t used,
		      const struct node_child *bounds)
{
	if (node_check(&output->layout, output->block, output->node_count, NULL) != HISTREE_OK)
		return false;
	const struct node_view node = node_view(&output->layout, output->block);
	for (uint32_t i = 0; i < node.child_count; i++) {
		const struct node_child child = node_view_child(&node, i);
		if (!is_child_within(&output->layout, &node, &child))
			return false;
	}
	return bounds->number == node.number && node.height == height && node.used == used &&
	       node.start == bounds->start && node.end == bounds->end;
}

/* Count and write the block that was sealed. */
static enum histree_status write_block(struct tree_output *output, uint32_t height, uint32_t used,
				       histree_quark key_min, histree_quark key_max, struct histree_error *error)
{
	if (tree_statistics_count_node(&output->statistics, height, used, key_min, key_max) != HISTREE_OK)
		return error_memory(error, "a node");
	bool cut = output->layout.columns || output->layout.segments;
	uint32_t size = cut ? node_cut_size(used) : output->layout.node_size;
	return block_file_write_part(output->file, output->node_count++, output->block, size, error);
}

enum histree_status tree_output_node(struct tree_output *output, struct node_builder *builder, histree_time end,
				     struct node_child *child, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t used = node_builder_seal(builder, output->node_count, end, output->block, child);
	if (used == 0)
		return error_memory(error, "a node");
	costly_assert(is_sealed(output, builder->height, used, child));
	return write_block(output, builder->height, used, builder->key_min, builder->key_max, error);
}

enum histree_status tree_output_leaf(struct tree_output *output, struct column_builder *builder,
				     struct node_child *child, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t used = column_builder_seal(builder, &output->layout, output->node_count, output->block, child);
	costly_assert(is_sealed(output, 0, used, child));
	return write_block(output, 0, used, child->key_min, child->key_max, error);
}

enum histree_status tree_output_sealed(struct tree_output *output, const uint8_t *bytes, uint32_t used,
				       struct node_child *bounds, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	assert(used <= output->layout.node_size);
	memcpy(output->block, bytes, used);
	node_clear_behind(output->block, used, output->layout.node_size);
	bounds->number = output->node_count;
	node_set_number(output->block, bounds->number);
	costly_assert(is_sealed(output, 0, used, bounds));
	return write_block(output, 0, used, bounds->key_min, bounds->key_max, error);
}

enum histree_status tree_output_segments(struct tree_output *output, struct segment_builder *builder,
					 struct node_child *child, struct histree_error *error)
{
	enum histree_status status = check_room(output, error);
	if (status != HISTREE_OK)
		return status;
	uint32_t used = segment_builder_seal(builder, &output->layout, output->node_count, output->block, child);
	costly_assert(is_sealed(output, 0, used, child));
	return write_block(output, 0, used, child->key_min, child->key_max, error);
}

/*
 * Copy an output for the nodes that come after those of now.  If memory is out, `copy` is to be released all the
 * same.
 */
static enum histree_status tree_output_copy(const struct tree_output *output, struct block_file *file,
					    struct tree_output *copy)
{
	enum histree_status status = tree_output_init(copy, file, output->layout, NULL);
	copy->node_count = output->node_count;
	return status == HISTREE_OK ? tree_statistics_copy(&output->statistics, &copy->statistics) : status;
}

static void tree_output_release(struct tree_output *output)
{
	free(output->block);
	tree_statistics_release(&output->statistics);
}

/* ---- tree branch --------------------------------------------------------------------------------------------- */

static void assert_open_node(const struct tree_branch *branch, uint32_t height)
{
	const struct node_builder *node = &branch->open[height];
	assert(node->height == height && node->layout == &branch->output.layout);
	assert(node->child_count + (height > branch->bottom ? 1 : 0) <= branch->output.layout.child_capacity);
	if (height == tree_branch_top(branch))
		assert(node->start == branch->start);
	else
		assert(node->start >= branch->open[height + 1].start);
	if (node->child_count > 0) {
		const struct node_child *last = &node->children[node->child_count - 1];
		assert(last->number < branch->output.node_count);
		assert(last->start >= node->start && last->end <= branch->end);
	}
}

/* Assert the invariants that tree_writer.h lists. */
static void tree_assert_branch(const struct tree_branch *branch)
{
	assert(branch->open_count > branch->bottom);
	for (uint32_t height = branch->bottom; height <= tree_branch_top(branch); height++)
		assert_open_node(branch, height);
}

/* Prepare a zeroed branch, which has no node until tree_branch_open(). */
static enum histree_status tree_branch_init(struct tree_branch *branch, struct block_file *file,
					    const struct tree_options *options, struct histree_error *error)
{
	branch->variant = options->variant;
	branch->start = branch->end = options->start;
	const struct node_layout layout =
		tree_variant_layout(options->variant, options->node_size, options->fan_out);
	return tree_output_init(&branch->output, file, layout, error);
}

/* Open a level more: its node becomes the top. */
static enum histree_status open_top(struct tree_branch *branch, struct histree_error *error)
{
	if (branch->open_count > UINT16_MAX)
		return error_set(error, HISTREE_ERR_TOO_LARGE,
				 "the tree is more than %d levels deep; use another variant or a greater node size",
				 UINT16_MAX);
	if (!array_reserve(&branch->open, &branch->open_capacity, branch->open_count + 1))
		return error_memory(error, "a level of the tree");
	struct node_builder *builder = &branch->open[branch->open_count++];
	*builder = (struct node_builder){ 0 };
	node_builder_begin(builder, &branch->output.layout, tree_branch_top(branch), branch->start);
	return HISTREE_OK;
}

enum histree_status tree_branch_open(struct tree_branch *branch, uint32_t bottom, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	branch->bottom = bottom;
	while (status == HISTREE_OK && branch->open_count <= bottom)
		status = open_top(branch, error);
	return status;
}

/*
 * Copy a branch into a zeroed one that writes the nodes which come after those of now to `file`.  Fails with
 * HISTREE_ERR_MEMORY only; `copy` is to be released also then.
 */
static enum histree_status tree_branch_copy(const struct tree_branch *branch, struct block_file *file,
					    struct tree_branch *copy)
{
	copy->variant = branch->variant;
	copy->bottom = branch->bottom;
	copy->start = branch->start;
	copy->end = branch->end;
	enum histree_status status = tree_output_copy(&branch->output, file, &copy->output);
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&copy->open, &copy->open_capacity, branch->open_count))
		return HISTREE_ERR_MEMORY;
	for (; status == HISTREE_OK && copy->open_count < branch->open_count; copy->open_count++)
		status = node_builder_copy(&branch->open[copy->open_count], &copy->output.layout,
					   &copy->open[copy->open_count]);
	return status;
}

static void tree_branch_release(struct tree_branch *branch)
{
	for (size_t height = 0; height < branch->open_count; height++)
		node_builder_release(&branch->open[height]);
	free(branch->open);
	tree_output_release(&branch->output);
}

/* ---- growing ------------------------------------------------------------------------------------------ */

enum histree_status tree_branch_add_child(struct tree_branch *branch, const struct node_child *child,
					  struct histree_error *error)
{
	if (node_builder_add_child(&branch->open[branch->bottom], child) != HISTREE_OK)
		return error_memory(error, "a node");
	return HISTREE_OK;
}

/* Close the open node of a height and tell the one above, which exists. */
static enum histree_status close_node(struct tree_branch *branch, uint32_t height, struct histree_error *error)
{
	struct node_child child;
	enum histree_status status =
		tree_output_node(&branch->output, &branch->open[height], branch->end, &child, error);
	if (status == HISTREE_OK && node_builder_add_child(&branch->open[height + 1], &child) != HISTREE_OK)
		status = error_memory(error, "a node");
	return status;
}

bool tree_branch_has_room(const struct tree_branch *branch, uint32_t height)
{
	size_t children = branch->open[height].child_count + (height > branch->bottom ? 1 : 0);
	return children < branch->output.layout.child_capacity;
}

enum histree_status tree_branch_add_sibling(struct tree_branch *branch, uint32_t height, histree_time start,
					    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (height < tree_branch_top(branch) &&
	       (!tree_branch_has_room(branch, height + 1) || branch->open[height + 1].start > start))
		height++;
	if (height == tree_branch_top(branch))
		status = open_top(branch, error);
	for (uint32_t h = branch->bottom; status == HISTREE_OK && h <= height; h++)
		status = close_node(branch, h, error);
	if (status != HISTREE_OK)
		return status;
	for (uint32_t h = branch->bottom; h <= height; h++)
		node_builder_begin(&branch->open[h], &branch->output.layout, h, start);
	tree_assert_branch(branch);
	return HISTREE_OK;
}

enum histree_status tree_branch_raise_bottom(struct tree_branch *branch, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (branch->bottom == tree_branch_top(branch))
		status = open_top(branch, error);
	if (status == HISTREE_OK)
		status = close_node(branch, branch->bottom, error);
	if (status != HISTREE_OK)
		return status;
	branch->bottom++;
	tree_assert_branch(branch);
	return HISTREE_OK;
}

enum histree_status tree_branch_attach(struct tree_branch *branch, const struct node_child *leaf,
				       histree_time start, struct histree_error *error)
{
	uint32_t height = branch->bottom;
	assert(start <= leaf->start && start >= branch->start);
	while (leaf->start < branch->open[height].start || !tree_branch_has_room(branch, height)) {
		if (leaf->start < branch->open[height].start) {
			height++;
			continue;
		}
		enum histree_status status = tree_branch_add_sibling(branch, height, start, error);
		if (status != HISTREE_OK)
			return status;
		height = branch->bottom;
	}
	if (node_builder_add_child(&branch->open[height], leaf) != HISTREE_OK)
		return error_memory(error, "a node");
	branch->end = leaf->end > branch->end ? leaf->end : branch->end;
	return HISTREE_OK;
}

/* ---- closing ------------------------------------------------------------------------------------------ */

enum histree_status tree_branch_close(struct tree_branch *branch, uint32_t *root, struct histree_error *error)
{
	tree_assert_branch(branch);
	uint32_t top = tree_branch_top(branch);
	for (uint32_t height = branch->bottom; height < top; height++) {
		enum histree_status status = close_node(branch, height, error);
		if (status != HISTREE_OK)
			return status;
	}
	struct node_child child = { 0 };
	enum histree_status status =
		tree_output_node(&branch->output, &branch->open[top], branch->end, &child, error);
	*root = child.number;
	return status;
}

enum histree_status tree_branch_close_on_leaves(struct tree_branch *branch, uint32_t *root,
						struct histree_error *error)
{
	const struct node_builder *bottom = &branch->open[branch->bottom];
	if (branch->bottom < tree_branch_top(branch) || bottom->child_count != 1)
		return tree_branch_close(branch, root, error);
	*root = bottom->children[0].number;
	return HISTREE_OK;
}

/* ---- intervals ---------------------------------------------------------------------------------------- */

/*
 * The order of the tests is that of Trace Compass: an interval that does not fit by size makes a sibling at that
 * level and begins again; one that starts before the node tries the level above.  It ends, because a new leaf is
 * empty and the top starts with the tree.
 */
static inline enum histree_status try_to_add(struct tree_branch *branch, uint32_t height,
					     const struct histree_interval *interval, struct histree_error *error)
{
	for (;; height++) {
		assert(height <= tree_branch_top(branch));
		struct node_builder *builder = &branch->open[height];
		if (!node_builder_fits(builder, interval)) {
			histree_time start = branch->variant->branch_start(interval->start, branch->end);
			enum histree_status status = tree_branch_add_sibling(branch, height, start, error);
			return status == HISTREE_OK ? HISTREE_NOT_FOUND : status;
		}
		if (interval->start >= builder->start) {
			enum histree_status status = node_builder_add(builder, interval);
			return status == HISTREE_OK ? HISTREE_OK : error_memory(error, "a node");
		}
	}
}

enum histree_status tree_branch_try(struct tree_branch *branch, uint32_t height,
				    const struct histree_interval *interval, struct histree_error *error)
{
	return try_to_add(branch, height, interval, error);
}

/* ---- as a source of leaves ---------------------------------------------------------------------------- */

static enum histree_status create_from_leaves(struct tree_branch *branch, const struct tree_options *options,
					      void **out, struct histree_error *error)
{
	(void)options;
	*out = branch;
	return tree_branch_open(branch, 0, error);
}

static enum histree_status create_above_leaves(struct tree_branch *branch, const struct tree_options *options,
					       void **out, struct histree_error *error)
{
	(void)options;
	*out = branch;
	return tree_branch_open(branch, 1, error);
}

static enum histree_status add_one(void *leaves, const struct histree_interval *interval,
				   struct histree_error *error)
{
	struct tree_branch *branch = leaves;
	enum histree_status status;
	do
		status = try_to_add(branch, 0, interval, error);
	while (status == HISTREE_NOT_FOUND);
	if (status == HISTREE_OK && interval->end > branch->end)
		branch->end = interval->end;
	return status;
}

static enum histree_status add(void *leaves, const struct histree_interval *intervals, size_t count,
			       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = add_one(leaves, &intervals[i], error);
	return status;
}

/* The writer has copied the branch. */
static enum histree_status take_copy(const void *leaves, struct tree_branch *branch, void **out)
{
	(void)leaves;
	*out = branch;
	return HISTREE_OK;
}

static enum histree_status finish(void *leaves, histree_time end, struct tree_shape *shape,
				  struct histree_error *error)
{
	struct tree_branch *branch = leaves;
	branch->end = end;
	return tree_branch_close(branch, &shape->root, error);
}

static enum histree_status finish_above_leaves(void *leaves, histree_time end, struct tree_shape *shape,
					       struct histree_error *error)
{
	struct tree_branch *branch = leaves;
	branch->end = end;
	return tree_branch_close_on_leaves(branch, &shape->root, error);
}

/* The writer releases the branch. */
static void free_nothing(void *leaves)
{
	(void)leaves;
}

const struct leaf_source leaves_of_branch = {
	.key_limit = HISTREE_ROOT,
	.create = create_from_leaves,
	.add = add,
	.copy = take_copy,
	.finish = finish,
	.free = free_nothing,
};

const struct leaf_source leaves_attached = {
	.key_limit = 0,
	.create = create_above_leaves,
	.copy = take_copy,
	.finish = finish_above_leaves,
	.free = free_nothing,
};

/* ---- tree inserter ------------------------------------------------------------------------------------------- */

static bool tree_inserter_insert(void *context);

/* Returns NULL if memory is out. */
static struct tree_inserter *tree_inserter_create(struct crew *crew, tree_insert insert_into, void *context)
{
	struct tree_inserter *inserter = calloc(1, sizeof(*inserter));
	if (inserter == NULL)
		return NULL;
	inserter->crew = crew;
	inserter->task = (struct crew_task){ .step = tree_inserter_insert, .context = inserter };
	inserter->insert = insert_into;
	inserter->context = context;
	for (unsigned i = 0; i < 2; i++)
		inserter->blocks[i].intervals = calloc(INSERTER_INTERVALS, sizeof(struct histree_interval));
	if (inserter->blocks[0].intervals != NULL && inserter->blocks[1].intervals != NULL)
		return inserter;
	for (unsigned i = 0; i < 2; i++)
		free(inserter->blocks[i].intervals);
	free(inserter);
	return NULL;
}

/* ---- handing over ------------------------------------------------------------------------------------------ */

/* The block that is not being filled.  After an error blocks go by. */
static bool tree_inserter_insert(void *context)
{
	struct tree_inserter *inserter = context;
	struct inserter_block *block = &inserter->blocks[1 - inserter->filling];
	if (inserter->status == HISTREE_OK)
		inserter->status =
			inserter->insert(inserter->context, block->intervals, block->count, &inserter->error);
	block->count = block->used = 0;
	return false;
}

static enum histree_status wait(struct tree_inserter *inserter, struct histree_error *error)
{
	crew_finish(inserter->crew, &inserter->task);
	if (inserter->status == HISTREE_OK)
		return HISTREE_OK;
	return error_set(error, inserter->status, "%s", inserter->error.message);
}

static enum histree_status hand_over(struct tree_inserter *inserter, struct histree_error *error)
{
	enum histree_status status = wait(inserter, error);
	inserter->filling = 1 - inserter->filling;
	crew_start(inserter->crew, &inserter->task);
	return status;
}

/* ---- adding ------------------------------------------------------------------------------------------------ */

static inline bool has_bytes(const struct histree_interval *interval)
{
	return interval->value.type == HISTREE_STRING || interval->value.type == HISTREE_CUSTOM;
}

/* Returns whether the block has room for the bytes of a value; an empty block may grow. */
static bool has_room(struct inserter_block *block, size_t size, bool *no_memory)
{
	if (size <= block->room - block->used)
		return true;
	if (block->used > 0)
		return false;
	size_t room = size > INSERTER_BYTES ? size : INSERTER_BYTES;
	uint8_t *bytes = realloc(block->bytes, room);
	*no_memory = bytes == NULL;
	if (bytes == NULL)
		return false;
	block->bytes = bytes;
	block->room = room;
	return true;
}

static enum histree_status add_with_bytes(struct tree_inserter *inserter, const struct histree_interval *interval,
					  struct histree_error *error)
{
	struct inserter_block *block = &inserter->blocks[inserter->filling];
	enum histree_status status = HISTREE_OK;
	bool no_memory = false;
	while (status == HISTREE_OK && !has_room(block, interval->value.size, &no_memory)) {
		if (no_memory)
			return error_memory(error, "a value");
		status = hand_over(inserter, error);
		block = &inserter->blocks[inserter->filling];
	}
	if (status != HISTREE_OK)
		return status;
	struct histree_interval *copy = &block->intervals[block->count++];
	*copy = *interval;
	copy->value.bytes = block->bytes + block->used;
	if (interval->value.size > 0)
		memcpy(block->bytes + block->used, interval->value.bytes, interval->value.size);
	block->used += interval->value.size;
	return HISTREE_OK;
}

/* The bytes of values are copied.  Returns the error that intervals added before have met, too. */
static enum histree_status tree_inserter_add(struct tree_inserter *inserter,
					     const struct histree_interval *intervals, size_t count,
					     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		struct inserter_block *block = &inserter->blocks[inserter->filling];
		if (!has_bytes(&intervals[i]))
			block->intervals[block->count++] = intervals[i];
		else
			status = add_with_bytes(inserter, &intervals[i], error);
		block = &inserter->blocks[inserter->filling];
		if (status == HISTREE_OK && block->count == INSERTER_INTERVALS)
			status = hand_over(inserter, error);
	}
	return status;
}

/* Wait until all is inserted: what is inserted into is the caller's until the next call. */
static enum histree_status tree_inserter_wait(struct tree_inserter *inserter, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (inserter->blocks[inserter->filling].count > 0)
		status = hand_over(inserter, error);
	enum histree_status rest = wait(inserter, error);
	return status != HISTREE_OK ? status : rest;
}

/* What was not handed over is not inserted.  NULL is fine. */
static void tree_inserter_free(struct tree_inserter *inserter)
{
	if (inserter == NULL)
		return;
	crew_finish(inserter->crew, &inserter->task);
	for (unsigned i = 0; i < 2; i++) {
		free(inserter->blocks[i].intervals);
		free(inserter->blocks[i].bytes);
	}
	free(inserter);
}

/* ---- tree writer --------------------------------------------------------------------------------------------- */

/* What was added so far. */
struct tree_added {
	histree_time end;   /* the greatest */
	uint64_t key_count; /* greatest key + 1 */
	uint64_t intervals, nulls;
	bool has_unknown; /* among the values */
};

struct tree_writer {
	const struct leaf_source *source;
	void *leaves; /* of the source */
	struct tree_options options;
	struct tree_added added;
	size_t value_size_max;
	struct edge_nulls edges;   /* if the source does not see to them itself */
	struct tree_branch branch; /* the source's while it has a task at work (tree_shape.h) */
	struct crew own_crew;      /* used where the options have no crew */
	/* NULL: none.  While it is not waited for, all but `added` and what never changes is its task's. */
	struct tree_inserter *inserter;
};

static enum histree_status tree_writer_insert(void *context, const struct histree_interval *intervals, size_t count,
					      struct histree_error *error);

/* Of the threads for which a variant has work, the inserter is the last. */
static bool wants_inserter(const struct tree_options *options)
{
	return options->crew != NULL && options->threads == options->variant->threads_max;
}

/* If no thread can be started, the caller's thread does all the work. */
static void take_crew(struct tree_writer *writer)
{
	struct tree_options *options = &writer->options;
	if (options->threads < 2)
		options->crew = NULL;
	else if (options->crew == NULL && crew_begin(&writer->own_crew, options->threads - 1))
		options->crew = &writer->own_crew;
}

/* From here on until something is added, no other thread inserts. */
static enum histree_status wait_for_inserter(const struct tree_writer *writer, struct histree_error *error)
{
	return writer->inserter != NULL ? tree_inserter_wait(writer->inserter, error) : HISTREE_OK;
}

enum histree_status tree_writer_create(struct block_file *file, const struct tree_options *options,
				       struct tree_writer **out, struct histree_error *error)
{
	*out = NULL;
	struct tree_writer *writer = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "a tree");
	writer->source = options->variant->source;
	writer->options = *options;
	writer->added.end = options->start;
	take_crew(writer);
	options = &writer->options;
	edge_nulls_init(&writer->edges, options);
	enum histree_status status = tree_branch_init(&writer->branch, file, options, error);
	if (status == HISTREE_OK)
		status = writer->source->create(&writer->branch, options, &writer->leaves, error);
	if (status != HISTREE_OK) {
		tree_writer_free(writer);
		return status;
	}
	writer->value_size_max = node_value_size_max(&writer->branch.output.layout);
	if (wants_inserter(options)) /* without memory for it, the caller's thread inserts */
		writer->inserter = tree_inserter_create(options->crew, tree_writer_insert, writer);
	tree_assert_branch(&writer->branch);
	*out = writer;
	return HISTREE_OK;
}

void tree_writer_free(struct tree_writer *writer)
{
	if (writer == NULL)
		return;
	/* First of all: a crew may still write. */
	tree_inserter_free(writer->inserter);
	writer->source->free(writer->leaves);
	if (writer->options.crew == &writer->own_crew)
		crew_end(&writer->own_crew);
	edge_nulls_release(&writer->edges);
	tree_branch_release(&writer->branch);
	free(writer);
}

/* ---- copies ------------------------------------------------------------------------------------------- */

enum histree_status tree_writer_wait(struct tree_writer *writer, struct histree_error *error)
{
	enum histree_status status = wait_for_inserter(writer, error);
	if (status == HISTREE_OK && writer->source->wait != NULL)
		status = writer->source->wait(writer->leaves, error);
	return status;
}

enum histree_status tree_writer_copy(const struct tree_writer *writer, struct block_file *file,
				     struct tree_writer **out, struct histree_error *error)
{
	*out = NULL;
	struct tree_writer *copy = calloc(1, sizeof(*copy));
	if (copy == NULL)
		return error_memory(error, "a tree");
	tree_assert_branch(&writer->branch);
	copy->source = writer->source;
	copy->options = writer->options;
	copy->options.crew = NULL;
	copy->added = writer->added;
	copy->value_size_max = writer->value_size_max;
	enum histree_status status = tree_branch_copy(&writer->branch, file, &copy->branch);
	if (status == HISTREE_OK)
		status = copy->source->copy(writer->leaves, &copy->branch, &copy->leaves);
	if (status == HISTREE_OK && !edge_nulls_copy(&writer->edges, &copy->edges))
		status = HISTREE_ERR_MEMORY;
	if (status != HISTREE_OK) {
		tree_writer_free(copy);
		return error_memory(error, "a tree");
	}
	tree_assert_branch(&copy->branch);
	*out = copy;
	return HISTREE_OK;
}

/* ---- adding ------------------------------------------------------------------------------------------- */

size_t tree_writer_value_size_max(const struct tree_writer *writer)
{
	return writer->value_size_max;
}

/* Returns whether the tree takes an interval: what every interval is asked, in one condition. */
static inline bool is_acceptable(const struct tree_writer *writer, const struct histree_interval *interval)
{
	/* The interval after it starts at end + 1: no end may be the last time there is. */
	return interval->start >= writer->options.start && interval->end >= interval->start &&
	       interval->end != INT64_MAX && interval->value.size <= writer->value_size_max &&
	       interval->quark < writer->source->key_limit;
}

static __attribute__((cold, noinline)) enum histree_status
refuse(const struct tree_writer *writer, const struct histree_interval *interval, struct histree_error *error)
{
	if (interval->value.size > writer->value_size_max)
		return error_set(
			error, HISTREE_ERR_TOO_LARGE,
			"a value of %u bytes: nodes of this size take %zu at most; use a greater node size",
			interval->value.size, writer->value_size_max);
	if (interval->quark >= writer->source->key_limit)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "attribute %u: there is room for %u",
				 interval->quark, writer->source->key_limit);
	return error_set(error, HISTREE_ERR_TIME_RANGE,
			 "an interval from %lld to %lld in a history that starts at %lld",
			 (long long)interval->start, (long long)interval->end, (long long)writer->options.start);
}

static inline void note_added(struct tree_added *added, const struct histree_interval *interval)
{
	added->end = interval->end > added->end ? interval->end : added->end;
	added->key_count = interval->quark < added->key_count ? added->key_count : (uint64_t)interval->quark + 1;
	added->nulls += interval->value.type == HISTREE_NULL;
	added->has_unknown |= interval->value.type == HISTREE_UNKNOWN;
	added->intervals++;
}

/* Returns how many of the intervals, from the first on, the tree takes, and counts them. */
static inline size_t accept(struct tree_writer *writer, const struct histree_interval *intervals, size_t count)
{
	size_t accepted = 0;
	for (; accepted < count && is_acceptable(writer, &intervals[accepted]); accepted++)
		note_added(&writer->added, &intervals[accepted]);
	return accepted;
}

/* Those which are nulls at an end go to the lifetimes, and all others to the leaves. */
static enum histree_status add_without_edges(struct tree_writer *writer, const struct histree_interval *intervals,
					     size_t count, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (!edge_nulls_take(&writer->edges, &intervals[i]))
			status = writer->source->add(writer->leaves, &intervals[i], 1, error);
		if (status == HISTREE_OK)
			status = edge_nulls_see(&writer->edges, &intervals[i], error);
	}
	return status;
}

static inline enum histree_status insert_now(struct tree_writer *writer, const struct histree_interval *intervals,
					     size_t count, struct histree_error *error)
{
	return writer->edges.are_left_out ? add_without_edges(writer, intervals, count, error)
					  : writer->source->add(writer->leaves, intervals, count, error);
}

static enum histree_status tree_writer_insert(void *context, const struct histree_interval *intervals, size_t count,
					      struct histree_error *error)
{
	return insert_now(context, intervals, count, error);
}

enum histree_status tree_writer_add(struct tree_writer *writer, const struct histree_interval *intervals,
				    size_t count, size_t *added, struct histree_error *error)
{
	size_t accepted = accept(writer, intervals, count); /* after a failure, the count is not used */
	enum histree_status status = writer->inserter != NULL
					     ? tree_inserter_add(writer->inserter, intervals, accepted, error)
					     : insert_now(writer, intervals, accepted, error);
	*added = status == HISTREE_OK ? accepted : 0;
	return status == HISTREE_OK && accepted < count ? refuse(writer, &intervals[accepted], error) : status;
}

enum histree_status tree_writer_add_one(struct tree_writer *writer, const struct histree_interval *interval,
					struct histree_error *error)
{
	if (!is_acceptable(writer, interval))
		return refuse(writer, interval, error);
	note_added(&writer->added, interval);
	return writer->inserter != NULL ? tree_inserter_add(writer->inserter, interval, 1, error)
					: insert_now(writer, interval, 1, error);
}

enum histree_status tree_writer_count(struct tree_writer *writer, const struct histree_interval *interval,
				      struct histree_error *error)
{
	if (!is_acceptable(writer, interval))
		return refuse(writer, interval, error);
	enum histree_status status = wait_for_inserter(writer, error);
	if (status == HISTREE_OK && writer->source->count != NULL &&
	    writer->source->count(writer->leaves, interval) != HISTREE_OK)
		status = error_memory(error, "the lifetimes of attributes");
	if (status == HISTREE_OK)
		status = edge_nulls_see(&writer->edges, interval, error);
	if (status == HISTREE_OK)
		note_added(&writer->added, interval);
	return status;
}

void tree_writer_close_at(struct tree_writer *writer, histree_time end)
{
	if (wait_for_inserter(writer, NULL) != HISTREE_OK)
		return; /* the next call to add or finish returns the error */
	edge_nulls_close_at(&writer->edges, end);
	if (writer->source->close_at != NULL)
		writer->source->close_at(writer->leaves, end);
}

enum histree_status tree_writer_leave_out(struct tree_writer *writer, histree_quark key,
					  struct histree_error *error)
{
	enum histree_status status = wait_for_inserter(writer, error);
	if (status == HISTREE_OK)
		status = edge_nulls_leave_out(&writer->edges, key, error);
	if (status == HISTREE_OK) { /* readers see its null, as for every key */
		writer->added.intervals++;
		writer->added.nulls++;
	}
	return status;
}

struct tree_output *tree_writer_output(struct tree_writer *writer)
{
	return &writer->branch.output;
}

enum histree_status tree_writer_attach(struct tree_writer *writer, const struct node_child *leaf, size_t count,
				       struct histree_error *error)
{
	assert(writer->source == &leaves_attached);
	enum histree_status status = tree_branch_attach(&writer->branch, leaf, writer->options.start, error);
	if (status != HISTREE_OK)
		return status;
	writer->added.intervals += count;
	writer->added.end = writer->branch.end;
	return HISTREE_OK;
}

enum histree_status tree_writer_begin_pack(struct tree_writer *writer, size_t kept_max, struct leaf_pack **out,
					   struct histree_error *error)
{
	*out = NULL;
	return writer->source->begin_pack != NULL
		       ? writer->source->begin_pack(writer->leaves, &writer->options, kept_max, out, error)
		       : HISTREE_NOT_FOUND;
}

enum histree_status tree_writer_take_pack(struct tree_writer *writer, const struct leaf_pack *pack,
					  struct histree_error *error)
{
	const struct pack_sums sums = leaf_pack_sums(pack);
	struct tree_added *added = &writer->added;
	enum histree_status status = wait_for_inserter(writer, error);
	if (status == HISTREE_OK)
		status = writer->source->take_pack(writer->leaves, pack, error);
	if (status != HISTREE_OK)
		return status;
	added->end = sums.end > added->end ? sums.end : added->end;
	added->key_count = sums.key_count > added->key_count ? sums.key_count : added->key_count;
	added->intervals += sums.intervals;
	added->nulls += sums.nulls;
	added->has_unknown |= sums.has_unknown;
	return HISTREE_OK;
}

/* ---- the end ------------------------------------------------------------------------------------------ */

/* The section of the source comes after those of every tree. */
static enum histree_status write_sections(struct tree_writer *writer, const struct tree_shape *shape,
					  struct histree_error *error)
{
	struct block_file *file = writer->branch.output.file;
	struct tree_statistics *statistics = &writer->branch.output.statistics;
	statistics->interval_count = writer->added.intervals;
	statistics->null_count = writer->added.nulls;
	tree_statistics_finish(statistics, shape->key_count);
	enum histree_status status = tree_shape_write(shape, file, error);
	if (status == HISTREE_OK)
		status = tree_statistics_write(statistics, file, error);
	if (status == HISTREE_OK && writer->source->write_section != NULL)
		status = writer->source->write_section(writer->leaves, shape, file, error);
	if (status == HISTREE_OK && shape->has_lifetimes && !shape->variant->has_lifetimes)
		status = edge_nulls_write(&writer->edges, shape, file, error);
	return status;
}

enum histree_status tree_writer_finish(struct tree_writer *writer, histree_time end, uint32_t key_count,
				       struct histree_error *error)
{
	const struct tree_added *added = &writer->added;
	if (end < added->end || end > writer->options.variant->end_max || key_count < added->key_count)
		return error_set(
			error, HISTREE_ERR_TIME_RANGE,
			"a tree that ends at %lld with %u keys, but has intervals to %lld and keys to %llu",
			(long long)end, key_count, (long long)added->end, (unsigned long long)added->key_count);
	enum histree_status status = wait_for_inserter(writer, error);
	if (status != HISTREE_OK)
		return status;
	struct tree_shape shape = {
		.variant = writer->options.variant,
		.layout = writer->branch.output.layout,
		.fan_out = writer->options.fan_out,
		.key_count = key_count,
		.has_lifetimes = writer->options.variant->has_lifetimes || edge_nulls_has_any(&writer->edges),
		.start = writer->options.start,
		.end = end,
	};
	status = writer->source->finish(writer->leaves, end, &shape, error);
	if (status != HISTREE_OK)
		return status;
	shape.node_count = writer->branch.output.node_count;
	if (added->has_unknown)
		block_file_has_unknown(writer->branch.output.file);
	return write_sections(writer, &shape, error);
}
