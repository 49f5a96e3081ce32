/* SPDX-License-Identifier: MIT */
/*
 * bytes.h - numbers, texts, bits and blocks as bytes, and the checksum of bytes.
 *
 * *Bits* are numbers of a fixed width, one after the other, least significant bit first.
 *
 * Readers load eight bytes at once, so BITS_SLACK bytes after the last number must be readable.
 *
 * The *checksum* is CRC-32C (Castagnoli, polynomial 0x1edc6f41), as in iSCSI (RFC 3720), ext4 and SSE4.2.
 *
 * crc32c(0, "123456789", 9) = 0xe3069283.  A sum can be continued: crc32c(crc32c(0, a), b) is the sum of a and b
 * together.
 *
 * *Numbers and texts*: little-endian numbers, varints, floating-point numbers in the format of IEEE 754, and
 * records made of these.
 *
 * A varint is LEB128: seven bits a byte, least significant first; the top bit says that more follow.  It takes at
 * most ten bytes.  Signed numbers are folded by zigzag first (0, -1, 1, -2 -> 0, 1, 2, 3).
 *
 * Writers are given room by their caller, or put what they write at the end of a struct byte_buffer.  Readers of
 * bytes from outside use a struct byte_reader.  It checks each read against what is left, and remembers the first
 * failure.
 *
 * A *directory* is blocks of differing sizes, one after the other, and after them where each begins.
 *
 * 	blocks
 * 	for each block its offset from the first one, in as few bits as the size of all blocks needs
 *
 * So a block is found without reading those before it, and both parts can be written front to back.  The number of
 * blocks and the bytes that they take are stored elsewhere.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

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

/* Eight bytes hold a number of this width at whichever bit of the first byte it begins. */
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

/* Bytes that grow as bits are appended.  A zeroed struct is empty. */
struct bit_buffer {
	uint8_t *bytes; /* zero after `bits` */
	size_t bits;
	size_t capacity; /* bytes */
};

/* Make room for `bits` more.  Returns false if memory runs out. */
bool bit_buffer_reserve(struct bit_buffer *buffer, size_t bits);

/* Append a number; there must be room. */
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
 * A writer appends many numbers in a row and collects their bits in a register until there are eight bytes.  There
 * must be room for all of them; between bit_writer_begin() and bit_writer_end() the buffer is left alone.
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
uint32_t crc32c(uint32_t sum, const void *bytes, size_t size);

/*
 * The same checksum without the instruction of the processor: for processors that lack it, and to test the other.
 */
uint32_t crc32c_portable(uint32_t sum, const void *bytes, size_t size);

enum { VARINT_SIZE_MAX = 10 };

static inline void put_le16(uint8_t *at, uint16_t number)
{
	at[0] = (uint8_t)number;
	at[1] = (uint8_t)(number >> 8);
}

static inline void put_le32(uint8_t *at, uint32_t number)
{
	put_le16(at, (uint16_t)number);
	put_le16(at + 2, (uint16_t)(number >> 16));
}

static inline void put_le64(uint8_t *at, uint64_t number)
{
	put_le32(at, (uint32_t)number);
	put_le32(at + 4, (uint32_t)(number >> 32));
}

static inline uint16_t get_le16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t get_le32(const uint8_t *at)
{
	return (uint32_t)get_le16(at) | (uint32_t)get_le16(at + 2) << 16;
}

static inline uint64_t get_le64(const uint8_t *at)
{
	return (uint64_t)get_le32(at) | (uint64_t)get_le32(at + 4) << 32;
}

static inline uint64_t zigzag(int64_t number)
{
	return ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
}

static inline int64_t unzigzag(uint64_t number)
{
	return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static inline size_t varint_size(uint64_t number)
{
	/* ceil(bits / 7) for 1..64 bits, without a division: (bits * 9 + 64) / 64 agrees there. */
	unsigned bits = 64 - (unsigned)__builtin_clzll(number | 1);
	return (bits * 9 + 64) / 64;
}

/* Returns where the next byte goes. */
static inline uint8_t *put_varint(uint8_t *at, uint64_t number)
{
	while (number >= 0x80) {
		*at++ = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	*at++ = (uint8_t)number;
	return at;
}

/* Returns the byte after the varint, or NULL if it is malformed or does not end before `end`. */
static inline const uint8_t *get_varint(const uint8_t *at, const uint8_t *end, uint64_t *number)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 64 && at < end; shift += 7) {
		uint8_t byte = *at++;
		if (shift == 63 && byte > 1)
			return NULL;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*number = value;
			return at;
		}
	}
	return NULL;
}

struct byte_reader {
	const uint8_t *at, *end;
	bool failed; /* a read went past the end, or a number was malformed; all later reads give 0 */
};

static inline struct byte_reader byte_reader(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	return (struct byte_reader){ .at = at, .end = at + size };
}

static inline size_t byte_reader_left(const struct byte_reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

/* Returns the next `size` bytes, or NULL if fewer are left. */
static inline const uint8_t *read_bytes(struct byte_reader *reader, size_t size)
{
	if (reader->failed || size > byte_reader_left(reader)) {
		reader->failed = true;
		return NULL;
	}
	const uint8_t *bytes = reader->at;
	reader->at += size;
	return bytes;
}

static inline uint32_t read_le32(struct byte_reader *reader)
{
	const uint8_t *bytes = read_bytes(reader, 4);
	return bytes == NULL ? 0 : get_le32(bytes);
}

static inline uint64_t read_le64(struct byte_reader *reader)
{
	const uint8_t *bytes = read_bytes(reader, 8);
	return bytes == NULL ? 0 : get_le64(bytes);
}

static inline uint64_t read_varint(struct byte_reader *reader)
{
	uint64_t number = 0;
	if (!reader->failed && reader->at < reader->end && *reader->at < 0x80) /* most are short */
		return *reader->at++;
	const uint8_t *next = reader->failed ? NULL : get_varint(reader->at, reader->end, &number);
	if (next == NULL) {
		reader->failed = true;
		return 0;
	}
	reader->at = next;
	return number;
}

static inline void put_le_float(uint8_t *bytes, float number)
{
	uint32_t bits;
	memcpy(&bits, &number, sizeof(bits));
	put_le32(bytes, bits);
}

static inline void put_le_double(uint8_t *bytes, double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof(bits));
	put_le64(bytes, bits);
}

/*
 * Bytes that grow at their end.  A zeroed one is empty.  Writing reports nothing: once memory has run out, the
 * buffer has failed and takes nothing more, and the user of the bytes checks that once.  A byte_reader reads what
 * is written here.
 */
struct byte_buffer {
	uint8_t *bytes;
	size_t size, capacity;
	bool failed; /* memory ran out: the content is worthless */
};

/*
 * Returns where `size` bytes can be put, which the caller then adds to buffer->size; NULL if and only if memory has
 * run out.
 */
static inline uint8_t *byte_buffer_room(struct byte_buffer *buffer, size_t size)
{
	const size_t room = size > 0 ? size : 1; /* for nothing there is a place, too */
	if (buffer->failed || room > SIZE_MAX - buffer->size ||
	    (buffer->capacity - buffer->size < room &&
	     !array_reserve(&buffer->bytes, &buffer->capacity, buffer->size + room))) {
		buffer->failed = true;
		return NULL;
	}
	return buffer->bytes + buffer->size;
}

static inline void byte_buffer_put(struct byte_buffer *buffer, const void *bytes, size_t size)
{
	uint8_t *room = size > 0 ? byte_buffer_room(buffer, size) : NULL;
	if (room == NULL)
		return;
	memcpy(room, bytes, size);
	buffer->size += size;
}

static inline void byte_buffer_put_byte(struct byte_buffer *buffer, uint8_t byte)
{
	byte_buffer_put(buffer, &byte, 1);
}

static inline void byte_buffer_put_number(struct byte_buffer *buffer, uint64_t number)
{
	uint8_t *room = byte_buffer_room(buffer, VARINT_SIZE_MAX);
	if (room != NULL)
		buffer->size = (size_t)(put_varint(room, number) - buffer->bytes);
}

static inline void byte_buffer_put_signed(struct byte_buffer *buffer, int64_t number)
{
	byte_buffer_put_number(buffer, zigzag(number));
}

/* Puts a time as its difference to another one.  The difference may overflow; reading it undoes that. */
static inline void byte_buffer_put_time(struct byte_buffer *buffer, int64_t time, int64_t base)
{
	byte_buffer_put_signed(buffer, (int64_t)((uint64_t)time - (uint64_t)base));
}

/* Puts the size of a text, and the text. */
static inline void byte_buffer_put_text(struct byte_buffer *buffer, const void *text, size_t size)
{
	byte_buffer_put_number(buffer, size);
	byte_buffer_put(buffer, text, size);
}

static inline void byte_buffer_put_string(struct byte_buffer *buffer, const char *text)
{
	byte_buffer_put_text(buffer, text, strlen(text));
}

/* Puts the characters of a text, and nothing that says how many they are. */
static inline void byte_buffer_put_chars(struct byte_buffer *buffer, const char *text)
{
	byte_buffer_put(buffer, text, strlen(text));
}

/* Puts what printf() would print, for what is short. */
void byte_buffer_format(struct byte_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the content as characters, without a terminator unless one was put; of an empty buffer "". */
static inline const char *byte_buffer_chars(const struct byte_buffer *buffer)
{
	return buffer->bytes != NULL ? (const char *)buffer->bytes : "";
}

/* Forgets the content, and keeps the memory. */
static inline void byte_buffer_clear(struct byte_buffer *buffer)
{
	buffer->size = 0;
	buffer->failed = false;
}

static inline void byte_buffer_release(struct byte_buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct byte_buffer){ 0 };
}

/* Returns 0 at the end, where the reader fails. */
static inline uint8_t byte_reader_byte(struct byte_reader *reader)
{
	const uint8_t *byte = read_bytes(reader, 1);
	return byte != NULL ? *byte : 0;
}

static inline int64_t byte_reader_signed(struct byte_reader *reader)
{
	return unzigzag(read_varint(reader));
}

static inline int32_t byte_reader_int32(struct byte_reader *reader)
{
	int64_t number = byte_reader_signed(reader);
	if (number != (int32_t)number)
		reader->failed = true;
	return (int32_t)number;
}

static inline int64_t byte_reader_time(struct byte_reader *reader, int64_t base)
{
	return (int64_t)((uint64_t)base + (uint64_t)byte_reader_signed(reader));
}

/* The text that is returned is borrowed from the reader and has no terminator. */
static inline const char *byte_reader_text(struct byte_reader *reader, size_t *size)
{
	uint64_t said = read_varint(reader);
	if (said > byte_reader_left(reader))
		reader->failed = true;
	*size = reader->failed ? 0 : (size_t)said;
	return reader->failed ? "" : (const char *)read_bytes(reader, *size);
}

/* Reads a number that must be below a limit. */
static inline uint64_t byte_reader_below(struct byte_reader *reader, uint64_t limit)
{
	uint64_t number = read_varint(reader);
	if (number >= limit)
		reader->failed = true;
	return reader->failed ? 0 : number;
}

/* Reads a count of things, each of which takes at least `bytes_each` bytes of what follows. */
static inline size_t byte_reader_count(struct byte_reader *reader, size_t bytes_each)
{
	return (size_t)byte_reader_below(reader, byte_reader_left(reader) / bytes_each + 1);
}

struct block_directory {
	const uint8_t *blocks, *offsets; /* BITS_SLACK readable after both */
	size_t size;                     /* of all blocks */
	unsigned width;                  /* of an offset */
};

/* Take both parts from the reader, which fails if they are not there. */
struct block_directory block_directory_read(struct byte_reader *reader, uint64_t size, uint64_t count);

/*
 * Returns a reader from the beginning of a block to the end of all blocks; it has failed if the block lies outside.
 */
struct byte_reader block_directory_at(const struct block_directory *directory, uint64_t block);

/* The offsets of the blocks while they are being written.  A zeroed struct is empty. */
struct block_offsets {
	uint64_t *offsets;
	size_t count, capacity;
};

/* Returns false if memory runs out. */
bool block_offsets_add(struct block_offsets *offsets, uint64_t offset);
bool block_offsets_pack(const struct block_offsets *offsets, uint64_t size, struct bit_buffer *out);
void block_offsets_release(struct block_offsets *offsets);

/* Returns bytes as a text in base64 (RFC 4648, section 4), which the caller frees; NULL if memory runs out. */
char *base64_of(const uint8_t *bytes, size_t size);

#endif
