/* SPDX-License-Identifier: MIT */
/*
 * status.h - what a call returns, and how a long one is ended from outside.
 */
#ifndef HISTREE_STATUS_H
#define HISTREE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== status ================================================================================================== */

/*
 * How the functions of libhistree report their outcome.
 *
 * Every function that can fail returns an enum histree_status:
 *
 *	0		the call succeeded
 *	positive	it did not, and that is no error: the end was reached, or nothing was found
 *	negative	it failed; nothing has changed unless the function says so
 *
 * A function that fails writes a sentence into a struct histree_error, which the caller owns and may reuse.  Every
 * `error` argument may be NULL.  The sentence says what was wrong, where (file, node, offset) and, if there is one,
 * the way out.  The library never prints, never exits and keeps no global state.
 */

#if defined(__GNUC__)
#define HISTREE_API __attribute__((visibility("default")))
#define HISTREE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define HISTREE_API
#define HISTREE_MUST_CHECK
#endif

/* X(name, number, text) - the one list of statuses; the enum and histree_status_text() come from it. */
#define HISTREE_STATUS_LIST(X)                                                           \
	X(HISTREE_OK, 0, "ok")                                                           \
	X(HISTREE_END, 1, "end")                                                         \
	X(HISTREE_NOT_FOUND, 2, "not found")                                             \
	X(HISTREE_PARTIAL, 3, "partial: some of the input could not be read")            \
	X(HISTREE_ERR_MEMORY, -1, "out of memory")                                       \
	X(HISTREE_ERR_ARGUMENT, -2, "invalid argument")                                  \
	X(HISTREE_ERR_IO, -3, "input or output failed")                                  \
	X(HISTREE_ERR_FORMAT, -4, "damaged or not a histree file")                       \
	X(HISTREE_ERR_VERSION, -5, "made by a version that this one does not know")      \
	X(HISTREE_ERR_INCOMPLETE, -6, "the history was never completed")                 \
	X(HISTREE_ERR_EXISTS, -7, "exists already")                                      \
	X(HISTREE_ERR_TRACE, -8, "the trace cannot be read")                             \
	X(HISTREE_ERR_QUARK, -9, "no such attribute")                                    \
	X(HISTREE_ERR_TIME_RANGE, -10, "time outside the history")                       \
	X(HISTREE_ERR_TIME_BACKWARDS, -11, "time before the start of the ongoing state") \
	X(HISTREE_ERR_TYPE, -12, "value of another type than the attribute holds")       \
	X(HISTREE_ERR_TOO_LARGE, -13, "value too large for a node")                      \
	X(HISTREE_ERR_CLOSED, -14, "the history is closed")                              \
	X(HISTREE_ERR_CANCELLED, -15, "cancelled")                                       \
	X(HISTREE_ERR_INTERNAL, -16, "internal error")

enum histree_status {
#define X(name, number, text) name = number,
	HISTREE_STATUS_LIST(X)
#undef X
};

struct histree_error {
	enum histree_status status;
	char message[480]; /* one sentence, lower case, no full stop; always terminated */
};

/* Returns the fixed text of a status, such as "out of memory".  Never returns NULL. */
HISTREE_API const char *histree_status_text(enum histree_status status);

/* Returns the version of the library, such as "0.1.0". */
HISTREE_API const char *histree_version(void);

/* ==== work ==================================================================================================== */

/* How far a long call has come.  Whatever a call does not know, or does not do, is 0. */
struct histree_progress {
	double share; /* of all the work, 0 to 1; negative: it is not known, as with a pipe */
	/* Events that were read, rows that were read or written. */
	uint64_t rows;
	uint64_t bytes, bytes_total; /* of what is read, or written; bytes_total is 0 if it is not known */
	int64_t elapsed_ns;
	/*
	 * The rest concerns builds: the share of the overviews made so far, after the trace has been read; 0 to 1
	 */
	double overviews_share;
	/* The trace is live, and nothing of it has arrived yet. */
	bool waits;
	/* In a build of several hosts, for which the numbers above are totals: */
	const char *host; /* the one begun last; NULL: clocks are looked for, or there is one host only */
	size_t hosts_done, host_count;
	double clocks_share; /* share of the traces that was read for their clocks, 0 to 1, before the first host */
};

/*
 * What a caller can do with a long call while it runs: end it, and see how far it has come.  A call that takes a
 * struct histree_work calls these functions now and then, in its own thread; a zeroed struct does nothing.
 */
struct histree_work {
	/* Returns false to end the call, which then returns HISTREE_ERR_CANCELLED.  NULL never ends it. */
	bool (*go_on)(void *context);
	void *context; /* passed to both */
	/*
	 * Receives the progress, which is borrowed; may be NULL.  Calls that answer one question do not report
	 * progress.
	 */
	void (*progress)(void *context, const struct histree_progress *now);
};

#endif
