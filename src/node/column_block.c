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

/* Say where the payload is, if the fields are such that it lies in the node. */
static inline bool place_payload(const struct column_block *block, struct column_segment *segment, size_t payload)
{
	const struct column_view *view = block->view;
	const uint64_t *fields = segment->fields;
	uint64_t step_width = fields[COLUMN_STEP_WIDTH], value_width = fields[COLUMN_VALUE_WIDTH];
	size_t bits = (size_t)view->used * 8;
	/* The widths first: with them in range, nothing that begins in the node wraps round behind it. */
	if (fields[COLUMN_COUNT] >= SEGMENT_INTERVALS_MAX || step_width > 64 || value_width > 64 || payload > bits)
		return false;
	uint32_t count = (uint32_t)fields[COLUMN_COUNT] + 1;
	segment->steps = payload;
	segment->values = payload + column_step_count(count, block->edges) * step_width;
	return column_segment_end(segment) <= bits && fields[COLUMN_KIND] < VALUE_KIND_COUNT &&
	       fields[COLUMN_KEY] >= view->key_min && fields[COLUMN_KEY] <= view->key_max &&
	       fields[COLUMN_LAST] <= view->last_moment;
}

bool column_block_segment(const struct column_block *block, uint32_t number, size_t payload,
			  struct column_segment *segment)
{
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		segment->fields[c] = column_block_field(block, (enum column)c, number);
	return place_payload(block, segment, payload);
}

/* Eight bytes at once hold a number of this width, wherever it begins. */
enum { WIDTH_IN_A_WORD = 57 };

static void unpack_column(const struct column_block *block, enum column column, struct column_segment *segments)
{
	const uint8_t *bytes = block->view->block;
	const unsigned width = block->widths[column];
	const uint64_t least = block->least[column];
	const uint32_t count = block->segment_count;
	size_t at = block->columns[column];
	if (width == 0) {
		for (uint32_t s = 0; s < count; s++)
			segments[s].fields[column] = least;
	} else if (width <= WIDTH_IN_A_WORD) {
		const uint64_t mask = (UINT64_C(1) << width) - 1;
		for (uint32_t s = 0; s < count; s++, at += width)
			segments[s].fields[column] = least + (bits_load(bytes + at / 8) >> at % 8 & mask);
	} else {
		for (uint32_t s = 0; s < count; s++, at += width)
			segments[s].fields[column] = least + bits_get(bytes, at, width);
	}
}

bool column_block_unpack(const struct column_block *block, struct column_segment *segments)
{
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		unpack_column(block, (enum column)c, segments);
	size_t payload = block->payload;
	for (uint32_t s = 0; s < block->segment_count; s++) {
		struct column_segment *segment = &segments[s];
		if (!place_payload(block, segment, payload))
			return false;
		payload = column_segment_end(segment);
	}
	return true;
}

size_t column_block_payload(const struct column_block *block, uint32_t from, uint32_t to)
{
	const unsigned *widths = block->widths;
	bool alike = widths[COLUMN_COUNT] == 0 && widths[COLUMN_STEP_WIDTH] == 0 && widths[COLUMN_VALUE_WIDTH] == 0;
	size_t bits = 0;
	for (uint32_t s = from; s < to; s++) {
		uint32_t count = (uint32_t)column_block_field(block, COLUMN_COUNT, s) + 1;
		bits += (size_t)column_step_count(count, block->edges) *
				(column_block_field(block, COLUMN_STEP_WIDTH, s) & 127) +
			(size_t)count * (column_block_field(block, COLUMN_VALUE_WIDTH, s) & 127);
		if (alike)
			return bits * (to - from);
	}
	return bits;
}
