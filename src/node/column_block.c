// SPDX-License-Identifier: MIT
#include "node/column_block.h"

bool column_block_open(struct column_block *block, const struct column_view *view, uint32_t number)
{
	uint32_t offset = column_block_offset(view, number);
	uint32_t end = number + 1 < view->block_count ? column_block_offset(view, number + 1) : view->used;
	if (end > view->used || !column_area_fits(offset, COLUMN_BLOCK_PREFIX_SIZE, end))
		return false;
	const uint8_t *prefix = view->block + offset;
	struct byte_reader reader =
		byte_reader(prefix + COLUMN_BLOCK_PREFIX_SIZE, end - offset - COLUMN_BLOCK_PREFIX_SIZE);
	struct column_block opened = {
		.view = view,
		.number = number,
		.series_count = (prefix[0] & ~(unsigned)EDGES) + 1,
		.edges = prefix[0] & EDGES,
		.end = (size_t)end * 8,
	};
	size_t bits = 0;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++) {
		opened.widths[c] = prefix[1 + c];
		opened.columns[c] = bits;
		bits += (size_t)opened.series_count * opened.widths[c];
		opened.minima[c] = read_varint(&reader);
		if (opened.widths[c] > 64)
			return false;
	}
	if (reader.failed || opened.series_count > SERIES_PER_BLOCK || bits > byte_reader_left(&reader) * 8)
		return false;
	size_t first = (size_t)(reader.at - view->block) * 8;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		opened.columns[c] += first;
	opened.payload = first + bits;
	*block = opened;
	return true;
}

/* Whether a series can be what it says, apart from where its payload lies; without a branch. */
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

static void unpack_column(const struct column_block *block, enum column column, struct column_series *series)
{
	const uint8_t *bytes = block->view->block;
	const unsigned width = block->widths[column];
	const uint64_t min = block->minima[column];
	const uint32_t count = block->series_count;
	size_t at = block->columns[column];
	if (width > BITS_IN_A_LOAD) {
		for (uint32_t s = 0; s < count; s++, at += width)
			series[s].fields[column] = min + bits_get(bytes, at, width);
		return;
	}
	const uint64_t mask = (UINT64_C(1) << width) - 1;
	for (uint32_t s = 0; s < count; s++, at += width)
		series[s].fields[column] = min + (bits_load(bytes + at / 8) >> at % 8 & mask);
}

bool column_block_unpack(const struct column_block *block, struct column_series *series)
{
	struct column_series alike = { 0 };
	memcpy(alike.fields, block->minima, sizeof(alike.fields));
	for (uint32_t s = 0; s < block->series_count; s++)
		series[s] = alike;
	for (unsigned c = 0; c < COLUMN_COUNT_OF_COLUMNS; c++)
		if (block->widths[c] > 0)
			unpack_column(block, (enum column)c, series);
	size_t payload = block->payload;
	bool sound = true;
	for (uint32_t s = 0; s < block->series_count; s++) {
		sound &= is_sound(block->view, series[s].fields);
		payload = locate_payload(block, &series[s], payload);
	}
	return sound && payload <= block->end;
}

static inline unsigned width_of(const struct column_block *block, enum column column, uint32_t series)
{
	return (unsigned)column_block_field(block, column, series) & 127;
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
