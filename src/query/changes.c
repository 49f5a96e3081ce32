// SPDX-License-Identifier: MIT
/*
 * changes.c - the changes of some attributes in the order of time (histree/lookup.h).
 *
 * Trees hand out the intervals of a region in the order of their nodes.  So the range is cut into windows, whose
 * changes are sorted.  A time is known by its distance from the end of the range at which the iterator begins:
 * forwards and backwards are then the same.  A window that turns out to have too many changes loses its farther
 * half while it is read, and the next one begins there.
 *
 * Where a node is damaged, what it held is unknown, as far as a query asks for it: of a window, a part.  Such a
 * window is read once more, as a part of the whole range.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "histree/lookup.h"

enum {
	WINDOW_CHANGES_MAX = 65536,
	WINDOW_CHANGES_FIRST = 1024, /* wanted of the first window: callers may stop soon */
	WINDOW_BYTES_MAX = 16 << 20,
	GROWTH = 4, /* of a window after one that had few changes */
};

struct found_change {
	uint64_t distance;
	struct histree_interval interval; /* its bytes are in `bytes` */
};

struct histree_changes {
	struct histree_history *history;
	struct histree_query *query;
	struct histree_changes_region region;
	/* What is to be read yet begins at this distance; none is left if `at_end` is set. */
	uint64_t next;
	bool at_end;
	uint64_t length; /* of the next window, less one */
	bool is_damaged; /* a window so far had nodes that cannot be read */
	/* The window that was read: its changes by distance and quark, and how many were handed out. */
	struct found_change *found;
	size_t count, capacity, handed_out;
	struct histree_interval *intervals; /* those of one time, handed out together */
	size_t intervals_capacity;
	struct arena bytes;
	size_t count_max, bytes_max; /* above which a window is cut */
};

enum histree_status histree_changes_create(struct histree_history *history, struct histree_changes **out,
					   struct histree_error *error)
{
	*out = NULL;
	struct histree_changes *changes = calloc(1, sizeof(*changes));
	if (changes == NULL)
		return error_memory(error, "an iterator of changes");
	changes->history = history;
	changes->at_end = true;
	enum histree_status status = histree_query_create(history, &changes->query, error);
	if (status != HISTREE_OK) {
		free(changes);
		return status;
	}
	*out = changes;
	return HISTREE_OK;
}

void histree_changes_free(struct histree_changes *changes)
{
	if (changes == NULL)
		return;
	histree_query_free(changes->query);
	arena_release(&changes->bytes);
	free(changes->found);
	free(changes->intervals);
	free(changes);
}

/* ---- distances -------------------------------------------------------------------------------------- */

static uint64_t span_of(const struct histree_changes *changes)
{
	return (uint64_t)changes->region.to - (uint64_t)changes->region.from;
}

static uint64_t distance_of(const struct histree_changes *changes, histree_time t)
{
	return changes->region.backwards ? (uint64_t)changes->region.to - (uint64_t)t
					 : (uint64_t)t - (uint64_t)changes->region.from;
}

static histree_time time_at(const struct histree_changes *changes, uint64_t distance)
{
	return changes->region.backwards ? (histree_time)((uint64_t)changes->region.to - distance)
					 : (histree_time)((uint64_t)changes->region.from + distance);
}

static int by_distance(const void *one, const void *other)
{
	const struct found_change *a = one, *b = other;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return a->interval.quark < b->interval.quark ? -1 : a->interval.quark > b->interval.quark;
}

/* ---- windows ---------------------------------------------------------------------------------------- */

static void forget_window(struct histree_changes *changes)
{
	changes->count = changes->handed_out = 0;
	changes->count_max = WINDOW_CHANGES_MAX;
	changes->bytes_max = WINDOW_BYTES_MAX;
	arena_release(&changes->bytes);
}

static bool copy_bytes(struct arena *arena, struct histree_value *value)
{
	if (value->type != HISTREE_STRING && value->type != HISTREE_CUSTOM)
		return true;
	value->bytes = arena_copy(arena, value->bytes, value->size);
	return value->bytes != NULL;
}

/* Keep the nearer half, and all changes of the nearest time.  *last becomes the last distance that is complete. */
static enum histree_status cut_window(struct histree_changes *changes, uint64_t *last, struct histree_error *error)
{
	struct found_change *found = changes->found;
	qsort(found, changes->count, sizeof(*found), by_distance);
	uint64_t middle = found[changes->count / 2].distance;
	*last = middle > found[0].distance ? middle - 1 : middle;
	size_t kept = changes->count;
	while (found[kept - 1].distance > *last)
		kept--;
	struct arena bytes = { 0 };
	for (size_t i = 0; i < kept; i++)
		if (!copy_bytes(&bytes, &found[i].interval.value)) {
			arena_release(&bytes);
			return error_memory(error, "changes");
		}
	arena_release(&changes->bytes);
	changes->bytes = bytes;
	changes->count = kept;
	/* What is all of one time cannot be cut: have it whole, without trying at each step. */
	if (changes->count_max < 2 * kept)
		changes->count_max = 2 * kept;
	if (changes->bytes_max < 2 * bytes.bytes_total)
		changes->bytes_max = 2 * bytes.bytes_total;
	return HISTREE_OK;
}

static enum histree_status keep(struct histree_changes *changes, const struct histree_interval *interval,
				uint64_t *last, struct histree_error *error)
{
	struct found_change change = { .distance = distance_of(changes, interval->start), .interval = *interval };
	if (interval->start < changes->region.from || interval->start > changes->region.to ||
	    change.distance < changes->next || change.distance > *last)
		return HISTREE_OK;
	if (!array_reserve(&changes->found, &changes->capacity, changes->count + 1) ||
	    !copy_bytes(&changes->bytes, &change.interval.value))
		return error_memory(error, "changes");
	changes->found[changes->count++] = change;
	bool too_much = changes->count > changes->count_max || changes->bytes.bytes_total > changes->bytes_max;
	return too_much ? cut_window(changes, last, error) : HISTREE_OK;
}

/* Read the changes from `next` to *last, which may become less, by a query of a range that has these times. */
static enum histree_status read_range(struct histree_changes *changes, histree_time from, histree_time to,
				      uint64_t *last, struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = changes->region.quarks,
		.quark_count = changes->region.quark_count,
		.from = from,
		.to = to,
	};
	struct histree_interval interval;
	enum histree_status status = histree_query_start(changes->query, &region, error);
	while (status == HISTREE_OK &&
	       (status = histree_query_next(changes->query, &interval, error)) == HISTREE_OK)
		status = keep(changes, &interval, last, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status read_window(struct histree_changes *changes, uint64_t *last, struct histree_error *error)
{
	const struct histree_changes_region *all = &changes->region;
	histree_time near = time_at(changes, changes->next), far = time_at(changes, *last);
	histree_time from = near < far ? near : far, to = near < far ? far : near;
	if (changes->is_damaged)
		from = all->from, to = all->to;
	enum histree_status status = read_range(changes, from, to, last, error);
	bool is_damaged = histree_query_stats(changes->query).nodes_damaged > 0;
	changes->is_damaged |= is_damaged;
	if (status == HISTREE_OK && is_damaged && (from > all->from || to < all->to)) {
		forget_window(changes);
		status = read_range(changes, all->from, all->to, last, error);
	}
	if (status == HISTREE_OK && changes->count > 0)
		qsort(changes->found, changes->count, sizeof(*changes->found), by_distance);
	return status;
}

/* Have a window with changes, or none if there are no more. */
static enum histree_status next_window(struct histree_changes *changes, struct histree_error *error)
{
	uint64_t span = span_of(changes);
	forget_window(changes);
	while (changes->count == 0 && !changes->at_end) {
		uint64_t last = span - changes->next > changes->length ? changes->next + changes->length : span;
		enum histree_status status = read_window(changes, &last, error);
		if (status != HISTREE_OK) {
			changes->at_end = true;
			forget_window(changes);
			return status;
		}
		changes->length = last - changes->next;
		if (changes->count < WINDOW_CHANGES_MAX / GROWTH / 2)
			changes->length =
				changes->length < UINT64_MAX / GROWTH ? (changes->length + 1) * GROWTH : UINT64_MAX;
		/* Where there is damage a window costs as much as all: as few of them as there is room for. */
		if (changes->is_damaged)
			changes->length = UINT64_MAX;
		changes->at_end = last == span;
		changes->next = last + 1;
	}
	return HISTREE_OK;
}

/* A window that would have about as many changes as the first one is wanted to, were they spread evenly. */
static uint64_t first_length(const struct histree_changes *changes)
{
	const struct histree_history_info *info = histree_history_info(changes->history);
	double attributes = changes->region.quarks != NULL ? (double)changes->region.quark_count
							   : (double)info->attribute_count;
	double expected = (double)info->interval_count * attributes / ((double)info->attribute_count + 1);
	double wanted = attributes > WINDOW_CHANGES_FIRST ? attributes : WINDOW_CHANGES_FIRST;
	double whole = (double)((uint64_t)info->end - (uint64_t)info->start);
	double length = expected > wanted ? whole / expected * wanted : whole;
	uint64_t span = span_of(changes);
	return length < (double)span ? (uint64_t)length : span;
}

enum histree_status histree_changes_start(struct histree_changes *changes,
					  const struct histree_changes_region *region, struct histree_error *error)
{
	const struct histree_region asked = {
		.quarks = region->quarks, .quark_count = region->quark_count, .from = region->from, .to = region->to
	};
	changes->at_end = true;
	forget_window(changes);
	enum histree_status status = histree_query_start(changes->query, &asked, error);
	if (status != HISTREE_OK)
		return status;
	changes->region = *region;
	changes->next = 0;
	changes->is_damaged = false;
	changes->at_end = region->quarks != NULL && region->quark_count == 0;
	if (!changes->at_end)
		changes->length = first_length(changes);
	return HISTREE_OK;
}

enum histree_status histree_changes_next(struct histree_changes *changes, struct histree_change *out,
					 struct histree_error *error)
{
	*out = (struct histree_change){ .time = 0 };
	if (changes->handed_out == changes->count) {
		enum histree_status status = next_window(changes, error);
		if (status != HISTREE_OK)
			return status;
		if (changes->count == 0)
			return HISTREE_END;
	}
	size_t first = changes->handed_out, count = 1;
	uint64_t distance = changes->found[first].distance;
	while (first + count < changes->count && changes->found[first + count].distance == distance)
		count++;
	if (!array_reserve(&changes->intervals, &changes->intervals_capacity, count))
		return error_memory(error, "changes");
	for (size_t i = 0; i < count; i++)
		changes->intervals[i] = changes->found[first + i].interval;
	changes->handed_out += count;
	*out = (struct histree_change){ time_at(changes, distance), changes->intervals, count };
	return HISTREE_OK;
}

bool histree_changes_are_damaged(const struct histree_changes *changes)
{
	return changes->is_damaged;
}
