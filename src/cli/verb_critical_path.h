/* SPDX-License-Identifier: MIT */
/*
 * verb_critical_path.h - `histree critical-path`: who had a thread's time in hand, step by step or added up by
 * thread and state.
 *
 * Memory for the sums grows with the pairs of threads and states, not with the steps.  Verbs that follow what a
 * thread waited for find the thread here that the command line names.
 */
#ifndef CLI_VERB_CRITICAL_PATH_H
#define CLI_VERB_CRITICAL_PATH_H

#include "cli/report.h"
#include "histree/critical_path.h"
#include "histree/history.h"

/* The choices of --rules, in the order of enum histree_path_rules; NULL at the end. */
extern const char *const path_rule_names[];

/* Read HOST/TID, or the number alone where one host has it.  What is wrong with it is reported. */
enum cli_exit path_thread_read(const char *text, struct histree_history *history, size_t *host, int32_t *tid);

/*
 * Say so if another thread has the number at `to` than at `start`, where a path of it begins: that ends where the
 * first of them does.
 */
void path_thread_warn_again(struct histree_cursor *path, size_t host, int32_t tid, histree_time start,
			    histree_time to);

/* The time of one thread in one state. */
struct path_total {
	size_t host;
	int32_t tid;
	histree_time life; /* since when it has had the number */
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
