// SPDX-License-Identifier: MIT
/*
 * fuzz_graph.c - bytes as a graph of who waited for whom (support/random_graph.h): the path of each thread ends,
 * and goes forward in time.
 */
#include <stdio.h>

#include "fuzz.h"
#include "state/history.h"
#include "support/random_graph.h"

enum { INPUT_MAX = 4096 };

FUZZ_TARGET(bytes, size)
{
	struct memory_io memory;
	struct block_file *file;
	struct histree_history *history;
	enum histree_status status;
	uint64_t steps;
	memory_io_init(&memory);
	REQUIRE(random_graph_build(&memory, bytes, size < INPUT_MAX ? size : INPUT_MAX, NULL) == HISTREE_OK);
	REQUIRE(block_file_open(&memory.io, "g", &file, NULL) == HISTREE_OK);
	REQUIRE(history_open_file(file, NULL, &history, NULL) == HISTREE_OK);
	const char *fault = random_graph_walk(history, &steps, &status, NULL);
	if (fault != NULL)
		fprintf(stderr, "%s\n", fault);
	REQUIRE(fault == NULL && status == HISTREE_OK);
	histree_history_close(history);
	memory_io_release(&memory);
	return 0;
}
