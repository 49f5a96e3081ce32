/* SPDX-License-Identifier: MIT */
/*
 * ctf_facts.h - what the metadata of a CTF trace says of the trace as a whole: whose it is, and its clock.
 */
#ifndef TRACE_CTF_CTF_FACTS_H
#define TRACE_CTF_CTF_FACTS_H

#include "trace/trace_facts.h"

struct ctf_schema;

/* From the text of the metadata of CTF 1.8.  What cannot be understood is not known. */
void ctf_facts_read(const char *metadata, struct trace_facts *out);

/* From what the metadata of CTF 2 declare. */
void ctf_facts_take(const struct ctf_schema *schema, struct trace_facts *out);

#endif
