// SPDX-License-Identifier: MIT
/*
 * query.c - checks what is asked, and hands it to the source that answers: the tree of a file, with the slices of
 * a partial history behind its nodes; the hosts of a union; or a source outside of this process.
 *
 * A cursor is always started with sorted lists, with times and attributes that the history has, and with something
 * to find.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/error.h"
#include "histree/history.h"
#include "histree/states.h"
#include "query/query_inside.h"
#include "query/union_query.h"
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

static void slice_walk_begin(struct slice_walk *walk, const struct partial_section *partial,
			     const struct history_slices *slices, const struct histree_region *region)
{
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
}

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

/* Nothing more comes, but what was handed out stays until the walk is begun again or stopped. */
static void slice_walk_end(struct slice_walk *walk)
{
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

/* ---- query --------------------------------------------------------------------------------------------------- */

/* Who answers.  The functions take the cursor that the table comes with. */
struct query_answerer {
	enum histree_status (*start)(void *cursor, const struct histree_region *region,
				     struct histree_error *error);
	enum histree_status (*read)(void *cursor, struct histree_interval *out, size_t room, size_t *count,
				    struct histree_error *error);
	/* Drops what was started.  HISTREE_END: the attribute has no state at that time. */
	enum histree_status (*single)(void *cursor, histree_quark quark, histree_time t,
				      struct histree_interval *out, struct histree_error *error);
	enum histree_status (*set_threads)(void *cursor, unsigned threads, struct histree_error *error);
	struct tree_counts (*stats)(const void *cursor);
	void (*stop)(void *cursor);
	void (*free)(void *cursor);
};

struct query {
	struct histree_cursor base;
	struct histree_interval row;   /* the last of histree_cursor_next() */
	struct histree_interval *rows; /* of histree_cursor_read(); NULL: not needed yet */
	size_t rows_room;
	struct histree_history *history;
	const struct histree_history_info *info;
	const struct query_answerer *answerer;
	void *cursor;
	struct histree_cursor *numbers; /* of the number overview; NULL: not needed yet */
};

/* What is read at once is no more than this. */
enum { ROWS_AT_ONCE_MAX = 4096 };

/* ---- a file ------------------------------------------------------------------------------------------------- */

struct file_cursor {
	struct histree_history *history;
	struct tree_iter *iter;
	struct slice_walk slices; /* of a partial history: what comes after the nodes */
	bool is_past_nodes;
};

static enum histree_status check_slices(const struct file_cursor *file, struct histree_error *error)
{
	if (!histree_history_info(file->history)->partial || history_slices(file->history) != NULL)
		return HISTREE_OK;
	return error_set(
		error, HISTREE_ERR_ARGUMENT,
		"the history is partial: what it has left out is made again from the trace, which only its "
		"store knows; open it by the store");
}

static enum histree_status file_start(void *cursor, const struct histree_region *region,
				      struct histree_error *error)
{
	struct file_cursor *file = cursor;
	enum histree_status status = check_slices(file, error);
	if (status != HISTREE_OK)
		return status;
	tree_iter_start(file->iter, region);
	slice_walk_begin(&file->slices, history_partial(file->history), history_slices(file->history), region);
	return HISTREE_OK;
}

/* After what the nodes of a partial history have comes what was left out. */
static enum histree_status read_slices(struct file_cursor *file, struct histree_interval *out, size_t room,
				       size_t *count, struct histree_error *error)
{
	if (!file->is_past_nodes && tree_iter_stats(file->iter).nodes_damaged > 0)
		return error_set(
			error, HISTREE_ERR_FORMAT,
			"the partial history is damaged; build it again from the trace ('histree rebuild')");
	if (!file->is_past_nodes && tree_iter_is_whole(file->iter))
		slice_walk_stop(&file->slices);
	file->is_past_nodes = true;
	return slice_walk_read(&file->slices, out, room, count, error);
}

static enum histree_status file_read(void *cursor, struct histree_interval *out, size_t room, size_t *count,
				     struct histree_error *error)
{
	struct file_cursor *file = cursor;
	enum histree_status status =
		file->is_past_nodes ? HISTREE_END : tree_iter_read(file->iter, out, room, count, error);
	return status == HISTREE_END && file->slices.partial != NULL ? read_slices(file, out, room, count, error)
								     : status;
}

/* The same of one, as most are read. */
static enum histree_status file_next(struct file_cursor *file, struct histree_interval *out,
				     struct histree_error *error)
{
	size_t count;
	enum histree_status status = file->is_past_nodes ? HISTREE_END : tree_iter_next(file->iter, out, error);
	return status == HISTREE_END && file->slices.partial != NULL ? read_slices(file, out, 1, &count, error)
								     : status;
}

static void file_stop(void *cursor)
{
	struct file_cursor *file = cursor;
	tree_iter_stop(file->iter);
	slice_walk_stop(&file->slices);
	file->is_past_nodes = false;
}

static enum histree_status file_single(void *cursor, histree_quark quark, histree_time t,
				       struct histree_interval *out, struct histree_error *error)
{
	struct file_cursor *file = cursor;
	const struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = t, .to = t };
	file_stop(file);
	enum histree_status status = file_start(file, &region, error);
	if (status == HISTREE_OK)
		status = file_next(file, out, error);
	assert(status != HISTREE_OK || (out->quark == quark && out->start <= t && t <= out->end));
	if (status != HISTREE_OK)
		file_stop(file); /* else it is at its end: the region is ours and must not be used later */
	slice_walk_end(&file->slices);
	return status;
}

static enum histree_status file_set_threads(void *cursor, unsigned threads, struct histree_error *error)
{
	struct file_cursor *file = cursor;
	return tree_iter_set_threads(file->iter, threads, error);
}

static struct tree_counts file_stats(const void *cursor)
{
	const struct file_cursor *file = cursor;
	struct tree_counts stats = tree_iter_stats(file->iter);
	stats.intervals += file->slices.intervals;
	return stats;
}

static void file_free(void *cursor)
{
	struct file_cursor *file = cursor;
	slice_walk_stop(&file->slices);
	tree_iter_free(file->iter);
	free(file);
}

static const struct query_answerer of_file = {
	.start = file_start,
	.read = file_read,
	.single = file_single,
	.set_threads = file_set_threads,
	.stats = file_stats,
	.stop = file_stop,
	.free = file_free,
};

static enum histree_status file_create(struct histree_history *history, void **out, struct histree_error *error)
{
	struct file_cursor *file = calloc(1, sizeof(*file));
	if (file == NULL)
		return error_memory(error, "a query");
	file->history = history;
	enum histree_status status = tree_iter_create(history_tree(history), &file->iter, error);
	if (status == HISTREE_OK)
		*out = file;
	else
		free(file);
	return status;
}

/* ---- hosts -------------------------------------------------------------------------------------------------- */

static enum histree_status hosts_start(void *cursor, const struct histree_region *region,
				       struct histree_error *error)
{
	return union_query_start(cursor, region, error);
}

static enum histree_status hosts_read(void *cursor, struct histree_interval *out, size_t room, size_t *count,
				      struct histree_error *error)
{
	return union_query_read(cursor, out, room, count, error);
}

static enum histree_status hosts_single(void *cursor, histree_quark quark, histree_time t,
					struct histree_interval *out, struct histree_error *error)
{
	return union_query_single(cursor, quark, t, out, error);
}

static enum histree_status hosts_set_threads(void *cursor, unsigned threads, struct histree_error *error)
{
	return union_query_set_threads(cursor, threads, error);
}

static struct tree_counts hosts_stats(const void *cursor)
{
	return union_query_stats(cursor);
}

static void hosts_stop(void *cursor)
{
	union_query_stop(cursor);
}

static void hosts_free(void *cursor)
{
	union_query_free(cursor);
}

static const struct query_answerer of_hosts = {
	.start = hosts_start,
	.read = hosts_read,
	.single = hosts_single,
	.set_threads = hosts_set_threads,
	.stats = hosts_stats,
	.stop = hosts_stop,
	.free = hosts_free,
};

/* ---- a source ------------------------------------------------------------------------------------------------ */

struct source_cursor {
	const struct histree_history_source *source;
	void *cursor;
};

static enum histree_status source_start(void *cursor, const struct histree_region *region,
					struct histree_error *error)
{
	const struct source_cursor *own = cursor;
	return own->source->cursor_start(own->cursor, region, error);
}

static enum histree_status source_read(void *cursor, struct histree_interval *out, size_t room, size_t *count,
				       struct histree_error *error)
{
	const struct source_cursor *own = cursor;
	return own->source->cursor_read(own->cursor, out, room, count, error);
}

static void source_stop(void *cursor)
{
	const struct source_cursor *own = cursor;
	own->source->cursor_stop(own->cursor);
}

static enum histree_status source_single(void *cursor, histree_quark quark, histree_time t,
					 struct histree_interval *out, struct histree_error *error)
{
	const struct histree_region region = { .quarks = &quark, .quark_count = 1, .from = t, .to = t };
	size_t count;
	source_stop(cursor);
	enum histree_status status = source_start(cursor, &region, error);
	if (status == HISTREE_OK)
		status = source_read(cursor, out, 1, &count, error);
	if (status != HISTREE_OK)
		source_stop(cursor);
	return status;
}

/* It has threads where it is, or none. */
static enum histree_status source_set_threads(void *cursor, unsigned threads, struct histree_error *error)
{
	(void)cursor, (void)threads, (void)error;
	return HISTREE_OK;
}

static struct tree_counts source_stats(const void *cursor)
{
	const struct source_cursor *own = cursor;
	const struct histree_statistics statistics = own->source->cursor_statistics(own->cursor);
	return (struct tree_counts){ .nodes_visited = statistics.nodes_visited,
				     .nodes_loaded = statistics.nodes_loaded,
				     .intervals = statistics.rows,
				     .nodes_damaged = own->source->cursor_loss(own->cursor).nodes };
}

static void source_free(void *cursor)
{
	struct source_cursor *own = cursor;
	own->source->cursor_free(own->cursor);
	free(own);
}

static const struct query_answerer of_source = {
	.start = source_start,
	.read = source_read,
	.single = source_single,
	.set_threads = source_set_threads,
	.stats = source_stats,
	.stop = source_stop,
	.free = source_free,
};

static enum histree_status source_create(const struct histree_history_source *source, uint32_t part, void **out,
					 struct histree_error *error)
{
	struct source_cursor *own = calloc(1, sizeof(*own));
	if (own == NULL)
		return error_memory(error, "a query");
	own->source = source;
	enum histree_status status = source->cursor_create(source->context, part, &own->cursor, error);
	if (status == HISTREE_OK)
		*out = own;
	else
		free(own);
	return status;
}

/* ---- the query ------------------------------------------------------------------------------------------ */

static enum histree_status choose_answerer(struct query *query, struct histree_error *error)
{
	uint32_t part;
	const struct histree_history_source *source = history_source_of(query->history, &part);
	if (history_union_of(query->history) != NULL) {
		struct union_query *hosts = NULL;
		query->answerer = &of_hosts;
		enum histree_status status = union_query_create(query->history, &hosts, error);
		query->cursor = hosts;
		return status;
	}
	query->answerer = source != NULL ? &of_source : &of_file;
	return source != NULL ? source_create(source, part, &query->cursor, error)
			      : file_create(query->history, &query->cursor, error);
}

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
	struct query *query = (struct query *)cursor;
	size_t count;
	cursor->row = &query->row;
	if (query->answerer == &of_file)
		return file_next(query->cursor, &query->row, error);
	return query->answerer->read(query->cursor, &query->row, 1, &count, error);
}

static enum histree_status read_states(struct histree_cursor *cursor, size_t room, size_t *count,
				       struct histree_error *error)
{
	struct query *query = (struct query *)cursor;
	room = room < ROWS_AT_ONCE_MAX ? room : ROWS_AT_ONCE_MAX;
	if (query->rows_room < room) {
		free(query->rows);
		query->rows = calloc(room, sizeof(*query->rows));
		query->rows_room = query->rows != NULL ? room : 0;
		if (query->rows == NULL)
			return error_memory(error, "a query");
	}
	cursor->row = query->rows;
	return query->answerer->read(query->cursor, query->rows, room, count, error);
}

static struct histree_statistics statistics_of(const struct histree_cursor *cursor)
{
	const struct query *query = (const struct query *)cursor;
	const struct tree_counts counts = query->answerer->stats(query->cursor);
	return (struct histree_statistics){ .nodes_visited = counts.nodes_visited,
					    .nodes_loaded = counts.nodes_loaded,
					    .rows = counts.intervals };
}

static struct histree_loss loss_of(const struct histree_cursor *cursor)
{
	const struct query *query = (const struct query *)cursor;
	return (struct histree_loss){ .nodes = query->answerer->stats(query->cursor).nodes_damaged };
}

static void free_query(struct histree_cursor *cursor)
{
	struct query *query = (struct query *)cursor;
	histree_cursor_free(query->numbers);
	query->answerer->free(query->cursor);
	free(query->rows);
	free(query);
}

static const struct cursor_kind of_states = {
	.rows = CURSOR_STATES,
	.next = next_state,
	.read = read_states,
	.loss = loss_of,
	.statistics = statistics_of,
	.free = free_query,
};

static inline struct query *query_of(struct histree_cursor *cursor)
{
	assert(cursor->kind == &of_states);
	return (struct query *)cursor;
}

enum histree_status histree_query_create(struct histree_history *history, struct histree_cursor **out,
					 struct histree_error *error)
{
	*out = NULL;
	struct query *query = calloc(1, sizeof(*query));
	if (query == NULL)
		return error_memory(error, "a query");
	query->base.kind = &of_states;
	query->base.row = &query->row;
	query->history = history;
	query->info = histree_history_info(history);
	enum histree_status status = choose_answerer(query, error);
	if (status != HISTREE_OK) {
		free(query);
		return status;
	}
	*out = &query->base;
	return HISTREE_OK;
}

void query_stop(struct histree_cursor *cursor)
{
	struct query *query = query_of(cursor);
	query->answerer->stop(query->cursor);
}

enum histree_status histree_query_start(struct histree_cursor *cursor, const struct histree_region *region,
					struct histree_error *error)
{
	const struct query *query = query_of(cursor);
	query_stop(cursor);
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
	return status == HISTREE_OK ? query->answerer->start(query->cursor, region, error) : status;
}

enum histree_status query_read(struct histree_cursor *cursor, struct histree_interval *out, size_t room,
			       size_t *count, struct histree_error *error)
{
	const struct query *query = query_of(cursor);
	return query->answerer->read(query->cursor, out, room, count, error);
}

enum histree_status histree_query_single(struct histree_cursor *cursor, histree_quark quark, histree_time t,
					 struct histree_interval *out, struct histree_error *error)
{
	const struct query *query = query_of(cursor);
	enum histree_status status = check_quark(query, quark, error);
	if (status == HISTREE_OK)
		status = check_times(query, t, t, error);
	if (status == HISTREE_OK)
		status = query->answerer->single(query->cursor, quark, t, out, error);
	else
		query_stop(cursor);
	if (status == HISTREE_END)
		return error_set(error, HISTREE_ERR_FORMAT, "attribute %u has no state at %lld: verify the history",
				 quark, (long long)t);
	return status;
}

enum histree_status histree_query_set_threads(struct histree_cursor *cursor, unsigned threads,
					      struct histree_error *error)
{
	const struct query *query = query_of(cursor);
	query_stop(cursor);
	if (threads >= 1 && threads <= HISTREE_QUERY_THREADS_MAX)
		return query->answerer->set_threads(query->cursor, threads, error);
	return error_set(error, HISTREE_ERR_ARGUMENT, "%u threads for a query: it may have 1 to %d", threads,
			 HISTREE_QUERY_THREADS_MAX);
}

struct histree_history *histree_query_history(const struct histree_cursor *cursor)
{
	assert(cursor->kind == &of_states);
	return ((const struct query *)cursor)->history;
}

struct union_query *query_union(const struct histree_cursor *cursor)
{
	const struct query *query = (const struct query *)cursor;
	assert(cursor->kind == &of_states);
	return query->answerer == &of_hosts ? query->cursor : NULL;
}

enum histree_status query_numbers(struct histree_cursor *cursor, struct histree_cursor **out,
				  struct histree_error *error)
{
	struct query *query = query_of(cursor);
	enum histree_status status = HISTREE_OK;
	if (query->numbers == NULL)
		status = histree_query_create(history_pyramid(query->history, PYRAMID_NUMBERS)->levels[0].history,
					      &query->numbers, error);
	*out = query->numbers;
	return status;
}
