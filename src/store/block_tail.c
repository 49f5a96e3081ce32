// SPDX-License-Identifier: MIT
/*
 * block_tail.c - what makes a file readable that is not complete (docs/design/0006-trust.md).
 *
 * A file and its tail are one run of bytes, cut at the base: what is before it is in the file, the rest follows the
 * header of the tail.  Always holds: what is before the base of a published tail is never written again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "store/block_file.h"
#include "store/block_file_inside.h"

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

enum histree_status block_tail_identify(struct block_file *file, struct histree_error *error)
{
	uint8_t bytes[8];
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return error_set(error, HISTREE_ERR_IO, "no random numbers: %s", strerror(errno));
	file->identity = get_le64(bytes);
	return io_write_all(file->io, file->file, bytes, sizeof(bytes), BLOCK_IDENTITY_OFFSET, error);
}

static enum histree_status read_identity(const struct io *io, int file, uint64_t *identity,
					 struct histree_error *error)
{
	uint8_t bytes[8];
	enum histree_status status = io_read_all(io, file, bytes, sizeof(bytes), BLOCK_IDENTITY_OFFSET, error);
	*identity = status == HISTREE_OK ? get_le64(bytes) : 0;
	return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

enum histree_status block_file_create_tail(const struct block_file *file, const char *path, struct block_file **out,
					   struct histree_error *error)
{
	*out = NULL;
	size_t offset_count = (size_t)file->block_count + 1;
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

void block_tail_remove(struct block_file *file)
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

enum histree_status block_tail_keep(struct block_file *file, const void *block, uint32_t size, bool *kept,
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

enum histree_status block_tail_join(struct block_file *tail, uint64_t base, uint64_t identity,
				    struct histree_error *error)
{
	off_t main_size;
	uint64_t main_identity;
	if (tail->io->size(tail->io->context, tail->main_file, &main_size) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot tell the size of the file: %s", strerror(errno));
	enum histree_status status = read_identity(tail->io, tail->main_file, &main_identity, error);
	if (status != HISTREE_OK)
		return status;
	/* Another one is that of a file that has been completed meanwhile, or that is not ours. */
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

enum histree_status block_tail_open(const struct io *io, const char *path, struct block_file **out,
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
