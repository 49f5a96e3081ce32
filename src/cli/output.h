/* SPDX-License-Identifier: MIT */
/*
 * output.h - a large buffer in front of a file descriptor.
 *
 * Writing never fails at the call: the first failure is kept, later bytes are dropped, and output_free()
 * returns it.
 *
 * Names in a trace may contain control characters, which must not reach the terminal.
 *
 * These are the control characters of ASCII and, in UTF-8, U+0080 to U+009F, which some terminals also interpret as
 * commands, and the characters that control the direction of a text (Unicode's embeddings, overrides and isolates),
 * because they could make it look like a different text.
 *
 * Lines are read as the terminal gives them.
 *
 * Ctrl-C is a signal here, and it must not arrive between the check for it and the read that it is to end: SIGINT
 * is blocked except during the wait.  So it takes effect from the time at which the prompt is visible.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/line_editor.h"

enum { OUTPUT_SIZE = 256 * 1024 };

struct output {
	int file;
	int failure; /* the errno of the first write that failed */
	size_t used;
	char bytes[OUTPUT_SIZE];
};

/* Returns room for `size` bytes, at most OUTPUT_SIZE.  The caller adds to `used` what it took. */
char *output_room(struct output *output, size_t size);
void output_bytes(struct output *output, const char *bytes, size_t size);

static inline void output_char(struct output *output, char c)
{
	*output_room(output, 1) = c;
	output->used++;
}

static inline void output_text(struct output *output, const char *text)
{
	output_bytes(output, text, strlen(text));
}

void output_spaces(struct output *output, size_t count);

/* Like printf(), for text that is written once, with at most 4 KiB in a call. */
void output_format(struct output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns a new buffer in front of `file`, or NULL if there is no memory. */
struct output *output_create(int file);

/* The same of standard output, with a pager on a terminal (pager.h): for tables and pages that people read. */
struct output *output_create_paged(void);
void output_flush(struct output *output);

/* Flushes and frees, but does not close the file.  Returns 0, or the errno of the first failure.  NULL is fine. */
int output_free(struct output *output);

enum { CONTROL_ESCAPE_SIZE = 4 };

/* The same as control_text_at() for bytes that are not printable ASCII. */
bool control_text_beyond_ascii(const char *bytes, size_t size, size_t at);

/* Returns true if the byte at `at` is a control character or a part of one.  Most bytes are printable ASCII. */
static inline bool control_text_at(const char *bytes, size_t size, size_t at)
{
	bool is_printable = bytes[at] >= 0x20 && bytes[at] < 0x7f;
	return !is_printable && control_text_beyond_ascii(bytes, size, at);
}

/* Writes how a byte is shown instead, such as \n or \x1b.  Returns the size, at most CONTROL_ESCAPE_SIZE. */
size_t control_text_escape(char c, char escape[CONTROL_ESCAPE_SIZE]);

/*
 * Copies a text with its control characters escaped.  It is cut where the room ends, which has `size` bytes, one of
 * them for the zero at the end.
 */
void control_text_copy(const char *text, char *room, size_t size);

/* Writes a word of a command, in quotes where a shell needs them. */
void shell_word_put(FILE *stream, const char *text);

/* The word in `word`, whole or, if there is no room, empty. */
void shell_word_copy(char *word, size_t size, const char *text);

/* Writes a text, also as the value of an attribute in quotes.  What is not UTF-8 becomes U+FFFD. */
void html_text(struct output *output, const char *bytes, size_t size);

/* Writes bytes inside of a URL "data:", as %XX where they are not plain. */
void html_data(struct output *output, const char *bytes, size_t size);

/* A zeroed one has read nothing; the caller frees `bytes`. */
struct line_plain {
	char *bytes;
	size_t used, capacity;
	size_t taken; /* of the bytes used, those of the line that was handed out last */
};

/* The process has a handler of SIGINT. */
enum line_kind line_plain_read(struct line_plain *plain, const char *prompt, const char **line);

#endif
