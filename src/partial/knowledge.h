/* SPDX-License-Identifier: MIT */
/*
 * knowledge.h - what a build knows at a checkpoint, as bytes: where it is in the trace, and what its analysis
 * knows.
 *
 * All numbers are varints.
 *
 *	origin		version, bytes of all stream files, how many there are, 1 if gaps are ignored
 *	knowledge	how many events and gaps came before; for each stream file its packet plus one (0: done) and
 *			how many events of that packet came before; then the bytes of the analysis
 */
#ifndef PARTIAL_KNOWLEDGE_H
#define PARTIAL_KNOWLEDGE_H

#include "base/saved_bytes.h"
#include "trace/trace.h"

enum { KNOWLEDGE_VERSION = 1 };

struct partial_origin {
	uint64_t trace_bytes;
	uint64_t file_count;
	bool ignores_gaps;
};

void partial_origin_put(const struct partial_origin *origin, struct saved_bytes *out);
enum histree_status partial_origin_read(const uint8_t *bytes, size_t size, struct partial_origin *out,
					struct histree_error *error);

void knowledge_put_place(uint64_t before, const struct trace_position *positions, size_t count,
			 struct saved_bytes *out);
/* `positions` has room for `count`.  What is left in the reader is the analysis's. */
void knowledge_read_place(struct byte_reader *reader, uint64_t *before, struct trace_position *positions,
			  size_t count);

#endif
