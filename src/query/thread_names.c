// SPDX-License-Identifier: MIT
/*
 * thread_names.c - the file of names beside a history: what is in it, and whether to believe it.
 */
#include "query/thread_names.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "state/attributes.h"
#include "state/history.h"
#include "state/pyramid.h"

/* Its first attribute is 1, and 1/Q are all others: Q ascends, and is one of the history. */
static bool read_quarks(struct thread_names *names, const struct histree_attributes *attributes, uint32_t of)
{
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	const struct attribute_name group = source->name(attributes, 0, &near);
	if (group.text != NULL || group.number != 1 || source->parent(attributes, 0, &near) != HISTREE_ROOT)
		return false;
	for (histree_quark own = 1; own < attributes->count; own++) {
		const struct attribute_name name = source->name(attributes, own, &near);
		if (name.text != NULL || name.number >= of || source->parent(attributes, own, &near) != 0 ||
		    (own > 1 && name.number <= names->quarks[own - 2]))
			return false;
		names->quarks[own - 1] = name.number;
	}
	names->count = attributes->count - 1;
	return true;
}

enum histree_status thread_names_open(struct thread_names *names, struct histree_history *history,
				      struct histree_error *error)
{
	const struct pyramid *file = history_pyramid(history, PYRAMID_NAMES);
	*names = (struct thread_names){ .cursor = NULL };
	if (file->level_count == 0)
		return HISTREE_OK;
	const struct histree_attributes *attributes = histree_history_attributes(file->levels[0].history);
	const uint32_t of = histree_history_info(history)->attribute_count;
	if (attributes->count < 2 || attributes->count - 1 > of)
		return HISTREE_OK;
	names->quarks = malloc(attributes->count * sizeof(*names->quarks));
	if (names->quarks == NULL)
		return error_memory(error, "the threads");
	names->states = histree_history_info(file->levels[0].history)->interval_count;
	return read_quarks(names, attributes, of)
		       ? histree_query_create(file->levels[0].history, &names->cursor, error)
		       : HISTREE_OK;
}

histree_quark thread_names_find(const struct thread_names *names, histree_quark quark)
{
	const size_t at = SEARCH(i, 0, names->count, names->quarks[i] < quark);
	return at < names->count && names->quarks[at] == quark ? (histree_quark)at + 1 : HISTREE_ROOT;
}

enum histree_status thread_names_judge(struct thread_names *names, enum histree_status status)
{
	names->is_wrong |= status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO ||
			   (status >= 0 && histree_cursor_loss(names->cursor).nodes > 0);
	return names->is_wrong ? HISTREE_ERR_FORMAT : status;
}

void thread_names_release(struct thread_names *names)
{
	histree_cursor_free(names->cursor);
	free(names->quarks);
	*names = (struct thread_names){ .cursor = NULL };
}
