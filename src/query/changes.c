// SPDX-License-Identifier: MIT
/*
 * changes.c - the changes of some attributes in a range, in the order of time (histree/states.h).
 *
 * Trees hand out the intervals of a region in the order of their nodes.  So the range is cut into windows, whose
 * changes are sorted.  A time is represented by its distance from the end of the range at which the cursor begins,
 * so that forwards and backwards are the same.  A window that turns out to have too many changes loses its farther
 * half while it is read, and the next one begins there.
 *
 * Where a node is damaged, its content is unknown, but a query of a window sees only a part of that.  Such a window
 * is read again, as a part of the whole range.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/states.h"
#include "item/value.h"

enum {
	WINDOW_CHANGES_MAX = 65536,
	WINDOW_CHANGES_FIRST = 1024, /* wanted of the first window: callers may stop soon */
	WINDOW_BYTES_MAX = 16 << 20,
	GROWTH = 4, /* of a window after one that had few changes */
};

struct changes {
	struct histree_cursor cursor;
	struct histree_change change; /* handed out last */
	struct histree_history *history;
	struct histree_cursor *query;
	struct histree_changes_region region;
	/* What is to be read yet begins at this distance; none is left if `at_end` is set. */
	uint64_t next;
	bool at_end;
	uint64_t length;        /* of the next window, less one */
	uint64_t damaged_nodes; /* the most that a window so far had */
	/* The window that was read: its changes by distance and quark, and how many were handed out. */
	struct histree_interval *found;
	size_t count, capacity, handed_out;
	struct arena bytes;          /* of their values */
	size_t count_max, bytes_max; /* above which a window is cut */
};

static void free_changes(struct histree_cursor *cursor)
{
	struct changes *changes = (struct changes *)cursor;
	histree_cursor_free(changes->query);
	arena_release(&changes->bytes);
	free(changes->found);
	free(changes);
}

static struct histree_loss loss_of_changes(const struct histree_cursor *cursor)
{
	const struct changes *changes = (const struct changes *)cursor;
	return (struct histree_loss){ .nodes = changes->damaged_nodes };
}

static enum histree_status next_change(struct histree_cursor *cursor, struct histree_error *error);

static const struct cursor_kind kind_of_changes = {
	.rows = CURSOR_CHANGES,
	.next = next_change,
	.loss = loss_of_changes,
	.free = free_changes,
};

static struct changes *changes_of(struct histree_cursor *cursor)
{
	assert(cursor->kind == &kind_of_changes);
	return (struct changes *)cursor;
}

enum histree_status histree_changes_create(struct histree_history *history, struct histree_cursor **out,
					   struct histree_error *error)
{
	*out = NULL;
	struct changes *changes = calloc(1, sizeof(*changes));
	if (changes == NULL)
		return error_memory(error, "changes");
	changes->cursor = (struct histree_cursor){ .kind = &kind_of_changes, .row = &changes->change };
	changes->history = history;
	changes->at_end = true;
	enum histree_status status = histree_query_create(history, &changes->query, error);
	if (status != HISTREE_OK) {
		free(changes);
		return status;
	}
	*out = &changes->cursor;
	return HISTREE_OK;
}

/* ---- distances -------------------------------------------------------------------------------------- */

static uint64_t span_of(const struct changes *changes)
{
	return (uint64_t)changes->region.to - (uint64_t)changes->region.from;
}

static uint64_t distance_of(const struct changes *changes, histree_time t)
{
	return changes->region.backwards ? (uint64_t)changes->region.to - (uint64_t)t
					 : (uint64_t)t - (uint64_t)changes->region.from;
}

static histree_time time_at(const struct changes *changes, uint64_t distance)
{
	return changes->region.backwards ? (histree_time)((uint64_t)changes->region.to - distance)
					 : (histree_time)((uint64_t)changes->region.from + distance);
}

static int by_distance(const void *one, const void *other, void *context)
{
	const struct histree_interval *a = one, *b = other;
	const bool backwards = ((const struct changes *)context)->region.backwards;
	if (a->start != b->start)
		return (a->start < b->start) != backwards ? -1 : 1;
	return a->quark < b->quark ? -1 : a->quark > b->quark;
}

static void sort_found(struct changes *changes)
{
	if (changes->count > 0)
		qsort_r(changes->found, changes->count, sizeof(*changes->found), by_distance, changes);
}

/* ---- windows ---------------------------------------------------------------------------------------- */

static void forget_window(struct changes *changes)
{
	changes->count = changes->handed_out = 0;
	changes->count_max = WINDOW_CHANGES_MAX;
	changes->bytes_max = WINDOW_BYTES_MAX;
	arena_release(&changes->bytes);
}

/* Keep the nearer half, and all changes of the nearest time.  *last becomes the last distance that is complete. */
static enum histree_status cut_window(struct changes *changes, uint64_t *last, struct histree_error *error)
{
	struct histree_interval *found = changes->found;
	sort_found(changes);
	uint64_t middle = distance_of(changes, found[changes->count / 2].start);
	*last = middle > distance_of(changes, found[0].start) ? middle - 1 : middle;
	size_t kept = changes->count;
	while (distance_of(changes, found[kept - 1].start) > *last)
		kept--;
	struct arena bytes = { 0 };
	for (size_t i = 0; i < kept; i++)
		if (!value_keep(&found[i].value, &bytes)) {
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

static enum histree_status keep(struct changes *changes, const struct histree_interval *interval, uint64_t *last,
				struct histree_error *error)
{
	struct histree_interval change = *interval;
	const uint64_t distance = distance_of(changes, interval->start);
	if (interval->start < changes->region.from || interval->start > changes->region.to ||
	    distance < changes->next || distance > *last)
		return HISTREE_OK;
	if (!array_reserve(&changes->found, &changes->capacity, changes->count + 1) ||
	    !value_keep(&change.value, &changes->bytes))
		return error_memory(error, "changes");
	changes->found[changes->count++] = change;
	bool too_much = changes->count > changes->count_max || changes->bytes.bytes_total > changes->bytes_max;
	return too_much ? cut_window(changes, last, error) : HISTREE_OK;
}

/* Read the changes from `next` to *last, which may become less, by a query of a range that has these times. */
static enum histree_status read_range(struct changes *changes, histree_time from, histree_time to, uint64_t *last,
				      struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = changes->region.quarks,
		.quark_count = changes->region.quark_count,
		.from = from,
		.to = to,
	};
	struct histree_interval interval;
	enum histree_status status = histree_query_start(changes->query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(changes->query, error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(changes->query);
		status = keep(changes, &interval, last, error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status read_window(struct changes *changes, uint64_t *last, struct histree_error *error)
{
	const struct histree_changes_region *all = &changes->region;
	histree_time near = time_at(changes, changes->next), far = time_at(changes, *last);
	histree_time from = near < far ? near : far, to = near < far ? far : near;
	if (changes->damaged_nodes > 0)
		from = all->from, to = all->to;
	enum histree_status status = read_range(changes, from, to, last, error);
	const uint64_t damaged = histree_cursor_loss(changes->query).nodes;
	if (damaged > changes->damaged_nodes)
		changes->damaged_nodes = damaged;
	if (status == HISTREE_OK && damaged > 0 && (from > all->from || to < all->to)) {
		forget_window(changes);
		status = read_range(changes, all->from, all->to, last, error);
	}
	if (status == HISTREE_OK)
		sort_found(changes);
	return status;
}

/* Have a window with changes, or none if there are no more. */
static enum histree_status next_window(struct changes *changes, struct histree_error *error)
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
		if (changes->damaged_nodes > 0)
			changes->length = UINT64_MAX;
		changes->at_end = last == span;
		changes->next = last + 1;
	}
	return HISTREE_OK;
}

enum histree_status histree_changes_start(struct histree_cursor *cursor,
					  const struct histree_changes_region *region, struct histree_error *error)
{
	struct changes *changes = changes_of(cursor);
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
	changes->damaged_nodes = 0;
	changes->at_end = region->quarks != NULL && region->quark_count == 0;
	if (!changes->at_end) {
		/* A window with about as many changes as the first one is to have, were they spread evenly. */
		const struct histree_history_info *info = histree_history_info(changes->history);
		double attributes = changes->region.quarks != NULL ? (double)changes->region.quark_count
								   : (double)info->attribute_count;
		double expected = (double)info->interval_count * attributes / ((double)info->attribute_count + 1);
		double wanted = attributes > WINDOW_CHANGES_FIRST ? attributes : WINDOW_CHANGES_FIRST;
		double whole = (double)((uint64_t)info->end - (uint64_t)info->start);
		double length = expected > wanted ? whole / expected * wanted : whole;
		uint64_t span = span_of(changes);
		changes->length = length < (double)span ? (uint64_t)length : span;
	}
	return HISTREE_OK;
}

static enum histree_status next_change(struct histree_cursor *cursor, struct histree_error *error)
{
	struct changes *changes = changes_of(cursor);
	if (changes->handed_out == changes->count) {
		enum histree_status status = next_window(changes, error);
		if (status != HISTREE_OK)
			return status;
		if (changes->count == 0)
			return HISTREE_END;
	}
	size_t first = changes->handed_out, count = 1;
	const histree_time time = changes->found[first].start;
	while (first + count < changes->count && changes->found[first + count].start == time)
		count++;
	changes->handed_out += count;
	changes->change = (struct histree_change){ time, &changes->found[first], count };
	return HISTREE_OK;
}
