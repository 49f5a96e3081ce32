/* SPDX-License-Identifier: MIT */
/*
 * view.h - the content of the views of a kernel trace: its threads as a tree, its resources, and how busy it was.
 *
 * A model is made from a history once and never changes; strings and arrays in it live as long as it does.  The
 * states of its rows come from rows.h, by quark.  Models need the attributes of the analyses `kernel`,
 * `kernel-compact`, `kernel-tc` and `kernel-2016` (histree-states(7)); a model of a history without them is
 * empty.
 *
 * A model is of one host.  For a history of several (history.h), make one for each of histree_history_hosts();
 * quark q of a host is folder + 1 + q of the union.  For the union itself, the models of threads and resources
 * are empty. CPU usage, density and the check that CPUs and threads agree take a union as well, since they are
 * sums.
 *
 * Threads: any number of threads may read a model.  Creating one uses a query of its own.
 */
#ifndef HISTREE_VIEW_H
#define HISTREE_VIEW_H

#include "cancel.h"
#include "history.h"
#include "labels.h"
#include "rows.h"

/* Stands in place of a missing index. */
#define HISTREE_NO_INDEX UINT32_MAX

/* ---- layouts ------------------------------------------------------------------------------------------------ */

/* Where a state is: an attribute, and which part of its value. */
struct histree_place {
	histree_quark quark;
	enum histree_part part;
};

/*
 * Find a state of the thread whose node is `thread`, by its name in the analysis `kernel`: "Prio", "PPID".  In
 * `kernel-compact` some are halves of pairs: take histree_value_part() of the value.  Returns false if the thread
 * has no such state.
 */
HISTREE_API bool histree_thread_place(const struct histree_attributes *attributes, histree_quark thread,
				      const char *state, struct histree_place *out);

/* ---- Control Flow ----------------------------------------------------------------------------------------- */

struct histree_thread {
	const char *name; /* the last name of its program; "" if not known */
	/* 0: the idle thread of a CPU; -1: the thread, not known, that ran before the first switch */
	int32_t tid;
	int32_t pid;         /* its process; its own tid if it is not known */
	bool has_process;    /* the history says to which process it belongs */
	int32_t ppid;        /* the thread that created it; -1 if not known */
	int32_t cpu;         /* of an idle thread; otherwise -1 */
	int32_t last_status; /* at the end of the history (histree-states(7)); -1 if the thread is gone */
	/* Its position among the threads that had this number one after another: 0, 1, ... */
	int32_t life;
	/* False: it has one status from `first` to the end of the history, or no status */
	bool has_changed;
	histree_time first, last; /* its first and last time with a status; first > last if it never had one */
	/*
	 * The times during which the number was its own.  States of its attributes outside of these are of other
	 * threads that had the number before or after it and share the attributes.
	 */
	histree_time from, to;
	/* When `ppid` became known: at `first` if the trace saw the thread made; INT64_MIN if never. */
	histree_time ppid_since;
	histree_quark node;        /* Threads/<tid> */
	histree_quark status;      /* the attribute with its status: the node itself, in kernel-2016 its child */
	histree_quark system_call; /* HISTREE_ROOT if it has no such attribute */
	uint32_t parent;           /* an index, or HISTREE_NO_INDEX at the top */
	uint32_t depth;            /* 0 at the top */
	uint32_t descendants;      /* number of them; they follow it in the array */
};

struct histree_control_flow;

/*
 * Make the tree of threads by PPID, depth first: a thread is followed by all its descendants.  Siblings that
 * changed, or have a descendant that changed, come before those where nothing happened; within each group the
 * order is that of `first`, then tid.  So the active threads are not lost among hundreds of sleeping ones.  The
 * idle loops of CPUs, which seem to wait for a CPU whenever a thread has it, are last.  A thread whose parent is
 * not in the history, or whose line of parents is a ring because numbers were used again, is at the top.
 *
 * One query for names and parents over the whole history, one for statuses at its two ends: the cost grows with
 * the number of threads, not of their states (thesis 4.8.2, "PsTree").  About 80 bytes a thread.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_control_flow_create(struct histree_history *history,
									       struct histree_cancel cancel,
									       struct histree_control_flow **out,
									       struct histree_error *error);
HISTREE_API void histree_control_flow_free(struct histree_control_flow *flow);

/* Returns the threads as one array, in their order. */
HISTREE_API const struct histree_thread *histree_control_flow_threads(const struct histree_control_flow *flow,
								      uint32_t *count);

/*
 * Returns the index of the thread with this tid, or HISTREE_NO_INDEX; of several the last one.  For tid 0, `cpu`
 * says which.
 */
HISTREE_API uint32_t histree_control_flow_find(const struct histree_control_flow *flow, int32_t tid, int32_t cpu);

/* The same of the thread that has, or had, the tid at a time. */
HISTREE_API uint32_t histree_control_flow_find_at(const struct histree_control_flow *flow, int32_t tid, int32_t cpu,
						  histree_time time);

/* Returns whether several threads had the same number one after another. */
HISTREE_API bool histree_control_flow_has_lives(const struct histree_control_flow *flow);

/*
 * Returns the index of the next thread after `after` (from the first one if that is HISTREE_NO_INDEX) whose name
 * contains `text`, ignoring the case of ASCII letters, or whose tid or pid begins with it.  Returns the one before
 * if `backwards` is set, and HISTREE_NO_INDEX if there are no more.
 */
HISTREE_API uint32_t histree_control_flow_search(const struct histree_control_flow *flow, const char *text,
						 uint32_t after, bool backwards);

/*
 * Find out whether the trace saw the thread created, at its first time, by its parent; otherwise the thread was
 * there before and was first seen then.  For arrows from parents to children.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_thread_is_forked(struct histree_cursor *query,
									    const struct histree_thread *thread,
									    bool *out, struct histree_error *error);

/* ---- Resources -------------------------------------------------------------------------------------------- */

enum histree_resource_kind {
	HISTREE_RESOURCE_CPU,            /* the status of a CPU */
	HISTREE_RESOURCE_CURRENT_THREAD, /* the tid that runs there */
	HISTREE_RESOURCE_FREQUENCY,      /* in Hz */
	HISTREE_RESOURCE_IRQ,
	HISTREE_RESOURCE_SOFT_IRQ,
};

struct histree_resource {
	enum histree_resource_kind kind;
	int32_t cpu;      /* -1 for all CPUs together */
	int32_t number;   /* of an IRQ or softirq; otherwise -1 */
	const char *name; /* for people: "CPU 3", "IRQ 19 ahci", "softirq 1 timer" */
	histree_quark quark;
	uint32_t parent; /* the index of an interrupt's CPU, or HISTREE_NO_INDEX at the top */
};

struct histree_resources;

/* List the CPUs by number, each followed by its own resources, then the interrupts of all CPUs together. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_resources_create(struct histree_history *history,
									    struct histree_resources **out,
									    struct histree_error *error);
HISTREE_API void histree_resources_free(struct histree_resources *resources);
HISTREE_API const struct histree_resource *histree_resources_list(const struct histree_resources *resources,
								  uint32_t *count);

/* ---- CPU usage -------------------------------------------------------------------------------------------- */

struct histree_cpu_usage_request {
	histree_time from, to;
	uint32_t pixels;     /* points of each curve; pixels are those of rows.h */
	const int32_t *tids; /* threads that get a curve of their own; may be NULL */
	size_t tid_count;
	/* When each of these numbers was the thread's own; NULL: always, and then each is there once. */
	const struct histree_row_life *lives;
	const int32_t *cpus; /* only these; NULL means all */
	size_t cpu_count;
	/*
	 * The curve of all threads together is enough.  Without `tids`, no thread's time is then added up, and if
	 * pixels are wide, the overviews of the history are used, which are accurate to two of their cells a
	 * pixel (rows.h).
	 */
	bool no_times;
	struct histree_cancel cancel;
};

struct histree_cpu_time {
	int32_t tid;
	int64_t ns; /* in the range, on all CPUs together */
};

struct histree_cpu_usage;

/*
 * Find out which threads had the CPUs, from CPUs/<cpu>/Current_thread.  Every context switch in the range is
 * read, so the cost grows with their number.  For several hosts all CPUs are added up, and CPUs and threads with
 * the same number are taken together; ask the history of one host for its own.  The range may extend beyond the
 * trace, where nothing is added.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_cpu_usage_create(struct histree_history *history, const struct histree_cpu_usage_request *request,
			 struct histree_cpu_usage **out, struct histree_error *error);
HISTREE_API void histree_cpu_usage_free(struct histree_cpu_usage *usage);

/*
 * Returns one number for each pixel, in percent of one CPU: 250 means two and a half CPUs.  `curve` is an index
 * into the tids of the request, or HISTREE_NO_INDEX for all threads together except the idle ones.
 */
HISTREE_API const double *histree_cpu_usage_curve(const struct histree_cpu_usage *usage, uint32_t curve);

/*
 * Returns one number for each pixel, in percent of one CPU as well: the time for which it is not known which
 * thread had the CPU, because of lost events or damage.  It is not part of the curves and times, which so are
 * lower bounds.
 */
HISTREE_API const double *histree_cpu_usage_unknown(const struct histree_cpu_usage *usage);

/* Returns every thread that ran in the range except the idle ones, by decreasing time. */
HISTREE_API const struct histree_cpu_time *histree_cpu_usage_times(const struct histree_cpu_usage *usage,
								   size_t *count);

/*
 * Add up the times by thread of an open tree of the same history: `ns` has one number for each thread, zeroed by
 * the caller.  Threads that had a number one after another each have their own time.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_cpu_usage_by_thread(const struct histree_cpu_usage *usage, const struct histree_control_flow *flow,
			    int64_t *ns, struct histree_error *error);

/* ---- who runs where --------------------------------------------------------------------------------------- */

/*
 * Check that at every moment each CPU runs one thread at most, that each running thread has one CPU, and that a
 * thread which a CPU runs does run or is unknown.  So the threads together never run longer than the CPUs.
 * `report` is called with a sentence for each of the first contradictions.  All states of threads and CPUs are
 * read, in memory that grows with the number of threads.
 *
 * Returns HISTREE_ERR_FORMAT if there is a contradiction, HISTREE_NOT_FOUND if the history has no CPUs.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_occupancy_verify(struct histree_history *history, void (*report)(void *context, const char *fault),
			 void *context, struct histree_error *error);

/* ---- density ---------------------------------------------------------------------------------------------- */

/*
 * Count for each pixel the states of all attributes that begin in it, except those that begin with the history.
 * This shows how much happened: a history does not keep events, but each event changes a few states.  Every
 * interval of the range is read.  `counts` has room for `pixels` numbers.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_density(struct histree_history *history,
								   histree_time from, histree_time to,
								   uint32_t pixels, struct histree_cancel cancel,
								   uint64_t *counts, struct histree_error *error);

/* ---- the tree on disk ------------------------------------------------------------------------------------- */

/*
 * A picture of the nodes of a tree, level by level (thesis 3.1).  Children follow one another on their level in the
 * order of their parents, so lines never cross.  Leaves are spread evenly, and a parent is above the middle of its
 * children.  A level with more nodes than fit into the width becomes a wall, which has columns of several nodes, so
 * that each of 10^5 nodes can still be seen.
 */
struct histree_layout_node {
	struct histree_node node;
	uint32_t parent; /* an index, or HISTREE_NO_INDEX for the root */
	uint32_t first_child, last_child;
	double x, y; /* its centre */
};

/* The nodes of one level. */
struct histree_node_level {
	uint32_t count;
	uint32_t rows;   /* of the wall; 1 if the level is not a wall */
	double distance; /* between neighbours, at least */
	double size;     /* of a symbol */
	double top, bottom;
	unsigned lines; /* how many lines of text have room below each node: 0, 2 or 4 */
};

struct histree_tree_layout_options {
	double left, width, top; /* of the picture, in any unit */
	double height;           /* 0 means as much as it needs */
};

struct histree_tree_layout;

/* Lay out the tree of a history.  Every node is read. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_tree_layout_create(struct histree_history *history, const struct histree_tree_layout_options *options,
			   struct histree_cancel cancel, struct histree_tree_layout **out,
			   struct histree_error *error);
HISTREE_API void histree_tree_layout_free(struct histree_tree_layout *layout);

/* Lay out the same nodes again for another picture; nothing is read. */
HISTREE_API void histree_tree_layout_arrange(struct histree_tree_layout *layout,
					     const struct histree_tree_layout_options *options);

/* Returns the nodes, depth first, beginning with the root. */
HISTREE_API const struct histree_layout_node *histree_tree_layout_nodes(const struct histree_tree_layout *layout,
									uint32_t *count);
/* Returns the levels, beginning with that of the leaves, which ends where the picture ends. */
HISTREE_API const struct histree_node_level *histree_tree_layout_levels(const struct histree_tree_layout *layout,
									uint32_t *count);

/* ---- labels ------------------------------------------------------------------------------------------------- */

/* Returns what the values of resources of a kind mean: histree_labels_for() has their labels. */
HISTREE_API enum histree_meaning histree_resource_meaning(enum histree_resource_kind kind);

#endif
