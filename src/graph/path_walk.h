/* SPDX-License-Identifier: MIT */
/*
 * path_walk.h - what the rules by which a path is found have in common: the links of a wait, and the steps that
 * were found and are not handed out yet.
 */
#ifndef GRAPH_PATH_WALK_H
#define GRAPH_PATH_WALK_H

#include "graph/graph_view.h"
#include "histree/cancel.h"

/*
 * Waits within waits.  What is deeper than this stays the wait that it is; so do the waits of a path that has gone
 * back so often for each interval of the graph, which only happens where a graph was made to have more ways back
 * than anybody can try.
 */
enum { PATH_DEPTH_MAX = 4096, PATH_WORK_PER_INTERVAL = 4, PATH_WORK_MIN = 1 << 12 };

struct path_links {
	struct graph_link *all;
	size_t count, capacity;
};

/* A vertex with an arrow into it that was not followed, for the time when the way that was taken ends. */
struct path_fork {
	size_t reached; /* the links up to the one by which the vertex was reached; 0 if that is not among them */
	struct graph_link arrow;
};

struct histree_critical_path {
	struct graph_view view;
	struct path_links links; /* of the wait that is being resolved, and of those within it */
	struct path_fork *forks;
	size_t fork_count, fork_capacity;
	struct histree_path_step *steps; /* found, and not handed out yet */
	size_t step_count, step_capacity, handed_out;
	uint64_t walk;                /* number of the path */
	uint64_t work, work_max;      /* steps back so far, and how many there may be */
	struct graph_thread *thread;  /* whose path it is; NULL: it is over */
	histree_time first, next, to; /* its first vertex, its next one, and where to end */
	bool has_own_rules;           /* ours, not Trace Compass's: reason_walk.c */
	struct histree_cancel cancel;
	struct histree_path_departure departures[HISTREE_PATH_RULE_COUNT];
};

/* Return HISTREE_OK and say whether it was found. */
static inline enum histree_status path_found(enum histree_status status, bool *is_found)
{
	*is_found = status == HISTREE_OK;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

static inline bool path_is_wait(const struct graph_link *edge)
{
	return edge->state == HISTREE_GRAPH_BLOCKED || edge->state == HISTREE_GRAPH_NETWORK;
}

enum histree_status path_add_link(struct histree_critical_path *path, const struct graph_link *link,
				  struct histree_error *error);
enum histree_status path_add_step(struct histree_critical_path *path, const struct histree_path_step *step,
				  struct histree_error *error);

/* Begin a path anew, with nothing found. */
enum histree_status path_begin(struct histree_critical_path *path, const struct histree_path_request *request,
			       struct graph_thread **thread, struct histree_error *error);

/* Whether a wake-up ended an edge. */
bool path_ends_with_wakeup(const struct graph_link *edge);

/*
 * A thread that was woken and did not run since then waits for a CPU, whatever the edge says.  That is noted,
 * from `bound` on.
 */
enum histree_status path_correct_edge(struct histree_critical_path *path, struct graph_link *edge,
				      histree_time bound, struct histree_error *error);

/* Whether an arrow says whom a thread waited for since `start`; why not is noted. */
bool path_follows_arrow(struct histree_critical_path *path, const struct graph_link *arrow, histree_time start);

/* Find the steps of the next edge of the thread by our own rules. */
enum histree_status path_take_reasoned_edge(struct histree_critical_path *path, struct histree_error *error);

#endif
