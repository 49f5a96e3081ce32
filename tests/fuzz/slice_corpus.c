// SPDX-License-Identifier: MIT
#include "slice_corpus.h"

#include <string.h>

#include "analysis/analysis.h"
#include "event_index/index_part.h"
#include "fuzz.h"
#include "pipeline/build/slice_run.h"
#include "support/analysis_feed.h"
#include "support/data.h"
#include "trace/trace.h"
#include "tree/leaf_pack.h"

enum { EVENTS = 60, STEP = 20, TRIES = 100 };

enum { READ, LOG, INDEX, LEAVES, PLAN };

/* What a slice of the trace has changed, seen and counted.  Returns false if it is of no use. */
static bool put_events(int skipped, void (*put)(const char *name, uint8_t form, const uint8_t *bytes, size_t size))
{
	const struct change_log_frame frame = { .value_size_max = 4096, .bytes_max = 1 << 20 };
	struct change_log log;
	char path[DATA_PATH_SIZE];
	const char *paths[] = { path };
	struct trace *trace;
	struct event event;
	struct analysis_inputs inputs = { 0 };
	struct index_part part = { 0 };
	struct byte_buffer read = { 0 }, index = { 0 };
	struct trace_position end[2], position;
	void *input, *slice;
	source_path(path, "tests/data/demo-trace");
	REQUIRE(trace_open(paths, 1, &trace, NULL) == HISTREE_OK);
	REQUIRE(analysis_inputs_get(&inputs, analysis_kernel.input, &input, NULL) == HISTREE_OK);
	REQUIRE(change_log_init(&log, &frame, NULL) == HISTREE_OK);
	REQUIRE(analysis_kernel.slices->create(&analysis_kernel, &log, input, NULL, &slice, NULL) == HISTREE_OK);
	for (int i = 0; i < skipped + EVENTS; i++) {
		REQUIRE(trace_next(trace, &event, NULL) == HISTREE_OK && event.gap == NULL);
		if (i == skipped)
			analysis_kernel.slices->begin(slice);
		if (i >= skipped) {
			REQUIRE(feed_event(&inputs, &analysis_kernel, slice, &event, NULL) == HISTREE_OK);
			size_t file = trace_position_here(trace, &position) % 2;
			REQUIRE(index_part_add(&part, &event, file, &position, NULL) == HISTREE_OK);
			continue;
		}
		REQUIRE(analysis_inputs_begin(&inputs, &event, NULL) == HISTREE_OK);
		analysis_kernel.slices->guess(slice);
		REQUIRE(analysis_inputs_end(&inputs, NULL) == HISTREE_OK);
	}
	bool is_of_use = change_log_failure(&log) == NULL;
	memset(end, 0, sizeof(end));
	enum histree_status saved = analysis_kernel.slices->code(slice, &(struct codec){ .out = &read }, NULL);
	REQUIRE(saved == HISTREE_OK || !is_of_use);
	REQUIRE(index_part_make(&part, 0, end, 2, NULL) == HISTREE_OK);
	byte_buffer_put_number(&index, part.event_count);
	byte_buffer_put(&index, part.made.bytes, part.made.size);
	if (is_of_use) {
		put("read", READ, read.bytes, read.size);
		put("log", LOG, read.bytes, read.size);
		put("index", INDEX, index.bytes, index.size);
	}
	index_part_release(&part);
	byte_buffer_release(&read);
	byte_buffer_release(&index);
	analysis_kernel.free(slice);
	change_log_release(&log);
	analysis_inputs_release(&inputs);
	trace_close(trace);
	return is_of_use;
}

static void put_leaves(void (*put)(const char *name, uint8_t form, const uint8_t *bytes, size_t size))
{
	enum { KEYS = 30, INTERVALS = 600 };
	const struct histree_tree_options asked = { .node_size = 4096 };
	struct tree_options options;
	struct chunk_pool pool;
	struct leaf_pack *pack;
	struct leaf_scratch scratch = { 0 };
	struct byte_buffer made = { 0 };
	histree_quark keys[KEYS];
	REQUIRE(tree_options_resolve(&asked, 0, &options, NULL) == HISTREE_OK);
	chunk_pool_init(&pool);
	REQUIRE(leaf_pack_create(&options, &pool, 1 << 20, &pack, NULL) == HISTREE_OK);
	for (histree_quark key = 0; key < KEYS; key++)
		keys[key] = 2 * key;
	for (int i = 0; i < INTERVALS; i++) {
		histree_time start = i / KEYS * 100 + i % 7;
		const struct histree_interval interval = {
			.start = start,
			.end = start + 50,
			.quark = (histree_quark)(i % KEYS),
			.value = i % 5 == 0 ? histree_string("text") : histree_int(i % 3),
		};
		REQUIRE(leaf_pack_keep(pack, &interval, NULL) == HISTREE_OK);
	}
	REQUIRE(leaf_pack_make(pack, keys, &scratch, NULL) == HISTREE_OK);
	leaf_pack_save(pack, &made);
	put("leaves", LEAVES, made.bytes, made.size);
	byte_buffer_release(&made);
	leaf_scratch_release(&scratch);
	leaf_pack_free(pack);
	chunk_pool_release(&pool);
}

static void put_plan(void (*put)(const char *name, uint8_t form, const uint8_t *bytes, size_t size))
{
	static const char *const traces[] = { "a/trace", "another" };
	const struct histree_tree_options asked = { .node_size = 4096 };
	struct byte_buffer bytes = { 0 };
	struct slice_plan plan = {
		.source = { .analysis = &analysis_kernel,
			    .origin = { .paths = traces,
					.path_count = 2,
					.wants_gaps = true,
					.bytes = 1000,
					.file_count = 3 } },
		.frame = { .start = 5, .value_size_max = 4000, .bytes_max = 100000 },
		.ring_size = 6,
		.has_packs = true,
		.kept_max = 100000,
	};
	REQUIRE(tree_options_resolve(&asked, 5, &plan.tree, NULL) == HISTREE_OK);
	REQUIRE(slice_plan_code(&plan, NULL, &(struct codec){ .out = &bytes }, NULL) == HISTREE_OK);
	put("plan", PLAN, bytes.bytes, bytes.size);
	byte_buffer_release(&bytes);
}

void slice_corpus(void (*put)(const char *name, uint8_t form, const uint8_t *bytes, size_t size))
{
	int tries = 0;
	while (!put_events(tries * STEP, put))
		REQUIRE(++tries < TRIES);
	put_leaves(put);
	put_plan(put);
}
