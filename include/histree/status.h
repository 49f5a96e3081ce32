/* SPDX-License-Identifier: MIT */
/*
 * status.h - what a call returns, and how a long one is ended from outside.
 */
#ifndef HISTREE_STATUS_H
#define HISTREE_STATUS_H

#include <stdbool.h>

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

/* ==== cancel ================================================================================================== */

/*
 * End a long call from outside.
 *
 * A call that takes a struct histree_cancel asks it now and then, in the thread of the call.
 */

struct histree_cancel {
	/* Returns false to end the call, which then returns HISTREE_ERR_CANCELLED.  NULL never ends it. */
	bool (*go_on)(void *context);
	void *context;
};

#endif
