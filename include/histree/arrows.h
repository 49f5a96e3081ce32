/* SPDX-License-Identifier: MIT */
/*
 * arrows.h - what connects the rows of a kernel trace: who came after whom on a CPU, who made and who woke whom,
 * and where a thread went on.
 *
 *	request = (struct histree_arrows_request){ .history = history, .resources = resources, .flow = flow,
 *						   .from = t1, .to = t2, .pixels = 1500 };
 *	histree_arrows_create(&request, &arrows, &error);
 *	list = histree_arrows_list(arrows, &count);
 *	histree_arrows_free(arrows);
 *
 * An arrow is given when it meets the range, also where both of its ends lie outside.  They are thinned to what a
 * chart can show: of one kind and CPU, one for each pixel in which arrows end; and there are HISTREE_ARROWS_MAX at
 * most.  No arrow is invented: where there are too many to read, those that are left out cannot be told from those
 * that are not there, so the answer then says that it has not all.
 *
 * Cost: of a range with up to 65,536 switches, and as many forks and wake-ups, each is looked at.  With more
 * switches, one thread a pixel and CPU is looked up, and only arrows between neighbours are left; of more forks or
 * wake-ups there is none.
 *
 * Threads: making arrows uses a query of its own; what was made may be read by any number of threads.
 */
#ifndef HISTREE_ARROWS_H
#define HISTREE_ARROWS_H

#include "segment_store.h"
#include "view.h"

enum { HISTREE_ARROWS_MAX = 16384 };

enum histree_arrow_kind {
	HISTREE_ARROW_SWITCH,    /* from the thread that left a CPU to the next one there, over idle time */
	HISTREE_ARROW_FORK,      /* from a thread to the one that it made, which begins to be */
	HISTREE_ARROW_WAKEUP,    /* from a thread to the one that it woke, which gets a CPU */
	HISTREE_ARROW_MIGRATION, /* of a thread, from the CPU that it left to the one where it ran next */
};
#define HISTREE_ARROW_KIND_COUNT 4

struct histree_arrow {
	enum histree_arrow_kind kind;
	int32_t from, to; /* tids, both above 0; of a migration, CPUs */
	int32_t cpu;      /* where; of a fork -1; of a migration the one that it leads to */
	int32_t tid;      /* of a migration, who; else as `to` */
	histree_time start, end;
};

struct histree_arrows_request {
	struct histree_history *history;
	const struct histree_resources *resources; /* of the history; NULL: no switches and no migrations */
	const struct histree_control_flow *flow;   /* of the history; NULL: no forks */
	struct histree_segment_store *wakeups;     /* of the analysis of that name; NULL: no wake-ups */
	histree_time from, to;                     /* both inclusive, inside the history */
	uint32_t pixels;                           /* at least 1 */
	struct histree_cancel cancel;
};

struct histree_arrows;

HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_arrows_create(const struct histree_arrows_request *request, struct histree_arrows **out,
		      struct histree_error *error);

/* NULL is fine. */
HISTREE_API void histree_arrows_free(struct histree_arrows *arrows);

/* By kind; of one kind and CPU by their ends. */
HISTREE_API const struct histree_arrow *histree_arrows_list(const struct histree_arrows *arrows, size_t *count);

/* Whether every arrow that meets the range is in the list: none was thinned out, and all could be read. */
HISTREE_API bool histree_arrows_are_all(const struct histree_arrows *arrows);

/* What Trace Compass calls a kind where it has a style for it ("CPU transition"), else likewise. */
HISTREE_API const struct histree_style *histree_arrow_style(enum histree_arrow_kind kind);

#endif
