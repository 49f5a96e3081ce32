/* SPDX-License-Identifier: MIT */
/*
 * value_pool.h - one copy of each string or custom value that ongoing states hold, known by an id.
 *
 * Holders are counted.  A value without a holder stays for a while, because states come back (a thread
 * makes the same system call again), and so that its bytes may be borrowed until the next change.  Once such
 * values take more than a quarter of the rest, all of them are dropped: memory follows what is held now,
 * not the length of the trace.
 *
 * Memory a value: 16 to 24 bytes, 5 to 11 in the index, and its own with the overhead of malloc().
 */
#ifndef STATE_VALUE_POOL_H
#define STATE_VALUE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

struct pooled_value {
	unsigned char *bytes; /* NULL: the id is free */
	uint32_t size;        /* of a free id: the next one */
	uint32_t holders;
};

/* A zeroed struct value_pool is an empty one. */
struct value_pool {
	struct pooled_value *values; /* by id */
	size_t capacity;
	struct table table;              /* of `values` */
	uint32_t count;                  /* ids given out so far, free ones included */
	uint32_t free_id;                /* the first free one, 1 added; 0: none */
	struct hash_index index;         /* of held and unheld values, by their bytes */
	size_t held_bytes, unheld_bytes; /* of values with and without a holder */
};

/*
 * Hold these bytes, which may be bytes of the pool itself.  Returns false if memory is out, which never happens
 * for bytes that the pool has already.
 */
bool value_pool_hold(struct value_pool *pool, const void *bytes, uint32_t size, uint32_t *id);
void value_pool_drop(struct value_pool *pool, uint32_t id);

void value_pool_release(struct value_pool *pool);

#endif
