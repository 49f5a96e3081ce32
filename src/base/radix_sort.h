/* SPDX-License-Identifier: MIT */
/*
 * radix_sort.h - sort indices by a key, stable, in time proportional to their number.
 */
#ifndef BASE_RADIX_SORT_H
#define BASE_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

struct keyed_index {
	uint64_t key;
	uint32_t index;
};

/* `spare` has room for `count` entries too.  Eleven bits a pass; as few passes as the range of keys needs. */
void radix_sort(struct keyed_index *entries, struct keyed_index *spare, size_t count);

#endif
