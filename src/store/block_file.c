// SPDX-License-Identifier: MIT
/*
 * The header, 4096 bytes, of which 68 are used (histree-format(5)):
 *
 *	OFFSET	SIZE
 *	0	8	magic: 0x89 'h' 'i' 's' 't' 'r' 'e' 0x0a
 *	8	4	version of the format
 *	12	4	oldest version whose reader understands the file
 *	16	8	features that a reader must know; 1: blocks have sizes of their own (section EXTS),
 *			2: a tail (block_tail.c), 4: values may be unknown
 *	24	8	features that a reader may ignore; 0 so far
 *	32	4	size of a block
 *	36	4	number of blocks
 *	40	8	offset of the table of sections
 *	48	4	number of sections
 *	52	4	CRC-32C of the table of sections
 *	56	8	size of the file
 *	64	4	CRC-32C of the bytes 0 to 64
 *	68	8	of a tail: where it goes on, in bytes of the file before it
 *	76	8	of a tail: the identity of the file before it
 *	84	4	of a tail: CRC-32C of the bytes 0 to 84
 *
 * An entry of the table of sections: id (4), CRC-32C of the section (4), offset (8), size (8).
 *
 * Section EXTS: a varint for each block, its size in bytes.
 */
#include "store/block_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "store/block_file_inside.h"

static const uint8_t magic[8] = { 0x89, 'h', 'i', 's', 't', 'r', 'e', '\n' };

enum {
	HEADER_CHECKED = 64, /* bytes before their checksum */
	HEADER_USED = 68,
	OPEN_ATTEMPTS = 3,
	TAIL_CHECKED = 84,
	TAIL_HEADER_USED = 88,
	SECTION_ENTRY_SIZE = 24,
	FEATURE_EXTENTS = 1,
	FEATURE_TAIL = 2,
	FEATURE_UNKNOWN = 4,
	FEATURES_KNOWN = FEATURE_EXTENTS | FEATURE_TAIL | FEATURE_UNKNOWN,
};

static uint32_t block_bytes(const struct block_file *file, uint32_t number)
{
	return file->has_extents ? (uint32_t)(file->offsets[number + 1] - file->offsets[number]) : file->block_size;
}

/* Blocks and sections lie as a whole on one side of the base. */
static enum histree_status read_at(const struct block_file *file, void *bytes, size_t size, uint64_t offset,
				   struct histree_error *error)
{
	if (offset < file->base && file->is_tail)
		return io_read_all(file->io, file->main_file, bytes, size, offset, error);
	return io_read_all(file->io, file->file, bytes, size, own_offset(file, offset), error);
}

enum histree_status block_file_named(const struct block_file *file, enum histree_status status,
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
	enum histree_status status = block_file_named(file, block_tail_identify(file, error), error);
	if (status != HISTREE_OK) {
		block_file_close(file);
		return status;
	}
	*out = file;
	return HISTREE_OK;
}

enum histree_status block_file_write(struct block_file *file, uint32_t number, const void *block,
				     struct histree_error *error)
{
	return block_file_write_part(file, number, block, file->block_size, error);
}

enum histree_status block_file_write_part(struct block_file *file, uint32_t number, const void *block,
					  uint32_t size, struct histree_error *error)
{
	if (number != file->block_count || size < BLOCK_PART_SIZE_MIN || size > file->block_size)
		return error_set(error, HISTREE_ERR_INTERNAL, "'%s': block %u of %u bytes after %u blocks",
				 file->path, number, size, file->block_count);
	if (!array_reserve(&file->offsets, &file->offsets_capacity, (size_t)number + 2))
		return error_memory(error, "the places of blocks");
	if (number >= file->kept_count || !block_tail_keeps(file, block, size)) {
		enum histree_status status =
			io_write_all(file->io, file->file, block, size, own_offset(file, file->size), error);
		if (status != HISTREE_OK)
			return block_file_named(file, status, error);
	}
	file->offsets[number] = file->size;
	file->size += size;
	file->offsets[number + 1] = file->size;
	file->has_extents = file->has_extents || size < file->block_size;
	file->block_count++;
	return HISTREE_OK;
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
	return HISTREE_OK;
}

enum histree_status block_file_section_write(struct block_file *file, const void *bytes, size_t size,
					     struct histree_error *error)
{
	struct section *section = &file->sections[file->section_count - 1];
	enum histree_status status =
		io_write_all(file->io, file->file, bytes, size, own_offset(file, file->size), error);
	if (status != HISTREE_OK)
		return block_file_named(file, status, error);
	section->crc = crc32c(section->crc, bytes, size);
	section->size += size;
	file->size += size;
	return HISTREE_OK;
}

void block_file_section_end(struct block_file *file)
{
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

/* Everything but the header. */
static enum histree_status write_directory(struct block_file *file, uint8_t *header, struct histree_error *error)
{
	enum histree_status status = file->has_extents ? write_extents(file, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	uint8_t table[SECTION_COUNT_MAX * SECTION_ENTRY_SIZE];
	size_t table_size = encode_sections(file, table);
	uint64_t table_offset = file->size;
	status = io_write_all(file->io, file->file, table, table_size, own_offset(file, table_offset), error);
	if (status != HISTREE_OK)
		return status;
	file->size += table_size;

	memcpy(header, magic, sizeof(magic));
	put_le32(header + 8, BLOCK_FILE_VERSION);
	put_le32(header + 12, BLOCK_FILE_OLDEST_READER);
	put_le64(header + 16, (file->has_extents ? FEATURE_EXTENTS : 0) | (file->is_tail ? FEATURE_TAIL : 0) |
				      (file->has_unknown ? FEATURE_UNKNOWN : 0));
	put_le32(header + 32, file->block_size);
	put_le32(header + 36, file->block_count);
	put_le64(header + 40, table_offset);
	put_le32(header + 48, file->section_count);
	put_le32(header + 52, crc32c(0, table, table_size));
	put_le64(header + 56, file->size);
	put_le32(header + 64, crc32c(0, header, HEADER_CHECKED));
	if (file->is_tail) {
		put_le64(header + 68, file->base);
		put_le64(header + 76, file->identity);
		put_le32(header + 84, crc32c(0, header, TAIL_CHECKED));
	}
	return HISTREE_OK;
}

enum histree_status block_file_complete(struct block_file *file, struct histree_error *error)
{
	const struct io *io = file->io;
	uint8_t header[BLOCK_FILE_HEADER_SIZE] = { 0 };
	enum histree_status status = write_directory(file, header, error);
	/* The header says that all before it is there: it must not reach the disk first. */
	if (status == HISTREE_OK && !file->is_tail)
		status = io_sync(io, file->file, error);
	if (status == HISTREE_OK)
		status = io_write_all(io, file->file, header, sizeof(header), 0, error);
	if (status == HISTREE_OK && !file->is_tail)
		status = io_sync(io, file->file, error);
	if (status != HISTREE_OK)
		return block_file_named(file, status, error);
	file->writing = false;
	if (!file->is_tail)
		block_tail_remove(file);
	return HISTREE_OK;
}

static enum histree_status check_versions(const uint8_t *header, struct histree_error *error)
{
	uint32_t version = get_le32(header + 8), oldest = get_le32(header + 12);
	uint64_t features = get_le64(header + 16);
	if (oldest > BLOCK_FILE_VERSION)
		return error_set(error, HISTREE_ERR_VERSION,
				 "is of format %u, which needs a reader of format %u or later, and this is %u; "
				 "use a newer histree, or build it again with this one",
				 version, oldest, BLOCK_FILE_VERSION);
	if ((features & ~(uint64_t)FEATURES_KNOWN) != 0)
		return error_set(error, HISTREE_ERR_VERSION,
				 "uses features (0x%llx) that this version does not know; use a newer histree, or "
				 "build it again with this one",
				 (unsigned long long)features);
	return HISTREE_OK;
}

/* What a tail says of the file before it; of any other file, that it is none. */
static enum histree_status decode_base(struct block_file *file, const uint8_t *header, struct histree_error *error)
{
	bool is_tail = (get_le64(header + 16) & FEATURE_TAIL) != 0;
	if (is_tail != file->is_tail)
		return error_set(error, HISTREE_ERR_FORMAT,
				 is_tail ? "is the tail of another file; open that" : "is no tail");
	if (!is_tail)
		return HISTREE_OK;
	if (crc32c(0, header, TAIL_CHECKED) != get_le32(header + 84))
		return error_set(error, HISTREE_ERR_FORMAT, "header: checksum mismatch");
	return block_tail_join(file, get_le64(header + 68), get_le64(header + 76), error);
}

static enum histree_status decode_header(struct block_file *file, const uint8_t *header, uint32_t *table_crc,
					 uint64_t *table_offset, struct histree_error *error)
{
	static const uint8_t zeros[HEADER_USED];
	if (memcmp(header, zeros, sizeof(zeros)) == 0)
		return error_set(error, HISTREE_ERR_INCOMPLETE, "was never completed; build it again");
	if (memcmp(header, magic, sizeof(magic)) != 0)
		return error_set(error, HISTREE_ERR_FORMAT, "is no histree file");
	if (crc32c(0, header, HEADER_CHECKED) != get_le32(header + 64))
		return error_set(error, HISTREE_ERR_FORMAT, "header: checksum mismatch; build it again");
	enum histree_status status = check_versions(header, error);
	if (status == HISTREE_OK)
		status = decode_base(file, header, error);
	if (status != HISTREE_OK)
		return status;

	file->version = get_le32(header + 8);
	file->block_size = get_le32(header + 32);
	file->block_count = get_le32(header + 36);
	*table_offset = get_le64(header + 40);
	file->section_count = get_le32(header + 48);
	*table_crc = get_le32(header + 52);
	uint64_t size = get_le64(header + 56);
	if (size > file->size)
		return error_set(error, HISTREE_ERR_FORMAT, "is cut short: %llu of %llu bytes; build it again",
				 (unsigned long long)file->size, (unsigned long long)size);
	uint32_t block_size = file->block_size;
	if (block_size < BLOCK_SIZE_MIN || block_size > BLOCK_SIZE_MAX || (block_size & (block_size - 1)) != 0)
		return error_set(error, HISTREE_ERR_FORMAT, "header: blocks of %u bytes", block_size);
	file->has_extents = (get_le64(header + 16) & FEATURE_EXTENTS) != 0;
	uint32_t least = file->has_extents ? BLOCK_PART_SIZE_MIN : block_size;
	if (file->block_count > (file->size - BLOCK_FILE_HEADER_SIZE) / least)
		return error_set(error, HISTREE_ERR_FORMAT, "header: %u blocks in %llu bytes", file->block_count,
				 (unsigned long long)file->size);
	if (file->section_count > SECTION_COUNT_MAX || *table_offset > file->size ||
	    file->section_count * (uint64_t)SECTION_ENTRY_SIZE > file->size - *table_offset)
		return error_set(error, HISTREE_ERR_FORMAT, "header: a table of %u sections at %llu",
				 file->section_count, (unsigned long long)*table_offset);
	return HISTREE_OK;
}

static enum histree_status decode_sections(struct block_file *file, const uint8_t *table, uint32_t table_crc,
					   struct histree_error *error)
{
	if (crc32c(0, table, file->section_count * (size_t)SECTION_ENTRY_SIZE) != table_crc)
		return error_set(error, HISTREE_ERR_FORMAT, "table of sections: checksum mismatch");
	for (uint32_t i = 0; i < file->section_count; i++) {
		const uint8_t *entry = table + (size_t)i * SECTION_ENTRY_SIZE;
		struct section *section = &file->sections[i];
		section->id = get_le32(entry);
		section->crc = get_le32(entry + 4);
		section->offset = get_le64(entry + 8);
		section->size = get_le64(entry + 16);
		if (section->offset > file->size || section->size > file->size - section->offset)
			return error_set(error, HISTREE_ERR_FORMAT, "section %u lies outside the file", i);
	}
	return HISTREE_OK;
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
		status = error_memory(error, "the places of blocks");
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

enum histree_status block_file_read_directory(struct block_file *file, struct histree_error *error)
{
	uint8_t header[TAIL_HEADER_USED], table[SECTION_COUNT_MAX * SECTION_ENTRY_SIZE];
	uint32_t table_crc = 0;
	uint64_t table_offset = 0;
	off_t size;
	if (file->io->size(file->io->context, file->file, &size) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot tell its size: %s", strerror(errno));
	if (size < BLOCK_FILE_HEADER_SIZE)
		return error_set(error, HISTREE_ERR_FORMAT, "is no histree file: it has only %lld bytes",
				 (long long)size);
	file->size = (uint64_t)size;
	enum histree_status status = io_read_all(file->io, file->file, header, sizeof(header), 0, error);
	if (status == HISTREE_OK)
		status = decode_header(file, header, &table_crc, &table_offset, error);
	if (status == HISTREE_OK)
		status = read_at(file, table, file->section_count * (size_t)SECTION_ENTRY_SIZE, table_offset, error);
	if (status == HISTREE_OK)
		status = decode_sections(file, table, table_crc, error);
	if (status == HISTREE_OK && file->has_extents)
		status = read_extents(file, error);
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
		status = block_file_named(file, block_file_read_directory(file, error), error);
	if (status != HISTREE_OK) {
		block_file_close(file);
		return status;
	}
	*out = file;
	return HISTREE_OK;
}

enum histree_status block_file_open(const struct io *io, const char *path, struct block_file **out,
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

enum histree_status block_file_read(const struct block_file *file, uint32_t number, void *block,
				    struct histree_error *error)
{
	if (number >= file->block_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': node %u of %u", file->path, number,
				 file->block_count);
	uint32_t size = block_bytes(file, number);
	enum histree_status status =
		read_at(file, block, size, block_offset(file, number), error);
	memset((uint8_t *)block + size, 0, file->block_size - size);
	if (status < 0)
		error_prefix(error, "'%s': node %u at offset 0x%llx", file->path, number,
			     (unsigned long long)block_offset(file, number));
	return status;
}

enum histree_status block_file_section(const struct block_file *file, uint32_t id, uint8_t **bytes, size_t *size,
				       struct histree_error *error)
{
	*bytes = NULL;
	*size = 0;
	char name[5] = { (char)id, (char)(id >> 8), (char)(id >> 16), (char)(id >> 24), '\0' };
	const struct section *section = NULL;
	for (uint32_t i = 0; i < file->section_count; i++)
		if (file->sections[i].id == id)
			section = &file->sections[i];
	if (section == NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': has no section %s", file->path, name);

	uint8_t *content = malloc(section->size > 0 ? section->size : 1);
	if (content == NULL)
		return error_memory(error, "a section");
	enum histree_status status =
		read_at(file, content, section->size, section->offset, error);
	if (status == HISTREE_OK && crc32c(0, content, section->size) != section->crc)
		status = error_set(error, HISTREE_ERR_FORMAT, "checksum mismatch");
	if (status != HISTREE_OK) {
		error_prefix(error, "'%s': section %s", file->path, name);
		free(content);
		return status;
	}
	*bytes = content;
	*size = section->size;
	return HISTREE_OK;
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
	free(file->path);
	free(file);
}
