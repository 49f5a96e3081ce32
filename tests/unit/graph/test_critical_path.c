// SPDX-License-Identifier: MIT
/*
 * test_critical_path.c - paths in graphs that no kernel makes: they end, soon, and go forward in time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "state/history.h"
#include "support/effort.h"
#include "support/random_graph.h"

enum { BYTES_MAX = 4 * 1000 };

/* Walks the paths of a graph and returns how many steps they have together. */
static uint64_t walk(const uint8_t *bytes, size_t size, const char *what)
{
	struct memory_io memory;
	struct block_file *file;
	struct histree_history *history;
	enum histree_status status;
	uint64_t steps;
	struct histree_error error = { 0 };
	memory_io_init(&memory);
	assert_int_equal(random_graph_build(&memory, bytes, size, &error), HISTREE_OK);
	assert_int_equal(block_file_open(&memory.io, "g", &file, &error), HISTREE_OK);
	assert_int_equal(history_open_file(file, NULL, &history, &error), HISTREE_OK);
	const char *fault = random_graph_walk(history, &steps, &status, &error);
	if (fault != NULL || status != HISTREE_OK)
		fail_msg("%s: %s", what, fault != NULL ? fault : error.message);
	histree_history_close(history);
	memory_io_release(&memory);
	return steps;
}

static void any_bytes_have_paths(void **state)
{
	(void)state;
	static uint8_t bytes[BYTES_MAX];
	struct random random = { test_seed() };
	char what[64];
	for (uint64_t round = 0; round < test_effort(80, 20) * test_rounds(); round++) {
		/* Some have many waits, some many arrows, some both. */
		uint8_t waits = (uint8_t)random_below(&random, 100), arrows = (uint8_t)random_below(&random, 100);
		size_t edges = random_below(&random, BYTES_MAX / 4);
		for (size_t i = 0; i < 4 * edges; i++)
			bytes[i] = (uint8_t)random_below(&random, 256);
		for (size_t i = 0; i < edges; i++) {
			if (random_percent(&random, waits))
				bytes[4 * i + 1] = HISTREE_GRAPH_BLOCKED;
			if (random_percent(&random, arrows))
				bytes[4 * i + 3] = (uint8_t)random_below(&random, 8);
		}
		snprintf(what, sizeof(what), "round %llu", (unsigned long long)round);
		walk(bytes, 4 * edges, what);
	}
}

/* Each waits for the next one, which waits for the next one: as deep as there are edges. */
static void waits_within_waits_end(void **state)
{
	(void)state;
	static uint8_t bytes[BYTES_MAX];
	for (size_t i = 0; i < BYTES_MAX / 4; i++)
		memcpy(bytes + 4 * i,
		       (uint8_t[]){ (uint8_t)(i % 6), HISTREE_GRAPH_BLOCKED, 1, (uint8_t)((i + 1) % 6) }, 4);
	assert_true(walk(bytes, BYTES_MAX, "waits within waits") > 0);
}

/*
 * A wait at the end, and before it vertices with an arrow each that can be followed or not: as many ways back as
 * there are subsets of them.
 */
static void forks_without_number_end(void **state)
{
	(void)state;
	static uint8_t bytes[BYTES_MAX];
	for (size_t i = 0; i < BYTES_MAX / 4; i++) {
		bool is_last = i + 8 > BYTES_MAX / 4;
		memcpy(bytes + 4 * i,
		       (uint8_t[]){ (uint8_t)(i % 3), is_last ? HISTREE_GRAPH_BLOCKED : HISTREE_GRAPH_RUNNING, 0,
				    (uint8_t)((i + 1) % 3) },
		       4);
	}
	/* The threads that are met first begin late, so that the way back ends in each of them. */
	assert_true(walk(bytes, BYTES_MAX, "forks without number") > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bytes_have_paths),
		cmocka_unit_test(waits_within_waits_end),
		cmocka_unit_test(forks_without_number_end),
	};
	return cmocka_run_group_tests_name("critical_path", tests, NULL, NULL);
}
