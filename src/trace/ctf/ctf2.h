/* SPDX-License-Identifier: MIT */
/*
 * ctf2.h - metadata of CTF 2 (CTF2-SPEC-2.0, section 5): a sequence of JSON texts, the fragments.
 *
 * They become the same tree as the metadata of CTF 1.8: ctf_schema.h.
 */
#ifndef TRACE_CTF_CTF2_H
#define TRACE_CTF_CTF2_H

#include "trace/ctf/ctf_schema.h"

/* What begins each JSON text of a sequence (RFC 7464). */
enum { CTF2_SEPARATOR = 0x1e };

/*
 * Read metadata, which begin with a separator, into an empty schema.  Returns HISTREE_ERR_TRACE if they are not
 * what the specification says, with the number of the fragment, the path in it and what is wrong there; the schema
 * is to be released then too.
 */
enum histree_status ctf2_read(struct ctf_schema *schema, const char *text, struct histree_error *error);

#endif
