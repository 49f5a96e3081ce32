// SPDX-License-Identifier: MIT
/*
 * sql_ranges.c - table functions of a pattern and a range: numbers(pattern, t1, t2), state_sums(pattern, t1, t2)
 * and rows(pattern, t1, t2, pixels); and histogram(segments, t1, t2, columns, field, per_decade).
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "histree/segment_stats.h"
#include "histree/states.h"
#include "sql/sql_table.h"

/* clang-format off */
#define PATTERN_AND_RANGE                                                                                    \
	{ SQL_GIVEN("pattern", SQL_PATTERN) }, { SQL_GIVEN("t1", SQL_FROM) }, { SQL_GIVEN("t2", SQL_TO) }
/* clang-format on */

/* ---- numbers: each attribute has one row ---------------------------------------------------------------- */

struct numbers_row {
	histree_quark quark;
	struct histree_numbers numbers;
};

struct numbers_cursor {
	struct sql_cursor base;
	struct histree_cursor *query;
	struct histree_region region;
	struct numbers_row row;
	size_t used; /* of the region */
};

SQL_CURSOR(numbers)

static enum histree_status begin_numbers(struct sql_cursor *base, struct histree_error *error)
{
	return histree_query_create(sql_table_of(base)->history, &numbers_of(base)->query, error);
}

static void end_numbers(struct sql_cursor *base)
{
	histree_cursor_free(numbers_of(base)->query);
}

static enum histree_status start_numbers(struct sql_cursor *base, struct histree_error *error)
{
	struct numbers_cursor *cursor = numbers_of(base);
	(void)error;
	cursor->used = 0;
	base->row = (const char *)&cursor->row;
	return sql_cursor_region(base, &cursor->region) ? HISTREE_OK : HISTREE_END;
}

static enum histree_status next_numbers(struct sql_cursor *base, struct histree_error *error)
{
	struct numbers_cursor *cursor = numbers_of(base);
	const struct histree_region *region = &cursor->region;
	if (cursor->used == region->quark_count)
		return HISTREE_END;
	assert(cursor->used < region->quark_count);
	cursor->row.quark = region->quarks[cursor->used++];
	return histree_lookup_numbers(cursor->query, cursor->row.quark, region->from, region->to,
				      &cursor->row.numbers, error);
}

enum { MEAN = 5 };

static void numbers_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	const struct histree_numbers *numbers = &numbers_of(base)->row.numbers;
	if (column == MEAN && numbers->number_ns > 0) /* else NULL */
		sqlite3_result_double(context, numbers->mean);
}

#define AT(member) offsetof(struct numbers_row, member)

static const struct sql_column numbers_columns[] = {
	{ SQL_COLUMN("quark", "INTEGER", SQL_UINT32, AT(quark)) },
	{ SQL_COLUMN("path", "TEXT", SQL_PATH, AT(quark)) },
	{ SQL_COLUMN("states", "INTEGER", SQL_UINT64, AT(numbers.states)) },
	{ SQL_COLUMN("min", "", SQL_VALUE, AT(numbers.min)) },
	{ SQL_COLUMN("max", "", SQL_VALUE, AT(numbers.max)) },
	{ SQL_SAID("mean", "REAL") },
	{ SQL_COLUMN("number_ns", "INTEGER", SQL_UINT64, AT(numbers.number_ns)) },
	{ SQL_COLUMN("unknown_ns", "INTEGER", SQL_UINT64, AT(numbers.unknown_ns)) },
	{ SQL_COLUMN("other_ns", "INTEGER", SQL_UINT64, AT(numbers.other_ns)) },
	PATTERN_AND_RANGE,
	{ 0 },
};

#undef AT

const struct sql_relation sql_numbers = {
	.name = "numbers",
	.is_of_history = true,
	.columns = numbers_columns,
	.required = 3,
	.rows = 10,
	.cost = 200,
	.cursor_size = sizeof(struct numbers_cursor),
	.begin = begin_numbers,
	.end = end_numbers,
	.start = start_numbers,
	.next = next_numbers,
	.cell = numbers_cell,
};

/* ---- state_sums: how long each attribute had each value, in parts --------------------------------------- */

/*
 * The rows of an attribute and value are to be added up.  What is added up here need not be sorted by SQLite.  Sums
 * are kept in bounded memory: when there are too many, all of them become rows, and others begin.  So the rows are
 * few for states that have few values, and exact for any.
 */

enum { SUMS_MAX = 1 << 15, BYTES_MAX = 4 << 20, BATCH = 256 };

struct sum {
	histree_quark quark;
	struct histree_value value; /* its bytes are a copy */
	uint64_t ns;
};

struct sums_cursor {
	struct sql_cursor base;
	struct histree_cursor *times;
	const struct histree_state_time *batch;
	size_t used, read; /* of the batch */
	bool has_all;      /* the query has ended */
	struct sum *sums;
	size_t count, capacity, bytes;
	struct hash_index index; /* of sums */
};

SQL_CURSOR(sums)

static enum histree_status begin_sums(struct sql_cursor *base, struct histree_error *error)
{
	return histree_time_in_state_create(sql_table_of(base)->history, &sums_of(base)->times, error);
}

static bool has_bytes(const struct histree_value *value)
{
	return (value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM) && value->size > 0;
}

static void forget_sums(struct sums_cursor *cursor)
{
	for (size_t i = 0; i < cursor->count; i++) {
		void *copy;
		memcpy(&copy, &cursor->sums[i].value.bytes, sizeof(copy));
		if (has_bytes(&cursor->sums[i].value))
			free(copy);
	}
	hash_index_clear(&cursor->index);
	cursor->count = cursor->bytes = 0;
}

static void end_sums(struct sql_cursor *base)
{
	struct sums_cursor *cursor = sums_of(base);
	forget_sums(cursor);
	hash_index_release(&cursor->index);
	free(cursor->sums);
	histree_cursor_free(cursor->times);
}

static uint64_t hash_of(histree_quark quark, const struct histree_value *value)
{
	return hash_mix(sql_value_bits(value) + hash_mix(((uint64_t)quark << 8) + (uint64_t)value->type));
}

static uint64_t hash_of_sum(const void *sums, uint32_t number)
{
	const struct sum *sum = &((const struct sum *)sums)[number];
	return hash_of(sum->quark, &sum->value);
}

/* Doubles are the same if their bits are: 0 and -0 are two rows, which SQLite adds up. */
static bool is_sum_of(const void *sums, uint32_t number, const void *key)
{
	const struct sum *sum = &((const struct sum *)sums)[number];
	const struct histree_state_time *state = key;
	const struct histree_value *a = &sum->value, *b = &state->value;
	if (sum->quark != state->quark || a->type != b->type)
		return false;
	if (has_bytes(a) || has_bytes(b))
		return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
	return sql_value_bits(a) == sql_value_bits(b);
}

static enum histree_status add_state(struct sums_cursor *cursor, const struct histree_state_time *state,
				     struct histree_error *error)
{
	uint64_t hash = hash_of(state->quark, &state->value);
	uint32_t number = hash_index_find(&cursor->index, hash, is_sum_of, cursor->sums, state);
	if (number == HASH_INDEX_NONE) {
		struct sum sum = { .quark = state->quark, .value = state->value, .ns = state->ns };
		if (!array_reserve(&cursor->sums, &cursor->capacity, cursor->count + 1) ||
		    !hash_index_reserve(&cursor->index, cursor->count + 1, hash_of_sum, cursor->sums))
			return error_memory(error, "sums of states");
		if (has_bytes(&sum.value)) {
			void *copy = malloc(sum.value.size);
			if (copy == NULL)
				return error_memory(error, "sums of states");
			memcpy(copy, sum.value.bytes, sum.value.size);
			sum.value.bytes = copy;
			cursor->bytes += sum.value.size;
		}
		assert(cursor->index.count == cursor->count);
		hash_index_add(&cursor->index, hash, (uint32_t)cursor->count);
		cursor->sums[cursor->count++] = sum;
		return HISTREE_OK;
	}
	assert(number < cursor->count && cursor->sums[number].quark == state->quark);
	cursor->sums[number].ns += state->ns;
	return HISTREE_OK;
}

static bool is_full(const struct sums_cursor *cursor)
{
	return cursor->bytes >= BYTES_MAX || cursor->count >= SUMS_MAX;
}

/* Adds states up until there are no more, or no room for other sums. */
static enum histree_status add_states(struct sums_cursor *cursor, struct histree_error *error)
{
	const struct histree_work work = sql_cursor_cancel(&cursor->base);
	enum histree_status status = HISTREE_OK;
	for (uint64_t step = 0; status == HISTREE_OK && !is_full(cursor); step++) {
		/* A batch is borrowed until the next one: all of it, or what has room, is taken now. */
		for (; status == HISTREE_OK && cursor->used < cursor->read && !is_full(cursor); cursor->used++)
			status = add_state(cursor, &cursor->batch[cursor->used], error);
		if (status != HISTREE_OK || cursor->used < cursor->read)
			break;
		cursor->used = cursor->read = 0;
		status = cancel_check(&work, step, error);
		if (status == HISTREE_OK)
			status = histree_cursor_read(cursor->times, BATCH, &cursor->read, error);
		assert(status != HISTREE_OK || (cursor->read > 0 && cursor->read <= BATCH));
		cursor->batch = histree_cursor_state_time(cursor->times);
		cursor->has_all = status == HISTREE_END;
		*sql_table_of(&cursor->base)->rows += cursor->read;
	}
	return status < 0 ? status : HISTREE_OK;
}

static enum histree_status start_sums(struct sql_cursor *base, struct histree_error *error)
{
	struct sums_cursor *cursor = sums_of(base);
	struct histree_region region;
	forget_sums(cursor);
	cursor->used = cursor->read = 0;
	cursor->has_all = false;
	return sql_cursor_region(base, &region) ? histree_time_in_state_start(cursor->times, &region, error)
						: HISTREE_END;
}

static enum histree_status next_sums(struct sql_cursor *base, struct histree_error *error)
{
	struct sums_cursor *cursor = sums_of(base);
	forget_sums(cursor);
	enum histree_status status = cursor->has_all ? HISTREE_END : add_states(cursor, error);
	if (histree_cursor_loss(cursor->times).nodes > 0)
		sql_cursor_warn(base);
	if (status != HISTREE_OK || cursor->count == 0)
		return status == HISTREE_OK ? HISTREE_END : status;
	base->row = (const char *)cursor->sums;
	base->left = cursor->count - 1;
	return HISTREE_OK;
}

static void sums_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	const struct sum *sum = (const void *)base->row;
	const char *label = histree_label_of(sql_table_of(base)->history, sum->quark, &sum->value);
	(void)column;
	if (label != NULL)
		sqlite3_result_text(context, label, -1, SQLITE_STATIC);
}

#define AT(member) offsetof(struct sum, member)

static const struct sql_column sums_columns[] = {
	{ SQL_COLUMN("quark", "INTEGER", SQL_UINT32, AT(quark)) },
	{ SQL_COLUMN("path", "TEXT", SQL_PATH, AT(quark)) },
	{ SQL_COLUMN("type", "TEXT", SQL_TYPE, AT(value)) },
	{ SQL_COLUMN("value", "", SQL_VALUE, AT(value)) },
	{ SQL_COLUMN("ns", "INTEGER", SQL_UINT64, AT(ns)) },
	{ SQL_SAID("label", "TEXT") },
	{ SQL_COLUMN("thread", "INTEGER", SQL_THREAD, AT(quark)) },
	PATTERN_AND_RANGE,
	{ SQL_COLUMN("host", "TEXT", SQL_HOST, AT(quark)) },
	{ 0 },
};

#undef AT

const struct sql_relation sql_state_sums = {
	.name = "state_sums",
	.is_of_history = true,
	.columns = sums_columns,
	.required = 3,
	.rows = 1000,
	.cost = 10100,
	.cursor_size = sizeof(struct sums_cursor),
	.row_size = sizeof(struct sum),
	.begin = begin_sums,
	.end = end_sums,
	.start = start_sums,
	.next = next_sums,
	.cell = sums_cell,
};

/* ---- rows: what a chart shows in each pixel ------------------------------------------------------------- */

struct rows_cursor {
	struct sql_cursor base;
	struct histree_cursor *rows;
	struct histree_row row;
	struct histree_window *times; /* of the pixels, found once for all rows */
	uint32_t pixels;              /* of the row, which is as many rows here */
};

SQL_CURSOR(rows)

static enum histree_status begin_rows(struct sql_cursor *base, struct histree_error *error)
{
	return histree_rows_create(sql_table_of(base)->history, &rows_of(base)->rows, error);
}

static void end_rows(struct sql_cursor *base)
{
	histree_cursor_free(rows_of(base)->rows);
	free(rows_of(base)->times);
	rows_of(base)->times = NULL;
}

/* The first and the last ns of each pixel; pixels of a range that has fewer ns may share one. */
static enum histree_status find_pixels(struct rows_cursor *cursor, const struct histree_region *region,
				       uint32_t pixels, struct histree_error *error)
{
	struct histree_window *times = realloc(cursor->times, pixels * sizeof(*times));
	if (times == NULL)
		return error_memory(error, "the pixels of rows");
	for (uint32_t i = 0; i < pixels; i++) {
		times[i].from = histree_pixel_start(region->from, region->to, pixels, i);
		times[i].to = region->to;
		if (i > 0)
			times[i - 1].to = times[i].from > times[i - 1].from ? times[i].from - 1 : times[i].from;
	}
	cursor->times = times;
	cursor->pixels = pixels;
	return HISTREE_OK;
}

static enum histree_status start_rows(struct sql_cursor *base, struct histree_error *error)
{
	struct rows_cursor *cursor = rows_of(base);
	struct histree_region region;
	if (!sql_cursor_region(base, &region))
		return HISTREE_END;
	sqlite3_int64 pixels = sqlite3_value_int64(base->arguments[3]);
	if (pixels < 1 || pixels > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "rows() has 1 to %d pixels, not %lld",
				 HISTREE_PIXELS_MAX, (long long)pixels);
	enum histree_status status = find_pixels(cursor, &region, (uint32_t)pixels, error);
	if (status != HISTREE_OK)
		return status;
	base->row = (const char *)cursor;
	const struct histree_rows_request request = {
		.quarks = region.quarks,
		.quark_count = region.quark_count,
		.from = region.from,
		.to = region.to,
		.pixels = cursor->pixels,
		.work = sql_cursor_cancel(base),
	};
	return histree_rows_start(cursor->rows, &request, error);
}

static enum histree_status next_row(struct sql_cursor *base, struct histree_error *error)
{
	enum histree_status status = histree_cursor_next(rows_of(base)->rows, error);
	if (status == HISTREE_OK)
		rows_of(base)->row = *histree_cursor_row(rows_of(base)->rows);
	base->left = status == HISTREE_OK ? rows_of(base)->pixels - 1 : 0;
	return status;
}

enum {
	PIXEL = 2,
	PIXEL_START,
	PIXEL_END,
	PIXEL_TYPE,
	PIXEL_VALUE,
	OTHER_TYPE,
	OTHER_VALUE,
	PIXEL_LABEL,
	OTHER_LABEL
};

/* A value, its type or its label.  Where there is no other, all are NULL. */
static void result_pixel_state(struct sql_cursor *base, sqlite3_context *context, uint32_t index, int column)
{
	const struct rows_cursor *cursor = rows_of(base);
	const char *text = NULL;
	if (index == HISTREE_NO_VALUE)
		return;
	struct histree_value value = { .type = HISTREE_UNKNOWN };
	if (index != HISTREE_UNKNOWN_VALUE)
		value = histree_rows_value(cursor->rows, index);
	if (column == PIXEL_VALUE || column == OTHER_VALUE)
		sql_result_value(context, &value);
	else if (column == PIXEL_TYPE || column == OTHER_TYPE)
		text = histree_type_name(value.type);
	else
		text = histree_label_of(sql_table_of(base)->history, cursor->row.quark, &value);
	if (text != NULL)
		sqlite3_result_text(context, text, -1, SQLITE_STATIC);
}

static void pixel_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	const struct rows_cursor *cursor = rows_of(base);
	const uint32_t pixel = cursor->pixels - 1 - (uint32_t)cursor->base.left;
	const struct histree_cell *cell = &cursor->row.cells[pixel];
	switch (column) {
	case PIXEL:
		sqlite3_result_int64(context, pixel);
		break;
	case PIXEL_START:
		sqlite3_result_int64(context, cursor->times[pixel].from);
		break;
	case PIXEL_END:
		sqlite3_result_int64(context, cursor->times[pixel].to);
		break;
	case PIXEL_VALUE:
	case PIXEL_TYPE:
	case PIXEL_LABEL:
		result_pixel_state(base, context, cell->value, column);
		break;
	default:
		result_pixel_state(base, context, cell->other, column);
		break;
	}
}

#define AT(member) offsetof(struct rows_cursor, member)

static const struct sql_column rows_columns[] = {
	{ SQL_COLUMN("quark", "INTEGER", SQL_UINT32, AT(row.quark)) },
	{ SQL_COLUMN("path", "TEXT", SQL_PATH, AT(row.quark)) },
	{ SQL_SAID("pixel", "INTEGER") },
	{ SQL_SAID("start", "INTEGER") },
	{ SQL_SAID("end", "INTEGER") },
	{ SQL_SAID("type", "TEXT") },
	{ SQL_SAID("value", "") },
	{ SQL_SAID("other_type", "TEXT") },
	{ SQL_SAID("other", "") },
	{ SQL_SAID("label", "TEXT") },
	{ SQL_SAID("other_label", "TEXT") },
	PATTERN_AND_RANGE,
	{ SQL_GIVEN("pixels", SQL_ARGUMENT) },
	{ 0 },
};

#undef AT

const struct sql_relation sql_rows = {
	.name = "rows",
	.is_of_history = true,
	.columns = rows_columns,
	.required = 4,
	.rows = 1000,
	.cost = 10100,
	.cursor_size = sizeof(struct rows_cursor),
	.begin = begin_rows,
	.end = end_rows,
	.start = start_rows,
	.next = next_row,
	.cell = pixel_cell,
};

/* ---- histogram: segments by duration and time, or events by time ------------------------------------------ */

enum { OF, FROM, TO, COLUMNS, FIELD, PER_DECADE };

struct histogram_cursor {
	struct sql_cursor base;
	histree_time from, to;
	uint32_t columns; /* of time */

	/* Of segments: groups, times and durations; each that is not empty is a row. */
	struct histree_segment_density *density;
	const struct histree_duration_bucket *buckets;
	size_t bucket_count;
	const struct histree_density_group *group;
	size_t group_index, bucket;

	/* Of events: a number for each time. */
	double *counts;
	bool are_exact;

	uint32_t at; /* the time of the row */
	bool has_begun, has_ended;
};

SQL_CURSOR(histogram)

static void end_histogram(struct sql_cursor *base)
{
	struct histogram_cursor *cursor = histogram_of(base);
	histree_segment_density_free(cursor->density);
	free(cursor->counts);
	cursor->density = NULL;
	cursor->counts = NULL;
	cursor->group = NULL;
}

static bool is_empty(const struct histogram_cursor *cursor)
{
	return cursor->counts != NULL ? cursor->counts[cursor->at] == 0
				      : histree_segment_density_count(cursor->density, cursor->group_index,
								      cursor->at, cursor->bucket) == 0;
}

/* Goes one further, through durations, times and groups. */
static void step_histogram(struct histogram_cursor *cursor)
{
	if (cursor->counts == NULL && ++cursor->bucket < cursor->bucket_count)
		return;
	cursor->bucket = 0;
	if (++cursor->at < cursor->columns)
		return;
	cursor->at = 0;
	if (cursor->counts == NULL)
		cursor->group = histree_segment_density_group(cursor->density, ++cursor->group_index);
	cursor->has_ended = cursor->group == NULL;
}

static enum histree_status next_count(struct sql_cursor *base, struct histree_error *error)
{
	struct histogram_cursor *cursor = histogram_of(base);
	(void)error;
	if (cursor->has_begun && !cursor->has_ended)
		step_histogram(cursor);
	cursor->has_begun = true;
	while (!cursor->has_ended && is_empty(cursor))
		step_histogram(cursor);
	return cursor->has_ended ? HISTREE_END : HISTREE_OK;
}

/* Tables are named as analyses, with _ for -. */
static const char *find_segments(const struct histree_store_info *info, const char *wanted)
{
	for (size_t i = 0; i < info->segments_count; i++) {
		const char *analysis = info->segments[i].analysis;
		size_t size = strlen(analysis), same = 0;
		while (same < size &&
		       (analysis[same] == wanted[same] || (analysis[same] == '-' && wanted[same] == '_')))
			same++;
		if (same == size && wanted[same] == '\0')
			return analysis;
	}
	return NULL;
}

static void take_bounds(struct histogram_cursor *cursor, histree_time start, histree_time end)
{
	const struct histree_window *window = &cursor->base.selection.window;
	cursor->from = window->from > start ? window->from : start;
	cursor->to = window->to < end ? window->to : end;
}

/* Returns HISTREE_END if there are no segments, or the range is empty. */
static enum histree_status count_segments(struct histogram_cursor *cursor, const char *analysis,
					  struct histree_error *error)
{
	const struct sql_table *table = sql_table_of(&cursor->base);
	const struct histree_window *window = &cursor->base.selection.window;
	struct histree_segment_store *segments;
	struct histree_density_options options = { .column_count = cursor->columns };
	enum histree_status status = sql_store_segments(table->store, analysis, &segments, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_segment_store_info *info = histree_segment_store_info(segments);

	const struct sql_cursor *base = &cursor->base;
	const char *field =
		base->argument_count > FIELD ? (const char *)sqlite3_value_text(base->arguments[FIELD]) : NULL;
	options.field = HISTREE_SEGMENTS_TOGETHER;
	for (size_t i = 0; field != NULL && i < info->schema.field_count; i++)
		if (strcmp(info->schema.fields[i].name, field) == 0)
			options.field = i;
	if (field != NULL && options.field == HISTREE_SEGMENTS_TOGETHER)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "the segments of '%s' have no field '%s'", analysis,
				   field);
	else
		status = HISTREE_OK;

	if (status != HISTREE_OK)
		return status;
	take_bounds(cursor, info->start, info->end);
	if (info->segment_count == 0 || cursor->from > cursor->to)
		return HISTREE_END;
	if (cursor->base.argument_count > PER_DECADE) {
		sqlite3_int64 wanted = sqlite3_value_int64(cursor->base.arguments[PER_DECADE]);
		options.per_decade = wanted > 0 && wanted < 1000 ? (unsigned)wanted : 1000;
	}
	options.from = cursor->from;
	options.to = cursor->to;
	const struct histree_segment_query query = { .from = window->from,
						     .to = window->to,
						     .work = sql_cursor_cancel(&cursor->base) };
	status = histree_segment_density_create(segments, &query, &options, &cursor->density, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_loss loss = histree_segment_density_loss(cursor->density);
	if (loss.nodes > 0)
		sql_connection_warn_of_loss(sql_store_connection(table->store), sql_store_info(table->store)->path,
					    segments, loss);
	cursor->buckets = histree_segment_density_buckets(cursor->density, &cursor->bucket_count);
	cursor->group = histree_segment_density_group(cursor->density, 0);
	return cursor->group == NULL || cursor->bucket_count == 0 ? HISTREE_END : HISTREE_OK;
}

static enum histree_status count_events(struct histogram_cursor *cursor, struct histree_error *error)
{
	struct sql_store *store = sql_table_of(&cursor->base)->store;
	struct histree_cursor *reader = NULL;
	struct histree_events *events;
	enum histree_status status = sql_store_events(store, &events, error);
	take_bounds(cursor, sql_store_info(store)->start, sql_store_info(store)->end);
	if (status == HISTREE_OK)
		status = histree_event_reader_create(events, &reader, error);
	if (status == HISTREE_OK && (cursor->counts = calloc(cursor->columns, sizeof(double))) == NULL)
		status = error_memory(error, "a histogram");
	if (status == HISTREE_OK && cursor->from <= cursor->to)
		status = histree_event_reader_density(reader, cursor->from, cursor->to, cursor->columns,
						      cursor->counts, &cursor->are_exact, error);
	histree_cursor_free(reader);
	return status;
}

static enum histree_status start_histogram(struct sql_cursor *base, struct histree_error *error)
{
	struct histogram_cursor *cursor = histogram_of(base);
	sqlite3_int64 columns = base->argument_count > COLUMNS ? sqlite3_value_int64(base->arguments[COLUMNS]) : 1;
	end_histogram(base);
	cursor->has_begun = cursor->has_ended = false;
	cursor->group_index = cursor->bucket = cursor->at = 0;
	base->row = (const char *)cursor;
	for (int i = 0; i < base->argument_count; i++)
		if (sqlite3_value_type(base->arguments[i]) == SQLITE_NULL && i != FIELD)
			return HISTREE_END;
	if (columns < 1 || columns > HISTREE_PIXELS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "histogram() has 1 to %d columns of time, not %lld",
				 HISTREE_PIXELS_MAX, (long long)columns);
	cursor->columns = (uint32_t)columns;
	const char *wanted = (const char *)sqlite3_value_text(base->arguments[OF]);
	const char *analysis =
		find_segments(sql_store_info(sql_table_of(base)->store), wanted != NULL ? wanted : "");
	if (analysis != NULL)
		return count_segments(cursor, analysis, error);
	if (wanted != NULL && strcmp(wanted, "events") == 0)
		return count_events(cursor, error);
	return error_set(error, HISTREE_ERR_ARGUMENT,
			 "there are no segments '%s' to count; the table analyses lists them, and 'events' are "
			 "others",
			 wanted == NULL ? "" : wanted);
}
/* What the index of events alone knows may have fractions. */
static void result_count(const struct histogram_cursor *cursor, sqlite3_context *context)
{
	if (cursor->counts == NULL)
		sql_result_uint64(context, histree_segment_density_count(cursor->density, cursor->group_index,
									 cursor->at, cursor->bucket));
	else if (cursor->are_exact)
		sqlite3_result_int64(context, llround(cursor->counts[cursor->at]));
	else
		sqlite3_result_double(context, cursor->counts[cursor->at]);
}

enum { HISTOGRAM_START, HISTOGRAM_END, MIN, MAX, VALUE, COUNT };

static void histogram_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	const struct histogram_cursor *cursor = histogram_of(base);
	bool has_buckets = cursor->counts == NULL, is_last = cursor->at + 1 == cursor->columns;
	if (column == HISTOGRAM_START)
		sqlite3_result_int64(context,
				     histree_pixel_start(cursor->from, cursor->to, cursor->columns, cursor->at));
	else if (column == HISTOGRAM_END)
		sqlite3_result_int64(context, is_last ? cursor->to
						      : histree_pixel_start(cursor->from, cursor->to,
									    cursor->columns, cursor->at + 1) -
								1);
	else if (column == COUNT)
		result_count(cursor, context);
	else if (has_buckets && column == MIN)
		sql_result_uint64(context, cursor->buckets[cursor->bucket].min);
	else if (has_buckets && column == MAX)
		sql_result_uint64(context, cursor->buckets[cursor->bucket].max);
	else if (has_buckets && column == VALUE && !cursor->group->is_rest)
		sql_result_value(context, &cursor->group->value);
}

static const struct sql_column histogram_columns[] = {
	{ SQL_SAID("start", "INTEGER") },
	{ SQL_SAID("end", "INTEGER") },
	{ SQL_SAID("min", "INTEGER") },
	{ SQL_SAID("max", "INTEGER") },
	{ SQL_SAID("value", "") },
	{ SQL_SAID("count", "") },
	{ SQL_GIVEN("segments", SQL_ARGUMENT) },
	{ SQL_GIVEN("t1", SQL_FROM) },
	{ SQL_GIVEN("t2", SQL_TO) },
	{ SQL_GIVEN("columns", SQL_ARGUMENT) },
	{ SQL_GIVEN("field", SQL_ARGUMENT) },
	{ SQL_GIVEN("per_decade", SQL_ARGUMENT) },
	{ 0 },
};

const struct sql_relation sql_histogram = {
	.name = "histogram",
	.columns = histogram_columns,
	.required = 1,
	.rows = 100,
	.cost = 1100,
	.cursor_size = sizeof(struct histogram_cursor),
	.end = end_histogram,
	.start = start_histogram,
	.next = next_count,
	.cell = histogram_cell,
};
