/* SPDX-License-Identifier: MIT */
/*
 * value.h - values of states: their types, their bytes, and two numbers in one string.
 *
 * A state value as bytes: a type byte, then
 *
 * 	null		nothing
 * 	int, long	zigzag varint
 * 	double		8 bytes, IEEE-754 binary64, little-endian
 * 	bool		one byte, 0 or 1
 * 	string, custom	varint size, then the bytes
 *
 * histree-format(5) documents the same bytes.
 *
 * A *pair* is two ints that change together, as one string: "3/20", "-/20" if the first is null, "3/?" if the
 * second is unknown.  A pair of nulls is null, a pair of unknowns unknown.  histree_value_part() takes it apart.
 */
#ifndef ITEM_VALUE_H
#define ITEM_VALUE_H

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "histree/value.h"

/* Bytes of a string or custom value besides its own: type and size. */
enum { VALUE_OVERHEAD_MAX = 1 + 5 };

size_t value_encoded_size(const struct histree_value *value);

/* `at` has room for value_encoded_size().  Returns where the next byte goes. */
uint8_t *value_encode(uint8_t *at, const struct histree_value *value);

/* The bytes of strings and customs are borrowed from the reader's.  A malformed value fails the reader. */
struct histree_value value_decode(struct byte_reader *reader);

/* Returns whether its content is bytes, which are borrowed, and may be none. */
static inline bool value_has_bytes(const struct histree_value *value)
{
	return value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM;
}

static inline bool value_is_text(const struct histree_value *value, const char *text)
{
	return value->type == HISTREE_STRING && value->size == strlen(text) &&
	       memcmp(value->bytes, text, value->size) == 0;
}

/* Make its bytes a copy in memory that lasts; *_once: of equal bytes one.  Returns false if memory runs out. */
static inline bool value_keep(struct histree_value *value, struct arena *arena)
{
	if (value_has_bytes(value))
		value->bytes = arena_copy(arena, value->bytes, value->size);
	return !value_has_bytes(value) || value->bytes != NULL;
}

static inline bool value_keep_once(struct histree_value *value, struct intern *texts)
{
	if (!value_has_bytes(value))
		return true;
	const uint32_t number = intern_add(texts, value->bytes, value->size);
	size_t size;
	if (number != INTERN_NONE)
		value->bytes = intern_get(texts, number, &size);
	return number != INTERN_NONE;
}

enum { VALUE_PAIR_SIZE = 24 }; /* two ints and a slash */

/* Returns the pair of two values, each an int, null or unknown.  Its bytes are those of `text`. */
struct histree_value value_pair(struct histree_value first, struct histree_value second,
				char text[static VALUE_PAIR_SIZE]);

#endif
