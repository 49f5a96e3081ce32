// SPDX-License-Identifier: MIT
/*
 * Depth first, with the numbers of the nodes still to visit on a stack and one node held (algorithm 4.1 for
 * a region instead of a point; thesis 4.6.4 and 6.1).  A node is visited if its bounds, as its parent knows
 * them, meet the region: thus at most once, as each has one parent.
 *
 * Intervals are read some at a time, so that what it costs to come back to a node is shared among them.
 *
 * A node that is damaged is passed by.  What it held is what is left uncovered when all others have been read, and
 * is handed out as unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "tree/tree_coverage.h"
#include "tree/tree_damage.h"
#include "tree/tree_reader.h"
#include "tree/tree_reader_inside.h"
#include "tree/tree_unknown.h"

enum {
	BATCH = 64,
	NARROWED_QUARKS_MAX = 1024, /* rows of a screen with all that is known of each */
};

struct tree_iter {
	struct tree_reader *reader;
	struct node_region region;
	struct node_region stored; /* the part of it of which a node can have something */
	uint64_t left;             /* intervals that can still come: known where the region is one time */
	uint64_t uncovered;        /* of the region, as tree_coverage.h measures it */
	/* The region's keys whose nulls outside of their lifetimes were not given yet, by index. */
	size_t lifetime_at, lifetime_end;
	size_t lifetimes_block; /* where all keys are asked for: the block of `lifetimes` */
	struct lifetime lifetimes[LIFETIMES_IN_BLOCK];
	uint32_t *pending;     /* stack of node numbers */
	bool *pending_is_core; /* by position: it can have children, as far as its parent knows */
	size_t pending_count, pending_capacity, is_core_capacity;

	struct node_pin *pin;
	const struct tree_node *node;     /* being read; NULL: none */
	struct node_cursor cursor;        /* in it */
	struct histree_query_stats stats; /* `intervals`: with those that wait in the batch */

	size_t batch_at, batch_count; /* those that were read and not handed out yet */
	struct histree_interval batch[BATCH];

	bool keeps_to_nodes; /* hands out nothing unknown: it is used to find that */
	bool has_orphans;    /* those of the reader are pending, or were */
	bool has_unknown;    /* the unknown intervals were looked for */
	struct tree_unknown unknown;
};

static bool reserve_pending(struct tree_iter *iter, size_t count)
{
	return array_reserve(&iter->pending, &iter->pending_capacity, count) &&
	       array_reserve(&iter->pending_is_core, &iter->is_core_capacity, count);
}

enum histree_status tree_iter_create(struct tree_reader *reader, struct tree_iter **out,
				     struct histree_error *error)
{
	*out = NULL;
	struct tree_iter *iter = calloc(1, sizeof(*iter));
	if (iter == NULL || !reserve_pending(iter, 1)) {
		tree_iter_free(iter);
		return error_memory(error, "a query");
	}
	iter->reader = reader;
	enum histree_status status = node_pin_create(reader->cache, &iter->pin, error);
	if (status != HISTREE_OK) {
		tree_iter_free(iter);
		return status;
	}
	*out = iter;
	return HISTREE_OK;
}

static void leave_node(struct tree_iter *iter)
{
	if (iter->node != NULL)
		node_pin_drop(iter->pin);
	iter->node = NULL;
}

void tree_iter_free(struct tree_iter *iter)
{
	if (iter == NULL)
		return;
	node_pin_free(iter->pin);
	tree_unknown_release(&iter->unknown);
	free(iter->pending);
	free(iter->pending_is_core);
	free(iter);
}

struct histree_query_stats tree_iter_stats(const struct tree_iter *iter)
{
	struct histree_query_stats stats = iter->stats;
	stats.intervals -= iter->batch_count - iter->batch_at;
	return stats;
}

/* ---- walking ------------------------------------------------------------------------------------------ */

void tree_iter_stop(struct tree_iter *iter)
{
	leave_node(iter);
	iter->left = iter->uncovered = 0;
	iter->batch_at = iter->batch_count = 0;
	iter->stats = (struct histree_query_stats){ 0 };
	iter->has_orphans = iter->has_unknown = false;
}

void tree_iter_keep_to_nodes(struct tree_iter *iter)
{
	iter->keeps_to_nodes = true;
}

/* Returns the time from the first to the last that any of a region's keys has; their number is limited. */
static struct lifetime bounds_of_lifetimes(const struct lifetimes_view *lifetimes, const struct node_region *region)
{
	struct lifetime bounds = lifetime_none;
	for (size_t i = 0; i < region->quark_count; i++) {
		struct lifetime lifetime = lifetimes_view_get(lifetimes, region->quarks[i]);
		if (lifetime.first < bounds.first)
			bounds.first = lifetime.first;
		if (lifetime.last > bounds.last)
			bounds.last = lifetime.last;
	}
	return bounds;
}

/*
 * Narrow a region to the lifetimes of its keys: nodes have nothing outside.  Lifetimes of a few attributes are
 * often short, as threads are, while the bounds of nodes, which hold the young and the old, keep no key out.
 * Returns false if nothing is left.
 */
static bool narrow(struct node_region *region, const struct lifetimes_view *lifetimes)
{
	if (lifetimes->count == 0 || region->quarks == NULL || region->quark_count > NARROWED_QUARKS_MAX)
		return true;
	struct lifetime bounds = bounds_of_lifetimes(lifetimes, region);
	if (bounds.first > region->to || bounds.last < region->from)
		return false;
	if (region->times != NULL) {
		size_t first = region_time_from(region, 0, bounds.first), end = region->time_count;
		if (bounds.last < region->to)
			end = region_time_from(region, first, bounds.last + 1);
		if (first == end)
			return false;
		region->times += first;
		region->time_count = end - first;
		region->from = region->times[0];
		region->to = region->times[region->time_count - 1];
		return true;
	}
	region->from = bounds.first > region->from ? bounds.first : region->from;
	region->to = bounds.last < region->to ? bounds.last : region->to;
	return true;
}

void tree_iter_start(struct tree_iter *iter, const struct histree_region *region)
{
	const struct tree_shape *shape = &iter->reader->shape;
	tree_iter_stop(iter);
	iter->region = (struct node_region){
		.from = region->times != NULL ? region->times[0] : region->from,
		.to = region->times != NULL ? region->times[region->time_count - 1] : region->to,
		.quarks = region->quarks,
		.quark_count = region->quark_count,
		.times = region->times,
		.time_count = region->time_count,
	};
	if (region->times != NULL && iter->region.from < iter->region.to)
		iter->region.times_per_ns = (double)(region->time_count - 1) /
					    (double)((uint64_t)iter->region.to - (uint64_t)iter->region.from);
	size_t keys = region->quarks != NULL ? region->quark_count : shape->key_count;
	/* An attribute has exactly one state at a time. */
	iter->left = iter->region.from == iter->region.to ? keys : UINT64_MAX;
	iter->uncovered = tree_coverage_of(&iter->region, keys);
	iter->lifetime_at = 0;
	iter->lifetimes_block = SIZE_MAX;
	iter->lifetime_end = iter->reader->lifetimes.count > 0 ? keys : 0; /* else every null is in a node */
	iter->stored = iter->region;
	iter->pending[0] = shape->root;
	iter->pending_is_core[0] = true;
	iter->pending_count = narrow(&iter->stored, &iter->reader->lifetimes) ? 1 : 0;
}

static enum histree_status push_children(struct tree_iter *iter, struct histree_error *error)
{
	const struct tree_node *node = iter->node;
	const struct region_bounds bounds = region_bounds(&iter->stored);
	uint32_t count = node->view.child_count;
	size_t position = iter->pending_count;
	if (count == 0)
		return HISTREE_OK;
	if (!reserve_pending(iter, position + count))
		return error_memory(error, "a query");
	/* The last child first: popped in the order of their making, which is about that of time. */
	for (uint32_t g = tree_group_count(count); g-- > 0;) {
		const struct node_child *group = &node->groups[g];
		uint32_t first = g * CHILDREN_PER_GROUP, end = first + CHILDREN_PER_GROUP;
		if (bounds_meet(&bounds, group->start, group->end, group->key_min, group->key_max))
			position += node_view_children(&node->view, first, end < count ? end : count, &iter->stored,
						       &iter->pending[position]);
	}
	for (size_t i = iter->pending_count; i < position; i++)
		if (iter->pending[i] >= node->view.number)
			return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u has node %u as a child",
					 block_file_path(iter->reader->file), node->view.number, iter->pending[i]);
	memset(&iter->pending_is_core[iter->pending_count], node->view.height > 1, position - iter->pending_count);
	iter->pending_count = position;
	return HISTREE_OK;
}

/* Push the orphans that can be read and meet the region; there is room for them. */
static void push_orphans(struct tree_iter *iter, const struct tree_damage *damage)
{
	const struct node_region *region = &iter->stored;
	const struct region_bounds bounds = region_bounds(region);
	for (size_t i = 0; i < damage->orphan_count; i++) {
		const struct node_child *node = &damage->orphans[i].bounds;
		if (!damage->orphans[i].is_readable ||
		    !bounds_meet(&bounds, node->start, node->end, node->key_min, node->key_max) ||
		    !region_meets_times(region, node->start, node->end) ||
		    !region_meets_keys(region, node->key_min, node->key_max))
			continue;
		iter->pending_is_core[iter->pending_count] = true;
		iter->pending[iter->pending_count++] = node->number;
	}
}

/*
 * Pass by the node on top of the stack, which cannot be read.  If it may have children, nobody else knows of them:
 * all orphans take its place, once.
 */
static enum histree_status pass_by(struct tree_iter *iter, struct histree_error *error)
{
	size_t position = iter->pending_count - 1;
	if (iter->pending_is_core[position] && !iter->has_orphans) {
		const struct tree_damage *damage;
		enum histree_status status = tree_damage_find(iter->reader, &damage, error);
		if (status != HISTREE_OK)
			return status;
		if (!reserve_pending(iter, position + damage->orphan_count))
			return error_memory(error, "a query");
		iter->pending_count = position;
		push_orphans(iter, damage);
		iter->has_orphans = true;
	} else {
		iter->pending_count = position;
	}
	iter->stats.nodes_damaged++;
	return HISTREE_OK;
}

/* Enter the node on top of the stack.  If it fails, that is still there: who asks again is not told less. */
static enum histree_status enter_node(struct tree_iter *iter, struct histree_error *error)
{
	size_t position = iter->pending_count - 1;
	uint32_t number = iter->pending[position];
	bool loaded;
	/* A file that lies about its children must not keep us for ever. */
	if (iter->stats.nodes_visited + iter->stats.nodes_damaged == iter->reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 block_file_path(iter->reader->file), number);
	if (tree_damage_has(iter->reader, number))
		return pass_by(iter, error);
	enum histree_status status = node_pin_hold(iter->pin, number, &loaded, error);
	if (status != HISTREE_OK)
		return tree_damage_is_met(iter->reader, status) ? pass_by(iter, error) : status;
	iter->node = node_pin_companion(iter->pin);
	iter->pending_count = position;
	status = push_children(iter, error);
	if (status != HISTREE_OK) {
		leave_node(iter);
		iter->pending[position] = number;
		iter->pending_count = position + 1;
		return status;
	}
	iter->stats.nodes_visited++;
	iter->stats.nodes_loaded += loaded;
	if (iter->node->view.row_count > 0)
		node_cursor_begin(&iter->cursor, &iter->node->view, &iter->stored);
	else
		leave_node(iter);
	return HISTREE_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------ */

/* Returns the lifetime of a key of the region.  Where all keys are asked for, they are unpacked block by block. */
static inline struct lifetime lifetime_of(struct tree_iter *iter, size_t at)
{
	const struct lifetimes_view *lifetimes = &iter->reader->lifetimes;
	if (iter->region.quarks != NULL)
		return lifetimes_view_get(lifetimes, iter->region.quarks[at]);
	if (at / LIFETIMES_IN_BLOCK != iter->lifetimes_block) {
		iter->lifetimes_block = at / LIFETIMES_IN_BLOCK;
		lifetimes_view_get_block(lifetimes, (histree_quark)(iter->lifetimes_block * LIFETIMES_IN_BLOCK),
					 iter->lifetimes);
	}
	return iter->lifetimes[at % LIFETIMES_IN_BLOCK];
}

/* Read the nulls outside the lifetimes of keys, which no node has, as long as there is room.  Returns how many. */
static size_t read_nulls(struct tree_iter *iter, struct histree_interval *out, size_t room)
{
	const struct node_region *region = &iter->region;
	const struct tree_shape *shape = &iter->reader->shape;
	size_t count = 0;
	for (; iter->lifetime_at < iter->lifetime_end && count + 2 <= room; iter->lifetime_at++) {
		size_t at = iter->lifetime_at;
		struct lifetime lifetime = lifetime_of(iter, at);
		if (lifetime.first <= region->from && lifetime.last >= region->to)
			continue;
		histree_quark key = region->quarks != NULL ? region->quarks[at] : (histree_quark)at;
		struct histree_interval nulls[2];
		unsigned of_key = lifetime_nulls(lifetime, key, shape->start, shape->end, nulls);
		for (unsigned i = 0; i < of_key; i++)
			if (region_has_time_of(region, nulls[i].start, nulls[i].end))
				out[count++] = nulls[i];
	}
	return count;
}

/* Read at least one interval of the nodes, or return HISTREE_END. */
static enum histree_status read_nodes(struct tree_iter *iter, struct histree_interval *out, size_t room,
				      size_t *count, struct histree_error *error)
{
	enum histree_status status = HISTREE_END;
	*count = 0;
	while (iter->node != NULL || iter->pending_count > 0) {
		if (iter->node == NULL && (status = enter_node(iter, error)) != HISTREE_OK)
			return status;
		if (iter->node == NULL) /* a node of children alone */
			continue;
		uint64_t met = node_cursor_times_met(&iter->cursor);
		status = node_cursor_read(&iter->cursor, out, iter->left < room ? (size_t)iter->left : room, count);
		if (iter->region.times != NULL)
			iter->uncovered -= node_cursor_times_met(&iter->cursor) - met;
		if (status == HISTREE_OK)
			return HISTREE_OK;
		if (status != HISTREE_END)
			return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: malformed row",
					 block_file_path(iter->reader->file), iter->node->view.number);
		leave_node(iter);
	}
	return HISTREE_END;
}

/* Read what the nodes that could not be read held: it is unknown. */
static enum histree_status read_unknown(struct tree_iter *iter, struct histree_interval *out, size_t room,
					size_t *count, struct histree_error *error)
{
	const struct node_region *region = &iter->region;
	struct tree_unknown *unknown = &iter->unknown;
	if (!iter->has_unknown) {
		const struct histree_region asked = {
			.from = region->from,
			.to = region->to,
			.quarks = region->quarks,
			.quark_count = region->quark_count,
			.times = region->times,
			.time_count = region->time_count,
		};
		enum histree_status status = tree_unknown_find(iter->reader, &asked, unknown, error);
		if (status != HISTREE_OK)
			return status;
		iter->has_unknown = true;
	}
	size_t left = unknown->count - unknown->next;
	*count = left < room ? left : room;
	if (*count == 0)
		return HISTREE_END;
	memcpy(out, &unknown->intervals[unknown->next], *count * sizeof(*out));
	unknown->next += *count;
	return HISTREE_OK;
}

/* What the nodes do not say is unknown.  In the end everything is covered once, or they say too much. */
static enum histree_status read_the_rest(struct tree_iter *iter, struct histree_interval *out, size_t room,
					 size_t *count, struct histree_error *error)
{
	if (iter->keeps_to_nodes || (iter->uncovered == 0 && !iter->has_unknown))
		return HISTREE_END;
	enum histree_status status = read_unknown(iter, out, room, count, error);
	iter->uncovered -= tree_coverage_of_times(&iter->region, out, *count);
	if (status == HISTREE_END && iter->uncovered != 0)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "'%s': an attribute has two states at one time; 'histree verify' says more",
				 block_file_path(iter->reader->file));
	return status;
}

/* Read at least one interval, or return HISTREE_END.  There is room for two at least. */
static enum histree_status read_some(struct tree_iter *iter, struct histree_interval *out, size_t room,
				     size_t *count, struct histree_error *error)
{
	enum histree_status status = HISTREE_END;
	*count = 0;
	if (iter->left > 0 && !iter->has_unknown) {
		*count = read_nulls(iter, out, room);
		iter->uncovered -= tree_coverage_of_times(&iter->region, out, *count);
		status = *count > 0 ? HISTREE_OK : read_nodes(iter, out, room, count, error);
	}
	if (status == HISTREE_END)
		status = read_the_rest(iter, out, room, count, error);
	if (iter->region.times == NULL)
		iter->uncovered -= tree_coverage_of_range(&iter->region, out, *count);
	if (status == HISTREE_END)
		leave_node(iter);
	iter->left -= *count;
	iter->stats.intervals += *count;
	return status;
}

static enum histree_status read_batch(struct tree_iter *iter, struct histree_error *error)
{
	iter->batch_at = 0;
	return read_some(iter, iter->batch, BATCH, &iter->batch_count, error);
}

/* Apart from tree_iter_next(), which is short without it. */
__attribute__((noinline)) static enum histree_status
next_of_batch(struct tree_iter *iter, struct histree_interval *out, struct histree_error *error)
{
	enum histree_status status = read_batch(iter, error);
	if (status == HISTREE_OK)
		*out = iter->batch[iter->batch_at++];
	return status;
}

enum histree_status tree_iter_next(struct tree_iter *iter, struct histree_interval *out,
				   struct histree_error *error)
{
	if (iter->batch_at == iter->batch_count)
		return next_of_batch(iter, out, error);
	*out = iter->batch[iter->batch_at++];
	return HISTREE_OK;
}

enum histree_status tree_iter_read(struct tree_iter *iter, struct histree_interval *out, size_t room, size_t *count,
				   struct histree_error *error)
{
	*count = 0;
	if (room == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "room for no interval");
	if (iter->batch_at == iter->batch_count) {
		enum histree_status status =
			room >= 2 ? read_some(iter, out, room, count, error) : read_batch(iter, error);
		if (status != HISTREE_OK || *count > 0)
			return status;
	}
	size_t waiting = iter->batch_count - iter->batch_at;
	*count = waiting < room ? waiting : room;
	memcpy(out, &iter->batch[iter->batch_at], *count * sizeof(*out));
	iter->batch_at += *count;
	return HISTREE_OK;
}
