/* SPDX-License-Identifier: MIT */
/*
 * graph_view.h - the graph of which thread waited for which, read from its history: edges, arrows, packets.
 *
 * A vertex is a thread and a time.  The edge before it, the edge after it and the arrow into it cost a single
 * query or two each, or come from a window.
 *
 * A *window* is consecutive edges of a thread, and its wake-ups, read by one query.  A path along a thread reads
 * one edge after the other.  A request for the neighbour of the last edge reads several edges, forwards or back: as
 * many as the walk is likely to need, which grows as it continues.
 */
#ifndef GRAPH_GRAPH_VIEW_H
#define GRAPH_GRAPH_VIEW_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "histree/critical_path.h"
#include "histree/states.h"
#include "state/attributes.h"

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

/* A thread that ever received a packet which may come from another host. */
struct graph_receiver {
	histree_quark quark; /* of Received */
	int32_t tid;
};

/* The graph of one host. */
struct graph_host {
	uint32_t number;
	struct histree_history *history; /* NULL: missing */
	const struct histree_attributes *attributes;
	struct histree_cursor *query;
	histree_quark threads, packets;
	struct attribute_near near_threads, near_parts; /* where the last thread was found, and a part of one */
	struct graph_receiver *receivers;               /* sorted by quark, once they were asked for */
	size_t receiver_count, receiver_capacity;
	bool has_receivers;
};

/* What a thread of the graph has besides its edges. */
enum graph_part {
	GRAPH_WOKEN_BY,
	GRAPH_RECEIVED_FROM,
	GRAPH_SENT_AT,
	GRAPH_RECEIVED,
	GRAPH_NAME,
	GRAPH_WOKEN_LEAVING_BY
};

#define GRAPH_PART_COUNT 6

/*
 * A thread of the graph.  Most of those on a path are there for a moment, so that their parts are looked up when
 * they are first asked for.  Of those along which the path goes on and on, edges are read many at a time.
 */
struct graph_thread {
	struct graph_host *host;
	int32_t tid;
	histree_quark state;
	uint32_t known; /* bits of the parts that were looked up */
	histree_quark parts[GRAPH_PART_COUNT];
	/* of the last thread that was looked up, among the threads that had its number */
	histree_time life_from, life_to;
	bool has_edge;
	struct graph_edge edge;      /* that was asked for last */
	struct graph_window *window; /* NULL: its edges were not asked for one after the other */
	/* From the path being walked: its last vertex there. */
	uint64_t walk; /* by which that is known */
	histree_time last;
};

/* An edge of one thread, or an arrow between two. */
struct graph_link {
	struct graph_thread *from, *to;
	histree_time start, end;
	bool is_arrow;
	enum histree_graph_state state;
};

struct graph_view {
	struct graph_host *hosts;
	uint32_t host_count;
	struct id_map known; /* struct graph_thread, by host and tid */
	struct arena records;
	size_t window_count; /* of threads that have one */
};

enum histree_status graph_view_open(struct graph_view *view, struct histree_history *history,
				    struct histree_error *error);
void graph_view_release(struct graph_view *view);

/* Returns HISTREE_NOT_FOUND if the graph has no such host or thread. */
enum histree_status graph_view_thread(struct graph_view *view, size_t host, int32_t tid, struct graph_thread **out,
				      struct histree_error *error);

/* Returns HISTREE_ROOT if the thread has no such attribute. */
histree_quark graph_part(struct graph_thread *thread, enum graph_part part);

/* Each returns HISTREE_NOT_FOUND, without a message, if there is no such edge. */
enum histree_status graph_edge_before(struct graph_view *view, struct graph_thread *thread, histree_time time,
				      struct graph_link *out, struct histree_error *error);
enum histree_status graph_edge_after(struct graph_view *view, struct graph_thread *thread, histree_time time,
				     struct graph_link *out, struct histree_error *error);
enum histree_status graph_edge_over(struct graph_view *view, struct graph_thread *thread, histree_time time,
				    struct graph_link *out, struct histree_error *error);
enum histree_status graph_arrow_into(struct graph_view *view, struct graph_thread *thread, histree_time time,
				     struct graph_link *out, struct histree_error *error);

/* Find out whether a thread was being woken up already when it went to sleep, at the beginning of an edge. */
enum histree_status graph_was_woken_leaving(struct graph_thread *thread, histree_time time, bool *out,
					    struct histree_error *error);

/*
 * Find the packet from another host that arrived at a vertex: of those sent before it, the last.  Returns
 * HISTREE_NOT_FOUND without a message.
 */
enum histree_status graph_packet_into(struct graph_view *view, struct graph_thread *thread, histree_time time,
				      struct graph_link *out, struct histree_error *error);

/* Find the first edge that begins at a time or later. */
enum histree_status graph_edge_from(struct graph_view *view, struct graph_thread *thread, histree_time time,
				    struct graph_link *out, struct histree_error *error);

#endif
