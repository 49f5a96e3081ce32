/* SPDX-License-Identifier: MIT */
/*
 * time_use.h - what the threads of a kernel trace did with their time: how long each ran, waited for a CPU and was
 * blocked, by thread, process, CPU, system call or who had the CPU.
 *
 *	request = (struct histree_time_use_request){ .by = HISTREE_BY(THREAD), .from = t1, .to = t2 };
 *	histree_time_use_create(history, &request, &use, &error);
 *	rows = histree_time_use_rows(use, &count);
 *	histree_time_use_free(use);
 *
 * All of it is exact, for any range: each nanosecond of a thread that exists is in one row, under what the thread
 * did then.  The history is one of the analysis `kernel`, or a union of several hosts, whose rows are never taken
 * together.
 *
 * Cost: every state of the threads in the range is read once, and where it is asked for their CPUs, their system
 * calls and who had the CPUs; where none of these is asked for, only the states at the ends of the range, if the
 * history has an overview of sums; and likewise, if it has a cube (docs/design/05-pyramid.md), by CPU, state or
 * both, by system call alone, and by who had the CPU, with the state or without, if the expression names no other
 * keys.
 * Memory: about 24 MiB, 70 bytes a thread, and the rows; from a cube of the whole history the rows alone.
 *
 * Threads: creating uses a query of its own; any number of threads may read the result.
 */
#ifndef HISTREE_TIME_USE_H
#define HISTREE_TIME_USE_H

#include "view.h"

/* What a thread does. */
enum histree_use {
	HISTREE_USE_USER,        /* runs in user mode */
	HISTREE_USE_SYSTEM,      /* runs in a system call */
	HISTREE_USE_INTERRUPTED, /* has a CPU, on which an interrupt or softirq runs */
	HISTREE_USE_IDLE,        /* of the idle loop of a CPU: runs; its waits are not counted */
	HISTREE_USE_WAITING,     /* could run, and has no CPU */
	HISTREE_USE_BLOCKED,
	HISTREE_USE_OTHER,   /* waits, and nobody knows for what; or waits after it was made */
	HISTREE_USE_UNKNOWN, /* unknown to the kernel's analysis, or lost by gaps or damage */
};
#define HISTREE_USE_COUNT 8

/* Returns "user", "system" and so on. */
HISTREE_API const char *histree_use_name(enum histree_use use);

/* What rows are told apart by, besides the host. */
enum histree_use_key {
	HISTREE_USE_BY_THREAD,
	HISTREE_USE_BY_PROCESS,
	HISTREE_USE_BY_NAME,        /* of the thread's program, the last one */
	HISTREE_USE_BY_CPU,         /* on which it runs, or for which it waits */
	HISTREE_USE_BY_STATE,       /* enum histree_use */
	HISTREE_USE_BY_SYSTEM_CALL, /* in which it is, also while it waits or is blocked */
	HISTREE_USE_BY_HAD_BY,      /* the thread that has the CPU for which this one waits */
};
#define HISTREE_USE_KEY_COUNT 7
#define HISTREE_BY(key) (1u << HISTREE_USE_BY_##key)

struct histree_time_use_request {
	histree_time from, to; /* both inclusive; may reach beyond the history */
	unsigned by;           /* HISTREE_BY() of keys; 0: one row a host */
	/*
	 * What is counted, an expression of filter.h over the fields host, thread, process, name, cpu, state,
	 * system_call and had_by; NULL: all.  The idle loops of CPUs are counted by CPU or state only.
	 */
	const char *where;
	/* The longest waits and times blocked are asked for: each state is read then, whatever there is of sums. */
	bool longest;
	size_t states_max; /* how many states are in memory at a time, more or less; 0 means 262,144 */
	struct histree_cancel cancel;
};

/* The longest time in one piece, in the range, in which a thread did what the row counts; of equals the first. */
struct histree_use_longest {
	uint64_t ns; /* 0: there was none */
	histree_time start;
};

struct histree_use_row {
	size_t host; /* in histree_history_hosts(); 0 if the history is of one host */
	/*
	 * By key: an int, for a state as well; a string for a name or a system call.  Null for a key that is not
	 * asked for, and where there is none (no system call; a thread that waits for no CPU); unknown where nobody
	 * knows.  Bytes are borrowed from the result.
	 */
	struct histree_value keys[HISTREE_USE_KEY_COUNT];
	int32_t life;            /* by thread: of those that had the number one after another, 0, 1, ... */
	int32_t had_by_life;     /* by had-by: the same of that thread */
	histree_time from, to;   /* by thread: the number was its own in this time */
	const char *name;        /* by thread: of its program, else ""; by had-by alone: of that one's */
	const char *had_by_name; /* by had-by: the name of that thread, else "" */
	uint64_t ns[HISTREE_USE_COUNT];
	/*
	 * How many states of threads begin in the range, or were going on at its start; by system call: calls of
	 * threads of which something is counted here.  A child begins inside of the call that made it, so that this
	 * counts for both.
	 */
	uint64_t count;
	struct histree_use_longest longest_wait, longest_block; /* for a CPU; blocked: if they were asked for */
};

struct histree_time_use;

/*
 * Returns HISTREE_ERR_ARGUMENT if the expression is none, or the history has no threads of a kernel; and
 * HISTREE_ERR_CANCELLED.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_time_use_create(struct histree_history *history, const struct histree_time_use_request *request,
			struct histree_time_use **out, struct histree_error *error);

/*
 * Answer a question about the history of one host that came from another process (view_ask of history_source.h):
 * the rows travel, and the states do not.  The caller frees the answer with free().  Returns HISTREE_ERR_FORMAT if
 * it is no such question.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_use_answer(struct histree_history *history,
									   const void *question, size_t size,
									   struct histree_cancel cancel,
									   void **answer, size_t *answer_size,
									   struct histree_error *error);

/* Free it, or do nothing if it is NULL. */
HISTREE_API void histree_time_use_free(struct histree_time_use *use);

/* Returns the rows: by CPU alone in the order of CPUs; else by the time that they ran, waited and were blocked. */
HISTREE_API const struct histree_use_row *histree_time_use_rows(const struct histree_time_use *use, size_t *count);

/* Returns whether nodes that cannot be read were met: what they held is in `unknown`. */
HISTREE_API bool histree_time_use_is_damaged(const struct histree_time_use *use);

#endif
