/* SPDX-License-Identifier: MIT */
/*
 * sql_histogram.h - histogram(segments [, t1, t2, columns, field, per_decade]): how many segments last how long, by
 * the time at which they start (segment_density.h); and histogram('events', t1, t2, columns): how many events there
 * are when.
 */
#ifndef SQL_SQL_HISTOGRAM_H
#define SQL_SQL_HISTOGRAM_H

#include "base/sqlite.h"

extern const sqlite3_module sql_histogram_module;

#endif
