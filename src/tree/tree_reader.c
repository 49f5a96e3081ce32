// SPDX-License-Identifier: MIT
#include "tree/tree_reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "tree/tree_damage.h"
#include "tree/tree_reader_inside.h"

static enum histree_status check_node(const void *context, const uint8_t *block, uint32_t number,
				      struct histree_error *error)
{
	const struct tree_reader *reader = context;
	return node_check(&reader->shape.layout, block, number, error);
}

static enum histree_status read_lives(struct tree_reader *reader, struct histree_error *error)
{
	const struct tree_shape *shape = &reader->shape;
	enum histree_status status = lives_read(&reader->lives, shape->key_count, shape->start, shape->end,
						reader->file, error);
	reader->lost_lives = reader->salvages && (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO);
	return reader->lost_lives ? HISTREE_OK : status;
}

static enum histree_status read_statistics(struct tree_reader *reader, struct histree_error *error)
{
	enum histree_status status = tree_statistics_read(reader->file, &reader->statistics, error);
	bool lost = reader->salvages && (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO);
	return lost ? HISTREE_OK : status;
}

static enum histree_status open_reader(const struct block_file *file, size_t cache_bytes, bool salvages,
				       struct tree_reader **out, struct histree_error *error)
{
	*out = NULL;
	struct tree_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return error_memory(error, "a tree");
	reader->file = file;
	reader->salvages = salvages;
	pthread_mutex_init(&reader->damage_mutex, NULL);
	enum histree_status status = tree_shape_read(file, &reader->shape, error);
	if (status == HISTREE_OK)
		status = read_statistics(reader, error);
	if (status == HISTREE_OK && reader->shape.variant->clusters)
		status = read_lives(reader, error);
	if (status == HISTREE_OK)
		status = node_cache_create(file, cache_bytes,
					   (struct node_check){ .check = check_node, .context = reader },
					   &reader->cache, error);
	if (status != HISTREE_OK) {
		tree_reader_close(reader);
		return status;
	}
	*out = reader;
	return HISTREE_OK;
}

enum histree_status tree_reader_open(const struct block_file *file, size_t cache_bytes, struct tree_reader **out,
				     struct histree_error *error)
{
	return open_reader(file, cache_bytes, false, out, error);
}

enum histree_status tree_reader_salvage(const struct block_file *file, size_t cache_bytes, struct tree_reader **out,
					struct histree_error *error)
{
	return open_reader(file, cache_bytes, true, out, error);
}

bool tree_reader_can_have_keys(const struct tree_reader *reader)
{
	const struct tree_shape *shape = &reader->shape;
	if (reader->lost_lives) /* which had two bits of each */
		return shape->key_count / 4 <= block_file_bytes(reader->file);
	return reader->lives.count > 0 ||
	       shape->key_count <= (uint64_t)shape->node_count * shape->layout.node_size;
}

void tree_reader_close(struct tree_reader *reader)
{
	if (reader == NULL)
		return;
	node_cache_free(reader->cache);
	tree_statistics_release(&reader->statistics);
	lives_release(&reader->lives);
	tree_damage_free(reader->damage);
	pthread_mutex_destroy(&reader->damage_mutex);
	free(reader);
}

void tree_reader_info(const struct tree_reader *reader, struct histree_history_info *info)
{
	const struct tree_shape *shape = &reader->shape;
	const struct tree_statistics *statistics = &reader->statistics;
	snprintf(info->variant, sizeof(info->variant), "%s", shape->variant->name);
	info->r_depth = shape->r_depth;
	info->node_size = shape->layout.node_size;
	info->fan_out = shape->fan_out;
	info->format_version = block_file_version(reader->file);
	info->start = shape->start;
	info->end = shape->end;
	info->file_bytes = block_file_bytes(reader->file);
	info->node_count = shape->node_count;
	info->depth = (uint32_t)statistics->height_count;
	info->interval_count = statistics->interval_count;
	info->null_interval_count = statistics->null_count;
	info->node_bytes = block_file_block_bytes(reader->file);
	info->node_bytes_used = statistics->bytes_used;
	info->nodes_at_height = statistics->nodes_at_height;
	for (size_t bucket = 0; bucket < HISTREE_KEY_RANGE_BUCKETS; bucket++)
		info->key_range_nodes[bucket] = statistics->key_range_nodes[bucket];
}

uint32_t tree_reader_key_count(const struct tree_reader *reader)
{
	return reader->shape.key_count;
}
