/* SPDX-License-Identifier: MIT */
/*
 * tsdl.h - words and marks of CTF 1.8 metadata (TSDL, CTF 1.8 section C), one after the other.
 */
#ifndef TRACE_CTF_TSDL_H
#define TRACE_CTF_TSDL_H

#include <stdbool.h>
#include <stddef.h>

/* A word may hold dots (packet.header); ":=" is one mark, any other is one byte.  A string is its text. */
struct tsdl {
	const char *at;   /* what follows the token */
	const char *text; /* of the token; not terminated */
	size_t size;      /* 0 at the end */
};

/* Begin; the first token is current. */
struct tsdl tsdl_begin(const char *metadata);

void tsdl_next(struct tsdl *tsdl);

/* Whether the current token is this one. */
bool tsdl_is(const struct tsdl *tsdl, const char *token);
bool tsdl_is_word(const struct tsdl *tsdl);

/* Step over the current token if it is this one. */
bool tsdl_accept(struct tsdl *tsdl, const char *token);

/*
 * Step over everything up to and with the next `end` outside brackets, or stop before the "}" of what is around.  A
 * "]" that closes nothing is stepped over: who reads up to "}" comes closer with each call.
 */
void tsdl_skip_past(struct tsdl *tsdl, const char *end);

#endif
