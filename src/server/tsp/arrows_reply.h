/* SPDX-License-Identifier: MIT */
/* arrows_reply.h - the answer to `arrows` of a time graph. */
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
