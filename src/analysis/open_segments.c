// SPDX-License-Identifier: MIT
/*
 * open_segments.c - segments that have begun and not yet ended, found by a key of 64 bits.
 */
#include "analysis/open_segments.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/table.h"

enum { KEYED_MIN = 32 }; /* the least number of keys that are kept before any is given up */

static bool has_key(const void *elements, uint32_t number, const void *key)
{
	struct open_segment *const *records = elements;
	return records[number]->key == *(const uint64_t *)key;
}

static uint64_t hash_of(const void *elements, uint32_t number)
{
	struct open_segment *const *records = elements;
	return hash_mix(records[number]->key);
}

void open_segments_use_space(struct open_segments *open, struct table_space *space)
{
	open->table.space = open->index.table.space = open->by_key.table.space = open->memory.space = space;
}

struct open_segment *open_segments_record(struct open_segments *open, uint64_t key)
{
	if (open->is_dense)
		return dense_find(&open->by_key, key);
	struct open_segment **recent = open_segments_recent(open, key);
	if (*recent != NULL && (*recent)->key == key)
		return *recent;
	uint32_t number = hash_index_find(&open->index, hash_mix(key), has_key, open->records, &key);
	if (number == HASH_INDEX_NONE)
		return NULL;
	*recent = open->records[number];
	return *recent;
}

/* ---- records ----------------------------------------------------------------------------------------- */

/* Take their keys from all records that are not open. */
static void give_up_keys(struct open_segments *open)
{
	hash_index_clear(&open->index);
	memset(open->recent, 0, sizeof(open->recent));
	open->keyed = 0;
	for (size_t i = 0; i < open->record_count; i++) {
		struct open_segment *record = open->records[i];
		if (!record->is_open)
			continue;
		open->records[i] = open->records[open->keyed];
		open->records[open->keyed] = record;
		hash_index_add(&open->index, hash_mix(record->key), (uint32_t)open->keyed++);
	}
	assert(open->keyed == open->count);
}

static bool add_record(struct open_segments *open)
{
	if (!table_reserve(&open->table, &open->records, &open->capacity, open->record_count + 1))
		return false;
	struct open_segment *record = arena_allocate(&open->memory, sizeof(*record), _Alignof(struct open_segment));
	if (record == NULL)
		return false;
	*record = (struct open_segment){ .is_open = false };
	open->records[open->record_count++] = record;
	return true;
}

static struct open_segment *take_spare(struct open_segments *open, uint64_t key)
{
	if (open->spare == NULL && add_record(open))
		open->spare = open->records[open->record_count - 1];
	struct open_segment *record = open->spare;
	if (record == NULL || !dense_put(&open->by_key, key, record))
		return NULL;
	open->spare = record->next;
	record->key = key;
	return record;
}

/* Returns a record that was under no key, under this one; NULL when memory runs out. */
static struct open_segment *take_record(struct open_segments *open, uint64_t key)
{
	if (open->is_dense)
		return take_spare(open, key);
	if (open->keyed >= KEYED_MIN && open->keyed >= 2 * open->count && open->keyed == open->record_count)
		give_up_keys(open);
	if (open->keyed == open->record_count && !add_record(open))
		return NULL;
	if (!hash_index_reserve(&open->index, open->keyed + 1, hash_of, open->records))
		return NULL;
	struct open_segment *record = open->records[open->keyed];
	assert(!record->is_open);
	record->key = key;
	*open_segments_recent(open, key) = record;
	hash_index_add(&open->index, hash_mix(key), (uint32_t)open->keyed++);
	return record;
}

/* ---- segments ---------------------------------------------------------------------------------------- */

struct open_segment *open_segments_add(struct open_segments *open, uint64_t key, histree_time start)
{
	struct open_segment *segment = open_segments_record(open, key);
	if (segment == NULL)
		segment = take_record(open, key);
	if (segment == NULL)
		return NULL;
	open->count += !segment->is_open;
	segment->is_open = true;
	segment->start = start;
	for (size_t i = 0; i < OPEN_SEGMENT_VALUES; i++)
		segment->values[i] = histree_null();
	return segment;
}

void open_segments_remove(struct open_segments *open, struct open_segment *segment)
{
	assert(segment->is_open && open->count > 0);
	segment->is_open = false;
	open->count--;
	if (!open->is_dense)
		return;
	open->by_key.records[segment->key] = NULL;
	segment->next = open->spare;
	open->spare = segment;
}

/* Let two records change what they hold, but their keys. */
static void swap_content(struct open_segment *a, struct open_segment *b)
{
	struct open_segment was = *a;
	uint64_t key_of_b = b->key;
	*a = *b;
	a->key = was.key;
	*b = was;
	b->key = key_of_b;
}

bool open_segments_rename(struct open_segments *open, struct open_segment *segment, uint64_t key)
{
	assert(segment->is_open && open_segments_find(open, key) == NULL);
	if (open->is_dense && dense_put(&open->by_key, key, segment)) {
		open->by_key.records[segment->key] = NULL;
		segment->key = key;
		return true;
	}
	struct open_segment *other = open_segments_record(open, key);
	if (other == NULL && !open->is_dense)
		other = take_record(open, key);
	if (other == NULL)
		open_segments_remove(open, segment);
	else
		swap_content(segment, other);
	return other != NULL;
}

void open_segments_release(struct open_segments *open)
{
	for (size_t i = 0; i < open->record_count; i++)
		free(open->records[i]->text);
	table_release(&open->table, open->records);
	dense_release(&open->by_key);
	hash_index_release(&open->index);
	arena_release(&open->memory);
	*open = (struct open_segments){ 0 };
}
