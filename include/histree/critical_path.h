/* SPDX-License-Identifier: MIT */
/*
 * critical_path.h - why a thread did not finish earlier: what it waited for, and what that waited for in turn.
 *
 * The analysis `graph` makes a history of which thread waited for which.  Each thread has a line of vertices, the
 * times at which it was switched to or from, was woken, or woke another one; the edge between two of them is the
 * state of the thread during that time, and an arrow leads from the vertex of the waker to that of the woken
 * thread:
 *
 *	Threads/TID			int: enum histree_graph_state, an edge; null where there is no edge
 *	Threads/TID/Woken_by		int: the thread whose vertex at the start of this edge an arrow comes from
 *	Threads/TID/Received_from	int: likewise, where the arrow is a packet: the thread that sent it
 *	Threads/TID/Sent_at		long: when that packet was sent; a vertex of the sender
 *	Threads/TID/Received		string: a packet that may come from another host, SEQ/ACK/FLAGS
 *	Threads/TID/Name		string: the last name of the thread, at all times; if several threads had
 *					the number, that of each in its time
 *	Packets/N		string: a packet that was sent, and its sender: SEQ/ACK/FLAGS/TID; N is 0 to 255
 *
 * Thread 0 is the idle loop of all CPUs; thread -1 is the kernel when it works for no thread.
 *
 * The critical path of a thread goes along its edges.  Where the thread was blocked, the path goes to the thread
 * that woke it and follows that one back to when the wait began, and so on.  The path thus shows the work of the
 * other thread in place of the wait for it.  (Yang and Miller, Critical path analysis for the execution of
 * parallel and distributed programs, 1988; Giraldeau and Dagenais, Wait analysis of distributed systems using
 * kernel tracing, 2016; the rules here, with their quirks, are those of Trace Compass, step by step.)
 *
 *	histree_critical_path_create(history, &cursor, &error);
 *	request = (struct histree_path_request){ .tid = tid, .from = t1, .to = t2 };
 *	histree_critical_path_start(cursor, &request, &error);
 *	while ((status = histree_cursor_next(cursor, &error)) == HISTREE_OK)
 *		step = histree_cursor_path_step(cursor);
 *	histree_cursor_free(cursor);		// cursor.h
 */
#ifndef HISTREE_CRITICAL_PATH_H
#define HISTREE_CRITICAL_PATH_H

#include "cursor.h"
#include "history.h"
#include "status.h"

enum histree_graph_state {
	HISTREE_GRAPH_UNKNOWN,
	HISTREE_GRAPH_RUNNING,
	HISTREE_GRAPH_PREEMPTED, /* it waited for a CPU */
	HISTREE_GRAPH_BLOCKED,   /* until another thread, or an interrupt of no known kind, woke it */
	HISTREE_GRAPH_NETWORK,   /* until a packet came */
	HISTREE_GRAPH_TIMER,
	HISTREE_GRAPH_BLOCK_DEVICE,
	HISTREE_GRAPH_INTERRUPTED,
	HISTREE_GRAPH_DEFAULT, /* an arrow, or a joint between two steps of a path: the cause is not known */
};
#define HISTREE_GRAPH_STATE_COUNT 9

enum { HISTREE_IDLE_TID = 0, HISTREE_KERNEL_TID = -1 };

/* Returns "RUNNING" and so on. */
HISTREE_API const char *histree_graph_state_name(enum histree_graph_state state);

/*
 * A state of a thread from `start` to `end`, or an arrow from it to another thread; the next step begins at
 * `end`.
 */
struct histree_path_step {
	bool is_arrow;
	histree_time start, end;
	size_t host, to_host;           /* in histree_history_hosts(); 0 if the history is of one host */
	int32_t tid, to_tid;            /* `to_tid` and `to_host` differ for an arrow only */
	enum histree_graph_state state; /* for an arrow: DEFAULT or NETWORK */
};

/*
 * The rules by which a path is found.  Those of Trace Compass have quirks; ours differ where the quirks would
 * mislead a reader (docs/design/09-kernel-analyses.md):
 *
 *	- a thread that was woken waits for a CPU until it has one, even if it is woken again meanwhile;
 *	- the idle loop and the kernel working for no thread make no thread wait: each is one line for all CPUs,
 *	  so the path does not continue there, and the wait is shown as it is;
 *	- an arrow is followed where a wait ends or where a thread begins, if its cause happened during the
 *	  wait, and if it comes from a different thread;
 *	- a wait whose cause is not known stays a wait of the thread that waited, and is never left out.
 *
 * By our rules, the steps of a path follow one another without a gap and without going back in time, from `from`
 * or the beginning of the thread, whichever is later, to `to` or the end of the thread, whichever is earlier.
 */
enum histree_path_rules { HISTREE_PATH_RULES_TRACE_COMPASS, HISTREE_PATH_RULES_OWN };

/* Where our rules depart from those of Trace Compass. */
enum histree_path_rule {
	HISTREE_PATH_WOKEN_AGAIN, /* it waited for a CPU, and was woken once more */
	HISTREE_PATH_FROM_IDLE,   /* the arrow came from the idle loop, or from the kernel working for no thread */
	HISTREE_PATH_FROM_ITSELF, /* the arrow came from the thread itself */
	HISTREE_PATH_SENT_BEFORE, /* the packet was on its way before the wait began */
	HISTREE_PATH_WAIT_KEPT,   /* during the wait, another thread was blocked whose waker is not known */
	/* The thread that ended the wait began, or was seen first, after the wait had begun */
	HISTREE_PATH_BEGINS_LATER,
};
#define HISTREE_PATH_RULE_COUNT 6

/* How many departures there were, how long their waits were in total and at most, and when the longest began. */
struct histree_path_departure {
	uint64_t count, ns, longest_ns;
	histree_time longest_start;
};

struct histree_path_request {
	enum histree_path_rules rules;
	size_t host; /* an index into histree_history_hosts(); 0 if the history is of one host */
	int32_t tid;
	/*
	 * By the rules of Trace Compass: from the first vertex of the thread at or after `from`, to its first one
	 * at or after `to`.  By our rules: exactly from `from` to `to`, which is the first nanosecond that is not
	 * on the path.
	 */
	histree_time from, to;
	/*
	 * Hand out, in place of steps, the waits of the thread itself (struct histree_path_wait), with at most
	 * `depth` wakers each, in the order of time and within the times of the path.  Starting returns
	 * HISTREE_ERR_ARGUMENT unless the rules are ours and `depth` is at most HISTREE_PATH_WAKERS_MAX.
	 */
	bool waits;
	unsigned depth;
	struct histree_work work;
};

/*
 * Create a cursor for critical paths in a history made by the analysis `graph`.  Returns HISTREE_ERR_ARGUMENT if
 * another analysis made the history.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_critical_path_create(struct histree_history *history,
										struct histree_cursor **out,
										struct histree_error *error);

/*
 * Start a path, any number of times.  Steps come in the order of time; memory grows with the longest wait on the
 * path, not with the path.  Returns HISTREE_NOT_FOUND if there is no such thread, or if the history has nothing
 * of it in that time.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_critical_path_start(struct histree_cursor *path, const struct histree_path_request *request,
			    struct histree_error *error);

/* Returns the departures on the path so far: an array of HISTREE_PATH_RULE_COUNT, borrowed from the cursor. */
HISTREE_API const struct histree_path_departure *
histree_critical_path_departures(const struct histree_cursor *path);

/* The thread that woke another, and when. */
struct histree_path_waker {
	size_t host; /* in histree_history_hosts(); 0 if the history is of one host */
	int32_t tid;
	histree_time time;
};

#define HISTREE_PATH_WAKERS_MAX 16

/* A period in which a thread had no CPU. */
struct histree_path_wait {
	histree_time start, end; /* `end` is the first nanosecond after it */
	enum histree_graph_state state;
	/*
	 * The first is the thread that ended the wait, the second the one that ended the last wait of the first
	 * during this wait, and so on.  The chain ends where a waker is not known, or is an interrupt or an idle
	 * CPU.
	 */
	struct histree_path_waker wakers[HISTREE_PATH_WAKERS_MAX];
	unsigned waker_count;
};

/*
 * Packets between hosts of a united graph that reached a thread, or woke one, from `from` to `to`, both
 * inclusive.
 */
struct histree_packets_request {
	histree_time from, to;
	size_t count_max; /* for each host */
	/*
	 * Called for each packet, in no particular order, with an arrow of state HISTREE_GRAPH_NETWORK.  Any
	 * status other than HISTREE_OK ends the visit.
	 */
	enum histree_status (*visit)(void *context, const struct histree_path_step *packet,
				     struct histree_error *error);
	void *context;
	struct histree_work work;
};

/*
 * Visit packets.  The path that the cursor is reading is not disturbed.  Returns HISTREE_NOT_FOUND if a host has
 * more than `count_max` packets; those of the hosts before it have then been visited.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_critical_path_packets(struct histree_cursor *path, const struct histree_packets_request *request,
			      struct histree_error *error);

/*
 * Write the name of the thread that has the number `tid` at `time`, or else of the next or the last thread that
 * had it, as snprintf() would.  Returns the length of the name, 0 if no name is known.
 */
HISTREE_API size_t histree_critical_path_name(struct histree_cursor *path, size_t host, int32_t tid,
					      histree_time time, char *buffer, size_t capacity);

/*
 * Returns the time from which the thread that has the number `tid` at `time` has had it: its creation if another
 * thread had the number before, else the start of the history; INT64_MIN if there is no such thread.
 */
HISTREE_API histree_time histree_critical_path_life(struct histree_cursor *path, size_t host, int32_t tid,
						    histree_time time);

HISTREE_API void histree_cursor_free(struct histree_cursor *path);

#endif
