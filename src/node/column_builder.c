// SPDX-License-Identifier: MIT
/*
 * column_builder.c - makes blocks of columns from series of intervals, and a leaf from blocks.
 */
#include "node/column_builder.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/value.h"
#include "item/value.h"
#include "node/column_block.h"
#include "node/node.h"

/* ---- column builder ------------------------------------------------------------------------------------------ */

/* The ticks of the items of a leaf. */
struct column_ticks {
	histree_time start;            /* start of the leaf */
	uint64_t last;                 /* tick of its end + 1 */
	const uint32_t *starts, *ends; /* by item, with a table of times; NULL: times are direct */
};

enum { NULL_ENTRY = 0 };

/* Whether the item starts where the one before it ended. */
static inline bool column_item_follows(const struct column_item *item)
{
	return column_item_key(item) == column_item_key(item - 1) && item->start == item[-1].end + 1;
}

/* ---- column block builder ------------------------------------------------------------------------------------ */

/* ---- cutting ---------------------------------------------------------------------------------------- */

/* What a series has as values: integers or entries of the list, and nulls, marked by a bit each. */
struct series_values {
	enum column_item_kind kind; /* ITEM_NULL: only nulls */
	uint64_t nulls;
};

/* Whether an item of the key of the series may have its value in the series too. */
static inline bool takes_value(struct series_values *values, const struct column_item *item, uint32_t index)
{
	enum column_item_kind kind = column_item_kind(item);
	if (kind == ITEM_NULL)
		values->nulls |= UINT64_C(1) << index;
	else if (values->kind == ITEM_NULL)
		values->kind = kind;
	else if (values->kind != kind)
		return false;
	return true;
}

/* How many of the `count` items from `items` on form one series. */
static uint32_t cut_items(const struct column_item *items, size_t count, struct series_values *values)
{
	uint32_t max = count < SERIES_INTERVALS_MAX ? (uint32_t)count : SERIES_INTERVALS_MAX, end = 1;
	uint32_t key_and_kind = items[0].key_and_kind;
	*values = (struct series_values){ .kind = column_item_kind(items) };
	values->nulls = values->kind == ITEM_NULL;
	for (; end < max; end++) {
		const struct column_item *item = &items[end];
		if (item->start != item[-1].end + 1)
			break;
		/* Most have the key and the kind of the first, which takes a single comparison to see. */
		if ((item->key_and_kind != key_and_kind || values->nulls != 0) &&
		    (column_item_key(item) != column_item_key(items) || !takes_value(values, item, end)))
			break;
	}
	return end;
}

static void set_values(struct column_block_builder *block, enum value_kind kind, uint64_t base, uint64_t code_max)
{
	block->fields[COLUMN_KIND][block->count] = kind;
	block->fields[COLUMN_BASE][block->count] = base;
	block->fields[COLUMN_VALUE_WIDTH][block->count] = bits_needed(code_max);
}

static void set_integers_and_nulls(struct column_block_builder *block, const struct column_item *items,
				   uint32_t count, uint64_t nulls, uint64_t *codes)
{
	int32_t min = INT32_MAX, max = INT32_MIN;
	for (uint32_t i = 0; i < count; i++) {
		int32_t number = (int32_t)items[i].value;
		if (nulls >> i & 1)
			continue;
		min = number < min ? number : min;
		max = number > max ? number : max;
	}
	for (uint32_t i = 0; i < count; i++)
		codes[i] = nulls >> i & 1 ? 0 : UINT64_C(1) + (items[i].value - (uint32_t)min);
	set_values(block, VALUES_INT_OR_NULL, zigzag(min), UINT64_C(1) + ((uint32_t)max - (uint32_t)min));
}

/* The entry of a value of the list, made when it is first met; UINT32_MAX if memory runs out. */
static uint32_t entry_of(struct column_dictionary *dictionary, uint32_t value)
{
	uint32_t *entry = &dictionary->entries[value];
	if (*entry == NULL_ENTRY) {
		if (!array_reserve(&dictionary->values, &dictionary->capacity, dictionary->count + 1))
			return UINT32_MAX;
		*entry = (uint32_t)dictionary->count;
		dictionary->values[dictionary->count++] = value;
	}
	return *entry;
}

static bool set_entries(struct column_block_builder *block, struct column_dictionary *dictionary,
			const struct column_item *items, uint32_t count, uint64_t *codes)
{
	uint64_t min = UINT64_MAX, max = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t entry = NULL_ENTRY;
		if (column_item_kind(&items[i]) != ITEM_NULL)
			entry = entry_of(dictionary, items[i].value);
		if (entry == UINT32_MAX)
			return false;
		codes[i] = entry;
		min = entry < min ? entry : min;
		max = entry > max ? entry : max;
	}
	for (uint32_t i = 0; i < count; i++)
		codes[i] -= min;
	set_values(block, VALUES_DICTIONARY, min, max - min);
	return true;
}

static void set_times(struct column_block_builder *block, const struct column_ticks *ticks, uint32_t count,
		      uint64_t start, uint64_t end)
{
	const struct built_series *series = &block->series[block->count];
	block->fields[COLUMN_START][block->count] = start;
	block->fields[COLUMN_COUNT][block->count] = count - 1;
	block->fields[COLUMN_FIRST][block->count] = series->first;
	block->fields[COLUMN_LAST][block->count] = ticks->last - end;
}

/* The steps of the series of `count` items from `first` on, and where they begin and end. */
static void set_ticks(struct column_block_builder *block, const struct column_ticks *ticks,
		      const struct column_item *items, size_t first, uint32_t count, uint64_t *steps)
{
	uint64_t start, end;
	const struct column_item *mine = items + first;
	if (ticks->ends == NULL) {
		for (uint32_t i = 0; i < count; i++)
			steps[i] = (uint64_t)mine[i].end - (uint64_t)mine[i].start + 1;
		start = (uint64_t)mine->start - (uint64_t)ticks->start;
		end = (uint64_t)mine[count - 1].end - (uint64_t)ticks->start + 1;
	} else {
		bool follows = first > 0 && column_item_follows(mine);
		end = start = follows ? ticks->ends[first - 1] : ticks->starts[first];
		for (uint32_t i = 0; i < count; i++) {
			steps[i] = ticks->ends[first + i] - end;
			end = ticks->ends[first + i];
		}
	}
	struct built_series *series = &block->series[block->count];
	series->count = count;
	series->first = steps[0];
	series->last = steps[count - 1];
	series->inner_min = UINT64_MAX;
	series->inner_max = 0;
	for (uint32_t i = 1; i + 1 < count; i++) {
		series->inner_min = steps[i] < series->inner_min ? steps[i] : series->inner_min;
		series->inner_max = steps[i] > series->inner_max ? steps[i] : series->inner_max;
	}
	set_times(block, ticks, count, start, end);
}

/*
 * A series of integers only, with direct times, as most histories have them, in one pass.  Returns how many items
 * it has, or 0 if the series is of another kind; then no result was set.
 */
static inline uint32_t cut_plain(struct column_block_builder *block, const struct column_ticks *ticks,
				 const struct column_item *items, size_t count, uint64_t *steps, uint64_t *codes)
{
	const uint32_t key_and_kind = items[0].key_and_kind;
	const uint32_t most = count < SERIES_INTERVALS_MAX ? (uint32_t)count : SERIES_INTERVALS_MAX;
	if (ticks->ends != NULL || column_item_kind(items) != ITEM_INT)
		return 0;
	int32_t min = (int32_t)items[0].value, max = min;
	uint64_t first = (uint64_t)items[0].end - (uint64_t)items[0].start + 1, last = first;
	uint64_t inner_min = UINT64_MAX, inner_max = 0;
	uint32_t end = 1;
	steps[0] = first;
	for (; end < most; end++) {
		const struct column_item *item = &items[end];
		if (item->key_and_kind != key_and_kind || item->start != item[-1].end + 1)
			break;
		/* The item before is not the last, so it is an inner one unless it is the first. */
		if (end > 1) {
			inner_min = last < inner_min ? last : inner_min;
			inner_max = last > inner_max ? last : inner_max;
		}
		last = (uint64_t)item->end - (uint64_t)item->start + 1;
		steps[end] = last;
		int32_t number = (int32_t)item->value;
		min = number < min ? number : min;
		max = number > max ? number : max;
	}
	/* A null that follows without a gap belongs to the series. */
	if (end < most && items[end].start == items[end - 1].end + 1 &&
	    column_item_key(&items[end]) == column_item_key(items) && column_item_kind(&items[end]) == ITEM_NULL)
		return 0;
	for (uint32_t i = 0; i < end; i++)
		codes[i] = items[i].value - (uint32_t)min;
	block->series[block->count] = (struct built_series){
		.count = end, .first = first, .last = last, .inner_min = inner_min, .inner_max = inner_max
	};
	set_times(block, ticks, end, (uint64_t)items[0].start - (uint64_t)ticks->start,
		  (uint64_t)items[end - 1].end - (uint64_t)ticks->start + 1);
	set_values(block, VALUES_INT, zigzag(min), (uint32_t)max - (uint32_t)min);
	return end;
}

/* Any series.  Returns how many items it has, or 0 if memory runs out. */
static uint32_t cut_any(struct column_block_builder *block, const struct column_ticks *ticks,
			const struct column_item *items, size_t first, size_t count,
			struct column_dictionary *dictionary, uint64_t *steps, uint64_t *codes)
{
	const struct column_item *mine = items + first;
	struct series_values values;
	uint32_t taken = cut_items(mine, count - first, &values);
	set_ticks(block, ticks, items, first, taken, steps);
	if (values.kind == ITEM_INT && values.nulls == 0) {
		/* Integers alone, as most series have them. */
		int32_t min = INT32_MAX, max = INT32_MIN;
		for (uint32_t i = 0; i < taken; i++) {
			int32_t number = (int32_t)mine[i].value;
			min = number < min ? number : min;
			max = number > max ? number : max;
		}
		for (uint32_t i = 0; i < taken; i++)
			codes[i] = mine[i].value - (uint32_t)min;
		set_values(block, VALUES_INT, zigzag(min), (uint32_t)max - (uint32_t)min);
	} else if (values.kind == ITEM_INT)
		set_integers_and_nulls(block, mine, taken, values.nulls, codes);
	else if (values.kind == ITEM_NULL)
		set_values(block, VALUES_NULL, 0, 0);
	else if (!set_entries(block, dictionary, mine, taken, codes))
		return 0;
	return taken;
}

/*
 * Cut the items from `first` on into series until the block is full; returns the first that it does not take, 0
 * when memory runs out.
 */
static size_t column_block_builder_cut(struct column_block_builder *block, const struct column_item *items,
				       size_t first, size_t count, const struct column_ticks *ticks,
				       struct column_dictionary *dictionary)
{
	uint64_t *steps = block->steps, *codes = block->codes;
	for (block->count = 0; block->count < SERIES_PER_BLOCK && first < count; block->count++) {
		block->fields[COLUMN_KEY][block->count] = column_item_key(&items[first]);
		uint32_t taken = cut_plain(block, ticks, items + first, count - first, steps, codes);
		if (taken == 0)
			taken = cut_any(block, ticks, items, first, count, dictionary, steps, codes);
		if (taken == 0)
			return 0;
		steps += taken;
		codes += taken;
		first += taken;
	}
	return first;
}

/* ---- edges ------------------------------------------------------------------------------------------ */

struct range {
	uint64_t min, max;
};

static const struct range nothing = { .min = UINT64_MAX, .max = 0 };

static inline void widen(struct range *range, uint64_t min, uint64_t max)
{
	range->min = min < range->min ? min : range->min;
	range->max = max > range->max ? max : range->max;
}

static inline unsigned range_width(const struct range *range)
{
	return range->min >= range->max ? 0 : bits_needed(range->max - range->min);
}

/* The steps of a series that stay in its payload, if there are any. */
static inline struct range payload_steps(const struct built_series *series, unsigned edges)
{
	struct range steps = { series->inner_min, series->inner_max };
	if ((edges & EDGE_FIRST) == 0)
		widen(&steps, series->first, series->first);
	if ((edges & EDGE_LAST) == 0)
		widen(&steps, series->last, series->last);
	return steps;
}

static struct range column_range(const struct column_block_builder *block, enum column column)
{
	const uint64_t *fields = block->fields[column], first = fields[0];
	struct range range = { first, first };
	/*
	 * Keys ascend.  Most of the other properties are all equal, which is cheaper to find out than their range.
	 */
	if (column == COLUMN_KEY)
		return (struct range){ first, fields[block->count - 1] };
	uint64_t unlike = 0;
	for (uint32_t s = 0; s < block->count; s++)
		unlike |= fields[s] ^ first;
	for (uint32_t s = 0; unlike != 0 && s < block->count; s++)
		widen(&range, fields[s], fields[s]);
	return range;
}

/* Bits of the steps in the payloads of a block, and of the columns that describe them. */
static inline uint64_t payload_cost(const struct column_block_builder *block, unsigned edges)
{
	uint64_t bits = 0;
	struct range step_mins = nothing, widths = nothing;
	for (uint32_t s = 0; s < block->count; s++) {
		const struct built_series *series = &block->series[s];
		uint32_t count = column_step_count(series->count, edges);
		if (count == 0)
			continue;
		struct range steps = payload_steps(series, edges);
		unsigned width = range_width(&steps);
		bits += count * (uint64_t)width;
		widen(&widths, width, width);
		widen(&step_mins, steps.min, steps.min);
	}
	return bits + block->count * (uint64_t)(range_width(&step_mins) + range_width(&widths));
}

/* Whether the leaf gets smaller if the first and the last steps of all series are stored apart. */
static unsigned choose_edges(const struct column_block_builder *block)
{
	uint64_t together = payload_cost(block, 0);
	if (together == 0)
		return 0;
	struct range firsts = column_range(block, COLUMN_FIRST), lasts = column_range(block, COLUMN_LAST);
	uint64_t first_bits = block->count * (uint64_t)range_width(&firsts);
	uint64_t last_bits = block->count * (uint64_t)range_width(&lasts);
	const struct {
		unsigned edges;
		uint64_t bits;
	} choices[] = {
		{ 0, together },
		{ EDGE_FIRST, first_bits + payload_cost(block, EDGE_FIRST) },
		{ EDGE_LAST, last_bits + payload_cost(block, EDGE_LAST) },
		{ EDGES, first_bits + last_bits + payload_cost(block, EDGES) },
	};
	size_t best = 0;
	for (size_t i = 1; i < sizeof(choices) / sizeof(*choices); i++)
		if (choices[i].bits < choices[best].bits)
			best = i;
	return choices[best].edges;
}

static void set_edges(struct column_block_builder *block, unsigned edges)
{
	block->edges = edges;
	uint64_t step_min = 0; /* for series without steps: a value that the column has anyway */
	for (uint32_t s = block->count; s-- > 0;) {
		if (column_step_count(block->series[s].count, edges) > 0)
			step_min = payload_steps(&block->series[s], edges).min;
	}
	for (uint32_t s = 0; s < block->count; s++) {
		struct range steps = payload_steps(&block->series[s], edges);
		bool has = column_step_count(block->series[s].count, edges) > 0;
		block->fields[COLUMN_STEP_MIN][s] = has ? steps.min : step_min;
		block->fields[COLUMN_STEP_WIDTH][s] = range_width(&steps);
	}
	if ((edges & EDGE_FIRST) == 0)
		memset(block->fields[COLUMN_FIRST], 0, sizeof(block->fields[COLUMN_FIRST]));
	if ((edges & EDGE_LAST) == 0)
		memset(block->fields[COLUMN_LAST], 0, sizeof(block->fields[COLUMN_LAST]));
}

/* ---- writing ---------------------------------------------------------------------------------------- */

static void write_payload(const struct column_block_builder *block, struct bit_writer *writer)
{
	const uint64_t *steps = block->steps, *codes = block->codes;
	uint32_t first = (block->edges & EDGE_FIRST) != 0;
	for (uint32_t s = 0; s < block->count; s++) {
		uint32_t count = block->series[s].count;
		unsigned step_width = (unsigned)block->fields[COLUMN_STEP_WIDTH][s];
		unsigned value_width = (unsigned)block->fields[COLUMN_VALUE_WIDTH][s];
		if (step_width > 0) {
			uint64_t min = block->fields[COLUMN_STEP_MIN][s];
			uint32_t end = first + column_step_count(count, block->edges);
			for (uint32_t i = first; i < end; i++)
				bit_writer_put(writer, steps[i] - min, step_width);
		}
		if (value_width > 0)
			for (uint32_t i = 0; i < count; i++)
				bit_writer_put_short(writer, codes[i], value_width);
		steps += count;
		codes += count;
	}
}

/* Append the block to the bits, which then end with a whole byte.  Returns false if memory runs out. */
static bool column_block_builder_write(struct column_block_builder *block, struct bit_buffer *bits)
{
	assert(block->count > 0 && block->count <= SERIES_PER_BLOCK);
	set_edges(block, choose_edges(block));
	uint64_t min[COLUMN_COUNT_OF_COLUMNS];
	unsigned widths[COLUMN_COUNT_OF_COLUMNS];
	size_t needed = 8 * (COLUMN_BLOCK_PREFIX_SIZE + COLUMN_COUNT_OF_COLUMNS * (size_t)VARINT_SIZE_MAX);
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++) {
		struct range range = column_range(block, c);
		min[c] = range.min;
		widths[c] = range_width(&range);
		needed += block->count * (size_t)widths[c];
	}
	for (uint32_t s = 0; s < block->count; s++)
		needed += block->series[s].count *
			  (block->fields[COLUMN_STEP_WIDTH][s] + block->fields[COLUMN_VALUE_WIDTH][s]);
	if (!bit_buffer_reserve(bits, needed))
		return false;

	uint8_t *at = bits->bytes + bits->bits / 8;
	*at++ = (uint8_t)((block->count - 1) | block->edges);
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		*at++ = (uint8_t)widths[c];
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		at = put_varint(at, min[c]);
	bits->bits = 8 * (size_t)(at - bits->bytes);
	struct bit_writer writer = bit_writer_begin(bits);
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		for (uint32_t s = 0; widths[c] > 0 && s < block->count; s++)
			bit_writer_put(&writer, block->fields[c][s] - min[c], widths[c]);
	write_payload(block, &writer);
	bit_writer_end(bits, &writer);
	bits->bits = (bits->bits + 7) / 8 * 8;
	assert(bits->bits / 8 < bits->capacity);
	return true;
}

/* ---- column builder ------------------------------------------------------------------------------------------ */

/* The result of comparing the two ways to store times is kept for this many leaves. */
enum { LEAVES_PER_COMPARISON = 16 };

/* ---- ticks: a table of times ---------------------------------------------------------------------------- */

/* Times above the leaf's start. */
static uint64_t above(histree_time time, histree_time start)
{
	return (uint64_t)time - (uint64_t)start;
}

/*
 * Returns the number of a boundary, assigned when it is first met.  The hash table is a special one: one probe
 * finds the boundary or its free slot (docs/design/01-tree.md, decisions).
 */
static inline uint32_t number_of(struct column_builder *builder, uint64_t time)
{
	const size_t mask = ((size_t)1 << builder->slot_bits) - 1;
	size_t slot = (size_t)(time * UINT64_C(0x9e3779b97f4a7c15) >> (64 - builder->slot_bits));
	for (; builder->slots[slot] != 0; slot = (slot + 1) & mask)
		if (builder->ticks[builder->slots[slot] - 1].key == time)
			return builder->slots[slot] - 1;
	uint32_t number = (uint32_t)builder->tick_count++;
	builder->ticks[number] = (struct keyed_index){ time, number };
	builder->slots[slot] = number + 1;
	return number;
}

/*
 * Intervals that end or begin together share a boundary: duplicates are removed before the sort, so each boundary
 * is sorted once.
 */
static bool number_by_table(struct column_builder *builder, const struct column_item *items, size_t count,
			    histree_time start)
{
	/* At most 2 * count slots are taken. */
	builder->slot_bits = bits_needed(2 * (uint64_t)count + count / 2);
	builder->tick_count = 0;
	if (!array_reserve(&builder->ticks, &builder->ticks_capacity, 2 * count) ||
	    !array_reserve(&builder->spare_ticks, &builder->spare_capacity, 2 * count) ||
	    !array_reserve(&builder->slots, &builder->slots_capacity, (size_t)1 << builder->slot_bits) ||
	    !array_reserve(&builder->starts, &builder->starts_capacity, count) ||
	    !array_reserve(&builder->ends, &builder->ends_capacity, count))
		return false;
	memset(builder->slots, 0, ((size_t)1 << builder->slot_bits) * sizeof(*builder->slots));
	for (size_t i = 0; i < count; i++) {
		builder->ends[i] = number_of(builder, above(items[i].end, start) + 1);
		if (i == 0 || !column_item_follows(&items[i]))
			builder->starts[i] = number_of(builder, above(items[i].start, start));
	}
	assert(builder->tick_count > 0 && builder->tick_count <= 2 * count);
	radix_sort(builder->ticks, builder->spare_ticks, builder->tick_count);
	/* From here on, these are where the spare ticks were. */
	builder->times = (uint64_t *)builder->spare_ticks;
	uint32_t *ranks = (uint32_t *)(builder->times + builder->tick_count);
	for (size_t tick = 0; tick < builder->tick_count; tick++) {
		builder->times[tick] = builder->ticks[tick].key;
		ranks[builder->ticks[tick].index] = (uint32_t)tick;
	}
	builder->time_count = builder->tick_count;
	for (size_t i = 0; i < count; i++) {
		builder->ends[i] = ranks[builder->ends[i]];
		if (i == 0 || !column_item_follows(&items[i]))
			builder->starts[i] = ranks[builder->starts[i]];
	}
	return true;
}

static unsigned time_entry_width(const struct column_builder *builder, size_t first)
{
	size_t last = first + TIMES_PER_ENTRY - 1;
	if (last >= builder->time_count)
		last = builder->time_count - 1;
	return bits_needed(builder->times[last] - builder->times[first]);
}

/* ---- writing: everything goes into one bit buffer that becomes the body of the leaf ------------------------- */

static size_t byte_position(const struct column_builder *builder)
{
	return COLUMN_HEADER_SIZE + builder->bits.bits / 8;
}

static void put32(struct column_builder *builder, size_t number)
{
	bit_buffer_put(&builder->bits, (uint32_t)number, 32);
}

static bool write_times(struct column_builder *builder)
{
	size_t entries = (builder->time_count + TIMES_PER_ENTRY - 1) / TIMES_PER_ENTRY, bits = 0;
	for (size_t first = 0; first < builder->time_count; first += TIMES_PER_ENTRY)
		bits += 8 * TIME_ENTRY_SIZE + TIMES_PER_ENTRY * (size_t)time_entry_width(builder, first);
	if (!bit_buffer_reserve(&builder->bits, bits + 64))
		return false;
	size_t offset = byte_position(builder) + entries * TIME_ENTRY_SIZE;
	for (size_t first = 0; first < builder->time_count; first += TIMES_PER_ENTRY) {
		unsigned width = time_entry_width(builder, first);
		bit_buffer_put(&builder->bits, builder->times[first], 64);
		put32(builder, offset);
		put32(builder, width);
		offset += TIMES_PER_ENTRY / 8 * width;
	}
	for (size_t first = 0; first < builder->time_count; first += TIMES_PER_ENTRY) {
		unsigned width = time_entry_width(builder, first);
		for (size_t i = first; i < first + TIMES_PER_ENTRY; i++) {
			size_t time = i < builder->time_count ? i : builder->time_count - 1;
			bit_buffer_put(&builder->bits, builder->times[time] - builder->times[first], width);
		}
	}
	return true;
}

static bool write_dictionary(struct column_builder *builder, const struct histree_value *values)
{
	static const struct histree_value null = { .type = HISTREE_NULL };
	size_t offset = byte_position(builder) + 4 * builder->dictionary.count;
	if (!bit_buffer_reserve(&builder->bits, 32 * builder->dictionary.count))
		return false;
	for (size_t entry = 0; entry < builder->dictionary.count; entry++) {
		put32(builder, offset);
		offset += value_encoded_size(entry == NULL_ENTRY ? &null
								 : &values[builder->dictionary.values[entry]]);
	}
	for (size_t entry = 0; entry < builder->dictionary.count; entry++) {
		const struct histree_value *value =
			entry == NULL_ENTRY ? &null : &values[builder->dictionary.values[entry]];
		size_t size = value_encoded_size(value);
		if (!bit_buffer_reserve(&builder->bits, 8 * size))
			return false;
		value_encode(builder->bits.bytes + builder->bits.bits / 8, value);
		builder->bits.bits += 8 * size;
	}
	return true;
}

static bool write_blocks(struct column_builder *builder, const struct column_item *items, size_t count,
			 const struct column_ticks *ticks)
{
	struct column_block_builder *block = &builder->block;
	builder->block_count = builder->series_count = 0;
	for (size_t first = 0; first < count && builder->bits.bits < builder->bits_max;) {
		if (!array_reserve(&builder->block_index, &builder->block_index_capacity, builder->block_count + 1))
			return false;
		builder->block_index[builder->block_count++] = (struct block_entry){
			.key = column_item_key(&items[first]),
			.offset = (uint32_t)byte_position(builder),
		};
		first = column_block_builder_cut(block, items, first, count, ticks, &builder->dictionary);
		assert(first <= count);
		if (first == 0 || !column_block_builder_write(block, &builder->bits))
			return false;
		builder->series_count += block->count;
	}
	return true;
}

/*
 * The body of the leaf, with times as asked; not all of it if that has bits_max bits or more.  False when memory is
 * out.
 */
static bool encode_body(struct column_builder *builder, const struct column_item *items, size_t count,
			const struct histree_value *values, size_t value_count, bool direct)
{
	const struct node_child *bounds = &builder->bounds;
	struct column_ticks ticks = { .start = bounds->start, .last = above(bounds->end, bounds->start) + 1 };
	bit_buffer_clear(&builder->bits);
	builder->time_count = 0;
	if (!array_reserve(&builder->dictionary.entries, &builder->dictionary.entries_capacity, value_count + 1) ||
	    !array_reserve(&builder->dictionary.values, &builder->dictionary.capacity, 1))
		return false;
	memset(builder->dictionary.entries, 0, value_count * sizeof(*builder->dictionary.entries));
	builder->dictionary.values[NULL_ENTRY] = UINT32_MAX;
	builder->dictionary.count = 1;
	if (!direct) {
		if (!number_by_table(builder, items, count, bounds->start))
			return false;
		ticks.starts = builder->starts;
		ticks.ends = builder->ends;
		ticks.last = builder->time_count - 1;
	}
	if (!write_blocks(builder, items, count, &ticks))
		return false;
	if (builder->bits.bits >= builder->bits_max)
		return true;
	builder->block_index_offset = byte_position(builder);
	if (!bit_buffer_reserve(&builder->bits, 8 * BLOCK_ENTRY_SIZE * builder->block_count))
		return false;
	for (size_t block = 0; block < builder->block_count; block++) {
		put32(builder, builder->block_index[block].key);
		put32(builder, builder->block_index[block].offset);
	}
	builder->times_offset = byte_position(builder);
	if (!write_times(builder))
		return false;
	builder->dictionary_offset = byte_position(builder);
	return write_dictionary(builder, values);
}

/* The body of a leaf, and what its header says of it. */
struct column_body {
	struct bit_buffer bits;
	size_t block_count, series_count, time_count, dictionary_count;
	size_t times_offset, dictionary_offset, block_index_offset;
};

/* Replace the body that was encoded last by another one. */
static void swap_bodies(struct column_builder *builder, struct column_body *other)
{
	const struct column_body mine = {
		.bits = builder->bits,
		.block_count = builder->block_count,
		.series_count = builder->series_count,
		.time_count = builder->time_count,
		.dictionary_count = builder->dictionary.count,
		.times_offset = builder->times_offset,
		.dictionary_offset = builder->dictionary_offset,
		.block_index_offset = builder->block_index_offset,
	};
	builder->bits = other->bits;
	builder->block_count = other->block_count;
	builder->series_count = other->series_count;
	builder->time_count = other->time_count;
	builder->dictionary.count = other->dictionary_count;
	builder->times_offset = other->times_offset;
	builder->dictionary_offset = other->dictionary_offset;
	builder->block_index_offset = other->block_index_offset;
	*other = mine;
}

size_t column_builder_encode(struct column_builder *builder, const struct column_item *items, size_t count,
			     const struct histree_value *values, size_t value_count)
{
	struct node_child bounds = {
		.start = items[0].start,
		.end = items[0].end,
		.key_min = column_item_key(&items[0]),
		.key_max = column_item_key(&items[count - 1]),
	};
	for (size_t i = 1; i < count; i++) {
		bounds.start = items[i].start < bounds.start ? items[i].start : bounds.start;
		bounds.end = items[i].end > bounds.end ? items[i].end : bounds.end;
	}
	builder->bounds = bounds;
	builder->item_count = (uint32_t)count;
	assert(count > 0 && bounds.start <= bounds.end && bounds.key_min <= bounds.key_max);
	const bool compares = builder->leaves++ % LEAVES_PER_COMPARISON == 0;
	builder->bits_max = SIZE_MAX;
	bool is_whole = encode_body(builder, items, count, values, value_count, builder->direct);
	struct column_body other = { 0 };
	if (is_whole && compares) {
		swap_bodies(builder, &other);
		builder->bits_max = other.bits.bits;
		is_whole = encode_body(builder, items, count, values, value_count, !builder->direct);
		if (is_whole && builder->bits.bits < other.bits.bits)
			builder->direct = !builder->direct;
		else
			swap_bodies(builder, &other);
	}
	bit_buffer_release(&other.bits);
	return is_whole ? byte_position(builder) + BITS_SLACK : 0;
}

uint32_t column_builder_seal(struct column_builder *builder, const struct node_layout *layout, uint32_t number,
			     uint8_t *block, struct node_child *child)
{
	uint32_t used = (uint32_t)byte_position(builder);
	assert(used + BITS_SLACK <= layout->node_size);
	builder->bounds.number = number;
	struct node_header header = {
		.bounds = builder->bounds,
		.item_count = builder->item_count,
		.used = used,
		.body_offset = NODE_HEADER_SIZE,
	};
	put_le32(block + COLUMN_AT_DIRECT, builder->time_count == 0);
	put_le32(block + COLUMN_AT_TIME_COUNT, (uint32_t)builder->time_count);
	put_le32(block + COLUMN_AT_BLOCK_COUNT, (uint32_t)(builder->block_count));
	put_le32(block + COLUMN_AT_VALUE_COUNT, (uint32_t)builder->dictionary.count);
	put_le32(block + COLUMN_AT_TIMES, (uint32_t)builder->times_offset);
	put_le32(block + COLUMN_AT_BLOCK_INDEX, (uint32_t)builder->block_index_offset);
	put_le32(block + COLUMN_AT_DICTIONARY, (uint32_t)builder->dictionary_offset);
	put_le32(block + COLUMN_AT_SERIES_COUNT, (uint32_t)builder->series_count);
	memcpy(block + COLUMN_HEADER_SIZE, builder->bits.bytes, used - COLUMN_HEADER_SIZE);
	node_clear_behind(block, used, layout->node_size);
	node_put_header(block, &header);
	*child = builder->bounds;
	return used;
}

void column_builder_release(struct column_builder *builder)
{
	free(builder->block_index);
	free(builder->ticks);
	free(builder->spare_ticks);
	free(builder->slots);
	free(builder->starts);
	free(builder->ends);
	free(builder->dictionary.entries);
	free(builder->dictionary.values);
	bit_buffer_release(&builder->bits);
	*builder = (struct column_builder){ 0 };
}
