// SPDX-License-Identifier: MIT
/* test_json_weight.c - what a JSON text is said to take is at least what the parser takes. */
#include <malloc.h>

#include <jansson.h>

#include "base/hash_index.h"
#include "base/json_text.h"
#include "support/effort.h"
#include "support/test.h"

static size_t now, peak;

/* An allocator's own bytes are some 16 a piece. */
static void *counted_malloc(size_t size)
{
	void *memory = malloc(size);
	now += memory != NULL ? malloc_usable_size(memory) + 16 : 0;
	peak = now > peak ? now : peak;
	return memory;
}

static void counted_free(void *memory)
{
	now -= memory != NULL ? malloc_usable_size(memory) + 16 : 0;
	free(memory);
}

static int count(void **state)
{
	(void)state;
	json_set_alloc_funcs(counted_malloc, counted_free);
	return 0;
}

static void check(const char *text, size_t size)
{
	json_error_t error;
	now = peak = 0;
	json_t *root = json_loadb(text, size, JSON_DECODE_ANY, &error);
	if (peak > json_weight(text, size) + 4096) /* what the parser has besides */
		fail_msg("%zu bytes, and not %zu: %.200s", peak, json_weight(text, size), text);
	json_decref(root);
	assert_int_equal(now, 0);
}

TEST(one_thing_over_and_over)
{
	static const char *const things[] = {
		"0",    "1e5",    "\"\"",      "\"abcdefgh\"",       "[]",        "{}",
		"true", "[[[]]]", "{\"a\":0}", "{\"a\":{\"b\":[]}}", "\"\\\"[\"", "{\"a\":\"{[,:\"}"
	};
	enum { TIMES = 20000 };
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		size_t length = strlen(things[i]);
		char *text = malloc(TIMES * (length + 1) + 2), *at = text;
		assert_non_null(text);
		*at++ = '[';
		for (size_t time = 0; time < TIMES; time++, at += length + 1)
			sprintf(at, "%s%c", things[i], time + 1 < TIMES ? ',' : ']');
		check(text, (size_t)(at - text));
		free(text);
	}
}

TEST(an_object_with_many_members)
{
	enum { MEMBERS = 50000, SIZE = 16 };
	char *text = malloc(MEMBERS * SIZE + 2), *at = text;
	assert_non_null(text);
	*at++ = '{';
	for (int i = 0; i < MEMBERS; i++)
		at += sprintf(at, "\"%d\":%d%c", i, i % 10, i + 1 < MEMBERS ? ',' : '}');
	check(text, (size_t)(at - text));
	free(text);
}

TEST(anything)
{
	static const char letters[] = "{}[]:,\"\\ a01";
	struct random random = { .state = test_seed() };
	for (uint64_t round = 0; round < test_effort(200000, 20000); round++) {
		char text[64];
		size_t size = random_below(&random, sizeof(text));
		for (size_t i = 0; i < size; i++)
			text[i] = letters[random_below(&random, sizeof(letters) - 1)];
		check(text, size);
	}
}

TEST(texts_are_not_looked_into)
{
	static const char text[] =
		"[\"{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{\\\"[[[[[[[[[[[[[\"]";
	assert_true(json_weight(text, sizeof(text) - 1) < 1000);
	assert_true(json_weight("[{}", 3) > 500);
}

TEST_FILE(count, NULL)
