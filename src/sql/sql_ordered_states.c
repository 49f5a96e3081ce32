// SPDX-License-Identifier: MIT
#include "sql/sql_ordered_states.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct sql_ordered_states {
	struct histree_query *query;
	struct histree_changes *changes;
	bool is_backwards;
	bool has_changes; /* some may be left */
	struct histree_change change;
	size_t used; /* of the change */

	/* Those that begin before the range, in order; their bytes are copies. */
	struct histree_interval *earlier;
	size_t earlier_count, earlier_capacity, earlier_used;
};

enum histree_status sql_ordered_create(struct histree_history *history, struct sql_ordered_states **out,
				       struct histree_error *error)
{
	struct sql_ordered_states *states = calloc(1, sizeof(*states));
	*out = states;
	if (states == NULL)
		return error_memory(error, "states in order");
	enum histree_status status = histree_query_create(history, &states->query, error);
	return status == HISTREE_OK ? histree_changes_create(history, &states->changes, error) : status;
}

static void forget_earlier(struct sql_ordered_states *states)
{
	for (size_t i = 0; i < states->earlier_count; i++)
		if (states->earlier[i].value.size > 0) {
			void *copy;
			memcpy(&copy, &states->earlier[i].value.bytes, sizeof(copy));
			free(copy);
		}
	states->earlier_count = states->earlier_used = 0;
}

void sql_ordered_free(struct sql_ordered_states *states)
{
	if (states == NULL)
		return;
	forget_earlier(states);
	free(states->earlier);
	histree_changes_free(states->changes);
	histree_query_free(states->query);
	free(states);
}

static enum histree_status keep(struct sql_ordered_states *states, const struct histree_interval *interval,
				struct histree_error *error)
{
	struct histree_interval copy = *interval;
	if (!array_reserve(&states->earlier, &states->earlier_capacity, states->earlier_count + 1))
		return error_memory(error, "states in order");
	if (copy.value.size > 0) {
		void *bytes = malloc(copy.value.size);
		if (bytes == NULL)
			return error_memory(error, "states in order");
		memcpy(bytes, copy.value.bytes, copy.value.size);
		copy.value.bytes = bytes;
	}
	states->earlier[states->earlier_count++] = copy;
	return HISTREE_OK;
}

static int compare(const void *a, const void *b)
{
	const struct histree_interval *left = a, *right = b;
	if (left->start != right->start)
		return (left->start > right->start) - (left->start < right->start);
	return (left->quark > right->quark) - (left->quark < right->quark);
}

static int compare_backwards(const void *a, const void *b)
{
	return compare(b, a);
}

static enum histree_status gather_earlier(struct sql_ordered_states *states, const struct histree_region *region,
					  struct histree_error *error)
{
	struct histree_region first = *region;
	struct histree_interval interval;
	first.to = first.from;
	enum histree_status status = histree_query_start(states->query, &first, error);
	while (status == HISTREE_OK) {
		status = histree_query_next(states->query, &interval, error);
		if (status == HISTREE_OK && interval.start < region->from)
			status = keep(states, &interval, error);
	}
	if (states->earlier_count > 1)
		qsort(states->earlier, states->earlier_count, sizeof(*states->earlier),
		      states->is_backwards ? compare_backwards : compare);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status sql_ordered_start(struct sql_ordered_states *states, const struct histree_region *region,
				      bool backwards, bool wants_earlier, struct histree_error *error)
{
	const struct histree_changes_region changes = {
		.quarks = region->quarks,
		.quark_count = region->quark_count,
		.from = region->from,
		.to = region->to,
		.backwards = backwards,
	};
	forget_earlier(states);
	states->is_backwards = backwards;
	states->has_changes = true;
	states->change = (struct histree_change){ 0 };
	states->used = 0;
	enum histree_status status = histree_changes_start(states->changes, &changes, error);
	return status == HISTREE_OK && wants_earlier ? gather_earlier(states, region, error) : status;
}

static enum histree_status next_change(struct sql_ordered_states *states, struct histree_interval *out,
				       struct histree_error *error)
{
	while (states->has_changes && states->used == states->change.count) {
		enum histree_status status = histree_changes_next(states->changes, &states->change, error);
		states->has_changes = status == HISTREE_OK;
		states->used = 0;
		if (status != HISTREE_OK)
			return status;
	}
	if (!states->has_changes)
		return HISTREE_END;
	size_t index = states->used++;
	*out = states->change.intervals[states->is_backwards ? states->change.count - 1 - index : index];
	return HISTREE_OK;
}

enum histree_status sql_ordered_next(struct sql_ordered_states *states, struct histree_interval *out,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_END;
	if (states->is_backwards)
		status = next_change(states, out, error);
	if (status == HISTREE_END && states->earlier_used < states->earlier_count) {
		*out = states->earlier[states->earlier_used++];
		return HISTREE_OK;
	}
	return status == HISTREE_END && !states->is_backwards ? next_change(states, out, error) : status;
}
