/* SPDX-License-Identifier: MIT */
/*
 * label_rows.h - the labels of a history as rows, which `histree load --labels` reads again.
 */
#ifndef CLI_LABEL_ROWS_H
#define CLI_LABEL_ROWS_H

#include "cli/row_writer.h"
#include "histree/history.h"

/* Print them all.  Returns the exit status: CLI_NOTHING if there are no labels. */
int label_rows_print(const struct histree_history *history, const struct row_format *format);

#endif
