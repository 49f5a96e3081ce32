/* SPDX-License-Identifier: MIT */
/*
 * host_entries.h - trees of the protocol over the rows of hosts (host_rows.h).
 *
 * Entry 1 is the store or, of one host, its trace; row i is entry i + 2.  Viewers take the times of arrows from
 * entry 1, which begins with the history.
 */
#ifndef SERVER_TSP_HOST_ENTRIES_H
#define SERVER_TSP_HOST_ENTRIES_H

#include "server/model/host_rows.h"
#include "server/tsp/replies.h"
#include "server/tsp/state_rows.h"

enum { HOST_ENTRIES_ROOT = 1, HOST_ENTRIES_FIRST = 2 };

/*
 * Finds the host of an entry and which of its own rows it is: HISTREE_NO_INDEX for the entry of the host itself.
 * Returns NULL if it is of no host.
 */
const struct host_view *host_entry_find(const struct host_rows *rows, int64_t id, uint32_t *own);

/* Returns the entry of a row of a host; that of HISTREE_NO_INDEX is what stands above its first rows. */
int64_t host_entry_id(const struct host_rows *rows, const struct host_view *host, uint32_t own);

enum host_entry { HOST_ENTRY_NONE, HOST_ENTRY_WRITTEN, HOST_ENTRY_OWN };

/*
 * Begins entry `index`, with its label, if it is the store's or a host's, which has states if it cannot be read.
 * Gives any other one back for the caller to write, with the host and the row that it is of.
 */
enum host_entry host_entry_begin(const struct host_rows *rows, size_t index, struct json_writer *json,
				 struct tree_entry *entry, const struct host_view **host, uint32_t *own);

/* Adds to the metadata of an entry the host that it is of, if there are several. */
void host_entry_metadata(struct json_writer *json, const char *host);

struct tooltip_request;

/*
 * Begins the answer to `tooltip`, which the caller adds pairs to.  Returns the host of what is asked for and its
 * own row; NULL: there is nothing more to be said of it.
 */
const struct host_view *host_entry_tooltip(const struct output_call *output, struct tooltip_request *request,
					   uint32_t *own);

/* Fills the row of an entry, for struct state_source; returns false if there is no such entry. */
bool host_entry_row(const void *rows, int64_t id, struct state_row *out);

#endif
