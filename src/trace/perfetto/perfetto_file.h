/* SPDX-License-Identifier: MIT */
/*
 * perfetto_file.h - what a trace says of itself, wherever in the file it does: found by walking over its packets.
 */
#ifndef TRACE_PERFETTO_PERFETTO_FILE_H
#define TRACE_PERFETTO_PERFETTO_FILE_H

#include "trace/perfetto/perfetto_clocks.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/perfetto/perfetto_tracks.h"
#include "trace/trace_facts.h"

/* A zeroed one is closed. */
struct perfetto_file {
	struct trace_facts facts;
	char machine[TRACE_FACT_SIZE]; /* "x86_64" */
	struct perfetto_clocks clocks;
	struct perfetto_tracks tracks;
	bool has_ftrace, has_tracks; /* events of the kernel, and of tracks */
	bool has_markers;            /* of tracks, among the events of the kernel */
	bool has_samples;
	uint64_t size; /* of the file */
};

/* Returns HISTREE_ERR_TRACE if it is no trace of Perfetto, HISTREE_ERR_IO, HISTREE_ERR_MEMORY. */
enum histree_status perfetto_file_read(struct perfetto_file *file, const struct io *io, const char *path,
				       struct histree_error *error);

void perfetto_file_release(struct perfetto_file *file);

#endif
