// SPDX-License-Identifier: MIT
#include "histree/lookup.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"

/* ---- stacks ----------------------------------------------------------------------------------------- */

/* The sub-attribute of the slot of a depth that was found. */
static enum histree_status find_slot(const struct histree_query *query, histree_quark quark,
				     const struct histree_value *depth, histree_quark *slot,
				     struct histree_error *error)
{
	if (depth->type != HISTREE_INT)
		return error_set(error, HISTREE_ERR_TYPE,
				 "attribute %" PRIu32 " is no stack: a depth is an int, but this is a %s", quark,
				 histree_type_name(depth->type));
	char name[sizeof("-2147483648")];
	int size = snprintf(name, sizeof(name), "%" PRId32, depth->int32);
	const struct histree_attributes *attributes = histree_history_attributes(histree_query_history(query));
	if (depth->int32 < 0 || histree_attributes_child(attributes, quark, name, (size_t)size, slot) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "attribute %" PRIu32 " is no stack: its depth is %s, but it has no such "
				 "sub-attribute",
				 quark, name);
	return HISTREE_OK;
}

enum histree_status histree_lookup_stack_top(struct histree_query *query, histree_quark quark, histree_time t,
					     struct histree_interval *out, struct histree_error *error)
{
	histree_quark slot;
	enum histree_status status = histree_query_single(query, quark, t, out, error);
	if (status != HISTREE_OK || out->value.type == HISTREE_UNKNOWN)
		return status;
	if (out->value.type == HISTREE_NULL || (out->value.type == HISTREE_INT && out->value.int32 == 0))
		return HISTREE_NOT_FOUND;
	status = find_slot(query, quark, &out->value, &slot, error);
	return status == HISTREE_OK ? histree_query_single(query, slot, t, out, error) : status;
}

/* ---- the first value -------------------------------------------------------------------------------- */

/* Seldom more than two steps: what follows a null is another value, unless a file was put together of several. */
enum histree_status histree_lookup_first_value(struct histree_query *query, histree_quark quark, histree_time from,
					       histree_time to, struct histree_interval *out,
					       struct histree_error *error)
{
	if (from > to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %" PRId64 " to %" PRId64, from, to);
	const struct histree_history_info *info = histree_history_info(histree_query_history(query));
	if (to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "time %" PRId64 " is outside the history, from %" PRId64 " to %" PRId64, to,
				 info->start, info->end);
	for (histree_time t = from;; t = out->end + 1) {
		enum histree_status status = histree_query_single(query, quark, t, out, error);
		if (status != HISTREE_OK || out->value.type != HISTREE_NULL)
			return status;
		if (out->end >= to)
			return HISTREE_NOT_FOUND;
	}
}
