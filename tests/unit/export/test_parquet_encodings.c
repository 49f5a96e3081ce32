// SPDX-License-Identifier: MIT
/*
 * test_parquet_encodings.c - the encodings of Parquet, each against a decoder that follows its specification word
 * by word and number by number.
 */
#include "base/hash_index.h"
#include "export/parquet/parquet_encoding.h"
#include "export/parquet/parquet_writer.h"
#include "support/effort.h"
#include "support/test.h"

enum { COUNT_MAX = 3000 };

/* ---- decoders ---------------------------------------------------------------------------------------------- */

static unsigned bit_at(const uint8_t *bytes, size_t at)
{
	return bytes[at / 8] >> (at % 8) & 1;
}

static uint64_t bits_at(const uint8_t *bytes, size_t at, unsigned width)
{
	uint64_t number = 0;
	for (unsigned i = 0; i < width; i++)
		number |= (uint64_t)bit_at(bytes, at + i) << i;
	return number;
}

/* Returns how many numbers there are, those that fill up the last group included. */
static size_t decode_hybrid(const struct byte_buffer *bytes, unsigned width, uint32_t *numbers, size_t max)
{
	struct byte_reader reader = byte_reader(bytes->bytes, bytes->size);
	size_t count = 0;
	while (byte_reader_left(&reader) > 0) {
		uint64_t header = read_varint(&reader);
		if ((header & 1) != 0) {
			const uint8_t *packed = read_bytes(&reader, (size_t)(header >> 1) * width);
			assert_non_null(packed);
			for (size_t i = 0; i < 8 * (header >> 1); i++, count++)
				if (count < max)
					numbers[count] = (uint32_t)bits_at(packed, i * width, width);
		} else {
			const uint8_t *value = read_bytes(&reader, (width + 7) / 8);
			assert_non_null(value);
			assert_true(header >> 1 > 0);
			for (size_t i = 0; i < header >> 1; i++, count++)
				if (count < max)
					numbers[count] = (uint32_t)bits_at(value, 0, (width + 7) / 8 * 8);
		}
	}
	assert_false(reader.failed);
	return count;
}

static size_t decode_deltas(const struct byte_buffer *bytes, uint64_t *numbers, unsigned bits)
{
	struct byte_reader reader = byte_reader(bytes->bytes, bytes->size);
	size_t block = (size_t)read_varint(&reader), minis = (size_t)read_varint(&reader);
	size_t count = (size_t)read_varint(&reader), done = 1, mini = block / minis;
	numbers[0] = (uint64_t)unzigzag(read_varint(&reader));
	assert_int_equal(block % 128, 0);
	assert_int_equal(mini % 32, 0);
	while (done < count) {
		uint64_t least = (uint64_t)unzigzag(read_varint(&reader));
		const uint8_t *widths = read_bytes(&reader, minis);
		assert_non_null(widths);
		for (size_t m = 0; m < minis && done < count; m++) {
			assert_true(widths[m] <= bits);
			const uint8_t *packed = read_bytes(&reader, mini * widths[m] / 8);
			assert_true(packed != NULL);
			for (size_t i = 0; i < mini; i++) {
				uint64_t delta = bits_at(packed, i * widths[m], widths[m]);
				if (done < count) {
					numbers[done] = numbers[done - 1] + least + delta;
					done++;
				} else {
					assert_int_equal(delta, 0);
				}
			}
		}
	}
	assert_int_equal(byte_reader_left(&reader), 0);
	assert_false(reader.failed);
	return count;
}

/* ---- tests ------------------------------------------------------------------------------------------------- */

/* Numbers in runs and between them, so that runs begin and end anywhere in a group of eight. */
static void fill_with_runs(struct random *random, uint32_t *numbers, size_t count, unsigned width)
{
	uint32_t mask = width == 32 ? UINT32_MAX : (UINT32_C(1) << width) - 1;
	for (size_t i = 0; i < count;) {
		size_t run = random_percent(random, 50) ? 1 : random_below(random, 40);
		uint32_t number = (uint32_t)random_bits(random) & mask;
		for (; run > 0 && i < count; run--, i++)
			numbers[i] = number;
	}
}

TEST(hybrid_numbers_come_back)
{
	static uint32_t numbers[COUNT_MAX], read[COUNT_MAX];
	struct random random = { test_seed() };
	for (uint64_t round = 0; round < 40 * test_effort(33, 8); round++) {
		struct byte_buffer bytes = { 0 };
		unsigned width = (unsigned)(round % 33);
		size_t count = random_below(&random, round < 200 ? 40 : COUNT_MAX);
		fill_with_runs(&random, numbers, count, width);
		rle_hybrid_put(&bytes, numbers, count, width);
		size_t there = decode_hybrid(&bytes, width, read, count);
		assert_in_range(there, count, count + 7);
		assert_memory_equal(numbers, read, count * sizeof(*numbers));
		free(bytes.bytes);
	}
}

TEST(a_run_takes_two_bytes)
{
	struct byte_buffer bytes = { 0 };
	uint32_t read[8], alike[64] = { 0 };
	rle_hybrid_put(&bytes, alike, 64, 1);
	assert_int_equal(bytes.size, 3); /* 64 << 1 is a varint of two bytes */
	assert_int_equal(decode_hybrid(&bytes, 1, read, 8), 64);
	byte_buffer_clear(&bytes);
	rle_hybrid_put_run(&bytes, 1, 8, 1);
	assert_int_equal(bytes.size, 2);
	assert_int_equal(decode_hybrid(&bytes, 1, read, 8), 8);
	assert_int_equal(read[7], 1);
	free(bytes.bytes);
}

static uint64_t number_of(struct random *random, unsigned kind, uint64_t last)
{
	switch (kind) {
	case 0:
		return random_bits(random);
	case 1:
		return last + random_below(random, 1000);
	case 2:
		return last;
	case 3:
		return random_percent(random, 50) ? (uint64_t)INT64_MIN : INT64_MAX;
	case 4:
		return last + (random_percent(random, 1) ? random_bits(random) : 5);
	default:
		return last - random_bits(random) % 3;
	}
}

TEST(deltas_come_back)
{
	static uint64_t wide[COUNT_MAX], read[COUNT_MAX];
	static uint32_t narrow[COUNT_MAX];
	struct random random = { test_seed() };
	for (uint64_t round = 0; round < test_effort(1200, 300); round++) {
		struct byte_buffer bytes = { 0 };
		size_t count = 1 + random_below(&random, round < 260 ? round + 1 : COUNT_MAX - 1);
		for (size_t i = 0; i < count; i++) {
			wide[i] = number_of(&random, (unsigned)(round % 6), i == 0 ? 0 : wide[i - 1]);
			narrow[i] = round % 6 == 3 ? (uint32_t)(wide[i] >> 32) : (uint32_t)wide[i];
		}
		delta_packed_put64(&bytes, wide, count);
		assert_int_equal(decode_deltas(&bytes, read, 64), count);
		assert_memory_equal(wide, read, count * sizeof(*wide));
		byte_buffer_clear(&bytes);
		delta_packed_put32(&bytes, narrow, count);
		assert_int_equal(decode_deltas(&bytes, read, 32), count);
		for (size_t i = 0; i < count; i++)
			assert_int_equal((uint32_t)read[i], narrow[i]);
		free(bytes.bytes);
	}
}

/* The example of Encodings.md, with the block size that is allowed. */
TEST(deltas_are_those_of_the_specification)
{
	static const uint32_t numbers[] = { 7, 5, 3, 1, 2, 3, 4, 5 };
	static const uint8_t expected[] = { 0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0 };
	struct byte_buffer bytes = { 0 };
	delta_packed_put32(&bytes, numbers, 8);
	assert_int_equal(bytes.size, sizeof(expected));
	assert_memory_equal(bytes.bytes, expected, sizeof(expected));
	free(bytes.bytes);
}

TEST(structures_are_those_of_the_specification)
{
	static const uint8_t expected[] = {
		0x15, 0x06,                   /* field 1, i32 3 */
		0x12,                         /* field 2, false */
		0x16, 0x01,                   /* field 3, i64 -1 */
		0x05, 0x28, 0xfe, 0xff, 0x03, /* field 20, which is more than 15 further: i32 32767 */
		0x18, 0x02, 'a',  'b',        /* field 21, binary */
		0x1c, 0x13, 0x80, 0x00,       /* field 22, a structure with a byte -128 */
		0x19, 0x25, 0x02, 0x04,       /* field 23, a list of i32 1 and 2 */
		0x00,
	};
	struct byte_buffer bytes = { 0 };
	struct thrift_writer writer = thrift_begin(&bytes);
	thrift_i32(&writer, 1, 3);
	thrift_bool(&writer, 2, false);
	thrift_i64(&writer, 3, -1);
	thrift_i32(&writer, 20, 32767);
	thrift_text(&writer, 21, "ab");
	thrift_struct_begin(&writer, 22);
	thrift_i8(&writer, 1, -128);
	thrift_struct_end(&writer);
	thrift_list(&writer, 23, THRIFT_I32, 2);
	thrift_element_number(&writer, 1);
	thrift_element_number(&writer, 2);
	thrift_struct_end(&writer);
	assert_int_equal(bytes.size, sizeof(expected));
	assert_memory_equal(bytes.bytes, expected, sizeof(expected));
	byte_buffer_clear(&bytes);
	writer = thrift_begin(&bytes);
	thrift_list(&writer, 1, THRIFT_TRUE, 15); /* one more than the short form has */
	assert_int_equal(bytes.size, 3);
	assert_int_equal(bytes.bytes[1], 0xf1);
	assert_int_equal(bytes.bytes[2], 15);
	free(bytes.bytes);
}

TEST(distinct_numbers_are_found)
{
	static uint64_t wide[COUNT_MAX];
	static uint32_t narrow[COUNT_MAX];
	struct parquet_distinct distinct = { 0 };
	struct random random = { test_seed() };
	for (unsigned round = 0; round < 200; round++) {
		size_t count = 1 + random_below(&random, COUNT_MAX - 1);
		uint64_t kinds = 1 + random_below(&random, round % 2 == 0 ? 20 : COUNT_MAX);
		for (size_t i = 0; i < count; i++) {
			wide[i] = hash_mix(random_below(&random, kinds));
			narrow[i] = (uint32_t)wide[i];
		}
		bool is_wide = round % 3 != 0;
		bool found =
			parquet_distinct_find(&distinct, is_wide ? NULL : narrow, is_wide ? wide : NULL, count);
		assert_false(distinct.failed);
		assert_true(found || kinds > count / 3);
		for (size_t i = 0; found && i < count; i++)
			assert_int_equal(distinct.values[distinct.numbers[i]], is_wide ? wide[i] : narrow[i]);
		for (size_t i = 1; found && i < distinct.count; i++)
			assert_true(distinct.values[i - 1] < distinct.values[i]);
	}
	parquet_distinct_release(&distinct);
}

TEST(rows_are_sorted_by_two_columns)
{
	static uint64_t wide[COUNT_MAX];
	static uint32_t narrow[COUNT_MAX];
	struct parquet_order order = { 0 };
	struct random random = { test_seed() };
	struct parquet_column first = { .type = { .kind = PARQUET_INT32, .bits = 32 }, .narrow = narrow };
	struct parquet_column second = { .type = { .kind = PARQUET_INT64, .bits = 64, .is_signed = true },
					 .wide = wide };
	for (unsigned round = 0; round < 100; round++) {
		size_t count = random_below(&random, COUNT_MAX);
		for (size_t i = 0; i < count; i++) {
			narrow[i] = random_index(&random, round % 2 == 0 ? 10 : UINT32_MAX);
			wide[i] = round % 4 < 2 ? i / 3 : random_bits(&random);
		}
		assert_true(parquet_order_sort(&order, &first, &second, count));
		for (size_t i = 1; i < count; i++) {
			uint32_t before = order.rows[i - 1], row = order.rows[i];
			int64_t time_before = (int64_t)wide[before], time = (int64_t)wide[row];
			assert_true(narrow[before] < narrow[row] ||
				    (narrow[before] == narrow[row] &&
				     (time_before < time || (time_before == time && before < row))));
		}
	}
	parquet_order_release(&order);
}
