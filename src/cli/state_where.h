/* SPDX-License-Identifier: MIT */
/*
 * state_where.h - --where of questions about states: an expression over the attribute of a state, the thread that
 * it belongs to, and the state itself (histree/states.h).
 *
 * A question about states takes those that pass.  One about whole rows, such as a picture, takes the rows that an
 * expression over attributes and threads leaves.
 */
#ifndef CLI_STATE_WHERE_H
#define CLI_STATE_WHERE_H

#include "cli/attribute_list.h"
#include "cli/option.h"
#include "cli/target.h"
#include "histree/states.h"

struct state_where {
	const struct cli_question *question;
	const struct target *target; /* whose threads have names, where the history says none */
	struct histree_history *history;
};

/*
 * Compiles the expression, drops the attributes that it rules out from the list, and narrows the range if there is
 * one (`from` is not NULL).  If nothing is left, the list is empty.  *filter is the caller's to free, and stays as
 * it is where there is no expression; what is wrong is reported on standard error.
 */
enum cli_exit state_where_states(const struct state_where *where, struct attribute_list *list, histree_time *from,
				 histree_time *to, struct histree_state_filter **filter);

/*
 * Drops the attributes that an expression about rows rules out from the list, in a range.  That it is about more,
 * or leaves none, is reported.
 */
enum cli_exit state_where_rows(const struct state_where *where, struct attribute_list *list, histree_time from,
			       histree_time to);

#endif
