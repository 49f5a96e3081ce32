/* SPDX-License-Identifier: MIT */
/*
 * segment_sweep.h - the segments of a tree in an order of time, by a sweep over its nodes (algorithm 5.2).
 *
 * The orders are numbers: a segment's *key*, and the least key that a node or block can have.  A key is two
 * numbers of 64 bits, compared one after the other:
 *
 * 	by start	start, duration
 * 	by end		end, start
 * 	by duration	duration, start
 *
 * So start and end can be computed from the key, and only segments with equal times have equal keys.  Times are
 * shifted so that they compare as unsigned numbers.  For a descending order, both numbers are complemented.
 *
 * The *queue* of algorithm 5.2 is for nodes, blocks and segments alike.
 *
 * It is monotone: nothing is pushed that comes before the entry popped last.  So it can be a radix heap (Ahuja,
 * Mehlhorn, Orlin and Tarjan, 1990): an entry lies in a bucket by the first byte in which it differs from a floor
 * that no entry is below, and by the value of that byte.  Only the lowest bucket is ever searched; if it holds many
 * entries, they are distributed over lower buckets, so an entry moves a few times and is sorted among few others.
 *
 * Buckets are chains of chunks.  When all chunks are in use, those of the highest bucket go to a temporary file.
 */
#ifndef SEGMENT_TREE_SEGMENT_SWEEP_H
#define SEGMENT_TREE_SEGMENT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/segments.h"
#include "item/segment_batch.h"
#include "node/node.h"
#include "store/record_sort.h"

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

enum {
	QUEUE_WORDS = 3,
	QUEUE_LEVELS = 8 * QUEUE_WORDS, /* bytes of an entry */
	QUEUE_DIGITS = 256,
	QUEUE_CHUNK_ENTRIES = 32,
	QUEUE_READY_MAX = 32,
};

/*
 * A number of 192 bits, the first word the most significant: no two are equal.  The last word is a reference of
 * the owner's: with SEGMENT_REF_LAST it is a segment; without, more entries may follow once it was popped.
 */
struct segment_entry {
	uint64_t words[QUEUE_WORDS];
};

#define SEGMENT_REF_LAST (UINT64_C(1) << 63)

static inline bool segment_entry_is_less(const struct segment_entry *a, const struct segment_entry *b)
{
	if (a->words[0] != b->words[0])
		return a->words[0] < b->words[0];
	if (a->words[1] != b->words[1])
		return a->words[1] < b->words[1];
	return a->words[2] < b->words[2];
}

struct segment_queue;

/* Memory for about `bytes_max` of entries; what is more goes to a file next to `neighbour`. */
enum histree_status segment_queue_create(const struct io *io, const char *neighbour, size_t bytes_max,
					 struct segment_queue **out, struct histree_error *error);

/* Empty again. */
void segment_queue_clear(struct segment_queue *queue);

/* None may be below the entry popped last.  HISTREE_ERR_MEMORY or HISTREE_ERR_IO. */
enum histree_status segment_queue_push(struct segment_queue *queue, const struct segment_entry *entries,
				       size_t count, struct histree_error *error);

/* Get the least entry.  Returns HISTREE_END if the queue is empty. */
enum histree_status segment_queue_pop(struct segment_queue *queue, struct segment_entry *out,
				      struct histree_error *error);

/* Bytes written to the temporary file since the queue was cleared. */
uint64_t segment_queue_spilled_bytes(const struct segment_queue *queue);

/* NULL is fine. */
void segment_queue_free(struct segment_queue *queue);

#endif
