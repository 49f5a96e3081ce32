// SPDX-License-Identifier: MIT
#include "analysis/kernel/counter_readings.h"

#include <stdalign.h>

#include "base/hash.h"
#include "base/wide_int.h"

struct counter_group counter_group_of(const struct event_class *class)
{
	return (struct counter_group){ .id = event_class_field(class, "perf_id"),
				       .enabled = event_class_field(class, "perf_time_enabled"),
				       .running = event_class_field(class, "perf_time_running") };
}

uint64_t counter_group_read(const struct counter_group *group, const struct event *event,
			    struct counter_reading *reading)
{
	int64_t id = 0, enabled = 0, running = 0;
	event_int(event, group->id, &id);
	reading->has_times =
		event_int(event, group->enabled, &enabled) && event_int(event, group->running, &running);
	reading->enabled = (uint64_t)enabled;
	reading->running = (uint64_t)running;
	return (uint64_t)id;
}

void counter_readings_release(struct counter_readings *readings)
{
	id_map_release(&readings->last);
	arena_release(&readings->memory);
}

static uint64_t grown(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : 0;
}

/* Rounded to the nearest; what is too large for a sum stays as it is. */
static uint64_t scale(uint64_t amount, uint64_t enabled, uint64_t running)
{
	const wide_uint scaled = ((wide_uint)amount * enabled + running / 2) / running;
	return scaled <= INT64_MAX ? (uint64_t)scaled : amount;
}

bool counter_readings_take(struct counter_readings *readings, uint64_t id, uint32_t counter,
			   const struct counter_reading *reading, uint64_t *amount)
{
	const uint64_t key = hash_mix(id) ^ counter;
	struct counter_reading *last = id_map_find(&readings->last, key);
	*amount = 0;
	if (last == NULL) {
		last = arena_allocate(&readings->memory, sizeof(*last), alignof(struct counter_reading));
		if (last == NULL || !id_map_add(&readings->last, key, last))
			return false;
		*last = *reading;
		return true;
	}
	const bool has_times = last->has_times && reading->has_times;
	const uint64_t enabled = grown(last->enabled, reading->enabled),
		       running = grown(last->running, reading->running);
	if (has_times && running == 0 && reading->running == last->running)
		return true;
	*amount = grown(last->value, reading->value);
	if (has_times && running > 0 && running < enabled)
		*amount = scale(*amount, enabled, running);
	*last = *reading;
	return true;
}
