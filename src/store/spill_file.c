// SPDX-License-Identifier: MIT
#include "store/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Names that others may have in the time between making their file and taking its name away. */
enum { NAMES_MAX = 100 };

static enum histree_status make_file(struct spill_file *spill, struct histree_error *error)
{
	const struct io *io = spill->io;
	size_t room = strlen(spill->neighbour) + sizeof(".sort.999");
	char *path = malloc(room);
	if (path == NULL)
		return error_memory(error, "the name of a temporary file");
	enum histree_status status = HISTREE_OK;
	int file = -1;
	for (int name = 0; name < NAMES_MAX && file < 0; name++) {
		snprintf(path, room, "%s.sort.%d", spill->neighbour, name);
		file = io->open(io->context, path, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (file < 0 && errno != EEXIST)
			break;
	}
	if (file < 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot make '%s', a temporary file to sort with: %s",
				   path, strerror(errno));
	} else {
		io->unlink(io->context, path);
		spill->file = file;
		spill->open = true;
	}
	free(path);
	return status;
}

static enum histree_status named(enum histree_status status, const struct spill_file *spill,
				 struct histree_error *error)
{
	if (status < 0)
		error_prefix(error, "the temporary file beside '%s'", spill->neighbour);
	return status;
}

enum histree_status spill_file_write(struct spill_file *spill, const void *bytes, size_t size, uint64_t offset,
				     struct histree_error *error)
{
	enum histree_status status = spill->open ? HISTREE_OK : make_file(spill, error);
	if (status != HISTREE_OK)
		return status;
	return named(io_write_all(spill->io, spill->file, bytes, size, offset, error), spill, error);
}

enum histree_status spill_file_read(const struct spill_file *spill, void *bytes, size_t size, uint64_t offset,
				    struct histree_error *error)
{
	return named(io_read_all(spill->io, spill->file, bytes, size, offset, error), spill, error);
}

void spill_file_close(struct spill_file *spill)
{
	if (spill->open)
		spill->io->close(spill->io->context, spill->file);
	spill->open = false;
}
