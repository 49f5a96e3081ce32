// SPDX-License-Identifier: MIT
#include "tree/tree_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "node/node_capacity.h"
#include "node/node_format.h"
#include "tree/tree_damage.h"
#include "tree/tree_reader_inside.h"

enum { KEYS_UNASKED = 1 << 17 }; /* so many attributes cost nothing to speak of, whatever they are */

static void bound_groups(struct tree_node *node)
{
	for (uint32_t i = 0; i < node->view.child_count; i++) {
		const struct node_child child = node_view_child(&node->view, i);
		struct node_child *group = &node->groups[i / CHILDREN_PER_GROUP];
		bool is_first = i % CHILDREN_PER_GROUP == 0;
		if (is_first || child.start < group->start)
			group->start = child.start;
		if (is_first || child.end > group->end)
			group->end = child.end;
		if (is_first || child.key_min < group->key_min)
			group->key_min = child.key_min;
		if (is_first || child.key_max > group->key_max)
			group->key_max = child.key_max;
	}
}

/* Whether a node lies within the times and keys of the tree, which whoever asks relies on. */
static enum histree_status check_bounds(const struct tree_shape *shape, const struct node_view *view,
					struct histree_error *error)
{
	/* The leaf of a classic SHT may be closed before anything came: it then ends where the last one did. */
	bool is_empty = view->row_count == 0 && (uint64_t)view->end == (uint64_t)view->start - 1;
	is_empty = is_empty || (view->layout->segments && view->height > 0 && view->child_count == 0);
	if (view->start > view->end && !is_empty)
		return error_set(error, HISTREE_ERR_FORMAT, "ends before it starts");
	if ((view->start < shape->start || view->end > shape->end) && !is_empty)
		return error_set(error, HISTREE_ERR_FORMAT, "outside the history in time");
	if (view->key_min <= view->key_max && view->key_max >= shape->key_count)
		return error_set(error, HISTREE_ERR_FORMAT, "has attributes to %u of %u", view->key_max,
				 shape->key_count);
	return HISTREE_OK;
}

enum histree_status tree_open_block(const struct tree_reader *reader, const uint8_t *block, uint32_t number,
				    struct node_view *view, struct histree_error *error)
{
	const struct node_layout *layout = &reader->shape.layout;
	uint32_t kept = block_file_kept_bytes(reader->file, number);
	if (node_used(block) > kept) /* a few bytes must not make us look at a mebibyte */
		return error_set(error, HISTREE_ERR_FORMAT, "says that it uses %u bytes, and has %u",
				 node_used(block), kept);
	enum histree_status status = node_check(layout, block, number, error);
	if (status != HISTREE_OK)
		return status;
	*view = node_view(layout, block);
	status = check_bounds(&reader->shape, view, error);
	return status == HISTREE_OK ? tree_links_check(reader->links, view, error) : status;
}

static enum histree_status open_node(const void *context, const uint8_t *block, uint32_t number, void *companion,
				     struct histree_error *error)
{
	const struct tree_reader *reader = context;
	struct tree_node *node = companion;
	enum histree_status status = tree_open_block(reader, block, number, &node->view, error);
	if (status == HISTREE_OK)
		bound_groups(node);
	return status;
}

/* A node has no more children than its bytes have room for, whatever fan-out the file claims. */
static size_t opened_size(const void *context, uint32_t kept)
{
	const struct node_layout *layout = &((const struct tree_reader *)context)->shape.layout;
	uint32_t room = kept / node_child_size(layout);
	uint32_t children = room < layout->child_capacity ? room : layout->child_capacity;
	return sizeof(struct tree_node) + tree_group_count(children) * sizeof(struct node_child);
}

static enum histree_status create_cache(struct tree_reader *reader, size_t bytes_max, struct histree_error *error)
{
	const struct node_check check = { .check = open_node, .size = opened_size, .context = reader };
	return node_cache_create(reader->file, bytes_max, check, &reader->cache, error);
}

static enum histree_status check_kind(const struct tree_reader *reader, bool segments, struct histree_error *error)
{
	if (reader->shape.layout.segments == segments)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': is a %s", block_file_path(reader->file),
			 segments ? "history of states, not a segment store"
				  : "segment store, not a history of states");
}

/* Whether a salvaged tree does without what could not be read. */
static bool is_lost(const struct tree_reader *reader, enum histree_status status)
{
	return reader->salvages && (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO);
}

static enum histree_status open_lifetimes(struct tree_reader *reader, struct histree_error *error)
{
	const struct tree_shape *shape = &reader->shape;
	enum histree_status status = lifetimes_view_open(&reader->lifetimes, shape->key_count, shape->start,
							 shape->end, reader->file, error);
	reader->lost_lifetimes = is_lost(reader, status);
	return reader->lost_lifetimes ? HISTREE_OK : status;
}

/*
 * Returns the bytes of the nodes, as far as `enough`.  Holes in a file are none: a node that begins with zeros is
 * not counted.  One that is damaged is, as it was something.
 */
static uint64_t node_bytes(const struct tree_reader *reader, uint64_t enough)
{
	static const uint8_t hole[NODE_HEADER_SIZE];
	uint64_t bytes = 0;
	for (uint32_t number = 0; number < reader->shape.node_count && bytes < enough; number++) {
		uint8_t head[NODE_HEADER_SIZE] = { 0 };
		uint32_t kept = block_file_kept_bytes(reader->file, number);
		enum histree_status status = block_file_peek(reader->file, number, head, sizeof(head), NULL);
		if (memcmp(head, hole, sizeof(head)) != 0)
			bytes += status == HISTREE_OK && node_used(head) < kept ? node_used(head) : kept;
	}
	return bytes;
}

/*
 * Each key has an interval in a node, or a lifetime: no number of keys is believed that the bytes could not be of,
 * for whoever asks for all of them works and takes memory for each.  Lifetimes that could be read are enough.
 */
static enum histree_status check_keys(const struct tree_reader *reader, struct histree_error *error)
{
	const struct tree_shape *shape = &reader->shape;
	uint64_t room = KEYS_UNASKED;
	if (shape->key_count <= room || reader->lifetimes.count == shape->key_count)
		return HISTREE_OK;
	if (reader->lost_lifetimes) /* the file has the bytes that they had */
		room += block_file_section_worth(reader->file, SECTION_LIFETIMES) / LIFETIMES_BLOCK_SIZE_MIN *
			LIFETIMES_IN_BLOCK;
	if (shape->key_count > room)
		room += node_bytes(reader, (shape->key_count - room) * NODE_INTERVAL_SIZE_MIN) /
			NODE_INTERVAL_SIZE_MIN;
	if (shape->key_count <= room)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': %u attributes, of which its nodes have %llu at most",
			 block_file_path(reader->file), shape->key_count, (unsigned long long)room);
}

static enum histree_status read_statistics(struct tree_reader *reader, struct histree_error *error)
{
	enum histree_status status = tree_statistics_read(reader->file, &reader->statistics, error);
	return is_lost(reader, status) ? HISTREE_OK : status;
}

static enum histree_status open_reader(const struct block_file *file, size_t cache_bytes, bool segments,
				       bool salvages, struct tree_reader **out, struct histree_error *error)
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
		status = check_kind(reader, segments, error);
	if (status == HISTREE_OK)
		status = read_statistics(reader, error);
	if (status == HISTREE_OK && reader->shape.has_lifetimes)
		status = open_lifetimes(reader, error);
	if (status == HISTREE_OK)
		status = check_keys(reader, error);
	if (status == HISTREE_OK)
		status = tree_links_create(reader->shape.node_count, &reader->links, error);
	if (status == HISTREE_OK)
		status = create_cache(reader, cache_bytes, error);
	if (status == HISTREE_OK &&
	    (reader->refused = calloc(reader->shape.node_count / 64 + 1, sizeof(*reader->refused))) == NULL)
		status = error_memory(error, "a tree");
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
	return open_reader(file, cache_bytes, false, false, out, error);
}

enum histree_status tree_reader_open_segments(const struct block_file *file, size_t cache_bytes, bool salvages,
					      struct tree_reader **out, struct histree_error *error)
{
	return open_reader(file, cache_bytes, true, salvages, out, error);
}

enum histree_status tree_reader_salvage(const struct block_file *file, size_t cache_bytes, struct tree_reader **out,
					struct histree_error *error)
{
	return open_reader(file, cache_bytes, false, true, out, error);
}

void tree_reader_share_cache(struct tree_reader *reader, struct tree_reader *with)
{
	node_cache_share(reader->cache, with->cache);
}

void tree_reader_close(struct tree_reader *reader)
{
	if (reader == NULL)
		return;
	node_cache_free(reader->cache);
	tree_links_free(reader->links);
	tree_statistics_release(&reader->statistics);
	lifetimes_view_release(&reader->lifetimes);
	tree_damage_free(reader->damage);
	free(reader->refused);
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
	info->has_lifetimes = shape->has_lifetimes;
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

size_t tree_reader_value_size_max(const struct tree_reader *reader)
{
	return node_value_size_max(&reader->shape.layout);
}

bool tree_reader_is_partial(const struct tree_reader *reader)
{
	return reader->shape.is_partial;
}

bool tree_reader_implies(const struct tree_reader *reader, const struct histree_interval *null)
{
	if (null->quark >= reader->lifetimes.count)
		return false;
	const struct lifetime lifetime = lifetimes_view_get(&reader->lifetimes, null->quark);
	return lifetime.first > lifetime.last || null->end < lifetime.first || null->start > lifetime.last;
}

uint32_t tree_reader_key_count(const struct tree_reader *reader)
{
	return reader->shape.key_count;
}
