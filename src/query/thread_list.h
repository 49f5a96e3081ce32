/* SPDX-License-Identifier: MIT */
/*
 * thread_list.h - the threads of a history in the order of their attributes.
 */
#ifndef QUERY_THREAD_LIST_H
#define QUERY_THREAD_LIST_H

#include "base/arena.h"
#include "histree/history.h"
#include "query/thread.h"

/* A process of a trace of spans, which may have no threads, and what it is called. */
struct span_process {
	int32_t pid;
	const char *name;
};

/* A zeroed one is empty. */
struct thread_list {
	struct histree_thread *threads; /* parent, depth and descendants are those of a view, and not set */
	size_t count, capacity;
	struct intern names;
	struct span_process *processes; /* of a trace of spans, by number */
	size_t process_count, process_capacity;
	size_t number_count; /* of different numbers, at the front; the others are later lives of these */
};

/*
 * Reads the threads that had a status at some time of the range, or all threads if the range is not narrow.  The
 * facts about a thread are from the whole history.  On failure the list holds the threads read so far.
 */
enum histree_status thread_list_read(struct thread_list *list, struct histree_history *history, histree_time from,
				     histree_time to, struct histree_work work, struct histree_error *error);

/*
 * The last name of the program of the thread that has a number in the range, which is kept by `names`; "" if it is
 * not known.  If several had it one after another, of the first of them.
 */
enum histree_status thread_list_name(struct histree_history *history, int32_t tid, histree_time from,
				     histree_time to, struct intern *names, const char **out, bool *are_several,
				     struct histree_error *error);
void thread_list_release(struct thread_list *list);

#endif
