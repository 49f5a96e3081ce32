// SPDX-License-Identifier: MIT
#include "sql/sql_threads.h"

#include <stdlib.h>

#include "base/error.h"
#include "histree/view.h"
#include "sql/sql_hosts.h"
#include "sql/sql_selection.h"
#include "sql/sql_table.h"

enum column { TID, LIFE, NAME, PID, PPID, START, END, FIRST, LAST, QUARK, PATH, HOST };

/* Those of one host, from when they are first asked for. */
struct threads_of_host {
	struct histree_control_flow *flow; /* NULL: there is no history of the host */
	const struct histree_thread *threads;
	uint32_t count;
	histree_quark first; /* attribute of the history that stands for attribute 0 of the host */
};

struct threads_table {
	struct sql_table base;
	struct histree_history *history;
	struct threads_of_host *hosts; /* NULL: nobody asked yet */
	size_t host_count;
};

struct threads_cursor {
	sqlite3_vtab_cursor base;
	struct histree_selection selection; /* of nothing: it makes paths */
	size_t host;
	uint32_t row; /* of the host */
	sqlite3_int64 number;
};

static enum histree_status open_table(struct sql_table *base, const struct sql_module *module, const char *analysis,
				      char **declaration, struct histree_error *error)
{
	struct threads_table *table = (struct threads_table *)base;
	enum histree_status status = sql_store_history(base->store, analysis, &table->history, error);
	(void)module;
	if (status != HISTREE_OK)
		return status;
	*declaration = sqlite3_mprintf("CREATE TABLE x(tid INTEGER, life INTEGER, name TEXT, pid INTEGER, "
				       "ppid INTEGER, start INTEGER, \"end\" INTEGER, first INTEGER, "
				       "last INTEGER, quark INTEGER, path TEXT)");
	*declaration = sql_hosts_declare(table->history, *declaration);
	return HISTREE_OK;
}

static int connect(sqlite3 *db, void *module, int argument_count, const char *const *arguments, sqlite3_vtab **out,
		   char **message)
{
	return sql_table_connect(db, module, argument_count, arguments, sizeof(struct threads_table), open_table,
				 out, message);
}

static int disconnect(sqlite3_vtab *base)
{
	struct threads_table *table = (struct threads_table *)base;
	for (size_t i = 0; i < table->host_count; i++)
		histree_control_flow_free(table->hosts[i].flow);
	free(table->hosts);
	return sql_table_disconnect(base);
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = 1e4;
	info->estimatedRows = 1000;
	return SQLITE_OK;
}

/* ---- which there are ------------------------------------------------------------------------------------ */

static enum histree_status read_host(struct threads_table *table, struct threads_of_host *host,
				     struct histree_history *history, struct histree_error *error)
{
	const struct histree_cancel cancel = sql_connection_cancel(sql_store_connection(table->base.store));
	enum histree_status status = histree_control_flow_create(history, cancel, &host->flow, error);
	if (status == HISTREE_OK)
		host->threads = histree_control_flow_threads(host->flow, &host->count);
	return status;
}

/* The history is that of a moment, so that they are read once. */
static enum histree_status read_threads(struct threads_table *table, struct histree_error *error)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(table->history, &count);
	if (table->hosts != NULL)
		return HISTREE_OK;
	struct threads_of_host *read = calloc(hosts == NULL ? 1 : count + 1, sizeof(*read));
	enum histree_status status = HISTREE_OK;
	if (read == NULL)
		return error_memory(error, "the threads");
	if (hosts == NULL)
		status = read_host(table, &read[0], table->history, error);
	for (size_t i = 0; hosts != NULL && i < count && status == HISTREE_OK; i++) {
		read[i].first = hosts[i].folder + 1;
		if (hosts[i].history != NULL)
			status = read_host(table, &read[i], hosts[i].history, error);
	}
	table->hosts = read;
	table->host_count = hosts == NULL ? 1 : count;
	if (status == HISTREE_OK)
		return status;
	for (size_t i = 0; i < table->host_count; i++)
		histree_control_flow_free(read[i].flow);
	free(read);
	table->hosts = NULL;
	table->host_count = 0;
	return status;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

static enum histree_status begin_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor *cursor,
					struct histree_error *error)
{
	(void)error;
	histree_selection_begin(&((struct threads_cursor *)cursor)->selection,
				((struct threads_table *)table)->history);
	return HISTREE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
	return sql_cursor_open(table, out, sizeof(struct threads_cursor), begin_cursor);
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	histree_selection_release(&((struct threads_cursor *)base)->selection);
	free(base);
	return SQLITE_OK;
}

static const struct threads_of_host *host_of(const struct threads_cursor *cursor)
{
	return &((const struct threads_table *)cursor->base.pVtab)->hosts[cursor->host];
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct threads_cursor *)base)->host == ((struct threads_table *)base->pVtab)->host_count;
}

static void skip_hosts_without(struct threads_cursor *cursor)
{
	while (!is_at_end(&cursor->base) && cursor->row >= host_of(cursor)->count) {
		cursor->host++;
		cursor->row = 0;
	}
}

static int next(sqlite3_vtab_cursor *base)
{
	struct threads_cursor *cursor = (struct threads_cursor *)base;
	cursor->row++;
	cursor->number++;
	skip_hosts_without(cursor);
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argument_count,
		  sqlite3_value **arguments)
{
	struct threads_cursor *cursor = (struct threads_cursor *)base;
	struct histree_error error;
	(void)number;
	(void)plan;
	(void)argument_count;
	(void)arguments;
	if (read_threads((struct threads_table *)base->pVtab, &error) != HISTREE_OK)
		return sql_table_fail(base->pVtab, &error);
	cursor->host = cursor->row = 0;
	cursor->number = 0;
	skip_hosts_without(cursor);
	return SQLITE_OK;
}

/* A thread that never had a status has no first time, and no last one. */
static void result_seen(sqlite3_context *context, const struct histree_thread *thread, histree_time time)
{
	if (thread->first <= thread->last)
		sqlite3_result_int64(context, time);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct threads_cursor *cursor = (struct threads_cursor *)base;
	const struct threads_of_host *host = host_of(cursor);
	const struct histree_thread *thread = &host->threads[cursor->row];
	switch (number) {
	case TID:
		sqlite3_result_int(context, thread->tid);
		break;
	case LIFE:
		sqlite3_result_int(context, thread->life);
		break;
	case NAME:
		if (thread->name[0] != '\0') /* else NULL: it is not known */
			sqlite3_result_text(context, thread->name, -1, SQLITE_TRANSIENT);
		break;
	case PID:
		sqlite3_result_int(context, thread->pid);
		break;
	case PPID:
		if (thread->ppid >= 0)
			sqlite3_result_int(context, thread->ppid);
		break;
	case START:
		sqlite3_result_int64(context, thread->from);
		break;
	case END:
		sqlite3_result_int64(context, thread->to);
		break;
	case FIRST:
		result_seen(context, thread, thread->first);
		break;
	case LAST:
		result_seen(context, thread, thread->last);
		break;
	case QUARK:
		sqlite3_result_int64(context, host->first + thread->node);
		break;
	case PATH:
		sql_result_path(context, &cursor->selection, host->first + thread->node);
		break;
	case HOST:
		sql_hosts_result(context, ((struct threads_table *)base->pVtab)->history,
				 host->first + thread->node);
		break;
	default:
		break;
	}
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct threads_cursor *)base)->number;
	return SQLITE_OK;
}

const sqlite3_module sql_threads_module = SQL_TABLE_MODULE(disconnect, row_id);
