// SPDX-License-Identifier: MIT
/*
 * property_join.c - the pairs of states and segments that overlap, compared with two arrays of which each element
 * is held against each other.
 */
#include "driver.h"
#include "history_case.h"
#include "histree/segment_stats.h"
#include "support/effort.h"
#include "support/test.h"

enum { QUESTIONS = 12 /* in a full run */, SEGMENTS = 300 };

struct join_case {
	struct history_case base;
	enum histree_segment_store_kind kind;
	char segments_path[64];
};

static const struct histree_segment_field fields[] = { { "number", HISTREE_INT }, { "name", HISTREE_STRING } };
static const char *const names[] = { "", "read", "a longer name" };

struct made_segments {
	struct histree_segment segments[SEGMENTS];
	struct histree_value values[SEGMENTS][2];
};

/* Some within the history, some beyond it; most short; each has its index. */
static void make_segments(struct made_segments *made, const struct reference *reference, struct random *random)
{
	uint64_t span = (uint64_t)reference->end - (uint64_t)reference->start;
	for (int i = 0; i < SEGMENTS; i++) {
		uint64_t length = random_percent(random, 80) ? span / 200 : span;
		histree_time start =
			(histree_time)((uint64_t)reference->start +
				       (span == UINT64_MAX ? random_bits(random) : random_below(random, span + 1)));
		uint64_t duration = length == UINT64_MAX ? random_bits(random) : random_below(random, length + 1);
		if (duration > (uint64_t)INT64_MAX - (uint64_t)start)
			duration = (uint64_t)INT64_MAX - (uint64_t)start;
		if (random_percent(random, 5) && start > INT64_MIN + 1000)
			start -= 1000;
		made->values[i][0] = histree_int(i);
		made->values[i][1] = histree_string(names[i % 3]);
		made->segments[i] = (struct histree_segment){ start, (histree_time)((uint64_t)start + duration),
							      made->values[i] };
	}
}

static struct histree_segment_store *store_segments(const struct join_case *test, const struct made_segments *made)
{
	struct histree_segment_store *store;
	const struct histree_segment_store_options options = {
		.kind = test->kind,
		.path = test->segments_path,
		.schema = { .provider = "test", .fields = fields, .field_count = 2 },
		.node_size = 4096,
	};
	unlink(test->segments_path);
	assert_ok(histree_segment_store_create(&options, &store, NULL));
	for (int i = 0; i < SEGMENTS; i++)
		assert_ok(histree_segment_store_add(store, &made->segments[i], NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	return store;
}

/* ---- what may take part ------------------------------------------------------------------------------- */

static bool is_number_or_null(void *context, const struct histree_interval *state)
{
	(void)context;
	return state->value.type == HISTREE_INT || state->value.type == HISTREE_NULL;
}

static bool has_odd_number(void *context, const struct histree_segment *segment)
{
	(void)context;
	return segment->content[0].int32 % 2 == 1;
}

static bool fit(void *context, const struct histree_interval *state, const struct histree_segment *segment)
{
	(void)context;
	return (state->quark + (unsigned)segment->content[0].int32) % 3 == 0;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

/* None for some attributes; several for others, of which one may come twice.  The context is how many there are. */
static bool key_of_attribute(void *context, histree_quark quark, size_t index, uint64_t *key)
{
	uint64_t count = *(const uint64_t *)context;
	*key = (quark * UINT64_C(7) + index / 2 * 5) % count;
	return index < quark % 4;
}

/* None for some segments, for others one that no attribute has. */
static bool key_of_segment(void *context, const struct histree_segment *segment, uint64_t *key)
{
	int32_t number = segment->content[0].int32;
	*key = number % 11 == 0 ? UINT64_MAX : (uint64_t)number % *(const uint64_t *)context;
	return number % 5 != 0;
}

static bool share_a_key(const struct histree_join_query *query, histree_quark quark,
			const struct histree_segment *segment)
{
	uint64_t of_segment, key;
	if (!query->segment_key(query->key_context, segment, &of_segment))
		return false;
	for (size_t i = 0; query->attribute_key(query->key_context, quark, i, &key); i++)
		if (key == of_segment)
			return true;
	return false;
}

/* A condition that says of each pair what the keys of another query, the context, say. */
static bool as_the_keys_say(void *context, const struct histree_interval *state,
			    const struct histree_segment *segment)
{
	const struct histree_join_query *query = context;
	return share_a_key(query, state->quark, segment) && (query->pair == NULL || fit(NULL, state, segment));
}

static bool is_wanted(const struct histree_join_query *query, const struct histree_interval *state,
		      const struct histree_segment *segment)
{
	bool among = query->quarks == NULL;
	for (size_t i = 0; i < query->quark_count && !among; i++)
		among = query->quarks[i] == state->quark;
	histree_time start = state->start > segment->start ? state->start : segment->start;
	histree_time end = state->end < segment->end ? state->end : segment->end;
	if (!among || start > end || end < query->from || start > query->to)
		return false;
	if (query->state != NULL ? !query->state(NULL, state) : state->value.type == HISTREE_NULL)
		return false;
	if (query->segment_key != NULL && !share_a_key(query, state->quark, segment))
		return false;
	return (query->segment == NULL || query->segment(NULL, segment)) &&
	       (query->pair == NULL || query->pair(NULL, state, segment));
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

/* Finds the state of a pair among those of the reference; SIZE_MAX: it is none. */
static size_t index_of(const struct reference *reference, const struct histree_interval *state)
{
	const struct histree_interval *found = reference_at(reference, state->quark, state->start);
	if (found == NULL || found->start != state->start || found->end != state->end ||
	    !histree_value_equal(&found->value, &state->value))
		return SIZE_MAX;
	return (size_t)(found - reference->sorted);
}

static const char *check_pair(const struct join_case *test, const struct reference *reference,
			      const struct made_segments *made, const struct histree_join_query *query,
			      const struct histree_join_pair *pair, uint8_t *seen)
{
	(void)test;
	size_t state = index_of(reference, pair->state);
	int32_t number = pair->segment->content[0].int32;
	if (state == SIZE_MAX || number < 0 || number >= SEGMENTS)
		return "a pair of what was never made";
	const struct histree_segment *segment = &made->segments[number];
	if (segment->start != pair->segment->start || segment->end != pair->segment->end ||
	    !histree_value_equal(&segment->content[1], &pair->segment->content[1]))
		return "another segment than was added";
	if (!is_wanted(query, &reference->sorted[state], segment))
		return "a pair that is not wanted";
	if (pair->start < query->from || pair->end > query->to || pair->start > pair->end ||
	    pair->start < pair->state->start || pair->end > pair->segment->end)
		return "an overlap that is none";
	return seen[state * SEGMENTS + (size_t)number]++ == 0 ? NULL : "a pair twice";
}

static const char *check_query(struct join_case *test, struct histree_cursor *join,
			       const struct reference *reference, const struct made_segments *made,
			       const struct histree_join_query *query)
{
	uint8_t *seen = calloc(reference->count * SEGMENTS + 1, 1);
	struct histree_join_pair pair;
	struct histree_error error = { 0 };
	const char *fault = seen != NULL ? NULL : "out of memory";
	enum histree_status status = histree_join_start(join, query, &error);
	histree_time before = INT64_MIN;
	while (fault == NULL && status == HISTREE_OK &&
	       (status = histree_cursor_next(join, &error)) == HISTREE_OK) {
		pair = *histree_cursor_pair(join);
		fault = check_pair(test, reference, made, query, &pair, seen);
		if (fault == NULL && pair.start < before)
			fault = "pairs out of order";
		before = pair.start;
	}
	if (fault == NULL && status != HISTREE_END) {
		snprintf(test->base.fault, sizeof(test->base.fault), "status %d: %s", status, error.message);
		fault = test->base.fault;
	}
	for (size_t i = 0; i < reference->count && fault == NULL; i++)
		for (size_t j = 0; j < SEGMENTS && fault == NULL; j++)
			if (is_wanted(query, &reference->sorted[i], &made->segments[j]) &&
			    seen[i * SEGMENTS + j] == 0)
				fault = "a pair is missing";
	free(seen);
	return fault;
}

/* With keys the pairs come as they do when every state and segment is asked whether they belong together. */
static const char *check_order(struct histree_cursor *keyed, struct histree_cursor *plain,
			       struct histree_join_query *query)
{
	struct histree_join_query asking = *query;
	struct histree_join_pair pair, same;
	enum histree_status status = HISTREE_OK;
	asking.attribute_key = NULL;
	asking.segment_key = NULL;
	asking.pair = as_the_keys_say;
	asking.pair_context = query;
	assert_ok(histree_join_start(keyed, query, NULL));
	assert_ok(histree_join_start(plain, &asking, NULL));
	while (status == HISTREE_OK) {
		status = histree_cursor_next(keyed, NULL);
		if (status == HISTREE_OK)
			pair = *histree_cursor_pair(keyed);
		if (histree_cursor_next(plain, NULL) != status)
			return "keys change how many pairs there are";
		if (status == HISTREE_OK)
			same = *histree_cursor_pair(plain);
		if (status == HISTREE_OK && (pair.state->quark != same.state->quark || pair.start != same.start ||
					     pair.segment->content[0].int32 != same.segment->content[0].int32))
			return "keys change the order of pairs";
	}
	return status == HISTREE_END ? NULL : "a join with keys fails";
}

static const char *check_history(struct history_case *base, struct histree_history *history,
				 const struct reference *reference)
{
	struct join_case *test = (struct join_case *)base;
	static struct made_segments made;
	struct random random = { test->base.seed };
	struct region_room room;
	static const uint64_t key_counts[] = { 1, 7, 1000 };
	struct histree_cursor *join, *plain;
	const char *fault = NULL;
	if (reference->count == 0)
		return NULL;
	make_segments(&made, reference, &random);
	struct histree_segment_store *store = store_segments(test, &made);
	assert_ok(histree_join_create(history, store, &join, NULL));
	assert_ok(histree_join_create(history, store, &plain, NULL));
	const uint64_t questions = test_effort(QUESTIONS, QUESTIONS / 4);
	for (uint64_t i = 0; i < questions && fault == NULL; i++) {
		struct histree_region region = reference_region(reference, &random, &room);
		struct histree_join_query query = { .quarks = region.quarks, .quark_count = region.quark_count };
		query.from = region.times != NULL && region.time_count > 0 ? region.times[0] : region.from;
		query.to = region.times != NULL && region.time_count > 0 ? region.times[region.time_count - 1]
									 : region.to;
		if (region.times != NULL && region.time_count == 0)
			query.from = query.to = reference->start;
		query.state = random_percent(&random, 40) ? is_number_or_null : NULL;
		query.segment = random_percent(&random, 40) ? has_odd_number : NULL;
		query.pair = random_percent(&random, 40) ? fit : NULL;
		if (random_percent(&random, 60)) {
			query.attribute_key = key_of_attribute;
			query.segment_key = key_of_segment;
			query.key_context = (void *)(uintptr_t)&key_counts[random_below(&random, 3)];
		}
		fault = check_query(test, join, reference, &made, &query);
		if (fault == NULL && query.segment_key != NULL)
			fault = check_order(join, plain, &query);
	}
	histree_cursor_free(plain);
	histree_cursor_free(join);
	histree_segment_store_close(store);
	unlink(test->segments_path);
	return fault;
}

static void pairs_are_those_of_arrays(const void *chosen, uint64_t seed)
{
	const struct workload_kind *kind = chosen;
	static const struct {
		const char *variant;
		enum histree_segment_store_kind kind;
	} shapes[] = { { "cluster", HISTREE_SEGMENTS_DISK }, { "esht", HISTREE_SEGMENTS_LAZY } };
	struct workload workload;
	assert_true(workload_make(&workload, kind, seed));
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct join_case test = {
			.base = { .check = check_history,
				  .options = { .variant = shapes[i].variant, .node_size = 64 << 10, .fan_out = 7 },
				  .seed = seed },
			.kind = shapes[i].kind,
		};
		snprintf(test.segments_path, sizeof(test.segments_path), "property_join.%ld.seg", (long)getpid());
		history_case_check(&test.base, "join", &workload, kind->name);
	}
	workload_release(&workload);
}

/* ---- limits -------------------------------------------------------------------------------------------- */

static bool key_of_the_only(void *context, histree_quark quark, size_t index, uint64_t *key)
{
	(void)context;
	*key = quark + 1;
	return index == 0;
}

static bool key_of_one_segment(void *context, const struct histree_segment *segment, uint64_t *key)
{
	(void)context;
	*key = segment->start == 500 ? 1 : 1000000;
	return true;
}

TEST(what_does_not_fit_is_said)
{
	struct histree_state_system *system;
	struct histree_history *history;
	struct histree_segment_store *store;
	struct histree_cursor *join;
	struct histree_join_pair pair;
	histree_quark quark;
	const struct histree_history_options options = { .path = "property_join.limit.sht" };
	const struct histree_segment_store_options segments = { .kind = HISTREE_SEGMENTS_LAZY };
	unlink(options.path);
	assert_ok(histree_state_create(&options, &system, NULL));
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, "a", &quark, NULL));
	assert_ok(histree_state_modify(system, 10, quark, histree_int(1), NULL));
	assert_ok(histree_state_close(system, 100000, NULL));
	histree_state_free(system);
	assert_ok(histree_history_open(options.path, NULL, &history, NULL));
	assert_ok(histree_segment_store_create(&segments, &store, NULL));
	for (int i = 0; i < 1000; i++)
		assert_ok(histree_segment_store_add(
			store, &(struct histree_segment){ .start = 20 + i, .end = 40 + i }, NULL));
	assert_ok(histree_segment_store_finish(store, NULL));
	assert_ok(histree_join_create(history, store, &join, NULL));
	assert_int_equal(histree_cursor_next(join, NULL), HISTREE_END);
	/* 21 overlap at each time, of a thousand: what has ended takes no room. */
	struct histree_join_query query = { .from = 0,
					    .to = 100000,
					    .memory_max = 21 * sizeof(struct histree_segment) };
	assert_ok(histree_join_start(join, &query, NULL));
	size_t count = 0;
	enum histree_status status;
	while ((status = histree_cursor_next(join, NULL)) == HISTREE_OK) {
		pair = *histree_cursor_pair(join);
		count++;
	}
	assert_int_equal(status, HISTREE_END);
	assert_int_equal(count, 1000);
	query.memory_max = 20 * sizeof(struct histree_segment);
	assert_ok(histree_join_start(join, &query, NULL));
	while ((status = histree_cursor_next(join, NULL)) == HISTREE_OK)
		continue;
	assert_int_equal(status, HISTREE_ERR_TOO_LARGE);
	assert_int_equal(histree_cursor_next(join, NULL), HISTREE_END);
	/* Of segments that no attribute has the key of, none is kept: here all but one. */
	query.attribute_key = key_of_the_only;
	query.segment_key = key_of_one_segment;
	query.memory_max = sizeof(struct histree_segment);
	assert_ok(histree_join_start(join, &query, NULL));
	assert_ok(histree_cursor_next(join, NULL));
	pair = *histree_cursor_pair(join);
	assert_int_equal(pair.segment->start, 500);
	assert_int_equal(histree_cursor_next(join, NULL), HISTREE_END);
	query.to = 100001;
	assert_int_equal(histree_join_start(join, &query, NULL), HISTREE_ERR_TIME_RANGE);
	histree_cursor_free(join);
	histree_cursor_free(NULL);
	histree_segment_store_close(store);
	histree_history_close(history);
	unlink(options.path);
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 1, .check = pairs_are_those_of_arrays })
