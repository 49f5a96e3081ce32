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
#include "cli/bench.h"
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
	struct bench_stopwatch *making; /* what making the intervals takes; NULL: nobody asks */
};

/* On failure there is nothing to release. */
enum histree_status interval_source_model(struct interval_source *source, uint32_t attributes, uint32_t states,
					  uint64_t seed, struct histree_error *error);
enum histree_status interval_source_store(struct interval_source *source, const char *path, const char *analysis,
					  struct histree_error *error);
void interval_source_release(struct interval_source *source);

/* Intervals are made so many at a time. */
enum { CURSOR_INTERVALS = 512 };

struct interval_cursor {
	const struct interval_source *source;
	uint64_t index;        /* of the next to be made */
	uint32_t state, place; /* in the model */
	size_t next, count;    /* of those that are made */
	struct histree_interval made[CURSOR_INTERVALS];
};

void interval_cursor_begin(struct interval_cursor *cursor, const struct interval_source *source);

/* Make the next ones.  There are none after the last. */
void interval_cursor_make(struct interval_cursor *cursor);

/* Returns false after the last. */
static inline bool interval_cursor_next(struct interval_cursor *cursor, struct histree_interval *out)
{
	if (cursor->next == cursor->count)
		interval_cursor_make(cursor);
	if (cursor->next == cursor->count)
		return false;
	*out = cursor->made[cursor->next++];
	return true;
}

#endif
