/* SPDX-License-Identifier: MIT */
/*
 * history_case.h - a history made of a workload, or of several hosts, for a property of its answers.
 *
 * A test has a `struct history_case` as its first member.  What fails is printed as small as it can be made.
 */
#ifndef PROPERTY_HISTORY_CASE_H
#define PROPERTY_HISTORY_CASE_H

#include "histree/history.h"
#include "support/reference.h"
#include "support/workload.h"

struct history_case {
	/* Returns what is wrong, or NULL.  `reference` says what the history must hold. */
	const char *(*check)(struct history_case *test, struct histree_history *history,
			     const struct reference *reference);
	struct histree_tree_options options;
	uint64_t seed;
	bool in_memory;
	char path[64]; /* of the history; set here */
	char fault[512];
};

/* Checks the history of a workload.  `name` is that of the test, for its files, and `kind` that of the workload. */
void history_case_check(struct history_case *test, const char *name, struct workload *workload, const char *kind);

/* Checks a history of several hosts, the first of which has a workload of this kind. */
void history_case_check_union(struct history_case *test, const char *name, const struct workload_kind *kind);

#endif
