/* SPDX-License-Identifier: MIT */
/*
 * time_use.h - where time went: what threads did with it, and flame graphs.
 */
#ifndef HISTREE_TIME_USE_H
#define HISTREE_TIME_USE_H

#include "cursor.h"
#include "history.h"
#include "segments.h"

/* ==== time use ================================================================================================ */

/*
 * What the threads of a kernel trace did with their time: how long each ran, waited for a CPU and
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
 * with the state or without, if the expression names no other keys.  Memory: about 24 MiB, 70 bytes a thread, and
 * the rows; from a cube of the whole history the rows alone.
 *
 * Threads: creating uses a query of its own; any number of threads may read the result.
 */

/* What a thread does. */
enum histree_use {
	HISTREE_USE_USER,        /* runs in user mode */
	HISTREE_USE_SYSTEM,      /* runs in a system call */
	HISTREE_USE_INTERRUPTED, /* has a CPU, on which an interrupt or softirq runs */
	HISTREE_USE_IDLE,        /* of the idle loop of a CPU: it runs; its waits are not counted */
	HISTREE_USE_WAITING,     /* waits for a CPU */
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
 * Read keys as a user writes them, with commas: thread, process, name, cpu, state, system-call (or system_call)
 * and had-by. "host" is allowed and adds no key, because each row is of one host anyway.  Returns
 * HISTREE_ERR_ARGUMENT for any other word, including an empty one.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_use_keys_read(const char *text, unsigned *by,
									 struct histree_error *error);

struct histree_time_use_request {
	histree_time from, to; /* both inclusive; may reach beyond the history */
	unsigned by;           /* HISTREE_BY() of keys; 0: one row for each host */
	/*
	 * What to count, an expression of filter.h over the fields host, thread, process, name, cpu, state,
	 * system_call and had_by, thread and process by number or name; NULL: everything.  The idle loops of CPUs
	 * are counted by CPU or state only.
	 */
	const char *where;
	/*
	 * Find the longest waits and blocked times; each state is then read even if there is an overview of sums.
	 */
	bool longest;
	size_t states_max; /* how many states are in memory at a time, approximately; 0 means 262,144 */
	struct histree_work work;
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
	const char *name;        /* by thread: of its program; by process alone: of its first thread; else "" */
	const char *had_by_name; /* by had-by: the name of that thread, else "" */
	uint64_t ns[HISTREE_USE_COUNT];
	/*
	 * How many states of threads begin in the range or were going on at its start; by system call: calls of
	 * threads that have something counted here.  A child begins inside the call that created it, so that call
	 * counts for both.
	 */
	uint64_t count;
	/* The longest wait for a CPU and the longest time blocked; only if `longest` is set. */
	struct histree_use_longest longest_wait, longest_block;
};

struct histree_time_use;

/*
 * Add up the times of a range.  Returns HISTREE_ERR_ARGUMENT if the expression is wrong, or the history has no
 * threads of a kernel; HISTREE_ERR_CANCELLED if `work` ends the call.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_time_use_create(struct histree_history *history, const struct histree_time_use_request *request,
			struct histree_time_use **out, struct histree_error *error);

/*
 * Answer a question about the history of one host that came from another process (view_ask of history.h),
 * so that rows travel rather than states.  The caller frees the answer with free().  Returns HISTREE_ERR_FORMAT
 * if the question is malformed.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_time_use_answer(struct histree_history *history, const void *question, size_t size,
			struct histree_work work, void **answer, size_t *answer_size, struct histree_error *error);

/* Free it, or do nothing if it is NULL. */
HISTREE_API void histree_time_use_free(struct histree_time_use *use);

/*
 * Returns the rows: by CPU alone in the order of CPUs; else by the time that their threads ran, waited and were
 * blocked.
 */
HISTREE_API const struct histree_use_row *histree_time_use_rows(const struct histree_time_use *use, size_t *count);

/* Returns what is lost of the states, which count as `unknown`. */
HISTREE_API struct histree_loss histree_time_use_loss(const struct histree_time_use *use);

/* ==== flame =================================================================================================== */

/*
 * A flame graph: stacks of words with a weight each, a time or a count, added up into a tree.
 *
 *	histree_flame_create(&(struct histree_flame_options){ 0 }, &flame, &error);
 *	request = (struct histree_flame_request){ .history = history, .from = t1, .to = t2 };
 *	histree_flame_add_history(flame, &request, &error);
 *	histree_flame_finish(flame, &error);
 *	nodes = histree_flame_nodes(flame, &count);
 *	histree_flame_free(flame);
 *
 * Stacks come from the call stacks of a history or from samples, exactly for any window, or from the caller
 * (histree_flame_add()).  Each weight belongs to one of two sides, so a flame of A and B also shows their
 * difference.
 *
 * Memory: about 170 bytes a node, and the names, both limited by the options; 24 MiB while a history is read.
 * Cost: every state of the stacks in the window is read once.
 *
 * Threads: one thread at a time makes a flame; once it is finished, any number of threads may read it.
 */

#define HISTREE_FLAME_SIDES 2
#define HISTREE_FLAME_NAME_MAX 1000 /* bytes of a name; longer names are cut */

enum histree_flame_kind {
	HISTREE_FLAME_ROOT,    /* the first node: all stacks */
	HISTREE_FLAME_FRAME,   /* a function, a span, or another element of stacks */
	HISTREE_FLAME_GROUP,   /* a group of stacks: a thread */
	HISTREE_FLAME_UNKNOWN, /* it is not known what was there: events are missing, or the store is damaged */
	HISTREE_FLAME_REST,    /* frames that did not fit into the allowed memory */
};
#define HISTREE_FLAME_KIND_COUNT 5

struct histree_flame_frame {
	const char *name; /* `size` bytes; NULL for HISTREE_FLAME_UNKNOWN */
	size_t size;
	enum histree_flame_kind kind; /* FRAME, GROUP or UNKNOWN */
};

struct histree_flame_node {
	const char *name;     /* terminated, borrowed from the flame; "" for the root */
	uint32_t parent;      /* an index; HISTREE_NO_INDEX for the root */
	uint32_t depth;       /* 0 for the root */
	uint32_t descendants; /* number of them; they follow it in the array */
	enum histree_flame_kind kind;
	/*
	 * The weight by side, in ns or histree_flame_unit(): `self` without what is below the node, `total` with
	 * it; UINT64_MAX if it does not fit.
	 */
	uint64_t self[HISTREE_FLAME_SIDES], total[HISTREE_FLAME_SIDES];
};

struct histree_flame;

struct histree_flame_options {
	uint32_t nodes_max; /* 0: 262,144; frames beyond it go into a HISTREE_FLAME_REST, one below each node */
	size_t names_max;   /* bytes of all names together; 0: 16 MiB */
};

/* Create a flame.  The caller frees *out. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_flame_create(const struct histree_flame_options *options,
									struct histree_flame **out,
									struct histree_error *error);

/* Free it, or do nothing if it is NULL. */
HISTREE_API void histree_flame_free(struct histree_flame *flame);

/*
 * Add the weight of a stack, the outermost frame first, to a side, 0 or 1.  Returns HISTREE_ERR_ARGUMENT if there
 * is no such side or the flame is finished, or HISTREE_ERR_MEMORY; what was added before stays.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_flame_add(struct histree_flame *flame, unsigned side,
								     const struct histree_flame_frame *frames,
								     size_t count, uint64_t ns,
								     struct histree_error *error);

struct histree_flame_request {
	struct histree_history *history;
	/*
	 * Add the stacks at and below these attributes; NULL: all of the history.  A stack is an attribute called
	 * CallStack that has a level 1 below it, and maybe others.
	 */
	const histree_quark *quarks;
	size_t quark_count;
	histree_time from, to; /* both inclusive; may reach beyond the history */
	unsigned side;         /* 0 or 1 */
	bool by_thread;        /* the outermost frame is the thread */
	size_t states_max;     /* how many states are in memory at a time, approximately; 0 means 262,144 */
	struct histree_work work;
};

/*
 * Add the call stacks of a history (analyses `ust-calls` and `tracks`, and callstack of definition files).  A
 * frame is a value that is not null, in the order of the levels, by its label if it has one; a number without a
 * label is an address.  From the first unknown value on, the stack is unknown.  While all levels are null,
 * nothing is added.
 *
 * Returns HISTREE_NOT_FOUND if there is no stack, HISTREE_ERR_ARGUMENT, HISTREE_ERR_QUARK, or
 * HISTREE_ERR_CANCELLED.  After an error the flame has part of the stacks.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_flame_add_history(struct histree_flame *flame, const struct histree_flame_request *request,
			  struct histree_error *error);

struct histree_flame_waits_request {
	struct histree_history *graph;  /* of the analysis `graph` */
	struct histree_history *kernel; /* of `kernel`, for system calls; NULL: stacks have no system calls */
	/*
	 * The threads whose waits are added, each by its host and number; NULL: all threads, except the idle loop
	 * and the kernel working for no thread.
	 */
	const struct histree_flame_thread {
		size_t host; /* in histree_history_hosts() of the graph; 0 if it is of one host */
		int32_t tid;
	} * threads;
	size_t thread_count;
	histree_time from, to; /* both inclusive; may reach beyond the history */
	unsigned depth;        /* the most wakers of a stack, up to HISTREE_PATH_WAKERS_MAX (critical_path.h) */
	unsigned side;         /* 0 or 1 */
	bool by_thread;        /* threads are distinguished by number, else by name */
	struct histree_work work;
};

/*
 * Add the periods in which threads had no CPU.  A stack is: the thread; its system call, if `kernel` is given;
 * what it waited for; the thread that ended the wait; the one that ended the last wait of that thread meanwhile;
 * and so on.
 *
 * Returns HISTREE_ERR_ARGUMENT, or HISTREE_ERR_CANCELLED.  After an error the flame has part of the stacks.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_flame_add_waits(struct histree_flame *flame, const struct histree_flame_waits_request *request,
			struct histree_error *error);

/* The outermost frame of samples. */
enum histree_flame_group {
	HISTREE_FLAME_TOGETHER,
	HISTREE_FLAME_BY_THREAD,
	HISTREE_FLAME_BY_PROCESS,
	HISTREE_FLAME_BY_CPU,
};

struct histree_flame_samples_request {
	/* Of the analyses `samples` and `sample-stacks` of one store. */
	struct histree_segment_store *samples, *stacks;
	struct histree_segment_query query; /* which samples: window, filters, cancel; the rest is ignored */
	/* Only samples of this event; NULL: of the event with the most samples */
	const char *event;
	bool counts; /* weigh each as one; else by its period */
	enum histree_flame_group group;
	unsigned side; /* 0 or 1 */
};

/*
 * Add the stacks of samples.  histree_flame_unit() then returns the unit of their weights.
 *
 * Returns HISTREE_ERR_ARGUMENT if the stores are of other analyses, or if what was added before has another unit;
 * HISTREE_ERR_CANCELLED.  After an error the flame has part of the stacks.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_flame_add_samples(struct histree_flame *flame, const struct histree_flame_samples_request *request,
			  struct histree_error *error);

/* Returns the unit of weights: "cycles", "samples"; NULL: ns. */
HISTREE_API const char *histree_flame_unit(const struct histree_flame *flame);

/*
 * Returns the event whose samples were added to a side, and how many events had samples; NULL and 0 if no samples
 * were added.
 */
HISTREE_API const char *histree_flame_event(const struct histree_flame *flame, unsigned side, uint32_t *count);

/* Returns what is lost of this side, in its histories and stores together; what was lost is unknown. */
HISTREE_API struct histree_loss histree_flame_loss(const struct histree_flame *flame, unsigned side);

/* Add up the totals; nothing can be added after that.  A second call does nothing. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_flame_finish(struct histree_flame *flame,
									struct histree_error *error);

/*
 * Returns the nodes, depth first, beginning with the root; siblings come by decreasing total of both sides, then
 * by name, with the unknown and the rest last.  Returns NULL and a count of 0 until the flame is finished.
 */
HISTREE_API const struct histree_flame_node *histree_flame_nodes(const struct histree_flame *flame,
								 uint32_t *count);

#endif
