/* SPDX-License-Identifier: MIT */
/*
 * array.h - arrays that grow by at least half their size each time.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make room for `needed` elements.  `array` is the address of the pointer, `capacity` counts elements.  Returns
 * false if memory is out or the size does not fit a size_t; array and capacity are then as before.
 */
bool array_reserve_bytes(void *array, size_t *capacity, size_t needed, size_t element_size);

/* Returns a copy of `count` elements in memory of its own, or NULL if memory is out or there are no elements. */
void *array_copy_bytes(const void *array, size_t count, size_t element_size);

#define array_copy(array, count) array_copy_bytes((array), (count), sizeof(*(array)))
#define array_reserve(array, capacity, needed) array_reserve_bytes((array), (capacity), (needed), sizeof(**(array)))

#endif
