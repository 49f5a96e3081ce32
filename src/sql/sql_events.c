// SPDX-License-Identifier: MIT
#include "sql/sql_events.h"

#include <stdlib.h>

#include "histree/event_query.h"
#include "sql/sql_table.h"
#include "sql/sql_window.h"

/* The host is a column where there are several. */
enum column { NUMBER, TIME, CPU, NAME, STREAM, FIELDS, CONTENTS, HOST };

static const char *const names[] = { [NUMBER] = "number", [TIME] = "time" };

struct events_table {
	struct sql_table base;
	struct histree_events *events;
	const char *const *types;
	size_t type_count;
	const struct histree_event_host *hosts; /* NULL: there is one */
	size_t host_count;
};

struct events_cursor {
	sqlite3_vtab_cursor base;
	struct histree_event_reader *reader;
	struct histree_event event;
	struct histree_event_query *query;
	bool is_done;
};

static enum histree_status open_table(struct sql_table *base, const struct sql_module *module, const char *analysis,
				      char **declaration, struct histree_error *error)
{
	struct events_table *table = (struct events_table *)base;
	enum histree_status status = sql_store_events(base->store, &table->events, error);
	(void)module;
	(void)analysis;
	if (status != HISTREE_OK)
		return status;
	table->types = histree_events_types(table->events, &table->type_count);
	table->hosts = histree_events_hosts(table->events, &table->host_count);
	*declaration = sqlite3_mprintf("CREATE TABLE x(number INTEGER, time INTEGER, cpu INTEGER, name TEXT, "
				       "stream TEXT, fields TEXT, contents TEXT%s)",
				       table->hosts != NULL ? ", host TEXT" : "");
	return HISTREE_OK;
}

static int connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments, sqlite3_vtab **out,
		   char **message)
{
	return sql_table_connect(db, module, argument_count, arguments, sizeof(struct events_table), open_table,
				 out, message);
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct events_table *table = (const struct events_table *)base;
	double rows = (double)histree_events_count(table->events);
	struct sql_plan plan = sql_plan(info);
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		enum sql_operator operator= sql_plan_operator(info, i);
		bool is_bound = operator>= SQL_EQUAL && operator<= SQL_AT_LEAST && operator!= SQL_IN;
		if (!is_bound || (column != NUMBER && column != TIME))
			continue;
		if (!sql_plan_take(&plan, i, names[column], operator))
			break;
		rows = operator== SQL_EQUAL ? 1 : rows / 10;
	}
	bool by_number = info->nOrderBy == 1 && info->aOrderBy[0].iColumn == NUMBER;
	bool by_time = info->nOrderBy == 1 && info->aOrderBy[0].iColumn == TIME &&
		       histree_events_are_in_order(table->events);
	if ((by_number || by_time) && !info->aOrderBy[0].desc) {
		sql_plan_order(&plan, names[by_number ? NUMBER : TIME]);
		info->orderByConsumed = 1;
	}
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = 1000 + 4 * rows; /* events are decoded from the trace */
	return sql_plan_finish(&plan);
}

static enum histree_status begin_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor *cursor,
					struct histree_error *error)
{
	const struct events_table *of = (const struct events_table *)table;
	struct events_cursor *out = (struct events_cursor *)cursor;
	enum histree_status status = histree_event_reader_create(of->events, &out->reader, error);
	if (status == HISTREE_OK)
		status = histree_event_query_create(of->events, out->reader, NULL, 0, 0, &out->query, error);
	if (status == HISTREE_OK)
		histree_event_query_set_cancel(out->query,
					       sql_connection_cancel(sql_store_connection(of->base.store)));
	else
		histree_event_reader_free(out->reader);
	return status;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct events_cursor), begin_cursor);
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct events_cursor *cursor = (struct events_cursor *)base;
	histree_event_query_free(cursor->query);
	histree_event_reader_free(cursor->reader);
	free(cursor);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct events_cursor *cursor = (struct events_cursor *)base;
	struct histree_error error;
	enum histree_status status = histree_event_query_next(cursor->query, &cursor->event, &error);
	if (status < 0)
		return sql_table_fail(base->pVtab, &error);
	cursor->is_done = status == HISTREE_END;
	return SQLITE_OK;
}

static void warn_of_missing(const struct events_table *table)
{
	for (size_t i = 0; i < table->host_count; i++)
		if (table->hosts[i].why != NULL)
			sql_connection_warn(sql_store_connection(table->base.store),
					    "the events of host '%s' are missing: %s", table->hosts[i].name,
					    table->hosts[i].why);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct events_cursor *cursor = (struct events_cursor *)base;
	struct histree_event_range range = HISTREE_EVENTS_ALL;
	struct histree_error error;
	struct sql_term term;
	(void)number;
	warn_of_missing((const struct events_table *)base->pVtab);
	for (int i = 0; i < argument_count && sql_term_next(&plan, &term); i++)
		sql_window_narrow(sql_term_is_of(&term, names[NUMBER]) ? &range.numbers : &range.times,
				  term.operator, arguments[i]);
	return histree_event_query_start(cursor->query, &range, &error) == HISTREE_OK
		       ? next(base)
		       : sql_table_fail(base->pVtab, &error);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct events_cursor *)base)->is_done;
}

/* Text of the reader, which it writes anew for the next event. */
static void result_text(sqlite3_context *context, const char *text)
{
	if (text == NULL)
		sqlite3_result_error_nomem(context);
	else
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct events_cursor *cursor = (struct events_cursor *)base;
	const struct events_table *table = (const struct events_table *)base->pVtab;
	const struct histree_event *event = &cursor->event;
	switch (number) {
	case NUMBER:
		sqlite3_result_int64(context, (sqlite3_int64)event->number);
		break;
	case TIME:
		sqlite3_result_int64(context, event->time);
		break;
	case CPU:
		if (event->cpu >= 0) /* else NULL */
			sqlite3_result_int(context, event->cpu);
		break;
	case NAME: /* names live as long as the store */
		if (event->type < table->type_count)
			sqlite3_result_text(context, table->types[event->type], -1, SQLITE_STATIC);
		break;
	case STREAM:
		result_text(context, histree_event_reader_stream(cursor->reader));
		break;
	case FIELDS:
		result_text(context, histree_event_reader_json(cursor->reader));
		break;
	case CONTENTS:
		result_text(context, histree_event_reader_contents(cursor->reader));
		break;
	case HOST:
		if (event->host < table->host_count)
			sqlite3_result_text(context, table->hosts[event->host].name, -1, SQLITE_STATIC);
		break;
	default:
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = (sqlite3_int64)((struct events_cursor *)base)->event.number;
	return SQLITE_OK;
}

const sqlite3_module sql_events_module = SQL_TABLE_MODULE(sql_table_disconnect, row_id);
