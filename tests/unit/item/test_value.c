// SPDX-License-Identifier: MIT
/*
 * test_value.c - state values: equality, names of types, and their bytes in both directions.
 */
#include <math.h>

#include "item/value.h"
#include "support/test.h"

enum { ROOM = 64 };

/* Encode into exactly as many bytes as were announced, decode, and compare. */
static void assert_round_trip(struct histree_value value)
{
	size_t size = value_encoded_size(&value);
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	assert_ptr_equal(value_encode(bytes, &value), bytes + size);
	struct byte_reader reader = byte_reader(bytes, size);
	struct histree_value decoded = value_decode(&reader);
	assert_false(reader.failed);
	assert_int_equal(byte_reader_left(&reader), 0);
	assert_true(histree_value_equal(&value, &decoded));

	/* Cut off anywhere, it is no value. */
	for (size_t cut = 0; cut < size && cut < ROOM; cut++) {
		uint8_t *part = malloc(cut + 1);
		assert_non_null(part);
		memcpy(part, bytes, cut);
		reader = byte_reader(part, cut);
		value_decode(&reader);
		assert_true(reader.failed);
		free(part);
	}
	free(bytes);
}

TEST(every_type_comes_back)
{
	assert_round_trip(histree_null());
	static const int32_t ints[] = { 0, 1, -1, 63, 64, -64, -65, INT32_MIN, INT32_MAX };
	for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++)
		assert_round_trip(histree_int(ints[i]));
	static const int64_t longs[] = {
		0, -1, INT32_MIN, INT32_MAX, (int64_t)INT32_MAX + 1, INT64_MIN, INT64_MAX
	};
	for (size_t i = 0; i < sizeof(longs) / sizeof(longs[0]); i++)
		assert_round_trip(histree_long(longs[i]));
	const double doubles[] = {
		0.0, -0.0, 1.5, -1e308, 5e-324, (double)INFINITY, -(double)INFINITY, (double)NAN
	};
	for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++)
		assert_round_trip(histree_double(doubles[i]));
	assert_round_trip(histree_bool(false));
	assert_round_trip(histree_bool(true));
}

TEST(texts_of_every_size_come_back)
{
	static const size_t sizes[] = { 0, 1, 127, 128, 16383, 16384, 1 << 20 };
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *text = malloc(sizes[i] + 1);
		assert_non_null(text);
		memset(text, (int)i, sizes[i]);
		assert_round_trip(histree_string_n(text, sizes[i]));
		assert_round_trip(histree_custom(text, sizes[i]));
		free(text);
	}
	assert_round_trip(histree_string("a\xc3\xa4 \xe2\x82\xac"));
	assert_round_trip(histree_string_n("zero\0inside", 11));
	assert_round_trip((struct histree_value){ .type = HISTREE_STRING, .size = 0, .bytes = NULL });
}

TEST(the_bytes_are_those_of_the_format)
{
	uint8_t bytes[ROOM];
	struct histree_value value = histree_int(-2);
	assert_ptr_equal(value_encode(bytes, &value), bytes + 2);
	assert_memory_equal(bytes, "\x01\x03", 2);
	value = histree_long(64);
	assert_ptr_equal(value_encode(bytes, &value), bytes + 3);
	assert_memory_equal(bytes, "\x02\x80\x01", 3);
	value = histree_double(1.0);
	assert_ptr_equal(value_encode(bytes, &value), bytes + 9);
	assert_memory_equal(bytes, "\x03\0\0\0\0\0\0\xf0\x3f", 9);
	value = histree_bool(true);
	assert_ptr_equal(value_encode(bytes, &value), bytes + 2);
	assert_memory_equal(bytes, "\x04\x01", 2);
	value = histree_string("ab");
	assert_ptr_equal(value_encode(bytes, &value), bytes + 4);
	assert_memory_equal(bytes,
			    "\x05\x02"
			    "ab",
			    4);
	value = histree_custom("\xff", 1);
	assert_ptr_equal(value_encode(bytes, &value), bytes + 3);
	assert_memory_equal(bytes, "\x06\x01\xff", 3);
}

static bool is_refused(const char *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	value_decode(&reader);
	return reader.failed;
}

TEST(malformed_values_are_refused)
{
	assert_true(is_refused("\x08", 1)); /* no such type */
	assert_true(is_refused("\xff\0\0", 3));
	assert_true(is_refused("\x04\x02", 2));                                      /* a boolean of 2 */
	assert_true(is_refused("\x01\x80\x80\x80\x80\x10", 6));                      /* an int of 2^31 */
	assert_true(is_refused("\x01\x81\x80\x80\x80\x10", 6));                      /* an int of -2^31 - 1 */
	assert_false(is_refused("\x01\xff\xff\xff\xff\x0f", 6));                     /* of -2^31 */
	assert_true(is_refused("\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11)); /* a varint of 65 bits */
	assert_true(is_refused("\x05\x03"
			       "ab",
			       4));                                                  /* more bytes than there are */
	assert_true(is_refused("\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11)); /* 2^64 - 1 of them */
}

TEST(equal_is_same_type_and_content)
{
	struct histree_value one = histree_int(1), same = histree_int(1), other = histree_long(1);
	assert_true(histree_value_equal(&one, &same));
	assert_false(histree_value_equal(&one, &other));
	struct histree_value zero = histree_double(0.0), minus = histree_double(-0.0),
			     nan = histree_double((double)NAN);
	assert_false(histree_value_equal(&zero, &minus));
	assert_true(histree_value_equal(&nan, &nan));
	struct histree_value text = histree_string("ab"), longer = histree_string("abc"),
			     custom = histree_custom("ab", 2);
	assert_false(histree_value_equal(&text, &longer));
	assert_false(histree_value_equal(&text, &custom));
	struct histree_value unknown = histree_unknown(), null = histree_null();
	assert_true(histree_value_equal(&unknown, &unknown));
	assert_false(histree_value_equal(&unknown, &null));
	struct histree_value empty = histree_string(""), none = { .type = HISTREE_STRING };
	assert_true(histree_value_equal(&empty, &none));
}

TEST(types_have_names)
{
	assert_string_equal(histree_type_name(HISTREE_NULL), "null");
	assert_string_equal(histree_type_name(HISTREE_INT), "int");
	assert_string_equal(histree_type_name(HISTREE_LONG), "long");
	assert_string_equal(histree_type_name(HISTREE_DOUBLE), "double");
	assert_string_equal(histree_type_name(HISTREE_BOOL), "bool");
	assert_string_equal(histree_type_name(HISTREE_STRING), "string");
	assert_string_equal(histree_type_name(HISTREE_CUSTOM), "custom");
	assert_string_equal(histree_type_name(HISTREE_UNKNOWN), "unknown");
	assert_null(histree_type_name((enum histree_type)HISTREE_TYPE_COUNT));
}

/* As -, ? or a number; the pair as text. */
static void assert_pair(struct histree_value first, struct histree_value second, const char *expected)
{
	char text[VALUE_PAIR_SIZE];
	struct histree_value pair = value_pair(first, second, text),
			     whole = histree_value_part(&pair, HISTREE_WHOLE);
	struct histree_value one = histree_value_part(&pair, HISTREE_FIRST_PART);
	struct histree_value other = histree_value_part(&pair, HISTREE_SECOND_PART);
	assert_true(histree_value_equal(&whole, &pair));
	assert_true(histree_value_equal(&one, &first));
	assert_true(histree_value_equal(&other, &second));
	if (expected == NULL) {
		assert_int_equal(pair.type, first.type);
		return;
	}
	assert_int_equal(pair.type, HISTREE_STRING);
	assert_int_equal(pair.size, strlen(expected));
	assert_memory_equal(pair.bytes, expected, pair.size);
}

TEST(pairs_are_taken_apart)
{
	assert_pair(histree_int(3), histree_int(20), "3/20");
	assert_pair(histree_int(-1), histree_null(), "-1/-");
	assert_pair(histree_null(), histree_int(-20), "-/-20");
	assert_pair(histree_unknown(), histree_int(0), "?/0");
	assert_pair(histree_null(), histree_unknown(), "-/?");
	assert_pair(histree_int(INT32_MIN), histree_int(INT32_MAX), "-2147483648/2147483647");
	assert_pair(histree_null(), histree_null(), NULL);
	assert_pair(histree_unknown(), histree_unknown(), NULL);
}

TEST(what_is_no_pair_has_no_halves)
{
	static const char *const texts[] = { "",    "3", "/", "x/y", "3 /20x", "2147483648/99999999999999999999",
					     "--1/" };
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct histree_value value = histree_string(texts[i]);
		assert_int_equal(histree_value_part(&value, HISTREE_FIRST_PART).type, HISTREE_NULL);
		assert_int_equal(histree_value_part(&value, HISTREE_SECOND_PART).type, HISTREE_NULL);
	}
}
