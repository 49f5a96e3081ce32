/* SPDX-License-Identifier: MIT */
/*
 * text_input.h - the bytes of a file, of a pipe, or of standard input, from front to back.
 *
 * What is no regular file is waited for, and read once.
 */
#ifndef TEXT_TEXT_INPUT_H
#define TEXT_TEXT_INPUT_H

#include <stdbool.h>

#include "base/io.h"

/* The path of standard input. */
#define TEXT_STANDARD_INPUT "-"

struct text_input {
	const struct io *io; /* borrowed */
	const char *path;    /* borrowed; what messages call it */
	int file;            /* -1: none */
	bool is_file;        /* a regular one: it can be read from anywhere */
	bool is_standard;    /* input, which is not ours to close */
	uint64_t at;         /* of the next byte */
	uint64_t size;       /* of a regular file when it was opened; else 0 */
};

/* On failure the input is closed; text_input_close() is no error then. */
enum histree_status text_input_open(struct text_input *input, const struct io *io, const char *path,
				    struct histree_error *error);

/* Read up to `room` bytes; *size is 0 at the end and only there. */
enum histree_status text_input_read(struct text_input *input, void *bytes, size_t room, size_t *size,
				    struct histree_error *error);

void text_input_close(struct text_input *input);

#endif
