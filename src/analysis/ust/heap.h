/* SPDX-License-Identifier: MIT */
/*
 * heap.h - the memory blocks of programs, by address, and the two analyses of them.
 *
 * A *block* is memory that a program has allocated and not yet freed, by process and address.
 *
 * A freed block keeps its key, because allocators hand out the same addresses again and again.  Before the table
 * grows, such blocks are dropped, so that it grows with what is in use at a time.  A block takes 40 bytes and its
 * place in the index; in a build, both are in its table space (base/table.h).
 *
 * LTTng-UST's wrapper of libc (liblttng-ust-libc-wrapper.so) records malloc, calloc, realloc, memalign and
 * posix_memalign when they return, and free when it begins.  Memory is in use by the thread that allocated it, also
 * if another one frees it.  (Trace Compass credits the thread that frees: with a queue, the use of the thread that
 * fills it only grows, and that of the thread that empties it becomes negative.)
 *
 * Addresses are those of a process, which the context vpid names.  Without it all events are taken to belong to one
 * process, until a thread is given an address that another one has: from then on each thread is taken for a
 * process.  Without the context vtid the thread is the one that runs on the CPU according to the kernel trace of
 * the same host.
 */
#ifndef ANALYSIS_UST_HEAP_H
#define ANALYSIS_UST_HEAP_H

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_input.h"
#include "analysis/ust/call_stacks.h"
#include "base/arena.h"
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

/* Returns the block that is live there; NULL if none is. */
struct heap_block *heap_blocks_find(const struct heap_blocks *blocks, int32_t process, uint64_t address);

/* Make a block live where none is.  Other blocks may move.  Returns false when memory runs out. */
bool heap_blocks_add(struct heap_blocks *blocks, const struct heap_block *block);

/* The block is freed; it stays readable until the next addition. */
void heap_blocks_remove(struct heap_blocks *blocks, struct heap_block *block);

/* Forget all blocks. */
void heap_blocks_clear(struct heap_blocks *blocks);

/* Walk over the live blocks: `*position` is 0 at first; returns NULL after the last one. */
struct heap_block *heap_blocks_next(const struct heap_blocks *blocks, size_t *position);
void heap_blocks_release(struct heap_blocks *blocks);

enum heap_function {
	HEAP_MALLOC,
	HEAP_CALLOC,
	HEAP_REALLOC,
	HEAP_MEMALIGN,
	HEAP_POSIX_MEMALIGN,
	HEAP_FREE,
	HEAP_NO_FUNCTION, /* an event of another kind */
};

/* A realloc takes two blocks at most, and gives one. */
enum { HEAP_CHANGED_MAX = 3 };

/* A thread or a process. */
struct heap_owner {
	uint32_t number;  /* dense from 0, each kind by itself, for what analyses add to it */
	int32_t id;       /* tid or pid; -1: the trace does not say */
	uint64_t bytes;   /* in use: seen to be allocated since the last gap, and not to be freed */
	const char *name; /* of the process; NULL: not known */
	size_t name_size;
	/* Of a thread: another one was given this address, which it has (heap.c). */
	bool is_contested;
	uint64_t contested;
};

/* What one event did. */
struct heap_event {
	enum heap_function function;         /* HEAP_NO_FUNCTION: the rest says nothing */
	struct heap_owner *thread, *process; /* whose event it is */
	bool in_gap;                         /* nothing is known, and the event is passed over */
	bool has_freed;                      /* a realloc too */
	struct heap_block freed;
	/* Threads that have other memory than before; that of `process` is then other too. */
	struct heap_owner *changed[HEAP_CHANGED_MAX];
	size_t changed_count;
	bool has_split; /* from this event on, threads are taken as processes: all of these have other memory */
};

/* Beginnings and ends of blocks that have no counterpart in the trace. */
struct heap_counts {
	uint64_t without_start, without_end;
};

/* The input of all analyses of such a trace. */
struct heap {
	struct heap_event event; /* what the current event did */
	histree_time now;        /* which never goes back */
	struct heap_blocks blocks;
	struct id_map threads, processes; /* struct heap_owner by id */
	struct arena records;
	struct intern names;
	struct class_table bindings;
	struct kernel_input *kernel; /* who runs; its own */
	struct cpu_gaps gaps;
	struct heap_counts counts;       /* except blocks that are in use at the end */
	uint64_t calls, without_process; /* events so far, and those of them that do not identify their process */
	uint64_t without_thread;
	bool is_split; /* if the process is not known, threads are taken as processes, since: */
	histree_time split_time;
};

#endif
