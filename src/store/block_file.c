// SPDX-License-Identifier: MIT
/*
 * block_file.c - a file of blocks and sections: opening it (its header, the table of its sections, the places of
 * its blocks), and what makes it readable before it is complete (docs/design/02-store-file.md).
 *
 * A file and its tail are one sequence of bytes, cut at the base: the bytes before the base are in the file, the
 * others follow the header of the tail.  Always holds: bytes before the base of a published tail are never written
 * again.
 */
#include "store/block_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "histree/status.h"

/* ---- block file ---------------------------------------------------------------------------------------------- */

/* A file without a descriptor, or NULL if memory runs out. */
static struct block_file *block_file_new(const struct io *io, const char *path)
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

/* Give the file to the caller, or close it if `status` is an error.  Returns `status`. */
static enum histree_status block_file_hand_out(struct block_file *file, enum histree_status status,
					       struct block_file **out)
{
	if (status == HISTREE_OK)
		*out = file;
	else
		block_file_close(file);
	return status;
}

static enum histree_status block_tail_open(const struct io *io, const char *path, struct block_file **out,
					   struct histree_error *error);

static enum histree_status block_file_read_directory(struct block_file *file, struct histree_error *error);

static enum histree_status block_file_is_hole(const struct block_file *file, uint32_t number, bool *is_hole,
					      struct histree_error *error);

/* ---- block header -------------------------------------------------------------------------------------------- */

static const uint8_t magic[8] = { 0x89, 'h', 'i', 's', 't', 'r', 'e', '\n' };

enum {
	CHECKED = 64,      /* bytes before their checksum */
	TAIL_CHECKED = 84, /* the same of a tail */
	FEATURE_COPIES = 1,
};

static void block_header_encode(const struct block_header *header, uint8_t bytes[BLOCK_HEADER_USED])
{
	memset(bytes, 0, BLOCK_HEADER_USED);
	memcpy(bytes, magic, sizeof(magic));
	put_le32(bytes + BLOCK_AT_VERSION, BLOCK_FILE_VERSION);
	put_le32(bytes + BLOCK_AT_OLDEST_READER, BLOCK_FILE_OLDEST_READER);
	put_le64(bytes + BLOCK_AT_FEATURES, header->features);
	put_le64(bytes + BLOCK_AT_OTHER_FEATURES, header->has_copies ? FEATURE_COPIES : 0);
	put_le32(bytes + BLOCK_AT_BLOCK_SIZE, header->block_size);
	put_le32(bytes + BLOCK_AT_BLOCK_COUNT, header->block_count);
	put_le64(bytes + BLOCK_AT_TABLE, header->table_offset);
	put_le32(bytes + BLOCK_AT_SECTION_COUNT, header->section_count);
	put_le32(bytes + BLOCK_AT_TABLE_CRC, header->table_crc);
	put_le64(bytes + BLOCK_AT_SIZE, header->size);
	put_le32(bytes + BLOCK_AT_CRC, crc32c(0, bytes, CHECKED));
	if ((header->features & BLOCK_TAIL) == 0)
		return;
	put_le64(bytes + BLOCK_AT_BASE, header->base);
	put_le64(bytes + BLOCK_AT_IDENTITY, header->identity);
	put_le32(bytes + BLOCK_AT_TAIL_CRC, crc32c(0, bytes, TAIL_CHECKED));
}

/*
 * Returns HISTREE_ERR_INCOMPLETE if the header was never written, HISTREE_ERR_VERSION or HISTREE_ERR_FORMAT.  Its
 * offsets are still to be compared with the size of the file.
 */
static enum histree_status block_header_decode(const uint8_t bytes[BLOCK_HEADER_USED], struct block_header *header,
					       struct histree_error *error)
{
	static const uint8_t zeros[CHECKED + 4];
	if (memcmp(bytes, zeros, sizeof(zeros)) == 0)
		return error_set(error, HISTREE_ERR_INCOMPLETE, "was never completed; build it again");
	if (memcmp(bytes, magic, sizeof(magic)) != 0)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "is no histree file; 'histree build' makes a store of a trace");
	if (crc32c(0, bytes, CHECKED) != get_le32(bytes + BLOCK_AT_CRC))
		return error_set(error, HISTREE_ERR_FORMAT, "header: checksum mismatch");
	uint32_t version = get_le32(bytes + BLOCK_AT_VERSION), oldest = get_le32(bytes + BLOCK_AT_OLDEST_READER);
	uint64_t features = get_le64(bytes + BLOCK_AT_FEATURES);
	if (oldest > BLOCK_FILE_VERSION)
		return error_set(error, HISTREE_ERR_VERSION,
				 "is of format %u, which needs a reader of format %u or later, and this is %u; "
				 "use a newer histree, or build it again with this one",
				 version, oldest, BLOCK_FILE_VERSION);
	if ((features & ~(uint64_t)BLOCK_FEATURES_KNOWN) != 0)
		return error_set(error, HISTREE_ERR_VERSION,
				 "uses features (0x%llx) that this version does not know; use a newer histree, or "
				 "build it again with this one",
				 (unsigned long long)features);
	*header = (struct block_header){
		.version = get_le32(bytes + BLOCK_AT_VERSION),
		.features = get_le64(bytes + BLOCK_AT_FEATURES),
		.has_copies = (get_le64(bytes + BLOCK_AT_OTHER_FEATURES) & FEATURE_COPIES) != 0,
		.block_size = get_le32(bytes + BLOCK_AT_BLOCK_SIZE),
		.block_count = get_le32(bytes + BLOCK_AT_BLOCK_COUNT),
		.table_offset = get_le64(bytes + BLOCK_AT_TABLE),
		.section_count = get_le32(bytes + BLOCK_AT_SECTION_COUNT),
		.table_crc = get_le32(bytes + BLOCK_AT_TABLE_CRC),
		.crc = get_le32(bytes + BLOCK_AT_CRC),
		.size = get_le64(bytes + BLOCK_AT_SIZE),
	};
	uint32_t block_size = header->block_size;
	if (block_size < BLOCK_SIZE_MIN || block_size > BLOCK_SIZE_MAX || (block_size & (block_size - 1)) != 0)
		return error_set(error, HISTREE_ERR_FORMAT, "header: blocks of %u bytes", block_size);
	if ((header->features & BLOCK_TAIL) == 0)
		return HISTREE_OK;
	if (crc32c(0, bytes, TAIL_CHECKED) != get_le32(bytes + BLOCK_AT_TAIL_CRC))
		return error_set(error, HISTREE_ERR_FORMAT, "header: checksum mismatch");
	header->base = get_le64(bytes + BLOCK_AT_BASE);
	header->identity = get_le64(bytes + BLOCK_AT_IDENTITY);
	return HISTREE_OK;
}

/* ---- block tail ---------------------------------------------------------------------------------------------- */

static const char tail_suffix[] = ".tail";

static char *tail_path(const char *path)
{
	size_t size = strlen(path);
	char *tail = malloc(size + sizeof(tail_suffix));
	if (tail != NULL) {
		memcpy(tail, path, size);
		memcpy(tail + size, tail_suffix, sizeof(tail_suffix));
	}
	return tail;
}

/* ---- identity ------------------------------------------------------------------------------------------- */

/* Give a new file an identity, and keep it where the header will be. */
static enum histree_status block_tail_identify(struct block_file *file, struct histree_error *error)
{
	uint8_t bytes[8];
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return error_set(error, HISTREE_ERR_IO, "no random numbers: %s", strerror(errno));
	file->identity = get_le64(bytes);
	return io_write_all(file->io, file->file, bytes, sizeof(bytes), BLOCK_IDENTITY_OFFSET, error);
}

/* ---- writing -------------------------------------------------------------------------------------------- */

enum histree_status block_file_create_tail(const struct block_file *file, const char *path, struct block_file **out,
					   struct histree_error *error)
{
	*out = NULL;
	size_t offset_count = (size_t)file->block_count + 1;
	assert(file->writing && !file->section_open && file->section_count == 0);
	struct block_file *tail = block_file_new(file->io, path);
	if (tail == NULL || !array_reserve(&tail->offsets, &tail->offsets_capacity, offset_count) ||
	    !array_reserve(&tail->sums, &tail->sums_capacity, offset_count)) {
		block_file_close(tail);
		return error_memory(error, "the tail of a file");
	}
	tail->is_tail = true;
	tail->block_size = file->block_size;
	tail->block_count = file->block_count;
	tail->size = tail->base = file->size;
	tail->identity = file->identity;
	tail->has_extents = file->has_extents;
	if (file->block_count > 0) {
		memcpy(tail->offsets, file->offsets, offset_count * sizeof(*tail->offsets));
		memcpy(tail->sums, file->sums, file->block_count * sizeof(*tail->sums));
	}
	tail->file = file->io->open(file->io->context, path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (tail->file < 0) {
		int cause = errno;
		block_file_close(tail);
		return error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", path, strerror(cause));
	}
	tail->writing = true;
	*out = tail;
	return HISTREE_OK;
}

enum histree_status block_file_publish(struct block_file *file, const struct block_file *tail,
				       struct histree_error *error)
{
	assert(tail->is_tail && !tail->writing && tail->identity == file->identity);
	const struct io *io = file->io;
	char *path = tail_path(file->path);
	if (path == NULL)
		return error_memory(error, "a path");
	/* What the tail goes on from must not reach the disk after it. */
	enum histree_status status = io_sync(io, file->file, error);
	if (status == HISTREE_OK)
		status = io_sync(io, tail->file, error);
	if (status == HISTREE_OK && io->rename(io->context, tail->path, path) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", tail->path, strerror(errno));
	if (status == HISTREE_OK) {
		file->has_tail = true;
		status = io_sync_folder_of(io, path, error);
	}
	free(path);
	return block_file_error_in(file, status, error);
}

void block_file_drop_tail(const struct io *io, const char *path)
{
	char *tail = tail_path(path);
	if (tail != NULL)
		io->unlink(io->context, tail);
	free(tail);
}

static void block_tail_remove(struct block_file *file)
{
	if (file->has_tail)
		block_file_drop_tail(file->io, file->path);
	file->has_tail = false;
}

/* ---- going on ------------------------------------------------------------------------------------------- */

enum histree_status block_file_continue(const struct io *io, const char *path, struct block_file **out,
					struct histree_error *error)
{
	*out = NULL;
	struct block_file *kept;
	enum histree_status status = block_tail_open(io, path, &kept, error);
	if (status != HISTREE_OK)
		return status;
	struct block_file *file = block_file_new(io, path);
	if (file == NULL) {
		status = error_memory(error, "a file");
		goto out;
	}
	file->file = io->open(io->context, path, O_RDWR, 0);
	if (file->file < 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
		goto out;
	}
	file->version = BLOCK_FILE_VERSION;
	file->block_size = kept->block_size;
	file->size = BLOCK_FILE_HEADER_SIZE;
	file->identity = kept->identity;
	file->writing = file->has_tail = true;
	while (file->kept_count < kept->block_count && block_offset(kept, file->kept_count) < kept->base)
		file->kept_count++;
	*out = file;
	file = NULL;
out:
	block_file_close(file);
	block_file_close(kept);
	return status;
}

/*
 * The tail must not be taken for that of what is written from now on, even if the power fails before its removal is
 * on disk: the file gets another identity first.
 */
static enum histree_status disown_tail(struct block_file *file, struct histree_error *error)
{
	enum histree_status status = block_tail_identify(file, error);
	if (status == HISTREE_OK)
		status = io_sync(file->io, file->file, error);
	if (status != HISTREE_OK)
		return status;
	block_tail_remove(file);
	file->kept_count = 0;
	return HISTREE_OK;
}

/*
 * Find whether the next block is the one in the file that is written once more.  If it is not, what follows it
 * there is of no use, and the tail is removed.
 */
static enum histree_status block_tail_keep(struct block_file *file, const void *block, uint32_t size, bool *kept,
					   struct histree_error *error)
{
	uint8_t *there = malloc(size);
	*kept = false;
	if (there == NULL)
		return error_memory(error, "a block");
	enum histree_status status =
		io_read_all(file->io, file->file, there, size, own_offset(file, file->size), error);
	*kept = status == HISTREE_OK && memcmp(there, block, size) == 0;
	free(there);
	if (status != HISTREE_OK && status != HISTREE_ERR_FORMAT) /* the file may be shorter */
		return status;
	return *kept ? HISTREE_OK : disown_tail(file, error);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* Join the tail being read, whose header says that it follows what `main_file` has before `base`. */
static enum histree_status block_tail_join(struct block_file *tail, uint64_t base, uint64_t identity,
					   struct histree_error *error)
{
	off_t main_size;
	uint64_t main_identity;
	if (tail->io->size(tail->io->context, tail->main_file, &main_size) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot tell the size of the file: %s", strerror(errno));
	uint8_t bytes[8];
	enum histree_status status =
		io_read_all(tail->io, tail->main_file, bytes, sizeof(bytes), BLOCK_IDENTITY_OFFSET, error);
	main_identity = status == HISTREE_OK ? get_le64(bytes) : 0;
	if (status != HISTREE_OK)
		return status;
	/* A different identity means that the file has been completed meanwhile, or is not ours. */
	if (main_identity != identity)
		return error_set(error, HISTREE_ERR_INCOMPLETE,
				 "was never completed, and its tail is that of another file; build it again");
	if (base < BLOCK_FILE_HEADER_SIZE || base > (uint64_t)main_size)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "is cut short: %lld bytes, but its tail follows %llu; build it again",
				 (long long)main_size, (unsigned long long)base);
	tail->identity = identity;
	tail->base = base;
	tail->size = tail->size - BLOCK_FILE_HEADER_SIZE + base;
	return HISTREE_OK;
}

enum histree_status block_file_open_with_tail(const struct io *io, const char *path, const char *tail,
					      struct block_file **out, struct histree_error *error)
{
	*out = NULL;
	struct block_file *file = block_file_new(io, path);
	if (file == NULL)
		return error_memory(error, "a file");
	file->is_tail = true;
	enum histree_status status;
	file->main_file = io->open(io->context, path, O_RDONLY, 0);
	if (file->main_file >= 0)
		file->file = io->open(io->context, tail, O_RDONLY, 0);
	if (file->main_file < 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	else if (file->file < 0 && errno == ENOENT)
		status =
			error_set(error, HISTREE_ERR_INCOMPLETE, "'%s': was never completed; build it again", path);
	else if (file->file < 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot open '%s': %s", tail, strerror(errno));
	else
		status = block_file_error_in(file, block_file_read_directory(file, error), error);
	return block_file_hand_out(file, status, out);
}

/* Open an incomplete file with its tail.  Returns HISTREE_ERR_INCOMPLETE if it has no tail. */
static enum histree_status block_tail_open(const struct io *io, const char *path, struct block_file **out,
					   struct histree_error *error)
{
	*out = NULL;
	char *tail = tail_path(path);
	if (tail == NULL)
		return error_memory(error, "a path");
	enum histree_status status = block_file_open_with_tail(io, path, tail, out, error);
	free(tail);
	return status;
}

/* ---- block open ---------------------------------------------------------------------------------------------- */

enum {
	OPEN_ATTEMPTS = 3,
	SMALL_SECTION_SIZE_MAX = 64 << 10, /* ten times the largest of the sections that hold a few facts */
};

/* More than the names of a hundred million attributes take. */
#define SECTION_SIZE_MAX (UINT64_C(1) << 32)
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
	/* What the header says, compared with what there is. */
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
	/*
	 * They are written one after the other: none has bytes of another, so that all are no more than the file.
	 */
	uint64_t end = BLOCK_FILE_HEADER_SIZE;
	for (uint32_t i = 0; i < file->section_count; i++) {
		const uint8_t *entry = table + (size_t)i * SECTION_ENTRY_SIZE;
		struct section *section = &file->sections[i];
		section->id = get_le32(entry);
		section->crc = get_le32(entry + SECTION_AT_CRC);
		section->offset = get_le64(entry + SECTION_AT_OFFSET);
		section->size = get_le64(entry + SECTION_AT_SIZE);
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
 * Read the checksums of the blocks; files of version 1 have none.  If they are damaged, the content of a block
 * may be right, but it can no longer be shown to belong to this file: the caller decides.
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

/* Read the header and the table of sections. */
static enum histree_status block_file_read_directory(struct block_file *file, struct histree_error *error)
{
	struct block_header header;
	off_t size;
	if (file->io->size(file->io->context, file->file, &size) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot tell its size: %s", strerror(errno));
	if (size < BLOCK_FILE_HEADER_SIZE)
		return error_set(
			error, HISTREE_ERR_FORMAT,
			"is no histree file: it has only %lld bytes; 'histree build' makes a store of a trace",
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
		"'histree copy --repair' makes a store of what is there",
		path);
}

/* ---- block file ---------------------------------------------------------------------------------------------- */

uint64_t block_file_identity(const struct block_file *file)
{
	return file->is_tail ? file->identity : file->identity_of_content;
}

/* No written block begins with zeros: it begins with its checksum, its number and its bounds. */
static bool begins_with_zeros(const uint8_t *block)
{
	static const uint8_t zeros[BLOCK_PART_SIZE_MIN];
	return memcmp(block, zeros, sizeof(zeros)) == 0;
}

/* Find whether a block begins with zeros, as none does that was written. */
static enum histree_status block_file_is_hole(const struct block_file *file, uint32_t number, bool *is_hole,
					      struct histree_error *error)
{
	uint8_t head[BLOCK_PART_SIZE_MIN];
	enum histree_status status =
		block_file_read_at(file, head, sizeof(head), block_offset(file, number), error);
	*is_hole = status == HISTREE_OK && begins_with_zeros(head);
	return status;
}

/* A block is read no further than its first page if that is a hole: a few bytes would cost a mebibyte each. */
static enum histree_status read_bytes_of_block(const struct block_file *file, uint32_t number, uint8_t *bytes,
					       uint32_t size, struct histree_error *error)
{
	uint32_t first = size < BLOCK_SIZE_MIN ? size : BLOCK_SIZE_MIN;
	uint64_t offset = block_offset(file, number);
	enum histree_status status = block_file_read_at(file, bytes, first, offset, error);
	if (status != HISTREE_OK || first == size)
		return status;
	if (begins_with_zeros(bytes))
		return error_set(error, HISTREE_ERR_FORMAT, "is a hole");
	return block_file_read_at(file, bytes + first, size - first, offset + first, error);
}

static enum histree_status read_block(const struct block_file *file, uint32_t number, void *bytes, uint32_t size,
				      struct histree_error *error)
{
	enum histree_status status = read_bytes_of_block(file, number, bytes, size, error);
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
	assert(size <= file->block_size); /* the room that the caller has */
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

enum histree_status block_file_peek(const struct block_file *file, uint32_t number, void *bytes, uint32_t size,
				    struct histree_error *error)
{
	if (number >= file->block_count || size > block_bytes(file, number))
		return no_block(file, number, error);
	return read_block(file, number, bytes, size, error);
}

uint64_t block_file_block_bytes(const struct block_file *file)
{
	return block_offset(file, file->block_count) - BLOCK_FILE_HEADER_SIZE;
}

/* ---- writing ------------------------------------------------------------------------------------------------- */

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

static enum histree_status write_extents(struct block_file *file, struct histree_error *error)
{
	uint8_t *bytes = malloc((size_t)file->block_count * VARINT_SIZE_MAX);
	if (bytes == NULL)
		return error_memory(error, "the sizes of blocks");
	uint8_t *end = bytes;
	for (uint32_t number = 0; number < file->block_count; number++)
		end = put_varint(end, block_bytes(file, number));
	enum histree_status status =
		block_file_section_put(file, SECTION_EXTENTS, bytes, (size_t)(end - bytes), error);
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
	enum histree_status status = block_file_section_put(file, SECTION_SUMS, bytes, size, error);
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
	for (uint32_t i = 0; i < file->section_count; i++) {
		uint8_t *entry = bytes + (size_t)i * SECTION_ENTRY_SIZE;
		put_le32(entry, file->sections[i].id);
		put_le32(entry + SECTION_AT_CRC, file->sections[i].crc);
		put_le64(entry + SECTION_AT_OFFSET, file->sections[i].offset);
		put_le64(entry + SECTION_AT_SIZE, file->sections[i].size);
	}
	size_t table_size = (size_t)file->section_count * SECTION_ENTRY_SIZE;
	const struct block_header header = {
		.features = (uint64_t)(file->has_extents ? BLOCK_EXTENTS : 0) | (file->is_tail ? BLOCK_TAIL : 0) |
			    (file->has_unknown ? BLOCK_UNKNOWN : 0) |
			    (file->needs_lifetimes ? BLOCK_LIFETIMES : 0) | (file->is_partial ? BLOCK_PARTIAL : 0),
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
