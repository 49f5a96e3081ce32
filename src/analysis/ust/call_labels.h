/* SPDX-License-Identifier: MIT */
/*
 * call_labels.h - the names of functions (call_symbols.h) as labels of a history: one table for all processes if
 * they agree on every address, else one for the threads of each.
 */
#ifndef ANALYSIS_UST_CALL_LABELS_H
#define ANALYSIS_UST_CALL_LABELS_H

#include "analysis/ust/call_symbols.h"
#include "histree/state_system.h"

/* Whose thread is in which space; NULL: in none. */
struct call_owner {
	int32_t tid;
	const struct call_space *space;
};

/* Look for all names, and hand them to a history as labels of the threads' stacks. */
enum histree_status call_labels_write(struct call_symbols *symbols, struct histree_state_system *system,
				      const struct call_owner *owners, size_t owner_count,
				      struct histree_error *error);

#endif
