// SPDX-License-Identifier: MIT
/*
 * property_history.c - the same through the public interface: changes into a state system, a file on disk,
 * queries on the history.  Each attribute and the whole file are compared with what the changes say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "histree/query.h"
#include "histree/state_system.h"
#include "shrink.h"
#include "support/history_subject.h"
#include "tree/variant.h"

enum { QUESTIONS = 40, SHRINK_RUNS = 400 };

struct history_case {
	struct histree_tree_options options;
	char path[64];
	uint64_t seed;
	char fault[512];
};

/* ---- building ------------------------------------------------------------------------------------------ */

/* Attributes "Group/3/17", so that there are sub-attributes; only those at the bottom have states. */
static enum histree_status name_attributes(struct histree_state_system *system, uint32_t key_count,
					   histree_quark *quarks, struct histree_error *error)
{
	for (uint32_t key = 0; key < key_count; key++) {
		char path[64];
		snprintf(path, sizeof(path), "Group/%u/%u", key % 7, key);
		enum histree_status status =
			histree_state_attribute(system, HISTREE_ROOT, path, &quarks[key], error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static enum histree_status build(const struct history_case *test, const struct workload *workload,
				 histree_quark *quarks, struct histree_error *error)
{
	struct histree_state_system *system;
	enum histree_status status =
		histree_state_create(&(struct histree_history_options){ .path = test->path,
									.provider = "test",
									.provider_version = 7,
									.start = workload->start,
									.tree = test->options },
				     &system, error);
	if (status != HISTREE_OK)
		return status;
	status = name_attributes(system, workload->key_count, quarks, error);
	for (size_t i = 0; status == HISTREE_OK && i < workload->count; i++)
		status = histree_state_modify(system, workload->changes[i].at, quarks[workload->changes[i].quark],
					      workload->changes[i].value, error);
	if (status == HISTREE_OK)
		status = histree_state_close(system, workload->end, error);
	histree_state_free(system);
	return status;
}

/* ---- comparing ----------------------------------------------------------------------------------------- */

static const char *check_single(struct history_case *test, struct histree_query *query,
				const struct reference *reference, struct random *random)
{
	for (int i = 0; i < QUESTIONS && reference->count > 0; i++) {
		const struct histree_interval *some = &reference->sorted[random_below(random, reference->count)];
		histree_time t = random_percent(random, 50) ? some->start : some->end;
		struct histree_interval found;
		struct histree_error error;
		if (histree_query_single(query, some->quark, t, &found, &error) != HISTREE_OK) {
			snprintf(test->fault, sizeof(test->fault), "single: %s", error.message);
			return test->fault;
		}
		if (found.start != some->start || found.end != some->end ||
		    !histree_value_equal(&found.value, &some->value))
			return "a single query found another interval";
	}
	return NULL;
}

static const char *check_history(struct history_case *test, struct histree_history *history,
				 const struct reference *reference)
{
	struct histree_query *query;
	struct random random = { test->seed };
	const char *fault = history_compare(history, reference, test->seed, QUESTIONS, test->fault);
	if (fault != NULL)
		return fault;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK)
		return "out of memory";
	fault = check_single(test, query, reference, &random);
	histree_query_free(query);
	return fault;
}

/* What the changes say of the attributes that have states, and one null each for "Group" and "Group/N". */
static bool expected_history(const struct workload *workload, const histree_quark *quarks, struct reference *out)
{
	uint32_t groups = workload->key_count < 7 ? workload->key_count : 7;
	uint32_t inner = workload->key_count > 0 ? 1 + groups : 0;
	uint32_t keys = workload->key_count + inner;
	size_t count;
	*out = (struct reference){ 0 };
	struct histree_interval *intervals = workload_intervals(workload, &count);
	struct histree_interval *all =
		intervals == NULL ? NULL : realloc(intervals, (count + inner + 1) * sizeof(*all));
	uint8_t *named = calloc((size_t)keys + 1, 1);
	bool done = false;
	if (all == NULL || named == NULL)
		goto out;
	intervals = all;
	for (uint32_t key = 0; key < workload->key_count; key++)
		named[quarks[key]] = 1;
	for (size_t i = 0; i < count; i++)
		intervals[i].quark = quarks[intervals[i].quark];
	for (uint32_t quark = 0; quark < keys; quark++)
		if (!named[quark])
			intervals[count++] = (struct histree_interval){ .start = workload->start,
									.end = workload->end,
									.quark = quark,
									.value = histree_null() };
	done = reference_make(out, intervals, count, workload->start, workload->end, keys);
out:
	free(named);
	free(intervals);
	return done;
}

static const char *check_workload(void *context, const struct workload *workload)
{
	struct history_case *test = context;
	struct histree_error error;
	struct reference reference = { 0 };
	struct histree_history *history = NULL;
	histree_quark *quarks = calloc((size_t)workload->key_count + 1, sizeof(*quarks));
	const char *fault = "out of memory";
	if (quarks == NULL)
		return fault;
	unlink(test->path);
	enum histree_status status = build(test, workload, quarks, &error);
	if (status == HISTREE_OK)
		status = histree_history_open(test->path, NULL, &history, &error);
	if (status != HISTREE_OK) {
		snprintf(test->fault, sizeof(test->fault), "%s", error.message);
		fault = test->fault;
	} else if (expected_history(workload, quarks, &reference)) {
		fault = check_history(test, history, &reference);
	}
	histree_history_close(history);
	reference_release(&reference);
	unlink(test->path);
	free(quarks);
	return fault;
}

static void check_kind(const struct workload_kind *kind, uint64_t seed)
{
	static const uint32_t node_sizes[] = { 4 << 10, 64 << 10 };
	struct workload workload;
	assert_true(workload_make(&workload, kind, seed));
	for (size_t shape = 0; tree_variants[shape / 2] != NULL; shape++) {
		struct history_case test = {
			.options = { .variant = tree_variants[shape / 2]->name,
				     .node_size = node_sizes[shape % 2],
				     .fan_out = 7 },
			.seed = seed,
		};
		snprintf(test.path, sizeof(test.path), "property_history.%ld.sht", (long)getpid());
		const char *fault = check_workload(&test, &workload);
		if (fault == NULL)
			continue;
		fprintf(stderr, "FAULT: %s\nworkload '%s': variant %s, node size %u; seed %llu; shrinking ...\n",
			fault, kind->name, test.options.variant, test.options.node_size, (unsigned long long)seed);
		workload_shrink(&workload, &(struct workload_check){ check_workload, &test }, SHRINK_RUNS);
		fault = check_workload(&test, &workload);
		fprintf(stderr, "FAULT: %s\n", fault != NULL ? fault : "gone: it does not happen each time");
		workload_print(&workload);
		fail();
	}
	workload_release(&workload);
}

static void answers_as_its_changes_say(void **state)
{
	uint64_t seed = workload_seed(), rounds = workload_rounds();
	for (uint64_t round = 0; round < rounds; round++)
		check_kind(*state, seed + round);
}

int main(void)
{
	struct CMUnitTest tests[64];
	size_t count = 0;
	for (const struct workload_kind *kind = workload_kinds; kind->name != NULL; kind++)
		tests[count++] = (struct CMUnitTest){ .name = kind->name,
						      .test_func = answers_as_its_changes_say,
						      .initial_state = (void *)(uintptr_t)kind };
	fprintf(stderr, "seed %llu\n", (unsigned long long)workload_seed());
	return _cmocka_run_group_tests("history", tests, count, NULL, NULL);
}
