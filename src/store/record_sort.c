// SPDX-License-Identifier: MIT
#include "store/record_sort.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/radix_sort.h"
#include "store/spill_runs.h"

enum {
	MEMORY_MIN = 1 << 20,
	ENTRY_BYTES = 2 * (int)sizeof(struct keyed_index), /* of a record, and as many to sort it */
};

/* An entry says in 32 bits where its record is. */
static const size_t bytes_max = UINT32_MAX;

struct record_sort {
	size_t memory_max;

	/* What has gathered in memory: sizes as varints, each before its record. */
	uint8_t *bytes;
	size_t used, capacity;
	struct keyed_index *entries;
	size_t count, entry_capacity;
	bool is_ordered; /* so far each key is at least the one before */
	size_t next;     /* to be handed out, where there are no runs */

	struct spill_runs runs; /* what memory has no room for */
};

static bool decode(struct byte_reader *reader, void *item, const void *sort)
{
	(void)sort;
	struct sorted_record *record = item;
	uint64_t step = read_varint(reader), size = read_varint(reader);
	const uint8_t *bytes = read_bytes(reader, (size_t)size);
	if (reader->failed)
		return false;
	*record = (struct sorted_record){ .key = record->key + step, .bytes = bytes, .size = (size_t)size };
	return true;
}

/* Of equal keys the run that was written first has the records that arrived first. */
static int compare(const void *a, const void *b, const void *sort)
{
	(void)sort;
	uint64_t left = ((const struct sorted_record *)a)->key, right = ((const struct sorted_record *)b)->key;
	return (left > right) - (left < right);
}

static const struct spill_item_kind record_kind = {
	.size = sizeof(struct sorted_record),
	.decode = decode,
	.compare = compare,
};

enum histree_status record_sort_create(const struct io *io, const char *neighbour, size_t memory_max,
				       struct record_sort **out, struct histree_error *error)
{
	struct record_sort *sort = calloc(1, sizeof(*sort));
	*out = sort;
	if (sort == NULL)
		return error_memory(error, "sorting");
	sort->memory_max = memory_max > MEMORY_MIN ? memory_max : MEMORY_MIN;
	sort->runs = spill_runs(io, neighbour, &record_kind, sort);
	sort->is_ordered = true;
	return HISTREE_OK;
}

/* Give back what records gather in. */
static void release_gathered(struct record_sort *sort)
{
	free(sort->bytes);
	free(sort->entries);
	sort->bytes = NULL;
	sort->entries = NULL;
	sort->capacity = sort->entry_capacity = 0;
}

void record_sort_free(struct record_sort *sort)
{
	if (sort == NULL)
		return;
	release_gathered(sort);
	spill_runs_release(&sort->runs);
	free(sort);
}

uint64_t record_sort_spilled_bytes(const struct record_sort *sort)
{
	return sort->runs.bytes;
}

/* ---- gathering ---------------------------------------------------------------------------------- */

static enum histree_status sort_gathered(struct record_sort *sort, struct histree_error *error)
{
	if (sort->is_ordered || sort->count == 0)
		return HISTREE_OK;
	struct keyed_index *spare = malloc(sort->count * sizeof(*spare));
	if (spare == NULL)
		return error_memory(error, "sorting");
	radix_sort(sort->entries, spare, sort->count);
	free(spare);
	return HISTREE_OK;
}

static struct sorted_record gathered_at(const struct record_sort *sort, size_t position)
{
	const struct keyed_index *entry = &sort->entries[position];
	struct byte_reader reader = byte_reader(sort->bytes + entry->index, sort->used - entry->index);
	size_t size = (size_t)read_varint(&reader);
	assert(!reader.failed && size <= byte_reader_left(&reader));
	return (struct sorted_record){ .key = entry->key, .bytes = reader.at, .size = size };
}

/* What has gathered, sorted, becomes a run. */
static enum histree_status write_run(struct record_sort *sort, struct histree_error *error)
{
	uint64_t key = 0;
	enum histree_status status = sort_gathered(sort, error);
	for (size_t i = 0; status == HISTREE_OK && i < sort->count; i++) {
		struct sorted_record record = gathered_at(sort, i);
		uint8_t *room = spill_runs_room(&sort->runs, 2 * VARINT_SIZE_MAX + record.size, error);
		if (room == NULL)
			return HISTREE_ERR_MEMORY;
		uint8_t *at = put_varint(room, record.key - key);
		at = put_varint(at, record.size);
		memcpy(at, record.bytes, record.size);
		key = record.key;
		status = spill_runs_put(&sort->runs, (size_t)(at - room) + record.size, error);
	}
	if (status == HISTREE_OK)
		status = spill_runs_end_run(&sort->runs, error);
	if (status != HISTREE_OK)
		return status;
	sort->count = sort->used = 0;
	sort->is_ordered = true;
	return HISTREE_OK;
}

uint8_t *record_sort_room(struct record_sort *sort, size_t size_max, struct histree_error *error)
{
	size_t needed = VARINT_SIZE_MAX + size_max;
	bool is_full = sort->used + needed + (sort->count + 1) * ENTRY_BYTES > sort->memory_max ||
		       needed > bytes_max - sort->used;
	if (is_full && sort->count > 0 && write_run(sort, error) != HISTREE_OK)
		return NULL;
	if (!array_reserve(&sort->bytes, &sort->capacity, sort->used + needed) ||
	    !array_reserve(&sort->entries, &sort->entry_capacity, sort->count + 1)) {
		error_memory(error, "sorting");
		return NULL;
	}
	return sort->bytes + sort->used + VARINT_SIZE_MAX;
}

void record_sort_add(struct record_sort *sort, uint64_t key, size_t size)
{
	uint8_t *room = sort->bytes + sort->used;
	sort->entries[sort->count] = (struct keyed_index){ .key = key, .index = (uint32_t)sort->used };
	sort->is_ordered = sort->is_ordered && (sort->count == 0 || sort->entries[sort->count - 1].key <= key);
	sort->count++;
	uint8_t *at = put_varint(room, size);
	memmove(at, room + VARINT_SIZE_MAX, size);
	sort->used = (size_t)(at - sort->bytes) + size;
}

/* ---- handing out -------------------------------------------------------------------------------- */

enum histree_status record_sort_finish(struct record_sort *sort, struct histree_error *error)
{
	if (sort->runs.count == 0)
		return sort_gathered(sort, error);
	enum histree_status status = sort->count > 0 ? write_run(sort, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	release_gathered(sort);
	return spill_runs_merge(&sort->runs, sort->memory_max, error);
}

enum histree_status record_sort_next(struct record_sort *sort, struct sorted_record *out,
				     struct histree_error *error)
{
	if (sort->runs.count > 0) {
		const void *item;
		enum histree_status status = spill_runs_next(&sort->runs, &item, error);
		if (status == HISTREE_OK)
			*out = *(const struct sorted_record *)item;
		return status;
	}
	if (sort->next == sort->count)
		return HISTREE_END;
	*out = gathered_at(sort, sort->next++);
	return HISTREE_OK;
}
