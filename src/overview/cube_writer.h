/* SPDX-License-Identifier: MIT */
/*
 * cube_writer.h - make the cube of a finished kernel history (state/history_cube.h).
 *
 * It is used as a sum_writer is.  The cells are in memory until all windows were taken, and become wider as often
 * as they are too large for the file.
 */
#ifndef OVERVIEW_CUBE_WRITER_H
#define OVERVIEW_CUBE_WRITER_H

#include "overview/ladder_file.h"

struct cube_writer;

/* Of `bytes_max` bytes at most. */
enum histree_status cube_writer_begin(const struct ladder_source *source, uint64_t bytes_max,
				      struct cube_writer **out, struct histree_error *error);

/*
 * Choose the threads of which a choice has attributes: theirs are what cube_writer_choice() says.  Others are read
 * in the end, a part of them at a time.  Nothing is chosen if there is no cube, or its threads cost too much.
 */
enum histree_status cube_writer_choose(struct cube_writer *writer, const struct overview_choice *among,
				       struct histree_error *error);

/* Whether there is likely to be a cube. */
bool cube_writer_is_wanted(const struct cube_writer *writer);

const struct overview_choice *cube_writer_choice(const struct cube_writer *writer);

enum histree_status cube_writer_take(struct cube_writer *writer, const uint32_t *attributes,
				     const struct overview_window *window, struct histree_error *error);

/* All windows were taken: now the other threads are read.  *bytes is what the file has, 0 if there is none. */
enum histree_status cube_writer_end(struct cube_writer *writer, uint64_t *bytes, struct histree_error *error);

/* NULL does nothing.  A file that was begun and not ended may be there. */
void cube_writer_free(struct cube_writer *writer);

#endif
