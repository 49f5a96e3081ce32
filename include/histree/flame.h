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
 * Stacks come from the call stacks of a history or from samples, exactly for any window, or from anywhere
 * (histree_flame_add()).  Each time is of one of two sides, so that a flame of A and B is their difference as well.
 *
 * Memory: about 170 bytes a node and the names, of which there are as many as the options allow; 24 MiB while a
 * history is read.  Cost: every state of the stacks in the window is read once.
 *
 * Threads: one at a time makes a flame; once it is finished, any number of them may read it.
 */
#ifndef HISTREE_FLAME_H
#define HISTREE_FLAME_H

#include "segment_store.h"
#include "view.h"

#define HISTREE_FLAME_SIDES 2
#define HISTREE_FLAME_NAME_MAX 1000 /* bytes of a name; what is longer is cut */

enum histree_flame_kind {
	HISTREE_FLAME_ROOT,    /* the first node: all stacks */
	HISTREE_FLAME_FRAME,   /* a function, a span, or whatever stacks are made of */
	HISTREE_FLAME_GROUP,   /* what holds stacks together: a thread */
	HISTREE_FLAME_UNKNOWN, /* nobody knows what was there: events are missing, or the store is damaged */
	HISTREE_FLAME_REST,    /* too much to be told apart in the memory that is allowed */
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
	uint32_t descendants; /* how many; they follow it in the array */
	enum histree_flame_kind kind;
	/* By side, in ns or histree_flame_unit(): without, and with, what is below it; UINT64_MAX: too much. */
	uint64_t self[HISTREE_FLAME_SIDES], total[HISTREE_FLAME_SIDES];
};

struct histree_flame;

struct histree_flame_options {
	uint32_t nodes_max; /* 0: 262,144; what has no place is HISTREE_FLAME_REST, one below each node */
	size_t names_max;   /* bytes of all names together; 0: 16 MiB */
};

/* The caller frees *out. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_flame_create(const struct histree_flame_options *options,
									struct histree_flame **out,
									struct histree_error *error);

/* Free it, or do nothing if it is NULL. */
HISTREE_API void histree_flame_free(struct histree_flame *flame);

/*
 * Add a stack, the outermost frame first, that lasted so long on a side, 0 or 1.  Returns HISTREE_ERR_ARGUMENT if
 * the side is none or the flame is finished, HISTREE_ERR_MEMORY; what was there before stays.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_flame_add(struct histree_flame *flame, unsigned side,
								     const struct histree_flame_frame *frames,
								     size_t count, uint64_t ns,
								     struct histree_error *error);

struct histree_flame_request {
	struct histree_history *history;
	/*
	 * Add the stacks at and below these attributes; NULL: all that the history has.  A stack is an attribute
	 * that is called CallStack and has a level 1 below it, and others.
	 */
	const histree_quark *quarks;
	size_t quark_count;
	histree_time from, to; /* both inclusive; may reach beyond the history */
	unsigned side;         /* 0 or 1 */
	bool by_thread;        /* the outermost frame is the thread */
	size_t states_max;     /* how many states are in memory at a time, more or less; 0 means 262,144 */
	struct histree_cancel cancel;
};

/*
 * Add the call stacks of a history (analyses `ust-calls` and `tracks`, and callstack of definition files).  A frame
 * is a value that is not null, in the order of the levels, by its label if it has one; a number without one is an
 * address.  From the first unknown value on, the stack is unknown.  While all levels are null, nothing is added.
 *
 * Returns HISTREE_NOT_FOUND if there is no stack, HISTREE_ERR_ARGUMENT, HISTREE_ERR_QUARK, or
 * HISTREE_ERR_CANCELLED.  After an error the flame has a part of it.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_flame_add_history(struct histree_flame *flame, const struct histree_flame_request *request,
			  struct histree_error *error);

struct histree_flame_waits_request {
	struct histree_history *graph;  /* of the analysis `graph` */
	struct histree_history *kernel; /* of `kernel`, for system calls; NULL: stacks are without them */
	/* Whose waits, in pairs; NULL: those of all threads but the idle loop and the kernel at work for nobody. */
	const struct histree_flame_thread {
		size_t host; /* in histree_history_hosts() of the graph; 0 if it is of one host */
		int32_t tid;
	} * threads;
	size_t thread_count;
	histree_time from, to; /* both inclusive; may reach beyond the history */
	unsigned depth;        /* wakers of a stack at most, up to HISTREE_PATH_WAKERS_MAX (critical_path.h) */
	unsigned side;         /* 0 or 1 */
	bool by_thread;        /* threads are told apart by number, else by name */
	struct histree_cancel cancel;
};

/*
 * Add the times at which threads had no CPU, as stacks of: the thread; the system call in which it was, if `kernel`
 * is there; what it waited for; who ended that; who ended the last wait of that one meanwhile; and so on.
 *
 * Returns HISTREE_ERR_ARGUMENT, or HISTREE_ERR_CANCELLED.  After an error the flame has a part of it.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_flame_add_waits(struct histree_flame *flame, const struct histree_flame_waits_request *request,
			struct histree_error *error);

/* What samples are told apart by: the outermost frame. */
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
	const char *event;                  /* of this event; NULL: of the one that has most of them */
	bool counts;                        /* weigh each as one; else by its period */
	enum histree_flame_group group;
	unsigned side; /* 0 or 1 */
};

/*
 * Add the stacks of samples.  Their weights are in the unit that histree_flame_unit() then says.
 *
 * Returns HISTREE_ERR_ARGUMENT if the stores are of other analyses, or if what was added before has another unit;
 * HISTREE_ERR_CANCELLED.  After an error the flame has a part of it.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_flame_add_samples(struct histree_flame *flame, const struct histree_flame_samples_request *request,
			  struct histree_error *error);

/* Returns what weights count: "cycles", "samples"; NULL: they are ns. */
HISTREE_API const char *histree_flame_unit(const struct histree_flame *flame);

/*
 * Returns the event whose samples were added to a side, and of how many events there were some; NULL and 0 if none
 * were.
 */
HISTREE_API const char *histree_flame_event(const struct histree_flame *flame, unsigned side, uint32_t *count);

/* Returns whether nodes of a history or a store on this side could not be read: what they held is unknown. */
HISTREE_API bool histree_flame_is_damaged(const struct histree_flame *flame, unsigned side);

/* Add up the totals; nothing can be added any more.  Once more does nothing. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_flame_finish(struct histree_flame *flame,
									struct histree_error *error);

/*
 * Returns the nodes, depth first, beginning with the root; of siblings that with the greatest total of both sides
 * comes first, then by name, and what is unknown or the rest last.  NULL and a count of 0: it is not finished.
 */
HISTREE_API const struct histree_flame_node *histree_flame_nodes(const struct histree_flame *flame,
								 uint32_t *count);

#endif
