// SPDX-License-Identifier: MIT
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/block_parts.h"

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
	block_parts_seal(image, *image_size);
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
