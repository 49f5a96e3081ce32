// SPDX-License-Identifier: MIT
/*
 * node_cursor.c - the intervals of a region in a node, in the order of (key, start), whatever the format of its
 * leaves.
 *
 * Reads the intervals of a region from a leaf of columns, series by series.  Times are compared
 * as ticks of the leaf, and blocks and series outside of the region are skipped by their bounds.
 */
#include "node/node_cursor.h"

#include <assert.h>

#include "node/column_block.h"
#include "node/node.h"
#include "node/node_view.h"

/* ---- the window ----------------------------------------------------------------------------------- */

/* An interval ends at this tick or later if it reaches `from`. */
static uint64_t tick_from(const struct column_view *view, histree_time from)
{
	return from > view->start ? column_tick_above(view, (uint64_t)from - (uint64_t)view->start) : 0;
}

/* An interval starts before this tick if it does not start after `to`. */
static uint64_t tick_to(const struct column_view *view, histree_time to)
{
	uint64_t time = (uint64_t)to - (uint64_t)view->start;
	if (to < view->start)
		return 0;
	return time >= view->length ? UINT64_MAX : column_tick_above(view, time);
}

static void begin_key(struct column_cursor *cursor, uint64_t key)
{
	cursor->key = key;
	cursor->count = cursor->interval = 0;
	cursor->ends_from = cursor->window_from;
	cursor->next_time = cursor->first_time;
}

/* Before the first interval. */
static void column_cursor_begin(struct column_cursor *cursor, const struct column_view *view,
				const struct node_region *region)
{
	histree_time from = region->from;
	cursor->view = view;
	cursor->region = region;
	cursor->block.series_count = cursor->next_series = 0;
	cursor->first_time = 0;
	cursor->times_met = 0;
	if (region->times != NULL) {
		cursor->first_time = region_time_from(region, 0, view->start);
		if (cursor->first_time < region->time_count)
			from = region->times[cursor->first_time];
	}
	cursor->window_from = tick_from(view, from);
	uint64_t since = (uint64_t)from - (uint64_t)view->start;
	bool one_time = region->to == from && from > view->start && since < view->length;
	cursor->window_to = one_time ? cursor->window_from : tick_to(view, region->to);
	cursor->next_quark = cursor->quark_end = 0;
	if (region->quarks != NULL)
		region_choose_quarks(region, view->key_min, view->key_max, &cursor->next_quark, &cursor->quark_end);
	assert(cursor->next_quark <= cursor->quark_end);
	begin_key(cursor, UINT64_MAX);
}

/* ---- intervals ------------------------------------------------------------------------------------ */

static int32_t number_above(uint64_t base, uint64_t code)
{
	return (int32_t)(uint32_t)((uint64_t)unzigzag(base) + code);
}

static inline bool value_of(const struct column_view *view, const struct column_series *series, uint32_t interval,
			    struct histree_value *out)
{
	unsigned width = (unsigned)series->fields[COLUMN_VALUE_WIDTH];
	uint64_t base = series->fields[COLUMN_BASE];
	uint64_t code = bits_get(view->block, series->values + interval * (size_t)width, width);
	switch ((enum value_kind)series->fields[COLUMN_KIND]) {
	case VALUES_INT:
		*out = histree_int(number_above(base, code));
		return true;
	case VALUES_INT_OR_NULL:
		*out = code == 0 ? histree_null() : histree_int(number_above(base, code - 1));
		return true;
	case VALUES_DICTIONARY:
		return column_dictionary_value(view, base + code, out);
	case VALUES_NULL:
	case VALUE_KIND_COUNT:
		break;
	}
	*out = histree_null();
	return true;
}

/* The interval between two ticks; false if they or its value are malformed. */
static inline bool make_interval(const struct column_view *view, const struct column_series *series,
				 uint32_t interval, uint64_t tick, uint64_t after, struct histree_interval *out)
{
	uint64_t start, end;
	if (!column_tick_time(view, tick, &start) || !column_tick_time(view, after, &end))
		return false;
	if (end <= start || end - 1 > view->length)
		return false;
	out->start = (histree_time)((uint64_t)view->start + start);
	out->end = (histree_time)((uint64_t)view->start + end - 1);
	out->quark = (histree_quark)series->fields[COLUMN_KEY];
	return value_of(view, series, interval, &out->value);
}

/* Nothing more is wanted of the key at hand. */
static void leave_key(struct column_cursor *cursor)
{
	cursor->interval = cursor->count;
	if (cursor->region->quarks != NULL)
		cursor->next_quark++;
	else
		cursor->ends_from = UINT64_MAX;
}

/* Whether a time of the region is in the interval; from here on, only the times after it are looked for. */
static bool meets_times(struct column_cursor *cursor, const struct histree_interval *interval)
{
	const struct node_region *region = cursor->region;
	size_t first = region_time_from(region, cursor->next_time, interval->start), next = first;
	bool meets = first < region->time_count && region->times[first] <= interval->end;
	if (meets)
		next = interval->end >= region->to ? region->time_count
						   : region_time_from(region, first + 1, interval->end + 1);
	cursor->times_met += (next - first) * region_weight(interval->quark);
	cursor->next_time = next;
	if (next < region->time_count)
		cursor->ends_from = tick_from(cursor->view, region->times[next]);
	else
		leave_key(cursor);
	return meets;
}

/* What is left of the series at hand and has a time of the region's list, as far as there is room. */
static enum histree_status read_times(struct column_cursor *cursor, struct histree_interval *out, size_t room,
				      size_t *count)
{
	const struct column_view *view = cursor->view;
	while (cursor->interval < cursor->count && *count < room) {
		uint64_t tick = cursor->tick;
		if (tick >= cursor->window_to) {
			leave_key(cursor);
			break;
		}
		uint32_t interval = cursor->interval;
		uint64_t after;
		bool is_met =
			column_find_end(&cursor->block, cursor->now, cursor->ends_from, &interval, &tick, &after) &&
			tick < cursor->window_to;
		if (is_met && !make_interval(view, cursor->now, interval, tick, after, &out[*count]))
			return HISTREE_ERR_FORMAT; /* nothing has moved: a caller that asks again gets the same */
		cursor->interval = interval + 1;
		cursor->tick = after;
		if (is_met && meets_times(cursor, &out[*count]))
			*count += 1;
	}
	return HISTREE_OK;
}

/*
 * The same where the region is one range of times: from the first interval that reaches it on, each begins where
 * the one before ended.
 */
static enum histree_status read_range(struct column_cursor *cursor, struct histree_interval *out, size_t room,
				      size_t *count)
{
	const struct column_view *view = cursor->view;
	const struct column_series *series = cursor->now;
	uint32_t interval = cursor->interval;
	uint64_t tick = cursor->tick, after, start, end;
	if (interval == cursor->count)
		return HISTREE_OK;
	if (tick >= cursor->window_to ||
	    !column_find_end(&cursor->block, series, cursor->ends_from, &interval, &tick, &after)) {
		if (tick >= cursor->window_to)
			leave_key(cursor);
		cursor->interval = cursor->count;
		return HISTREE_OK;
	}
	bool is_sound = column_tick_time(view, tick, &start);
	for (; is_sound && interval < cursor->count && *count < room && tick < cursor->window_to; interval++) {
		struct histree_interval *next = &out[*count];
		after = column_tick_after(&cursor->block, series, interval, tick);
		is_sound = column_tick_time(view, after, &end) && end > start && end - 1 <= view->length &&
			   value_of(view, series, interval, &next->value);
		if (!is_sound)
			break;
		next->start = (histree_time)((uint64_t)view->start + start);
		next->end = (histree_time)((uint64_t)view->start + end - 1);
		next->quark = (histree_quark)series->fields[COLUMN_KEY];
		*count += 1;
		tick = after;
		start = end;
	}
	cursor->interval = interval;
	cursor->tick = tick;
	if (is_sound && interval < cursor->count && tick >= cursor->window_to)
		leave_key(cursor);
	return is_sound ? HISTREE_OK : HISTREE_ERR_FORMAT; /* nothing has moved past it */
}

static void begin_series(struct column_cursor *cursor, const struct column_series *series)
{
	assert(series->fields[COLUMN_COUNT] < SERIES_INTERVALS_MAX);
	cursor->now = series;
	cursor->count = (uint32_t)series->fields[COLUMN_COUNT] + 1;
	cursor->interval = 0;
	cursor->tick = series->fields[COLUMN_START];
	cursor->next_series++;
}

/* ---- all keys ------------------------------------------------------------------------------------- */

/* Whether nothing of an unpacked series meets the window: it begins too late, or the one after it does not. */
static inline bool can_pass_by(const struct column_cursor *cursor, uint32_t series)
{
	const uint64_t *fields = cursor->series[series].fields;
	if (fields[COLUMN_START] >= cursor->window_to)
		return true;
	if (series + 1 == cursor->block.series_count)
		return false;
	const uint64_t *after = cursor->series[series + 1].fields;
	return after[COLUMN_KEY] == fields[COLUMN_KEY] && after[COLUMN_START] < cursor->ends_from;
}

static enum histree_status open_next_block(struct column_cursor *cursor)
{
	struct column_block block;
	uint32_t number = cursor->block.series_count > 0 ? cursor->block.number + 1 : 0;
	if (number >= cursor->view->block_count)
		return HISTREE_END;
	if (!column_block_open(&block, cursor->view, number) || !column_block_unpack(&block, cursor->series))
		return HISTREE_ERR_FORMAT;
	cursor->block = block;
	cursor->next_series = 0;
	return HISTREE_OK;
}

/* The next series that may meet the window.  HISTREE_END: there are no more. */
static enum histree_status next_of_all(struct column_cursor *cursor)
{
	for (;;) {
		if (cursor->next_series == cursor->block.series_count) {
			enum histree_status status = open_next_block(cursor);
			if (status != HISTREE_OK)
				return status;
		}
		const struct column_series *series = &cursor->series[cursor->next_series];
		if (series->fields[COLUMN_KEY] != cursor->key)
			begin_key(cursor, series->fields[COLUMN_KEY]);
		if (!can_pass_by(cursor, cursor->next_series)) {
			begin_series(cursor, series);
			return HISTREE_OK;
		}
		cursor->next_series++;
	}
}

/*
 * A full query: of each series at most one interval meets a single time.  The same as next_of_all() and
 * read_times(), with everything in registers.
 */
static enum histree_status read_one_time(struct column_cursor *cursor, struct histree_interval *out, size_t room,
					 size_t *count)
{
	const struct column_view *view = cursor->view;
	const uint64_t window = cursor->window_to;
	size_t done = *count;
	uint32_t s = cursor->next_series;
	enum histree_status status = HISTREE_OK;
	for (; s < cursor->block.series_count && done < room; s++) {
		const struct column_series *series = &cursor->series[s];
		if (can_pass_by(cursor, s))
			continue;
		uint32_t interval = 0;
		uint64_t tick = series->fields[COLUMN_START], after;
		if (!column_find_end(&cursor->block, series, window, &interval, &tick, &after))
			continue;
		if (!make_interval(view, series, interval, tick, after, &out[done])) {
			status = HISTREE_ERR_FORMAT;
			break;
		}
		done++;
	}
	cursor->next_series = s;
	for (size_t i = *count; i < done && cursor->region->times != NULL; i++)
		cursor->times_met +=
			(cursor->region->time_count - cursor->first_time) * region_weight(out[i].quark);
	*count = done;
	return status;
}

/* ---- some keys ------------------------------------------------------------------------------------ */

/* Go to the target, or, where the leaf has nothing of its key, after it.  False if a block is malformed. */
static bool seek(struct column_cursor *cursor, const struct column_target *target)
{
	struct column_block *block = &cursor->block;
	uint32_t open = block->series_count > 0 ? block->number : UINT32_MAX, number;
	if (!column_find_block(cursor->view, open, target, &number))
		return false;
	if (number != open) {
		if (!column_block_open(block, cursor->view, number))
			return false;
		cursor->next_series = 0;
		cursor->next_payload = block->payload;
	}
	uint32_t found = column_find_series(block, cursor->next_series, target);
	cursor->next_payload += column_block_payload(block, cursor->next_series, found);
	cursor->next_series = found;
	if (found < block->series_count || number + 1 == cursor->view->block_count ||
	    column_block_key(cursor->view, number + 1) != target->key)
		return true;
	if (!column_block_open(block, cursor->view, number + 1))
		return false;
	cursor->next_series = 0;
	cursor->next_payload = block->payload;
	return true;
}

/* The key of the next series, in this block or the next; false: there is no further series. */
static bool next_key(const struct column_cursor *cursor, uint64_t *key)
{
	if (cursor->next_series < cursor->block.series_count) {
		*key = column_block_field(&cursor->block, COLUMN_KEY, cursor->next_series);
		return true;
	}
	if (cursor->block.number + 1 == cursor->view->block_count)
		return false;
	*key = column_block_key(cursor->view, cursor->block.number + 1);
	return true;
}

/* The next series of the key at hand, or of the next that is here.  HISTREE_END: there are no more. */
static enum histree_status next_of_some(struct column_cursor *cursor)
{
	const struct node_region *region = cursor->region;
	struct column_series *series = cursor->series;
	while (cursor->next_quark < cursor->quark_end && cursor->view->block_count > 0) {
		histree_quark key = region->quarks[cursor->next_quark];
		uint64_t found;
		if (cursor->key != key)
			begin_key(cursor, key);
		/* After a series of the key there is seldom another. */
		bool is_last = cursor->count > 0 && next_key(cursor, &found) && found != key;
		if (!is_last &&
		    !seek(cursor, &(struct column_target){ .key = key, .ends_from = cursor->ends_from }))
			return HISTREE_ERR_FORMAT;
		if (!next_key(cursor, &found))
			break;
		if (found != key) { /* what lies between the two is not here */
			cursor->next_quark =
				region_quark_from(region, cursor->next_quark + 1, (histree_quark)found);
			continue;
		}
		if (cursor->next_series == cursor->block.series_count || /* an entry that lies */
		    !column_block_series(&cursor->block, cursor->next_series, cursor->next_payload, series))
			return HISTREE_ERR_FORMAT;
		cursor->next_payload = column_series_end(series);
		begin_series(cursor, series);
		return HISTREE_OK;
	}
	return HISTREE_END;
}

/* --------------------------------------------------------------------------------------------------- */

/*
 * Up to `room` intervals.  HISTREE_OK with at least one; else HISTREE_END or HISTREE_ERR_FORMAT, again and again.
 * Bytes of values are borrowed from the block.
 */
static enum histree_status column_cursor_read(struct column_cursor *cursor, struct histree_interval *out,
					      size_t room, size_t *count)
{
	bool all_keys = cursor->region->quarks == NULL;
	bool one_time = all_keys && cursor->window_from == cursor->window_to;
	bool is_range = cursor->region->times == NULL;
	enum histree_status status = HISTREE_OK;
	*count = 0;
	while (status == HISTREE_OK && *count < room) {
		status = one_time   ? read_one_time(cursor, out, room, count)
			 : is_range ? read_range(cursor, out, room, count)
				    : read_times(cursor, out, room, count);
		if (status != HISTREE_OK || *count == room)
			break;
		status = one_time ? open_next_block(cursor) : all_keys ? next_of_all(cursor) : next_of_some(cursor);
	}
	assert(*count <= room);
	return *count > 0 ? HISTREE_OK : status;
}

/* ---- node cursor --------------------------------------------------------------------------------------------- */

void node_cursor_begin(struct node_cursor *cursor, const struct node_view *view, const struct node_region *region)
{
	cursor->is_columns = view->is_columns;
	cursor->times_met = 0;
	if (view->is_columns)
		column_cursor_begin(&cursor->column, &view->columns, region);
	else
		row_cursor_begin(&cursor->row, view, region);
}

void node_cursor_begin_all(struct node_cursor *cursor, const struct node_view *view)
{
	static const struct node_region everything = { .from = INT64_MIN, .to = INT64_MAX };
	node_cursor_begin(cursor, view, &everything);
}

enum histree_status node_cursor_read(struct node_cursor *cursor, struct histree_interval *out, size_t room,
				     size_t *count)
{
	if (cursor->is_columns)
		return column_cursor_read(&cursor->column, out, room, count);
	enum histree_status status = HISTREE_OK;
	*count = 0;
	while (*count < room && (status = row_cursor_next(&cursor->row, &out[*count])) == HISTREE_OK) {
		if (cursor->row.region->times != NULL)
			cursor->times_met += region_count_times(cursor->row.region, &out[*count]);
		*count += 1;
	}
	return *count > 0 ? HISTREE_OK : status;
}

bool node_cursor_is_indexed(const struct node_cursor *cursor, uint32_t row)
{
	if (cursor->is_columns)
		return row > 0 || column_is_searchable(cursor->column.view);
	return row_cursor_is_indexed(&cursor->row, row);
}
