// SPDX-License-Identifier: MIT
/*
 * memory_files.c - files in memory, each an anonymous file of the system (memfd_create), under one ceiling.
 *
 * A file stays as long as it has a name or is open.
 */
#include "base/memory_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/table.h"

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
