// SPDX-License-Identifier: MIT
/*
 * property_segment_sets.c - segment stores as sets: whether a segment is in one, all of one into another, and each
 * once, compared with an array searched linearly.
 */
#include "driver.h"
#include "histree/segments.h"
#include "support/segments.h"
#include "support/test.h"

enum { SEGMENTS_MAX = 600, QUESTIONS = 60 };

static bool is_same(const struct segments *segments, const struct histree_segment *a,
		    const struct histree_segment *b)
{
	return a->start == b->start && a->end == b->end &&
	       (segments->schema->field_count == 0 || segments_content_equal(segments, a, b));
}

static bool is_among(const struct segments *segments, size_t count, const struct histree_segment *segment)
{
	for (size_t i = 0; i < count; i++)
		if (is_same(segments, &segments->segments[i], segment))
			return true;
	return false;
}

static struct histree_segment_store *create(const struct segments *segments, enum histree_segment_store_kind kind,
					    const char *path, bool distinct)
{
	struct histree_segment_store *store;
	const struct histree_segment_store_options options = {
		.kind = kind, .path = path, .schema = *segments->schema, .node_size = 4096, .distinct = distinct
	};
	unlink(path);
	assert_ok(histree_segment_store_create(&options, &store, NULL));
	return store;
}

static void add(struct histree_segment_store *store, const struct segments *segments, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_ok(histree_segment_store_add(store, &segments->segments[i], NULL));
}

/* Segments that are there, and neighbours of them that may be. */
static void check_contains(struct histree_segment_store *store, const struct segments *segments, size_t count,
			   struct random *random)
{
	for (int i = 0; i < QUESTIONS && segments->count > 0; i++) {
		struct histree_value content[SEGMENT_TEST_FIELDS];
		struct histree_segment segment = segments->segments[random_below(random, segments->count)];
		if (segment.content != NULL && segments->schema->field_count > 0) {
			memcpy(content, segment.content, sizeof(content));
			if (random_percent(random, 25))
				content[SEGMENT_TID] = histree_int((int32_t)random_below(random, 100));
			if (random_percent(random, 10))
				content[SEGMENT_NAME] = histree_null();
			segment.content = content;
		}
		if (random_percent(random, 25) && segment.end < INT64_MAX)
			segment.end++;
		if (random_percent(random, 25) && segment.start > INT64_MIN)
			segment.start--;
		bool expected = is_among(segments, count, &segment);
		assert_int_equal(histree_segment_store_contains(store, &segment, NULL, NULL),
				 expected ? HISTREE_OK : HISTREE_NOT_FOUND);
	}
}

static uint64_t count_of(const struct histree_segment_store *store)
{
	return histree_segment_store_info(store)->segment_count;
}

static void are_sets(const void *chosen, uint64_t seed)
{
	static const enum histree_segment_store_kind in_memory[] = { HISTREE_SEGMENTS_ARRAY, HISTREE_SEGMENTS_LAZY,
								     HISTREE_SEGMENTS_MAP };
	struct random random = { seed };
	struct segments segments;
	char path[64];
	snprintf(path, sizeof(path), "property_segment_sets.%ld.seg", (long)getpid());
	assert_true(segments_make(&segments, chosen, seed));
	if (segments.count > SEGMENTS_MAX)
		segments.count = SEGMENTS_MAX;
	size_t most = segments.count - segments.count / 5, distinct = 0;
	for (size_t i = 0; i < most; i++)
		distinct += !is_among(&segments, i, &segments.segments[i]);

	struct histree_segment_store *disk = create(&segments, HISTREE_SEGMENTS_DISK, path, false);
	assert_int_equal(
		histree_segment_store_contains(disk, &(struct histree_segment){ .start = 1, .end = 2 }, NULL, NULL),
		HISTREE_ERR_ARGUMENT);
	add(disk, &segments, most);
	assert_ok(histree_segment_store_finish(disk, NULL));
	check_contains(disk, &segments, most, &random);
	for (size_t i = 0; i < sizeof(in_memory) / sizeof(*in_memory); i++) {
		struct histree_segment_store *each_once = create(&segments, in_memory[i], path, true);
		struct histree_segment_store *all = create(&segments, in_memory[i], path, false);
		add(each_once, &segments, most / 2);
		assert_ok(histree_segment_store_add_all(each_once, disk, NULL, NULL));
		assert_ok(histree_segment_store_add_all(each_once, disk, NULL, NULL));
		assert_ok(histree_segment_store_finish(each_once, NULL));
		assert_int_equal(count_of(each_once), distinct);
		check_contains(each_once, &segments, most, &random);
		assert_ok(histree_segment_store_add_all(all, disk, NULL, NULL));
		assert_ok(histree_segment_store_add_all(all, each_once, NULL, NULL));
		assert_ok(histree_segment_store_finish(all, NULL));
		assert_int_equal(count_of(all), most + distinct);
		check_contains(all, &segments, most, &random);
		histree_segment_store_close(each_once);
		histree_segment_store_close(all);
	}
	histree_segment_store_close(disk);
	unlink(path);
	segments_release(&segments);
}

TEST(what_does_not_fit_is_refused)
{
	struct histree_segment_store *with = NULL, *without = NULL, *none = NULL;
	const struct histree_segment_store_options one = { .kind = HISTREE_SEGMENTS_LAZY,
							   .schema = segment_test_schema };
	const struct histree_segment_store_options other = { .kind = HISTREE_SEGMENTS_LAZY,
							     .schema = segment_empty_schema };
	const struct histree_segment_store_options on_disk = { .path = "property_segment_sets.none.seg",
							       .schema = segment_empty_schema,
							       .distinct = true };
	assert_ok(histree_segment_store_create(&one, &with, NULL));
	assert_ok(histree_segment_store_create(&other, &without, NULL));
	assert_int_equal(histree_segment_store_create(&on_disk, &none, NULL), HISTREE_ERR_ARGUMENT);
	assert_null(none);
	assert_int_not_equal(access(on_disk.path, F_OK), 0);
	assert_int_equal(histree_segment_store_add_all(with, without, NULL, NULL), HISTREE_ERR_TYPE);
	assert_ok(histree_segment_store_finish(without, NULL));
	assert_int_equal(histree_segment_store_add_all(with, without, NULL, NULL), HISTREE_ERR_TYPE);
	histree_segment_store_close(with);
	histree_segment_store_close(without);
}

PROPERTIES({ KINDS(segment_kinds), .rounds = 1, .check = are_sets })
