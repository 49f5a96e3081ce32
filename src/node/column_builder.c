// SPDX-License-Identifier: MIT
/*
 * In three steps: cut the items into segments; number their moments, through a table of times or directly,
 * whichever is smaller; write blocks of segments, each column at the width that its block needs.
 */
#include "node/column_builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "item/value_codec.h"
#include "node/column_format.h"

/* A comparison of the two ways to store times holds for this many leaves. */
enum { LEAVES_PER_COMPARISON = 16 };

struct column_segment {
	uint32_t first; /* item */
	uint32_t count;
	uint64_t fields[COLUMN_COUNT_OF_COLUMNS];
};

/* ---- segments --------------------------------------------------------------------------------------------- */

static bool follows(const struct column_item *item, const struct column_item *before)
{
	return column_item_key(item) == column_item_key(before) && item->start == before->end + 1;
}

/* A segment holds integers or values of the list, and nulls: an attribute of a state history has one type anyway.
 */
static size_t segment_end(const struct column_item *items, size_t count, size_t first)
{
	enum column_item_kind kind = column_item_kind(&items[first]);
	size_t end = first + 1;
	for (; end < count && end - first < SEGMENT_INTERVALS_MAX && follows(&items[end], &items[end - 1]); end++) {
		enum column_item_kind its = column_item_kind(&items[end]);
		if (kind == ITEM_NULL)
			kind = its;
		else if (its != ITEM_NULL && its != kind)
			break;
	}
	return end;
}

static bool cut_segments(struct column_builder *builder, const struct column_item *items, size_t count)
{
	builder->segment_count = 0;
	for (size_t first = 0, end; first < count; first = end) {
		end = segment_end(items, count, first);
		if (!array_reserve(&builder->segments, &builder->segments_capacity, builder->segment_count + 1))
			return false;
		builder->segments[builder->segment_count++] =
			(struct column_segment){ .first = (uint32_t)first, .count = (uint32_t)(end - first) };
	}
	return true;
}

/* ---- moments ----------------------------------------------------------------------------------------------- */

/* Times above the leaf's start. */
static uint64_t above(histree_time time, histree_time start)
{
	return (uint64_t)time - (uint64_t)start;
}

/* The start and the steps of each segment, from the ends of the items; returns the bits that the steps take. */
static uint64_t set_steps(struct column_builder *builder)
{
	uint64_t bits = 0;
	for (size_t s = 0; s < builder->segment_count; s++) {
		struct column_segment *segment = &builder->segments[s];
		const uint64_t *ends = builder->ends + segment->first;
		uint64_t before = segment->fields[COLUMN_START], least = UINT64_MAX, most = 0;
		for (uint32_t i = 0; i < segment->count; i++) {
			uint64_t step = ends[i] - before;
			before = ends[i];
			least = step < least ? step : least;
			most = step > most ? step : most;
		}
		segment->fields[COLUMN_STEP_MIN] = least;
		segment->fields[COLUMN_STEP_WIDTH] = bits_needed(most - least);
		bits += (uint64_t)segment->count * segment->fields[COLUMN_STEP_WIDTH];
	}
	return bits;
}

static void number_directly(struct column_builder *builder, const struct column_item *items, size_t count,
			    histree_time start)
{
	for (size_t i = 0; i < count; i++)
		builder->ends[i] = above(items[i].end, start) + 1;
	for (size_t s = 0; s < builder->segment_count; s++) {
		struct column_segment *segment = &builder->segments[s];
		segment->fields[COLUMN_START] = above(items[segment->first].start, start);
	}
}

/* All boundaries sorted: the items' ends by their number, the segments' starts by count + theirs. */
static bool sort_moments(struct column_builder *builder, const struct column_item *items, size_t count,
			 histree_time start)
{
	size_t total = count + builder->segment_count;
	if (!array_reserve(&builder->moments, &builder->moments_capacity, total) ||
	    !array_reserve(&builder->spare_moments, &builder->spare_capacity, total) ||
	    !array_reserve(&builder->times, &builder->times_capacity, total))
		return false;
	for (size_t i = 0; i < count; i++)
		builder->moments[i] = (struct keyed_index){ above(items[i].end, start) + 1, (uint32_t)i };
	for (size_t s = 0; s < builder->segment_count; s++)
		builder->moments[count + s] =
			(struct keyed_index){ above(items[builder->segments[s].first].start, start),
					      (uint32_t)(count + s) };
	radix_sort(builder->moments, builder->spare_moments, total);
	return true;
}

static bool number_by_table(struct column_builder *builder, const struct column_item *items, size_t count,
			    histree_time start)
{
	if (!sort_moments(builder, items, count, start))
		return false;
	builder->time_count = 0;
	for (size_t i = 0; i < count + builder->segment_count; i++) {
		const struct keyed_index *moment = &builder->moments[i];
		if (builder->time_count == 0 || builder->times[builder->time_count - 1] != moment->key)
			builder->times[builder->time_count++] = moment->key;
		uint64_t number = builder->time_count - 1;
		if (moment->index < count)
			builder->ends[moment->index] = number;
		else
			builder->segments[moment->index - count].fields[COLUMN_START] = number;
	}
	return true;
}

static unsigned time_head_width(const struct column_builder *builder, size_t first)
{
	size_t last = first + TIMES_PER_HEAD - 1;
	if (last >= builder->time_count)
		last = builder->time_count - 1;
	return bits_needed(builder->times[last] - builder->times[first]);
}

static uint64_t table_bits(const struct column_builder *builder)
{
	uint64_t bits = 0;
	for (size_t first = 0; first < builder->time_count; first += TIMES_PER_HEAD)
		bits += 8 * TIME_HEAD_SIZE + TIMES_PER_HEAD * (uint64_t)time_head_width(builder, first);
	return bits;
}

/* What a start costs: its column is about as wide as the greatest of the leaf. */
static uint64_t start_bits(const struct column_builder *builder, uint64_t greatest)
{
	return builder->segment_count * (uint64_t)bits_needed(greatest);
}

static bool number_moments(struct column_builder *builder, const struct column_item *items, size_t count,
			   histree_time start, histree_time end)
{
	if (!array_reserve(&builder->ends, &builder->ends_capacity, count))
		return false;
	bool compare = builder->leaves % LEAVES_PER_COMPARISON == 0;
	uint64_t direct_bits = 0;
	builder->leaves++;
	if (compare || builder->direct) {
		number_directly(builder, items, count, start);
		direct_bits = set_steps(builder) + start_bits(builder, above(end, start));
		builder->time_count = 0;
	}
	if (!compare && builder->direct)
		return true;
	if (!number_by_table(builder, items, count, start))
		return false;
	uint64_t bits = set_steps(builder) + start_bits(builder, builder->time_count) + table_bits(builder);
	if (compare)
		builder->direct = direct_bits <= bits;
	if (builder->direct) {
		number_directly(builder, items, count, start);
		set_steps(builder);
		builder->time_count = 0;
	}
	return true;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

/* Entry 0 is null, for segments that have values of the dictionary too. */
enum { NULL_ENTRY = 0 };

static bool begin_dictionary(struct column_builder *builder, size_t value_count)
{
	if (!array_reserve(&builder->entries, &builder->entries_capacity, value_count + 1) ||
	    !array_reserve(&builder->dictionary, &builder->dictionary_capacity, 1))
		return false;
	memset(builder->entries, 0, value_count * sizeof(*builder->entries));
	builder->dictionary[NULL_ENTRY] = UINT32_MAX;
	builder->dictionary_count = 1;
	return true;
}

/* The entry of an item's value, made at first sight; UINT64_MAX when memory is out. */
static uint64_t entry_of(struct column_builder *builder, const struct column_item *item)
{
	if (column_item_kind(item) == ITEM_NULL)
		return NULL_ENTRY;
	uint32_t *entry = &builder->entries[item->value];
	if (*entry == NULL_ENTRY) {
		if (!array_reserve(&builder->dictionary, &builder->dictionary_capacity,
				   builder->dictionary_count + 1))
			return UINT64_MAX;
		*entry = (uint32_t)builder->dictionary_count;
		builder->dictionary[builder->dictionary_count++] = item->value;
	}
	return *entry;
}

static void set_values(struct column_segment *segment, enum value_kind kind, uint64_t base, uint64_t code_max)
{
	segment->fields[COLUMN_KIND] = kind;
	segment->fields[COLUMN_BASE] = base;
	segment->fields[COLUMN_VALUE_WIDTH] = bits_needed(code_max);
}

/* Integers and nulls; false if there is something else. */
static bool choose_numbers(struct column_segment *segment, const struct column_item *items)
{
	int32_t least = INT32_MAX, most = INT32_MIN;
	bool nulls = false;
	for (uint32_t i = 0; i < segment->count; i++) {
		enum column_item_kind kind = column_item_kind(&items[i]);
		int32_t number = (int32_t)items[i].value;
		if (kind == ITEM_LISTED)
			return false;
		if (kind == ITEM_NULL) {
			nulls = true;
			continue;
		}
		least = number < least ? number : least;
		most = number > most ? number : most;
	}
	if (least > most)
		set_values(segment, VALUES_NULL, 0, 0);
	else
		set_values(segment, nulls ? VALUES_INT_OR_NULL : VALUES_INT, zigzag(least),
			   (uint64_t)((int64_t)most - least) + nulls);
	return true;
}

static bool choose_entries(struct column_builder *builder, struct column_segment *segment,
			   const struct column_item *items)
{
	uint64_t least = UINT64_MAX, most = 0;
	for (uint32_t i = 0; i < segment->count; i++) {
		uint64_t entry = entry_of(builder, &items[i]);
		if (entry == UINT64_MAX)
			return false;
		least = entry < least ? entry : least;
		most = entry > most ? entry : most;
	}
	set_values(segment, VALUES_DICTIONARY, least, most - least);
	return true;
}

static bool choose_values(struct column_builder *builder, const struct column_item *items)
{
	for (size_t s = 0; s < builder->segment_count; s++) {
		struct column_segment *segment = &builder->segments[s];
		const struct column_item *mine = items + segment->first;
		if (!choose_numbers(segment, mine) && !choose_entries(builder, segment, mine))
			return false;
	}
	return true;
}

/* What is written for an item: its distance from the base of its segment. */
static uint64_t value_code(const struct column_builder *builder, const struct column_segment *segment,
			   const struct column_item *item)
{
	uint64_t base = segment->fields[COLUMN_BASE];
	switch ((enum value_kind)segment->fields[COLUMN_KIND]) {
	case VALUES_INT:
		return (uint64_t)((int32_t)item->value - unzigzag(base));
	case VALUES_INT_OR_NULL:
		return column_item_kind(item) == ITEM_NULL ? 0
							   : (uint64_t)((int32_t)item->value - unzigzag(base)) + 1;
	case VALUES_DICTIONARY:
		return (column_item_kind(item) == ITEM_NULL ? NULL_ENTRY : builder->entries[item->value]) - base;
	case VALUES_NULL:
	case VALUE_KIND_COUNT:
		break;
	}
	return 0;
}

/* ---- writing: everything goes into one bit buffer that becomes the body of the leaf ------------------------- */

static size_t byte_position(const struct column_builder *builder)
{
	return COLUMN_HEADER_SIZE + builder->bits.bits / 8;
}

/* To the next byte: whole bytes keep what is put at their place zero. */
static void align(struct column_builder *builder)
{
	builder->bits.bits = (builder->bits.bits + 7) / 8 * 8;
}

static void put32(struct column_builder *builder, size_t number)
{
	bit_buffer_put(&builder->bits, (uint32_t)number, 32);
}

static bool write_times(struct column_builder *builder)
{
	size_t heads = (builder->time_count + TIMES_PER_HEAD - 1) / TIMES_PER_HEAD;
	if (!bit_buffer_reserve(&builder->bits, table_bits(builder) + 64))
		return false;
	size_t offset = byte_position(builder) + heads * TIME_HEAD_SIZE;
	for (size_t first = 0; first < builder->time_count; first += TIMES_PER_HEAD) {
		unsigned width = time_head_width(builder, first);
		bit_buffer_put(&builder->bits, builder->times[first], 64);
		put32(builder, offset);
		put32(builder, width);
		offset += TIMES_PER_HEAD / 8 * width;
	}
	for (size_t first = 0; first < builder->time_count; first += TIMES_PER_HEAD) {
		unsigned width = time_head_width(builder, first);
		for (size_t i = first; i < first + TIMES_PER_HEAD; i++) {
			size_t time = i < builder->time_count ? i : builder->time_count - 1;
			bit_buffer_put(&builder->bits, builder->times[time] - builder->times[first], width);
		}
	}
	return true;
}

static bool write_dictionary(struct column_builder *builder, const struct histree_value *values)
{
	static const struct histree_value null = { .type = HISTREE_NULL };
	size_t offset = byte_position(builder) + 4 * builder->dictionary_count;
	if (!bit_buffer_reserve(&builder->bits, 32 * builder->dictionary_count))
		return false;
	for (size_t entry = 0; entry < builder->dictionary_count; entry++) {
		put32(builder, offset);
		offset += value_encoded_size(entry == NULL_ENTRY ? &null : &values[builder->dictionary[entry]]);
	}
	for (size_t entry = 0; entry < builder->dictionary_count; entry++) {
		const struct histree_value *value =
			entry == NULL_ENTRY ? &null : &values[builder->dictionary[entry]];
		size_t size = value_encoded_size(value);
		if (!bit_buffer_reserve(&builder->bits, 8 * size))
			return false;
		value_encode(builder->bits.bytes + builder->bits.bits / 8, value);
		builder->bits.bits += 8 * size;
	}
	return true;
}

static void write_payload(const struct column_builder *builder, struct bit_run *run,
			  const struct column_segment *segment, const struct column_item *items)
{
	unsigned step_width = (unsigned)segment->fields[COLUMN_STEP_WIDTH];
	unsigned value_width = (unsigned)segment->fields[COLUMN_VALUE_WIDTH];
	uint64_t before = segment->fields[COLUMN_START], least = segment->fields[COLUMN_STEP_MIN];
	const uint64_t *ends = builder->ends + segment->first;
	for (uint32_t i = 0; step_width > 0 && i < segment->count; i++) {
		bit_run_put(run, ends[i] - before - least, step_width);
		before = ends[i];
	}
	if (value_width == 0)
		return;
	items += segment->first;
	if (segment->fields[COLUMN_KIND] == VALUES_INT) { /* as most are */
		int64_t base = unzigzag(segment->fields[COLUMN_BASE]);
		for (uint32_t i = 0; i < segment->count; i++)
			bit_run_put_short(run, (uint64_t)((int32_t)items[i].value - base), value_width);
		return;
	}
	for (uint32_t i = 0; i < segment->count; i++)
		bit_run_put_short(run, value_code(builder, segment, &items[i]), value_width);
}

static bool write_block(struct column_builder *builder, const struct column_segment *segments, size_t count,
			const struct column_item *items)
{
	uint64_t least[COLUMN_COUNT_OF_COLUMNS], most[COLUMN_COUNT_OF_COLUMNS];
	size_t bits = 8 * (BLOCK_PREFIX_SIZE + COLUMN_COUNT_OF_COLUMNS * (size_t)VARINT_SIZE_MAX);
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++) {
		least[c] = most[c] = segments[0].fields[c];
		for (size_t s = 1; s < count; s++) {
			uint64_t field = segments[s].fields[c];
			least[c] = field < least[c] ? field : least[c];
			most[c] = field > most[c] ? field : most[c];
		}
		bits += count * bits_needed(most[c] - least[c]);
	}
	for (size_t s = 0; s < count; s++)
		bits += segments[s].count *
			(segments[s].fields[COLUMN_STEP_WIDTH] + segments[s].fields[COLUMN_VALUE_WIDTH]);
	if (!bit_buffer_reserve(&builder->bits, bits))
		return false;

	bit_buffer_put(&builder->bits, count - 1, 8);
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		bit_buffer_put(&builder->bits, bits_needed(most[c] - least[c]), 8);
	uint8_t *end = builder->bits.bytes + builder->bits.bits / 8;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		end = put_varint(end, least[c]);
	builder->bits.bits = 8 * (size_t)(end - builder->bits.bytes);
	struct bit_run run = bit_run_begin(&builder->bits);
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++) {
		unsigned width = bits_needed(most[c] - least[c]);
		for (size_t s = 0; width > 0 && s < count; s++)
			bit_run_put(&run, segments[s].fields[c] - least[c], width);
	}
	for (size_t s = 0; s < count; s++)
		write_payload(builder, &run, &segments[s], items);
	bit_run_end(&builder->bits, &run);
	align(builder);
	return true;
}

static bool write_blocks(struct column_builder *builder, const struct column_item *items)
{
	size_t blocks = (builder->segment_count + SEGMENTS_PER_BLOCK - 1) / SEGMENTS_PER_BLOCK;
	size_t heads = builder->bits.bits / 8;
	if (!bit_buffer_reserve(&builder->bits, 8 * BLOCK_HEAD_SIZE * blocks))
		return false;
	builder->bits.bits += 8 * BLOCK_HEAD_SIZE * blocks;
	for (size_t block = 0; block < blocks; block++) {
		size_t first = block * SEGMENTS_PER_BLOCK, left = builder->segment_count - first;
		const struct column_segment *segments = builder->segments + first;
		uint8_t *head = builder->bits.bytes + heads + block * BLOCK_HEAD_SIZE;
		put_le32(head, (uint32_t)segments->fields[COLUMN_KEY]);
		put_le32(head + 4, (uint32_t)byte_position(builder));
		if (!write_block(builder, segments, left < SEGMENTS_PER_BLOCK ? left : SEGMENTS_PER_BLOCK, items))
			return false;
	}
	return true;
}

size_t column_builder_encode(struct column_builder *builder, const struct column_item *items, size_t count,
			     const struct histree_value *values, size_t value_count)
{
	histree_time start = items[0].start, end = items[0].end;
	for (size_t i = 1; i < count; i++) {
		start = items[i].start < start ? items[i].start : start;
		end = items[i].end > end ? items[i].end : end;
	}
	bit_buffer_clear(&builder->bits);
	if (!cut_segments(builder, items, count) || !number_moments(builder, items, count, start, end) ||
	    !begin_dictionary(builder, value_count) || !choose_values(builder, items))
		return 0;
	for (size_t s = 0; s < builder->segment_count; s++) {
		struct column_segment *segment = &builder->segments[s];
		segment->fields[COLUMN_KEY] = column_item_key(&items[segment->first]);
		segment->fields[COLUMN_COUNT] = segment->count - 1;
	}

	builder->times_offset = byte_position(builder);
	if (!write_times(builder))
		return 0;
	builder->dictionary_offset = byte_position(builder);
	if (!write_dictionary(builder, values))
		return 0;
	builder->blocks_offset = byte_position(builder);
	if (!write_blocks(builder, items))
		return 0;
	builder->bounds = (struct node_child){
		.start = start,
		.end = end,
		.key_min = column_item_key(&items[0]),
		.key_max = column_item_key(&items[count - 1]),
	};
	builder->item_count = (uint32_t)count;
	return byte_position(builder) + BITS_SLACK;
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
	put_le32(block + 48, builder->time_count == 0);
	put_le32(block + 52, (uint32_t)builder->time_count);
	put_le32(block + 56, (uint32_t)((builder->segment_count + SEGMENTS_PER_BLOCK - 1) / SEGMENTS_PER_BLOCK));
	put_le32(block + 60, (uint32_t)builder->dictionary_count);
	put_le32(block + 64, (uint32_t)builder->times_offset);
	put_le32(block + 68, (uint32_t)builder->blocks_offset);
	put_le32(block + 72, (uint32_t)builder->dictionary_offset);
	put_le32(block + 76, (uint32_t)builder->segment_count);
	memcpy(block + COLUMN_HEADER_SIZE, builder->bits.bytes, used - COLUMN_HEADER_SIZE);
	memset(block + used, 0, layout->node_size - used);
	node_put_header(block, &header);
	*child = builder->bounds;
	return used;
}

void column_builder_release(struct column_builder *builder)
{
	free(builder->segments);
	free(builder->moments);
	free(builder->spare_moments);
	free(builder->times);
	free(builder->ends);
	free(builder->entries);
	free(builder->dictionary);
	bit_buffer_release(&builder->bits);
	*builder = (struct column_builder){ 0 };
}
