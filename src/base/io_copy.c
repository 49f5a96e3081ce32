// SPDX-License-Identifier: MIT
#include "base/io_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { PIECE = 1 << 20 };

/* A hole is not copied: a file of some bytes may say that it is of terabytes. */
static uint64_t skip_hole(const struct io *io, int from, uint64_t done, uint64_t size)
{
	off_t next =
		io->next_data != NULL && done < size ? io->next_data(io->context, from, (off_t)done) : (off_t)done;
	return next < 0 || (uint64_t)next > size ? size : (uint64_t)next;
}

static enum histree_status copy_bytes(const struct io *io, int from, int to, uint64_t size,
				      struct histree_error *error)
{
	uint8_t *piece = malloc(PIECE);
	enum histree_status status = piece != NULL ? HISTREE_OK : error_memory(error, "a copy");
	uint64_t done = 0, written = 0;
	while ((done = skip_hole(io, from, done, size)) < size && status == HISTREE_OK) {
		size_t part = size - done < PIECE ? (size_t)(size - done) : PIECE;
		status = io_read_all(io, from, piece, part, done, error);
		if (status == HISTREE_OK)
			status = io_write_all(io, to, piece, part, done, error);
		written = done += part;
	}
	if (status == HISTREE_OK && written < size) /* a hole at the end */
		status = io_write_all(io, to, "", 1, size - 1, error);
	free(piece);
	return status == HISTREE_OK ? io_sync(io, to, error) : status;
}

enum histree_status io_copy(const struct io *io, const char *path, const char *out, struct histree_error *error)
{
	off_t size = 0;
	int from = io->open(io->context, path, O_RDONLY, 0);
	if (from < 0 && errno == ENOENT)
		return HISTREE_NOT_FOUND;
	int to = from < 0 ? -1 : io->open(io->context, out, O_WRONLY | O_CREAT | O_EXCL, 0666);
	enum histree_status status = HISTREE_OK;
	if (from < 0 || to < 0 || io->size(io->context, from, &size) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot copy '%s': %s", path, strerror(errno));
	else
		status = copy_bytes(io, from, to, (uint64_t)size, error);
	if (from >= 0)
		io->close(io->context, from);
	if (to >= 0)
		io->close(io->context, to);
	return status;
}
