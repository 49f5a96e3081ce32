/* SPDX-License-Identifier: MIT */
/*
 * flame_rows.h - the nodes of a flame graph, as rows or as folded lines.
 */
#ifndef CLI_FLAME_ROWS_H
#define CLI_FLAME_ROWS_H

#include "cli/report.h"
#include "cli/row_writer.h"
#include "histree/flame.h"

struct flame_rows_request {
	const struct row_format *format;
	uint64_t
		min; /* nodes of less time on both sides are left out; 0: for people less than a 200th, else none */
	bool is_difference; /* rows say both sides */
};

/*
 * Prints a row for each node but the root: for people indented by its depth, for programs with the names of its
 * stack.
 */
enum cli_exit flame_rows_print(struct output *output, const struct histree_flame *flame,
			       const struct flame_rows_request *request);

/* Prints a line for each stack that has time of its own on side 0: "a;b;c 1200". */
enum cli_exit flame_rows_fold(struct output *output, const struct histree_flame *flame);

#endif
