/* SPDX-License-Identifier: MIT */
/*
 * tsdl.h - the metadata of CTF 1.8 in its language, TSDL (CTF 1.8 section C): words and marks one after the other,
 * types and blocks.
 *
 * The reader works by recursive descent and stops at the first fault: a function that returns false or NULL has set
 * the error, which names the line.
 */
#ifndef TRACE_CTF_TSDL_H
#define TRACE_CTF_TSDL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/ctf/ctf_schema.h"

struct tsdl_reader;

/*
 * Read the text of metadata into an empty schema.  Returns HISTREE_ERR_TRACE, with the line and what is wrong with
 * it, if it does not declare a trace; the schema is to be released then too.
 */
enum histree_status tsdl_read(struct ctf_schema *schema, const char *text, struct histree_error *error);

/* A reader of metadata that come in pieces.  free() ends it; NULL if memory runs out. */
struct tsdl_reader *tsdl_reader_create(struct ctf_schema *schema);

/*
 * Read more text, of whole declarations.  What it declares is in the schema from the first call on by which the
 * text has declared a trace and its byte order: tsdl_reader_is_begun().
 */
enum histree_status tsdl_read_more(struct tsdl_reader *reader, const char *text, struct histree_error *error);

bool tsdl_reader_is_begun(const struct tsdl_reader *reader);

#endif
