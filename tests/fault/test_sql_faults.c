// SPDX-License-Identifier: MIT
/*
 * test_sql_faults.c - SQL while memory is out: whichever request is refused, a statement gives its answer or an
 * error, the connection can be closed, and nothing leaks.  Only events may lack a stream: what reads traces passes
 * over what it cannot read, whatever the reason.
 */
#include "histree/build.h"
#include "sql/sql_extension.h"
#include "support/data.h"
#include "support/effort.h"
#include "support/faulty_memory.h"
#include "support/test.h"

/* One of each way in which a table allocates. */
static const char *const statements[] = {
	"SELECT count(*), count(path), max(label) FROM states WHERE path GLOB 'CPUs/*'",
	"SELECT path FROM attributes WHERE name = '0'",
	"SELECT path, start FROM states WHERE quark IN (1, 5, 9) ORDER BY start DESC LIMIT 3",
	"SELECT count(value) FROM state_at('Threads/*', histree_time('+10ms'))",
	"SELECT sum(ns) FROM time_in_state('CPUs/*', histree_time('+1ms'), histree_time('+2ms'))",
	"SELECT count(*) FROM rows('CPUs/*', histree_time('+1ms'), histree_time('+9ms'), 9)",
	"SELECT max(max) FROM numbers('CPUs/*', histree_time('+1ms'), histree_time('+9ms'))",
	"SELECT count(name), count(path) FROM threads",
	"SELECT max(ns), max(name) FROM cpu_usage(histree_time('+1ms'), histree_time('+2ms'))",
	"SELECT name, duration FROM system_calls WHERE name = 'rseq' ORDER BY duration DESC LIMIT 2",
	"SELECT count(*) FROM histogram('system_calls', histree_time('+1ms'), histree_time('+9ms'), 3, 'name')",
	("SELECT count(*) FROM interval_join('SELECT tid, start, end, 1 FROM system_calls LIMIT 9', "
	 "'SELECT tid, start, end, 2 FROM system_calls LIMIT 9')"),
	"SELECT stream, fields, contents FROM events LIMIT 2",
	"SELECT histree_warnings()",
};

struct world {
	char folder[64], store[96];
};

static int set_up(void **state)
{
	char trace[DATA_PATH_SIZE];
	struct world *world = calloc(1, sizeof(*world));
	struct histree_error error = { 0 };
	assert_non_null(world);
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->store, sizeof(world->store), "%s/s.histree", world->folder);
	const struct histree_build_options options = { .traces = (const char *[]){ source_path(
							       trace, "tests/data/demo-trace") },
						       .trace_count = 1,
						       .analyses = (const char *[]){ "kernel", "system-calls" },
						       .analysis_count = 2,
						       .store = world->store };
	if (histree_build(&options, &error) < 0)
		fail_msg("%s", error.message);
	*state = world;
	return 0;
}

/* Returns what the statement came to; a hash of its rows if it came to its end. */
static int run(sqlite3 *db, const char *text, uint64_t *hash)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(db, text, -1, &statement, NULL);
	*hash = 0;
	while (code == SQLITE_OK || code == SQLITE_ROW) {
		code = sqlite3_step(statement);
		for (int i = 0; code == SQLITE_ROW && i < sqlite3_column_count(statement); i++) {
			const char *cell = (const char *)sqlite3_column_text(statement, i);
			for (; cell != NULL && *cell != '\0'; cell++)
				*hash = *hash * 31 + (unsigned char)*cell;
		}
	}
	sqlite3_finalize(statement);
	return code;
}

/* Attach the store and run a statement.  Returns SQLITE_DONE, or the first error. */
static int session(const struct world *world, const char *text, uint64_t *hash)
{
	struct sql_connection *connection;
	char *message = NULL;
	sqlite3 *db;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	int code = sql_extension_add(db, &connection);
	if (code == SQLITE_OK)
		code = sql_attach(db, connection, world->store, NULL, NULL, &message);
	if (code == SQLITE_OK)
		code = run(db, text, hash);
	sqlite3_free(message);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return code;
}

TEST_WITH(a_refused_request_is_an_error_or_nothing, set_up, scratch_remove_world)
{
	const struct world *world = *state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++) {
		uint64_t wanted, got, failures = 0;
		assert_int_equal(session(world, statements[i], &wanted), SQLITE_DONE);
		uint64_t step = test_effort(1, 7);
		for (uint64_t n = 1 + i % step;; n += step) {
			faulty_memory_begin(n, false);
			int code = session(world, statements[i], &got);
			bool refused = faulty_memory.refused;
			faulty_memory_end();
			if (!refused)
				break;
			failures += code != SQLITE_DONE;
			if (code == SQLITE_DONE && got != wanted && strstr(statements[i], "FROM events") == NULL)
				fail_msg("%s: another answer without request %llu", statements[i],
					 (unsigned long long)n);
		}
		assert_true(failures > 0);
	}
}

static int load_sqlite(void **state)
{
	(void)state;
	return sqlite_load(NULL) == HISTREE_OK ? 0 : -1;
}

TEST_FILE(load_sqlite, NULL)
