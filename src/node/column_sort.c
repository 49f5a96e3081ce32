// SPDX-License-Identifier: MIT
/*
 * A radix sort by key in two stages, for what is larger than the processor's cache: first into buckets by the upper
 * bits, then each bucket, which fits, by the lower ones.  Every pass is stable.
 */
#include "node/column_sort.h"

#include <string.h>

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
	BUCKETS_MAX = 1024,
	BUCKET_ITEMS = 32 << 10, /* at most, about: they and their copy are to fit into a second-level cache */
};

/* One stable counting sort by a digit of key - key_min; `starts`, if not NULL, gets where each digit begins. */
static void sort_digit(const struct column_item *from, struct column_item *to, size_t count, uint32_t key_min,
		       unsigned shift, uint32_t mask, size_t *starts)
{
	size_t places[DIGITS];
	memset(places, 0, ((size_t)mask + 1) * sizeof(*places));
	for (size_t i = 0; i < count; i++)
		places[((column_item_key(&from[i]) - key_min) >> shift) & mask]++;
	size_t sum = 0;
	for (size_t digit = 0; digit <= mask; digit++) {
		size_t here = places[digit];
		places[digit] = sum;
		if (starts != NULL)
			starts[digit] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[((column_item_key(&from[i]) - key_min) >> shift) & mask]++] = from[i];
}

/* Sort by the lowest `bits` of key - key_min; the result is in `to`, if that is asked for, else in `from`. */
static void sort_low_bits(struct column_item *from, struct column_item *to, size_t count, uint32_t key_min,
			  unsigned bits, bool into_to)
{
	struct column_item *source = from, *target = to;
	for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
		unsigned width = bits - shift < DIGIT_BITS ? bits - shift : DIGIT_BITS;
		sort_digit(source, target, count, key_min, shift, (1u << width) - 1, NULL);
		struct column_item *sorted = target;
		target = source;
		source = sorted;
	}
	struct column_item *wanted = into_to ? to : from;
	if (source != wanted)
		memcpy(wanted, source, count * sizeof(*wanted));
}

/* For callers who insert out of order; for others it only looks. */
static void order_by_start(struct column_item *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (items[i - 1].start <= items[i].start ||
		    column_item_key(&items[i - 1]) != column_item_key(&items[i]))
			continue;
		struct column_item item = items[i];
		size_t place = i;
		for (; place > 0 && column_item_key(&items[place - 1]) == column_item_key(&item) &&
		       items[place - 1].start > item.start;
		     place--)
			items[place] = items[place - 1];
		items[place] = item;
	}
}

/* How many upper bits choose the bucket: none for what fits into the cache, else so that one pass does the rest. */
static unsigned bucket_bits(unsigned bits, size_t count)
{
	unsigned upper = 0;
	while (upper < bits && (1u << upper) < BUCKETS_MAX &&
	       ((count >> upper) > BUCKET_ITEMS || (upper > 0 && bits - upper > DIGIT_BITS)))
		upper++;
	return upper;
}

void column_sort(struct column_item *items, struct column_item *spare, size_t count, histree_quark key_min,
		 histree_quark key_max)
{
	if (count > 1 && key_max > key_min) {
		unsigned bits = bits_needed(key_max - key_min), upper = bucket_bits(bits, count);
		unsigned lower = bits - upper;
		size_t starts[BUCKETS_MAX + 1] = { 0 };
		uint32_t last = (uint32_t)((key_max - key_min) >> lower);
		if (upper > 0)
			sort_digit(items, spare, count, key_min, lower, (1u << upper) - 1, starts);
		else
			memcpy(spare, items, count * sizeof(*items));
		for (uint32_t bucket = 0; bucket <= last; bucket++) {
			size_t first = starts[bucket], end = bucket == last ? count : starts[bucket + 1];
			sort_low_bits(spare + first, items + first, end - first, key_min, lower, true);
		}
	}
	order_by_start(items, count);
}
