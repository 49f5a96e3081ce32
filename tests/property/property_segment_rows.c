// SPDX-License-Identifier: MIT
/*
 * property_segment_rows.c - rows by number are those of an array searched linearly.
 *
 * For each kind of segments, in memory and on disk with little of everything, with side tables and without: random
 * queries, of each of which rows are asked for in any order, counted, found by time, and given up in between, with
 * marks that are close together.
 */
#include "driver.h"
#include "histree/segment_stats.h"
#include "segment/segment_memory.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"
#include "support/workload.h"

enum { QUESTIONS = 8, VISITS = 15, ROWS_PER_VISIT = 40, PATIENCE_MAX = 20 };

struct test {
	const struct segments *segments;
	struct histree_segment_store *store;
	struct random random;
	size_t *expected; /* indices of segments, by row */
	uint64_t count;   /* of rows */
	struct histree_cursor *rows;
	const struct histree_segment_query *query;
	unsigned patience; /* questions that are answered with "go on" */
};

static bool is_even(void *context, const struct histree_segment *segment)
{
	(void)context;
	return (segment->start & 2) == 0;
}

static bool go_on(void *context)
{
	struct test *test = context;
	return test->patience > 0 && test->patience-- > 0;
}

static histree_time any_time(struct test *test)
{
	if (test->segments->count == 0 || random_percent(&test->random, 10))
		return (histree_time)random_bits(&test->random);
	size_t index = random_below(&test->random, test->segments->count);
	histree_time start = test->segments->segments[index].start;
	return start < INT64_MAX && random_percent(&test->random, 50) ? start + 1 : start;
}

static struct histree_segment_query any_query(struct test *test)
{
	static const enum histree_segment_order orders[] = { HISTREE_SEGMENTS_BY_START, HISTREE_SEGMENTS_BY_END,
							     HISTREE_SEGMENTS_BY_DURATION,
							     HISTREE_SEGMENTS_BY_FIELD };
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	size_t order_count = test->segments->schema->field_count > 0 ? 4 : 3;
	query.order = orders[random_below(&test->random, order_count)];
	query.field = random_below(&test->random, SEGMENT_TEST_FIELDS);
	query.descending = random_percent(&test->random, 40);
	query.filter = random_percent(&test->random, 40) ? is_even : NULL;
	if (random_percent(&test->random, 40)) {
		histree_time one = any_time(test), other = any_time(test);
		query.from = one < other ? one : other;
		query.to = one < other ? other : one;
	}
	return query;
}

/* Equal in what the order is about: segments that are equal in all of it may be swapped. */
static void check_row(const struct test *test, uint64_t row, const struct histree_segment *segment)
{
	const struct histree_segment *expected = &test->segments->segments[test->expected[row]];
	assert_int_equal(segment->start, expected->start);
	assert_int_equal(segment->end, expected->end);
	if (test->query->order == HISTREE_SEGMENTS_BY_FIELD)
		assert_true(histree_value_equal(&segment->content[test->query->field],
						&expected->content[test->query->field]));
	if (test->segments->schema->field_count == 0)
		return;
	/* Those that may be swapped are told apart by their id: it has to be one with these times. */
	int64_t id = segment->content[SEGMENT_ID].int64;
	assert_in_range(id, 0, test->segments->count - 1);
	assert_int_equal(test->segments->segments[id].start, segment->start);
	assert_true(segments_content_equal(test->segments, segment, &test->segments->segments[id]));
}

/* What was given up is asked for again, until it is there. */
static enum histree_status seek(struct test *test, uint64_t row)
{
	struct histree_error error = { 0 };
	enum histree_status status;
	do {
		test->patience = (unsigned)random_below(&test->random, PATIENCE_MAX);
		status = histree_segment_rows_seek(test->rows, row, &error);
	} while (status == HISTREE_ERR_CANCELLED);
	test->patience = UINT32_MAX;
	if (status < 0)
		print_error("%s\n", error.message);
	assert_true(status >= 0);
	return status;
}

static void read_rows(struct test *test, uint64_t row, int64_t *ids)
{
	struct histree_error error;
	struct histree_segment segment;
	assert_ok(seek(test, row));
	for (uint64_t i = row; i < row + ROWS_PER_VISIT; i++) {
		if (random_percent(&test->random, 3))
			histree_segment_rows_rest(test->rows);
		enum histree_status status = histree_cursor_next(test->rows, &error);
		if (status == HISTREE_OK)
			segment = *histree_cursor_segment(test->rows);
		assert_int_equal(status, i < test->count ? HISTREE_OK : HISTREE_END);
		if (status != HISTREE_OK)
			break;
		check_row(test, i, &segment);
		/* However a row is reached, it is the same one. */
		if (test->segments->schema->field_count > 0) {
			int64_t id = segment.content[SEGMENT_ID].int64;
			assert_true(ids[i] == -1 || ids[i] == id);
			ids[i] = id;
		}
	}
}

static void find(struct test *test)
{
	struct histree_error error;
	uint64_t row, first = 0;
	histree_time time = any_time(test);
	test->patience = UINT32_MAX;
	enum histree_status status = histree_segment_rows_find(test->rows, time, &row, &error);
	if (test->query->order != HISTREE_SEGMENTS_BY_START || test->query->descending) {
		assert_int_equal(status, HISTREE_ERR_ARGUMENT);
		return;
	}
	while (first < test->count && test->segments->segments[test->expected[first]].start < time)
		first++;
	assert_int_equal(row, first);
	assert_int_equal(status, first < test->count ? HISTREE_OK : HISTREE_END);
}

static void check_query(struct test *test)
{
	struct histree_error error;
	struct histree_segment_query query = any_query(test);
	struct histree_segment_rows_options options = {
		.query = query,
		.rows_per_mark = 1 + (uint32_t)random_below(&test->random, 90),
		.work = { .go_on = go_on, .context = test },
	};
	test->query = &query;
	test->count = segments_answer(test->segments, &query, test->expected);
	test->patience = UINT32_MAX;
	assert_ok(histree_segment_rows_create(test->store, &options, &test->rows, &error));
	int64_t *ids = malloc((test->count + 1) * sizeof(*ids));
	assert_non_null(ids);
	memset(ids, 0xff, (test->count + 1) * sizeof(*ids));
	for (unsigned i = 0; i < VISITS; i++) {
		uint64_t count;
		switch (random_below(&test->random, 6)) {
		case 0:
			assert_ok(histree_segment_rows_count(test->rows, &count, &error));
			assert_int_equal(count, test->count);
			break;
		case 1:
			find(test);
			break;
		case 2:
			assert_int_equal(seek(test, test->count + 1 + random_below(&test->random, 9)), HISTREE_END);
			break;
		default:
			read_rows(test, random_below(&test->random, test->count + 1), ids);
		}
	}
	free(ids);
	histree_cursor_free(test->rows);
}

static struct histree_segment_store *fill(const struct segments *segments, const struct io *io,
					  enum histree_segment_store_kind kind, bool has_tables)
{
	static const struct histree_segment_open_options tight = { .cache_bytes = 1, .queue_bytes = 1 };
	struct histree_segment_store_options options = { .kind = kind, .schema = *segments->schema };
	struct histree_segment_store *store;
	struct histree_error error;
	if (kind == HISTREE_SEGMENTS_DISK) {
		options.path = "s";
		options.node_size = 4096;
		options.memory_max = 20000;
	}
	assert_ok(segment_store_create(io, &options, &store, &error));
	for (size_t i = 0; i < segments->count; i++)
		assert_ok(histree_segment_store_add(store, &segments->segments[i], &error));
	assert_ok(histree_segment_store_finish(store, &error));
	if (kind != HISTREE_SEGMENTS_DISK)
		return store;
	histree_segment_store_close(store);
	assert_ok(segment_store_open(io, "s", &tight, &store, &error));
	for (size_t field = 0; has_tables && field < segments->schema->field_count; field++)
		assert_ok(histree_segment_store_make_table(store, field, &error));
	return store;
}

static void rows_are_those_of_an_array(const void *chosen, uint64_t seed)
{
	static const struct {
		enum histree_segment_store_kind kind;
		bool has_tables; /* of every field */
	} stores[] = {
		{ HISTREE_SEGMENTS_LAZY, false },
		{ HISTREE_SEGMENTS_DISK, false },
		{ HISTREE_SEGMENTS_DISK, true },
	};
	const struct segment_kind *kind = chosen;
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		struct memory_io memory;
		struct segments segments;
		memory_io_init(&memory);
		assert_true(segments_make(&segments, kind, seed));
		struct test test = { .segments = &segments, .random = { seed } };
		test.store = fill(&segments, &memory.io, stores[i].kind, stores[i].has_tables);
		test.expected = malloc((segments.count + 1) * sizeof(*test.expected));
		assert_non_null(test.expected);
		for (unsigned k = 0; k < QUESTIONS; k++)
			check_query(&test);
		free(test.expected);
		histree_segment_store_close(test.store);
		segments_release(&segments);
		memory_io_release(&memory);
	}
}

TEST(what_has_no_rows_is_refused)
{
	struct histree_error error;
	struct histree_cursor *rows;
	struct histree_segment_store_options options = { .kind = HISTREE_SEGMENTS_LAZY,
							 .schema = segment_empty_schema };
	struct histree_segment_store *store;
	assert_ok(histree_segment_store_create(&options, &store, &error));
	assert_ok(histree_segment_store_finish(store, &error));
	struct histree_segment_rows_options wrong = { .query = HISTREE_SEGMENTS_ALL };
	wrong.query.limit = 3;
	assert_int_equal(histree_segment_rows_create(store, &wrong, &rows, &error), HISTREE_ERR_ARGUMENT);
	wrong.query = HISTREE_SEGMENTS_ALL;
	wrong.query.order = HISTREE_SEGMENTS_BY_COMPARE;
	assert_int_equal(histree_segment_rows_create(store, &wrong, &rows, &error), HISTREE_ERR_ARGUMENT);
	wrong.query.order = HISTREE_SEGMENTS_BY_FIELD;
	assert_int_equal(histree_segment_rows_create(store, &wrong, &rows, &error), HISTREE_ERR_ARGUMENT);
	wrong.query.order = HISTREE_SEGMENTS_BY_START;
	wrong.query.from = 1;
	wrong.query.to = 0;
	assert_int_equal(histree_segment_rows_create(store, &wrong, &rows, &error), HISTREE_ERR_ARGUMENT);
	assert_null(rows);
	histree_segment_store_close(store);
}

PROPERTIES({ KINDS(segment_kinds), .rounds = 1, .check = rows_are_those_of_an_array })
