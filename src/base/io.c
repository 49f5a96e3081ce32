// SPDX-License-Identifier: MIT
/*
 * io.c - the calls for files: those of POSIX, and what is built on them.
 *
 * Whole reads and writes, the destination of a path, and files that are replaced atomically use only the table.
 */
#include "base/io.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/error.h"
#include "histree/status.h"

/* ---- io ------------------------------------------------------------------------------------------------------ */

enum { LINKS_MAX = 40 }; /* as many links as the system follows */

static int posix_open(void *context, const char *path, int flags, mode_t mode)
{
	(void)context;
	/* There may be a pipe without a writer at the path: opening it must not block. */
	return open(path, flags | O_CLOEXEC | O_NONBLOCK, mode);
}

static ssize_t posix_pread(void *context, int file, void *bytes, size_t size, off_t offset)
{
	(void)context;
	return pread(file, bytes, size, offset);
}

static ssize_t posix_pwrite(void *context, int file, const void *bytes, size_t size, off_t offset)
{
	(void)context;
	return pwrite(file, bytes, size, offset);
}

static int posix_sync(void *context, int file)
{
	(void)context;
	return fdatasync(file);
}

static void posix_begin_sync(void *context, int file, off_t offset, off_t size)
{
	(void)context;
	/* an error here shows up again in fdatasync() */
	sync_file_range(file, offset, size, SYNC_FILE_RANGE_WRITE);
}

static int posix_size(void *context, int file, off_t *size)
{
	(void)context;
	struct stat facts;
	if (fstat(file, &facts) != 0)
		return -1;
	*size = facts.st_size;
	return 0;
}

/* A file system that cannot tell is taken to have no holes. */
static off_t posix_next_data(void *context, int file, off_t offset)
{
	(void)context;
	off_t next = lseek(file, offset, SEEK_DATA);
	return next >= 0 || errno == ENXIO ? next : offset;
}

static int posix_close(void *context, int file)
{
	(void)context;
	return close(file);
}

static int posix_rename(void *context, const char *from, const char *to)
{
	(void)context;
	return rename(from, to);
}

static int posix_unlink(void *context, const char *path)
{
	(void)context;
	return unlink(path);
}

static int posix_exchange(void *context, const char *one, const char *other)
{
	(void)context;
	return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

static int posix_link(void *context, const char *path, const char *other)
{
	(void)context;
	return link(path, other);
}

static bool is_name(const char *name)
{
	return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int posix_list(void *context, const char *path, bool (*take)(void *names, const char *name), void *names)
{
	(void)context;
	DIR *entries = opendir(path);
	if (entries == NULL)
		return -1;
	struct dirent *entry;
	bool goes_on = true;
	errno = 0;
	while (goes_on && (entry = readdir(entries)) != NULL) {
		goes_on = !is_name(entry->d_name) || take(names, entry->d_name);
		errno = 0;
	}
	const int why = goes_on ? errno : 0;
	closedir(entries);
	errno = why;
	return why == 0 ? 0 : -1;
}

static int posix_mkdir(void *context, const char *path, mode_t mode)
{
	(void)context;
	return mkdir(path, mode);
}

static int posix_rmdir(void *context, const char *path)
{
	(void)context;
	return rmdir(path);
}

const struct io io_posix = {
	.open = posix_open,
	.pread = posix_pread,
	.pwrite = posix_pwrite,
	.sync = posix_sync,
	.begin_sync = posix_begin_sync,
	.size = posix_size,
	.next_data = posix_next_data,
	.close = posix_close,
	.rename = posix_rename,
	.exchange = posix_exchange,
	.link = posix_link,
	.unlink = posix_unlink,
	.mkdir = posix_mkdir,
	.rmdir = posix_rmdir,
	.list = posix_list,
};

char *io_destination(const char *path, bool *is_stream)
{
	struct stat facts, own;
	*is_stream = false;
	if (stat(path, &facts) != 0) {
		/*
		 * The missing file to which a link leads, perhaps through other links; in a circle of links, any of
		 * them.
		 */
		char *at = strdup(path);
		for (int i = 0; at != NULL && i < LINKS_MAX; i++) {
			char target[PATH_MAX], *next = NULL;
			ssize_t size = readlink(at, target, sizeof(target));
			if (size < 0 || (size_t)size == sizeof(target))
				break;
			const char *slash = target[0] != '/' ? strrchr(at, '/') : NULL;
			if (asprintf(&next, "%.*s%.*s", slash != NULL ? (int)(slash + 1 - at) : 0, at, (int)size,
				     target) < 0)
				next = NULL;
			free(at);
			at = next;
		}
		return at;
	}
	if (S_ISDIR(facts.st_mode) || (lstat(path, &own) == 0 && S_ISREG(own.st_mode)))
		return strdup(path);
	if (S_ISREG(facts.st_mode)) {
		char *file = realpath(path, NULL);
		if (file != NULL || errno == ENOMEM)
			return file; /* otherwise its name was removed */
	}
	*is_stream = true;
	return strdup(path);
}

enum histree_status io_read_all(const struct io *io, int file, void *bytes, size_t size, uint64_t offset,
				struct histree_error *error)
{
	char *at = bytes;
	while (size > 0) {
		ssize_t done = io->pread(io->context, file, at, size, (off_t)offset);
		assert(done <= (ssize_t)size);
		if (done < 0) {
			if (errno == EINTR)
				continue;
			return error_set(error, HISTREE_ERR_IO, "cannot read: %s", strerror(errno));
		}
		if (done == 0)
			return error_set(error, HISTREE_ERR_FORMAT, "the file ends too early");
		at += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return HISTREE_OK;
}

enum histree_status io_write_all(const struct io *io, int file, const void *bytes, size_t size, uint64_t offset,
				 struct histree_error *error)
{
	const char *at = bytes, *refusal;
	while (size > 0) {
		ssize_t done = io->pwrite(io->context, file, at, size, (off_t)offset);
		assert(done <= (ssize_t)size);
		if (done < 0) {
			if (errno == EINTR)
				continue;
			if (io->refusal != NULL && (refusal = io->refusal(io->context)) != NULL)
				return error_set(error, HISTREE_ERR_MEMORY, "cannot write: %s", refusal);
			return error_set(error, HISTREE_ERR_IO, "cannot write: %s", strerror(errno));
		}
		if (done == 0) /* no system is known to do so, and we would ask for ever */
			return error_set(error, HISTREE_ERR_IO, "cannot write: the system takes no more bytes");
		at += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return HISTREE_OK;
}

enum histree_status io_sync(const struct io *io, int file, struct histree_error *error)
{
	if (io->sync(io->context, file) == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_IO, "cannot sync: %s", strerror(errno));
}

enum histree_status io_sync_folder_of(const struct io *io, const char *path, struct histree_error *error)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (folder == NULL)
		return error_memory(error, "a path");
	enum histree_status status;
	int file = io->open(io->context, folder, O_RDONLY | O_DIRECTORY, 0);
	if (file < 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot open '%s': %s", folder, strerror(errno));
	else
		status = io_sync(io, file, error);
	if (file >= 0)
		io->close(io->context, file);
	free(folder);
	return status;
}

enum histree_status io_replace(const struct io *io, const char *path, const void *bytes, size_t size,
			       struct histree_error *error)
{
	char *new_path;
	if (asprintf(&new_path, "%s.new", path) < 0)
		return error_memory(error, "a path");
	enum histree_status status;
	int file = io->open(io->context, new_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (file < 0) {
		status = error_set(error, HISTREE_ERR_IO, "cannot be made: %s", strerror(errno));
		goto out;
	}
	status = io_write_all(io, file, bytes, size, 0, error);
	if (status == HISTREE_OK)
		status = io_sync(io, file, error);
	if (io->close(io->context, file) != 0 && status == HISTREE_OK)
		status = error_set(error, HISTREE_ERR_IO, "cannot close: %s", strerror(errno));
	if (status == HISTREE_OK && io->rename(io->context, new_path, path) != 0)
		status = error_set(error, HISTREE_ERR_IO, "cannot be renamed: %s", strerror(errno));
	if (status == HISTREE_OK)
		status = io_sync_folder_of(io, path, error);
	else
		io->unlink(io->context, new_path);
out:
	free(new_path);
	return status;
}

/* ---- io copy ------------------------------------------------------------------------------------------------- */

enum { PIECE = 1 << 20 };

/* Holes are not copied: a file of a few bytes may claim to be terabytes long. */
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

enum histree_status io_list(const struct io *io, const char *path, bool (*take)(void *names, const char *name),
			    void *names, struct histree_error *error)
{
	io = io->list != NULL ? io : &io_posix;
	if (io->list(io->context, path, take, names) == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_IO, "cannot read the folder '%s': %s", path, strerror(errno));
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

const char *io_temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");
	return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}
