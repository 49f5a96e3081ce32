/* SPDX-License-Identifier: MIT */
/*
 * path_totals.h - the time of a path, added up by thread and state.
 *
 * Memory grows with the pairs of threads and states, not with the steps.
 */
#ifndef CLI_PATH_TOTALS_H
#define CLI_PATH_TOTALS_H

#include "histree/critical_path.h"

/* Of one thread in one state. */
struct path_total {
	size_t host;
	int32_t tid;
	enum histree_graph_state state;
	uint64_t ns, steps;
};

/* Zeroed, it is empty. */
struct path_totals {
	struct path_total *all;
	size_t count, capacity;
	uint64_t ns; /* of all */
};

/* Returns false if memory is out. */
bool path_totals_add(struct path_totals *totals, const struct path_total *one);

/* Makes the totals of each thread and state one, the longest first. */
void path_totals_sort(struct path_totals *totals);

/* Begins anew. */
void path_totals_clear(struct path_totals *totals);
void path_totals_release(struct path_totals *totals);

#endif
