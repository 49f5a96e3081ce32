/* SPDX-License-Identifier: MIT */
/*
 * density_rows.h - counts of durations as rows: bars or shades for people, a row a bucket for programs.
 */
#ifndef CLI_DENSITY_ROWS_H
#define CLI_DENSITY_ROWS_H

#include "cli/row_writer.h"
#include "histree/segment_density.h"

struct density_rows {
	const struct histree_segment_density *density;
	bool by_value;         /* there is a group for each value of a field */
	uint32_t column_count; /* of time; 0: none */
	histree_time from, to; /* of the columns */
	const struct histree_duration_bucket *buckets;
	size_t bucket_count;
};

/* For programs: those buckets that are not empty. */
void density_rows_print_cells(const struct density_rows *rows, const struct row_format *format,
			      struct output *output);

/* For people, where there are neither values nor columns: a line a bucket, with a bar. */
void density_rows_print_bars(const struct density_rows *rows, struct output *output);

/* For people: a line a value or a column, in which each bucket is a shade. */
void density_rows_print_shades(const struct density_rows *rows, struct output *output);

#endif
