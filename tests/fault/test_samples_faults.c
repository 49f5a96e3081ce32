// SPDX-License-Identifier: MIT
/*
 * test_samples_faults.c - samples, from the recording to a flame graph, while memory is out: each call ends
 * with a sentence that says so, and nothing leaks; else the sums are right.
 */
#include "histree/time_use.h"
#include "support/analysis_feed.h"
#include "support/data.h"
#include "support/faulty_memory.h"
#include "support/test.h"
#include "trace/trace.h"

enum { ANALYSES = 2, REQUESTS_MAX = 20000 };

/* Recordings, and what their flame graph adds up to: what is in it without a fault is in it with each. */
static const struct recording {
	const char *path, *event;
	uint64_t total;
	uint32_t event_count;
} recordings[] = {
	{ "tests/data/perf-samples/samples.data", "cpu-clock", 31 * 250000, 2 },
	{ "tests/fuzz/corpus/profile/json-frames", "ticks", 7, 1 },
	{ "tests/fuzz/corpus/profile/json-v8", "wall-clock", 90000, 1 },
	{ "tests/fuzz/corpus/profile/json-perf", "samples", 2, 1 },
	{ "tests/fuzz/corpus/profile/folded", "samples", 10, 1 },
	{ "tests/fuzz/corpus/profile/speedscope", "wall-clock", 9500, 2 },
	{ "tests/fuzz/corpus/profile/v8", "wall-clock", 800000, 1 },
	{ "tests/fuzz/corpus/profile/firefox", "samples", 3, 1 },
	{ "tests/fuzz/corpus/profile/gecko", "samples", 3, 1 }, /* with markers */
	{ "tests/fuzz/corpus/perfetto/samples", "samples", 4, 1 },
};

static char data_path[DATA_PATH_SIZE], root_path[DATA_PATH_SIZE], table_path[DATA_PATH_SIZE];
static const struct recording *recording;
static uint32_t node_count; /* of its flame graph */

static const struct segment_analysis *const analyses[ANALYSES] = { &segment_analysis_samples,
								   &segment_analysis_sample_stacks };

struct work {
	struct trace *trace;
	struct analysis_inputs inputs;
	struct histree_segment_store *stores[ANALYSES];
	void *instances[ANALYSES];
	struct histree_flame *flame;
};

static enum histree_status create(struct work *work, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < ANALYSES && status == HISTREE_OK; i++) {
		const struct histree_segment_store_options options = {
			.kind = HISTREE_SEGMENTS_LAZY,
			.schema = { .provider = analyses[i]->name,
				    .provider_version = analyses[i]->version,
				    .fields = analyses[i]->fields,
				    .field_count = analyses[i]->field_count },
		};
		status = histree_segment_store_create(&options, &work->stores[i], error);
		if (status == HISTREE_OK)
			status = feed_segments_create(&work->inputs, analyses[i], work->stores[i],
						      &work->instances[i], error);
	}
	return status;
}

static enum histree_status analyse(struct work *work, struct histree_error *error)
{
	struct event event;
	histree_time end;
	enum histree_status status;
	while ((status = trace_next(work->trace, &event, error)) == HISTREE_OK) {
		status = feed_segments_event(&work->inputs, analyses, work->instances, ANALYSES, &event, error);
		if (status != HISTREE_OK)
			return status;
	}
	status = status == HISTREE_END ? HISTREE_OK : status;
	for (size_t i = 0; i < ANALYSES && status == HISTREE_OK; i++) {
		if (analyses[i]->finish != NULL)
			status = analyses[i]->finish(work->instances[i], &end, error);
		if (status == HISTREE_OK)
			status = histree_segment_store_finish(work->stores[i], error);
	}
	return status;
}

static enum histree_status draw(struct work *work, struct histree_error *error)
{
	const struct histree_flame_samples_request request = { .samples = work->stores[0],
							       .stacks = work->stores[1],
							       .query = HISTREE_SEGMENTS_ALL,
							       .group = HISTREE_FLAME_BY_THREAD };
	uint32_t count, events;
	enum histree_status status =
		histree_flame_create(&(struct histree_flame_options){ 0 }, &work->flame, error);
	if (status == HISTREE_OK)
		status = histree_flame_add_samples(work->flame, &request, error);
	if (status == HISTREE_OK)
		status = histree_flame_finish(work->flame, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_flame_node *nodes = histree_flame_nodes(work->flame, &count);
	assert_int_equal(nodes[0].total[0], recording->total);
	assert_string_equal(histree_flame_event(work->flame, 0, &events), recording->event);
	assert_int_equal(events, recording->event_count);
	node_count = node_count == 0 ? count : node_count;
	assert_int_equal(count, node_count);
	return HISTREE_OK;
}

static enum histree_status run(struct histree_error *error)
{
	const char *const paths[] = { root_path, table_path };
	const struct symbol_places places = { .paths = paths, .count = 2 };
	struct work work = { .inputs = { .symbols = &places } };
	enum histree_status status = trace_open((const char *const[]){ data_path }, 1, &work.trace, error);
	if (status == HISTREE_OK)
		status = create(&work, error);
	if (status == HISTREE_OK)
		status = analyse(&work, error);
	if (status == HISTREE_OK)
		status = draw(&work, error);
	histree_flame_free(work.flame);
	for (size_t i = 0; i < ANALYSES; i++) {
		if (work.instances[i] != NULL)
			analyses[i]->free(work.instances[i]);
		histree_segment_store_close(work.stores[i]);
	}
	analysis_inputs_release(&work.inputs);
	trace_close(work.trace);
	return status;
}

static void fail_each_request(void)
{
	uint64_t fail_at = 1;
	for (bool refused = true; refused; fail_at++) {
		struct histree_error error = { 0 };
		faulty_memory_begin(fail_at, fail_at % 2 == 0);
		const enum histree_status status = run(&error);
		refused = faulty_memory.refused;
		faulty_memory_end();
		if (status != HISTREE_OK && !(refused && status == HISTREE_ERR_MEMORY))
			fail_msg("%s, request %llu: %s", data_path, (unsigned long long)fail_at, error.message);
		assert_true(status == HISTREE_OK || error.message[0] != '\0');
	}
	assert_in_range(fail_at, 50, REQUESTS_MAX);
}

TEST(samples_without_memory)
{
	for (size_t i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++) {
		struct histree_error error = { 0 };
		recording = &recordings[i];
		node_count = 0;
		source_path(data_path, recording->path);
		if (run(&error) != HISTREE_OK)
			fail_msg("%s: %s", data_path, error.message);
		fail_each_request();
	}
}

static int find_data(void **state)
{
	(void)state;
	source_path(root_path, "tests/data/perf-samples/root");
	source_path(table_path, "tests/data/perf-samples/kallsyms");
	return 0;
}

TEST_FILE(find_data, NULL)
