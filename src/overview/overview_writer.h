/* SPDX-License-Identifier: MIT */
/*
 * overview_writer.h - make the pyramids of a finished history (state/pyramid.h): it goes by in windows of time, and
 * what comes of each goes into all of them (docs/design/05-pyramid.md).
 *
 * How many bytes a level of rows is likely to have is tried first, of a few windows of the history, which are read
 * once, lie in memory, and are made fewer for each choice that is tried (docs/design/05-pyramid.md).
 */
#ifndef OVERVIEW_OVERVIEW_WRITER_H
#define OVERVIEW_OVERVIEW_WRITER_H

#include "base/io.h"
#include "histree/history.h"
#include "overview/overview_choice.h"
#include "overview/overview_window.h"
#include "state/attributes.h"
#include "state/ongoing_states.h"

struct overview_feed;
struct table_space;

enum { OVERVIEW_TRIAL_WINDOWS = 3 };

/* A zeroed one has read nothing. */
struct overview_trial {
	struct histree_history_info of;
	struct overview_choice choice; /* what was read, with the widths that are tried */
	uint64_t windows;              /* that the history has, about */
	size_t count;                  /* of those that were read; 0: the history is too short for a trial */
	struct overview_window read[OVERVIEW_TRIAL_WINDOWS];
};

/* Reads some windows of the choice, with about `states` states in each. */
enum histree_status overview_trial_read(struct overview_trial *trial, struct histree_history *history,
					const struct overview_choice *choice, size_t states_in_window,
					struct histree_error *error);

/* Gets the bytes that an overview of a choice is likely to have: of the one that was read, or of some of that. */
enum histree_status overview_trial_bytes(struct overview_trial *trial, const struct overview_choice *choice,
					 const struct overview_options *options, uint64_t *bytes,
					 struct histree_error *error);
void overview_trial_release(struct overview_trial *trial);

/*
 * Writes the overviews next to the history at a path, which is complete.  Reads it twice, and each level of rows
 * once for the next.  Takes 60 bytes of memory for each state in a window, and 4 for each attribute.  On
 * failure no overview is left.  What a feed has is not read; NULL: nothing was fed.
 */
enum histree_status overviews_write_fed(const struct io *io, const char *path,
					const struct overview_options *options, struct overview_feed *feed,
					struct histree_error *error);

static inline enum histree_status overviews_write(const struct io *io, const char *path,
						  const struct overview_options *options,
						  struct histree_error *error)
{
	return overviews_write_fed(io, path, options, NULL, error);
}

#endif
