// SPDX-License-Identifier: MIT
/*
 * sql_segments.c - a segment store as rows: a table named after its analysis, with the columns start, end, duration
 * and the fields of the store.
 *
 * Bounds of the start, the end and the duration, and equalities of fields, become a query and a filter expression
 * (segment_stats.h), so that nodes without such segments are not read.
 *
 * With "this or that", SQLite needs a key to find rows that occur in two scans.  Columns of a key are never NULL,
 * so fields are not in it: a hidden column stands for them, a number that distinguishes segments with the same
 * start and end, which follow one another.  Different contents have different hashes of 64 bits; equal ones are
 * numbered.
 *
 * Segments of threads have hidden columns with what the history of the kernel says of these, as far as they do not
 * say it themselves: `pid` and `thread`, the name.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "histree/segment_stats.h"
#include "sql/sql_table.h"
#include "view/view.h"

/* The fields of the store follow, and a hidden column. */
enum { START, END, DURATION, FIELDS };

/* The longest expression, and the greatest number of comparisons, that filter.h takes. */
enum { EXPRESSION_MAX = 4096, COMPARISONS_MAX = 64 };

/* In the number of a plan: rows may be compared with those of another scan, for "this or that". */
enum { MAY_BE_COMPARED = 256 };

struct segments_table {
	struct sql_table base;
	struct histree_segment_store *segments;
	const struct histree_segment_store_info *info;
	int pid, thread;                     /* columns; -1: there is none */
	size_t tid_field, host_field;        /* SIZE_MAX: there is none */
	struct histree_control_flow **flows; /* by host; NULL: not asked for */
	const struct histree_history_host *hosts;
	size_t flow_count;
};

/* Contents of the segments of one start and end. */
struct twins {
	histree_time start, end;
	uint64_t *hashes;
	size_t count, capacity;
};

/* A filter expression that grows by comparisons; what has no room is left to SQLite. */
struct expression {
	char text[EXPRESSION_MAX];
	size_t size;
	unsigned comparisons;
};

struct segments_cursor {
	struct sql_cursor base;
	struct histree_cursor *iter;
	size_t losses_told;                    /* of its */
	struct histree_segment_filter *filter; /* NULL: none */
	struct histree_segment segment;
	struct expression expression;
	struct twins twins;
	uint64_t twin;  /* tells this one from others of the same start and end */
	bool has_twins; /* are told from one another */
};

SQL_CURSOR(segments)

static const struct segments_table *table_of(const struct sql_cursor *cursor)
{
	return (const struct segments_table *)cursor->base.pVtab;
}

/* ---- the columns --------------------------------------------------------------------------------------- */

#define AT(member) offsetof(struct histree_segment, member)

/* By their numbers above; the last one follows the fields. */
static const struct sql_column columns[] = {
	{ SQL_COLUMN("start", "INTEGER", SQL_INT64, AT(start)), .role = SQL_BY_START, .orders = SQL_UP | SQL_DOWN },
	{ SQL_COLUMN("end", "INTEGER", SQL_INT64, AT(end)), .role = SQL_BY_END, .orders = SQL_UP | SQL_DOWN },
	{ SQL_COLUMN("duration", "INTEGER", SQL_LENGTH, 0), .role = SQL_BY_NUMBER, .orders = SQL_UP | SQL_DOWN },
	{ 0 },
};
static const struct sql_column twin_column = { SQL_SAID("twin", "HIDDEN") };

static const enum histree_segment_order orders[] = {
	[START] = HISTREE_SEGMENTS_BY_START,
	[END] = HISTREE_SEGMENTS_BY_END,
	[DURATION] = HISTREE_SEGMENTS_BY_DURATION,
};

static bool is_number(enum histree_type type)
{
	return type == HISTREE_INT || type == HISTREE_LONG;
}

/* A field that is called as a column that every segment has gets a name of its own. */
static bool has_taken_name(const struct histree_segment_field *field)
{
	bool is_taken = sqlite3_stricmp(field->name, twin_column.name) == 0;
	for (size_t i = 0; i < FIELDS; i++)
		is_taken = is_taken || sqlite3_stricmp(field->name, columns[i].name) == 0;
	return is_taken;
}

/* In a plan, "limit" is something else. */
static bool can_be_in_plan(const struct histree_segment_field *field)
{
	return strcspn(field->name, " ,\"\\?") == strlen(field->name) && strcmp(field->name, "limit") != 0 &&
	       !has_taken_name(field);
}

static enum histree_status add_thread_column(struct segments_table *table, const char *name, const char *type,
					     int *number, struct histree_error *error)
{
	const struct sql_column column = { SQL_SAID(name, type) };
	for (size_t i = 0; i < table->info->schema.field_count; i++)
		if (sqlite3_stricmp(table->info->schema.fields[i].name, name) == 0)
			return HISTREE_OK;
	*number = (int)table->base.column_count;
	return sql_table_add(&table->base, &column, error);
}

static enum histree_status open_segments(struct sql_table *base, const struct sql_origin *origin,
					 struct histree_error *error)
{
	struct segments_table *table = (struct segments_table *)base;
	enum histree_status status = sql_store_segments(base->store, origin->analysis, &table->segments, error);
	if (status != HISTREE_OK)
		return status;
	table->info = histree_segment_store_info(table->segments);
	for (size_t i = 0; status == HISTREE_OK && i < table->info->schema.field_count; i++) {
		const struct histree_segment_field *field = &table->info->schema.fields[i];
		bool has_equals = is_number(field->type) || field->type == HISTREE_STRING;
		const struct sql_column column = {
			.name = field->name,
			.prefix = has_taken_name(field) ? "field_" : NULL,
			.type = field->type == HISTREE_DOUBLE   ? "REAL"
				: field->type == HISTREE_STRING ? "TEXT"
								: "INTEGER",
			.cell = SQL_CONTENT,
			.offset = (uint32_t)i,
			.role = has_equals && can_be_in_plan(field) ? SQL_BY_FIELD : SQL_NOTHING,
		};
		status = sql_table_add(base, &column, error);
	}
	if (status == HISTREE_OK)
		status = sql_table_add(base, &twin_column, error);
	table->pid = table->thread = -1;
	if (histree_segment_store_field(table->segments, "tid", &table->tid_field) != HISTREE_OK)
		table->tid_field = SIZE_MAX;
	if (histree_segment_store_field(table->segments, "host", &table->host_field) != HISTREE_OK ||
	    table->info->schema.fields[table->host_field].type != HISTREE_STRING)
		table->host_field = SIZE_MAX;
	if (status == HISTREE_OK && table->tid_field != SIZE_MAX)
		status = add_thread_column(table, "pid", "INTEGER HIDDEN", &table->pid, error);
	if (status == HISTREE_OK && table->tid_field != SIZE_MAX)
		status = add_thread_column(table, "thread", "TEXT HIDDEN", &table->thread, error);
	return status;
}

static void close_segments(struct sql_table *base)
{
	struct segments_table *table = (struct segments_table *)base;
	for (size_t i = 0; i < table->flow_count; i++)
		histree_control_flow_free(table->flows[i]);
	free(table->flows);
	table->flows = NULL;
	table->flow_count = 0;
}

/*
 * The number of the plan is the order, twice, plus one if it goes down, and MAY_BE_COMPARED.  Where segments are
 * chosen, those that are equal come one after the other, in the same order in every scan; where all are asked for,
 * SQLite compares no scans.
 */
static void estimate_segments(const struct sql_table *base, const struct sql_taken *taken, sqlite3_index_info *info)
{
	const struct histree_segment_store_info *store = ((const struct segments_table *)base)->info;
	struct histree_window window = taken->window;
	double whole = (double)store->end - (double)store->start + 1;
	double rows = (double)store->segment_count * taken->guess;
	rows = taken->limit < rows ? taken->limit : rows;
	rows *= histree_window_fit(&window, store->start, store->end)
			? ((double)window.to - (double)window.from + 1) / whole
			: 0;
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = 20 + 2 * rows;
	info->idxNum = 2 * (int)(taken->arguments > 0 ? HISTREE_SEGMENTS_BY_START : HISTREE_SEGMENTS_UNSORTED);
	assert(taken->order < FIELDS);
	if (taken->order >= 0)
		info->idxNum = 2 * (int)orders[taken->order] + (taken->is_down ? 1 : 0);
	if (info->nConstraint > 0)
		info->idxNum |= MAY_BE_COMPARED;
}

/* ---- what is asked for --------------------------------------------------------------------------------- */

static void add_comparison(struct expression *expression, const char *comparison)
{
	size_t size = strlen(comparison), between = expression->size > 0 ? 4 : 0;
	if (expression->comparisons == COMPARISONS_MAX || expression->size + between + size >= EXPRESSION_MAX)
		return;
	memcpy(expression->text + expression->size, " && ", between);
	memcpy(expression->text + expression->size + between, comparison, size + 1);
	expression->size += between + size;
	assert(expression->text[expression->size] == '\0');
	expression->comparisons++;
}

static void compare_text(struct expression *expression, const char *field, sqlite3_value *value)
{
	char text[EXPRESSION_MAX];
	const char *wanted = (const char *)sqlite3_value_text(value);
	size_t size = (size_t)sqlite3_value_bytes(value), used;
	if (wanted == NULL || strlen(wanted) != size || 2 * size + strlen(field) + 16 > sizeof(text))
		return;
	sqlite3_snprintf(sizeof(text), text, "\"%s\" == \"", field);
	used = strlen(text);
	for (size_t i = 0; i < size; i++) {
		if (wanted[i] == '"' || wanted[i] == '\\')
			text[used++] = '\\';
		text[used++] = wanted[i];
	}
	assert(used + 2 <= sizeof(text));
	text[used++] = '"';
	text[used] = '\0';
	add_comparison(expression, text);
}

static void clear_segments(struct sql_cursor *base)
{
	segments_of(base)->expression.size = segments_of(base)->expression.comparisons = 0;
	segments_of(base)->twins.count = 0;
}

static void narrow_segments(struct sql_cursor *base, int column, enum sql_operator operation, sqlite3_value *value)
{
	struct expression *expression = &segments_of(base)->expression;
	if (column == DURATION) {
		char text[64];
		struct histree_window window = HISTREE_WINDOW_ALL;
		sql_window_narrow(&window, operation, value);
		if (window.is_empty || window.to < 0)
			window = (struct histree_window){ .from = 1, .to = 0 }; /* no duration is both */
		if (window.from > 0) {
			sqlite3_snprintf(sizeof(text), text, "duration >= %lld", (long long)window.from);
			add_comparison(expression, text);
		}
		if (window.to < INT64_MAX) {
			sqlite3_snprintf(sizeof(text), text, "duration <= %lld", (long long)window.to);
			add_comparison(expression, text);
		}
	} else {
		const struct histree_segment_field *field = &table_of(base)->info->schema.fields[column - FIELDS];
		char text[512];
		if (field->type == HISTREE_STRING && sqlite3_value_type(value) == SQLITE_TEXT)
			compare_text(expression, field->name, value);
		if (is_number(field->type) && sqlite3_value_type(value) == SQLITE_INTEGER &&
		    strlen(field->name) < 400) {
			sqlite3_snprintf(sizeof(text), text, "\"%s\" == %lld", field->name,
					 (long long)sqlite3_value_int64(value));
			add_comparison(expression, text);
		}
	}
}

static enum histree_status begin_segments(struct sql_cursor *base, struct histree_error *error)
{
	return histree_segments_create(table_of(base)->segments, &segments_of(base)->iter, error);
}

static void end_segments(struct sql_cursor *base)
{
	struct segments_cursor *cursor = segments_of(base);
	histree_cursor_free(cursor->iter);
	histree_segment_filter_free(cursor->filter);
	free(cursor->twins.hashes);
}

static enum histree_status start_segments(struct sql_cursor *base, struct histree_error *error)
{
	struct segments_cursor *cursor = segments_of(base);
	const struct histree_segment_store_info *info = table_of(base)->info;
	struct histree_window window = base->selection.window;
	int order = base->order & ~MAY_BE_COMPARED;
	enum histree_status status = HISTREE_OK;
	cursor->has_twins = order != base->order;
	base->row = (const char *)&cursor->segment;
	if (!histree_window_fit(&window, info->start, info->end))
		return HISTREE_END;
	struct histree_segment_query query = {
		.from = window.from,
		.to = window.to,
		.order = (enum histree_segment_order)(order / 2),
		.descending = order % 2 != 0,
		.limit = base->limit,
		.work = sql_cursor_cancel(base),
	};
	histree_segment_filter_free(cursor->filter);
	cursor->filter = NULL;
	if (cursor->expression.size > 0)
		status = histree_segment_filter_create(&info->schema, cursor->expression.text, info->start,
						       info->end, &cursor->filter, error);
	if (status != HISTREE_OK)
		return status;
	/* What looks as the number of a thread is a text here; SQLite compares it itself. */
	if (cursor->filter != NULL && histree_segment_filter_lacks_threads(cursor->filter)) {
		histree_segment_filter_free(cursor->filter);
		cursor->filter = NULL;
	}
	if (cursor->filter != NULL)
		histree_segment_filter_apply(cursor->filter, &query);
	cursor->losses_told = 0;
	return histree_segments_start(cursor->iter, &query, NULL, error);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static enum histree_status next_segment(struct sql_cursor *base, struct histree_error *error)
{
	struct segments_cursor *cursor = segments_of(base);
	const enum histree_status status = histree_cursor_next(cursor->iter, error);
	size_t lost;
	const struct histree_loss *losses = histree_cursor_losses(cursor->iter, &lost);
	assert(cursor->losses_told <= lost);
	for (; cursor->losses_told < lost; cursor->losses_told++)
		sql_connection_warn_of_loss(sql_store_connection(table_of(base)->base.store),
					    sql_store_info(table_of(base)->base.store)->path,
					    table_of(base)->segments, losses[cursor->losses_told]);
	if (status == HISTREE_OK)
		cursor->segment = *histree_cursor_segment(cursor->iter);
	*table_of(base)->base.rows += 1;
	if (status != HISTREE_OK || !cursor->has_twins)
		return status;

	/*
	 * Number a segment among those of the same start and end: the same in each pass in which all that are
	 * equal to it come, in the same order.
	 */
	const struct histree_segment *segment = &cursor->segment;
	struct twins *twins = &cursor->twins;
	size_t fields = table_of(&cursor->base)->info->schema.field_count;
	uint64_t hash = 0, equal = 0;
	for (size_t i = 0; i < fields; i++)
		hash = hash_mix(hash + sql_value_bits(&segment->content[i]));
	if (twins->count > 0 && (twins->start != segment->start || twins->end != segment->end))
		twins->count = 0;
	twins->start = segment->start;
	twins->end = segment->end;
	for (size_t i = 0; i < twins->count; i++)
		equal += twins->hashes[i] == hash;
	if (!array_reserve(&twins->hashes, &twins->capacity, twins->count + 1))
		return error_memory(error, "segments of one time");
	twins->hashes[twins->count++] = hash;
	cursor->twin = hash_mix(hash + equal);
	return HISTREE_OK;
}

/* ---- whose they are ------------------------------------------------------------------------------------ */

/* Without a history of the kernel, nothing is known of them. */
static enum histree_status read_threads(struct segments_table *table, struct histree_work work,
					struct histree_error *error)
{
	size_t count = 0;
	struct histree_history *kernel;
	enum histree_status status = HISTREE_OK;
	if (table->flows != NULL)
		return HISTREE_OK;
	const bool has_kernel = sql_store_history(table->base.store, "", &kernel, error) == HISTREE_OK &&
				histree_thread_analysis_is(histree_history_info(kernel)->provider);
	table->hosts = has_kernel ? histree_history_hosts(kernel, &count) : NULL;
	table->flows = calloc(count + 1, sizeof(struct histree_control_flow *));
	if (table->flows == NULL)
		return error_memory(error, "the threads");
	table->flow_count = table->hosts != NULL ? count : 1;
	for (size_t i = 0; i < table->flow_count && has_kernel && status == HISTREE_OK; i++) {
		struct histree_history *history = table->hosts != NULL ? table->hosts[i].history : kernel;
		if (history != NULL)
			status = histree_control_flow_create(history, work, &table->flows[i], error);
	}
	/* A statement that was stopped is no reason for the next one to know nobody. */
	if (status != HISTREE_OK)
		close_segments(&table->base);
	return status;
}

/* Returns NULL where it is not known. */
static const struct histree_thread *thread_of(const struct segments_table *table,
					      const struct histree_segment *segment)
{
	const int64_t tid = histree_value_integer(&segment->content[table->tid_field]);
	size_t host = 0;
	uint32_t count;
	if (table->hosts != NULL && table->host_field != SIZE_MAX) {
		const struct histree_value *name = &segment->content[table->host_field];
		while (host < table->flow_count && (strlen(table->hosts[host].name) != name->size ||
						    memcmp(table->hosts[host].name, name->bytes, name->size) != 0))
			host++;
	}
	if (host == table->flow_count || table->flows[host] == NULL || tid <= 0 || tid > INT32_MAX)
		return NULL;
	const uint32_t at = histree_control_flow_find_at(table->flows[host], (int32_t)tid, -1, segment->start);
	return at != HISTREE_NO_INDEX ? &histree_control_flow_threads(table->flows[host], &count)[at] : NULL;
}

static void thread_cell(struct segments_cursor *cursor, sqlite3_context *context, bool is_pid)
{
	struct segments_table *table = (struct segments_table *)cursor->base.base.pVtab;
	struct histree_error error = { 0 };
	if (read_threads(table, sql_cursor_cancel(&cursor->base), &error) != HISTREE_OK) {
		sqlite3_result_error(context, error.message, -1);
		return;
	}
	const struct histree_thread *thread = thread_of(table, &cursor->segment);
	if (thread != NULL && is_pid && thread->has_process)
		sqlite3_result_int(context, thread->pid);
	else if (thread != NULL && !is_pid && *thread->name != '\0')
		sqlite3_result_text(context, thread->name, -1, SQLITE_STATIC);
}

static void said_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	if (column == table_of(base)->pid || column == table_of(base)->thread)
		thread_cell(segments_of(base), context, column == table_of(base)->pid);
	else
		sqlite3_result_int64(context, (sqlite3_int64)segments_of(base)->twin);
}

const struct sql_relation sql_segments = {
	.name = "segments",
	.has_limit = true,
	.columns = columns,
	.key = "start, \"end\", twin",
	.table_size = sizeof(struct segments_table),
	.cursor_size = sizeof(struct segments_cursor),
	.open = open_segments,
	.close = close_segments,
	.estimate = estimate_segments,
	.begin = begin_segments,
	.end = end_segments,
	.clear = clear_segments,
	.narrow = narrow_segments,
	.start = start_segments,
	.next = next_segment,
	.cell = said_cell,
};
