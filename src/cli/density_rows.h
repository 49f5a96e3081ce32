/* SPDX-License-Identifier: MIT */
/*
 * density_rows.h - counts of durations as rows: bars or shades for people, one row for each bucket for programs.
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

/* Prints, for programs, a row for each bucket that is not empty. */
void density_rows_print_cells(const struct density_rows *rows, const struct row_format *format,
			      struct output *output);

/* Prints, for people, a line with a bar for each bucket; there must be neither values nor columns. */
void density_rows_print_bars(const struct density_rows *rows, struct output *output);

/* Prints, for people, a line for each value or column, in which each bucket is a shade. */
void density_rows_print_shades(const struct density_rows *rows, struct output *output);

#endif
