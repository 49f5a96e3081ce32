/* SPDX-License-Identifier: MIT */
/*
 * viewer_walk.h - the walk, in the order of time, that fills a viewer's file: its steps, its losses and failures;
 * and the walk over events.
 */
#ifndef EXPORT_VIEWER_VIEWER_WALK_H
#define EXPORT_VIEWER_VIEWER_WALK_H

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

/* Take note of what a cursor lost. */
static inline void viewer_walk_lose(struct viewer_walk *walk, struct histree_loss loss)
{
	loss_add(&walk->counts->loss, &loss);
}

/* Keep a failure of a call that has filled file->error.  Returns the status. */
static inline enum histree_status viewer_walk_fail(struct viewer_walk *walk, enum histree_status status)
{
	if (walk->file->status == HISTREE_OK)
		walk->file->status = status;
	return walk->file->status;
}

/* A step was taken, up to a time: show progress now and then.  Returns false if the walk is to end. */
bool viewer_walk_goes_on(struct viewer_walk *walk, histree_time time);

/* The walk over the events of the request. */
enum histree_status viewer_walk_events(struct viewer_walk *walk);

#endif
