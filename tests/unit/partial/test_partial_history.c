// SPDX-License-Identifier: MIT
/*
 * test_partial_history.c - several threads ask a partial history at once, in a cache that keeps next to nothing,
 * and get what the full one says.
 */
#include <pthread.h>

#include "base/hash_index.h"
#include "histree/build.h"
#include "histree/states.h"
#include "support/data.h"
#include "support/test.h"

enum { THREADS = 4, QUESTIONS = 60, QUARKS = 8 };

struct world {
	char folder[64], trace[DATA_PATH_SIZE], full[128], partial[128];
};

static void build(const struct world *world, const char *store, enum histree_backend_kind backend)
{
	const char *const traces[] = { world->trace }, *const analyses[] = { "kernel" };
	const struct histree_build_options options = {
		.traces = traces,
		.trace_count = 1,
		.store = store,
		.analyses = analyses,
		.analysis_count = 1,
		.backend = backend,
		.checkpoint_events = backend == HISTREE_BACKEND_PARTIAL ? 300 : 0,
	};
	assert_ok(histree_build(&options, NULL));
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	scratch_folder(world->folder, sizeof(world->folder));
	source_path(world->trace, "tests/data/demo-trace");
	snprintf(world->full, sizeof(world->full), "%s/full", world->folder);
	snprintf(world->partial, sizeof(world->partial), "%s/partial", world->folder);
	build(world, world->full, HISTREE_BACKEND_DISK);
	build(world, world->partial, HISTREE_BACKEND_PARTIAL);
	*state = world;
	return 0;
}

static struct histree_history *open_history(const char *path, const struct histree_open_options *options)
{
	struct histree_store *store;
	struct histree_history *history;
	assert_ok(histree_store_open(path, &store, NULL));
	assert_ok(histree_store_history(store, NULL, false, options, &history, NULL));
	histree_store_close(store);
	return history;
}

/* A sum of an answer, in whichever order it comes; 0 after an error. */
static uint64_t sum_of(struct histree_cursor *query, const struct histree_region *region)
{
	struct histree_interval interval;
	uint64_t sum = 1;
	enum histree_status status = histree_query_start(query, region, NULL);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, NULL)) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		uint64_t of_value = (uint64_t)interval.value.type;
		if (interval.value.type == HISTREE_INT)
			of_value += (uint64_t)interval.value.int32 << 8;
		const unsigned char *bytes = interval.value.bytes;
		for (uint32_t i = 0; interval.value.type == HISTREE_STRING && i < interval.value.size; i++)
			of_value = of_value * 31 + bytes[i];
		sum += ((uint64_t)interval.quark * 1000003 + (uint64_t)interval.start) * 31 +
		       (uint64_t)interval.end * 17 + of_value;
	}
	return status == HISTREE_END ? sum : 0;
}

struct asking {
	struct histree_history *full, *partial;
	uint64_t seed;
	unsigned differences;
};

static struct histree_region random_region(struct random *random, const struct histree_history_info *info,
					   histree_quark quarks[QUARKS])
{
	uint64_t length = (uint64_t)(info->end - info->start);
	histree_time from = info->start + (histree_time)random_below(random, length);
	histree_time to = from + (histree_time)random_below(random, (uint64_t)(info->end - from) + 1);
	struct histree_region region = { .from = from, .to = random_below(random, 2) == 0 ? from : to };
	if (random_below(random, 3) == 0)
		return region;
	region.quarks = quarks;
	histree_quark quark = (histree_quark)random_below(random, info->attribute_count / QUARKS);
	for (; region.quark_count < QUARKS && quark < info->attribute_count; region.quark_count++) {
		quarks[region.quark_count] = quark;
		quark += 1 + (histree_quark)random_below(random, info->attribute_count / QUARKS);
	}
	return region;
}

static void *ask(void *context)
{
	struct asking *asking = context;
	struct random random = { asking->seed };
	struct histree_cursor *full, *partial;
	if (histree_query_create(asking->full, &full, NULL) != HISTREE_OK ||
	    histree_query_create(asking->partial, &partial, NULL) != HISTREE_OK) {
		asking->differences++;
		return NULL;
	}
	for (unsigned i = 0; i < QUESTIONS; i++) {
		histree_quark quarks[QUARKS];
		struct histree_region region = random_region(&random, histree_history_info(asking->full), quarks);
		uint64_t expected = sum_of(full, &region);
		asking->differences += expected == 0 || sum_of(partial, &region) != expected;
		struct histree_interval one, other;
		histree_quark quark = region.quarks != NULL ? quarks[0] : 0;
		bool found = histree_query_single(full, quark, region.from, &one, NULL) == HISTREE_OK &&
			     histree_query_single(partial, quark, region.from, &other, NULL) == HISTREE_OK;
		asking->differences += !found || one.start != other.start || one.end != other.end ||
				       !histree_value_equal(&one.value, &other.value);
	}
	histree_cursor_free(full);
	histree_cursor_free(partial);
	return NULL;
}

TEST(threads_get_what_the_full_history_says)
{
	const struct world *world = *state;
	/* A byte: each slice is made again for whoever asks, unless somebody holds it. */
	const struct histree_open_options options[] = { { .cache_bytes = 1 }, { .cache_bytes = 1 << 20 } };
	for (size_t i = 0; i < 2; i++) {
		struct histree_history *full = open_history(world->full, NULL);
		struct histree_history *partial = open_history(world->partial, &options[i]);
		assert_true(histree_history_info(partial)->partial && !histree_history_info(full)->partial);
		assert_true(histree_history_info(partial)->checkpoint_count > 10);
		struct asking asking[THREADS];
		pthread_t threads[THREADS];
		for (unsigned number = 0; number < THREADS; number++) {
			asking[number] = (struct asking){ .full = full, .partial = partial, .seed = number + 1 };
			assert_int_equal(pthread_create(&threads[number], NULL, ask, &asking[number]), 0);
		}
		for (unsigned number = 0; number < THREADS; number++) {
			pthread_join(threads[number], NULL);
			assert_int_equal(asking[number].differences, 0);
		}
		histree_history_close(full);
		histree_history_close(partial);
	}
}

/* In memory, a build hands out the history, and says how large it is. */
TEST(a_build_in_memory_hands_out_its_history)
{
	const struct world *world = *state;
	const char *const traces[] = { world->trace }, *const analyses[] = { "kernel" };
	struct histree_build_result result;
	struct histree_error error;
	struct histree_build_options options = {
		.traces = traces,
		.trace_count = 1,
		.analyses = analyses,
		.analysis_count = 1,
		.backend = HISTREE_BACKEND_MEMORY,
		.result = &result,
	};
	assert_ok(histree_build(&options, NULL));
	struct histree_history *full = open_history(world->full, NULL);
	const struct histree_history_info *expected = histree_history_info(full);
	struct histree_cursor *one, *other;
	const struct histree_region all = { .from = expected->start, .to = expected->end };
	assert_ok(histree_query_create(full, &one, NULL));
	assert_ok(histree_query_create(result.history, &other, NULL));
	assert_true(sum_of(one, &all) == sum_of(other, &all) && sum_of(one, &all) != 0);
	assert_true(result.intervals == expected->interval_count && result.bytes == expected->file_bytes);
	assert_int_equal(result.attributes, expected->attribute_count);
	histree_cursor_free(one);
	histree_cursor_free(other);
	histree_history_close(result.history);

	options.backend_bytes_max = expected->file_bytes / 2;
	assert_int_equal(histree_build(&options, &error), HISTREE_ERR_MEMORY);
	assert_non_null(strstr(error.message, "bytes of memory; give it more, or make a file"));

	options.backend = HISTREE_BACKEND_NULL;
	assert_ok(histree_build(&options, NULL));
	assert_true(result.intervals == expected->interval_count && result.history == NULL);
	histree_history_close(full);
}

TEST_FILE(set_up, scratch_remove_world)
