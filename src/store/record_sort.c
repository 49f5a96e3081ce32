// SPDX-License-Identifier: MIT
/*
 * record_sort.c - records sorted in memory and, if they do not fit, in runs on disk.
 */
#include "store/record_sort.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"

/* ---- spill file ---------------------------------------------------------------------------------------------- */

/* Names that others may have in the time between making their file and taking its name away. */
enum { NAMES_MAX = 100 };

static enum histree_status make_file(struct spill_file *spill, struct histree_error *error)
{
	const struct io *io = spill->io;
	size_t room = strlen(spill->neighbour) + sizeof(".sort.999");
	char *path = malloc(room);
	if (path == NULL)
		return error_memory(error, "the name of a temporary file");
	enum histree_status status = HISTREE_OK;
	int file = -1;
	for (int name = 0; name < NAMES_MAX && file < 0; name++) {
		snprintf(path, room, "%s.sort.%d", spill->neighbour, name);
		file = io->open(io->context, path, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (file < 0 && errno != EEXIST)
			break;
	}
	if (file < 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot make '%s', a temporary file to sort with: %s",
				   path, strerror(errno));
	} else {
		io->unlink(io->context, path);
		spill->file = file;
		spill->open = true;
	}
	free(path);
	return status;
}

static enum histree_status named(enum histree_status status, const struct spill_file *spill,
				 struct histree_error *error)
{
	if (status < 0)
		error_prefix(error, "the temporary file beside '%s'", spill->neighbour);
	return status;
}

enum histree_status spill_file_write(struct spill_file *spill, const void *bytes, size_t size, uint64_t offset,
				     struct histree_error *error)
{
	enum histree_status status = spill->open ? HISTREE_OK : make_file(spill, error);
	if (status != HISTREE_OK)
		return status;
	return named(io_write_all(spill->io, spill->file, bytes, size, offset, error), spill, error);
}

enum histree_status spill_file_read(const struct spill_file *spill, void *bytes, size_t size, uint64_t offset,
				    struct histree_error *error)
{
	return named(io_read_all(spill->io, spill->file, bytes, size, offset, error), spill, error);
}

void spill_file_close(struct spill_file *spill)
{
	if (spill->open)
		spill->io->close(spill->io->context, spill->file);
	spill->open = false;
}

/* ---- spill runs ---------------------------------------------------------------------------------------------- */

enum {
	WINDOW_MAX = 256 << 10,
	WINDOW_MIN = 4 << 10,
};

/* A run that is read, from front to back. */
struct spill_run {
	uint64_t at, end; /* in the file: what was not read yet */
	uint8_t *window;  /* a piece of it */
	size_t used, filled, capacity;
	void *first; /* the next item, decoded */
};

/* ---- writing -------------------------------------------------------------------------------------- */

static void forget_piece(struct spill_runs *runs)
{
	free(runs->piece);
	runs->piece = NULL;
	runs->used = runs->capacity = 0;
	runs->end = runs->bytes;
}

static enum histree_status write_piece(struct spill_runs *runs, struct histree_error *error)
{
	enum histree_status status = spill_file_write(&runs->file, runs->piece, runs->used, runs->end, error);
	if (status != HISTREE_OK) {
		forget_piece(runs);
		return status;
	}
	runs->end += runs->used;
	runs->used = 0;
	return HISTREE_OK;
}

uint8_t *spill_runs_room(struct spill_runs *runs, size_t size_max, struct histree_error *error)
{
	if (!array_reserve(&runs->piece, &runs->capacity, runs->used + size_max)) {
		forget_piece(runs);
		error_memory(error, "sorting");
		return NULL;
	}
	return runs->piece + runs->used;
}

enum histree_status spill_runs_put(struct spill_runs *runs, size_t size, struct histree_error *error)
{
	runs->used += size;
	return runs->used < WINDOW_MAX ? HISTREE_OK : write_piece(runs, error);
}

enum histree_status spill_runs_put_all(struct spill_runs *runs, const void *items, size_t size,
				       struct histree_error *error)
{
	assert(runs->used == 0);
	enum histree_status status = spill_file_write(&runs->file, items, size, runs->end, error);
	if (status == HISTREE_OK)
		runs->end += size;
	else
		forget_piece(runs);
	return status;
}

enum histree_status spill_runs_end_run(struct spill_runs *runs, struct histree_error *error)
{
	enum histree_status status = runs->used > 0 ? write_piece(runs, error) : HISTREE_OK;
	if (status == HISTREE_OK && !array_reserve(&runs->extents, &runs->extent_capacity, runs->count + 1))
		status = error_memory(error, "sorting");
	if (status == HISTREE_OK) {
		runs->extents[runs->count++] = (struct spill_extent){ .at = runs->bytes, .end = runs->end };
		runs->bytes = runs->end;
	}
	forget_piece(runs);
	return status;
}

/* ---- reading -------------------------------------------------------------------------------------- */

/* Make the next item of a run its first.  Returns HISTREE_END at the end of the run. */
static enum histree_status advance(const struct spill_runs *runs, struct spill_run *run,
				   struct histree_error *error)
{
	for (;;) {
		struct byte_reader reader = byte_reader(run->window + run->used, run->filled - run->used);
		if (byte_reader_left(&reader) > 0 && runs->kind->decode(&reader, run->first, runs->context)) {
			run->used = (size_t)(reader.at - run->window);
			return HISTREE_OK;
		}
		if (run->at == run->end)
			return run->used == run->filled
				       ? HISTREE_END
				       : error_set(error, HISTREE_ERR_IO, "a temporary file has changed");
		/* Move what is left to the front and fill up the rest; a window that is full of one item grows. */
		size_t left = run->filled - run->used;
		memmove(run->window, run->window + run->used, left);
		run->used = 0;
		run->filled = left;
		if (left == run->capacity && !array_reserve(&run->window, &run->capacity, 2 * run->capacity))
			return error_memory(error, "merging");
		uint64_t wanted = run->capacity - left;
		size_t size = (size_t)(wanted < run->end - run->at ? wanted : run->end - run->at);
		enum histree_status status = spill_file_read(&runs->file, run->window + left, size, run->at, error);
		run->filled += size;
		run->at += size;
		assert(run->filled <= run->capacity && run->at <= run->end);
		if (status != HISTREE_OK)
			return status;
	}
}

/* ---- merging -------------------------------------------------------------------------------------- */

static bool comes_before(const struct spill_runs *runs, const struct spill_run *a, const struct spill_run *b)
{
	int order = runs->kind->compare(a->first, b->first, runs->context);
	return order != 0 ? order < 0 : a < b;
}

static enum histree_status open_run(const struct spill_runs *runs, size_t index, size_t window,
				    struct histree_error *error)
{
	struct spill_run *run = &runs->runs[index];
	run->at = runs->extents[index].at;
	run->end = runs->extents[index].end;
	run->first = calloc(1, runs->kind->size);
	if (run->first == NULL || !array_reserve(&run->window, &run->capacity, window))
		return error_memory(error, "merging");
	return advance(runs, run, error);
}

enum histree_status spill_runs_merge(struct spill_runs *runs, size_t memory_max, struct histree_error *error)
{
	if (runs->count == 0)
		return HISTREE_OK;
	runs->runs = calloc(runs->count, sizeof(*runs->runs));
	runs->heap = calloc(runs->count, sizeof(struct spill_run *));
	if (runs->runs == NULL || runs->heap == NULL)
		return error_memory(error, "merging");
	size_t window = memory_max / runs->count;
	window = window > WINDOW_MAX ? WINDOW_MAX : window;
	window = window < WINDOW_MIN ? WINDOW_MIN : window;
	for (size_t i = 0; i < runs->count; i++) {
		enum histree_status status = open_run(runs, i, window, error);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			runs->heap[runs->heap_count++] = &runs->runs[i];
	}
	HEAP_MAKE(runs->heap, runs->heap_count, a, b, comes_before(runs, *a, *b));
	return HISTREE_OK;
}

enum histree_status spill_runs_next(struct spill_runs *runs, const void **item, struct histree_error *error)
{
	if (runs->first_is_out) {
		enum histree_status status = advance(runs, runs->heap[0], error);
		if (status < 0)
			return status;
		runs->first_is_out = false;
		if (status == HISTREE_END)
			HEAP_POP(runs->heap, runs->heap_count, a, b, comes_before(runs, *a, *b));
		else
			HEAP_SINK(runs->heap, runs->heap_count, 0, a, b, comes_before(runs, *a, *b));
	}
	if (runs->heap_count == 0)
		return HISTREE_END;
	*item = runs->heap[0]->first;
	runs->first_is_out = true;
	assert(runs->heap[0]->used <= runs->heap[0]->filled);
	return HISTREE_OK;
}

void spill_runs_release(struct spill_runs *runs)
{
	for (size_t i = 0; runs->runs != NULL && i < runs->count; i++) {
		free(runs->runs[i].first);
		free(runs->runs[i].window);
	}
	spill_file_close(&runs->file);
	free(runs->piece);
	free(runs->extents);
	free(runs->runs);
	free(runs->heap);
}

/* ---- record sort --------------------------------------------------------------------------------------------- */

enum {
	MEMORY_MIN = 1 << 20,
	ENTRY_BYTES = 2 * (int)sizeof(struct keyed_index), /* of a record, and as many to sort it */
};

/* An entry says in 32 bits where its record is. */
static const size_t bytes_max = UINT32_MAX;

struct record_sort {
	size_t memory_max;

	/* What has gathered in memory, as it is in a run: while it is in order, it need only be written. */
	uint8_t *bytes;
	size_t used, capacity;
	struct keyed_index *entries;
	size_t count, entry_capacity;
	uint64_t last;   /* key of the record before the next one in its run, or 0 if that is the first */
	bool is_ordered; /* what has gathered, and behind the run that is open */
	size_t next;     /* to be handed out, where there are no runs */

	struct spill_runs runs; /* what memory has no room for */
	bool run_is_open;       /* the last one, which goes on while records come in order */
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

/* With equal keys, the run that was written first has the records that arrived first. */
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
	read_varint(&reader);
	size_t size = (size_t)read_varint(&reader);
	assert(!reader.failed && size <= byte_reader_left(&reader));
	return (struct sorted_record){ .key = entry->key, .bytes = reader.at, .size = size };
}

static enum histree_status end_run(struct record_sort *sort, struct histree_error *error)
{
	sort->run_is_open = false;
	sort->last = 0;
	return spill_runs_end_run(&sort->runs, error);
}

/* What has gathered out of order becomes a run, sorted. */
static enum histree_status write_sorted_run(struct record_sort *sort, struct histree_error *error)
{
	uint64_t key = 0;
	enum histree_status status = sort->run_is_open ? end_run(sort, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = sort_gathered(sort, error);
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
	return status == HISTREE_OK ? end_run(sort, error) : status;
}

/* What has gathered goes to the file. */
static enum histree_status write_gathered(struct record_sort *sort, struct histree_error *error)
{
	enum histree_status status = sort->is_ordered
					     ? spill_runs_put_all(&sort->runs, sort->bytes, sort->used, error)
					     : write_sorted_run(sort, error);
	if (status != HISTREE_OK)
		return status;
	sort->run_is_open = sort->is_ordered;
	sort->count = sort->used = 0;
	sort->is_ordered = true;
	return HISTREE_OK;
}

/* Returns false when memory runs out. */
static bool grow_gathered(struct record_sort *sort, size_t needed)
{
	return array_reserve(&sort->bytes, &sort->capacity, sort->used + needed) &&
	       array_reserve(&sort->entries, &sort->entry_capacity, sort->count + 1);
}

/* Before a record are its step and its size. */
enum { HEAD_MAX = 2 * VARINT_SIZE_MAX };

uint8_t *record_sort_room(struct record_sort *sort, size_t size_max, struct histree_error *error)
{
	size_t needed = HEAD_MAX + size_max;
	bool is_full = sort->used + needed + (sort->count + 1) * ENTRY_BYTES > sort->memory_max ||
		       needed > bytes_max - sort->used;
	if (is_full && sort->count > 0 && write_gathered(sort, error) != HISTREE_OK)
		return NULL;
	bool has_room = sort->capacity - sort->used >= needed && sort->count < sort->entry_capacity;
	if (!has_room && !grow_gathered(sort, needed)) {
		error_memory(error, "sorting");
		return NULL;
	}
	return sort->bytes + sort->used + HEAD_MAX;
}

void record_sort_add(struct record_sort *sort, uint64_t key, size_t size)
{
	uint8_t *room = sort->bytes + sort->used;
	sort->entries[sort->count++] = (struct keyed_index){ .key = key, .index = (uint32_t)sort->used };
	sort->is_ordered = sort->is_ordered && sort->last <= key;
	uint8_t *at = put_varint(room, sort->is_ordered ? key - sort->last : 0);
	at = put_varint(at, size);
	memmove(at, room + HEAD_MAX, size);
	sort->used = (size_t)(at - sort->bytes) + size;
	sort->last = key;
}

/* ---- handing out -------------------------------------------------------------------------------- */

enum histree_status record_sort_finish(struct record_sort *sort, struct histree_error *error)
{
	if (sort->runs.count == 0 && !sort->run_is_open)
		return sort_gathered(sort, error);
	enum histree_status status = sort->count > 0 ? write_gathered(sort, error) : HISTREE_OK;
	if (status == HISTREE_OK && sort->run_is_open)
		status = end_run(sort, error);
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
