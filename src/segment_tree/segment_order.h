/* SPDX-License-Identifier: MIT */
/*
 * segment_order.h - the orders of time as numbers: a segment's key, and the least key that a node or block can
 * have.
 *
 * A key is two numbers of 64 bits, compared one after the other:
 *
 *	by start	start, duration
 *	by end		end, start
 *	by duration	duration, start
 *
 * So start and end can be had back from it, and only segments with equal times have equal keys.  Times are
 * moved so that their order is that of unsigned numbers.  Descending, both are complemented.
 */
#ifndef SEGMENT_TREE_SEGMENT_ORDER_H
#define SEGMENT_TREE_SEGMENT_ORDER_H

#include "histree/segment_store.h"
#include "item/segment_batch.h"
#include "node/node.h"

struct segment_key {
	uint64_t first, second;
};

struct segment_order {
	enum histree_segment_order by; /* start, end or duration */
	bool descending;
};

static inline bool segment_key_is_less(struct segment_key a, struct segment_key b)
{
	return a.first < b.first || (a.first == b.first && a.second < b.second);
}

static inline uint64_t segment_time_number(histree_time time)
{
	return (uint64_t)time ^ UINT64_C(1) << 63;
}

static inline histree_time segment_number_time(uint64_t number)
{
	return (histree_time)(number ^ UINT64_C(1) << 63);
}

static inline struct segment_key segment_key_turn(struct segment_key key, bool descending)
{
	uint64_t flip = descending ? UINT64_MAX : 0;
	return (struct segment_key){ key.first ^ flip, key.second ^ flip };
}

static inline struct segment_key segment_key_of(struct segment_order order, const struct segment_times *times)
{
	uint64_t start = segment_time_number(times->start);
	struct segment_key key = { start, times->duration };
	if (order.by == HISTREE_SEGMENTS_BY_END)
		key = (struct segment_key){ start + times->duration, start };
	else if (order.by == HISTREE_SEGMENTS_BY_DURATION)
		key = (struct segment_key){ times->duration, start };
	return segment_key_turn(key, order.descending);
}

static inline struct segment_times segment_key_times(struct segment_order order, struct segment_key key)
{
	key = segment_key_turn(key, order.descending);
	if (order.by == HISTREE_SEGMENTS_BY_START)
		return (struct segment_times){ segment_number_time(key.first), key.second };
	uint64_t duration = order.by == HISTREE_SEGMENTS_BY_END ? key.first - key.second : key.first;
	return (struct segment_times){ segment_number_time(key.second), duration };
}

/* No segment within the bounds has a smaller key. */
static inline struct segment_key segment_key_bound(struct segment_order order, const struct node_child *bounds)
{
	bool max = order.descending;
	uint64_t start = segment_time_number(max ? bounds->start_max : bounds->start);
	uint64_t end = segment_time_number(max ? bounds->end : bounds->end_min);
	uint64_t duration = max ? bounds->duration_max : bounds->duration_min;
	struct segment_key key = { start, duration };
	if (order.by == HISTREE_SEGMENTS_BY_END)
		key = (struct segment_key){ end, start };
	else if (order.by == HISTREE_SEGMENTS_BY_DURATION)
		key = (struct segment_key){ duration, start };
	return segment_key_turn(key, order.descending);
}

/* And none has a greater one. */
static inline struct segment_key segment_key_limit(struct segment_order order, const struct node_child *bounds)
{
	order.descending = !order.descending;
	return segment_key_turn(segment_key_bound(order, bounds), true);
}

#endif
