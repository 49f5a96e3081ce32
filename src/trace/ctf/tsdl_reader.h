/* SPDX-License-Identifier: MIT */
/*
 * tsdl_reader.h - what the parts of the reader of TSDL share: types (tsdl_scalar.c, tsdl_type.c) and blocks
 * (tsdl_block.c).
 *
 * Recursive descent.  The first fault ends it: a function that returns false or NULL has set the error, which names
 * the line.
 */
#ifndef TRACE_CTF_TSDL_READER_H
#define TRACE_CTF_TSDL_READER_H

#include "trace/ctf/ctf_schema.h"
#include "trace/ctf/tsdl.h"

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

/* Set the error to "line 12 of the metadata: WHAT"; returns false. */
bool tsdl_fail(struct tsdl_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set the error to what stands here and what is wanted; returns false. */
bool tsdl_fail_at_token(struct tsdl_reader *reader, const char *wanted);

/* Room in the memory of the schema. */
void *tsdl_allocate(struct tsdl_reader *reader, size_t count, size_t size);

/* Step over a mark that must stand here. */
bool tsdl_expect(struct tsdl_reader *reader, const char *mark);

/* Keep the text of the current token, and step over it. */
char *tsdl_take(struct tsdl_reader *reader);

/* The same for a word, which `wanted` calls by its meaning. */
char *tsdl_take_word(struct tsdl_reader *reader, const char *wanted);

/* Read a number, which may be negative, and step over it. */
bool tsdl_take_number(struct tsdl_reader *reader, uint64_t *out);

/* The same for a size or an alignment. */
bool tsdl_take_small(struct tsdl_reader *reader, const char *what, uint32_t *out);

/* Returns whether an alignment is a power of two. */
bool tsdl_check_align(struct tsdl_reader *reader, uint32_t align);

/* Step over everything up to and with the next ";" outside brackets. */
bool tsdl_skip(struct tsdl_reader *reader);

/* Names that are made from here on end when the scope is left. */
struct tsdl_name *tsdl_scope_enter(const struct tsdl_reader *reader);
void tsdl_scope_leave(struct tsdl_reader *reader, struct tsdl_name *entered);

/* Give a type a name. */
bool tsdl_name_add(struct tsdl_reader *reader, const char *text, struct ctf_type *type);

/* Returns the type of a name, for another place of the tree; NULL if there is none. */
struct ctf_type *tsdl_name_use(struct tsdl_reader *reader, const char *text);

/* Returns a type for another place of the tree: members are of their place. */
struct ctf_type *tsdl_type_copy(struct tsdl_reader *reader, struct ctf_type *type);

/* Read what follows "integer", "floating_point" or "string". */
struct ctf_type *tsdl_scalar(struct tsdl_reader *reader, enum ctf_kind kind);

/* Read a type that a name or a mark follows; NULL if there is none. */
struct ctf_type *tsdl_type(struct tsdl_reader *reader, unsigned depth);

/*
 * Step over a definition of a name, outside of types: typealias, typedef, or a structure, variant or enumeration
 * with a name.  *found says whether one stood here.
 */
bool tsdl_definition(struct tsdl_reader *reader, bool *found);

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
