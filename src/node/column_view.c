// SPDX-License-Identifier: MIT
#include "node/column_view.h"

#include "base/error.h"
#include "base/search.h"
#include "item/value_codec.h"

static uint32_t head_count(uint32_t times)
{
	return times / TIMES_PER_HEAD + (times % TIMES_PER_HEAD != 0);
}

enum histree_status column_check(const uint8_t *block, uint32_t used, uint32_t node_size,
				 struct histree_error *error)
{
	if (used < COLUMN_HEADER_SIZE || used + BITS_SLACK > node_size)
		return error_set(error, HISTREE_ERR_FORMAT, "a leaf of columns in %u bytes", used);
	uint32_t times = get_le32(block + 52), blocks = get_le32(block + 56), values = get_le32(block + 60);
	if (!column_area_fits(get_le32(block + 64), (uint64_t)head_count(times) * TIME_HEAD_SIZE, used) ||
	    !column_area_fits(get_le32(block + 68), (uint64_t)blocks * BLOCK_HEAD_SIZE, used) ||
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
		.time_heads = block + get_le32(block + 64),
		.block_heads = block + get_le32(block + 68),
		.dictionary = block + get_le32(block + 72),
	};
	view.last_moment = view.direct ? view.length + 1 : view.time_count - UINT64_C(1);
	if (view.key_min <= view.key_max)
		view.blocks_per_key = view.block_count / ((double)(view.key_max - view.key_min) + 1);
	return view;
}

/* ---- times ---------------------------------------------------------------------------------------- */

struct time_bound {
	const struct column_view *view;
	uint64_t time;
};

static bool head_not_behind(const void *context, size_t head)
{
	const struct time_bound *bound = context;
	return get_le64(bound->view->time_heads + head * TIME_HEAD_SIZE) <= bound->time;
}

static bool moment_not_behind(const void *context, size_t moment)
{
	const struct time_bound *bound = context;
	uint64_t time;
	return column_time_of(bound->view, moment, &time) && time <= bound->time;
}

uint64_t column_moment_behind(const struct column_view *view, uint64_t time)
{
	if (view->direct)
		return time < UINT64_MAX ? time + 1 : time;
	const struct time_bound bound = { view, time };
	size_t heads = head_count(view->time_count);
	size_t head = search_first(0, heads, heads / 2, head_not_behind, &bound);
	if (head == 0)
		return 0;
	size_t first = (head - 1) * TIMES_PER_HEAD, last = first + TIMES_PER_HEAD;
	last = last < view->time_count ? last : view->time_count;
	return search_first(first, last, first + TIMES_PER_HEAD / 2, moment_not_behind, &bound);
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
