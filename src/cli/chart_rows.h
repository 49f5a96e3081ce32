/* SPDX-License-Identifier: MIT */
/*
 * chart_rows.h - the charts of a store as rows.
 */
#ifndef CLI_CHART_ROWS_H
#define CLI_CHART_ROWS_H

#include "cli/row_writer.h"
#include "cli/target.h"

/*
 * Print the charts of the history of an analysis, or of all histories of the store if that is NULL.  Returns the
 * exit status: CLI_NOTHING if there are no charts.
 */
int chart_rows_print(const struct target *target, const struct cli_question *question);

/*
 * Finds the first history of the store that has the chart, and writes the name of its analysis, which lives as long
 * as the target; NULL: none has it, or the target is a single file.
 */
enum cli_exit chart_rows_find(const struct target *target, const char *chart, const char **analysis);

#endif
