/* SPDX-License-Identifier: MIT */
/*
 * ongoing_states.h - the ongoing state of each attribute: its value, since when, and the type that it may have.
 *
 * The value pool keeps one copy of each string or custom value that ongoing states hold, known by an id.  Holders
 * are counted.  A value without a holder stays for a while, because states come back (a thread makes the same
 * system call again), and so that its bytes may be borrowed until the next change.  Once such values take more
 * than a quarter of the rest, all of them are dropped: memory follows what is held now, not the length of the
 * trace.
 *
 * Memory: 24 bytes an attribute; for each distinct string or custom value 16 to 24 bytes, 5 to 11 in the index,
 * and its own with the overhead of malloc().  Together with the attribute tree, an attribute with a unique name
 * and a unique string value takes about 160 bytes, and one of a kernel trace about 70 (test_state_memory counts
 * them): ten million fit into 2 GiB.
 */
#ifndef STATE_ONGOING_STATES_H
#define STATE_ONGOING_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash_index.h"
#include "histree/value.h"

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

/* A value without borrowed bytes: numbers as their bits, texts as an id in the pool, held. */
struct held_value {
	uint64_t bits;
	uint8_t type;
};

struct ongoing_state {
	histree_time since;
	uint64_t bits;
	uint8_t type;
	uint8_t fixed_type; /* of the first value that said something, or ONGOING_FOLDER */
	uint32_t run;       /* undecided_states.h; 0: it is certain */
};

/* The fixed type of a folder: no value is of it. */
enum { ONGOING_FOLDER = 255 };

/* A zeroed struct ongoing_states is an empty one. */
struct ongoing_states {
	struct ongoing_state *states; /* by quark */
	size_t capacity;
	struct table table; /* of `states` */
	uint32_t count;
	struct value_pool pool;
};

/* Have the memory from this space.  There are no attributes yet. */
void ongoing_states_use_space(struct ongoing_states *ongoing, struct table_space *space);

/* Make room for `count` attributes in all.  Returns false if memory is out. */
bool ongoing_states_reserve(struct ongoing_states *ongoing, size_t count);

/* Have `count` attributes, for which there is room; the new ones are null since `since`. */
void ongoing_states_extend(struct ongoing_states *ongoing, uint32_t count, histree_time since);

/* Returns the value of an attribute.  Its bytes are borrowed until ongoing_states_hold() holds something new. */
static inline struct histree_value ongoing_states_value(const struct ongoing_states *ongoing, histree_quark quark)
{
	const struct ongoing_state *state = &ongoing->states[quark];
	struct histree_value value = { .type = (enum histree_type)state->type };
	switch (value.type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		value.int32 = (int32_t)state->bits;
		break;
	case HISTREE_LONG:
		value.int64 = (int64_t)state->bits;
		break;
	case HISTREE_DOUBLE:
		memcpy(&value.real, &state->bits, sizeof(value.real));
		break;
	case HISTREE_BOOL:
		value.boolean = state->bits != 0;
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		value.bytes = ongoing->pool.values[state->bits].bytes;
		value.size = ongoing->pool.values[state->bits].size;
		break;
	}
	return value;
}

/*
 * Hold a value.  Returns false if memory is out, which never happens for numbers and bytes that are held already.
 */
bool ongoing_states_hold(struct ongoing_states *ongoing, const struct histree_value *value,
			 struct held_value *held);
void ongoing_states_drop(struct ongoing_states *ongoing, const struct held_value *held);

/* Make the held value that of an attribute from `since` on; the attribute holds it then. */
void ongoing_states_set(struct ongoing_states *ongoing, histree_quark quark, histree_time since,
			const struct held_value *held);
void ongoing_states_release(struct ongoing_states *ongoing);

#endif
