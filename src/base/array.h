/* SPDX-License-Identifier: MIT */
/*
 * array.h - growing arrays: room for `needed` elements, at least half as much again each time.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * `array` is the address of the pointer, `capacity` counts elements.  False when memory is out or the size
 * cannot be said in a size_t; array and capacity are then as before.
 */
bool array_reserve_bytes(void *array, size_t *capacity, size_t needed, size_t element_size);

#define array_reserve(array, capacity, needed) array_reserve_bytes((array), (capacity), (needed), sizeof(**(array)))

#endif
