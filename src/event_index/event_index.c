// SPDX-License-Identifier: MIT
#include "event_index/event_index.h"

#include <assert.h>

#include "base/search.h"

void event_index_release(struct event_index *index)
{
	arena_release(&index->arena);
	*index = (struct event_index){ 0 };
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

struct sought_time {
	const histree_time *ticks;
	histree_time time;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought_time *sought = context;
	return sought->ticks[index] < sought->time;
}

size_t event_index_tick_before(const struct event_index *index, histree_time time)
{
	const struct sought_time sought = { index->ticks, time };
	size_t after = search_first(0, index->tick_count, index->tick_count / 2, is_before, &sought);
	return after > 0 ? after - 1 : 0;
}

double event_index_estimate(const struct event_index *index, histree_time time)
{
	if (index->event_count == 0 || time <= index->ticks[0])
		return 0;
	if (time > index->end)
		return (double)index->event_count;
	size_t tick = event_index_tick_before(index, time);
	bool is_last = tick + 1 == index->tick_count;
	assert(index->ticks[tick] < time && (is_last || index->ticks[tick + 1] >= time));
	histree_time from = index->ticks[tick], to = is_last ? index->end : index->ticks[tick + 1];
	double before = (double)tick * EVENTS_PER_TICK;
	double between = (is_last ? (double)index->event_count : before + EVENTS_PER_TICK) - before;
	return before + between * ((double)time - (double)from) / ((double)to - (double)from);
}
