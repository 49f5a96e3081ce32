/* SPDX-License-Identifier: MIT */
/*
 * language_source.h - the text of an analysis, and how what is wrong with it is said: file, line and column, a
 * sentence, and the line with a caret below the place.
 *
 *	my.histree-analysis:2:26: expected '=' after the path, not 'next_tid'
 *	  on sched_switch: CPUs/0 next_tid
 *	                          ^
 */
#ifndef ANALYSIS_LANGUAGE_LANGUAGE_SOURCE_H
#define ANALYSIS_LANGUAGE_LANGUAGE_SOURCE_H

#include <stdarg.h>
#include <stddef.h>

#include "histree/status.h"

enum { LANGUAGE_BYTES_MAX = 256 << 10 };

struct language_source {
	const char *path; /* for messages */
	const char *text; /* a zero follows */
	size_t size;
};

/* Returns HISTREE_ERR_ARGUMENT if it is too long, has a zero or bytes that are no UTF-8. */
enum histree_status language_source_check(const struct language_source *source, struct histree_error *error);

struct language_place {
	size_t line, column; /* from 1; columns in characters */
};
struct language_place language_place_of(const struct language_source *source, size_t at);

/* Say what is wrong at a byte of the text.  Returns HISTREE_ERR_ARGUMENT. */
enum histree_status language_refuse(const struct language_source *source, size_t at, struct histree_error *error,
				    const char *format, ...) __attribute__((format(printf, 4, 5)));
enum histree_status language_refuse_list(const struct language_source *source, size_t at,
					 struct histree_error *error, const char *format, va_list arguments);

#endif
