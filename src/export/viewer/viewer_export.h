/* SPDX-License-Identifier: MIT */
/*
 * viewer_export.h - a file for a viewer, of a history, segments or events: each goes by in order of time and fills
 * it.
 */
#ifndef EXPORT_VIEWER_VIEWER_EXPORT_H
#define EXPORT_VIEWER_VIEWER_EXPORT_H

#include "base/cursor.h"
#include "export/viewer/viewer_file.h"
#include "histree/export.h"

struct viewer_walk {
	const struct histree_viewer_request *request;
	struct viewer_file *file;
	struct histree_export_counts *counts;
	uint64_t since_shown;        /* steps since progress was shown */
	double share_from, share_of; /* of all that is walked over; 0: it is all */
};

/* What histree_export_viewer() does, with a table of file calls. */
enum histree_status viewer_export(const struct histree_viewer_request *request, const struct io *io,
				  const char *path, struct histree_error *error);

#endif
