/* SPDX-License-Identifier: MIT */
/*
 * number_writer.h - make the number overview of a finished history (state/history_numbers.h).
 */
#ifndef OVERVIEW_NUMBER_WRITER_H
#define OVERVIEW_NUMBER_WRITER_H

#include "base/io.h"
#include "overview/overview_options.h"
#include "overview/state_counts.h"

/* Where it comes from. */
struct number_source {
	const struct io *io;
	const char *path; /* of the history */
	struct histree_query *query;
	const struct state_counts *counts;
	const struct overview_options *options; /* without zeros */
	const struct overview_progress *progress;
};

/*
 * Write the number overview if it pays, of `bytes_max` bytes at most; *bytes is what it has, 0 if there is none.
 * Reads the history once, seldom more often.  On failure the file may be there.
 */
enum histree_status numbers_write(const struct number_source *source, uint64_t bytes_max, uint64_t *bytes,
				  struct histree_error *error);

#endif
