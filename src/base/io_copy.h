/* SPDX-License-Identifier: MIT */
/*
 * io_copy.h - a file copied byte by byte.
 */
#ifndef BASE_IO_COPY_H
#define BASE_IO_COPY_H

#include "base/io.h"

/*
 * Copy the file at a path to another, which must not exist, and bring it to disk.  Returns HISTREE_NOT_FOUND,
 * without a message, if there is none to copy.  What a failure leaves at the other path is the caller's to remove.
 */
enum histree_status io_copy(const struct io *io, const char *path, const char *out, struct histree_error *error);

#endif
