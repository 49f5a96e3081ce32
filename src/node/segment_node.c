// SPDX-License-Identifier: MIT
/*
 * segment_node.c - a leaf of segments: how it is made, and read (docs/design/06-segments.md).
 *
 * After the header of every node (node.h):
 *
 *	OFFSET	SIZE
 *	48	8	greatest start
 *	56	8	smallest end
 *	64	8	smallest duration
 *	72	8	greatest duration
 *	80	4	number of blocks
 *	84	4	number of strings
 *	88	4	offset of the strings
 *	92	4	number of fields
 *	96		block headers
 *
 * A block header: offset of the block (4), number of segments - 1 (1), width of a start (1), width of a duration
 * (1), zero (1), first start (8), last start (8), smallest duration (8), greatest duration (8).
 *
 * A block: for each field its smallest code (8), the width of a code (1), whether there are nulls (1); then bits:
 * for each segment but the first its start above the one before; for each its duration above the smallest; then
 * for each field, where there are nulls, for each segment one bit that is set if it is null, and for each its
 * code above the smallest.  The code of a string is its number.
 *
 * Strings: for each its offset (4), and where the last one ends (4); then their bytes.
 *
 * A core node keeps of a child, after its start and end: greatest start, smallest end, smallest and greatest
 * duration (8 each).
 */
#include "node/segment_node.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "item/segment_batch.h"
#include "node/node.h"

enum {
	SEGMENT_HEADER_SIZE = 96,
	SEGMENT_BLOCK_HEADER_SIZE = 40, /* of a block */
	SEGMENT_FIELD_HEADER_SIZE = 10,
};

/* ---- segment builder ----------------------------------------------------------------------------------------- */

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

/* The number of a string of the batch in this leaf, plus 1; 0 if memory runs out. */
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

/* The numbers of one column of a block, before they are written. */
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
	if (width == 0)
		return true;
	if (!bit_buffer_reserve(to, list->count * width))
		return false;
	struct bit_writer bits = bit_writer_begin(to);
	for (size_t i = 0; i < list->count; i++)
		bit_writer_put(&bits, list->numbers[i] - base, width);
	bit_writer_end(to, &bits);
	return true;
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
	builder->bounds.start = first < builder->bounds.start ? first : builder->bounds.start;
	builder->bounds.start_max = last > builder->bounds.start_max ? last : builder->bounds.start_max;
	builder->bounds.duration_min =
		durations.min < builder->bounds.duration_min ? durations.min : builder->bounds.duration_min;
	builder->bounds.duration_max =
		durations.max > builder->bounds.duration_max ? durations.max : builder->bounds.duration_max;

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

/* The codes of a column of strings become their numbers in this leaf; those of nulls stay.  False: no memory. */
static bool number_strings(struct segment_builder *builder, struct number_list *codes,
			   const struct number_list *nulls)
{
	for (size_t i = 0; i < codes->count; i++) {
		if (nulls->max != 0 && nulls->numbers[i] != 0)
			continue;
		const uint64_t id = codes->numbers[i];
		const uint32_t known = builder->numbers[id],
			       number = known != 0 ? known : number_string(builder, id);
		if (number == 0)
			return false;
		codes->numbers[i] = number - 1;
	}
	return true;
}

/* The range of the codes of the values that are there; where there is none, it stands at the smallest. */
static void find_codes(struct number_list *codes, const struct number_list *nulls)
{
	if (nulls->max == 0) {
		find_range(codes);
		return;
	}
	codes->min = UINT64_MAX;
	codes->max = 0;
	for (size_t i = 0; i < codes->count; i++) {
		if (nulls->numbers[i] != 0)
			continue;
		codes->min = codes->numbers[i] < codes->min ? codes->numbers[i] : codes->min;
		codes->max = codes->numbers[i] > codes->max ? codes->numbers[i] : codes->max;
	}
	if (codes->min > codes->max)
		codes->min = codes->max;
	for (size_t i = 0; i < codes->count; i++)
		if (nulls->numbers[i] != 0)
			codes->numbers[i] = codes->min;
}

/* What a column has of the segments of a block, as it will be written.  False: no memory. */
static bool gather_column(struct segment_builder *builder, const struct segment_column *column,
			  const uint32_t *order, struct number_list *codes, struct number_list *nulls)
{
	nulls->max = 0;
	for (size_t i = 0; i < codes->count; i++)
		codes->numbers[i] = column->codes[order[i]];
	for (size_t i = 0; column->null_count > 0 && i < codes->count; i++) {
		nulls->numbers[i] = column->nulls[order[i]];
		nulls->max |= nulls->numbers[i];
	}
	if (column->type == HISTREE_STRING && !number_strings(builder, codes, nulls))
		return false;
	find_codes(codes, nulls);
	return true;
}

/* The same of a column in which nothing is. */
static void gather_nulls(struct number_list *codes, struct number_list *nulls)
{
	codes->min = codes->max = 0;
	for (size_t i = 0; i < nulls->count; i++)
		nulls->numbers[i] = 1;
	nulls->max = 1;
}

static bool write_fields(struct segment_builder *builder, const struct segment_batch *batch, const uint32_t *order,
			 size_t count, size_t headers)
{
	struct number_list codes = { .count = count }, nulls = { .count = count };
	for (size_t field = 0; field < batch->field_count; field++) {
		const struct segment_column *column = &batch->columns[field];
		if (column->null_count == batch->count)
			gather_nulls(&codes, &nulls);
		else if (!gather_column(builder, column, order, &codes, &nulls))
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

/* ---- the leaf ----------------------------------------------------------------------------------- */

size_t segment_builder_encode(struct segment_builder *builder, const struct segment_batch *batch,
			      const uint32_t *order, const size_t *run_sizes, size_t run_count)
{
	builder->bounds = node_child_of_no_segments();
	builder->segment_count = 0;
	builder->field_count = batch->field_count;
	builder->headers_size = 0;
	bit_buffer_clear(&builder->blocks);
	size_t before = builder->numbers_capacity;
	for (size_t i = 0; i < builder->listed_count; i++)
		builder->numbers[builder->listed[i]] = 0;
	builder->listed_count = 0;
	if (!array_reserve(&builder->numbers, &builder->numbers_capacity, (size_t)batch->strings.count + 1))
		return 0;
	memset(builder->numbers + before, 0, (builder->numbers_capacity - before) * sizeof(*builder->numbers));
	for (size_t run = 0; run < run_count; run++)
		for (size_t left = run_sizes[run]; left > 0;) {
			size_t count = left < SEGMENT_BLOCK_MAX ? left : SEGMENT_BLOCK_MAX;
			size_t headers = bytes_of(&builder->blocks);
			if (!array_reserve(&builder->headers, &builder->headers_capacity,
					   builder->headers_size + SEGMENT_BLOCK_HEADER_SIZE))
				return 0;
			if (!write_times(builder, batch, order, count) ||
			    !write_fields(builder, batch, order, count, headers))
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

/* Offsets were relative to their container; from here on they are relative to the node. */
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
	assert(builder->segment_count > 0 && builder->bounds.start <= builder->bounds.end);
	builder->bounds.number = number;
	node_put_segment_bounds(block + NODE_HEADER_SIZE, &builder->bounds);
	put_le32(block + SEGMENTS_AT_BLOCK_COUNT, (uint32_t)block_count);
	put_le32(block + SEGMENTS_AT_STRING_COUNT, (uint32_t)builder->listed_count);
	put_le32(block + SEGMENTS_AT_STRINGS, (uint32_t)strings_offset);
	put_le32(block + SEGMENTS_AT_FIELD_COUNT, (uint32_t)builder->field_count);
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

/* ---- segment view -------------------------------------------------------------------------------------------- */

_Static_assert((int)SEGMENT_BLOCK_BYTES_MIN == (int)SEGMENT_BLOCK_HEADER_SIZE, "a block takes at least its header");

uint32_t segment_leaf_block_count(const uint8_t *leaf)
{
	return get_le32(leaf + SEGMENTS_AT_BLOCK_COUNT);
}

uint32_t segment_leaf_field_count(const uint8_t *leaf)
{
	return get_le32(leaf + SEGMENTS_AT_FIELD_COUNT);
}

struct node_child segment_leaf_bounds(const uint8_t *leaf)
{
	struct node_child bounds = {
		.number = get_le32(leaf + NODE_AT_NUMBER),
		.start = (histree_time)get_le64(leaf + NODE_AT_START),
		.end = (histree_time)get_le64(leaf + NODE_AT_END),
	};
	node_get_segment_bounds(leaf + NODE_HEADER_SIZE, &bounds);
	return bounds;
}

/* ---- checks ------------------------------------------------------------------------------------- */

/* The bits of a field header, or SIZE_MAX if it is malformed. */
static size_t field_bits(const uint8_t *header, uint32_t count)
{
	if (header[8] > 64 || header[9] > 1)
		return SIZE_MAX;
	return (size_t)count * (header[8] + (size_t)header[9]);
}

/* `*free_from` is where the blocks before this one end: each byte belongs to one block only. */
static bool block_is_sound(const uint8_t *leaf, uint32_t index, uint32_t used, uint32_t field_count,
			   const struct node_child *leaf_bounds, uint32_t *free_from)
{
	const uint8_t *header = leaf + SEGMENT_HEADER_SIZE + (size_t)index * SEGMENT_BLOCK_HEADER_SIZE;
	uint32_t offset = get_le32(header), count = (uint32_t)header[4] + 1;
	size_t field_headers = (size_t)field_count * SEGMENT_FIELD_HEADER_SIZE;
	if (count > SEGMENT_BLOCK_MAX || header[5] > 64 || header[6] > 64 || header[7] != 0 ||
	    offset < *free_from || offset > used || field_headers > used - offset)
		return false;
	size_t bits = (size_t)(count - 1) * header[5] + (size_t)count * header[6];
	for (uint32_t field = 0; field < field_count; field++) {
		size_t more = field_bits(leaf + offset + (size_t)field * SEGMENT_FIELD_HEADER_SIZE, count);
		if (more == SIZE_MAX)
			return false;
		bits += more;
	}
	histree_time first = (histree_time)get_le64(header + 8), last = (histree_time)get_le64(header + 16);
	uint64_t shortest = get_le64(header + 24), longest = get_le64(header + 32);
	*free_from = offset + (uint32_t)(field_headers + (bits + 7) / 8);
	return bits <= 8 * (used - offset - field_headers) && first >= leaf_bounds->start && first <= last &&
	       last <= leaf_bounds->start_max && shortest >= leaf_bounds->duration_min && shortest <= longest &&
	       longest <= leaf_bounds->duration_max;
}

static bool strings_are_sound(const uint8_t *leaf, uint32_t used)
{
	uint32_t count = get_le32(leaf + SEGMENTS_AT_STRING_COUNT), offset = get_le32(leaf + SEGMENTS_AT_STRINGS);
	if (offset < SEGMENT_HEADER_SIZE || offset > used || count >= (used - offset) / 4)
		return false;
	uint32_t at = offset + 4 * (count + 1);
	for (uint32_t i = 0; i <= count; i++) {
		uint32_t next = get_le32(leaf + offset + 4 * (size_t)i);
		if (next < at || next > used)
			return false;
		at = next;
	}
	return true;
}

enum histree_status segment_leaf_check(const uint8_t *leaf, uint32_t used, uint32_t node_size,
				       struct histree_error *error)
{
	if (used < SEGMENT_HEADER_SIZE || used + BITS_SLACK > node_size)
		return error_set(error, HISTREE_ERR_FORMAT, "a leaf of segments in %u bytes", used);
	uint32_t blocks = segment_leaf_block_count(leaf), fields = segment_leaf_field_count(leaf);
	struct node_child bounds = segment_leaf_bounds(leaf);
	if (blocks == 0 || blocks > (used - SEGMENT_HEADER_SIZE) / SEGMENT_BLOCK_HEADER_SIZE ||
	    fields > HISTREE_SEGMENT_FIELDS_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "%u blocks of segments with %u fields in %u bytes",
				 blocks, fields, used);
	uint64_t longest = (uint64_t)bounds.end - (uint64_t)bounds.start;
	if (!(bounds.start <= bounds.start_max && bounds.start_max <= bounds.end &&
	      bounds.start <= bounds.end_min && bounds.end_min <= bounds.end &&
	      bounds.duration_min <= bounds.duration_max && bounds.duration_max <= longest))
		return error_set(error, HISTREE_ERR_FORMAT, "the bounds of its segments contradict each other");
	if (!strings_are_sound(leaf, used))
		return error_set(error, HISTREE_ERR_FORMAT, "its strings lie outside of it");
	uint32_t free_from = SEGMENT_HEADER_SIZE + blocks * SEGMENT_BLOCK_HEADER_SIZE;
	uint64_t count = 0;
	for (uint32_t index = 0; index < blocks; index++) {
		if (!block_is_sound(leaf, index, used, fields, &bounds, &free_from))
			return error_set(error, HISTREE_ERR_FORMAT, "block %u is malformed", index);
		count += leaf[SEGMENT_HEADER_SIZE + (size_t)index * SEGMENT_BLOCK_HEADER_SIZE + 4] + 1U;
	}
	if (count != get_le32(leaf + NODE_AT_ITEM_COUNT))
		return error_set(error, HISTREE_ERR_FORMAT, "it has another number of segments than it says");
	return HISTREE_OK;
}

/* ---- blocks ------------------------------------------------------------------------------------- */

/* start + duration, limited to `max`. */
static histree_time end_of(histree_time start, uint64_t duration, histree_time max)
{
	if (duration >= (uint64_t)max - (uint64_t)start)
		return max;
	return (histree_time)((uint64_t)start + duration);
}

struct segment_block segment_block(const uint8_t *leaf, uint32_t index)
{
	const uint8_t *header = leaf + SEGMENT_HEADER_SIZE + (size_t)index * SEGMENT_BLOCK_HEADER_SIZE;
	struct node_child leaf_bounds = segment_leaf_bounds(leaf);
	size_t field_headers = get_le32(header);
	struct segment_block block = {
		.leaf = leaf,
		.field_headers = field_headers,
		.bits = 8 * (field_headers + (size_t)segment_leaf_field_count(leaf) * SEGMENT_FIELD_HEADER_SIZE),
		.count = (uint32_t)header[4] + 1,
		.start_width = header[5],
		.duration_width = header[6],
		.bounds = { .number = index,
			    .start = (histree_time)get_le64(header + 8),
			    .start_max = (histree_time)get_le64(header + 16),
			    .duration_min = get_le64(header + 24),
			    .duration_max = get_le64(header + 32) },
	};
	block.bounds.end = end_of(block.bounds.start_max, block.bounds.duration_max, leaf_bounds.end);
	block.bounds.end_min = end_of(block.bounds.start, block.bounds.duration_min, leaf_bounds.end);
	if (block.bounds.end_min < leaf_bounds.end_min)
		block.bounds.end_min = leaf_bounds.end_min;
	return block;
}

enum histree_status segment_block_times(const struct segment_block *block,
					struct segment_times times[SEGMENT_BLOCK_MAX])
{
	const struct node_child *bounds = &block->bounds;
	size_t at = block->bits, durations = at + (size_t)(block->count - 1) * block->start_width;
	uint64_t spread = bounds->duration_max - bounds->duration_min, start = (uint64_t)bounds->start;
	uint64_t left = (uint64_t)bounds->start_max - start;
	bool sound = true;
	assert(block->count > 0 && block->count <= SEGMENT_BLOCK_MAX); /* segment_leaf_check() */
	times[0].start = bounds->start;
	for (uint32_t i = 1; i < block->count; i++, at += block->start_width) {
		uint64_t step = bits_get(block->leaf, at, block->start_width);
		sound &= step <= left;
		left -= step;
		start += step;
		times[i].start = (histree_time)start;
	}
	for (uint32_t i = 0; i < block->count; i++) {
		uint64_t above =
			bits_get(block->leaf, durations + (size_t)i * block->duration_width, block->duration_width);
		uint64_t duration = bounds->duration_min + above;
		sound &= above <= spread && duration <= (uint64_t)bounds->end - (uint64_t)times[i].start &&
			 (histree_time)((uint64_t)times[i].start + duration) >= bounds->end_min;
		times[i].duration = duration;
	}
	return sound ? HISTREE_OK : HISTREE_ERR_FORMAT;
}

static bool same_bounds(const struct node_child *a, const struct node_child *b)
{
	return a->start == b->start && a->start_max == b->start_max && a->duration_min == b->duration_min &&
	       a->duration_max == b->duration_max;
}

const char *segment_leaf_fault(const uint8_t *leaf)
{
	struct node_child of_leaf = node_child_of_no_segments(), bounds = segment_leaf_bounds(leaf);
	for (uint32_t index = 0; index < segment_leaf_block_count(leaf); index++) {
		struct segment_times times[SEGMENT_BLOCK_MAX];
		struct segment_block block = segment_block(leaf, index);
		struct node_child of_block = node_child_of_no_segments();
		if (segment_block_times(&block, times) != HISTREE_OK)
			return "a segment lies outside the bounds of its block";
		for (uint32_t i = 0; i < block.count; i++) {
			histree_time end = (histree_time)((uint64_t)times[i].start + times[i].duration);
			const struct node_child segment = {
				.start = times[i].start,
				.start_max = times[i].start,
				.end = end,
				.end_min = end,
				.duration_min = times[i].duration,
				.duration_max = times[i].duration,
			};
			node_child_include(&of_block, &segment);
		}
		if (!same_bounds(&of_block, &block.bounds))
			return "the bounds of a block are not those of its segments";
		node_child_include(&of_leaf, &of_block);
	}
	if (!same_bounds(&of_leaf, &bounds) || of_leaf.end != bounds.end || of_leaf.end_min != bounds.end_min)
		return "its bounds are not those of its segments";
	return NULL;
}

/* ---- content ------------------------------------------------------------------------------------ */

static bool read_string(const uint8_t *leaf, uint64_t number, struct histree_value *out)
{
	if (number >= get_le32(leaf + SEGMENTS_AT_STRING_COUNT))
		return false;
	const uint8_t *table = leaf + get_le32(leaf + SEGMENTS_AT_STRINGS) + 4 * number;
	uint32_t from = get_le32(table), to = get_le32(table + 4);
	*out = histree_string_n((const char *)leaf + from, to - from);
	return true;
}

enum histree_status segment_block_content(const struct segment_block *block, uint32_t index,
					  const struct histree_segment_field *fields, size_t field_count,
					  size_t wanted, struct histree_value *content)
{
	const uint8_t *leaf = block->leaf;
	size_t at = block->bits + (size_t)(block->count - 1) * block->start_width +
		    (size_t)block->count * block->duration_width;
	if (segment_leaf_field_count(leaf) != field_count)
		return HISTREE_ERR_FORMAT;
	for (size_t field = 0; field < wanted; field++) {
		const uint8_t *header = leaf + block->field_headers + field * SEGMENT_FIELD_HEADER_SIZE;
		unsigned width = header[8];
		bool null = header[9] != 0 && bits_get(leaf, at + index, 1) != 0;
		at += header[9] != 0 ? block->count : 0;
		uint64_t code = get_le64(header) + bits_get(leaf, at + (size_t)index * width, width);
		at += (size_t)block->count * width;
		if (null)
			content[field] = histree_null();
		else if (fields[field].type == HISTREE_STRING
				 ? !read_string(leaf, code, &content[field])
				 : !segment_code_value(fields[field].type, code, &content[field]))
			return HISTREE_ERR_FORMAT;
	}
	return HISTREE_OK;
}
