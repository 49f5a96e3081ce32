// SPDX-License-Identifier: MIT
#include "base/radix_sort.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGIT_MASK = (1 << DIGIT_BITS) - 1 };

/* One stable counting sort by a digit of (key - key_min). */
static void sort_digit(const struct keyed_index *from, struct keyed_index *to, size_t count, uint64_t key_min,
		       unsigned shift)
{
	uint32_t places[1 << DIGIT_BITS] = { 0 };
	for (size_t i = 0; i < count; i++)
		places[((from[i].key - key_min) >> shift) & DIGIT_MASK]++;
	uint32_t sum = 0;
	for (size_t digit = 0; digit <= DIGIT_MASK; digit++) {
		uint32_t here = places[digit];
		places[digit] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[((from[i].key - key_min) >> shift) & DIGIT_MASK]++] = from[i];
}

void radix_sort(struct keyed_index *entries, struct keyed_index *spare, size_t count)
{
	uint64_t key_min = UINT64_MAX, key_max = 0;
	for (size_t i = 0; i < count; i++) {
		key_min = entries[i].key < key_min ? entries[i].key : key_min;
		key_max = entries[i].key > key_max ? entries[i].key : key_max;
	}
	if (count < 2)
		return;
	struct keyed_index *from = entries, *to = spare;
	for (unsigned shift = 0; shift < 64 && (key_max - key_min) >> shift > 0; shift += DIGIT_BITS) {
		sort_digit(from, to, count, key_min, shift);
		struct keyed_index *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != entries)
		memcpy(entries, from, count * sizeof(*entries));
}
