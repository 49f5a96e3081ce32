// SPDX-License-Identifier: MIT
/*
 * state_slice.c - the intervals of one slice in memory, sorted by attribute and start, and a cursor over a region
 * of them.
 */
#include "state/state_slice.h"

#include <stdlib.h>

#include "base/table.h"
#include "base/search.h"

bool state_slice_add(struct state_slice *slice, const struct histree_interval *interval)
{
	if (!array_reserve(&slice->intervals, &slice->capacity, slice->count + 1))
		return false;
	struct histree_interval *added = &slice->intervals[slice->count];
	*added = *interval;
	if (interval->value.type == HISTREE_STRING || interval->value.type == HISTREE_CUSTOM) {
		uint32_t number = intern_add(&slice->texts, interval->value.bytes, interval->value.size);
		if (number == INTERN_NONE)
			return false;
		size_t size;
		added->value.bytes = intern_get(&slice->texts, number, &size);
	}
	slice->count++;
	return true;
}

static int by_quark_and_start(const void *a, const void *b)
{
	const struct histree_interval *one = a, *other = b;
	if (one->quark != other->quark)
		return one->quark < other->quark ? -1 : 1;
	return (one->start > other->start) - (one->start < other->start);
}

void state_slice_sort(struct state_slice *slice)
{
	if (slice->count > 0)
		qsort(slice->intervals, slice->count, sizeof(*slice->intervals), by_quark_and_start);
}

size_t state_slice_bytes(const struct state_slice *slice)
{
	return slice->capacity * sizeof(*slice->intervals) + slice->texts.bytes.bytes_total +
	       slice->texts.strings_capacity * sizeof(*slice->texts.strings);
}

void state_slice_release(struct state_slice *slice)
{
	free(slice->intervals);
	intern_release(&slice->texts);
	*slice = (struct state_slice){ 0 };
}

/* ---- walking ------------------------------------------------------------------------------------------------- */

/*
 * Returns the first interval from `low` on that is of this attribute or a later one, and does not end before
 * `from`.
 */
static size_t find_first(const struct state_slice *slice, size_t low, histree_quark quark, histree_time from)
{
	const struct histree_interval *intervals = slice->intervals;
	return SEARCH(i, low, slice->count,
		      intervals[i].quark < quark || (intervals[i].quark == quark && intervals[i].end < from));
}

void slice_cursor_begin(struct slice_cursor *cursor, const struct state_slice *slice,
			const struct node_region *region)
{
	*cursor = (struct slice_cursor){ .slice = slice, .region = region };
	if (region->quarks != NULL && region->quark_count > 0)
		cursor->at = find_first(slice, 0, region->quarks[0], region->from);
}

/* Go on with the next attribute of the list. */
static bool next_quark(struct slice_cursor *cursor)
{
	const struct node_region *region = cursor->region;
	if (++cursor->quark_at >= region->quark_count)
		return false;
	cursor->at = find_first(cursor->slice, cursor->at, region->quarks[cursor->quark_at], region->from);
	return true;
}

size_t slice_cursor_read(struct slice_cursor *cursor, struct histree_interval *out, size_t room)
{
	const struct node_region *region = cursor->region;
	size_t count = 0;
	while (count < room && cursor->at < cursor->slice->count) {
		const struct histree_interval *interval = &cursor->slice->intervals[cursor->at];
		if (region->quarks != NULL) {
			if (cursor->quark_at >= region->quark_count)
				break;
			if (interval->quark != region->quarks[cursor->quark_at] || interval->start > region->to) {
				if (!next_quark(cursor))
					break;
				continue;
			}
		}
		cursor->at++;
		if (region_has_time_of(region, interval->start, interval->end))
			out[count++] = *interval;
	}
	return count;
}
