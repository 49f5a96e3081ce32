/* SPDX-License-Identifier: MIT */
/* arrows_reply.h - the answer to `arrows` of a time graph of a kernel. */
#ifndef SERVER_TSP_ARROWS_REPLY_H
#define SERVER_TSP_ARROWS_REPLY_H

#include "server/model/kernel_arrows.h"
#include "server/tsp/output.h"

/*
 * Answers with the arrows that meet the range that is asked for, thinned to one a CPU and kind that ends between
 * two of the times.  The entry of row i is `first_id` + i.
 */
void arrows_reply(const struct output_call *output, const struct kernel_view *view, enum kernel_rows rows,
		  int64_t first_id);

#endif
