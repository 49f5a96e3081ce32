// SPDX-License-Identifier: MIT
/*
 * test_json_text.c - a string of JSON ends at its quote, wherever in it that, an escape or a zero is, and nothing
 * behind its bytes is looked at.
 */
#include "support/test.h"
#include "trace/json/json_text.h"

enum { SIZE_MAX_OF_STRING = 40 };

/* The bytes lie in memory of their own, so that a look behind them is found. */
static enum json_result scan(const char *bytes, size_t size, struct json_word *word, char **kept)
{
	struct json_text text = { 0 };
	uint8_t *exact = malloc(size);
	assert_non_null(exact);
	memcpy(exact, bytes, size);
	assert_true(json_text_begin(&text, exact, exact + size));
	enum json_result result = json_scan_string(&text, word);
	*kept = NULL;
	if (result == JSON_OK) {
		*kept = calloc(1, word->size + 1);
		assert_non_null(*kept);
		memcpy(*kept, word->bytes, word->size);
	}
	free(exact);
	json_text_release(&text);
	return result;
}

TEST(a_string_ends_at_its_quote)
{
	for (size_t size = 0; size < SIZE_MAX_OF_STRING; size++)
		for (size_t at = 0; at <= size; at++) {
			char bytes[SIZE_MAX_OF_STRING + 3] = { 0 }, *kept;
			struct json_word word;
			memset(bytes, 'a' + (int)(size % 26), size + 2);
			bytes[0] = bytes[at + 1] = '"';
			assert_int_equal(scan(bytes, size + 2, &word, &kept), JSON_OK);
			assert_true(word.size == at && strlen(kept) == at);
			free(kept);
			bytes[at + 1] = '\0';
			assert_int_equal(scan(bytes, size + 2, &word, &kept), JSON_BAD);
			bytes[at + 1] = '\xe9';
			assert_int_equal(scan(bytes, size + 2, &word, &kept), JSON_MORE);
		}
}

TEST(an_escape_is_one_wherever_it_is)
{
	for (size_t at = 0; at < SIZE_MAX_OF_STRING; at++) {
		char bytes[SIZE_MAX_OF_STRING + 5] = { 0 }, wanted[SIZE_MAX_OF_STRING + 3] = { 0 }, *kept;
		struct json_word word;
		memset(bytes, 'x', at + 4);
		memset(wanted, 'x', at + 2);
		bytes[0] = bytes[at + 4] = '"';
		bytes[at + 1] = '\\';
		bytes[at + 2] = '"';
		wanted[at] = '"';
		assert_int_equal(scan(bytes, at + 5, &word, &kept), JSON_OK);
		assert_string_equal(kept, wanted);
		free(kept);
	}
}

TEST(numbers_that_fit_are_integers)
{
	static const struct {
		const char *text;
		bool is_integer;
		int64_t number;
	} rows[] = {
		{ "0", true, 0 },
		{ "007", true, 7 },
		{ "-0", true, 0 },
		{ "999999999999999999", true, 999999999999999999 },
		{ "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775808", false, 0 },
		{ "12a", false, 0 },
		{ "1.5", false, 0 },
		{ "", false, 0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t number = -1;
		assert_int_equal(json_number_int(rows[i].text, strlen(rows[i].text), &number), rows[i].is_integer);
		assert_true(!rows[i].is_integer || number == rows[i].number);
	}
}
