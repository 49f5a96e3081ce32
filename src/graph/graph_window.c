// SPDX-License-Identifier: MIT
#include "graph/graph_window.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/search.h"

enum {
	STATES_MAX = 512,   /* that a window has; with more it is read again, shorter */
	EDGES_MANY = 128,   /* with as many it does not grow */
	EDGES_AT_FIRST = 8, /* so many as long as the last one */
	SHORTER_LOG2 = 3,
};

enum histree_graph_state graph_state_of(const struct histree_value *value)
{
	bool is_known = value->type == HISTREE_INT && value->int32 >= 0 && value->int32 < HISTREE_GRAPH_DEFAULT;
	return is_known ? (enum histree_graph_state)value->int32 : HISTREE_GRAPH_UNKNOWN;
}

/* ---- asking ------------------------------------------------------------------------------------------------- */

struct sought {
	const struct graph_window *window;
	histree_time time;
};

static bool ends_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->window->edges[index].end < sought->time;
}

static bool wakes_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->window->wakeups[index].time < sought->time;
}

const struct graph_edge *graph_window_edge(const struct graph_window *window, histree_time time)
{
	const struct sought sought = { window, time };
	size_t at = search_first(0, window->edge_count, window->edge_count / 2, ends_before, &sought);
	return at < window->edge_count && window->edges[at].start <= time ? &window->edges[at] : NULL;
}

bool graph_window_wakeup(const struct graph_window *window, histree_time time, const struct graph_wakeup **wakeup)
{
	const struct sought sought = { window, time };
	*wakeup = NULL;
	if (window->edge_count == 0 || time < window->from || time > window->to)
		return false;
	size_t at = search_first(0, window->wakeup_count, window->wakeup_count / 2, wakes_before, &sought);
	if (at < window->wakeup_count && window->wakeups[at].time == time)
		*wakeup = &window->wakeups[at];
	return true;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

static enum histree_status add(struct graph_window *window, const struct graph_window_source *source,
			       const struct histree_interval *interval, struct histree_error *error)
{
	const struct histree_value *value = &interval->value;
	if (!array_reserve(&window->edges, &window->edge_capacity, window->edge_count + 1) ||
	    !array_reserve(&window->wakeups, &window->wakeup_capacity, window->wakeup_count + 1))
		return error_memory(error, "edges of a graph");
	if (interval->quark == source->edges)
		window->edges[window->edge_count++] =
			(struct graph_edge){ interval->start, interval->end, value->type == HISTREE_NULL,
					     graph_state_of(value) };
	else if (value->type == HISTREE_INT || value->type == HISTREE_LONG)
		window->wakeups[window->wakeup_count++] =
			(struct graph_wakeup){ interval->start,
					       value->type == HISTREE_INT ? value->int32 : value->int64 };
	return HISTREE_OK;
}

static int by_start(const void *one, const void *other)
{
	const struct graph_edge *a = one, *b = other;
	return (a->start > b->start) - (a->start < b->start);
}

static int by_time(const void *one, const void *other)
{
	const struct graph_wakeup *a = one, *b = other;
	return (a->time > b->time) - (a->time < b->time);
}

/* States come in no order, but those of one leaf in that of their times: most often there is nothing to do. */
static void sort(void *items, size_t count, size_t size, int (*compare)(const void *one, const void *other))
{
	const char *item = items;
	size_t sorted = 1;
	while (sorted < count && compare(item + (sorted - 1) * size, item + sorted * size) <= 0)
		sorted++;
	if (sorted < count)
		qsort(items, count, size, compare);
}

static void empty(struct graph_window *window)
{
	window->edge_count = window->wakeup_count = 0;
}

/* Read what is from window->from to window->to.  HISTREE_PARTIAL: it is too much. */
static enum histree_status read_all(struct graph_window *window, const struct graph_window_source *source,
				    struct histree_error *error)
{
	const histree_quark quarks[] = { source->edges, source->woken_by };
	const struct histree_region region = { .quarks = quarks,
					       .quark_count = source->woken_by != HISTREE_ROOT ? 2 : 1,
					       .from = window->from,
					       .to = window->to };
	struct histree_interval interval;
	bool is_known = true;
	empty(window);
	enum histree_status status = histree_query_start(source->query, &region, error);
	while (status == HISTREE_OK && is_known) {
		status = histree_query_next(source->query, &interval, error);
		if (status != HISTREE_OK)
			break;
		is_known = interval.value.type != HISTREE_UNKNOWN;
		status = add(window, source, &interval, error);
		if (status == HISTREE_OK && window->edge_count + window->wakeup_count > STATES_MAX &&
		    window->from < window->to)
			status = HISTREE_PARTIAL;
	}
	is_known = is_known && histree_query_stats(source->query).nodes_damaged == 0;
	/* The region is ours: what is left of the answer is not asked for. */
	const struct histree_region none = { .quarks = quarks };
	enum histree_status stopped = histree_query_start(source->query, &none, error);
	if (status != HISTREE_END && status != HISTREE_OK)
		return status;
	if (stopped != HISTREE_OK)
		return stopped;
	return is_known ? HISTREE_OK : HISTREE_NOT_FOUND;
}

static void set_range(struct graph_window *window, const struct histree_history_info *info, histree_time time,
		      uint64_t before, uint64_t after)
{
	const uint64_t since = (uint64_t)time - (uint64_t)info->start, left = (uint64_t)info->end - (uint64_t)time;
	window->from = (histree_time)((uint64_t)time - (before < since ? before : since));
	window->to = (histree_time)((uint64_t)time + (after < left ? after : left));
}

enum histree_status graph_window_read(struct graph_window *window, const struct graph_window_source *source,
				      const struct graph_edge *last, int way, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(histree_query_history(source->query));
	const histree_time time = way > 0 ? last->end + 1 : last->start - 1;
	enum histree_status status;
	if (window->ns == 0) {
		uint64_t of_last = (uint64_t)last->end - (uint64_t)last->start + 1;
		window->ns = of_last <= UINT64_MAX / EDGES_AT_FIRST ? EDGES_AT_FIRST * of_last : UINT64_MAX;
	}
	/* Whoever looks back from later and later times, as along the wakers of a thread, will do so again. */
	const bool goes_on = way < 0 && window->edge_count > 0 && window->to < time;
	do {
		const uint64_t before = way > 0 ? 0 : goes_on ? window->ns / 2 : window->ns;
		set_range(window, info, time, before, way > 0 ? window->ns : goes_on ? window->ns / 2 : 0);
		status = read_all(window, source, error);
		if (status == HISTREE_PARTIAL)
			window->ns >>= SHORTER_LOG2;
	} while (status == HISTREE_PARTIAL);
	if (status != HISTREE_OK) {
		empty(window);
		return status == HISTREE_ERR_FORMAT ? HISTREE_NOT_FOUND : status;
	}
	if (window->edge_count < EDGES_MANY && window->ns <= UINT64_MAX / 2)
		window->ns *= 2;
	sort(window->edges, window->edge_count, sizeof(*window->edges), by_start);
	sort(window->wakeups, window->wakeup_count, sizeof(*window->wakeups), by_time);
	return HISTREE_OK;
}

void graph_window_release(struct graph_window *window)
{
	free(window->edges);
	free(window->wakeups);
	*window = (struct graph_window){ 0 };
}
