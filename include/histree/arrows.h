/* SPDX-License-Identifier: MIT */
/*
 * arrows.h - arrows between the rows of a kernel trace: which thread followed which on a CPU, which thread
 * created or woke which, to which CPU a thread moved, and which packets went from host to host; and in a trace of
 * tracks: where a flow went on.
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
#ifndef HISTREE_ARROWS_H
#define HISTREE_ARROWS_H

#include "critical_path.h"
#include "segment_store.h"
#include "view.h"

enum { HISTREE_ARROWS_MAX = 16384 };

enum histree_arrow_kind {
	HISTREE_ARROW_SWITCH,    /* from the thread that left a CPU to the next one there, over idle time */
	HISTREE_ARROW_FORK,      /* from a thread to the one that it created */
	HISTREE_ARROW_WAKEUP,    /* from a thread to the one that it woke, when that one gets a CPU */
	HISTREE_ARROW_MIGRATION, /* of one thread, from the CPU that it left to the one where it ran next */
	HISTREE_ARROW_FLOW,      /* from one span of a flow to its next span */
	/* From the thread that sent a packet to the thread of another host that received it */
	HISTREE_ARROW_PACKET,
};
#define HISTREE_ARROW_KIND_COUNT 6

struct histree_arrow {
	enum histree_arrow_kind kind;
	/*
	 * tids above 0, except that the kernel may send packets; for a migration, CPUs; for a flow, quarks of
	 * rows
	 */
	int32_t from, to;
	int32_t cpu; /* where it ends; -1 for a fork, a flow or a packet */
	int32_t tid; /* the thread that migrates; -1 for a flow; otherwise the same as `to` */
	histree_time start, end;
	uint32_t from_host, to_host; /* for a packet: indices into histree_history_hosts() of the graph; else 0 */
};

struct histree_arrows_request {
	struct histree_history *history;
	const struct histree_resources *resources; /* of the history; NULL means no switches and no migrations */
	const struct histree_control_flow *flow;   /* of the history; NULL means no forks */
	struct histree_segment_store *wakeups;     /* of the analysis `wakeups`; NULL means no wake-ups */
	struct histree_segment_store *flows;       /* of the analysis `track-flows`; NULL means no flows */
	/* Of the analysis `graph` of several hosts; not used by others meanwhile; NULL means no packets. */
	struct histree_cursor *paths;
	histree_time from, to; /* both inclusive, inside the history */
	uint32_t pixels;       /* at least 1 */
	struct histree_cancel cancel;
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
