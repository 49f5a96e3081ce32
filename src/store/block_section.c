// SPDX-License-Identifier: MIT
/*
 * block_section.c - the sections of a file: written after its blocks, and readpiece by piece, with the copies of
 * the small ones and the limit on how many zeros a section may have. block_file.c, which opens and completes files,
 * is built on this one.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "store/block_file.h"

enum histree_status block_file_error_in(const struct block_file *file, enum histree_status status,
					struct histree_error *error)
{
	if (status < 0)
		error_prefix(error, "'%s'", file->path);
	return status;
}

enum histree_status block_file_read_at(const struct block_file *file, void *bytes, size_t size, uint64_t offset,
				       struct histree_error *error)
{
	if (offset < file->base && file->is_tail)
		return io_read_all(file->io, file->main_file, bytes, size, offset, error);
	return io_read_all(file->io, file->file, bytes, size, own_offset(file, offset), error);
}

/* ---- pages ------------------------------------------------------------------------------------------------- */

bool section_pages_add(struct section_pages *pages, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		size_t room = SECTION_PAGE_SIZE - pages->filled, taken = size < room ? size : room;
		pages->has_bytes = pages->has_bytes || !(bytes[0] == 0 && memcmp(bytes, bytes + 1, taken - 1) == 0);
		pages->filled += (uint32_t)taken;
		bytes += taken;
		size -= taken;
		if (pages->filled < SECTION_PAGE_SIZE)
			break;
		pages->empty += !pages->has_bytes;
		pages->full += pages->has_bytes;
		pages->filled = 0;
		pages->has_bytes = false;
	}
	return pages->empty <= pages->full + SECTION_EMPTY_PAGES_MIN;
}

enum histree_status section_pages_refuse(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "is mostly zeros, which none of that size is");
}

/* ---- copies ------------------------------------------------------------------------------------------------ */

enum { COPY_HEADER_SIZE = 12 };

void block_copies_begin(struct block_copies *copies)
{
	copies->growing = 0;
	copies->overflown = false;
}

/* There is always room left for the id that ends the copies. */
void block_copies_write(struct block_copies *copies, const void *bytes, size_t size)
{
	size_t taken = copies->used + COPY_HEADER_SIZE + copies->growing + sizeof(uint32_t);
	size_t room = BLOCK_COPIES_SIZE - (copies->is_last ? 0 : BLOCK_COPIES_RESERVE);
	copies->overflown = copies->overflown || taken > room || size > room - taken;
	if (copies->overflown || size == 0)
		return;
	memcpy(copies->bytes + copies->used + COPY_HEADER_SIZE + copies->growing, bytes, size);
	copies->growing += size;
}

void block_copies_end(struct block_copies *copies, uint32_t id)
{
	uint8_t *copy = copies->bytes + copies->used;
	if (copies->overflown || copies->growing == 0)
		return;
	put_le32(copy, id);
	put_le32(copy + 4, crc32c(0, copy + COPY_HEADER_SIZE, copies->growing));
	put_le32(copy + 8, (uint32_t)copies->growing);
	copies->used += COPY_HEADER_SIZE + copies->growing;
}

const uint8_t *block_copies_find(const struct block_copies *copies, uint32_t id, size_t *size)
{
	struct byte_reader reader = byte_reader(copies->bytes, BLOCK_COPIES_SIZE);
	for (;;) {
		uint32_t found = read_le32(&reader), crc = read_le32(&reader);
		*size = read_le32(&reader);
		const uint8_t *bytes = read_bytes(&reader, *size);
		if (reader.failed || found == 0)
			return NULL;
		if (found == id && crc32c(0, bytes, *size) == crc)
			return bytes;
	}
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* Sections are read piece by piece, and memory grows with what came.  Most are smaller than one piece. */
enum { PIECE_SIZE = 64 << 10 };

/* What was read of a section so far. */
struct section_reading {
	const struct block_file *file;
	const struct section *section;
	uint64_t at;
	uint32_t crc;
	struct section_pages pages;
};

/* Returns the size of the next piece, 0 after the last one. */
static size_t next_size(const struct section_reading *reading, size_t max)
{
	uint64_t left = reading->section->size - reading->at;
	return left < max ? (size_t)left : max;
}

static enum histree_status read_piece(struct section_reading *reading, uint8_t *piece, size_t size,
				      struct histree_error *error)
{
	enum histree_status status =
		block_file_read_at(reading->file, piece, size, reading->section->offset + reading->at, error);
	if (status != HISTREE_OK)
		return status;
	reading->crc = crc32c(reading->crc, piece, size);
	reading->at += size;
	return section_pages_add(&reading->pages, piece, size) ? HISTREE_OK : section_pages_refuse(error);
}

static enum histree_status check_sum(const struct section_reading *reading, struct histree_error *error)
{
	if (reading->crc == reading->section->crc)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "checksum mismatch");
}

/* ---- one section ---------------------------------------------------------------------------------------- */

/* HISTREE_ERR_FORMAT: it is damaged.  The caller frees *content in any case. */
static enum histree_status read_section(const struct block_file *file, const struct section *section,
					uint8_t **content, struct histree_error *error)
{
	struct section_reading reading = { .file = file, .section = section };
	enum histree_status status = HISTREE_OK;
	size_t capacity = 0;
	while (status == HISTREE_OK) {
		size_t size = next_size(&reading, PIECE_SIZE);
		if (!array_reserve(content, &capacity, (size_t)reading.at + size + 1))
			return error_memory(error, "a section");
		if (size == 0)
			break;
		status = read_piece(&reading, *content + reading.at, size, error);
	}
	return status == HISTREE_OK ? check_sum(&reading, error) : status;
}

static void section_name(uint32_t id, char name[5])
{
	put_le32((uint8_t *)name, id);
	name[4] = '\0';
}

/* Returns the copy of a section, if there is one and it is sound; else NULL. */
static const uint8_t *sound_copy(const struct block_file *file, const struct section *section)
{
	size_t size;
	const uint8_t *copy = block_copies_find(&file->copies, section->id, &size);
	bool is_sound = copy != NULL && size == section->size && crc32c(0, copy, size) == section->crc;
	return is_sound ? copy : NULL;
}

enum histree_status block_file_section(const struct block_file *file, uint32_t id, uint8_t **bytes, size_t *size,
				       struct histree_error *error)
{
	char name[5];
	*bytes = NULL;
	*size = 0;
	enum histree_status status = error_set(error, HISTREE_ERR_FORMAT, "is missing");
	/* The first section with this id that is sound, or its copy. */
	for (uint32_t i = 0; i < file->section_count && status != HISTREE_ERR_MEMORY; i++) {
		const struct section *section = &file->sections[i];
		if (section->id != id)
			continue;
		*size = section->size;
		status = read_section(file, section, bytes, error);
		const uint8_t *copy = status == HISTREE_ERR_FORMAT ? sound_copy(file, section) : NULL;
		if (copy != NULL)
			memcpy(*bytes, copy, *size);
		if (status == HISTREE_OK || copy != NULL)
			return HISTREE_OK;
		free(*bytes);
		*bytes = NULL;
	}
	section_name(id, name);
	error_prefix(error, "'%s': section %s", file->path, name);
	return status;
}

static const struct section *find_section(const struct block_file *file, uint32_t id)
{
	for (uint32_t i = 0; i < file->section_count; i++)
		if (file->sections[i].id == id)
			return &file->sections[i];
	return NULL;
}

uint64_t block_file_section_size(const struct block_file *file, uint32_t id)
{
	const struct section *section = find_section(file, id);
	return section != NULL ? section->size : 0;
}

uint64_t block_file_section_worth(const struct block_file *file, uint32_t id)
{
	uint8_t piece[4096];
	struct section_reading reading = { .file = file, .section = find_section(file, id) };
	if (reading.section == NULL)
		return 0;
	for (size_t size; (size = next_size(&reading, sizeof(piece))) > 0;)
		if (read_piece(&reading, piece, size, NULL) != HISTREE_OK)
			break;
	return section_pages_worth(&reading.pages);
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* Read a section without keeping it.  HISTREE_ERR_FORMAT: it is damaged. */
static enum histree_status pass_section(const struct block_file *file, const struct section *section,
					struct histree_error *error)
{
	struct section_reading reading = { .file = file, .section = section };
	uint8_t *piece = malloc(PIECE_SIZE);
	if (piece == NULL)
		return error_memory(error, "a section");
	enum histree_status status = HISTREE_OK;
	for (size_t size; status == HISTREE_OK && (size = next_size(&reading, PIECE_SIZE)) > 0;)
		status = read_piece(&reading, piece, size, error);
	free(piece);
	return status == HISTREE_OK ? check_sum(&reading, error) : status;
}

static enum histree_status check_section(const struct block_file *file, const struct section *section,
					 void (*report)(void *context, const char *fault), void *context,
					 struct histree_error *error)
{
	char name[5], fault[160];
	struct histree_error damage = { 0 };
	section_name(section->id, name);
	enum histree_status status = pass_section(file, section, &damage);
	if (status == HISTREE_ERR_FORMAT) {
		snprintf(fault, sizeof(fault), "section %s: %.80s%s", name, damage.message,
			 sound_copy(file, section) != NULL ? "; its copy is sound" : "");
		report(context, fault);
		return HISTREE_OK;
	}
	return status == HISTREE_OK ? status : error_set(error, status, "section %s: %s", name, damage.message);
}

enum histree_status block_file_check(const struct block_file *file,
				     void (*report)(void *context, const char *fault), void *context,
				     struct histree_error *error)
{
	if (file->damage & DAMAGED_HEADER)
		report(context, "header: damaged; its copy is sound");
	if (file->damage & DAMAGED_TABLE)
		report(context, "table of sections: damaged; its copy is sound");
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < file->section_count && status == HISTREE_OK; i++)
		status = check_section(file, &file->sections[i], report, context, error);
	return block_file_error_in(file, status, error);
}

/* ---- writing --------------------------------------------------------------------------------------------- */

enum histree_status block_file_section_begin(struct block_file *file, uint32_t id, struct histree_error *error)
{
	if (file->section_open || file->section_count == SECTION_COUNT_MAX)
		return error_set(error, HISTREE_ERR_INTERNAL, "'%s': one section too many", file->path);
	file->sections[file->section_count++] = (struct section){ .id = id, .offset = file->size };
	file->section_open = true;
	file->section_pages = (struct section_pages){ 0 };
	block_copies_begin(&file->copies);
	return HISTREE_OK;
}

enum histree_status block_file_section_write(struct block_file *file, const void *bytes, size_t size,
					     struct histree_error *error)
{
	struct section *section = &file->sections[file->section_count - 1];
	assert(file->section_open && section->offset + section->size == file->size);
	if (!section_pages_add(&file->section_pages, bytes, size))
		return block_file_error_in(file, section_pages_refuse(error), error);
	enum histree_status status =
		io_write_all(file->io, file->file, bytes, size, own_offset(file, file->size), error);
	if (status != HISTREE_OK)
		return block_file_error_in(file, status, error);
	block_copies_write(&file->copies, bytes, size);
	section->crc = crc32c(section->crc, bytes, size);
	section->size += size;
	file->size += size;
	return HISTREE_OK;
}

void block_file_section_end(struct block_file *file)
{
	assert(file->writing && file->section_count > 0);
	assert(file->section_open);
	block_copies_end(&file->copies, file->sections[file->section_count - 1].id);
	file->section_open = false;
}

enum histree_status block_file_section_put(struct block_file *file, uint32_t id, const void *bytes, size_t size,
					   struct histree_error *error)
{
	enum histree_status status = block_file_section_begin(file, id, error);
	if (status == HISTREE_OK)
		status = block_file_section_write(file, bytes, size, error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	return status;
}
