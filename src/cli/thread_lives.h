/* SPDX-License-Identifier: MIT */
/*
 * thread_lives.h - which thread had a number at a time, if several had it one after another.
 *
 * Segments, sums and histories other than the kernel's identify threads by their numbers alone.  The history of the
 * kernel shows which thread had a number when.
 */
#ifndef CLI_THREAD_LIVES_H
#define CLI_THREAD_LIVES_H

#include "view/view.h"

/* Returns whether a history is one of the kernel, which says when a number was whose; false for NULL. */
bool thread_lives_are_of(const struct histree_history *history);

/* A zeroed one knows nothing, so that a number is a number. */
struct thread_lives {
	struct histree_control_flow **flows; /* by host; NULL: no number was reused, or it is not known */
	size_t host_count;
};

/*
 * Reads the lives from a history of the kernel, of all of its hosts or only of `host` if that is not NULL; another
 * history has none.  Call thread_lives_release() also after failure.
 */
enum histree_status thread_lives_read(struct thread_lives *lives, struct histree_history *history, const char *host,
				      struct histree_work work, struct histree_error *error);
void thread_lives_release(struct thread_lives *lives);

/* The same if some of these numbers was used again; that costs a query each, for few threads among many. */
enum histree_status thread_lives_read_of(struct thread_lives *lives, struct histree_history *history,
					 const int32_t *tids, size_t tid_count, struct histree_work work,
					 struct histree_error *error);

/* Returns whether some number of some host was used again. */
bool thread_lives_are_any(const struct thread_lives *lives);

/* Returns the thread that had a number at a time; NULL: no other thread had it, before or after that. */
const struct histree_thread *thread_lives_find(const struct thread_lives *lives, size_t host, int32_t tid,
					       histree_time time);

/* A row of a history below "Threads": "614", or "614 (life 1)" where rows are of one thread each. */
struct thread_row {
	int32_t tid, life;
	bool is_its_own; /* it is of one thread, also after that ended; else of all that had the number */
};

/* Returns false for another name, and where rows are of numbers and what they hold outlives threads. */
bool thread_row_read(const struct histree_history *history, const char *name, struct thread_row *out);

/* The same of a path, "Threads/614/...", of CPU usage "CPUs/0/614", or below the folder of a host. */
bool thread_row_of_path(const struct histree_history *history, const char *path, struct thread_row *out);

/* Returns the thread of a row at a time; NULL: no other thread had its number, before or after that. */
const struct histree_thread *thread_lives_of_row(const struct thread_lives *lives, size_t host,
						 const struct thread_row *row, histree_time time);

/* Writes what a thread is called beside the others of its number, as "812 (baker, life 1)". */
size_t thread_lives_name(const struct histree_thread *thread, char *text, size_t size);

enum { THREAD_LIVES_NAME_SIZE = 96 };

#endif
