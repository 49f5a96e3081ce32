// SPDX-License-Identifier: MIT
#include "state/text_list.h"

enum { TEXTS_IN_BLOCK = 32 };

/* The texts from `first` on; `count` of them, up to TEXTS_IN_BLOCK. */
static bool put_block(const struct intern *texts, uint32_t first, uint32_t count, struct section_writer *writer)
{
	size_t sizes[TEXTS_IN_BLOCK], min = SIZE_MAX, max = 0;
	for (uint32_t i = 0; i < count; i++) {
		intern_get(texts, first + i, &sizes[i]);
		min = sizes[i] < min ? sizes[i] : min;
		max = sizes[i] > max ? sizes[i] : max;
	}
	struct bit_buffer bits = { 0 };
	unsigned width = bits_needed(max - min);
	if (!bit_buffer_reserve(&bits, (size_t)count * width))
		return false;
	for (uint32_t i = 0; i < count; i++)
		bit_buffer_put(&bits, sizes[i] - min, width);
	section_writer_put_varint(writer, min);
	section_writer_put(writer, &(uint8_t){ (uint8_t)width }, 1);
	section_writer_put(writer, bits.bytes, (bits.bits + 7) / 8);
	bit_buffer_release(&bits);
	for (uint32_t i = 0; i < count; i++) {
		const char *text = intern_get(texts, first + i, &sizes[i]);
		section_writer_put(writer, text, sizes[i]);
	}
	return true;
}

uint64_t text_list_save(const struct intern *texts, struct section_writer *writer)
{
	struct block_offsets offsets = { 0 };
	uint64_t start = writer->size;
	for (uint32_t first = 0; first < texts->count && writer->status == HISTREE_OK; first += TEXTS_IN_BLOCK) {
		uint32_t left = texts->count - first, count = left < TEXTS_IN_BLOCK ? left : TEXTS_IN_BLOCK;
		if (!block_offsets_add(&offsets, writer->size - start) || !put_block(texts, first, count, writer))
			section_writer_no_memory(writer);
	}
	uint64_t size = writer->size - start;
	section_writer_put_directory(writer, &offsets, size);
	return size;
}

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
