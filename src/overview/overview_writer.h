/* SPDX-License-Identifier: MIT */
/*
 * overview_writer.h - make the overviews of a finished history (state/history_overviews.h,
 * docs/design/0013-overviews.md).
 */
#ifndef OVERVIEW_OVERVIEW_WRITER_H
#define OVERVIEW_OVERVIEW_WRITER_H

#include "base/io.h"
#include "histree/history.h"
#include "overview/overview_options.h"

/*
 * Writes the overviews next to the history at a path, which is complete.  Reads the history twice, and each
 * overview once for the next.  Takes 60 bytes of memory for each state in a window, and 4 for each attribute.  On
 * failure no overview is left.
 */
enum histree_status overviews_write(const struct io *io, const char *path, const struct overview_options *options,
				    struct histree_error *error);

#endif
