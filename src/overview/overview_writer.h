/* SPDX-License-Identifier: MIT */
/*
 * overview_writer.h - make the overviews of a finished history (state/history_overviews.h,
 * docs/design/0013-overviews.md).
 */
#ifndef OVERVIEW_OVERVIEW_WRITER_H
#define OVERVIEW_OVERVIEW_WRITER_H

#include "base/io.h"
#include "histree/history.h"

/* Zero means the default. */
struct overview_options {
	uint64_t history_states_min; /* a history with fewer is read as it is; 4 Mi */
	uint32_t states_min;         /* of an attribute that goes into an overview; 1,024 */
	uint32_t states_in_cell;     /* of the first overview, on average; 64 */
	uint32_t states_in_window;   /* that are in memory at once, about; 256 Ki */
	uint32_t cells_min;          /* over the life of an attribute, in the first overview; 8,192 */
	uint32_t cost_max_share; /* of the history's states, the first overview has a tenth at most, about; 10 */
	uint32_t threads;        /* as in struct histree_tree_options */
	/* Asked now and then, with the share that is done, 0 to 1; false: HISTREE_ERR_CANCELLED.  May be NULL. */
	bool (*go_on)(void *context, double share);
	void *context;
};

/*
 * Beside the history at a path, which is complete.  Reads it twice, and each overview once for the next.  Memory:
 * 60 bytes a state in a window, and 4 bytes an attribute.  On failure no overview is left.
 */
enum histree_status overviews_write(const struct io *io, const char *path, const struct overview_options *options,
				    struct histree_error *error);

#endif
