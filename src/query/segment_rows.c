// SPDX-License-Identifier: MIT
/*
 * segment_rows.c - segments by row number: after each run of rows, a mark from which reading can continue.  The
 * order of rows is that of the query and never changes.
 */
#include "histree/segment_stats.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "query/segment_summaries.h"
#include "segment/segment_memory.h"

enum { ROWS_PER_MARK = 4096 };

/* A row, as far as an order by a field can tell rows apart. */
struct position {
	struct histree_segment times;
	struct histree_value value;
	uint64_t equal; /* rows up to this one, itself included, that are equal to it in all of this */
};

/* A position after a multiple of the rows per mark. */
struct mark {
	struct histree_segment_token token;
	struct position last; /* of these rows */
};

struct segment_rows {
	struct histree_cursor base;
	struct histree_segment row;
	struct histree_segment_store *store;
	struct histree_segment_rows_options options;
	bool by_field;               /* the field has no order on disk: all segments are sorted for it */
	struct histree_cursor *iter; /* NULL: resting */
	uint64_t at;                 /* the next row of the iterator */
	uint64_t end;                /* where it stops, by field; else UINT64_MAX */
	uint64_t count;              /* of all rows, once it is known */
	bool is_counted;
	struct mark *marks; /* [0] stands before all rows */
	size_t mark_count, marks_capacity;
	struct arena bytes;   /* of the values of marks */
	struct position last; /* that was read while all was sorted */
	char *last_bytes;
	size_t last_capacity;
	/* By field: only rows between the two marks are wanted; NULL: no bound. */
	const struct mark *from, *until;
	unsigned filtered; /* since it was last asked whether to go on */
	bool is_stopped;
};

/* ---- orders by a field --------------------------------------------------------------------------------- */

static int compare_times(histree_time a, histree_time b)
{
	return (a > b) - (a < b);
}

/* In the order of the query; 0: equal in value and times. */
static int compare_with(const struct segment_rows *rows, const struct histree_segment *segment,
			const struct position *position)
{
	int order = segment_value_compare(&segment->content[rows->options.query.field], &position->value);
	if (order == 0)
		order = compare_times(segment->start, position->times.start);
	if (order == 0)
		order = compare_times(segment->end, position->times.end);
	return rows->options.query.descending ? -order : order;
}

static bool may_go_on(struct segment_rows *rows)
{
	if (++rows->filtered % CANCEL_STEPS == 0)
		rows->is_stopped |= cancel_asked(&rows->options.work);
	return !rows->is_stopped;
}

/* A pass cannot be ended from inside; what is stopped wants nothing more, which is nearly as quick. */
static bool is_wanted(void *context, const struct histree_segment *segment)
{
	struct segment_rows *rows = context;
	const struct histree_segment_query *query = &rows->options.query;
	if (!may_go_on(rows))
		return false;
	if (query->filter != NULL && !query->filter(query->filter_context, segment))
		return false;
	return (rows->from == NULL || compare_with(rows, segment, &rows->from->last) >= 0) &&
	       (rows->until == NULL || compare_with(rows, segment, &rows->until->last) <= 0);
}

/* A row that was read while all is sorted: how many are equal up to it. */
static bool note_position(struct segment_rows *rows, const struct histree_segment *segment)
{
	struct position *last = &rows->last;
	const struct histree_value *value = &segment->content[rows->options.query.field];
	if (rows->at > 0 && compare_with(rows, segment, last) == 0) {
		last->equal++;
		return true;
	}
	*last = (struct position){ .times = *segment, .value = *value, .equal = 1 };
	if (value->type != HISTREE_STRING || value->size == 0)
		return true;
	if (!array_reserve(&rows->last_bytes, &rows->last_capacity, value->size))
		return false;
	last->value.bytes = memcpy(rows->last_bytes, value->bytes, value->size);
	return true;
}

/* ---- marks --------------------------------------------------------------------------------------------- */

static bool add_mark(struct segment_rows *rows, const struct histree_segment *segment)
{
	if (!array_reserve(&rows->marks, &rows->marks_capacity, rows->mark_count + 1))
		return false;
	struct mark mark = { .token = histree_segments_token(rows->iter), .last.times = *segment };
	mark.last.times.content = NULL;
	if (rows->by_field) {
		struct histree_value *value = &mark.last.value;
		mark.last = rows->last;
		if (value->type == HISTREE_STRING) {
			value->bytes = arena_copy(&rows->bytes, value->bytes, value->size);
			if (value->bytes == NULL)
				return false;
		}
	}
	rows->marks[rows->mark_count++] = mark;
	return true;
}

static uint64_t row_of_mark(const struct segment_rows *rows, size_t mark)
{
	return (uint64_t)mark * rows->options.rows_per_mark;
}

/* The loss of the rows is the greatest of a reading so far. */
static void note_loss(struct segment_rows *rows)
{
	const struct histree_loss loss = histree_cursor_loss(rows->iter);
	if (loss.nodes > rows->base.loss.nodes)
		rows->base.loss = loss;
}

static void rows_rest(struct segment_rows *rows)
{
	if (rows->iter != NULL)
		note_loss(rows);
	histree_cursor_free(rows->iter);
	rows->iter = NULL;
}

static enum histree_status next_of_iter(struct segment_rows *rows, struct histree_segment *out,
					struct histree_error *error)
{
	enum histree_status status = histree_cursor_next(rows->iter, error);
	if (status == HISTREE_OK)
		*out = *histree_cursor_segment(rows->iter);
	return status;
}

/* After a cancel, the apparent end of the pass is not the end. */
static enum histree_status unless_stopped(struct segment_rows *rows, enum histree_status status,
					  struct histree_error *error)
{
	if (!rows->is_stopped || status < 0)
		return status;
	rows_rest(rows);
	return error_set(error, HISTREE_ERR_CANCELLED, "the rows are no longer wanted");
}

/* Begin again after a mark. */
static enum histree_status open_mark(struct segment_rows *rows, size_t index, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	struct histree_segment_query query = rows->options.query;
	const struct mark *mark = &rows->marks[index];
	uint64_t skip = 0;
	if (rows->iter == NULL)
		status = histree_segments_create(rows->store, &rows->iter, error);
	else
		note_loss(rows);
	if (status != HISTREE_OK)
		return status;
	rows->end = UINT64_MAX;
	rows->is_stopped = false;
	rows->from = rows->until = NULL;
	query.filter = is_wanted;
	query.filter_context = rows;
	if (rows->by_field && index > 0) {
		rows->from = mark;
		skip = mark->last.equal;
	}
	if (rows->by_field && rows->is_counted) {
		query.limit = skip + rows->options.rows_per_mark;
		rows->end = row_of_mark(rows, index + 1);
		rows->until = index + 1 < rows->mark_count ? &rows->marks[index + 1] : NULL;
	}
	status = histree_segments_start(rows->iter, &query, rows->by_field ? NULL : &mark->token, error);
	struct histree_segment segment;
	while (status == HISTREE_OK && skip-- > 0)
		status = next_of_iter(rows, &segment, error);
	rows->at = row_of_mark(rows, index);
	return unless_stopped(rows, status, error);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static enum histree_status read_next(struct segment_rows *rows, struct histree_segment *out,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (rows->at == rows->end && rows->at < rows->count)
		status = open_mark(rows, (size_t)(rows->at / rows->options.rows_per_mark), error);
	if (status == HISTREE_OK)
		status = next_of_iter(rows, out, error);
	status = unless_stopped(rows, status, error);
	if (status == HISTREE_END && !rows->is_counted) {
		rows->count = rows->at;
		rows->is_counted = true;
	}
	if (status != HISTREE_OK)
		return status;
	if (rows->by_field && !rows->is_counted && !note_position(rows, out))
		return error_memory(error, "rows of segments");
	rows->at++;
	if (rows->at == row_of_mark(rows, rows->mark_count) && !add_mark(rows, out))
		return error_memory(error, "rows of segments");
	return HISTREE_OK;
}

/* Read on to a row, or to the end. */
static enum histree_status walk(struct segment_rows *rows, uint64_t row, struct histree_error *error)
{
	struct histree_segment segment;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && rows->at < row)
		status = read_next(rows, &segment, error);
	return status;
}

static bool is_all(const struct histree_segment_query *query)
{
	return query->filter == NULL && query->host_filter == NULL && query->from == INT64_MIN &&
	       query->to == INT64_MAX;
}

/* An order by a field is known by its marks only when all of them are there. */
static enum histree_status sort_once(struct segment_rows *rows, struct histree_error *error)
{
	if (!rows->by_field || rows->is_counted)
		return HISTREE_OK;
	rows->mark_count = 1;
	arena_release(&rows->bytes);
	enum histree_status status = open_mark(rows, 0, error);
	if (status == HISTREE_OK)
		status = walk(rows, 1, error);
	/* A token that is a rank is one of a side table, which has the order as the tree has those of time. */
	if (status == HISTREE_OK && histree_segments_token(rows->iter).key[0] != 0) {
		/* The order is on disk: a token leads to any position in it. */
		rows->by_field = false;
		rows->mark_count = 1;
		rows_rest(rows);
		if (is_all(&rows->options.query)) {
			rows->count = histree_segment_store_info(rows->store)->segment_count;
			rows->is_counted = true;
		}
		return HISTREE_OK;
	}
	if (status == HISTREE_OK)
		status = walk(rows, UINT64_MAX, error);
	rows_rest(rows);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status rows_seek(struct segment_rows *rows, uint64_t row, struct histree_error *error)
{
	enum histree_status status = sort_once(rows, error);
	if (status != HISTREE_OK)
		return status;
	if (rows->is_counted && row > rows->count)
		return HISTREE_END;
	uint64_t nearest = row / rows->options.rows_per_mark;
	size_t mark = nearest < rows->mark_count ? (size_t)nearest : rows->mark_count - 1;
	if (rows->iter == NULL || row < rows->at || rows->at < row_of_mark(rows, mark))
		status = open_mark(rows, mark, error);
	if (status == HISTREE_OK)
		status = walk(rows, row, error);
	if (status < 0)
		rows_rest(rows);
	return status;
}

static enum histree_status rows_count(struct segment_rows *rows, uint64_t *count, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (!rows->is_counted)
		status = rows_seek(rows, UINT64_MAX, error);
	*count = rows->count;
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* The last mark whose rows all start before a time. */
static size_t mark_before(const struct segment_rows *rows, histree_time time)
{
	return SEARCH(i, 1, rows->mark_count, rows->marks[i].last.times.start < time) - 1;
}

static enum histree_status rows_find(struct segment_rows *rows, histree_time time, uint64_t *row,
				     struct histree_error *error)
{
	const struct histree_segment_query *query = &rows->options.query;
	*row = 0;
	if (query->order != HISTREE_SEGMENTS_BY_START || query->descending)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "only segments in the order of their starts can be found by time");
	struct histree_segment segment = { .start = INT64_MIN };
	enum histree_status status = open_mark(rows, mark_before(rows, time), error);
	uint64_t before = rows->at;
	while (status == HISTREE_OK && (status = read_next(rows, &segment, error)) == HISTREE_OK &&
	       segment.start < time)
		before = rows->at;
	if (status < 0)
		return status;
	*row = before;
	return status == HISTREE_END ? HISTREE_END : rows_seek(rows, before, error);
}

/* ---- the cursor ------------------------------------------------------------------------------------------- */

static enum histree_status rows_next(struct histree_cursor *cursor, struct histree_error *error)
{
	struct segment_rows *rows = (struct segment_rows *)cursor;
	enum histree_status status = HISTREE_OK;
	if (rows->iter == NULL)
		status = rows_seek(rows, rows->at, error);
	if (status == HISTREE_OK)
		status = read_next(rows, &rows->row, error);
	return status;
}

static struct histree_loss rows_loss(const struct histree_cursor *cursor)
{
	const struct segment_rows *rows = (const struct segment_rows *)cursor;
	const struct histree_loss loss =
		rows->iter != NULL ? histree_cursor_loss(rows->iter) : (struct histree_loss){ 0 };
	return loss.nodes > cursor->loss.nodes ? loss : cursor->loss;
}

static void rows_free(struct histree_cursor *cursor)
{
	struct segment_rows *rows = (struct segment_rows *)cursor;
	rows_rest(rows);
	arena_release(&rows->bytes);
	free(rows->last_bytes);
	free(rows->marks);
	free(rows);
}

static const struct cursor_kind of_rows = {
	.rows = CURSOR_SEGMENTS, .next = rows_next, .loss = rows_loss, .free = rows_free
};

static struct segment_rows *rows_of(struct histree_cursor *cursor)
{
	assert(cursor->kind == &of_rows);
	return (struct segment_rows *)cursor;
}

enum histree_status histree_segment_rows_seek(struct histree_cursor *rows, uint64_t row,
					      struct histree_error *error)
{
	return rows_seek(rows_of(rows), row, error);
}

enum histree_status histree_segment_rows_count(struct histree_cursor *rows, uint64_t *count,
					       struct histree_error *error)
{
	return rows_count(rows_of(rows), count, error);
}

enum histree_status histree_segment_rows_find(struct histree_cursor *rows, histree_time time, uint64_t *row,
					      struct histree_error *error)
{
	return rows_find(rows_of(rows), time, row, error);
}

void histree_segment_rows_rest(struct histree_cursor *rows)
{
	rows_rest(rows_of(rows));
}

enum histree_status histree_segment_rows_create(struct histree_segment_store *store,
						const struct histree_segment_rows_options *options,
						struct histree_cursor **out, struct histree_error *error)
{
	*out = NULL;
	const struct histree_segment_query *query = &options->query;
	if (query->order == HISTREE_SEGMENTS_BY_COMPARE || query->limit > 0)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "rows are those of an order of the store, and without a limit");
	struct segment_rows *rows = calloc(1, sizeof(*rows));
	if (rows == NULL)
		return error_memory(error, "rows of segments");
	rows->base.kind = &of_rows;
	rows->base.row = &rows->row;
	rows->store = store;
	rows->options = *options;
	rows->options.rows_per_mark = options->rows_per_mark > 0 ? options->rows_per_mark : ROWS_PER_MARK;
	rows->by_field = query->order == HISTREE_SEGMENTS_BY_FIELD;
	if (!rows->by_field && is_all(query)) {
		rows->count = histree_segment_store_info(store)->segment_count;
		rows->is_counted = true;
	}
	enum histree_status status = HISTREE_OK;
	if (array_reserve(&rows->marks, &rows->marks_capacity, 1))
		rows->marks[rows->mark_count++] = (struct mark){ 0 };
	else
		status = error_memory(error, "rows of segments");
	/* What is wrong with the query shall be said now; to start an order of time reads nothing. */
	if (status == HISTREE_OK && rows->by_field &&
	    query->field >= histree_segment_store_info(store)->schema.field_count)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "there is no field %zu", query->field);
	if (status == HISTREE_OK && !rows->by_field)
		status = open_mark(rows, 0, error);
	if (status != HISTREE_OK)
		rows_free(&rows->base);
	else
		*out = &rows->base;
	return status;
}
