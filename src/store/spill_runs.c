// SPDX-License-Identifier: MIT
#include "store/spill_runs.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

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

/* Move what is left to the front and fill up the rest; a window that is full of one item grows. */
static enum histree_status refill(struct spill_run *run, const struct spill_file *file,
				  struct histree_error *error)
{
	size_t left = run->filled - run->used;
	memmove(run->window, run->window + run->used, left);
	run->used = 0;
	run->filled = left;
	if (left == run->capacity && !array_reserve(&run->window, &run->capacity, 2 * run->capacity))
		return error_memory(error, "merging");
	uint64_t wanted = run->capacity - left;
	size_t size = (size_t)(wanted < run->end - run->at ? wanted : run->end - run->at);
	enum histree_status status = spill_file_read(file, run->window + left, size, run->at, error);
	run->filled += size;
	run->at += size;
	return status;
}

/* Make the next item of a run its first.  Returns HISTREE_END if there is none. */
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
		enum histree_status status = refill(run, &runs->file, error);
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

static void sift_down(struct spill_runs *runs, size_t position)
{
	struct spill_run *moved = runs->heap[position];
	for (;;) {
		size_t child = 2 * position + 1;
		if (child >= runs->heap_count)
			break;
		if (child + 1 < runs->heap_count &&
		    comes_before(runs, runs->heap[child + 1], runs->heap[child]))
			child++;
		if (!comes_before(runs, runs->heap[child], moved))
			break;
		runs->heap[position] = runs->heap[child];
		position = child;
	}
	runs->heap[position] = moved;
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
	for (size_t position = runs->heap_count / 2; position-- > 0;)
		sift_down(runs, position);
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
			runs->heap[0] = runs->heap[--runs->heap_count];
		if (runs->heap_count > 0)
			sift_down(runs, 0);
	}
	if (runs->heap_count == 0)
		return HISTREE_END;
	*item = runs->heap[0]->first;
	runs->first_is_out = true;
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
