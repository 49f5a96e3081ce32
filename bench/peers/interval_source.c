// SPDX-License-Identifier: MIT
#include "peers/interval_source.h"

#include <stdlib.h>

#include "base/error.h"
#include "histree/states.h"

enum histree_status interval_source_model(struct interval_source *source, uint32_t attributes, uint32_t states,
					  uint64_t seed, struct histree_error *error)
{
	*source = (struct interval_source){
		.attribute_count = attributes,
		.interval_count = (uint64_t)attributes * states,
	};
	enum histree_status status = bench_model_init(&source->model, attributes, states, seed, error);
	source->end = source->model.end;
	return status;
}

static int by_quark(const void *one, const void *other)
{
	const struct histree_interval *a = one, *b = other;
	if (a->quark != b->quark)
		return a->quark < b->quark ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

static int by_end(const void *one, const void *other)
{
	const struct histree_interval *a = one, *b = other;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

/* Every interval of the history, with its bytes, in the order of the tree. */
static enum histree_status copy_intervals(struct interval_source *source, struct histree_cursor *query,
					  struct histree_error *error)
{
	const struct histree_region all = { .from = source->start, .to = source->end };
	uint64_t room = source->interval_count;
	source->interval_count = 0;
	enum histree_status status = histree_query_start(query, &all, error);
	while (status == HISTREE_OK) {
		struct histree_interval interval;
		status = histree_cursor_next(query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(query);
		if (status != HISTREE_OK)
			break;
		if (source->interval_count == room)
			return error_set(error, HISTREE_ERR_FORMAT, "the history has more intervals than it says");
		if (interval.value.size > 0) {
			interval.value.bytes =
				arena_copy(&source->values, interval.value.bytes, interval.value.size);
			if (interval.value.bytes == NULL)
				return error_memory(error, "the values");
		}
		source->intervals[source->interval_count++] = interval;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Neighbours of one attribute with the same value become one; the intervals are sorted by attribute. */
static void join_equal(struct interval_source *source)
{
	uint64_t kept = 0;
	for (uint64_t i = 1; i < source->interval_count; i++) {
		struct histree_interval *last = &source->intervals[kept], *next = &source->intervals[i];
		if (last->quark == next->quark && histree_value_equal(&last->value, &next->value))
			last->end = next->end;
		else
			source->intervals[++kept] = *next;
	}
	source->interval_count = kept + 1;
}

static enum histree_status load(struct interval_source *source, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(source->history);
	if (info->interval_count == 0 || info->interval_count > UINT32_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a history of %llu intervals cannot be compared",
				 (unsigned long long)info->interval_count);
	source->start = info->start;
	source->end = info->end;
	source->attribute_count = info->attribute_count;
	/* A variant that keeps no null at the ends of an attribute's life hands out more than it stores. */
	source->interval_count = info->interval_count + 2 * (uint64_t)info->attribute_count;
	source->attributes = histree_history_attributes(source->history);
	source->intervals = malloc(source->interval_count * sizeof(*source->intervals));
	if (source->intervals == NULL)
		return error_memory(error, "the intervals");
	struct histree_cursor *query = NULL;
	enum histree_status status = histree_query_create(source->history, &query, error);
	if (status == HISTREE_OK)
		status = copy_intervals(source, query, error);
	histree_cursor_free(query);
	if (status != HISTREE_OK)
		return status;
	qsort(source->intervals, source->interval_count, sizeof(*source->intervals), by_quark);
	join_equal(source);
	qsort(source->intervals, source->interval_count, sizeof(*source->intervals), by_end);
	return HISTREE_OK;
}

enum histree_status interval_source_store(struct interval_source *source, const char *path, const char *analysis,
					  struct histree_error *error)
{
	*source = (struct interval_source){ 0 };
	enum histree_status status = histree_store_open(path, &source->store, error);
	if (status == HISTREE_OK)
		status = histree_store_history(source->store, analysis, true, NULL, &source->history, error);
	if (status == HISTREE_OK)
		status = load(source, error);
	if (status != HISTREE_OK)
		interval_source_release(source);
	return status;
}

void interval_source_release(struct interval_source *source)
{
	bench_model_release(&source->model);
	free(source->intervals);
	arena_release(&source->values);
	histree_history_close(source->history);
	histree_store_close(source->store);
	*source = (struct interval_source){ 0 };
}

void interval_cursor_begin(struct interval_cursor *cursor, const struct interval_source *source)
{
	cursor->source = source;
	cursor->index = 0;
	cursor->state = cursor->place = 0;
	cursor->next = cursor->count = 0;
}

static struct histree_interval make_next(struct interval_cursor *cursor)
{
	const struct interval_source *source = cursor->source;
	uint64_t index = cursor->index++;
	if (source->intervals != NULL)
		return source->intervals[index];
	struct histree_interval interval = bench_model_interval(&source->model, cursor->place, cursor->state);
	if (++cursor->place == source->model.attributes) {
		cursor->place = 0;
		cursor->state++;
	}
	return interval;
}

void interval_cursor_make(struct interval_cursor *cursor)
{
	const struct interval_source *source = cursor->source;
	cursor->next = cursor->count = 0;
	if (source->making != NULL)
		bench_stopwatch_start(source->making);
	while (cursor->count < CURSOR_INTERVALS && cursor->index < source->interval_count)
		cursor->made[cursor->count++] = make_next(cursor);
	if (source->making != NULL)
		bench_stopwatch_stop(source->making);
}
