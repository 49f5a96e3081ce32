// SPDX-License-Identifier: MIT
#include "columns/columns_dictionary.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"

static_assert(COLUMNS_PLACES == 1 << (64 - 54), "a place is picked by the upper bits of a product");

struct wanted {
	const void *bytes;
	size_t size;
};

static bool has_text(const void *texts, uint32_t id, const void *key)
{
	const struct wanted *wanted = key;
	size_t size;
	const char *text = columns_texts_get(texts, id, &size);
	return size == wanted->size && (size == 0 || memcmp(text, wanted->bytes, size) == 0);
}

static uint64_t hash_of(const void *texts, uint32_t id)
{
	size_t size;
	const char *text = columns_texts_get(texts, id, &size);
	return hash_bytes(text, size);
}

static enum histree_status add_text(struct columns_dictionary *dictionary, const void *bytes, size_t size,
				    uint32_t *id, struct histree_error *error)
{
	struct columns_texts *texts = &dictionary->texts;
	uint64_t hash = hash_bytes(bytes, size);
	*id = hash_index_find(&dictionary->index, hash, has_text, texts, &(struct wanted){ bytes, size });
	if (*id != HASH_INDEX_NONE)
		return HISTREE_OK;
	if (!hash_index_reserve(&dictionary->index, (size_t)texts->count + 1, hash_of, texts))
		return error_memory(error, "texts of a column");
	enum histree_status status = columns_texts_add(texts, bytes, size, error);
	if (status != HISTREE_OK)
		return status;
	*id = texts->count - 1;
	hash_index_add(&dictionary->index, hash, *id);
	return HISTREE_OK;
}

enum histree_status columns_dictionary_add(struct columns_dictionary *dictionary, const void *bytes, size_t size,
					   uint32_t *id, struct histree_error *error)
{
	enum histree_status status = columns_repair(&dictionary->room, &bytes, &size, error);
	return status == HISTREE_OK ? add_text(dictionary, bytes, size, id, error) : status;
}

enum histree_status columns_dictionary_add_digits(struct columns_dictionary *dictionary, const void *bytes,
						  size_t size, uint32_t *id, struct histree_error *error)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *at = bytes;
	if (!array_reserve(&dictionary->room.bytes, &dictionary->room.capacity, size * 2 + 1))
		return error_memory(error, "texts of a column");
	for (size_t i = 0; i < size; i++) {
		dictionary->room.bytes[2 * i] = digits[at[i] >> 4];
		dictionary->room.bytes[2 * i + 1] = digits[at[i] & 15];
	}
	return add_text(dictionary, dictionary->room.bytes, size * 2, id, error);
}

void columns_dictionary_release(struct columns_dictionary *dictionary)
{
	columns_texts_release(&dictionary->texts);
	hash_index_release(&dictionary->index);
	free(dictionary->room.bytes);
	dictionary->room = (struct columns_repair){ 0 };
}
