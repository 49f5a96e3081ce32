// SPDX-License-Identifier: MIT
/*
 * points.c - what SQL adds to the single query of the library: points STORE-OR-HISTORY [QUESTIONS]
 *
 * The same random attributes and times are asked of the library and of prepared statements, in turns of one
 * question each kind, so that all meet the same machine.  Prints the median of each, in ns, and whether all
 * answers were equal.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash_index.h"
#include "histree/states.h"
#include "sql/sql_extension.h"

enum { PATH_SIZE = 4096, QUESTIONS = 20000, TURN = 100 };

struct kind {
	const char *name, *text;
	bool by_path;
};

/* Parameters: the attribute, then the time. */
static const struct kind kinds[] = {
	{ "quark = ? and start <= t and end >= t",
	  "SELECT value FROM states WHERE quark = ?1 AND start <= ?2 AND \"end\" >= ?2", false },
	{ "path = ? and start <= t and end >= t",
	  "SELECT value FROM states WHERE path = ?1 AND start <= ?2 AND \"end\" >= ?2", true },
	{ "state_at(path, t)", "SELECT value FROM state_at(?1, ?2)", true },
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
	return (left > right) - (left < right);
}

static void fail(const char *what)
{
	fprintf(stderr, "points: %s\n", what);
	exit(1);
}

/* Of one turn: TURN questions. */
static int64_t ask_library(struct histree_cursor *query, const histree_quark *quarks, const int64_t *times,
			   int64_t *sum)
{
	struct histree_interval state;
	struct histree_error error;
	int64_t began = now_ns();
	for (int i = 0; i < TURN; i++) {
		if (histree_query_single(query, quarks[i], times[i], &state, &error) != HISTREE_OK)
			fail(error.message);
		if (state.value.type == HISTREE_INT)
			*sum += state.value.int32;
	}
	return now_ns() - began;
}

static int64_t ask_sql(sqlite3_stmt *statement, bool by_path, char (*paths)[PATH_SIZE], const histree_quark *quarks,
		       const int64_t *times, int64_t *sum)
{
	int64_t began = now_ns();
	for (int i = 0; i < TURN; i++) {
		if (by_path)
			sqlite3_bind_text(statement, 1, paths[i], -1, SQLITE_STATIC);
		else
			sqlite3_bind_int64(statement, 1, quarks[i]);
		sqlite3_bind_int64(statement, 2, times[i]);
		if (sqlite3_step(statement) != SQLITE_ROW)
			fail("a state is missing");
		if (sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
			*sum += sqlite3_column_int64(statement, 0);
		sqlite3_reset(statement);
	}
	return now_ns() - began;
}

int main(int argc, char **argv)
{
	static int64_t took[KINDS + 1][QUESTIONS];
	static char paths[TURN][PATH_SIZE];
	histree_quark quarks[TURN];
	int64_t times[TURN], sums[KINDS + 1] = { 0 };
	sqlite3_stmt *statements[KINDS];
	struct sql_connection *connection;
	struct sql_store *store;
	struct histree_history *history;
	struct histree_cursor *query;
	struct histree_error error;
	struct random random = { .state = 1 };
	sqlite3 *db;
	char *message = NULL;
	size_t turns = (argc > 2 ? strtoul(argv[2], NULL, 10) : QUESTIONS) / TURN;
	if (argc < 2 || turns == 0 || turns > QUESTIONS)
		fail("usage: points STORE-OR-HISTORY [QUESTIONS]");
	if (sqlite_load(NULL) != HISTREE_OK || sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    sql_extension_add(db, &connection) != SQLITE_OK ||
	    sql_attach(db, connection, argv[1], NULL, NULL, &message) != SQLITE_OK)
		fail(message == NULL ? sqlite3_errmsg(db) : message);
	if (sql_store_share(connection, argv[1], &store, &error) != HISTREE_OK ||
	    sql_store_history(store, "", &history, &error) != HISTREE_OK ||
	    histree_query_create(history, &query, &error) != HISTREE_OK)
		fail(error.message);
	for (size_t k = 0; k < KINDS; k++)
		if (sqlite3_prepare_v2(db, kinds[k].text, -1, &statements[k], NULL) != SQLITE_OK)
			fail(sqlite3_errmsg(db));
	const struct histree_history_info *info = histree_history_info(history);
	for (size_t turn = 0; turn < turns; turn++) {
		for (int i = 0; i < TURN; i++) {
			quarks[i] = (histree_quark)random_below(&random, info->attribute_count);
			times[i] = info->start +
				   (int64_t)random_below(&random, (uint64_t)(info->end - info->start) + 1);
			histree_attributes_path(histree_history_attributes(history), quarks[i], paths[i],
						PATH_SIZE);
		}
		int64_t ignored = 0;
		ask_library(query, quarks, times, &ignored); /* the nodes are there for all of them */
		took[0][turn] = ask_library(query, quarks, times, &sums[0]);
		for (size_t k = 0; k < KINDS; k++)
			took[k + 1][turn] =
				ask_sql(statements[k], kinds[k].by_path, paths, quarks, times, &sums[k + 1]);
	}
	for (size_t k = 0; k <= KINDS; k++) {
		qsort(took[k], turns, sizeof(**took), compare);
		printf("%-40s %8" PRId64 " ns%s\n", k == 0 ? "histree_query_single()" : kinds[k - 1].name,
		       took[k][turns / 2] / TURN, sums[k] == sums[0] ? "" : ", OTHER ANSWERS");
	}
	for (size_t k = 0; k < KINDS; k++)
		sqlite3_finalize(statements[k]);
	histree_cursor_free(query);
	sql_store_leave(store);
	sqlite3_close(db);
	return 0;
}
