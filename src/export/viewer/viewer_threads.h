/* SPDX-License-Identifier: MIT */
/*
 * viewer_threads.h - the threads of a kernel history as tracks of their processes, with their names.
 */
#ifndef EXPORT_VIEWER_VIEWER_THREADS_H
#define EXPORT_VIEWER_VIEWER_THREADS_H

#include "export/viewer/viewer_file.h"
#include "histree/view.h"

struct viewer_threads {
	struct viewer_file *file;
	struct histree_control_flow *flow; /* NULL: nothing is known of threads */
	const struct histree_thread *threads;
	uint32_t count;
};

/* Read the threads of a history, which may be NULL.  Returns the status of the file. */
enum histree_status viewer_threads_begin(struct viewer_threads *threads, struct viewer_file *file,
					 struct histree_history *history, struct histree_cancel cancel);
void viewer_threads_release(struct viewer_threads *threads);

/* Returns the track of a thread of the list; NULL after a failure. */
struct viewer_track *viewer_threads_track(struct viewer_threads *threads, const struct histree_thread *thread);

/*
 * Returns the track of the thread with this number: of its process if that is known, else of `pid` if the caller
 * has one (`has_pid`), else of none.
 */
struct viewer_track *viewer_threads_find(struct viewer_threads *threads, int64_t tid, bool has_pid, int64_t pid);

/* Write what a CPU says that runs there: "bash 42", "idle".  Returns the length. */
size_t viewer_threads_words(const struct viewer_threads *threads, int32_t tid, char *text, size_t capacity);

/* Returns the track of a process; NULL after a failure. */
struct viewer_track *viewer_threads_process(struct viewer_threads *threads, int64_t pid);

#endif
