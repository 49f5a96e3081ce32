/* SPDX-License-Identifier: MIT */
/*
 * ctf_facts.h - what the metadata of a CTF trace say of the trace as a whole: its host, its tracer, its clock.
 *
 * Also texts of an event that are not in UTF-8, as UTF-8, and what a visit of its values needs.
 */
#ifndef TRACE_CTF_CTF_FACTS_H
#define TRACE_CTF_CTF_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/ctf/ctf_schema.h"
#include "trace/trace_source.h"

struct ctf_text; /* one that is kept */

/* A zeroed one is empty. */
struct ctf_texts {
	struct ctf_text *kept; /* until the next event */
	char *last;            /* until the next one */
	size_t last_capacity;
	uint64_t *slots; /* of a visit */
	size_t slot_capacity;
};

/*
 * Make *text, which has *size bytes in an encoding, UTF-8 that stays until the next event.  What is no character
 * becomes U+FFFD.  Returns false if memory is out.
 */
bool ctf_texts_keep(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size);

/* The same, until it is called again. */
bool ctf_texts_make(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size);

/* The texts that are kept are not needed any more. */
void ctf_texts_clear(struct ctf_texts *texts);
void ctf_texts_release(struct ctf_texts *texts);

struct ctf_schema;

/* From the text of the metadata of CTF 1.8.  What cannot be understood is not known. */
void ctf_facts_read(const char *metadata, struct trace_facts *out);

/* From what the metadata of CTF 2 declare. */
void ctf_facts_take(const struct ctf_schema *schema, struct trace_facts *out);

#endif
