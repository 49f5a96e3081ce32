// SPDX-License-Identifier: MIT
/*
 * io.c - the calls for files: those of POSIX, what is built on them, and files in memory under a ceiling.
 *
 * Whole reads and writes, the destination of a path, and files that are replaced atomically use only the table.
 *
 * A file in memory stays as long as it has a name or is open.
 */
#include "base/io.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/error.h"
#include "base/table.h"
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

/* ---- machine memory ------------------------------------------------------------------------------------------ */

uint64_t machine_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

/* ---- memory files -------------------------------------------------------------------------------------------- */

/* Stands for a folder: no file has this number. */
enum { FOLDER = INT_MAX };

struct memory_file {
	char *path; /* NULL: it can no longer be opened */
	int file;   /* descriptor; -1: this entry is free */
	unsigned opened;
	uint64_t size;
};

struct memory_files {
	struct io io;
	pthread_mutex_t mutex; /* guards all that follows; the contents of the files are guarded by the system */
	struct memory_file *files;
	size_t count, capacity;
	size_t opened; /* of all files */
	uint64_t bytes, bytes_max;
	bool is_left;
	char refusal[160]; /* "" until something was refused */
};

static struct memory_file *memory_file_find(struct memory_files *files, const char *path)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->files[i].path != NULL && strcmp(files->files[i].path, path) == 0)
			return &files->files[i];
	return NULL;
}

/* Returns NULL and sets errno if there can be no more files. */
static struct memory_file *memory_file_make(struct memory_files *files, const char *path)
{
	size_t at = 0;
	while (at < files->count && files->files[at].file >= 0)
		at++;
	if (at == files->count && !array_reserve(&files->files, &files->capacity, files->count + 1)) {
		errno = ENOMEM;
		return NULL;
	}
	char *copy = strdup(path);
	int file = copy != NULL ? memfd_create("histree", MFD_CLOEXEC) : -1;
	if (file < 0) {
		free(copy);
		return NULL;
	}
	files->count += at == files->count;
	files->files[at] = (struct memory_file){ .path = copy, .file = file };
	return &files->files[at];
}

/* Free a file that is no longer reachable. */
static void drop_unreachable(struct memory_files *files, struct memory_file *file)
{
	if (file->path != NULL || file->opened > 0)
		return;
	close(file->file);
	files->bytes -= file->size;
	*file = (struct memory_file){ .file = -1 };
}

/* Called with the mutex held; frees it, too, if this was the last use. */
static void unlock_or_free(struct memory_files *files)
{
	bool is_over = files->is_left && files->opened == 0;
	if (is_over)
		for (size_t i = 0; i < files->count; i++) {
			free(files->files[i].path);
			if (files->files[i].file >= 0)
				close(files->files[i].file);
		}
	pthread_mutex_unlock(&files->mutex);
	if (!is_over)
		return;
	pthread_mutex_destroy(&files->mutex);
	free(files->files);
	free(files);
}

static int open_file(struct memory_files *files, const char *path, int flags)
{
	struct memory_file *file = memory_file_find(files, path);
	if (file != NULL && (flags & O_EXCL) != 0) {
		errno = EEXIST;
		return -1;
	}
	if (file == NULL && (flags & O_CREAT) == 0) {
		errno = ENOENT;
		return -1;
	}
	if (file == NULL)
		file = memory_file_make(files, path);
	if (file == NULL || ((flags & O_TRUNC) != 0 && ftruncate(file->file, 0) != 0))
		return -1;
	if ((flags & O_TRUNC) != 0) {
		files->bytes -= file->size;
		file->size = 0;
	}
	file->opened++;
	files->opened++;
	return (int)(file - files->files);
}

static int memory_open(void *context, const char *path, int flags, mode_t mode)
{
	struct memory_files *files = context;
	(void)mode;
	if ((flags & O_DIRECTORY) != 0)
		return FOLDER;
	pthread_mutex_lock(&files->mutex);
	int number = open_file(files, path, flags);
	pthread_mutex_unlock(&files->mutex);
	return number;
}

static int system_file(struct memory_files *files, int number)
{
	pthread_mutex_lock(&files->mutex);
	int file = files->files[number].file;
	pthread_mutex_unlock(&files->mutex);
	return file;
}

static ssize_t memory_pread(void *context, int number, void *bytes, size_t size, off_t offset)
{
	return pread(system_file(context, number), bytes, size, offset);
}

/* Returns false if the files may not grow to this size. */
static bool take_bytes(struct memory_files *files, struct memory_file *file, uint64_t end)
{
	uint64_t more = end > file->size ? end - file->size : 0;
	if (more > files->bytes_max - files->bytes) {
		if (files->refusal[0] == '\0') /* others may be reading it */
			snprintf(files->refusal, sizeof(files->refusal),
				 "it may have %" PRIu64 " bytes of memory; give it more, or make a file",
				 files->bytes_max);
		return false;
	}
	files->bytes += more;
	file->size += more;
	return true;
}

static ssize_t memory_pwrite(void *context, int number, const void *bytes, size_t size, off_t offset)
{
	struct memory_files *files = context;
	pthread_mutex_lock(&files->mutex);
	struct memory_file *file = &files->files[number];
	int of_system = file->file;
	bool fits = take_bytes(files, file, (uint64_t)offset + size);
	pthread_mutex_unlock(&files->mutex);
	if (fits)
		return pwrite(of_system, bytes, size, offset);
	errno = ENOSPC;
	return -1;
}

static const char *memory_refusal(void *context)
{
	struct memory_files *files = context;
	pthread_mutex_lock(&files->mutex);
	const char *refusal = files->refusal[0] != '\0' ? files->refusal : NULL;
	pthread_mutex_unlock(&files->mutex);
	return refusal;
}

static int memory_sync(void *context, int number)
{
	(void)context, (void)number;
	return 0;
}

static int memory_size(void *context, int number, off_t *size)
{
	struct memory_files *files = context;
	pthread_mutex_lock(&files->mutex);
	*size = (off_t)files->files[number].size;
	pthread_mutex_unlock(&files->mutex);
	return 0;
}

static int memory_close(void *context, int number)
{
	struct memory_files *files = context;
	if (number == FOLDER)
		return 0;
	pthread_mutex_lock(&files->mutex);
	files->files[number].opened--;
	files->opened--;
	drop_unreachable(files, &files->files[number]);
	unlock_or_free(files);
	return 0;
}

static bool forget_path(struct memory_files *files, const char *path)
{
	struct memory_file *file = memory_file_find(files, path);
	if (file == NULL)
		return false;
	free(file->path);
	file->path = NULL;
	drop_unreachable(files, file);
	return true;
}

static int memory_unlink(void *context, const char *path)
{
	struct memory_files *files = context;
	pthread_mutex_lock(&files->mutex);
	bool was_there = forget_path(files, path);
	pthread_mutex_unlock(&files->mutex);
	if (was_there)
		return 0;
	errno = ENOENT;
	return -1;
}

static int memory_rename(void *context, const char *from, const char *to)
{
	struct memory_files *files = context;
	char *path = strdup(to);
	if (path == NULL)
		return -1;
	pthread_mutex_lock(&files->mutex);
	struct memory_file *file = memory_file_find(files, from);
	if (file != NULL) {
		char *before = file->path;
		forget_path(files, to);
		file->path = path;
		free(before);
	}
	pthread_mutex_unlock(&files->mutex);
	if (file != NULL)
		return 0;
	free(path);
	errno = ENOENT;
	return -1;
}

const struct io *memory_files_create(uint64_t bytes_max)
{
	struct memory_files *files = calloc(1, sizeof(*files));
	if (files == NULL)
		return NULL;
	pthread_mutex_init(&files->mutex, NULL);
	files->bytes_max = bytes_max;
	files->io = (struct io){
		.open = memory_open,
		.pread = memory_pread,
		.pwrite = memory_pwrite,
		.refusal = memory_refusal,
		.sync = memory_sync,
		.size = memory_size,
		.close = memory_close,
		.rename = memory_rename,
		.unlink = memory_unlink,
		.context = files,
	};
	return &files->io;
}

void memory_files_leave(const struct io *io)
{
	struct memory_files *files = io->context;
	pthread_mutex_lock(&files->mutex);
	files->is_left = true;
	unlock_or_free(files);
}

const char *io_temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");
	return folder != NULL && folder[0] != '\0' ? folder : "/tmp";
}
