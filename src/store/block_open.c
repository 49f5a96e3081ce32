// SPDX-License-Identifier: MIT
/*
 * block_open.c - from a path to a file that can be read: its header, the table of its sections, and where its
 * blocks are.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "store/block_file.h"
#include "store/block_file_inside.h"

enum {
	OPEN_ATTEMPTS = 3,
	SMALL_SECTION_SIZE_MAX = 64 << 10, /* ten times the largest of those that say a few facts */
};

/* More than the names of a hundred million attributes take. */
#define SECTION_SIZE_MAX (UINT64_C(1) << 32)

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
	file->needs_lifetimes = (header->features & BLOCK_LIFETIMES) != 0;
	file->is_partial = (header->features & BLOCK_PARTIAL) != 0;
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
	enum histree_status status = block_file_read_at(file, room, size, header->table_offset, error);
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

/*
 * Every block of a file of version 2 has four bytes in section SUMS.  One of version 1 may claim any number of
 * blocks by its length, and be a hole: of the blocks that begin with zeros, there are no more than of the others,
 * and some.
 */
static enum histree_status check_holes(const struct block_file *file, struct histree_error *error)
{
	enum { HOLES_MIN = 4096 };
	uint64_t holes = 0, others = 0;
	if (file->sums != NULL || file->lost_sums || file->block_count <= HOLES_MIN)
		return HISTREE_OK;
	for (uint32_t number = 0; number < file->block_count; number++) {
		bool is_hole;
		enum histree_status status = block_file_is_hole(file, number, &is_hole, error);
		if (status != HISTREE_OK)
			return status;
		holes += is_hole;
		others += !is_hole;
		if (holes > others + HOLES_MIN)
			return error_set(error, HISTREE_ERR_FORMAT,
					 "has hardly any of its %u nodes; build it again", file->block_count);
	}
	return HISTREE_OK;
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
	if (status == HISTREE_OK)
		status = check_holes(file, error);
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
