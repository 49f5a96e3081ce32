/* SPDX-License-Identifier: MIT */
/*
 * state_rows.h - the answer to `states` of a time graph: for each row the states at the times that are asked for,
 * each once and with its true bounds.
 *
 * Rows are asked for in groups, one 2D query a group, so that what is held does not grow with the request.
 */
#ifndef SERVER_TSP_STATE_ROWS_H
#define SERVER_TSP_STATE_ROWS_H

#include "server/model/row_model.h"
#include "server/tsp/output.h"

/* Where the states of a row come from. */
struct state_row {
	int64_t id;
	struct row_facts facts;
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
