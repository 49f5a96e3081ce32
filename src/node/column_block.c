// SPDX-License-Identifier: MIT
#include "node/column_block.h"

bool column_block_open(struct column_block *block, const struct column_view *view, uint32_t number)
{
	uint32_t offset = get_le32(view->block_heads + (size_t)number * BLOCK_HEAD_SIZE + 4);
	if (!column_area_fits(offset, BLOCK_PREFIX_SIZE, view->used))
		return false;
	const uint8_t *prefix = view->block + offset;
	struct byte_reader reader =
		byte_reader(prefix + BLOCK_PREFIX_SIZE, view->used - offset - BLOCK_PREFIX_SIZE);
	struct column_block opened = {
		.view = view,
		.number = number,
		.segment_count = (prefix[0] & ~(unsigned)EDGES) + 1,
		.edges = prefix[0] & EDGES,
	};
	size_t bits = 0;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++) {
		opened.widths[c] = prefix[1 + c];
		opened.columns[c] = bits;
		bits += (size_t)opened.segment_count * opened.widths[c];
		opened.least[c] = read_varint(&reader);
		if (opened.widths[c] > 64)
			return false;
	}
	if (reader.failed || opened.segment_count > SEGMENTS_PER_BLOCK || bits > byte_reader_left(&reader) * 8)
		return false;
	size_t first = (size_t)(reader.at - view->block) * 8;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		opened.columns[c] += first;
	opened.payload = first + bits;
	*block = opened;
	return true;
}

/* Whether a segment can be what it says, but for the place of its payload; without a branch. */
static inline bool is_sound(const struct column_view *view, const uint64_t *fields)
{
	return (fields[COLUMN_COUNT] < SEGMENT_INTERVALS_MAX) & (fields[COLUMN_STEP_WIDTH] <= 64) &
	       (fields[COLUMN_VALUE_WIDTH] <= 64) & (fields[COLUMN_KIND] < VALUE_KIND_COUNT) &
	       (fields[COLUMN_KEY] >= view->key_min) & (fields[COLUMN_KEY] <= view->key_max) &
	       (fields[COLUMN_LAST] <= view->last_moment);
}

/* Returns where it ends.  Of a sound segment, it is too short to wrap round. */
static inline size_t place_payload(const struct column_block *block, struct column_segment *segment, size_t payload)
{
	uint32_t steps = column_step_count((uint32_t)segment->fields[COLUMN_COUNT] + 1, block->edges);
	segment->steps = payload;
	segment->values = payload + steps * segment->fields[COLUMN_STEP_WIDTH];
	return column_segment_end(segment);
}

bool column_block_segment(const struct column_block *block, uint32_t number, size_t payload,
			  struct column_segment *segment)
{
	size_t end = (size_t)block->view->used * 8;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		segment->fields[c] = column_block_field(block, (enum column)c, number);
	return is_sound(block->view, segment->fields) && payload <= end &&
	       place_payload(block, segment, payload) <= end;
}

static void unpack_column(const struct column_block *block, enum column column, struct column_segment *segments)
{
	const uint8_t *bytes = block->view->block;
	const unsigned width = block->widths[column];
	const uint64_t least = block->least[column];
	const uint32_t count = block->segment_count;
	size_t at = block->columns[column];
	if (width > BITS_IN_A_LOAD) {
		for (uint32_t s = 0; s < count; s++, at += width)
			segments[s].fields[column] = least + bits_get(bytes, at, width);
		return;
	}
	const uint64_t mask = (UINT64_C(1) << width) - 1;
	for (uint32_t s = 0; s < count; s++, at += width)
		segments[s].fields[column] = least + (bits_load(bytes + at / 8) >> at % 8 & mask);
}

bool column_block_unpack(const struct column_block *block, struct column_segment *segments)
{
	struct column_segment alike = { 0 };
	memcpy(alike.fields, block->least, sizeof(alike.fields));
	for (uint32_t s = 0; s < block->segment_count; s++)
		segments[s] = alike;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		if (block->widths[c] > 0)
			unpack_column(block, (enum column)c, segments);
	size_t payload = block->payload;
	bool sound = true;
	for (uint32_t s = 0; s < block->segment_count; s++) {
		sound &= is_sound(block->view, segments[s].fields);
		payload = place_payload(block, &segments[s], payload);
	}
	return sound && payload <= (size_t)block->view->used * 8;
}

static inline unsigned width_of(const struct column_block *block, enum column column, uint32_t segment)
{
	return (unsigned)column_block_field(block, column, segment) & 127;
}

size_t column_block_payload(const struct column_block *block, uint32_t from, uint32_t to)
{
	size_t steps = 0, values = 0, bits = 0;
	bool alike = block->widths[COLUMN_STEP_WIDTH] == 0 && block->widths[COLUMN_VALUE_WIDTH] == 0;
	for (uint32_t s = from; s < to; s++) {
		uint32_t count = (uint32_t)column_block_field(block, COLUMN_COUNT, s) + 1;
		if (alike) {
			steps += column_step_count(count, block->edges);
			values += count;
			continue;
		}
		bits += (size_t)column_step_count(count, block->edges) * width_of(block, COLUMN_STEP_WIDTH, s) +
			(size_t)count * width_of(block, COLUMN_VALUE_WIDTH, s);
	}
	return bits + steps * width_of(block, COLUMN_STEP_WIDTH, 0) +
	       values * width_of(block, COLUMN_VALUE_WIDTH, 0);
}

/* ---- verification --------------------------------------------------------------------------------- */

static bool times_ascend(const struct column_view *view)
{
	uint64_t before = 0, time;
	for (uint32_t moment = 0; moment < view->time_count; moment++) {
		if (!column_time_of(view, moment, &time) || (moment > 0 && time <= before))
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
		    column_block_field(&block, COLUMN_KEY, 0) != column_head_key(view, number))
			return false;
	}
	return view->direct || times_ascend(view);
}
