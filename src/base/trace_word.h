/* SPDX-License-Identifier: MIT */
/*
 * trace_word.h - how the trace of a build is written: a path, an address, or "text:MAP:FILE", events as text whose
 * columns the map explains (histree-build(1)).
 */
#ifndef BASE_TRACE_WORD_H
#define BASE_TRACE_WORD_H

#include <stddef.h>
#include <string.h>

#define TRACE_WORD_TEXT "text:"

/* Returns the path in such a word, which is all of it if there is no map. */
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
