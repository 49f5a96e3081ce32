/* SPDX-License-Identifier: MIT */
/*
 * heap_blocks.h - the blocks of memory that programs have and did not free yet, by process and address.
 *
 * A block that was freed keeps its key, as allocators hand out the same addresses again and again.  Before the
 * table grows, such blocks are dropped, so that it grows with what is in use at a time.  40 bytes a block, and its
 * place in the index; of a build, both are in its table space (base/table.h).
 */
#ifndef ANALYSIS_UST_HEAP_BLOCKS_H
#define ANALYSIS_UST_HEAP_BLOCKS_H

#include "base/hash_index.h"
#include "histree/value.h"

struct heap_block {
	uint64_t address, bytes;
	histree_time start;
	int32_t process;  /* -1: not known */
	uint32_t thread;  /* number of who allocated it */
	uint8_t function; /* by which, enum heap_function */
	bool is_live;
	/* Its address was another block's, which ended without being seen to. */
	bool is_reused;
	bool is_of_thread; /* `process` is the thread: which process it is of is contested (heap.c) */
};

/* A zeroed one is empty. */
struct heap_blocks {
	struct heap_block *blocks;
	size_t count, capacity; /* all that are in the index */
	struct table table;     /* of `blocks` */
	struct hash_index index;
	uint64_t live;
};

/* Have its memory from this space.  It is empty yet. */
void heap_blocks_use_space(struct heap_blocks *blocks, struct table_space *space);

/* Returns the block that is live there; NULL if none is. */
struct heap_block *heap_blocks_find(const struct heap_blocks *blocks, int32_t process, uint64_t address);

/* Make a block live where none is.  Other blocks may move.  Returns false when memory is out. */
bool heap_blocks_add(struct heap_blocks *blocks, const struct heap_block *block);

/* The block is freed; it stays readable until the next addition. */
void heap_blocks_remove(struct heap_blocks *blocks, struct heap_block *block);

/* Live blocks have been given other processes, no two with one address the same: find them by these from now on. */
void heap_blocks_renew(struct heap_blocks *blocks);

/* Forget all blocks. */
void heap_blocks_clear(struct heap_blocks *blocks);

/* Walk over the live blocks: `*position` is 0 at first; returns NULL after the last one. */
struct heap_block *heap_blocks_next(const struct heap_blocks *blocks, size_t *position);

void heap_blocks_release(struct heap_blocks *blocks);

#endif
