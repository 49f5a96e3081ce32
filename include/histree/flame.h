/* SPDX-License-Identifier: MIT */
/*
 * flame.h - a flame graph: stacks of words with a weight each, a time or a count, added up into a tree.
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
#ifndef HISTREE_FLAME_H
#define HISTREE_FLAME_H

#include "segment_store.h"
#include "view.h"

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
	 * By side, in ns or histree_flame_unit(): without, and with, what is below it; UINT64_MAX: it does not
	 * fit.
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
 * is no such side or the flame is finished, HISTREE_ERR_MEMORY; what was there before stays.
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
	struct histree_cancel cancel;
};

/*
 * Add the call stacks of a history (analyses `ust-calls` and `tracks`, and callstack of definition files).  A
 * frame is a value that is not null, in the order of the levels, by its label if it has one; a number without a
 * label is an address.  From the first unknown value on, the stack is unknown.  While all levels are null,
 * nothing is added.
 *
 * Returns HISTREE_NOT_FOUND if there is no stack, HISTREE_ERR_ARGUMENT, HISTREE_ERR_QUARK, or
 * HISTREE_ERR_CANCELLED. After an error the flame has part of the stacks.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_flame_add_history(struct histree_flame *flame, const struct histree_flame_request *request,
			  struct histree_error *error);

struct histree_flame_waits_request {
	struct histree_history *graph;  /* of the analysis `graph` */
	struct histree_history *kernel; /* of `kernel`, for system calls; NULL: stacks have no system calls */
	/*
	 * The threads whose waits are added, in pairs; NULL: all threads, except the idle loop and the kernel
	 * working for no thread.
	 */
	const struct histree_flame_thread {
		size_t host; /* in histree_history_hosts() of the graph; 0 if it is of one host */
		int32_t tid;
	} * threads;
	size_t thread_count;
	histree_time from, to; /* both inclusive; may reach beyond the history */
	unsigned depth;        /* the most wakers of a stack, up to HISTREE_PATH_WAKERS_MAX (critical_path.h) */
	unsigned side;         /* 0 or 1 */
	bool by_thread;        /* threads are told apart by number, else by name */
	struct histree_cancel cancel;
};

/*
 * Add the times at which threads had no CPU.  A stack is: the thread; its system call, if `kernel` is given; what
 * it waited for; the thread that ended the wait; the one that ended the last wait of that thread meanwhile; and
 * so on.
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
