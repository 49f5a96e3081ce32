// SPDX-License-Identifier: MIT
#include "node/segment_builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "node/segment_format.h"
#include "node/segment_view.h"

static size_t bytes_of(const struct bit_buffer *buffer)
{
	return (buffer->bits + 7) / 8;
}

static bool put_bytes(struct bit_buffer *buffer, const void *bytes, size_t size)
{
	if (!bit_buffer_reserve(buffer, 8 * size + 8))
		return false;
	buffer->bits = 8 * bytes_of(buffer);
	if (size > 0)
		memcpy(buffer->bytes + buffer->bits / 8, bytes, size);
	buffer->bits += 8 * size;
	return true;
}

/* ---- strings ------------------------------------------------------------------------------------ */

static bool begin_strings(struct segment_builder *builder, uint32_t batch_strings)
{
	size_t before = builder->numbers_capacity;
	for (size_t i = 0; i < builder->listed_count; i++)
		builder->numbers[builder->listed[i]] = 0;
	builder->listed_count = 0;
	if (!array_reserve(&builder->numbers, &builder->numbers_capacity, (size_t)batch_strings + 1))
		return false;
	memset(builder->numbers + before, 0, (builder->numbers_capacity - before) * sizeof(*builder->numbers));
	return true;
}

/* The number of a string of the batch in this leaf + 1; 0 when memory is out. */
static uint32_t number_string(struct segment_builder *builder, uint64_t id)
{
	uint32_t *number = &builder->numbers[id];
	if (*number == 0 && array_reserve(&builder->listed, &builder->listed_capacity, builder->listed_count + 1)) {
		builder->listed[builder->listed_count++] = (uint32_t)id;
		*number = (uint32_t)builder->listed_count;
	}
	return *number;
}

static bool write_strings(struct segment_builder *builder, const struct intern *strings)
{
	size_t table = 4 * (builder->listed_count + 1), at = table;
	bit_buffer_clear(&builder->strings);
	if (!bit_buffer_reserve(&builder->strings, 8 * table))
		return false;
	builder->strings.bits = 8 * table;
	for (size_t i = 0; i < builder->listed_count; i++) {
		size_t size;
		const char *bytes = intern_get(strings, builder->listed[i], &size);
		put_le32(builder->strings.bytes + 4 * i, (uint32_t)at);
		if (!put_bytes(&builder->strings, bytes, size))
			return false;
		at += size;
	}
	put_le32(builder->strings.bytes + 4 * builder->listed_count, (uint32_t)at);
	return true;
}

/* ---- a block ------------------------------------------------------------------------------------ */

/* The numbers of one column of a block, on their way. */
struct number_list {
	uint64_t numbers[SEGMENT_BLOCK_MAX];
	size_t count;
	uint64_t min, max;
};

static void find_range(struct number_list *list)
{
	list->min = UINT64_MAX;
	list->max = 0;
	for (size_t i = 0; i < list->count; i++) {
		list->min = list->numbers[i] < list->min ? list->numbers[i] : list->min;
		list->max = list->numbers[i] > list->max ? list->numbers[i] : list->max;
	}
	if (list->count == 0)
		list->min = 0;
}

static bool put_numbers(struct bit_buffer *to, const struct number_list *list, uint64_t base, unsigned width)
{
	if (!bit_buffer_reserve(to, list->count * width))
		return false;
	struct bit_writer bits = bit_writer_begin(to);
	for (size_t i = 0; i < list->count; i++)
		bit_writer_put(&bits, list->numbers[i] - base, width);
	bit_writer_end(to, &bits);
	return true;
}

static void include_block(struct node_child *bounds, histree_time first, histree_time last, uint64_t shortest,
			  uint64_t longest)
{
	bounds->start = first < bounds->start ? first : bounds->start;
	bounds->start_max = last > bounds->start_max ? last : bounds->start_max;
	bounds->duration_min = shortest < bounds->duration_min ? shortest : bounds->duration_min;
	bounds->duration_max = longest > bounds->duration_max ? longest : bounds->duration_max;
}

/* Starts and durations, and the header of the block. */
static bool write_times(struct segment_builder *builder, const struct segment_batch *batch, const uint32_t *order,
			size_t count)
{
	struct number_list starts = { .count = count - 1 }, durations = { .count = count };
	histree_time first = batch->times[order[0]].start, last = first;
	for (size_t i = 0; i < count; i++) {
		const struct segment_times *times = &batch->times[order[i]];
		histree_time end = (histree_time)((uint64_t)times->start + times->duration);
		builder->bounds.end = end > builder->bounds.end ? end : builder->bounds.end;
		builder->bounds.end_min = end < builder->bounds.end_min ? end : builder->bounds.end_min;
		if (i > 0)
			starts.numbers[i - 1] = (uint64_t)times->start - (uint64_t)last;
		durations.numbers[i] = times->duration;
		last = times->start;
	}
	find_range(&starts);
	find_range(&durations);
	include_block(&builder->bounds, first, last, durations.min, durations.max);

	uint8_t *header = builder->headers + builder->headers_size;
	unsigned start_width = bits_needed(starts.max), width = bits_needed(durations.max - durations.min);
	put_le32(header, (uint32_t)bytes_of(&builder->blocks));
	header[4] = (uint8_t)(count - 1);
	header[5] = (uint8_t)start_width;
	header[6] = (uint8_t)width;
	header[7] = 0;
	put_le64(header + 8, (uint64_t)first);
	put_le64(header + 16, (uint64_t)last);
	put_le64(header + 24, durations.min);
	put_le64(header + 32, durations.max);
	builder->headers_size += SEGMENT_BLOCK_HEADER_SIZE;

	uint8_t no_fields[HISTREE_SEGMENT_FIELDS_MAX * SEGMENT_FIELD_HEADER_SIZE] = { 0 };
	return put_bytes(&builder->blocks, no_fields, batch->field_count * SEGMENT_FIELD_HEADER_SIZE) &&
	       put_numbers(&builder->blocks, &starts, 0, start_width) &&
	       put_numbers(&builder->blocks, &durations, durations.min, width);
}

/* Codes of the values that are there, and whether each is null. */
static bool gather_field(struct segment_builder *builder, const struct segment_column *column,
			 const uint32_t *order, struct number_list *codes, struct number_list *nulls)
{
	codes->min = UINT64_MAX;
	codes->max = 0;
	nulls->max = 0;
	for (size_t i = 0; i < codes->count; i++) {
		uint64_t code = column->codes[order[i]];
		nulls->numbers[i] = column->nulls[order[i]];
		nulls->max |= nulls->numbers[i];
		if (nulls->numbers[i] != 0)
			continue;
		if (column->type == HISTREE_STRING) {
			uint32_t number = number_string(builder, code);
			if (number == 0)
				return false;
			code = number - 1;
		}
		codes->numbers[i] = code;
		codes->min = code < codes->min ? code : codes->min;
		codes->max = code > codes->max ? code : codes->max;
	}
	if (codes->min > codes->max)
		codes->min = codes->max;
	for (size_t i = 0; i < codes->count; i++)
		if (nulls->numbers[i] != 0)
			codes->numbers[i] = codes->min;
	return true;
}

static bool write_fields(struct segment_builder *builder, const struct segment_batch *batch, const uint32_t *order,
			 size_t count, size_t headers)
{
	for (size_t field = 0; field < batch->field_count; field++) {
		struct number_list codes = { .count = count }, nulls = { .count = count };
		if (!gather_field(builder, &batch->columns[field], order, &codes, &nulls))
			return false;
		unsigned width = bits_needed(codes.max - codes.min);
		if ((nulls.max != 0 && !put_numbers(&builder->blocks, &nulls, 0, 1)) ||
		    !put_numbers(&builder->blocks, &codes, codes.min, width))
			return false;
		uint8_t *header = builder->blocks.bytes + headers + field * SEGMENT_FIELD_HEADER_SIZE;
		put_le64(header, codes.min);
		header[8] = (uint8_t)width;
		header[9] = nulls.max != 0;
	}
	return true;
}

static bool write_block(struct segment_builder *builder, const struct segment_batch *batch, const uint32_t *order,
			size_t count)
{
	size_t headers = bytes_of(&builder->blocks);
	if (!array_reserve(&builder->headers, &builder->headers_capacity,
			   builder->headers_size + SEGMENT_BLOCK_HEADER_SIZE))
		return false;
	return write_times(builder, batch, order, count) && write_fields(builder, batch, order, count, headers);
}

/* ---- the leaf ----------------------------------------------------------------------------------- */

size_t segment_builder_encode(struct segment_builder *builder, const struct segment_batch *batch,
			      const uint32_t *order, const size_t *run_sizes, size_t run_count)
{
	builder->bounds = node_child_of_no_segments();
	builder->segment_count = 0;
	builder->field_count = batch->field_count;
	builder->headers_size = 0;
	bit_buffer_clear(&builder->blocks);
	if (!begin_strings(builder, batch->strings.count))
		return 0;
	for (size_t run = 0; run < run_count; run++)
		for (size_t left = run_sizes[run]; left > 0;) {
			size_t count = left < SEGMENT_BLOCK_MAX ? left : SEGMENT_BLOCK_MAX;
			if (!write_block(builder, batch, order, count))
				return 0;
			order += count;
			left -= count;
			builder->segment_count += (uint32_t)count;
		}
	if (!write_strings(builder, &batch->strings))
		return 0;
	return SEGMENT_HEADER_SIZE + builder->headers_size + bytes_of(&builder->blocks) +
	       bytes_of(&builder->strings) + BITS_SLACK;
}

/* Offsets were counted from the beginning of what holds them; from here on, from that of the node. */
static void move_offsets(uint8_t *at, size_t step, size_t count, uint32_t by)
{
	for (size_t i = 0; i < count; i++)
		put_le32(at + i * step, get_le32(at + i * step) + by);
}

uint32_t segment_builder_seal(struct segment_builder *builder, const struct node_layout *layout, uint32_t number,
			      uint8_t *block, struct node_child *child)
{
	size_t blocks_offset = SEGMENT_HEADER_SIZE + builder->headers_size;
	size_t strings_offset = blocks_offset + bytes_of(&builder->blocks);
	uint32_t used = (uint32_t)(strings_offset + bytes_of(&builder->strings));
	size_t block_count = builder->headers_size / SEGMENT_BLOCK_HEADER_SIZE;
	assert(used + BITS_SLACK <= layout->node_size);
	builder->bounds.number = number;
	node_put_segment_bounds(block + NODE_HEADER_SIZE, &builder->bounds);
	put_le32(block + 80, (uint32_t)block_count);
	put_le32(block + 84, (uint32_t)builder->listed_count);
	put_le32(block + 88, (uint32_t)strings_offset);
	put_le32(block + 92, (uint32_t)builder->field_count);
	memcpy(block + SEGMENT_HEADER_SIZE, builder->headers, builder->headers_size);
	memcpy(block + blocks_offset, builder->blocks.bytes, strings_offset - blocks_offset);
	memcpy(block + strings_offset, builder->strings.bytes, used - strings_offset);
	move_offsets(block + SEGMENT_HEADER_SIZE, SEGMENT_BLOCK_HEADER_SIZE, block_count, (uint32_t)blocks_offset);
	move_offsets(block + strings_offset, 4, builder->listed_count + 1, (uint32_t)strings_offset);
	node_clear_behind(block, used, layout->node_size);
	node_put_header(block, &(struct node_header){
				       .bounds = builder->bounds,
				       .item_count = builder->segment_count,
				       .used = used,
				       .body_offset = NODE_HEADER_SIZE,
			       });
	*child = builder->bounds;
	return used;
}

void segment_builder_release(struct segment_builder *builder)
{
	free(builder->headers);
	free(builder->numbers);
	free(builder->listed);
	bit_buffer_release(&builder->blocks);
	bit_buffer_release(&builder->strings);
	*builder = (struct segment_builder){ 0 };
}
