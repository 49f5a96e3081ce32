/* SPDX-License-Identifier: MIT */
/*
 * window.h - the window of time that the comparisons of a question leave.
 *
 * An interval or a segment has a start and an end, and a comparison with either bounds both: what starts at x or
 * later also ends at x or later.  So all comparisons narrow one window: what ends at `from` or later and starts
 * at `to` or earlier.  These are the things that meet [from, to] or, where `from` is after `to`, that cover [to,
 * from].
 *
 * Threads: these functions keep nothing.
 */
#ifndef HISTREE_WINDOW_H
#define HISTREE_WINDOW_H

#include "value.h"

struct histree_window {
	histree_time from, to; /* both inclusive */
	bool is_empty;         /* no time can satisfy the comparisons */
};

#define HISTREE_WINDOW_ALL                         \
	(struct histree_window)                    \
	{                                          \
		.from = INT64_MIN, .to = INT64_MAX \
	}

enum histree_comparison {
	HISTREE_EQUAL_TO,
	HISTREE_BELOW,
	HISTREE_AT_MOST,
	HISTREE_ABOVE,
	HISTREE_AT_LEAST,
};

/*
 * Narrow a window by "x comparison number", where x is the start or the end of the things asked for, or a time
 * that is both.  Doubles and numbers above the greatest int64 are compared as they are.  Null makes the window
 * empty, as nothing compares with it; a value that is not a number narrows nothing.
 */
HISTREE_API void histree_window_narrow(struct histree_window *window, enum histree_comparison comparison,
				       const struct histree_value *number);

/*
 * Make the window fit for a question about things between `start` and `end`: `from` is at most `to`.  What meets
 * the new window may be more than what met the old one, never less.  Returns false if nothing can meet it; the
 * window is then unchanged.
 */
HISTREE_API bool histree_window_fit(struct histree_window *window, histree_time start, histree_time end);

#endif
