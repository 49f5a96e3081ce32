/* SPDX-License-Identifier: MIT */
/*
 * graph_lines.h - the vertices of threads on their way into a history (histree/critical_path.h).
 *
 * Of a line only the last vertex is known here: with the next one, the edge between them is an interval that goes
 * into the history, and with it the arrow into the vertex where it begins.  So memory grows with the threads, not
 * with the vertices.
 *
 * A number that is used again is another thread: its line has no edge to that of the one before, and a name of its
 * own from when it is made.
 */
#ifndef ANALYSIS_GRAPH_GRAPH_LINES_H
#define ANALYSIS_GRAPH_GRAPH_LINES_H

#include "analysis/changes.h"
#include "base/arena.h"
#include "base/id_map.h"
#include "base/intern.h"
#include "event/packet_text.h"
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
	struct id_map lines; /* struct graph_line, by tid */
	struct arena records;
	struct intern texts;
	histree_time start;   /* of the trace */
	histree_time gap_end; /* of the last gap so far: an edge that begins before its end is unknown */
};

/* What grows with the trace is in this space, which may be NULL. */
void graph_lines_init(struct graph_lines *lines, struct histree_state_system *system, struct table_space *tables);
void graph_lines_release(struct graph_lines *lines);

/* Returns the line of a thread, new or not; NULL if memory is out, which is remembered. */
struct graph_line *graph_line(struct graph_lines *lines, int32_t tid);

/* From now on it is called so. */
void graph_line_name(struct graph_lines *lines, struct graph_line *line, const char *name, size_t size);

/* Another thread has the number from now on. */
void graph_line_begin_again(struct graph_lines *lines, struct graph_line *line);

/*
 * Add a vertex now, at the end of an edge of this state.  Where the line has one at this time already, or a later
 * one, nothing is added, and the state is lost.
 */
void graph_line_extend(struct graph_lines *lines, struct graph_line *line, enum histree_graph_state state);

/* Add a vertex now, without an edge before it. */
void graph_line_break(struct graph_lines *lines, struct graph_line *line);

/* The arrow into the last vertex; another one that it had is gone. */
void graph_line_arrow(struct graph_line *line, struct graph_arrow arrow);

/* Whether the thread, whose last vertex is that at which it left its CPU to sleep, was being woken up then. */
void graph_line_woken_leaving(struct graph_line *line, bool is, int32_t waker);

/* A packet came to the vertex that was just added: it becomes the arrow into it if an edge follows. */
void graph_line_receive(const struct graph_lines *lines, struct graph_line *line, struct graph_arrow from);

/* The same for a packet whose sender is not of this host: who sent it is found when a path is walked. */
void graph_line_receive_packet(const struct graph_lines *lines, struct graph_line *line,
			       const struct packet_key *key);

/* The same, `time` being that of a vertex of the line which was added before the packet was seen. */
void graph_line_receive_earlier(struct graph_lines *lines, struct graph_line *line, histree_time time,
				const struct packet_key *key);

/* What came to `from` and was no arrow yet woke `target`, whose last vertex is now. */
void graph_line_hand_over(struct graph_line *from, struct graph_line *target);

/* There are no more vertices: the arrows into the last ones, and the names, go into the history. */
void graph_lines_finish(struct graph_lines *lines, histree_time end);

#endif
