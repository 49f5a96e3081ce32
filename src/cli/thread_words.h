/* SPDX-License-Identifier: MIT */
/*
 * thread_words.h - threads as the command line names them, the same wherever a thread is asked for.
 *
 *	2673		a number
 *	vlc		a name, the last one that a thread had: all threads with it
 *	'vl*'		a pattern of names, in which * also stands for slashes
 *	vlc:VLC*	PROCESS:THREAD, each a number, a name or a pattern; without THREAD, all of the process
 *	Threads/2673	the path of its states, which in a trace of spans is Processes/7/2673
 *	checkout	in a trace of spans, also the asynchronous tracks of a process; checkout: is all of it
 *	db/2673		any of these of one host of several
 *	2673,vlc	several, with commas
 *
 * A word is taken whole first: "kworker/0:1" is a name, where a thread is called so.  Names are looked for in the
 * history of the kernel, or of a trace of spans, which is read only where a word has no number.
 */
#ifndef CLI_THREAD_WORDS_H
#define CLI_THREAD_WORDS_H

#include "cli/attribute_list.h"
#include "cli/report.h"
#include "cli/target.h"
#include "view/view.h"

enum { THREAD_ANY_HOST = -1 };

/* In the place of the number: of a process of a trace of spans, what is on asynchronous tracks. */
#define THREAD_OF_NO_NUMBER INT32_MIN

struct named_thread {
	long host;   /* THREAD_ANY_HOST: a number alone is meant wherever it is */
	int32_t pid; /* of a trace of spans, in which threads of several processes have one number; 0: any */
	int32_t tid;
	histree_time from, to;               /* while the number was its own */
	const struct histree_thread *thread; /* NULL: it was said by its number */
};

/* Zeroed, it is empty; thread_words_release() also after failure. */
struct thread_words {
	struct named_thread *threads; /* by host, process and number, each once */
	size_t count, capacity;
	struct histree_history *kernel; /* where names were looked for; NULL: nowhere */
	struct histree_cursor *query;   /* of names of processes there; NULL: none was asked for */
	size_t query_host;
	struct histree_history *opened;      /* the same, if it was opened for that */
	struct histree_control_flow **flows; /* by host */
	size_t flow_count;
};

/*
 * Reads a word.  `history` is one of the store, or NULL: then its default one has the names.  What is wrong, or
 * that there is no such thread, is reported.
 */
enum cli_exit thread_words_read(struct thread_words *words, const char *text, const struct target *target,
				struct histree_history *history);
void thread_words_release(struct thread_words *words);

/*
 * As attribute_list_match(), where what is no path may name threads, whose states are then meant.
 */
enum cli_exit thread_words_match(struct attribute_list *list, const struct target *target,
				 struct histree_history *history, char *const *patterns, size_t pattern_count,
				 enum attribute_kinds kinds);

/*
 * Reads a word that stands for one thread of a history.  Of several it is the one that ran longest from `from` to
 * `to`, and that is said.
 */
enum cli_exit thread_words_one(const char *text, const struct target *target, struct histree_history *history,
			       histree_time from, histree_time to, struct named_thread *out);

/* Finds the host of a thread: of a number alone, the one that has it. */
enum cli_exit thread_words_host(const struct named_thread *named, struct histree_history *history, size_t *host);

/*
 * Returns whether a number was one of the threads at a time; `host` is that of several, or 0, and `pid` the process
 * in a trace of spans, or 0.
 */
bool thread_words_have(const struct thread_words *words, size_t host, int32_t pid, int32_t tid, histree_time time);

/*
 * Writes the conditions of --host, --thread and --where as one, as `histree top` has them.  *out is to be freed,
 * and stays NULL if the last is all that there is.
 */
enum cli_exit thread_words_where(const struct cli_question *question, const struct target *target,
				 struct histree_history *history, char **out);

#endif
