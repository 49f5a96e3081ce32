// SPDX-License-Identifier: MIT
/*
 * fuzz_slice.c - bytes as what another rank says of a slice: what it has read, which is handed over if it can be
 * loaded, what it has made, which goes into an index and a tree, and the plan that it is to follow.  The first byte
 * says which of these.
 */
#include <string.h>

#include "analysis/analysis.h"
#include "event_index/index_part.h"
#include "fuzz.h"
#include "histree/history.h"
#include "pipeline/build/slice_run.h"
#include "tree/leaf_pack.h"

enum { LOG_MAX = 1 << 20, KEYS = 1000, FILES = 2 };

static enum histree_status count_interval(void *context, const struct histree_interval *interval,
					  struct histree_error *error)
{
	(void)error;
	REQUIRE(interval->start <= interval->end);
	++*(uint64_t *)context;
	return HISTREE_OK;
}

static struct histree_state_system *make_system(uint64_t *intervals)
{
	const struct histree_backend backend = { .add = count_interval, .context = intervals };
	struct histree_state_system *system;
	REQUIRE(histree_state_create_for(&backend, 0, &system, NULL) == HISTREE_OK);
	return system;
}

/* Its changes are done whether the rest of it is right or not; and then the rest, which mostly is not. */
static void hand_over(struct byte_reader reader)
{
	const struct analysis_slices *slices = analysis_kernel.slices;
	const struct change_log_frame frame = { .value_size_max = 4096, .bytes_max = LOG_MAX };
	struct change_log log;
	struct analysis_inputs inputs = { 0 }, of_slice = { 0 };
	void *input, *slice_input, *instance, *slice;
	uint64_t intervals = 0;
	struct histree_error error;
	struct histree_state_system *system = make_system(&intervals);
	REQUIRE(analysis_inputs_get(&inputs, analysis_kernel.input, &input, NULL) == HISTREE_OK);
	REQUIRE(analysis_inputs_get(&of_slice, analysis_kernel.input, &slice_input, NULL) == HISTREE_OK);
	REQUIRE(analysis_kernel.create(&analysis_kernel, system, input, &instance, NULL) == HISTREE_OK);
	REQUIRE(change_log_init(&log, &frame, NULL) == HISTREE_OK);
	REQUIRE(slices->create(&analysis_kernel, &log, slice_input, NULL, &slice, NULL) == HISTREE_OK);
	enum histree_status status = slices->code(slice, &(struct codec){ .in = &reader }, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	if (status == HISTREE_OK)
		(void)!slices->commit(instance, slice, &error);
	analysis_kernel.free(slice);
	change_log_release(&log);
	analysis_kernel.free(instance);
	analysis_inputs_release(&of_slice);
	analysis_inputs_release(&inputs);
	histree_state_free(system);
}

static void apply(struct byte_reader reader)
{
	const struct change_log_frame frame = { .value_size_max = 4096, .bytes_max = LOG_MAX };
	struct change_log log;
	struct histree_error error;
	uint64_t intervals = 0;
	struct histree_state_system *system = make_system(&intervals);
	REQUIRE(change_log_init(&log, &frame, NULL) == HISTREE_OK);
	enum histree_status status = change_log_code(&log, &(struct codec){ .in = &reader }, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	REQUIRE(change_log_bytes(&log) <= 2 * LOG_MAX + 4096);
	REQUIRE(change_log_begin_facts(&log));
	memset(log.facts, CHANGE_FACT_IS_OPEN, change_log_attributes(&log)); /* so that its choices are undecided */
	if (status == HISTREE_OK && change_log_apply(&log, system, &error) == HISTREE_OK)
		(void)!histree_state_close(system, histree_state_current_end(system), &error);
	change_log_release(&log);
	histree_state_free(system);
}

static void take_index(struct byte_reader reader)
{
	struct index_part part = { 0 };
	struct event_index_writer writer = { 0 };
	uint64_t events = byte_reader_below(&reader, 100000);
	struct histree_error error;
	REQUIRE(index_part_load(&part, 0, events, FILES, reader.at, byte_reader_left(&reader), &error) ==
		HISTREE_OK);
	enum histree_status status = event_index_add_part(&writer, &part, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	REQUIRE(status != HISTREE_OK || writer.event_count == events);
	event_index_writer_release(&writer);
	index_part_release(&part);
}

static void take_leaves(struct byte_reader reader)
{
	const struct histree_tree_options asked = { .node_size = 4096 };
	struct tree_options options;
	struct chunk_pool pool;
	struct leaf_pack *pack;
	struct histree_error error;
	REQUIRE(tree_options_resolve(&asked, 0, &options, NULL) == HISTREE_OK);
	chunk_pool_init(&pool);
	REQUIRE(leaf_pack_create(&options, &pool, 1 << 20, &pack, NULL) == HISTREE_OK);
	enum histree_status status = leaf_pack_load(pack, KEYS, &reader, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	for (size_t i = 0; i < pack->leaf_count; i++) {
		const struct pack_leaf leaf = pack->leaves[i];
		REQUIRE(leaf.used <= options.node_size && leaf.bounds.key_max < KEYS && leaf.start >= 0);
	}
	leaf_pack_free(pack);
	chunk_pool_release(&pool);
}

static void follow_plan(struct byte_reader reader)
{
	struct slice_plan plan = { 0 };
	struct arena arena = { 0 };
	struct histree_error error;
	enum histree_status status = slice_plan_code(&plan, &arena, &(struct codec){ .in = &reader }, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_ARGUMENT);
	REQUIRE(status != HISTREE_OK || (plan.source.analysis != NULL && plan.source.origin.path_count > 0));
	arena_release(&arena);
}

FUZZ_TARGET(bytes, size)
{
	static void (*const forms[])(struct byte_reader) = { hand_over, apply, take_index, take_leaves,
							     follow_plan };
	if (size > 0)
		forms[bytes[0] % (sizeof(forms) / sizeof(forms[0]))](byte_reader(bytes + 1, size - 1));
	return 0;
}
