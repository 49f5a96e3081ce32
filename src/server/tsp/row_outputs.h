/* SPDX-License-Identifier: MIT */
/*
 * row_outputs.h - trees of the protocol over the rows of hosts (host_rows.h).
 *
 * Entry 1 is the store or, of one host, its trace; row i is entry i + 2.  Viewers take the times of arrows from
 * entry 1, which begins with the history.
 */
#ifndef SERVER_TSP_ROW_OUTPUTS_H
#define SERVER_TSP_ROW_OUTPUTS_H

#include "server/model/host_rows.h"

/* row_outputs.h - the answer to `arrows` of a time graph. */
#ifndef SERVER_TSP_ARROWS_REPLY_H
#define SERVER_TSP_ARROWS_REPLY_H

#include "server/model/arrow_model.h"
#include "server/tsp/output.h"

/*
 * Answers with the arrows that meet the range that is asked for, thinned to one a CPU and kind, or
 * stack, that ends between two of the times.  The entry of row i is `first_id` + i.
 */
void arrows_reply(const struct output_call *output, const struct arrow_asked *asked, int64_t first_id);

#endif

enum { HOST_ENTRIES_ROOT = 1, HOST_ENTRIES_FIRST = 2 };

/*
 * Finds the host of an entry and which of its own rows it is: HISTREE_NO_INDEX for the entry of the host itself.
 * Returns NULL if it is of no host.
 */
const struct host_view *host_entry_find(const struct host_rows *rows, int64_t id, uint32_t *own);

/* Returns the entry of a row of a host; that of HISTREE_NO_INDEX is what stands above its first rows. */
int64_t host_entry_id(const struct host_rows *rows, const struct host_view *host, uint32_t own);

#endif
