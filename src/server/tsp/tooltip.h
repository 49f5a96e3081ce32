/* SPDX-License-Identifier: MIT */
/*
 * tooltip.h - what `tooltip` asks for, and how it is answered: pairs of texts.
 */
#ifndef SERVER_TSP_TOOLTIP_H
#define SERVER_TSP_TOOLTIP_H

#include "server/tsp/output.h"

struct tooltip_request {
	int64_t item;
	histree_time time;
};

/*
 * Reads what is asked for; returns false if it has answered because nothing is, or what is asked for is no state.
 */
bool tooltip_begin(const struct output_call *output, histree_time start, histree_time end,
		   struct tooltip_request *request);

/* Writes a pair, unless the text is empty. */
void tooltip_pair(const struct output_call *output, const char *key, const struct piece *text);

#endif
