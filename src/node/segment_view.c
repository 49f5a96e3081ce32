// SPDX-License-Identifier: MIT
#include "node/segment_view.h"

#include "base/bits.h"
#include "base/bytes.h"
#include "base/error.h"
#include "node/segment_format.h"

_Static_assert((int)SEGMENT_BLOCK_BYTES_MIN == (int)SEGMENT_BLOCK_HEADER_SIZE, "a block takes at least its header");

uint32_t segment_leaf_block_count(const uint8_t *leaf)
{
	return get_le32(leaf + 80);
}

uint32_t segment_leaf_field_count(const uint8_t *leaf)
{
	return get_le32(leaf + 92);
}

struct node_child segment_leaf_bounds(const uint8_t *leaf)
{
	struct node_child bounds = {
		.number = get_le32(leaf + 4),
		.start = (histree_time)get_le64(leaf + 16),
		.end = (histree_time)get_le64(leaf + 24),
	};
	node_get_segment_bounds(leaf + NODE_HEADER_SIZE, &bounds);
	return bounds;
}

/* ---- checks ------------------------------------------------------------------------------------- */

static bool bounds_are_sound(const struct node_child *bounds)
{
	uint64_t longest = (uint64_t)bounds->end - (uint64_t)bounds->start;
	return bounds->start <= bounds->start_max && bounds->start_max <= bounds->end &&
	       bounds->start <= bounds->end_min && bounds->end_min <= bounds->end &&
	       bounds->duration_min <= bounds->duration_max && bounds->duration_max <= longest;
}

/* The bits of a field header, or SIZE_MAX if it is malformed. */
static size_t field_bits(const uint8_t *header, uint32_t count)
{
	if (header[8] > 64 || header[9] > 1)
		return SIZE_MAX;
	return (size_t)count * (header[8] + (size_t)header[9]);
}

/* `*free_from` is where the blocks before this one end: each byte is described once. */
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
	uint32_t count = get_le32(leaf + 84), offset = get_le32(leaf + 88);
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
	if (!bounds_are_sound(&bounds))
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
	if (count != get_le32(leaf + 12))
		return error_set(error, HISTREE_ERR_FORMAT, "it has another number of segments than it says");
	return HISTREE_OK;
}

/* ---- blocks ------------------------------------------------------------------------------------- */

/* start + duration, but not after `max`. */
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

static void include_segment(struct node_child *bounds, const struct segment_times *times)
{
	histree_time end = (histree_time)((uint64_t)times->start + times->duration);
	const struct node_child segment = {
		.start = times->start,
		.start_max = times->start,
		.end = end,
		.end_min = end,
		.duration_min = times->duration,
		.duration_max = times->duration,
	};
	node_child_include(bounds, &segment);
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
		for (uint32_t i = 0; i < block.count; i++)
			include_segment(&of_block, &times[i]);
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
	if (number >= get_le32(leaf + 84))
		return false;
	const uint8_t *table = leaf + get_le32(leaf + 88) + 4 * number;
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
