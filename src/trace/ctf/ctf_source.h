/* SPDX-License-Identifier: MIT */
/*
 * ctf_source.h - one CTF trace in a folder: its metadata, its stream files, and the streams that they make.
 *
 * A file is a stream, unless the trace says that several files belong to one stream (LTTng with limited file
 * sizes): these are one stream, with their packets in the order of time.
 */
#ifndef TRACE_CTF_CTF_SOURCE_H
#define TRACE_CTF_CTF_SOURCE_H

#include "trace/ctf/ctf_reader.h"
#include "trace/ctf/ctf_schema.h"
#include "trace/trace_source.h"

struct ctf_source {
	struct trace_source base; /* its path is that of the folder */
	struct ctf_schema schema;
	struct ctf_decoder decoder;
	struct ctf_file *files; /* by name */
	size_t file_capacity;
	struct ctf_reader *readers;
	size_t reader_count;
	uint64_t packet_count; /* of all files */
};

/* Mark the packets of the traces that are taken elsewhere, and say so in the notes. */
enum histree_status ctf_repeats_find(struct ctf_source *const *sources, size_t count, struct trace_notes *notes,
				     struct histree_error *error);

/* Returns the source that this is the base of. */
static inline struct ctf_source *ctf_source_of(struct trace_source *source)
{
	return (struct ctf_source *)source;
}

#endif
