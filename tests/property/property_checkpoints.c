// SPDX-License-Identifier: MIT
/*
 * property_checkpoints.c - an analysis that begins at a checkpoint goes on as the one that has seen all events.
 *
 * A real trace of which the events of random times and CPUs are lost goes to an analysis that makes a partial
 * history, with checkpoints between any two events.  Then it goes to others, each of which is loaded at a
 * checkpoint and ends at the next.  The sums of the slices say whether these make the same states; they are asked
 * of the threads that run, wait, are dead or in doubt, of interrupts that are open or unknown, and of all that a
 * gap leaves behind.  Other events are lost without a word.
 */
#include "driver.h"
#include "losses.h"
#include "state/attribute_section.h"
#include "state/history.h"
#include "state/partial_file.h"
#include "support/analysis_feed.h"
#include "support/memory_history.h"
#include "support/test.h"
#include "support/workload.h"
#include "trace/trace.h"

enum { RUNS = 4, EVENTS_BETWEEN_MAX = 6000 };

/* The events and gaps of a trace, the same ones for the same seed. */
struct lossy_trace {
	struct trace *trace;
	struct losses losses;
	struct random random;
	struct event_gap gap;
	struct event event;
};

static void lossy_trace_open(struct lossy_trace *lossy, const char *name, uint64_t seed)
{
	const char *path = losses_trace_path(name);
	struct histree_error error;
	*lossy = (struct lossy_trace){ .losses = losses_of_seed(seed), .random = { seed } };
	if (trace_open(&path, 1, &lossy->trace, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
}

/* Now and then nobody knows on which CPU, and a gap lasts. */
static void begin_gap(struct lossy_trace *lossy, const struct event *event)
{
	bool anywhere = random_below(&lossy->random, 12) == 0;
	lossy->gap = (struct event_gap){
		.trace = event->class->trace,
		.cpu = anywhere ? -1 : event->cpu,
		.begin = event->time,
		.end = event->time + (histree_time)random_below(&lossy->random, 100000),
	};
}

static bool lossy_trace_next(struct lossy_trace *lossy, struct event *out)
{
	bool begins, is_lost;
	do {
		if (trace_next(lossy->trace, &lossy->event, NULL) != HISTREE_OK)
			return false;
		is_lost = losses_take(&lossy->losses, &lossy->event, &begins);
		if (begins) {
			begin_gap(lossy, &lossy->event);
			*out = (struct event){ .time = lossy->gap.begin,
					       .cpu = lossy->gap.cpu,
					       .gap = &lossy->gap };
			return true;
		}
		/* Nobody says that these are lost: later ones deny what is known. */
		is_lost = is_lost || random_below(&lossy->random, 64) == 0;
	} while (is_lost);
	*out = lossy->event;
	return true;
}

/* ---- the first run ------------------------------------------------------------------------------------------- */

struct checkpoints {
	struct random random;
	uint64_t next; /* after so many events and gaps */
};

static bool is_at_checkpoint(struct checkpoints *checkpoints, uint64_t before)
{
	if (before < checkpoints->next)
		return false;
	checkpoints->next = before + 1 + random_below(&checkpoints->random, EVENTS_BETWEEN_MAX);
	return true;
}

struct building {
	const struct analysis *analysis;
	struct histree_state_system *system;
	struct partial_file *file;
	struct analysis_inputs inputs;
	void *instance;
};

static void begin_building(struct building *building, struct memory_io *memory, histree_time start)
{
	const struct histree_history_options options = { .path = "partial", .provider = "test", .start = start };
	assert_ok(partial_file_create_in(&memory->io, &options, NULL, &building->system, &building->file, NULL));
	assert_ok(partial_file_begin(building->file, "", 0, NULL));
	assert_ok(feed_create(&building->inputs, building->analysis, building->system, &building->instance, NULL));
}

static void put_checkpoint(const struct building *building)
{
	struct byte_buffer saved = { 0 };
	building->analysis->save(building->instance, &saved);
	assert_false(saved.failed);
	assert_ok(partial_file_checkpoint(building->file, building->system, saved.bytes, saved.size, NULL));
	free(saved.bytes);
}

static histree_time build(const struct analysis *analysis, struct memory_io *memory, const char *name,
			  uint64_t seed)
{
	struct building building = { .analysis = analysis };
	struct checkpoints checkpoints = { .random = { seed } };
	struct lossy_trace lossy;
	struct event event;
	histree_time end = INT64_MIN;
	lossy_trace_open(&lossy, name, seed);
	for (uint64_t i = 0; lossy_trace_next(&lossy, &event); i++) {
		if (i == 0)
			begin_building(&building, memory, event.time);
		if (is_at_checkpoint(&checkpoints, i))
			put_checkpoint(&building);
		end = event.time > end ? event.time : end;
		assert_ok(feed_event(&building.inputs, analysis, building.instance, &event, NULL));
	}
	assert_ok(histree_state_close(building.system, end, NULL));
	analysis->free(building.instance);
	analysis_inputs_release(&building.inputs);
	histree_state_free(building.system);
	trace_close(lossy.trace);
	return end;
}

/* ---- the others ---------------------------------------------------------------------------------------------- */

struct resumed {
	struct slice_maker maker;
	struct histree_state_system *system;
	struct analysis_inputs inputs;
	void *instance;
};

static void begin_slice(struct resumed *resumed, const struct analysis *analysis, struct histree_history *history,
			const struct attribute_tree *names, size_t number)
{
	const struct partial_checkpoint *checkpoint = &history_partial(history)->checkpoints[number];
	struct byte_reader reader = byte_reader(checkpoint->knowledge, checkpoint->knowledge_size);
	struct histree_error error;
	*resumed = (struct resumed){ .system = NULL };
	if (slice_maker_begin(&resumed->maker, history, names, number, false, &resumed->system, &error) !=
	    HISTREE_OK)
		fail_msg("checkpoint %zu: %s", number, error.message);
	assert_ok(feed_create(&resumed->inputs, analysis, resumed->system, &resumed->instance, NULL));
	if (analysis->load(resumed->instance, checkpoint->attribute_count, &reader, &error) != HISTREE_OK)
		fail_msg("checkpoint %zu: %s", number, error.message);
	assert_int_equal(byte_reader_left(&reader), 0);
	/* What was loaded says the same of itself. */
	struct byte_buffer saved = { 0 };
	if (checkpoint->attribute_count == names->base.count) {
		analysis->save(resumed->instance, &saved);
		assert_int_equal(saved.size, checkpoint->knowledge_size);
		assert_memory_equal(saved.bytes, checkpoint->knowledge, saved.size);
	}
	free(saved.bytes);
}

static void end_slice(struct resumed *resumed, const struct analysis *analysis, size_t number, uint64_t seed)
{
	struct state_slice slice = { 0 };
	struct histree_error error;
	analysis->free(resumed->instance);
	analysis_inputs_release(&resumed->inputs);
	if (slice_maker_end(&resumed->maker, resumed->system, &slice, &error) != HISTREE_OK)
		fail_msg("seed %llu, checkpoint %zu: %s", (unsigned long long)seed, number, error.message);
	state_slice_release(&slice);
}

static void check(const struct analysis *analysis, const char *name, uint64_t seed)
{
	struct memory_io memory;
	struct histree_history *history;
	struct attribute_tree names;
	struct lossy_trace lossy;
	struct event event;
	struct resumed resumed;
	memory_io_init(&memory);
	histree_time end = build(analysis, &memory, name, seed);
	assert_ok(memory_history_open(&memory, "partial", false, &history, NULL));
	assert_ok(attribute_copy_to_tree(histree_history_attributes(history), &names, NULL));
	size_t number = 0;
	struct checkpoints checkpoints = { .random = { seed } };
	lossy_trace_open(&lossy, name, seed);
	for (uint64_t i = 0; lossy_trace_next(&lossy, &event); i++) {
		if (is_at_checkpoint(&checkpoints, i)) {
			if (number > 0)
				end_slice(&resumed, analysis, number - 1, seed);
			begin_slice(&resumed, analysis, history, &names, number++);
		}
		assert_ok(feed_event(&resumed.inputs, analysis, resumed.instance, &event, NULL));
	}
	assert_int_equal(number, history_partial(history)->checkpoint_count);
	assert_ok(histree_state_close(resumed.system, end, NULL));
	end_slice(&resumed, analysis, number - 1, seed);
	trace_close(lossy.trace);
	attribute_tree_release(&names);
	histree_history_close(history);
	memory_io_release(&memory);
}

struct analysis_kind {
	const char *name;
	const struct analysis *analysis;
};

static const struct analysis_kind kinds[] = {
	{ "kernel", &analysis_kernel },
	{ "kernel-compact", &analysis_kernel_compact },
	{ "kernel-tc", &analysis_kernel_tc },
	{ "kernel-2016", &analysis_kernel_2016 },
	{ NULL, NULL },
};

static void goes_on_as_the_first_one(const void *chosen, uint64_t seed)
{
	const struct analysis_kind *kind = chosen;
	for (uint64_t i = 0; i < RUNS; i++)
		check(kind->analysis, "scp_dest", seed + i);
}

PROPERTIES({ KINDS(kinds), .rounds = 1, .check = goes_on_as_the_first_one })
