/* SPDX-License-Identifier: MIT */
/*
 * number_writer.h - make the number overview of a finished history (state/history_numbers.h).
 *
 * Whoever walks through the history for its overviews hands the windows over:
 *
 *	number_writer_begin(source, bytes_max, &writer, &error);
 *	number_writer_choice(writer);		// what windows are to have; none: there is nothing to make
 *	number_writer_take(writer, window, attributes, &error);
 *	number_writer_end(writer, &bytes, &error);
 */
#ifndef OVERVIEW_NUMBER_WRITER_H
#define OVERVIEW_NUMBER_WRITER_H

#include "overview/ladder_file.h"

struct number_writer;

/* Choose the attributes of an overview of `bytes_max` bytes at most, and begin its file if there are any. */
enum histree_status number_writer_begin(const struct ladder_source *source, uint64_t bytes_max,
					struct number_writer **out, struct histree_error *error);

const struct overview_choice *number_writer_choice(const struct number_writer *writer);

/* The next window, sorted; `attributes` as number_ladder_add_window() has it. */
enum histree_status number_writer_take(struct number_writer *writer, const uint32_t *attributes,
				       const struct overview_window *window, struct histree_error *error);

/*
 * All windows were taken.  *bytes is what the file has, 0 if there is none.  One that is too large is made again,
 * for which the history is read once more.
 */
enum histree_status number_writer_end(struct number_writer *writer, uint64_t *bytes, struct histree_error *error);

/* NULL does nothing.  A file that was begun and not ended may be there. */
void number_writer_free(struct number_writer *writer);

#endif
