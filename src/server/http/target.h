/* SPDX-License-Identifier: MIT */
/*
 * target.h - what a request asks for: path and query of its URL (RFC 3986), taken apart and decoded.
 *
 * A path is cut at its slashes before it is decoded, so that %2F is part of a name.  Empty segments and slashes at
 * the end are dropped; "." and ".." are names like any other: no segment is ever used as a path of files.
 */
#ifndef SERVER_HTTP_TARGET_H
#define SERVER_HTTP_TARGET_H

#include <stdbool.h>
#include <stddef.h>

enum { TARGET_SIZE_MAX = 8192, TARGET_SEGMENTS_MAX = 16, TARGET_PARAMETERS_MAX = 32 };

struct target_parameter {
	const char *name, *value;
};

/* A zeroed struct target is an empty one.  All strings lie in `text`. */
struct target {
	char *text;
	const char *segments[TARGET_SEGMENTS_MAX];
	size_t segment_count;
	struct target_parameter parameters[TARGET_PARAMETERS_MAX];
	size_t parameter_count;
};

enum target_result {
	TARGET_OK,
	TARGET_BAD,       /* a stray '%', a zero byte, or no '/' at the start */
	TARGET_TOO_LARGE, /* longer, or of more parts, than anything of ours */
	TARGET_NO_MEMORY,
};

/* Reads a URI; call target_release() after failure too. */
enum target_result target_parse(struct target *target, const char *uri);

/* Returns NULL if the query has no such parameter. */
const char *target_parameter(const struct target *target, const char *name);

void target_release(struct target *target);

#endif
