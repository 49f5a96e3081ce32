/* SPDX-License-Identifier: MIT */
/*
 * punycode.h - letters beyond ASCII as letters of ASCII (RFC 3492): "gdel-5qa" is "gödel".
 */
#ifndef SYMBOLS_PUNYCODE_H
#define SYMBOLS_PUNYCODE_H

#include <stddef.h>

enum { PUNYCODE_LETTERS_MAX = 256, UTF8_LETTER_SIZE = 4 };

/*
 * Writes UTF-8, of which a letter takes UTF8_LETTER_SIZE bytes at most, and returns its size.  Returns 0 if it is
 * no Punycode, or has more letters than PUNYCODE_LETTERS_MAX.  What is before the last `delimiter` stands as it
 * is.
 */
size_t punycode_read(const char *bytes, size_t size, char delimiter, char *out);

/* Writes a letter and returns its size; 0 if Unicode has none of this number. */
size_t utf8_write_letter(unsigned long number, char out[UTF8_LETTER_SIZE]);

#endif
