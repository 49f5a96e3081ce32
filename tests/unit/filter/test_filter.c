// SPDX-License-Identifier: MIT
/*
 * test_filter.c - filter expressions: what they mean, by a table, and what is said about those that mean nothing.
 * That any expression means what a plain evaluation says is for tests/property.
 */
#include "histree/filter.h"
#include "histree/segment_stats.h"
#include "support/test.h"

enum { NAME, TID, RET, RATIO, MAIN, START, DURATION, ANYTHING, GONE, FIELDS };

static const struct histree_filter_field fields[FIELDS] = {
	[NAME] = { "name", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[TID] = { "tid", HISTREE_INT, HISTREE_FILTER_PLAIN },
	[RET] = { "ret", HISTREE_LONG, HISTREE_FILTER_PLAIN },
	[RATIO] = { "ratio", HISTREE_DOUBLE, HISTREE_FILTER_PLAIN },
	[MAIN] = { "main", HISTREE_BOOL, HISTREE_FILTER_PLAIN },
	[START] = { "Start Time", HISTREE_LONG, HISTREE_FILTER_TIME },
	[DURATION] = { "duration", HISTREE_LONG, HISTREE_FILTER_DURATION },
	[ANYTHING] = { "anything", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	[GONE] = { "gone", HISTREE_STRING, HISTREE_FILTER_PLAIN },
};

/* 2016-03-04 17:46:22 */
#define TRACE_START INT64_C(1457113582000000000)

static const struct histree_filter_scope scope = {
	.fields = fields, .field_count = FIELDS, .start = TRACE_START, .end = TRACE_START + 1000000000
};

static bool matches(const char *text, const struct histree_value *values)
{
	struct histree_filter *filter;
	struct histree_error error = { 0 };
	if (histree_filter_create(text, &scope, &filter, &error) != HISTREE_OK)
		fail_msg("'%s': %s", text, error.message);
	bool matched = histree_filter_match(filter, values);
	histree_filter_free(filter);
	return matched;
}

/* Addresses of the kernel are above the greatest int64. */
TEST(numbers_may_be_unsigned)
{
	struct histree_value values[FIELDS] = { [ANYTHING] = histree_unsigned(UINT64_MAX - 1) };
	assert_true(matches("anything == 18446744073709551614", values));
	assert_true(matches("anything != 18446744073709551615", values));
	assert_true(matches("anything < 18446744073709551615", values));
	assert_true(matches("anything < 18446744073709551616", values));
	assert_true(matches("anything > 18446744073709551613.0 || anything < 1.8446744073709552e19", values));
	assert_true(matches("anything > 9223372036854775807", values));
	assert_false(matches("anything < 0 || anything == -2", values));
	assert_true(matches("anything contains 9551614 && anything matches ^18446744073709551614$", values));
	values[ANYTHING] = histree_unsigned(UINT64_C(1) << 63);
	assert_true(matches("anything == 9223372036854775808", values));
	assert_true(matches("anything == 9223372036854775808.0", values));
	assert_true(matches("anything > 9223372036854775807 && anything <= 9.223372036854775808e18", values));
	values[ANYTHING] = histree_unsigned(5);
	assert_true(matches("anything == 5 && anything < 18446744073709551615", values));
	values[ANYTHING] = histree_long(-2);
	assert_true(matches("anything == -2 && anything < 18446744073709551614", values));
	values[ANYTHING] = histree_double(0x1p63);
	assert_true(matches("anything == 9223372036854775808 && anything < 9223372036854775809", values));
	assert_true(matches("anything > 9223372036854775807", values));
}

TEST(means_what_the_table_says)
{
	const struct histree_value values[FIELDS] = {
		[NAME] = histree_string("rt_sigaction"),
		[TID] = histree_int(42),
		[RET] = histree_long(-11),
		[RATIO] = histree_double(0.5),
		[MAIN] = histree_bool(true),
		[START] = histree_long(TRACE_START + 12500000),
		[DURATION] = histree_long(1500000),
		[ANYTHING] = histree_long(INT64_MAX),
		[GONE] = histree_null(),
	};
	static const struct {
		const char *text;
		bool matched;
	} rows[] = {
		{ "name == rt_sigaction", true },
		{ "name = 'rt_sigaction'", true },
		{ "NAME==\"rt_sigaction\"", true },
		{ "name == RT_sigaction", false },
		{ "name != futex", true },
		{ "name contains sig", true },
		{ "name Contains ''", true },
		{ "name contains rt_sigactions", false },
		{ "name matches ^rt_", true },
		{ "name matches \"^(futex|rt_\\w+)$\"", true },
		{ "name matches ^sig", false },
		{ "tid < 42 || tid <= 42 && tid >= 42", true },
		{ "tid > 41.5 && tid < 42.5 && tid = 42.0", true },
		{ "tid contains 4", true },
		{ "tid matches \"^\\\\d2$\"", true },
		{ "ret<0", true },
		{ "ret==-11", true },
		{ "ret == +11", false },
		{ "ret > -9223372036854775809", true },
		{ "ratio == 0.5 && ratio == 5e-1 && ratio < 1", true },
		{ "ratio > 1", false },
		{ "main == TRUE && main != false", true },
		{ "'start time' == +12.5ms", true },
		{ "\"Start Time\" >= 17:46:22.0125 && 'Start Time' < 17:46:22.013", true },
		{ "'Start Time' > 1457113582012500000", false },
		{ "duration > 1ms && duration<1501us && duration == 1500000 && duration < 1s", true },
		{ "anything == 9223372036854775807", true },
		{ "anything > 9223372036854775807.0", false },
		{ "anything != word", true },
		{ "anything == word", false },
		{ "gone == x", false },
		{ "gone != x", false },
		{ "gone contains ''", false },
		{ "gone matches ''", false },
		{ "gone present", false },
		{ "tid present", true },
		{ "!gone present", true },
		{ "!(gone == x) && ! ! tid == 42", true },
		{ "!tid == 42", false },
		{ "tid == 1 || tid == 2 || tid == 42", true },
		{ "tid == 42 || tid == 1 && tid == 2", true },
		{ "(tid == 42 || tid == 1) && tid == 2", false },
		{ "tid == 42 && tid == 43 || ret == -11", true },
		{ "sigaction", true },
		{ "sigact.on$", true },
		{ "\"sig action\"", false },
		{ "^42$", true },
		{ "^4$", false },
		{ "futex || rt_", true },
		{ "a|rt", true },
		{ "present", false },
		{ "name", false },
		{ "(((!(name contains x))))", true },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (matches(rows[i].text, values) != rows[i].matched)
			fail_msg("'%s'", rows[i].text);
}

/* A field of any type is compared by the type of the value that is there. */
TEST(any_type_is_that_of_the_value)
{
	struct histree_value values[FIELDS] = { 0 };
	values[ANYTHING] = histree_string("42");
	assert_true(matches("anything == 42", values));
	assert_false(matches("anything >= 42", values));
	values[ANYTHING] = histree_string_n("4\0002", 3);
	assert_false(matches("anything == 4", values));
	assert_true(matches("anything matches ^4.2$ && anything contains 2", values));
	values[ANYTHING] = histree_unknown();
	assert_false(matches("anything present || anything != 1", values));
	values[ANYTHING] = histree_double(__builtin_nan(""));
	assert_false(matches("anything < 1 || anything >= 1 || anything == 1", values));
	assert_true(matches("anything != 1", values));
	values[ANYTHING] = histree_double(0x1p63);
	assert_true(matches("anything > 9223372036854775807", values));
	values[ANYTHING] = histree_double(-0x1p63);
	assert_true(matches("anything == -9223372036854775808", values));
	values[ANYTHING] = histree_bool(false);
	assert_true(matches("anything == false && anything contains als", values));
	values[ANYTHING] = histree_custom("\1\2", 2);
	assert_true(matches("anything present", values));
}

TEST(wrong_expressions_are_refused)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "", "column 1: the expression ends where a field or a text is expected" },
		{ "durtion > 1ms", "column 1: there is no field 'durtion'; the nearest is 'duration'" },
		{ "tid present && xyz present", "column 16: there is no field 'xyz'; there are name, tid, ret, "
						"ratio, main, Start Time, duration, "
						"anything, gone" },
		{ "tid == ", "column 8: the expression ends where a value is expected" },
		{ "tid == (1)", "column 8: expected a value, not '('; put a text of several words or with signs in "
				"quotes" },
		{ "two words", "column 5: expected '&&', '||' or the end, not 'words'; put a text of several words "
			       "or with signs in quotes" },
		{ "(a", "column 3: the expression ends where '&&', '||' or ')' is expected" },
		{ "a)",
		  "column 2: expected '&&', '||' or the end, not ')'; put a text of several words or with signs "
		  "in quotes" },
		{ "\xc3\xa9 && && x",
		  "column 6: expected a field or a text, not '&&'; put a text of several words or "
		  "with signs in quotes" },
		{ "name == 'x", "column 9: a text without the ' that ends it" },
		{ "tid > 1ms", "column 7: '1ms', which 'tid' is compared with, is no number" },
		{ "tid == 0x1g", "column 8: '0x1g', which 'tid' is compared with, is no number" },
		{ "tid == nan", "column 8: 'nan', which 'tid' is compared with, is no number" },
		{ "duration > 1xs",
		  "column 12: '1xs', which 'duration' is compared with, is no duration: nanoseconds, "
		  "or a number with a unit, ns us ms s m or h, as in '1.5ms'" },
		{ "'Start Time' < soon", "column 16: 'soon', which 'Start Time' is compared with, is no time: "
					 "write nanoseconds since the epoch, seconds as in '85423.1', '+12.5ms' "
					 "after the start, '17:46:23.1' or '2016-03-04 17:46:23.1'" },
		{ "name < b", "column 8: 'name' is a string, not a number, so it is neither less nor more; use ==, "
			      "!=, contains or matches" },
		{ "main == 1", "column 9: 'main' is true or false, never '1'" },
		{ "name matches '(a'",
		  "column 14: the pattern '(a' has a '(' without its ')'; write '\\(' for the sign "
		  "itself" },
		{ "a && [b",
		  "column 6: the pattern '[b' has a '[' without its ']'; write '\\[' for the sign itself" },
	};
	struct histree_filter *filter;
	struct histree_error error;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(histree_filter_create(rows[i].text, &scope, &filter, &error),
				 HISTREE_ERR_ARGUMENT);
		assert_null(filter);
		assert_string_equal(error.message, rows[i].message);
	}
}

/* `count` times `piece`, between `before` and `after`. */
static char *repeat(const char *before, const char *piece, size_t count, const char *after)
{
	char *text = malloc(strlen(before) + strlen(piece) * count + strlen(after) + 1), *at = text;
	assert_non_null(text);
	at = stpcpy(at, before);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, piece);
	stpcpy(at, after);
	return text;
}

static void assert_bound(char *fits, char *does_not, const char *word)
{
	const struct histree_value values[FIELDS] = { 0 };
	struct histree_filter *filter;
	struct histree_error error;
	matches(fits, values);
	assert_int_equal(histree_filter_create(does_not, &scope, &filter, &error), HISTREE_ERR_ARGUMENT);
	assert_non_null(strstr(error.message, word));
	free(fits);
	free(does_not);
}

TEST(expressions_have_bounds)
{
	assert_bound(repeat("x", " ", 4095, ""), repeat("x", " ", 4096, ""), "4097 bytes");
	assert_bound(repeat("", "!", 64, "x"), repeat("", "!", 65, "x"), "column 65: more than 64 levels");
	assert_bound(repeat("x", "&&x", 63, ""), repeat("x", "&&x", 64, ""), "more than 64 comparisons");
	assert_bound(repeat("", "x", 256, ""), repeat("", "x", 257, ""), "257 bytes");
}

TEST(says_what_it_needs)
{
	struct histree_filter *filter;
	assert_ok(histree_filter_create("tid == 1 || ret < 0", &scope, &filter, NULL));
	assert_true(histree_filter_needs(filter, TID) && histree_filter_needs(filter, RET));
	assert_false(histree_filter_needs(filter, NAME));
	histree_filter_free(filter);
	assert_ok(histree_filter_create("tid == 1 || word", &scope, &filter, NULL));
	assert_true(histree_filter_needs(filter, NAME));
	histree_filter_free(filter);
	histree_filter_free(NULL);
}

/* ---- segments -------------------------------------------------------------------------------------- */

static const struct histree_segment_field segment_fields[] = { { "name", HISTREE_STRING }, { "End", HISTREE_INT } };
static const struct histree_segment_schema schema = { .provider = "test",
						      .fields = segment_fields,
						      .field_count = 2 };

static struct histree_segment_filter *segment_filter(const char *text)
{
	struct histree_segment_filter *filter;
	struct histree_error error = { 0 };
	if (histree_segment_filter_create(&schema, text, 1000, 2000, &filter, &error) != HISTREE_OK)
		fail_msg("'%s': %s", text, error.message);
	return filter;
}

static void add_word(void *context, const char *name)
{
	char *names = context;
	strcat(strcat(names, names[0] == '\0' ? "" : " "), name);
}

/* Names are read as the expression itself is read. */
TEST(names_are_what_is_compared)
{
	static const char *const rows[][2] = {
		{ "args[2] > 4096", "args[2]" }, { "a&b == 3 && c|d<4", "a&b c|d" },
		{ "it's present", "it's" },      { "!(x=1||'a b' matches \"y == 2\")", "x a b" },
		{ "\"q\\\"\"!=1", "q\"" },       { "pattern && x contains present", "x" },
		{ "name == \"unended", "name" }, { "", "" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char names[256] = "";
		assert_ok(histree_filter_names(rows[i][0], add_word, names, NULL));
		assert_string_equal(names, rows[i][1]);
	}
}

TEST(segments_have_times_and_content)
{
	const struct histree_value content[] = { histree_string("futex"), histree_int(7) };
	const struct histree_segment segment = { .start = 1100, .end = 1300, .content = content };
	const struct histree_segment bare = { .start = INT64_MIN, .end = INT64_MAX };
	static const struct {
		const char *text;
		bool matched, bare_matched;
	} rows[] = {
		{ "start == +100ns && duration == 200 && name == futex", true, false },
		{ "end == 1300", true, false },
		{ "End == 7", true, false },    /* as it is written in the schema */
		{ "END == 1300", true, false }, /* written like neither of them: the first */
		{ "duration >= 9223372036854775807", false, true },
		{ "!(name present)", false, true },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct histree_segment_filter *filter = segment_filter(rows[i].text);
		assert_int_equal(histree_segment_filter_match(filter, &segment), rows[i].matched);
		assert_int_equal(histree_segment_filter_match(filter, &bare), rows[i].bare_matched);
		histree_segment_filter_free(filter);
	}
	histree_segment_filter_free(NULL);
}

TEST(bounds_of_times_narrow_the_window)
{
	static const struct {
		const char *text;
		histree_time from, to;
	} rows[] = {
		{ "start >= 1200 && start < 1500", 1200, 1499 },
		{ "(end >= 1200 && name == x) && end <= 1500", 1200, 1500 },
		{ "start == 1300", 1300, 1300 },
		{ "!!(start > 1200)", 1201, 1900 },
		{ "end < 1500 && (start > 1200 || name == x)", 1100, 1499 },
		{ "start > 1200 || name == x", 1100, 1900 },
		{ "!(start < 1200)", 1100, 1900 },
		{ "!(start > 1200 && name == x)", 1100, 1900 },
		{ "start != 1200 && duration > 1500", 1100, 1900 },
		{ "start > 5000", 1100, 1100 }, /* nothing can pass, and no window is empty */
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct histree_segment_filter *filter = segment_filter(rows[i].text);
		struct histree_segment_query query = { .from = 1100, .to = 1900 };
		histree_segment_filter_apply(filter, &query);
		if (query.from != rows[i].from || query.to != rows[i].to)
			fail_msg("'%s': %lld to %lld", rows[i].text, (long long)query.from, (long long)query.to);
		assert_non_null(query.filter);
		assert_ptr_equal(query.filter_context, filter);
		histree_segment_filter_free(filter);
	}
}
