/* SPDX-License-Identifier: MIT */
/*
 * perfetto_clocks.h - times of any clock of a trace as times of the day
 * (protos/perfetto/trace/clock_snapshot.proto).
 *
 * A snapshot has the times of several clocks at one instant.  One of them is the clock of the trace, the time since
 * the start of the machine if nothing else is said; the first snapshot that also has the time of the day ties the
 * two, once, so that a clock that is being set does not tear a trace apart.  A time of another clock is as far from
 * its last snapshot on both.
 *
 * Clocks of a sequence are known to its packets only and are read along with these; the others are known before the
 * events are.
 */
#ifndef TRACE_PERFETTO_PERFETTO_CLOCKS_H
#define TRACE_PERFETTO_PERFETTO_CLOCKS_H

#include "histree/value.h"
#include "trace/perfetto/wire.h"

enum { PERFETTO_CLOCK_REALTIME = 1, PERFETTO_CLOCK_BOOTTIME = 6 };

/* One instant on a clock and on that of the trace. */
struct perfetto_instant {
	uint64_t own, trace;
};

struct perfetto_clock {
	uint32_t id;
	struct perfetto_instant *instants;
	size_t count, capacity;
};

enum { PERFETTO_CLOCKS_MAX = 16 };

/* A zeroed one knows of no snapshot. */
struct perfetto_clocks {
	uint32_t trace_clock; /* 0: there was no snapshot yet */
	bool is_chosen;       /* a snapshot says which is the trace's */
	struct perfetto_clock clocks[PERFETTO_CLOCKS_MAX];
	size_t count;
	bool has_wall;
	uint64_t wall; /* the time of the day when the trace's clock was 0; may be below zero */
};

/* Clocks of one sequence: those from 64 to 127. */
struct perfetto_own_clock {
	uint32_t id;
	bool is_incremental;
	uint64_t unit;                 /* ns */
	uint64_t last;                 /* of an incremental one: the time of the last packet */
	struct perfetto_instant begin; /* of the last snapshot */
};

enum { PERFETTO_OWN_CLOCKS_MAX = 4 };

struct perfetto_own_clocks {
	struct perfetto_own_clock clocks[PERFETTO_OWN_CLOCKS_MAX];
	size_t count;
};

static inline bool perfetto_clock_is_own(uint32_t id)
{
	return id >= 64 && id < 128;
}

/* Learn from a snapshot.  Returns false if memory is out. */
bool perfetto_clocks_learn(struct perfetto_clocks *clocks, struct wire_message snapshot);

/* No more are learned: put what is known in order. */
void perfetto_clocks_finish(struct perfetto_clocks *clocks);

/* Learn what a snapshot says of the clocks of its sequence. */
void perfetto_own_clocks_learn(struct perfetto_own_clocks *own, const struct perfetto_clocks *clocks,
			       struct wire_message snapshot);

/* Returns whether a time of a clock can be told on the trace's. */
bool perfetto_clocks_convert(const struct perfetto_clocks *clocks, uint32_t id, uint64_t time, uint64_t *out);

/* The same for a clock of a sequence; of an incremental one a packet's time is what passed since the one before. */
bool perfetto_own_clocks_convert(struct perfetto_own_clocks *own, uint32_t id, uint64_t time, uint64_t *out);

/* Returns whether a time of the trace's clock is one of 64 bits, and as one of the day. */
bool perfetto_clocks_time(const struct perfetto_clocks *clocks, uint64_t time, histree_time *out);

void perfetto_clocks_release(struct perfetto_clocks *clocks);

#endif
