// SPDX-License-Identifier: MIT
#include "query/slice_walk.h"

void slice_walk_begin(struct slice_walk *walk, const struct partial_section *partial,
		      const struct history_slices *slices, const struct histree_region *region)
{
	const bool is_list = region->times != NULL;
	*walk = (struct slice_walk){
		.partial = partial,
		.slices = slices,
		.region = { .from = is_list ? region->times[0] : region->from,
			    .to = is_list ? region->times[region->time_count - 1] : region->to,
			    .quarks = region->quarks,
			    .quark_count = region->quark_count,
			    .times = region->times,
			    .time_count = region->time_count },
	};
	if (is_list && walk->region.from < walk->region.to)
		walk->region.times_per_ns = (double)(region->time_count - 1) /
					    (double)((uint64_t)walk->region.to - (uint64_t)walk->region.from);
}

static void let_go(struct slice_walk *walk)
{
	if (walk->held != NULL)
		walk->slices->release(walk->slices->context, walk->held);
	walk->held = NULL;
}

void slice_walk_stop(struct slice_walk *walk)
{
	let_go(walk);
	walk->partial = NULL;
}

void slice_walk_end(struct slice_walk *walk)
{
	walk->partial = NULL;
}

/* Hold the next slice that meets the region.  Returns HISTREE_END after the last one. */
static enum histree_status hold_next(struct slice_walk *walk, struct histree_error *error)
{
	let_go(walk);
	for (; walk->next < walk->partial->checkpoint_count; walk->next++) {
		const struct partial_slice *slice = &walk->partial->checkpoints[walk->next].slice;
		if (slice->from > slice->to || !region_has_time_of(&walk->region, slice->from, slice->to))
			continue;
		enum histree_status status =
			walk->slices->hold(walk->slices->context, walk->next, &walk->held, error);
		if (status != HISTREE_OK) {
			walk->held = NULL;
			return status;
		}
		walk->next++;
		slice_cursor_begin(&walk->cursor, walk->held, &walk->region);
		return HISTREE_OK;
	}
	return HISTREE_END;
}

enum histree_status slice_walk_read(struct slice_walk *walk, struct histree_interval *out, size_t room,
				    size_t *count, struct histree_error *error)
{
	*count = 0;
	if (walk->partial == NULL)
		return HISTREE_END;
	for (;;) {
		if (walk->held != NULL)
			*count = slice_cursor_read(&walk->cursor, out, room);
		if (*count > 0) {
			walk->intervals += *count;
			return HISTREE_OK;
		}
		enum histree_status status = hold_next(walk, error);
		if (status != HISTREE_OK)
			return status;
	}
}
