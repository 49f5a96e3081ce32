/* SPDX-License-Identifier: MIT */
/*
 * critical_path.h - what both sets of rules for finding a path share: the links of a wait, and the steps that were
 * found and not yet handed out.
 */
#ifndef GRAPH_CRITICAL_PATH_H
#define GRAPH_CRITICAL_PATH_H

#include "base/cursor.h"
#include "graph/graph_view.h"
#include "histree/status.h"

struct path_links {
	struct graph_link *all;
	size_t count, capacity;
};

/* A vertex with an arrow into it that was not followed, for the time when the way that was taken ends. */
struct path_fork {
	size_t reached; /* the links up to the one by which the vertex was reached; 0 if that is not among them */
	struct graph_link arrow;
};

struct critical_path {
	struct histree_cursor cursor;  /* of steps or of waits */
	struct histree_path_step step; /* handed out last */
	struct histree_path_wait wait;
	unsigned wakers_max; /* of a wait */
	struct graph_view view;
	struct path_links links; /* of the wait that is being resolved, and of those within it */
	struct path_fork *forks;
	size_t fork_count, fork_capacity;
	struct histree_path_step *steps; /* found, and not handed out yet */
	size_t step_count, step_capacity, handed_out;
	uint64_t walk;                /* number of the path */
	uint64_t tried, tried_max;    /* steps back so far, and how many there may be */
	struct graph_thread *thread;  /* whose path it is; NULL: it is over */
	histree_time first, next, to; /* its first vertex, its next one, and where to end */
	bool has_own_rules;           /* ours, not Trace Compass's: critical_path.h */
	struct histree_work work;
	struct histree_path_departure departures[HISTREE_PATH_RULE_COUNT];
};

#endif
