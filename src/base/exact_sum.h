/* SPDX-License-Identifier: MIT */
/*
 * exact_sum.h - exact sums of doubles, each multiplied by a length.  Nothing is rounded, so neither the order of
 * additions matters, nor which of the numbers were added up beforehand.
 *
 * A sum is a number in two's complement whose last bit is worth 2^-1074, the least positive double, and which has
 * room for 2^64 times the greatest double and a sign (Kulisch, "Computer Arithmetic and Validity", 8.2: a complete
 * register).
 *
 * Beside it, integers of 128 bits, in which products of two int64 are exact.
 */
#ifndef BASE_EXACT_SUM_H
#define BASE_EXACT_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 wide_int;

__extension__ typedef unsigned __int128 wide_uint;

/* 1074 bits after the point, 1024 before it, 64 for lengths, and the sign. */
enum { EXACT_SUM_LIMBS = 34, EXACT_SUM_SIZE_MAX = 8 * EXACT_SUM_LIMBS + 4 };

/* A zeroed one is 0. */
struct exact_sum {
	uint64_t limbs[EXACT_SUM_LIMBS]; /* the least significant one first */
};

/* Add number * times; the number is finite. */
void exact_sum_add(struct exact_sum *sum, double number, uint64_t times);
void exact_sum_add_whole(struct exact_sum *sum, wide_int number);
void exact_sum_add_sum(struct exact_sum *sum, const struct exact_sum *other);

/*
 * Returns the double nearest to sum / count; of two that are equally near, the even one.  The count is 1 to 2^64.
 */
double exact_sum_mean(const struct exact_sum *sum, wide_uint count);

/*
 * Write the significant bytes: their number and the position of the first one, two bytes each, then the bytes.
 * Returns how many bytes were written, EXACT_SUM_SIZE_MAX at most.
 */
size_t exact_sum_put(const struct exact_sum *sum, uint8_t *room);

/* Returns how many bytes were read, or 0 if exact_sum_put() cannot have written them. */
size_t exact_sum_get(struct exact_sum *sum, const uint8_t *bytes, size_t size);

#endif
