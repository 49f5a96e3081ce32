// SPDX-License-Identifier: MIT
#include "segment/duration_buckets.h"

#include "base/search.h"

/* Where buckets begin between 1 and 10, in thousandths: 1 2 5, then the series R 5, R 10 and R 20 of ISO 3. */
static const struct {
	unsigned count;
	uint16_t min[20];
} divisions[] = {
	{ 1, { 1000 } },
	{ 3, { 1000, 2000, 5000 } },
	{ 5, { 1000, 1600, 2500, 4000, 6300 } },
	{ 10, { 1000, 1250, 1600, 2000, 2500, 3150, 4000, 5000, 6300, 8000 } },
	{ 20, { 1000, 1120, 1250, 1400, 1600, 1800, 2000, 2240, 2500, 2800,
		3150, 3550, 4000, 4500, 5000, 5600, 6300, 7100, 8000, 9000 } },
};

/* Of the small decades, which have fewer whole numbers than buckets, some begin at the same one: they are one. */
static void add(struct duration_buckets *buckets, uint64_t min)
{
	if (buckets->count == 0 || min > buckets->min[buckets->count - 1])
		buckets->min[buckets->count++] = min;
}

static void add_all(struct duration_buckets *buckets, const uint16_t *division, unsigned per_decade)
{
	add(buckets, 0);
	for (uint64_t scale = 1; scale < 1000; scale *= 10)
		for (unsigned i = 0; i < per_decade; i++)
			add(buckets, (division[i] * scale + 999) / 1000);
	for (uint64_t scale = 1;; scale *= 10)
		for (unsigned i = 0; i < per_decade; i++) {
			uint64_t min;
			if (__builtin_mul_overflow(division[i], scale, &min))
				return;
			add(buckets, min);
		}
}

bool duration_buckets_init(struct duration_buckets *buckets, unsigned per_decade)
{
	size_t chosen = 0;
	while (chosen < sizeof(divisions) / sizeof(divisions[0]) && divisions[chosen].count != per_decade)
		chosen++;
	if (chosen == sizeof(divisions) / sizeof(divisions[0]))
		return false;
	buckets->count = 0;
	add_all(buckets, divisions[chosen].min, per_decade);
	buckets->first[0] = 0;
	for (unsigned bits = 1; bits <= 64; bits++)
		buckets->first[bits] =
			(uint16_t)duration_bucket_in(buckets->min, buckets->count, UINT64_C(1) << (bits - 1));
	return true;
}

struct looking {
	const uint64_t *min;
	uint64_t duration;
};

static bool reaches(const void *context, size_t index)
{
	const struct looking *looking = context;
	return looking->min[index] <= looking->duration;
}

size_t duration_bucket_in(const uint64_t *min, size_t count, uint64_t duration)
{
	const struct looking looking = { .min = min, .duration = duration };
	return search_first(0, count, count / 2, reaches, &looking) - 1;
}

size_t duration_bucket_of(const struct duration_buckets *buckets, uint64_t duration)
{
	/* From the power of two at or before it there are a few at most. */
	size_t index = buckets->first[duration > 0 ? 64 - __builtin_clzll(duration) : 0];
	while (index + 1 < buckets->count && buckets->min[index + 1] <= duration)
		index++;
	return index;
}

uint64_t duration_bucket_max(const struct duration_buckets *buckets, size_t index)
{
	return index + 1 < buckets->count ? buckets->min[index + 1] - 1 : UINT64_MAX;
}
