/* SPDX-License-Identifier: MIT */
/*
 * counter_readings.h - what each of perf's counters counted since it was read last.
 *
 * perf gives groups turns where the processor has too few counters.  Where the trace says for how long a group was
 * to count and for how long it did, what it counted is scaled by the ratio of both since the reading before, as
 * perf stat does from interval to interval.  If it did not count at all, that time is added to the next.
 */
#ifndef ANALYSIS_KERNEL_COUNTER_READINGS_H
#define ANALYSIS_KERNEL_COUNTER_READINGS_H

#include "base/arena.h"
#include "base/id_map.h"
#include "event/event.h"

/* What all counters that a sample reads have in common: fields of its class. */
struct counter_group {
	uint32_t id; /* whose counters these are */
	uint32_t enabled, running;
};

struct counter_group counter_group_of(const struct event_class *class);

struct counter_reading {
	uint64_t value;
	bool has_times;
	uint64_t enabled, running; /* ns so far */
};

/* Reads the times of a group, and returns its id. */
uint64_t counter_group_read(const struct counter_group *group, const struct event *event,
			    struct counter_reading *reading);

/* A zeroed one has none. */
struct counter_readings {
	struct id_map last; /* struct counter_reading by id and counter */
	struct arena memory;
};

void counter_readings_release(struct counter_readings *readings);

/*
 * Says what was counted since the reading before; 0 of the first one, and of a counter that began anew.  Returns
 * false if memory is out.
 */
bool counter_readings_take(struct counter_readings *readings, uint64_t id, uint32_t counter,
			   const struct counter_reading *reading, uint64_t *amount);

#endif
