/* SPDX-License-Identifier: MIT */
/*
 * cube_cell.h - how long all threads of a host together did what, in a cell of time, and how much of it began
 * there (docs/design/05-pyramid.md).
 *
 * A row has one status, one CPU and one system call.  Waits for a CPU have further rows, by the thread that had
 * it; these are in a cell of their own, so that other questions need not read them.
 */
#ifndef STATE_CUBE_CELL_H
#define STATE_CUBE_CELL_H

#include "base/hash_index.h"
#include "base/arena.h"
#include "base/bytes.h"
#include "histree/status.h"

/* What a row says for nothing, and for what is not known; other numbers are tids, CPUs, numbers of texts. */
enum { USE_NOTHING = INT32_MIN, USE_NOT_KNOWN = INT32_MIN + 1 };

enum cube_part { CUBE_OF_CALLS, CUBE_OF_OWNERS, CUBE_PARTS };

struct cube_key {
	int32_t status;
	int32_t cpu, system_call, had_by; /* of owners, the last alone is something */
	bool is_idle;                     /* of the idle loops of CPUs */
};

static inline bool cube_key_is_same(const struct cube_key *one, const struct cube_key *other)
{
	return one->status == other->status && one->cpu == other->cpu && one->system_call == other->system_call &&
	       one->had_by == other->had_by && one->is_idle == other->is_idle;
}

static inline uint64_t cube_key_hash(const struct cube_key *key)
{
	const uint64_t one = (uint64_t)(uint32_t)key->cpu << 32 | (uint32_t)key->system_call;
	const uint64_t other = (uint64_t)(uint32_t)key->had_by << 32 | (uint32_t)key->status;
	return hash_mix(hash_mix(one ^ key->is_idle) ^ other);
}

struct cube_row {
	struct cube_key key;
	uint64_t ns;
	uint64_t begins; /* states of threads */
	uint64_t calls;  /* for which this is the first known state */
};

/* A zeroed one is empty. */
struct cube_cell {
	struct cube_row *rows;
	size_t count, capacity;
	struct hash_index by_key;
};

/* Add to the row of its key.  Returns false without memory. */
bool cube_cell_add(struct cube_cell *cell, const struct cube_row *row);

/* What was in it is forgotten. */
void cube_cell_clear(struct cube_cell *cell);

void cube_cell_release(struct cube_cell *cell);

/*
 * Write a cell as bytes, none if it is empty: the same bytes in whatever order its rows and texts came.  Reorders
 * its rows.
 */
void cube_cell_put(struct cube_cell *cell, enum cube_part part, const struct intern *texts,
		   struct saved_bytes *saved);

/*
 * Add the bytes of a cell of `ns`, in which there are at most `threads` threads.  Returns HISTREE_ERR_FORMAT if
 * no states can have made them; some may have been added then.
 */
enum histree_status cube_cell_get(struct cube_cell *cell, enum cube_part part, struct intern *texts, uint64_t ns,
				  uint32_t threads_max, const uint8_t *bytes, size_t size);

#endif
