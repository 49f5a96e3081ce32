// SPDX-License-Identifier: MIT
/*
 * test_sum_faults.c - an overview of sums that is damaged, forged, of another history, or that memory has no room
 * for: the answer is that of the states, or verifying says what is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "histree/histree.h"
#include "overview/overview_writer.h"
#include "state/attribute_tree.h"
#include "state/interval_sink.h"
#include "state/pyramid.h"
#include "state/state_file.h"
#include "state/state_sum.h"
#include "support/effort.h"
#include "support/faulty_memory.h"
#include "support/forging.h"
#include "support/overview_file.h"
#include "support/test.h"

enum { ATTRIBUTES = 3, STATES = 2400, RANGES = 6, VALUES = 4, UNKNOWN_VALUE = VALUES, NULL_VALUE, KINDS };

static const struct overview_options options = {
	.history_states_min = 1,
	.states_min = UINT32_MAX, /* only sums */
	.percent_max = 100000,
	.sums_percent_max = 50000,
	.sum_states_min = 8,
	.threads = 1,
};

static const struct histree_label labels[] = {
	{ .first = 0, .last = VALUES - 1, .is_code = true, .style = { "STATUS", "status", 1, 1, 1 } },
};
static const char *const patterns[] = { "*", NULL };
static const struct histree_label_table table = {
	.name = "status", .patterns = patterns, .labels = labels, .label_count = 1
};

struct answer {
	uint64_t ns[RANGES][ATTRIBUTES][KINDS];
};

struct asking {
	char path[64];
	struct overview_file file;
	struct histree_history_info of;
	histree_time from[RANGES], to[RANGES];
	struct answer right;
};

static void build(const char *path)
{
	const struct histree_history_options made = {
		.path = path, .provider = "test", .start = 100, .tree = { .node_size = 4096, .threads = 1 }
	};
	static const char *const names[ATTRIBUTES] = { "one", "two", "three" };
	struct random random = { test_seed() };
	struct histree_state_system *system;
	histree_quark quarks[ATTRIBUTES];
	histree_time now = made.start;
	assert_int_equal(histree_state_create(&made, &system, NULL), HISTREE_OK);
	assert_int_equal(histree_state_labels(system, &table, 1, NULL), HISTREE_OK);
	for (unsigned i = 0; i < ATTRIBUTES; i++)
		assert_int_equal(histree_state_attribute(system, HISTREE_ROOT, names[i], &quarks[i], NULL),
				 HISTREE_OK);
	for (unsigned i = 0; i < STATES; i++) {
		now += 1 + (histree_time)random_below(&random, 100);
		struct histree_value value = histree_int((int32_t)random_below(&random, VALUES));
		if (random_percent(&random, 10))
			value = random_percent(&random, 50) ? histree_unknown() : histree_null();
		assert_int_equal(histree_state_modify(system, now, quarks[i % ATTRIBUTES], value, NULL),
				 HISTREE_OK);
	}
	assert_int_equal(histree_state_close(system, now + 50, NULL), HISTREE_OK);
	histree_state_free(system);
}

static unsigned kind_of(const struct histree_value *value)
{
	if (value->type == HISTREE_INT && value->int32 >= 0 && value->int32 < VALUES)
		return (unsigned)value->int32;
	return value->type == HISTREE_UNKNOWN ? UNKNOWN_VALUE : NULL_VALUE;
}

static enum histree_status ask(const struct asking *asking, bool no_overviews, struct answer *out, size_t *parts,
			       struct histree_error *error)
{
	const struct histree_open_options how = { .no_overviews = no_overviews };
	static const histree_quark quarks[ATTRIBUTES] = { 0, 1, 2 };
	struct histree_history *history;
	struct histree_time_in_state *times = NULL;
	struct histree_state_time part;
	size_t count;
	memset(out, 0, sizeof(*out));
	*parts = 0;
	enum histree_status status = histree_history_open(asking->path, &how, &history, error);
	if (status == HISTREE_OK)
		status = histree_time_in_state_create(history, &times, error);
	for (unsigned i = 0; i < RANGES && status == HISTREE_OK; i++) {
		const struct histree_region region = {
			.quarks = quarks, .quark_count = ATTRIBUTES, .from = asking->from[i], .to = asking->to[i]
		};
		status = histree_time_in_state_start(times, &region, error);
		while (status == HISTREE_OK &&
		       (status = histree_time_in_state_read(times, &part, 1, &count, error)) == HISTREE_OK) {
			out->ns[i][part.quark][kind_of(&part.value)] += part.ns;
			++*parts;
		}
		status = status == HISTREE_END ? HISTREE_OK : status;
	}
	histree_time_in_state_free(times);
	histree_history_close(history);
	return status;
}

static bool is_right(const struct asking *asking, const char *what)
{
	struct answer found;
	struct histree_error error = { 0 };
	size_t parts;
	if (ask(asking, false, &found, &parts, &error) != HISTREE_OK)
		fail_msg("%s: %s", what, error.message);
	return memcmp(&found, &asking->right, sizeof(found)) == 0;
}

/* Whether verifying says that the overview is wrong. */
static bool is_told(const struct asking *asking)
{
	return overview_file_is_told(asking->path, histree_sums_verify, ".sums");
}

static void begin(struct asking *asking)
{
	struct random random = { test_seed() };
	struct histree_history *history;
	struct answer found;
	size_t all, few;
	memset(asking, 0, sizeof(*asking));
	snprintf(asking->path, sizeof(asking->path), "test_sum_faults.%ld.sht", (long)getpid());
	pyramid_path(PYRAMID_SUMS, asking->path, 1, asking->file.path);
	unlink(asking->path);
	build(asking->path);
	assert_int_equal(histree_history_open(asking->path, NULL, &history, NULL), HISTREE_OK);
	asking->of = *histree_history_info(history);
	histree_history_close(history);
	uint64_t whole = (uint64_t)(asking->of.end - asking->of.start);
	asking->from[0] = asking->of.start, asking->to[0] = asking->of.end;
	for (unsigned i = 1; i < RANGES; i++) {
		histree_time a = asking->of.start + (histree_time)random_below(&random, whole);
		histree_time b = asking->of.start + (histree_time)random_below(&random, whole);
		asking->from[i] = a < b ? a : b;
		asking->to[i] = a < b ? b : a;
	}
	assert_int_equal(ask(asking, true, &asking->right, &all, NULL), HISTREE_OK);
	assert_int_equal(overviews_write(&io_posix, asking->path, &options, NULL), HISTREE_OK);
	assert_int_equal(ask(asking, false, &found, &few, NULL), HISTREE_OK);
	assert_true(few < all / 2); /* it is used */
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
	unlink(asking.file.path);
	assert_true(is_right(&asking, "no overview"));
	assert_false(is_told(&asking));
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

enum lie { NO_LIE, ANOTHER_VALUE, A_NANOSECOND, A_COUNT, TOO_MUCH, NO_SUM, LIES };

struct kept {
	struct histree_interval state;
	uint8_t bytes[STATE_SUM_SIZE_MAX];
};

static int by_end(const void *one, const void *other)
{
	const struct kept *a = one, *b = other;
	return (a->state.end > b->state.end) - (a->state.end < b->state.end);
}

/* A cell of two values or more, of which one ns is said to be the other's, and so on. */
static bool lie_of(struct kept *kept, enum lie lie)
{
	struct histree_value *value = &kept->state.value;
	const uint64_t ns = (uint64_t)(kept->state.end - kept->state.start) + 1;
	struct state_sum sum;
	if (value->type != HISTREE_CUSTOM || value->size < 2 ||
	    !state_sum_get(&sum, ns, kept->bytes, value->size) || sum.count < 2 || sum.parts[0].is_unknown ||
	    sum.parts[0].ns < 2 || sum.parts[1].is_unknown)
		return false;
	switch (lie) {
	case ANOTHER_VALUE:
		sum.parts[0].value += VALUES;
		break;
	case A_NANOSECOND:
		sum.parts[0].ns--;
		sum.parts[1].ns++;
		break;
	case A_COUNT:
		sum.parts[0].begins ^= 1;
		break;
	case TOO_MUCH:
		sum.parts[1].ns += ns;
		break;
	case NO_SUM:
	case NO_LIE:
	case LIES:
		break;
	}
	value->size = (uint32_t)state_sum_put(&sum, kept->bytes);
	value->size += lie == NO_SUM; /* a byte too many */
	return true;
}

/* All states of the overview once more, with right checksums, and one of them lies. */
static void forge(const struct asking *asking, enum lie lie, const char *provider, uint32_t version)
{
	const struct histree_history_options made = { .path = asking->file.path,
						      .provider = provider,
						      .provider_version = version,
						      .start = asking->of.start };
	const struct histree_region all = { .from = asking->of.start, .to = asking->of.end };
	struct histree_history *sums;
	struct histree_query *query;
	struct histree_interval state;
	struct interval_sink sink;
	struct attribute_tree attributes;
	size_t count = 0, lied = 0;
	assert_int_equal(histree_history_open(asking->file.path, NULL, &sums, NULL), HISTREE_OK);
	struct kept *kept = calloc(histree_history_info(sums)->interval_count + 64, sizeof(*kept));
	assert_non_null(kept);
	assert_int_equal(histree_query_create(sums, &query, NULL), HISTREE_OK);
	assert_int_equal(histree_query_start(query, &all, NULL), HISTREE_OK);
	while (histree_query_next(query, &state, NULL) == HISTREE_OK) {
		kept[count].state = state;
		if (state.value.type == HISTREE_CUSTOM)
			memcpy(kept[count].bytes, state.value.bytes, state.value.size);
		lied += lied == 0 && lie_of(&kept[count], lie);
		count++;
	}
	assert_int_equal(lied, 1);
	histree_query_free(query);
	qsort(kept, count, sizeof(*kept), by_end);
	attribute_tree_init(&attributes);
	const struct histree_attributes *names = histree_history_attributes(sums);
	for (histree_quark quark = 0; quark < histree_history_info(sums)->attribute_count; quark++) {
		char name[32];
		histree_quark parent = histree_attributes_parent(names, quark), own;
		size_t size = histree_attributes_name(names, quark, name, sizeof(name));
		assert_int_equal(attribute_tree_add(&attributes, parent, name, size, &own, NULL), HISTREE_OK);
		assert_int_equal(own, quark);
	}
	histree_history_close(sums);
	unlink(asking->file.path);
	assert_int_equal(state_file_sink(&io_posix, &made, NULL, &sink, NULL), HISTREE_OK);
	for (size_t i = 0; i < count; i++) {
		if (kept[i].state.value.type == HISTREE_CUSTOM)
			kept[i].state.value.bytes = (const char *)kept[i].bytes;
		assert_int_equal(sink.add(sink.context, &kept[i].state, NULL), HISTREE_OK);
	}
	assert_int_equal(sink.finish(sink.context, &attributes, asking->of.end, NULL), HISTREE_OK);
	attribute_tree_release(&attributes);
	sink.free(sink.context);
	free(kept);
}

static void lies_are_told_or_found(void **state)
{
	(void)state;
	struct asking asking;
	char provider[sizeof(asking.of.provider)];
	struct histree_history *sums;
	begin(&asking);
	assert_int_equal(histree_history_open(asking.file.path, NULL, &sums, NULL), HISTREE_OK);
	snprintf(provider, sizeof(provider), "%s", histree_history_info(sums)->provider);
	histree_history_close(sums);
	for (enum lie lie = NO_LIE; lie < LIES; lie++) {
		overview_file_write(&asking.file, asking.file.bytes, asking.file.size);
		forge(&asking, lie, provider, pyramid_kinds[PYRAMID_SUMS].version);
		assert_int_equal(overview_file_count(asking.path), 1);
		bool right = is_right(&asking, "a lie"), told = is_told(&asking);
		assert_int_equal(told, lie != NO_LIE);
		/* What no states can have is found by the question that meets it, and the rest by verifying. */
		if (!right && (lie == NO_LIE || lie >= TOO_MUCH))
			fail_msg("lie %d has another answer", (int)lie);
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
	pyramid_provider(PYRAMID_SUMS, &of, 12, provider, sizeof(provider));
	of.identity ^= 1;
	pyramid_provider(PYRAMID_SUMS, &of, 12, other, sizeof(other));
	forge(&asking, NO_LIE, other, pyramid_kinds[PYRAMID_SUMS].version);
	assert_int_equal(overview_file_count(asking.path), 0);
	forge(&asking, NO_LIE, provider, pyramid_kinds[PYRAMID_SUMS].version + 1);
	assert_int_equal(overview_file_count(asking.path), 0);
	forge(&asking, NO_LIE, "sums of 12", pyramid_kinds[PYRAMID_SUMS].version);
	assert_int_equal(overview_file_count(asking.path), 0);
	pyramid_provider(PYRAMID_SUMS, &asking.of, pyramid_kinds[PYRAMID_SUMS].log2_max + 1, provider,
			 sizeof(provider));
	forge(&asking, NO_LIE, provider, pyramid_kinds[PYRAMID_SUMS].version);
	assert_int_equal(overview_file_count(asking.path), 0);
	assert_true(is_right(&asking, "a foreign overview"));
	assert_true(is_told(&asking));
	/* Cells of another width are of this history, and hold more or less than they can. */
	pyramid_provider(PYRAMID_SUMS, &asking.of, 3, provider, sizeof(provider));
	forge(&asking, NO_LIE, provider, pyramid_kinds[PYRAMID_SUMS].version);
	assert_true(is_right(&asking, "other cells"));
	assert_true(is_told(&asking));
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
			struct answer found;
			struct histree_error error = { 0 };
			size_t parts;
			faulty_memory_begin(++failures, for_ever != 0);
			enum histree_status status = ask(&asking, false, &found, &parts, &error);
			faulty_memory_end();
			refused = faulty_memory.refused;
			if (status != HISTREE_OK)
				assert_int_equal(status, HISTREE_ERR_MEMORY);
			else if (!refused)
				assert_memory_equal(&found, &asking.right, sizeof(found));
		}
		assert_true(failures > 20);
	}
	end(&asking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_costs_no_answer),    cmocka_unit_test(forgery_is_told_or_harmless),
		cmocka_unit_test(lies_are_told_or_found),    cmocka_unit_test(foreign_ones_are_none),
		cmocka_unit_test(every_allocation_may_fail),
	};
	return cmocka_run_group_tests_name("sum_faults", tests, NULL, NULL);
}
