// SPDX-License-Identifier: MIT
#include "names_history.h"

#include <stdio.h>

#include "fuzz.h"
#include "histree/states.h"
#include "state/state_file.h"

enum { THREADS = 6, STATES = 40, START = 1000, STEP = 7 };

static void set(struct histree_state_system *system, int thread, const char *what, histree_time at,
		struct histree_value value)
{
	char path[64];
	histree_quark quark;
	snprintf(path, sizeof(path), "Threads/%d%s", 100 + thread, what);
	REQUIRE(histree_state_attribute(system, HISTREE_ROOT, path, &quark, NULL) == HISTREE_OK);
	REQUIRE(histree_state_modify(system, at, quark, value, NULL) == HISTREE_OK);
}

void names_history_make(struct memory_io *memory)
{
	static const char *const names[] = { "sh", "cc1", "a name that is longer" };
	const struct histree_history_options options = {
		.path = "f", .provider = "kernel", .start = START, .tree = { .node_size = 4096, .fan_out = 3 }
	};
	struct histree_state_system *system;
	REQUIRE(state_file_create(&memory->io, &options, &system, NULL) == HISTREE_OK);
	for (int i = 0; i < STATES; i++) {
		const int thread = i * 5 % THREADS;
		const histree_time at = START + (histree_time)i * STEP;
		set(system, thread, "", at, i > STATES / 2 && thread == 1 ? histree_null() : histree_int(i % 5));
		if (i < THREADS || i % 7 == 0)
			set(system, thread, "/Exec_name", at, histree_string(names[i % 3]));
		if (i < THREADS) {
			set(system, thread, "/PID", at, histree_int(100 + thread / 2 * 2));
			set(system, thread, "/PPID", at, histree_int(1));
		}
	}
	REQUIRE(histree_state_close(system, START + STATES * STEP, NULL) == HISTREE_OK);
	histree_state_free(system);
}
