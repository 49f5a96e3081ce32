// SPDX-License-Identifier: MIT
/*
 * range_cover.c - nested ranges become pieces without overlap, each with the deepest range that covers it, so
 * that a look-up is one search by halves.
 */
#include "symbols/range_cover.h"

#include <stdlib.h>

#include "base/table.h"
#include "base/search.h"

/* A walk over all places where ranges begin or end. */
struct sweep {
	const struct cover_range *ranges; /* by start */
	uint64_t *ends;                   /* ascending */
	uint32_t *open;                   /* a heap of ranges; some of them, but not the first, may have ended */
	size_t open_count;
};

static int by_start(const void *one, const void *other)
{
	const struct cover_range *a = one, *b = other;
	return a->start != b->start ? (a->start < b->start ? -1 : 1) : 0;
}

static int by_number(const void *one, const void *other)
{
	const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
	return a != b ? (a < b ? -1 : 1) : 0;
}

static bool goes_first(const struct sweep *sweep, uint32_t one, uint32_t other)
{
	const struct cover_range *a = &sweep->ranges[one], *b = &sweep->ranges[other];
	const uint64_t a_size = a->end - a->start, b_size = b->end - b->start;
	if (a->depth != b->depth)
		return a->depth > b->depth;
	return a_size != b_size ? a_size < b_size : a->item < b->item;
}

static void push(struct sweep *sweep, uint32_t range)
{
	size_t at = sweep->open_count++;
	for (size_t up; at > 0 && goes_first(sweep, range, sweep->open[up = (at - 1) / 2]); at = up)
		sweep->open[at] = sweep->open[up];
	sweep->open[at] = range;
}

static void pop(struct sweep *sweep)
{
	const uint32_t last = sweep->open[--sweep->open_count];
	size_t at = 0;
	for (size_t down; (down = 2 * at + 1) < sweep->open_count; at = down) {
		if (down + 1 < sweep->open_count && goes_first(sweep, sweep->open[down + 1], sweep->open[down]))
			down++;
		if (!goes_first(sweep, sweep->open[down], last))
			break;
		sweep->open[at] = sweep->open[down];
	}
	sweep->open[at] = last;
}

static bool add_piece(struct range_cover *cover, uint64_t start, uint32_t item)
{
	const uint32_t before = cover->count > 0 ? cover->pieces[cover->count - 1].item : COVER_NONE;
	if (item == before)
		return true;
	if (!array_reserve(&cover->pieces, &cover->capacity, cover->count + 1))
		return false;
	cover->pieces[cover->count++] = (struct cover_piece){ start, item };
	return true;
}

/* Leaves out ranges that have nothing; returns how many are left. */
static size_t keep_filled(struct cover_range *ranges, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (ranges[i].start < ranges[i].end)
			ranges[kept++] = ranges[i];
	return kept;
}

bool range_cover_make(struct range_cover *cover, struct cover_range *ranges, size_t count)
{
	bool is_made = true;
	count = keep_filled(ranges, count);
	if (count == 0)
		return true;
	struct sweep sweep = { .ranges = ranges,
			       .ends = malloc(count * sizeof(*sweep.ends)),
			       .open = malloc(count * sizeof(*sweep.open)) };
	if (sweep.ends == NULL || sweep.open == NULL) {
		is_made = false;
		goto out;
	}
	qsort(ranges, count, sizeof(*ranges), by_start);
	for (size_t i = 0; i < count; i++)
		sweep.ends[i] = ranges[i].end;
	qsort(sweep.ends, count, sizeof(*sweep.ends), by_number);
	for (size_t begun = 0, ended = 0; is_made && ended < count;) {
		const bool begins = begun < count && ranges[begun].start < sweep.ends[ended];
		const uint64_t here = begins ? ranges[begun].start : sweep.ends[ended];
		while (begun < count && ranges[begun].start == here)
			push(&sweep, (uint32_t)begun++);
		while (ended < count && sweep.ends[ended] == here)
			ended++;
		while (sweep.open_count > 0 && ranges[sweep.open[0]].end <= here)
			pop(&sweep);
		is_made = add_piece(cover, here, sweep.open_count > 0 ? ranges[sweep.open[0]].item : COVER_NONE);
	}
out:
	free(sweep.ends);
	free(sweep.open);
	return is_made;
}

uint32_t range_cover_find(const struct range_cover *cover, uint64_t address)
{
	/* The first piece that begins above the address. */
	const size_t low = SEARCH(i, 0, cover->count, cover->pieces[i].start <= address);
	return low > 0 ? cover->pieces[low - 1].item : COVER_NONE;
}

void range_cover_release(struct range_cover *cover)
{
	free(cover->pieces);
	*cover = (struct range_cover){ .pieces = NULL };
}
