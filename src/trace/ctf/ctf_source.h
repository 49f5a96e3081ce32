/* SPDX-License-Identifier: MIT */
/*
 * ctf_source.h - one CTF trace in a folder: its metadata, its stream files, and the streams that they make.
 *
 * A file is a stream, but where the trace says that several files are of one (LTTng, where files are limited in
 * size): those are one stream, of their packets in the order of their times.
 */
#ifndef TRACE_CTF_CTF_SOURCE_H
#define TRACE_CTF_CTF_SOURCE_H

#include "trace/ctf/ctf_facts.h"
#include "trace/ctf/ctf_reader.h"

struct ctf_source {
	struct event_trace trace;
	char *path; /* of the folder */
	struct ctf_facts facts;
	struct ctf_schema schema;
	struct ctf_decoder decoder;
	struct ctf_file *files; /* by name */
	size_t file_count, file_capacity;
	struct ctf_reader *readers;
	size_t reader_count;
	uint64_t bytes, packet_count; /* of all files */
	histree_time last;            /* that the packets say; set by who wants it */
	struct trace_notes *notes;    /* shared by all traces of the input */
	uint32_t *class_count;
};

/*
 * Read the metadata and walk the files of a folder; everything in `source` but its `trace.id`, notes and count of
 * classes is zero.  Returns HISTREE_ERR_TRACE if the metadata cannot be read; damage of stream files is no error.
 */
enum histree_status ctf_source_scan(struct ctf_source *source, const char *path, struct histree_error *error);

/*
 * Make the streams.  `window_size` bytes of a file are read at a time.  first_packets is, for each file, the packet
 * that its stream begins with; NULL: all begin at the start, else each stream must be one file.
 */
enum histree_status ctf_source_open(struct ctf_source *source, size_t window_size, bool files_stay_open,
				    const uint64_t *first_packets, struct histree_error *error);

/* Returns whether each file is a stream, so that a packet of a file is a place in the trace. */
bool ctf_source_has_places(const struct ctf_source *source);

/*
 * Returns whether the packets say when the trace was recorded, and the first and last time that they say.  Packets
 * whose times are 0 say nothing.
 */
bool ctf_source_span(const struct ctf_source *source, histree_time *begin, histree_time *end);

/* Bytes of the stream files that were decoded, by the packets in them. */
uint64_t ctf_source_bytes_done(const struct ctf_source *source);

void ctf_source_close(struct ctf_source *source);

#endif
