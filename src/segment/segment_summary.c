// SPDX-License-Identifier: MIT
#include "segment/segment_summary.h"

#include <string.h>

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
	if (__builtin_add_overflow(into->total, from->total, &total) ||
	    __builtin_add_overflow(into->count, from->count, &count) || count > INT64_MAX)
		return false;
	/* As segment_summary_squares(), with one division: this is what making overviews costs. */
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
