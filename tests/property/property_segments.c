// SPDX-License-Identifier: MIT
/*
 * property_segments.c - every segment store answers as an array searched linearly does.
 *
 * For each kind of segments: fill each store with them, let it verify itself, ask in every order, and compare; what
 * was asked forwards is asked backwards, and once in two parts.  On disk with little memory everywhere, so that
 * many batches are written and queues spill; with side tables, whole ones, damaged ones, and those of another
 * store.
 *
 * A failure prints the store, and how many of the segments are enough.
 */
#include "driver.h"
#include "segment/segment_memory.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"
#include "support/workload.h"

enum { QUESTIONS = 30, SHRINK_RUNS = 200 };

enum tables { NO_TABLES, TABLES, DAMAGED_TABLES, STALE_TABLES };

struct store_case {
	const char *name;
	struct histree_segment_store_options options;
	struct histree_segment_open_options open;
	enum tables tables;
};

static const struct store_case store_cases[] = {
	{ "array", { .kind = HISTREE_SEGMENTS_ARRAY }, { 0 }, NO_TABLES },
	{ "lazy", { .kind = HISTREE_SEGMENTS_LAZY }, { 0 }, NO_TABLES },
	{ "map", { .kind = HISTREE_SEGMENTS_MAP }, { 0 }, NO_TABLES },
	{ "disk", { .kind = HISTREE_SEGMENTS_DISK, .path = "s" }, { 0 }, NO_TABLES },
	{ "disk, small nodes", { .kind = HISTREE_SEGMENTS_DISK, .path = "s", .node_size = 4096 }, { 0 }, TABLES },
	{ "disk, small everything",
	  { .kind = HISTREE_SEGMENTS_DISK, .path = "s", .node_size = 4096, .memory_max = 20000 },
	  { .cache_bytes = 1, .queue_bytes = 1 },
	  NO_TABLES },
	{ "disk, small everything, tables",
	  { .kind = HISTREE_SEGMENTS_DISK, .path = "s", .node_size = 4096, .memory_max = 20000 },
	  { .cache_bytes = 1, .queue_bytes = 20000 },
	  TABLES },
	{ "disk, damaged tables", { .kind = HISTREE_SEGMENTS_DISK, .path = "s" }, { 0 }, DAMAGED_TABLES },
	{ "disk, stale tables", { .kind = HISTREE_SEGMENTS_DISK, .path = "s" }, { 0 }, STALE_TABLES },
};

struct test {
	const struct segments *segments;
	const struct store_case *store_case;
	uint64_t seed;
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	size_t *expected, *given; /* indices */
	bool *seen;
	char fault[512];
};

__attribute__((format(printf, 2, 3))) static const char *fault(struct test *test, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(test->fault, sizeof(test->fault), format, arguments);
	va_end(arguments);
	return test->fault;
}

/* ---- one question --------------------------------------------------------------------------------- */

static bool has_content(const struct test *test)
{
	return test->segments->schema->field_count > 0;
}

/* Without content, segments are told apart by their times alone, and any with these times will do. */
static const char *check_segment(struct test *test, const struct histree_segment_query *query,
				 const struct histree_segment *segment, size_t place)
{
	const struct histree_segment *all = test->segments->segments, *expected = &all[test->expected[place]];
	test->given[place] = place;
	if (query->order != HISTREE_SEGMENTS_UNSORTED &&
	    (segment->start != expected->start || segment->end != expected->end))
		return fault(test, "segment %zu is %lld to %lld instead of %lld to %lld", place,
			     (long long)segment->start, (long long)segment->end, (long long)expected->start,
			     (long long)expected->end);
	if (!has_content(test))
		return NULL;
	int64_t id = segment->content[SEGMENT_ID].int64;
	if (id < 0 || (size_t)id >= test->segments->count || test->seen[id])
		return fault(test, "segment %zu has id %lld, once more or unknown", place, (long long)id);
	test->seen[id] = true;
	test->given[place] = (size_t)id;
	if (segment->start != all[id].start || segment->end != all[id].end ||
	    !segments_content_equal(test->segments, segment, &all[id]))
		return fault(test, "segment %zu, id %lld, is not what was added", place, (long long)id);
	if (query->order == HISTREE_SEGMENTS_BY_FIELD &&
	    !histree_value_equal(&segment->content[query->field], &expected->content[query->field]))
		return fault(test, "segment %zu has another value of field %zu than its place", place,
			     query->field);
	return NULL;
}

/* From where the token says on; `stop_at` ends it early.  The token becomes the new place. */
static const char *read_part(struct test *test, const struct histree_segment_query *query,
			     struct histree_segment_token *token, size_t count, size_t stop_at)
{
	struct histree_error error = { 0 };
	struct histree_segment segment;
	if (histree_segments_start(test->iter, query, token, &error) != HISTREE_OK)
		return fault(test, "cannot start: %s", error.message);
	for (size_t place = (size_t)token->given; place < stop_at; place++) {
		enum histree_status status = histree_cursor_next(test->iter, &error);
		if (status == HISTREE_OK)
			segment = *histree_cursor_segment(test->iter);
		if (status == HISTREE_END && place == count)
			break;
		if (status != HISTREE_OK)
			return fault(test, "status %d at segment %zu of %zu: %s", status, place, count,
				     status < 0 ? error.message : "the end");
		if (place >= count)
			return fault(test, "more than %zu segments", count);
		const char *wrong = check_segment(test, query, &segment, place);
		if (wrong != NULL)
			return wrong;
	}
	*token = histree_segments_token(test->iter);
	return NULL;
}

/* Of segments without an order or without ids, the times as a sum that is about as good as a list. */
static uint64_t sum_of_times(const struct histree_segment *segment)
{
	return hash_mix((uint64_t)segment->start ^ hash_mix((uint64_t)segment->end));
}

static const char *check_unsorted(struct test *test, const struct histree_segment_query *query, size_t count)
{
	struct histree_segment segment;
	struct histree_error error;
	uint64_t sum = 0;
	if (histree_segments_start(test->iter, query, NULL, &error) != HISTREE_OK)
		return fault(test, "cannot start: %s", error.message);
	while (histree_cursor_next(test->iter, &error) == HISTREE_OK) {
		segment = *histree_cursor_segment(test->iter);
		sum += sum_of_times(&segment);
	}
	for (size_t i = 0; i < count; i++)
		sum -= sum_of_times(&test->segments->segments[test->expected[i]]);
	return sum == 0 ? NULL : "other segments than those that were added";
}

/* A query for all by a field goes through the side table, where there is a whole one: its places are ranks. */
static const char *check_table_use(struct test *test, const struct histree_segment_query *query,
				   const struct histree_segment_token *token)
{
	if (query->order != HISTREE_SEGMENTS_BY_FIELD || token->given == 0)
		return NULL;
	bool used = token->key[0] > 0, all = query->from == INT64_MIN && query->to == INT64_MAX;
	if (test->store_case->tables == TABLES && all && !used)
		return "the side table was not used";
	bool none = test->store_case->tables == NO_TABLES || test->store_case->tables == STALE_TABLES;
	return used && none ? "a side table was used that is not there, or stale" : NULL;
}

static const char *check_query(struct test *test, const struct histree_segment_query *query, struct random *random)
{
	size_t count = segments_answer(test->segments, query, test->expected);
	struct histree_segment_token token = { 0 };
	memset(test->seen, 0, test->segments->count * sizeof(*test->seen));
	if (random_percent(random, 60)) { /* in two parts */
		const char *wrong = read_part(test, query, &token, count, random_below(random, count + 1));
		if (wrong != NULL)
			return wrong;
	}
	const char *wrong = read_part(test, query, &token, count, SIZE_MAX);
	if (wrong == NULL && query->order == HISTREE_SEGMENTS_UNSORTED && query->limit == 0)
		wrong = check_unsorted(test, query, count);
	return wrong != NULL ? wrong : check_table_use(test, query, &token);
}

/* Descending is exactly the reverse, also among segments with equal times. */
static const char *check_reverse(struct test *test, struct histree_segment_query query, struct random *random)
{
	size_t count = test->segments->count;
	size_t *forwards = malloc((count + 1) * sizeof(*forwards));
	if (forwards == NULL)
		return "out of memory";
	query.limit = 0;
	query.descending = false;
	const char *wrong = check_query(test, &query, random);
	memcpy(forwards, test->given, count * sizeof(*forwards));
	query.descending = true;
	if (wrong == NULL)
		wrong = check_query(test, &query, random);
	size_t answered = segments_answer(test->segments, &query, test->expected);
	for (size_t i = 0; wrong == NULL && has_content(test) && i < answered; i++)
		if (test->given[i] != forwards[answered - 1 - i])
			wrong = fault(test, "descending is not the reverse at segment %zu", i);
	free(forwards);
	return wrong;
}

/* ---- questions ------------------------------------------------------------------------------------ */

/* An order of the caller's: by the last bits of the start, so that it has many equals. */
static int compare_last_bits(void *context, const struct histree_segment *a, const struct histree_segment *b)
{
	uint64_t mask = *(const uint64_t *)context;
	uint64_t of_a = (uint64_t)a->start & mask, of_b = (uint64_t)b->start & mask;
	return (of_a > of_b) - (of_a < of_b);
}

static bool is_even(void *context, const struct histree_segment *segment)
{
	(void)context;
	return (segment->start & 2) == 0;
}

static histree_time any_time(const struct test *test, struct random *random)
{
	if (test->segments->count == 0 || random_percent(random, 10))
		return (histree_time)random_bits(random);
	const struct histree_segment *segment =
		&test->segments->segments[random_below(random, test->segments->count)];
	return random_percent(random, 50) ? segment->start : segment->end;
}

static struct histree_segment_query any_query(struct test *test, struct random *random)
{
	static uint64_t mask = 7;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	if (random_percent(random, 60)) {
		query.from = any_time(test, random);
		query.to = random_percent(random, 30) ? query.from : any_time(test, random);
		if (query.from > query.to) {
			histree_time from = query.to;
			query.to = query.from;
			query.from = from;
		}
	}
	query.order = (enum histree_segment_order)random_below(random, HISTREE_SEGMENTS_BY_COMPARE + 1);
	if (query.order == HISTREE_SEGMENTS_BY_FIELD && !has_content(test))
		query.order = HISTREE_SEGMENTS_BY_DURATION;
	query.field = random_below(random, SEGMENT_TEST_FIELDS);
	query.descending = random_percent(random, 50);
	query.compare = compare_last_bits;
	query.compare_context = &mask;
	query.filter = random_percent(random, 30) ? is_even : NULL;
	query.limit = random_percent(random, 30) ? random_below(random, 50) : 0;
	if (query.order == HISTREE_SEGMENTS_UNSORTED)
		query.limit = 0;
	return query;
}

static const char *ask(struct test *test)
{
	struct random random = { test->seed };
	for (unsigned i = 0; i < QUESTIONS; i++) {
		struct histree_segment_query query = any_query(test, &random);
		bool reverse = query.order != HISTREE_SEGMENTS_UNSORTED && random_percent(&random, 30);
		const char *wrong =
			reverse ? check_reverse(test, query, &random) : check_query(test, &query, &random);
		if (wrong == NULL)
			continue;
		fprintf(stderr, "question %u: order %u%s, %lld to %lld, field %zu, limit %llu%s\n", i, query.order,
			query.descending ? " descending" : "", (long long)query.from, (long long)query.to,
			query.field, (unsigned long long)query.limit, query.filter != NULL ? ", filtered" : "");
		return wrong;
	}
	return NULL;
}

/* ---- one store ------------------------------------------------------------------------------------ */

static void keep_first_fault(void *context, const char *text)
{
	struct test *test = context;
	if (test->fault[0] == '\0')
		fault(test, "verify: %.400s", text);
}

static const char *check_facts(struct test *test)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(test->store);
	const struct segments *segments = test->segments;
	struct histree_error error;
	if (info->segment_count != segments->count)
		return "another number of segments than were added";
	if (strcmp(info->schema.provider, segments->schema->provider) != 0 ||
	    info->schema.provider_version != segments->schema->provider_version ||
	    info->schema.field_count != segments->schema->field_count)
		return "another schema than was given";
	for (size_t i = 0; i < segments->count; i++) {
		const struct histree_segment *segment = &segments->segments[i];
		uint64_t duration = histree_segment_duration(segment);
		if (segment->start < info->start || segment->end > info->end || duration < info->duration_min ||
		    duration > info->duration_max)
			return "a segment outside what the store says of itself";
	}
	if (test->store_case->tables == DAMAGED_TABLES || test->store_case->tables == STALE_TABLES)
		return NULL; /* which it would say */
	test->fault[0] = '\0';
	if (histree_segment_store_verify(test->store, keep_first_fault, test, &error) == HISTREE_OK)
		return test->fault[0] == '\0' ? NULL : test->fault;
	return test->fault[0] != '\0' ? test->fault : fault(test, "%s", error.message);
}

/* Of another store: the same segments but one, and only a value of it differs. */
static enum histree_status make_stale(struct test *test, struct memory_io *memory, struct histree_error *error)
{
	const struct segments *segments = test->segments;
	struct histree_segment_store_options options = test->store_case->options;
	struct histree_segment_store *other;
	options.schema = *segments->schema;
	enum histree_status status = segment_store_create(&memory->io, &options, &other, error);
	for (size_t i = 0; status == HISTREE_OK && i < segments->count; i++) {
		struct histree_segment segment = segments->segments[i];
		struct histree_value content[SEGMENT_TEST_FIELDS];
		memcpy(content, segment.content, sizeof(content));
		if (i == segments->count / 2)
			content[SEGMENT_RESULT] = histree_long(4711);
		segment.content = content;
		status = histree_segment_store_add(other, &segment, error);
	}
	if (status == HISTREE_OK)
		status = histree_segment_store_finish(other, error);
	for (size_t field = 0; status == HISTREE_OK && field < SEGMENT_TEST_FIELDS; field++)
		status = histree_segment_store_make_table(other, field, error);
	histree_segment_store_close(other);
	memory->io.unlink(memory, "s");
	return status;
}

/* Bytes of them change, anywhere. */
static void damage_tables(struct test *test, struct memory_io *memory)
{
	struct random random = { test->seed };
	for (size_t field = 0; field < SEGMENT_TEST_FIELDS; field++) {
		char path[32];
		snprintf(path, sizeof(path), "s.%zu.order", field);
		struct memory_file *file = memory_io_find(memory, path);
		for (unsigned i = 0; file != NULL && i < 3; i++)
			file->bytes[random_below(&random, file->size)] ^= (uint8_t)(1 + random_below(&random, 255));
	}
}

static enum histree_status make_tables(struct test *test, struct memory_io *memory, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t field = 0; status == HISTREE_OK && field < SEGMENT_TEST_FIELDS; field++)
		status = histree_segment_store_make_table(test->store, field, error);
	if (status != HISTREE_OK || test->store_case->tables == TABLES)
		return status;
	damage_tables(test, memory);
	histree_segment_store_close(test->store);
	return segment_store_open(&memory->io, "s", &test->store_case->open, &test->store, error);
}

static enum histree_status fill(struct test *test, const struct io *io, struct histree_error *error)
{
	struct histree_segment_store_options options = test->store_case->options;
	options.schema = *test->segments->schema;
	enum histree_status status = segment_store_create(io, &options, &test->store, error);
	for (size_t i = 0; status == HISTREE_OK && i < test->segments->count; i++)
		status = histree_segment_store_add(test->store, &test->segments->segments[i], error);
	if (status == HISTREE_OK)
		status = histree_segment_store_finish(test->store, error);
	if (status != HISTREE_OK || options.kind != HISTREE_SEGMENTS_DISK)
		return status;
	histree_segment_store_close(test->store);
	return segment_store_open(io, "s", &test->store_case->open, &test->store, error);
}

static const char *check_store(struct test *test)
{
	struct memory_io memory;
	struct histree_error error;
	size_t room = test->segments->count + 1;
	memory_io_init(&memory);
	test->store = NULL;
	test->iter = NULL;
	test->expected = calloc(room, sizeof(*test->expected));
	test->given = calloc(room, sizeof(*test->given));
	test->seen = calloc(room, sizeof(*test->seen));
	const char *wrong = NULL;
	if (test->expected == NULL || test->given == NULL || test->seen == NULL)
		wrong = "out of memory";
	else if (has_content(test) && test->store_case->tables == STALE_TABLES &&
		 make_stale(test, &memory, &error) != HISTREE_OK)
		wrong = fault(test, "of another store: %s", error.message);
	else if (fill(test, &memory.io, &error) != HISTREE_OK)
		wrong = fault(test, "%s", error.message);
	else if (has_content(test) &&
		 (test->store_case->tables == TABLES || test->store_case->tables == DAMAGED_TABLES) &&
		 make_tables(test, &memory, &error) != HISTREE_OK)
		wrong = fault(test, "%s", error.message);
	else if ((wrong = check_facts(test)) == NULL) {
		if (histree_segments_create(test->store, &test->iter, &error) != HISTREE_OK)
			wrong = fault(test, "%s", error.message);
		else
			wrong = ask(test);
	}
	histree_cursor_free(test->iter);
	histree_segment_store_close(test->store);
	free(test->expected);
	free(test->given);
	free(test->seen);
	memory_io_release(&memory);
	return wrong;
}

/* ---- all of them ---------------------------------------------------------------------------------- */

/* Ids are the places in what is left. */
static void number_again(struct segments *segments)
{
	for (size_t i = 0; i < segments->count && segments->schema->field_count > 0; i++)
		segments->values[segments->segments[i].content - segments->values].int64 = (int64_t)i;
}

/* As few segments as still fail, by leaving out pieces. */
static void shrink(struct test *test, struct segments *segments)
{
	unsigned runs = SHRINK_RUNS;
	struct histree_segment *room = malloc((segments->count + 1) * sizeof(*room));
	for (size_t piece = segments->count / 2; room != NULL && piece > 0; piece /= 2)
		for (size_t from = 0; from + piece <= segments->count && runs > 0; runs--) {
			size_t whole = segments->count;
			memcpy(room, segments->segments, whole * sizeof(*room));
			segments->count -= piece;
			memmove(segments->segments + from, segments->segments + from + piece,
				(segments->count - from) * sizeof(*room));
			number_again(segments);
			if (check_store(test) != NULL)
				continue;
			segments->count = whole;
			memcpy(segments->segments, room, whole * sizeof(*room));
			number_again(segments);
			from += piece;
		}
	free(room);
}

static void answers_as_an_array(const void *chosen, uint64_t seed)
{
	const struct segment_kind *kind = chosen;
	for (size_t i = 0; i < sizeof(store_cases) / sizeof(store_cases[0]); i++) {
		struct segments segments;
		assert_true(segments_make(&segments, kind, seed));
		struct test test = { .segments = &segments, .store_case = &store_cases[i], .seed = seed };
		const char *wrong = check_store(&test);
		if (wrong != NULL) {
			fprintf(stderr, "FAULT: %s\n%s, store '%s'; shrinking ...\n", wrong, kind->name,
				store_cases[i].name);
			shrink(&test, &segments);
			wrong = check_store(&test);
			fprintf(stderr, "FAULT: %s\nof %zu segments\n",
				wrong != NULL ? wrong : "gone: it does not happen each time", segments.count);
			fail();
		}
		segments_release(&segments);
	}
}

PROPERTIES({ KINDS(segment_kinds), .rounds = 1, .check = answers_as_an_array })
