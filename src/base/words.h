/* SPDX-License-Identifier: MIT */
/*
 * words.h - long lists of names by number, as texts with commas between the names: "user,nice,system".
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdint.h>
#include <string.h>

/* Returns the name at an index and how long it is, or NULL if there are fewer. */
static inline const char *words_at(const char *words, uint64_t index, size_t *size)
{
	for (; words != NULL && index > 0; index--) {
		words = strchr(words, ',');
		words = words != NULL ? words + 1 : NULL;
	}
	*size = words != NULL ? strcspn(words, ",") : 0;
	return words;
}

#endif
