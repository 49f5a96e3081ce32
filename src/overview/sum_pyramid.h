/* SPDX-License-Identifier: MIT */
/*
 * sum_pyramid.h - the pyramid of sums: how long an attribute had each value in a cell of time.
 *
 * The states of some attributes, each in the order of time, become sums of cells of 2^W ns, of
 * eight of these cells, and so on (docs/design/0078-sums.md).
 *
 * Make the overview of sums of a finished history (state/pyramid.h).
 *
 * Whoever walks through the history for its overviews hands the windows over, as to a number_writer:
 *
 * 	sum_writer_begin(source, bytes_max, &writer, &error);
 * 	sum_writer_choice(writer);		// what windows are to have; none: there is nothing to make
 * 	sum_writer_take(writer, attributes, window, &error);
 * 	sum_writer_end(writer, &bytes, &error);
 */
#ifndef OVERVIEW_SUM_PYRAMID_H
#define OVERVIEW_SUM_PYRAMID_H

#include "overview/overview_window.h"
#include "overview/pyramid_file.h"
#include "state/pyramid.h"
#include "state/state_sum.h"

/* All attributes together have so many rungs at most: 12 MiB. */
enum { SUM_RUNGS_MAX = 1 << 15 };

enum sum_content { SUM_NOTHING, SUM_CONSTANT, SUM_OF_NO_USE };

/* A cell that is being filled, and the cells before it that are all alike. */
struct sum_rung {
	struct state_sum sum;
	bool is_of_no_use; /* the cell, and all that follow */
	enum sum_content run;
	struct state_sum_part value; /* of the run, if that is not null */
	bool is_null;
	histree_time run_start, run_end;
};

/* A zeroed one is empty.  What is ready stays in `states` until these are cleared. */
struct sum_ladder {
	histree_time origin;
	unsigned width_log2; /* W */
	uint32_t levels;
	struct ladder_rungs *attributes; /* `own` is the caller's */
	size_t attribute_count, attributes_capacity;
	struct sum_rung *rungs;
	size_t rung_count, rungs_capacity;
	struct ladder_states states;
};

/* Forgets all that was added, and its attributes.  The history begins at `origin` and lasts `ns`, less 1. */
void sum_ladder_reset(struct sum_ladder *ladder, histree_time origin, uint64_t ns, unsigned width_log2);

/* Adds an attribute, whose number is the next one. */
enum histree_status sum_ladder_attribute(struct sum_ladder *ladder, struct histree_error *error);

/*
 * Adds the states of a window that is sorted; windows follow one another.  `attributes` says which of the ladder's
 * attributes each of the window's is, or OVERVIEW_NOT_OF_OTHER; NULL: they are the same.
 */
enum histree_status sum_ladder_add_window(struct sum_ladder *ladder, const uint32_t *attributes,
					  const struct overview_window *window, struct histree_error *error);
void sum_ladder_release(struct sum_ladder *ladder);

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
