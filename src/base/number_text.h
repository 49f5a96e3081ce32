/* SPDX-License-Identifier: MIT */
/*
 * number_text.h - numbers as text, and the sizes that people type.
 */
#ifndef BASE_NUMBER_TEXT_H
#define BASE_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any number, with a terminator where a function says that it sets one. */
enum { NUMBER_TEXT_SIZE = 32 };

/* These return the length and set no terminator, because they are called for each cell of an output. */
size_t number_format_unsigned(uint64_t number, char *text);
size_t number_format_signed(int64_t number, char *text);

/*
 * Write the shortest of 15, 16 or 17 digits that reads back as the same double, or "nan", "inf", "-inf";
 * terminated.
 */
size_t number_format_real(double number, char text[NUMBER_TEXT_SIZE]);

/* Write a size such as "10.4 MiB" or "812 bytes"; terminated. */
size_t number_format_size(uint64_t bytes, char text[NUMBER_TEXT_SIZE]);

/* Read a whole decimal number. */
bool number_parse(const char *text, uint64_t *number);

/* Read a whole decimal number that may have a sign. */
bool number_parse_signed(const char *text, int64_t *number);

/* Read any decimal number, such as "42" or "-1.5e3", as the nearest double. */
bool number_parse_real(const char *text, double *number);

/* Read a whole number that may have K, M, G or T after it for powers of 1024: "64K". */
bool number_parse_size(const char *text, uint64_t *bytes);

#endif
