/* SPDX-License-Identifier: MIT */
/*
 * deep_states.h - states that a filter wants and that no sample meets, so that a search does not overlook what is
 * shorter than a pixel.
 */
#ifndef SERVER_MODEL_DEEP_STATES_H
#define SERVER_MODEL_DEEP_STATES_H

#include "server/model/state_filter.h"

struct deep_row {
	histree_quark quark;
	struct state_owner owner;
};

struct deep_request {
	struct histree_history *history;
	const struct deep_row *rows; /* by quark, each once */
	size_t row_count;
	const histree_time *times; /* samples, ascending, inside the history */
	size_t time_count;
	struct state_filter *filter;
	struct histree_cancel cancel;
};

/* The row and the state are borrowed until it returns. */
typedef enum histree_status deep_state_visit(void *context, const struct deep_row *row,
					     const struct histree_interval *state, struct histree_error *error);

/*
 * Visits, for each row and each two neighbouring samples, one state between them that matches, if there is one.
 * Reads every state of the rows from the first sample to the last.
 */
enum histree_status deep_states_each(const struct deep_request *request, deep_state_visit *visit, void *context,
				     struct histree_error *error);

#endif
