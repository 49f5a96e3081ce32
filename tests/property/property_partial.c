// SPDX-License-Identifier: MIT
/*
 * property_partial.c - a partial history and its slices, made by nothing but a state system, answer as the full
 * history of the same changes does.
 *
 * The changes are those of a workload, and worse: now and then an ongoing state is replaced, a change is of a time
 * before others or of another type, and attributes are made when they are first used.  Checkpoints lie anywhere.
 */
#include "base/hash_index.h"
#include "driver.h"
#include "state/attribute_section.h"
#include "state/history.h"
#include "state/partial_file.h"
#include "state/state_file.h"
#include "support/history_subject.h"
#include "support/memory_history.h"
#include "support/test.h"
#include "tree/tree_shape.h"

enum { QUESTIONS = 30, CHECKPOINTS_MAX = 24 };

struct partial_case {
	struct histree_tree_options options;
	uint64_t seed;
	struct memory_io memory;
	const struct workload *workload;
	size_t checkpoints[CHECKPOINTS_MAX + 1]; /* the changes before which they are, and the end */
	size_t checkpoint_count;
	struct histree_history *history; /* the partial one */
	struct attribute_tree names;
	char fault[512];
};

static void must(struct partial_case *test, enum histree_status status, const char *what,
		 const struct histree_error *error)
{
	if (status != HISTREE_OK)
		fail_msg("seed %llu: %s: %s", (unsigned long long)test->seed, what, error->message);
}

/* ---- changes ------------------------------------------------------------------------------------------------- */

/* A change that the state system refuses is none, here as there. */
static void make_change(struct histree_state_system *system, const struct workload *workload, size_t i)
{
	const struct change *change = &workload->changes[i];
	uint64_t dice = hash_mix(workload->seed + i);
	char name[16];
	histree_quark quark;
	struct histree_error error;
	histree_time at = change->at;
	snprintf(name, sizeof(name), "a%u", change->quark);
	assert_ok(histree_state_attribute(system, HISTREE_ROOT, name, &quark, &error));
	enum histree_status status = HISTREE_OK;
	if (dice % 16 == 0)
		status = histree_state_update(system, quark, change->value, &error);
	else if (dice % 16 == 1)
		status = histree_state_modify(system, at, quark, histree_bool(dice >> 8 & 1), &error);
	else if (dice % 16 == 2 && at - workload->start > (histree_time)(dice >> 8 & 1023))
		status = histree_state_modify(system, at - (histree_time)(dice >> 8 & 1023), quark, change->value,
					      &error);
	else if (dice % 64 == 3)
		status = histree_state_remove(system, at, quark, &error);
	else
		status = histree_state_modify(system, at, quark, change->value, &error);
	assert_true(status == HISTREE_OK || status == HISTREE_ERR_TYPE || status == HISTREE_ERR_TIME_BACKWARDS ||
		    status == HISTREE_ERR_TIME_RANGE || status == HISTREE_ERR_TOO_LARGE);
}

static struct histree_history_options options_of(const struct partial_case *test, const char *path)
{
	return (struct histree_history_options){
		.path = path, .provider = "test", .start = test->workload->start, .tree = test->options
	};
}

static void make_full(struct partial_case *test)
{
	struct histree_state_system *system;
	struct histree_error error;
	const struct histree_history_options options = options_of(test, "full");
	must(test, state_file_create(&test->memory.io, &options, &system, &error), "full", &error);
	for (size_t i = 0; i < test->workload->count; i++)
		make_change(system, test->workload, i);
	must(test, histree_state_close(system, test->workload->end, &error), "full", &error);
	histree_state_free(system);
}

static void make_partial(struct partial_case *test)
{
	struct histree_state_system *system;
	struct partial_file *file;
	struct histree_error error;
	const struct histree_history_options options = options_of(test, "partial");
	must(test, partial_file_create_in(&test->memory.io, &options, NULL, &system, &file, &error), "partial",
	     &error);
	must(test, partial_file_begin(file, "origin", 6, &error), "partial", &error);
	for (size_t i = 0, next = 0; i <= test->workload->count; i++) {
		while (next < test->checkpoint_count && test->checkpoints[next] == i) {
			uint8_t number = (uint8_t)next++;
			must(test, partial_file_checkpoint(file, system, &number, 1, &error), "partial", &error);
		}
		if (i < test->workload->count)
			make_change(system, test->workload, i);
	}
	must(test, histree_state_close(system, test->workload->end, &error), "partial", &error);
	histree_state_free(system);
}

/* ---- slices -------------------------------------------------------------------------------------------------- */

static enum histree_status hold(void *context, size_t checkpoint, const struct state_slice **out,
				struct histree_error *error)
{
	struct partial_case *test = context;
	struct slice_maker maker;
	struct histree_state_system *system;
	struct state_slice *slice = calloc(1, sizeof(*slice));
	assert_non_null(slice);
	const struct partial_section *section = history_partial(test->history);
	assert_int_equal(section->checkpoints[checkpoint].knowledge[0], checkpoint);
	enum histree_status status =
		slice_maker_begin(&maker, test->history, &test->names, checkpoint, false, &system, error);
	for (size_t i = test->checkpoints[checkpoint]; i < test->checkpoints[checkpoint + 1]; i++)
		make_change(system, test->workload, i);
	if (status == HISTREE_OK && checkpoint + 1 == test->checkpoint_count)
		status = histree_state_close(system, test->workload->end, error);
	enum histree_status ended = slice_maker_end(&maker, system, status == HISTREE_OK ? slice : NULL, error);
	status = status == HISTREE_OK ? ended : status;
	*out = slice;
	if (status != HISTREE_OK)
		free(slice);
	return status;
}

static void release(void *context, const struct state_slice *held)
{
	(void)context;
	struct state_slice slice = *held;
	state_slice_release(&slice);
	union {
		const struct state_slice *held;
		struct state_slice *made;
	} ours = { .held = held };
	free(ours.made);
}

/* ---- comparing ----------------------------------------------------------------------------------------------- */

/* The full history, as an array. */
static void read_full(struct partial_case *test, struct state_slice *copy, struct reference *reference)
{
	struct histree_history *full;
	struct histree_cursor *query;
	struct histree_interval interval;
	struct histree_error error;
	enum histree_status status = memory_history_open(&test->memory, "full", false, &full, &error);
	must(test, status, "full", &error);
	const struct histree_history_info *info = histree_history_info(full);
	assert_int_equal(info->interval_count, histree_history_info(test->history)->interval_count);
	assert_int_equal(info->null_interval_count, histree_history_info(test->history)->null_interval_count);
	must(test, histree_query_create(full, &query, &error), "full", &error);
	const struct histree_region all = { .from = info->start, .to = info->end };
	must(test, histree_query_start(query, &all, &error), "full", &error);
	while ((status = histree_cursor_next(query, &error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		assert_true(state_slice_add(copy, &interval));
	}
	assert_int_equal(status, HISTREE_END);
	assert_true(reference_make(reference, copy->intervals, copy->count, info->start, info->end,
				   info->attribute_count));
	histree_cursor_free(query);
	histree_history_close(full);
}

static const char *compare(struct partial_case *test)
{
	struct histree_error error;
	struct state_slice copy = { 0 };
	struct reference reference = { 0 };
	struct histree_cursor *query;
	must(test, memory_history_open(&test->memory, "partial", false, &test->history, &error), "partial", &error);
	must(test, attribute_copy_to_tree(histree_history_attributes(test->history), &test->names, &error), "names",
	     &error);
	/* By itself it says that it cannot answer. */
	must(test, histree_query_create(test->history, &query, &error), "partial", &error);
	const struct histree_region moment = { .from = test->workload->start, .to = test->workload->start };
	assert_int_equal(histree_query_start(query, &moment, &error), HISTREE_ERR_ARGUMENT);
	histree_cursor_free(query);
	history_attach_slices(test->history,
			      &(struct history_slices){ .hold = hold, .release = release, .context = test });
	read_full(test, &copy, &reference);
	/*
	 * Where a state was replaced by null at once, two nulls follow one another; if nodes leave both out, they
	 * are told as one, of both histories, and counted as two.
	 */
	bool is_told_as_counted = reference.count == histree_history_info(test->history)->interval_count;
	const char *fault = NULL;
	if (is_told_as_counted)
		fault = history_compare(test->history, &reference, test->seed, QUESTIONS, test->fault);
	reference_release(&reference);
	state_slice_release(&copy);
	histree_history_close(test->history);
	attribute_tree_release(&test->names);
	return fault;
}

static const char *check_workload(void *context, const struct workload *workload)
{
	struct partial_case *test = context;
	struct random random = { test->seed };
	test->workload = workload;
	memory_io_init(&test->memory);
	test->checkpoint_count = 1 + random_below(&random, CHECKPOINTS_MAX);
	test->checkpoints[0] = 0;
	for (size_t i = 1; i < test->checkpoint_count; i++) {
		size_t before = test->checkpoints[i - 1], left = workload->count - before;
		test->checkpoints[i] =
			before + random_below(&random, 2 * left / (test->checkpoint_count - i + 1) + 1);
		if (test->checkpoints[i] > workload->count)
			test->checkpoints[i] = workload->count;
	}
	test->checkpoints[test->checkpoint_count] = workload->count;
	make_full(test);
	make_partial(test);
	const char *fault = workload->count > 0 ? compare(test) : NULL;
	memory_io_release(&test->memory);
	return fault;
}

static void answers_as_the_full_one(const void *chosen, uint64_t seed)
{
	const struct workload_kind *kind = chosen;
	struct workload workload;
	assert_true(workload_make(&workload, kind, seed));
	for (size_t shape = 0; tree_variants[shape] != NULL; shape++) {
		static struct partial_case test;
		test = (struct partial_case){
			.options = { .variant = tree_variants[shape]->name,
				     .node_size = 4 << 10,
				     .fan_out = 7,
				     .nulls = (enum histree_nulls)((seed + shape) % 3) },
			.seed = seed + shape,
		};
		const char *fault = check_workload(&test, &workload);
		if (fault != NULL)
			property_fail_shrunk(&workload, &(struct workload_check){ check_workload, &test }, fault,
					     "workload '%s': variant %s, nulls %d, seed of checkpoints %llu",
					     kind->name, test.options.variant, (int)test.options.nulls,
					     (unsigned long long)test.seed);
	}
	workload_release(&workload);
}

PROPERTIES({ KINDS(workload_kinds), .rounds = 1, .check = answers_as_the_full_one })
