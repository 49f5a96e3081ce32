/* SPDX-License-Identifier: MIT */
/*
 * kernel_rows.h - the threads, CPUs and interrupts of a kernel as rows: where they are, what they are called, what
 * is known of them.
 *
 * What is known of the states of threads and of resources.
 *
 * What is written for people in the views of a kernel.
 *
 * The threads of a kernel as a tree, and how long each of them had a CPU.
 *
 * What the views of a kernel trace share: its history, its resources, its threads in the order of
 * their attributes.
 *
 * It is made at once.  The tree of a million threads is not (kernel_threads.h).
 */
#ifndef SERVER_MODEL_KERNEL_ROWS_H
#define SERVER_MODEL_KERNEL_ROWS_H

#include "histree/segment_store.h"
#include "histree/view.h"
#include "server/catalogue/dataset.h"
#include "server/model/state_fact.h"
#include "server/text/piece.h"

/* The views are a struct kernel_threads and a struct kernel_view. */
extern const struct state_fact kernel_thread_facts[], kernel_resource_facts[];

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

/*
 * Adds a thread with the name of its program, "bash (42)"; adds nothing for the idle thread.  The tree of threads
 * knows all names; until it is made the history is asked.
 */
void kernel_thread_label(const struct kernel_view *view, int32_t tid, histree_time at, struct piece *text);

/*
 * Adds the text of a thread's state, or of a resource's, which has none if its colour says it all.  `view` is
 * that of the row model or output.
 */
void kernel_thread_text(const void *view, const struct histree_label_table *table,
			const struct histree_value *value, histree_time at, struct piece *text);
void kernel_resource_text(const void *view, const struct histree_label_table *table,
			  const struct histree_value *value, histree_time at, struct piece *text);

struct kernel_threads {
	struct kernel_view *kernel; /* that of the same dataset */
	struct histree_control_flow *flow;
	const struct histree_thread *list; /* depth first */
	uint32_t count;

	pthread_mutex_t cpu_lock;  /* who adds up the CPU times */
	_Atomic(int64_t *) cpu_ns; /* by thread, over the whole history; NULL: not added up yet */
};

/* These are for struct output, where they are documented; the view is made once for all outputs of a dataset. */
enum histree_status kernel_threads_make(struct dataset *dataset, void **view, struct histree_error *error);
void kernel_threads_free(void *view);

/*
 * Adds up the CPU times of all threads, which costs a look at every switch of the history.  This is done once;
 * others wait.
 */
enum histree_status kernel_threads_add_up_cpu(struct kernel_threads *threads, struct histree_error *error);

/* Returns -1 if the times have not been added up yet. */
int64_t kernel_threads_cpu_ns(const struct kernel_threads *threads, uint32_t thread);

#endif
