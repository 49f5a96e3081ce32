// SPDX-License-Identifier: MIT
/*
 * property_segment_union.c - the stores of several hosts, united, answer as an array of all segments with their
 * hosts does.
 *
 * Segments are dealt to one to seven parts, some of which may stay empty, have a field less, or their fields in
 * another order; some are missing, and each of these is said to be, once, before anything else.  What the queries
 * above stores say (statistics, densities, rows) is what they say of a plain store with a field "host".
 */
#include "driver.h"
#include "histree/segment_stats.h"
#include "overview/segment_pyramid.h"
#include "segment/segment_memory.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"
#include "view/view.h"

enum { PARTS_MAX = 7, QUESTIONS = 25, FIELD_HOST = SEGMENT_TEST_FIELDS, FIELDS = FIELD_HOST + 1 };

static const char *const host_names[PARTS_MAX] = { "beta", "alpha", "", "host with blanks", "delta/1", "VM1", "z" };

enum part_form { AS_IT_IS, TURNED, WITHOUT_TID };

struct test {
	struct segments all; /* of the parts that are there */
	struct histree_value *values;
	uint8_t *part_of; /* by index in `all` */
	size_t part_count;
	struct memory_io files[PARTS_MAX];
	bool is_missing[PARTS_MAX];
	enum part_form forms[PARTS_MAX];
	unsigned missing_count;
	bool all_on_disk; /* as those with overviews are */
	struct histree_segment_field fields[FIELDS];
	struct histree_segment_schema schema;
	struct histree_segment_store *store, *plain; /* of the parts; of all in one */
	size_t *expected;
	bool *seen;
};

/* ---- parts ---------------------------------------------------------------------------------------- */

static struct histree_segment_store *new_part(struct test *test, size_t part, struct random *random)
{
	struct histree_segment_field fields[SEGMENT_TEST_FIELDS];
	struct histree_segment_store_options options = {
		.kind = test->all_on_disk
				? HISTREE_SEGMENTS_DISK
				: (enum histree_segment_store_kind)random_below(random, HISTREE_SEGMENTS_MAP + 1),
		.path = "s",
		.schema = segment_test_schema,
		.node_size = random_percent(random, 60) ? 4096 : 0,
		.memory_max = random_percent(random, 50) ? 20000 : 0,
	};
	struct histree_segment_store *store;
	struct histree_error error;
	for (size_t i = 0; i < SEGMENT_TEST_FIELDS; i++)
		fields[i] =
			segment_test_schema.fields[test->forms[part] == TURNED ? SEGMENT_TEST_FIELDS - 1 - i : i];
	options.schema.fields = fields;
	options.schema.field_count -= test->forms[part] == WITHOUT_TID;
	if (options.kind == HISTREE_SEGMENTS_DISK)
		memory_io_init(&test->files[part]);
	assert_ok(segment_store_create(&test->files[part].io, &options, &store, &error));
	return store;
}

static void add(struct histree_segment_store *store, struct test *test, size_t index, enum part_form form)
{
	struct histree_segment segment = test->all.segments[index];
	struct histree_value content[FIELDS];
	struct histree_error error;
	for (size_t i = 0; i < SEGMENT_TEST_FIELDS; i++)
		content[i] = segment.content[form == TURNED ? SEGMENT_TEST_FIELDS - 1 - i : i];
	content[FIELD_HOST] = segment.content[FIELD_HOST];
	segment.content = content;
	assert_ok(histree_segment_store_add(store, &segment, &error));
}

/* Some of a disk's have side tables, and overviews if they are large enough. */
static void finish(struct histree_segment_store *store, struct random *random)
{
	struct histree_error error;
	assert_ok(histree_segment_store_finish(store, &error));
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	if (info->kind != HISTREE_SEGMENTS_DISK)
		return;
	for (size_t field = 0; field < info->schema.field_count; field++)
		if (random_percent(random, 30))
			assert_ok(histree_segment_store_make_table(store, field, &error));
	const struct segment_overview_limits limits = { 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 100 };
	if (random_percent(random, 60))
		assert_ok(segment_overviews_write(store, &limits, (struct histree_work){ 0 }, &error));
}

/* Which part each segment is of; what is of a missing one is of no store at all. */
static void deal(struct test *test, const struct segments *made, struct random *random)
{
	unsigned skew = (unsigned)random_below(random, 3);
	for (size_t i = 0; i < made->count; i++) {
		size_t part = random_below(random, test->part_count), at = test->all.count;
		for (unsigned again = 0; again < skew; again++)
			part = part < 2 ? part : random_below(random, test->part_count);
		if (test->is_missing[part])
			continue;
		struct histree_value *values = &test->values[at * FIELDS];
		memcpy(values, made->segments[i].content, SEGMENT_TEST_FIELDS * sizeof(*values));
		values[SEGMENT_ID].int64 = (int64_t)at;
		if (test->forms[part] == WITHOUT_TID)
			values[SEGMENT_TID] = histree_null();
		values[FIELD_HOST] = histree_string(host_names[part]);
		test->part_of[at] = (uint8_t)part;
		test->all.segments[at] =
			(struct histree_segment){ made->segments[i].start, made->segments[i].end, values };
		test->all.count++;
	}
}

static void choose_parts(struct test *test, struct random *random)
{
	bool has_first = false, has_losses = random_percent(random, 50);
	test->all_on_disk = random_percent(random, 50);
	test->part_count = 1 + random_below(random, PARTS_MAX);
	for (size_t i = 0; i < test->part_count; i++) {
		test->is_missing[i] = has_losses && random_percent(random, 30);
		test->missing_count += test->is_missing[i];
		/* The first one says how the fields of all are put. */
		test->forms[i] = has_first ? (enum part_form)random_below(random, 3) : AS_IT_IS;
		has_first = has_first || !test->is_missing[i];
	}
	memcpy(test->fields, segment_test_schema.fields, SEGMENT_TEST_FIELDS * sizeof(test->fields[0]));
	test->fields[FIELD_HOST] = (struct histree_segment_field){ "host", HISTREE_STRING };
	test->schema = segment_test_schema;
	test->schema.fields = test->fields;
	test->schema.field_count = FIELDS;
	test->all.schema = &test->schema;
}

static void make_stores(struct test *test, struct random *random)
{
	struct histree_segment_part parts[PARTS_MAX];
	struct histree_error error;
	for (size_t i = 0; i < test->part_count; i++) {
		parts[i] = (struct histree_segment_part){ .name = host_names[i] };
		if (test->is_missing[i])
			parts[i].why = "its disk burnt";
		else
			parts[i].store = new_part(test, i, random);
	}
	const struct histree_segment_store_options plain = { .kind = HISTREE_SEGMENTS_LAZY,
							     .schema = test->schema };
	assert_ok(histree_segment_store_create(&plain, &test->plain, &error));
	for (size_t i = 0; i < test->all.count; i++) {
		add(parts[test->part_of[i]].store, test, i, test->forms[test->part_of[i]]);
		add(test->plain, test, i, AS_IT_IS);
	}
	for (size_t i = 0; i < test->part_count; i++)
		if (parts[i].store != NULL)
			finish(parts[i].store, random);
	assert_ok(histree_segment_store_finish(test->plain, &error));
	assert_ok(histree_segment_store_unite(parts, test->part_count, &test->store, &error));
}

static bool set_up(struct test *test, const struct segment_kind *kind, uint64_t seed)
{
	struct random random = { seed };
	struct segments made;
	*test = (struct test){ 0 };
	assert_true(segments_make(&made, kind, seed));
	test->all.segments = calloc(made.count + 1, sizeof(*test->all.segments));
	test->values = calloc(made.count * FIELDS + 1, sizeof(*test->values));
	test->part_of = calloc(made.count + 1, 1);
	test->expected = calloc(made.count + 1, sizeof(*test->expected));
	test->seen = calloc(made.count + 1, sizeof(*test->seen));
	choose_parts(test, &random);
	deal(test, &made, &random);
	if (test->missing_count < test->part_count)
		make_stores(test, &random);
	segments_release(&made);
	return test->store != NULL;
}

static void tear_down(struct test *test)
{
	histree_segment_store_close(test->store);
	histree_segment_store_close(test->plain);
	for (size_t i = 0; i < PARTS_MAX; i++)
		memory_io_release(&test->files[i]);
	free(test->all.segments);
	free(test->values);
	free(test->part_of);
	free(test->expected);
	free(test->seen);
}

/* ---- queries -------------------------------------------------------------------------------------- */

static bool is_even(void *context, const struct histree_segment *segment)
{
	(void)context;
	return (segment->start & 2) == 0;
}

/* Hosts by a mask; the oracle has no context, so it is everybody's. */
static unsigned wanted_hosts;

static unsigned number_of_host(const char *name, size_t size)
{
	for (unsigned i = 0; i < PARTS_MAX; i++)
		if (strlen(host_names[i]) == size && memcmp(host_names[i], name, size) == 0)
			return i;
	fail();
	return 0;
}

static bool is_host_wanted(void *context, const char *host)
{
	(void)context;
	return wanted_hosts >> number_of_host(host, strlen(host)) & 1;
}

static bool is_of_wanted_host(void *context, const struct histree_segment *segment)
{
	const struct histree_value *host = &segment->content[FIELD_HOST];
	(void)context;
	return wanted_hosts >> number_of_host(host->bytes, host->size) & 1;
}

static bool is_even_of_wanted_host(void *context, const struct histree_segment *segment)
{
	return is_even(context, segment) && is_of_wanted_host(context, segment);
}

static int compare_last_bits(void *context, const struct histree_segment *a, const struct histree_segment *b)
{
	uint64_t of_a = (uint64_t)a->start & 7, of_b = (uint64_t)b->start & 7;
	(void)context;
	return (of_a > of_b) - (of_a < of_b);
}

static histree_time any_time(const struct test *test, struct random *random)
{
	if (test->all.count == 0 || random_percent(random, 10))
		return (histree_time)random_bits(random);
	const struct histree_segment *segment = &test->all.segments[random_below(random, test->all.count)];
	return random_percent(random, 50) ? segment->start : segment->end;
}

static struct histree_segment_query any_query(const struct test *test, struct random *random)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	if (random_percent(random, 60)) {
		histree_time a = any_time(test, random),
			     b = random_percent(random, 30) ? a : any_time(test, random);
		query.from = a < b ? a : b;
		query.to = a < b ? b : a;
	}
	query.order = (enum histree_segment_order)random_below(random, HISTREE_SEGMENTS_BY_COMPARE + 1);
	query.field = random_below(random, FIELDS);
	query.descending = random_percent(random, 50);
	query.compare = compare_last_bits;
	query.filter = random_percent(random, 30) ? is_even : NULL;
	if (query.order != HISTREE_SEGMENTS_UNSORTED && random_percent(random, 30))
		query.limit = random_below(random, 50);
	wanted_hosts = (1u << PARTS_MAX) - 1;
	if (random_percent(random, 40)) {
		wanted_hosts = (unsigned)random_below(random, 1u << PARTS_MAX);
		query.host_filter = is_host_wanted;
	}
	return query;
}

static size_t expect(struct test *test, struct histree_segment_query query)
{
	query.filter = query.filter != NULL ? is_even_of_wanted_host : is_of_wanted_host;
	return segments_answer(&test->all, &query, test->expected);
}

static unsigned expected_losses(const struct test *test)
{
	unsigned count = 0;
	for (size_t i = 0; i < test->part_count; i++)
		count += test->is_missing[i] && (wanted_hosts >> i & 1);
	return count;
}

/* Where the order says nothing, it is that of the parts. */
static void check_ties(const struct test *test, const struct histree_segment_query *query, int64_t before,
		       int64_t now)
{
	const struct histree_segment *a = &test->all.segments[before], *b = &test->all.segments[now];
	bool equal = a->start == b->start && a->end == b->end &&
		     (query->order != HISTREE_SEGMENTS_BY_FIELD ||
		      histree_value_equal(&a->content[query->field], &b->content[query->field]));
	if (equal && query->descending)
		assert_true(test->part_of[before] >= test->part_of[now]);
	else if (equal)
		assert_true(test->part_of[before] <= test->part_of[now]);
}

static void check_segment(struct test *test, const struct histree_segment_query *query,
			  const struct histree_segment *segment, size_t place)
{
	const struct histree_segment *expected = &test->all.segments[test->expected[place]];
	int64_t id = segment->content[SEGMENT_ID].int64;
	assert_in_range(id, 0, test->all.count - 1);
	const struct histree_segment *added = &test->all.segments[id];
	assert_false(test->seen[id]);
	test->seen[id] = true;
	assert_true(segment->start == added->start && segment->end == added->end);
	assert_true(segments_content_equal(&test->all, segment, added));
	if (query->order == HISTREE_SEGMENTS_UNSORTED)
		return;
	assert_int_equal(segment->start, expected->start);
	assert_int_equal(segment->end, expected->end);
	if (query->order == HISTREE_SEGMENTS_BY_FIELD)
		assert_true(histree_value_equal(&segment->content[query->field], &expected->content[query->field]));
}

/* From the token on, up to a place; what is missing is said first, and as often as it is read. */
static void read_part(struct test *test, struct histree_cursor *iter, const struct histree_segment_query *query,
		      struct histree_segment_token *token, size_t count, size_t stop_at)
{
	struct histree_error error;
	struct histree_segment segment;
	unsigned losses = 0;
	int64_t before = -1;
	assert_ok(histree_segments_start(iter, query, token, &error));
	for (size_t place = (size_t)token->given; place < stop_at; place++) {
		enum histree_status status = histree_cursor_next(iter, &error);
		size_t count_of_losses;
		const struct histree_loss *all = histree_cursor_losses(iter, &count_of_losses);
		for (; losses < count_of_losses; losses++) {
			assert_true(test->is_missing[all[losses].part]);
			assert_int_equal(all[losses].rows_max, UINT64_MAX);
			assert_int_equal(before, -1);
		}
		if (status == HISTREE_OK)
			segment = *histree_cursor_segment(iter);
		if (status == HISTREE_END)
			assert_int_equal(place, count);
		if (status == HISTREE_END)
			break;
		assert_ok(status);
		assert_true(place < count);
		check_segment(test, query, &segment, place);
		if (before >= 0 && query->order != HISTREE_SEGMENTS_UNSORTED &&
		    query->order != HISTREE_SEGMENTS_BY_COMPARE)
			check_ties(test, query, before, segment.content[SEGMENT_ID].int64);
		before = segment.content[SEGMENT_ID].int64;
	}
	if (stop_at > token->given && (query->limit == 0 || token->given < query->limit))
		assert_int_equal(losses, expected_losses(test));
	*token = histree_segments_token(iter);
}

static void check_query(struct test *test, struct histree_cursor *iter, struct random *random)
{
	const struct histree_segment_query query = any_query(test, random);
	size_t count = expect(test, query);
	struct histree_segment_token token = { 0 };
	memset(test->seen, 0, test->all.count * sizeof(*test->seen));
	if (random_percent(random, 60))
		read_part(test, iter, &query, &token, count, random_below(random, count + 1));
	read_part(test, iter, &query, &token, count, SIZE_MAX);
}

/* ---- what is said of all --------------------------------------------------------------------------- */

static void check_equal_groups(const struct histree_segment_group *a, const struct histree_segment_group *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->min_start, b->min_start);
	assert_int_equal(a->max_start, b->max_start);
	assert_int_equal(a->total, b->total);
	for (int i = 0; i < HISTREE_PERCENTILE_COUNT; i++)
		assert_int_equal(a->percentiles[i], b->percentiles[i]);
	double scale = 1 + (a->mean < 0 ? -a->mean : a->mean);
	assert_true(a->mean - b->mean < 1e-9 * scale && b->mean - a->mean < 1e-9 * scale);
	double of = 1 + a->deviation;
	assert_true(a->deviation - b->deviation < 1e-6 * of && b->deviation - a->deviation < 1e-6 * of);
}

/* Groups of equal totals may come in another order. */
static void check_group(const struct histree_segment_stats *stats, const struct histree_segment_group *group)
{
	const struct histree_segment_group *other;
	for (size_t i = 0; (other = histree_segment_stats_group(stats, i)) != NULL; i++)
		if (histree_value_equal(&other->value, &group->value)) {
			check_equal_groups(group, other);
			return;
		}
	fail();
}

static void check_stats(struct test *test, struct random *random)
{
	struct histree_segment_query query = any_query(test, random), plain;
	struct histree_segment_stats *of_union, *of_plain;
	struct histree_error error;
	size_t field = random_percent(random, 30)   ? HISTREE_SEGMENTS_TOGETHER
		       : random_percent(random, 30) ? FIELD_HOST
						    : random_below(random, FIELDS);
	query.order = HISTREE_SEGMENTS_UNSORTED;
	if (random_percent(random, 50))
		query.filter = NULL; /* as summaries have none */
	plain = query;
	plain.filter = query.filter != NULL ? is_even_of_wanted_host : is_of_wanted_host;
	assert_ok(histree_segment_stats_create(test->store, &query, field, &of_union, &error));
	assert_int_equal(histree_segment_stats_loss(of_union).nodes, expected_losses(test));
	assert_ok(histree_segment_stats_create(test->plain, &plain, field, &of_plain, &error));
	check_equal_groups(histree_segment_stats_all(of_plain), histree_segment_stats_all(of_union));
	size_t count = 0;
	while (histree_segment_stats_group(of_plain, count) != NULL)
		check_group(of_union, histree_segment_stats_group(of_plain, count++));
	assert_null(histree_segment_stats_group(of_union, count));
	histree_segment_stats_free(of_union);
	histree_segment_stats_free(of_plain);
}

static void check_density(struct test *test, struct random *random)
{
	struct histree_segment_query query = any_query(test, random), plain;
	struct histree_segment_density *of_union, *of_plain;
	const struct histree_density_options options = { .per_decade = 5, .field = HISTREE_SEGMENTS_TOGETHER };
	struct histree_error error;
	size_t count, other;
	query.order = HISTREE_SEGMENTS_UNSORTED;
	plain = query;
	plain.filter = query.filter != NULL ? is_even_of_wanted_host : is_of_wanted_host;
	assert_ok(histree_segment_density_create(test->store, &query, &options, &of_union, &error));
	assert_int_equal(histree_segment_density_loss(of_union).nodes, expected_losses(test));
	assert_ok(histree_segment_density_create(test->plain, &plain, &options, &of_plain, &error));
	const struct histree_duration_bucket *a = histree_segment_density_buckets(of_union, &count);
	const struct histree_duration_bucket *b = histree_segment_density_buckets(of_plain, &other);
	assert_int_equal(count, other);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(a[i].min, b[i].min);
		assert_int_equal(histree_segment_density_count(of_union, 0, 0, i),
				 histree_segment_density_count(of_plain, 0, 0, i));
	}
	histree_segment_density_free(of_union);
	histree_segment_density_free(of_plain);
}

/* Whatever edges were chosen, counts are exact; nothing says what is missing. */
static void check_histogram(struct test *test, struct random *random)
{
	enum { BUCKETS = 20 };
	const struct histree_segment_query query = any_query(test, random);
	uint64_t edges[BUCKETS + 1], counts[BUCKETS];
	struct histree_segment_query all = query;
	struct histree_error error;
	enum histree_duration_scale scale =
		random_percent(random, 50) ? HISTREE_DURATIONS_LINEAR : HISTREE_DURATIONS_LOGARITHMIC;
	assert_ok(histree_segment_histogram(test->store, &query, scale, BUCKETS, (struct histree_work){ 0 }, edges,
					    counts, &error));
	all.limit = 0;
	size_t expected = expect(test, all);
	for (size_t i = 0; i < expected; i++) {
		uint64_t duration = histree_segment_duration(&test->all.segments[test->expected[i]]);
		int bucket = 0;
		while (bucket + 1 < BUCKETS && duration >= edges[bucket + 1])
			bucket++;
		assert_true(duration >= edges[bucket]);
		counts[bucket]--;
	}
	for (int bucket = 0; bucket < BUCKETS; bucket++)
		assert_int_equal(counts[bucket], 0);
}

static void check_rows(struct test *test, struct random *random)
{
	struct histree_segment_rows_options options = { .query = any_query(test, random), .rows_per_mark = 5 };
	struct histree_cursor *rows;
	struct histree_error error;
	uint64_t found;
	options.query.limit = 0;
	if (options.query.order == HISTREE_SEGMENTS_BY_COMPARE || options.query.order == HISTREE_SEGMENTS_UNSORTED)
		options.query.order = HISTREE_SEGMENTS_BY_START;
	size_t count = expect(test, options.query);
	assert_ok(histree_segment_rows_create(test->store, &options, &rows, &error));
	assert_ok(histree_segment_rows_count(rows, &found, &error));
	assert_int_equal(found, count);
	for (unsigned i = 0; i < 8 && count > 0; i++) {
		size_t row = random_below(random, count);
		memset(test->seen, 0, test->all.count * sizeof(*test->seen));
		assert_ok(histree_segment_rows_seek(rows, row, &error));
		for (; row < count && random_percent(random, 90); row++) {
			assert_ok(histree_cursor_next(rows, &error));
			check_segment(test, &options.query, histree_cursor_segment(rows), row);
		}
	}
	histree_cursor_free(rows);
}

/* An expression that names the host reads the parts that it allows, and no loss of others. */
static void check_expressions(struct test *test, struct random *random)
{
	unsigned host = (unsigned)random_below(random, test->part_count), is_not = random_percent(random, 30);
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct histree_segment_filter *filter;
	struct histree_cursor *iter;
	struct histree_error error;
	enum histree_status status;
	char text[80];
	size_t count = 0, expected = 0;
	snprintf(text, sizeof(text), "host %s \"%s\" && start >= %d", is_not ? "!=" : "==", host_names[host],
		 INT32_MIN);
	wanted_hosts = is_not ? ~(1u << host) : 1u << host;
	assert_ok(histree_segment_filter_create(&histree_segment_store_info(test->store)->schema, text, 0, 0,
						&filter, &error));
	histree_segment_filter_apply(filter, &query);
	query.order = HISTREE_SEGMENTS_BY_END;
	assert_ok(histree_segments_create(test->store, &iter, &error));
	assert_ok(histree_segments_start(iter, &query, NULL, &error));
	while ((status = histree_cursor_next(iter, &error)) == HISTREE_OK)
		count++;
	assert_int_equal(status, HISTREE_END);
	assert_int_equal(histree_cursor_loss(iter).nodes, expected_losses(test));
	for (size_t i = 0; i < test->all.count; i++)
		expected += (wanted_hosts >> test->part_of[i] & 1) && test->all.segments[i].start >= INT32_MIN;
	assert_int_equal(count, expected);
	histree_cursor_free(iter);
	histree_segment_filter_free(filter);
}

static void check_contains(struct test *test, struct random *random)
{
	struct histree_error error;
	wanted_hosts = (1u << PARTS_MAX) - 1;
	if (test->all.count == 0)
		return;
	size_t at = random_below(random, test->all.count);
	struct histree_segment segment = test->all.segments[at];
	struct histree_loss loss;
	assert_ok(histree_segment_store_contains(test->store, &segment, NULL, &error));
	struct histree_value content[FIELDS];
	memcpy(content, segment.content, sizeof(content));
	content[FIELD_HOST] = histree_string("nobody");
	segment.content = content;
	assert_int_equal(histree_segment_store_contains(test->store, &segment, &loss, &error), HISTREE_NOT_FOUND);
	assert_int_equal(loss.nodes, expected_losses(test));
}

static void check_facts(struct test *test)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(test->store);
	const struct histree_segment_store_info *plain = histree_segment_store_info(test->plain);
	struct histree_error error;
	size_t count;
	assert_int_equal(info->kind, HISTREE_SEGMENTS_UNION);
	assert_int_equal(info->segment_count, plain->segment_count);
	assert_int_equal(info->start, plain->start);
	assert_int_equal(info->end, plain->end);
	assert_int_equal(info->duration_min, plain->duration_min);
	assert_int_equal(info->duration_max, plain->duration_max);
	const struct histree_segment_part *parts = histree_segment_store_parts(test->store, &count);
	assert_int_equal(count, test->part_count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(parts[i].name, host_names[i]);
		assert_int_equal(parts[i].store == NULL, test->is_missing[i]);
	}
	assert_null(histree_segment_store_parts(test->plain, &count));
	assert_int_equal(histree_segment_store_verify(test->store, NULL, NULL, &error),
			 test->missing_count > 0 ? HISTREE_ERR_FORMAT : HISTREE_OK);
}

static void answers_as_one(const void *chosen, uint64_t seed)
{
	const struct segment_kind *kind = chosen;
	struct random random = { seed ^ 54 };
	struct histree_cursor *iter;
	struct histree_error error;
	struct test test;
	if (set_up(&test, kind, seed)) {
		check_facts(&test);
		assert_ok(histree_segments_create(test.store, &iter, &error));
		for (unsigned i = 0; i < QUESTIONS; i++)
			check_query(&test, iter, &random);
		histree_cursor_free(iter);
		for (unsigned i = 0; i < 4; i++) {
			for (int more = 0; more < 4; more++)
				check_stats(&test, &random);
			check_density(&test, &random);
			check_histogram(&test, &random);
			check_rows(&test, &random);
			check_expressions(&test, &random);
			check_contains(&test, &random);
		}
	}
	tear_down(&test);
}

static bool has_content(const void *kind)
{
	return ((const struct segment_kind *)kind)->content;
}

PROPERTIES({ KINDS(segment_kinds), .rounds = 4, .check = answers_as_one, .applies = has_content })
