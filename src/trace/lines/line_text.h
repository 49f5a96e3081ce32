/* SPDX-License-Identifier: MIT */
/*
 * line_text.h - a file of text, line by line, in a buffer of fixed size; and functions that parse a line from left
 * to right, and do not advance where the text does not match.
 *
 * Lines are cut at LINE_SIZE_MAX: the rest of a longer line is skipped.  A file that begins like gzip is unpacked,
 * and so is the data that "atrace -z" has compressed after its line "TRACE:".  In an HTML page, as systrace makes
 * it, the text is in its elements of class "trace-data"; others of these are JSON (json_page.h).
 */
#ifndef TRACE_LINES_LINE_TEXT_H
#define TRACE_LINES_LINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"
#include "text/text_table.h"

struct line_scan {
	char *at, *end;
};

static inline bool line_is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

static inline void line_scan_spaces(struct line_scan *scan)
{
	while (scan->at < scan->end && line_is_blank(*scan->at))
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

/* "%16lx", and behind it a name, or a binary in parentheses (evsel_fprintf.c). */
static inline bool line_has_address(const char *line, size_t size)
{
	enum { COLUMNS = 16 };
	const char *at = line;
	while (at < line + size && at < line + COLUMNS && *at == ' ')
		at++;
	for (const char *digit = at; digit < line + COLUMNS && size >= COLUMNS; digit++)
		if (line_scan_digit(*digit) < 0)
			return false;
	const char *name = line + COLUMNS + 1, *end = line + size;
	const bool is_apart = size >= COLUMNS && at < line + COLUMNS && (size == COLUMNS || line[COLUMNS] == ' ');
	return is_apart && (name >= end || *name != '(' || end[-1] == ')');
}

/* Whether what stands behind a colon is a frame, in the columns of perf: an address, and its function if known. */
static inline bool line_has_frame(const char *text, size_t size)
{
	return size > 2 && text[0] == ' ' && text[1] == ' ' && line_has_address(text + 2, size - 2);
}

struct line_unpack;
struct line_json;

enum { LINE_SIZE_MAX = 64 << 10, LINE_BUFFER_SIZE = 256 << 10 };

/* Where the text is. */
struct line_place {
	const struct io *io;
	const char *path;
	const struct histree_work *work; /* asked now and then; NULL: not asked */
	bool is_in_json;                 /* the text is a member of a trace in JSON (line_text.h) */
	unsigned columns;                /* as the preface says them: for line_head_read() */
};

/* A zeroed one is closed. */
struct line_text {
	struct text_input input;
	struct line_unpack *unpack; /* NULL: it is not packed */
	struct line_json *json;     /* NULL: it is not a member of something */
	char *bytes;                /* NULL: closed */
	size_t used, filled;
	uint64_t filled_at; /* byte of the text behind what is in the buffer */
	uint64_t line_at;   /* byte of the text at which the line begins that was read last */
	uint64_t lines;     /* read so far */
	const struct histree_work *work;
	bool at_end;      /* of the file */
	bool is_page;     /* of HTML */
	bool is_in_page;  /* not in the text in it */
	bool is_at_text;  /* nothing of an element of it was read but spaces */
	uint64_t begin;   /* byte at which the first line of the text begins */
	unsigned columns; /* as the place says them */
	bool is_cut;      /* the line that was read last: its rest comes next */
};

/* Returns HISTREE_ERR_IO, HISTREE_ERR_MEMORY; HISTREE_ERR_TRACE if it is packed and cannot be unpacked. */
enum histree_status line_text_open(struct line_text *text, const struct line_place *place,
				   struct histree_error *error);

/* Go to the line that begins at a byte of a text that is not packed. */
void line_text_seek(struct line_text *text, uint64_t at);

/*
 * Get the next line, without what ends it; it may be written to, until the next call.  Returns HISTREE_END behind
 * the last.
 */
enum histree_status line_text_next(struct line_text *text, char **line, size_t *size, struct histree_error *error);

/* Get the next line that has a byte, which is searched for without reading the lines before it. */
enum histree_status line_text_next_with(struct line_text *text, char byte, char **line, size_t *size,
					struct histree_error *error);
void line_text_close(struct line_text *text);

#endif
