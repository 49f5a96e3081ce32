/* SPDX-License-Identifier: MIT */
/*
 * chart_entries.h - the tree of the protocol of a chart: an entry for each history that has it, called as the store
 * or, of several, as their analyses, and below it one for each row.
 */
#ifndef SERVER_TSP_CHART_ENTRIES_H
#define SERVER_TSP_CHART_ENTRIES_H

#include "server/model/chart_set.h"
#include "server/tsp/output.h"

/* Gets the chart of an output for each chart, with its rows; returns false if it has answered instead. */
bool chart_entries_find(const struct output_call *output, const struct chart_of_set **out);

/* Answers `tree`.  Some of the lines are those of a chart that has just been opened. */
void chart_entries_tree(const struct output_call *output, const struct chart_of_set *chart);

#endif
