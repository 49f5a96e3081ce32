// SPDX-License-Identifier: MIT
/*
 * time_in_state.c - the time in each state of a range.  Host by host, the range is divided into the cells of the
 * overview of sums, and what is read from the history: the times before and after the cells and, within the time of
 * the cells, the attributes that the overview does not have.
 */
#include "histree/states.h"

#include <assert.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/table.h"
#include "query/range_sums.h"
#include "state/history.h"

enum { BATCH = 256 };

/* A question to the history. */
struct reading {
	histree_quark *own;          /* its attributes, if they are no part of the region's; else NULL */
	const histree_quark *quarks; /* NULL: all */
	size_t count;
	histree_time from, to;
};

/* What is known of the attributes of a host. */
struct known {
	struct range_sums sums;
	histree_quark *quarks; /* ascending, as the host calls them */
	size_t count;
	histree_quark first; /* of the host */
};

struct time_in_state {
	struct histree_cursor cursor;
	struct histree_history *history;
	struct histree_cursor *query;
	struct reading *readings;
	size_t reading_count, readings_capacity, reading; /* the next one */
	bool is_reading;
	struct known *known;
	size_t known_count, known_capacity;
	size_t at_host, at_quark; /* the next sum */
	uint32_t at_part;
	uint64_t null_ns;       /* what the parts of that sum have left */
	histree_quark *all;     /* if the region has no list */
	histree_time from, to;  /* what is read now */
	uint64_t damaged_nodes; /* the most that a reading so far had */
	struct histree_state_time parts[BATCH];
};

static enum histree_status read_parts(struct histree_cursor *cursor, size_t room, size_t *count,
				      struct histree_error *error);
static enum histree_status next_part(struct histree_cursor *cursor, struct histree_error *error);
static void free_times(struct histree_cursor *cursor);

static struct histree_loss loss_of_times(const struct histree_cursor *cursor)
{
	const struct time_in_state *times = (const struct time_in_state *)cursor;
	return (struct histree_loss){ .nodes = times->damaged_nodes };
}

static const struct cursor_kind kind_of_times = {
	.rows = CURSOR_STATE_TIMES,
	.next = next_part,
	.read = read_parts,
	.loss = loss_of_times,
	.free = free_times,
};

static struct time_in_state *times_of(struct histree_cursor *cursor)
{
	assert(cursor->kind == &kind_of_times);
	return (struct time_in_state *)cursor;
}

enum histree_status histree_time_in_state_create(struct histree_history *history, struct histree_cursor **out,
						 struct histree_error *error)
{
	struct time_in_state *times = calloc(1, sizeof(*times));
	*out = NULL;
	if (times == NULL)
		return error_memory(error, "times in states");
	times->cursor = (struct histree_cursor){ .kind = &kind_of_times, .row = times->parts };
	times->history = history;
	enum histree_status status = histree_query_create(history, &times->query, error);
	if (status == HISTREE_OK)
		*out = &times->cursor;
	else
		free(times);
	return status;
}

static void forget(struct time_in_state *times)
{
	for (size_t i = 0; i < times->reading_count; i++)
		free(times->readings[i].own);
	for (size_t i = 0; i < times->known_count; i++) {
		range_sums_release(&times->known[i].sums);
		free(times->known[i].quarks);
	}
	free(times->all);
	times->all = NULL;
	times->reading_count = times->known_count = 0;
	times->reading = times->at_host = times->at_quark = times->at_part = 0;
	times->is_reading = false;
	times->damaged_nodes = 0;
}

/* ---- what is asked ---------------------------------------------------------------------------------------- */

/* Takes `reading.own` also if there is no memory. */
static enum histree_status add_reading(struct time_in_state *times, struct reading reading,
				       struct histree_error *error)
{
	assert(reading.count == 0 || reading.from <= reading.to);
	if (!array_reserve(&times->readings, &times->readings_capacity, times->reading_count + 1)) {
		free(reading.own);
		return error_memory(error, "times in states");
	}
	times->readings[times->reading_count++] = reading;
	return HISTREE_OK;
}

/* Of the time of the cells, the part that they do not know. */
static enum histree_status add_rest(struct time_in_state *times, const struct known *known,
				    struct histree_error *error)
{
	struct reading rest = { .from = known->sums.from, .to = known->sums.to };
	rest.own = malloc((known->count + 1) * sizeof(*rest.own));
	rest.quarks = rest.own;
	if (rest.own == NULL)
		return error_memory(error, "times in states");
	assert(known->sums.is_any && known->sums.from <= known->sums.to);
	for (size_t i = 0; i < known->count; i++)
		if (range_sums_of(&known->sums, i) == NULL)
			rest.own[rest.count++] = known->first + known->quarks[i];
	return add_reading(times, rest, error);
}

/* The attributes of a host, `quarks`, of which the sums know some. */
static enum histree_status add_known(struct time_in_state *times, const struct known *known,
				     const histree_quark *quarks, const struct histree_region *region,
				     struct histree_error *error)
{
	const struct range_sums *sums = &known->sums;
	const struct reading before = {
		.quarks = quarks, .count = known->count, .from = region->from, .to = sums->from - 1
	};
	const struct reading behind = {
		.quarks = quarks, .count = known->count, .from = sums->to + 1, .to = region->to
	};
	enum histree_status status = HISTREE_OK;
	if (sums->from > region->from)
		status = add_reading(times, before, error);
	if (status == HISTREE_OK)
		status = add_rest(times, known, error);
	if (status == HISTREE_OK && sums->to < region->to)
		status = add_reading(times, behind, error);
	return status;
}

/* The attributes of a host, which calls the first one 0; all of it is read if there are no sums. */
static enum histree_status add_host(struct time_in_state *times, struct histree_history *history,
				    histree_quark first, const histree_quark *quarks, size_t count,
				    const struct histree_region *region, struct histree_error *error)
{
	const struct histree_history_info *info = history != NULL ? histree_history_info(history) : NULL;
	const struct reading all = { .quarks = quarks, .count = count, .from = region->from, .to = region->to };
	if (info == NULL || count == 0 || region->from > info->end || region->to < info->start ||
	    history_pyramid(history, PYRAMID_SUMS)->level_count == 0)
		return add_reading(times, all, error);
	if (!array_reserve(&times->known, &times->known_capacity, times->known_count + 1))
		return error_memory(error, "times in states");
	struct known *known = &times->known[times->known_count++];
	*known = (struct known){ .quarks = malloc(count * sizeof(*quarks)), .count = count, .first = first };
	if (known->quarks == NULL)
		return error_memory(error, "times in states");
	for (size_t i = 0; i < count; i++)
		known->quarks[i] = quarks[i] - first;
	const histree_time from = region->from > info->start ? region->from : info->start;
	const histree_time to = region->to < info->end ? region->to : info->end;
	enum histree_status status = range_sums_read(&known->sums, history, known->quarks, count, from, to, error);
	if (status != HISTREE_OK)
		return status;
	return known->sums.is_any ? add_known(times, known, quarks, region, error) : add_reading(times, all, error);
}

static size_t find_first(const struct histree_region *region, size_t from, histree_quark quark)
{
	while (from < region->quark_count && region->quarks[from] < quark)
		from++;
	return from;
}

/* Host by host; what belongs to none is the folder of one. */
static enum histree_status add_hosts(struct time_in_state *times, const struct histree_region *region,
				     struct histree_error *error)
{
	size_t host_count, at = 0;
	const struct histree_history_host *hosts = histree_history_hosts(times->history, &host_count);
	enum histree_status status = HISTREE_OK;
	if (hosts == NULL)
		return add_host(times, times->history, 0, region->quarks, region->quark_count, region, error);
	for (size_t i = 0; i < host_count && status == HISTREE_OK; i++) {
		const histree_quark first = hosts[i].folder + 1;
		const size_t begin = find_first(region, at, first);
		const size_t end = find_first(region, begin, first + hosts[i].count);
		assert(at <= begin && begin <= end && end <= region->quark_count);
		status = add_host(times, NULL, 0, &region->quarks[at], begin - at, region, error);
		if (status == HISTREE_OK)
			status = add_host(times, hosts[i].history, first, &region->quarks[begin], end - begin,
					  region, error);
		at = end;
	}
	return status == HISTREE_OK
		       ? add_host(times, NULL, 0, &region->quarks[at], region->quark_count - at, region, error)
		       : status;
}

static bool has_sums(const struct histree_history *history)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (hosts == NULL)
		return history_pyramid(history, PYRAMID_SUMS)->level_count > 0;
	for (size_t i = 0; i < count; i++)
		if (hosts[i].history != NULL && history_pyramid(hosts[i].history, PYRAMID_SUMS)->level_count > 0)
			return true;
	return false;
}

static enum histree_status list_all(struct time_in_state *times, struct histree_region *region,
				    struct histree_error *error)
{
	const uint32_t count = histree_history_info(times->history)->attribute_count;
	times->all = malloc(((size_t)count + 1) * sizeof(*times->all));
	if (times->all == NULL)
		return error_memory(error, "times in states");
	for (uint32_t i = 0; i < count; i++)
		times->all[i] = i;
	region->quarks = times->all;
	region->quark_count = count;
	return HISTREE_OK;
}

enum histree_status histree_time_in_state_start(struct histree_cursor *cursor, const struct histree_region *region,
						struct histree_error *error)
{
	struct time_in_state *times = times_of(cursor);
	struct histree_region listed = *region;
	const struct reading whole = {
		.quarks = region->quarks, .count = region->quark_count, .from = region->from, .to = region->to
	};
	forget(times);
	if (region->times != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "times in states are those of a range, not of a list");
	/* Lists and times are checked by the query that reads all of it, though it may not be asked. */
	enum histree_status status = histree_query_start(times->query, region, error);
	if (status == HISTREE_OK && !has_sums(times->history))
		return add_reading(times, whole, error);
	if (status == HISTREE_OK && region->quarks == NULL)
		status = list_all(times, &listed, error);
	if (status == HISTREE_OK)
		status = add_hosts(times, &listed, error);
	if (status != HISTREE_OK)
		forget(times);
	return status;
}

/* ---- what is answered ------------------------------------------------------------------------------------- */

/* The next part of a sum, and null for what its parts leave.  Returns false if there are no more. */
static bool next_known(struct time_in_state *times, struct histree_state_time *out)
{
	while (times->at_host < times->known_count) {
		const struct known *known = &times->known[times->at_host];
		const struct state_sum *sum = NULL;
		if (times->at_quark < known->count)
			sum = range_sums_of(&known->sums, times->at_quark);
		*out = (struct histree_state_time){ .value = histree_null() };
		if (sum != NULL) {
			out->quark = known->first + known->quarks[times->at_quark];
			if (times->at_part == 0)
				times->null_ns = (uint64_t)known->sums.to - (uint64_t)known->sums.from + 1;
			if (times->at_part < sum->count) {
				const struct state_sum_part *part = &sum->parts[times->at_part++];
				out->value = part->is_unknown ? histree_unknown() : histree_int(part->value);
				out->ns = part->ns;
				times->null_ns -= part->ns;
				return true;
			}
		}
		times->at_part = 0;
		if (times->at_quark++ >= known->count) {
			times->at_quark = 0;
			times->at_host++;
		} else if (sum != NULL && times->null_ns > 0) {
			out->ns = times->null_ns;
			return true;
		}
	}
	return false;
}

/* Reads states of the current reading; HISTREE_END at its end. */
static enum histree_status read_states(struct time_in_state *times, size_t room, size_t *count,
				       struct histree_error *error)
{
	enum histree_status status = histree_cursor_read(times->query, room, count, error);
	const struct histree_interval *batch = histree_cursor_interval(times->query);
	for (size_t i = 0; status == HISTREE_OK && i < *count; i++) {
		const struct histree_interval *state = &batch[i];
		const histree_time start = state->start > times->from ? state->start : times->from;
		const histree_time end = state->end < times->to ? state->end : times->to;
		times->parts[i] = (struct histree_state_time){ .quark = state->quark,
							       .value = state->value,
							       .ns = (uint64_t)end - (uint64_t)start + 1 };
	}
	const uint64_t damaged = histree_cursor_loss(times->query).nodes;
	if (damaged > times->damaged_nodes)
		times->damaged_nodes = damaged;
	times->is_reading = status == HISTREE_OK;
	return status;
}

static enum histree_status read_parts(struct histree_cursor *cursor, size_t room, size_t *count,
				      struct histree_error *error)
{
	struct time_in_state *times = times_of(cursor);
	room = room < BATCH ? room : BATCH;
	*count = 0;
	while (*count < room && next_known(times, &times->parts[*count]))
		(*count)++;
	if (*count > 0)
		return HISTREE_OK;
	for (;;) {
		enum histree_status status = HISTREE_OK;
		if (!times->is_reading && times->reading == times->reading_count)
			return HISTREE_END;
		if (!times->is_reading) {
			const struct reading *reading = &times->readings[times->reading++];
			const struct histree_region region = { .quarks = reading->quarks,
							       .quark_count = reading->count,
							       .from = reading->from,
							       .to = reading->to };
			times->from = reading->from;
			times->to = reading->to;
			times->is_reading = true;
			status = histree_query_start(times->query, &region, error);
		}
		if (status == HISTREE_OK)
			status = read_states(times, room, count, error);
		if (status != HISTREE_END)
			return status;
	}
}

static enum histree_status next_part(struct histree_cursor *cursor, struct histree_error *error)
{
	size_t count;
	return read_parts(cursor, 1, &count, error);
}

static void free_times(struct histree_cursor *cursor)
{
	struct time_in_state *times = times_of(cursor);
	forget(times);
	histree_cursor_free(times->query);
	free(times->readings);
	free(times->known);
	free(times);
}
