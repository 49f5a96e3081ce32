/* SPDX-License-Identifier: MIT */
/*
 * row_outputs.h - the rows of hosts (host_rows.h) as trees and states of the protocol.
 *
 * Entry 1 is the store or, with one host, its trace; row i is entry i + 2.  Viewers take the times of arrows from
 * entry 1, which begins with the history.
 *
 * The answer to `states` has for each row the states at the requested times, each once and with its true bounds.
 * Rows are queried in groups, one 2D query a group, so that memory does not grow with the request.
 */
#ifndef SERVER_TSP_ROW_OUTPUTS_H
#define SERVER_TSP_ROW_OUTPUTS_H

#include "server/model/host_rows.h"
#include "server/model/row_model.h"
#include "server/tsp/outputs.h"

/* Where the states of a row come from. */
struct state_row {
	int64_t id;
	struct row_facts facts;
	bool is_plain; /* its states have colours of the palette, whatever their values mean */
};

/* Finds the row of an item; returns false if no row has it.  The view is that of the output. */
typedef bool state_row_find(const void *view, int64_t id, struct state_row *out);

/*
 * Answers with the states of the items that are asked for.  `kind` says what stands in a state and by what they can
 * be searched.
 */
void state_rows_reply(struct call *call, state_row_find *find, const struct state_kind *kind);

enum { HOST_ENTRIES_ROOT = 1, HOST_ENTRIES_FIRST = 2 };

/*
 * Finds the host of an entry and which of its own rows it is: HISTREE_NO_INDEX for the entry of the host itself.
 * Returns NULL if it is of no host.
 */
const struct host_view *host_entry_find(const struct host_rows *rows, int64_t id, uint32_t *own);

/* Returns the entry of a row of a host; for HISTREE_NO_INDEX, the entry above its first rows. */
int64_t host_entry_id(const struct host_rows *rows, const struct host_view *host, uint32_t own);

#endif
