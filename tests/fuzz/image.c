// SPDX-License-Identifier: MIT
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "store/block_file.h"

/* Where things are: head comments of store/block_file.c and node/node_format.h. */
enum { HEADER_SIZE = 4096, SECTION_ENTRY_SIZE = 24, SECTIONS_MAX = 64 };

static void fix_node(uint8_t *node, size_t size)
{
	uint32_t used = size < 48 ? 0 : get_le32(node + 40);
	if (used >= 4 && used <= size)
		put_le32(node, crc32c(0, node + 4, used - 4));
}

/* The section of sizes, if the file has one. */
static struct byte_reader extents(const uint8_t *image, size_t size)
{
	uint64_t table = get_le64(image + 40);
	uint32_t count = get_le32(image + 48);
	for (uint32_t i = 0; table <= size && i < count && (i + 1) * (size_t)SECTION_ENTRY_SIZE <= size - table;
	     i++) {
		const uint8_t *entry = image + table + (size_t)i * SECTION_ENTRY_SIZE;
		uint64_t offset = get_le64(entry + 8), length = get_le64(entry + 16);
		if (get_le32(entry) == SECTION_EXTENTS && offset <= size && length <= size - offset)
			return byte_reader(image + offset, length);
	}
	return byte_reader(image, 0);
}

static void fix_nodes(uint8_t *image, size_t size)
{
	struct byte_reader sizes = extents(image, size);
	bool differ = (get_le64(image + 16) & 1) != 0;
	size_t block_size = get_le32(image + 32), at = HEADER_SIZE;
	for (uint32_t count = get_le32(image + 36); count > 0; count--) {
		size_t node_size = differ ? (size_t)read_varint(&sizes) : block_size;
		if (node_size == 0 || node_size > size - at)
			return;
		fix_node(image + at, node_size);
		at += node_size;
	}
}

static void fix_sections(uint8_t *image, size_t size)
{
	uint64_t table = get_le64(image + 40);
	uint32_t count = get_le32(image + 48);
	if (count > SECTIONS_MAX || table > size || count * SECTION_ENTRY_SIZE > size - table)
		return;
	for (uint8_t *entry = image + table; entry < image + table + count * SECTION_ENTRY_SIZE;
	     entry += SECTION_ENTRY_SIZE) {
		uint64_t offset = get_le64(entry + 8), length = get_le64(entry + 16);
		if (offset <= size && length <= size - offset)
			put_le32(entry + 4, crc32c(0, image + offset, length));
	}
	put_le32(image + 52, crc32c(0, image + table, count * SECTION_ENTRY_SIZE));
}

uint8_t *image_unpack(const uint8_t *bytes, size_t size, size_t *image_size)
{
	uint8_t *image = calloc(IMAGE_PIECES_MAX, IMAGE_PIECE_SIZE);
	*image_size = 0;
	if (image == NULL)
		return NULL;
	struct byte_reader reader = byte_reader(bytes, size);
	for (size_t piece = 0; piece < IMAGE_PIECES_MAX; piece++) {
		const uint8_t *length = read_bytes(&reader, 2);
		if (length == NULL)
			break;
		size_t wanted = get_le16(length), left = byte_reader_left(&reader);
		size_t used = wanted < IMAGE_PIECE_SIZE ? wanted : IMAGE_PIECE_SIZE;
		used = used < left ? used : left;
		memcpy(image + piece * IMAGE_PIECE_SIZE, read_bytes(&reader, used), used);
		*image_size = piece * IMAGE_PIECE_SIZE + used;
	}
	if (*image_size >= HEADER_SIZE) {
		fix_nodes(image, *image_size);
		fix_sections(image, *image_size);
		put_le32(image + 64, crc32c(0, image, 64));
		if ((get_le64(image + 16) & 2) != 0) /* a tail */
			put_le32(image + 84, crc32c(0, image, 84));
	}
	return image;
}

size_t image_pack(const uint8_t *image, size_t size, uint8_t *packed)
{
	uint8_t *at = packed;
	for (size_t piece = 0; piece < size; piece += IMAGE_PIECE_SIZE) {
		size_t used = size - piece < IMAGE_PIECE_SIZE ? size - piece : IMAGE_PIECE_SIZE;
		bool last = piece + used == size;
		while (!last && used > 0 && image[piece + used - 1] == 0)
			used--;
		put_le16(at, (uint16_t)used);
		memcpy(at + 2, image + piece, used);
		at += 2 + used;
	}
	return (size_t)(at - packed);
}
