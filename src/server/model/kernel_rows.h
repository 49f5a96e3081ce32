/* SPDX-License-Identifier: MIT */
/*
 * kernel_rows.h - the threads, CPUs and interrupts of a kernel as rows: their attributes, names and facts.
 *
 * What these rows share is made at once; the tree, which may have a million threads, is made separately.
 */
#ifndef SERVER_MODEL_KERNEL_ROWS_H
#define SERVER_MODEL_KERNEL_ROWS_H

#include "histree/segments.h"
#include "server/catalogue/dataset.h"
#include "server/text/json_writer.h"
#include "view/view.h"

struct kernel_threads;

struct kernel_view {
	struct histree_history *history; /* of the dataset */
	histree_time start, end;
	histree_time shown_from; /* what the page counts times from: of a host, the start of the earliest */
	histree_quark *nodes;    /* Threads/<tid>, all of them */
	uint32_t node_count;
	struct histree_resources *resources;
	const struct histree_resource *resource_list;
	uint32_t resource_count;
	struct histree_segment_store *wakeups;          /* NULL: the store was built without them */
	_Atomic(const struct kernel_threads *) threads; /* NULL: their tree has not been made yet */
};

/* Returns the history of a kernel, NULL if the dataset has none. */
struct histree_history *kernel_view_history(const struct dataset *dataset);
bool kernel_view_applies(const struct dataset *dataset);

/*
 * Adds a thread with the name of its program, "bash (42)"; adds nothing for the idle thread.  The tree of threads
 * knows all names; until it is made the history is asked.
 */
void kernel_thread_label(const struct kernel_view *view, int32_t tid, histree_time at, struct byte_buffer *text);

struct kernel_threads {
	struct kernel_view *kernel; /* that of the same dataset */
	struct histree_control_flow *flow;
	const struct histree_thread *list; /* depth first */
	uint32_t count;

	pthread_mutex_t cpu_lock;  /* who adds up the CPU times */
	_Atomic(int64_t *) cpu_ns; /* by thread, over the whole history; NULL: not added up yet */
};

#endif
