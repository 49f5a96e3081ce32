/* SPDX-License-Identifier: MIT */
/*
 * selection.h - which states a question can be about: attributes and times, narrowed condition by condition until
 * a query can be asked for them.
 *
 *	struct histree_selection selection;
 *	histree_selection_begin(&selection, history);
 *	histree_selection_none(&selection);
 *	histree_selection_add_pattern(&selection, "Threads/42", &error);
 *	histree_window_narrow(&selection.window, HISTREE_AT_LEAST, &time);
 *	if (histree_selection_region(&selection, &region))
 *		histree_query_start(query, &region, &error);
 *	histree_selection_release(&selection);
 *
 * Expressions (state_filter.h), SQL and the command all go this way.  A selection may be too large and is never
 * too small: the caller checks each state of the answer.
 *
 * Threads: a selection belongs to one thread at a time; a history may have any number of them.
 */
#ifndef HISTREE_SELECTION_H
#define HISTREE_SELECTION_H

#include "attributes.h"
#include "query.h"
#include "window.h"

struct histree_selection {
	struct histree_history *history;
	struct histree_window window;
	bool has_all;          /* every attribute; else those of the list */
	histree_quark *quarks; /* in any order, until it is sorted */
	size_t count, capacity;
	/* The last path that was asked for. */
	char *path;
	size_t path_size, path_capacity;
	histree_quark path_quark;
};

/* Begin with everything: all attributes at all times.  Release it later, whatever else is called. */
HISTREE_API void histree_selection_begin(struct histree_selection *selection, struct histree_history *history);

HISTREE_API void histree_selection_release(struct histree_selection *selection);

/* Select all attributes at all times again, or no attributes, to which others are added; both keep the memory. */
HISTREE_API void histree_selection_all(struct histree_selection *selection);
HISTREE_API void histree_selection_none(struct histree_selection *selection);

/* Add an attribute to the list.  An attribute that does not exist is left out. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_add_quark(struct histree_selection *selection, uint64_t quark, struct histree_error *error);

/* Add the attribute with this escaped path, if there is one. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_add_path(struct histree_selection *selection, const char *path, struct histree_error *error);

/*
 * Add the attributes that match a pattern (histree_attributes_match()), which may be none.  Returns
 * HISTREE_ERR_ARGUMENT if the pattern is malformed.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_add_pattern(struct histree_selection *selection, const char *pattern,
			      struct histree_error *error);

/* Returns whether an attribute is wanted; its path is escaped, terminated, and borrowed during the call. */
typedef bool histree_wanted(void *context, histree_quark quark, const char *path, size_t size);

/* Add the wanted attributes below `top`.  Each attribute costs the making of its path, up to a microsecond. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_add_wanted(struct histree_selection *selection, histree_quark top, histree_wanted *wanted,
			     void *context, struct histree_error *error);

/* Keep only the wanted attributes, of all or of those in the list. */
HISTREE_API HISTREE_MUST_CHECK enum histree_status
histree_selection_keep_wanted(struct histree_selection *selection, histree_wanted *wanted, void *context,
			      struct histree_error *error);

/*
 * Get the path of an attribute, escaped and terminated, borrowed until the next call with this selection.  Asking
 * for the same one again costs nothing.  Returns NULL if there is no memory.
 */
HISTREE_API const char *histree_selection_path(struct histree_selection *selection, histree_quark quark,
					       size_t *size);

/* Make the list ascending and distinct, for callers that use it without asking for a region. */
HISTREE_API void histree_selection_sort(struct histree_selection *selection);

/*
 * Make the region to ask a query for; it borrows the list until the selection is changed.  Returns false if there
 * is nothing to ask for: no attribute is left, or no time of the history.
 */
HISTREE_API bool histree_selection_region(struct histree_selection *selection, struct histree_region *out);

#endif
