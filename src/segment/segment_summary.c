// SPDX-License-Identifier: MIT
/*
 * segment_summary.c - the summary of some segments: how many, how long, in which buckets and parts of duration.
 */
#include "segment/segment_summary.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/search.h"
#include "histree/segments.h"

/* ---- duration buckets ---------------------------------------------------------------------------------------- */

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

/*
 * In the small decades, which have fewer whole numbers than buckets, some buckets begin at the same number: they
 * are one.
 */
static void segment_summary_add(struct duration_buckets *buckets, uint64_t min)
{
	if (buckets->count > 0 && min <= buckets->min[buckets->count - 1])
		return;
	assert(buckets->count < DURATION_BUCKETS_MAX);
	buckets->min[buckets->count++] = min;
}

static void add_all(struct duration_buckets *buckets, const uint16_t *division, unsigned per_decade)
{
	segment_summary_add(buckets, 0);
	for (uint64_t scale = 1; scale < 1000; scale *= 10)
		for (unsigned i = 0; i < per_decade; i++)
			segment_summary_add(buckets, (division[i] * scale + 999) / 1000);
	for (uint64_t scale = 1;; scale *= 10)
		for (unsigned i = 0; i < per_decade; i++) {
			uint64_t min;
			if (__builtin_mul_overflow(division[i], scale, &min))
				return;
			segment_summary_add(buckets, min);
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

size_t duration_bucket_in(const uint64_t *min, size_t count, uint64_t duration)
{
	assert(count > 0 && min[0] <= duration);
	return SEARCH(i, 0, count, min[i] <= duration) - 1;
}

size_t duration_bucket_of(const struct duration_buckets *buckets, uint64_t duration)
{
	/* From the power of two at or before it there are a few at most. */
	size_t index = buckets->first[duration > 0 ? 64 - __builtin_clzll(duration) : 0];
	while (index + 1 < buckets->count && buckets->min[index + 1] <= duration)
		index++;
	assert(index < buckets->count && buckets->min[index] <= duration);
	return index;
}

uint64_t duration_bucket_max(const struct duration_buckets *buckets, size_t index)
{
	return index + 1 < buckets->count ? buckets->min[index + 1] - 1 : UINT64_MAX;
}

/* ---- segment summary ----------------------------------------------------------------------------------------- */

/* Numbers that are small in most summaries, and null where there is but one segment. */
enum {
	FIELD_VALUE,
	FIELD_COUNT,
	FIELD_SPREAD,  /* the longest duration less the shortest */
	FIELD_BETWEEN, /* from the start of the longest to that of the shortest */
	FIELD_EXCESS,  /* the total less what it would be if all were as short as the shortest */
	FIELD_SQUARES, /* the upper half of the number: within a millionth */
};

void segment_summary_fields(enum histree_type value, struct histree_segment_field fields[SUMMARY_FIELD_COUNT])
{
	fields[FIELD_VALUE] = (struct histree_segment_field){ "value", value };
	fields[FIELD_COUNT] = (struct histree_segment_field){ "count", HISTREE_LONG };
	fields[FIELD_SPREAD] = (struct histree_segment_field){ "spread", HISTREE_LONG };
	fields[FIELD_BETWEEN] = (struct histree_segment_field){ "between", HISTREE_LONG };
	fields[FIELD_EXCESS] = (struct histree_segment_field){ "excess", HISTREE_LONG };
	fields[FIELD_SQUARES] = (struct histree_segment_field){ "squares", HISTREE_INT };
}

struct segment_summary segment_summary_of(const struct histree_segment *segment, const struct histree_value *value)
{
	uint64_t duration = histree_segment_duration(segment);
	return (struct segment_summary){
		.count = 1,
		.longest_start = segment->start,
		.shortest_start = segment->start,
		.longest = duration,
		.shortest = duration,
		.total = duration,
		.value = *value,
	};
}

double segment_summary_squares(double one, double one_count, double one_mean, double other, double other_count,
			       double other_mean)
{
	double distance = other_mean - one_mean, share = one_count / (one_count + other_count);
	return one + other + distance * distance * share * other_count;
}

bool segment_summary_merge(struct segment_summary *into, const struct segment_summary *from)
{
	uint64_t total, count;
	assert(into->count > 0 && from->count > 0);
	if (__builtin_add_overflow(into->total, from->total, &total) ||
	    __builtin_add_overflow(into->count, from->count, &count) || count > INT64_MAX)
		return false;
	/* As segment_summary_squares(), with one division, because making overviews spends its time here. */
	double one = (double)into->count, other = (double)from->count;
	double distance = (double)from->total * one - (double)into->total * other;
	into->squares += from->squares + distance * distance / (one * other * (one + other));
	into->total = total;
	into->count = count;
	if (from->longest > into->longest ||
	    (from->longest == into->longest && from->longest_start < into->longest_start)) {
		into->longest = from->longest;
		into->longest_start = from->longest_start;
	}
	if (from->shortest < into->shortest ||
	    (from->shortest == into->shortest && from->shortest_start < into->shortest_start)) {
		into->shortest = from->shortest;
		into->shortest_start = from->shortest_start;
	}
	assert(into->shortest <= into->longest);
	return true;
}

/* ---- as a segment ---------------------------------------------------------------------------------- */

static int32_t upper_half(double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof(bits));
	return (int32_t)((bits + (UINT64_C(1) << 31)) >> 32);
}

static double from_upper_half(int32_t half)
{
	uint64_t bits = (uint64_t)(uint32_t)half << 32;
	double number;
	memcpy(&number, &bits, sizeof(number));
	return number;
}

struct histree_segment segment_summary_put(const struct segment_summary *summary,
					   struct histree_value content[SUMMARY_FIELD_COUNT])
{
	assert(summary->count > 0 && summary->shortest <= summary->longest);
	memset(content, 0, SUMMARY_FIELD_COUNT * sizeof(*content));
	content[FIELD_VALUE] = summary->value;
	if (summary->count > 1) {
		uint64_t between = (uint64_t)summary->shortest_start - (uint64_t)summary->longest_start;
		content[FIELD_COUNT] = histree_long((int64_t)summary->count);
		content[FIELD_SPREAD] = histree_long((int64_t)(summary->longest - summary->shortest));
		content[FIELD_BETWEEN] = histree_long((int64_t)between);
		content[FIELD_EXCESS] =
			histree_long((int64_t)(summary->total - summary->count * summary->shortest));
		content[FIELD_SQUARES] = histree_int(upper_half(summary->squares));
	}
	return (struct histree_segment){
		.start = summary->longest_start,
		.end = (histree_time)((uint64_t)summary->longest_start + summary->longest),
		.content = content,
	};
}

bool segment_summary_get(const struct duration_buckets *buckets, const struct histree_segment *segment,
			 struct segment_summary *out)
{
	const struct histree_value *content = segment->content;
	*out = segment_summary_of(segment, &content[FIELD_VALUE]);
	if (content[FIELD_COUNT].type == HISTREE_NULL)
		return true;
	for (int field = FIELD_COUNT; field <= FIELD_SQUARES; field++)
		if (content[field].type == HISTREE_NULL)
			return false;
	uint64_t spread = (uint64_t)content[FIELD_SPREAD].int64, excess = (uint64_t)content[FIELD_EXCESS].int64;
	uint64_t all_short, all_spread;
	out->count = (uint64_t)content[FIELD_COUNT].int64;
	if (content[FIELD_COUNT].int64 < 2 || spread > out->longest || content[FIELD_SQUARES].int32 < 0)
		return false;
	out->shortest = out->longest - spread;
	out->shortest_start = (histree_time)((uint64_t)segment->start + (uint64_t)content[FIELD_BETWEEN].int64);
	out->squares = from_upper_half(content[FIELD_SQUARES].int32);
	/* The longest is one of them, so that the excess is a spread at least, and less than one for each. */
	return duration_bucket_of(buckets, out->shortest) == duration_bucket_of(buckets, out->longest) &&
	       !__builtin_mul_overflow(out->count, out->shortest, &all_short) &&
	       (__builtin_mul_overflow(out->count, spread, &all_spread) || excess <= all_spread) &&
	       excess >= spread && !__builtin_add_overflow(all_short, excess, &out->total) && out->squares < 1e300;
}

/* ---- duration parts ------------------------------------------------------------------------------------------ */

/* 2^12 parts a bucket at most: there are less than 2^9 buckets. */
enum { LINEAR_LOG2 = 12, BUCKET_PARTS_LOG2 = 12 };

void duration_parts_init(struct duration_parts *parts, unsigned log2, uint64_t longest)
{
	const bool is_known = duration_buckets_init(&parts->buckets, SUMMARY_BUCKETS_PER_DECADE);
	assert(is_known && parts->buckets.count <= DURATION_BUCKETS_MAX);
	(void)is_known;
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
