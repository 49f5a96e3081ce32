// SPDX-License-Identifier: MIT
#include "support/faulty_io.h"

#include <errno.h>

static bool fails(struct faulty_io *faulty)
{
	uint64_t number = ++faulty->operations;
	if (faulty->fail_at == 0 || number < faulty->fail_at)
		return false;
	if (!faulty->for_ever && number > faulty->fail_at)
		return false;
	errno = EIO;
	return true;
}

/* Interrupts every third transfer; else lets through 1 to 4096 bytes. */
static bool is_interrupted(const struct faulty_io *faulty)
{
	if (!faulty->short_transfers || faulty->operations % 3 != 0)
		return false;
	errno = EINTR;
	return true;
}

static size_t part(const struct faulty_io *faulty, size_t size)
{
	size_t most = (size_t)1 << (faulty->operations % 13);
	return faulty->short_transfers && size > most ? most : size;
}

static int faulty_open(void *context, const char *path, int flags, mode_t mode)
{
	struct faulty_io *faulty = context;
	return fails(faulty) ? -1 : faulty->under->open(faulty->under->context, path, flags, mode);
}

static ssize_t faulty_pread(void *context, int file, void *bytes, size_t size, off_t offset)
{
	struct faulty_io *faulty = context;
	if (fails(faulty) || is_interrupted(faulty))
		return -1;
	return faulty->under->pread(faulty->under->context, file, bytes, part(faulty, size), offset);
}

static ssize_t faulty_pwrite(void *context, int file, const void *bytes, size_t size, off_t offset)
{
	struct faulty_io *faulty = context;
	if (fails(faulty) || is_interrupted(faulty))
		return -1;
	return faulty->under->pwrite(faulty->under->context, file, bytes, part(faulty, size), offset);
}

static int faulty_sync(void *context, int file)
{
	struct faulty_io *faulty = context;
	return fails(faulty) ? -1 : faulty->under->sync(faulty->under->context, file);
}

static int faulty_size(void *context, int file, off_t *size)
{
	struct faulty_io *faulty = context;
	return fails(faulty) ? -1 : faulty->under->size(faulty->under->context, file, size);
}

static int faulty_close(void *context, int file)
{
	struct faulty_io *faulty = context;
	return faulty->under->close(faulty->under->context, file);
}

static int faulty_rename(void *context, const char *from, const char *to)
{
	struct faulty_io *faulty = context;
	return fails(faulty) ? -1 : faulty->under->rename(faulty->under->context, from, to);
}

static int faulty_exchange(void *context, const char *one, const char *other)
{
	struct faulty_io *faulty = context;
	if (faulty->no_exchange) {
		errno = EINVAL;
		return -1;
	}
	return fails(faulty) ? -1 : faulty->under->exchange(faulty->under->context, one, other);
}

static int faulty_link(void *context, const char *path, const char *other)
{
	struct faulty_io *faulty = context;
	return fails(faulty) ? -1 : faulty->under->link(faulty->under->context, path, other);
}

static int faulty_list(void *context, const char *path, bool (*take)(void *names, const char *name), void *names)
{
	struct faulty_io *faulty = context;
	return fails(faulty) ? -1 : faulty->under->list(faulty->under->context, path, take, names);
}

static int faulty_mkdir(void *context, const char *path, mode_t mode)
{
	struct faulty_io *faulty = context;
	return fails(faulty) ? -1 : faulty->under->mkdir(faulty->under->context, path, mode);
}

static int faulty_rmdir(void *context, const char *path)
{
	struct faulty_io *faulty = context;
	return faulty->under->rmdir(faulty->under->context, path);
}

static int faulty_unlink(void *context, const char *path)
{
	struct faulty_io *faulty = context;
	return faulty->under->unlink(faulty->under->context, path);
}

void faulty_io_init(struct faulty_io *faulty, const struct io *under)
{
	*faulty = (struct faulty_io){
		.io = { .open = faulty_open,
			.pread = faulty_pread,
			.pwrite = faulty_pwrite,
			.sync = faulty_sync,
			.size = faulty_size,
			.close = faulty_close,
			.rename = faulty_rename,
			.exchange = faulty_exchange,
			.link = under->link != NULL ? faulty_link : NULL,
			.unlink = faulty_unlink,
			.mkdir = faulty_mkdir,
			.rmdir = faulty_rmdir,
			.list = under->list != NULL ? faulty_list : NULL,
			.context = faulty },
		.under = under,
	};
}
