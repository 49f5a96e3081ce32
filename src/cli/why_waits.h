/* SPDX-License-Identifier: MIT */
/*
 * why_waits.h - what a critical path says of a thread: the time by cause and by thread, and its longest waits.
 */
#ifndef CLI_WHY_WAITS_H
#define CLI_WHY_WAITS_H

#include "cli/path_totals.h"

/* Which of these a state on the path is, of the thread itself or of one that it waited for. */
enum why_cause {
	WHY_RAN,
	WHY_NO_CPU,
	WHY_NETWORK,
	WHY_DISK,
	WHY_TIMER,
	WHY_INTERRUPT,
	WHY_BLOCKED,
	WHY_UNKNOWN,
};
#define WHY_CAUSE_COUNT 8

struct why_sum {
	uint64_t itself_ns, others_ns, steps;
};

/* From the end of a time at which the thread ran to the next one. */
struct why_wait {
	histree_time start, end;
	struct path_total mostly; /* what took most of it */
	bool is_woken;            /* by this thread */
	size_t waker_host;
	int32_t waker;
};

struct why_waits {
	size_t host;
	int32_t tid;
	size_t wait_max;
	bool is_begun;
	histree_time start, end; /* of the steps */
	uint64_t ns;
	struct why_sum causes[WHY_CAUSE_COUNT];
	struct path_totals totals;
	struct why_wait *waits; /* the longest, sorted */
	size_t wait_count;
	uint64_t all_waits; /* how many there were */
	/* The wait that goes on. */
	struct why_wait wait;
	bool is_waiting;
	struct path_totals wait_totals;
};

/* Begins with nothing; returns false if memory is out. */
bool why_waits_init(struct why_waits *waits, size_t host, int32_t tid, size_t wait_max);
void why_waits_release(struct why_waits *waits);

/* Adds the next step of the path; returns false if memory is out. */
bool why_waits_add(struct why_waits *waits, const struct histree_path_step *step);

/* After the last step. */
void why_waits_end(struct why_waits *waits);

enum why_cause why_cause_of(enum histree_graph_state state);

#endif
