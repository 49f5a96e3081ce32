/* SPDX-License-Identifier: MIT */
/*
 * lookup_rows.h - what is asked of a history again and again (histree/lookup.h), as rows of intervals: tops of
 * stacks, first values, and changes in the order of time.
 */
#ifndef CLI_LOOKUP_ROWS_H
#define CLI_LOOKUP_ROWS_H

#include "cli/answer.h"
#include "histree/state_filter.h"

enum lookup {
	LOOKUP_NONE,
	LOOKUP_STACK_TOP,   /* of the stacks among the attributes, at `from` */
	LOOKUP_FIRST_VALUE, /* that is not null, of each attribute */
	LOOKUP_CHANGES,     /* the states that begin in the range, in the order of time */
};

struct lookup_question {
	enum lookup lookup;
	struct histree_history *history;
	const struct attribute_list *attributes;
	histree_time from, to;
	struct histree_state_filter *filter; /* of changes: which are wanted; NULL: all */
	bool backwards;                      /* changes: the latest comes first */
	uint64_t count_max;                  /* of changes; 0: all */
	struct histree_cancel cancel;        /* asked now and then */
};

/*
 * Hands the rows to `take`, in order.  *is_damaged says whether the history is damaged where it was looked at; what
 * else is wrong is reported on standard error.
 */
enum cli_exit lookup_rows(const struct lookup_question *question, answer_taker *take, void *context,
			  bool *is_damaged);

/* Reports that nothing was found. */
enum cli_exit lookup_report_nothing(enum lookup lookup);

#endif
