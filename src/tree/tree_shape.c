// SPDX-License-Identifier: MIT
/*
 * tree_shape.c - the bytes of the sections TREE and STAT.
 *
 * TREE: variant (4), r depth (4), fan-out (4), root (4), number of keys (4), start (8), end (8).
 *
 * STAT, as varints: intervals, nulls, bytes used, number of heights, nodes at each height, number of buckets,
 * nodes in each bucket.
 */
#include "tree/tree_shape.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"

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

static enum histree_status write_section(struct block_file *file, uint32_t id, const uint8_t *bytes, size_t size,
					 struct histree_error *error)
{
	enum histree_status status = block_file_section_begin(file, id, error);
	if (status == HISTREE_OK)
		status = block_file_section_write(file, bytes, size, error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	return status;
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
	return write_section(file, SECTION_TREE, bytes, sizeof(bytes), error);
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
	*out = (struct tree_shape){ .node_count = block_file_block_count(file) };
	status = decode_shape(&reader, block_file_block_size(file), out, error);
	if (status == HISTREE_OK)
		out->has_lifetimes = out->variant->has_lifetimes || block_file_needs_lifetimes(file);
	out->is_partial = block_file_is_partial(file);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s': section TREE", block_file_path(file));
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
	enum histree_status status = write_section(file, SECTION_STATISTICS, bytes, (size_t)(at - bytes), error);
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
		error_set(error, status, "'%s': section STAT is malformed", block_file_path(file));
	if (status != HISTREE_OK)
		tree_statistics_release(out);
	free(bytes);
	return status;
}
