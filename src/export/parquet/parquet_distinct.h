/* SPDX-License-Identifier: MIT */
/*
 * parquet_distinct.h - the distinct numbers of a chunk in ascending order, and which of them each value is.
 */
#ifndef EXPORT_PARQUET_PARQUET_DISTINCT_H
#define EXPORT_PARQUET_PARQUET_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/radix_sort.h"

/* A zeroed one is empty. */
struct parquet_distinct {
	uint64_t *values; /* ascending, as unsigned numbers */
	size_t count;
	uint32_t *numbers; /* of each value of the chunk its place in `values` */
	/* For finding them: */
	uint32_t *slots;
	struct keyed_index *order;
	size_t value_capacity, number_capacity, slot_capacity, order_capacity;
	bool failed; /* memory was out */
};

/*
 * Returns false if a dictionary is not worth it, with more than a third as many distinct numbers as there are
 * values, and if memory is out.  One of the arrays is NULL.
 */
bool parquet_distinct_find(struct parquet_distinct *distinct, const uint32_t *narrow, const uint64_t *wide,
			   size_t count);

void parquet_distinct_release(struct parquet_distinct *distinct);

#endif
