// SPDX-License-Identifier: MIT
#include "base/intern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

enum { SLOTS_MIN = 64 };

static uint32_t size_of(const char *string)
{
	uint32_t size;
	memcpy(&size, string - sizeof(size), sizeof(size));
	return size;
}

/* The slot that holds these bytes, or the free slot where they belong. */
static uint32_t slot_of(const struct intern *intern, const void *bytes, size_t size)
{
	uint32_t slot = (uint32_t)hash_bytes(bytes, size) & intern->slot_mask;
	for (;; slot = (slot + 1) & intern->slot_mask) {
		uint32_t entry = intern->slots[slot];
		if (entry == 0)
			return slot;
		const char *string = intern->strings[entry - 1];
		if (size_of(string) == size && (size == 0 || memcmp(string, bytes, size) == 0))
			return slot;
	}
}

static bool grow_slots(struct intern *intern)
{
	size_t count = intern->slots == NULL ? SLOTS_MIN : 2 * ((size_t)intern->slot_mask + 1);
	uint32_t *slots = calloc(count, sizeof(*slots));
	if (slots == NULL)
		return false;
	free(intern->slots);
	intern->slots = slots;
	intern->slot_mask = (uint32_t)(count - 1);
	for (uint32_t id = 0; id < intern->count; id++) {
		const char *string = intern->strings[id];
		slots[slot_of(intern, string, size_of(string))] = id + 1;
	}
	return true;
}

uint32_t intern_add(struct intern *intern, const void *bytes, size_t size)
{
	if (size > UINT32_MAX - 8 || intern->count >= UINT32_MAX / 2)
		return INTERN_NONE;
	/* At most three quarters full. */
	if (intern->slots == NULL || intern->count >= intern->slot_mask / 4 * 3)
		if (!grow_slots(intern))
			return INTERN_NONE;
	uint32_t slot = slot_of(intern, bytes, size);
	if (intern->slots[slot] != 0)
		return intern->slots[slot] - 1;

	if (!array_reserve(&intern->strings, &intern->strings_capacity, (size_t)intern->count + 1))
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
	intern->slots[slot] = ++intern->count;
	return intern->count - 1;
}

uint32_t intern_find(const struct intern *intern, const void *bytes, size_t size)
{
	if (intern->slots == NULL)
		return INTERN_NONE;
	uint32_t entry = intern->slots[slot_of(intern, bytes, size)];
	return entry == 0 ? INTERN_NONE : entry - 1;
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
	free((void *)intern->strings);
	free(intern->slots);
	*intern = (struct intern){ 0 };
}
