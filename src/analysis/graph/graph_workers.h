/* SPDX-License-Identifier: MIT */
/*
 * graph_workers.h - the workers of a machine as the graph knows them: threads, the idle loop of each CPU, and the
 * kernel of each CPU where it works for no thread; and their vertices on the way into a history
 * (histree/critical_path.h).
 *
 * Of a line only the last vertex is known here: with the next one, the edge between them is an interval that goes
 * into the history, and with it the arrow into the vertex where it begins.  So memory grows with the threads, not
 * with the vertices.
 *
 * A number that is used again is another thread: its line has no edge to that of the one before, and a name of its
 * own from when it is made.
 *
 * A worker has a status and the one that it had before that: an edge that ends with a change has the state of the
 * status before.  To give it the status that it has moves this to the one before, too; Trace Compass's graphs
 * rest on that.
 */
#ifndef ANALYSIS_GRAPH_GRAPH_WORKERS_H
#define ANALYSIS_GRAPH_GRAPH_WORKERS_H

#include "analysis/changes.h"
#include "analysis/kernel/kernel_layout.h"
#include "base/arena.h"
#include "base/hash_index.h"
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

/* Returns the line of a thread, new or not; NULL if memory is out, which is remembered. */
struct graph_line *graph_line(struct graph_lines *lines, int32_t tid);

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

/* The first ones have the numbers of the state dump. */
enum worker_status {
	WORKER_UNKNOWN,
	WORKER_WAITS_AFTER_FORK,
	WORKER_WAITS_FOR_CPU,
	WORKER_EXITS,
	WORKER_IS_ZOMBIE,
	WORKER_WAITS_UNKNOWN,
	WORKER_RUNS,
	WORKER_IS_DEAD,
	WORKER_IS_BLOCKED,
	WORKER_STATUS_COUNT,
};

struct graph_worker {
	struct graph_line *line; /* that of all idle loops, or of the kernel of all CPUs, is one */
	uint8_t status, before;  /* enum worker_status */
	bool has_ended;          /* the next that is said of its number is of another thread */
	histree_time waking;     /* while it runs: when its last wake-up began; INT64_MIN: it was not woken */
	int32_t waker;
};

/* What a CPU does on top of the thread that it runs. */
struct graph_context {
	enum kernel_role entered; /* the role of the event by which it was entered */
	int32_t number;           /* of the interrupt or softirq; -1: without a number */
};

/* Who was woken in a softirq of the network before the event of any packet was seen in it. */
struct graph_early {
	struct graph_line *line;
	histree_time time;
};

enum { CONTEXTS_MAX = 16, EARLY_MAX = 4 };

struct graph_cpu {
	int32_t number;
	struct graph_worker *runs; /* NULL: not known */
	struct graph_worker *idle, *kernel;
	struct graph_context contexts[CONTEXTS_MAX];
	uint32_t context_count, early_count;
	struct graph_early early[EARLY_MAX]; /* since the softirq began, or its last packet came */
};

struct graph_workers {
	struct graph_lines lines;
	struct id_map threads; /* struct graph_worker, by tid */
	struct id_map cpus;    /* struct graph_cpu, by number */
	struct arena records;
};

void graph_workers_init(struct graph_workers *workers, struct histree_state_system *system,
			struct table_space *tables);
void graph_workers_release(struct graph_workers *workers);

/* Each returns NULL if memory is out, which is remembered, or if the trace does not say on which CPU. */
struct graph_cpu *graph_cpu(struct graph_workers *workers, int32_t number);
struct graph_worker *graph_kernel(struct graph_workers *workers, struct graph_cpu *cpu);

/* Returns the worker with this tid; idle loops are told apart by the CPU.  NULL: not known yet. */
struct graph_worker *graph_worker_find(const struct graph_workers *workers, int32_t tid,
				       const struct graph_cpu *cpu);

/* The same, made if it is not known or the last one with the number has ended; then it has this name. */
struct graph_worker *graph_worker(struct graph_workers *workers, int32_t tid, struct graph_cpu *cpu,
				  struct kernel_text name);
void graph_worker_name(struct graph_workers *workers, struct graph_worker *worker, struct kernel_text name);

static inline void graph_worker_set(struct graph_worker *worker, enum worker_status status)
{
	worker->before = worker->status;
	worker->status = (uint8_t)status;
}

/* Add a vertex, after an edge with the state of the status that it has, or that it had before that. */
void graph_worker_extend(struct graph_workers *workers, struct graph_worker *worker);
void graph_worker_change(struct graph_workers *workers, struct graph_worker *worker);

/* Events are missing, on one CPU or, if that is NULL, on any: which worker runs there is not known any more. */
void graph_workers_forget(struct graph_workers *workers, struct graph_cpu *cpu);

#endif
