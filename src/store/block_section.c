// SPDX-License-Identifier: MIT
/*
 * block_section.c - the sections of a file: written with its blocks, in the end with the directory and the header,
 * and read.
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

/* ---- block section ------------------------------------------------------------------------------------------- */

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

/* The first section with this id that is sound, or its copy. */
static enum histree_status load_section(const struct block_file *file, uint32_t id, uint8_t **bytes, size_t *size,
					struct histree_error *error)
{
	enum histree_status status = error_set(error, HISTREE_ERR_FORMAT, "is missing");
	for (uint32_t i = 0; i < file->section_count; i++) {
		const struct section *section = &file->sections[i];
		if (section->id != id)
			continue;
		*size = section->size;
		status = read_section(file, section, bytes, error);
		if (status == HISTREE_OK || status == HISTREE_ERR_MEMORY)
			return status;
		const uint8_t *copy = status == HISTREE_ERR_FORMAT ? sound_copy(file, section) : NULL;
		if (copy != NULL) {
			memcpy(*bytes, copy, *size);
			return HISTREE_OK;
		}
		free(*bytes);
		*bytes = NULL;
	}
	return status;
}

enum histree_status block_file_section(const struct block_file *file, uint32_t id, uint8_t **bytes, size_t *size,
				       struct histree_error *error)
{
	char name[5];
	*bytes = NULL;
	*size = 0;
	section_name(id, name);
	enum histree_status status = load_section(file, id, bytes, size, error);
	if (status == HISTREE_OK)
		return status;
	free(*bytes);
	*bytes = NULL;
	if (status < 0)
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

bool block_file_needs_lifetimes(const struct block_file *file)
{
	return file->needs_lifetimes;
}

bool block_file_is_partial(const struct block_file *file)
{
	return file->is_partial;
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

/* ---- block write --------------------------------------------------------------------------------------------- */

enum { SYNC_BYTES = 8 << 20 }; /* that are sent to disk together */

/* Blocks follow one another from the header on, and sections follow the blocks. */
static void assert_writing(const struct block_file *file)
{
	(void)file;
	assert(file->writing && file->size >= file->base);
	assert(file->block_count == 0 || file->offsets[file->block_count] <= file->size);
	assert(file->section_count > 0 || file->block_count == 0 || file->offsets[file->block_count] == file->size);
	assert(!file->section_open || file->section_count > 0);
}

enum histree_status block_file_create(const struct io *io, const char *path, uint32_t block_size,
				      struct block_file **out, struct histree_error *error)
{
	*out = NULL;
	struct block_file *file = block_file_new(io, path);
	if (file == NULL)
		return error_memory(error, "a file");
	file->block_size = block_size;
	file->version = BLOCK_FILE_VERSION;
	file->size = BLOCK_FILE_HEADER_SIZE;
	file->file = io->open(io->context, path, O_RDWR | O_CREAT | O_EXCL, 0666);
	if (file->file < 0) {
		int cause = errno;
		block_file_close(file);
		return error_set(error, cause == EEXIST ? HISTREE_ERR_EXISTS : HISTREE_ERR_IO,
				 "cannot make '%s': %s", path, strerror(cause));
	}
	file->writing = true;
	enum histree_status status = block_file_error_in(file, block_tail_identify(file, error), error);
	return block_file_hand_out(file, status, out);
}

enum histree_status block_file_write(struct block_file *file, uint32_t number, const void *block,
				     struct histree_error *error)
{
	return block_file_write_part(file, number, block, file->block_size, error);
}

/* A disk that waits until all is written has all to write then. */
static void begin_sync(struct block_file *file)
{
	const uint64_t from = file->sync_begun > file->base ? file->sync_begun : file->base;
	const uint64_t size = file->size - from;
	if (size < SYNC_BYTES || file->io->begin_sync == NULL)
		return;
	file->io->begin_sync(file->io->context, file->file, (off_t)own_offset(file, from), (off_t)size);
	file->sync_begun = file->size;
}

enum histree_status block_file_write_part(struct block_file *file, uint32_t number, const void *block,
					  uint32_t size, struct histree_error *error)
{
	assert_writing(file);
	assert(file->section_count == 0);
	if (number != file->block_count || size < BLOCK_PART_SIZE_MIN || size > file->block_size)
		return error_set(error, HISTREE_ERR_INTERNAL, "'%s': block %u of %u bytes after %u blocks",
				 file->path, number, size, file->block_count);
	if (!array_reserve(&file->offsets, &file->offsets_capacity, (size_t)number + 2) ||
	    !array_reserve(&file->sums, &file->sums_capacity, (size_t)number + 1))
		return error_memory(error, "the offsets of blocks");
	bool kept = false;
	enum histree_status status = HISTREE_OK;
	if (number < file->kept_count)
		status = block_tail_keep(file, block, size, &kept, error);
	if (status == HISTREE_OK && !kept)
		status = io_write_all(file->io, file->file, block, size, own_offset(file, file->size), error);
	if (status != HISTREE_OK)
		return block_file_error_in(file, status, error);
	file->sums[number] = get_le32(block);
	file->offsets[number] = file->size;
	file->size += size;
	file->offsets[number + 1] = file->size;
	file->has_extents = file->has_extents || size < file->block_size;
	file->block_count++;
	assert_writing(file);
	begin_sync(file);
	return HISTREE_OK;
}

void block_file_need_lifetimes(struct block_file *file)
{
	file->needs_lifetimes = true;
}

void block_file_make_partial(struct block_file *file)
{
	file->is_partial = true;
}

void block_file_has_unknown(struct block_file *file)
{
	file->has_unknown = true;
}

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
	assert_writing(file);
	assert(file->section_open);
	block_copies_end(&file->copies, file->sections[file->section_count - 1].id);
	file->section_open = false;
}

/* Returns the size of the table. */
static size_t encode_sections(const struct block_file *file, uint8_t *table)
{
	for (uint32_t i = 0; i < file->section_count; i++) {
		uint8_t *entry = table + (size_t)i * SECTION_ENTRY_SIZE;
		put_le32(entry, file->sections[i].id);
		put_le32(entry + 4, file->sections[i].crc);
		put_le64(entry + 8, file->sections[i].offset);
		put_le64(entry + 16, file->sections[i].size);
	}
	return (size_t)file->section_count * SECTION_ENTRY_SIZE;
}

static enum histree_status write_extents(struct block_file *file, struct histree_error *error)
{
	uint8_t *bytes = malloc((size_t)file->block_count * VARINT_SIZE_MAX);
	if (bytes == NULL)
		return error_memory(error, "the sizes of blocks");
	uint8_t *end = bytes;
	for (uint32_t number = 0; number < file->block_count; number++)
		end = put_varint(end, block_bytes(file, number));
	enum histree_status status = block_file_section_begin(file, SECTION_EXTENTS, error);
	if (status == HISTREE_OK)
		status = block_file_section_write(file, bytes, (size_t)(end - bytes), error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	free(bytes);
	return status;
}

static enum histree_status write_sums(struct block_file *file, struct histree_error *error)
{
	size_t size = (size_t)file->block_count * BLOCK_SUM_SIZE;
	uint8_t *bytes = malloc(size + 1);
	if (bytes == NULL)
		return error_memory(error, "the checksums of blocks");
	for (uint32_t number = 0; number < file->block_count; number++)
		put_le32(bytes + (size_t)number * BLOCK_SUM_SIZE, file->sums[number]);
	enum histree_status status = block_file_section_begin(file, SECTION_SUMS, error);
	if (status == HISTREE_OK)
		status = block_file_section_write(file, bytes, size, error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	free(bytes);
	return status;
}

/*
 * Write a section twice if there is no room for its copy: without these sections no block can be found, or be told
 * from others.
 */
static enum histree_status write_for_sure(struct block_file *file,
					  enum histree_status (*write)(struct block_file *file,
								       struct histree_error *error),
					  struct histree_error *error)
{
	enum histree_status status = write(file, error);
	return status == HISTREE_OK && file->copies.overflown ? write(file, error) : status;
}

static uint64_t features_of(const struct block_file *file)
{
	return (uint64_t)(file->has_extents ? BLOCK_EXTENTS : 0) | (file->is_tail ? BLOCK_TAIL : 0) |
	       (file->has_unknown ? BLOCK_UNKNOWN : 0) | (file->needs_lifetimes ? BLOCK_LIFETIMES : 0) |
	       (file->is_partial ? BLOCK_PARTIAL : 0);
}

/* The table, and a copy of the header after it: everything but the first page, which `page` gets. */
static enum histree_status write_directory(struct block_file *file, uint8_t *page, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (file->has_extents)
		status = write_for_sure(file, write_extents, error);
	if (status == HISTREE_OK)
		status = write_for_sure(file, write_sums, error);
	if (status != HISTREE_OK)
		return status;
	uint8_t bytes[SECTION_COUNT_MAX * SECTION_ENTRY_SIZE + BLOCK_HEADER_USED];
	size_t table_size = encode_sections(file, bytes);
	const struct block_header header = {
		.features = features_of(file),
		.has_copies = true,
		.block_size = file->block_size,
		.block_count = file->block_count,
		.section_count = file->section_count,
		.table_crc = crc32c(0, bytes, table_size),
		.table_offset = file->size,
		.size = file->size + table_size + BLOCK_HEADER_USED,
		.base = file->base,
		.identity = file->identity,
	};
	block_header_encode(&header, bytes + table_size);
	block_copies_begin(&file->copies);
	file->copies.is_last = true;
	block_copies_write(&file->copies, bytes, table_size);
	block_copies_end(&file->copies, SECTION_TABLE);
	memcpy(page, bytes + table_size, BLOCK_HEADER_USED);
	memcpy(page + BLOCK_COPIES_OFFSET, file->copies.bytes, BLOCK_COPIES_SIZE);
	status = io_write_all(file->io, file->file, bytes, table_size + BLOCK_HEADER_USED,
			      own_offset(file, file->size), error);
	file->size = header.size;
	return status;
}

enum histree_status block_file_complete(struct block_file *file, struct histree_error *error)
{
	const struct io *io = file->io;
	uint8_t page[BLOCK_FILE_HEADER_SIZE] = { 0 };
	assert_writing(file);
	assert(!file->section_open);
	enum histree_status status = write_directory(file, page, error);
	/* The header says that all before it is there: it must not reach the disk first. */
	if (status == HISTREE_OK && !file->is_tail)
		status = io_sync(io, file->file, error);
	if (status == HISTREE_OK)
		status = io_write_all(io, file->file, page, sizeof(page), 0, error);
	if (status == HISTREE_OK && !file->is_tail)
		status = io_sync(io, file->file, error);
	if (status != HISTREE_OK)
		return block_file_error_in(file, status, error);
	file->writing = false;
	if (!file->is_tail)
		block_tail_remove(file);
	return HISTREE_OK;
}
