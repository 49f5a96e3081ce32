// SPDX-License-Identifier: MIT
#include "analysis/ust/cpu_gaps.h"

#include <stdalign.h>

void cpu_gaps_init(struct cpu_gaps *gaps)
{
	*gaps = (struct cpu_gaps){ .end = INT64_MIN, .end_anywhere = INT64_MIN };
}

void cpu_gaps_release(struct cpu_gaps *gaps)
{
	id_map_release(&gaps->cpus);
	arena_release(&gaps->records);
}

static void widen(histree_time *gap_end, histree_time end)
{
	if (end > *gap_end)
		*gap_end = end;
}

static uint64_t cpu_id(const struct event_trace *trace, int32_t cpu)
{
	return (uint64_t)trace->id << 32 | (uint32_t)cpu;
}

static histree_time *end_of(struct cpu_gaps *gaps, const struct event_gap *gap)
{
	if (gap->cpu < 0)
		return &gaps->end_anywhere;
	uint64_t id = cpu_id(gap->trace, gap->cpu);
	histree_time *end = id_map_find(&gaps->cpus, id);
	if (end != NULL)
		return end;
	end = arena_allocate(&gaps->records, sizeof(*end), alignof(histree_time));
	if (end == NULL || !id_map_add(&gaps->cpus, id, end))
		return &gaps->end_anywhere;
	*end = INT64_MIN;
	return end;
}

void cpu_gaps_begin(struct cpu_gaps *gaps, const struct event_gap *gap)
{
	widen(&gaps->end, gap->end);
	widen(end_of(gaps, gap), gap->end);
}

static void end_gap(struct cpu_gaps *gaps, const struct event *event)
{
	histree_time *end = id_map_find(&gaps->cpus, cpu_id(event->class->trace, event->cpu));
	if (end == NULL || event->time > *end || event->time == INT64_MIN)
		return;
	*end = event->time - 1;
	gaps->end = gaps->end_anywhere;
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&gaps->cpus, &at)) != NULL;)
		widen(&gaps->end, *(const histree_time *)entry->record);
}

bool cpu_gaps_meet(struct cpu_gaps *gaps, const struct event *event)
{
	if (event->time <= gaps->end)
		end_gap(gaps, event);
	return event->time <= gaps->end;
}
