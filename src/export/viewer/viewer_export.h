/* SPDX-License-Identifier: MIT */
/*
 * viewer_export.h - a viewer's file made from a history, segments or events, in the order of time.
 */
#ifndef EXPORT_VIEWER_VIEWER_EXPORT_H
#define EXPORT_VIEWER_VIEWER_EXPORT_H

#include "base/cursor.h"
#include "export/viewer/viewer_file.h"
#include "histree/export.h"

/* What histree_export_viewer() does, with a table of file calls. */
enum histree_status viewer_export(const struct histree_viewer_request *request, const struct io *io,
				  const char *path, struct histree_error *error);

#endif
