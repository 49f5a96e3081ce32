// SPDX-License-Identifier: MIT
/*
 * search.c - a radix sort, and texts that are there twice; searches and comparisons are inline (search.h).
 */
#include "base/search.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- radix sort ---------------------------------------------------------------------------------------------- */

enum { DIGIT_BITS = 11, DIGIT_MASK = (1 << DIGIT_BITS) - 1 };

/* Sort by the digits from `shift` on; returns in which of the two arrays the result is. */
static struct keyed_index *sort_digits(struct keyed_index *from, struct keyed_index *to, size_t count,
				       uint64_t key_min, uint64_t range, unsigned shift)
{
	for (; shift < 64 && range >> shift > 0; shift += DIGIT_BITS) {
		/* One stable counting sort by a digit of (key - key_min). */
		uint32_t slots[1 << DIGIT_BITS] = { 0 };
		for (size_t i = 0; i < count; i++)
			slots[((from[i].key - key_min) >> shift) & DIGIT_MASK]++;
		uint32_t sum = 0;
		for (size_t digit = 0; digit <= DIGIT_MASK; digit++) {
			uint32_t here = slots[digit];
			slots[digit] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			to[slots[((from[i].key - key_min) >> shift) & DIGIT_MASK]++] = from[i];
		struct keyed_index *sorted = to;
		to = from;
		from = sorted;
	}
	return from;
}

/* Stable.  Returns false, with the entries not sorted, if that takes more moves than sorting by digits. */
static bool sort_nearly_sorted(struct keyed_index *entries, size_t count)
{
	size_t moves_left = count;
	for (size_t i = 1; i < count; i++) {
		struct keyed_index entry = entries[i];
		size_t slot = i;
		for (; slot > 0 && entries[slot - 1].key > entry.key && moves_left > 0; slot--, moves_left--)
			entries[slot] = entries[slot - 1];
		entries[slot] = entry;
		if (moves_left == 0)
			return false;
	}
	return true;
}

static unsigned width_of(uint64_t number)
{
	return number == 0 ? 0 : 64 - (unsigned)__builtin_clzll(number);
}

/*
 * If keys differ in many more bits than are needed to number them, the leading bits mostly tell them apart: this
 * saves two passes in a leaf of random starts.  Entries with equal keys keep their order throughout, so where the
 * leading bits are not enough, sorting starts again from the entries as they are.
 */
void radix_sort(struct keyed_index *entries, struct keyed_index *spare, size_t count)
{
	uint64_t key_min = UINT64_MAX, key_max = 0;
	for (size_t i = 0; i < count; i++) {
		key_min = entries[i].key < key_min ? entries[i].key : key_min;
		key_max = entries[i].key > key_max ? entries[i].key : key_max;
	}
	if (count < 2)
		return;
	uint64_t range = key_max - key_min;
	unsigned width = width_of(range), leading = (width_of(count) / DIGIT_BITS + 1) * DIGIT_BITS;
	struct keyed_index *sorted = entries, *other = spare;
	bool done = false;
	if (leading < width) {
		sorted = sort_digits(entries, spare, count, key_min, range, width - leading);
		other = sorted == entries ? spare : entries;
		done = sort_nearly_sorted(sorted, count);
	}
	if (!done)
		sorted = sort_digits(sorted, other, count, key_min, range, 0);
	if (sorted != entries)
		memcpy(entries, sorted, count * sizeof(*entries));
}

/* ---- texts --------------------------------------------------------------------------------------------------- */

COMPARE_POINTERS(compare_texts, char, BY_ORDER(strcmp(a, b)))

const char *text_repeated(const char **texts, size_t count)
{
	qsort((void *)texts, count, sizeof(*texts), compare_texts);
	for (size_t i = 1; i < count; i++)
		if (strcmp(texts[i - 1], texts[i]) == 0)
			return texts[i];
	return NULL;
}
