/* SPDX-License-Identifier: MIT */
/*
 * critical_path.h - why a thread was not done earlier: what it waited for, and what that waited for in turn.
 *
 * The analysis `graph` makes a history of who waited for whom.  Each thread has a line of vertices, the times at
 * which it was switched to or from, woken, or woke another one; the edge between two of them is the state of the
 * thread from the one to the other, and an arrow leads from the vertex of who woke to that of who was woken:
 *
 *	Threads/TID			int: enum histree_graph_state, an edge; null where there is none
 *	Threads/TID/Woken_by		int: the thread whose vertex at the start of this edge an arrow comes from
 *	Threads/TID/Received_from	int: the same for a packet, which was
 *	Threads/TID/Sent_at		long: sent at that time, a vertex of the sender
 *	Threads/TID/Received		string: a packet that may come from another host, SEQ/ACK/FLAGS
 *	Threads/TID/Name		string: all the time, the last one
 *	Packets/N		string: a packet that was sent, by whom: SEQ/ACK/FLAGS/TID; N is 0 to 255
 *
 * Thread 0 is the idle loop of all CPUs, thread -1 the kernel where it works for nobody.
 *
 * The critical path of a thread goes along its edges.  Where it was blocked, the path is instead that of the
 * thread that ended this, back to when it began to be blocked, and so on; so it is never a wait for another
 * thread's work, but that work.  (Yang and Miller, Critical path analysis for the execution of parallel and
 * distributed programs, 1988; Giraldeau and Dagenais, Wait analysis of distributed systems using kernel tracing,
 * 2016; the rules here, and what is odd about them, are those of Trace Compass, step by step.)
 *
 *	histree_critical_path_create(history, &path, &error);
 *	histree_critical_path_start(path, 0, tid, from, to, &error);
 *	while ((status = histree_critical_path_next(path, &step, &error)) == HISTREE_OK)
 *		...;			// HISTREE_END, or the error
 *	histree_critical_path_free(path);
 *
 * Threads: a path belongs to one thread; any number of them may run on one history.
 */
#ifndef HISTREE_CRITICAL_PATH_H
#define HISTREE_CRITICAL_PATH_H

#include "history.h"

enum histree_graph_state {
	HISTREE_GRAPH_UNKNOWN,
	HISTREE_GRAPH_RUNNING,
	HISTREE_GRAPH_PREEMPTED, /* it could run, but had no CPU */
	HISTREE_GRAPH_BLOCKED,   /* until another thread, or an interrupt of no known kind, woke it */
	HISTREE_GRAPH_NETWORK,   /* until a packet came */
	HISTREE_GRAPH_TIMER,
	HISTREE_GRAPH_BLOCK_DEVICE,
	HISTREE_GRAPH_INTERRUPTED,
	HISTREE_GRAPH_DEFAULT, /* an arrow, or what joins two steps of a path: nothing is known of it */
};
#define HISTREE_GRAPH_STATE_COUNT 9

enum { HISTREE_IDLE_TID = 0, HISTREE_KERNEL_TID = -1 };

/* Returns "RUNNING" and so on. */
HISTREE_API const char *histree_graph_state_name(enum histree_graph_state state);

/* A state of a thread from `start` to `end`, or an arrow from it to another one; the next step begins at `end`. */
struct histree_path_step {
	bool is_arrow;
	histree_time start, end;
	size_t host, to_host;           /* in histree_history_hosts(); 0 if the history is of one host */
	int32_t tid, to_tid;            /* those with `to`: of an arrow; else the same */
	enum histree_graph_state state; /* of an arrow: DEFAULT or NETWORK */
};

struct histree_critical_path;

/*
 * Create the critical paths of a history that the analysis `graph` made.  Returns HISTREE_ERR_ARGUMENT if it is
 * another one.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_critical_path_create(struct histree_history *history,
										struct histree_critical_path **out,
										struct histree_error *error);

/*
 * Start the path of a thread of a host (an index into histree_history_hosts(); 0 if it is of one), with its first
 * vertex at or after `from`, up to its first one at or after `to`.  It may be started any number of times.
 * Returns HISTREE_NOT_FOUND if there is no such thread, or nothing of it in that time.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_critical_path_start(struct histree_critical_path *path,
									       size_t host, int32_t tid,
									       histree_time from, histree_time to,
									       struct histree_error *error);

/*
 * Get the next step.  Steps come in the order of time; returns HISTREE_END after the last one.  Memory grows with
 * the longest wait on the path, not with the path.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_critical_path_next(struct histree_critical_path *path,
									      struct histree_path_step *out,
									      struct histree_error *error);

/* Returns the name of a thread of the graph as snprintf() would; its length is 0 if none is known. */
HISTREE_API size_t histree_critical_path_name(struct histree_critical_path *path, size_t host, int32_t tid,
					      char *buffer, size_t capacity);

HISTREE_API void histree_critical_path_free(struct histree_critical_path *path);

#endif
