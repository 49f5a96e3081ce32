/* SPDX-License-Identifier: MIT */
/*
 * tsdl.h - the metadata of CTF 1.8 in its language, TSDL (CTF 1.8 section C): words and marks one after the other,
 * types and blocks.
 *
 * The parts of the reader work by recursive descent.  The first fault ends it: a function that returns false or
 * NULL has set the error, which names the line.
 */
#ifndef TRACE_CTF_TSDL_H
#define TRACE_CTF_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/ctf/ctf_schema.h"

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

/* Begin, after `lines` lines of other text; the first token is current. */
struct tsdl tsdl_begin(const char *metadata, size_t lines);
void tsdl_next(struct tsdl *tsdl);

/* Whether the current token is this one. */
bool tsdl_is(const struct tsdl *tsdl, const char *token);

/* Step over the current token if it is this one. */
bool tsdl_accept(struct tsdl *tsdl, const char *token);

enum { TSDL_BUCKETS = 4096 };

/* A name of a type, until the scope that it was made in ends. */
struct tsdl_name {
	const char *name; /* "uint64_t", "unsigned long", "struct packet_context" */
	uint64_t hash;
	struct ctf_type *type;
	struct tsdl_name *next;  /* in its bucket: made before it */
	struct tsdl_name *older; /* of all names: made before it */
};

struct tsdl_reader {
	struct tsdl tsdl;
	struct ctf_schema *schema;
	struct histree_error *error;
	struct tsdl_name *buckets[TSDL_BUCKETS];
	struct tsdl_name *names; /* the youngest */
	bool has_trace, has_order;
	bool in_pieces; /* more text may follow: what a packet is must not change */
};

/*
 * Read the text of metadata into an empty schema.  Returns HISTREE_ERR_TRACE, with the line and what is wrong with
 * it, if it does not declare a trace; the schema is to be released then too.
 */
enum histree_status tsdl_read(struct ctf_schema *schema, const char *text, struct histree_error *error);

/* A reader of metadata that come in pieces.  free() ends it; NULL if memory is out. */
struct tsdl_reader *tsdl_reader_create(struct ctf_schema *schema);

/*
 * Read more text, of whole declarations.  What it declares is in the schema from the first call on by which the
 * text has declared a trace and its byte order: tsdl_reader_is_begun().
 */
enum histree_status tsdl_read_more(struct tsdl_reader *reader, const char *text, struct histree_error *error);

static inline bool tsdl_reader_is_begun(const struct tsdl_reader *reader)
{
	return reader->has_trace && reader->has_order;
}

#endif
