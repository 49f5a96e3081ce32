// SPDX-License-Identifier: MIT
#include "cli/number_changes.h"

#include <stdlib.h>

#include "base/error.h"

static bool is_number(const struct histree_value *value)
{
	return value->type == HISTREE_INT || value->type == HISTREE_LONG || value->type == HISTREE_DOUBLE;
}

static int by_quark(const void *one, const void *other)
{
	const struct number_change *a = one, *b = other;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

/* A value that is not a number is kept as null, except unknown: its bytes do not belong to this list. */
static void keep(struct histree_value *kept, const struct histree_value *value)
{
	*kept = is_number(value) || value->type == HISTREE_UNKNOWN ? *value : histree_null();
}

enum histree_status number_changes_read(struct histree_history *history, struct number_change *changes,
					size_t count, histree_time from, histree_time to, bool *is_damaged,
					struct histree_error *error)
{
	struct histree_cursor *query = NULL;
	struct histree_interval interval;
	const histree_time times[] = { from, to };
	*is_damaged = false;
	histree_quark *quarks = malloc((count + 1) * sizeof(*quarks));
	if (quarks == NULL)
		return error_memory(error, "the attributes of a question");
	for (size_t i = 0; i < count; i++) {
		quarks[i] = changes[i].quark;
		changes[i].before = changes[i].after = histree_null();
	}
	const struct histree_region region = {
		.quarks = quarks, .quark_count = count, .times = times, .time_count = from < to ? 2 : 1
	};
	enum histree_status status = histree_query_create(history, &query, error);
	if (status == HISTREE_OK && count > 0)
		status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK && count > 0) {
		status = histree_cursor_next(query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(query);
		struct number_change *change = status == HISTREE_OK
						       ? bsearch(&(struct number_change){ .quark = interval.quark },
								 changes, count, sizeof(*changes), by_quark)
						       : NULL;
		if (change != NULL && interval.start <= from && interval.end >= from)
			keep(&change->before, &interval.value);
		if (change != NULL && interval.start <= to && interval.end >= to)
			keep(&change->after, &interval.value);
	}
	*is_damaged = query != NULL && histree_cursor_loss(query).nodes > 0;
	histree_cursor_free(query);
	free(quarks);
	return status < 0 ? status : HISTREE_OK;
}

void number_change_cut(const struct histree_thread *life, histree_time *from, histree_time *to)
{
	*from = life->from > *from ? life->from - 1 : *from;
	*to = life->to < *to ? life->to : *to;
}

static double real_of(const struct histree_value *value)
{
	return value->type == HISTREE_DOUBLE ? value->real
	       : value->type == HISTREE_LONG ? (double)value->int64
	       : value->type == HISTREE_INT  ? (double)value->int32
					     : 0;
}

static int64_t integer_of(const struct histree_value *value)
{
	return value->type == HISTREE_LONG ? value->int64 : value->type == HISTREE_INT ? value->int32 : 0;
}

struct histree_value number_change_value(const struct number_change *change)
{
	if (!is_number(&change->after) || change->before.type == HISTREE_UNKNOWN)
		return histree_null();
	if (change->after.type == HISTREE_DOUBLE || change->before.type == HISTREE_DOUBLE)
		return histree_double(real_of(&change->after) - real_of(&change->before));
	/* Sums of 32 bits go round, and so do their differences; so do those of 64. */
	uint64_t difference = (uint64_t)integer_of(&change->after) - (uint64_t)integer_of(&change->before);
	return change->after.type == HISTREE_INT ? histree_int((int32_t)difference)
						 : histree_long((int64_t)difference);
}

int number_change_compare(const struct number_change *one, const struct number_change *other)
{
	struct histree_value a = number_change_value(one), b = number_change_value(other);
	if (a.type == HISTREE_NULL || b.type == HISTREE_NULL)
		return (a.type == HISTREE_NULL) - (b.type == HISTREE_NULL);
	if (a.type == HISTREE_DOUBLE || b.type == HISTREE_DOUBLE)
		return (real_of(&a) < real_of(&b)) - (real_of(&a) > real_of(&b));
	return (integer_of(&a) < integer_of(&b)) - (integer_of(&a) > integer_of(&b));
}
