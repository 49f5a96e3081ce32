// SPDX-License-Identifier: MIT
#include "histree/query.h"

#include <stdlib.h>

#include "base/error.h"
#include "histree/history_source.h"
#include "query/query_inside.h"
#include "query/slice_walk.h"
#include "query/union_query.h"
#include "state/history.h"
#include "tree/tree_reader.h"

struct histree_query {
	struct histree_history *history;
	struct union_query
		*hosts; /* of a history of several, and then nothing below is used but `info`; else NULL */
	const struct histree_history_source *source; /* who answers for it, by `cursor`; NULL: its tree does */
	void *cursor;
	struct tree_iter *iter;
	struct histree_query *numbers; /* of the number overview; NULL: not needed yet */
	struct slice_walk slices;      /* of a partial history: what comes after the nodes */
	bool is_past_nodes;
	const struct histree_history_info *info;
};

enum histree_status histree_query_create(struct histree_history *history, struct histree_query **out,
					 struct histree_error *error)
{
	*out = NULL;
	struct histree_query *query = calloc(1, sizeof(*query));
	if (query == NULL)
		return error_memory(error, "a query");
	query->history = history;
	query->info = histree_history_info(history);
	uint32_t part;
	query->source = history_source_of(history, &part);
	enum histree_status status;
	if (history_union_of(history) != NULL)
		status = union_query_create(history, &query->hosts, error);
	else if (query->source != NULL)
		status = query->source->cursor_create(query->source->context, part, &query->cursor, error);
	else
		status = tree_iter_create(history_tree(history), &query->iter, error);
	if (status != HISTREE_OK) {
		free(query);
		return status;
	}
	*out = query;
	return HISTREE_OK;
}

static enum histree_status check_times(const struct histree_query *query, histree_time from, histree_time to,
				       struct histree_error *error)
{
	const struct histree_history_info *info = query->info;
	if (from > to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %lld to %lld", (long long)from,
				 (long long)to);
	if (from < info->start || to > info->end)
		return error_set(
			error, HISTREE_ERR_TIME_RANGE, "time %lld is outside the history, from %lld to %lld",
			(long long)(from < info->start ? from : to), (long long)info->start, (long long)info->end);
	return HISTREE_OK;
}

static enum histree_status check_quark(const struct histree_query *query, histree_quark quark,
				       struct histree_error *error)
{
	if (quark < query->info->attribute_count)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_QUARK, "there is no attribute %u; the history has %u", quark,
			 query->info->attribute_count);
}

static enum histree_status check_lists(const struct histree_query *query, const struct histree_region *region,
				       struct histree_error *error)
{
	for (size_t i = 1; region->quarks != NULL && i < region->quark_count; i++)
		if (region->quarks[i - 1] >= region->quarks[i])
			return error_set(error, HISTREE_ERR_ARGUMENT, "the list of attributes is not sorted");
	for (size_t i = 1; region->times != NULL && i < region->time_count; i++)
		if (region->times[i - 1] > region->times[i])
			return error_set(error, HISTREE_ERR_ARGUMENT, "the list of times is not sorted");
	if (region->quarks != NULL && region->quark_count > 0)
		return check_quark(query, region->quarks[region->quark_count - 1], error);
	return HISTREE_OK;
}

void query_stop(struct histree_query *query)
{
	if (query->hosts != NULL) {
		union_query_stop(query->hosts);
		return;
	}
	if (query->source != NULL) {
		query->source->cursor_stop(query->cursor);
		return;
	}
	tree_iter_stop(query->iter);
	slice_walk_stop(&query->slices);
	query->is_past_nodes = false;
}

static enum histree_status check_slices(const struct histree_query *query, struct histree_error *error)
{
	if (!query->info->partial || history_slices(query->history) != NULL)
		return HISTREE_OK;
	return error_set(
		error, HISTREE_ERR_ARGUMENT,
		"the history is partial: what it has left out is made again from the trace, which only its "
		"store knows; open it by the store");
}

enum histree_status histree_query_start(struct histree_query *query, const struct histree_region *region,
					struct histree_error *error)
{
	query_stop(query);
	enum histree_status status = check_lists(query, region, error);
	if (status != HISTREE_OK)
		return status;
	bool nothing = (region->quarks != NULL && region->quark_count == 0) ||
		       (region->times != NULL && region->time_count == 0);
	if (nothing)
		return HISTREE_OK;
	histree_time from = region->times != NULL ? region->times[0] : region->from;
	histree_time to = region->times != NULL ? region->times[region->time_count - 1] : region->to;
	status = check_times(query, from, to, error);
	if (status == HISTREE_OK && query->hosts != NULL)
		return union_query_start(query->hosts, region, error);
	if (status == HISTREE_OK && query->source != NULL)
		return query->source->cursor_start(query->cursor, region, error);
	if (status == HISTREE_OK)
		status = check_slices(query, error);
	if (status != HISTREE_OK)
		return status;
	tree_iter_start(query->iter, region);
	slice_walk_begin(&query->slices, history_partial(query->history), history_slices(query->history), region);
	return HISTREE_OK;
}

/* After what the nodes of a partial history have comes what was left out. */
static enum histree_status read_slices(struct histree_query *query, struct histree_interval *out, size_t room,
				       size_t *count, struct histree_error *error)
{
	if (!query->is_past_nodes && tree_iter_stats(query->iter).nodes_damaged > 0)
		return error_set(
			error, HISTREE_ERR_FORMAT,
			"the partial history is damaged; build it again from the trace ('histree rebuild')");
	if (!query->is_past_nodes && tree_iter_is_whole(query->iter))
		slice_walk_stop(&query->slices);
	query->is_past_nodes = true;
	return slice_walk_read(&query->slices, out, room, count, error);
}

static enum histree_status next_of_slices(struct histree_query *query, struct histree_interval *out,
					  struct histree_error *error)
{
	size_t count;
	return read_slices(query, out, 1, &count, error);
}

enum histree_status histree_query_next(struct histree_query *query, struct histree_interval *out,
				       struct histree_error *error)
{
	size_t count;
	if (query->hosts != NULL)
		return union_query_read(query->hosts, out, 1, &count, error);
	if (query->source != NULL)
		return query->source->cursor_read(query->cursor, out, 1, &count, error);
	enum histree_status status = query->is_past_nodes ? HISTREE_END : tree_iter_next(query->iter, out, error);
	return status == HISTREE_END && query->slices.partial != NULL ? next_of_slices(query, out, error) : status;
}

enum histree_status histree_query_read(struct histree_query *query, struct histree_interval *out, size_t room,
				       size_t *count, struct histree_error *error)
{
	if (query->hosts != NULL)
		return union_query_read(query->hosts, out, room, count, error);
	if (query->source != NULL)
		return query->source->cursor_read(query->cursor, out, room, count, error);
	enum histree_status status =
		query->is_past_nodes ? HISTREE_END : tree_iter_read(query->iter, out, room, count, error);
	return status == HISTREE_END && query->slices.partial != NULL ? read_slices(query, out, room, count, error)
								      : status;
}

static enum histree_status single_of_hosts(struct histree_query *query, histree_quark quark, histree_time t,
					   struct histree_interval *out, struct histree_error *error)
{
	enum histree_status status = check_quark(query, quark, error);
	if (status == HISTREE_OK)
		status = check_times(query, t, t, error);
	if (status == HISTREE_OK)
		return union_query_single(query->hosts, quark, t, out, error);
	union_query_stop(query->hosts);
	return status;
}

enum histree_status histree_query_single(struct histree_query *query, histree_quark quark, histree_time t,
					 struct histree_interval *out, struct histree_error *error)
{
	if (query->hosts != NULL)
		return single_of_hosts(query, quark, t, out, error);
	struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = t, .to = t };
	enum histree_status status = histree_query_start(query, &region, error);
	if (status == HISTREE_OK)
		status = histree_query_next(query, out, error);
	if (status != HISTREE_OK)
		query_stop(query); /* else it is at its end: the region is ours and must not be used later */
	slice_walk_end(&query->slices);
	if (status == HISTREE_END)
		return error_set(error, HISTREE_ERR_FORMAT, "attribute %u has no state at %lld: verify the history",
				 quark, (long long)t);
	return status;
}

enum histree_status histree_query_set_threads(struct histree_query *query, unsigned threads,
					      struct histree_error *error)
{
	query_stop(query);
	if (threads >= 1 && threads <= HISTREE_QUERY_THREADS_MAX && query->hosts != NULL)
		return union_query_set_threads(query->hosts, threads, error);
	if (threads >= 1 && threads <= HISTREE_QUERY_THREADS_MAX && query->source != NULL)
		return HISTREE_OK; /* it has threads where it is, or none */
	if (threads >= 1 && threads <= HISTREE_QUERY_THREADS_MAX)
		return tree_iter_set_threads(query->iter, threads, error);
	return error_set(error, HISTREE_ERR_ARGUMENT, "%u threads for a query: it may have 1 to %d", threads,
			 HISTREE_QUERY_THREADS_MAX);
}

struct histree_query_stats histree_query_stats(const struct histree_query *query)
{
	if (query->hosts != NULL)
		return union_query_stats(query->hosts);
	if (query->source != NULL)
		return query->source->cursor_stats(query->cursor);
	struct histree_query_stats stats = tree_iter_stats(query->iter);
	stats.intervals += query->slices.intervals;
	return stats;
}

struct histree_history *histree_query_history(const struct histree_query *query)
{
	return query->history;
}

struct union_query *query_union(const struct histree_query *query)
{
	return query->hosts;
}

enum histree_status query_numbers(struct histree_query *query, struct histree_query **out,
				  struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (query->numbers == NULL)
		status = histree_query_create(history_pyramid(query->history, PYRAMID_NUMBERS)->levels[0].history,
					      &query->numbers, error);
	*out = query->numbers;
	return status;
}

void histree_query_free(struct histree_query *query)
{
	if (query == NULL)
		return;
	if (query->hosts != NULL) {
		union_query_free(query->hosts);
		free(query);
		return;
	}
	histree_query_free(query->numbers);
	if (query->source != NULL) {
		query->source->cursor_free(query->cursor);
		free(query);
		return;
	}
	slice_walk_stop(&query->slices);
	tree_iter_free(query->iter);
	free(query);
}
