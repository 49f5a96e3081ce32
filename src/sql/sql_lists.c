// SPDX-License-Identifier: MIT
/*
 * sql_lists.c - lists as rows: `attributes` and `threads` of a history, and the `events` of a trace.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/table.h"
#include "histree/events.h"
#include "sql/sql_table.h"
#include "view/view.h"

/* ---- attributes ---------------------------------------------------------------------------------------- */

enum { CHUNK = 256 };

struct attributes_cursor {
	struct sql_cursor base;
	const struct histree_attributes *attributes;
	histree_quark chunk[CHUNK]; /* the rows */
	size_t used, count;         /* of the selection, or of all */
	char *name;
	size_t name_capacity;
};

SQL_CURSOR(attributes)

static void estimate_attributes(const struct sql_table *table, const struct sql_taken *taken,
				sqlite3_index_info *info)
{
	double all = histree_attributes_count(histree_history_attributes(table->history));
	double rows = sql_attributes_left(taken->rank, all);
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = taken->rank > SQL_PATH_GLOB    ? 2 * rows
			      : taken->rank == SQL_PATH_GLOB ? 10 + all / 2
							     : 10 + all;
}

static void end_attributes(struct sql_cursor *base)
{
	free(attributes_of(base)->name);
}

static enum histree_status start_attributes(struct sql_cursor *base, struct histree_error *error)
{
	struct attributes_cursor *cursor = attributes_of(base);
	(void)error;
	cursor->attributes = histree_history_attributes(sql_table_of(base)->history);
	histree_selection_sort(&base->selection);
	cursor->used = 0;
	cursor->count =
		base->selection.has_all ? histree_attributes_count(cursor->attributes) : base->selection.count;
	return HISTREE_OK;
}

static enum histree_status next_attributes(struct sql_cursor *base, struct histree_error *error)
{
	struct attributes_cursor *cursor = attributes_of(base);
	const struct histree_selection *selection = &base->selection;
	size_t count = cursor->count - cursor->used < CHUNK ? cursor->count - cursor->used : CHUNK;
	(void)error;
	assert(cursor->used <= cursor->count);
	if (count == 0)
		return HISTREE_END;
	for (size_t i = 0; i < count; i++, cursor->used++)
		cursor->chunk[i] =
			selection->has_all ? (histree_quark)cursor->used : selection->quarks[cursor->used];
	base->row = (const char *)cursor->chunk;
	base->left = count - 1;
	return HISTREE_OK;
}

static void result_name(struct attributes_cursor *cursor, sqlite3_context *context, histree_quark quark)
{
	const struct histree_attributes *attributes = cursor->attributes;
	size_t size = histree_attributes_name(attributes, quark, cursor->name, cursor->name_capacity);
	if (size >= cursor->name_capacity) {
		if (!array_reserve(&cursor->name, &cursor->name_capacity, size + 1)) {
			sqlite3_result_error_nomem(context);
			return;
		}
		histree_attributes_name(attributes, quark, cursor->name, cursor->name_capacity);
	}
	sqlite3_result_text64(context, cursor->name, size, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* Attributes at the top have depth 1, as their paths have one name. */
static int depth_of(const struct histree_attributes *attributes, histree_quark quark)
{
	int depth = 0;
	for (; quark != HISTREE_ROOT; quark = histree_attributes_parent(attributes, quark))
		depth++;
	return depth;
}

enum { PARENT = 1, NAME, ATTRIBUTE_PATH, DEPTH, FOLDER };

static void attribute_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	struct attributes_cursor *cursor = attributes_of(base);
	histree_quark quark = *(const histree_quark *)(const void *)base->row, parent;
	if (column == PARENT && (parent = histree_attributes_parent(cursor->attributes, quark)) != HISTREE_ROOT)
		sqlite3_result_int64(context, parent); /* else NULL */
	else if (column == NAME)
		result_name(cursor, context, quark);
	else if (column == DEPTH)
		sqlite3_result_int(context, depth_of(cursor->attributes, quark));
	else if (column == FOLDER)
		sqlite3_result_int(context, histree_attributes_is_folder(cursor->attributes, quark));
}

/* A row is a quark. */
static const struct sql_column attribute_columns[] = {
	{ SQL_COLUMN("quark", "INTEGER", SQL_UINT32, 0), .role = SQL_BY_QUARK },
	{ SQL_SAID("parent", "INTEGER") },
	{ SQL_SAID("name", "TEXT") },
	{ SQL_COLUMN("path", "TEXT", SQL_PATH, 0), .role = SQL_BY_PATH },
	{ SQL_SAID("depth", "INTEGER") },
	{ SQL_SAID("folder", "INTEGER") },
	{ SQL_COLUMN("host", "TEXT", SQL_HOST, 0), .role = SQL_BY_HOST },
	{ 0 },
};

const struct sql_relation sql_attributes = {
	.name = "attributes",
	.is_of_history = true,
	.is_numbered = true,
	.columns = attribute_columns,
	.cursor_size = sizeof(struct attributes_cursor),
	.row_size = sizeof(histree_quark),
	.estimate = estimate_attributes,
	.end = end_attributes,
	.start = start_attributes,
	.next = next_attributes,
	.cell = attribute_cell,
};

/* ---- events -------------------------------------------------------------------------------------------- */

struct events_table {
	struct sql_table base;
	struct histree_events *events;
	const struct histree_event_host *hosts; /* NULL: there is one */
	size_t host_count;
};

struct events_cursor {
	struct sql_cursor base;
	struct histree_cursor *reader;
	struct histree_cursor *query;
	struct histree_window numbers;
	bool knows_threads; /* the query has taken them */
	struct histree_event_owner owner;
	uint64_t owned; /* the number of the event whose owner this is, and 1 */
};

SQL_CURSOR(events)

static enum histree_status open_events(struct sql_table *base, const struct sql_origin *origin,
				       struct histree_error *error)
{
	static const struct sql_column host = { SQL_SAID("host", "TEXT") };
	struct events_table *table = (struct events_table *)base;
	enum histree_status status = sql_store_events(base->store, &table->events, error);
	(void)origin;
	if (status != HISTREE_OK)
		return status;
	base->names = histree_events_types(table->events, &base->name_count);
	table->hosts = histree_events_hosts(table->events, &table->host_count);
	if (!histree_events_are_in_order(table->events))
		base->columns[1].orders = 0;
	return table->hosts != NULL ? sql_table_add(base, &host, error) : HISTREE_OK;
}

/* They are decoded from the trace. */
static void estimate_events(const struct sql_table *base, const struct sql_taken *taken, sqlite3_index_info *info)
{
	double rows = (double)histree_events_count(((const struct events_table *)base)->events);
	for (unsigned i = 0; i < taken->bounds; i++)
		rows /= 10;
	rows = taken->equals > 0 ? 1 : rows;
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = 1000 + 4 * rows;
}

static enum histree_status begin_events(struct sql_cursor *base, struct histree_error *error)
{
	const struct events_table *of = (const struct events_table *)sql_table_of(base);
	struct events_cursor *cursor = events_of(base);
	enum histree_status status = histree_event_reader_create(of->events, &cursor->reader, error);
	if (status == HISTREE_OK)
		status = histree_event_query_create(of->events, cursor->reader, NULL, 0, 0, &cursor->query, error);
	if (status == HISTREE_OK)
		histree_event_query_set_cancel(cursor->query, sql_cursor_cancel(base));
	else
		histree_cursor_free(cursor->reader);
	return status;
}

static void end_events(struct sql_cursor *base)
{
	histree_cursor_free(events_of(base)->query); /* before the history of the kernel that it has taken */
	histree_cursor_free(events_of(base)->reader);
}

static void clear_events(struct sql_cursor *base)
{
	events_of(base)->numbers = HISTREE_WINDOW_ALL;
}

static void narrow_events(struct sql_cursor *base, int column, enum sql_operator operation, sqlite3_value *value)
{
	(void)column;
	sql_window_narrow(&events_of(base)->numbers, operation, value);
}

static enum histree_status start_events(struct sql_cursor *base, struct histree_error *error)
{
	const struct events_table *table = (const struct events_table *)sql_table_of(base);
	const struct histree_event_range range = { .numbers = events_of(base)->numbers,
						   .times = base->selection.window };
	for (size_t i = 0; i < table->host_count; i++)
		if (table->hosts[i].why != NULL)
			sql_connection_warn(sql_store_connection(table->base.store),
					    "the events of host '%s' are missing: %s", table->hosts[i].name,
					    table->hosts[i].why);
	return histree_event_query_start(events_of(base)->query, &range, error);
}

static enum histree_status next_event(struct sql_cursor *base, struct histree_error *error)
{
	enum histree_status status = histree_cursor_next(events_of(base)->query, error);
	base->row = (const char *)histree_cursor_event(events_of(base)->query);
	return status;
}

enum { STREAM = 4, EVENT_FIELDS, CONTENTS, EVENT_TID, EVENT_PID, EVENT_THREAD, EVENT_PROCESS, EVENT_HOST };

/* What is not known of it is NULL. */
static enum histree_status read_owner(struct events_cursor *cursor, struct histree_error *error)
{
	const struct sql_table *table = sql_table_of(&cursor->base);
	const uint64_t number = histree_cursor_event(cursor->query)->number + 1;
	struct histree_history *kernel;
	enum histree_status status = HISTREE_OK;
	if (cursor->owned == number)
		return HISTREE_OK;
	if (!cursor->knows_threads && sql_store_history(table->store, "", &kernel, error) == HISTREE_OK)
		status = histree_event_query_take_threads(cursor->query, kernel, error);
	cursor->knows_threads = true;
	if (status == HISTREE_OK)
		status = histree_event_query_owner(cursor->query, &cursor->owner, error);
	cursor->owned = status == HISTREE_OK ? number : 0;
	return status;
}

static void owner_cell(struct events_cursor *cursor, sqlite3_context *context, int column)
{
	struct histree_error error = { 0 };
	const struct histree_event_owner *owner = &cursor->owner;
	const enum histree_status status = read_owner(cursor, &error);
	if (status != HISTREE_OK)
		sqlite3_result_error(context, error.message, -1);
	else if (column == EVENT_THREAD)
		sql_result_value(context, &owner->name);
	else if (column == EVENT_PROCESS)
		sql_result_value(context, &owner->process);
	else if ((column == EVENT_TID ? owner->tid : owner->pid) >= 0)
		sqlite3_result_int(context, column == EVENT_TID ? owner->tid : owner->pid);
}

/* Names of hosts live as long as the store; the reader writes its texts anew for the next event. */
static void event_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	const struct events_table *table = (const struct events_table *)sql_table_of(base);
	struct histree_cursor *reader = events_of(base)->reader;
	uint32_t host = histree_cursor_event(events_of(base)->query)->host;
	if (column >= EVENT_TID && column <= EVENT_PROCESS) {
		owner_cell(events_of(base), context, column);
		return;
	}
	const char *text = column == STREAM         ? histree_event_reader_stream(reader)
			   : column == EVENT_FIELDS ? histree_event_reader_json(reader)
			   : column == CONTENTS     ? histree_event_reader_contents(reader)
						    : table->hosts[host < table->host_count ? host : 0].name;
	if (text == NULL)
		sqlite3_result_error_nomem(context);
	else
		sqlite3_result_text(context, text, -1, column == EVENT_HOST ? SQLITE_STATIC : SQLITE_TRANSIENT);
}

#define AT(member) offsetof(struct histree_event, member)

static const struct sql_column event_columns[] = {
	{ SQL_COLUMN("number", "INTEGER", SQL_UINT64, AT(number)), .role = SQL_BY_NUMBER, .orders = SQL_UP },
	{ SQL_COLUMN("time", "INTEGER", SQL_INT64, AT(time)), .role = SQL_BY_END, .orders = SQL_UP },
	{ SQL_COLUMN("cpu", "INTEGER", SQL_INT32, AT(cpu)), .is_known_from_0 = true },
	{ SQL_COLUMN("name", "TEXT", SQL_NAME, AT(type)) },
	{ SQL_SAID("stream", "TEXT") },
	{ SQL_SAID("fields", "TEXT") },
	{ SQL_SAID("contents", "TEXT") },
	/* Who had the CPU, which is looked up only where a statement names one of these. */
	{ SQL_SAID("tid", "INTEGER HIDDEN") },
	{ SQL_SAID("pid", "INTEGER HIDDEN") },
	{ SQL_SAID("thread", "TEXT HIDDEN") },
	{ SQL_SAID("process", "TEXT HIDDEN") },
	{ 0 },
};

#undef AT

const struct sql_relation sql_events = {
	.name = "events",
	.is_numbered = true,
	.columns = event_columns,
	.table_size = sizeof(struct events_table),
	.cursor_size = sizeof(struct events_cursor),
	.open = open_events,
	.estimate = estimate_events,
	.begin = begin_events,
	.end = end_events,
	.clear = clear_events,
	.narrow = narrow_events,
	.start = start_events,
	.next = next_event,
	.cell = event_cell,
};

/* ---- threads ------------------------------------------------------------------------------------------- */

/* Those of one host, from when they are first asked for. */
struct threads_of_host {
	struct histree_control_flow *flow; /* NULL: there is no history of the host */
	const struct histree_thread *threads;
	struct histree_thread *own; /* of several hosts: copies, whose nodes are attributes of the whole history */
	uint32_t count;
};

struct threads_table {
	struct sql_table base;
	struct threads_of_host *hosts; /* NULL until rows are asked for */
	size_t host_count;
};

struct threads_cursor {
	struct sql_cursor base;
	size_t host; /* the one behind that of the rows */
};

static void forget_threads(struct threads_table *table)
{
	for (size_t i = 0; i < table->host_count; i++) {
		histree_control_flow_free(table->hosts[i].flow);
		free(table->hosts[i].own);
	}
	free(table->hosts);
	table->hosts = NULL;
	table->host_count = 0;
}

static void close_threads(struct sql_table *base)
{
	forget_threads((struct threads_table *)base);
}

/* The history is that of a moment, so that they are read once. */
static enum histree_status start_threads(struct sql_cursor *base, struct histree_error *error)
{
	struct threads_table *table = (struct threads_table *)sql_table_of(base);
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(table->base.history, &count);
	enum histree_status status = HISTREE_OK;
	((struct threads_cursor *)base)->host = 0;
	if (table->hosts != NULL)
		return HISTREE_OK;
	table->host_count = hosts == NULL ? 1 : count;
	table->hosts = calloc(table->host_count + 1, sizeof(*table->hosts));
	if (table->hosts == NULL) {
		table->host_count = 0;
		return error_memory(error, "the threads");
	}
	for (size_t i = 0; i < table->host_count && status == HISTREE_OK; i++) {
		struct histree_history *history = hosts == NULL ? table->base.history : hosts[i].history;
		if (history != NULL) {
			status = histree_control_flow_create(history, sql_cursor_cancel(base),
							     &table->hosts[i].flow, error);
			if (status == HISTREE_OK)
				table->hosts[i].threads =
					histree_control_flow_threads(table->hosts[i].flow, &table->hosts[i].count);
		}
		if (status == HISTREE_OK && hosts != NULL) {
			table->hosts[i].own = array_copy(table->hosts[i].threads, table->hosts[i].count);
			if (table->hosts[i].own == NULL && table->hosts[i].count > 0) {
				status = error_memory(error, "the threads");
			} else {
				for (uint32_t j = 0; j < table->hosts[i].count; j++)
					table->hosts[i].own[j].node += hosts[i].folder + 1;
				table->hosts[i].threads = table->hosts[i].own;
				status = HISTREE_OK;
			}
		}
	}
	if (status != HISTREE_OK)
		forget_threads(table);
	return status;
}

static enum histree_status next_threads(struct sql_cursor *base, struct histree_error *error)
{
	const struct threads_table *table = (const struct threads_table *)sql_table_of(base);
	struct threads_cursor *cursor = (struct threads_cursor *)base;
	(void)error;
	while (cursor->host < table->host_count && table->hosts[cursor->host].count == 0)
		cursor->host++;
	if (cursor->host == table->host_count)
		return HISTREE_END;
	base->row = (const char *)table->hosts[cursor->host].threads;
	base->left = table->hosts[cursor->host++].count - 1;
	return HISTREE_OK;
}

enum { PID = 3, FIRST = 7 };

/* A thread that never had a status has no first time, and no last one; of some the process is not known. */
static void thread_cell(struct sql_cursor *base, sqlite3_context *context, int column)
{
	const struct histree_thread *thread = (const void *)base->row;
	if (column == PID && thread->has_process)
		sqlite3_result_int(context, thread->pid);
	else if (column != PID && thread->first <= thread->last)
		sqlite3_result_int64(context, column == FIRST ? thread->first : thread->last);
}

#define AT(member) offsetof(struct histree_thread, member)

static const struct sql_column thread_columns[] = {
	{ SQL_COLUMN("tid", "INTEGER", SQL_INT32, AT(tid)) },
	{ SQL_COLUMN("life", "INTEGER", SQL_INT32, AT(life)) },
	{ SQL_COLUMN("name", "TEXT", SQL_TEXT, AT(name)) },
	{ SQL_SAID("pid", "INTEGER") },
	{ SQL_COLUMN("ppid", "INTEGER", SQL_INT32, AT(ppid)), .is_known_from_0 = true },
	{ SQL_COLUMN("start", "INTEGER", SQL_INT64, AT(from)) },
	{ SQL_COLUMN("end", "INTEGER", SQL_INT64, AT(to)) },
	{ SQL_SAID("first", "INTEGER") },
	{ SQL_SAID("last", "INTEGER") },
	{ SQL_COLUMN("quark", "INTEGER", SQL_UINT32, AT(node)) },
	{ SQL_COLUMN("path", "TEXT", SQL_PATH, AT(node)) },
	{ SQL_COLUMN("host", "TEXT", SQL_HOST, AT(node)) },
	{ 0 },
};

const struct sql_relation sql_threads = {
	.name = "threads",
	.is_of_history = true,
	.columns = thread_columns,
	.rows = 1000,
	.cost = 1e4,
	.table_size = sizeof(struct threads_table),
	.cursor_size = sizeof(struct threads_cursor),
	.row_size = sizeof(struct histree_thread),
	.close = close_threads,
	.start = start_threads,
	.next = next_threads,
	.cell = thread_cell,
};
