// SPDX-License-Identifier: MIT
/*
 * tree_shape.c - the shape of a tree: the table of variants, what differs between them, and their options with
 * defaults.
 *
 * A wrong combination of options is refused with a sentence; later code relies on resolved options.
 *
 * TREE: variant (4), r depth (4), fan-out (4), root (4), number of keys (4), start (8), end (8).
 *
 * STAT, as varints: intervals, nulls, bytes used, number of heights, nodes at each height, number of buckets,
 * nodes in each bucket.
 *
 * A new variant is a new row of the table of variants; the number in a file identifies the row.
 */
#include "tree/tree_shape.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/crew.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/history.h"
#include "node/node.h"
#include "node/node_builder.h"
#include "store/block_file.h"
#include "tree/batch.h"

/* ---- tree options -------------------------------------------------------------------------------------------- */

enum {
	NODE_SIZE_DEFAULT = 64 << 10,
	FAN_OUT_DEFAULT = 50,
	FAN_OUT_MIN = 2,
	FAN_OUT_MAX = 1000,
	R_DEPTH_MIN = 2,
	R_DEPTH_MAX = 16,
	R_NODES_MIN = 2,
	R_NODES_MAX = 1000,
	MEMORY_DEFAULT = 64 << 20,
	MEMORY_MIN = 1 << 20,
};

static const char variant_default[] = "cluster";

static uint32_t first_set(uint32_t asked, uint32_t of_variant, uint32_t of_all)
{
	return asked != 0 ? asked : of_variant != 0 ? of_variant : of_all;
}

static uint32_t default_node_size(const struct histree_tree_options *asked, const struct tree_variant *variant)
{
	bool has_preference = variant->leaves == LEAVES_OF_COLUMNS && asked->prefer > HISTREE_PREFER_BALANCE &&
			      asked->prefer <= HISTREE_PREFER_SPACE;
	uint32_t preferred = has_preference ? batch_length_of(asked->prefer)->node_size : 0;
	return first_set(preferred, variant->node_size_default, NODE_SIZE_DEFAULT);
}

static enum histree_status check_r_trees(const struct histree_tree_options *asked, const struct tree_options *out,
					 struct histree_error *error)
{
	const struct tree_variant *variant = out->variant;
	bool has_r_trees = variant->r_depth_default != 0;
	if (!has_r_trees && asked->r_depth != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "variant '%s' has no R-tree depth; rsht and vrsht have", variant->name);
	if (asked->r_nodes != 0 && !variant->r_grows)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "variant '%s' does not fit its depth to queries; vrsht does", variant->name);
	if (asked->r_nodes != 0 && (asked->r_nodes < R_NODES_MIN || asked->r_nodes > R_NODES_MAX))
		return error_set(error, HISTREE_ERR_ARGUMENT, "%u nodes for a single query: it may be %d to %d",
				 asked->r_nodes, R_NODES_MIN, R_NODES_MAX);
	if (has_r_trees && (out->r_depth < R_DEPTH_MIN || out->r_depth > R_DEPTH_MAX))
		return error_set(error, HISTREE_ERR_ARGUMENT, "an R-tree of %u levels: it may have %d to %d",
				 out->r_depth, R_DEPTH_MIN, R_DEPTH_MAX);
	return HISTREE_OK;
}

static enum histree_status check_nodes(const struct tree_options *out, struct histree_error *error)
{
	if (out->node_size < BLOCK_SIZE_MIN || out->node_size > BLOCK_SIZE_MAX ||
	    (out->node_size & (out->node_size - 1)) != 0)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a node size of %u bytes: it must be a power of two from %d to %d", out->node_size,
				 BLOCK_SIZE_MIN, BLOCK_SIZE_MAX);
	if (out->fan_out < FAN_OUT_MIN || out->fan_out > FAN_OUT_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a fan-out of %u: it may be %d to %d", out->fan_out,
				 FAN_OUT_MIN, FAN_OUT_MAX);
	return HISTREE_OK;
}

static enum histree_status check_buffers(const struct histree_tree_options *asked, const struct tree_options *out,
					 struct histree_error *error)
{
	const struct tree_variant *variant = out->variant;
	if (asked->prefer < HISTREE_PREFER_BALANCE || asked->prefer > HISTREE_PREFER_SPACE)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no preference %d", (int)asked->prefer);
	if (asked->prefer != HISTREE_PREFER_BALANCE && variant->leaves != LEAVES_OF_COLUMNS)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "variant '%s' is what the papers say, without preferences; cluster has them",
				 variant->name);
	if (out->threads > variant->threads_max)
		return error_set(error, HISTREE_ERR_ARGUMENT, "variant '%s' has work for %u threads, not for %u",
				 variant->name, variant->threads_max, out->threads);
	if (out->memory_max < MEMORY_MIN)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%zu bytes of memory: at least %d are needed",
				 out->memory_max, MEMORY_MIN);
	return HISTREE_OK;
}

uint32_t tree_options_threads(const struct histree_tree_options *asked, uint32_t threads)
{
	const struct tree_variant *variant =
		tree_variant_by_name(asked->variant != NULL ? asked->variant : variant_default);
	if (asked->threads != 0)
		return asked->threads;
	return variant != NULL && threads > variant->threads_max ? variant->threads_max : threads;
}

enum histree_status tree_options_resolve(const struct histree_tree_options *asked, histree_time start,
					 struct tree_options *out, struct histree_error *error)
{
	const char *name = asked->variant != NULL ? asked->variant : variant_default;
	const struct tree_variant *variant = tree_variant_by_name(name);
	if (variant == NULL) {
		char names[128] = "";
		for (size_t i = 0; tree_variants[i] != NULL; i++) {
			size_t length = strlen(names);
			snprintf(names + length, sizeof(names) - length, "%s%s", i == 0 ? "" : ", ",
				 tree_variants[i]->name);
		}
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is no tree variant '%s'; there are %s", name,
				 names);
	}
	*out = (struct tree_options){
		.variant = variant,
		.r_depth = asked->r_depth != 0 ? asked->r_depth : variant->r_depth_default,
		.node_size = asked->node_size != 0 ? asked->node_size : default_node_size(asked, variant),
		.fan_out = first_set(asked->fan_out, variant->fan_out_default, FAN_OUT_DEFAULT),
		.leaves_out_nulls = asked->nulls == HISTREE_NULLS_OF_VARIANT
					    ? variant->leaves_out_nulls
					    : asked->nulls == HISTREE_NULLS_LEFT_OUT,
		.r_nodes = asked->r_nodes,
		.prefer = asked->prefer,
		.start = start,
	};
	out->memory_max = asked->memory_max != 0         ? asked->memory_max
			  : variant->memory_default != 0 ? variant->memory_default
							 : MEMORY_DEFAULT;
	bool has_processors = sysconf(_SC_NPROCESSORS_ONLN) > 1;
	out->threads = asked->threads != 0 ? asked->threads : has_processors ? variant->threads_max - 1 : 1;
	enum histree_status status = check_r_trees(asked, out, error);
	if (status == HISTREE_OK)
		status = check_nodes(out, error);
	if (status == HISTREE_OK)
		status = check_buffers(asked, out, error);
	return status;
}

/* ---- tree shape ---------------------------------------------------------------------------------------------- */

enum { SHAPE_SIZE = 36 };

enum histree_status tree_statistics_count_node(struct tree_statistics *statistics, uint32_t height, uint32_t used,
					       histree_quark key_min, histree_quark key_max)
{
	if (!array_reserve(&statistics->nodes_at_height, &statistics->heights_capacity, (size_t)height + 1) ||
	    !array_reserve(&statistics->key_ranges, &statistics->key_ranges_capacity,
			   statistics->key_range_count + 1))
		return HISTREE_ERR_MEMORY;
	while (statistics->height_count <= height)
		statistics->nodes_at_height[statistics->height_count++] = 0;
	statistics->nodes_at_height[height]++;
	statistics->bytes_used += used;
	if (key_min <= key_max)
		statistics->key_ranges[statistics->key_range_count++] = key_max - key_min;
	return HISTREE_OK;
}

void tree_statistics_finish(struct tree_statistics *statistics, uint32_t key_count)
{
	for (size_t i = 0; i < statistics->key_range_count; i++) {
		uint64_t bucket = (uint64_t)statistics->key_ranges[i] * HISTREE_KEY_RANGE_BUCKETS / key_count;
		assert(bucket < HISTREE_KEY_RANGE_BUCKETS);
		statistics->key_range_nodes[bucket]++;
	}
}

enum histree_status tree_statistics_copy(const struct tree_statistics *statistics, struct tree_statistics *copy)
{
	*copy = *statistics;
	copy->heights_capacity = statistics->height_count;
	copy->nodes_at_height = array_copy(statistics->nodes_at_height, statistics->height_count);
	copy->key_ranges_capacity = statistics->key_range_count;
	copy->key_ranges = array_copy(statistics->key_ranges, statistics->key_range_count);
	if ((copy->nodes_at_height != NULL || statistics->height_count == 0) &&
	    (copy->key_ranges != NULL || statistics->key_range_count == 0))
		return HISTREE_OK;
	tree_statistics_release(copy);
	return HISTREE_ERR_MEMORY;
}

void tree_statistics_release(struct tree_statistics *statistics)
{
	free(statistics->nodes_at_height);
	free(statistics->key_ranges);
	*statistics = (struct tree_statistics){ 0 };
}

enum histree_status tree_shape_write(const struct tree_shape *shape, struct block_file *file,
				     struct histree_error *error)
{
	uint8_t bytes[SHAPE_SIZE];
	put_le32(bytes, shape->variant->id);
	put_le32(bytes + 4, shape->r_depth);
	put_le32(bytes + 8, shape->fan_out);
	put_le32(bytes + 12, shape->root);
	put_le32(bytes + 16, shape->key_count);
	put_le64(bytes + 20, (uint64_t)shape->start);
	put_le64(bytes + 28, (uint64_t)shape->end);
	return block_file_section_put(file, SECTION_TREE, bytes, sizeof(bytes), error);
}

static enum histree_status decode_shape(struct byte_reader *reader, uint32_t node_size, struct tree_shape *shape,
					struct histree_error *error)
{
	uint32_t variant = read_le32(reader);
	shape->r_depth = read_le32(reader);
	shape->fan_out = read_le32(reader);
	shape->root = read_le32(reader);
	shape->key_count = read_le32(reader);
	shape->start = (histree_time)read_le64(reader);
	shape->end = (histree_time)read_le64(reader);
	if (reader->failed)
		return error_set(error, HISTREE_ERR_FORMAT, "is cut short");
	shape->variant = tree_variant_by_id(variant);
	if (shape->variant == NULL)
		return error_set(error, HISTREE_ERR_VERSION,
				 "tree variant %u is not known to this version; use a newer histree, or build it "
				 "again with this one",
				 variant);
	if (shape->node_count == 0 || shape->root >= shape->node_count || shape->fan_out < 2 ||
	    shape->start > shape->end || shape->end > shape->variant->end_max)
		return error_set(error, HISTREE_ERR_FORMAT, "root %u of %u nodes, fan-out %u, from %lld to %lld",
				 shape->root, shape->node_count, shape->fan_out, (long long)shape->start,
				 (long long)shape->end);
	shape->layout = tree_variant_layout(shape->variant, node_size, shape->fan_out);
	return HISTREE_OK;
}

enum histree_status tree_shape_read(const struct block_file *file, struct tree_shape *out,
				    struct histree_error *error)
{
	uint8_t *bytes;
	size_t size;
	enum histree_status status = block_file_section(file, SECTION_TREE, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	struct byte_reader reader = byte_reader(bytes, size);
	*out = (struct tree_shape){ .node_count = file->block_count };
	status = decode_shape(&reader, file->block_size, out, error);
	assert(status != HISTREE_OK || (out->root < out->node_count && out->layout.node_size == file->block_size));
	if (status == HISTREE_OK)
		out->has_lifetimes = out->variant->has_lifetimes || file->needs_lifetimes;
	out->is_partial = file->is_partial;
	if (status != HISTREE_OK)
		error_prefix(error, "'%s': section TREE", file->path);
	free(bytes);
	return status;
}

enum histree_status tree_statistics_write(const struct tree_statistics *statistics, struct block_file *file,
					  struct histree_error *error)
{
	size_t count = 5 + statistics->height_count + HISTREE_KEY_RANGE_BUCKETS;
	uint8_t *bytes = malloc(count * VARINT_SIZE_MAX);
	if (bytes == NULL)
		return error_memory(error, "statistics");
	uint8_t *at = bytes;
	at = put_varint(at, statistics->interval_count);
	at = put_varint(at, statistics->null_count);
	at = put_varint(at, statistics->bytes_used);
	at = put_varint(at, statistics->height_count);
	for (size_t height = 0; height < statistics->height_count; height++)
		at = put_varint(at, statistics->nodes_at_height[height]);
	at = put_varint(at, HISTREE_KEY_RANGE_BUCKETS);
	for (size_t bucket = 0; bucket < HISTREE_KEY_RANGE_BUCKETS; bucket++)
		at = put_varint(at, statistics->key_range_nodes[bucket]);
	enum histree_status status =
		block_file_section_put(file, SECTION_STATISTICS, bytes, (size_t)(at - bytes), error);
	free(bytes);
	return status;
}

/* HISTREE_ERR_FORMAT or HISTREE_ERR_MEMORY. */
static enum histree_status decode_statistics(struct byte_reader *reader, struct tree_statistics *out)
{
	out->interval_count = read_varint(reader);
	out->null_count = read_varint(reader);
	out->bytes_used = read_varint(reader);
	uint64_t heights = read_varint(reader);
	if (heights > byte_reader_left(reader)) /* a height takes at least one byte */
		return HISTREE_ERR_FORMAT;
	if (!array_reserve(&out->nodes_at_height, &out->heights_capacity, (size_t)heights))
		return HISTREE_ERR_MEMORY;
	for (; out->height_count < heights; out->height_count++)
		out->nodes_at_height[out->height_count] = read_varint(reader);
	if (read_varint(reader) != HISTREE_KEY_RANGE_BUCKETS)
		return HISTREE_ERR_FORMAT;
	for (size_t bucket = 0; bucket < HISTREE_KEY_RANGE_BUCKETS; bucket++)
		out->key_range_nodes[bucket] = read_varint(reader);
	return reader->failed ? HISTREE_ERR_FORMAT : HISTREE_OK;
}

enum histree_status tree_statistics_read(const struct block_file *file, struct tree_statistics *out,
					 struct histree_error *error)
{
	uint8_t *bytes;
	size_t size;
	*out = (struct tree_statistics){ 0 };
	enum histree_status status = block_file_section(file, SECTION_STATISTICS, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	struct byte_reader reader = byte_reader(bytes, size);
	status = decode_statistics(&reader, out);
	if (status == HISTREE_ERR_MEMORY)
		error_memory(error, "statistics");
	else if (status != HISTREE_OK)
		error_set(error, status, "'%s': section STAT is malformed", file->path);
	if (status != HISTREE_OK)
		tree_statistics_release(out);
	free(bytes);
	return status;
}

/* ---- variant table ------------------------------------------------------------------------------------------- */

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

/* vR-SHT: r grows with A, by one level at a time, whenever a parent of R-trees is full (thesis 4.7.4). */
static uint32_t growing_depth(const struct variant_shape *shape)
{
	uint32_t r = shape->r_depth;
	if (shape->node_intervals == 0 || shape->key_count == 0 || r >= shape->r_depth_asked)
		return r;
	/* Deep enough: for the target, or by r >= log_c(A / n). */
	double nodes = (double)shape->key_count / (double)shape->node_intervals;
	bool is_deep = shape->nodes_asked > 0 ? single_query_nodes(shape, r) <= shape->nodes_asked
					      : pow(shape->fan_out, r) >= nodes;
	return is_deep ? r : r + 1;
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
	.source = SOURCE_BRANCH,
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
	.source = SOURCE_BRANCH,
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
	.source = SOURCE_BRANCH,
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
	.source = SOURCE_R_TREES,
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
	.source = SOURCE_R_TREES,
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
	.source = SOURCE_CLUSTERS,
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
	.source = SOURCE_ATTACHED,
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
