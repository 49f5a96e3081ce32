// SPDX-License-Identifier: MIT
#include "state/text_list.h"

enum { TEXTS_IN_BLOCK = 16 };

uint64_t text_list_save(const struct intern *texts, struct section_writer *writer)
{
	struct block_offsets offsets = { 0 };
	uint64_t start = writer->size;
	for (uint32_t number = 0; number < texts->count; number++) {
		if (number % TEXTS_IN_BLOCK == 0 && !block_offsets_add(&offsets, writer->size - start))
			section_writer_no_memory(writer);
		size_t size;
		const char *text = intern_get(texts, number, &size);
		section_writer_put_varint(writer, size);
		section_writer_put(writer, text, size);
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
	if (number >= list->count)
		return (struct byte_reader){ .failed = true };
	struct byte_reader reader = block_directory_at(&list->blocks, number / TEXTS_IN_BLOCK);
	for (unsigned before = number % TEXTS_IN_BLOCK; before > 0; before--)
		read_bytes(&reader, (size_t)read_varint(&reader));
	uint64_t size = read_varint(&reader);
	const uint8_t *bytes = size <= byte_reader_left(&reader) ? read_bytes(&reader, (size_t)size) : NULL;
	return bytes == NULL ? (struct byte_reader){ .failed = true } : byte_reader(bytes, (size_t)size);
}
