/* SPDX-License-Identifier: MIT */
/*
 * viewer_flows.h - the arrows of a file: forks and wake-ups of threads, and flows of a trace of tracks.
 *
 * They are read from where arrows.h has them, but one after another: a list for a chart is thinned to its pixels.
 */
#ifndef EXPORT_VIEWER_VIEWER_FLOWS_H
#define EXPORT_VIEWER_VIEWER_FLOWS_H

#include "export/viewer/viewer_rows.h"
#include "export/viewer/viewer_walk.h"

struct viewer_segment_flows {
	struct histree_segment_iter *iter; /* NULL: none */
	size_t from_field, to_field;
	bool has_next;
	struct viewer_arrow next;
};

struct viewer_fork {
	histree_time time;
	int32_t from, to;
};

struct viewer_flows {
	struct viewer_walk *walk;
	struct viewer_rows *rows;
	struct viewer_segment_flows wakeups, flows;
	struct viewer_fork *forks; /* by time */
	size_t fork_count, fork_capacity, fork_next;
};

/* Returns the status of the file; viewer_flows_release() must be called either way. */
enum histree_status viewer_flows_begin(struct viewer_flows *flows, struct viewer_walk *walk,
				       struct viewer_rows *rows);

/* Write those that begin before a time.  Returns the status of the file. */
enum histree_status viewer_flows_write(struct viewer_flows *flows, histree_time before);

void viewer_flows_release(struct viewer_flows *flows);

#endif
