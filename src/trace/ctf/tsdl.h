/* SPDX-License-Identifier: MIT */
/*
 * tsdl.h - words and marks of CTF 1.8 metadata (TSDL, CTF 1.8 section C), one after the other.
 */
#ifndef TRACE_CTF_TSDL_H
#define TRACE_CTF_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A word may hold single dots (packet.header), and a number is a word; ":=" and "..." are one mark, any other is
 * one byte.  A string has its quotes.
 */
struct tsdl {
	const char *begin; /* of all the text */
	const char *at;    /* what follows the token */
	const char *text;  /* of the token; not terminated */
	size_t size;       /* 0 at the end */
	size_t lines;      /* of the text that was read before this one */
};

/* Begin, behind so many lines of other text; the first token is current. */
struct tsdl tsdl_begin(const char *metadata, size_t lines);

void tsdl_next(struct tsdl *tsdl);

/* Whether the current token is this one. */
bool tsdl_is(const struct tsdl *tsdl, const char *token);
bool tsdl_is_word(const struct tsdl *tsdl);
bool tsdl_is_number(const struct tsdl *tsdl);
bool tsdl_is_string(const struct tsdl *tsdl);

/* Step over the current token if it is this one. */
bool tsdl_accept(struct tsdl *tsdl, const char *token);

/* The number of the line that the current token is in, from 1. */
size_t tsdl_line(const struct tsdl *tsdl);

/* Read the current token as a number in C's notation.  Returns false if it is none, or does not fit 64 bits. */
bool tsdl_number(const struct tsdl *tsdl, uint64_t *out);

/* Write the text of the current token, a string without its quotes and escapes, and a zero to size + 1 bytes. */
size_t tsdl_copy(const struct tsdl *tsdl, char *out);

#endif
