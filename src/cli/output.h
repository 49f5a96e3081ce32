/* SPDX-License-Identifier: MIT */
/*
 * output.h - a large buffer in front of a file descriptor.
 *
 * Writing never fails at the call: the first failure is kept, later bytes are dropped, and output_free()
 * returns it.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

void output_flush(struct output *output);

/* Flushes and frees, but does not close the file.  Returns 0, or the errno of the first failure.  NULL is fine. */
int output_free(struct output *output);

#endif
