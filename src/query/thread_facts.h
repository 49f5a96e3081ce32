/* SPDX-License-Identifier: MIT */
/*
 * thread_facts.h - what a history says of the thread that had a number at a time: its name, and its process.
 *
 * In expressions these are the fields `thread`, `process` and `name`, whatever is asked for: states, segments,
 * events.  A thread and a process are compared with their number or with their name.
 */
#ifndef QUERY_THREAD_FACTS_H
#define QUERY_THREAD_FACTS_H

#include "filter/filter.h"
#include "query/thread_list.h"

/* The fields, in this order wherever they are. */
enum thread_field { THREAD_FIELD_THREAD, THREAD_FIELD_PROCESS, THREAD_FIELD_NAME, THREAD_FIELDS };

extern const char *const thread_field_names[THREAD_FIELDS];

struct thread_facts_of_host;

/* Zeroed, they say nothing.  Of a host that the history has not, nothing is known. */
struct thread_facts {
	struct thread_facts_of_host *hosts;
	size_t host_count;
};

/* Returns whether a history says names and processes of threads, of one host at least. */
bool thread_facts_are_in(const struct histree_history *history);

/*
 * Reads all threads, of the hosts with these names, in their order, which are `stride` bytes apart; NULL: of the
 * one host that there is.  Call thread_facts_release() also after failure.
 */
enum histree_status thread_facts_read(struct thread_facts *facts, struct histree_history *history,
				      const char *const *names, size_t stride, size_t host_count,
				      struct histree_work work, struct histree_error *error);
void thread_facts_release(struct thread_facts *facts);

/*
 * Whose something is.  In a trace of spans, threads of several processes have one number, and what is asked about
 * says the process; 0: it does not.
 */
struct thread_owner {
	size_t host;
	int32_t tid; /* 0: it is no thread's */
	int32_t pid;
	bool is_of_spans;
};

/* The threads that had the number, in the order of time.  Returns how many. */
size_t thread_facts_of(const struct thread_facts *facts, const struct thread_owner *owner,
		       const struct histree_thread *const **threads);

/* The one that has it at a time: the last that had begun; NULL: it is not known. */
const struct histree_thread *thread_facts_find(const struct thread_facts *facts, const struct thread_owner *owner,
					       histree_time time);

/*
 * Writes the three fields of an owner at a time: what they are, and the second values of filter_match_either();
 * `others` may be NULL.  `thread` is what is known of it, or NULL.
 */
void thread_facts_fill(const struct thread_facts *facts, const struct thread_owner *owner,
		       const struct histree_thread *thread, histree_time time, struct histree_value *values,
		       struct histree_value *others);

/*
 * Returns whether an expression cannot do without the facts: it says more of threads than their numbers.  `fields`
 * are the numbers of the three; SIZE_MAX: it has not this one.
 */
bool thread_facts_are_named(const struct histree_filter *filter, const size_t fields[THREAD_FIELDS]);

#endif
