/* SPDX-License-Identifier: MIT */
/*
 * join_keys.h - the attributes of a join by their keys, and what the sweep line crosses of each key.
 *
 * Which keys an attribute has is found out once.  Then its state comes and goes in a step for each of its keys, and
 * the states of a key are found without a look at any other.
 */
#ifndef QUERY_JOIN_KEYS_H
#define QUERY_JOIN_KEYS_H

#include "base/hash_index.h"
#include "query/active_segments.h"

/* An attribute under one of its keys; a link of the list of those under that key that have an active state. */
struct keyed_attribute {
	histree_quark quark;
	uint32_t key;            /* its number */
	uint32_t next, previous; /* places of others in `attributes` plus one, 0: none */
};

/* A zeroed one has no keys. */
struct join_keys {
	struct keyed_attribute *attributes; /* those of one quark side by side */
	size_t count, capacity;
	uint32_t *first_of; /* by quark: the first place of it, if it has any */
	uint64_t *keys;     /* by number */
	uint32_t *active;   /* by number of the key: place of the first with an active state plus one, 0: none */
	struct active_segment **segments; /* by number of the key: a list; some of it may have ended */
	size_t key_count, key_capacity, active_capacity, segments_capacity;
	struct hash_index numbers; /* of keys */
};

/* Have room for the quarks of this many attributes; false if memory is out. */
bool join_keys_init(struct join_keys *keys, uint32_t attribute_count);

/* Forget all attributes and keys. */
void join_keys_clear(struct join_keys *keys);

/*
 * Put an attribute under a key before anything is active. Its keys follow each other. Returns false if memory is
 * out.
 */
bool join_keys_add(struct join_keys *keys, histree_quark quark, uint64_t key);

/* Returns the number of a key, or HASH_INDEX_NONE if no attribute has it. */
uint32_t join_keys_find(const struct join_keys *keys, uint64_t key);

/* The attribute has a state that is active, or none any more; it had none, or one. */
void join_keys_enter(struct join_keys *keys, histree_quark quark);
void join_keys_leave(struct join_keys *keys, histree_quark quark);

/* The places of an attribute are those from the first on that are its own. */
static inline bool join_keys_is_of(const struct join_keys *keys, size_t place, histree_quark quark)
{
	return place < keys->count && keys->attributes[place].quark == quark;
}

void join_keys_release(struct join_keys *keys);

#endif
