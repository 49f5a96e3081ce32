// SPDX-License-Identifier: MIT
/*
 * test_pattern.c - patterns find what POSIX says, by a table and against regcomp() at random, and cost what they
 * promise.
 */
#include <regex.h>

#include "base/hash_index.h"
#include "base/pattern.h"
#include "support/effort.h"
#include "support/test.h"
#include "support/workload.h"

static bool finds(const char *text, const char *in)
{
	struct pattern *pattern;
	struct histree_error error = { 0 };
	if (pattern_create(text, &pattern, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	bool found = pattern_find(pattern, in, strlen(in));
	pattern_free(pattern);
	return found;
}

TEST(finds_what_the_table_says)
{
	static const struct {
		const char *pattern, *text;
		bool found;
	} rows[] = {
		{ "", "", true },
		{ "", "x", true },
		{ "futex", "a futex here", true },
		{ "futex", "fute", false },
		{ "^rt_", "rt_sigaction", true },
		{ "^rt_", "start_rt_", false },
		{ "at$", "openat", true },
		{ "at$", "openat2", false },
		{ "^$", "", true },
		{ "^$", "x", false },
		{ "^(read|write)v?$", "writev", true },
		{ "^(read|write)v?$", "preadv", false },
		{ "a.c", "abc", true },
		{ "a.c", "ac", false },
		{ "a\\.c", "abc", false },
		{ "[]x]", "]", true },
		{ "[^]x]", "]x", false },
		{ "[a-c-]", "-", true },
		{ "^[[:digit:]_]+$", "12_3", true },
		{ "^[[:digit:]_]+$", "12a3", false },
		{ "^\\d+ \\w+\\S$", "12 _a!", true },
		{ "^\\D\\W\\s$", "x\xff\t", true },
		{ "(ab)*c", "ababc", true },
		{ "^(a|b)+(c|)$", "abba", true },
		{ "x|^$", "", true },
		{ "a$b", "a$b", false },
		{ "\\$\\{", "${", true },
		{ "\xc3\xa9", "caf\xc3\xa9", true },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (finds(rows[i].pattern, rows[i].text) != rows[i].found)
			fail_msg("'%s' in '%s'", rows[i].pattern, rows[i].text);
}

TEST(wrong_patterns_are_refused)
{
	static const struct {
		const char *pattern, *reason;
	} rows[] = {
		{ "(a", "'(' without" },     { "a)", "')' without" },    { "[a", "'[' without" },
		{ "a|*", "nothing before" }, { "a{3}", "a count" },      { "(a)\\1", "before a letter or a digit" },
		{ "a\\", "after its last" }, { "[z-a]", "ends before" }, { "[[:word:]]", "not known" },
	};
	struct pattern *pattern;
	struct histree_error error;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(pattern_create(rows[i].pattern, &pattern, &error), HISTREE_ERR_ARGUMENT);
		assert_null(pattern);
		if (strstr(error.message, rows[i].reason) == NULL)
			fail_msg("'%s': %s", rows[i].pattern, error.message);
	}
}

TEST(a_pattern_may_be_as_long_as_said)
{
	char text[PATTERN_SIZE_MAX + 2];
	struct pattern *pattern;
	struct histree_error error;
	memset(text, 'a', sizeof(text));
	text[PATTERN_SIZE_MAX + 1] = '\0';
	assert_int_equal(pattern_create(text, &pattern, &error), HISTREE_ERR_ARGUMENT);
	text[PATTERN_SIZE_MAX] = '\0';
	assert_true(finds(text, text));
	assert_false(finds(text, text + 1));
	/* Each level of these doubles what glibc allocates. */
	for (size_t i = 0; i < 80; i++) {
		text[i] = '(';
		text[81 + 2 * i] = ')';
		text[82 + 2 * i] = '+';
	}
	text[241] = '\0';
	assert_true(finds(text, "aaaa"));
	assert_false(finds(text, "bbbb"));
}

/* Any byte may be in the text, also those that end a string. */
TEST(the_text_is_bytes)
{
	struct pattern *pattern;
	assert_ok(pattern_create("^a.b$", &pattern, NULL));
	assert_true(pattern_find(pattern, "a\0b", 3));
	assert_false(pattern_find(pattern, "a\0b", 2));
	assert_false(pattern_find(pattern, NULL, 0));
	pattern_free(pattern);
	pattern_free(NULL);
}

/* ---- against regcomp() ----------------------------------------------------------------------------- */

static char *put_random(struct random *random, char *at, unsigned depth)
{
	static const char *const atoms[] = { "a", "b", "c", ".", "[ab]", "[^a]", "\\*", "ab" };
	static const char *const times[] = { "*", "+", "?", "", "", "" };
	for (uint64_t left = 1 + random_below(random, 3); left > 0; left--) {
		if (depth > 0 && random_percent(random, 40)) {
			*at++ = '(';
			at = put_random(random, at, depth - 1);
			*at++ = ')';
		} else {
			at = stpcpy(at, atoms[random_below(random, sizeof(atoms) / sizeof(atoms[0]))]);
		}
		at = stpcpy(at, times[random_below(random, sizeof(times) / sizeof(times[0]))]);
		if (left > 1 && random_percent(random, 25))
			*at++ = '|';
	}
	*at = '\0';
	return at;
}

TEST(as_regcomp)
{
	struct random random = { test_seed() };
	size_t found = 0, tried = 0;
	for (unsigned round = 0; round < 2000; round++) {
		char text[512] = "", in[12];
		char *at = text;
		if (random_percent(&random, 30))
			*at++ = '^';
		at = put_random(&random, at, 2);
		if (random_percent(&random, 30))
			stpcpy(at, "$");
		struct pattern *pattern;
		regex_t reference;
		if (strlen(text) > PATTERN_SIZE_MAX)
			continue;
		assert_int_equal(regcomp(&reference, text, REG_EXTENDED | REG_NOSUB), 0);
		assert_ok(pattern_create(text, &pattern, NULL));
		for (unsigned i = 0; i < 20; i++, tried++) {
			size_t size = random_below(&random, sizeof(in));
			for (size_t k = 0; k < size; k++)
				in[k] = "abc*"[random_below(&random, 4)];
			in[size] = '\0';
			bool is_there = regexec(&reference, in, 0, NULL, 0) == 0;
			if (pattern_find(pattern, in, size) != is_there)
				fail_msg("'%s' in '%s'; run it again with HISTREE_SEED=%llu", text, in,
					 (unsigned long long)test_seed());
			found += is_there;
		}
		pattern_free(pattern);
		regfree(&reference);
	}
	assert_true(found > tried / 10 && found < tried - tried / 10);
}
