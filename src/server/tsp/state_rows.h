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

/* Finds the row of an item; returns false if no row has it.  The view is that of the output. */
typedef bool state_row_find(const void *view, int64_t id, struct state_row *out);

/*
 * Answers with the states of the items that are asked for.  `kind` says what stands in a state and by what they can
 * be searched.
 */
void state_rows_reply(const struct output_call *output, state_row_find *find, const struct state_kind *kind);

#endif
