/* SPDX-License-Identifier: MIT */
/*
 * thread.h - a thread of the kernel, as views show it and expressions about states name it.
 */
#ifndef QUERY_THREAD_H
#define QUERY_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/attributes.h"

struct histree_thread {
	const char *name; /* the last name of its program; "" if not known */
	/* 0: the idle thread of a CPU; -1: the thread, not known, that ran before the first switch */
	int32_t tid;
	int32_t pid;         /* its process; its own tid if it is not known */
	bool has_process;    /* the history says to which process it belongs */
	int32_t ppid;        /* the thread that created it; -1 if not known */
	int32_t cpu;         /* of an idle thread; otherwise -1 */
	int32_t last_status; /* at the end of the history (histree-states(7)); -1 if the thread is gone */
	/* Its position among the threads that had this number one after another: 0, 1, ... */
	int32_t life;
	/* False: it has one status from `first` to the end of the history, or no status */
	bool has_changed;
	histree_time first, last; /* its first and last time with a status; first > last if it never had one */
	/*
	 * The times during which the number was its own.  States of its attributes outside of these are of other
	 * threads that had the number before or after it and share the attributes.
	 */
	histree_time from, to;
	/* When `ppid` became known: at `first` if the trace saw the thread made; INT64_MIN if never. */
	histree_time ppid_since;
	histree_quark node;        /* Threads/<tid> */
	histree_quark status;      /* the attribute with its status: the node itself, in kernel-2016 its child */
	histree_quark system_call; /* HISTREE_ROOT if it has no such attribute */
	uint32_t parent;           /* an index, or HISTREE_NO_INDEX at the top */
	uint32_t depth;            /* 0 at the top */
	uint32_t descendants;      /* number of them; they follow it in the array */
};

/*
 * Returns the names of the analyses whose histories have threads of a kernel, one for each index from 0 on, the one
 * to prefer first; NULL after the last.  Other histories may have attributes with the same paths.
 */
HISTREE_API const char *histree_thread_analysis(size_t index);

/* Returns whether it is one of these. */
HISTREE_API bool histree_thread_analysis_is(const char *analysis);

/* Returns whether its histories say names and processes of threads: one of these, or that of a trace of spans. */
HISTREE_API bool histree_thread_analysis_names(const char *analysis);

#endif
