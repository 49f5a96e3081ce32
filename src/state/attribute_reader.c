// SPDX-License-Identifier: MIT
/*
 * attribute_reader.c - the bytes of the section ATTR of a history file, which holds the names of attributes
 * (docs/design/03-names-and-labels.md, histree-format(5)).
 */
#include "state/attribute_reader.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/search.h"
#include "histree/value.h"

/* ---- attribute reader ---------------------------------------------------------------------------------------- */

/* ---- texts ------------------------------------------------------------------------------------------- */

struct text_list text_list_read(struct byte_reader *reader, uint64_t size, uint32_t count)
{
	uint64_t block_count = ((uint64_t)count + TEXTS_IN_BLOCK - 1) / TEXTS_IN_BLOCK;
	return (struct text_list){ .blocks = block_directory_read(reader, size, block_count), .count = count };
}

struct byte_reader text_list_get(const struct text_list *list, uint64_t number)
{
	const struct byte_reader none = { .failed = true };
	if (number >= list->count)
		return none;
	uint64_t first = number / TEXTS_IN_BLOCK * TEXTS_IN_BLOCK;
	size_t count = list->count - first < TEXTS_IN_BLOCK ? (size_t)(list->count - first) : TEXTS_IN_BLOCK;
	struct byte_reader reader = block_directory_at(&list->blocks, number / TEXTS_IN_BLOCK);
	uint64_t min = read_varint(&reader);
	const uint8_t *width = read_bytes(&reader, 1);
	if (width == NULL || *width > 32 || min > UINT32_MAX)
		return none;
	const uint8_t *sizes = read_bytes(&reader, (count * *width + 7) / 8);
	if (sizes == NULL)
		return none;
	uint64_t before = (number - first) * min;
	for (size_t i = 0; *width > 0 && i < number - first; i++)
		before += bits_get(sizes, i * *width, *width);
	uint64_t size = min + bits_get(sizes, (size_t)(number - first) * *width, *width);
	read_bytes(&reader, (size_t)before);
	const uint8_t *text = read_bytes(&reader, (size_t)size);
	return text == NULL ? none : byte_reader(text, (size_t)size);
}

/* ---- ranges ------------------------------------------------------------------------------------------ */

struct range_table range_table_read(struct byte_reader *reader, uint64_t size, uint32_t count)
{
	uint64_t block_count = ((uint64_t)count + RANGES_IN_BLOCK - 1) / RANGES_IN_BLOCK;
	return (struct range_table){ .blocks = block_directory_read(reader, size, block_count), .count = count };
}

struct range_block {
	uint64_t base[RANGE_COLUMNS], step[RANGE_COLUMNS];
	const uint8_t *widths, *bits;
	unsigned rows;
};

static bool read_block(const struct range_table *table, uint32_t number, struct range_block *block)
{
	struct byte_reader reader = block_directory_at(&table->blocks, number);
	uint32_t left = table->count - number * RANGES_IN_BLOCK;
	block->rows = left < RANGES_IN_BLOCK ? left : RANGES_IN_BLOCK;
	for (unsigned column = 0; column < RANGE_COLUMNS; column++) {
		block->base[column] = read_varint(&reader);
		block->step[column] = read_varint(&reader);
	}
	block->widths = read_bytes(&reader, RANGE_COLUMNS);
	if (block->widths == NULL)
		return false;
	size_t width = 0;
	for (unsigned column = 0; column < RANGE_COLUMNS; column++) {
		if (block->widths[column] > 32 || block->base[column] > UINT32_MAX ||
		    block->step[column] > UINT32_MAX)
			return false;
		width += block->widths[column];
	}
	block->bits = read_bytes(&reader, (width * block->rows + 7) / 8);
	return block->bits != NULL;
}

/* The number in the column that begins at bit `at`; UINT64_MAX stands for no number. */
static uint64_t get_number(const struct range_block *block, enum range_column column, size_t at, unsigned row)
{
	unsigned width = block->widths[column];
	uint64_t number = block->base[column] + row * block->step[column] +
			  bits_get(block->bits, at + (size_t)row * width, width);
	return number <= UINT32_MAX ? number : UINT64_MAX;
}

/* The smallest `first` of a block, which is that of its first row. */
static uint64_t block_first(const struct range_table *table, uint32_t number)
{
	struct byte_reader reader = block_directory_at(&table->blocks, number);
	return read_varint(&reader);
}

bool range_table_get(const struct range_table *table, uint32_t number, struct range_row *row, uint32_t *after)
{
	struct range_block block;
	if (number >= table->count || !read_block(table, number / RANGES_IN_BLOCK, &block))
		return false;
	unsigned next = number % RANGES_IN_BLOCK + 1;
	if (next < block.rows)
		*after = (uint32_t)get_number(&block, RANGE_FIRST, 0, next);
	else
		*after = number + 1 == table->count ? UINT32_MAX
						    : (uint32_t)block_first(table, number / RANGES_IN_BLOCK + 1);
	size_t at = 0;
	for (unsigned column = 0; column < RANGE_COLUMNS; column++) {
		uint64_t value = get_number(&block, column, at, number % RANGES_IN_BLOCK);
		if (value == UINT64_MAX)
			return false;
		row->columns[column] = (uint32_t)value;
		at += (size_t)block.widths[column] * block.rows;
	}
	return true;
}

bool range_table_ascends(const struct range_table *table)
{
	uint64_t min = 0; /* that the next may be */
	for (uint32_t number = 0; number < table->count; number += RANGES_IN_BLOCK) {
		struct range_block block;
		if (!read_block(table, number / RANGES_IN_BLOCK, &block))
			return false;
		for (unsigned row = 0; row < block.rows; row++) {
			uint64_t first = get_number(&block, RANGE_FIRST, 0, row);
			if (first == UINT64_MAX || first < min || (min == 0 && first > 0))
				return false;
			min = first + 1;
		}
	}
	return true;
}

uint32_t range_table_find(const struct range_table *table, uint32_t quark)
{
	/* The first block that begins after it; likewise in the block. */
	const size_t blocks = ((size_t)table->count + RANGES_IN_BLOCK - 1) / RANGES_IN_BLOCK;
	const uint32_t low = (uint32_t)SEARCH(i, 0, blocks, block_first(table, (uint32_t)i) <= quark);
	struct range_block block;
	if (low == 0 || !read_block(table, low - 1, &block))
		return table->count;
	const uint32_t first =
		(uint32_t)SEARCH(i, 0, block.rows, get_number(&block, RANGE_FIRST, 0, (unsigned)i) <= quark);
	return first == 0 ? table->count : (low - 1) * RANGES_IN_BLOCK + first - 1;
}

/* ---- groups ------------------------------------------------------------------------------------------ */

bool group_member_next(struct byte_reader *members, uint32_t group_size, struct group_member *member)
{
	if (member->number + 1 >= group_size)
		return false;
	uint64_t parent = read_varint(members);
	uint64_t name = (uint64_t)member->name + 2 + (uint64_t)unzigzag(read_varint(members));
	if (members->failed || parent > member->number || name > UINT32_MAX)
		return false;
	*member = (struct group_member){ .number = member->number + 1,
					 .parent = (uint32_t)parent,
					 .name = (uint32_t)name };
	return true;
}
