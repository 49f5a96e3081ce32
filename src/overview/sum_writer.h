/* SPDX-License-Identifier: MIT */
/*
 * sum_writer.h - make the overview of sums of a finished history (state/history_sums.h).
 *
 * Whoever walks through the history for its overviews hands the windows over, as to a number_writer:
 *
 *	sum_writer_begin(source, bytes_max, &writer, &error);
 *	sum_writer_choice(writer);		// what windows are to have; none: there is nothing to make
 *	sum_writer_take(writer, attributes, window, &error);
 *	sum_writer_end(writer, &bytes, &error);
 */
#ifndef OVERVIEW_SUM_WRITER_H
#define OVERVIEW_SUM_WRITER_H

#include "overview/ladder_file.h"

struct sum_writer;

/* Choose the attributes of an overview of `bytes_max` bytes at most, and begin its file if there are any. */
enum histree_status sum_writer_begin(const struct ladder_source *source, uint64_t bytes_max,
				     struct sum_writer **out, struct histree_error *error);

const struct overview_choice *sum_writer_choice(const struct sum_writer *writer);

/* The next window, sorted; `attributes` as sum_ladder_add_window() has it. */
enum histree_status sum_writer_take(struct sum_writer *writer, const uint32_t *attributes,
				    const struct overview_window *window, struct histree_error *error);

/*
 * All windows were taken.  *bytes is what the file has, 0 if there is none.  One that is too large is made again of
 * wider cells, for which the history is read once more.
 */
enum histree_status sum_writer_end(struct sum_writer *writer, uint64_t *bytes, struct histree_error *error);

/* NULL does nothing.  A file that was begun and not ended may be there. */
void sum_writer_free(struct sum_writer *writer);

#endif
