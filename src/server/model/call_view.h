/* SPDX-License-Identifier: MIT */
/*
 * call_view.h - the functions that the threads of an instrumented program were in (analysis `ust-calls`), or,
 * without that analysis, the stacks that a file of definitions declares by a chart: for each thread a row that
 * holds it together, and below it one for each depth of its stack, the outermost call first.
 */
#ifndef SERVER_MODEL_CALL_VIEW_H
#define SERVER_MODEL_CALL_VIEW_H

#include "histree/attributes.h"
#include "server/catalogue/dataset.h"

struct histree_history *call_view_history(const struct dataset *dataset);

/* Returns whether the chart shows stacks (HISTREE_CHART_STACKS). */
bool call_chart_is_of_stacks(const struct histree_chart *chart);

/* Returns the first history that has such a chart, or NULL. */
struct histree_history *call_view_declared(const struct dataset *dataset);

#endif
