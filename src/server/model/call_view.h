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
#include "server/text/json_writer.h"

struct call_row {
	histree_quark quark; /* of this depth; HISTREE_ROOT: the thread itself */
	uint32_t thread;     /* index of the row of its thread */
	int32_t depth;       /* 1 is the outermost; 0: the thread itself */
	int32_t tid;         /* 0: what has the stack is no thread, and is called what `program` says */
	uint32_t below;      /* rows that follow it and are of the same thread; 0 for a depth */
	const char *program;
};

struct call_view {
	struct histree_history *history;
	histree_time start, end;
	struct call_row *rows;
	uint32_t row_count;
	char **programs;
	size_t program_count;
};

struct histree_history *call_view_history(const struct dataset *dataset);

/* Returns whether the chart shows stacks (HISTREE_CHART_STACKS). */
bool call_chart_is_of_stacks(const struct histree_chart *chart);

/* Returns the first history that has such a chart, or NULL. */
struct histree_history *call_view_declared(const struct dataset *dataset);

bool call_view_applies(const struct dataset *dataset);

/* Adds "glxgears (4297)", or the depth. */
void call_row_name(const struct call_row *row, struct piece *name);

#endif
