// SPDX-License-Identifier: MIT
#include "support/segments.h"

#include <stdlib.h>
#include <string.h>

const struct segment_kind segment_kinds[] = {
	{ "none", SEGMENTS_NOISY, 0, true },
	{ "one", SEGMENTS_EXTREME, 1, true },
	{ "noisy", SEGMENTS_NOISY, 3000, false },
	{ "noisy with content", SEGMENTS_NOISY, 700, true },
	{ "random", SEGMENTS_RANDOM, 3000, false },
	{ "by end", SEGMENTS_BY_END, 5000, false },
	{ "by end with content", SEGMENTS_BY_END, 1500, true },
	{ "scattered", SEGMENTS_SCATTERED, 4000, false },
	{ "scattered with content", SEGMENTS_SCATTERED, 900, true },
	{ "extreme", SEGMENTS_EXTREME, 1200, false },
	{ "extreme with content", SEGMENTS_EXTREME, 600, true },
	{ "few values", SEGMENTS_FEW_VALUES, 3000, false },
	{ "few values with content", SEGMENTS_FEW_VALUES, 800, true },
	{ NULL, SEGMENTS_NOISY, 0, false },
};

static const struct histree_segment_field fields[SEGMENT_TEST_FIELDS] = {
	[SEGMENT_ID] = { "id", HISTREE_LONG },         [SEGMENT_NAME] = { "name", HISTREE_STRING },
	[SEGMENT_RESULT] = { "result", HISTREE_LONG }, [SEGMENT_RATIO] = { "ratio", HISTREE_DOUBLE },
	[SEGMENT_FLAG] = { "flag", HISTREE_BOOL },     [SEGMENT_TID] = { "tid", HISTREE_INT },
};

const struct histree_segment_schema segment_test_schema = {
	.provider = "test", .provider_version = 3, .fields = fields, .field_count = SEGMENT_TEST_FIELDS
};
const struct histree_segment_schema segment_empty_schema = { .provider = "times", .provider_version = 1 };

/* ---- making ------------------------------------------------------------------------------------- */

/* The end, but not behind the end of time. */
static histree_time add(histree_time start, uint64_t duration)
{
	uint64_t most = (uint64_t)INT64_MAX - (uint64_t)start;
	return (histree_time)((uint64_t)start + (duration < most ? duration : most));
}

static histree_time extreme_time(struct random *random)
{
	static const histree_time times[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX };
	return times[random_below(random, sizeof(times) / sizeof(times[0]))];
}

static void draw_times(struct histree_segment *segment, enum segment_model model, size_t place,
		       struct random *random)
{
	histree_time on_line = -100000 + (histree_time)place * 100, a, b;
	switch (model) {
	case SEGMENTS_NOISY:
		segment->start = on_line + (histree_time)random_below(random, 10000);
		segment->end = segment->start + 1000;
		break;
	case SEGMENTS_RANDOM:
		segment->start = (histree_time)(random_bits(random) >> 1);
		segment->end = add(segment->start, 1000);
		break;
	case SEGMENTS_BY_END:
		segment->end = on_line + (histree_time)random_below(random, 100);
		segment->start = segment->end - (histree_time)random_below(random, 10 << random_below(random, 14));
		break;
	case SEGMENTS_SCATTERED:
		segment->start = (histree_time)random_bits(random);
		segment->end = add(segment->start, random_bits(random) >> random_below(random, 64));
		break;
	case SEGMENTS_EXTREME:
		a = extreme_time(random);
		b = extreme_time(random);
		segment->start = a < b ? a : b;
		segment->end = a < b ? b : a;
		break;
	case SEGMENTS_FEW_VALUES:
		segment->start = (histree_time)random_below(random, 3);
		segment->end = segment->start + (histree_time)random_below(random, 2);
		break;
	}
}

static void draw_content(struct histree_value *values, size_t place, struct random *random)
{
	static const char *const names[] = { "read", "write", "", "readv", "futex", "re\0d" };
	static const double ratios[] = { 0.0, -0.0, 1.5, -1e300, 1e300 };
	size_t name = random_below(random, 6);
	values[SEGMENT_ID] = histree_long((int64_t)place);
	values[SEGMENT_NAME] = name == 5 ? histree_string_n(names[5], 4) : histree_string(names[name]);
	values[SEGMENT_RESULT] =
		random_percent(random, 20) ? histree_null() : histree_long((int64_t)random_bits(random));
	values[SEGMENT_RATIO] = histree_double(ratios[random_below(random, 5)]);
	values[SEGMENT_FLAG] =
		random_percent(random, 10) ? histree_null() : histree_bool(random_percent(random, 50));
	values[SEGMENT_TID] =
		random_percent(random, 95) ? histree_null() : histree_int((int32_t)random_bits(random));
}

bool segments_make(struct segments *segments, const struct segment_kind *kind, uint64_t seed)
{
	struct random random = { seed };
	*segments = (struct segments){
		.schema = kind->content ? &segment_test_schema : &segment_empty_schema,
		.segments = calloc(kind->count + 1, sizeof(*segments->segments)),
		.values = calloc((kind->count + 1) * SEGMENT_TEST_FIELDS, sizeof(*segments->values)),
		.count = kind->count,
	};
	if (segments->segments == NULL || segments->values == NULL) {
		segments_release(segments);
		return false;
	}
	for (size_t i = 0; i < kind->count; i++) {
		draw_times(&segments->segments[i], kind->model, i, &random);
		if (!kind->content)
			continue;
		struct histree_value *values = &segments->values[i * SEGMENT_TEST_FIELDS];
		draw_content(values, i, &random);
		segments->segments[i].content = values;
	}
	return true;
}

void segments_release(struct segments *segments)
{
	free(segments->segments);
	free(segments->values);
	*segments = (struct segments){ 0 };
}

struct histree_segment_store *segments_store(const struct segments *segments)
{
	const struct histree_segment_store_options options = { .kind = HISTREE_SEGMENTS_LAZY,
							       .schema = *segments->schema };
	struct histree_segment_store *store;
	enum histree_status status = histree_segment_store_create(&options, &store, NULL);
	for (size_t i = 0; status == HISTREE_OK && i < segments->count; i++)
		status = histree_segment_store_add(store, &segments->segments[i], NULL);
	if (status == HISTREE_OK)
		status = histree_segment_store_finish(store, NULL);
	if (status == HISTREE_OK)
		return store;
	histree_segment_store_close(store);
	return NULL;
}

/* ---- answering ---------------------------------------------------------------------------------- */

/* By type, by what the header of the library promises and nothing else. */
static int compare_values(const struct histree_value *a, const struct histree_value *b)
{
	if (a->type != b->type)
		return a->type == HISTREE_NULL ? -1 : 1;
	switch (a->type) {
	case HISTREE_INT:
		return (a->int32 > b->int32) - (a->int32 < b->int32);
	case HISTREE_LONG:
		return (a->int64 > b->int64) - (a->int64 < b->int64);
	case HISTREE_BOOL:
		return a->boolean - b->boolean;
	case HISTREE_DOUBLE:
		if (a->real == 0 && b->real == 0)
			return (__builtin_signbit(b->real) != 0) - (__builtin_signbit(a->real) != 0);
		return (a->real > b->real) - (a->real < b->real);
	case HISTREE_STRING:
		for (uint32_t i = 0; i < a->size && i < b->size; i++) {
			uint8_t of_a = ((const uint8_t *)a->bytes)[i], of_b = ((const uint8_t *)b->bytes)[i];
			if (of_a != of_b)
				return of_a < of_b ? -1 : 1;
		}
		return (a->size > b->size) - (a->size < b->size);
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_CUSTOM:
		break;
	}
	return 0;
}

static int compare_in_query(const struct histree_segment *a, const struct histree_segment *b,
			    const struct histree_segment_query *query)
{
	int start = (a->start > b->start) - (a->start < b->start), end = (a->end > b->end) - (a->end < b->end);
	uint64_t long_a = histree_segment_duration(a), long_b = histree_segment_duration(b);
	int order = 0;
	if (query->order == HISTREE_SEGMENTS_BY_END)
		order = end;
	else if (query->order == HISTREE_SEGMENTS_BY_DURATION)
		order = (long_a > long_b) - (long_a < long_b);
	else if (query->order == HISTREE_SEGMENTS_BY_FIELD)
		order = compare_values(&a->content[query->field], &b->content[query->field]);
	else if (query->order == HISTREE_SEGMENTS_BY_COMPARE)
		order = query->compare(query->compare_context, a, b);
	order = order != 0 ? order : start != 0 ? start : end;
	return query->descending ? -order : order;
}

struct answering {
	const struct segments *segments;
	const struct histree_segment_query *query;
};

static int compare_indices(const void *a, const void *b, void *context)
{
	const struct answering *answering = context;
	const struct histree_segment *all = answering->segments->segments;
	size_t index_a = *(const size_t *)a, index_b = *(const size_t *)b;
	int order = 0;
	if (answering->query->order != HISTREE_SEGMENTS_UNSORTED)
		order = compare_in_query(&all[index_a], &all[index_b], answering->query);
	return order != 0 ? order : (index_a > index_b) - (index_a < index_b);
}

size_t segments_answer(const struct segments *segments, const struct histree_segment_query *query, size_t *out)
{
	size_t count = 0;
	for (size_t i = 0; i < segments->count; i++) {
		const struct histree_segment *segment = &segments->segments[i];
		if (segment->start <= query->to && segment->end >= query->from &&
		    (query->filter == NULL || query->filter(query->filter_context, segment)))
			out[count++] = i;
	}
	struct answering answering = { .segments = segments, .query = query };
	if (count > 1)
		qsort_r(out, count, sizeof(*out), compare_indices, &answering);
	return query->limit > 0 && query->limit < count ? (size_t)query->limit : count;
}

bool segments_content_equal(const struct segments *segments, const struct histree_segment *a,
			    const struct histree_segment *b)
{
	for (size_t i = 0; i < segments->schema->field_count; i++)
		if (!histree_value_equal(&a->content[i], &b->content[i]))
			return false;
	return true;
}
