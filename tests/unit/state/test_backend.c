// SPDX-License-Identifier: MIT
/*
 * test_backend.c - what a caller's backend is given is what a history file of the same changes answers.
 */
#include "base/hash_index.h"
#include "histree/history.h"
#include "histree/states.h"
#include "support/test.h"

enum { KEYS = 20, CHANGES = 3000, INTERVALS_MAX = CHANGES + KEYS };

struct collected {
	struct histree_interval intervals[INTERVALS_MAX];
	size_t count, fail_at;
	uint32_t attribute_count;
	histree_time end;
	int finished, freed;
};

static enum histree_status collect(void *context, const struct histree_interval *interval,
				   struct histree_error *error)
{
	struct collected *collected = context;
	if (collected->fail_at != 0 && collected->count + 1 == collected->fail_at) {
		snprintf(error->message, sizeof(error->message), "the disk is full");
		return error->status = HISTREE_ERR_IO;
	}
	assert_true(collected->count < INTERVALS_MAX);
	collected->intervals[collected->count++] = *interval; /* these are numbers */
	return HISTREE_OK;
}

static enum histree_status finish(void *context, const struct histree_attributes *attributes, histree_time end,
				  struct histree_error *error)
{
	struct collected *collected = context;
	(void)error;
	collected->attribute_count = histree_attributes_count(attributes);
	collected->end = end;
	collected->finished++;
	return HISTREE_OK;
}

static void be_freed(void *context)
{
	struct collected *collected = context;
	collected->freed++;
}

/* Returns the status of the first change that fails, or of the end. */
static enum histree_status fill(struct histree_state_system *system)
{
	struct random random = { 3 };
	enum histree_status status = HISTREE_OK;
	for (unsigned i = 0; i < KEYS; i++) {
		char name[16];
		histree_quark quark;
		snprintf(name, sizeof(name), "a%u", i);
		assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, NULL));
	}
	struct histree_error error;
	for (histree_time t = 1; t <= CHANGES && status == HISTREE_OK; t++)
		status = histree_state_modify(system, t, (histree_quark)random_below(&random, KEYS),
					      histree_int((int32_t)random_below(&random, 5)), &error);
	return status == HISTREE_OK ? histree_state_close(system, CHANGES + 10, &error) : status;
}

TEST(a_backend_gets_what_a_file_answers)
{
	static struct collected collected;
	struct histree_state_system *system;
	struct histree_history *history;
	struct histree_cursor *query;
	struct histree_interval interval;
	const struct histree_backend backend = { collect, finish, be_freed, &collected };
	const struct histree_history_options options = { .path = "test_backend.sht" };
	assert_ok(histree_state_create_for(&backend, 0, &system, NULL));
	assert_int_equal(histree_state_publish(system, 0, NULL), HISTREE_ERR_ARGUMENT);
	assert_ok(fill(system));
	histree_state_free(system);
	assert_true(collected.finished == 1 && collected.freed == 1);
	assert_true(collected.attribute_count == KEYS && collected.end == CHANGES + 10);
	unlink(options.path);
	assert_ok(histree_state_create(&options, &system, NULL));
	assert_ok(fill(system));
	histree_state_free(system);
	assert_ok(histree_history_open(options.path, NULL, &history, NULL));
	assert_ok(histree_query_create(history, &query, NULL));
	assert_true(collected.count > CHANGES / 2);
	assert_int_equal(histree_history_info(history)->interval_count, collected.count);
	for (size_t i = 0; i < collected.count; i++) {
		const struct histree_interval *expected = &collected.intervals[i];
		assert_ok(histree_query_single(query, expected->quark, expected->start, &interval, NULL));
		assert_true(interval.start == expected->start && interval.end == expected->end &&
			    histree_value_equal(&interval.value, &expected->value));
	}
	histree_cursor_free(query);
	histree_history_close(history);
	unlink(options.path);
}

TEST(a_failure_of_a_backend_ends_its_history)
{
	static struct collected collected = { .fail_at = 100 };
	struct histree_state_system *system;
	const struct histree_backend backend = { collect, finish, be_freed, &collected };
	assert_ok(histree_state_create_for(&backend, 0, &system, NULL));
	assert_int_equal(fill(system), HISTREE_ERR_IO);
	assert_int_equal(collected.count, 99);
	assert_int_equal(histree_state_modify(system, CHANGES + 1, 0, histree_int(9), NULL), HISTREE_ERR_IO);
	assert_int_equal(histree_state_close(system, CHANGES + 1, NULL), HISTREE_ERR_IO);
	histree_state_free(system);
	assert_true(collected.finished == 0 && collected.freed == 1);
}

TEST(the_null_backend_forgets)
{
	struct histree_state_system *system;
	struct histree_value value;
	assert_ok(histree_state_create_for(NULL, 0, &system, NULL));
	assert_ok(fill(system));
	assert_ok(histree_state_ongoing(system, 0, &value, NULL, NULL));
	assert_int_equal(histree_state_modify(system, CHANGES + 20, 0, histree_int(1), NULL), HISTREE_ERR_CLOSED);
	histree_state_free(system);
}

/* ---- in memory ---------------------------------------------------------------------------------------- */

static struct histree_state_system *in_memory(uint64_t bytes_max)
{
	struct histree_state_system *system;
	const struct histree_history_options options = { .provider = "test" };
	assert_ok(histree_state_create_in_memory(&options, bytes_max, &system, NULL));
	return system;
}

TEST(a_history_in_memory_outlives_its_builder)
{
	struct histree_history *before, *first, *second;
	struct histree_state_system *system = in_memory(0);
	const struct histree_history_options resumed = { .resume = true };
	struct histree_state_system *refused;
	assert_int_equal(histree_state_create_in_memory(&resumed, 0, &refused, NULL), HISTREE_ERR_ARGUMENT);
	assert_ok(histree_state_history(system, 0, NULL, &before, NULL));
	assert_ok(histree_state_publish(system, 0, NULL));
	assert_ok(fill(system));
	assert_int_equal(histree_state_history(system, CHANGES, NULL, &first, NULL), HISTREE_ERR_TIME_RANGE);
	assert_ok(histree_state_history(system, CHANGES + 10, NULL, &first, NULL));
	assert_ok(histree_state_history(system, CHANGES + 10, NULL, &second, NULL));
	histree_history_close(first);
	histree_state_free(system);
	const struct histree_history_info *info = histree_history_info(second);
	assert_true(info->complete && info->attribute_count == KEYS && info->end == CHANGES + 10);
	assert_false(histree_history_info(before)->complete);
	assert_ok(histree_history_verify(before, NULL, NULL, NULL));
	assert_ok(histree_history_verify(second, NULL, NULL, NULL));
	histree_history_close(before);
	histree_history_close(second);
}

TEST(a_history_that_memory_is_too_small_for_says_so)
{
	struct histree_error error;
	struct histree_history *history;
	struct histree_state_system *system = in_memory(0);
	assert_ok(fill(system));
	assert_ok(histree_state_history(system, CHANGES + 10, NULL, &history, NULL));
	uint64_t needed = histree_history_info(history)->file_bytes;
	histree_history_close(history);
	histree_state_free(system);

	system = in_memory(needed);
	assert_ok(fill(system));
	histree_state_free(system);

	system = in_memory(needed - 1);
	assert_int_equal(fill(system), HISTREE_ERR_MEMORY);
	assert_int_equal(histree_state_close(system, CHANGES + 10, &error), HISTREE_ERR_MEMORY);
	assert_int_equal(histree_state_history(system, CHANGES + 10, NULL, &history, &error), HISTREE_ERR_MEMORY);
	histree_state_free(system);

	/* The sentence is that of the call that failed first. */
	system = in_memory(4100);
	assert_int_equal(histree_state_close(system, 0, &error), HISTREE_ERR_MEMORY);
	assert_non_null(strstr(error.message, "'memory': "));
	assert_non_null(strstr(error.message, "it may have 4100 bytes of memory; give it more, or make a file"));
	histree_state_free(system);
}
