/* SPDX-License-Identifier: MIT */
/*
 * kernel_threads.h - the threads of a kernel as a tree, and how long each of them had a CPU.
 */
#ifndef SERVER_MODEL_KERNEL_THREADS_H
#define SERVER_MODEL_KERNEL_THREADS_H

#include "server/model/kernel_view.h"

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
