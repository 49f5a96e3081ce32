/* SPDX-License-Identifier: MIT */
/*
 * time_use.h - what the threads of a kernel trace did with their time: how long each ran, waited for a CPU and
 * was blocked, by thread, process, CPU, system call or the thread that had the CPU.
 *
 *	request = (struct histree_time_use_request){ .by = HISTREE_BY(THREAD), .from = t1, .to = t2 };
 *	histree_time_use_create(history, &request, &use, &error);
 *	rows = histree_time_use_rows(use, &count);
 *	histree_time_use_free(use);
 *
 * All of it is exact, for any range: each nanosecond of a thread that exists is in one row, under what the thread
 * did then.  The history is one of the analysis `kernel`, or a union of several hosts, whose rows are kept apart.
 *
 * Cost: every state of the threads in the range is read once, and where the request needs them, those of their
 * CPUs, their system calls and the threads that had the CPUs.  If it needs none of these and the history has an
 * overview of sums, only the states at the ends of the range are read.  The same holds for a history with a cube
 * (docs/design/05-pyramid.md), by CPU, state or both, by system call alone, and by the thread that had the CPU,
 * with the state or without, if the expression names no other keys. Memory: about 24 MiB, 70 bytes a thread, and
 * the rows; from a cube of the whole history the rows alone.
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
	HISTREE_USE_IDLE,        /* of the idle loop of a CPU: it runs; its waits are not counted */
	HISTREE_USE_WAITING,     /* could run, but has no CPU */
	HISTREE_USE_BLOCKED,
	HISTREE_USE_OTHER,   /* waits, and it is not known for what; or waits after its creation */
	HISTREE_USE_UNKNOWN, /* unknown to the kernel's analysis, or lost by gaps or damage */
};
#define HISTREE_USE_COUNT 8

/* Returns "user", "system" and so on. */
HISTREE_API const char *histree_use_name(enum histree_use use);

/* The keys that tell rows apart, besides the host. */
enum histree_use_key {
	HISTREE_USE_BY_THREAD,
	HISTREE_USE_BY_PROCESS,
	HISTREE_USE_BY_NAME,        /* of the thread's program, the last one */
	HISTREE_USE_BY_CPU,         /* on which it runs, or for which it waits */
	HISTREE_USE_BY_STATE,       /* enum histree_use */
	HISTREE_USE_BY_SYSTEM_CALL, /* its current call, also while it waits or is blocked */
	HISTREE_USE_BY_HAD_BY,      /* the thread that has the CPU that this one waits for */
};
#define HISTREE_USE_KEY_COUNT 7
#define HISTREE_BY(key) (1u << HISTREE_USE_BY_##key)

/* Returns "thread", "system_call" and so on: the field of an expression, and the column of a table. */
HISTREE_API const char *histree_use_key_name(enum histree_use_key key);

/*
 * Read keys as a user writes them, with commas: thread, process, name, cpu, state, system-call (or system_call) and
 * had-by.  "host" adds none, as each row is of one host.  Returns HISTREE_ERR_ARGUMENT for any other word, and if
 * there is none.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_use_keys_read(const char *text, unsigned *by,
									 struct histree_error *error);

struct histree_time_use_request {
	histree_time from, to; /* both inclusive; may reach beyond the history */
	unsigned by;           /* HISTREE_BY() of keys; 0: one row for each host */
	/*
	 * What to count, an expression of filter.h over the fields host, thread, process, name, cpu, state,
	 * system_call and had_by; NULL: everything.  The idle loops of CPUs are counted by CPU or state only.
	 */
	const char *where;
	/* Find the longest waits and blocked times, for which each state is read even if there are sums. */
	bool longest;
	size_t states_max; /* how many states are in memory at a time, approximately; 0 means 262,144 */
	struct histree_cancel cancel;
};

/*
 * The longest uninterrupted time in the range in which a thread did what the row counts; of equal ones the first.
 */
struct histree_use_longest {
	uint64_t ns; /* 0: there was none */
	histree_time start;
};

struct histree_use_row {
	size_t host; /* in histree_history_hosts(); 0 if the history is of one host */
	/*
	 * By key: an int, for a state as well; a string for a name or a system call.  Null for a key that was not
	 * requested or does not apply (no system call; a thread that waits for no CPU); unknown where the value
	 * is not known.  Bytes are borrowed from the result.
	 */
	struct histree_value keys[HISTREE_USE_KEY_COUNT];
	/* By thread: its position among those that had the number one after another, 0, 1, ... */
	int32_t life;
	int32_t had_by_life;     /* by had-by: the same of that thread */
	histree_time from, to;   /* by thread: the times during which the number was its own */
	const char *name;        /* by thread: of its program, else ""; by had-by alone: of that thread's program */
	const char *had_by_name; /* by had-by: the name of that thread, else "" */
	uint64_t ns[HISTREE_USE_COUNT];
	/*
	 * How many states of threads begin in the range or were going on at its start; by system call: calls of
	 * threads that have something counted here.  A child begins inside the call that created it, so that call
	 * counts for both.
	 */
	uint64_t count;
	struct histree_use_longest longest_wait, longest_block; /* for a CPU; blocked: if `longest` is set */
};

struct histree_time_use;

/*
 * Add up the times of a range.  Returns HISTREE_ERR_ARGUMENT if the expression is wrong, or the history has no
 * threads of a kernel; and HISTREE_ERR_CANCELLED.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_time_use_create(struct histree_history *history, const struct histree_time_use_request *request,
			struct histree_time_use **out, struct histree_error *error);

/*
 * Answer a question about the history of one host that came from another process (view_ask of history_source.h),
 * so that rows travel rather than states.  The caller frees the answer with free().  Returns HISTREE_ERR_FORMAT
 * if the question is malformed.
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

/* Returns what is lost of the states, which count as `unknown`. */
HISTREE_API struct histree_loss histree_time_use_loss(const struct histree_time_use *use);

#endif
