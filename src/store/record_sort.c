// SPDX-License-Identifier: MIT
#include "store/record_sort.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/radix_sort.h"
#include "store/record_run.h"

enum {
	MEMORY_MIN = 1 << 20,
	WINDOW_MAX = 256 << 10,
	WINDOW_MIN = 4 << 10,
	ENTRY_BYTES = 2 * (int)sizeof(struct keyed_index), /* of a record, and as many to sort it */
};

/* An entry says in 32 bits where its record is. */
static const size_t bytes_max = UINT32_MAX;

struct run_extent {
	uint64_t at, end;
};

struct record_sort {
	size_t memory_max;

	/* What has gathered in memory: sizes as varints, each before its record. */
	uint8_t *bytes;
	size_t used, capacity;
	struct keyed_index *entries;
	size_t count, entry_capacity;
	bool is_ordered; /* so far each key is at least the one before */
	size_t next;     /* to be handed out, where there are no runs */

	/* What was written. */
	struct spill_file spill;
	uint64_t spilled;
	struct run_extent *extents;
	size_t run_count, extent_capacity;

	/* Being merged: a heap of runs by their first records. */
	struct record_run *runs;
	struct record_run **heap;
	size_t heap_count;
	bool first_is_out; /* the first record of the first run was handed out */
};

enum histree_status record_sort_create(const struct io *io, const char *neighbour, size_t memory_max,
				       struct record_sort **out, struct histree_error *error)
{
	struct record_sort *sort = calloc(1, sizeof(*sort));
	*out = sort;
	if (sort == NULL)
		return error_memory(error, "sorting");
	sort->memory_max = memory_max > MEMORY_MIN ? memory_max : MEMORY_MIN;
	sort->spill = spill_file(io, neighbour);
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
	for (size_t i = 0; sort->runs != NULL && i < sort->run_count; i++)
		record_run_release(&sort->runs[i]);
	spill_file_close(&sort->spill);
	free(sort->extents);
	free(sort->runs);
	free(sort->heap);
	free(sort);
}

uint64_t record_sort_spilled_bytes(const struct record_sort *sort)
{
	return sort->spilled;
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
	uint8_t *buffer = NULL;
	size_t capacity = 0, used = 0;
	uint64_t key = 0;
	struct run_extent extent = { .at = sort->spilled, .end = sort->spilled };
	if (!array_reserve(&sort->extents, &sort->extent_capacity, sort->run_count + 1))
		return error_memory(error, "sorting");
	enum histree_status status = sort_gathered(sort, error);
	for (size_t i = 0; status == HISTREE_OK && i < sort->count; i++) {
		struct sorted_record record = gathered_at(sort, i);
		if (!array_reserve(&buffer, &capacity, used + 2 * VARINT_SIZE_MAX + record.size)) {
			status = error_memory(error, "sorting");
			break;
		}
		uint8_t *at = put_varint(buffer + used, record.key - key);
		at = put_varint(at, record.size);
		memcpy(at, record.bytes, record.size);
		key = record.key;
		used = (size_t)(at - buffer) + record.size;
		if (used < WINDOW_MAX && i + 1 < sort->count)
			continue;
		status = spill_file_write(&sort->spill, buffer, used, extent.end, error);
		extent.end += used;
		used = 0;
	}
	free(buffer);
	if (status != HISTREE_OK)
		return status;
	sort->spilled = extent.end;
	sort->extents[sort->run_count++] = extent;
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

/* ---- merging ------------------------------------------------------------------------------------ */

/* Of equal keys the run that was written first has the records that arrived first. */
static bool comes_before(const struct record_run *a, const struct record_run *b)
{
	return a->first.key != b->first.key ? a->first.key < b->first.key : a < b;
}

static void sift_down(struct record_sort *sort, size_t position)
{
	struct record_run *moved = sort->heap[position];
	for (;;) {
		size_t child = 2 * position + 1;
		if (child >= sort->heap_count)
			break;
		if (child + 1 < sort->heap_count && comes_before(sort->heap[child + 1], sort->heap[child]))
			child++;
		if (!comes_before(sort->heap[child], moved))
			break;
		sort->heap[position] = sort->heap[child];
		position = child;
	}
	sort->heap[position] = moved;
}

static enum histree_status open_runs(struct record_sort *sort, struct histree_error *error)
{
	release_gathered(sort);
	sort->runs = calloc(sort->run_count, sizeof(*sort->runs));
	sort->heap = calloc(sort->run_count, sizeof(struct record_run *));
	if (sort->runs == NULL || sort->heap == NULL)
		return error_memory(error, "merging");
	size_t window = sort->memory_max / sort->run_count;
	window = window > WINDOW_MAX ? WINDOW_MAX : window;
	window = window < WINDOW_MIN ? WINDOW_MIN : window;
	for (size_t i = 0; i < sort->run_count; i++) {
		struct record_run *run = &sort->runs[i];
		if (record_run_open(run, sort->extents[i].at, sort->extents[i].end, window) != HISTREE_OK)
			return error_memory(error, "merging");
		enum histree_status status = record_run_next(run, &sort->spill, error);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			sort->heap[sort->heap_count++] = run;
	}
	for (size_t position = sort->heap_count / 2; position-- > 0;)
		sift_down(sort, position);
	return HISTREE_OK;
}

enum histree_status record_sort_finish(struct record_sort *sort, struct histree_error *error)
{
	if (sort->run_count == 0)
		return sort_gathered(sort, error);
	enum histree_status status = sort->count > 0 ? write_run(sort, error) : HISTREE_OK;
	return status == HISTREE_OK ? open_runs(sort, error) : status;
}

static enum histree_status next_of_runs(struct record_sort *sort, struct sorted_record *out,
					struct histree_error *error)
{
	if (sort->first_is_out) {
		enum histree_status status = record_run_next(sort->heap[0], &sort->spill, error);
		if (status < 0)
			return status;
		sort->first_is_out = false;
		if (status == HISTREE_END)
			sort->heap[0] = sort->heap[--sort->heap_count];
		if (sort->heap_count > 0)
			sift_down(sort, 0);
	}
	if (sort->heap_count == 0)
		return HISTREE_END;
	*out = sort->heap[0]->first;
	sort->first_is_out = true;
	return HISTREE_OK;
}

enum histree_status record_sort_next(struct record_sort *sort, struct sorted_record *out,
				     struct histree_error *error)
{
	if (sort->run_count > 0)
		return next_of_runs(sort, out, error);
	if (sort->next == sort->count)
		return HISTREE_END;
	*out = gathered_at(sort, sort->next++);
	return HISTREE_OK;
}
