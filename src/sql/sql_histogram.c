// SPDX-License-Identifier: MIT
#include "sql/sql_histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "histree/rows.h"
#include "histree/segment_density.h"
#include "sql/sql_arguments.h"
#include "sql/sql_table.h"
#include "sql/sql_window.h"

enum column { START, END, MIN, MAX, VALUE, COUNT, ARGUMENTS };
enum argument { OF, FROM, TO, COLUMNS, FIELD, PER_DECADE, ARGUMENT_COUNT };

static const char *const names[] = { "segments", "t1", "t2", "columns", "field", "per_decade" };

struct histogram_cursor {
	sqlite3_vtab_cursor base;
	histree_time from, to;
	uint32_t columns; /* of time */

	/* Of segments: groups, times and durations, of which a row is one that is not empty. */
	struct histree_segment_density *density;
	const struct histree_duration_bucket *buckets;
	size_t bucket_count;
	const struct histree_density_group *group;
	size_t group_index, bucket;

	/* Of events: a number for each time. */
	double *counts;
	bool are_exact;

	uint32_t at; /* the time of the row */
	bool is_done;
	sqlite3_int64 number;
};

static enum histree_status open_table(struct sql_table *base, const struct sql_module *module, const char *analysis,
				      char **declaration, struct histree_error *error)
{
	(void)base;
	(void)module;
	(void)analysis;
	(void)error;
	*declaration = sqlite3_mprintf("CREATE TABLE x(start INTEGER, \"end\" INTEGER, min INTEGER, max INTEGER, "
				       "value, count, segments HIDDEN, t1 HIDDEN, t2 HIDDEN, columns HIDDEN, "
				       "field HIDDEN, per_decade HIDDEN)");
	return HISTREE_OK;
}

static int connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments, sqlite3_vtab **out,
		   char **message)
{
	return sql_table_connect(db, module, argument_count, arguments, sizeof(struct sql_table), open_table, out,
				 message);
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	const struct sql_arguments arguments = {
		.first_column = ARGUMENTS, .names = names, .count = ARGUMENT_COUNT, .required = 1
	};
	(void)table;
	return sql_arguments_take(&arguments, info, 100);
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct histogram_cursor), NULL);
}

static void forget(struct histogram_cursor *cursor)
{
	histree_segment_density_free(cursor->density);
	free(cursor->counts);
	cursor->density = NULL;
	cursor->counts = NULL;
	cursor->group = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	forget((struct histogram_cursor *)base);
	free(base);
	return SQLITE_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static bool is_empty(const struct histogram_cursor *cursor)
{
	return cursor->counts != NULL ? cursor->counts[cursor->at] == 0
				      : histree_segment_density_count(cursor->density, cursor->group_index,
								      cursor->at, cursor->bucket) == 0;
}

/* Go one further, through durations, times and groups. */
static void step(struct histogram_cursor *cursor)
{
	if (cursor->counts == NULL && ++cursor->bucket < cursor->bucket_count)
		return;
	cursor->bucket = 0;
	if (++cursor->at < cursor->columns)
		return;
	cursor->at = 0;
	if (cursor->counts == NULL)
		cursor->group = histree_segment_density_group(cursor->density, ++cursor->group_index);
	cursor->is_done = cursor->group == NULL;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct histogram_cursor *cursor = (struct histogram_cursor *)base;
	cursor->number++;
	do
		step(cursor);
	while (!cursor->is_done && is_empty(cursor));
	return SQLITE_OK;
}

static int first_row(sqlite3_vtab_cursor *base)
{
	struct histogram_cursor *cursor = (struct histogram_cursor *)base;
	cursor->at = 0;
	cursor->bucket = 0;
	cursor->number = 0;
	cursor->is_done = cursor->counts == NULL && (cursor->group == NULL || cursor->bucket_count == 0);
	return cursor->is_done || !is_empty(cursor) ? SQLITE_OK : next(base);
}

/* ---- what is asked for ---------------------------------------------------------------------------------- */

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

static void take_bounds(struct histogram_cursor *cursor, const struct histree_window *window, histree_time start,
			histree_time end)
{
	cursor->from = window->from > start ? window->from : start;
	cursor->to = window->to < end ? window->to : end;
}

static int count_segments(struct histogram_cursor *cursor, const struct histree_window *window,
			  const char *analysis, int argument_count, sqlite3_value **arguments)
{
	struct sql_table *table = (struct sql_table *)cursor->base.pVtab;
	struct sql_connection *connection = sql_store_connection(table->store);
	struct histree_segment_store *segments;
	struct histree_error error;
	struct histree_density_options options = { .field = HISTREE_SEGMENTS_TOGETHER };
	if (sql_store_segments(table->store, analysis, &segments, &error) != HISTREE_OK)
		return sql_table_fail(&table->base, &error);
	const struct histree_segment_store_info *info = histree_segment_store_info(segments);
	const char *field = argument_count > FIELD ? (const char *)sqlite3_value_text(arguments[FIELD]) : NULL;
	for (size_t i = 0; field != NULL && i < info->schema.field_count; i++)
		if (strcmp(info->schema.fields[i].name, field) == 0)
			options.field = i;
	if (field != NULL && options.field == HISTREE_SEGMENTS_TOGETHER)
		return sql_table_refuse(&table->base, "the segments of '%s' have no field '%s'", analysis, field);
	take_bounds(cursor, window, info->start, info->end);
	if (info->segment_count == 0 || cursor->from > cursor->to)
		return SQLITE_OK;
	if (argument_count > PER_DECADE) {
		sqlite3_int64 wanted = sqlite3_value_int64(arguments[PER_DECADE]);
		options.per_decade = wanted > 0 && wanted < 1000 ? (unsigned)wanted : 1000;
	}
	options.column_count = cursor->columns;
	options.from = cursor->from;
	options.to = cursor->to;
	const struct histree_segment_query query = { .from = window->from,
						     .to = window->to,
						     .cancel = sql_connection_cancel(connection) };
	enum histree_status status =
		histree_segment_density_create(segments, &query, &options, &cursor->density, &error);
	if (status < 0)
		return sql_table_fail(&table->base, &error);
	if (status == HISTREE_PARTIAL)
		sql_connection_warn_of_loss(connection, sql_store_info(table->store)->path, segments,
					    *histree_segment_density_loss(cursor->density));
	cursor->buckets = histree_segment_density_buckets(cursor->density, &cursor->bucket_count);
	cursor->group_index = 0;
	cursor->group = histree_segment_density_group(cursor->density, 0);
	return SQLITE_OK;
}

static int count_events(struct histogram_cursor *cursor, const struct histree_window *window)
{
	struct sql_table *table = (struct sql_table *)cursor->base.pVtab;
	const struct histree_store_info *info = sql_store_info(table->store);
	struct histree_event_reader *reader = NULL;
	struct histree_events *events;
	struct histree_error error;
	enum histree_status status = sql_store_events(table->store, &events, &error);
	take_bounds(cursor, window, info->start, info->end);
	if (status == HISTREE_OK)
		status = histree_event_reader_create(events, &reader, &error);
	if (status == HISTREE_OK && (cursor->counts = calloc(cursor->columns, sizeof(double))) == NULL)
		status = error_memory(&error, "a histogram");
	if (status == HISTREE_OK && cursor->from <= cursor->to)
		status = histree_event_reader_density(reader, cursor->from, cursor->to, cursor->columns,
						      cursor->counts, &cursor->are_exact, &error);
	histree_event_reader_free(reader);
	return status == HISTREE_OK ? SQLITE_OK : sql_table_fail(&table->base, &error);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct histogram_cursor *cursor = (struct histogram_cursor *)base;
	const struct sql_table *table = (const struct sql_table *)base->pVtab;
	struct histree_window window = HISTREE_WINDOW_ALL;
	(void)number;
	(void)plan;
	forget(cursor);
	cursor->is_done = true;
	for (int i = 0; i < argument_count; i++)
		if (sqlite3_value_type(arguments[i]) == SQLITE_NULL && i != FIELD)
			return SQLITE_OK;
	if (argument_count > FROM)
		sql_window_narrow(&window, SQL_AT_LEAST, arguments[FROM]);
	if (argument_count > TO)
		sql_window_narrow(&window, SQL_AT_MOST, arguments[TO]);
	sqlite3_int64 columns = argument_count > COLUMNS ? sqlite3_value_int64(arguments[COLUMNS]) : 1;
	if (columns < 1 || columns > HISTREE_PIXELS_MAX)
		return sql_table_refuse(base->pVtab, "histogram() has 1 to %d columns of time, not %lld",
					HISTREE_PIXELS_MAX, (long long)columns);
	cursor->columns = (uint32_t)columns;
	const char *wanted = (const char *)sqlite3_value_text(arguments[OF]);
	const char *analysis = wanted == NULL ? NULL : find_segments(sql_store_info(table->store), wanted);
	int code;
	if (analysis != NULL)
		code = count_segments(cursor, &window, analysis, argument_count, arguments);
	else if (wanted != NULL && strcmp(wanted, "events") == 0)
		code = count_events(cursor, &window);
	else
		return sql_table_refuse(base->pVtab,
					"there are no segments '%s' to count; the table analyses lists them, and "
					"'events' are others",
					wanted == NULL ? "" : wanted);
	return code == SQLITE_OK ? first_row(base) : code;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct histogram_cursor *)base)->is_done;
}

static void result_ns(sqlite3_context *context, uint64_t ns)
{
	sqlite3_result_int64(context, ns > INT64_MAX ? INT64_MAX : (sqlite3_int64)ns);
}

/* What the index of events alone knows may have fractions. */
static void result_count(const struct histogram_cursor *cursor, sqlite3_context *context)
{
	if (cursor->counts == NULL)
		result_ns(context, histree_segment_density_count(cursor->density, cursor->group_index, cursor->at,
								 cursor->bucket));
	else if (cursor->are_exact)
		sqlite3_result_int64(context, llround(cursor->counts[cursor->at]));
	else
		sqlite3_result_double(context, cursor->counts[cursor->at]);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	const struct histogram_cursor *cursor = (const struct histogram_cursor *)base;
	bool has_buckets = cursor->counts == NULL;
	switch (number) {
	case START:
		sqlite3_result_int64(context,
				     histree_pixel_start(cursor->from, cursor->to, cursor->columns, cursor->at));
		break;
	case END:
		sqlite3_result_int64(context, cursor->at + 1 == cursor->columns
						      ? cursor->to
						      : histree_pixel_start(cursor->from, cursor->to,
									    cursor->columns, cursor->at + 1) -
								1);
		break;
	case MIN:
		if (has_buckets)
			result_ns(context, cursor->buckets[cursor->bucket].min);
		break;
	case MAX:
		if (has_buckets)
			result_ns(context, cursor->buckets[cursor->bucket].max);
		break;
	case VALUE:
		if (has_buckets && !cursor->group->is_rest)
			sql_result_value(context, &cursor->group->value);
		break;
	case COUNT:
		result_count(cursor, context);
		break;
	default: /* an argument: whoever gave it knows it */
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct histogram_cursor *)base)->number;
	return SQLITE_OK;
}

const sqlite3_module sql_histogram_module = SQL_TABLE_MODULE(sql_table_disconnect, row_id);
