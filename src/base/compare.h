/* SPDX-License-Identifier: MIT */
/*
 * compare.h - comparisons of numbers for qsort() and bsearch(), in ascending order.
 */
#ifndef BASE_COMPARE_H
#define BASE_COMPARE_H

#include <stdint.h>

/* Attributes, rows, indices: all that is an uint32_t. */
static inline int compare_u32(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	return (a > b) - (a < b);
}

#endif
