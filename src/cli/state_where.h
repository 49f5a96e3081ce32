/* SPDX-License-Identifier: MIT */
/*
 * state_where.h - the option --where of verbs that print states: an expression, and what it leaves of a question.
 */
#ifndef CLI_STATE_WHERE_H
#define CLI_STATE_WHERE_H

#include "cli/attribute_list.h"
#include "histree/state_filter.h"

/*
 * Compiles the expression, drops the attributes that it rules out from the list, and narrows the range if there is
 * one (`from` is not NULL).  If nothing is left, the list is empty.  *filter is the caller's to free; what is wrong
 * is reported on standard error.
 */
enum cli_exit state_where_apply(const char *text, struct histree_history *history, struct attribute_list *list,
				histree_time *from, histree_time *to, struct histree_state_filter **filter);

#endif
