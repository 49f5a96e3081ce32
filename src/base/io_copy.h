/* SPDX-License-Identifier: MIT */
/*
 * io_copy.h - a file copied byte by byte.
 */
#ifndef BASE_IO_COPY_H
#define BASE_IO_COPY_H

#include "base/io.h"

/*
 * Copy the file at a path to another, which must not exist, and bring it to disk.  Returns HISTREE_NOT_FOUND,
 * without a message, if there is no file to copy.  The caller removes what a failure leaves at the other path.
 */
enum histree_status io_copy(const struct io *io, const char *path, const char *out, struct histree_error *error);

#endif
