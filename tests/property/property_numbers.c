// SPDX-License-Identifier: MIT
/*
 * property_numbers.c - least, greatest and mean numbers over a range: with the number overview of a history as
 * without it, to the last bit, and both as a search through all states says.
 */
#include <math.h>

#include "base/search.h"
#include "histree/states.h"
#include "overview_case.h"
#include "state/attributes.h"
#include "state/history.h"
#include "state/pyramid_cells.h"
#include "state/state_file.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/test.h"

enum { ATTRIBUTES = 6, STATES_MAX = 1500, QUESTIONS = 120 };

/* Doubles are multiples of this one where the plain sum of them is to be exact. */
#define GRAIN 0x1p-20

enum kind { INTS, LONGS, GRAINS, DOUBLES, MIXED, OTHERS, KIND_COUNT };

struct plain {
	histree_time start, end;
	struct histree_interval *states; /* by attribute, then by time */
	size_t count;
	enum kind kinds[ATTRIBUTES];
};

static uint64_t from_summaries, answers;

/* ---- a history ------------------------------------------------------------------------------------------- */

static double some_double(struct random *random)
{
	static const double edges[] = {
		0.0,      -0.0, INFINITY, -INFINITY, 0x1p-1074, -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023,
		0x1p-1022
	};
	uint64_t bits = random_bits(random);
	double any;
	if (random_percent(random, 1))
		return edges[random_below(random, 8)];
	if (random_percent(random, 60))
		return (double)(int64_t)bits * 0x1p-40;
	memcpy(&any, &bits, sizeof(any));
	return isinf(any) ? 1 : any; /* NaNs now and then */
}

static struct histree_value some_number(enum kind kind, struct random *random)
{
	static const int64_t edges[] = { INT64_MIN, INT64_MAX, 0, -1, INT32_MIN };
	switch (kind) {
	case INTS:
		return histree_int(random_percent(random, 5) ? (random_percent(random, 50) ? INT32_MIN : INT32_MAX)
							     : (int32_t)random_below(random, 2000) - 1000);
	case LONGS:
		return histree_long(random_percent(random, 10)
					    ? edges[random_below(random, 5)]
					    : (int64_t)random_bits(random) >> random_below(random, 60));
	case GRAINS:
		return histree_double(GRAIN * (double)((int64_t)random_below(random, 1 << 24) - (1 << 23)));
	case DOUBLES:
		return histree_double(some_double(random));
	case MIXED:
		return some_number((enum kind)random_below(random, MIXED), random);
	case OTHERS:
	case KIND_COUNT:
		break;
	}
	return random_percent(random, 50) ? histree_bool(true) : histree_string("text");
}

static struct histree_value some_value(enum kind kind, struct random *random)
{
	if (random_percent(random, 7))
		return histree_null();
	if (random_percent(random, 7))
		return histree_unknown(); /* lost events */
	return some_number(kind, random);
}

/* How long states are: `step_log2` bits at most, so that each kind of history has its own length. */
static void make_plain(struct plain *plain, struct random *random)
{
	unsigned step_log2 = (unsigned)random_below(random, 52);
	plain->start = random_percent(random, 20) ? INT64_MIN : (histree_time)random_below(random, 1 << 20);
	plain->count = 0;
	plain->states = calloc((size_t)ATTRIBUTES * (STATES_MAX + 1), sizeof(*plain->states));
	assert_non_null(plain->states);
	plain->end =
		(histree_time)((uint64_t)plain->start + ((uint64_t)(STATES_MAX / 2) << step_log2) + STATES_MAX);
	if (plain->end < plain->start || random_percent(random, 5))
		plain->end = INT64_MAX - 1;
	for (histree_quark quark = 0; quark < ATTRIBUTES; quark++) {
		plain->kinds[quark] = (enum kind)random_below(random, KIND_COUNT);
		histree_time start = plain->start;
		size_t most = random_percent(random, 20) ? 20 : STATES_MAX;
		for (size_t i = 0;; i++) {
			uint64_t left = (uint64_t)plain->end - (uint64_t)start;
			uint64_t more = random_bits(random) >> (63 - step_log2);
			bool last = i == most || more >= left;
			histree_time end = last ? plain->end : (histree_time)((uint64_t)start + more);
			plain->states[plain->count++] =
				(struct histree_interval){ start, end, quark,
							   some_value(plain->kinds[quark], random) };
			if (last)
				break;
			start = end + 1;
		}
	}
}

COMPARE(by_end, struct histree_interval, BY(end) BY(quark))

static void write_history(const struct plain *plain, const char *path, const char *variant)
{
	const struct histree_history_options options = {
		.path = path,
		.provider = "test",
		.start = plain->start,
		.tree = { .variant = variant, .node_size = 4096, .fan_out = 5 },
	};
	struct interval_sink sink;
	struct attribute_tree attributes;
	struct histree_interval *states = malloc(plain->count * sizeof(*states));
	assert_non_null(states);
	memcpy(states, plain->states, plain->count * sizeof(*states));
	qsort(states, plain->count, sizeof(*states), by_end);
	assert_ok(state_file_sink(&io_posix, &options, NULL, &sink, NULL));
	attribute_tree_init(&attributes);
	for (histree_quark quark = 0; quark < ATTRIBUTES; quark++) {
		char name[16];
		int size = snprintf(name, sizeof(name), "a%u", quark);
		histree_quark made;
		assert_ok(attribute_tree_add(&attributes, HISTREE_ROOT, name, (size_t)size, &made, NULL));
	}
	for (size_t i = 0; i < plain->count; i++) {
		struct histree_error error;
		if (sink.add(sink.context, &states[i], &error) != HISTREE_OK)
			fail_msg("%s", error.message);
	}
	assert_ok(sink.finish(sink.context, &attributes, plain->end, NULL));
	attribute_tree_release(&attributes);
	sink.free(sink.context);
	free(states);
}

/* ---- what a search says ---------------------------------------------------------------------------------- */

struct counted {
	uint64_t states;
	wide_uint number_ns, unknown_ns, other_ns;
	const struct histree_value *min, *max;
	wide_int sum; /* in grains; of kinds that have such */
};

static long double plain_number(const struct histree_value *value)
{
	return value->type == HISTREE_DOUBLE ? (long double)value->real
	       : value->type == HISTREE_INT  ? (long double)value->int32
					     : (long double)value->int64;
}

static void search(const struct plain *plain, histree_quark quark, histree_time from, histree_time to,
		   struct counted *out)
{
	*out = (struct counted){ 0 };
	for (size_t i = 0; i < plain->count; i++) {
		const struct histree_interval *state = &plain->states[i];
		if (state->quark != quark || state->start > to || state->end < from)
			continue;
		histree_time first = state->start > from ? state->start : from;
		histree_time last = state->end < to ? state->end : to;
		wide_uint ns = (wide_uint)((uint64_t)last - (uint64_t)first) + 1;
		const struct histree_value *value = &state->value;
		bool is_number = value->type == HISTREE_INT || value->type == HISTREE_LONG ||
				 (value->type == HISTREE_DOUBLE && value->real == value->real);
		if (!is_number) {
			*(value->type == HISTREE_UNKNOWN ? &out->unknown_ns : &out->other_ns) += ns;
			continue;
		}
		out->states++;
		out->number_ns += ns;
		if (out->min == NULL || plain_number(value) < plain_number(out->min))
			out->min = value;
		if (out->max == NULL || plain_number(value) > plain_number(out->max))
			out->max = value;
		if (plain->kinds[quark] == GRAINS)
			out->sum += (wide_int)(int64_t)(value->real / GRAIN) * (wide_int)ns;
		else if (plain->kinds[quark] <= LONGS)
			out->sum += (wide_int)plain_number(value) * (wide_int)ns;
	}
}

static uint64_t at_most(wide_uint ns)
{
	return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

static void compare_to_plain(const struct histree_numbers *found, const struct counted *counted, enum kind kind)
{
	assert_int_equal(found->states, counted->states);
	assert_int_equal(found->number_ns, at_most(counted->number_ns));
	assert_int_equal(found->unknown_ns, at_most(counted->unknown_ns));
	assert_int_equal(found->other_ns, at_most(counted->other_ns));
	if (counted->states == 0) {
		assert_int_equal(found->min.type, HISTREE_NULL);
		assert_int_equal(found->max.type, HISTREE_NULL);
		assert_true(found->mean == 0);
		return;
	}
	assert_true(plain_number(&found->min) == plain_number(counted->min));
	assert_true(plain_number(&found->max) == plain_number(counted->max));
	if (kind > GRAINS)
		return;
	/* Rounded once more than once, but that is far below half a unit of a double. */
	long double mean = (long double)counted->sum / (long double)counted->number_ns;
	if (kind == GRAINS)
		mean *= (long double)GRAIN;
	double off = (double)((long double)found->mean - mean);
	assert_true(fabs(off) <= 0x1.01p-53 * fabs((double)mean));
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

struct asked {
	struct histree_history *history;
	struct histree_cursor *query;
};

static void open_asked(struct asked *asked, const char *path, bool no_overviews)
{
	const struct histree_open_options options = { .no_overviews = no_overviews };
	assert_ok(histree_history_open(path, &options, &asked->history, NULL));
	assert_ok(histree_query_create(asked->history, &asked->query, NULL));
}

static void close_asked(struct asked *asked)
{
	histree_cursor_free(asked->query);
	histree_history_close(asked->history);
}

static void some_range(const struct plain *plain, struct random *random, histree_time *from, histree_time *to)
{
	histree_time ends[2];
	for (int i = 0; i < 2; i++) {
		const struct histree_interval *some = &plain->states[random_below(random, plain->count)];
		ends[i] = random_percent(random, 50) ? some->start : some->end;
		if (random_percent(random, 30) && ends[i] < plain->end)
			ends[i]++;
	}
	*from = random_percent(random, 10) ? plain->start : ends[0] < ends[1] ? ends[0] : ends[1];
	*to = random_percent(random, 10) ? plain->end : ends[0] < ends[1] ? ends[1] : ends[0];
}

static bool is_same_number(const struct histree_value *a, const struct histree_value *b)
{
	return histree_value_equal(a, b);
}

static void ask(const struct plain *plain, struct asked *with, struct asked *without, struct random *random)
{
	struct histree_numbers found, scanned;
	struct counted counted;
	histree_time from, to;
	some_range(plain, random, &from, &to);
	histree_quark quark = (histree_quark)random_below(random, ATTRIBUTES);
	assert_ok(histree_lookup_numbers(with->query, quark, from, to, &found, NULL));
	uint64_t states_read = histree_cursor_statistics(with->query).rows;
	assert_ok(histree_lookup_numbers(without->query, quark, from, to, &scanned, NULL));
	assert_true(is_same_number(&found.min, &scanned.min) && is_same_number(&found.max, &scanned.max));
	assert_memory_equal(&found.mean, &scanned.mean, sizeof(found.mean));
	search(plain, quark, from, to, &counted);
	compare_to_plain(&found, &counted, plain->kinds[quark]);
	compare_to_plain(&scanned, &counted, plain->kinds[quark]);
	answers++;
	from_summaries += states_read < counted.states / 2;
}

static void fault_found(void *context, const char *fault)
{
	(void)context;
	fail_msg("%s", fault);
}

TEST(numbers_are_those_of_a_search)
{
	static const char *const variants[] = { "cluster", "sht", "osht", "esht", "rsht", "vrsht" };
	char path[64];
	snprintf(path, sizeof(path), "property_numbers.%ld.sht", (long)getpid());
	for (uint64_t round = 0; round < test_effort(60, 12) * test_rounds(); round++) {
		struct random random = { test_seed() + round };
		struct plain plain;
		struct asked with, without;
		make_plain(&plain, &random);
		history_files_remove(path);
		write_history(&plain, path, variants[round % 6]);
		const struct overview_options options = overview_case_options(&random);
		assert_ok(overviews_write(&io_posix, path, &options, NULL));
		open_asked(&with, path, false);
		open_asked(&without, path, true);
		assert_ok(histree_history_verify(with.history, fault_found, NULL, NULL));
		assert_ok(histree_numbers_verify(with.history, fault_found, NULL, NULL));
		for (int i = 0; i < QUESTIONS; i++)
			ask(&plain, &with, &without, &random);
		close_asked(&with);
		close_asked(&without);
		history_files_remove(path);
		free(plain.states);
	}
	fprintf(stderr, "%llu answers, %llu of summaries\n", (unsigned long long)answers,
		(unsigned long long)from_summaries);
	assert_true(from_summaries > answers / 10);
}
