// SPDX-License-Identifier: MIT
/*
 * block_file.c - the reading half, and what both halves share.
 */
#include "store/block_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "store/block_file_inside.h"

enum { OPEN_ATTEMPTS = 3 };

/* More than the names of a hundred million attributes take. */
#define SECTION_SIZE_MAX (UINT64_C(1) << 32)

enum {
	SMALL_SECTION_SIZE_MAX = 64 << 10, /* ten times the largest of those that say a few facts */
	CHECK_PIECE_SIZE = 64 << 10,
};

/* Blocks and sections lie as a whole on one side of the base. */
static enum histree_status read_at(const struct block_file *file, void *bytes, size_t size, uint64_t offset,
				   struct histree_error *error)
{
	if (offset < file->base && file->is_tail)
		return io_read_all(file->io, file->main_file, bytes, size, offset, error);
	return io_read_all(file->io, file->file, bytes, size, own_offset(file, offset), error);
}

enum histree_status block_file_error_in(const struct block_file *file, enum histree_status status,
					struct histree_error *error)
{
	if (status < 0)
		error_prefix(error, "'%s'", file->path);
	return status;
}

struct block_file *block_file_new(const struct io *io, const char *path)
{
	struct block_file *file = calloc(1, sizeof(*file));
	if (file == NULL)
		return NULL;
	file->io = io;
	file->file = file->main_file = -1;
	file->base = BLOCK_FILE_HEADER_SIZE;
	file->path = strdup(path);
	if (file->path == NULL) {
		free(file);
		return NULL;
	}
	return file;
}

enum histree_status block_file_hand_out(struct block_file *file, enum histree_status status,
					struct block_file **out)
{
	if (status == HISTREE_OK)
		*out = file;
	else
		block_file_close(file);
	return status;
}

/* What the header says, compared with what there is. */
static enum histree_status check_offsets(struct block_file *file, const struct block_header *header,
					 struct histree_error *error)
{
	if (header->size > file->size)
		return error_set(error, HISTREE_ERR_FORMAT, "is cut short: %llu of %llu bytes; build it again",
				 (unsigned long long)file->size, (unsigned long long)header->size);
	uint32_t min = file->has_extents ? BLOCK_PART_SIZE_MIN : file->block_size;
	if (file->block_count > (file->size - BLOCK_FILE_HEADER_SIZE) / min)
		return error_set(error, HISTREE_ERR_FORMAT, "header: %u blocks in %llu bytes", file->block_count,
				 (unsigned long long)file->size);
	if (file->section_count > SECTION_COUNT_MAX || header->table_offset > file->size ||
	    file->section_count * (uint64_t)SECTION_ENTRY_SIZE > file->size - header->table_offset)
		return error_set(error, HISTREE_ERR_FORMAT, "header: a table of %u sections at %llu",
				 file->section_count, (unsigned long long)header->table_offset);
	return HISTREE_OK;
}

static enum histree_status take_header(struct block_file *file, const struct block_header *header,
				       struct histree_error *error)
{
	bool is_tail = (header->features & BLOCK_TAIL) != 0;
	if (is_tail != file->is_tail)
		return error_set(error, HISTREE_ERR_FORMAT,
				 is_tail ? "is the tail of another file; open that" : "is no tail");
	enum histree_status status =
		is_tail ? block_tail_join(file, header->base, header->identity, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	file->version = header->version;
	file->block_size = header->block_size;
	file->block_count = header->block_count;
	file->section_count = header->section_count;
	file->has_extents = (header->features & BLOCK_EXTENTS) != 0;
	file->has_unknown = (header->features & BLOCK_UNKNOWN) != 0;
	return check_offsets(file, header, error);
}

/* The header, or its copy at the end of the file; that it is the end of this one, it says itself. */
static enum histree_status read_header(struct block_file *file, struct block_header *header,
				       struct histree_error *error)
{
	uint8_t bytes[BLOCK_HEADER_USED];
	struct block_header copy;
	struct histree_error fault;
	enum histree_status status = io_read_all(file->io, file->file, bytes, sizeof(bytes), 0, error);
	if (status != HISTREE_OK)
		return status;
	status = block_header_decode(bytes, header, error);
	if (status != HISTREE_ERR_FORMAT ||
	    io_read_all(file->io, file->file, bytes, sizeof(bytes), file->size - sizeof(bytes), &fault) !=
		    HISTREE_OK ||
	    block_header_decode(bytes, &copy, &fault) != HISTREE_OK ||
	    copy.size - (file->is_tail ? copy.base - BLOCK_FILE_HEADER_SIZE : 0) != file->size)
		return status;
	*header = copy;
	file->damage |= DAMAGED_HEADER;
	return HISTREE_OK;
}

/* A file may be large without bytes (sparse): memory is not asked for on its word. */
static uint64_t section_size_max(const struct block_file *file, uint32_t id)
{
	switch (id) {
	case SECTION_EXTENTS:
		return (uint64_t)file->block_count * VARINT_SIZE_MAX;
	case SECTION_TREE:
	case SECTION_STATISTICS:
	case SECTION_PROVIDER:
	case SECTION_SEGMENTS:
		return SMALL_SECTION_SIZE_MAX;
	default:
		return SECTION_SIZE_MAX;
	}
}

/* They are written one after the other: none has bytes of another, so that all are no more than the file. */
static enum histree_status decode_sections(struct block_file *file, const uint8_t *table,
					   struct histree_error *error)
{
	uint64_t end = BLOCK_FILE_HEADER_SIZE;
	for (uint32_t i = 0; i < file->section_count; i++) {
		const uint8_t *entry = table + (size_t)i * SECTION_ENTRY_SIZE;
		struct section *section = &file->sections[i];
		section->id = get_le32(entry);
		section->crc = get_le32(entry + 4);
		section->offset = get_le64(entry + 8);
		section->size = get_le64(entry + 16);
		if (section->offset > file->size || section->size > file->size - section->offset)
			return error_set(error, HISTREE_ERR_FORMAT, "section %u lies outside the file", i);
		if (section->size > section_size_max(file, section->id))
			return error_set(error, HISTREE_ERR_FORMAT, "section %u has %llu bytes: too many", i,
					 (unsigned long long)section->size);
		if (section->offset < end)
			return error_set(error, HISTREE_ERR_FORMAT, "section %u has bytes of the one before it", i);
		end = section->offset + section->size;
	}
	return HISTREE_OK;
}

/* The table of sections, or its copy. */
static enum histree_status read_table(struct block_file *file, const struct block_header *header,
				      struct histree_error *error)
{
	uint8_t room[SECTION_COUNT_MAX * SECTION_ENTRY_SIZE];
	const uint8_t *table = room;
	size_t size = file->section_count * (size_t)SECTION_ENTRY_SIZE, copy_size;
	enum histree_status status = read_at(file, room, size, header->table_offset, error);
	if (status != HISTREE_OK)
		return status;
	if (crc32c(0, room, size) != header->table_crc) {
		table = block_copies_find(&file->copies, SECTION_TABLE, &copy_size);
		if (table == NULL || copy_size != size || crc32c(0, table, size) != header->table_crc)
			return error_set(error, HISTREE_ERR_FORMAT, "table of sections: checksum mismatch");
		file->damage |= DAMAGED_TABLE;
	}
	return decode_sections(file, table, error);
}

static enum histree_status read_extents(struct block_file *file, struct histree_error *error)
{
	uint8_t *bytes;
	size_t size;
	enum histree_status status = block_file_section(file, SECTION_EXTENTS, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	if (size < file->block_count)
		status = error_set(error, HISTREE_ERR_FORMAT, "section EXTS is too short");
	else if (!array_reserve(&file->offsets, &file->offsets_capacity, (size_t)file->block_count + 1))
		status = error_memory(error, "the offsets of blocks");
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t offset = BLOCK_FILE_HEADER_SIZE;
	for (uint32_t number = 0; status == HISTREE_OK && number < file->block_count; number++) {
		uint64_t bytes_of_block = read_varint(&reader);
		if (reader.failed || bytes_of_block < BLOCK_PART_SIZE_MIN || bytes_of_block > file->block_size ||
		    bytes_of_block > file->size - offset)
			status = error_set(error, HISTREE_ERR_FORMAT, "section EXTS: block %u of %llu bytes",
					   number, (unsigned long long)bytes_of_block);
		file->offsets[number] = offset;
		offset += bytes_of_block;
	}
	if (status == HISTREE_OK)
		file->offsets[file->block_count] = offset;
	free(bytes);
	return status;
}

/*
 * The checksums of the blocks.  Files of version 1 have none.  If they are damaged, what a block holds may be
 * true, but it is no longer known to be of this file: that is for the caller to decide.
 */
static enum histree_status read_sums(struct block_file *file, struct histree_error *error)
{
	uint8_t *bytes;
	size_t size;
	bool has_sums = false;
	for (uint32_t i = 0; i < file->section_count; i++)
		has_sums |= file->sections[i].id == SECTION_SUMS;
	if (!has_sums)
		return HISTREE_OK;
	enum histree_status status = block_file_section(file, SECTION_SUMS, &bytes, &size, error);
	if (status == HISTREE_OK && size != (size_t)file->block_count * BLOCK_SUM_SIZE)
		status = error_set(error, HISTREE_ERR_FORMAT, "section SUMS: %zu bytes for %u blocks", size,
				   file->block_count);
	if (status == HISTREE_OK &&
	    !array_reserve(&file->sums, &file->sums_capacity, (size_t)file->block_count + 1))
		status = error_memory(error, "the checksums of blocks");
	for (uint32_t number = 0; status == HISTREE_OK && number < file->block_count; number++)
		file->sums[number] = get_le32(bytes + (size_t)number * BLOCK_SUM_SIZE);
	free(bytes);
	file->lost_sums = status == HISTREE_ERR_FORMAT;
	return file->lost_sums ? HISTREE_OK : status;
}

enum histree_status block_file_read_directory(struct block_file *file, struct histree_error *error)
{
	struct block_header header;
	off_t size;
	if (file->io->size(file->io->context, file->file, &size) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot tell its size: %s", strerror(errno));
	if (size < BLOCK_FILE_HEADER_SIZE)
		return error_set(error, HISTREE_ERR_FORMAT, "is no histree file: it has only %lld bytes",
				 (long long)size);
	file->size = (uint64_t)size;
	enum histree_status status = read_header(file, &header, error);
	if (status == HISTREE_OK && header.has_copies)
		status = io_read_all(file->io, file->file, file->copies.bytes, BLOCK_COPIES_SIZE,
				     BLOCK_COPIES_OFFSET, error);
	if (status == HISTREE_OK)
		status = take_header(file, &header, error);
	if (status == HISTREE_OK)
		status = read_table(file, &header, error);
	if (status == HISTREE_OK && file->has_extents)
		status = read_extents(file, error);
	if (status == HISTREE_OK)
		status = read_sums(file, error);
	file->identity_of_content = (uint64_t)header.table_crc << 32 | header.crc;
	return status;
}

static enum histree_status open_complete(const struct io *io, const char *path, struct block_file **out,
					 struct histree_error *error)
{
	*out = NULL;
	struct block_file *file = block_file_new(io, path);
	if (file == NULL)
		return error_memory(error, "a file");
	file->file = io->open(io->context, path, O_RDONLY, 0);
	enum histree_status status;
	if (file->file < 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	else
		status = block_file_error_in(file, block_file_read_directory(file, error), error);
	return block_file_hand_out(file, status, out);
}

enum histree_status block_file_salvage(const struct io *io, const char *path, struct block_file **out,
				       struct histree_error *error)
{
	/* While this looks, the file may be completed, and its tail be removed: then it opens without. */
	enum histree_status status = HISTREE_ERR_INCOMPLETE;
	for (int attempt = 0; status == HISTREE_ERR_INCOMPLETE && attempt < OPEN_ATTEMPTS; attempt++) {
		status = open_complete(io, path, out, error);
		if (status == HISTREE_ERR_INCOMPLETE)
			status = block_tail_open(io, path, out, error);
	}
	return status;
}

enum histree_status block_file_open(const struct io *io, const char *path, struct block_file **out,
				    struct histree_error *error)
{
	enum histree_status status = block_file_salvage(io, path, out, error);
	if (status != HISTREE_OK || !(*out)->lost_sums)
		return status;
	block_file_close(*out);
	*out = NULL;
	return error_set(
		error, HISTREE_ERR_FORMAT,
		"'%s': section SUMS is damaged, so that its blocks cannot be told from those of other files; "
		"'histree repair' makes a store of what is there",
		path);
}

uint64_t block_file_identity(const struct block_file *file)
{
	return file->identity_of_content;
}

static enum histree_status read_block(const struct block_file *file, uint32_t number, void *bytes, uint32_t size,
				      struct histree_error *error)
{
	enum histree_status status = read_at(file, bytes, size, block_offset(file, number), error);
	if (status == HISTREE_OK && file->sums != NULL && size >= BLOCK_SUM_SIZE &&
	    get_le32(bytes) != file->sums[number])
		return error_set(error, HISTREE_ERR_FORMAT,
				 "'%s': node %u: its checksum is not the one that was written, but perhaps that of "
				 "another file or of an earlier time",
				 file->path, number);
	if (status < 0)
		error_prefix(error, "'%s': node %u at offset 0x%llx", file->path, number,
			     (unsigned long long)block_offset(file, number));
	return status;
}

static enum histree_status no_block(const struct block_file *file, uint32_t number, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u of %u", file->path, number, file->block_count);
}

enum histree_status block_file_read_over(const struct block_file *file, uint32_t number, void *block,
					 uint32_t *filled, struct histree_error *error)
{
	if (number >= file->block_count)
		return no_block(file, number, error);
	uint32_t size = block_bytes(file, number);
	enum histree_status status = read_block(file, number, block, size, error);
	if (*filled > size)
		memset((uint8_t *)block + size, 0, *filled - size);
	*filled = size;
	return status;
}

enum histree_status block_file_read(const struct block_file *file, uint32_t number, void *block,
				    struct histree_error *error)
{
	uint32_t filled = file->block_size;
	return block_file_read_over(file, number, block, &filled, error);
}

uint32_t block_file_kept_bytes(const struct block_file *file, uint32_t number)
{
	return block_bytes(file, number);
}

enum histree_status block_file_peek(const struct block_file *file, uint32_t number, void *bytes, uint32_t size,
				    struct histree_error *error)
{
	if (number >= file->block_count || size > block_bytes(file, number))
		return no_block(file, number, error);
	return read_block(file, number, bytes, size, error);
}

/* HISTREE_ERR_FORMAT: it is damaged or missing.  `content` has room for it. */
static enum histree_status read_section(const struct block_file *file, const struct section *section,
					uint8_t *content, struct histree_error *error)
{
	enum histree_status status = read_at(file, content, section->size, section->offset, error);
	if (status == HISTREE_OK && crc32c(0, content, section->size) != section->crc)
		status = error_set(error, HISTREE_ERR_FORMAT, "checksum mismatch");
	return status;
}

static void section_name(uint32_t id, char name[5])
{
	put_le32((uint8_t *)name, id);
	name[4] = '\0';
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
		*bytes = malloc(section->size > 0 ? section->size : 1);
		if (*bytes == NULL)
			return error_memory(error, "a section");
		status = read_section(file, section, *bytes, error);
		if (status == HISTREE_OK)
			return HISTREE_OK;
		size_t copy_size;
		const uint8_t *copy =
			status == HISTREE_ERR_FORMAT ? block_copies_find(&file->copies, id, &copy_size) : NULL;
		if (copy != NULL && copy_size == section->size && crc32c(0, copy, copy_size) == section->crc) {
			memcpy(*bytes, copy, copy_size);
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
	if (status < 0)
		error_prefix(error, "'%s': section %s", file->path, name);
	return status;
}

/* Go on in `crc` with a section, piece by piece: it is not kept. */
static enum histree_status checksum_section(const struct block_file *file, const struct section *section,
					    uint32_t *crc, struct histree_error *error)
{
	uint8_t *piece = malloc(CHECK_PIECE_SIZE);
	if (piece == NULL)
		return error_memory(error, "a section");
	enum histree_status status = HISTREE_OK;
	for (uint64_t at = 0; status == HISTREE_OK && at < section->size; at += CHECK_PIECE_SIZE) {
		uint64_t left = section->size - at;
		size_t size = left < CHECK_PIECE_SIZE ? (size_t)left : CHECK_PIECE_SIZE;
		status = read_at(file, piece, size, section->offset + at, error);
		*crc = crc32c(*crc, piece, size);
	}
	free(piece);
	return status;
}

static enum histree_status check_section(const struct block_file *file, const struct section *section,
					 void (*report)(void *context, const char *fault), void *context,
					 struct histree_error *error)
{
	char name[5], fault[80];
	size_t size;
	uint32_t crc = 0;
	section_name(section->id, name);
	enum histree_status status = checksum_section(file, section, &crc, error);
	if (status == HISTREE_ERR_FORMAT || (status == HISTREE_OK && crc != section->crc)) {
		bool copied = block_copies_find(&file->copies, section->id, &size) != NULL;
		snprintf(fault, sizeof(fault), "section %s: checksum mismatch%s", name,
			 copied ? "; its copy is sound" : "");
		report(context, fault);
		return HISTREE_OK;
	}
	if (status < 0)
		error_prefix(error, "section %s", name);
	return status;
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

uint64_t block_file_section_size(const struct block_file *file, uint32_t id)
{
	for (uint32_t i = 0; i < file->section_count; i++)
		if (file->sections[i].id == id)
			return file->sections[i].size;
	return 0;
}

const char *block_file_path(const struct block_file *file)
{
	return file->path;
}

uint32_t block_file_version(const struct block_file *file)
{
	return file->version;
}

uint32_t block_file_block_size(const struct block_file *file)
{
	return file->block_size;
}

uint32_t block_file_block_count(const struct block_file *file)
{
	return file->block_count;
}

bool block_file_is_complete(const struct block_file *file)
{
	return !file->is_tail;
}

uint64_t block_file_bytes(const struct block_file *file)
{
	return file->size;
}

uint64_t block_file_block_bytes(const struct block_file *file)
{
	return block_offset(file, file->block_count) - BLOCK_FILE_HEADER_SIZE;
}

void block_file_close(struct block_file *file)
{
	if (file == NULL)
		return;
	if (file->file >= 0)
		file->io->close(file->io->context, file->file);
	if (file->main_file >= 0)
		file->io->close(file->io->context, file->main_file);
	if (file->writing && !file->has_tail)
		file->io->unlink(file->io->context, file->path);
	free(file->offsets);
	free(file->sums);
	free(file->path);
	free(file);
}
