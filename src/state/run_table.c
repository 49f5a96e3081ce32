// SPDX-License-Identifier: MIT
#include "state/run_table.h"

/* ---- writing ---------------------------------------------------------------------------------------- */

struct run_table_writer run_table_writer(struct section_writer *writer)
{
	return (struct run_table_writer){ .writer = writer, .start = writer->size };
}

struct packed_column {
	uint32_t base, step;
	unsigned width;
};

/* With a step that no row goes below: the smallest step between two rows, or none. */
static struct packed_column pack_column(const struct run_table_writer *table, enum run_column which, uint32_t step)
{
	struct packed_column column = { .base = UINT32_MAX, .step = step };
	uint32_t max = 0;
	for (uint32_t row = 0; row < table->row_count; row++) {
		uint32_t number = table->rows[row].columns[which] - row * step;
		column.base = number < column.base ? number : column.base;
		max = number > max ? number : max;
	}
	column.width = bits_needed(max - column.base);
	return column;
}

static uint32_t smallest_step(const struct run_table_writer *table, enum run_column which)
{
	uint32_t step = UINT32_MAX;
	for (unsigned row = 1; row < table->row_count; row++) {
		uint32_t before = table->rows[row - 1].columns[which], now = table->rows[row].columns[which];
		if (now < before)
			return 0;
		step = now - before < step ? now - before : step;
	}
	return table->row_count > 1 ? step : 0;
}

static void write_columns(struct run_table_writer *table, const struct packed_column columns[RUN_COLUMNS])
{
	for (unsigned which = 0; which < RUN_COLUMNS; which++) {
		const struct packed_column *column = &columns[which];
		for (uint32_t row = 0; row < table->row_count; row++)
			bit_buffer_put(&table->bits,
				       table->rows[row].columns[which] - row * column->step - column->base,
				       column->width);
	}
	section_writer_put(table->writer, table->bits.bytes, (table->bits.bits + 7) / 8);
	bit_buffer_clear(&table->bits);
}

static void write_block(struct run_table_writer *table)
{
	if (table->row_count == 0)
		return;
	if (!block_offsets_add(&table->offsets, table->writer->size - table->start) ||
	    !bit_buffer_reserve(&table->bits, RUNS_IN_BLOCK * RUN_COLUMNS * 32)) {
		section_writer_no_memory(table->writer);
		table->row_count = 0;
		return;
	}
	struct packed_column columns[RUN_COLUMNS];
	for (unsigned which = 0; which < RUN_COLUMNS; which++) {
		columns[which] = pack_column(table, which, smallest_step(table, which));
		section_writer_put_varint(table->writer, columns[which].base);
		section_writer_put_varint(table->writer, columns[which].step);
	}
	for (unsigned which = 0; which < RUN_COLUMNS; which++)
		section_writer_put(table->writer, &(uint8_t){ (uint8_t)columns[which].width }, 1);
	write_columns(table, columns);
	table->row_count = 0;
}

void run_table_writer_add(struct run_table_writer *table, const struct run_row *row)
{
	table->rows[table->row_count++] = *row;
	if (table->row_count == RUNS_IN_BLOCK)
		write_block(table);
}

uint64_t run_table_writer_finish(struct run_table_writer *table)
{
	write_block(table);
	uint64_t size = table->writer->size - table->start;
	section_writer_put_directory(table->writer, &table->offsets, size);
	bit_buffer_release(&table->bits);
	return size;
}

/* ---- reading ---------------------------------------------------------------------------------------- */

struct run_table run_table_read(struct byte_reader *reader, uint64_t size, uint32_t count)
{
	uint64_t block_count = ((uint64_t)count + RUNS_IN_BLOCK - 1) / RUNS_IN_BLOCK;
	return (struct run_table){ .blocks = block_directory_read(reader, size, block_count), .count = count };
}

struct run_block {
	uint64_t base[RUN_COLUMNS], step[RUN_COLUMNS];
	const uint8_t *widths, *bits;
	unsigned rows;
};

static bool read_block(const struct run_table *table, uint32_t number, struct run_block *block)
{
	struct byte_reader reader = block_directory_at(&table->blocks, number);
	uint32_t left = table->count - number * RUNS_IN_BLOCK;
	block->rows = left < RUNS_IN_BLOCK ? left : RUNS_IN_BLOCK;
	for (unsigned column = 0; column < RUN_COLUMNS; column++) {
		block->base[column] = read_varint(&reader);
		block->step[column] = read_varint(&reader);
	}
	block->widths = read_bytes(&reader, RUN_COLUMNS);
	if (block->widths == NULL)
		return false;
	size_t width = 0;
	for (unsigned column = 0; column < RUN_COLUMNS; column++) {
		if (block->widths[column] > 32 || block->base[column] > UINT32_MAX ||
		    block->step[column] > UINT32_MAX)
			return false;
		width += block->widths[column];
	}
	block->bits = read_bytes(&reader, (width * block->rows + 7) / 8);
	return block->bits != NULL;
}

/* Of the column that begins at bit `at`; UINT64_MAX is no number of any. */
static uint64_t get_number(const struct run_block *block, enum run_column column, size_t at, unsigned row)
{
	unsigned width = block->widths[column];
	uint64_t number = block->base[column] + row * block->step[column] +
			  bits_get(block->bits, at + (size_t)row * width, width);
	return number <= UINT32_MAX ? number : UINT64_MAX;
}

/* The smallest `first` of a block, which is that of its first row. */
static uint64_t block_first(const struct run_table *table, uint32_t number)
{
	struct byte_reader reader = block_directory_at(&table->blocks, number);
	return read_varint(&reader);
}

bool run_table_get(const struct run_table *table, uint32_t number, struct run_row *row, uint32_t *after)
{
	struct run_block block;
	if (number >= table->count || !read_block(table, number / RUNS_IN_BLOCK, &block))
		return false;
	unsigned next = number % RUNS_IN_BLOCK + 1;
	if (next < block.rows)
		*after = (uint32_t)get_number(&block, RUN_FIRST, 0, next);
	else
		*after = number + 1 == table->count ? UINT32_MAX
						    : (uint32_t)block_first(table, number / RUNS_IN_BLOCK + 1);
	size_t at = 0;
	for (unsigned column = 0; column < RUN_COLUMNS; column++) {
		uint64_t value = get_number(&block, column, at, number % RUNS_IN_BLOCK);
		if (value == UINT64_MAX)
			return false;
		row->columns[column] = (uint32_t)value;
		at += (size_t)block.widths[column] * block.rows;
	}
	return true;
}

bool run_table_ascends(const struct run_table *table)
{
	uint64_t min = 0; /* that the next may be */
	for (uint32_t number = 0; number < table->count; number += RUNS_IN_BLOCK) {
		struct run_block block;
		if (!read_block(table, number / RUNS_IN_BLOCK, &block))
			return false;
		for (unsigned row = 0; row < block.rows; row++) {
			uint64_t first = get_number(&block, RUN_FIRST, 0, row);
			if (first == UINT64_MAX || first < min || (min == 0 && first > 0))
				return false;
			min = first + 1;
		}
	}
	return true;
}

uint32_t run_table_find(const struct run_table *table, uint32_t quark)
{
	uint32_t low = 0, high = (uint32_t)(((uint64_t)table->count + RUNS_IN_BLOCK - 1) / RUNS_IN_BLOCK);
	while (low < high) { /* the first block that begins after it */
		uint32_t middle = low + (high - low) / 2;
		if (block_first(table, middle) <= quark)
			low = middle + 1;
		else
			high = middle;
	}
	struct run_block block;
	if (low == 0 || !read_block(table, low - 1, &block))
		return table->count;
	unsigned first = 0, after = block.rows;
	while (first < after) { /* likewise in the block */
		unsigned middle = (first + after) / 2;
		if (get_number(&block, RUN_FIRST, 0, middle) <= quark)
			first = middle + 1;
		else
			after = middle;
	}
	return first == 0 ? table->count : (low - 1) * RUNS_IN_BLOCK + first - 1;
}
