/* SPDX-License-Identifier: MIT */
/*
 * perf_part.h - the bytes in which records of a recording are: those of a perf.data, or one of several files.
 *
 * `perf record --threads` writes a folder: the file "data" is as a perf.data, with what perf itself says as its
 * records, and data.0 and so on have nothing but the records of one buffer each, that of a CPU, in the order in
 * which the kernel wrote them, without rounds.  Sources: of Linux tools/perf
 * Documentation/perf.data-directory-format.txt and builtin-record.c.
 */
#ifndef TRACE_PERF_PERF_PART_H
#define TRACE_PERF_PERF_PART_H

#include "trace/trace_window.h"

struct perf_part {
	struct trace_window window;
	char *path;          /* its own; NULL: the window has that of another */
	uint64_t size;       /* of the file */
	uint64_t begin, end; /* of the records, in the file */
	bool is_big;         /* its numbers begin with the highest byte */
	bool is_cut;         /* it ends before its records do */
	bool is_compressed;  /* some records are inside others */
};

/* The parts of a folder.  A zeroed one is empty. */
struct perf_parts {
	struct perf_part *parts; /* data.0 and so on */
	size_t count;
};

/*
 * Find the parts beside a file "data".  Returns HISTREE_ERR_TRACE if there are none; HISTREE_ERR_IO, as if one
 * before others is missing; HISTREE_ERR_MEMORY.
 */
enum histree_status perf_parts_find(struct perf_parts *parts, const struct io *io, const char *data, bool is_big,
				    struct histree_error *error);

void perf_parts_release(struct perf_parts *parts);

#endif
