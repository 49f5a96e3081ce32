/* SPDX-License-Identifier: MIT */
/*
 * intern.h - one copy of each byte string, known by a dense id.
 *
 * A string takes about 16 bytes besides its own.  Ids are 0, 1, 2, ... in the order in which strings were first
 * added.
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
	struct table table; /* of `strings` */
	uint32_t count;
	struct hash_index index; /* of ids, by the bytes */
};

/* Have its memory from this space.  It is empty yet. */
void intern_use_space(struct intern *intern, struct table_space *space);

/* Returns the id of these bytes, or INTERN_NONE if memory is out. */
uint32_t intern_add(struct intern *intern, const void *bytes, size_t size);

/* Returns the id of these bytes if they were added, else INTERN_NONE. */
uint32_t intern_find(const struct intern *intern, const void *bytes, size_t size);

/* Returns the bytes of an id, with a terminating zero after them.  They never move. */
const char *intern_get(const struct intern *intern, uint32_t id, size_t *size);

/* Copy all strings with their ids.  Returns false if memory is out; `copy` is then empty. */
bool intern_copy(const struct intern *intern, struct intern *copy);

void intern_release(struct intern *intern);

#endif
