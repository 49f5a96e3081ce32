// SPDX-License-Identifier: MIT
/*
 * In three steps: number the ticks, through a table of times or directly, whichever is smaller; cut the items
 * into series and write them block by block; then what the blocks refer to, the table and the dictionary.
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

/* ---- ticks: a table of times ---------------------------------------------------------------------------- */

/* Times above the leaf's start. */
static uint64_t above(histree_time time, histree_time start)
{
	return (uint64_t)time - (uint64_t)start;
}

static bool reserve_ticks(struct column_builder *builder, size_t count)
{
	/* At most 2 * count slots are taken. */
	builder->slot_bits = bits_needed(2 * (uint64_t)count + count / 2);
	builder->tick_count = 0;
	if (!array_reserve(&builder->ticks, &builder->ticks_capacity, 2 * count) ||
	    !array_reserve(&builder->spare_ticks, &builder->spare_capacity, 2 * count) ||
	    !array_reserve(&builder->times, &builder->times_capacity, 2 * count) ||
	    !array_reserve(&builder->ranks, &builder->ranks_capacity, 2 * count) ||
	    !array_reserve(&builder->slots, &builder->slots_capacity, (size_t)1 << builder->slot_bits) ||
	    !array_reserve(&builder->starts, &builder->starts_capacity, count) ||
	    !array_reserve(&builder->ends, &builder->ends_capacity, count))
		return false;
	memset(builder->slots, 0, ((size_t)1 << builder->slot_bits) * sizeof(*builder->slots));
	return true;
}

/* Returns the number of a boundary, which it gets when it is met first. */
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
 * What happens together ends and begins at one time: boundaries are told apart before they are sorted, so that each
 * is sorted once.
 */
static bool number_by_table(struct column_builder *builder, const struct column_item *items, size_t count,
			    histree_time start)
{
	if (!reserve_ticks(builder, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		builder->ends[i] = number_of(builder, above(items[i].end, start) + 1);
		if (i == 0 || !column_item_follows(&items[i]))
			builder->starts[i] = number_of(builder, above(items[i].start, start));
	}
	radix_sort(builder->ticks, builder->spare_ticks, builder->tick_count);
	for (size_t tick = 0; tick < builder->tick_count; tick++) {
		builder->times[tick] = builder->ticks[tick].key;
		builder->ranks[builder->ticks[tick].index] = (uint32_t)tick;
	}
	builder->time_count = builder->tick_count;
	for (size_t i = 0; i < count; i++) {
		builder->ends[i] = builder->ranks[builder->ends[i]];
		if (i == 0 || !column_item_follows(&items[i]))
			builder->starts[i] = builder->ranks[builder->starts[i]];
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

static bool write_block_index(struct column_builder *builder)
{
	if (!bit_buffer_reserve(&builder->bits, 8 * BLOCK_ENTRY_SIZE * builder->block_count))
		return false;
	for (size_t block = 0; block < builder->block_count; block++) {
		put32(builder, builder->block_index[block].key);
		put32(builder, builder->block_index[block].offset);
	}
	return true;
}

static bool write_blocks(struct column_builder *builder, const struct column_item *items, size_t count,
			 const struct column_ticks *ticks)
{
	struct column_block_builder *block = &builder->block;
	builder->block_count = builder->series_count = 0;
	for (size_t first = 0; first < count;) {
		if (!array_reserve(&builder->block_index, &builder->block_index_capacity, builder->block_count + 1))
			return false;
		builder->block_index[builder->block_count++] = (struct block_entry){
			.key = column_item_key(&items[first]),
			.offset = (uint32_t)byte_position(builder),
		};
		first = column_block_builder_cut(block, items, first, count, ticks, &builder->dictionary);
		if (first == 0 || !column_block_builder_write(block, &builder->bits))
			return false;
		builder->series_count += block->count;
	}
	return true;
}

static bool begin_dictionary(struct column_dictionary *dictionary, size_t value_count)
{
	if (!array_reserve(&dictionary->entries, &dictionary->entries_capacity, value_count + 1) ||
	    !array_reserve(&dictionary->values, &dictionary->capacity, 1))
		return false;
	memset(dictionary->entries, 0, value_count * sizeof(*dictionary->entries));
	dictionary->values[NULL_ENTRY] = UINT32_MAX;
	dictionary->count = 1;
	return true;
}

/* The body of the leaf, with times as asked; false when memory is out. */
static bool encode_body(struct column_builder *builder, const struct column_item *items, size_t count,
			const struct histree_value *values, size_t value_count, bool direct)
{
	const struct node_child *bounds = &builder->bounds;
	struct column_ticks ticks = { .start = bounds->start, .last = above(bounds->end, bounds->start) + 1 };
	bit_buffer_clear(&builder->bits);
	builder->time_count = 0;
	if (!begin_dictionary(&builder->dictionary, value_count))
		return false;
	if (!direct) {
		if (!number_by_table(builder, items, count, bounds->start))
			return false;
		ticks.starts = builder->starts;
		ticks.ends = builder->ends;
		ticks.last = builder->time_count - 1;
	}
	if (!write_blocks(builder, items, count, &ticks))
		return false;
	builder->block_index_offset = byte_position(builder);
	if (!write_block_index(builder))
		return false;
	builder->times_offset = byte_position(builder);
	if (!write_times(builder))
		return false;
	builder->dictionary_offset = byte_position(builder);
	return write_dictionary(builder, values);
}

static struct node_child bounds_of(const struct column_item *items, size_t count)
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
	return bounds;
}

size_t column_builder_encode(struct column_builder *builder, const struct column_item *items, size_t count,
			     const struct histree_value *values, size_t value_count)
{
	builder->bounds = bounds_of(items, count);
	builder->item_count = (uint32_t)count;
	if (builder->leaves++ % LEAVES_PER_COMPARISON == 0) {
		if (!encode_body(builder, items, count, values, value_count, !builder->direct))
			return 0;
		size_t other = builder->bits.bits;
		if (!encode_body(builder, items, count, values, value_count, builder->direct))
			return 0;
		if (other >= builder->bits.bits)
			return byte_position(builder) + BITS_SLACK;
		builder->direct = !builder->direct;
	}
	if (!encode_body(builder, items, count, values, value_count, builder->direct))
		return 0;
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
	put_le32(block + 56, (uint32_t)(builder->block_count));
	put_le32(block + 60, (uint32_t)builder->dictionary.count);
	put_le32(block + 64, (uint32_t)builder->times_offset);
	put_le32(block + 68, (uint32_t)builder->block_index_offset);
	put_le32(block + 72, (uint32_t)builder->dictionary_offset);
	put_le32(block + 76, (uint32_t)builder->series_count);
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
	free(builder->ranks);
	free(builder->times);
	free(builder->starts);
	free(builder->ends);
	free(builder->dictionary.entries);
	free(builder->dictionary.values);
	bit_buffer_release(&builder->bits);
	*builder = (struct column_builder){ 0 };
}
