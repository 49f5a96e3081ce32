// SPDX-License-Identifier: MIT
/*
 * Depth first, with the numbers of the nodes still to visit on a stack and one node pinned (algorithm 4.1 for
 * a region instead of a point; thesis 4.6.4 and 6.1).  A node is visited if its bounds, as its parent knows
 * them, meet the region: thus at most once, as each has one parent.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "tree/tree_damage.h"
#include "tree/tree_holes.h"
#include "tree/tree_reader_inside.h"

struct pending_node {
	uint32_t number;
	uint32_t height_max; /* as its parent knows: 0, it is a leaf */
};

struct tree_iter {
	struct tree_reader *reader;
	struct histree_region region;
	histree_time from, to; /* the hull of the region's times */
	uint64_t left;         /* intervals that can still come: known where the region is one time */
	size_t life_at,
		life_end;   /* of the region's keys, those whose nulls outside their life were not given yet */
	unsigned life_null; /* of the nulls of that key, the next */
	struct pending_node *pending; /* stack of nodes */
	size_t pending_count, pending_capacity;

	/* The node being read; frame NULL: none. */
	struct node_frame *frame;
	struct node_view view;
	struct node_cursor cursor;
	size_t key_at, key_end; /* of the region's quarks, those that can be in this node */
	bool by_key;            /* seek each key instead of reading all rows */
	bool seek;              /* the key at key_at has not been looked for yet */
	struct histree_query_stats stats;

	bool keeps_to_nodes; /* hands out no holes: it is used to find them */
	bool has_orphans;    /* those of the reader are pending, or were */
	bool has_holes;      /* they were looked for */
	struct tree_holes holes;
};

enum histree_status tree_iter_create(struct tree_reader *reader, struct tree_iter **out,
				     struct histree_error *error)
{
	*out = NULL;
	struct tree_iter *iter = calloc(1, sizeof(*iter));
	if (iter == NULL || !array_reserve(&iter->pending, &iter->pending_capacity, 1)) {
		free(iter);
		return error_memory(error, "a query");
	}
	iter->reader = reader;
	*out = iter;
	return HISTREE_OK;
}

static void leave_node(struct tree_iter *iter)
{
	if (iter->frame != NULL)
		node_cache_unpin(iter->reader->cache, iter->frame);
	iter->frame = NULL;
}

void tree_iter_free(struct tree_iter *iter)
{
	if (iter == NULL)
		return;
	leave_node(iter);
	tree_holes_release(&iter->holes);
	free(iter->pending);
	free(iter);
}

struct histree_query_stats tree_iter_stats(const struct tree_iter *iter)
{
	return iter->stats;
}

/* ---- what meets the region ------------------------------------------------------------------------ */

/* Index of the first that is not below `bound`. */
static size_t first_time_from(const histree_time *times, size_t count, histree_time bound)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (times[middle] < bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t first_quark_from(const histree_quark *quarks, size_t count, histree_quark bound)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (quarks[middle] < bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool meets_times(const struct tree_iter *iter, histree_time start, histree_time end)
{
	if (start > iter->to || end < iter->from)
		return false;
	if (iter->region.times == NULL)
		return true;
	size_t first = first_time_from(iter->region.times, iter->region.time_count, start);
	return first < iter->region.time_count && iter->region.times[first] <= end;
}

static bool meets_keys(const struct tree_iter *iter, histree_quark key_min, histree_quark key_max)
{
	if (key_min > key_max)
		return false;
	if (iter->region.quarks == NULL)
		return true;
	size_t first = first_quark_from(iter->region.quarks, iter->region.quark_count, key_min);
	return first < iter->region.quark_count && iter->region.quarks[first] <= key_max;
}

/* ---- walking ------------------------------------------------------------------------------------------ */

void tree_iter_stop(struct tree_iter *iter)
{
	leave_node(iter);
	iter->left = 0;
	iter->stats = (struct histree_query_stats){ 0 };
	iter->has_orphans = iter->has_holes = false;
}

void tree_iter_start(struct tree_iter *iter, const struct histree_region *region)
{
	tree_iter_stop(iter);
	iter->region = *region;
	iter->from = region->times != NULL ? region->times[0] : region->from;
	iter->to = region->times != NULL ? region->times[region->time_count - 1] : region->to;
	iter->left = UINT64_MAX;
	if (iter->from == iter->to) /* an attribute has exactly one state at a time */
		iter->left = region->quarks != NULL ? region->quark_count : iter->reader->shape.key_count;
	iter->pending[0] = (struct pending_node){ iter->reader->shape.root, UINT32_MAX };
	iter->pending_count = 1;
	iter->life_at = iter->life_null = 0;
	iter->life_end = region->quarks != NULL ? region->quark_count : iter->reader->shape.key_count;
	if (iter->reader->lives.count == 0) /* this variant has every null in its nodes */
		iter->life_end = 0;
}

/* If it meets the region; there is room for it. */
static void push_node(struct tree_iter *iter, const struct node_child *node, uint32_t height_max)
{
	if (meets_times(iter, node->start, node->end) && meets_keys(iter, node->key_min, node->key_max))
		iter->pending[iter->pending_count++] = (struct pending_node){ node->number, height_max };
}

static enum histree_status push_children(struct tree_iter *iter, struct histree_error *error)
{
	const struct node_view *view = &iter->view;
	if (!array_reserve(&iter->pending, &iter->pending_capacity, iter->pending_count + view->child_count))
		return error_memory(error, "a query");
	/* The last child first: popped in the order of their making, which is about that of time. */
	for (uint32_t i = view->child_count; i-- > 0;) {
		struct node_child child = node_view_child(view, i);
		if (child.number >= view->number)
			return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u has node %u as a child",
					 block_file_path(iter->reader->file), view->number, child.number);
		push_node(iter, &child, view->height > 0 ? view->height - 1 : 0);
	}
	return HISTREE_OK;
}

/* Looking for a key costs about as much as reading this many rows. */
enum { ROWS_PER_SEEK = 24 };

/* The keys of the region that this node may have, and whether to look for each. */
static void choose_keys(struct tree_iter *iter)
{
	const struct histree_region *region = &iter->region;
	iter->key_at = first_quark_from(region->quarks, region->quark_count, iter->view.key_min);
	iter->key_end = iter->key_at + first_quark_from(region->quarks + iter->key_at,
							region->quark_count - iter->key_at, iter->view.key_max);
	if (iter->key_end < region->quark_count && region->quarks[iter->key_end] == iter->view.key_max)
		iter->key_end++;
	iter->by_key = (iter->key_end - iter->key_at) * ROWS_PER_SEEK < iter->view.row_count;
	iter->seek = true;
}

static void begin_rows(struct tree_iter *iter)
{
	const struct histree_region *region = &iter->region;
	node_cursor_begin(&iter->cursor, &iter->view, iter->from, iter->to);
	iter->by_key = false;
	if (region->quarks != NULL)
		choose_keys(iter);
}

/*
 * Pass by the node on top of the stack, which cannot be read.  If it may have children, nobody else knows of them: all
 * nodes without a readable parent take its place, once.
 */
static enum histree_status pass_by(struct tree_iter *iter, struct histree_error *error)
{
	if (iter->pending[iter->pending_count - 1].height_max > 0 && !iter->has_orphans) {
		const struct tree_damage *damage;
		enum histree_status status = tree_damage_find(iter->reader, &damage, error);
		if (status != HISTREE_OK)
			return status;
		if (!array_reserve(&iter->pending, &iter->pending_capacity,
				   iter->pending_count + damage->orphan_count))
			return error_memory(error, "a query");
		iter->pending_count--;
		for (size_t i = 0; i < damage->orphan_count; i++)
			push_node(iter, &damage->orphans[i], UINT32_MAX);
		iter->has_orphans = true;
	} else {
		iter->pending_count--;
	}
	iter->stats.nodes_damaged++;
	return HISTREE_OK;
}

/* Enter the node on top of the stack.  If it fails, that is still there: who asks again is not told less. */
static enum histree_status enter_node(struct tree_iter *iter, struct histree_error *error)
{
	size_t place = iter->pending_count - 1;
	struct pending_node pending = iter->pending[place];
	uint32_t number = pending.number;
	bool loaded;
	/* A file that lies about its children must not keep us for ever. */
	if (iter->stats.nodes_visited + iter->stats.nodes_damaged == iter->reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 block_file_path(iter->reader->file), number);
	if (tree_damage_has(iter->reader, number))
		return pass_by(iter, error);
	enum histree_status status = node_cache_pin(iter->reader->cache, number, &iter->frame, &loaded, error);
	/* What the disk refuses now it may give the next time: that is the caller's to decide. */
	if (status == HISTREE_ERR_FORMAT || (status == HISTREE_ERR_IO && iter->reader->salvages))
		return pass_by(iter, error);
	if (status != HISTREE_OK)
		return status;
	iter->view = node_view(&iter->reader->shape.layout, node_frame_block(iter->frame));
	iter->pending_count = place;
	status = push_children(iter, error);
	if (status != HISTREE_OK) {
		leave_node(iter);
		iter->pending[place] = pending;
		iter->pending_count = place + 1;
		return status;
	}
	iter->stats.nodes_visited++;
	iter->stats.nodes_loaded += loaded;
	begin_rows(iter);
	return HISTREE_OK;
}

/* The next row of this node that is in the region, all rows being read. */
static enum histree_status next_by_row(struct tree_iter *iter, struct histree_interval *out)
{
	const struct histree_region *region = &iter->region;
	enum histree_status status;
	while ((status = node_cursor_next(&iter->cursor, out)) == HISTREE_OK) {
		if (region->quarks != NULL) {
			if (iter->key_at < iter->key_end && region->quarks[iter->key_at] < out->quark)
				iter->key_at += first_quark_from(region->quarks + iter->key_at,
								 iter->key_end - iter->key_at, out->quark);
			if (iter->key_at == iter->key_end)
				return HISTREE_END;
			if (region->quarks[iter->key_at] != out->quark)
				continue;
		}
		if (region->times == NULL || meets_times(iter, out->start, out->end))
			return HISTREE_OK;
	}
	return status;
}

/* The same, each key being looked for. */
static enum histree_status next_by_key(struct tree_iter *iter, struct histree_interval *out)
{
	while (iter->key_at < iter->key_end) {
		histree_quark key = iter->region.quarks[iter->key_at];
		if (iter->seek) {
			enum histree_status status = node_cursor_seek(&iter->cursor, key, iter->from);
			if (status != HISTREE_OK)
				return status;
			iter->seek = false;
		}
		enum histree_status status = node_cursor_next(&iter->cursor, out);
		if (status == HISTREE_OK) {
			if (iter->region.times == NULL || meets_times(iter, out->start, out->end))
				return HISTREE_OK;
			continue;
		}
		if (status != HISTREE_END)
			return status;
		iter->key_at++;
		iter->seek = true;
	}
	return HISTREE_END;
}

/* The next null outside the life of a key: no node has it.  False: there are no more. */
static bool next_null(struct tree_iter *iter, struct histree_interval *out)
{
	const struct tree_shape *shape = &iter->reader->shape;
	for (; iter->life_at < iter->life_end; iter->life_at++, iter->life_null = 0) {
		histree_quark key = iter->region.quarks != NULL ? iter->region.quarks[iter->life_at]
								: (histree_quark)iter->life_at;
		struct histree_interval nulls[2];
		unsigned count = life_nulls(iter->reader->lives.lives[key], key, shape->start, shape->end, nulls);
		while (iter->life_null < count) {
			*out = nulls[iter->life_null++];
			if (meets_times(iter, out->start, out->end))
				return true;
		}
	}
	return false;
}

/* What the nodes that could not be read held. */
static enum histree_status next_hole(struct tree_iter *iter, struct histree_interval *out,
				     struct histree_error *error)
{
	if (!iter->has_holes) {
		enum histree_status status = tree_holes_find(iter->reader, &iter->region, &iter->holes, error);
		if (status != HISTREE_OK)
			return status;
		iter->has_holes = true;
	}
	if (iter->holes.next == iter->holes.count) {
		iter->left = 0;
		return HISTREE_END;
	}
	*out = iter->holes.holes[iter->holes.next++];
	if (iter->holes.next == iter->holes.count)
		iter->left = 0;
	iter->stats.intervals++;
	return HISTREE_OK;
}

void tree_iter_keep_to_nodes(struct tree_iter *iter)
{
	iter->keeps_to_nodes = true;
}

enum histree_status tree_iter_next(struct tree_iter *iter, struct histree_interval *out,
				   struct histree_error *error)
{
	if (iter->left > 0 && next_null(iter, out)) {
		iter->left--;
		iter->stats.intervals++;
		return HISTREE_OK;
	}
	while (iter->left > 0) {
		if (iter->frame == NULL) {
			if (iter->pending_count == 0)
				break;
			enum histree_status status = enter_node(iter, error);
			if (status != HISTREE_OK)
				return status;
			continue;
		}
		enum histree_status status = iter->by_key ? next_by_key(iter, out) : next_by_row(iter, out);
		if (status == HISTREE_OK) {
			iter->left--;
			iter->stats.intervals++;
			return HISTREE_OK;
		}
		if (status != HISTREE_END)
			return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: malformed row",
					 block_file_path(iter->reader->file), iter->view.number);
		leave_node(iter);
	}
	leave_node(iter);
	bool is_damaged = iter->stats.nodes_damaged > 0 || iter->reader->lost_lives;
	if (iter->left > 0 && is_damaged && !iter->keeps_to_nodes)
		return next_hole(iter, out, error);
	return HISTREE_END;
}
