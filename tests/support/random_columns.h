/* SPDX-License-Identifier: MIT */
/*
 * random_columns.h - an Arrow stream of random rows with a column of each type that histree exports.
 *
 * Arrays lie at random offsets and have rubbish under their nulls; dictionaries grow, or are others in each batch,
 * as streams of other producers may have them.
 */
#ifndef SUPPORT_RANDOM_COLUMNS_H
#define SUPPORT_RANDOM_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

#include "histree/columns.h"

/*
 * The stream has up to `rows_max` rows, which depend on the seed.  Each is written to `expected`, unless that is
 * NULL, as a line of JSON: an array with a cell for each column.  Numbers are strings of decimal digits, doubles
 * their bits or "nan", texts themselves, null null.  Returns false if memory is out.
 */
bool random_columns_open(struct ArrowArrayStream *out, uint64_t seed, size_t rows_max, FILE *expected);

/* Fail with EIO at this batch, from 1; 0: never. */
void random_columns_fail_at(struct ArrowArrayStream *stream, unsigned batch);

#endif
