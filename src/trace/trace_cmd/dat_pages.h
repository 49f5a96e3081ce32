/* SPDX-License-Identifier: MIT */
/*
 * dat_pages.h - the pages of one CPU, one after another, plain or in chunks that are compressed.
 */
#ifndef TRACE_TRACE_CMD_DAT_PAGES_H
#define TRACE_TRACE_CMD_DAT_PAGES_H

#include "trace/trace_cmd/dat_file.h"

/* Some pages that were compressed together. */
struct dat_chunk {
	uint64_t offset; /* in the file */
	uint32_t size, plain_size;
	uint64_t begin; /* among the plain bytes */
};

struct dat_pages {
	const struct dat_file *file;
	const struct dat_buffer *buffer;
	const struct dat_cpu *cpu;
	uint64_t plain_size; /* of all that is there */
	uint64_t count;      /* of pages, the last of which may be cut */
	bool is_cut;
	struct dat_chunk *chunks; /* of those that are compressed */
	size_t chunk_count, chunk_capacity;
	uint32_t chunk_size_max; /* of a chunk, plain */

	struct trace_window window;
	size_t window_size;
	uint8_t *plain; /* of the chunk that is unpacked */
	size_t unpacked;
	bool has_unpacked;
};

/* Find out how many there are.  `pages` is zeroed.  Returns HISTREE_ERR_IO, HISTREE_ERR_MEMORY. */
enum histree_status dat_pages_find(struct dat_pages *pages, const struct dat_file *file,
				   const struct dat_buffer *buffer, const struct dat_cpu *cpu,
				   struct histree_error *error);

/* Prepare for reading, so many bytes of the file at a time at least. */
void dat_pages_open(struct dat_pages *pages, size_t window_size, bool stays_open);

/*
 * Returns a page and how many bytes of it are there, which are valid until the next.  HISTREE_ERR_TRACE: it is
 * damaged; HISTREE_ERR_IO, HISTREE_ERR_MEMORY.
 */
enum histree_status dat_pages_load(struct dat_pages *pages, uint64_t number, const uint8_t **out, size_t *size,
				   struct histree_error *error);

/* Returns the first page behind one that could not be loaded that is not damaged with it. */
uint64_t dat_pages_behind(const struct dat_pages *pages, uint64_t number);

/* It can be opened again. */
void dat_pages_close(struct dat_pages *pages);

void dat_pages_release(struct dat_pages *pages);

#endif
