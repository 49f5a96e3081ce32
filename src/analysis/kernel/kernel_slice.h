/* SPDX-License-Identifier: MIT */
/*
 * kernel_slice.h - the kernel analysis of a slice of a trace, by a model that does not know what came before.
 *
 * What a handler writes from its event alone is written to the change log (change_log.h).  What it reads of the
 * state before the slice is one of these:
 *
 * - which thread a CPU runs, in which system call that is, and which interrupts the CPU handles: guessed from the
 *   events just before the slice, or from the first event of the CPU in it;
 * - whether a thread is in a system call: which of two values follows from that is left to the log, and may be
 *   undecided even then (ongoing_states.h);
 * - something of which nearly always the same is true, such as that a thread that is woken up was not running, or
 *   that one that is made had no states: assumed, thread by thread;
 * - anything else: the slice fails.
 *
 * At the hand-over, kernel_slice_commit() compares all guesses and assumptions with the true model.  If one is
 * wrong, or the slice has failed, nothing has happened, and the slice is analysed again from the true model on.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_SLICE_H
#define ANALYSIS_KERNEL_KERNEL_SLICE_H

#include "analysis/change_log.h"
#include "analysis/kernel/kernel_layout.h"
#include "base/arena.h"
#include "base/hash_index.h"

enum { GUESSED_CALL_SIZE = 40 }; /* longer names are not guessed */

/* What a slice takes for true of a thread at its beginning: bits. */
enum thread_assumption {
	ASSUMES_WAITS = 1, /* it is not said to run */
	ASSUMES_NO_CALL = 2,
	ASSUMES_RUN_QUEUE = 4, /* it has that attribute */
	ASSUMES_NEW = 8,       /* it has no states */
	ASSUMES_NOT_ALIVE = 16,
	ASSUMES_NOT_ENDED = 32, /* or it was freed: its number is not another's */
};

/* An interrupt or softirq that is guessed to be in progress, or raised, at the beginning. */
struct guessed_interrupt {
	int32_t number, value;
	bool is_softirq;
	struct kernel_text name;
	struct guessed_interrupt *next;
};

static inline bool guessed_is_active(const struct guessed_interrupt *interrupt)
{
	return interrupt->is_softirq ? interrupt->value != 0 : interrupt->value >= 0;
}

/* The system call in which the thread of a CPU is. */
enum guessed_call {
	CALL_NOT_GUESSED,
	CALL_IS_NONE,
	CALL_IS_NAMED,
};

struct guessed_cpu {
	int32_t number, tid;
	bool has_thread;
	enum guessed_call call;
	char call_name[GUESSED_CALL_SIZE];
	size_t call_size;
	struct guessed_interrupt *first; /* also those that are over: their value is 0 */
};

struct kernel_slice {
	struct change_log *log; /* borrowed */
	struct id_map cpus;     /* struct guessed_cpu */
	struct arena memory;
	bool no_memory;
};

/* Returns one that has this log; NULL if memory is out. */
struct kernel_slice *kernel_slice_create(struct change_log *log);
void kernel_slice_free(struct kernel_slice *slice);

#endif
