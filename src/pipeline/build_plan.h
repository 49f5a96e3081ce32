/* SPDX-License-Identifier: MIT */
/*
 * build_plan.h - how a build divides its memory, and when it publishes its results so far.
 *
 * Of the memory of a build (docs/design/12-build.md), two fifths are for tables, which all analyses share, and
 * three fifths for buffers.  The first history gets half of the buffers, whichever others are built, so that its
 * file is always the same to the byte.  The same holds for segment stores, as long as there is one history and no
 * more than six of them; if there are more, each gets less.
 *
 * Publishing writes the buffers and all names, with some syncs, and holds up the build.  Unless the caller wants it
 * more often, it happens at most once a second, and takes no more than 3 % of the time; files are first published
 * after three seconds.  So a short build never publishes, and a long one that is cut off loses three seconds' work,
 * or 3 % of the rest.
 */
#ifndef PIPELINE_BUILD_PLAN_H
#define PIPELINE_BUILD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_plan {
	size_t tables;   /* of all analyses */
	size_t history;  /* the buffers of the first history, and of the overviews of each after it */
	size_t beside;   /* the buffers of each other history */
	size_t segments; /* the buffer of each segment store */
	/* Of a history that is cut in time, while it is built: */
	size_t history_cut; /* the buffers of its tree */
	size_t slices;      /* all of its slices */
};

/* `memory_max` is for all of it; 0: the default, 160 MiB.  No part has less than 1 MiB. */
struct memory_plan memory_plan(size_t memory_max, size_t histories, size_t segment_stores);

/*
 * Returns how many threads are to read slices of a trace of one analysis that can be cut, of so many processors
 * that a build may have; 0: it is read in one pass, by threads that work side by side (docs/design/12-build.md).
 */
uint32_t slice_threads(uint32_t processors, uint64_t trace_bytes);

/* Without a ceiling, slices have 48 MiB each: two more than there are threads for them. */
void memory_plan_slices(struct memory_plan *plan, size_t memory_max, uint32_t threads);

/*
 * The memory of each of several hosts, some of which are built at the same time.  The size of the buffers
 * determines what is in a file, so `memory_max` does not depend on how many hosts there are.  The size of the
 * tables does not, so the hosts that are being built also use the memory for tables of the others.
 */
struct memory_share {
	uint32_t side_by_side; /* so many hosts at most */
	size_t memory_max;     /* of the build of one, for memory_plan() */
	size_t tables;         /* of it, instead of what that says; 0: as it says */
};

/*
 * `memory_max` is for all hosts that are built at a time, `threads` of them at most, and for what each but the
 * first takes that is no buffer and no table; 0: each has the default of a single host, as far as half of the
 * machine's memory suffices.
 */
struct memory_share memory_share(size_t memory_max, size_t hosts, uint32_t threads, uint64_t machine);

/* Times are of one clock that only goes forward, in ns. */
struct publish_clock {
	int64_t every_ns; /* as asked for; 0: as above */
	int64_t next_ns;
};

/* `is_live`: somebody may be looking on. */
struct publish_clock publish_clock_begin(int64_t every_ns, bool is_live, int64_t now_ns);
bool publish_clock_is_due(const struct publish_clock *clock, int64_t now_ns);

/* It was done, from one time to the other. */
void publish_clock_done(struct publish_clock *clock, int64_t begun_ns, int64_t ended_ns);

#endif
