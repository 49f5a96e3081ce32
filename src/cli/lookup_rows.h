/* SPDX-License-Identifier: MIT */
/*
 * lookup_rows.h - what is asked of a history again and again (histree/lookup.h), as rows of intervals: tops of
 * stacks, first values, and changes in the order of time.
 */
#ifndef CLI_LOOKUP_ROWS_H
#define CLI_LOOKUP_ROWS_H

#include "cli/attribute_list.h"
#include "cli/interval_rows.h"
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
};

/*
 * Prints the rows.  Returns CLI_NOTHING if there are none, CLI_INPUT if the history is damaged where it was looked
 * at; what is wrong is reported on standard error.
 */
enum cli_exit lookup_rows_print(const struct lookup_question *question, struct interval_rows *rows);

#endif
