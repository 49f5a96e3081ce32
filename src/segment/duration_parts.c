// SPDX-License-Identifier: MIT
#include "segment/duration_parts.h"

#include "segment/segment_summary.h"

/* 2^12 parts a bucket at most: there are less than 2^9 buckets. */
enum { LINEAR_LOG2 = 12, BUCKET_PARTS_LOG2 = 12 };

void duration_parts_init(struct duration_parts *parts, unsigned log2, uint64_t longest)
{
	duration_buckets_init(&parts->buckets, SUMMARY_BUCKETS_PER_DECADE);
	for (size_t i = 0; i < parts->buckets.count; i++) {
		uint64_t width = duration_bucket_max(&parts->buckets, i) - parts->buckets.min[i];
		unsigned shift = 0;
		while (width >> shift >> log2 != 0 && (UINT64_C(2) << shift) <= longest >> LINEAR_LOG2)
			shift++;
		while (width >> shift >> BUCKET_PARTS_LOG2 != 0)
			shift++;
		parts->shift[i] = (uint8_t)shift;
	}
}

uint32_t duration_part_in(const struct duration_parts *parts, size_t bucket, uint64_t duration)
{
	return (uint32_t)(bucket << BUCKET_PARTS_LOG2) |
	       (uint32_t)((duration - parts->buckets.min[bucket]) >> parts->shift[bucket]);
}

uint32_t duration_part_of(const struct duration_parts *parts, uint64_t duration)
{
	return duration_part_in(parts, duration_bucket_of(&parts->buckets, duration), duration);
}

uint64_t duration_part_min(const struct duration_parts *parts, uint64_t duration)
{
	size_t bucket = duration_bucket_of(&parts->buckets, duration);
	uint64_t min = parts->buckets.min[bucket];
	return min + ((duration - min) >> parts->shift[bucket] << parts->shift[bucket]);
}

uint64_t duration_part_width(const struct duration_parts *parts, uint64_t duration)
{
	return UINT64_C(1) << parts->shift[duration_bucket_of(&parts->buckets, duration)];
}
