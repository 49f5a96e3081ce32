// SPDX-License-Identifier: MIT
/*
 * tree_reader.c - nodes and their links: the parent and the bounds of each node, and the damage found.
 *
 * Always holds between the nodes that were opened: a node is a child of one node at most, its number and its height
 * are below those of its parent, it lies within its parent in time, and its bounds are those that its parent keeps
 * of it.  So a query enters each node at most once, and misses no node whose content it needs.
 *
 * When a node is opened, it is compared with the nodes opened before.  If two contradict each other, the second is
 * refused, because it cannot be known which of them is wrong.  A refused node changes nothing.
 */
#include "tree/tree_reader.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/history.h"
#include "histree/states.h"
#include "node/node.h"
#include "node/node_builder.h"
#include "node/node_cursor.h"
#include "node/node_view.h"
#include "node/segment_node.h"
#include "store/block_file.h"
#include "store/node_cache.h"
#include "tree/lifetimes.h"
#include "tree/tree_shape.h"

static void tree_damage_free(struct tree_damage *damage);

/* ---- tree bounds --------------------------------------------------------------------------------------------- */

struct node_child tree_segment_bounds(const struct node_view *view)
{
	if (view->height == 0)
		return segment_leaf_bounds(view->block);
	struct node_child bounds = node_child_of_no_segments();
	for (uint32_t i = 0; i < view->child_count; i++) {
		struct node_child child = node_view_child(view, i);
		node_child_include(&bounds, &child);
	}
	bounds.number = view->number;
	return bounds;
}

struct node_child tree_bounds(const struct node_view *view)
{
	if (view->layout->segments)
		return tree_segment_bounds(view);
	bool has_children = view->child_count > 0;
	return (struct node_child){
		.number = view->number,
		.start = view->start,
		.end = view->end,
		.key_min = has_children ? 0 : view->key_min,
		.key_max = has_children ? UINT32_MAX : view->key_max,
	};
}

/* ---- tree links ---------------------------------------------------------------------------------------------- */

/* What is known of a node. */
struct node_link {
	uint32_t parent; /* its number + 1; 0: no node that was opened has it as a child */
	uint32_t said;   /* the bounds that its parent has of it, mixed */
	uint32_t own;    /* if it was opened: its own, mixed */
	uint16_t height; /* if it was opened */
	bool is_open;
};

struct tree_links {
	pthread_mutex_t mutex;    /* of all links */
	struct node_link nodes[]; /* by number */
};

/* Fails with HISTREE_ERR_MEMORY only. */
static enum histree_status tree_links_create(uint32_t node_count, struct tree_links **out,
					     struct histree_error *error)
{
	*out = calloc(1, sizeof(**out) + node_count * sizeof(struct node_link));
	if (*out == NULL)
		return error_memory(error, "a tree");
	pthread_mutex_init(&(*out)->mutex, NULL);
	return HISTREE_OK;
}

/* Free links, or do nothing if it is NULL. */
static void tree_links_free(struct tree_links *links)
{
	if (links == NULL)
		return;
	pthread_mutex_destroy(&links->mutex);
	free(links);
}

/* ---- bounds --------------------------------------------------------------------------------------------- */

/*
 * What two nodes can compare, in 32 bits: different bounds are equal here once in 2^32 times.  A bound that the
 * variant does not keep of a child is as wide as can be, and is left out.
 */
static uint32_t mix_bounds(const struct node_child *bounds, uint32_t kept)
{
	uint64_t mixed = hash_step(hash_mix((uint64_t)bounds->start), (uint64_t)bounds->end);
	if (kept & NODE_CHILD_KEYS)
		mixed = hash_step(mixed, (uint64_t)bounds->key_min << 32 | bounds->key_max);
	if (kept & NODE_CHILD_SEGMENTS) {
		mixed = hash_step(mixed, (uint64_t)bounds->start_max);
		mixed = hash_step(mixed, (uint64_t)bounds->end_min);
		mixed = hash_step(mixed, bounds->duration_min);
		mixed = hash_step(mixed, bounds->duration_max);
	}
	return (uint32_t)(mixed ^ mixed >> 32);
}

/* ---- children ------------------------------------------------------------------------------------------- */

static enum histree_status check_child(const struct tree_links *links, const struct node_view *view,
				       const struct node_child *child, struct histree_error *error)
{
	if (child->number >= view->number)
		return error_set(error, HISTREE_ERR_FORMAT, "has node %u as a child", child->number);
	if (child->start < view->start || child->end > view->end)
		return error_set(error, HISTREE_ERR_FORMAT, "does not enclose its child %u in time", child->number);
	const struct node_link *link = &links->nodes[child->number];
	bool was_open = links->nodes[view->number].is_open;
	if (link->parent != (was_open ? view->number + 1 : 0))
		return error_set(error, HISTREE_ERR_FORMAT, "has node %u as a child, and so has node %u",
				 child->number, link->parent - 1);
	if (!link->is_open)
		return HISTREE_OK;
	if (link->height >= view->height)
		return error_set(error, HISTREE_ERR_FORMAT, "has a child, %u, that is not below it", child->number);
	if (link->own != mix_bounds(child, view->layout->child_bounds))
		return error_set(error, HISTREE_ERR_FORMAT, "has other bounds of its child %u than that has",
				 child->number);
	return HISTREE_OK;
}

/* Its first children no longer have it as their parent. */
static void disown(struct tree_links *links, const struct node_view *view, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		links->nodes[node_view_child(view, i).number].parent = 0;
}

/* Take the children, and widen the keys of the node by theirs. */
static enum histree_status tree_links_adopt(struct tree_links *links, const struct node_view *view,
					    struct node_child *bounds, struct histree_error *error)
{
	bool is_first = !links->nodes[view->number].is_open;
	for (uint32_t i = 0; i < view->child_count; i++) {
		const struct node_child child = node_view_child(view, i);
		enum histree_status status = check_child(links, view, &child, error);
		if (status != HISTREE_OK) {
			if (is_first)
				disown(links, view, i);
			return status;
		}
		struct node_link *link = &links->nodes[child.number];
		link->parent = view->number + 1;
		assert(child.number < view->number && child.start >= view->start && child.end <= view->end);
		link->said = mix_bounds(&child, view->layout->child_bounds);
		bounds->key_min = child.key_min < bounds->key_min ? child.key_min : bounds->key_min;
		bounds->key_max = child.key_max > bounds->key_max ? child.key_max : bounds->key_max;
	}
	return HISTREE_OK;
}

/* ---- the node itself ------------------------------------------------------------------------------------ */

static enum histree_status check_parent(const struct tree_links *links, const struct node_view *view, uint32_t own,
					struct histree_error *error)
{
	const struct node_link *link = &links->nodes[view->number];
	if (link->parent == 0)
		return HISTREE_OK;
	uint32_t parent = link->parent - 1;
	if (view->height >= links->nodes[parent].height)
		return error_set(error, HISTREE_ERR_FORMAT, "is not below its parent %u", parent);
	if (own != link->said)
		return error_set(error, HISTREE_ERR_FORMAT, "its parent %u has other bounds of it", parent);
	return HISTREE_OK;
}

static enum histree_status check(struct tree_links *links, const struct node_view *view,
				 struct histree_error *error)
{
	struct node_link *link = &links->nodes[view->number];
	struct node_child bounds = tree_bounds(view);
	bounds.key_min = view->key_min;
	bounds.key_max = view->key_max;
	enum histree_status status = tree_links_adopt(links, view, &bounds, error);
	if (status != HISTREE_OK)
		return status;
	assert(bounds.number == view->number);
	uint32_t own = mix_bounds(&bounds, view->layout->child_bounds);
	status = check_parent(links, view, own, error);
	if (status != HISTREE_OK) {
		if (!link->is_open)
			disown(links, view, view->child_count);
		return status;
	}
	link->own = own;
	link->height = (uint16_t)view->height;
	link->is_open = true;
	return HISTREE_OK;
}

/* ---- tree reader --------------------------------------------------------------------------------------------- */

/* This many attributes cost next to nothing, even if the file is wrong about them */
enum { KEYS_UNASKED = 1 << 17 };

/* Check a block that came from the file, and view it. */
static enum histree_status tree_open_block(const struct tree_reader *reader, const uint8_t *block, uint32_t number,
					   struct node_view *view, struct histree_error *error)
{
	const struct node_layout *layout = &reader->shape.layout;
	uint32_t kept = block_bytes(reader->file, number);
	if (node_used(block) > kept) /* a few bytes must not make us look at a mebibyte */
		return error_set(error, HISTREE_ERR_FORMAT, "says that it uses %u bytes, and has %u",
				 node_used(block), kept);
	enum histree_status status = node_check(layout, block, number, error);
	if (status != HISTREE_OK)
		return status;
	*view = node_view(layout, block);
	/* The leaf of a classic SHT may be closed before anything came: it then ends where the last one did. */
	bool is_empty = view->row_count == 0 && (uint64_t)view->end == (uint64_t)view->start - 1;
	is_empty = is_empty || (view->layout->segments && view->height > 0 && view->child_count == 0);
	if (view->start > view->end && !is_empty)
		return error_set(error, HISTREE_ERR_FORMAT, "ends before it starts");
	if ((view->start < reader->shape.start || view->end > reader->shape.end) && !is_empty)
		return error_set(error, HISTREE_ERR_FORMAT, "outside the history in time");
	if (view->key_min <= view->key_max && view->key_max >= reader->shape.key_count)
		return error_set(error, HISTREE_ERR_FORMAT, "has attributes to %u of %u", view->key_max,
				 reader->shape.key_count);
	pthread_mutex_lock(&reader->links->mutex);
	status = check(reader->links, view, error);
	pthread_mutex_unlock(&reader->links->mutex);
	return status;
}

static enum histree_status open_node(const void *context, const uint8_t *block, uint32_t number, void *companion,
				     struct histree_error *error)
{
	const struct tree_reader *reader = context;
	struct tree_node *node = companion;
	enum histree_status status = tree_open_block(reader, block, number, &node->view, error);
	if (status == HISTREE_OK) {
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

static enum histree_status check_kind(const struct tree_reader *reader, bool segments, struct histree_error *error)
{
	if (reader->shape.layout.segments == segments)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': is a %s", reader->file->path,
			 segments ? "history of states, not a segment store"
				  : "segment store, not a history of states");
}

/* Whether a salvaged tree does without what could not be read. */
static bool is_lost(const struct tree_reader *reader, enum histree_status status)
{
	return reader->salvages && (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO);
}

/*
 * Returns the bytes of the nodes, up to `enough`.  A node that begins with zeros is a hole in the file and does
 * not count.  A damaged node counts, as it once had content.
 */
static uint64_t node_bytes(const struct tree_reader *reader, uint64_t enough)
{
	static const uint8_t hole[NODE_HEADER_SIZE];
	uint64_t bytes = 0;
	for (uint32_t number = 0; number < reader->shape.node_count && bytes < enough; number++) {
		uint8_t head[NODE_HEADER_SIZE] = { 0 };
		uint32_t kept = block_bytes(reader->file, number);
		enum histree_status status = block_file_peek(reader->file, number, head, sizeof(head), NULL);
		if (memcmp(head, hole, sizeof(head)) != 0)
			bytes += status == HISTREE_OK && node_used(head) < kept ? node_used(head) : kept;
	}
	return bytes;
}

/*
 * Each key has an interval in a node, or a lifetime.  A number of keys that the bytes could not hold is refused,
 * since a query for all keys works and takes memory for each.  Readable lifetimes are sufficient evidence.
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
			 reader->file->path, shape->key_count, (unsigned long long)room);
}

enum histree_status tree_reader_open(const struct block_file *file, size_t cache_bytes, unsigned how,
				     struct tree_reader **out, struct histree_error *error)
{
	*out = NULL;
	struct tree_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return error_memory(error, "a tree");
	reader->file = file;
	reader->salvages = (how & TREE_SALVAGE) != 0;
	pthread_mutex_init(&reader->damage_mutex, NULL);
	enum histree_status status = tree_shape_read(file, &reader->shape, error);
	if (status == HISTREE_OK)
		status = check_kind(reader, (how & TREE_SEGMENTS) != 0, error);
	if (status == HISTREE_OK) {
		status = tree_statistics_read(reader->file, &reader->statistics, error);
		status = is_lost(reader, status) ? HISTREE_OK : status;
	}
	if (status == HISTREE_OK && reader->shape.has_lifetimes) {
		const struct tree_shape *shape = &reader->shape;
		status = lifetimes_view_open(&reader->lifetimes, shape->key_count, shape->start, shape->end,
					     reader->file, error);
		reader->lost_lifetimes = is_lost(reader, status);
		status = reader->lost_lifetimes ? HISTREE_OK : status;
	}
	if (status == HISTREE_OK)
		status = check_keys(reader, error);
	if (status == HISTREE_OK)
		status = tree_links_create(reader->shape.node_count, &reader->links, error);
	if (status == HISTREE_OK) {
		const struct node_check check = { .check = open_node, .size = opened_size, .context = reader };
		status = node_cache_create(reader->file, cache_bytes, check, &reader->cache, error);
	}
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
	info->format_version = reader->file->version;
	info->has_lifetimes = shape->has_lifetimes;
	info->start = shape->start;
	info->end = shape->end;
	info->file_bytes = reader->file->size;
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

bool tree_reader_implies(const struct tree_reader *reader, const struct histree_interval *null)
{
	if (null->quark >= reader->lifetimes.count)
		return false;
	const struct lifetime lifetime = lifetimes_view_get(&reader->lifetimes, null->quark);
	return lifetime.first > lifetime.last || null->end < lifetime.first || null->start > lifetime.last;
}

/* ---- tree damage --------------------------------------------------------------------------------------------- */

/* What was seen of a node. */
struct node_seen {
	struct node_child bounds; /* its own, or, if it cannot be read, those that its parent has */
	uint32_t height;          /* 0 if it cannot be read */
	uint32_t parent_height;   /* 0: no readable node has it as a child */
};

struct damage_search {
	const struct tree_reader *reader;
	struct tree_damage *damage;
	struct node_seen *seen; /* by number */
	uint8_t *block;
	uint32_t filled; /* how many of its bytes may be other than zero */
	size_t *waiting; /* stack of orphans that have no assumed parent so far, by index */
	size_t waiting_count, waiting_capacity;
	size_t patience; /* orphans that may still be looked at in vain */
};

enum { PATIENCE = 1 << 24 };

static void tree_damage_free(struct tree_damage *damage)
{
	if (damage == NULL)
		return;
	free(damage->unreadable);
	free(damage->nodes);
	free(damage->orphans);
	free(damage);
}

enum histree_status tree_node_hold(struct tree_reader *reader, struct node_pin *pin, uint32_t number, bool *loaded,
				   const struct tree_node **node, struct histree_error *error)
{
	if (tree_damage_has(reader, number))
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is damaged", reader->file->path, number);
	enum histree_status status = node_pin_hold(pin, number, loaded, error);
	if (status == HISTREE_ERR_FORMAT)
		tree_damage_remember(reader, number);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_IO && reader->salvages ? HISTREE_ERR_FORMAT : status;
	*node = node_pin_companion(pin);
	assert((*node)->view.number == number);
	return HISTREE_OK;
}

const struct damaged_node *tree_damage_node(const struct tree_damage *damage, uint32_t number)
{
	const size_t low = SEARCH(i, 0, damage->node_count, damage->nodes[i].bounds.number < number);
	bool found = low < damage->node_count && damage->nodes[low].bounds.number == number;
	assert(found == tree_damage_lists(damage, number));
	return found ? &damage->nodes[low] : NULL;
}

/* ---- reading all nodes -------------------------------------------------------------------------------- */

static void look_at_node(struct damage_search *search, uint32_t number)
{
	const struct tree_reader *reader = search->reader;
	struct node_seen *seen = &search->seen[number];
	struct node_view view;
	if (tree_damage_has(reader, number) ||
	    block_file_read_over(reader->file, number, search->block, &search->filled, NULL) != HISTREE_OK ||
	    tree_open_block(reader, search->block, number, &view, NULL) != HISTREE_OK) {
		search->damage->unreadable[number / 64] |= UINT64_C(1) << number % 64;
		seen->bounds.number = number;
		return;
	}
	seen->bounds = tree_bounds(&view);
	seen->height = view.height;
	search->damage->readable_rows += view.row_count;
	for (uint32_t i = 0; i < view.child_count; i++) {
		struct node_child child = node_view_child(&view, i);
		if (child.number >= view.number)
			continue;
		search->seen[child.number].parent_height = view.height;
		if (tree_damage_lists(search->damage, child.number))
			search->seen[child.number].bounds = child;
	}
}

/* ---- assuming parents --------------------------------------------------------------------------------- */

static bool add_orphan(struct damage_search *search, uint32_t number)
{
	struct tree_damage *damage = search->damage;
	const struct node_seen *seen = &search->seen[number];
	if (!array_reserve(&damage->orphans, &damage->orphans_capacity, damage->orphan_count + 1) ||
	    !array_reserve(&search->waiting, &search->waiting_capacity, search->waiting_count + 1))
		return false;
	search->waiting[search->waiting_count++] = damage->orphan_count;
	damage->orphans[damage->orphan_count++] = (struct orphan_node){
		.bounds = seen->bounds,
		.is_readable = !tree_damage_lists(damage, number),
		.height = seen->height,
		.sibling = NO_ORPHAN,
	};
	return true;
}

/*
 * Whether a node may have been below an unreadable one, whose bounds are those that its parent keeps.  If it has
 * children, it does not say which keys are below it.
 */
static bool may_be_within(const struct orphan_node *orphan, const struct node_child *bounds)
{
	const struct node_child *own = &orphan->bounds;
	if (!orphan->is_readable)
		return true;
	bool has_keys = orphan->height == 0 && own->key_min <= own->key_max;
	return own->start >= bounds->start && own->end <= bounds->end &&
	       (!has_keys || (own->key_min >= bounds->key_min && own->key_max <= bounds->key_max));
}

/*
 * Give a damaged node, which was lower than `below`, those of the waiting orphans that are low enough and, where
 * its bounds are known, within them. It is the latest, most of the time; for the others a file that was made to
 * keep us busy has no more than our patience.
 */
static void tree_damage_adopt(struct damage_search *search, struct damaged_node *node, uint32_t below,
			      bool has_bounds)
{
	struct orphan_node *orphans = search->damage->orphans;
	size_t *link = &node->last_child, first = search->waiting_count, kept;
	if (below < 2) /* it was a leaf */
		return;
	for (; first > 0; first--) {
		size_t index = search->waiting[first - 1];
		bool fits = orphans[index].height + 1 < below &&
			    (!has_bounds || may_be_within(&orphans[index], &node->bounds));
		if (!fits && search->patience-- == 0) {
			search->patience = 0;
			break;
		}
		if (!fits)
			continue;
		search->waiting[first - 1] = NO_ORPHAN;
		*link = index;
		link = &orphans[index].sibling;
		if (orphans[index].height >= node->height_min)
			node->height_min = orphans[index].height + 1;
	}
	for (kept = first; first < search->waiting_count; first++)
		if (search->waiting[first] != NO_ORPHAN)
			search->waiting[kept++] = search->waiting[first];
	search->waiting_count = kept;
}

static bool add_damaged(struct damage_search *search, uint32_t number)
{
	struct tree_damage *damage = search->damage;
	const struct node_seen *seen = &search->seen[number];
	if (!array_reserve(&damage->nodes, &damage->nodes_capacity, damage->node_count + 1))
		return false;
	struct damaged_node *node = &damage->nodes[damage->node_count++];
	*node = (struct damaged_node){
		.bounds = seen->bounds,
		.parent_height = seen->parent_height,
		.last_child = NO_ORPHAN,
	};
	if (number == search->reader->shape.root)
		tree_damage_adopt(search, node, UINT32_MAX, false);
	else if (seen->parent_height > 0)
		tree_damage_adopt(search, node, seen->parent_height, true);
	return true;
}

/* ---- the search --------------------------------------------------------------------------------------- */

static enum histree_status search_all(struct damage_search *search, struct histree_error *error)
{
	const struct tree_shape *shape = &search->reader->shape;
	for (uint32_t number = 0; number < shape->node_count; number++)
		look_at_node(search, number);
	for (uint32_t number = 0; number < shape->node_count; number++) {
		bool is_orphan = search->seen[number].parent_height == 0 && number != shape->root;
		if (tree_damage_lists(search->damage, number) && !add_damaged(search, number))
			return error_memory(error, "looking for damage");
		if (is_orphan && !add_orphan(search, number))
			return error_memory(error, "looking for damage");
	}
	return HISTREE_OK;
}

enum histree_status tree_damage_find(struct tree_reader *reader, const struct tree_damage **out,
				     struct histree_error *error)
{
	struct tree_damage *damage = NULL;
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&reader->damage_mutex);
	if (reader->damage == NULL) {
		uint32_t count = reader->shape.node_count;
		struct damage_search search = {
			.reader = reader,
			.damage = calloc(1, sizeof(*search.damage)),
			.seen = calloc(count, sizeof(*search.seen)),
			.block = calloc(1, reader->shape.layout.node_size),
			.patience = PATIENCE,
		};
		if (search.damage != NULL)
			search.damage->unreadable =
				calloc((size_t)count / 64 + 1, sizeof(*search.damage->unreadable));
		if (search.damage == NULL || search.seen == NULL || search.block == NULL ||
		    search.damage->unreadable == NULL)
			status = error_memory(error, "looking for damage");
		else
			status = search_all(&search, error);
		free(search.block);
		free(search.seen);
		free(search.waiting);
		if (status != HISTREE_OK)
			tree_damage_free(search.damage);
		else
			damage = search.damage;
		assert(damage == NULL || damage->node_count + damage->orphan_count <= 2 * (size_t)count);
		for (size_t i = 0; status == HISTREE_OK && i < damage->node_count; i++)
			tree_damage_remember(reader, damage->nodes[i].bounds.number);
		if (status == HISTREE_OK)
			atomic_store_explicit(&reader->damage, damage, memory_order_release);
	}
	pthread_mutex_unlock(&reader->damage_mutex);
	*out = reader->damage;
	return status;
}
