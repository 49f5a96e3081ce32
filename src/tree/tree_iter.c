// SPDX-License-Identifier: MIT
/*
 * Depth first, with the numbers of the nodes still to visit on a stack and one node pinned (algorithm 4.1 for
 * a region instead of a point; thesis 4.6.4 and 6.1).  A node is visited if its bounds, as its parent knows
 * them, meet the region: thus at most once, as each has one parent.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "tree/tree_reader_inside.h"

struct tree_iter {
	struct tree_reader *reader;
	struct histree_region region;
	histree_time from, to; /* the hull of the region's times */
	uint64_t left;         /* intervals that can still come: known where the region is one time */
	size_t life_at,
		life_end; /* of the region's keys, those whose nulls outside their life were not given yet */
	struct life lives[LIVES_IN_BLOCK]; /* where all keys are asked for: of those around that key */
	unsigned life_null;                /* of the nulls of that key, the next */
	uint32_t *pending;                 /* stack of node numbers */
	size_t pending_count, pending_capacity;

	/* The node being read; frame NULL: none. */
	struct node_frame *frame;
	struct node_view view;
	struct node_cursor cursor;
	size_t key_at, key_end; /* of the region's quarks, those that can be in this node */
	bool by_key;            /* seek each key instead of reading all rows */
	bool seek;              /* the key at key_at has not been looked for yet */
	struct histree_query_stats stats;
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
	iter->pending[0] = iter->reader->shape.root;
	iter->pending_count = 1;
	iter->life_at = iter->life_null = 0;
	iter->life_end = region->quarks != NULL ? region->quark_count : iter->reader->shape.key_count;
	if (iter->reader->lives.count == 0) /* this variant has every null in its nodes */
		iter->life_end = 0;
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
		if (meets_times(iter, child.start, child.end) && meets_keys(iter, child.key_min, child.key_max))
			iter->pending[iter->pending_count++] = child.number;
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

/* Enter the node on top of the stack.  If it fails, that is still there: who asks again is not told less. */
static enum histree_status enter_node(struct tree_iter *iter, struct histree_error *error)
{
	size_t place = iter->pending_count - 1;
	uint32_t number = iter->pending[place];
	bool loaded;
	/* A file that lies about its children must not keep us for ever. */
	if (iter->stats.nodes_visited == iter->reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 block_file_path(iter->reader->file), number);
	enum histree_status status = node_cache_pin(iter->reader->cache, number, &iter->frame, &loaded, error);
	if (status != HISTREE_OK)
		return status;
	iter->view = node_view(&iter->reader->shape.layout, node_frame_block(iter->frame));
	iter->pending_count = place;
	status = push_children(iter, error);
	if (status != HISTREE_OK) {
		leave_node(iter);
		iter->pending[place] = number;
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

static struct life next_life(struct tree_iter *iter, histree_quark key)
{
	if (iter->region.quarks != NULL)
		return lives_view_get(&iter->reader->lives, key);
	if (key % LIVES_IN_BLOCK == 0 && iter->life_null == 0)
		lives_view_get_block(&iter->reader->lives, key, iter->lives);
	return iter->lives[key % LIVES_IN_BLOCK];
}

/* The next null outside the life of a key: no node has it.  False: there are no more. */
static bool next_null(struct tree_iter *iter, struct histree_interval *out)
{
	const struct tree_shape *shape = &iter->reader->shape;
	for (; iter->life_at < iter->life_end; iter->life_at++, iter->life_null = 0) {
		histree_quark key = iter->region.quarks != NULL ? iter->region.quarks[iter->life_at]
								: (histree_quark)iter->life_at;
		struct histree_interval nulls[2];
		unsigned count = life_nulls(next_life(iter, key), key, shape->start, shape->end, nulls);
		while (iter->life_null < count) {
			*out = nulls[iter->life_null++];
			if (meets_times(iter, out->start, out->end))
				return true;
		}
	}
	return false;
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
	return HISTREE_END;
}
