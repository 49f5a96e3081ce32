/* SPDX-License-Identifier: MIT */
/*
 * line_scan.h - a part of a line that is being read, from left to right.  What does not fit moves nothing.
 */
#ifndef TRACE_LINES_LINE_SCAN_H
#define TRACE_LINES_LINE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_scan {
	char *at, *end;
};

static inline void line_scan_spaces(struct line_scan *scan)
{
	while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t'))
		scan->at++;
}

static inline bool line_scan_byte(struct line_scan *scan, char byte)
{
	bool is = scan->at < scan->end && *scan->at == byte;
	scan->at += is;
	return is;
}

static inline bool line_scan_word(struct line_scan *scan, const char *word)
{
	char *at = scan->at;
	for (; *word != '\0'; word++, at++)
		if (at == scan->end || *at != *word)
			return false;
	scan->at = at;
	return true;
}

/* Decimal digits; false if they need more than 64 bits. */
static inline bool line_scan_number(struct line_scan *scan, uint64_t *out)
{
	uint64_t number = 0;
	char *at = scan->at;
	for (; at < scan->end && *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			return false;
	bool is = at > scan->at;
	if (is)
		*out = number;
	scan->at = at;
	return is;
}

/* Returns the value of a hexadecimal digit, or -1. */
static inline int line_scan_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Hexadecimal digits, at most sixteen. */
static inline bool line_scan_hexadecimal(struct line_scan *scan, uint64_t *out)
{
	uint64_t number = 0;
	char *at = scan->at;
	for (; at < scan->end && line_scan_digit(*at) >= 0 && at - scan->at <= 16; at++)
		number = number << 4 | (uint64_t)line_scan_digit(*at);
	bool is = at > scan->at && at - scan->at <= 16;
	if (is) {
		*out = number;
		scan->at = at;
	}
	return is;
}

/* As the kernel's %d, %u, %x with 0x, and %p write it: the 64 bits of it. */
static inline bool line_scan_integer(struct line_scan *scan, int64_t *out)
{
	struct line_scan at = *scan;
	uint64_t number;
	bool is_negative = line_scan_byte(&at, '-');
	bool is = line_scan_word(&at, "0x") ? line_scan_hexadecimal(&at, &number) : line_scan_number(&at, &number);
	if (!is)
		return false;
	*out = (int64_t)(is_negative ? 0 - number : number);
	*scan = at;
	return true;
}

#endif
