/* SPDX-License-Identifier: MIT */
/*
 * search.h - binary and exponential searches, comparisons for qsort() and bsearch(), and a radix sort.
 *
 * SEARCH() finds the first of many ascending elements that is not before the one looked for.  The other search
 * begins where the caller guesses: it doubles its steps until the index lies between two probes, then halves
 * (Bentley and Yao, "An almost optimal algorithm for unbounded searching", 1976).  A good guess costs two probes,
 * the worst one twice as many as SEARCH().
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct keyed_index {
	uint64_t key;
	uint32_t index;
};

/* `spare` has room for `count` entries too.  Eleven bits a pass; as few passes as the range of keys needs. */
void radix_sort(struct keyed_index *entries, struct keyed_index *spare, size_t count);

/* Attributes, rows, indices: anything that is a uint32_t. */
static inline int compare_u32(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	return (a > b) - (a < b);
}

/* By their bytes; of two that begin alike the shorter one is first. */
static inline int bytes_order(const void *one, size_t one_size, const void *other, size_t other_size)
{
	const size_t common = one_size < other_size ? one_size : other_size;
	const int order = common > 0 ? memcmp(one, other, common) : 0;
	return order != 0 ? order : (one_size > other_size) - (one_size < other_size);
}

/*
 * Defines a comparison of structs for qsort() and bsearch(): by the first of its keys in which the two, a and b,
 * differ.
 *
 *	COMPARE(by_time, struct path_total, BY_MOST(ns) BY(host) BY_TEXT(name))
 */
#define COMPARE(function, type, keys)                             \
	static int function(const void *one_, const void *other_) \
	{                                                         \
		const type *a = one_, *b = other_;                \
		keys return 0;                                    \
	}

/* The same of an array of pointers to them. */
#define COMPARE_POINTERS(function, type, keys)                                                 \
	static int function(const void *one_, const void *other_)                              \
	{                                                                                      \
		const type *a = *(const type *const *)one_, *b = *(const type *const *)other_; \
		keys return 0;                                                                 \
	}

/* The least, or the most, of a member comes first; BY_ORDER: what an expression of a and b says. */
#define BY(member)                  \
	if (a->member != b->member) \
		return a->member < b->member ? -1 : 1;
#define BY_MOST(member)             \
	if (a->member != b->member) \
		return a->member > b->member ? -1 : 1;
#define BY_ORDER(expression)                   \
	{                                      \
		const int order_ = expression; \
		if (order_ != 0)               \
			return order_;         \
	}
#define BY_TEXT(member) BY_ORDER(strcmp(a->member, b->member))

/* Sorts texts, and returns one that is there more than once; NULL if each is there once. */
const char *text_repeated(const char **texts, size_t count);

/* Returns whether the element at an index is before the one looked for: true up to some index, then false. */
typedef bool search_before(const void *context, size_t index);

/*
 * The first index in [low, high) that is not before, or `high`, by halving.  The caller names the index and gives
 * an expression of it that says whether it is before:
 *
 *	size_t place = SEARCH(i, 0, list->count, list->items[i].key < key);
 */
#define SEARCH(index, low, high, is_before)                                                  \
	__extension__({                                                                      \
		size_t search_low_ = (low), search_high_ = (high);                           \
		while (search_low_ < search_high_) {                                         \
			const size_t index = search_low_ + (search_high_ - search_low_) / 2; \
			if (is_before)                                                       \
				search_low_ = index + 1;                                     \
			else                                                                 \
				search_high_ = index;                                        \
		}                                                                            \
		search_low_;                                                                 \
	})

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
	return SEARCH(index, low, high, before(context, index));
}

#endif
