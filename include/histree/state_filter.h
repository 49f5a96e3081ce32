/* SPDX-License-Identifier: MIT */
/*
 * state_filter.h - filter expressions (filter.h) over states.
 *
 *	path		of the attribute, escaped
 *	quark		its number
 *	start, end	times; the end is inclusive
 *	duration	in nanoseconds; a state from t to t has 1
 *	type		"int", "string", ...; null and unknown have their names here
 *	value		what the attribute was
 *	label		what the value means (labels.h): "waits for a CPU"
 *
 *	histree_state_filter_create(history, "label == 'waits for a CPU' && duration > 1ms", &filter, &error);
 *	histree_selection_begin(&selection, history);
 *	histree_state_filter_select(filter, &selection, &error);
 *	if (histree_selection_region(&selection, &region)) {
 *		histree_query_start(query, &region, &error);
 *		while ((status = histree_cursor_next(query, &error)) == HISTREE_OK)
 *			if (histree_state_filter_match(filter, histree_cursor_interval(query)))
 *				...;
 *	}
 *
 * Threads: a filter remembers the path of the last state, so that it belongs to one thread at a time.
 */
#ifndef HISTREE_STATE_FILTER_H
#define HISTREE_STATE_FILTER_H

#include "filter.h"
#include "selection.h"

struct histree_state_filter;

/*
 * Compile an expression; times such as +12.5ms are relative to the history.  Returns HISTREE_ERR_ARGUMENT as
 * histree_filter_create() does.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_filter_create(struct histree_history *history,
									       const char *text,
									       struct histree_state_filter **out,
									       struct histree_error *error);

/*
 * Narrow a selection of the same history to the attributes and times where the expression can hold.  An attribute
 * whose path the expression equals is looked up; other conditions on paths, quarks or labels cost up to a
 * microsecond for each attribute of the selection.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_state_filter_select(struct histree_state_filter *filter,
									       struct histree_selection *selection,
									       struct histree_error *error);

/* Returns true if the state passes. */
HISTREE_API bool histree_state_filter_match(struct histree_state_filter *filter,
					    const struct histree_interval *state);

/* Free the filter, or do nothing if it is NULL. */
HISTREE_API void histree_state_filter_free(struct histree_state_filter *filter);

#endif
