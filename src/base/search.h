/* SPDX-License-Identifier: MIT */
/*
 * search.h - the first of many ascending things that is not before what is looked for.
 *
 * The search begins where the caller guesses, doubles its steps until the index lies between two looks, then halves
 * (Bentley and Yao, "An almost optimal algorithm for unbounded searching", 1976): a good guess costs two looks, the
 * worst one twice as many as halving alone.
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns whether the thing at an index is before what is looked for: true up to some index, then false.
 */
typedef bool search_before(const void *context, size_t index);

/* Returns the first index in [low, high) that is not before, or `high`, by halves: where nobody can guess. */
__attribute__((always_inline)) static inline size_t search_halves(size_t low, size_t high, search_before *before,
								  const void *context)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (before(context, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns the first index in [low, high) that is not before, or `high`.  Always inlined, so that `before` is too.
 */
__attribute__((always_inline)) static inline size_t search_first(size_t low, size_t high, size_t guess,
								 search_before *before, const void *context)
{
	if (low >= high)
		return high;
	guess = guess < low ? low : guess < high ? guess : high - 1;
	size_t step = 1;
	if (before(context, guess)) {
		low = guess + 1;
		while (step < high - low && before(context, low + step - 1)) {
			low += step;
			step *= 2;
		}
		high = step < high - low ? low + step - 1 : high;
	} else {
		high = guess;
		while (step < high - low && !before(context, high - step)) {
			high -= step;
			step *= 2;
		}
		low = step < high - low ? high - step + 1 : low;
	}
	return search_halves(low, high, before, context);
}

#endif
