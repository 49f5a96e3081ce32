// SPDX-License-Identifier: MIT
#include "support/crash_io.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

enum { FIRST_NUMBER = 2000, FOLDER_NUMBER = 1999, SECTOR = 512 };

/* The power fails at this operation, and nothing works after it. */
static bool is_dead(struct crash_io *crash)
{
	crash->operations++;
	if (crash->stop_at == 0 || crash->operations < crash->stop_at)
		return false;
	errno = EIO;
	return true;
}

static void *or_die(void *memory)
{
	if (memory == NULL)
		abort();
	return memory;
}

static struct crash_entry *find(struct crash_folder *folder, const char *name)
{
	for (size_t i = 0; i < folder->count; i++)
		if (strcmp(folder->entries[i].name, name) == 0)
			return &folder->entries[i];
	return NULL;
}

/* Apply one change of names to a folder. */
static void apply(struct crash_folder *folder, const struct crash_name *name)
{
	struct crash_entry *entry = find(folder, name->from);
	if (name->kind == CRASH_MADE) {
		assert(entry == NULL && folder->count < MEMORY_FILE_COUNT);
		entry = &folder->entries[folder->count++];
		snprintf(entry->name, sizeof(entry->name), "%s", name->from);
		entry->file = name->file;
		return;
	}
	assert(entry != NULL);
	int file = entry->file;
	*entry = folder->entries[--folder->count];
	if (name->kind == CRASH_REMOVED)
		return;
	struct crash_entry *target = find(folder, name->to);
	if (target == NULL)
		target = &folder->entries[folder->count++];
	snprintf(target->name, sizeof(target->name), "%s", name->to);
	target->file = file;
}

static void change_name(struct crash_io *crash, enum crash_name_kind kind, const char *from, const char *to,
			int file)
{
	if (!array_reserve(&crash->names, &crash->name_capacity, crash->name_count + 1))
		abort();
	struct crash_name *name = &crash->names[crash->name_count++];
	*name = (struct crash_name){ .kind = kind, .file = file };
	snprintf(name->from, sizeof(name->from), "%s", from);
	snprintf(name->to, sizeof(name->to), "%s", to);
	apply(&crash->now, name);
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static int crash_open(void *context, const char *path, int flags, mode_t mode)
{
	(void)mode;
	struct crash_io *crash = context;
	if (flags & O_DIRECTORY)
		return FOLDER_NUMBER;
	struct crash_entry *entry = find(&crash->now, path);
	if ((entry != NULL && (flags & O_EXCL)) || (entry == NULL && !(flags & O_CREAT))) {
		errno = entry != NULL ? EEXIST : ENOENT;
		return -1;
	}
	if (entry != NULL && !(flags & O_TRUNC))
		return FIRST_NUMBER + entry->file;
	if (is_dead(crash))
		return -1;
	if (entry != NULL) /* emptied: as good as another file of that name */
		change_name(crash, CRASH_REMOVED, path, "", -1);
	assert(crash->file_count < CRASH_FILES_MAX);
	change_name(crash, CRASH_MADE, path, "", crash->file_count);
	return FIRST_NUMBER + crash->file_count++;
}

static ssize_t crash_pread(void *context, int number, void *bytes, size_t size, off_t offset)
{
	const struct crash_io *crash = context;
	const struct crash_file *file = &crash->files[number - FIRST_NUMBER];
	if ((size_t)offset >= file->size)
		return 0;
	size_t left = file->size - (size_t)offset, done = size < left ? size : left;
	memcpy(bytes, file->bytes + offset, done);
	return (ssize_t)done;
}

static void write_at(uint8_t **bytes, size_t *capacity, size_t *size, uint64_t offset, const void *from,
		     size_t count)
{
	size_t end = (size_t)offset + count;
	if (!array_reserve(bytes, capacity, end + 1))
		abort();
	if (offset > *size)
		memset(*bytes + *size, 0, (size_t)offset - *size);
	memcpy(*bytes + offset, from, count);
	*size = end > *size ? end : *size;
}

/* The write during which the power fails may be on disk too. */
static ssize_t crash_pwrite(void *context, int number, const void *bytes, size_t size, off_t offset)
{
	struct crash_io *crash = context;
	struct crash_file *file = &crash->files[number - FIRST_NUMBER];
	bool was_dead = crash->stop_at > 0 && crash->operations >= crash->stop_at;
	bool dead = is_dead(crash);
	if (was_dead)
		return -1;
	if (!array_reserve(&file->writes, &file->write_capacity, file->write_count + 1))
		abort();
	struct crash_write *write = &file->writes[file->write_count++];
	*write =
		(struct crash_write){ .offset = (uint64_t)offset, .size = size, .bytes = or_die(malloc(size + 1)) };
	memcpy(write->bytes, bytes, size);
	if (dead)
		return -1;
	write_at(&file->bytes, &file->capacity, &file->size, (uint64_t)offset, bytes, size);
	return (ssize_t)size;
}

static void forget_writes(struct crash_file *file)
{
	for (size_t i = 0; i < file->write_count; i++)
		free(file->writes[i].bytes);
	file->write_count = 0;
}

static int crash_sync(void *context, int number)
{
	struct crash_io *crash = context;
	if (is_dead(crash))
		return -1;
	if (number == FOLDER_NUMBER) {
		crash->synced = crash->now;
		crash->name_count = 0;
		return 0;
	}
	struct crash_file *file = &crash->files[number - FIRST_NUMBER];
	forget_writes(file);
	free(file->synced);
	file->synced = or_die(malloc(file->size + 1));
	if (file->size > 0)
		memcpy(file->synced, file->bytes, file->size);
	file->synced_size = file->size;
	return 0;
}

static int crash_size(void *context, int number, off_t *size)
{
	const struct crash_io *crash = context;
	*size = (off_t)crash->files[number - FIRST_NUMBER].size;
	return 0;
}

static int crash_close(void *context, int number)
{
	(void)context, (void)number;
	return 0;
}

static int crash_rename(void *context, const char *from, const char *to)
{
	struct crash_io *crash = context;
	if (is_dead(crash))
		return -1;
	if (find(&crash->now, from) == NULL) {
		errno = ENOENT;
		return -1;
	}
	change_name(crash, CRASH_RENAMED, from, to, -1);
	return 0;
}

static int crash_unlink(void *context, const char *path)
{
	struct crash_io *crash = context;
	if (find(&crash->now, path) == NULL) {
		errno = ENOENT;
		return -1;
	}
	if (is_dead(crash))
		return -1;
	change_name(crash, CRASH_REMOVED, path, "", -1);
	return 0;
}

void crash_io_init(struct crash_io *crash, uint64_t seed)
{
	*crash = (struct crash_io){
		.io = { .open = crash_open,
			.pread = crash_pread,
			.pwrite = crash_pwrite,
			.sync = crash_sync,
			.size = crash_size,
			.close = crash_close,
			.rename = crash_rename,
			.unlink = crash_unlink,
			.context = crash },
		.random = { seed },
	};
}

void crash_io_release(struct crash_io *crash)
{
	for (int i = 0; i < crash->file_count; i++) {
		forget_writes(&crash->files[i]);
		free(crash->files[i].writes);
		free(crash->files[i].bytes);
		free(crash->files[i].synced);
	}
	free(crash->names);
}

/* ---- afterwards ----------------------------------------------------------------------------------------- */

/* Some of the writes since the last sync, in any order, each whole or up to some sector. */
static void leave_file(struct crash_io *crash, const struct crash_file *file, const char *name,
		       struct memory_io *memory)
{
	size_t size = 0, capacity = 0;
	uint8_t *bytes = NULL;
	if (file->synced_size > 0)
		write_at(&bytes, &capacity, &size, 0, file->synced, file->synced_size);
	bool *done = or_die(calloc(file->write_count + 1, sizeof(*done)));
	unsigned percent = (unsigned)random_below(&crash->random, 101);
	for (size_t i = 0; i < file->write_count; i++) {
		size_t which = (size_t)random_below(&crash->random, file->write_count);
		const struct crash_write *write = &file->writes[which];
		if (done[which] || !random_percent(&crash->random, percent))
			continue;
		done[which] = true;
		size_t kept = write->size;
		if (random_percent(&crash->random, 30))
			kept = (size_t)random_below(&crash->random, kept / SECTOR + 1) * SECTOR;
		if (kept > 0)
			write_at(&bytes, &capacity, &size, write->offset, write->bytes, kept);
	}
	if (!memory_io_put(memory, name, bytes, size))
		abort();
	free(done);
	free(bytes);
}

void crash_io_leave(struct crash_io *crash, struct memory_io *memory)
{
	struct crash_folder folder = crash->synced;
	size_t names = (size_t)random_below(&crash->random, crash->name_count + 1);
	for (size_t i = 0; i < names; i++)
		apply(&folder, &crash->names[i]);
	memory_io_init(memory);
	for (size_t i = 0; i < folder.count; i++)
		leave_file(crash, &crash->files[folder.entries[i].file], folder.entries[i].name, memory);
}
