// SPDX-License-Identifier: MIT
#include "store/block_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/block_file_inside.h"

enum histree_status block_file_read_at(const struct block_file *file, void *bytes, size_t size, uint64_t offset,
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

uint64_t block_file_identity(const struct block_file *file)
{
	return file->is_tail ? file->identity : file->identity_of_content;
}

/* As no block does that was written: it begins with its checksum, its number and its bounds. */
static bool begins_with_zeros(const uint8_t *block)
{
	static const uint8_t zeros[BLOCK_PART_SIZE_MIN];
	return memcmp(block, zeros, sizeof(zeros)) == 0;
}

enum histree_status block_file_is_hole(const struct block_file *file, uint32_t number, bool *is_hole,
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
