// SPDX-License-Identifier: MIT
#include "shards/questions.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sql/sql_extension.h"

enum { PIXELS = 1228, CHOSEN = 8, ROW_HOSTS = 4 };

/* ---- opening ---------------------------------------------------------------------------------------------- */

static sqlite3_stmt *prepare(sqlite3 *db, const char *text)
{
	sqlite3_stmt *statement = NULL;
	if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) != SQLITE_OK) {
		fprintf(stderr, "shards: %s\n", sqlite3_errmsg(db));
		exit(1);
	}
	return statement;
}

static void open_sql(struct asked *asked, const char *path, size_t cache_bytes)
{
	struct sql_connection *connection;
	char *message = NULL;
	if (sqlite_load(NULL) != HISTREE_OK || sqlite3_open(":memory:", &asked->db) != SQLITE_OK ||
	    sql_extension_add(asked->db, &connection) != SQLITE_OK) {
		fprintf(stderr, "shards: SQLite cannot be opened\n");
		exit(1);
	}
	sql_connection_set_cache(connection, cache_bytes);
	if (sql_attach(asked->db, connection, path, NULL, NULL, &message) != SQLITE_OK) {
		fprintf(stderr, "shards: %s\n", message != NULL ? message : sqlite3_errmsg(asked->db));
		exit(1);
	}
	asked->single =
		prepare(asked->db, "SELECT value FROM states WHERE quark = ?1 AND start <= ?2 AND \"end\" >= ?2");
	asked->moment =
		prepare(asked->db, "SELECT count(*), sum(value) FROM states WHERE start <= ?2 AND \"end\" >= ?2");
	asked->range = prepare(asked->db, "SELECT count(*), sum(value) FROM states WHERE quark = ?1 AND "
					  "start <= ?3 AND \"end\" >= ?2");
}

void asked_open(struct asked *asked, const char *path, size_t cache_bytes, unsigned threads)
{
	const struct histree_open_options options = { .cache_bytes = cache_bytes };
	struct histree_error error;
	struct stat facts;
	*asked = (struct asked){ .hosts = 1 };
	if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
		check(histree_store_open(path, &asked->store, &error), &error);
		check(histree_store_history(asked->store, NULL, true, &options, &asked->history, &error), &error);
	} else {
		check(histree_history_open(path, &options, &asked->history, &error), &error);
	}
	asked->end = histree_history_info(asked->history)->end;
	check(histree_query_create(asked->history, &asked->query, &error), &error);
	check(histree_query_set_threads(asked->query, threads, &error), &error);
	check(histree_rows_create(asked->history, &asked->rows, &error), &error);
	open_sql(asked, path, cache_bytes);
}

void asked_place(struct asked *asked, histree_quark first, histree_quark each, uint32_t hosts)
{
	asked->first = first;
	asked->each = each;
	asked->hosts = hosts;
}

void asked_close(struct asked *asked)
{
	sqlite3_finalize(asked->single);
	sqlite3_finalize(asked->moment);
	sqlite3_finalize(asked->range);
	sqlite3_close(asked->db);
	histree_cursor_free(asked->rows);
	histree_cursor_free(asked->query);
	histree_history_close(asked->history);
	histree_store_close(asked->store);
}

/* ---- by the library --------------------------------------------------------------------------------------- */

static histree_quark some_quark(struct asked *asked)
{
	return asked->first + (histree_quark)random_below(&asked->random, asked->hosts) * asked->each +
	       (histree_quark)random_below(&asked->random, ATTRIBUTES);
}

static histree_time some_time(struct asked *asked, histree_time before_end)
{
	return (histree_time)random_below(&asked->random, (uint64_t)(asked->end - before_end));
}

static void count_nodes(struct asked *asked)
{
	struct histree_statistics stats = histree_cursor_statistics(asked->query);
	asked->visited += stats.nodes_visited;
	asked->loaded += stats.nodes_loaded;
}

static void read_all(struct asked *asked, const struct histree_region *region)
{
	struct histree_error error;
	size_t count;
	check(histree_query_start(asked->query, region, &error), &error);
	enum histree_status status;
	while ((status = histree_cursor_read(asked->query, 256, &count, &error)) == HISTREE_OK)
		asked->found += count;
	check(status, &error);
	count_nodes(asked);
}

static void ask_single(struct asked *asked)
{
	struct histree_interval interval;
	struct histree_error error;
	histree_quark quark = some_quark(asked);
	check(histree_query_single(asked->query, quark, some_time(asked, 0), &interval, &error), &error);
	asked->found++;
	count_nodes(asked);
}

static void ask_full(struct asked *asked)
{
	histree_time t = some_time(asked, 0);
	read_all(asked, &(struct histree_region){ .from = t, .to = t });
}

static void ask_range(struct asked *asked)
{
	histree_quark quark = some_quark(asked);
	histree_time length = asked->end / 10, t = some_time(asked, length);
	read_all(asked,
		 &(struct histree_region){ .quarks = &quark, .quark_count = 1, .from = t, .to = t + length });
}

/* Some attributes of each of the first hosts. */
static size_t choose(const struct asked *asked, histree_quark *quarks, size_t hosts)
{
	size_t count = 0;
	for (size_t i = 0; i < hosts; i++)
		for (size_t k = 0; k < CHOSEN; k++)
			quarks[count++] =
				asked->first + (histree_quark)(i * asked->each + k * (ATTRIBUTES / CHOSEN));
	return count;
}

static void ask_2d(struct asked *asked)
{
	static histree_quark quarks[HOSTS_MAX * CHOSEN];
	histree_time length = asked->end / 100, t = some_time(asked, length);
	size_t count = choose(asked, quarks, asked->hosts);
	read_all(asked,
		 &(struct histree_region){ .quarks = quarks, .quark_count = count, .from = t, .to = t + length });
}

static void ask_rows(struct asked *asked)
{
	static histree_quark quarks[ROW_HOSTS * CHOSEN];
	size_t count = choose(asked, quarks, asked->hosts < ROW_HOSTS ? asked->hosts : ROW_HOSTS);
	const struct histree_rows_request request = {
		.quarks = quarks, .quark_count = count, .from = 0, .to = asked->end, .pixels = PIXELS
	};
	struct histree_error error;
	enum histree_status status;
	check(histree_rows_start(asked->rows, &request, &error), &error);
	while ((status = histree_cursor_next(asked->rows, &error)) == HISTREE_OK)
		asked->found++;
	check(status, &error);
}

/* ---- in SQL ----------------------------------------------------------------------------------------------- */

static void run(struct asked *asked, sqlite3_stmt *statement, histree_quark quark, histree_time from,
		histree_time to)
{
	int code;
	sqlite3_bind_int64(statement, 1, quark);
	sqlite3_bind_int64(statement, 2, from);
	if (sqlite3_bind_parameter_count(statement) > 2)
		sqlite3_bind_int64(statement, 3, to);
	while ((code = sqlite3_step(statement)) == SQLITE_ROW)
		asked->found++;
	sqlite3_reset(statement);
	if (code != SQLITE_DONE) {
		fprintf(stderr, "shards: %s\n", sqlite3_errmsg(asked->db));
		exit(1);
	}
}

static void ask_sql_single(struct asked *asked)
{
	histree_quark quark = some_quark(asked);
	run(asked, asked->single, quark, some_time(asked, 0), 0);
}

static void ask_sql_moment(struct asked *asked)
{
	run(asked, asked->moment, 0, some_time(asked, 0), 0);
}

static void ask_sql_range(struct asked *asked)
{
	histree_quark quark = some_quark(asked);
	histree_time length = asked->end / 10, t = some_time(asked, length);
	run(asked, asked->range, quark, t, t + length);
}

const struct question questions[] = {
	{ "single", ask_single, 20000, false, true },    { "full", ask_full, 100, true, true },
	{ "range", ask_range, 1000, false, true },       { "2D", ask_2d, 20, false, true },
	{ "rows", ask_rows, 2, false, false },           { "sql-single", ask_sql_single, 5000, false, false },
	{ "sql-full", ask_sql_moment, 50, true, false }, { "sql-range", ask_sql_range, 500, false, false },
};
const size_t question_count = sizeof(questions) / sizeof(*questions);
