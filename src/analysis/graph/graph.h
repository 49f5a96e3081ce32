/* SPDX-License-Identifier: MIT */
/*
 * graph.h - the analysis `graph`: which thread waited for which (histree/critical_path.h), as vertices, edges and
 * arrows of a history.
 *
 * *Workers* are what can work or wait in the graph: threads, the idle loop of each CPU, and the kernel on each CPU
 * when it works for no thread.
 *
 * Only the last vertex of a line is kept: when the next one comes, the edge between them is an interval that goes
 * into the history, together with the arrow into the vertex where it begins.  So memory grows with the threads, not
 * with the vertices.
 *
 * A reused number is a different thread: its line has no edge to the line of the earlier thread, and its own name
 * from its creation on.
 *
 * A worker has a status and a previous status: an edge that ends with a change has the state of the previous
 * status.  Setting the status to its present value also makes it the previous one; the graphs of Trace Compass
 * depend on that.
 */
#ifndef ANALYSIS_GRAPH_GRAPH_H
#define ANALYSIS_GRAPH_GRAPH_H

#include "analysis/changes.h"
#include "analysis/kernel/kernel_layout.h"
#include "base/arena.h"
#include "event/event.h"
#include "histree/critical_path.h"

enum graph_arrow_kind { NO_ARROW, ARROW_OF_WAKEUP, ARROW_OF_PACKET };

/* From a vertex of another line. */
struct graph_arrow {
	enum graph_arrow_kind kind;
	int32_t tid;
	histree_time time;
};

enum graph_attribute {
	GRAPH_STATE,
	GRAPH_WOKEN_BY,
	GRAPH_RECEIVED_FROM,
	GRAPH_SENT_AT,
	GRAPH_RECEIVED,
	GRAPH_WOKEN_LEAVING_BY,
	GRAPH_NAME,
	GRAPH_ATTRIBUTE_COUNT,
};

/* A packet that another host may have sent: its number here, and when it came; a zeroed one is no packet. */
struct graph_packet {
	bool is_there;
	struct packet_key key;
	histree_time time;
};

struct graph_line {
	struct graph_line *next; /* that was made after it */
	int32_t tid;
	bool has_vertex;
	histree_time last;       /* the last vertex */
	struct graph_arrow into; /* it */
	/* At the last vertex the thread went to sleep, and was being woken up by this one already. */
	bool is_woken_leaving;
	int32_t leaving_waker;
	/* A packet that came to the last vertex; an arrow once another vertex with an edge follows. */
	struct graph_arrow received;
	histree_time received_at;
	struct graph_packet packet,
		packet_into;       /* the same of one whose sender is not of this host; that into `last` */
	histree_time received_end; /* of the last packet that went into the history; 0: none did */
	uint32_t name;             /* of the texts */
	histree_time
		named_since; /* when the thread got the number of another one; INT64_MIN: it is the first one */
	histree_quark attributes[GRAPH_ATTRIBUTE_COUNT];
};

struct graph_lines {
	struct changes changes;
	histree_quark threads;
	struct graph_line *first, *last;  /* in the order in which they were made */
	struct graph_line *idle, *kernel; /* of all CPUs; NULL: not made yet */
	struct arena records;
	struct intern texts;
	histree_time start;   /* of the trace */
	histree_time gap_end; /* of the last gap so far: an edge that begins before its end is unknown */
};

#endif
