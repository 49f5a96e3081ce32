// SPDX-License-Identifier: MIT
#include "segment_tree/segment_queue.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

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

/* Level and digit by the first byte in which an entry differs from the floor; the last byte if in none. */
static inline void find_bucket(const struct segment_queue *queue, const struct segment_entry *entry,
			       unsigned *level, unsigned *digit)
{
	unsigned word = 0;
	while (word + 1 < QUEUE_WORDS && entry->words[word] == queue->floor.words[word])
		word++;
	uint64_t differing = entry->words[word] ^ queue->floor.words[word];
	unsigned byte = differing == 0 ? 0 : (63 - (unsigned)__builtin_clzll(differing)) / 8;
	*level = 8 * (QUEUE_WORDS - 1 - word) + byte;
	*digit = (uint8_t)(entry->words[word] >> 8 * byte);
}

/* False: there are no entries in buckets. */
static bool lowest_bucket(const struct segment_queue *queue, unsigned *level, unsigned *digit)
{
	if (queue->levels == 0)
		return false;
	*level = (unsigned)__builtin_ctz(queue->levels);
	unsigned word = 0;
	while (queue->digits[*level][word] == 0)
		word++;
	*digit = 64 * word + (unsigned)__builtin_ctzll(queue->digits[*level][word]);
	return true;
}

static inline bool is_filled(const struct segment_queue *queue, unsigned level, unsigned digit)
{
	return (queue->digits[level][digit / 64] >> digit % 64 & 1) != 0;
}

static inline void mark_filled(struct segment_queue *queue, unsigned level, unsigned digit)
{
	queue->levels |= UINT32_C(1) << level;
	queue->digits[level][digit / 64] |= UINT64_C(1) << digit % 64;
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
 * Spill the bucket that will be needed last, of those that are dealt before they are ready.  False: there is none
 * (with a full chunk, if only those are wanted).
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

/* Without anything to spill nothing is done: there are then few entries. */
static enum histree_status make_room(struct segment_queue *queue, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (!spill_highest(queue, true, &status, error))
		spill_highest(queue, false, &status, error);
	return status;
}

/* An empty chunk in front of a bucket. */
static enum histree_status add_chunk(struct segment_queue *queue, struct queue_bucket *bucket,
				     struct histree_error *error)
{
	if (queue->free_chunk == NONE && queue->chunk_count >= queue->chunks_max) {
		enum histree_status status = make_room(queue, error);
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
	return HISTREE_OK;
}

/* ---- pushing and popping ------------------------------------------------------------------------ */

enum histree_status segment_queue_push(struct segment_queue *queue, const struct segment_entry *entries,
				       size_t count, struct histree_error *error)
{
	for (size_t i = 0; i < count; i++) {
		unsigned level, digit;
		find_bucket(queue, &entries[i], &level, &digit);
		struct queue_bucket *bucket = &queue->buckets[level][digit];
		if (!is_filled(queue, level, digit))
			*bucket = (struct queue_bucket){ .chunk = NONE, .slot = NONE };
		if (bucket->chunk == NONE || bucket->filled == QUEUE_CHUNK_ENTRIES) {
			enum histree_status status = add_chunk(queue, bucket, error);
			if (status != HISTREE_OK)
				return status;
		}
		queue->chunks[bucket->chunk].entries[bucket->filled++] = entries[i];
		if (bucket->count++ == 0)
			mark_filled(queue, level, digit);
	}
	return HISTREE_OK;
}

static struct segment_entry lowest_of(const struct segment_queue *queue, unsigned level, unsigned digit)
{
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
	return *min;
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
	queue->floor = lowest_of(queue, level, digit);
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

/* Of a bucket of one chunk, all up to the first that others may follow from: so nothing can come between them. */
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
		unsigned level, digit;
		if (!lowest_bucket(queue, &level, &digit))
			return HISTREE_END;
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
