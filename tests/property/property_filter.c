// SPDX-License-Identifier: MIT
/*
 * property_filter.c - random expressions over random segments: a store hands out those that a plain walk over the
 * tree of the expression finds in an array.
 */
#include "driver.h"
#include "expressions.h"
#include "histree/segment_stats.h"
#include "support/segments.h"
#include "support/test.h"

enum { FILTERS = 300 }; /* drawn in a round */

enum { FIELD_START, FIELD_END, FIELD_DURATION, OWN_FIELDS, FIELDS = OWN_FIELDS + SEGMENT_TEST_FIELDS };

static void values_of(const struct histree_segment *segment, struct histree_value *values)
{
	uint64_t duration = histree_segment_duration(segment);
	values[FIELD_START] = histree_long(segment->start);
	values[FIELD_END] = histree_long(segment->end);
	values[FIELD_DURATION] = histree_long(duration > INT64_MAX ? INT64_MAX : (int64_t)duration);
	memcpy(values + OWN_FIELDS, segment->content, SEGMENT_TEST_FIELDS * sizeof(*values));
}

static void draw_values(void *context, struct random *random, struct histree_value *values)
{
	const struct segments *segments = context;
	values_of(&segments->segments[random_below(random, segments->count)], values);
}

static void list_fields(struct histree_filter_field *fields)
{
	fields[FIELD_START] = (struct histree_filter_field){ "start", HISTREE_LONG, HISTREE_FILTER_TIME };
	fields[FIELD_END] = (struct histree_filter_field){ "end", HISTREE_LONG, HISTREE_FILTER_TIME };
	fields[FIELD_DURATION] = (struct histree_filter_field){ "duration", HISTREE_LONG, HISTREE_FILTER_DURATION };
	for (size_t i = 0; i < SEGMENT_TEST_FIELDS; i++)
		fields[OWN_FIELDS + i] =
			(struct histree_filter_field){ .name = segment_test_schema.fields[i].name,
						       .type = segment_test_schema.fields[i].type };
}

/* How many the filter let pass; `given` counts each, by its number. */
static size_t ask(struct histree_segment_store *store, const char *text, uint8_t *given, size_t count)
{
	struct histree_segment_filter *filter;
	struct histree_cursor *iter;
	struct histree_segment segment;
	struct histree_error error = { 0 };
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	size_t passed = 0;
	if (histree_segment_filter_create(&segment_test_schema, text, 0, 0, &filter, &error) != HISTREE_OK)
		fail_msg("'%s': %s", text, error.message);
	histree_segment_filter_apply(filter, &query);
	memset(given, 0, count);
	assert_ok(histree_segments_create(store, &iter, NULL));
	assert_ok(histree_segments_start(iter, &query, NULL, NULL));
	for (; histree_cursor_next(iter, NULL) == HISTREE_OK; passed++) {
		segment = *histree_cursor_segment(iter);
		given[segment.content[SEGMENT_ID].int64]++;
	}
	histree_cursor_free(iter);
	histree_segment_filter_free(filter);
	return passed;
}

static void as_a_plain_evaluation(const void *chosen, uint64_t seed)
{
	const struct segment_kind *kind = chosen;
	struct segments segments;
	struct histree_filter_field fields[FIELDS];
	list_fields(fields);
	assert_true(segments_make(&segments, kind, seed));
	struct histree_segment_store *store = segments_store(&segments);
	const struct expression_subject subject = { fields, FIELDS, draw_values, &segments, NULL };
	struct expressions *expressions = expressions_create(&subject);
	uint8_t *given = malloc(segments.count);
	assert_true(store != NULL && expressions != NULL && given != NULL);
	size_t some = 0;
	for (size_t number = 0; number < FILTERS; number++) {
		struct histree_value values[FIELDS];
		char text[8192];
		const struct expression *expression = expressions_draw(expressions, seed + number, text);
		size_t passed = ask(store, text, given, segments.count);
		for (size_t i = 0; i < segments.count; i++) {
			values_of(&segments.segments[i], values);
			if (given[i] != expression_holds(expressions, expression, values))
				fail_msg("segment %zu was given %d times: %s", i, given[i], text);
		}
		some += passed > 0 && passed < segments.count;
	}
	assert_true(some > FILTERS / 3);
	free(given);
	expressions_free(expressions);
	histree_segment_store_close(store);
	segments_release(&segments);
}

static const struct segment_kind kinds[] = {
	{ "by end", SEGMENTS_BY_END, 60, true },   { "scattered", SEGMENTS_SCATTERED, 60, true },
	{ "extreme", SEGMENTS_EXTREME, 60, true }, { "few values", SEGMENTS_FEW_VALUES, 60, true },
	{ NULL, SEGMENTS_NOISY, 0, false },
};

PROPERTIES({ KINDS(kinds), .rounds = 1, .check = as_a_plain_evaluation })
