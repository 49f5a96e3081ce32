/* SPDX-License-Identifier: MIT */
/*
 * state_rows.h - the answer to `states` of a time graph: for each row the states at the times that are asked for,
 * each once and with its true bounds.
 *
 * Rows are asked for in groups, one 2D query a group, so that what is held does not grow with the request.
 */
#ifndef SERVER_TSP_STATE_ROWS_H
#define SERVER_TSP_STATE_ROWS_H

#include "histree/rows.h"
#include "histree/view.h"
#include "server/model/state_filter.h"
#include "server/tsp/output.h"

/* Where the states of a row come from. */
struct state_row {
	int64_t id;
	const void *view;                /* of its host; NULL: the row is of a host itself, or has no states */
	uint32_t row;                    /* of that view, for the facts of its states */
	const char *host;                /* NULL: there is but one */
	const char *why;                 /* the host cannot be read; NULL: it can */
	struct histree_history *history; /* NULL: a row without states */
	histree_quark first;             /* in it, of the attributes that the view knows */
	histree_quark quark;
	struct histree_row_life life;            /* as in struct row_facts */
	histree_quark label;                     /* an attribute whose value names the state; HISTREE_ROOT: none */
	const struct histree_label_table *table; /* of what its values mean; NULL: nothing is known */
};

/* One state of it. */
struct row_state {
	histree_time start, end; /* both inclusive */
	struct histree_value value;
	struct histree_value label; /* of the label's attribute; null where there is none */
};

/* What differs between outputs. */
struct state_source {
	/* Returns false if there is no such row. */
	bool (*row)(const void *view, int64_t id, struct state_row *out);
	/* Adds the text of the state; adds nothing if it stays empty.  The view is the row's. */
	void (*label)(const void *view, const struct state_row *row, const struct row_state *state,
		      struct piece *text);
	struct state_kind kind; /* by what its states can be searched */
};

void state_rows_reply(const struct output_call *output, const struct state_source *source);

/* A label for views that show the value of a state in it. */
void state_label(const void *view, const struct state_row *row, const struct row_state *state, struct piece *text);

#endif
