/* SPDX-License-Identifier: MIT */
/*
 * lives.h - from when to when each attribute has states on disk; what lies outside is null (thesis 5.3).
 *
 * Section LIFE: bits; for each key its birth above the tree's start, then its death above that, each as the
 * difference to the key before: one bit, 0 if there is none, else its width - 1 (6) and its zigzag.  An attribute
 * that is null all the time is born behind its death.
 */
#ifndef TREE_LIVES_H
#define TREE_LIVES_H

#include "histree/value.h"
#include "store/block_file.h"

struct life {
	histree_time birth, death; /* the first start and the last end on disk; birth > death: none */
};

/* A zeroed struct lives has no attributes. */
struct lives {
	struct life *lives; /* by key */
	size_t count, capacity;
};

/* The key lives during this time too.  HISTREE_ERR_MEMORY only. */
enum histree_status lives_add(struct lives *lives, histree_quark key, struct life life);

/* Write those of the keys below `key_count`. */
enum histree_status lives_write(const struct lives *lives, uint32_t key_count, histree_time start,
				struct block_file *file, struct histree_error *error);
enum histree_status lives_read(struct lives *lives, uint32_t key_count, histree_time start, histree_time end,
			       const struct block_file *file, struct histree_error *error);

/*
 * The null before the birth and after the death, or the one null of a whole life; how many there are, 0 to 2.
 */
unsigned life_nulls(struct life life, histree_quark key, histree_time start, histree_time end,
		    struct histree_interval nulls[2]);

/* False when memory is out; `copy` is then empty. */
bool lives_copy(const struct lives *lives, struct lives *copy);

void lives_release(struct lives *lives);

#endif
