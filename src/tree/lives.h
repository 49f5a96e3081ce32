/* SPDX-License-Identifier: MIT */
/*
 * lives.h - from when to when each attribute has states on disk; what lies outside is null (thesis 5.3).
 *
 * Section LIFE: a block for every 64 attributes, then a directory of the blocks (base/block_directory.h), then the
 * size of the blocks (8 bytes).  A block has two columns: the births above the start of the history, and the
 * deaths below its end.  An attribute that is null all the time dies one nanosecond before the history starts.
 *
 * A thread's attributes are born together and die together or at one of two moments: so a column stores a
 * number where it changes to one that is fresh, and says in bits where it stays, and where it goes back to what it
 * was before the last change:
 *
 *	varint	the smallest number
 *	1 byte	numbers that are stored, less 1
 *	1 byte	their width; 128 more if every change is to a fresh number
 *	8 bytes	unless one number is stored: bit i, attribute i has another number than the one before it
 *	8 bytes	if some changes go back: bit i, attribute i has a fresh one
 *	bits	the fresh numbers, above the smallest
 *
 * Whoever reads attribute i looks at the bits and one number, not at the attributes before it.
 */
#ifndef TREE_LIVES_H
#define TREE_LIVES_H

#include "histree/value.h"
#include "store/block_file.h"

struct life {
	histree_time birth, death; /* the first start and the last end on disk; birth > death: none */
};

static const struct life life_none = { .birth = INT64_MAX, .death = INT64_MIN };

enum {
	LIVES_IN_BLOCK = 64,
	LIVES_BLOCK_SIZE_MIN = 6, /* two columns of three bytes */
	LIVES_ALL_FRESH = 128,
	LIVES_FOOTER_SIZE = 8,
};

/* While a tree is being written.  A zeroed struct lives has no attributes. */
struct lives {
	struct life *lives; /* by key */
	size_t count, capacity;
};

/* The key lives during this time too.  HISTREE_ERR_MEMORY only. */
enum histree_status lives_add(struct lives *lives, histree_quark key, struct life life);

/* Write those of the keys below `key_count`. */
enum histree_status lives_write(const struct lives *lives, uint32_t key_count, histree_time start, histree_time end,
				struct block_file *file, struct histree_error *error);

/*
 * The null before the birth and after the death, or the one null of a whole life; how many there are, 0 to 2.
 */
unsigned life_nulls(struct life life, histree_quark key, histree_time start, histree_time end,
		    struct histree_interval nulls[2]);

/* False when memory is out; `copy` is then empty. */
bool lives_copy(const struct lives *lives, struct lives *copy);

void lives_release(struct lives *lives);

#endif
