// SPDX-License-Identifier: MIT
/*
 * segment_sweep.c - the segments of a tree in an order of time, by a sweep over its nodes (algorithm 5.2).
 */
#include "segment_tree/segment_sweep.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "histree/segments.h"
#include "item/segment_batch.h"
#include "node/node.h"
#include "segment_tree/segment_scan.h"
#include "store/record_sort.h"

static inline histree_time segment_number_time(uint64_t number)
{
	return (histree_time)(number ^ UINT64_C(1) << 63);
}

static inline struct segment_times segment_key_times(struct segment_order order, struct segment_key key)
{
	key = segment_key_turn(key, order.descending);
	if (order.by == HISTREE_SEGMENTS_BY_START)
		return (struct segment_times){ segment_number_time(key.first), key.second };
	uint64_t duration = order.by == HISTREE_SEGMENTS_BY_END ? key.first - key.second : key.first;
	return (struct segment_times){ segment_number_time(key.second), duration };
}

/* And none has a greater one. */
static inline struct segment_key segment_key_limit(struct segment_order order, const struct node_child *bounds)
{
	order.descending = !order.descending;
	return segment_key_turn(segment_key_bound(order, bounds), true);
}

/* ---- segment queue ------------------------------------------------------------------------------------------- */

#define NONE UINT32_MAX
struct queue_chunk {
	uint32_t next;  /* of the bucket, or the free ones */
	uint32_t count; /* in the spill file */
	struct segment_entry entries[QUEUE_CHUNK_ENTRIES];
};

struct queue_bucket {
	uint64_t count;  /* entries, also those in the spill file */
	uint32_t chunk;  /* the newest, which may have room; the others after it are full */
	uint32_t filled; /* entries of the newest: here, so that pushing touches no more memory than it must */
	uint32_t slot;   /* of the spill file: likewise, chunks that are there */
};

/*
 * The large tables are last and are written where entries come: a queue that sees few, such as one of 64 hosts of
 * which the first segment is wanted, touches a few pages of its 300 KiB.
 */
struct segment_queue {
	struct segment_entry floor;                       /* no entry is below */
	uint32_t levels;                                  /* a bit for each level that has entries */
	uint64_t digits[QUEUE_LEVELS][QUEUE_DIGITS / 64]; /* likewise for its buckets */

	struct queue_chunk *chunks;
	size_t chunk_count, chunks_capacity, chunks_max;
	uint32_t free_chunk;

	struct segment_entry ready[QUEUE_READY_MAX]; /* sorted; below all in the buckets */
	size_t ready_at, ready_count;

	struct spill_file spill;
	uint32_t *slots; /* of the spill file: the next of the bucket, or of the free ones */
	size_t slot_count, slots_capacity;
	uint32_t free_slot;
	struct queue_chunk *passing; /* a chunk on its way back from the spill file */
	uint64_t spilled_bytes;

	struct queue_bucket buckets[QUEUE_LEVELS][QUEUE_DIGITS];      /* of those that have entries */
	struct segment_entry spilled_min[QUEUE_LEVELS][QUEUE_DIGITS]; /* of a bucket's entries in the spill file */
};

enum histree_status segment_queue_create(const struct io *io, const char *neighbour, size_t bytes_max,
					 struct segment_queue **out, struct histree_error *error)
{
	struct segment_queue *queue = malloc(sizeof(*queue));
	*out = queue;
	if (queue == NULL)
		return error_memory(error, "a queue of segments");
	memset(queue, 0, offsetof(struct segment_queue, buckets));
	queue->spill = spill_file(io, neighbour);
	queue->chunks_max = bytes_max / sizeof(struct queue_chunk) + 1;
	segment_queue_clear(queue);
	return HISTREE_OK;
}

void segment_queue_clear(struct segment_queue *queue)
{
	queue->floor = (struct segment_entry){ { 0 } };
	queue->levels = 0;
	memset(queue->digits, 0, sizeof(queue->digits));
	queue->chunk_count = queue->slot_count = 0;
	queue->free_chunk = queue->free_slot = NONE;
	queue->ready_at = queue->ready_count = 0;
	queue->spilled_bytes = 0;
}

void segment_queue_free(struct segment_queue *queue)
{
	if (queue == NULL)
		return;
	spill_file_close(&queue->spill);
	free(queue->chunks);
	free(queue->slots);
	free(queue->passing);
	free(queue);
}

uint64_t segment_queue_spilled_bytes(const struct segment_queue *queue)
{
	return queue->spilled_bytes;
}

/* ---- buckets ------------------------------------------------------------------------------------ */

static inline bool is_filled(const struct segment_queue *queue, unsigned level, unsigned digit)
{
	return (queue->digits[level][digit / 64] >> digit % 64 & 1) != 0;
}

static void mark_empty(struct segment_queue *queue, unsigned level, unsigned digit)
{
	uint64_t *digits = queue->digits[level];
	digits[digit / 64] &= ~(UINT64_C(1) << digit % 64);
	if ((digits[0] | digits[1] | digits[2] | digits[3]) == 0)
		queue->levels &= ~(UINT32_C(1) << level);
}

/* ---- the spill file ----------------------------------------------------------------------------- */

static uint32_t take_slot(struct segment_queue *queue)
{
	uint32_t slot = queue->free_slot;
	if (slot != NONE) {
		queue->free_slot = queue->slots[slot];
		return slot;
	}
	if (!array_reserve(&queue->slots, &queue->slots_capacity, queue->slot_count + 1))
		return NONE;
	return (uint32_t)queue->slot_count++;
}

static void give_chunk_back(struct segment_queue *queue, uint32_t number)
{
	queue->chunks[number].next = queue->free_chunk;
	queue->free_chunk = number;
}

/* Write the newest chunk of a bucket to the spill file. */
static enum histree_status spill_chunk(struct segment_queue *queue, unsigned level, unsigned digit,
				       struct histree_error *error)
{
	struct queue_bucket *bucket = &queue->buckets[level][digit];
	struct segment_entry *min = &queue->spilled_min[level][digit];
	uint32_t number = bucket->chunk, slot = take_slot(queue);
	struct queue_chunk *chunk = &queue->chunks[number];
	if (slot == NONE)
		return error_memory(error, "a queue of segments");
	assert(bucket->filled > 0 && bucket->filled <= QUEUE_CHUNK_ENTRIES);
	chunk->count = bucket->filled;
	enum histree_status status =
		spill_file_write(&queue->spill, chunk, sizeof(*chunk), (uint64_t)slot * sizeof(*chunk), error);
	if (status != HISTREE_OK)
		return status;
	for (uint32_t i = 0; i < chunk->count; i++)
		if ((bucket->slot == NONE && i == 0) || segment_entry_is_less(&chunk->entries[i], min))
			*min = chunk->entries[i];
	queue->slots[slot] = bucket->slot;
	bucket->slot = slot;
	bucket->chunk = chunk->next;
	bucket->filled = QUEUE_CHUNK_ENTRIES;
	give_chunk_back(queue, number);
	queue->spilled_bytes += sizeof(*chunk);
	return HISTREE_OK;
}

/*
 * All chunks of a bucket; or all but the newest, if that is not full.  Those that are not full stay as long as
 * others can go: else each entry that a spilled bucket gets would cost a chunk of the file.
 */
static enum histree_status spill_bucket(struct segment_queue *queue, unsigned level, unsigned digit, bool only_full,
					struct histree_error *error)
{
	struct queue_bucket *bucket = &queue->buckets[level][digit];
	struct queue_bucket newest = *bucket;
	bool keeps = only_full && newest.filled < QUEUE_CHUNK_ENTRIES;
	if (keeps) {
		bucket->chunk = queue->chunks[newest.chunk].next;
		bucket->filled = QUEUE_CHUNK_ENTRIES;
	}
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && bucket->chunk != NONE)
		status = spill_chunk(queue, level, digit, error);
	if (keeps) {
		queue->chunks[newest.chunk].next = bucket->chunk;
		bucket->chunk = newest.chunk;
		bucket->filled = newest.filled;
	}
	return status;
}

static bool has_full_chunk(const struct segment_queue *queue, const struct queue_bucket *bucket)
{
	return bucket->filled == QUEUE_CHUNK_ENTRIES || queue->chunks[bucket->chunk].next != NONE;
}

/*
 * Spill the bucket that will be needed last among those that are dealt out before they are used.  Returns false if
 * there is no such bucket (with a full chunk, if only full chunks are wanted).
 */
static bool spill_highest(struct segment_queue *queue, bool only_full, enum histree_status *status,
			  struct histree_error *error)
{
	for (unsigned level = QUEUE_LEVELS - 1; level > 0; level--)
		for (unsigned word = QUEUE_DIGITS / 64; word-- > 0;)
			for (uint64_t left = queue->digits[level][word]; left != 0;) {
				unsigned bit = 63 - (unsigned)__builtin_clzll(left), digit = 64 * word + bit;
				const struct queue_bucket *bucket = &queue->buckets[level][digit];
				if (bucket->chunk != NONE && bucket->count > QUEUE_READY_MAX &&
				    (!only_full || has_full_chunk(queue, bucket))) {
					*status = spill_bucket(queue, level, digit, only_full, error);
					return true;
				}
				left &= ~(UINT64_C(1) << bit);
			}
	return false;
}

/* ---- pushing and popping ------------------------------------------------------------------------ */

enum histree_status segment_queue_push(struct segment_queue *queue, const struct segment_entry *entries,
				       size_t count, struct histree_error *error)
{
	for (size_t i = 0; i < count; i++) {
		/*
		 * Level and digit by the first byte in which an entry differs from the floor; the last byte if in
		 * none.
		 */
		unsigned word = 0;
		while (word + 1 < QUEUE_WORDS && entries[i].words[word] == queue->floor.words[word])
			word++;
		uint64_t differing = entries[i].words[word] ^ queue->floor.words[word];
		unsigned byte = differing == 0 ? 0 : (63 - (unsigned)__builtin_clzll(differing)) / 8;
		const unsigned level = 8 * (QUEUE_WORDS - 1 - word) + byte;
		const unsigned digit = (uint8_t)(entries[i].words[word] >> 8 * byte);
		struct queue_bucket *bucket = &queue->buckets[level][digit];
		if (!is_filled(queue, level, digit))
			*bucket = (struct queue_bucket){ .chunk = NONE, .slot = NONE };
		if (bucket->chunk == NONE || bucket->filled == QUEUE_CHUNK_ENTRIES) {
			/* An empty chunk in front of a bucket. */
			if (queue->free_chunk == NONE && queue->chunk_count >= queue->chunks_max) {
				/* If there is nothing to spill, nothing is done: there are then few entries. */
				enum histree_status status = HISTREE_OK;
				if (!spill_highest(queue, true, &status, error))
					spill_highest(queue, false, &status, error);
				if (status != HISTREE_OK)
					return status;
			}
			uint32_t number = queue->free_chunk;
			if (number != NONE) {
				queue->free_chunk = queue->chunks[number].next;
			} else {
				if (!array_reserve(&queue->chunks, &queue->chunks_capacity, queue->chunk_count + 1))
					return error_memory(error, "a queue of segments");
				number = (uint32_t)queue->chunk_count++;
			}
			queue->chunks[number].next = bucket->chunk;
			bucket->chunk = number;
			bucket->filled = 0;
		}
		assert(bucket->filled < QUEUE_CHUNK_ENTRIES);
		queue->chunks[bucket->chunk].entries[bucket->filled++] = entries[i];
		if (bucket->count++ == 0) {
			queue->levels |= UINT32_C(1) << level;
			queue->digits[level][digit / 64] |= UINT64_C(1) << digit % 64;
		}
	}
	return HISTREE_OK;
}

/*
 * Raise the floor to the least entry of the lowest bucket, whose entries then belong into lower ones.  Those of all
 * other buckets stay where they are: they differ from the new floor where they differed from the old.
 */
static enum histree_status deal(struct segment_queue *queue, unsigned level, unsigned digit,
				struct histree_error *error)
{
	struct queue_bucket dealt = queue->buckets[level][digit];
	if (queue->passing == NULL && dealt.slot != NONE &&
	    (queue->passing = malloc(sizeof(*queue->passing))) == NULL)
		return error_memory(error, "a queue of segments");
	const struct queue_bucket *bucket = &queue->buckets[level][digit];
	const struct segment_entry *min = bucket->slot != NONE ? &queue->spilled_min[level][digit] : NULL;
	uint32_t filled = bucket->filled;
	for (uint32_t number = bucket->chunk; number != NONE; number = queue->chunks[number].next) {
		const struct segment_entry *entries = queue->chunks[number].entries;
		for (uint32_t i = 0; i < filled; i++)
			if (min == NULL || segment_entry_is_less(&entries[i], min))
				min = &entries[i];
		filled = QUEUE_CHUNK_ENTRIES;
	}
	assert(min != NULL);
	queue->floor = *min;
	mark_empty(queue, level, digit);
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && dealt.chunk != NONE) {
		/* A copy: pushing may move the chunks. */
		struct queue_chunk chunk = queue->chunks[dealt.chunk];
		give_chunk_back(queue, dealt.chunk);
		status = segment_queue_push(queue, chunk.entries, dealt.filled, error);
		dealt.filled = QUEUE_CHUNK_ENTRIES;
		dealt.chunk = chunk.next;
	}
	while (status == HISTREE_OK && dealt.slot != NONE) {
		uint32_t slot = dealt.slot;
		status = spill_file_read(&queue->spill, queue->passing, sizeof(*queue->passing),
					 (uint64_t)slot * sizeof(*queue->passing), error);
		dealt.slot = queue->slots[slot];
		queue->slots[slot] = queue->free_slot;
		queue->free_slot = slot;
		if (status == HISTREE_OK)
			status = segment_queue_push(queue, queue->passing->entries, queue->passing->count, error);
	}
	return status;
}

static void sort_ready(struct segment_queue *queue)
{
	for (size_t i = 1; i < queue->ready_count; i++) {
		struct segment_entry entry = queue->ready[i];
		size_t position = i;
		for (; position > 0 && segment_entry_is_less(&entry, &queue->ready[position - 1]); position--)
			queue->ready[position] = queue->ready[position - 1];
		queue->ready[position] = entry;
	}
}

/*
 * Of a bucket of one chunk, make ready all entries up to the first that others may follow, so that nothing can
 * come between them.
 */
static void make_ready(struct segment_queue *queue, unsigned level, unsigned digit)
{
	struct queue_bucket *bucket = &queue->buckets[level][digit];
	struct segment_entry *entries = queue->chunks[bucket->chunk].entries;
	struct segment_entry bound = { { UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	for (uint32_t i = 0; i < bucket->filled; i++)
		if ((entries[i].words[2] & SEGMENT_REF_LAST) == 0 && segment_entry_is_less(&entries[i], &bound))
			bound = entries[i];
	uint32_t kept = 0;
	queue->ready_at = queue->ready_count = 0;
	for (uint32_t i = 0; i < bucket->filled; i++) {
		struct segment_entry entry = entries[i];
		if (segment_entry_is_less(&bound, &entry))
			entries[kept++] = entry;
		else
			queue->ready[queue->ready_count++] = entry;
	}
	bucket->count = bucket->filled = kept;
	if (kept == 0) {
		give_chunk_back(queue, bucket->chunk);
		mark_empty(queue, level, digit);
	}
	sort_ready(queue);
}

enum histree_status segment_queue_pop(struct segment_queue *queue, struct segment_entry *out,
				      struct histree_error *error)
{
	while (queue->ready_at == queue->ready_count) {
		if (queue->levels == 0)
			return HISTREE_END;
		const unsigned level = (unsigned)__builtin_ctz(queue->levels);
		unsigned word = 0;
		while (queue->digits[level][word] == 0)
			word++;
		const unsigned digit = 64 * word + (unsigned)__builtin_ctzll(queue->digits[level][word]);
		const struct queue_bucket *bucket = &queue->buckets[level][digit];
		if (bucket->count <= QUEUE_READY_MAX) {
			make_ready(queue, level, digit);
			continue;
		}
		enum histree_status status = deal(queue, level, digit, error);
		if (status != HISTREE_OK)
			return status;
	}
	*out = queue->ready[queue->ready_at++];
	return HISTREE_OK;
}

/* ---- segment sweep ------------------------------------------------------------------------------------------- */

/*
 * References, from the top: whether it is a segment (1 bit), whether it is a block (1), a location (59).  So nodes
 * and blocks come before segments of the same key.
 */
#define REF_IS_BLOCK (UINT64_C(1) << 62)
/*
 * Budget of leaves that may be loaded for the sake of content: a number at first, and then one for this many
 * segments.
 */
enum { LOADS_AT_FIRST = 64, SEGMENTS_PER_LOAD = 16 };

enum { AHEAD_FIRST = 128, AHEAD_BYTES = 8 + 16 + 2 * 16 + 24 };

/* Segments taken from the queue, whose content is gathered. */
struct sweep_ahead {
	bool on;
	struct segment_gather *gather;
	uint64_t *locations;
	struct segment_key *keys;
	size_t locations_capacity, keys_capacity;
	size_t wanted, count;
	size_t at; /* the next to be handed out */
	size_t gathered, gathered_end;
	bool one_by_one; /* some leaf of them can no longer be read */
	/* What comes after the last of them: the end, a loss, an error. */
	enum histree_status after;
	struct histree_loss loss;
	struct histree_error error;
};

struct segment_sweep {
	struct segment_source source;
	struct segment_window window;
	struct segment_order order;
	struct segment_queue *queue;
	struct segment_key from;   /* segments with smaller keys are passed over */
	struct segment_key last;   /* of what was popped last */
	struct segment_key handed; /* of the segment handed out last */
	uint64_t handed_out;
	struct sweep_ahead ahead;
	uint64_t nodes; /* opened */
	struct segment_damage damage;
	struct segment_visit visit;  /* to the node being opened */
	struct segment_visit holder; /* to the leaf with the content handed out last */
	struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX];
};

enum histree_status segment_sweep_create(const struct segment_source *source, struct segment_sweep **out,
					 struct histree_error *error)
{
	*out = NULL;
	struct segment_sweep *sweep = calloc(1, sizeof(*sweep));
	if (sweep == NULL)
		return error_memory(error, "an iterator");
	enum histree_status status =
		segment_queue_create(source->io, source->path, source->queue_bytes, &sweep->queue, error);
	if (status != HISTREE_OK) {
		free(sweep);
		return status;
	}
	sweep->source = *source;
	sweep->visit.reader = sweep->holder.reader = source->reader;
	*out = sweep;
	return HISTREE_OK;
}

void segment_sweep_free(struct segment_sweep *sweep)
{
	if (sweep == NULL)
		return;
	segment_visit_release(&sweep->visit);
	segment_visit_release(&sweep->holder);
	segment_damage_release(&sweep->damage);
	segment_gather_free(sweep->ahead.gather);
	free(sweep->ahead.locations);
	free(sweep->ahead.keys);
	segment_queue_free(sweep->queue);
	free(sweep);
}

void segment_sweep_key(const struct segment_sweep *sweep, uint64_t key[2])
{
	key[0] = sweep->handed.first;
	key[1] = sweep->handed.second;
}

struct histree_loss segment_sweep_loss(const struct segment_sweep *sweep)
{
	return sweep->damage.loss;
}

void segment_sweep_stats(const struct segment_sweep *sweep, struct histree_statistics *stats)
{
	stats->nodes_visited = sweep->visit.visited + sweep->holder.visited;
	stats->nodes_loaded = sweep->visit.loaded + sweep->holder.loaded;
	stats->spilled_bytes = segment_queue_spilled_bytes(sweep->queue);
	if (sweep->ahead.gather != NULL)
		segment_gather_stats(sweep->ahead.gather, stats);
}

/* ---- references --------------------------------------------------------------------------------- */

static uint64_t ref_of_node(uint32_t node)
{
	return segment_location(node, 0, 0);
}

/* Segments with equal keys come in the order of their locations; descending, in its reverse. */
static uint64_t turn_location(const struct segment_sweep *sweep, uint64_t location)
{
	return sweep->order.descending ? location ^ LOCATION_MASK : location;
}

/* ---- the queue ---------------------------------------------------------------------------------- */

/* The queue requires that nothing comes before what was popped; a damaged file might break its own bounds. */
static enum histree_status broken_bounds(const struct segment_sweep *sweep, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u: its parent has narrower bounds of it",
			 sweep->source.path, sweep->visit.view.number);
}

/* Push a node or block, if it can have segments that are wanted. */
static enum histree_status push_bounds(struct segment_sweep *sweep, const struct node_child *bounds, uint64_t ref,
				       struct histree_error *error)
{
	if (!segment_window_meets(sweep->window, bounds) ||
	    segment_key_is_less(segment_key_limit(sweep->order, bounds), sweep->from))
		return HISTREE_OK;
	struct segment_key key = segment_key_bound(sweep->order, bounds);
	if (segment_key_is_less(key, sweep->last))
		return broken_bounds(sweep, error);
	return segment_queue_push(sweep->queue, &(struct segment_entry){ { key.first, key.second, ref } }, 1,
				  error);
}

enum histree_status segment_sweep_start(struct segment_sweep *sweep, enum histree_segment_order by, bool descending,
					struct segment_window window, const struct histree_segment_token *resume,
					struct histree_error *error)
{
	segment_visit_leave(&sweep->visit);
	segment_visit_leave(&sweep->holder);
	sweep->visit.visited = sweep->visit.loaded = sweep->holder.visited = sweep->holder.loaded = 0;
	segment_queue_clear(sweep->queue);
	sweep->order = (struct segment_order){ .by = by, .descending = descending };
	sweep->window = window;
	sweep->nodes = sweep->handed_out = 0;
	sweep->ahead.on = false;
	sweep->ahead.at = sweep->ahead.count = 0;
	sweep->ahead.after = HISTREE_OK;
	segment_damage_begin(&sweep->damage);
	sweep->from = sweep->last = (struct segment_key){ 0, 0 };
	if (resume != NULL && resume->given > 0)
		sweep->from = (struct segment_key){ resume->key[0], resume->key[1] };
	const struct segment_entry root = { { 0, 0, ref_of_node(sweep->source.reader->shape.root) } };
	return segment_queue_push(sweep->queue, &root, 1, error);
}

/*
 * A node could not be read.  All orphans go into the queue with the first damaged core node that is met: the bounds
 * of each lie within those of a node that is damaged too, and either still in the queue or the one just taken from
 * it.
 */
static enum histree_status meet_damage(struct segment_sweep *sweep, uint32_t number, struct histree_error *error)
{
	bool had_orphans = sweep->damage.met_core;
	enum histree_status status = segment_damage_meet(&sweep->damage, sweep->source.reader, number, error);
	if (had_orphans || !sweep->damage.met_core)
		return status;
	const struct tree_damage *damage = sweep->damage.damage;
	for (size_t i = 0; status == HISTREE_OK && i < damage->orphan_count; i++) {
		const struct orphan_node *orphan = &damage->orphans[i];
		if (orphan->is_readable)
			status = push_bounds(sweep, &orphan->bounds, ref_of_node(orphan->bounds.number), error);
	}
	return status;
}

static enum histree_status open_node(struct segment_sweep *sweep, uint32_t number, struct histree_error *error)
{
	/* A file that lies about its children must not keep us for ever. */
	if (sweep->nodes++ == sweep->source.reader->shape.node_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u is a child of several nodes",
				 sweep->source.path, number);
	enum histree_status status = segment_visit_node(&sweep->visit, number, error);
	if (status == HISTREE_ERR_FORMAT)
		return meet_damage(sweep, number, error);
	if (status != HISTREE_OK)
		return status;
	const struct node_view *view = &sweep->visit.view;
	if (view->height == 0) {
		uint32_t count = segment_leaf_block_count(view->block);
		for (uint32_t index = 0; status == HISTREE_OK && index < count; index++) {
			struct segment_block block = segment_block(view->block, index);
			status = push_bounds(sweep, &block.bounds,
					     REF_IS_BLOCK | segment_location(number, index, 0), error);
		}
		return status;
	}
	for (uint32_t index = 0; status == HISTREE_OK && index < view->child_count; index++) {
		const struct node_child child = node_view_child(view, index);
		assert(child.number < view->number);
		status = push_bounds(sweep, &child, ref_of_node(child.number), error);
	}
	return status;
}

static enum histree_status open_block(struct segment_sweep *sweep, uint64_t ref, struct histree_error *error)
{
	struct segment_block block;
	struct segment_times times[SEGMENT_BLOCK_MAX];
	enum histree_status status = segment_visit_node(&sweep->visit, segment_location_node(ref), error);
	if (status == HISTREE_ERR_FORMAT)
		return meet_damage(sweep, segment_location_node(ref), error);
	if (status == HISTREE_OK)
		status = segment_visit_times(&sweep->visit, segment_location_block(ref), &block, times, error);
	if (status != HISTREE_OK)
		return status;
	struct segment_entry entries[SEGMENT_BLOCK_MAX];
	size_t count = 0;
	bool sound = true;
	for (uint32_t i = 0; i < block.count; i++) {
		struct segment_key key = segment_key_of(sweep->order, &times[i]);
		uint64_t location = turn_location(sweep, (ref & LOCATION_MASK) | i);
		entries[count] = (struct segment_entry){ { key.first, key.second, SEGMENT_REF_LAST | location } };
		count += segment_window_has(sweep->window, &times[i]) && !segment_key_is_less(key, sweep->from);
		sound &= !segment_key_is_less(key, sweep->last);
	}
	return sound ? segment_queue_push(sweep->queue, entries, count, error) : broken_bounds(sweep, error);
}

/* ---- handing out ------------------------------------------------------------------------------- */

/* From the leaf that it lies in.  HISTREE_NOT_FOUND: it is lost, and that has been told. */
static enum histree_status hand_out(struct segment_sweep *sweep, struct segment_key key, uint64_t location,
				    struct histree_segment *out, struct histree_error *error)
{
	struct segment_times times = segment_key_times(sweep->order, key);
	assert(sweep->handed_out == 0 || !segment_key_is_less(key, sweep->handed));
	sweep->handed = key;
	sweep->handed_out++;
	out->start = times.start;
	out->end = (histree_time)((uint64_t)times.start + times.duration);
	out->content = sweep->content;
	if (sweep->source.field_count == 0)
		return HISTREE_OK;
	enum histree_status status = segment_visit_node(&sweep->holder, segment_location_node(location), error);
	if (status == HISTREE_ERR_FORMAT) {
		status = meet_damage(sweep, segment_location_node(location), error);
		return status == HISTREE_OK ? HISTREE_NOT_FOUND : status;
	}
	if (status != HISTREE_OK)
		return status;
	struct segment_block block = segment_block(sweep->holder.view.block, segment_location_block(location));
	return segment_visit_content(&sweep->holder, &block, segment_location_segment(location), &sweep->source,
				     sweep->source.field_count, sweep->content, error);
}

/* The next segment of the queue; its key is then the last. */
static enum histree_status next_location(struct segment_sweep *sweep, uint64_t *location,
					 struct histree_error *error)
{
	for (;;) {
		struct segment_entry entry;
		enum histree_status status = segment_damage_next(&sweep->damage);
		if (status == HISTREE_OK)
			status = segment_queue_pop(sweep->queue, &entry, error);
		if (status != HISTREE_OK)
			return status;
		uint64_t ref = entry.words[2];
		sweep->last = (struct segment_key){ entry.words[0], entry.words[1] };
		if (ref & SEGMENT_REF_LAST) {
			*location = turn_location(sweep, ref & LOCATION_MASK);
			return HISTREE_OK;
		}
		status = ref & REF_IS_BLOCK ? open_block(sweep, ref, error)
					    : open_node(sweep, segment_location_node(ref), error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* ---- ahead ------------------------------------------------------------------------------------- */

static enum histree_status take_ahead(struct segment_sweep *sweep, struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	size_t max = sweep->source.queue_bytes / 4 / AHEAD_BYTES + 1;
	ahead->at = ahead->count = ahead->gathered = ahead->gathered_end = 0;
	ahead->one_by_one = false;
	if (!array_reserve(&ahead->locations, &ahead->locations_capacity, ahead->wanted) ||
	    !array_reserve(&ahead->keys, &ahead->keys_capacity, ahead->wanted))
		return error_memory(error, "an iterator");
	while (ahead->after == HISTREE_OK && ahead->count < ahead->wanted) {
		ahead->after = next_location(sweep, &ahead->locations[ahead->count], &ahead->error);
		if (ahead->after == HISTREE_OK)
			ahead->keys[ahead->count++] = sweep->last;
	}
	ahead->loss = sweep->damage.loss;
	ahead->wanted = 2 * ahead->wanted < max ? 2 * ahead->wanted : max;
	return HISTREE_OK;
}

static enum histree_status reach_what_is_after(struct segment_sweep *sweep, struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	enum histree_status after = ahead->after;
	sweep->damage.loss = ahead->loss;
	ahead->after = HISTREE_OK;
	return after < 0 ? error_set(error, after, "%s", ahead->error.message) : after;
}

/* Read the content of the next segment, and of as many after it as there is room for. */
static enum histree_status gather(struct segment_sweep *sweep, struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	size_t count = ahead->count - ahead->at;
	enum histree_status status = segment_gather_fetch(ahead->gather, ahead->locations + ahead->at, &count,
							  sweep->source.queue_bytes / 4, error);
	ahead->one_by_one = status == HISTREE_ERR_FORMAT;
	if (status != HISTREE_OK)
		return ahead->one_by_one ? HISTREE_OK : status;
	ahead->gathered = ahead->at;
	ahead->gathered_end = ahead->at + count;
	return HISTREE_OK;
}

static enum histree_status next_ahead(struct segment_sweep *sweep, struct histree_segment *out,
				      struct histree_error *error)
{
	struct sweep_ahead *ahead = &sweep->ahead;
	while (ahead->at == ahead->count) {
		enum histree_status status =
			ahead->after != HISTREE_OK ? reach_what_is_after(sweep, error) : take_ahead(sweep, error);
		if (status != HISTREE_OK)
			return status;
	}
	enum histree_status status = HISTREE_OK;
	if (ahead->at >= ahead->gathered_end && !ahead->one_by_one)
		status = gather(sweep, error);
	if (status != HISTREE_OK)
		return status;
	size_t at = ahead->at++;
	if (ahead->one_by_one)
		return hand_out(sweep, ahead->keys[at], ahead->locations[at], out, error);
	*out = *segment_gather_get(ahead->gather, at - ahead->gathered);
	sweep->handed = ahead->keys[at];
	sweep->handed_out++;
	return HISTREE_OK;
}

static bool leaves_do_not_fit(const struct segment_sweep *sweep)
{
	uint64_t loaded = sweep->holder.loaded;
	return loaded > LOADS_AT_FIRST && loaded - LOADS_AT_FIRST > sweep->handed_out / SEGMENTS_PER_LOAD;
}

enum histree_status segment_sweep_next(struct segment_sweep *sweep, struct histree_segment *out,
				       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (!sweep->ahead.on && leaves_do_not_fit(sweep)) {
		struct sweep_ahead *ahead = &sweep->ahead;
		if (ahead->gather == NULL)
			status = segment_gather_create(&sweep->source, &ahead->gather, error);
		ahead->on = status == HISTREE_OK;
		ahead->wanted = AHEAD_FIRST;
		segment_visit_leave(&sweep->holder);
	}
	if (status != HISTREE_OK)
		return status;
	do {
		uint64_t location;
		if (sweep->ahead.on)
			status = next_ahead(sweep, out, error);
		else if ((status = next_location(sweep, &location, error)) == HISTREE_OK)
			status = hand_out(sweep, sweep->last, location, out, error);
	} while (status == HISTREE_NOT_FOUND);
	return status;
}
