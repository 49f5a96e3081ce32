/* SPDX-License-Identifier: MIT */
/*
 * kernel_view.h - what the outputs of a kernel trace share: its history, its threads as a tree, its resources.
 *
 * A million threads are not put in a tree at once.  An early view is: it has all but the tree, and the threads in
 * the order of their attributes.
 */
#ifndef SERVER_KERNEL_VIEW_H
#define SERVER_KERNEL_VIEW_H

#include "histree/segment_store.h"
#include "histree/view.h"
#include "server/dataset.h"
#include "server/piece.h"

struct kernel_view {
	struct histree_history *history; /* of the dataset */
	histree_time start, end;
	const char *name;                  /* of the first entry of each tree */
	histree_quark *nodes;              /* Threads/<tid>, of an early view; else NULL */
	struct histree_control_flow *flow; /* NULL: an early view, and `threads` too */
	const struct histree_thread *threads;
	uint32_t thread_count;
	struct histree_resources *resources;
	const struct histree_resource *resource_list;
	uint32_t resource_count;
	struct histree_segment_store *wakeups; /* NULL: the store was built without them */

	pthread_mutex_t cpu_lock;  /* who adds up the CPU times */
	_Atomic(int64_t *) cpu_ns; /* by thread, over the whole history; NULL: not added up yet */
};

/* Whether there is a history of a kernel. */
bool kernel_view_applies(const struct dataset *dataset);

/* For struct output, see there; made once for all outputs of a dataset. */
enum histree_status kernel_view_make(struct dataset *dataset, void **view, struct histree_error *error);
enum histree_status kernel_view_make_early(struct dataset *dataset, void **view, struct histree_error *error);
void kernel_view_free(void *view);

/* The name of the program of a thread, for labels: "bash (42)"; nothing for the idle thread. */
void kernel_view_thread_label(const struct kernel_view *view, int32_t tid, struct piece *text);

/* What stands in a state of a thread; of a resource, nothing where its colour says it all. */
void kernel_view_thread_text(const void *view, enum histree_meaning meaning, const struct histree_value *value,
			     struct piece *text);
void kernel_view_resource_text(const void *view, enum histree_meaning meaning, const struct histree_value *value,
			       struct piece *text);

/* The tid that had a CPU at a time, and the CPU that a thread had; -1: none, or it is not known. */
int32_t kernel_view_thread_on(const struct kernel_view *view, int32_t cpu, histree_time at);
int32_t kernel_view_cpu_of(const struct kernel_view *view, int32_t tid, histree_time at);

/* Add up the CPU times of all threads, which costs a look at every switch of the history.  Once; others wait. */
enum histree_status kernel_view_add_up_cpu(struct kernel_view *view, struct histree_error *error);

/* -1: not added up yet. */
int64_t kernel_view_cpu_ns(const struct kernel_view *view, uint32_t thread);

/* The value of an attribute at a time as text; nothing where there is none. */
void kernel_view_value_at(const struct kernel_view *view, histree_quark quark, histree_time time,
			  struct piece *text);

#endif
