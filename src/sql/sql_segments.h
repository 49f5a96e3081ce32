/* SPDX-License-Identifier: MIT */
/*
 * sql_segments.h - a segment store as rows: a table named after its analysis, with the columns start, end,
 * duration and the fields of the store.
 *
 * Bounds of the start, the end and the duration, and equalities of fields, become a query and a filter expression
 * (segment_filter.h), so that nodes without such segments are not read.
 */
#ifndef SQL_SQL_SEGMENTS_H
#define SQL_SQL_SEGMENTS_H

#include "base/sqlite.h"

extern const sqlite3_module sql_segments_module;

#endif
