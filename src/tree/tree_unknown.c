// SPDX-License-Identifier: MIT
#include "tree/tree_unknown.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

/* One or more intervals, each after the one before, that can be read: their attribute is known then. */
struct cover {
	histree_time start, end;
	histree_quark quark;
};

struct covers {
	struct cover *covers;
	size_t count, capacity;
};

static int by_quark_and_start(const void *a, const void *b)
{
	const struct cover *one = a, *other = b;
	if (one->quark != other->quark)
		return one->quark < other->quark ? -1 : 1;
	return (one->start > other->start) - (one->start < other->start);
}

/*
 * Add an interval.  Nodes have those of a key one after the other, so there are few more covers than nodes times
 * keys.
 */
static bool cover(struct covers *covers, const struct histree_interval *interval)
{
	struct cover *last = covers->count > 0 ? &covers->covers[covers->count - 1] : NULL;
	if (last != NULL && last->quark == interval->quark && interval->start > last->end &&
	    interval->start - 1 == last->end) {
		last->end = interval->end;
		return true;
	}
	if (!array_reserve(&covers->covers, &covers->capacity, covers->count + 1))
		return false;
	covers->covers[covers->count++] =
		(struct cover){ .start = interval->start, .end = interval->end, .quark = interval->quark };
	return true;
}

static enum histree_status collect(struct tree_reader *reader, const struct histree_region *region,
				   struct covers *covers, struct histree_error *error)
{
	struct tree_iter *iter;
	enum histree_status status = tree_iter_create(reader, &iter, error);
	if (status != HISTREE_OK)
		return status;
	tree_iter_keep_to_nodes(iter);
	tree_iter_start(iter, region);
	struct histree_interval interval;
	while ((status = tree_iter_next(iter, &interval, error)) == HISTREE_OK)
		if (!cover(covers, &interval)) {
			status = error_memory(error, "what a damaged history says");
			break;
		}
	tree_iter_free(iter);
	if (covers->count > 0)
		qsort(covers->covers, covers->count, sizeof(*covers->covers), by_quark_and_start);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status add_unknown(struct tree_unknown *unknown, histree_quark quark, histree_time start,
				       histree_time end, struct histree_error *error)
{
	if (!array_reserve(&unknown->intervals, &unknown->capacity, unknown->count + 1))
		return error_memory(error, "what a damaged history does not say");
	unknown->intervals[unknown->count++] =
		(struct histree_interval){ .start = start, .end = end, .quark = quark, .value = histree_unknown() };
	return HISTREE_OK;
}

/* Add what the `count` known intervals of an attribute leave uncovered in the region's range of times. */
static enum histree_status add_uncovered(struct tree_unknown *unknown, histree_quark quark,
					 const struct cover *covers, size_t count,
					 const struct histree_region *region, struct histree_error *error)
{
	histree_time at = region->from;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (covers[i].start > at)
			status = add_unknown(unknown, quark, at, covers[i].start - 1, error);
		if (covers[i].end >= region->to)
			return status;
		if (covers[i].end >= at) /* as in every sound history */
			at = covers[i].end + 1;
	}
	return status == HISTREE_OK ? add_unknown(unknown, quark, at, region->to, error) : status;
}

/* As add_uncovered() where times are listed: adds each that is not covered. */
static enum histree_status add_uncovered_times(struct tree_unknown *unknown, histree_quark quark,
					       const struct cover *covers, size_t count,
					       const struct histree_region *region, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t known = 0;
	for (size_t i = 0; i < region->time_count && status == HISTREE_OK; i++) {
		histree_time time = region->times[i];
		while (known < count && covers[known].end < time)
			known++;
		if (known < count && covers[known].start <= time)
			continue;
		if (i == 0 || region->times[i - 1] != time)
			status = add_unknown(unknown, quark, time, time, error);
	}
	return status;
}

enum histree_status tree_unknown_find(struct tree_reader *reader, const struct histree_region *region,
				      struct tree_unknown *unknown, struct histree_error *error)
{
	struct covers covers = { 0 };
	unknown->count = unknown->next = 0;
	/* One attribute at one time, of which nothing was read: there is nothing to tell it from. */
	if (region->quarks != NULL && region->quark_count == 1 && region->from == region->to)
		return add_unknown(unknown, region->quarks[0], region->from, region->to, error);
	enum histree_status status = collect(reader, region, &covers, error);
	size_t key_count = region->quarks != NULL ? region->quark_count : tree_reader_key_count(reader), first = 0;
	for (size_t i = 0; i < key_count && status == HISTREE_OK; i++) {
		histree_quark quark = region->quarks != NULL ? region->quarks[i] : (histree_quark)i;
		size_t end = first;
		while (end < covers.count && covers.covers[end].quark == quark)
			end++;
		const struct cover *known = end > first ? &covers.covers[first] : NULL;
		status = region->times != NULL
				 ? add_uncovered_times(unknown, quark, known, end - first, region, error)
				 : add_uncovered(unknown, quark, known, end - first, region, error);
		first = end;
	}
	free(covers.covers);
	return status;
}

void tree_unknown_release(struct tree_unknown *unknown)
{
	free(unknown->intervals);
	*unknown = (struct tree_unknown){ 0 };
}
