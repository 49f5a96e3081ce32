/* SPDX-License-Identifier: MIT */
/*
 * view.h - the content of views: threads, resources, charts, latencies, arrows.  For the programs of this project;
 * the functions are exported, the header is not installed.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "histree/attributes.h"
#include "histree/critical_path.h"
#include "histree/history.h"
#include "histree/segment_stats.h"
#include "histree/segments.h"
#include "histree/states.h"
#include "histree/status.h"
#include "histree/time_use.h"
#include "query/thread.h"

/* ==== view ==================================================================================================== */

/*
 * The content of the views of a kernel trace: its threads as a tree, its resources, and how busy it was.
 *
 * A model is made from a history once and never changes; strings and arrays in it live as long as it does.  The
 * states of its rows come from states.h, by quark.  Models need the attributes of the analyses `kernel`,
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

/* ---- call stacks -------------------------------------------------------------------------------------------- */

/*
 * Returns the first of the histories that has call stacks (histree_flame_add_history()), as one asks `ust-calls`
 * first, then `tracks`, then the others; NULL: none has.  Those of `tracks` are spans, which can be left out.
 */
HISTREE_API struct histree_history *histree_stack_history(struct histree_history *const *histories, size_t count,
							  bool with_tracks);

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
									       struct histree_work work,
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
	uint32_t pixels;     /* points of each curve; pixels are those of states.h */
	const int32_t *tids; /* threads that get a curve of their own; may be NULL */
	size_t tid_count;
	/* When each of these numbers was the thread's own; NULL: always, and then each is there once. */
	const struct histree_row_life *lives;
	const int32_t *cpus; /* only these; NULL means all */
	size_t cpu_count;
	/*
	 * The curve of all threads together is enough.  Without `tids`, no thread's time is then added up, and if
	 * pixels are wide, the overviews of the history are used, which are accurate to two of their cells a
	 * pixel (states.h).
	 */
	bool no_times;
	struct histree_work work;
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
								   uint32_t pixels, struct histree_work work,
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
			   struct histree_work work, struct histree_tree_layout **out, struct histree_error *error);
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

/* ==== use of time in an order ================================================================================= */

/* How long a row had a CPU. */
static inline uint64_t histree_use_row_ran(const struct histree_use_row *row)
{
	return row->ns[HISTREE_USE_USER] + row->ns[HISTREE_USE_SYSTEM] + row->ns[HISTREE_USE_INTERRUPTED];
}

/* A time, or the start or end of a history that it is outside of. */
static inline histree_time histree_time_within(const struct histree_history_info *info, histree_time time)
{
	return time < info->start ? info->start : time > info->end ? info->end : time;
}

/* What rows of a use of time (time_use.h) may be ordered by: a use, by its number, or one of these. */
enum {
	HISTREE_USE_AMOUNT_TIME = HISTREE_USE_COUNT, /* of all uses */
	HISTREE_USE_AMOUNT_COUNT,
	HISTREE_USE_AMOUNT_WAIT, /* the longest one */
	HISTREE_USE_AMOUNT_BLOCK,
};

HISTREE_API uint64_t histree_use_row_amount(const struct histree_use_row *row, int amount);

struct histree_use_ordered {
	uint64_t amount;
	const struct histree_use_row *row; /* of the use */
};

/*
 * Returns all rows by an amount, the greatest first or the least; equal ones stay in the order of the use, as do
 * all where `amount_of` is NULL.  The caller frees them; NULL: out of memory.
 */
HISTREE_API struct histree_use_ordered *
histree_time_use_order(const struct histree_time_use *use,
		       uint64_t (*amount_of)(void *context, const struct histree_use_row *row), void *context,
		       bool is_down);

/* ==== chart view ============================================================================================== */

/*
 * The rows of a chart (attributes.h), and the lines of its numbers.
 *
 * A view is made from a history once and never changes.  Its rows are a tree, depth first: the attributes of the
 * history that the entries of the chart name.  With several hosts, each host has a row with its own rows below
 * it; a missing host has an empty one.  States of rows come from states.h, by quark, and lines from here:
 *
 *	histree_chart_view_create(history, "thread-bytes", cancel, &view, &error);
 *	rows = histree_chart_view_rows(view, &count);
 *	histree_chart_view_busiest(view, from, to, indices, 8, &found, &error);
 *	histree_chart_view_lines(view, indices, found, times, time_count, values, &error);
 *
 * Lines are exact whatever lies between two points: a point is the state at its time, a difference that of two
 * states, and the states between them are not read.
 *
 * Threads: any number of threads may read a view.
 */

struct histree_chart_row {
	const char *name;
	histree_quark attribute; /* HISTREE_ROOT: a host */
	/* Whose states or numbers are shown, which the history has; HISTREE_ROOT: nothing is shown */
	histree_quark shown;
	uint32_t parent; /* an index, or UINT32_MAX at the top */
	uint32_t depth;  /* 0 at the top */
	uint32_t entry;  /* index of the entry in the chart; UINT32_MAX: a host */
	/* From the first to the last state of `attribute` that is not null; both inclusive. */
	histree_time first, last;
};

struct histree_chart_view;

/*
 * Make the rows of the chart with this name.  A row that groups others exists only if it has any.  Returns
 * HISTREE_NOT_FOUND if the history has no such chart.  The cost is that of two full queries of the attributes of
 * rows, and of a query for each row that another attribute names; there are at most 2^20 rows.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_chart_view_create(struct histree_history *history, const char *name, struct histree_work work,
			  struct histree_chart_view **out, struct histree_error *error);
HISTREE_API void histree_chart_view_free(struct histree_chart_view *view);

HISTREE_API const struct histree_chart *histree_chart_view_chart(const struct histree_chart_view *view);
HISTREE_API const struct histree_chart_row *histree_chart_view_rows(const struct histree_chart_view *view,
								    uint32_t *count);

/*
 * Write the name of a row after those of all rows above it, "sda / read", as snprintf() would: at most `capacity`
 * bytes including the terminator.  Returns the length of the whole name.
 */
HISTREE_API size_t histree_chart_view_name(const struct histree_chart_view *view, uint32_t row, char *buffer,
					   size_t capacity);

/*
 * Returns the labels of a row's states: those that the chart names, or those of its attribute; NULL: it has no
 * labels.
 */
HISTREE_API const struct histree_label_table *histree_chart_view_labels(const struct histree_chart_view *view,
									uint32_t row);

/*
 * Compute the lines of some rows at some times, ascending and within the history: values[i * time_count + k] is
 * row i at times[k].  The difference or rate at the first time is that of the second.  No state, or one that is
 * not a number, counts as 0; where the state is unknown, the value is a NaN, and so are all values of a row
 * without numbers.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_chart_view_lines(const struct histree_chart_view *view, const uint32_t *rows, size_t row_count,
			 const histree_time *times, size_t time_count, double *values, struct histree_error *error);

/*
 * Write the indices of the rows whose numbers matter most in a range, both ends inclusive, greatest first: by
 * growth for rows with differences and rates, by the greatest of the numbers in it for others.  Rows that did not
 * grow, or are 0 all the time, are left out.  *found becomes how many, at most `room`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_chart_view_busiest(const struct histree_chart_view *view, histree_time from, histree_time to,
			   uint32_t *indices, size_t room, size_t *found, struct histree_error *error);

/* ==== segment view ============================================================================================ */

/*
 * The content of charts of latencies: a point for each segment, and how many segments last how
 * long.
 *
 * Both functions read every segment of their query once or twice, unsorted, and keep none of them; or, if the
 * store has overviews (segments.h) and the query has no filter, summaries and few segments.  The segments of
 * a damaged node are skipped, and told by histree_segment_store_loss().
 */

enum histree_duration_scale { HISTREE_DURATIONS_LINEAR, HISTREE_DURATIONS_LOGARITHMIC };

/* ---- scatter: duration over time ------------------------------------------------------------------------- */

struct histree_segment_scatter_request {
	/* The chart shows its window and the segments that pass its filter; order and limit are ignored. */
	struct histree_segment_query query;
	size_t field; /* points are grouped by its values; HISTREE_SEGMENTS_TOGETHER: not grouped */
	/*
	 * A cell of the chart keeps the longest segment of each value, so that no outlier vanishes.  With
	 * overviews it is made within a cell: each segment has a point of its value that starts no more than a
	 * cell before or after it, and is at least as long, less an eighth.
	 */
	uint32_t columns, rows;
	enum histree_duration_scale scale; /* of the rows, which end at the longest segment of the store */
	size_t points_max;                 /* cells are doubled in size until there are no more points than this */
	struct histree_work work;
};

struct histree_segment_point {
	histree_time start;
	uint64_t duration;
	uint32_t value; /* of the field: an index for histree_segment_scatter_value() */
};

struct histree_segment_scatter;

/*
 * Make the points of the segments that start in the window.  Returns HISTREE_ERR_ARGUMENT if there is no such
 * field, or if columns, rows or points are 0 or more than 2^31.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_scatter_create(struct histree_segment_store *store,
			       const struct histree_segment_scatter_request *request,
			       struct histree_segment_scatter **out, struct histree_error *error);

/* Returns the points, grouped by value; those of one value are in the order of their starts. */
HISTREE_API const struct histree_segment_point *
histree_segment_scatter_points(const struct histree_segment_scatter *scatter, size_t *count);

/* Returns how many segments the points stand for. */
HISTREE_API uint64_t histree_segment_scatter_segments(const struct histree_segment_scatter *scatter);

/* Returns the value with this index; index 0 is null.  Its bytes belong to the scatter. */
HISTREE_API struct histree_value histree_segment_scatter_value(const struct histree_segment_scatter *scatter,
							       uint32_t index);

/* Free the scatter; NULL is allowed. */
HISTREE_API void histree_segment_scatter_free(struct histree_segment_scatter *scatter);

/* ---- histogram: how many last how long -------------------------------------------------------------------- */

#define HISTREE_HISTOGRAM_BUCKETS_MAX 4096

/*
 * Count the segments in the window of the query that pass its filter, in as many buckets of duration as a chart
 * has room for, between the shortest and the longest.  (The buckets of segment_stats.h have round numbers as
 * bounds.) Bucket i counts durations from edges[i] to edges[i + 1] - 1.  The first edge is the shortest duration
 * and the last edge is one more than the longest; both are 0 if no segment counts.  If the store has overviews,
 * the edges of a logarithmic scale are preferred numbers (ISO 3, R 20), or every second one of them and so on;
 * there may be fewer than asked for, and the last buckets are then empty; the edges of a linear scale of all
 * segments may be off by a sixteenth of a bucket.  Counts are exact in any case.  `edges` has room for `buckets`
 * + 1 numbers, `counts` for `buckets`.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_segment_histogram(struct histree_segment_store *store, const struct histree_segment_query *query,
			  enum histree_duration_scale scale, uint32_t buckets, struct histree_work work,
			  uint64_t *edges, uint64_t *counts, struct histree_error *error);

/* ==== arrows ================================================================================================== */

/*
 * Arrows between the rows of a kernel trace: which thread followed which on a CPU, which thread
 * created or woke which, to which CPU a thread moved, and which packets went from host to host; and in a trace of
 * tracks: where a flow went on, and the instants.
 *
 *	request = (struct histree_arrows_request){ .history = history, .resources = resources, .flow = flow,
 *						   .from = t1, .to = t2, .pixels = 1500 };
 *	histree_arrows_create(&request, &arrows, &error);
 *	list = histree_arrows_list(arrows, &count);
 *	histree_arrows_free(arrows);
 *
 * An arrow is in the list if it meets the range, even if both of its ends lie outside.  The list is thinned to
 * what a chart can show: for each kind and CPU (or the stack where a flow ends), one arrow for each pixel in
 * which arrows end, and at most HISTREE_ARROWS_MAX arrows in all.  No arrow is invented: a switch or a migration
 * is left out if lost events or damage hide who had the CPU between its two ends.  If there are too many to read,
 * an arrow that was left out looks like one that never was, so the answer then says that it is not complete.
 *
 * Cost: in a range with up to 65,536 switches, and as many forks, wake-ups and flows, each of them is read.  If
 * there are more switches, one thread is looked up for each pixel and CPU, and only arrows between neighbouring
 * threads remain; if there are more forks, wake-ups or flows, the list has none of that kind.
 *
 * Threads: creating arrows uses a query of its own; any number of threads may read the result.
 */

enum { HISTREE_ARROWS_MAX = 16384 };

enum histree_arrow_kind {
	HISTREE_ARROW_SWITCH,    /* from the thread that left a CPU to the next one there, over idle time */
	HISTREE_ARROW_FORK,      /* from a thread to the one that it created */
	HISTREE_ARROW_WAKEUP,    /* from a thread to the one that it woke, when that one gets a CPU */
	HISTREE_ARROW_MIGRATION, /* of one thread, from the CPU that it left to the one where it ran next */
	HISTREE_ARROW_FLOW,      /* from one span of a flow to its next span */
	/* From the thread that sent a packet to the thread of another host that received it */
	HISTREE_ARROW_PACKET,
	HISTREE_ARROW_INSTANT, /* no arrow but a mark: from a row to itself, at one time */
};
#define HISTREE_ARROW_KIND_COUNT 7

struct histree_arrow {
	enum histree_arrow_kind kind;
	/*
	 * tids above 0, except that the kernel may send packets; for a migration, CPUs; for a flow or an instant,
	 * quarks of rows
	 */
	int32_t from, to;
	int32_t cpu; /* where it ends; -1 for a fork, a flow, an instant or a packet */
	int32_t tid; /* the thread that migrates; -1 for a flow or an instant; otherwise the same as `to` */
	histree_time start, end;
	uint32_t from_host, to_host; /* for a packet: indices into histree_history_hosts() of the graph; else 0 */
	const char *name;            /* of a flow or an instant; NULL: it has none */
};

struct histree_arrows_request {
	struct histree_history *history;
	const struct histree_resources *resources; /* of the history; NULL means no switches and no migrations */
	const struct histree_control_flow *flow;   /* of the history; NULL means no forks */
	struct histree_segment_store *wakeups;     /* of the analysis `wakeups`; NULL means no wake-ups */
	struct histree_segment_store *flows;       /* of the analysis `track-flows`; NULL means no flows */
	struct histree_segment_store *instants;    /* of the analysis `track-instants`; NULL means no instants */
	/* Of the analysis `graph` of several hosts; not used by others meanwhile; NULL means no packets. */
	struct histree_cursor *paths;
	histree_time from, to; /* both inclusive, inside the history */
	uint32_t pixels;       /* at least 1 */
	struct histree_work work;
};

struct histree_arrows;

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_arrows_create(const struct histree_arrows_request *request, struct histree_arrows **out,
		      struct histree_error *error);

/* Free the arrows; NULL is allowed. */
HISTREE_API void histree_arrows_free(struct histree_arrows *arrows);

/* Returns the arrows in the order of their kinds; those of one kind and CPU are in the order of their ends. */
HISTREE_API const struct histree_arrow *histree_arrows_list(const struct histree_arrows *arrows, size_t *count);

/* Returns true if every arrow that meets the range is in the list: none was thinned out and all could be read. */
HISTREE_API bool histree_arrows_are_all(const struct histree_arrows *arrows);

/* Returns the style of a kind.  Its key is that of Trace Compass where Trace Compass has one ("CPU transition"). */
HISTREE_API const struct histree_style *histree_arrow_style(enum histree_arrow_kind kind);

#endif
