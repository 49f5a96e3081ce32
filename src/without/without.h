/* SPDX-License-Identifier: MIT */
/*
 * without.h - what stands in the place of a library that was not there when histree was built: without/FEATURE.c,
 * of whatever layer, in place of the files that need the library (src/without/meson.build).
 *
 * Each call says so in a sentence, with the library, its package in Debian and, where there is one, another way; or
 * it answers what is true without: nothing is found, and nothing is packed.  What is given to it is not looked at.
 */
#ifndef WITHOUT_WITHOUT_H
#define WITHOUT_WITHOUT_H

#include <stdlib.h>

#include "base/error.h"
#include "trace/trace_source.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static inline struct trace_source *without_create(void)
{
	return calloc(1, sizeof(struct trace_source));
}

static inline void without_free(struct trace_source *source)
{
	free(source);
}

/* A format whose files are refused: `is` goes on "FILE ".  Nothing is asked of a source that was not scanned. */
#define WITHOUT_FORMAT(format, is)                                                                             \
	static enum histree_status format##_facts(const char *path, struct trace_facts *out,                   \
						  struct histree_error *error)                                 \
	{                                                                                                      \
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" " is, path);                                \
	}                                                                                                      \
	static enum histree_status format##_scan(struct trace_source *source, const char *path,                \
						 struct histree_error *error)                                  \
	{                                                                                                      \
		return format##_facts(path, NULL, error);                                                      \
	}                                                                                                      \
	const struct trace_format_kind format = {                                                              \
		.create = without_create, .scan = format##_scan, .facts = format##_facts, .free = without_free \
	}

#endif
