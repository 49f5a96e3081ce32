/* SPDX-License-Identifier: MIT */
/*
 * bits.h - numbers of a fixed width, one after the other, least significant bit first.
 *
 * Readers load eight bytes at once, so BITS_SLACK bytes after the last number must be readable.
 */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BITS_SLACK = 8 };

static inline unsigned bits_needed(uint64_t number)
{
	return number == 0 ? 0 : 64 - (unsigned)__builtin_clzll(number);
}

static inline uint64_t bits_load(const uint8_t *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Eight bytes at once hold a number of this width, whichever of the first's bits it begins at. */
enum { BITS_IN_A_LOAD = 57 };

/* Returns `width` bits from bit `at` on, 0 to 64 of them.  BITS_SLACK must be there even for a width of 0. */
static inline uint64_t bits_get(const uint8_t *bytes, size_t at, unsigned width)
{
	const uint8_t *from = bytes + at / 8;
	unsigned shift = at % 8;
	uint64_t word = bits_load(from) >> shift;
	if (width <= BITS_IN_A_LOAD)
		return word & ((UINT64_C(1) << width) - 1);
	if (width + shift > 64)
		word |= (uint64_t)from[8] << (64 - shift);
	return width >= 64 ? word : word & ((UINT64_C(1) << width) - 1);
}

/* Bytes that grow as bits are put at their end.  A zeroed struct is empty. */
struct bit_buffer {
	uint8_t *bytes; /* zero after `bits` */
	size_t bits;
	size_t capacity; /* bytes */
};

/* Make room for `bits` more.  Returns false if memory is out. */
bool bit_buffer_reserve(struct bit_buffer *buffer, size_t bits);

/* Put a number at the end; there must be room. */
static inline void bit_buffer_put(struct bit_buffer *buffer, uint64_t number, unsigned width)
{
	if (width == 0)
		return;
	uint8_t *to = buffer->bytes + buffer->bits / 8;
	unsigned shift = buffer->bits % 8;
	uint64_t word = bits_load(to) | number << shift;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(to, &word, sizeof(word));
	if (width + shift > 64)
		to[8] = (uint8_t)(number >> (64 - shift));
	buffer->bits += width;
}

/*
 * A writer puts many numbers in a row, with the bits at hand in a register until they are eight bytes.  There must
 * be room for all of them; between bit_writer_begin() and bit_writer_end() the buffer is left alone.
 */
struct bit_writer {
	uint8_t *to;
	uint64_t word;   /* of the byte at `to` and those after it */
	unsigned filled; /* bits of it, less than 64 between two numbers */
};

static inline struct bit_writer bit_writer_begin(const struct bit_buffer *buffer)
{
	uint8_t *to = buffer->bytes + buffer->bits / 8;
	return (struct bit_writer){ .to = to, .word = *to, .filled = buffer->bits % 8 };
}

static inline void bit_writer_store(const struct bit_writer *writer)
{
	uint64_t word = writer->word;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	memcpy(writer->to, &word, sizeof(word));
}

/* Put less than 64 bits, of which only the lowest `width` may be set. */
static inline void bit_writer_put_short(struct bit_writer *writer, uint64_t number, unsigned width)
{
	writer->word |= number << writer->filled;
	writer->filled += width;
	if (writer->filled < 64)
		return;
	bit_writer_store(writer);
	writer->to += sizeof(writer->word);
	writer->filled -= 64;
	writer->word = number >> (width - writer->filled);
}

/* Put up to 64 bits, of which only the lowest `width` may be set. */
static inline void bit_writer_put(struct bit_writer *writer, uint64_t number, unsigned width)
{
	if (width < 64) {
		bit_writer_put_short(writer, number, width);
		return;
	}
	bit_writer_put_short(writer, number & UINT32_MAX, 32);
	bit_writer_put_short(writer, number >> 32, width - 32);
}

static inline void bit_writer_end(struct bit_buffer *buffer, const struct bit_writer *writer)
{
	bit_writer_store(writer);
	buffer->bits = 8 * (size_t)(writer->to - buffer->bytes) + writer->filled;
}

void bit_buffer_clear(struct bit_buffer *buffer);
void bit_buffer_release(struct bit_buffer *buffer);

#endif
