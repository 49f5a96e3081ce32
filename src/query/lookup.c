// SPDX-License-Identifier: MIT
/*
 * lookup.c - the states before and after a time, the changes of a range, and the numbers of one.
 *
 * The numbers of an attribute over a range, added up by summaries of its number overview as far
 * as these lie inside the range, from the widest ones down, and by the states that are left at both ends.
 *
 * The changes of some attributes in the order of time (histree/states.h).
 *
 * Trees hand out the intervals of a region in the order of their nodes.  So the range is cut into windows, whose
 * changes are sorted.  A time is represented by its distance from the end of the range at which the iterator
 * begins, so that forwards and backwards are the same.  A window that turns out to have too many changes loses its
 * farther half while it is read, and the next one begins there.
 *
 * Where a node is damaged, its content is unknown, but a query of a window sees only a part of that.  Such a window
 * is read again, as a part of the whole range.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/states.h"
#include "item/value.h"
#include "query/query.h"
#include "state/history.h"
#include "state/pyramid_cells.h"

/* ---- lookup -------------------------------------------------------------------------------------------------- */

/* ---- stacks ----------------------------------------------------------------------------------------- */

/* The sub-attribute of the slot of a depth that was found. */
static enum histree_status find_slot(const struct histree_cursor *query, histree_quark quark,
				     const struct histree_value *depth, histree_quark *slot,
				     struct histree_error *error)
{
	if (depth->type != HISTREE_INT)
		return error_set(error, HISTREE_ERR_TYPE,
				 "attribute %" PRIu32 " is no stack: a depth is an int, but this is a %s", quark,
				 histree_type_name(depth->type));
	char name[sizeof("-2147483648")];
	int size = snprintf(name, sizeof(name), "%" PRId32, depth->int32);
	const struct histree_attributes *attributes = histree_history_attributes(histree_query_history(query));
	if (depth->int32 < 0 || histree_attributes_child(attributes, quark, name, (size_t)size, slot) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "attribute %" PRIu32 " is no stack: its depth is %s, but it has no such "
				 "sub-attribute",
				 quark, name);
	return HISTREE_OK;
}

enum histree_status histree_lookup_stack_top(struct histree_cursor *query, histree_quark quark, histree_time t,
					     struct histree_interval *out, struct histree_error *error)
{
	histree_quark slot;
	enum histree_status status = histree_query_single(query, quark, t, out, error);
	if (status != HISTREE_OK || out->value.type == HISTREE_UNKNOWN)
		return status;
	if (out->value.type == HISTREE_NULL || (out->value.type == HISTREE_INT && out->value.int32 == 0))
		return HISTREE_NOT_FOUND;
	status = find_slot(query, quark, &out->value, &slot, error);
	return status == HISTREE_OK ? histree_query_single(query, slot, t, out, error) : status;
}

/* ---- the first value -------------------------------------------------------------------------------- */

/* Seldom more than two steps: what follows a null is another value, unless a file was put together of several. */
enum histree_status histree_lookup_first_value(struct histree_cursor *query, histree_quark quark, histree_time from,
					       histree_time to, struct histree_interval *out,
					       struct histree_error *error)
{
	if (from > to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %" PRId64 " to %" PRId64, from, to);
	const struct histree_history_info *info = histree_history_info(histree_query_history(query));
	if (to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "time %" PRId64 " is outside the history, from %" PRId64 " to %" PRId64, to,
				 info->start, info->end);
	for (histree_time t = from;; t = out->end + 1) {
		enum histree_status status = histree_query_single(query, quark, t, out, error);
		if (status != HISTREE_OK || out->value.type != HISTREE_NULL)
			return status;
		if (out->end >= to)
			return HISTREE_NOT_FOUND;
	}
}

/* ---- lookup numbers ------------------------------------------------------------------------------------------ */

struct time_range {
	histree_time from, to; /* both inclusive */
};

/* What is not added up yet: all of it, or what is on either side of what is. */
struct rests {
	struct time_range ranges[2];
	unsigned count;
	bool is_cut; /* there are summaries between them, or beside the only one */
};

struct number_lookup {
	struct histree_cursor *query;
	histree_quark quark;
	struct time_range asked;
	struct number_summary sum;
};

/* A query must not go on with a region that was ours. */
static void forget(struct histree_cursor *query)
{
	const histree_quark none = 0;
	enum histree_status status =
		histree_query_start(query, &(struct histree_region){ .quarks = &none, .quark_count = 0 }, NULL);
	(void)status; /* nothing is asked for, so nothing can be wrong */
}

/* ---- states ---------------------------------------------------------------------------------------------- */

/*
 * Adds what the history says of a range.  HISTREE_ERR_FORMAT: it was cut by summaries, and not between two states,
 * or there is damage, of which the caller shall hear.
 */
static enum histree_status add_states(struct number_lookup *lookup, const struct time_range *range, bool is_cut,
				      struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = &lookup->quark, .quark_count = 1, .from = range->from, .to = range->to
	};
	bool begins = range->from == lookup->asked.from, ends = range->to == lookup->asked.to;
	struct histree_interval interval;
	enum histree_status status = histree_query_start(lookup->query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(lookup->query, error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(lookup->query);
		histree_time start = interval.start > range->from ? interval.start : range->from;
		histree_time end = interval.end < range->to ? interval.end : range->to;
		number_summary_add(&lookup->sum, &interval.value, number_summary_ns(start, end));
		begins = begins || interval.start == range->from;
		ends = ends || interval.end == range->to;
	}
	if (status != HISTREE_END) {
		forget(lookup->query);
		return status;
	}
	bool is_sound = begins && ends && histree_cursor_loss(lookup->query).nodes == 0;
	return is_cut && !is_sound ? HISTREE_ERR_FORMAT : HISTREE_OK;
}

/* ---- summaries ------------------------------------------------------------------------------------------- */

/* The summaries of one level that lie inside a range: they follow one another. */
struct inside {
	histree_time first, last;
	wide_uint ns; /* 0: there are no numbers */
};

static bool add_summary(struct number_lookup *lookup, const struct histree_interval *interval,
			struct inside *inside)
{
	struct number_summary summary;
	wide_uint ns = number_summary_ns(interval->start, interval->end);
	if (interval->value.type != HISTREE_CUSTOM ||
	    !number_summary_get(&summary, ns, interval->value.bytes, interval->value.size))
		return false;
	if (inside->ns == 0 || interval->start < inside->first)
		inside->first = interval->start;
	if (inside->ns == 0 || interval->end > inside->last)
		inside->last = interval->end;
	inside->ns += ns;
	number_summary_add_summary(&lookup->sum, &summary);
	return true;
}

static enum histree_status add_inside(struct number_lookup *lookup, struct histree_cursor *query, histree_quark own,
				      const struct time_range *range, struct inside *inside,
				      struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = &own, .quark_count = 1, .from = range->from, .to = range->to
	};
	struct histree_interval interval;
	*inside = (struct inside){ 0 };
	enum histree_status status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		assert(interval.start <= interval.end);
		bool is_inside = interval.start >= range->from && interval.end <= range->to;
		if (is_inside && !add_summary(lookup, &interval, inside))
			status = HISTREE_ERR_FORMAT;
	}
	if (status != HISTREE_END) {
		forget(query);
		return status;
	}
	bool is_whole = inside->ns == 0 || inside->ns == number_summary_ns(inside->first, inside->last);
	return is_whole && histree_cursor_loss(query).nodes == 0 ? HISTREE_OK : HISTREE_ERR_FORMAT;
}

/* What a level does not cover is left to the next one. */
static enum histree_status add_level(struct number_lookup *lookup, struct histree_cursor *query, histree_quark own,
				     struct rests *rests, struct histree_error *error)
{
	struct rests left = { .is_cut = rests->is_cut };
	for (unsigned i = 0; i < rests->count; i++) {
		const struct time_range *range = &rests->ranges[i];
		struct inside inside;
		enum histree_status status = add_inside(lookup, query, own, range, &inside, error);
		if (status != HISTREE_OK)
			return status;
		if (inside.ns == 0) {
			left.ranges[left.count++] = *range;
			continue;
		}
		/* The second time there is something on one side only, or levels do not lie in one another. */
		unsigned sides = (inside.first > range->from) + (inside.last < range->to);
		if (left.count + sides + (rests->count - 1 - i) > 2)
			return HISTREE_ERR_FORMAT;
		assert(inside.first >= range->from && inside.last <= range->to);
		left.is_cut = true;
		if (inside.first > range->from)
			left.ranges[left.count++] = (struct time_range){ range->from, inside.first - 1 };
		if (inside.last < range->to)
			left.ranges[left.count++] = (struct time_range){ inside.last + 1, range->to };
	}
	assert(left.count <= 2);
	*rests = left;
	return HISTREE_OK;
}

/* HISTREE_ERR_FORMAT: the overview is damaged. */
static enum histree_status add_summaries(struct number_lookup *lookup, const histree_quark *own, uint32_t levels,
					 struct histree_error *error)
{
	struct rests rests = { .ranges = { lookup->asked }, .count = 1 };
	struct histree_cursor *query;
	enum histree_status status = query_numbers(lookup->query, &query, error);
	while (levels-- > 0 && status == HISTREE_OK)
		status = add_level(lookup, query, own[levels], &rests, error);
	for (unsigned i = 0; i < rests.count && status == HISTREE_OK; i++)
		status = add_states(lookup, &rests.ranges[i], rests.is_cut, error);
	return status;
}

/* ---------------------------------------------------------------------------------------------------------- */

/* A mean outside of the numbers is a forged sum. */
static bool is_within(const struct number_summary *sum)
{
	struct histree_value mean = histree_double(number_summary_mean(sum));
	if (sum->states == 0 || mean.real != mean.real)
		return true;
	/* The mean is rounded, and so may be one of whole numbers that no double is. */
	double min = sum->min.type == HISTREE_DOUBLE ? sum->min.real
		     : sum->min.type == HISTREE_INT  ? sum->min.int32
						     : (double)sum->min.int64;
	double max = sum->max.type == HISTREE_DOUBLE ? sum->max.real
		     : sum->max.type == HISTREE_INT  ? sum->max.int32
						     : (double)sum->max.int64;
	return min <= mean.real && mean.real <= max;
}

static uint64_t bounded(wide_uint ns)
{
	return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

/* Those of the shard as far as its host was traced; before and after that, nothing is a number. */
static enum histree_status numbers_of_host(struct histree_cursor *query, histree_quark quark, histree_time from,
					   histree_time to, struct histree_numbers *out,
					   struct histree_error *error)
{
	struct histree_history *history = histree_query_history(query);
	size_t number = histree_history_host_of(history, quark), count;
	const struct histree_history_host *host = &histree_history_hosts(history, &count)[number];
	wide_uint asked = number_summary_ns(from, to), inside = 0;
	enum histree_status status = HISTREE_OK;
	if (quark == host->folder) {
		struct histree_interval interval;
		status = histree_query_single(query, quark, from, &interval, error);
		bool is_unknown = status == HISTREE_OK && interval.value.type == HISTREE_UNKNOWN;
		out->unknown_ns = is_unknown ? bounded(asked) : 0;
		out->other_ns = is_unknown ? 0 : bounded(asked);
		return status;
	}
	const struct histree_history_info *own = histree_history_info(host->history);
	from = from > own->start ? from : own->start;
	to = to < own->end ? to : own->end;
	if (from <= to) {
		struct histree_cursor *shard;
		inside = number_summary_ns(from, to);
		status = union_query_of_host(query, number, &shard, error);
		if (status == HISTREE_OK)
			status = histree_lookup_numbers(shard, quark - host->folder - 1, from, to, out, error);
	}
	out->other_ns = bounded((wide_uint)out->other_ns + asked - inside);
	return status;
}

enum histree_status histree_lookup_numbers(struct histree_cursor *query, histree_quark quark, histree_time from,
					   histree_time to, struct histree_numbers *out,
					   struct histree_error *error)
{
	const struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = from, .to = to };
	struct number_lookup lookup = { .query = query, .quark = quark, .asked = { from, to } };
	*out = (struct histree_numbers){ .min = histree_null(), .max = histree_null() };
	enum histree_status status = histree_query_start(query, &region, error);
	if (status != HISTREE_OK)
		return status;
	if (history_union_of(histree_query_history(query)) != NULL) {
		forget(query);
		return numbers_of_host(query, quark, from, to, out, error);
	}
	histree_quark own[PYRAMID_LEVELS_MAX];
	uint32_t levels = pyramid_find(history_pyramid(histree_query_history(query), PYRAMID_NUMBERS), quark, own);
	status = HISTREE_ERR_FORMAT;
	if (levels > 0)
		status = add_summaries(&lookup, own, levels, error);
	if (status == HISTREE_OK && !is_within(&lookup.sum))
		status = HISTREE_ERR_FORMAT;
	if (status != HISTREE_OK && status != HISTREE_ERR_MEMORY) { /* the history itself says it all */
		lookup.sum = (struct number_summary){ 0 };
		status = add_states(&lookup, &lookup.asked, false, error);
	}
	if (status != HISTREE_OK)
		return status;
	const struct number_summary *sum = &lookup.sum;
	*out = (struct histree_numbers){
		.states = sum->states,
		.min = sum->min,
		.max = sum->max,
		.mean = number_summary_mean(sum),
		.number_ns = bounded(sum->number_ns),
		.unknown_ns = bounded(sum->unknown_ns),
		.other_ns = bounded(sum->other_ns),
	};
	return HISTREE_OK;
}

/* ---- changes ------------------------------------------------------------------------------------------------- */

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
