// SPDX-License-Identifier: MIT
#include "node/column_view.h"

#include "base/error.h"
#include "base/search.h"
#include "item/value_codec.h"

static uint32_t time_entry_count(uint32_t times)
{
	return times / TIMES_PER_ENTRY + (times % TIMES_PER_ENTRY != 0);
}

enum histree_status column_check(const uint8_t *block, uint32_t used, uint32_t node_size,
				 struct histree_error *error)
{
	if (used < COLUMN_HEADER_SIZE || used + BITS_SLACK > node_size)
		return error_set(error, HISTREE_ERR_FORMAT, "a leaf of columns in %u bytes", used);
	uint32_t times = get_le32(block + 52), blocks = get_le32(block + 56), values = get_le32(block + 60);
	if (!column_area_fits(get_le32(block + 64), (uint64_t)time_entry_count(times) * TIME_ENTRY_SIZE, used) ||
	    !column_area_fits(get_le32(block + 68), (uint64_t)blocks * BLOCK_ENTRY_SIZE, used) ||
	    !column_area_fits(get_le32(block + 72), (uint64_t)values * 4, used))
		return error_set(error, HISTREE_ERR_FORMAT, "%u times, %u blocks and %u values in %u bytes", times,
				 blocks, values, used);
	return HISTREE_OK;
}

struct column_view column_view(const uint8_t *block)
{
	struct column_view view = {
		.block = block,
		.start = (histree_time)get_le64(block + 16),
		.length = get_le64(block + 24) - get_le64(block + 16),
		.key_min = get_le32(block + 32),
		.key_max = get_le32(block + 36),
		.used = get_le32(block + 40),
		.direct = get_le32(block + 48) != 0,
		.time_count = get_le32(block + 52),
		.block_count = get_le32(block + 56),
		.value_count = get_le32(block + 60),
		.time_index = block + get_le32(block + 64),
		.block_index = block + get_le32(block + 68),
		.dictionary = block + get_le32(block + 72),
	};
	view.last_tick = view.direct ? view.length + 1 : view.time_count - UINT64_C(1);
	if (view.key_min <= view.key_max)
		view.blocks_per_key = view.block_count / ((double)(view.key_max - view.key_min) + 1);
	return view;
}

/* ---- times ---------------------------------------------------------------------------------------- */

struct time_bound {
	const struct column_view *view;
	uint64_t time;
};

static bool entry_not_above(const void *context, size_t entry)
{
	const struct time_bound *bound = context;
	return get_le64(bound->view->time_index + entry * TIME_ENTRY_SIZE) <= bound->time;
}

static bool tick_not_above(const void *context, size_t tick)
{
	const struct time_bound *bound = context;
	uint64_t time;
	return column_time_of(bound->view, tick, &time) && time <= bound->time;
}

uint64_t column_tick_above(const struct column_view *view, uint64_t time)
{
	if (view->direct)
		return time < UINT64_MAX ? time + 1 : time;
	const struct time_bound bound = { view, time };
	size_t entries = time_entry_count(view->time_count);
	size_t entry = search_first(0, entries, entries / 2, entry_not_above, &bound);
	if (entry == 0)
		return 0;
	size_t first = (entry - 1) * TIMES_PER_ENTRY, last = first + TIMES_PER_ENTRY;
	last = last < view->time_count ? last : view->time_count;
	return search_first(first, last, first + TIMES_PER_ENTRY / 2, tick_not_above, &bound);
}

/* ---- values --------------------------------------------------------------------------------------- */

bool column_dictionary_value(const struct column_view *view, uint64_t entry, struct histree_value *out)
{
	if (entry >= view->value_count)
		return false;
	uint32_t offset = get_le32(view->dictionary + entry * 4);
	if (offset > view->used)
		return false;
	struct byte_reader reader = byte_reader(view->block + offset, view->used - offset);
	*out = value_decode(&reader);
	return !reader.failed;
}
