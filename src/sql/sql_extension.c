// SPDX-License-Identifier: MIT
/*
 * sql_extension.c - what histree adds to a connection of SQLite: a module for each relation, functions, and the
 * tables of a store that is attached.
 *
 * The tables of a store are created by SQL: virtual tables, and ordinary ones for small contents.
 */
#include "sql/sql_extension.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "histree/status.h"
#include "histree/store.h"
#include "sql/sql_statement.h"
#include "sql/sql_store.h"

/* ---- sql attach ---------------------------------------------------------------------------------------------- */

/* A statement on its way: SQL that is made of parts, and run. */
struct attaching {
	sqlite3 *db;
	const char *path, *schema;
	const char *analysis; /* of the tables without a suffix; "": the default */
	struct sql_store *store;
	const struct histree_store_info *info;
	const struct histree_events *events; /* NULL: there is no index of them */
	char **message;
};

static int attach_run(const struct attaching *attaching, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	int code = text == NULL ? SQLITE_NOMEM : sqlite3_exec(attaching->db, text, NULL, NULL, attaching->message);
	sqlite3_free(text);
	return code;
}

/* Analyses have names such as "system-calls"; tables can be named without quotes. */
static char *table_name(const char *before, const char *analysis)
{
	char *name = sqlite3_mprintf("%s%s", before, analysis);
	for (char *at = name; at != NULL && *at != '\0'; at++)
		*at = *at == '-' ? '_' : *at;
	return name;
}

static int attach_make_table(const struct attaching *attaching, const char *before, const char *analysis,
			     const char *module, const char *argument)
{
	char *name = table_name(before, analysis);
	int code = name == NULL
			   ? SQLITE_NOMEM
			   : attach_run(attaching, "CREATE VIRTUAL TABLE \"%w\".\"%w\" USING histree_%s(%Q, %Q)",
					attaching->schema, name, module, attaching->path, argument);
	sqlite3_free(name);
	return code;
}

/*
 * A table that an analysis gives its name.  Any name will do for an analysis, but not for a table: there may be one
 * already, or SQLite keeps it for itself, as it does all that begin with "sqlite_".
 */
static int make_named(const struct attaching *attaching, const char *before, const char *analysis,
		      const char *module)
{
	char prefix[32], *ignored = NULL;
	struct attaching quiet = *attaching;
	quiet.message = &ignored;
	int code = attach_make_table(&quiet, before, analysis, module, analysis);
	sqlite3_free(ignored);
	if (code != SQLITE_ERROR)
		return code;
	snprintf(prefix, sizeof(prefix), "analysis_%s", before);
	return attach_make_table(attaching, prefix, analysis, module, analysis);
}

/* Tables of one history, without a suffix. */
static int make_tables_of_one(const struct attaching *attaching)
{
	static const char *const kinds[] = { "attributes", "states",  "state_at", "states_in", "state_sums",
					     "rows",       "numbers", "threads",  "time_use" };
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(kinds) / sizeof(*kinds); i++)
		code = attach_make_table(attaching, "", kinds[i], kinds[i], attaching->analysis);
	return code;
}

/* After the tables that have names of ours. */
static int make_tables_by_name(const struct attaching *attaching)
{
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < attaching->info->history_count; i++) {
		const char *analysis = attaching->info->histories[i].analysis;
		code = make_named(attaching, "attributes_", analysis, "attributes");
		if (code == SQLITE_OK)
			code = make_named(attaching, "states_", analysis, "states");
	}
	for (size_t i = 0; code == SQLITE_OK && i < attaching->info->segments_count; i++)
		code = make_named(attaching, "", attaching->info->segments[i].analysis, "segments");
	return code;
}

static int make_statement_tables(const struct attaching *attaching)
{
	int code = SQLITE_OK;

	/* Whether the history of the tables without a suffix is of several hosts. */
	struct histree_history *history;
	struct histree_error error;
	size_t count;
	bool has_hosts = attaching->info->history_count > 0 &&
			 sql_store_history(attaching->store, attaching->analysis, &history, &error) == HISTREE_OK &&
			 histree_history_hosts(history, &count) != NULL;

	for (const struct sql_statement *kind = sql_statements; code == SQLITE_OK && kind->text != NULL; kind++)
		if ((kind->takes_statements || attaching->info->history_count > 0) &&
		    !(has_hosts ? kind->is_of_one : kind->is_of_hosts))
			code = attach_run(
				attaching, "CREATE VIRTUAL TABLE \"%w\".%s USING histree_%s", attaching->schema,
				kind->table != NULL ? kind->table : kind->relation.name, kind->relation.name);
	return code;
}

/* ---- what is small ------------------------------------------------------------------------------------ */

static int say(const struct attaching *attaching, const char *name, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *value = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	int code = value == NULL ? SQLITE_NOMEM
				 : attach_run(attaching, "INSERT INTO \"%w\".info VALUES(%Q, %s)",
					      attaching->schema, name, value);
	sqlite3_free(value);
	return code;
}

static int make_info(const struct attaching *attaching)
{
	const struct histree_store_info *info = attaching->info;
	int code = attach_run(attaching, "CREATE TABLE \"%w\".info(name TEXT, value)", attaching->schema);
	if (code == SQLITE_OK)
		code = say(attaching, "store", "%Q", info->path);
	if (code == SQLITE_OK)
		code = say(attaching, "made_by", "%Q", info->made_by);
	for (size_t i = 0; code == SQLITE_OK && i < info->trace_count; i++)
		code = say(attaching, "trace", "%Q", info->traces[i]);
	const struct {
		const char *name;
		long long value;
	} numbers[] = {
		{ "start", info->start },
		{ "end", info->end },
		{ "complete", info->complete },
		{ "events", (long long)info->event_count },
		{ "discarded_events", (long long)info->discarded_events },
		{ "discarded_packets", (long long)info->discarded_packets },
		{ "gaps", (long long)info->gap_count },
		{ "clock_steps_back", (long long)info->clock_steps_back },
	};
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(numbers) / sizeof(*numbers); i++)
		code = say(attaching, numbers[i].name, "%lld", numbers[i].value);
	for (size_t i = 0; code == SQLITE_OK && i < info->warning_count; i++)
		code = say(attaching, "warning", "%Q", info->warnings[i]);
	return code;
}

static int make_analyses(const struct attaching *attaching)
{
	const struct histree_store_info *info = attaching->info;
	int code = attach_run(attaching,
			      "CREATE TABLE \"%w\".analyses(name TEXT, version INTEGER, kind TEXT, file TEXT)",
			      attaching->schema);
	for (size_t i = 0; code == SQLITE_OK && i < info->history_count; i++)
		code = attach_run(attaching, "INSERT INTO \"%w\".analyses VALUES(%Q, %u, 'states', %Q)",
				  attaching->schema, info->histories[i].analysis,
				  info->histories[i].analysis_version, info->histories[i].file);
	for (size_t i = 0; code == SQLITE_OK && i < info->segments_count; i++)
		code = attach_run(attaching, "INSERT INTO \"%w\".analyses VALUES(%Q, %u, 'segments', %Q)",
				  attaching->schema, info->segments[i].analysis, info->segments[i].analysis_version,
				  info->segments[i].file);
	return code;
}

static void bind_host(sqlite3_stmt *statement, const struct histree_store_info *info, size_t index)
{
	const struct histree_store_host *host = &info->hosts[index];
	const char *neighbour = host->neighbour != index ? info->hosts[host->neighbour].name : NULL;
	sqlite3_clear_bindings(statement); /* what is not bound is NULL */
	sqlite3_bind_text(statement, 1, host->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, host->folder, -1, SQLITE_STATIC);
	if (host->start <= host->end) {
		sqlite3_bind_int64(statement, 3, host->start);
		sqlite3_bind_int64(statement, 4, host->end);
	}
	sqlite3_bind_int64(statement, 5, (sqlite3_int64)host->event_count);
	if (host->clock != NULL) {
		sqlite3_bind_text(statement, 6, histree_clock_quality_name(host->clock->quality), -1,
				  SQLITE_STATIC);
		sqlite3_bind_double(statement, 7, histree_clock_slope(host->clock));
		sqlite3_bind_double(statement, 8, histree_clock_offset(host->clock));
		if (isfinite(host->clock->error))
			sqlite3_bind_double(statement, 9, host->clock->error);
		sqlite3_bind_text(statement, 10, neighbour, -1, SQLITE_STATIC);
	}
	sqlite3_bind_text(statement, 11, host->why, -1, SQLITE_STATIC);
}

/* For a store of one host the table is empty, so that statements work for both. */
static int make_hosts(const struct attaching *attaching)
{
	sqlite3_stmt *statement = NULL;
	int code = attach_run(
		attaching,
		"CREATE TABLE \"%w\".hosts(name TEXT, folder TEXT, start INTEGER, \"end\" INTEGER, events "
		"INTEGER, clock TEXT, slope REAL, offset REAL, error REAL, neighbour TEXT, missing TEXT)",
		attaching->schema);
	char *text = sqlite3_mprintf("INSERT INTO \"%w\".hosts VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				     attaching->schema);
	if (code == SQLITE_OK)
		code = text == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(attaching->db, text, -1, &statement, NULL);
	sqlite3_free(text);
	for (size_t i = 0; code == SQLITE_OK && i < attaching->info->host_count; i++) {
		bind_host(statement, attaching->info, i);
		sqlite3_step(statement);
		code = sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	return code;
}

static int make_gaps(const struct attaching *attaching)
{
	size_t count = 0, host_count = 0;
	const struct histree_gap *gaps =
		attaching->events == NULL ? NULL : histree_events_gaps(attaching->events, &count);
	const struct histree_event_host *hosts =
		attaching->events == NULL ? NULL : histree_events_hosts(attaching->events, &host_count);
	sqlite3_stmt *statement = NULL;
	int code = attach_run(
		attaching,
		"CREATE TABLE \"%w\".gaps(start INTEGER, \"end\" INTEGER, cpu INTEGER, events INTEGER%s)",
		attaching->schema, hosts != NULL ? ", host TEXT" : "");
	char *text = sqlite3_mprintf("INSERT INTO \"%w\".gaps VALUES(?, ?, nullif(?, -1), ?%s)", attaching->schema,
				     hosts != NULL ? ", ?" : "");
	if (code == SQLITE_OK)
		code = text == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(attaching->db, text, -1, &statement, NULL);
	sqlite3_free(text);
	for (size_t i = 0; code == SQLITE_OK && i < count; i++) {
		sqlite3_bind_int64(statement, 1, gaps[i].from);
		sqlite3_bind_int64(statement, 2, gaps[i].to);
		sqlite3_bind_int(statement, 3, gaps[i].cpu);
		sqlite3_bind_int64(statement, 4, (sqlite3_int64)gaps[i].events);
		if (hosts != NULL)
			sqlite3_bind_text(statement, 5, hosts[gaps[i].host].name, -1, SQLITE_STATIC);
		sqlite3_step(statement);
		code = sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	return code;
}

/* ---- views ------------------------------------------------------------------------------------------- */

/*
 * What people know from Perfetto, of a store of one host: a view is what its parts say together whose analysis the
 * store has.  A thread is its row and which thread of that row it is; a track is the number of a thread, and for
 * spans of its process.  A number that was used again has the track of its last thread.  What is small and joined
 * by its number is MATERIALIZED, which SQLite makes an index for.
 */
#define UTID "quark + (life << 32) AS utid"
static const struct {
	const char *view, *analysis; /* NULL: any */
	const char *select;
} view_parts[] = {
	{ "thread", NULL,
	  "WITH few AS MATERIALIZED (SELECT " UTID ", tid, name, first AS start_ts, last AS end_ts, pid AS upid, "
	  "tid = pid AS is_main_thread FROM threads) SELECT * FROM few" },
	{ "process", NULL,
	  "WITH few AS MATERIALIZED (SELECT pid AS upid, pid, coalesce(max(name) FILTER (WHERE tid = pid), "
	  "min(name)) AS name, min(first) AS start_ts, max(last) AS end_ts, max(ppid) FILTER (WHERE tid = pid) "
	  "AS parent_upid FROM threads WHERE pid IS NOT NULL GROUP BY pid) SELECT * FROM few" },
	{ "thread_track", NULL,
	  "WITH few AS MATERIALIZED (SELECT tid AS id, max(quark + (life << 32)) AS utid FROM threads GROUP BY tid "
	  "UNION ALL SELECT tid + (pid << 32), max(quark + (life << 32)) FROM threads WHERE pid > 0 GROUP BY tid, "
	  "pid) SELECT * FROM few" },
	{ "thread_state", "kernel",
	  "SELECT s.start AS ts, s.duration AS dur, CASE WHEN s.value IN (2, 3, 4) THEN (SELECT c.value FROM "
	  "states_kernel c WHERE c.path = t.path || '/Current_cpu_rq' AND c.start <= s.start AND c.\"end\" >= "
	  "s.start) "
	  "END AS cpu, t." UTID ", CASE s.value WHEN 1 THEN 'S' WHEN 5 THEN 'R' WHEN 2 THEN 'Running' "
	  "WHEN 3 THEN 'Running' WHEN 4 THEN 'Running' END AS state FROM threads t JOIN states_kernel s "
	  "ON s.quark = t.quark AND s.start BETWEEN t.start AND t.\"end\" WHERE t.tid > 0 AND s.type = 'int'" },
	{ "sched", "kernel",
	  "WITH t AS MATERIALIZED (SELECT tid, start, \"end\", " UTID " FROM threads) "
	  "SELECT s.start AS ts, s.duration AS dur, CAST(substr(s.path, 6) AS INTEGER) AS cpu, t.utid "
	  "FROM states_kernel s JOIN t ON t.tid = s.value AND s.start BETWEEN t.start AND t.\"end\" "
	  "WHERE s.path GLOB 'CPUs/*/Current_thread' AND s.value > 0" },
	{ "slice", "system-calls",
	  "SELECT start AS ts, duration AS dur, +tid AS track_id, 'syscall' AS category, 'sys_' || name AS name, "
	  "0 AS depth FROM system_calls" },
	{ "slice", "track-spans",
	  "SELECT start AS ts, duration AS dur, tid + (coalesce(pid, 0) << 32) AS track_id, category, name, "
	  "depth - 1 AS depth FROM track_spans" },
	{ "counter", "kernel",
	  "SELECT start AS ts, value, quark AS track_id FROM states_kernel WHERE path GLOB 'CPUs/*/Frequency' AND "
	  "value IS NOT NULL" },
	{ "counter", "counters",
	  "SELECT start AS ts, value, quark + (1 << 32) AS track_id FROM states_counters WHERE value IS NOT NULL" },
	{ "counter", "tracks",
	  "SELECT start AS ts, value, quark + (2 << 32) AS track_id FROM states_tracks WHERE path GLOB "
	  "'*Counters/*' "
	  "AND value IS NOT NULL" },
	{ "counter_track", "kernel",
	  "SELECT quark AS id, 'cpufreq' AS name, path, CAST(substr(path, 6) AS INTEGER) AS cpu FROM "
	  "attributes_kernel WHERE path GLOB 'CPUs/*/Frequency'" },
	{ "counter_track", "counters",
	  "SELECT quark + (1 << 32) AS id, name, path, NULL AS cpu FROM attributes_counters" },
	{ "counter_track", "tracks",
	  "SELECT quark + (2 << 32) AS id, name, path, NULL AS cpu FROM attributes_tracks WHERE path GLOB "
	  "'*Counters/*'" },
};
#undef UTID

static bool has_analysis(const struct histree_store_info *info, const char *name)
{
	bool found = name == NULL;
	for (size_t i = 0; i < info->history_count; i++)
		found = found || strcmp(info->histories[i].analysis, name) == 0;
	for (size_t i = 0; i < info->segments_count; i++)
		found = found || strcmp(info->segments[i].analysis, name) == 0;
	return found;
}

/* A view whose name an analysis has taken is left out. */
static int make_views(const struct attaching *attaching)
{
	const size_t count = attaching->info->history_count > 0 && attaching->info->host_count == 0
				     ? sizeof(view_parts) / sizeof(*view_parts)
				     : 0;
	char *ignored = NULL;
	struct attaching quiet = *attaching;
	quiet.message = &ignored;
	int code = SQLITE_OK;
	for (size_t i = 0, next; i < count && code == SQLITE_OK; i = next) {
		char *text = NULL;
		for (next = i; next < count && strcmp(view_parts[next].view, view_parts[i].view) == 0; next++)
			if (code == SQLITE_OK && has_analysis(attaching->info, view_parts[next].analysis)) {
				char *longer =
					sqlite3_mprintf("%s%s%s", text != NULL ? text : "",
							text != NULL ? " UNION ALL " : "", view_parts[next].select);
				sqlite3_free(text);
				text = longer;
				code = text != NULL ? SQLITE_OK : SQLITE_NOMEM;
			}
		if (text != NULL)
			code = attach_run(&quiet, "CREATE VIEW \"%w\".%s AS %s", attaching->schema,
					  view_parts[i].view, text);
		code = code == SQLITE_ERROR ? SQLITE_OK : code;
		sqlite3_free(ignored);
		ignored = NULL;
		sqlite3_free(text);
	}
	return code;
}

/* ---- all of it ---------------------------------------------------------------------------------------- */

static int make_tables(const struct attaching *attaching)
{
	const struct histree_store_info *info = attaching->info;
	int code = info->history_count > 0 ? make_tables_of_one(attaching) : SQLITE_OK;
	if (code == SQLITE_OK && attaching->events != NULL)
		code = attach_make_table(attaching, "", "events", "events", "");
	if (code == SQLITE_OK && (attaching->events != NULL || info->segments_count > 0))
		code = attach_make_table(attaching, "", "histogram", "histogram", "");
	if (code == SQLITE_OK)
		code = make_statement_tables(attaching);
	if (code == SQLITE_OK)
		code = make_info(attaching);
	if (code == SQLITE_OK)
		code = make_analyses(attaching);
	if (code == SQLITE_OK)
		code = make_hosts(attaching);
	if (code == SQLITE_OK)
		code = make_gaps(attaching);
	if (code == SQLITE_OK)
		code = make_tables_by_name(attaching);
	return code == SQLITE_OK ? make_views(attaching) : code;
}

/*
 * Each history in a schema of its own, where its tables need no suffix either.  What has no room, or a name that is
 * taken, has its tables with a suffix as always: that is no error.
 */
static int make_schemas(const struct attaching *attaching)
{
	int code = SQLITE_OK;
	for (size_t i = 0;
	     code == SQLITE_OK && attaching->info->history_count > 1 && i < attaching->info->history_count; i++) {
		char *ignored = NULL, *name = table_name("", attaching->info->histories[i].analysis);
		struct attaching one = *attaching;
		one.schema = name;
		one.analysis = attaching->info->histories[i].analysis;
		one.message = &ignored;
		code = name == NULL ? SQLITE_NOMEM : SQLITE_OK;
		if (code == SQLITE_OK && attach_run(&one, "ATTACH ':memory:' AS \"%w\"", name) == SQLITE_OK) {
			one.message = attaching->message;
			code = make_tables_of_one(&one);
			if (code == SQLITE_OK)
				code = make_statement_tables(&one);
		}
		sqlite3_free(ignored);
		sqlite3_free(name);
	}
	return code;
}

/* What was made for nothing.  The message of the failure stays. */
static void forget_schema(const struct attaching *attaching)
{
	char *ignored = NULL;
	struct attaching quiet = *attaching;
	quiet.message = &ignored;
	attach_run(&quiet, "DETACH \"%w\"", attaching->schema);
	sqlite3_free(ignored);
}

int sql_attach(sqlite3 *db, struct sql_connection *connection, const char *path, const char *schema,
	       const char *analysis, char **message)
{
	struct histree_error error;
	struct histree_events *events = NULL;
	struct sql_store *store;
	*message = NULL;
	if (sql_store_share(connection, path, &store, &error) != HISTREE_OK) {
		*message = sqlite3_mprintf("%s", error.message);
		return SQLITE_ERROR;
	}
	/*
	 * A store may have no index of events, and one that cannot be read must not hinder questions about the
	 * rest.
	 */
	enum histree_status status = sql_store_events(store, &events, &error);
	if (status == HISTREE_ERR_MEMORY) {
		sql_store_leave(store);
		return SQLITE_NOMEM;
	}
	if (status != HISTREE_OK) {
		events = NULL;
		if (status != HISTREE_NOT_FOUND)
			sql_connection_warn(connection, "there is no table of events: %s", error.message);
	}
	const struct attaching attaching = {
		.db = db,
		.path = path,
		.schema = schema == NULL ? "temp" : schema,
		.analysis = analysis == NULL ? "" : analysis,
		.store = store,
		.info = sql_store_info(store),
		.events = events,
		.message = message,
	};
	int code = schema == NULL ? SQLITE_OK : attach_run(&attaching, "ATTACH ':memory:' AS \"%w\"", schema);
	bool has_schema = code == SQLITE_OK;
	if (code == SQLITE_OK)
		code = make_tables(&attaching);
	if (code == SQLITE_OK && schema == NULL)
		code = make_schemas(&attaching);
	if (code != SQLITE_OK && schema != NULL && has_schema)
		forget_schema(&attaching);
	if (code != SQLITE_OK && schema == NULL && *message != NULL && strstr(*message, "already exists") != NULL) {
		char *longer = sqlite3_mprintf(
			"%s: a store that was attached before has it; histree_attach(PATH, 'NAME') makes "
			"the tables of another one in a schema of that name",
			*message);
		if (longer != NULL) {
			sqlite3_free(*message);
			*message = longer;
		}
	}
	sql_store_leave(store);
	return code;
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static void attach_store(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct sql_connection *connection = sqlite3_user_data(context);
	const char *path = (const char *)sqlite3_value_text(values[0]);
	const char *schema = count > 1 ? (const char *)sqlite3_value_text(values[1]) : NULL;
	const char *analysis = count > 2 ? (const char *)sqlite3_value_text(values[2]) : NULL;
	char *message = NULL;
	if (path == NULL) {
		sqlite3_result_error(context, "histree_attach() needs the path of a store", -1);
		return;
	}
	int code = sql_attach(sqlite3_context_db_handle(context), connection, path, schema, analysis, &message);
	if (code == SQLITE_OK)
		sqlite3_result_value(context, values[0]);
	else if (message != NULL)
		sqlite3_result_error(context, message, -1);
	else
		sqlite3_result_error_code(context, code);
	sqlite3_free(message);
}

static void read_time(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct sql_store *store = sql_connection_first(sqlite3_user_data(context));
	const char *text = (const char *)sqlite3_value_text(values[0]);
	int64_t time;
	(void)count;
	if (store == NULL) {
		sqlite3_result_error(context, "no store is attached; histree_attach(PATH) does it", -1);
		return;
	}
	const struct histree_store_info *info = sql_store_info(store);
	if (text != NULL && time_parse(text, info->start, info->end, &time))
		sqlite3_result_int64(context, time);
}

/* Puts a number of nanoseconds into words. */
static void result_words(sqlite3_context *context, sqlite3_value *value, size_t (*format)(int64_t ns, char *text))
{
	char text[TIME_TEXT_SIZE];
	if (sqlite3_value_numeric_type(value) == SQLITE_INTEGER)
		sqlite3_result_text(context, text, (int)format(sqlite3_value_int64(value), text), SQLITE_TRANSIENT);
}

static size_t format_duration(int64_t ns, char *text)
{
	return ns < 0 ? 0 : time_format_duration((uint64_t)ns, text);
}

static void clock_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	result_words(context, values[0], time_format_clock);
}

static void date_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	result_words(context, values[0], time_format_date);
}

static void duration_text(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	result_words(context, values[0], format_duration);
}

static void cache(sqlite3_context *context, int count, sqlite3_value **values)
{
	sqlite3_int64 bytes = sqlite3_value_int64(values[0]);
	(void)count;
	if (bytes < 0)
		sqlite3_result_error(context, "a cache has a number of bytes", -1);
	else
		sql_connection_set_cache(sqlite3_user_data(context), (size_t)bytes);
}

static void warnings(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	(void)values;
	char *text = sql_connection_take_warnings(sqlite3_user_data(context));
	if (text != NULL)
		sqlite3_result_text(context, text, -1, sqlite3_free);
}

/*
 * What changes the connection, or opens files, is for statements only, not for the triggers and views of a
 * database.
 */
static const struct {
	const char *name;
	int arguments, flags;
	void (*call)(sqlite3_context *context, int count, sqlite3_value **values);
} functions[] = {
	{ "histree_attach", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, attach_store },
	{ "histree_attach", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, attach_store },
	{ "histree_attach", 3, SQLITE_UTF8 | SQLITE_DIRECTONLY, attach_store },
	{ "histree_time", 1, SQLITE_UTF8, read_time },
	{ "histree_clock", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, clock_text },
	{ "histree_date", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, date_text },
	{ "histree_duration", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, duration_text },
	{ "histree_cache", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, cache },
	{ "histree_warnings", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, warnings },
};

static int add_functions(sqlite3 *db, struct sql_connection *connection)
{
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(functions) / sizeof(*functions); i++)
		code = sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments, functions[i].flags,
						  sql_connection_share(connection), functions[i].call, NULL, NULL,
						  sql_connection_leave);
	return code;
}

/* ---- modules ------------------------------------------------------------------------------------------- */

static void forget_module(void *data)
{
	struct sql_module *module = data;
	sql_connection_leave(module->connection);
	free(module);
}

static int add_module(sqlite3 *db, struct sql_connection *connection, const struct sql_relation *relation)
{
	struct sql_module *module = malloc(sizeof(*module));
	char *name = sqlite3_mprintf("histree_%s", relation->name);
	int code = SQLITE_NOMEM;
	if (module != NULL && name != NULL) {
		*module =
			(struct sql_module){ .connection = sql_connection_share(connection), .relation = relation };
		code = sqlite3_create_module_v2(db, name, &sql_module, module, forget_module);
	} else {
		free(module);
	}
	sqlite3_free(name);
	return code;
}

static const struct sql_relation *const relations[] = {
	&sql_attributes, &sql_states,  &sql_state_at, &sql_states_in, &sql_state_sums, &sql_rows,
	&sql_numbers,    &sql_threads, &sql_time_use, &sql_histogram, &sql_segments,   &sql_events,
};

int sql_extension_add(sqlite3 *db, struct sql_connection **out)
{
	struct sql_connection *connection = sql_connection_create();
	if (connection == NULL)
		return SQLITE_NOMEM;
	int code = SQLITE_OK;
	for (size_t i = 0; code == SQLITE_OK && i < sizeof(relations) / sizeof(*relations); i++)
		code = add_module(db, connection, relations[i]);
	for (const struct sql_statement *each = sql_statements; code == SQLITE_OK && each->text != NULL; each++)
		code = add_module(db, connection, &each->relation);
	if (code == SQLITE_OK)
		code = add_functions(db, connection);
	*out = code == SQLITE_OK ? connection : NULL;
	sql_connection_leave(connection);
	return code;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; name != NULL && *names != NULL; names++)
		if (sqlite3_stricmp(name, *names) == 0)
			return true;
	return false;
}

/* Tables that are read from the trace, which the store names. */
static const char *of_events[] = { "events", "event_fields", NULL };

/* What SQLite lists, as pragmas and as tables that are called pragma_NAME. */
static const char *const listing[] = { "table_list",    "table_info",  "table_xinfo", "function_list",
				       "database_list", "module_list", NULL };

/* Whether a statement may do something; `denied` are tables that it may not read. */
static int may_look(void *denied, int action, const char *first, const char *second, const char *schema,
		    const char *trigger)
{
	static const char *const opening[] = { "histree_attach", "histree_cache", "load_extension", NULL };
	(void)schema;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_READ:
		return denied != NULL && is_one_of(first, denied) ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_one_of(second, opening) ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return is_one_of(first, listing) ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

void sql_extension_only_look(sqlite3 *db, bool with_events)
{
	/* SQLite declares these tables when they are first read, as if it created them. */
	for (const char *const *name = listing; *name != NULL; name++) {
		char text[64];
		sqlite3_snprintf(sizeof(text), text, "SELECT 1 FROM pragma_%s LIMIT 0", *name);
		sqlite3_exec(db, text, NULL, NULL, NULL);
	}
	sqlite3_set_authorizer(db, may_look, with_events ? NULL : (void *)of_events);
}

/* The entry point; SQLite looks for the second name where none is given. */
HISTREE_API int sqlite3_histree_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

HISTREE_API int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

int sqlite3_histree_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	struct sql_connection *connection;
	(void)message;
	sqlite3_api = api;
	return sql_extension_add(db, &connection);
}

int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	return sqlite3_histree_init(db, message, api);
}
