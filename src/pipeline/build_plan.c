// SPDX-License-Identifier: MIT
/*
 * build_plan.c - how a build divides its memory, and when it publishes its results so far.
 */
#include "pipeline/build_plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- memory plan --------------------------------------------------------------------------------------------- */

enum {
	MEMORY_DEFAULT = 160 << 20,
	PART_MIN = 1 << 20,
	SLICE_DEFAULT = 48 << 20, /* of each slice on its way: two more than there are threads */
	SHARE_MIN = 20 << 20,     /* the buffers of such a share let a build go at nearly its full speed */
	BESIDES_MAX = 64 << 20,   /* what a process, or a host more, takes that is no buffer and no table */
};

static size_t lesser(size_t one, size_t other)
{
	return one < other ? one : other;
}

static size_t at_least_min(size_t bytes)
{
	return bytes > PART_MIN ? bytes : PART_MIN;
}

struct memory_plan memory_plan(size_t memory_max, size_t histories, size_t segment_stores)
{
	size_t all = memory_max != 0 ? memory_max : MEMORY_DEFAULT;
	size_t buffers = all / 5 * 3, segments = 0, history = 0, beside = 0;
	if (segment_stores > 0)
		segments = at_least_min(lesser(all / 20, buffers / (histories > 1 ? 4 : 2) / segment_stores));
	size_t left = buffers > segment_stores * segments ? buffers - segment_stores * segments : 0;
	if (histories > 0)
		history = lesser(buffers / 2, left);
	if (histories > 1)
		beside = lesser(history, (left - history) / (histories - 1));
	return (struct memory_plan){
		.tables = at_least_min(all / 5 * 2),
		.history = at_least_min(history),
		.beside = at_least_min(beside),
		.segments = at_least_min(segments),
		.history_cut = at_least_min(history / 4),
		.slices = at_least_min(left - history - (histories > 1 ? histories - 1 : 0) * beside +
				       history / 4 * 3),
	};
}

/*
 * One pass has work for three processors: reading the trace takes a tenth of it, the states a half, their leaves
 * the rest.  More of them do nothing for it, but half as much again is done for slices; and a store of slices has
 * other bytes, and is not seen before its end.  So they have to be twice as fast.
 */
enum {
	SLICES_FROM = 6,               /* processors */
	SLICE_THREADS_MAX = 64,        /* who else is there has nothing to do */
	SLICE_THREAD_BYTES = 16 << 20, /* of a trace: some slices for each thread */
};

uint32_t slice_threads(uint32_t processors, uint64_t trace_bytes)
{
	if (processors < SLICES_FROM || trace_bytes / SLICE_THREAD_BYTES < processors)
		return 0;
	return processors <= SLICE_THREADS_MAX ? processors - 1 : SLICE_THREADS_MAX;
}

void memory_plan_slices(struct memory_plan *plan, size_t memory_max, uint32_t threads)
{
	if (memory_max == 0)
		plan->slices = SLICE_DEFAULT * ((size_t)threads + 2);
}

static uint32_t at_most(uint64_t count, size_t hosts, uint32_t threads)
{
	count = count < hosts ? count : hosts;
	count = count < threads ? count : threads;
	return count > 0 ? (uint32_t)count : 1;
}

struct memory_share memory_share(size_t memory_max, size_t hosts, uint32_t threads, uint64_t machine)
{
	if (memory_max == 0)
		return (struct memory_share){
			.side_by_side = at_most(machine / 2 / (MEMORY_DEFAULT + BESIDES_MAX), hosts, threads),
		};
	const size_t shares = at_most(memory_max / SHARE_MIN, hosts, UINT32_MAX);
	const size_t fit = (memory_max + BESIDES_MAX) / (memory_max / shares + BESIDES_MAX);
	const uint32_t side_by_side = at_most(fit, shares, threads);
	return (struct memory_share){
		.side_by_side = side_by_side,
		.memory_max = memory_max / shares,
		.tables = at_least_min(memory_max / 5 * 2 / side_by_side),
	};
}

/* ---- publish clock ------------------------------------------------------------------------------------------- */

static const int64_t interval_min_ns = 1000 * 1000 * 1000;

static const int64_t first_of_files_ns = 3LL * 1000 * 1000 * 1000;

enum { BUILD_TIME_SHARE = 33 }; /* of which one part is for publishing: 3 % */

struct publish_clock publish_clock_begin(int64_t every_ns, bool is_live, int64_t now_ns)
{
	int64_t first = is_live ? interval_min_ns : first_of_files_ns;
	return (struct publish_clock){
		.every_ns = every_ns,
		.next_ns = now_ns + (every_ns > 0 ? every_ns : first),
	};
}

bool publish_clock_is_due(const struct publish_clock *clock, int64_t now_ns)
{
	return now_ns >= clock->next_ns;
}

void publish_clock_done(struct publish_clock *clock, int64_t begun_ns, int64_t ended_ns)
{
	int64_t wait = clock->every_ns;
	if (wait == 0) {
		wait = (ended_ns - begun_ns) * BUILD_TIME_SHARE;
		wait = wait > interval_min_ns ? wait : interval_min_ns;
	}
	clock->next_ns = ended_ns + wait;
}
