/* SPDX-License-Identifier: MIT */
/*
 * state_filter.h - which states are wanted, by expressions (histree/filter.h) over what is known of a state:
 *
 *	Label			what stands in it, of a thread the name of its system call
 *	State			what its colour means: "user mode"
 *	Value			of its attribute
 *	"Start Time", "End Time", Duration
 *	TID, CPU, ...		facts of the view (state_fact.h)
 *	host			of a store of several
 *
 * Only what an expression speaks of is looked up.
 */
#ifndef SERVER_MODEL_STATE_FILTER_H
#define SERVER_MODEL_STATE_FILTER_H

#include "histree/view.h"
#include "server/model/state_fact.h"
#include "server/text/piece.h"

/* What the rows of a view have in common. */
struct state_kind {
	const struct state_fact *facts; /* NULL: none */
	/* Adds the text of a state that no attribute of its own names; NULL if there is none. */
	void (*text)(const void *view, const struct histree_label_table *table, const struct histree_value *value,
		     struct piece *text);
};

/* A row whose states are asked for. */
struct state_owner {
	const void *view; /* NULL: nothing is known of it */
	const struct state_kind *kind;
	struct histree_history *history;
	uint32_t row;
	histree_quark label; /* names the states that are system calls; HISTREE_ROOT: there is none */
	const struct histree_label_table *table; /* of what its values mean; NULL: nothing is known */
	const char *host;                        /* NULL: there is but one */
	histree_quark first; /* in the history, of the attributes that the view knows: it counts them from 0 */
};

/* One thread's; holds a query. */
struct state_filter;

/*
 * Makes a filter of expressions that must all hold.  Returns HISTREE_ERR_ARGUMENT if one is no expression.
 * `start` is that of the trace, from which times count.
 */
enum histree_status state_filter_create(const char *const *texts, size_t count, const struct state_kind *kind,
					histree_time start, histree_time end, struct state_filter **out,
					struct histree_error *error);

/* Returns whether a state is wanted.  Null, where nothing is, never matches. */
bool state_filter_match(struct state_filter *filter, const struct state_owner *owner,
			const struct histree_interval *state);

/*
 * Narrows [from, to] as far as the expressions say: a state that meets it, or starts in it, and is wanted does so
 * in what is left.  Nothing is left where from > to.
 */
void state_filter_narrow(const struct state_filter *filter, histree_time *from, histree_time *to);

/* NULL is fine. */
void state_filter_free(struct state_filter *filter);

#endif
