/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - what is well-formed UTF-8, and what stands for what is not.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* U+FFFD, which stands for a byte that is part of no character. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"
enum { UTF8_REPLACEMENT_SIZE = 3 };

/* Returns the size of the well-formed character at the beginning of `left` bytes; 0 if there is none. */
size_t utf8_character_size(const unsigned char *at, size_t left);

/* Returns whether all of it is characters. */
bool utf8_is_valid(const void *bytes, size_t size);

/*
 * Write the text with U+FFFD for each byte that is part of no character.  `out` has room for 3 * `size` bytes.
 * Returns how many were written.
 */
size_t utf8_repair(const void *bytes, size_t size, char *out);

#endif
