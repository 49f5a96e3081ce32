// SPDX-License-Identifier: MIT
/*
 * fuzz_use_rows.c - bytes as rows of a use of time that came from another rank; the first byte says by what, and
 * whether there are longest waits.  What is read has keys of the types that they may have, and is read the same
 * once it was written again.
 */
#include <string.h>

#include "fuzz.h"
#include "view/use_rows.h"

static void require_same(const struct histree_use_row *one, const struct histree_use_row *other)
{
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++) {
		const struct histree_value *key = &one->keys[i], *again = &other->keys[i];
		bool is_text = i == HISTREE_USE_BY_NAME || i == HISTREE_USE_BY_SYSTEM_CALL;
		REQUIRE(key->type == HISTREE_NULL || key->type == HISTREE_UNKNOWN ||
			key->type == (is_text ? HISTREE_STRING : HISTREE_INT));
		REQUIRE(key->type == again->type);
		if (key->type == HISTREE_STRING)
			REQUIRE(key->size == again->size && memcmp(key->bytes, again->bytes, key->size) == 0);
		else if (key->type == HISTREE_INT)
			REQUIRE(key->int32 == again->int32);
	}
	REQUIRE(strcmp(one->name, other->name) == 0 && strcmp(one->had_by_name, other->had_by_name) == 0);
	REQUIRE(memcmp(one->ns, other->ns, sizeof(one->ns)) == 0 && one->count == other->count);
	REQUIRE(one->longest_wait.ns == other->longest_wait.ns &&
		one->longest_wait.start == other->longest_wait.start);
	REQUIRE(one->longest_block.ns == other->longest_block.ns &&
		one->longest_block.start == other->longest_block.start);
}

FUZZ_TARGET(bytes, size)
{
	struct use_rows rows = { 0 }, again = { 0 };
	struct byte_buffer saved = { 0 };
	struct histree_error error;
	if (size == 0)
		return 0;
	const unsigned by = bytes[0] & ((1U << HISTREE_USE_KEY_COUNT) - 1);
	const bool has_longest = bytes[0] >> HISTREE_USE_KEY_COUNT != 0;
	struct byte_reader reader = byte_reader(bytes + 1, size - 1);
	enum histree_status status = use_rows_load(&rows, by, has_longest, 3, &reader, &error);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	if (status == HISTREE_OK) {
		use_rows_put(&rows, by, has_longest, &saved);
		struct byte_reader second = byte_reader(saved.bytes, saved.size);
		REQUIRE(use_rows_load(&again, by, has_longest, 3, &second, &error) == HISTREE_OK);
		REQUIRE(byte_reader_left(&second) == 0 && again.count == rows.count);
		for (size_t i = 0; i < rows.count; i++)
			require_same(&rows.rows[i], &again.rows[i]);
		use_rows_sort(&rows, by);
	}
	byte_buffer_release(&saved);
	use_rows_release(&rows);
	use_rows_release(&again);
	return 0;
}
