/* SPDX-License-Identifier: MIT */
/*
 * style_reply.h - the answer to `style`: each style of some tables of labels by its key; a table NULL
 * stands for the palette.
 */
#ifndef SERVER_TSP_STYLE_REPLY_H
#define SERVER_TSP_STYLE_REPLY_H

#include "histree/arrows.h"
#include "server/tsp/output.h"

void style_reply(const struct output_call *output, const struct histree_label_table *const *tables, size_t count);

/* Does the same for a time graph that has arrows of these kinds too. */
void style_reply_with_arrows(const struct output_call *output, const struct histree_label_table *const *tables,
			     size_t table_count, const enum histree_arrow_kind *arrows, size_t arrow_count);

#endif
