// SPDX-License-Identifier: MIT
/*
 * column_block.c - a block of columns in a leaf, and where in it a state is.
 */
#include "node/column_block.h"

#include <assert.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/search.h"
#include "item/value.h"
#include "node/node.h"

/* ---- column block -------------------------------------------------------------------------------------------- */

static inline bool column_area_fits(uint32_t offset, uint64_t size, uint32_t used)
{
	return offset >= COLUMN_HEADER_SIZE && offset <= used && size <= used - offset;
}

/* Returns where a block begins, according to the index. */
static inline uint32_t column_block_offset(const struct column_view *view, uint32_t block)
{
	return get_le32(view->block_index + (size_t)block * BLOCK_ENTRY_SIZE + 4);
}

/* ---- column view --------------------------------------------------------------------------------------------- */

static uint32_t time_entry_count(uint32_t times)
{
	return times / TIMES_PER_ENTRY + (times % TIMES_PER_ENTRY != 0);
}

enum histree_status column_check(const uint8_t *block, uint32_t used, uint32_t node_size,
				 struct histree_error *error)
{
	if (used < COLUMN_HEADER_SIZE || used + BITS_SLACK > node_size)
		return error_set(error, HISTREE_ERR_FORMAT, "a leaf of columns in %u bytes", used);
	uint32_t times = get_le32(block + COLUMN_AT_TIME_COUNT), blocks = get_le32(block + COLUMN_AT_BLOCK_COUNT),
		 values = get_le32(block + COLUMN_AT_VALUE_COUNT);
	if (!column_area_fits(get_le32(block + COLUMN_AT_TIMES),
			      (uint64_t)time_entry_count(times) * TIME_ENTRY_SIZE, used) ||
	    !column_area_fits(get_le32(block + COLUMN_AT_BLOCK_INDEX), (uint64_t)blocks * BLOCK_ENTRY_SIZE, used) ||
	    !column_area_fits(get_le32(block + COLUMN_AT_DICTIONARY), (uint64_t)values * 4, used))
		return error_set(error, HISTREE_ERR_FORMAT, "%u times, %u blocks and %u values in %u bytes", times,
				 blocks, values, used);
	return HISTREE_OK;
}

struct column_view column_view(const uint8_t *block)
{
	struct column_view view = {
		.block = block,
		.start = (histree_time)get_le64(block + NODE_AT_START),
		.length = get_le64(block + NODE_AT_END) - get_le64(block + NODE_AT_START),
		.key_min = get_le32(block + NODE_AT_KEY_MIN),
		.key_max = get_le32(block + NODE_AT_KEY_MAX),
		.used = get_le32(block + NODE_AT_USED),
		.direct = get_le32(block + COLUMN_AT_DIRECT) != 0,
		.time_count = get_le32(block + COLUMN_AT_TIME_COUNT),
		.block_count = get_le32(block + COLUMN_AT_BLOCK_COUNT),
		.value_count = get_le32(block + COLUMN_AT_VALUE_COUNT),
		.time_index = block + get_le32(block + COLUMN_AT_TIMES),
		.block_index = block + get_le32(block + COLUMN_AT_BLOCK_INDEX),
		.dictionary = block + get_le32(block + COLUMN_AT_DICTIONARY),
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

/* ---- column search ------------------------------------------------------------------------------------------- */

struct block_search {
	const struct column_view *view;
	struct column_target target;
	bool *malformed;
};

static inline bool entry_is_before(const void *context, size_t block)
{
	const struct block_search *search = context;
	return column_block_key(search->view, (uint32_t)block) < search->target.key;
}

static inline bool entry_is_not_after(const void *context, size_t block)
{
	const struct block_search *search = context;
	return column_block_key(search->view, (uint32_t)block) <= search->target.key;
}

struct series_search {
	const struct column_block *block;
	struct column_target target;
};

/* Its first interval may end exactly where the window begins; hence "before", not "at". */
static inline bool series_is_before(const void *context, size_t series)
{
	const struct series_search *search = context;
	uint64_t key = column_block_field(search->block, COLUMN_KEY, (uint32_t)series);
	if (key != search->target.key)
		return key < search->target.key;
	return column_block_field(search->block, COLUMN_START, (uint32_t)series) < search->target.ends_from;
}

static bool block_is_before(const void *context, size_t number)
{
	const struct block_search *search = context;
	struct column_block block;
	if (column_block_open(&block, search->view, (uint32_t)number)) {
		const struct series_search first = { &block, search->target };
		return series_is_before(&first, 0);
	}
	*search->malformed = true;
	return false;
}

bool column_find_block(const struct column_view *view, uint32_t open, const struct column_target *target,
		       uint32_t *number)
{
	bool malformed = false;
	const struct block_search search = { .view = view, .target = *target, .malformed = &malformed };
	uint32_t low = open + 1, count = view->block_count;
	size_t guess = (size_t)((double)(target->key - view->key_min) * view->blocks_per_key);
	size_t first = search_first(low, count, guess, entry_is_before, &search);
	/* The blocks that begin with the key: those that hold ticks before the target begin before it too. */
	if (first < count && target->ends_from > 0 && column_block_key(view, (uint32_t)first) == target->key) {
		size_t last = search_first(first, count, first, entry_is_not_after, &search);
		first = search_first(first, last, first, block_is_before, &search);
	}
	*number = first > low ? (uint32_t)first - 1 : open == UINT32_MAX ? 0 : open;
	return !malformed;
}

uint32_t column_find_series(const struct column_block *block, uint32_t low, const struct column_target *target)
{
	const struct series_search search = { block, *target };
	uint32_t count = block->series_count, guess = low;
	/* In so small a range, keys are mostly spread evenly. */
	unsigned width = block->widths[COLUMN_KEY];
	uint64_t min = block->minima[COLUMN_KEY];
	if (low == 0 && width < 32 && target->key > min)
		guess = (uint32_t)((target->key - min) * count >> width);
	uint32_t first = (uint32_t)search_first(low, count, guess, series_is_before, &search);
	bool is_inside = first > low && column_block_field(block, COLUMN_KEY, first - 1) == target->key;
	return is_inside ? first - 1 : first;
}

/* ---- column block -------------------------------------------------------------------------------------------- */

bool column_block_open(struct column_block *block, const struct column_view *view, uint32_t number)
{
	uint32_t offset = column_block_offset(view, number);
	uint32_t end = number + 1 < view->block_count ? column_block_offset(view, number + 1) : view->used;
	if (end > view->used || !column_area_fits(offset, COLUMN_BLOCK_PREFIX_SIZE, end))
		return false;
	const uint8_t *prefix = view->block + offset, *widths = prefix + 1, *last = view->block + end;
	const uint8_t *at = prefix + COLUMN_BLOCK_PREFIX_SIZE;
	const uint32_t series_count = (prefix[0] & ~(unsigned)EDGES) + 1;
	uint64_t minima[COLUMN_COUNT_OF_COLUMNS];
	size_t columns[COLUMN_COUNT_OF_COLUMNS], bits = 0;
	/* Mostly there is room for all minima at their longest, and most of them take one byte. */
	const bool has_room = last - at >= (ptrdiff_t)(COLUMN_COUNT_OF_COLUMNS * VARINT_SIZE_MAX);
	bool is_too_wide = false;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++) {
		if (has_room && *at < 0x80)
			minima[c] = *at++;
		else if ((at = get_varint(at, last, &minima[c])) == NULL)
			return false;
		columns[c] = bits;
		bits += series_count * widths[c];
		is_too_wide |= widths[c] > 64;
	}
	if (is_too_wide || series_count > SERIES_PER_BLOCK || bits > (size_t)(last - at) * 8)
		return false;
	const size_t first = (size_t)(at - view->block) * 8;
	block->view = view;
	block->number = number;
	block->series_count = series_count;
	block->edges = prefix[0] & EDGES;
	memcpy(block->widths, widths, sizeof(block->widths));
	memcpy(block->minima, minima, sizeof(block->minima));
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		block->columns[c] = first + columns[c];
	block->payload = first + bits;
	block->end = (size_t)end * 8;
	assert(series_count >= 1 && block->payload <= block->end);
	return true;
}

/* Whether the properties of a series are plausible, apart from where its payload lies; without a branch. */
static inline bool is_sound(const struct column_view *view, const uint64_t *fields)
{
	return (fields[COLUMN_COUNT] < SERIES_INTERVALS_MAX) & (fields[COLUMN_STEP_WIDTH] <= 64) &
	       (fields[COLUMN_VALUE_WIDTH] <= 64) & (fields[COLUMN_KIND] < VALUE_KIND_COUNT) &
	       (fields[COLUMN_KEY] >= view->key_min) & (fields[COLUMN_KEY] <= view->key_max) &
	       (fields[COLUMN_LAST] <= view->last_tick);
}

/* Returns where it ends.  Of a sound series, it is too short to wrap round. */
static inline size_t locate_payload(const struct column_block *block, struct column_series *series, size_t payload)
{
	uint32_t steps = column_step_count((uint32_t)series->fields[COLUMN_COUNT] + 1, block->edges);
	series->steps = payload;
	series->values = payload + steps * series->fields[COLUMN_STEP_WIDTH];
	return column_series_end(series);
}

bool column_block_series(const struct column_block *block, uint32_t number, size_t payload,
			 struct column_series *series)
{
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		series->fields[c] = column_block_field(block, (enum column)c, number);
	return is_sound(block->view, series->fields) && payload <= block->end &&
	       locate_payload(block, series, payload) <= block->end;
}

/*
 * Unpack fields, of which a load holds `in_a_load`, a number that divides SERIES_PER_BLOCK: those of the last load
 * that are none have no meaning.
 */
__attribute__((always_inline)) static inline void unpack_fields(const uint8_t *bytes, size_t at, unsigned width,
								uint64_t min, uint32_t count, uint32_t in_a_load,
								uint64_t *fields)
{
	const uint64_t mask = (UINT64_C(1) << width) - 1, *const end = fields + count;
	for (; fields < end; fields += in_a_load, at += in_a_load * (size_t)width) {
		uint64_t word = bits_load(bytes + at / 8) >> at % 8;
		for (uint32_t i = 0; i < in_a_load; i++, word >>= width)
			fields[i] = min + (word & mask);
	}
}

static void unpack_wide_column(const struct column_block *block, enum column column, uint64_t *fields)
{
	const uint8_t *bytes = block->view->block;
	const unsigned width = block->widths[column];
	const uint64_t min = block->minima[column];
	const uint32_t count = block->series_count;
	size_t at = block->columns[column];
	if (width <= BITS_IN_A_LOAD / 8)
		unpack_fields(bytes, at, width, min, count, 8, fields);
	else if (width <= BITS_IN_A_LOAD / 4)
		unpack_fields(bytes, at, width, min, count, 4, fields);
	else if (width <= BITS_IN_A_LOAD / 2)
		unpack_fields(bytes, at, width, min, count, 2, fields);
	else if (width <= BITS_IN_A_LOAD)
		unpack_fields(bytes, at, width, min, count, 1, fields);
	else
		for (uint32_t s = 0; s < count; s++, at += width)
			fields[s] = min + bits_get(bytes, at, width);
}

/* Most columns are alike, and like those of the block before. */
static inline void unpack_column(const struct column_block *block, enum column column, struct column_table *table)
{
	uint64_t *fields = table->fields[column];
	const uint64_t min = block->minima[column];
	if (block->widths[column] > 0) {
		table->alike &= ~(1U << column);
		unpack_wide_column(block, column, fields);
	} else if ((table->alike >> column & 1) == 0 || fields[0] != min) {
		table->alike |= 1U << column;
		for (uint32_t s = 0; s < SERIES_PER_BLOCK; s++)
			fields[s] = min;
	}
}

/* Whether all values of a column are in a range.  The width of the column mostly settles that. */
static bool is_within(const struct column_block *block, const struct column_table *table, enum column column,
		      uint64_t least, uint64_t most)
{
	const uint64_t min = block->minima[column];
	const unsigned width = block->widths[column];
	bool is_outside = false;
	if (width < 64 && min >= least && min <= most && (UINT64_C(1) << width) - 1 <= most - min)
		return true;
	for (uint32_t s = 0; s < block->series_count; s++)
		is_outside |= (table->fields[column][s] < least) | (table->fields[column][s] > most);
	return !is_outside;
}

/* Find where the payload of each series is.  Returns where the last one ends. */
static size_t locate_payloads(const struct column_block *block, struct column_table *table)
{
	const uint64_t *counts = table->fields[COLUMN_COUNT], *step_widths = table->fields[COLUMN_STEP_WIDTH],
		       *value_widths = table->fields[COLUMN_VALUE_WIDTH];
	const uint32_t apart = column_edge_count(block->edges);
	size_t payload = block->payload;
	if (column_table_is_alike(table, COLUMNS_OF_PAYLOAD)) {
		const size_t steps = column_less(counts[0] + 1, apart) * step_widths[0];
		const size_t all = steps + (counts[0] + 1) * value_widths[0];
		for (uint32_t s = 0; s < block->series_count; s++, payload += all) {
			table->steps[s] = payload;
			table->values[s] = payload + steps;
		}
		return payload;
	}
	for (uint32_t s = 0; s < block->series_count; s++) {
		table->steps[s] = payload;
		payload += column_less(counts[s] + 1, apart) * step_widths[s];
		table->values[s] = payload;
		payload += (counts[s] + 1) * value_widths[s];
	}
	return payload;
}

bool column_block_unpack_places(const struct column_block *block, struct column_table *table)
{
	unpack_column(block, COLUMN_KEY, table);
	unpack_column(block, COLUMN_START, table);
	return is_within(block, table, COLUMN_KEY, block->view->key_min, block->view->key_max);
}

/* Together with the keys, which were checked, the same as is_sound() of each. */
bool column_block_unpack_rest(const struct column_block *block, struct column_table *table)
{
	for (unsigned c = COLUMN_START + 1; c < COLUMN_COUNT_OF_COLUMNS; c++)
		unpack_column(block, (enum column)c, table);
	return is_within(block, table, COLUMN_COUNT, 0, SERIES_INTERVALS_MAX - 1) &&
	       is_within(block, table, COLUMN_STEP_WIDTH, 0, 64) &&
	       is_within(block, table, COLUMN_VALUE_WIDTH, 0, 64) &&
	       is_within(block, table, COLUMN_KIND, 0, VALUE_KIND_COUNT - 1) &&
	       is_within(block, table, COLUMN_LAST, 0, block->view->last_tick) &&
	       locate_payloads(block, table) <= block->end;
}

/* The values of a column from some series on: a load holds as many as fit. */
struct column_run {
	uint64_t word, mask, min;
	unsigned width;
};

static inline struct column_run column_run(const struct column_block *block, enum column column, uint32_t series)
{
	const unsigned width = block->widths[column];
	const size_t at = block->columns[column] + series * (size_t)width;
	return (struct column_run){
		.word = bits_load(block->view->block + at / 8) >> at % 8,
		.mask = (UINT64_C(1) << width) - 1,
		.min = block->minima[column],
		.width = width,
	};
}

static inline uint64_t column_run_next(struct column_run *run)
{
	const uint64_t field = run->min + (run->word & run->mask);
	run->word >>= run->width;
	return field;
}

/* How many values of a column, which are not all equal, one load holds. */
static inline uint32_t fields_in_a_load(unsigned width)
{
	return width == 0 ? SERIES_PER_BLOCK : BITS_IN_A_LOAD / width;
}

static inline uint32_t least_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * Returns the bits that a property of the intervals of some series takes: their counts, each less `apart`, times
 * the widths that a column has.
 */
static size_t bits_of_property(const struct column_block *block, enum column column, uint32_t apart, uint32_t from,
			       uint32_t to)
{
	const unsigned of_count = block->widths[COLUMN_COUNT], of_width = block->widths[column];
	if (of_count > BITS_IN_A_LOAD || of_width > BITS_IN_A_LOAD)
		return 0; /* no sound series has this count or this width */
	if ((of_width | block->minima[column]) == 0)
		return 0;
	const uint32_t in_a_load = least_of(fields_in_a_load(of_count), fields_in_a_load(of_width));
	size_t bits = 0;
	while (from < to) {
		struct column_run counts = column_run(block, COLUMN_COUNT, from);
		struct column_run widths = column_run(block, column, from);
		if ((of_count | of_width) == 0)
			return (to - from) * (size_t)column_less(counts.min + 1, apart) * (size_t)widths.min;
		for (uint32_t end = least_of(to, from + in_a_load); from < end; from++)
			bits += (size_t)column_less(column_run_next(&counts) + 1, apart) *
				(size_t)column_run_next(&widths);
	}
	return bits;
}

size_t column_block_payload(const struct column_block *block, uint32_t from, uint32_t to)
{
	const uint32_t apart = column_edge_count(block->edges);
	return bits_of_property(block, COLUMN_STEP_WIDTH, apart, from, to) +
	       bits_of_property(block, COLUMN_VALUE_WIDTH, 0, from, to);
}

/* ---- verification --------------------------------------------------------------------------------- */

static bool times_ascend(const struct column_view *view)
{
	uint64_t before = 0, time;
	for (uint32_t tick = 0; tick < view->time_count; tick++) {
		if (!column_time_of(view, tick, &time) || (tick > 0 && time <= before))
			return false;
		before = time;
	}
	return true;
}

bool column_is_searchable(const struct column_view *view)
{
	for (uint32_t number = 0; number < view->block_count; number++) {
		struct column_block block;
		if (!column_block_open(&block, view, number) ||
		    column_block_field(&block, COLUMN_KEY, 0) != column_block_key(view, number))
			return false;
	}
	return view->direct || times_ascend(view);
}
