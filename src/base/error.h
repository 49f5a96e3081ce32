/* SPDX-License-Identifier: MIT */
/*
 * error.h - fill and extend a struct histree_error; every `error` may be NULL.
 *
 * Context is added on the way up: the lowest layer says what was wrong, each layer above may prefix what
 * it was doing: "kernel.sht: node 4711 at offset 0x49a000: checksum mismatch".
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "histree/status.h"

/* Set message and status.  Returns the status, so that a caller can `return error_set(...)`. */
enum histree_status error_set(struct histree_error *error, enum histree_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "text: " before the message that is there. */
void error_prefix(struct histree_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Say that memory runs out, and what it was for.  Returns HISTREE_ERR_MEMORY. */
enum histree_status error_memory(struct histree_error *error, const char *what);

#endif
