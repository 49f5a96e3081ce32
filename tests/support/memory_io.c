// SPDX-License-Identifier: MIT
#include "support/memory_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

/* File numbers are indices; they are not mixed up with those of the system. */
enum { FIRST_NUMBER = 1000, FOLDER_NUMBER = FIRST_NUMBER + MEMORY_FILE_COUNT };

static struct memory_file *opened(void *context, int file)
{
	struct memory_io *memory = context;
	return &memory->files[file - FIRST_NUMBER];
}

struct memory_file *memory_io_find(struct memory_io *memory, const char *path)
{
	for (int i = 0; i < MEMORY_FILE_COUNT; i++)
		if (memory->files[i].path != NULL && strcmp(memory->files[i].path, path) == 0)
			return &memory->files[i];
	return NULL;
}

static struct memory_file *make(struct memory_io *memory, const char *path)
{
	for (int i = 0; i < MEMORY_FILE_COUNT; i++)
		if (memory->files[i].path == NULL && memory->files[i].opened == 0) {
			memory->files[i].path = strdup(path);
			return memory->files[i].path != NULL ? &memory->files[i] : NULL;
		}
	return NULL;
}

static int memory_open(void *context, const char *path, int flags, mode_t mode)
{
	(void)mode;
	struct memory_io *memory = context;
	struct memory_file *file = memory_io_find(memory, path);
	if (flags & O_DIRECTORY) /* there is only one; it can be synced */
		return FOLDER_NUMBER;
	if (file != NULL && (flags & O_TRUNC))
		file->size = 0;
	if (file != NULL && (flags & O_EXCL)) {
		errno = EEXIST;
		return -1;
	}
	if (file == NULL && (flags & O_CREAT))
		file = make(memory, path);
	if (file == NULL) {
		errno = (flags & O_CREAT) ? ENOSPC : ENOENT;
		return -1;
	}
	file->opened++;
	return (int)(file - memory->files) + FIRST_NUMBER;
}

static ssize_t memory_pread(void *context, int number, void *bytes, size_t size, off_t offset)
{
	const struct memory_file *file = opened(context, number);
	if ((size_t)offset >= file->size)
		return 0;
	size_t left = file->size - (size_t)offset;
	size_t done = size < left ? size : left;
	memcpy(bytes, file->bytes + offset, done);
	atomic_fetch_add_explicit(&((struct memory_io *)context)->bytes_read, done, memory_order_relaxed);
	return (ssize_t)done;
}

static ssize_t memory_pwrite(void *context, int number, const void *bytes, size_t size, off_t offset)
{
	struct memory_file *file = opened(context, number);
	size_t end = (size_t)offset + size;
	if (!array_reserve(&file->bytes, &file->capacity, end)) {
		errno = ENOSPC;
		return -1;
	}
	if ((size_t)offset > file->size)
		memset(file->bytes + file->size, 0, (size_t)offset - file->size);
	memcpy(file->bytes + offset, bytes, size);
	if (end > file->size)
		file->size = end;
	return (ssize_t)size;
}

static int memory_sync(void *context, int number)
{
	(void)context, (void)number;
	return 0;
}

static int memory_size(void *context, int number, off_t *size)
{
	*size = (off_t)opened(context, number)->size;
	return 0;
}

/* What nobody can reach any more is gone. */
static void drop(struct memory_file *file)
{
	if (file->path != NULL || file->opened > 0)
		return;
	free(file->bytes);
	*file = (struct memory_file){ 0 };
}

static int memory_close(void *context, int number)
{
	if (number == FOLDER_NUMBER)
		return 0;
	struct memory_file *file = opened(context, number);
	file->opened--;
	drop(file);
	return 0;
}

static int memory_unlink(void *context, const char *path)
{
	struct memory_file *file = memory_io_find(context, path);
	if (file == NULL) {
		errno = ENOENT;
		return -1;
	}
	free(file->path);
	file->path = NULL;
	drop(file);
	return 0;
}

static int memory_rename(void *context, const char *from, const char *to)
{
	struct memory_file *file = memory_io_find(context, from), *before = memory_io_find(context, to);
	char *path = strdup(to);
	if (file == NULL || path == NULL) {
		errno = file == NULL ? ENOENT : ENOSPC;
		free(path);
		return -1;
	}
	if (before != NULL)
		memory_unlink(context, to);
	free(file->path);
	file->path = path;
	return 0;
}

void memory_io_init(struct memory_io *memory)
{
	*memory = (struct memory_io){
		.io = { .open = memory_open,
			.pread = memory_pread,
			.pwrite = memory_pwrite,
			.sync = memory_sync,
			.size = memory_size,
			.close = memory_close,
			.rename = memory_rename,
			.unlink = memory_unlink,
			.context = memory },
	};
}

bool memory_io_put(struct memory_io *memory, const char *path, const void *bytes, size_t size)
{
	struct memory_file *file = memory_io_find(memory, path);
	if (file == NULL)
		file = make(memory, path);
	if (file == NULL || !array_reserve(&file->bytes, &file->capacity, size))
		return false;
	if (size > 0)
		memcpy(file->bytes, bytes, size);
	file->size = size;
	return true;
}

void memory_io_release(struct memory_io *memory)
{
	for (int i = 0; i < MEMORY_FILE_COUNT; i++)
		if (memory->files[i].path != NULL)
			memory_unlink(memory, memory->files[i].path);
}
