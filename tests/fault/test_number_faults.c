// SPDX-License-Identifier: MIT
/*
 * test_number_faults.c - a number overview is a help and no more: damaged or foreign ones cost time, and never an
 * answer; one that was forged with right checksums gives the right answer, or verifying says that it does not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "histree/lookup.h"
#include "overview/overview_writer.h"
#include "overview/pyramid_file.h"
#include "state/history.h"
#include "state/number_summary.h"
#include "state/state_file.h"
#include "support/effort.h"
#include "support/faulty_memory.h"
#include "support/forging.h"
#include "support/overview_file.h"
#include "support/test.h"

enum { ATTRIBUTES = 2, STATES = 3000, RANGES = 40 };

static const struct overview_options options = {
	.history_states_min = 1,
	.states_min = UINT32_MAX, /* only numbers */
	.percent_max = 1000,
	.numbers_percent_max = 1000,
	.number_states_min = 8,
	.number_states_log2 = 3,
	.threads = 1,
};

struct asking {
	char path[64];
	struct overview_file file;
	struct histree_history_info of;
	histree_time from[RANGES], to[RANGES];
	struct histree_numbers right[RANGES];
};

/* ---- a history and what is asked of it ------------------------------------------------------------------- */

static void build(const char *path)
{
	const struct histree_history_options made = {
		.path = path, .provider = "test", .start = 100, .tree = { .node_size = 4096, .threads = 1 }
	};
	static const char *const names[ATTRIBUTES] = { "count", "share" };
	struct random random = { test_seed() };
	struct histree_state_system *system;
	histree_quark quarks[ATTRIBUTES];
	histree_time now = made.start;
	assert_int_equal(histree_state_create(&made, &system, NULL), HISTREE_OK);
	for (unsigned i = 0; i < ATTRIBUTES; i++)
		assert_int_equal(histree_state_attribute(system, HISTREE_ROOT, names[i], &quarks[i], NULL),
				 HISTREE_OK);
	for (unsigned i = 0; i < STATES; i++) {
		now += 1 + (histree_time)random_below(&random, 100);
		int64_t number = (int64_t)random_below(&random, 2000) - 1000;
		struct histree_value value = i % 2 == 0 ? histree_long(number) : histree_double((double)number / 7);
		if (random_percent(&random, 5))
			value = histree_unknown();
		assert_int_equal(histree_state_modify(system, now, quarks[i % ATTRIBUTES], value, NULL),
				 HISTREE_OK);
	}
	assert_int_equal(histree_state_close(system, now + 50, NULL), HISTREE_OK);
	histree_state_free(system);
}

static enum histree_status ask(const struct asking *asking, bool no_overviews, struct histree_numbers *out,
			       uint64_t *states_read, struct histree_error *error)
{
	const struct histree_open_options how = { .no_overviews = no_overviews };
	struct histree_history *history;
	struct histree_query *query = NULL;
	memset(out, 0, RANGES * sizeof(*out));
	*states_read = 0;
	enum histree_status status = histree_history_open(asking->path, &how, &history, error);
	if (status == HISTREE_OK)
		status = histree_query_create(history, &query, error);
	for (unsigned i = 0; i < RANGES && status == HISTREE_OK; i++) {
		status = histree_lookup_numbers(query, i % ATTRIBUTES, asking->from[i], asking->to[i], &out[i],
						error);
		*states_read += histree_query_stats(query).intervals;
	}
	histree_query_free(query);
	histree_history_close(history);
	return status;
}

static bool is_same(const struct histree_numbers *a, const struct histree_numbers *b)
{
	return a->states == b->states && a->number_ns == b->number_ns && a->unknown_ns == b->unknown_ns &&
	       a->other_ns == b->other_ns && histree_value_equal(&a->min, &b->min) &&
	       histree_value_equal(&a->max, &b->max) && memcmp(&a->mean, &b->mean, sizeof(a->mean)) == 0;
}

static bool is_right(const struct asking *asking, const char *what)
{
	struct histree_numbers found[RANGES];
	struct histree_error error = { 0 };
	uint64_t states_read;
	bool right = true;
	if (ask(asking, false, found, &states_read, &error) != HISTREE_OK)
		fail_msg("%s: %s", what, error.message);
	for (unsigned i = 0; i < RANGES; i++)
		right = right && is_same(&found[i], &asking->right[i]);
	return right;
}

/* Whether verifying says that the overview is wrong. */
static bool is_told(const struct asking *asking)
{
	return overview_file_is_told(asking->path, histree_numbers_verify, ".numbers");
}

static void begin(struct asking *asking)
{
	struct random random = { test_seed() };
	struct histree_history *history;
	struct histree_numbers found[RANGES];
	uint64_t all, few;
	memset(asking, 0, sizeof(*asking));
	snprintf(asking->path, sizeof(asking->path), "test_number_faults.%ld.sht", (long)getpid());
	pyramid_path(PYRAMID_NUMBERS, asking->path, 1, asking->file.path);
	unlink(asking->path);
	build(asking->path);
	assert_int_equal(histree_history_open(asking->path, NULL, &history, NULL), HISTREE_OK);
	asking->of = *histree_history_info(history);
	histree_history_close(history);
	uint64_t whole = (uint64_t)(asking->of.end - asking->of.start);
	for (unsigned i = 2; i < RANGES; i++) {
		histree_time a = asking->of.start + (histree_time)random_below(&random, whole);
		histree_time b = asking->of.start + (histree_time)random_below(&random, whole);
		asking->from[i] = a < b ? a : b;
		asking->to[i] = a < b ? b : a;
	}
	for (unsigned i = 0; i < 2; i++)
		asking->from[i] = asking->of.start, asking->to[i] = asking->of.end;
	assert_int_equal(ask(asking, true, asking->right, &all, NULL), HISTREE_OK);
	assert_int_equal(overviews_write(&io_posix, asking->path, &options, NULL), HISTREE_OK);
	assert_int_equal(ask(asking, false, found, &few, NULL), HISTREE_OK);
	assert_true(few < all / 4); /* it is used */
	assert_true(is_right(asking, "an overview as it was made"));
	assert_false(is_told(asking));
	overview_file_read(&asking->file);
}

static void end(struct asking *asking)
{
	unlink(asking->path);
	overview_file_end(&asking->file);
}

/* ---- damage and forgery ---------------------------------------------------------------------------------- */

static void damage_costs_no_answer(void **state)
{
	(void)state;
	struct asking asking;
	struct random random = { test_seed() };
	unsigned told = 0, damages = (unsigned)test_effort(300, 60);
	begin(&asking);
	for (unsigned i = 0; i < damages; i++) {
		uint8_t *copy = malloc(asking.file.size);
		assert_non_null(copy);
		memcpy(copy, asking.file.bytes, asking.file.size);
		struct forged forged = { .random = &random, .bytes = copy, .size = asking.file.size };
		forge_damage(&forged);
		overview_file_write(&asking.file, copy, forged.size);
		if (!is_right(&asking, forged.what))
			fail_msg("%s: another answer", forged.what);
		told += is_told(&asking);
		free(copy);
	}
	assert_true(told > damages / 2);
	end(&asking);
}

static void forgery_is_told_or_harmless(void **state)
{
	(void)state;
	struct asking asking;
	struct random random = { test_seed() };
	unsigned told = 0;
	begin(&asking);
	for (uint64_t left = test_effort(200, 50) * test_rounds(); left > 0; left--) {
		uint8_t *copy = malloc(asking.file.size);
		assert_non_null(copy);
		memcpy(copy, asking.file.bytes, asking.file.size);
		struct forged forged = { .random = &random, .bytes = copy, .size = asking.file.size };
		forge_blocks(&forged);
		overview_file_write(&asking.file, copy, forged.size);
		bool right = is_right(&asking, forged.what), said = is_told(&asking);
		if (!right && !said)
			fail_msg("%s: another answer, and nobody says so", forged.what);
		told += said;
		free(copy);
	}
	assert_true(told > 0);
	end(&asking);
}

/* ---- overviews by hand ----------------------------------------------------------------------------------- */

enum lie { NO_LIE, A_SUM, A_COUNT, A_BORDER, A_TIME, NOT_A_SUMMARY, LIES };

/* A summary of all states of attribute 0 but the first and the last eight, as one level of an overview. */
static void forge(const struct asking *asking, enum lie lie, const char *provider, uint32_t version, uint32_t quark)
{
	const struct histree_history_options made = { .path = asking->file.path,
						      .provider = provider,
						      .provider_version = version,
						      .start = asking->of.start };
	const struct histree_open_options plain = { .no_overviews = true };
	const struct histree_region all = {
		.quarks = &(histree_quark){ 0 }, .quark_count = 1, .from = asking->of.start, .to = asking->of.end
	};
	struct number_summary sums[3] = { 0 };
	struct time_ends {
		histree_time start, end;
	} ends[3] = { 0 };
	struct histree_history *history;
	struct histree_query *query;
	struct histree_interval state;
	struct interval_sink sink;
	struct attribute_tree attributes;
	histree_quark level, own;
	unsigned count = 0;
	assert_int_equal(histree_history_open(asking->path, &plain, &history, NULL), HISTREE_OK);
	assert_int_equal(histree_query_create(history, &query, NULL), HISTREE_OK);
	assert_int_equal(histree_query_start(query, &all, NULL), HISTREE_OK);
	while (histree_query_next(query, &state, NULL) == HISTREE_OK) {
		/* In the middle of time, so that the order of the states does not matter. */
		histree_time third = (asking->of.end - asking->of.start) / 3;
		unsigned part = (unsigned)((state.end - asking->of.start) / third);
		part = part > 2 ? 2 : part;
		number_summary_add(&sums[part], &state.value, number_summary_ns(state.start, state.end));
		if (ends[part].end == 0 || state.start < ends[part].start)
			ends[part].start = state.start;
		if (state.end > ends[part].end)
			ends[part].end = state.end;
		count++;
	}
	histree_query_free(query);
	histree_history_close(history);
	assert_true(count > 100);
	switch (lie) {
	case A_SUM:
		sums[1].whole += 12345;
		break;
	case A_COUNT:
		sums[1].states++;
		break;
	case A_BORDER:
		ends[1].start++;
		ends[0].end++;
		sums[0].other_ns++;
		sums[1].number_ns--;
		break;
	case A_TIME:
		sums[1].other_ns += UINT32_MAX; /* more than there is */
		break;
	case NO_LIE:
	case NOT_A_SUMMARY:
	case LIES:
		break;
	}
	unlink(asking->file.path);
	assert_int_equal(state_file_sink(&io_posix, &made, NULL, &sink, NULL), HISTREE_OK);
	attribute_tree_init(&attributes);
	assert_int_equal(overview_file_name(&attributes, HISTREE_ROOT, 1, &level, NULL), HISTREE_OK);
	assert_int_equal(overview_file_name(&attributes, level, quark, &own, NULL), HISTREE_OK);
	for (unsigned part = 0; part < 3; part++) {
		uint8_t room[NUMBER_SUMMARY_SIZE_MAX];
		size_t size = number_summary_put(&sums[part], room);
		const struct histree_interval put = {
			.quark = own,
			.start = ends[part].start,
			.end = ends[part].end,
			.value = lie == NOT_A_SUMMARY ? histree_custom("\x7f\1\2", 3) : histree_custom(room, size),
		};
		assert_int_equal(sink.add(sink.context, &put, NULL), HISTREE_OK);
	}
	assert_int_equal(overview_file_groups(&sink, &attributes, &asking->of, NULL), HISTREE_OK);
	assert_int_equal(sink.finish(sink.context, &attributes, asking->of.end, NULL), HISTREE_OK);
	attribute_tree_release(&attributes);
	sink.free(sink.context);
}

static void lies_are_told_or_found(void **state)
{
	(void)state;
	struct asking asking;
	char provider[sizeof(asking.of.provider)];
	begin(&asking);
	pyramid_provider(PYRAMID_NUMBERS, &asking.of, 3, provider, sizeof(provider));
	for (enum lie lie = NO_LIE; lie < LIES; lie++) {
		forge(&asking, lie, provider, pyramid_kinds[PYRAMID_NUMBERS].version, 0);
		assert_int_equal(overview_file_count(asking.path), 1);
		bool right = is_right(&asking, "a lie"), told = is_told(&asking);
		if (!told) /* also without a lie: thirds are no eights of states */
			fail_msg("lie %d is not told", (int)lie);
		/* What no states can have is found by the query that meets it, and the rest by verifying. */
		if (!right && lie > A_BORDER)
			fail_msg("lie %d has another answer", (int)lie);
		assert_true(right || told);
	}
	end(&asking);
}

static void foreign_ones_are_none(void **state)
{
	(void)state;
	struct asking asking;
	char provider[sizeof(asking.of.provider)], other[sizeof(asking.of.provider)];
	begin(&asking);
	struct histree_history_info of = asking.of;
	pyramid_provider(PYRAMID_NUMBERS, &of, 3, provider, sizeof(provider));
	of.identity ^= 1;
	pyramid_provider(PYRAMID_NUMBERS, &of, 3, other, sizeof(other));
	forge(&asking, NO_LIE, other, pyramid_kinds[PYRAMID_NUMBERS].version, 0);
	assert_int_equal(overview_file_count(asking.path), 0);
	forge(&asking, NO_LIE, provider, pyramid_kinds[PYRAMID_NUMBERS].version + 1, 0);
	assert_int_equal(overview_file_count(asking.path), 0);
	forge(&asking, NO_LIE, provider, pyramid_kinds[PYRAMID_NUMBERS].version, ATTRIBUTES);
	assert_int_equal(overview_file_count(asking.path), 0);
	forge(&asking, NO_LIE, "numbers of 12", pyramid_kinds[PYRAMID_NUMBERS].version, 0);
	assert_int_equal(overview_file_count(asking.path), 0);
	assert_true(is_right(&asking, "a foreign overview"));
	assert_true(is_told(&asking));
	unlink(asking.file.path);
	assert_true(is_right(&asking, "no overview"));
	assert_false(is_told(&asking));
	end(&asking);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	struct asking asking;
	begin(&asking);
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		uint64_t failures = 0;
		for (bool refused = true; refused;) {
			struct histree_numbers found[RANGES];
			struct histree_error error = { 0 };
			uint64_t states_read;
			faulty_memory_begin(++failures, for_ever != 0);
			enum histree_status status = ask(&asking, false, found, &states_read, &error);
			faulty_memory_end();
			refused = faulty_memory.refused;
			if (status != HISTREE_OK)
				assert_int_equal(status, HISTREE_ERR_MEMORY);
		}
		assert_true(failures > 20);
	}
	assert_true(is_right(&asking, "after all"));
	end(&asking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_costs_no_answer),    cmocka_unit_test(forgery_is_told_or_harmless),
		cmocka_unit_test(lies_are_told_or_found),    cmocka_unit_test(foreign_ones_are_none),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests_name("number_faults", tests, NULL, NULL);
}
