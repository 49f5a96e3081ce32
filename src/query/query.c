// SPDX-License-Identifier: MIT
/*
 * query.c - checks a query, and passes it to the kind that answers it; and two such kinds: the tree of a file, with
 * the slices of a partial history in addition to its nodes, and a source outside this process.
 *
 * A cursor is always started with sorted lists, with times and attributes that the history has, and with a region
 * that is not empty.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "histree/history.h"
#include "query/query.h"
#include "state/history.h"
#include "state/partial_section.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"

/* A zeroed one has nothing. */
struct slice_walk {
	const struct partial_section *partial; /* NULL: there is nothing to walk through */
	const struct history_slices *slices;
	struct node_region region; /* its lists are the caller's */
	size_t next;               /* checkpoint */
	const struct state_slice *held;
	struct slice_cursor cursor; /* in it */
	uint64_t intervals;         /* handed out */
};

/* ---- slice walk ---------------------------------------------------------------------------------------------- */

static void let_go(struct slice_walk *walk)
{
	if (walk->held != NULL)
		walk->slices->release(walk->slices->context, walk->held);
	walk->held = NULL;
}

/* Give back what is held; nothing more comes. */
static void slice_walk_stop(struct slice_walk *walk)
{
	let_go(walk);
	walk->partial = NULL;
}

/* Hold the next slice that meets the region.  Returns HISTREE_END after the last one. */
static enum histree_status hold_next(struct slice_walk *walk, struct histree_error *error)
{
	let_go(walk);
	for (; walk->next < walk->partial->checkpoint_count; walk->next++) {
		const struct partial_slice *slice = &walk->partial->checkpoints[walk->next].slice;
		if (slice->from > slice->to || !region_has_time_of(&walk->region, slice->from, slice->to))
			continue;
		enum histree_status status =
			walk->slices->hold(walk->slices->context, walk->next, &walk->held, error);
		if (status != HISTREE_OK) {
			walk->held = NULL;
			return status;
		}
		walk->next++;
		slice_cursor_begin(&walk->cursor, walk->held, &walk->region);
		return HISTREE_OK;
	}
	return HISTREE_END;
}

/*
 * Get up to `room` intervals, at least one; they are borrowed until the next call.  Returns HISTREE_END at the end.
 */
static enum histree_status slice_walk_read(struct slice_walk *walk, struct histree_interval *out, size_t room,
					   size_t *count, struct histree_error *error)
{
	*count = 0;
	if (walk->partial == NULL)
		return HISTREE_END;
	for (;;) {
		if (walk->held != NULL)
			*count = slice_cursor_read(&walk->cursor, out, room);
		if (*count > 0) {
			assert(*count <= room);
			walk->intervals += *count;
			return HISTREE_OK;
		}
		enum histree_status status = hold_next(walk, error);
		if (status != HISTREE_OK)
			return status;
	}
}

/* What a sound history never says. */
static enum histree_status no_state(histree_quark quark, histree_time t, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "attribute %u has no state at %lld: verify the history", quark,
			 (long long)t);
}

/* ---- a file ------------------------------------------------------------------------------------------------- */

struct file_query {
	struct query base;
	struct tree_iter *iter;
	struct slice_walk slices; /* of a partial history: what comes after the nodes */
	bool is_past_nodes;
};

static enum histree_status file_start(struct query *query, const struct histree_region *region,
				      struct histree_error *error)
{
	struct file_query *file = (struct file_query *)query;
	if (query->info->partial && history_slices(query->history) == NULL)
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"the history is partial: what it has left out is made again from the trace, which only its "
			"store knows; open it by the store");
	tree_iter_start(file->iter, region);
	struct slice_walk *walk = &file->slices;
	const struct partial_section *partial = history_partial(query->history);
	const struct history_slices *slices = history_slices(query->history);
	const bool is_list = region->times != NULL;
	*walk = (struct slice_walk){
		.partial = partial,
		.slices = slices,
		.region = { .from = is_list ? region->times[0] : region->from,
			    .to = is_list ? region->times[region->time_count - 1] : region->to,
			    .quarks = region->quarks,
			    .quark_count = region->quark_count,
			    .times = region->times,
			    .time_count = region->time_count },
	};
	if (is_list && walk->region.from < walk->region.to)
		walk->region.times_per_ns = (double)(region->time_count - 1) /
					    (double)((uint64_t)walk->region.to - (uint64_t)walk->region.from);
	return HISTREE_OK;
}

/* After what the nodes of a partial history have comes what was left out. */
static enum histree_status read_slices(struct file_query *file, struct histree_interval *out, size_t room,
				       size_t *count, struct histree_error *error)
{
	if (!file->is_past_nodes && tree_iter_stats(file->iter).nodes_damaged > 0)
		return error_set(
			error, HISTREE_ERR_FORMAT,
			"the partial history is damaged; build it again from the trace ('histree copy --rebuild')");
	if (!file->is_past_nodes && tree_iter_is_whole(file->iter))
		slice_walk_stop(&file->slices);
	file->is_past_nodes = true;
	return slice_walk_read(&file->slices, out, room, count, error);
}

static enum histree_status file_read(struct query *query, struct histree_interval *out, size_t room, size_t *count,
				     struct histree_error *error)
{
	struct file_query *file = (struct file_query *)query;
	enum histree_status status =
		file->is_past_nodes ? HISTREE_END : tree_iter_read(file->iter, out, room, count, error);
	return status == HISTREE_END && file->slices.partial != NULL ? read_slices(file, out, room, count, error)
								     : status;
}

/* The same of one, as most are read. */
static enum histree_status file_next(struct file_query *file, struct histree_interval *out,
				     struct histree_error *error)
{
	size_t count;
	enum histree_status status = file->is_past_nodes ? HISTREE_END : tree_iter_next(file->iter, out, error);
	return status == HISTREE_END && file->slices.partial != NULL ? read_slices(file, out, 1, &count, error)
								     : status;
}

static void file_stop(struct query *query)
{
	struct file_query *file = (struct file_query *)query;
	tree_iter_stop(file->iter);
	slice_walk_stop(&file->slices);
	file->is_past_nodes = false;
}

static enum histree_status file_single(struct query *query, histree_quark quark, histree_time t,
				       struct histree_interval *out, struct histree_error *error)
{
	struct file_query *file = (struct file_query *)query;
	const struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = t, .to = t };
	file_stop(query);
	enum histree_status status = file_start(query, &region, error);
	if (status == HISTREE_OK)
		status = file_next(file, out, error);
	assert(status != HISTREE_OK || (out->quark == quark && out->start <= t && t <= out->end));
	if (status != HISTREE_OK)
		file_stop(query);    /* else it is at its end: the region is ours and must not be used later */
	file->slices.partial = NULL; /* likewise; what was handed out stays until it is stopped */
	return status == HISTREE_END ? no_state(quark, t, error) : status;
}

static enum histree_status file_set_threads(struct query *query, unsigned threads, struct histree_error *error)
{
	struct file_query *file = (struct file_query *)query;
	return tree_iter_set_threads(file->iter, threads, error);
}

static struct tree_counts file_counts(const struct query *query)
{
	const struct file_query *file = (const struct file_query *)query;
	struct tree_counts stats = tree_iter_stats(file->iter);
	stats.intervals += file->slices.intervals;
	return stats;
}

static void file_free(struct query *query)
{
	struct file_query *file = (struct file_query *)query;
	slice_walk_stop(&file->slices);
	tree_iter_free(file->iter);
}

static const struct query_kind of_file = {
	.start = file_start,
	.read = file_read,
	.single = file_single,
	.set_threads = file_set_threads,
	.counts = file_counts,
	.stop = file_stop,
	.free = file_free,
};

/* ---- a source ------------------------------------------------------------------------------------------------ */

struct source_query {
	struct query base;
	const struct histree_history_source *source;
	void *cursor;
};

static enum histree_status source_start(struct query *query, const struct histree_region *region,
					struct histree_error *error)
{
	const struct source_query *own = (const struct source_query *)query;
	return own->source->cursor_start(own->cursor, region, error);
}

static enum histree_status source_read(struct query *query, struct histree_interval *out, size_t room,
				       size_t *count, struct histree_error *error)
{
	const struct source_query *own = (const struct source_query *)query;
	return own->source->cursor_read(own->cursor, out, room, count, error);
}

static void source_stop(struct query *query)
{
	const struct source_query *own = (const struct source_query *)query;
	own->source->cursor_stop(own->cursor);
}

static enum histree_status source_single(struct query *query, histree_quark quark, histree_time t,
					 struct histree_interval *out, struct histree_error *error)
{
	const struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = t, .to = t };
	size_t count;
	source_stop(query);
	enum histree_status status = source_start(query, &region, error);
	if (status == HISTREE_OK)
		status = source_read(query, out, 1, &count, error);
	if (status != HISTREE_OK)
		source_stop(query);
	return status == HISTREE_END ? no_state(quark, t, error) : status;
}

static struct tree_counts source_counts(const struct query *query)
{
	const struct source_query *own = (const struct source_query *)query;
	const struct histree_statistics statistics = own->source->cursor_statistics(own->cursor);
	return (struct tree_counts){ .nodes_visited = statistics.nodes_visited,
				     .nodes_loaded = statistics.nodes_loaded,
				     .intervals = statistics.rows,
				     .nodes_damaged = own->source->cursor_loss(own->cursor).nodes };
}

static void source_free(struct query *query)
{
	const struct source_query *own = (const struct source_query *)query;
	own->source->cursor_free(own->cursor);
}

static const struct query_kind of_source = {
	.start = source_start,
	.read = source_read,
	.single = source_single,
	.counts = source_counts,
	.stop = source_stop,
	.free = source_free,
};

/* ---- what is asked ------------------------------------------------------------------------------------------- */

static enum histree_status check_times(const struct query *query, histree_time from, histree_time to,
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

static enum histree_status check_quark(const struct query *query, histree_quark quark, struct histree_error *error)
{
	if (quark < query->info->attribute_count)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_QUARK, "there is no attribute %u; the history has %u", quark,
			 query->info->attribute_count);
}

static enum histree_status check_lists(const struct query *query, const struct histree_region *region,
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

/* ---- its cursor --------------------------------------------------------------------------------------------- */

static enum histree_status next_state(struct histree_cursor *cursor, struct histree_error *error)
{
	struct query *query = query_of(cursor);
	size_t count;
	cursor->row = &query->row;
	if (query->kind == &of_file)
		return file_next((struct file_query *)query, &query->row, error);
	return query->kind->read(query, &query->row, 1, &count, error);
}

/* What is read at once is no more than this. */
enum { ROWS_AT_ONCE_MAX = 4096 };

static enum histree_status read_states(struct histree_cursor *cursor, size_t room, size_t *count,
				       struct histree_error *error)
{
	struct query *query = query_of(cursor);
	room = room < ROWS_AT_ONCE_MAX ? room : ROWS_AT_ONCE_MAX;
	if (query->rows_room < room) {
		free(query->rows);
		query->rows = calloc(room, sizeof(*query->rows));
		query->rows_room = query->rows != NULL ? room : 0;
		if (query->rows == NULL)
			return error_memory(error, "a query");
	}
	cursor->row = query->rows;
	return query->kind->read(query, query->rows, room, count, error);
}

static struct histree_statistics statistics_of(const struct histree_cursor *cursor)
{
	const struct query *query = query_of(cursor);
	const struct tree_counts counts = query->kind->counts(query);
	return (struct histree_statistics){ .nodes_visited = counts.nodes_visited,
					    .nodes_loaded = counts.nodes_loaded,
					    .rows = counts.intervals };
}

static struct histree_loss loss_of(const struct histree_cursor *cursor)
{
	const struct query *query = query_of(cursor);
	return (struct histree_loss){ .nodes = query->kind->counts(query).nodes_damaged };
}

static void free_query(struct histree_cursor *cursor)
{
	struct query *query = query_of(cursor);
	query->kind->free(query);
	histree_cursor_free(query->numbers);
	free(query->rows);
	free(query);
}

const struct cursor_kind query_cursor_kind = {
	.rows = CURSOR_STATES,
	.next = next_state,
	.read = read_states,
	.loss = loss_of,
	.statistics = statistics_of,
	.free = free_query,
};

struct query *query_new(const struct query_kind *kind, size_t size, struct histree_history *history)
{
	struct query *query = calloc(1, size);
	if (query == NULL)
		return NULL;
	query->base.kind = &query_cursor_kind;
	query->base.row = &query->row;
	query->kind = kind;
	query->history = history;
	query->info = histree_history_info(history);
	return query;
}

enum histree_status query_of_host_create(struct histree_history *history, struct histree_cursor **out,
					 struct histree_error *error)
{
	uint32_t part;
	const struct histree_history_source *source = history_source_of(history, &part);
	const bool is_file = source == NULL;
	struct query *query = query_new(is_file ? &of_file : &of_source,
					is_file ? sizeof(struct file_query) : sizeof(struct source_query), history);
	struct source_query *of = (struct source_query *)query;
	*out = NULL;
	assert(history_union_of(history) == NULL);
	if (query == NULL)
		return error_memory(error, "a query");
	if (!is_file)
		of->source = source;
	enum histree_status status =
		is_file ? tree_iter_create(history_tree(history), &((struct file_query *)query)->iter, error)
			: source->cursor_create(source->context, part, &of->cursor, error);
	if (status != HISTREE_OK) {
		free(query);
		return status;
	}
	*out = &query->base;
	return HISTREE_OK;
}

enum histree_status histree_query_start(struct histree_cursor *cursor, const struct histree_region *region,
					struct histree_error *error)
{
	struct query *query = query_of(cursor);
	query->kind->stop(query);
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
	return status == HISTREE_OK ? query->kind->start(query, region, error) : status;
}

enum histree_status histree_query_single(struct histree_cursor *cursor, histree_quark quark, histree_time t,
					 struct histree_interval *out, struct histree_error *error)
{
	struct query *query = query_of(cursor);
	enum histree_status status = check_quark(query, quark, error);
	if (status == HISTREE_OK)
		status = check_times(query, t, t, error);
	if (status == HISTREE_OK)
		return query->kind->single(query, quark, t, out, error);
	query->kind->stop(query);
	return status;
}

enum histree_status histree_query_set_threads(struct histree_cursor *cursor, unsigned threads,
					      struct histree_error *error)
{
	struct query *query = query_of(cursor);
	query->kind->stop(query);
	if (threads < 1 || threads > HISTREE_QUERY_THREADS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%u threads for a query: it may have 1 to %d",
				 threads, HISTREE_QUERY_THREADS_MAX);
	return query->kind->set_threads != NULL ? query->kind->set_threads(query, threads, error) : HISTREE_OK;
}

struct histree_history *histree_query_history(const struct histree_cursor *cursor)
{
	return query_of(cursor)->history;
}

enum histree_status query_numbers(struct histree_cursor *cursor, struct histree_cursor **out,
				  struct histree_error *error)
{
	struct query *query = query_of(cursor);
	enum histree_status status = HISTREE_OK;
	if (query->numbers == NULL)
		status = query_of_host_create(history_pyramid(query->history, PYRAMID_NUMBERS)->levels[0].history,
					      &query->numbers, error);
	*out = query->numbers;
	return status;
}
