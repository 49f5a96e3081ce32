/* SPDX-License-Identifier: MIT */
/*
 * parquet_order.h - the rows of a row group by one or two columns.
 */
#ifndef EXPORT_PARQUET_PARQUET_ORDER_H
#define EXPORT_PARQUET_PARQUET_ORDER_H

#include "base/search.h"
#include "export/parquet/parquet_column.h"

/* A zeroed one is empty. */
struct parquet_order {
	uint32_t *rows; /* the number of the row that comes first, of the second, ... */
	size_t row_capacity;
	struct keyed_index *entries; /* and spare ones behind them */
	size_t entry_capacity;
};

/* Returns whether rows can be sorted by this column: an integer or a time that is never null. */
bool parquet_order_can(const struct parquet_column *column);

/*
 * Sort by the first column, and where it is the same by the second, which may be NULL; otherwise rows stay in their
 * order.  Returns false if memory is out.
 */
bool parquet_order_sort(struct parquet_order *order, const struct parquet_column *first,
			const struct parquet_column *second, size_t row_count);

void parquet_order_release(struct parquet_order *order);

#endif
