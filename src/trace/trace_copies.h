/* SPDX-License-Identifier: MIT */
/*
 * trace_copies.h - files that an input has more than once: a recording that is named twice, by other paths or as
 * a copy of it.  Each is taken once.
 *
 * Copies of CTF traces are found packet by packet (trace_repeats.h); this is for traces that are one file.
 */
#ifndef TRACE_TRACE_COPIES_H
#define TRACE_TRACE_COPIES_H

#include "trace/trace_source.h"

/*
 * Mark the sources of which one before has all bytes, and say so in the notes.  A file that cannot be read is no
 * copy.  Returns HISTREE_ERR_MEMORY.
 */
enum histree_status trace_copies_find(struct trace_source *const *sources, size_t count, struct trace_notes *notes,
				      struct histree_error *error);

#endif
