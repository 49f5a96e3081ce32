// SPDX-License-Identifier: MIT
/*
 * node_cursor.c - the intervals of a region in a node, in the order of (key, start), whatever the format of its
 * leaves.
 *
 * A leaf of columns is read series by series.  Times are compared as ticks of the leaf, and blocks and series
 * outside of the region are skipped by their bounds.
 *
 * Finding the interval of a series that ends at a tick or later:
 *
 * All steps before it have to be added.  In a leaf of few attributes a series has up to 64 intervals, and a query
 * of one time passes half of them.  So the steps of two loads are added at a time: the even and the odd steps, in
 * fields of twice their width, and then the fields, by a multiplication that leaves the sum of all fields in the
 * highest one.
 */
#include "node/node_cursor.h"

#include <assert.h>

#include "node/column_block.h"
#include "node/node.h"
#include "node/node_view.h"

/* ---- steps ---------------------------------------------------------------------------------------- */

enum { STEPS_AT_ONCE = 4, STEP_WIDTH_MOST = BITS_IN_A_LOAD / 2, GROUP_WIDTH_LEAST = 3, GROUP_WIDTH_MOST = 16 };

/* How the steps in a load are added up. */
struct step_group {
	uint64_t even, odd; /* masks of the even and the odd steps, as fields of twice the width */
	uint64_t times;     /* the factor that puts the sum of the fields into the highest bits of the product */
	uint32_t count;     /* of steps */
	uint32_t shift;     /* of the product */
};

/*
 * Fields fit into 64 bits, steps into a load, and the steps of two loads into a field: 2 * count * (2^width - 1) is
 * less than 2^(2 * width).
 */
#define STEP_FIELD(width, number) (UINT64_C(1) << 2 * (width) * (number))
#define STEP_FIELDS(width, last) \
	((STEP_FIELD(width, last) - 1) / (STEP_FIELD(width, 1) - 1) + STEP_FIELD(width, last))
#define STEP_GROUP(width, steps)                                                                      \
	[width] = {                                                                                   \
		.even = STEP_FIELDS(width, (steps - 1) / 2) * ((UINT64_C(1) << width) - 1),           \
		.odd = STEP_FIELDS(width, steps / 2 - 1) * ((UINT64_C(1) << width) - 1),              \
		.times = STEP_FIELDS(width, (steps - 1) / 2) << (64 - 2 * width * ((steps + 1) / 2)), \
		.count = steps,                                                                       \
		.shift = 64 - 2 * width,                                                              \
	}

static const struct step_group step_groups[GROUP_WIDTH_MOST + 1] = {
	STEP_GROUP(3, 4),  STEP_GROUP(4, 8),  STEP_GROUP(5, 11), STEP_GROUP(6, 9),  STEP_GROUP(7, 8),
	STEP_GROUP(8, 7),  STEP_GROUP(9, 6),  STEP_GROUP(10, 5), STEP_GROUP(11, 4), STEP_GROUP(12, 4),
	STEP_GROUP(13, 4), STEP_GROUP(14, 4), STEP_GROUP(15, 3), STEP_GROUP(16, 3),
};

/* Pass groups of intervals that end too early; then, in the group that does not, go to the interval. */
static inline void pass_by_groups(struct step_place *place, const uint8_t *bytes, uint64_t min, unsigned width,
				  uint64_t ends_from)
{
	const struct step_group *group = &step_groups[width];
	const uint32_t first = place->interval, count = group->count;
	const uint64_t mask = (UINT64_C(1) << width) - 1, least = count * min;
	const size_t size = count * (size_t)width;
	size_t at = place->steps + (first + (size_t)1) * width;
	for (;; at += 2 * size) {
		if (place->stored - place->interval < 2 * count) {
			if (place->interval > first)
				place->start = place->end - min - bits_get(bytes, at - width, width);
			return;
		}
		uint64_t word = bits_load(bytes + at / 8) >> at % 8;
		const uint64_t next = bits_load(bytes + (at + size) / 8) >> (at + size) % 8;
		const uint64_t fields = (word & group->even) + (word >> width & group->odd);
		const uint64_t both = fields + (next & group->even) + (next >> width & group->odd);
		const uint64_t end = place->end + 2 * least + (both * group->times >> group->shift);
		if (end < ends_from) {
			place->end = end;
			place->interval += 2 * count;
			continue;
		}
		const uint64_t middle = place->end + least + (fields * group->times >> group->shift);
		if (middle < ends_from) {
			place->start = middle - min - (word >> (size - width) & mask);
			place->end = middle;
			place->interval += count;
			word = next;
		}
		for (; place->end < ends_from; word >>= width) {
			place->start = place->end;
			place->end += min + (word & mask);
			place->interval++;
		}
		return;
	}
}

/* Returns the sum of two steps from a bit on, without the minimum that is part of each. */
static inline uint64_t two_steps(const uint8_t *bytes, size_t at, unsigned width, uint64_t mask)
{
	uint64_t word = bits_load(bytes + at / 8) >> at % 8;
	return (word & mask) + (word >> width & mask);
}

/* The same with four at a time, for steps of other widths. */
static inline void pass_by_fours(struct step_place *place, const uint8_t *bytes, uint64_t min, unsigned width,
				 uint64_t ends_from)
{
	const uint64_t mask = (UINT64_C(1) << width) - 1, least = STEPS_AT_ONCE * min;
	size_t at = place->steps + (place->interval + (size_t)1) * width;
	uint32_t fours = (place->stored - place->interval) / STEPS_AT_ONCE, left = fours;
	for (; left > 0; left--) {
		uint64_t end = place->end + least + two_steps(bytes, at, width, mask) +
			       two_steps(bytes, at + 2 * (size_t)width, width, mask);
		if (end >= ends_from)
			break;
		place->end = end;
		at += STEPS_AT_ONCE * (size_t)width;
	}
	if (left < fours) {
		place->interval += STEPS_AT_ONCE * (fours - left);
		place->start = place->end - min - bits_get(bytes, at - width, width);
	}
}

void column_pass_stored(struct step_place *place, const uint8_t *bytes, uint64_t min, unsigned width,
			uint64_t ends_from)
{
	const bool are_many = place->stored - place->interval >= 2 * STEPS_AT_ONCE;
	if (are_many && width >= GROUP_WIDTH_LEAST && width <= GROUP_WIDTH_MOST)
		pass_by_groups(place, bytes, min, width, ends_from);
	else if (are_many && width <= STEP_WIDTH_MOST)
		pass_by_fours(place, bytes, min, width, ends_from);
	size_t at = place->steps + place->interval * (size_t)width;
	while (place->end < ends_from && place->interval < place->stored) {
		at += width;
		place->interval++;
		place->start = place->end;
		place->end += min + bits_get(bytes, at, width);
	}
}

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
	cursor->next_block = cursor->next_met = cursor->met_count = 0;
	cursor->table.alike = 0;
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

static inline bool value_of(const struct column_view *view, enum value_kind kind, uint64_t base, uint64_t code,
			    struct histree_value *out)
{
	switch (kind) {
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

static inline bool series_value(const struct column_view *view, const struct column_series *series,
				uint32_t interval, struct histree_value *out)
{
	const unsigned width = (unsigned)series->fields[COLUMN_VALUE_WIDTH];
	const uint64_t code = bits_get(view->block, series->values + interval * (size_t)width, width);
	return value_of(view, (enum value_kind)series->fields[COLUMN_KIND], series->fields[COLUMN_BASE], code, out);
}

/* Set the times of an interval between two ticks, and its key; false if they are malformed. */
static inline bool place_interval(const struct column_view *view, uint64_t key, uint64_t tick, uint64_t after,
				  struct histree_interval *out)
{
	uint64_t start, end;
	if (!column_tick_time(view, tick, &start) || !column_tick_time(view, after, &end))
		return false;
	out->start = (histree_time)((uint64_t)view->start + start);
	out->end = (histree_time)((uint64_t)view->start + end - 1);
	out->quark = (histree_quark)key;
	return end > start && end - 1 <= view->length;
}

/* Nothing more is needed of the current key. */
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

/* Read what is left of the current series and contains a time of the region's list, as far as there is room. */
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
		bool is_met = column_find_end(&cursor->block, &cursor->now, cursor->ends_from, &interval, &tick,
					      &after) &&
			      tick < cursor->window_to;
		if (is_met && !(place_interval(view, cursor->now.fields[COLUMN_KEY], tick, after, &out[*count]) &&
				series_value(view, &cursor->now, interval, &out[*count].value)))
			return HISTREE_ERR_FORMAT; /* nothing has moved: the next call gives the same answer */
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
	const struct column_series *series = &cursor->now;
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
			   series_value(view, series, interval, &next->value);
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

/* ---- all keys ------------------------------------------------------------------------------------- */

/* In a series whose steps are alike, apart from the edges: as column_find_end(), by one division. */
__attribute__((always_inline)) static inline bool find_end_of_alike(const struct column_block *block,
								    const struct column_table *table, uint32_t s,
								    unsigned edges, uint64_t ends_from,
								    struct column_met *met)
{
	const bool has_first = (edges & EDGE_FIRST) != 0, has_last = (edges & EDGE_LAST) != 0;
	const uint32_t last = (uint32_t)table->fields[COLUMN_COUNT][s];
	const uint64_t step = table->fields[COLUMN_STEP_MIN][s];
	uint64_t start = table->fields[COLUMN_START][s];
	uint64_t end = start + table->fields[has_first ? COLUMN_FIRST : COLUMN_STEP_MIN][s];
	uint32_t at = 0;
	if (has_last && last == 0) {
		end = block->view->last_tick - table->fields[COLUMN_LAST][s];
	} else if (end < ends_from) {
		const uint32_t stored = last - has_last;
		const uint64_t steps = step > 0 ? (ends_from - end - 1) / step + 1 : stored;
		at = steps < stored ? (uint32_t)steps : stored;
		if (at > 0) {
			end += at * step;
			start = end - step;
		}
		if (has_last && end < ends_from) {
			at = last;
			start = end;
			end = block->view->last_tick - table->fields[COLUMN_LAST][s];
		}
	}
	*met = (struct column_met){ .series = s, .interval = at, .tick = start, .after = end };
	return end >= ends_from;
}

static inline bool find_end_of_series(const struct column_block *block, const struct column_table *table,
				      uint32_t s, uint64_t ends_from, struct column_met *met)
{
	const struct column_series series = column_table_series(table, s);
	*met = (struct column_met){ .series = s, .tick = series.fields[COLUMN_START] };
	return column_find_end(block, &series, ends_from, &met->interval, &met->tick, &met->after);
}

/*
 * Whether a series whose place is unpacked lies outside the window: it begins too late, or the next series of its
 * key does not.
 */
static inline bool can_pass_by(const struct column_table *table, uint32_t series_count, uint32_t s,
			       uint64_t ends_from, uint64_t window_to)
{
	const uint64_t *keys = table->fields[COLUMN_KEY], *starts = table->fields[COLUMN_START];
	if (starts[s] >= window_to)
		return true;
	return s + 1 < series_count && keys[s + 1] == keys[s] && starts[s + 1] < ends_from;
}

/* Find with what the series of the open block, from one on, begin in the window.  Returns how many do. */
__attribute__((always_inline)) static inline uint32_t find_met_from(struct column_cursor *cursor, uint32_t s,
								    bool are_alike, unsigned edges)
{
	const struct column_block *block = &cursor->block;
	const struct column_table *table = &cursor->table;
	const uint64_t from = cursor->window_from, to = cursor->window_to;
	const uint32_t series_count = block->series_count;
	uint32_t count = 0;
	for (; s < series_count; s++) {
		if (can_pass_by(table, series_count, s, from, to))
			continue;
		struct column_met *met = &cursor->met[count];
		count += are_alike ? find_end_of_alike(block, table, s, edges, from, met)
				   : find_end_of_series(block, table, s, from, met);
	}
	return count;
}

/* The same of all series.  Returns false if one is malformed. */
static bool find_met(struct column_cursor *cursor)
{
	const struct column_block *block = &cursor->block;
	struct column_table *table = &cursor->table;
	uint32_t s = 0;
	while (s < block->series_count &&
	       can_pass_by(table, block->series_count, s, cursor->window_from, cursor->window_to))
		s++;
	if (s == block->series_count)
		return true;
	if (!column_block_unpack_rest(block, table))
		return false;
	if ((block->widths[COLUMN_STEP_WIDTH] | block->minima[COLUMN_STEP_WIDTH]) != 0)
		cursor->met_count = find_met_from(cursor, s, false, block->edges);
	else if (block->edges == 0)
		cursor->met_count = find_met_from(cursor, s, true, 0);
	else
		cursor->met_count = find_met_from(cursor, s, true, block->edges);
	return true;
}

/* The cursor stays before what is malformed: the next call comes here again. */
static enum histree_status open_next_block(struct column_cursor *cursor)
{
	cursor->met_count = cursor->next_met = 0;
	if (cursor->next_block >= cursor->view->block_count)
		return HISTREE_END;
	if (!column_block_open(&cursor->block, cursor->view, cursor->next_block) ||
	    !column_block_unpack_places(&cursor->block, &cursor->table) || !find_met(cursor))
		return HISTREE_ERR_FORMAT;
	cursor->next_block++;
	return HISTREE_OK;
}

/* Begin with an interval of the series that was put into `now`. */
static void begin_series(struct column_cursor *cursor, uint32_t interval, uint64_t tick)
{
	assert(cursor->now.fields[COLUMN_COUNT] < SERIES_INTERVALS_MAX);
	cursor->count = (uint32_t)cursor->now.fields[COLUMN_COUNT] + 1;
	cursor->interval = interval;
	cursor->tick = tick;
}

/* The next series of all keys that may have a time of the list.  HISTREE_END: there are no more. */
static enum histree_status next_of_all(struct column_cursor *cursor)
{
	const struct column_met *met;
	do {
		while (cursor->next_met == cursor->met_count) {
			enum histree_status status = open_next_block(cursor);
			if (status != HISTREE_OK)
				return status;
		}
		met = &cursor->met[cursor->next_met++];
		const uint64_t key = cursor->table.fields[COLUMN_KEY][met->series];
		if (key != cursor->key)
			begin_key(cursor, key);
	} while (can_pass_by(&cursor->table, cursor->block.series_count, met->series, cursor->ends_from,
			     cursor->window_to));
	cursor->now = column_table_series(&cursor->table, met->series);
	begin_series(cursor, met->interval, met->tick);
	return HISTREE_OK;
}

/* What the values of a series are. */
struct value_form {
	enum value_kind kind;
	unsigned width;
	uint64_t base;
};

static inline struct value_form form_of_series(const struct column_table *table, uint32_t s)
{
	return (struct value_form){
		.kind = (enum value_kind)table->fields[COLUMN_KIND][s],
		.width = (unsigned)table->fields[COLUMN_VALUE_WIDTH][s],
		.base = table->fields[COLUMN_BASE][s],
	};
}

/*
 * Read with what the series of the open block begin in the window.  Most have nothing more in it: else the rest of
 * the series, which is put into `now`, comes before the next one.
 */
__attribute__((always_inline)) static inline enum histree_status read_met_of(struct column_cursor *cursor,
									     bool values_are_alike,
									     struct histree_interval *out,
									     size_t room, size_t *count)
{
	const struct column_view *view = cursor->view;
	const struct column_table *table = &cursor->table;
	const uint8_t *bytes = view->block;
	const uint64_t window_to = cursor->window_to;
	const struct value_form alike = form_of_series(table, 0);
	enum histree_status status = HISTREE_OK;
	const struct column_met *met = &cursor->met[cursor->next_met], *const met_end =
									       &cursor->met[cursor->met_count];
	struct histree_interval *next = out + *count, *const end = out + room;
	while (met < met_end && next < end) {
		const uint32_t s = met->series;
		const struct value_form form = values_are_alike ? alike : form_of_series(table, s);
		const uint64_t code =
			bits_get(bytes, table->values[s] + met->interval * (size_t)form.width, form.width);
		if (!place_interval(view, table->fields[COLUMN_KEY][s], met->tick, met->after, next) ||
		    !value_of(view, form.kind, form.base, code, &next->value)) {
			status = HISTREE_ERR_FORMAT; /* nothing has moved: the next call gives the same answer */
			break;
		}
		const struct column_met *now = met++;
		next++;
		if (now->after < window_to && now->interval < table->fields[COLUMN_COUNT][s]) {
			cursor->now = column_table_series(table, s);
			cursor->ends_from = cursor->window_from;
			begin_series(cursor, now->interval + 1, now->after);
			break;
		}
	}
	cursor->next_met = (uint32_t)(met - cursor->met);
	*count = (size_t)(next - out);
	return status;
}

static enum histree_status read_met(struct column_cursor *cursor, struct histree_interval *out, size_t room,
				    size_t *count)
{
	return column_table_is_alike(&cursor->table, COLUMNS_OF_VALUES)
		       ? read_met_of(cursor, true, out, room, count)
		       : read_met_of(cursor, false, out, room, count);
}

/*
 * Read what is left of the open block, where the region is one range of times, or the leaf meets one time alone:
 * of a list, it may be there more than once.
 */
static enum histree_status read_all(struct column_cursor *cursor, struct histree_interval *out, size_t room,
				    size_t *count)
{
	const struct node_region *region = cursor->region;
	const size_t first = *count;
	enum histree_status status;
	do {
		status = read_range(cursor, out, room, count);
		if (status == HISTREE_OK && cursor->interval == cursor->count)
			status = read_met(cursor, out, room, count);
	} while (status == HISTREE_OK && *count < room && cursor->interval < cursor->count);
	for (size_t i = first; i < *count && region->times != NULL; i++)
		cursor->times_met += (region->time_count - cursor->first_time) * region_weight(out[i].quark);
	return status;
}

/* ---- some keys ------------------------------------------------------------------------------------ */

/*
 * Go to the target or, if the leaf has nothing of its key, to what follows it.  Returns false if a block is
 * malformed.
 */
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

/*
 * Find the next series of the current key, or of the next key in this leaf.  Returns HISTREE_END if there is none.
 */
static enum histree_status next_of_some(struct column_cursor *cursor)
{
	const struct node_region *region = cursor->region;
	while (cursor->next_quark < cursor->quark_end && cursor->view->block_count > 0) {
		histree_quark key = region->quarks[cursor->next_quark];
		uint64_t found;
		if (cursor->key != key)
			begin_key(cursor, key);
		/* A series of the key is seldom followed by another. */
		bool is_last = cursor->count > 0 && next_key(cursor, &found) && found != key;
		if (!is_last &&
		    !seek(cursor, &(struct column_target){ .key = key, .ends_from = cursor->ends_from }))
			return HISTREE_ERR_FORMAT;
		if (!next_key(cursor, &found))
			break;
		if (found != key) { /* quarks between the two are not in this leaf */
			cursor->next_quark =
				region_quark_from(region, cursor->next_quark + 1, (histree_quark)found);
			continue;
		}
		if (cursor->next_series == cursor->block.series_count || /* the entry of the index is wrong */
		    !column_block_series(&cursor->block, cursor->next_series, cursor->next_payload, &cursor->now))
			return HISTREE_ERR_FORMAT;
		cursor->next_payload = column_series_end(&cursor->now);
		cursor->next_series++;
		begin_series(cursor, 0, cursor->now.fields[COLUMN_START]);
		return HISTREE_OK;
	}
	return HISTREE_END;
}

/* --------------------------------------------------------------------------------------------------- */

/*
 * Read up to `room` intervals.  Returns HISTREE_OK with at least one; otherwise HISTREE_END or HISTREE_ERR_FORMAT,
 * also when called again.  Bytes of values are borrowed from the block.
 */
static enum histree_status column_cursor_read(struct column_cursor *cursor, struct histree_interval *out,
					      size_t room, size_t *count)
{
	const bool is_range = cursor->region->times == NULL;
	const bool all_keys = cursor->region->quarks == NULL;
	const bool by_block = all_keys && (is_range || cursor->window_from == cursor->window_to);
	enum histree_status status = HISTREE_OK;
	*count = 0;
	while (status == HISTREE_OK && *count < room) {
		status = by_block   ? read_all(cursor, out, room, count)
			 : is_range ? read_range(cursor, out, room, count)
				    : read_times(cursor, out, room, count);
		if (status != HISTREE_OK || *count == room)
			break;
		status = by_block ? open_next_block(cursor) : all_keys ? next_of_all(cursor) : next_of_some(cursor);
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
