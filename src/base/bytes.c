// SPDX-License-Identifier: MIT
/*
 * bytes.c - numbers, texts, bits and blocks as bytes, and the checksum of bytes.
 */
#include "base/bytes.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

/* ---- bits ---------------------------------------------------------------------------------------------------- */

bool bit_buffer_reserve(struct bit_buffer *buffer, size_t bits)
{
	size_t needed = (buffer->bits + bits) / 8 + 1 + BITS_SLACK + 1;
	if (needed <= buffer->capacity)
		return true;
	size_t wanted = needed + needed / 2 + 64;
	uint8_t *grown = realloc(buffer->bytes, wanted);
	if (grown == NULL)
		return false;
	memset(grown + buffer->capacity, 0, wanted - buffer->capacity);
	buffer->bytes = grown;
	buffer->capacity = wanted;
	assert(buffer->bits / 8 < buffer->capacity);
	return true;
}

void bit_buffer_clear(struct bit_buffer *buffer)
{
	assert(buffer->bytes == NULL || buffer->bits / 8 < buffer->capacity);
	if (buffer->bytes != NULL)
		memset(buffer->bytes, 0, buffer->bits / 8 + 1);
	buffer->bits = 0;
}

void bit_buffer_release(struct bit_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct bit_buffer){ 0 };
}

/* ---- crc32c -------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

/* The remainders of 0..15 shifted by four bits, for the reflected polynomial 0x82f63b78. */
static const uint32_t nibble_table[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
	0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c_portable(uint32_t sum, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	sum = ~sum;
	for (; size > 0; size--) {
		sum ^= *at++;
		sum = nibble_table[sum & 15] ^ (sum >> 4);
		sum = nibble_table[sum & 15] ^ (sum >> 4);
	}
	return ~sum;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t sum, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t wide = (uint32_t)~sum;
	for (; size >= 8; size -= 8, at += 8) {
		uint64_t word;
		memcpy(&word, at, 8);
		wide = _mm_crc32_u64(wide, word);
	}
	uint32_t narrow = (uint32_t)wide;
	for (; size > 0; size--)
		narrow = _mm_crc32_u8(narrow, *at++);
	return ~narrow;
}
#endif

uint32_t crc32c(uint32_t sum, const void *bytes, size_t size)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(sum, bytes, size);
#endif
	return crc32c_portable(sum, bytes, size);
}

/* ---- byte buffer --------------------------------------------------------------------------------------------- */

void byte_buffer_format(struct byte_buffer *buffer, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	uint8_t *room = length < 0 ? NULL : byte_buffer_room(buffer, (size_t)length + 1);
	if (room != NULL) {
		vsnprintf((char *)room, (size_t)length + 1, format, again);
		buffer->size += (size_t)length;
	}
	va_end(again);
	va_end(arguments);
}

/* ---- block directory ----------------------------------------------------------------------------------------- */

struct block_directory block_directory_read(struct byte_reader *reader, uint64_t size, uint64_t count)
{
	struct block_directory directory = { .size = (size_t)size, .width = bits_needed(size) };
	size_t left = byte_reader_left(reader);
	/* More bits than there are bytes cannot make the multiplication overflow. */
	if (size > left || count > left * 8) {
		reader->failed = true;
		return directory;
	}
	directory.blocks = read_bytes(reader, (size_t)size);
	directory.offsets = read_bytes(reader, (size_t)((count * directory.width + 7) / 8));
	return directory;
}

struct byte_reader block_directory_at(const struct block_directory *directory, uint64_t block)
{
	uint64_t offset = bits_get(directory->offsets, (size_t)(block * directory->width), directory->width);
	if (offset > directory->size)
		return (struct byte_reader){ .failed = true };
	return byte_reader(directory->blocks + offset, directory->size - (size_t)offset);
}

bool block_offsets_add(struct block_offsets *offsets, uint64_t offset)
{
	if (!array_reserve(&offsets->offsets, &offsets->capacity, offsets->count + 1))
		return false;
	offsets->offsets[offsets->count++] = offset;
	return true;
}

bool block_offsets_pack(const struct block_offsets *offsets, uint64_t size, struct bit_buffer *out)
{
	unsigned width = bits_needed(size);
	if (!bit_buffer_reserve(out, offsets->count * width))
		return false;
	for (size_t i = 0; i < offsets->count; i++)
		bit_buffer_put(out, offsets->offsets[i], width);
	return true;
}

void block_offsets_release(struct block_offsets *offsets)
{
	free(offsets->offsets);
	*offsets = (struct block_offsets){ 0 };
}

char *base64_of(const uint8_t *bytes, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;
	for (size_t i = 0; text != NULL && i < size; i += 3) {
		const size_t left = size - i;
		const uint32_t word = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				      (left > 2 ? bytes[i + 2] : 0);
		*to++ = digits[word >> 18];
		*to++ = digits[word >> 12 & 63];
		*to++ = left > 1 ? digits[word >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[word & 63] : '=';
	}
	if (text != NULL)
		*to = '\0';
	return text;
}
