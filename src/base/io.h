/* SPDX-License-Identifier: MIT */
/*
 * io.h - the table of file calls, that of POSIX, and what is built on it.
 *
 * A test can replace the table.  Each call returns what its namesake of POSIX returns, with errno; short reads and
 * writes and EINTR are possible here, and io_read_all() and io_write_all() deal with them.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "histree/status.h"

struct io {
	int (*open)(void *context, const char *path, int flags, mode_t mode);
	ssize_t (*pread)(void *context, int file, void *bytes, size_t size, off_t offset);
	ssize_t (*pwrite)(void *context, int file, const void *bytes, size_t size, off_t offset);
	int (*sync)(void *context, int file);
	/* Start writing these bytes to disk, so that the next sync is short.  It may be NULL. */
	void (*begin_sync)(void *context, int file, off_t offset, off_t size);
	int (*size)(void *context, int file, off_t *size);
	/*
	 * Returns the first byte from there on that is not in a hole of the file; -1 if there is none.  May be
	 * NULL.
	 */
	off_t (*next_data)(void *context, int file, off_t offset);
	int (*close)(void *context, int file);
	int (*rename)(void *context, const char *from, const char *to);
	int (*exchange)(void *context, const char *one, const char *other); /* renameat2(RENAME_EXCHANGE) */
	int (*link)(void *context, const char *path, const char *other);    /* NULL: a file has one name only */
	int (*unlink)(void *context, const char *path);
	int (*mkdir)(void *context, const char *path, mode_t mode);
	int (*rmdir)(void *context, const char *path);
	/* Call `take` with each name in a folder except "." and "..", until it returns false.  It may be NULL. */
	int (*list)(void *context, const char *path, bool (*take)(void *names, const char *name), void *names);
	/* Why it refused more bytes, if the reason is its own, else NULL; the function may be NULL. */
	const char *(*refusal)(void *context);
	void *context; /* passed to each call; belongs to the maker of the table */
};

/* The real file system; context is NULL.  The table is constant. */
extern const struct io io_posix;

/*
 * Read or write the whole size.  An error says what failed, but not with which file; reading past the end is
 * HISTREE_ERR_FORMAT. Bytes that the table itself refuses are HISTREE_ERR_MEMORY.
 */
enum histree_status io_read_all(const struct io *io, int file, void *bytes, size_t size, uint64_t offset,
				struct histree_error *error);
enum histree_status io_write_all(const struct io *io, int file, const void *bytes, size_t size, uint64_t offset,
				 struct histree_error *error);

/*
 * Returns where output to a path goes in the real file system; the caller frees it.  It is the file at the end of
 * the links, so that no link is replaced by a file. *is_stream becomes true if a device or a pipe is there, such as
 * /dev/stdout, which takes bytes as they come and is never replaced.  Returns NULL if memory runs out.
 */
char *io_destination(const char *path, bool *is_stream);

/*
 * Call `take` with each name in a folder except "." and "..", until it returns false; if the table cannot list
 * folders, those of the real file system.  An error describes only the folder.
 */
enum histree_status io_list(const struct io *io, const char *path, bool (*take)(void *names, const char *name),
			    void *names, struct histree_error *error);

/* Return when everything written is on disk. */
enum histree_status io_sync(const struct io *io, int file, struct histree_error *error);

/* Sync the folder of a path to disk: only then are the names in it on disk. */
enum histree_status io_sync_folder_of(const struct io *io, const char *path, struct histree_error *error);

/*
 * Make a file hold these bytes, on disk.  A process that opens it finds all of the old bytes or all of the new
 * ones. After a failure it has the old ones, unless only the last step failed, after which a power failure may
 * lose the new ones.
 */
enum histree_status io_replace(const struct io *io, const char *path, const void *bytes, size_t size,
			       struct histree_error *error);

/*
 * Copy the file at a path to another, which must not exist, and bring it to disk.  Returns HISTREE_NOT_FOUND,
 * without a message, if there is no file to copy.  After a failure, the caller removes what is left at the other
 * path.
 */
enum histree_status io_copy(const struct io *io, const char *path, const char *out, struct histree_error *error);

/* Returns the folder for files that are forgotten: that of TMPDIR, else /tmp. */
const char *io_temporary_folder(void);

#endif
