// SPDX-License-Identifier: MIT
/*
 * What people type for a time means that nanosecond and no other; what is no time is refused; what is printed
 * reads back.
 */
#include "base/hash_index.h"
#include "base/number_text.h"
#include "histree/value.h"
#include "support/test.h"

#define SECOND INT64_C(1000000000)
#define DAY (86400 * SECOND)

/* Many-threads: 2016-03-04, 17:46:22.794565804 to 17:46:23.227228162. */
/* The last time that has no day. */
#define DAYLESS (INT64_C(3650) * DAY - 1)
#define START INT64_C(1457113582794565804)
#define END INT64_C(1457113583227228162)

TEST(durations_are_exact)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{ "0", 0 },
		{ "1500", 1500 },
		{ "1500ns", 1500 },
		{ "12.5ms", 12500000 },
		{ "0.001us", 1 },
		{ "1.0000000019s", -1 }, /* ten decimals */
		{ "1.000000001s", SECOND + 1 },
		{ "0.123456789ms", 123456 }, /* finer than a nanosecond is dropped */
		{ "1.5m", 90 * SECOND },
		{ "2.000000001h", 7200 * SECOND + 3600 },
		{ "9223372036854775807", INT64_MAX },
		{ "9223372036854775808", -1 },
		{ "2562048h", -1 },
		{ "9223372036.854775808s", -1 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = -1;
		assert_int_equal(time_parse_duration(cases[i].text, &ns), cases[i].ns >= 0);
		if (cases[i].ns >= 0)
			assert_int_equal(ns, cases[i].ns);
	}
}

TEST(what_is_no_duration_is_refused)
{
	static const char *const cases[] = { "",     "ms",   ".5s", "5.s",  "-5s",   "+5s",  "5 ms", "5min",
					     "5msx", "0x10", "1e3", "5,5s", "5..5s", " 5ms", "5ms ", "5S" };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns;
		assert_false(time_parse_duration(cases[i], &ns));
	}
}

static int64_t parsed(const char *text, int64_t start, int64_t end)
{
	int64_t ns = -1;
	assert_true(time_parse(text, start, end, &ns));
	return ns;
}

TEST(a_time_has_five_forms)
{
	assert_int_equal(parsed("1457113583000000000", START, END), INT64_C(1457113583000000000));
	assert_int_equal(parsed("-5", START, END), -5);
	assert_int_equal(parsed("85423.123456", START, END), INT64_C(85423123456000));
	assert_int_equal(parsed("-0.5", START, END), -SECOND / 2);
	assert_int_equal(parsed("9223372036.854775807", START, END), INT64_MAX);
	assert_int_equal(parsed("+12.5ms", START, END), START + 12500000);
	assert_int_equal(parsed("+0", START, END), START);
	assert_int_equal(parsed("17:46:22.794565804", START, END), START);
	assert_int_equal(parsed("17:46:23.1", START, END), INT64_C(1457113583100000000));
	assert_int_equal(parsed("17:46:23", START, END), INT64_C(1457113583000000000));
	assert_int_equal(parsed("0:0:0", START, END), START / DAY * DAY);
	assert_int_equal(parsed("2016-03-04 17:46:23.1", START, END), INT64_C(1457113583100000000));
	assert_int_equal(parsed("2016-03-04T17:46:23", START, END), INT64_C(1457113583000000000));
	assert_int_equal(parsed("2016-02-29 00:00:00", START, END), INT64_C(1456704000000000000));
	assert_int_equal(parsed("1969-12-31 23:59:59.5", START, END), -SECOND / 2);
}

TEST(a_time_of_day_after_midnight_is_on_the_next_day)
{
	const int64_t late = 100 * DAY - 5 * SECOND;
	assert_int_equal(parsed("23:59:56", late, late + 60 * SECOND), late + SECOND);
	assert_int_equal(parsed("00:00:10", late, late + 60 * SECOND), late + 15 * SECOND);
	/* Not where the next day's moment lies outside as well: then the day of the start is what was meant. */
	assert_int_equal(parsed("00:10:00", late, late + 60 * SECOND), 99 * DAY + 600 * SECOND);
}

TEST(times_before_the_epoch_have_a_day_too)
{
	assert_int_equal(parsed("23:59:59.5", -SECOND, SECOND), -SECOND / 2);
	assert_int_equal(parsed("00:00:00.5", -SECOND, SECOND), SECOND / 2);
}

TEST(what_is_no_time_is_refused)
{
	static const char *const cases[] = { "",
					     "soon",
					     "+",
					     "+soon",
					     "--5",
					     "5ms",
					     "12.",
					     ".5",
					     "12.5x",
					     "12.1234567890",
					     "9223372036.854775808",
					     "17:46",
					     "17:46:",
					     "24:00:00",
					     "12:60:00",
					     "12:00:60",
					     "12:00:00.",
					     "12:00:00.1234567890",
					     "12:00:00Z",
					     "2016-03-04",
					     "2016-03-04 17:46",
					     "2016-03-04  17:46:23",
					     "2016-03-04 17:46:23Z",
					     "2016-02-30 17:46:23",
					     "2016-00-04 17:46:23",
					     "2016-13-04 17:46:23",
					     "2016-03-00 17:46:23",
					     "10000-01-01 00:00:00",
					     "9999-01-01 00:00:00",
					     "2016-",
					     "2016-03-",
					     ":::",
					     "-12:00:00",
					     "9223372036854775808",
					     "+9223372036854775807" };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns;
		assert_false(time_parse(cases[i], START, END, &ns));
	}
	/* The midnight before the first time that an int64 knows is none. */
	int64_t ns;
	assert_false(time_parse("00:00:00", INT64_MIN, 0, &ns));
}

TEST(a_printed_date_reads_back)
{
	static const int64_t times[] = { START,           END,     0,        -1,         1, INT64_MAX,
					 INT64_MIN + DAY, DAYLESS, -DAYLESS, DAYLESS + 1 };
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		char text[TIME_TEXT_SIZE];
		time_format_date(times[i], text);
		assert_int_equal(parsed(text, START, END), times[i]);
	}
}

TEST(formats_are_those_of_the_manual)
{
	char text[TIME_TEXT_SIZE];
	assert_int_equal(time_format_clock(START, text), 18);
	assert_string_equal(text, "17:46:22.794565804");
	time_format_clock(-DAYLESS - 2, text);
	assert_string_equal(text, "23:59:59.999999999");
	time_format_date(START, text);
	assert_string_equal(text, "2016-03-04 17:46:22.794565804");
	time_format_date(DAYLESS + 1, text);
	assert_string_equal(text, "1979-12-30 00:00:00.000000000");
	time_format_date(INT64_MIN, text);
	assert_string_equal(text, "1677-09-21 00:12:43.145224192");
	time_format_date(INT64_MAX, text);
	assert_string_equal(text, "2262-04-11 23:47:16.854775807");
}

/* A clock that began with the machine or the program. */
TEST(a_time_without_a_day_is_in_seconds)
{
	char text[TIME_TEXT_SIZE];
	assert_int_equal(time_format_clock(INT64_C(85423123456789), text), 15);
	assert_string_equal(text, "85423.123456789");
	time_format_date(INT64_C(85423123456789), text);
	assert_string_equal(text, "85423.123456789");
	time_format_date(0, text);
	assert_string_equal(text, "0.000000000");
	time_format_date(-1, text);
	assert_string_equal(text, "-0.000000001");
	time_format_clock(DAYLESS, text);
	assert_string_equal(text, "315359999.999999999");
	assert_false(time_has_day(DAYLESS));
	assert_false(time_has_day(-DAYLESS));
	assert_true(time_has_day(DAYLESS + 1));
	assert_true(time_has_day(-DAYLESS - 1));
	assert_true(time_has_day(INT64_MIN));
}

TEST(durations_are_readable)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.000 us" },
		{ 158951, "158.951 us" },
		{ 999999, "999.999 us" },
		{ 1000000, "1.000 ms" },
		{ 432662359, "432.662 ms" },
		{ 999999999, "999.999 ms" },
		{ 61 * (uint64_t)SECOND, "61.000 s" },
		{ UINT64_MAX, "18446744073.709 s" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[TIME_TEXT_SIZE];
		assert_int_equal(time_format_duration(cases[i].ns, text), strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
	}
}

TEST(round_durations_have_no_zeros_at_the_end)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ns" },
		{ 100, "100 ns" },
		{ 1000, "1 us" },
		{ 1250, "1.25 us" },
		{ 200000, "200 us" },
		{ 10000000, "10 ms" },
		{ UINT64_C(100000000000), "100 s" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[TIME_TEXT_SIZE];
		assert_int_equal(time_format_round(cases[i].ns, text), strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
	}
}

/* A clock that is printed names its nanosecond, wherever the day begins. */
TEST(a_printed_clock_reads_back)
{
	struct random random = { 1 };
	for (int i = 0; i < 100000; i++) {
		int64_t ns = (int64_t)random_bits(&random);
		if (ns < INT64_MIN + DAY || ns > INT64_MAX - DAY)
			continue;
		char text[TIME_TEXT_SIZE];
		time_format_clock(ns, text);
		assert_int_equal(parsed(text, ns, ns), ns);
	}
}

TEST(everybody_can_read_a_time)
{
	struct histree_error error = { 0 };
	histree_time time = 5;
	assert_ok(histree_time_parse("+12.5ms", START, END, &time, &error));
	assert_int_equal(time, START + 12500000);
	assert_int_equal(histree_time_parse("noon", START, END, &time, &error), HISTREE_ERR_ARGUMENT);
	assert_int_equal(time, 0);
	assert_non_null(strstr(error.message, "'noon' is not a time"));
	assert_int_equal(histree_time_parse("", START, END, &time, NULL), HISTREE_ERR_ARGUMENT);
}

static int be_in_tokyo(void **state)
{
	(void)state;
	return setenv("TZ", "Asia/Tokyo", 1); /* must not matter */
}

TEST_FILE(be_in_tokyo, NULL)
