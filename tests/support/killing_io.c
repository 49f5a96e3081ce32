// SPDX-License-Identifier: MIT
#include "support/killing_io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

_Noreturn static void die(void)
{
	for (;;)
		kill(getpid(), SIGKILL);
}

/* Count the call.  Returns whether it is the one; what is to die before it is dead by then. */
static bool meets(struct killing_io *killing, bool names)
{
	const bool counts[KILLING_KINDS] = {
		[KILLING_ANY] = true,
		[KILLING_NAMES] = names,
		[KILLING_LATE] = killing->is_late,
	};
	bool is_it = false;
	for (int kind = 0; kind < KILLING_KINDS; kind++) {
		uint64_t number = counts[kind] ? ++killing->counts[kind] : 0;
		is_it = is_it || (number > 0 && (int)killing->calls == kind && number == killing->kill_at);
	}
	if (is_it && killing->way == KILLING_BEFORE)
		die();
	return is_it;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);
	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static void be_late_if(struct killing_io *killing, bool late)
{
	if (late)
		killing->is_late = true;
}

static int killing_open(void *context, const char *path, int flags, mode_t mode)
{
	struct killing_io *killing = context;
	bool makes = (flags & O_CREAT) != 0;
	be_late_if(killing, makes && ends_with(path, "events.idx"));
	bool dies = meets(killing, makes);
	int file = io_posix.open(NULL, path, flags, mode);
	if (dies)
		die();
	return file;
}

static ssize_t killing_pread(void *context, int file, void *bytes, size_t size, off_t offset)
{
	if (meets(context, false))
		die();
	return io_posix.pread(NULL, file, bytes, size, offset);
}

static ssize_t killing_pwrite(void *context, int file, const void *bytes, size_t size, off_t offset)
{
	struct killing_io *killing = context;
	bool dies = meets(killing, false);
	size_t part = dies && killing->way == KILLING_HALF ? size / 2 : size;
	ssize_t done = io_posix.pwrite(NULL, file, bytes, part, offset);
	if (dies)
		die();
	return done;
}

static int killing_sync(void *context, int file)
{
	(void)file;
	if (meets(context, true))
		die();
	return 0;
}

static int killing_size(void *context, int file, off_t *size)
{
	if (meets(context, false))
		die();
	return io_posix.size(NULL, file, size);
}

static int killing_close(void *context, int file)
{
	if (meets(context, false))
		die();
	return io_posix.close(NULL, file);
}

static int killing_rename(void *context, const char *from, const char *to)
{
	struct killing_io *killing = context;
	be_late_if(killing, ends_with(to, ".sht"));
	bool dies = meets(killing, true);
	int result = io_posix.rename(NULL, from, to);
	if (dies)
		die();
	return result;
}

static int killing_exchange(void *context, const char *one, const char *other)
{
	struct killing_io *killing = context;
	if (killing->no_exchange) {
		errno = EINVAL;
		return -1;
	}
	bool dies = meets(killing, true);
	int result = io_posix.exchange(NULL, one, other);
	if (dies)
		die();
	return result;
}

static int killing_link(void *context, const char *path, const char *other)
{
	bool dies = meets(context, true);
	int result = io_posix.link(NULL, path, other);
	if (dies)
		die();
	return result;
}

static int killing_list(void *context, const char *path, bool (*take)(void *names, const char *name), void *names)
{
	bool dies = meets(context, false);
	int result = io_posix.list(NULL, path, take, names);
	if (dies)
		die();
	return result;
}

static int killing_unlink(void *context, const char *path)
{
	struct killing_io *killing = context;
	be_late_if(killing, ends_with(path, ".sht.tail"));
	bool dies = meets(killing, true);
	int result = io_posix.unlink(NULL, path);
	if (dies)
		die();
	return result;
}

static int killing_mkdir(void *context, const char *path, mode_t mode)
{
	bool dies = meets(context, true);
	int result = io_posix.mkdir(NULL, path, mode);
	if (dies)
		die();
	return result;
}

static int killing_rmdir(void *context, const char *path)
{
	bool dies = meets(context, true);
	int result = io_posix.rmdir(NULL, path);
	if (dies)
		die();
	return result;
}

void killing_io_init(struct killing_io *killing, _Atomic uint64_t *counts)
{
	*killing = (struct killing_io){
		.io = { .open = killing_open,
			.pread = killing_pread,
			.pwrite = killing_pwrite,
			.sync = killing_sync,
			.size = killing_size,
			.close = killing_close,
			.rename = killing_rename,
			.exchange = killing_exchange,
			.link = killing_link,
			.unlink = killing_unlink,
			.mkdir = killing_mkdir,
			.rmdir = killing_rmdir,
			.list = killing_list,
			.context = killing },
		.counts = counts,
	};
}
