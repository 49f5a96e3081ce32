/* SPDX-License-Identifier: MIT */
/*
 * number_summary.h - what is known of the numbers of some states of one attribute together: the least, the
 * greatest, their sum weighted by time, and how many they are (docs/design/05-pyramid.md).
 *
 * Nothing is rounded off, and of numbers that are equal it does not matter which came first: the summary of some
 * states is the same however they were added, one by one or by summaries of some of them.
 */
#ifndef STATE_NUMBER_SUMMARY_H
#define STATE_NUMBER_SUMMARY_H

#include "base/exact_sum.h"
#include "histree/value.h"

/* A zeroed one is of no states. */
struct number_summary {
	uint64_t states; /* with a number, and so below */
	/* How long they lasted, those that are unknown, and the others: 2^64 ns at most. */
	wide_uint number_ns, unknown_ns, other_ns;
	struct histree_value min, max;      /* null: there are no numbers */
	wide_int whole;                     /* of ints and longs times ns: 2^63 times 2^64 at most */
	struct exact_sum real;              /* of finite doubles times ns */
	bool has_real, has_least, has_most; /* doubles at all; infinite ones */
};

enum { NUMBER_SUMMARY_SIZE_MAX = 64 + EXACT_SUM_SIZE_MAX };

/* Returns whether a value is a number; a NaN is not. */
bool number_summary_takes(const struct histree_value *value);

/* Compare numbers of any types; equal ones by the sign of zero and the type.  Returns -1, 0 or 1. */
int number_compare(const struct histree_value *a, const struct histree_value *b);

/* The ns from `first` to `last`, both inclusive. */
static inline wide_uint number_summary_ns(histree_time first, histree_time last)
{
	return (wide_uint)((uint64_t)last - (uint64_t)first) + 1;
}

/* Adds a state that had a value for 1 ns or more. */
void number_summary_add(struct number_summary *summary, const struct histree_value *value, wide_uint ns);
void number_summary_add_summary(struct number_summary *summary, const struct number_summary *other);

/* Returns the mean weighted by time, the nearest double; NaN if there were infinities of both signs. */
double number_summary_mean(const struct number_summary *summary);

/* Write the summary of states that last `number_ns + unknown_ns + other_ns`.  Returns how many bytes it takes. */
size_t number_summary_put(const struct number_summary *summary, uint8_t room[NUMBER_SUMMARY_SIZE_MAX]);

/* Read the summary of states that last `ns`.  Returns false if no states have it. */
bool number_summary_get(struct number_summary *summary, wide_uint ns, const uint8_t *bytes, size_t size);

#endif
