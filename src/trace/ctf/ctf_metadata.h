/* SPDX-License-Identifier: MIT */
/*
 * ctf_metadata.h - the text of a trace's metadata, out of either form of its file, and what either text says.
 *
 * CTF 1.8, section 7: the file is plain text, or packets of text, each after a header, in either byte order.  The
 * text is TSDL (tsdl_reader.h), or that of CTF 2 (ctf2.h).
 */
#ifndef TRACE_CTF_CTF_METADATA_H
#define TRACE_CTF_CTF_METADATA_H

#include "trace/ctf/ctf_facts.h"
#include "trace/ctf/ctf_schema.h"

/* The caller frees *out.  HISTREE_ERR_TRACE if the file cannot be opened or is not metadata. */
enum histree_status ctf_metadata_read(const char *folder, char **out, struct histree_error *error);

/*
 * Read the text of metadata into an empty schema, which is to be released whatever is returned.  HISTREE_ERR_TRACE,
 * with the place of the fault, if it does not declare a trace.
 */
enum histree_status ctf_metadata_schema(const char *text, struct ctf_schema *schema, struct histree_error *error);

/* What the text says of the trace as a whole.  What cannot be understood is not known. */
void ctf_metadata_facts(const char *text, struct trace_facts *out);

#endif
