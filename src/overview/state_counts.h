/* SPDX-License-Identifier: MIT */
/*
 * state_counts.h - how many states each attribute of a history has, and of what kind.
 */
#ifndef OVERVIEW_STATE_COUNTS_H
#define OVERVIEW_STATE_COUNTS_H

#include "base/table.h"
#include "histree/history.h"
#include "overview/overview_options.h"
#include "overview/overview_progress.h"

enum { HAS_NUMBER = 1, HAS_CUSTOM = 2 };

/* A zeroed one is empty; five bytes an attribute, in files where these are many (base/table.h). */
struct state_counts {
	uint32_t *states; /* by quark; UINT32_MAX: so many or more */
	uint8_t *kinds;   /* what is among them */
	uint32_t attribute_count;
	struct table_space space; /* of the tables that these are: it stays where it is */
	struct table of_states, of_kinds;
};

/*
 * Reads all nodes of a history once, with the threads of the options.  Tables may have a quarter of their
 * `memory_max` bytes of memory; 0: 16 MiB.
 */
enum histree_status state_counts_make(struct state_counts *counts, struct histree_history *history,
				      const struct overview_options *options,
				      const struct overview_progress *progress, struct histree_error *error);

/* Whoever goes through all attributes asks so on the way, that pages of the tables leave. */
static inline void state_counts_pass(const struct state_counts *counts, histree_quark quark)
{
	enum { ATTRIBUTES_PER_LOOK = 1 << 18 };
	if (quark % ATTRIBUTES_PER_LOOK == 0)
		table_space_look(counts->of_states.space);
}

void state_counts_release(struct state_counts *counts);

#endif
