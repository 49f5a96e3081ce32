// SPDX-License-Identifier: MIT
/*
 * number_changes.c - by how much numbers grew over a window: all of them are read by one query, except those of a
 * thread's life, which have a window of their own each.
 */
#include "cli/number_changes.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"

static bool is_number(const struct histree_value *value)
{
	return value->type == HISTREE_INT || value->type == HISTREE_LONG || value->type == HISTREE_DOUBLE;
}

/* A value that is not a number is kept as null, except unknown: its bytes do not belong to this list. */
static void keep(struct histree_value *kept, const struct histree_value *value)
{
	*kept = is_number(value) || value->type == HISTREE_UNKNOWN ? *value : histree_null();
}

/* An attribute that is read together with others at two times, and its result. */
struct asked_number {
	histree_quark quark;
	struct number_change *change;
};

COMPARE(by_quark, struct asked_number, BY(quark))

/* `asked` is ascending. */
static enum histree_status read_at(struct histree_cursor *query, const struct asked_number *asked,
				   histree_quark *quarks, size_t count, histree_time from, histree_time to,
				   bool *is_damaged, struct histree_error *error)
{
	const histree_time times[] = { from, to };
	const struct histree_region region = {
		.quarks = quarks, .quark_count = count, .times = times, .time_count = from < to ? 2 : 1
	};
	if (count == 0 || from > to)
		return HISTREE_OK;
	for (size_t i = 0; i < count; i++)
		quarks[i] = asked[i].quark;
	enum histree_status status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, error)) == HISTREE_OK) {
		const struct histree_interval *interval = histree_cursor_interval(query);
		const struct asked_number *found = bsearch(&(struct asked_number){ .quark = interval->quark },
							   asked, count, sizeof(*asked), by_quark);
		if (found != NULL && interval->start <= from && interval->end >= from)
			keep(&found->change->before, &interval->value);
		if (found != NULL && interval->start <= to && interval->end >= to)
			keep(&found->change->after, &interval->value);
	}
	*is_damaged = *is_damaged || histree_cursor_loss(query).nodes > 0;
	return status < 0 ? status : HISTREE_OK;
}

void number_change_cut(const struct histree_thread *life, histree_time *from, histree_time *to)
{
	*from = life->from > *from ? life->from - 1 : *from;
	*to = life->to < *to ? life->to : *to;
}

enum histree_status number_changes_read(struct histree_history *history, struct number_change *changes,
					size_t count, histree_time from, histree_time to, bool *is_damaged,
					struct histree_error *error)
{
	struct histree_cursor *query = NULL;
	struct asked_number *asked = malloc((count + 1) * sizeof(*asked));
	histree_quark *quarks = malloc((count + 1) * sizeof(*quarks));
	size_t asked_count = 0;
	bool is_sorted = true;
	*is_damaged = false;
	enum histree_status status = asked != NULL && quarks != NULL
					     ? histree_query_create(history, &query, error)
					     : error_memory(error, "the attributes of a question");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		changes[i].before = changes[i].after = histree_null();
		if (changes[i].life != NULL)
			continue;
		asked[asked_count++] = (struct asked_number){ changes[i].quark, &changes[i] };
		is_sorted = is_sorted &&
			    (asked_count < 2 || by_quark(&asked[asked_count - 2], &asked[asked_count - 1]) <= 0);
	}
	if (!is_sorted)
		qsort(asked, asked_count, sizeof(*asked), by_quark);
	if (status == HISTREE_OK)
		status = read_at(query, asked, quarks, asked_count, from, to, is_damaged, error);

	/* Those of a life have times of their own. */
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		histree_time first = from, last = to;
		if (changes[i].life == NULL)
			continue;
		number_change_cut(changes[i].life, &first, &last);
		asked[0] = (struct asked_number){ changes[i].quark, &changes[i] };
		status = read_at(query, asked, quarks, 1, first, last, is_damaged, error);
	}
	histree_cursor_free(query);
	free(quarks);
	free(asked);
	return status;
}

static double real_of(const struct histree_value *value)
{
	return value->type == HISTREE_DOUBLE ? value->real
	       : value->type == HISTREE_LONG ? (double)value->int64
	       : value->type == HISTREE_INT  ? (double)value->int32
					     : 0;
}

struct histree_value number_change_value(const struct number_change *change)
{
	if (!is_number(&change->after) || change->before.type == HISTREE_UNKNOWN)
		return histree_null();
	if (change->after.type == HISTREE_DOUBLE || change->before.type == HISTREE_DOUBLE)
		return histree_double(real_of(&change->after) - real_of(&change->before));
	/* Sums of 32 bits go round, and so do their differences; so do those of 64. */
	uint64_t difference =
		(uint64_t)histree_value_integer(&change->after) - (uint64_t)histree_value_integer(&change->before);
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
	return (histree_value_integer(&a) < histree_value_integer(&b)) -
	       (histree_value_integer(&a) > histree_value_integer(&b));
}
