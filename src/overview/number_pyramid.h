/* SPDX-License-Identifier: MIT */
/*
 * number_pyramid.h - the pyramid of numbers: summaries of states that follow one another.
 *
 * The states of some attributes, each in the order of time, become summaries of 2^B states, of
 * eight of these summaries, and so on (docs/design/0031-number-overviews.md).
 *
 * Make the number overview of a finished history (state/pyramid.h).
 *
 * Whoever walks through the history for its overviews hands the windows over:
 *
 * 	number_writer_begin(source, bytes_max, &writer, &error);
 * 	number_writer_choice(writer);		// what windows are to have; none: there is nothing to make
 * 	number_writer_take(writer, window, attributes, &error);
 * 	number_writer_end(writer, &bytes, &error);
 */
#ifndef OVERVIEW_NUMBER_PYRAMID_H
#define OVERVIEW_NUMBER_PYRAMID_H

#include "overview/overview_window.h"
#include "overview/pyramid_file.h"
#include "state/number_summary.h"
#include "state/pyramid.h"

/* All attributes together have so many at most: 14 MiB. */
enum { NUMBER_RUNGS_MAX = 1 << 15 };

/* A summary that is being filled. */
struct number_rung {
	histree_time start;
	uint32_t filled; /* states, or summaries of the rung below; 0: `start` is not known */
	struct number_summary summary;
};

/* A zeroed one is empty.  What is full stays in `states` until these are cleared. */
struct number_ladder {
	unsigned states_log2;            /* B */
	struct ladder_rungs *attributes; /* `own` is the caller's */
	size_t attribute_count, attributes_capacity;
	struct number_rung *rungs;
	size_t rung_count, rungs_capacity;
	struct ladder_states states;
};

/* Forgets all that was added, and its attributes. */
void number_ladder_reset(struct number_ladder *ladder, unsigned states_log2);

/* Adds an attribute, whose number is the next one. */
enum histree_status number_ladder_attribute(struct number_ladder *ladder, unsigned levels,
					    struct histree_error *error);

/*
 * Adds the states that end in a window, which are sorted.  `attributes` says which attribute of the ladder one of
 * the window is, OVERVIEW_NOT_OF_OTHER if none; NULL: they are the same.  All is closed with the window that ends
 * with the history, at `end`.
 */
enum histree_status number_ladder_add_window(struct number_ladder *ladder, const uint32_t *attributes,
					     const struct overview_window *window, histree_time end,
					     struct histree_error *error);
void number_ladder_release(struct number_ladder *ladder);

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
