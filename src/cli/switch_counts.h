/* SPDX-License-Identifier: MIT */
/*
 * switch_counts.h - how often each thread was switched from in a window, voluntarily or not, by the running sums
 * of the analysis `switches`; exact for any window.
 */
#ifndef CLI_SWITCH_COUNTS_H
#define CLI_SWITCH_COUNTS_H

#include "cli/number_changes.h"
#include "cli/target.h"
#include "histree/time_use.h"

struct switch_counts {
	struct histree_history *history; /* NULL: nothing was read */
	struct switch_host {
		struct histree_history *history; /* of one host; NULL: it has no such history */
		struct number_change *changes;   /* by quark */
		size_t count;
	} * hosts;
	size_t host_count;
	histree_time from, to;     /* the window, as far as there is a history */
	bool is_damaged, has_gaps; /* in the window: then there were more */
};

/*
 * Reads the counts of a window, which may reach beyond the trace.  A store without the analysis is reported, with
 * the way out.  switch_counts_release() also after failure.
 */
enum cli_exit switch_counts_read(struct switch_counts *counts, const struct target *target, histree_time from,
				 histree_time to);
void switch_counts_release(struct switch_counts *counts);

/* Returns 0 for a thread, whose row is by thread, that was not switched from; what cannot be read is damage. */
struct switch_count {
	uint64_t voluntary, involuntary;
};
struct switch_count switch_counts_of(struct switch_counts *counts, const struct histree_use_row *row);

#endif
