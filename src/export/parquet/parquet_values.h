/* SPDX-License-Identifier: MIT */
/*
 * parquet_values.h - the values of a column in the order in which a row group is written, cut into pages.
 *
 * Nulls are left out of the values and are zeros among the levels.  Texts are numbered anew, in the order in which
 * they come, so that a row group has those in its dictionary that it needs.
 */
#ifndef EXPORT_PARQUET_PARQUET_VALUES_H
#define EXPORT_PARQUET_PARQUET_VALUES_H

#include "export/parquet/parquet_column.h"

/* The least and the greatest value: of a text the bytes, of everything else the number. */
struct parquet_bounds {
	bool is_known; /* there is a value, and it has an order: not NaN */
	uint64_t min, max;
	const char *min_text, *max_text; /* borrowed of the column */
	size_t min_size, max_size;
};

struct parquet_page {
	size_t row, row_count;     /* of the row group */
	size_t value, value_count; /* of `values` */
	size_t nan_count;
	struct parquet_bounds bounds;
};

struct parquet_values {
	struct parquet_column *column;
	size_t row_count, count; /* of rows and of values */
	uint32_t *narrow;        /* one of the two, by kind; the other has what a column before had */
	uint64_t *wide;
	uint32_t *levels; /* 1 or 0 a row; only where some rows have a value and some have none */
	size_t narrow_capacity, wide_capacity, level_capacity;
	struct parquet_page *pages;
	size_t page_count, page_capacity;
	/* Texts: which of the column's the new numbers are, and what they were numbered. */
	uint32_t *entries, *numbers, *pages_seen;
	size_t entry_count, entry_capacity, number_capacity, seen_capacity;
	struct parquet_bounds bounds; /* of all pages */
	size_t nan_count;
};

/*
 * Bring the rows of a column into the order of `rows`, which has the number of each; NULL: as they are.  Pages have
 * `page_rows` rows each.  Returns false if memory is out.
 */
bool parquet_values_arrange(struct parquet_values *values, struct parquet_column *column, const uint32_t *rows,
			    size_t row_count, size_t page_rows);

/* Returns text number `number` of the values. */
const char *parquet_values_text(const struct parquet_values *values, uint32_t number, size_t *size);

void parquet_values_release(struct parquet_values *values);

#endif
