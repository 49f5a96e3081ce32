// SPDX-License-Identifier: MIT
/*
 * dat_pages.c - the pages of one CPU, plain or in compressed chunks.
 */
#include "trace/trace_cmd/dat_pages.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/search.h"

/* trace-cmd packs 10 pages together. */
enum { CHUNK_PAGES_MAX = 64, CHUNK_HEAD_SIZE = 8, COUNT_SIZE = 4 };

/* ---- how many there are ---------------------------------------------------------------------------------- */

/* Read so many bytes, of the few that are looked at here and there. */
static enum histree_status read_few(struct trace_window *window, uint64_t offset, size_t size,
				    struct histree_error *error)
{
	enum histree_status status = trace_window_move(window, offset, size, error);
	return status == HISTREE_OK && window->count < size ? HISTREE_END : status;
}

/* Returns HISTREE_END if it is not a chunk, or is not whole before `end`. */
static enum histree_status add_chunk(struct dat_pages *pages, struct trace_window *window, uint64_t *at,
				     uint64_t end, struct histree_error *error)
{
	const struct dat_file *file = pages->file;
	if (end - *at < CHUNK_HEAD_SIZE)
		return HISTREE_END;
	enum histree_status status = read_few(window, *at, CHUNK_HEAD_SIZE, error);
	if (status != HISTREE_OK)
		return status;
	struct dat_chunk chunk = {
		.offset = *at + CHUNK_HEAD_SIZE,
		.size = ordered_u32(window->bytes, file->is_big),
		.plain_size = ordered_u32(window->bytes + 4, file->is_big),
		.begin = pages->plain_size,
	};
	if (chunk.size == 0 || chunk.plain_size == 0 || chunk.size > end - chunk.offset ||
	    chunk.plain_size > CHUNK_PAGES_MAX * (uint64_t)pages->buffer->page_size)
		return HISTREE_END;
	if (!array_reserve(&pages->chunks, &pages->chunk_capacity, pages->chunk_count + 1))
		return error_memory(error, "the pages of a CPU");
	pages->chunks[pages->chunk_count++] = chunk;
	pages->plain_size += chunk.plain_size;
	if (chunk.plain_size > pages->chunk_size_max)
		pages->chunk_size_max = chunk.plain_size;
	*at = chunk.offset + chunk.size;
	return HISTREE_OK;
}

static enum histree_status find_chunks(struct dat_pages *pages, struct histree_error *error)
{
	struct trace_window window;
	uint64_t at = pages->cpu->offset, file_size = pages->file->size;
	trace_window_init(&window, pages->file->io, pages->file->path, true);
	enum histree_status status = at < file_size ? read_few(&window, at, COUNT_SIZE, error) : HISTREE_END;
	uint32_t count = status == HISTREE_OK ? ordered_u32(window.bytes, pages->file->is_big) : 0;
	at += COUNT_SIZE;
	/* The size of a CPU is that of its chunks, without their count. */
	uint64_t end = pages->cpu->size < file_size - at ? at + pages->cpu->size : file_size;
	for (; status == HISTREE_OK && count > 0; count--)
		status = add_chunk(pages, &window, &at, end, error);
	pages->is_cut = status == HISTREE_END;
	trace_window_release(&window);
	return status < 0 ? status : HISTREE_OK;
}

enum histree_status dat_pages_find(struct dat_pages *pages, const struct dat_file *file,
				   const struct dat_buffer *buffer, const struct dat_cpu *cpu,
				   struct histree_error *error)
{
	pages->file = file;
	pages->buffer = buffer;
	pages->cpu = cpu;
	if (buffer->is_packed) {
		enum histree_status status = find_chunks(pages, error);
		if (status != HISTREE_OK)
			return status;
	} else {
		uint64_t there = cpu->offset < file->size ? file->size - cpu->offset : 0;
		pages->is_cut = cpu->size > there;
		pages->plain_size = pages->is_cut ? there : cpu->size;
	}
	pages->count = pages->plain_size / buffer->page_size + (pages->plain_size % buffer->page_size != 0);
	return HISTREE_OK;
}

/* ---- one of them ----------------------------------------------------------------------------------------- */

void dat_pages_open(struct dat_pages *pages, size_t window_size, bool stays_open)
{
	size_t page = pages->buffer->page_size;
	pages->window_size = window_size < page ? page : window_size / page * page;
	trace_window_init(&pages->window, pages->file->io, pages->file->path, stays_open);
}

/* Returns the chunk that a plain byte is in. */
static size_t chunk_of(const struct dat_pages *pages, uint64_t at)
{
	const size_t low = SEARCH(i, 1, pages->chunk_count, pages->chunks[i].begin <= at) - 1;
	return low;
}

static enum histree_status unpack(struct dat_pages *pages, size_t number, struct histree_error *error)
{
	const struct dat_chunk *chunk = &pages->chunks[number];
	if (pages->has_unpacked && pages->unpacked == number)
		return HISTREE_OK;
	if (pages->plain == NULL)
		pages->plain = malloc(pages->chunk_size_max);
	if (pages->plain == NULL)
		return error_memory(error, "the pages of a CPU");
	pages->has_unpacked = false;
	enum histree_status status = trace_window_move(&pages->window, chunk->offset, chunk->size, error);
	if (status != HISTREE_OK)
		return status;
	if (pages->window.count < chunk->size ||
	    !dat_unpack(pages->file->packing, pages->window.bytes, chunk->size, pages->plain, chunk->plain_size))
		return error_set(error, HISTREE_ERR_TRACE, "it cannot be unpacked");
	pages->unpacked = number;
	pages->has_unpacked = true;
	return HISTREE_OK;
}

enum histree_status dat_pages_load(struct dat_pages *pages, uint64_t number, const uint8_t **out, size_t *size,
				   struct histree_error *error)
{
	uint64_t at = number * pages->buffer->page_size, left = pages->plain_size - at;
	*size = left < pages->buffer->page_size ? (size_t)left : pages->buffer->page_size;
	if (pages->buffer->is_packed) {
		size_t of = chunk_of(pages, at);
		const struct dat_chunk *chunk = &pages->chunks[of];
		enum histree_status status = unpack(pages, of, error);
		if (status != HISTREE_OK)
			return status;
		size_t inside = (size_t)(at - chunk->begin);
		if (*size > chunk->plain_size - inside)
			*size = chunk->plain_size - inside;
		*out = pages->plain + inside;
		return HISTREE_OK;
	}
	struct trace_window *window = &pages->window;
	uint64_t offset = pages->cpu->offset + at;
	if (offset < window->offset || offset + *size > window->offset + window->count) {
		size_t wanted = left < pages->window_size ? (size_t)left : pages->window_size;
		enum histree_status status = trace_window_move(window, offset, wanted, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (window->count < offset - window->offset + *size)
		return error_set(error, HISTREE_ERR_TRACE, "the file has become shorter");
	*out = window->bytes + (offset - window->offset);
	return HISTREE_OK;
}

uint64_t dat_pages_behind(const struct dat_pages *pages, uint64_t number)
{
	uint32_t page = pages->buffer->page_size;
	if (!pages->buffer->is_packed)
		return number + 1;
	const struct dat_chunk *chunk = &pages->chunks[chunk_of(pages, number * page)];
	uint64_t end = chunk->begin + chunk->plain_size;
	return end / page + (end % page != 0);
}

void dat_pages_close(struct dat_pages *pages)
{
	trace_window_release(&pages->window);
	free(pages->plain);
	pages->plain = NULL;
	pages->has_unpacked = false;
}

void dat_pages_release(struct dat_pages *pages)
{
	dat_pages_close(pages);
	free(pages->chunks);
	*pages = (struct dat_pages){ 0 };
}
