// SPDX-License-Identifier: MIT
/*
 * lookup.c - the top of a stack at a time, the first value of a range, and the numbers of one.
 *
 * Numbers over a range are added up by the summaries of the number pyramid, as far as these lie inside the range,
 * from the widest ones down, and by the states that are left at both ends.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "histree/states.h"
#include "query/query.h"
#include "state/history.h"
#include "state/pyramid_cells.h"

/* ---- stacks ----------------------------------------------------------------------------------------- */

/* The sub-attribute of the slot of a depth that was found. */
static enum histree_status find_slot(const struct histree_cursor *query, histree_quark quark,
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

enum histree_status histree_lookup_stack_top(struct histree_cursor *query, histree_quark quark, histree_time t,
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
enum histree_status histree_lookup_first_value(struct histree_cursor *query, histree_quark quark, histree_time from,
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

/* ---- lookup numbers ------------------------------------------------------------------------------------------ */

struct time_range {
	histree_time from, to; /* both inclusive */
};

/* What is not added up yet: all of it, or what is on either side of what is. */
struct rests {
	struct time_range ranges[2];
	unsigned count;
	bool is_cut; /* there are summaries between them, or beside the only one */
};

struct number_lookup {
	struct histree_cursor *query;
	histree_quark quark;
	struct time_range asked;
	struct number_summary sum;
};

/* A query must not go on with a region that was ours. */
static void forget(struct histree_cursor *query)
{
	const histree_quark none = 0;
	enum histree_status status =
		histree_query_start(query, &(struct histree_region){ .quarks = &none, .quark_count = 0 }, NULL);
	(void)status; /* nothing is asked for, so nothing can be wrong */
}

/* ---- states ---------------------------------------------------------------------------------------------- */

/*
 * Adds what the history says of a range.  HISTREE_ERR_FORMAT: it was cut by summaries, and not between two states,
 * or there is damage, of which the caller shall hear.
 */
static enum histree_status add_states(struct number_lookup *lookup, const struct time_range *range, bool is_cut,
				      struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = &lookup->quark, .quark_count = 1, .from = range->from, .to = range->to
	};
	bool begins = range->from == lookup->asked.from, ends = range->to == lookup->asked.to;
	struct histree_interval interval;
	enum histree_status status = histree_query_start(lookup->query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(lookup->query, error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(lookup->query);
		histree_time start = interval.start > range->from ? interval.start : range->from;
		histree_time end = interval.end < range->to ? interval.end : range->to;
		number_summary_add(&lookup->sum, &interval.value, number_summary_ns(start, end));
		begins = begins || interval.start == range->from;
		ends = ends || interval.end == range->to;
	}
	if (status != HISTREE_END) {
		forget(lookup->query);
		return status;
	}
	bool is_sound = begins && ends && histree_cursor_loss(lookup->query).nodes == 0;
	return is_cut && !is_sound ? HISTREE_ERR_FORMAT : HISTREE_OK;
}

/* ---- summaries ------------------------------------------------------------------------------------------- */

/* The summaries of one level that lie inside a range: they follow one another. */
struct inside {
	histree_time first, last;
	wide_uint ns; /* 0: there are no numbers */
};

static bool add_summary(struct number_lookup *lookup, const struct histree_interval *interval,
			struct inside *inside)
{
	struct number_summary summary;
	wide_uint ns = number_summary_ns(interval->start, interval->end);
	if (interval->value.type != HISTREE_CUSTOM ||
	    !number_summary_get(&summary, ns, interval->value.bytes, interval->value.size))
		return false;
	if (inside->ns == 0 || interval->start < inside->first)
		inside->first = interval->start;
	if (inside->ns == 0 || interval->end > inside->last)
		inside->last = interval->end;
	inside->ns += ns;
	number_summary_add_summary(&lookup->sum, &summary);
	return true;
}

static enum histree_status add_inside(struct number_lookup *lookup, struct histree_cursor *query, histree_quark own,
				      const struct time_range *range, struct inside *inside,
				      struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = &own, .quark_count = 1, .from = range->from, .to = range->to
	};
	struct histree_interval interval;
	*inside = (struct inside){ 0 };
	enum histree_status status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		assert(interval.start <= interval.end);
		bool is_inside = interval.start >= range->from && interval.end <= range->to;
		if (is_inside && !add_summary(lookup, &interval, inside))
			status = HISTREE_ERR_FORMAT;
	}
	if (status != HISTREE_END) {
		forget(query);
		return status;
	}
	bool is_whole = inside->ns == 0 || inside->ns == number_summary_ns(inside->first, inside->last);
	return is_whole && histree_cursor_loss(query).nodes == 0 ? HISTREE_OK : HISTREE_ERR_FORMAT;
}

/* What a level does not cover is left to the next one. */
static enum histree_status add_level(struct number_lookup *lookup, struct histree_cursor *query, histree_quark own,
				     struct rests *rests, struct histree_error *error)
{
	struct rests left = { .is_cut = rests->is_cut };
	for (unsigned i = 0; i < rests->count; i++) {
		const struct time_range *range = &rests->ranges[i];
		struct inside inside;
		enum histree_status status = add_inside(lookup, query, own, range, &inside, error);
		if (status != HISTREE_OK)
			return status;
		if (inside.ns == 0) {
			left.ranges[left.count++] = *range;
			continue;
		}
		/* The second time there is something on one side only, or levels do not lie in one another. */
		unsigned sides = (inside.first > range->from) + (inside.last < range->to);
		if (left.count + sides + (rests->count - 1 - i) > 2)
			return HISTREE_ERR_FORMAT;
		assert(inside.first >= range->from && inside.last <= range->to);
		left.is_cut = true;
		if (inside.first > range->from)
			left.ranges[left.count++] = (struct time_range){ range->from, inside.first - 1 };
		if (inside.last < range->to)
			left.ranges[left.count++] = (struct time_range){ inside.last + 1, range->to };
	}
	assert(left.count <= 2);
	*rests = left;
	return HISTREE_OK;
}

/* HISTREE_ERR_FORMAT: the overview is damaged. */
static enum histree_status add_summaries(struct number_lookup *lookup, const histree_quark *own, uint32_t levels,
					 struct histree_error *error)
{
	struct rests rests = { .ranges = { lookup->asked }, .count = 1 };
	struct histree_cursor *query;
	enum histree_status status = query_numbers(lookup->query, &query, error);
	while (levels-- > 0 && status == HISTREE_OK)
		status = add_level(lookup, query, own[levels], &rests, error);
	for (unsigned i = 0; i < rests.count && status == HISTREE_OK; i++)
		status = add_states(lookup, &rests.ranges[i], rests.is_cut, error);
	return status;
}

/* ---------------------------------------------------------------------------------------------------------- */

/* A mean outside of the numbers is a forged sum. */
static bool is_within(const struct number_summary *sum)
{
	struct histree_value mean = histree_double(number_summary_mean(sum));
	if (sum->states == 0 || mean.real != mean.real)
		return true;
	/* The mean is rounded, and so may be one of whole numbers that no double is. */
	double min = sum->min.type == HISTREE_DOUBLE ? sum->min.real
		     : sum->min.type == HISTREE_INT  ? sum->min.int32
						     : (double)sum->min.int64;
	double max = sum->max.type == HISTREE_DOUBLE ? sum->max.real
		     : sum->max.type == HISTREE_INT  ? sum->max.int32
						     : (double)sum->max.int64;
	return min <= mean.real && mean.real <= max;
}

static uint64_t bounded(wide_uint ns)
{
	return ns < UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

/* Those of the shard as far as its host was traced; before and after that, nothing is a number. */
static enum histree_status numbers_of_host(struct histree_cursor *query, histree_quark quark, histree_time from,
					   histree_time to, struct histree_numbers *out,
					   struct histree_error *error)
{
	struct histree_history *history = histree_query_history(query);
	size_t number = histree_history_host_of(history, quark), count;
	const struct histree_history_host *host = &histree_history_hosts(history, &count)[number];
	wide_uint asked = number_summary_ns(from, to), inside = 0;
	enum histree_status status = HISTREE_OK;
	if (quark == host->folder) {
		struct histree_interval interval;
		status = histree_query_single(query, quark, from, &interval, error);
		bool is_unknown = status == HISTREE_OK && interval.value.type == HISTREE_UNKNOWN;
		out->unknown_ns = is_unknown ? bounded(asked) : 0;
		out->other_ns = is_unknown ? 0 : bounded(asked);
		return status;
	}
	const struct histree_history_info *own = histree_history_info(host->history);
	from = from > own->start ? from : own->start;
	to = to < own->end ? to : own->end;
	if (from <= to) {
		struct histree_cursor *shard;
		inside = number_summary_ns(from, to);
		status = union_query_of_host(query, number, &shard, error);
		if (status == HISTREE_OK)
			status = histree_lookup_numbers(shard, quark - host->folder - 1, from, to, out, error);
	}
	out->other_ns = bounded((wide_uint)out->other_ns + asked - inside);
	return status;
}

enum histree_status histree_lookup_numbers(struct histree_cursor *query, histree_quark quark, histree_time from,
					   histree_time to, struct histree_numbers *out,
					   struct histree_error *error)
{
	const struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = from, .to = to };
	struct number_lookup lookup = { .query = query, .quark = quark, .asked = { from, to } };
	*out = (struct histree_numbers){ .min = histree_null(), .max = histree_null() };
	enum histree_status status = histree_query_start(query, &region, error);
	if (status != HISTREE_OK)
		return status;
	if (history_union_of(histree_query_history(query)) != NULL) {
		forget(query);
		return numbers_of_host(query, quark, from, to, out, error);
	}
	histree_quark own[PYRAMID_LEVELS_MAX];
	uint32_t levels = pyramid_find(history_pyramid(histree_query_history(query), PYRAMID_NUMBERS), quark, own);
	status = HISTREE_ERR_FORMAT;
	if (levels > 0)
		status = add_summaries(&lookup, own, levels, error);
	if (status == HISTREE_OK && !is_within(&lookup.sum))
		status = HISTREE_ERR_FORMAT;
	if (status != HISTREE_OK && status != HISTREE_ERR_MEMORY) { /* the history itself says it all */
		lookup.sum = (struct number_summary){ 0 };
		status = add_states(&lookup, &lookup.asked, false, error);
	}
	if (status != HISTREE_OK)
		return status;
	const struct number_summary *sum = &lookup.sum;
	*out = (struct histree_numbers){
		.states = sum->states,
		.min = sum->min,
		.max = sum->max,
		.mean = number_summary_mean(sum),
		.number_ns = bounded(sum->number_ns),
		.unknown_ns = bounded(sum->unknown_ns),
		.other_ns = bounded(sum->other_ns),
	};
	return HISTREE_OK;
}
