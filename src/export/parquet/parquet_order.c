// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_order.h"

#include <stdlib.h>

#include "base/table.h"

bool parquet_order_can(const struct parquet_column *column)
{
	return column->type.bits != 0 && !column->is_nullable;
}

/* A number whose unsigned order is the order of the column. */
static uint64_t key_of(const struct parquet_column *column, size_t row)
{
	uint64_t number = column->type.kind == PARQUET_INT64 ? column->wide[row]
			  : column->type.is_signed           ? (uint64_t)(int64_t)(int32_t)column->narrow[row]
							     : column->narrow[row];
	return column->type.is_signed ? number ^ UINT64_C(1) << 63 : number;
}

/* Sort what `rows` has by one more column; the order of equal ones stays. */
static void sort_by(struct parquet_order *order, const struct parquet_column *column, size_t row_count)
{
	struct keyed_index *entries = order->entries;
	for (size_t i = 0; i < row_count; i++)
		entries[i] = (struct keyed_index){ .key = key_of(column, order->rows[i]), .index = order->rows[i] };
	radix_sort(entries, entries + row_count, row_count);
	for (size_t i = 0; i < row_count; i++)
		order->rows[i] = entries[i].index;
}

static bool is_sorted(const struct parquet_order *order, const struct parquet_column *first,
		      const struct parquet_column *second, size_t row_count)
{
	for (size_t i = 1; i < row_count; i++) {
		size_t before = order->rows[i - 1], row = order->rows[i];
		uint64_t one = key_of(first, before), other = key_of(first, row);
		if (one > other || (one == other && second != NULL && key_of(second, before) > key_of(second, row)))
			return false;
	}
	return true;
}

bool parquet_order_sort(struct parquet_order *order, const struct parquet_column *first,
			const struct parquet_column *second, size_t row_count)
{
	if (!array_reserve(&order->rows, &order->row_capacity, row_count) ||
	    !array_reserve(&order->entries, &order->entry_capacity, 2 * row_count))
		return false;
	for (size_t i = 0; i < row_count; i++)
		order->rows[i] = (uint32_t)i;
	if (is_sorted(order, first, second, row_count))
		return true;
	/* A stream is most often sorted by the second column within the first already: one sort will do. */
	sort_by(order, first, row_count);
	if (second == NULL || is_sorted(order, first, second, row_count))
		return true;
	sort_by(order, second, row_count);
	sort_by(order, first, row_count);
	return true;
}

void parquet_order_release(struct parquet_order *order)
{
	free(order->rows);
	free(order->entries);
	*order = (struct parquet_order){ 0 };
}
