/* SPDX-License-Identifier: MIT */
/*
 * interval_source.h - the intervals that every peer is given: those of the model, or of a real store.
 *
 * They come by non-decreasing end, as a state system hands them out, or by non-decreasing start, as the changes
 * come that a state system takes.  Two neighbours of a store with the same value are made one, because two
 * changes to the same value are one.
 */
#ifndef BENCH_INTERVAL_SOURCE_H
#define BENCH_INTERVAL_SOURCE_H

#include "base/arena.h"
#include "cli/bench_model.h"
#include "histree/store.h"

struct interval_source {
	histree_time start, end;
	uint32_t attribute_count;
	uint64_t interval_count;
	const struct histree_attributes *attributes; /* NULL: of the model, named by their numbers */

	struct bench_model model; /* or: */
	struct histree_store *store;
	struct histree_history *history;
	struct histree_interval *intervals; /* by end */
	struct arena values;
};

/* On failure there is nothing to release. */
enum histree_status interval_source_model(struct interval_source *source, uint32_t attributes, uint32_t states,
					  uint64_t seed, struct histree_error *error);
enum histree_status interval_source_store(struct interval_source *source, const char *path, const char *analysis,
					  struct histree_error *error);
void interval_source_release(struct interval_source *source);

struct interval_cursor {
	const struct interval_source *source;
	uint64_t index;
	uint32_t state, place; /* in the model */
};

static inline struct interval_cursor interval_cursor(const struct interval_source *source)
{
	return (struct interval_cursor){ .source = source };
}

/* Returns false after the last. */
static inline bool interval_cursor_next(struct interval_cursor *cursor, struct histree_interval *out)
{
	const struct interval_source *source = cursor->source;
	if (cursor->index == source->interval_count)
		return false;
	uint64_t index = cursor->index++;
	if (source->intervals != NULL) {
		*out = source->intervals[index];
		return true;
	}
	*out = bench_model_interval(&source->model, cursor->place, cursor->state);
	if (++cursor->place == source->model.attributes) {
		cursor->place = 0;
		cursor->state++;
	}
	return true;
}

#endif
