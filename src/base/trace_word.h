/* SPDX-License-Identifier: MIT */
/*
 * trace_word.h - how a trace is named on the command line and in options: a path, an address, or "text:MAP:FILE",
 * events as text whose columns MAP explains (histree-build(1)).
 */
#ifndef BASE_TRACE_WORD_H
#define BASE_TRACE_WORD_H

#include <stddef.h>
#include <string.h>

#define TRACE_WORD_TEXT "text:"

/* Returns the path in such a name; if there is no map, the path is all of it. */
static inline const char *trace_word_path(const char *word)
{
	if (strncmp(word, TRACE_WORD_TEXT, sizeof(TRACE_WORD_TEXT) - 1) != 0)
		return word;
	size_t at = sizeof(TRACE_WORD_TEXT) - 1;
	while (word[at] != '\0' && word[at] != ':')
		at++;
	return word[at] == ':' ? word + at + 1 : word;
}

#endif
