/* SPDX-License-Identifier: MIT */
/*
 * graph_window.h - edges of a thread that follow one another, and the wake-ups of it, read by one query.
 *
 * A path that goes along a thread asks for one edge after the other.  Whoever asks for the neighbour of the edge
 * that it had last gets more of them, forwards or back: so many as it is likely to ask for, which grows as it goes
 * on.
 */
#ifndef GRAPH_GRAPH_WINDOW_H
#define GRAPH_GRAPH_WINDOW_H

#include "histree/critical_path.h"
#include "histree/query.h"

/* What a thread does for a while, or, if it is null, that it has no edge. */
struct graph_edge {
	histree_time start, end; /* inclusive */
	bool is_null;
	enum histree_graph_state state;
};

struct graph_wakeup {
	histree_time time;
	int64_t tid;
};

/* A zeroed one is empty. */
struct graph_window {
	histree_time from, to; /* all edges that meet this time, and all wake-ups in it; empty: from > to */
	uint64_t ns;           /* how long the next one is */
	struct graph_edge *edges;
	struct graph_wakeup *wakeups;
	size_t edge_count, edge_capacity, wakeup_count, wakeup_capacity;
};

/* What is read: attributes of a thread. */
struct graph_window_source {
	struct histree_query *query;
	histree_quark edges, woken_by; /* the latter is a child of the former; HISTREE_ROOT: there is none */
};

/* Returns the edge over a time, NULL if the window does not have it. */
const struct graph_edge *graph_window_edge(const struct graph_window *window, histree_time time);

/* Returns whether the window knows; *wakeup is then that at a time, NULL if there is none. */
bool graph_window_wakeup(const struct graph_window *window, histree_time time, const struct graph_wakeup **wakeup);

/*
 * Read edges from a time on, `way` 1, or back from it, -1.  Returns HISTREE_NOT_FOUND, without a message and with
 * nothing in the window, if some of it is not known: single queries say more of that.
 */
enum histree_status graph_window_read(struct graph_window *window, const struct graph_window_source *source,
				      const struct graph_edge *last, int way, struct histree_error *error);

/* Empty it, and give its memory back. */
void graph_window_release(struct graph_window *window);

/* An int that is the state of an edge; what is anything else is an edge of which nothing is known. */
enum histree_graph_state graph_state_of(const struct histree_value *value);

#endif
