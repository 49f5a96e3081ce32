/* SPDX-License-Identifier: MIT */
/*
 * table_sort.h - sort a table that may be in a file (base/table.h), in the order of memory and little of it.
 */
#ifndef BASE_TABLE_SORT_H
#define BASE_TABLE_SORT_H

#include "base/table.h"

typedef int table_compare(const void *one, const void *other, void *context);

/*
 * Sort `count` elements of a table of `space` by runs that are merged, each pass in the order of memory; what is in
 * order already is read once.  Takes room for as many elements, in the same space.  Returns false if memory is out:
 * the elements are then in some order.
 */
bool table_sort(struct table_space *space, void *elements, size_t count, size_t element_size,
		table_compare *compare, void *context);

#endif
