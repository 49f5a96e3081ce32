/* SPDX-License-Identifier: MIT */
/*
 * json_number.h - numbers as JSON writes them, exactly: decimal digits, not what a double has of them.
 */
#ifndef TRACE_JSON_JSON_NUMBER_H
#define TRACE_JSON_JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 json_wide;

/* Whether the bytes are a number, with digits before a point or behind it, or hexadecimal. */
bool json_number_is(const char *bytes, size_t size);

/* Whether it is written as an integer that fits, and it. */
bool json_number_int(const char *bytes, size_t size, int64_t *out);
bool json_number_unsigned(const char *bytes, size_t size, uint64_t *out);

double json_number_real(const char *bytes, size_t size);

/*
 * The number times 10^scale, as an integer; what is left of it behind the point is rounded, halves away from zero.
 * Returns false if it has more than 36 digits, or the bytes are no number.
 */
bool json_number_scaled(const char *bytes, size_t size, int scale, json_wide *out);

#endif
