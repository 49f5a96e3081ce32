// SPDX-License-Identifier: MIT
/*
 * intern.c - byte strings with dense ids: a table of their bytes, and a hash index that finds equal ones.  An id
 * and its bytes stay as they are until the release.
 */
#include "base/intern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static_assert(INTERN_NONE == HASH_INDEX_NONE, "what the index does not find is no id");

static uint32_t size_of(const char *string)
{
	uint32_t size;
	memcpy(&size, string - sizeof(size), sizeof(size));
	return size;
}

struct wanted {
	const void *bytes;
	size_t size;
};

static bool has_bytes(const void *strings, uint32_t id, const void *key)
{
	const struct wanted *wanted = key;
	const char *string = ((const char *const *)strings)[id];
	return size_of(string) == wanted->size &&
	       (wanted->size == 0 || memcmp(string, wanted->bytes, wanted->size) == 0);
}

static uint64_t hash_of(const void *strings, uint32_t id)
{
	const char *string = ((const char *const *)strings)[id];
	return hash_bytes(string, size_of(string));
}

static uint32_t find(const struct intern *intern, uint64_t hash, const void *bytes, size_t size)
{
	const struct wanted wanted = { bytes, size };
	return hash_index_find(&intern->index, hash, has_bytes, intern->strings, &wanted);
}

void intern_use_space(struct intern *intern, struct table_space *space)
{
	intern->bytes.space = intern->table.space = intern->index.table.space = space;
}

uint32_t intern_add(struct intern *intern, const void *bytes, size_t size)
{
	if (size > UINT32_MAX - 8 || intern->count >= UINT32_MAX / 2)
		return INTERN_NONE;
	uint64_t hash = hash_bytes(bytes, size);
	uint32_t known = find(intern, hash, bytes, size);
	if (known != HASH_INDEX_NONE)
		return known;

	size_t needed = (size_t)intern->count + 1;
	if (!table_reserve(&intern->table, &intern->strings, &intern->strings_capacity, needed) ||
	    !hash_index_reserve(&intern->index, needed, hash_of, intern->strings))
		return INTERN_NONE;
	uint32_t size32 = (uint32_t)size;
	char *string = arena_allocate(&intern->bytes, sizeof(size32) + size + 1, 1);
	if (string == NULL)
		return INTERN_NONE;
	memcpy(string, &size32, sizeof(size32));
	string += sizeof(size32);
	if (size > 0)
		memcpy(string, bytes, size);
	string[size] = '\0';
	intern->strings[intern->count] = string;
	hash_index_add(&intern->index, hash, intern->count);
	return intern->count++;
}

uint32_t intern_find(const struct intern *intern, const void *bytes, size_t size)
{
	return find(intern, hash_bytes(bytes, size), bytes, size);
}

const char *intern_get(const struct intern *intern, uint32_t id, size_t *size)
{
	const char *string = intern->strings[id];
	if (size != NULL)
		*size = size_of(string);
	return string;
}

bool intern_copy(const struct intern *intern, struct intern *copy)
{
	*copy = (struct intern){ 0 };
	for (uint32_t id = 0; id < intern->count; id++) {
		size_t size;
		const char *bytes = intern_get(intern, id, &size);
		if (intern_add(copy, bytes, size) == INTERN_NONE) {
			intern_release(copy);
			return false;
		}
	}
	return true;
}

void intern_release(struct intern *intern)
{
	arena_release(&intern->bytes);
	table_release(&intern->table, (void *)intern->strings);
	hash_index_release(&intern->index);
	*intern = (struct intern){ 0 };
}
