/* SPDX-License-Identifier: MIT */
/*
 * intern.h - one copy of each byte string, known by a dense id.
 *
 * About 16 bytes a string beside its own; ids are 0, 1, 2, ... in the order of first sight.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_index.h"

#define INTERN_NONE UINT32_MAX

/* A zeroed struct intern is an empty one. */
struct intern {
	struct arena bytes;
	const char **strings; /* by id; four bytes before each are its size */
	size_t strings_capacity;
	uint32_t count;
	struct hash_index index; /* of ids, by the bytes */
};

/* The id of these bytes, INTERN_NONE when memory is out. */
uint32_t intern_add(struct intern *intern, const void *bytes, size_t size);

/* The id of these bytes if they were added, else INTERN_NONE. */
uint32_t intern_find(const struct intern *intern, const void *bytes, size_t size);

/* The bytes of an id, with a terminating zero after them; they stay where they are. */
const char *intern_get(const struct intern *intern, uint32_t id, size_t *size);

/* The same strings with the same ids.  False when memory is out; `copy` is then empty. */
bool intern_copy(const struct intern *intern, struct intern *copy);

void intern_release(struct intern *intern);

#endif
