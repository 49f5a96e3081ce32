/* SPDX-License-Identifier: MIT */
/*
 * overview_writer.h - makes the pyramids of a finished history (state/pyramid.h) from what was fed while it was
 * made; what was not fed then is fed in one pass through the history (docs/design/05-pyramid.md).
 */
#ifndef OVERVIEW_OVERVIEW_WRITER_H
#define OVERVIEW_OVERVIEW_WRITER_H

#include "base/io.h"
#include "histree/history.h"
#include "overview/overview_choice.h"

struct overview_feed;

/*
 * Write the overviews next to the history at a path, which is complete.  On failure no overview is left.  `feed`:
 * what was fed while it was made; NULL: nothing was.
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
