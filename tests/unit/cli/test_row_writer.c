// SPDX-License-Identifier: MIT
/*
 * What the command prints: numbers read back as they were, and rows are well formed in each of the four formats,
 * whatever bytes a trace had in it.
 */

#include <float.h>
#include <math.h>

#include "base/number_text.h"
#include "cli/row_writer.h"
#include "support/test.h"

/* ---- numbers -------------------------------------------------------------------------------------------- */

static void check_signed(int64_t number, const char *expected)
{
	char text[NUMBER_TEXT_SIZE];
	assert_int_equal(number_format_signed(number, text), strlen(expected));
	assert_memory_equal(text, expected, strlen(expected));
}

TEST(integers_have_all_their_digits)
{
	check_signed(0, "0");
	check_signed(-1, "-1");
	check_signed(INT64_MIN, "-9223372036854775808");
	check_signed(INT64_MAX, "9223372036854775807");
}

TEST(doubles_read_back_as_they_were)
{
	static const double cases[] = {
		0.0,  -0.0, 0.1,       1.0 / 3,           1e300, 5e-324, DBL_MAX, DBL_MIN, 123456,
		1e21, -2.5, 0.1 + 0.2, 9007199254740993.0
	};
	char text[NUMBER_TEXT_SIZE];
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		number_format_real(cases[i], text);
		double back = strtod(text, NULL);
		assert_memory_equal(&back, &cases[i], sizeof(back));
	}
	number_format_real(0.1, text);
	assert_string_equal(text, "0.1");
	number_format_real(NAN, text);
	assert_string_equal(text, "nan");
	number_format_real(-INFINITY, text);
	assert_string_equal(text, "-inf");
}

TEST(sizes_are_powers_of_1024)
{
	uint64_t bytes;
	char text[NUMBER_TEXT_SIZE];
	assert_true(number_parse_size("64K", &bytes));
	assert_int_equal(bytes, 65536);
	assert_true(number_parse_size("16777215T", &bytes));
	assert_false(number_parse_size("16777216T", &bytes));
	assert_false(number_parse_size("K", &bytes));
	assert_false(number_parse_size("1KB", &bytes));
	number_format_size(1023, text);
	assert_string_equal(text, "1023 bytes");
	number_format_size(10345698, text);
	assert_string_equal(text, "9.9 MiB");
	number_format_size(UINT64_MAX, text);
	assert_string_equal(text, "16.0 EiB");
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

static const struct row_column columns[] = {
	{ .name = "path", .width = 6 },
	{ .name = "number", .width = 4, .to_the_right = true },
	{ .name = "value", .width = 5 },
	{ .name = "more" },
};

static void put_row(struct row_writer *rows, const char *path, int64_t number, const char *value, size_t size)
{
	row_path(rows, path, strlen(path));
	row_number(rows, number);
	if (value != NULL)
		row_bytes(rows, value, size);
	else
		row_null(rows);
	row_bool(rows, number > 0);
	row_end(rows);
}

/* All that `write` writes in a format; the caller frees it. */
static char *written(const char *format, void (*write)(struct row_writer *rows))
{
	FILE *file = tmpfile();
	assert_non_null(file);
	struct output *output = output_create(fileno(file));
	struct row_writer rows;
	assert_non_null(output);
	row_writer_begin(&rows, row_format_find(format), output, columns, sizeof(columns) / sizeof(columns[0]),
			 ROWS_PLAIN);
	write(&rows);
	row_writer_finish(&rows);
	assert_int_equal(output_free(output), 0);
	long size = lseek(fileno(file), 0, SEEK_END);
	char *text = calloc((size_t)size + 1, 1);
	assert_non_null(text);
	assert_int_equal(pread(fileno(file), text, (size_t)size, 0), size);
	fclose(file);
	return text;
}

static void check_written(const char *format, void (*write)(struct row_writer *rows), const char *expected)
{
	char *text = written(format, write);
	assert_string_equal(text, expected);
	free(text);
}

static void odd_rows(struct row_writer *rows)
{
	put_row(rows, "a\\/b", 7, "x\ty\\z\n", 6);
	put_row(rows, "c", -12345, NULL, 0);
	put_row(rows, "d,\"e\"", 1, "\xff\xc3\xa9\x01", 4);
}

static void no_rows(struct row_writer *rows)
{
	(void)rows;
}

TEST(each_format_escapes_in_its_way)
{
	check_written("tsv", odd_rows,
		      "path\tnumber\tvalue\tmore\n"
		      "a\\/b\t7\tx\\ty\\\\z\\n\ttrue\n"
		      "c\t-12345\t\tfalse\n"
		      "d,\"e\"\t1\t\xff\xc3\xa9\x01\ttrue\n");
	check_written("csv", odd_rows,
		      "path,number,value,more\r\n"
		      "a\\/b,7,\"x\ty\\z\n\",true\r\n"
		      "c,-12345,,false\r\n"
		      "\"d,\"\"e\"\"\",1,\xff\xc3\xa9\x01,true\r\n");
	check_written(
		"json", odd_rows,
		"[\n"
		"{\"path\":\"a\\\\/b\",\"number\":7,\"value\":\"x\\ty\\\\z\\n\",\"more\":true},\n"
		"{\"path\":\"c\",\"number\":-12345,\"value\":null,\"more\":false},\n"
		"{\"path\":\"d,\\\"e\\\"\",\"number\":1,\"value\":\"\xef\xbf\xbd\xc3\xa9\\u0001\",\"more\":true}\n"
		"]\n");
	check_written("text", odd_rows,
		      "a\\/b       7  x\\ty\\\\z\\n  true\n"
		      "c       -12345         false\n"
		      "d,\"e\"      1  \xff\xc3\xa9\\x01  true\n");
}

TEST(no_rows_are_well_formed_too)
{
	check_written("json", no_rows, "[]\n");
	check_written("csv", no_rows, "path,number,value,more\r\n");
	check_written("text", no_rows, "");
}

static void broken_utf8(struct row_writer *rows)
{
	static const char *const texts[] = {
		"\xc0\xaf",         /* an overlong slash */
		"\xed\xa0\x80",     /* a surrogate */
		"\xf4\x90\x80\x80", /* past U+10FFFF */
		"\xe2\x82",         /* cut short */
		"\xe2\x82\xac",     /* the euro sign */
		"\xf0\x9f\x8c\xb3", /* a tree */
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		put_row(rows, texts[i], 0, NULL, 0);
}

/* Each byte that belongs to no character is replaced by itself. */
TEST(only_well_formed_utf8_is_json)
{
	char *text = written("json", broken_utf8);
	size_t replaced = 0;
	for (const char *at = text; (at = strstr(at, "\xef\xbf\xbd")) != NULL; at += 3)
		replaced++;
	assert_int_equal(replaced, 2 + 3 + 4 + 2);
	assert_non_null(strstr(text, "\xe2\x82\xac"));
	assert_non_null(strstr(text, "\xf0\x9f\x8c\xb3"));
	free(text);
}

static void odd_numbers(struct row_writer *rows)
{
	static const uint64_t numbers[] = { 1, UINT64_MAX };
	row_real(rows, 0.5);
	row_real(rows, NAN);
	row_unsigned(rows, UINT64_MAX);
	row_numbers(rows, numbers, 2);
	row_end(rows);
}

static void both_zeros(struct row_writer *rows)
{
	row_real(rows, 0.0);
	row_real(rows, -0.0);
	row_null(rows);
	row_null(rows);
	row_end(rows);
}

TEST(zeros_keep_their_signs)
{
	check_written("json", both_zeros, "[\n{\"path\":0,\"number\":-0.0,\"value\":null,\"more\":null}\n]\n");
	check_written("tsv", both_zeros, "path\tnumber\tvalue\tmore\n0\t-0\t\t\n");
}

TEST(numbers_stay_numbers)
{
	check_written("json", odd_numbers,
		      "[\n{\"path\":0.5,\"number\":\"nan\",\"value\":18446744073709551615,"
		      "\"more\":[1,18446744073709551615]}\n]\n");
	check_written("tsv", odd_numbers,
		      "path\tnumber\tvalue\tmore\n0.5\tnan\t18446744073709551615\t1 18446744073709551615\n");
}

static void many_bytes(struct row_writer *rows)
{
	static char value[OUTPUT_SIZE + 100];
	memset(value, 'v', sizeof(value));
	for (int i = 0; i < 3; i++)
		put_row(rows, "p", i, value, sizeof(value));
}

TEST(more_than_the_buffer_holds_is_written)
{
	char *text = written("tsv", many_bytes);
	assert_int_equal(strlen(text), strlen("path\tnumber\tvalue\tmore\n") + 3 * (OUTPUT_SIZE + 100) +
					       strlen("p\t0\t\tfalse\n") + 2 * strlen("p\t1\t\ttrue\n"));
	free(text);
}

TEST(a_full_disk_is_told)
{
	FILE *full = fopen("/dev/full", "w");
	if (full == NULL)
		skip();
	struct output *output = output_create(fileno(full));
	assert_non_null(output);
	output_text(output, "lost");
	assert_int_not_equal(output_free(output), 0);
	fclose(full);
}
