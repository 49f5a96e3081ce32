/* SPDX-License-Identifier: MIT */
/*
 * ctf_metadata.h - the text of the metadata of a CTF trace, and the properties of the trace as a whole.
 *
 * CTF 1.8, section 7: the file is plain text, or packets of text, each after a header, in either byte order.  The
 * text is TSDL (tsdl.h), or the JSON of CTF 2 (ctf2.h).
 */
#ifndef TRACE_CTF_CTF_METADATA_H
#define TRACE_CTF_CTF_METADATA_H

#include "trace/ctf/ctf_schema.h"
#include "trace/trace_source.h"

struct io;

/* Far above what any tracer writes; sentences say 64 MiB too. */
enum { CTF_METADATA_SIZE_MAX = 64 << 20 };

/* The caller frees *out.  HISTREE_ERR_TRACE if the file cannot be opened or is not metadata. */
enum histree_status ctf_metadata_read(const struct io *io, const char *folder, char **out,
				      struct histree_error *error);

/* Returns whether bytes begin as packets of metadata do, and in which byte order. */
bool ctf_metadata_is_packetized(const uint8_t *bytes, size_t size, bool *big_endian);

/*
 * Move the texts of the packets at the start of `bytes` together, over their headers.  *used becomes how many
 * bytes the whole packets take, and *text_size how long their texts are.  HISTREE_ERR_TRACE if one is damaged; one
 * that is cut short ends it.
 */
enum histree_status ctf_metadata_unpack(uint8_t *bytes, size_t size, bool big_endian, size_t *used,
					size_t *text_size, struct histree_error *error);

/*
 * Read the text of metadata into an empty schema, which is to be released whatever is returned.  HISTREE_ERR_TRACE,
 * with the place of the fault, if it does not declare a trace.
 */
enum histree_status ctf_metadata_schema(const char *text, struct ctf_schema *schema, struct histree_error *error);

/* What a schema says of the trace as a whole. */
void ctf_metadata_facts(const struct ctf_schema *schema, struct trace_facts *out);

#endif
