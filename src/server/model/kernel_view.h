/* SPDX-License-Identifier: MIT */
/*
 * kernel_view.h - what the views of a kernel trace share: its history, its resources, its threads in the order of
 * their attributes.
 *
 * It is made at once.  The tree of a million threads is not (kernel_threads.h).
 */
#ifndef SERVER_MODEL_KERNEL_VIEW_H
#define SERVER_MODEL_KERNEL_VIEW_H

#include "histree/segment_store.h"
#include "histree/view.h"
#include "server/catalogue/dataset.h"
#include "server/text/piece.h"

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

/* These are for struct output, where they are documented; the view is made once for all outputs of a dataset. */
enum histree_status kernel_view_make(struct dataset *dataset, void **view, struct histree_error *error);
void kernel_view_free(void *view);

/*
 * Return the tid that had a CPU at a time, and the CPU that a thread had; -1 if there is none or it is not known.
 */
int32_t kernel_view_thread_on(const struct kernel_view *view, int32_t cpu, histree_time at);
int32_t kernel_view_cpu_of(const struct kernel_view *view, int32_t tid, histree_time at);

/* Adds the value that a place has at a time as text; adds nothing if there is none. */
void kernel_view_value_at(const struct kernel_view *view, struct histree_place place, histree_time time,
			  struct piece *text);

/* Gets the last value of an attribute that is not null; returns false if there is none, or no such attribute. */
bool kernel_view_last_value(const struct kernel_view *view, struct histree_query *query, histree_quark quark,
			    struct histree_value *out);

#endif
