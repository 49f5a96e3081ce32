// SPDX-License-Identifier: MIT
#include "segment_tree/segment_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "node/segment_builder.h"
#include "segment_tree/segment_split.h"
#include "tree/tree_output.h"
#include "tree/tree_writer.h"

enum {
	BATCH_ITEM_BYTES = 16 + 4 + 4 + 2, /* times, two orders, part */
	BATCH_FIELD_BYTES = 8 + 1,
	CONTENT_OVERHEAD_MAX = 2048, /* bytes of a leaf with one segment, but for its strings */
};

/* Before the first leaf is known. */
static const double item_bytes_first = 6.0;

/* Of a node, that a leaf is meant to fill: parts differ in size, and rather one fuller leaf than two. */
static const double leaf_fill = 0.75;

struct segment_writer {
	struct tree_writer *tree;
	uint32_t node_size;
	enum segment_grouping grouping;
	struct segment_batch batch;
	size_t strings_max;      /* bytes of a batch's */
	uint32_t *order, *spare; /* indices in the batch; the spare one for the next cut */
	struct segment_split slabs, leaves, blocks;
	struct keyed_index *entries; /* a leaf's segments, being sorted by start; the upper half is spare */
	size_t entries_capacity;
	struct segment_builder builder;
	double item_bytes; /* on disk, as the last leaf had them */
};

static enum histree_status create_tree(struct segment_writer *writer, struct block_file *file,
				       struct histree_error *error)
{
	const struct tree_options options = {
		.variant = &variant_segments,
		.node_size = writer->node_size,
		.fan_out = variant_segments.fan_out_default,
		.start = INT64_MIN,
	};
	return tree_writer_create(file, &options, &writer->tree, error);
}

enum histree_status segment_writer_create(struct block_file *file, const struct histree_segment_field *fields,
					  size_t field_count, size_t memory_max, struct segment_writer **out,
					  struct histree_error *error)
{
	*out = NULL;
	struct segment_writer *writer = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "a tree of segments");
	size_t memory = memory_max > 0 ? memory_max : variant_segments.memory_default;
	writer->node_size = block_file_block_size(file);
	writer->item_bytes = item_bytes_first;
	bool has_strings = false;
	for (size_t i = 0; i < field_count; i++)
		has_strings = has_strings || fields[i].type == HISTREE_STRING;
	writer->strings_max = memory / 8;
	size_t for_items = has_strings ? memory - writer->strings_max : memory;
	size_t capacity = for_items / (BATCH_ITEM_BYTES + field_count * BATCH_FIELD_BYTES) + 1;
	capacity = capacity < UINT32_MAX ? capacity : UINT32_MAX;

	enum histree_status status = create_tree(writer, file, error);
	writer->order = malloc(capacity * sizeof(*writer->order));
	writer->spare = malloc(capacity * sizeof(*writer->spare));
	if (status == HISTREE_OK &&
	    (segment_batch_init(&writer->batch, fields, field_count, capacity) != HISTREE_OK ||
	     writer->order == NULL || writer->spare == NULL))
		status = error_memory(error, "the buffer of the tree");
	if (status != HISTREE_OK) {
		segment_writer_free(writer);
		return status;
	}
	*out = writer;
	return HISTREE_OK;
}

void segment_writer_group(struct segment_writer *writer, enum segment_grouping grouping)
{
	writer->grouping = grouping;
}

void segment_writer_free(struct segment_writer *writer)
{
	if (writer == NULL)
		return;
	tree_writer_free(writer->tree);
	segment_batch_release(&writer->batch);
	segment_split_release(&writer->slabs);
	segment_split_release(&writer->leaves);
	segment_split_release(&writer->blocks);
	segment_builder_release(&writer->builder);
	free(writer->order);
	free(writer->spare);
	free(writer->entries);
	free(writer);
}

/* ---- packing ------------------------------------------------------------------------------------ */

static size_t divide_up(size_t number, size_t by)
{
	return (number + by - 1) / by;
}

/* The smallest number whose square is not below. */
static size_t root_up(size_t number)
{
	size_t root = 1;
	while (root * root < number)
		root++;
	return root;
}

/* In how many slabs of duration so many parts are cut, before each slab is cut by start. */
static size_t slabs_of(const struct segment_writer *writer, size_t parts)
{
	switch (writer->grouping) {
	case SEGMENTS_GROUPED_BY_START:
		return 1;
	case SEGMENTS_GROUPED_BY_DURATION:
		return parts;
	case SEGMENTS_GROUPED_BY_BOTH:
		break;
	}
	return root_up(parts);
}

/*
 * Encode and write a leaf of the first of *taken segments, which are sorted by start; *taken becomes how many they
 * are.
 */
static enum histree_status write_leaf(struct segment_writer *writer, const uint32_t *order, uint32_t *spare,
				      size_t *taken, struct histree_error *error)
{
	size_t count = *taken;
	for (;;) {
		size_t slabs = slabs_of(writer, divide_up(count, SEGMENT_BLOCK_MAX));
		size_t size = 0;
		if (segment_split(&writer->blocks, writer->batch.times, SPLIT_BY_DURATION, order, spare, count,
				  slabs))
			size = segment_builder_encode(&writer->builder, &writer->batch, spare, writer->blocks.sizes,
						      writer->blocks.part_count);
		if (size == 0)
			return error_memory(error, "a leaf");
		writer->item_bytes = (double)size / (double)count;
		if (size <= writer->node_size)
			break;
		size_t fewer = (size_t)((double)count * writer->node_size / (double)size * leaf_fill);
		count = fewer > 0 ? fewer : 1;
	}
	struct node_child leaf;
	enum histree_status status =
		tree_output_segments(tree_writer_output(writer->tree), &writer->builder, &leaf, error);
	*taken = count;
	return status == HISTREE_OK ? tree_writer_attach(writer->tree, &leaf, count, error) : status;
}

static bool sort_by_start(struct segment_writer *writer, uint32_t *order, size_t count)
{
	const struct segment_times *times = writer->batch.times;
	bool sorted = true;
	for (size_t i = 1; i < count && sorted; i++)
		sorted = times[order[i - 1]].start <= times[order[i]].start;
	if (sorted)
		return true;
	if (!array_reserve(&writer->entries, &writer->entries_capacity, 2 * count))
		return false;
	for (size_t i = 0; i < count; i++)
		writer->entries[i] =
			(struct keyed_index){ .key = segment_split_number(SPLIT_BY_START, &times[order[i]]),
					      .index = order[i] };
	radix_sort(writer->entries, writer->entries + count, count);
	for (size_t i = 0; i < count; i++)
		order[i] = writer->entries[i].index;
	return true;
}

static size_t leaf_items(const struct segment_writer *writer)
{
	return (size_t)(writer->node_size * leaf_fill / writer->item_bytes) + 1;
}

/* The leaves of a tile, which is meant to be one. */
static enum histree_status write_tile(struct segment_writer *writer, uint32_t *order, uint32_t *spare, size_t count,
				      struct histree_error *error)
{
	if (!sort_by_start(writer, order, count))
		return error_memory(error, "sorting a leaf");
	while (count > 0) {
		/* Parts of a sample differ: up to a third more still fits. */
		size_t aim = leaf_items(writer), leaves = count <= aim + aim / 3 ? 1 : divide_up(count, aim);
		size_t taken = divide_up(count, leaves);
		enum histree_status status = write_leaf(writer, order, spare, &taken, error);
		if (status != HISTREE_OK)
			return status;
		order += taken;
		count -= taken;
	}
	return HISTREE_OK;
}

/* A slab, cut by start into tiles. */
static enum histree_status write_slab(struct segment_writer *writer, uint32_t *order, uint32_t *spare, size_t count,
				      struct histree_error *error)
{
	size_t tiles = divide_up(count, leaf_items(writer));
	if (!segment_split(&writer->leaves, writer->batch.times, SPLIT_BY_START, order, spare, count, tiles))
		return error_memory(error, "sorting a batch");
	enum histree_status status = HISTREE_OK;
	for (size_t tile = 0; status == HISTREE_OK && tile < writer->leaves.part_count; tile++) {
		size_t size = writer->leaves.sizes[tile];
		status = write_tile(writer, spare, order, size, error);
		spare += size;
		order += size;
	}
	return status;
}

static enum histree_status write_batch(struct segment_writer *writer, struct histree_error *error)
{
	size_t count = writer->batch.count;
	for (size_t i = 0; i < count; i++)
		writer->spare[i] = (uint32_t)i;
	size_t slabs = slabs_of(writer, divide_up(count, leaf_items(writer)));
	if (!segment_split(&writer->slabs, writer->batch.times, SPLIT_BY_DURATION, writer->spare, writer->order,
			   count, slabs))
		return error_memory(error, "sorting a batch");
	enum histree_status status = HISTREE_OK;
	size_t first = 0;
	for (size_t slab = 0; status == HISTREE_OK && slab < writer->slabs.part_count; slab++) {
		size_t size = writer->slabs.sizes[slab];
		status = write_slab(writer, writer->order + first, writer->spare + first, size, error);
		first += size;
	}
	segment_batch_clear(&writer->batch);
	return status;
}

/* ---- adding ------------------------------------------------------------------------------------- */

static enum histree_status check_size(const struct segment_writer *writer, const struct histree_segment *segment,
				      struct histree_error *error)
{
	size_t size = 0, max = writer->node_size - CONTENT_OVERHEAD_MAX;
	for (size_t i = 0; segment->content != NULL && i < writer->batch.field_count; i++)
		if (segment->content[i].type == HISTREE_STRING)
			size += segment->content[i].size;
	if (size <= max)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_TOO_LARGE,
			 "a segment with strings of %zu bytes: nodes of this size take %zu at most; use a greater "
			 "node size",
			 size, max);
}

enum histree_status segment_writer_add(struct segment_writer *writer, const struct histree_segment *segment,
				       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (writer->batch.field_count > 0)
		status = check_size(writer, segment, error);
	if (status == HISTREE_OK && (writer->batch.count == writer->batch.capacity ||
				     writer->batch.strings.bytes.bytes_total > writer->strings_max))
		status = write_batch(writer, error);
	if (status == HISTREE_OK && segment_batch_add(&writer->batch, segment) != HISTREE_OK)
		status = error_memory(error, "a segment");
	return status;
}

enum histree_status segment_writer_finish(struct segment_writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (writer->batch.count > 0)
		status = write_batch(writer, error);
	if (status == HISTREE_OK)
		status = tree_writer_finish(writer->tree, INT64_MAX, 0, error);
	return status;
}
