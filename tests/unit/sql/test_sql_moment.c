// SPDX-License-Identifier: MIT
/*
 * test_sql_moment.c - statements while things happen: a history that grows, which each connection sees as it was
 * when it attached it; statements that would run for ever, which are stopped.
 */
#include "histree/history.h"
#include "sql/sql_extension.h"
#include "support/data.h"
#include "support/files.h"
#include "support/test.h"

enum { ATTRIBUTES = 5, STEPS = 2000, STEP = 10 };

struct world {
	char folder[64], path[96];
	struct histree_state_system *system;
	struct histree_error error;
	int64_t now;
};

struct client {
	sqlite3 *db;
	struct sql_connection *connection;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	assert_non_null(world);
	scratch_folder(world->folder, sizeof(world->folder));
	snprintf(world->path, sizeof(world->path), "%s/h.sht", world->folder);
	const struct histree_history_options options = { .path = world->path,
							 .provider = "test",
							 .tree = { .variant = "cluster", .node_size = 4096 } };
	assert_ok(histree_state_create(&options, &world->system, &world->error));
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;
	histree_state_free(world->system);
	remove_all("%s", world->folder);
	free(world);
	return 0;
}

/* Each attribute changes at each step. */
static void grow(struct world *world)
{
	for (int step = 0; step < STEPS; step++, world->now += STEP)
		for (int i = 0; i < ATTRIBUTES; i++) {
			char name[16];
			histree_quark quark;
			snprintf(name, sizeof(name), "a%d", i);
			assert_ok(
				histree_state_attribute(world->system, HISTREE_ROOT, name, &quark, &world->error));
			assert_ok(histree_state_modify(world->system, world->now, quark,
						       histree_int((step + i) % 7), &world->error));
		}
}

static void publish(struct world *world)
{
	assert_ok(histree_state_publish(world->system, world->now - 1, &world->error));
}

static struct client attach(const struct world *world)
{
	struct client client;
	char *message;
	assert_int_equal(sqlite3_open(":memory:", &client.db), SQLITE_OK);
	assert_int_equal(sql_extension_add(client.db, &client.connection), SQLITE_OK);
	assert_int_equal(sql_attach(client.db, client.connection, world->path, NULL, NULL, &message), SQLITE_OK);
	return client;
}

static sqlite3_int64 ask(const struct client *client, const char *text)
{
	sqlite3_stmt *statement;
	if (sqlite3_prepare_v2(client->db, text, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(client->db));
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	sqlite3_int64 answer = sqlite3_column_int64(statement, 0);
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	return answer;
}

TEST_WITH(a_statement_sees_one_moment, set_up, tear_down)
{
	struct world *world = *state;
	sqlite3_stmt *statement;
	grow(world);
	publish(world);
	struct client early = attach(world);
	assert_int_equal(ask(&early, "SELECT count(*) FROM states"), ATTRIBUTES * STEPS);
	assert_int_equal(ask(&early, "SELECT value FROM info WHERE name = 'complete'"), 0);
	/* In the middle of one, the history grows. */
	int rows = 0;
	assert_int_equal(sqlite3_prepare_v2(early.db, "SELECT \"end\" FROM states", -1, &statement, NULL),
			 SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		assert_true(sqlite3_column_int64(statement, 0) < (sqlite3_int64)STEPS * STEP);
		if (++rows == 100) {
			grow(world);
			publish(world);
		}
	}
	assert_int_equal(rows, ATTRIBUTES * STEPS);
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	/* Whoever comes later sees more; the early one goes on with what it has, also when the history is done. */
	struct client late = attach(world);
	assert_int_equal(ask(&late, "SELECT count(*) FROM states"), 2 * ATTRIBUTES * STEPS);
	assert_ok(histree_state_close(world->system, world->now - 1, &world->error));
	assert_int_equal(ask(&early, "SELECT count(*) FROM states"), ATTRIBUTES * STEPS);
	assert_int_equal(ask(&early, "SELECT max(\"end\") FROM states"), STEPS * STEP - 1);
	assert_int_equal(ask(&late, "SELECT max(\"end\") FROM states"), 2 * STEPS * STEP - 1);
	assert_int_equal(sqlite3_close(early.db), SQLITE_OK);
	assert_int_equal(sqlite3_close(late.db), SQLITE_OK);
}

/* ---- statements without end --------------------------------------------------------------------------- */

struct stopping {
	sqlite3 *db;
	int calls;
};

/* Stands for a key that is pressed while a statement runs. */
static void stop_at(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct stopping *stopping = sqlite3_user_data(context);
	(void)count;
	(void)values;
	if (++stopping->calls == 1000)
		sqlite3_interrupt(stopping->db);
	sqlite3_result_int(context, 1);
}

TEST_WITH(a_statement_that_runs_for_ever_is_stopped, set_up, tear_down)
{
	struct world *world = *state;
	sqlite3_stmt *statement;
	grow(world);
	publish(world);
	struct client client = attach(world);
	struct stopping stopping = { .db = client.db };
	assert_int_equal(sqlite3_create_function(client.db, "stop", 1, SQLITE_UTF8, &stopping, stop_at, NULL, NULL),
			 SQLITE_OK);
	/* 10^16 rows, and an order that has no end of its input. */
	static const char *const endless[] = {
		"SELECT sum(stop(d.start)) FROM states AS a, states AS b, states AS c, states AS d",
		"SELECT a.start FROM states AS a, states AS b, states AS c, states AS d WHERE stop(d.start) ORDER "
		"BY "
		"a.start + b.start",
		"SELECT max(count) FROM concurrency('SELECT stop(d.start), a.start, a.end FROM states AS a, states "
		"AS b, "
		"states "
		"AS c, states AS d')",
	};
	for (size_t i = 0; i < sizeof(endless) / sizeof(*endless); i++) {
		stopping.calls = 0;
		assert_int_equal(sqlite3_prepare_v2(client.db, endless[i], -1, &statement, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_step(statement), SQLITE_INTERRUPT);
		assert_true(stopping.calls >= 1000);
		sqlite3_finalize(statement);
		assert_int_equal(ask(&client, "SELECT count(*) FROM states"), ATTRIBUTES * STEPS);
	}
	assert_int_equal(sqlite3_close(client.db), SQLITE_OK);
}

static bool never_goes_on(void *context)
{
	*(int *)context += 1;
	return false;
}

TEST_WITH(a_long_call_of_the_library_is_stopped, set_up, tear_down)
{
	struct world *world = *state;
	sqlite3_stmt *statement;
	int asked = 0;
	grow(world);
	publish(world);
	struct client client = attach(world);
	sql_connection_set_cancel(client.connection,
				  (struct histree_work){ .go_on = never_goes_on, .context = &asked });
	assert_int_equal(
		sqlite3_prepare_v2(client.db, "SELECT count(*) FROM rows('*', 0, 19999, 10)", -1, &statement, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_INTERRUPT);
	sqlite3_finalize(statement);
	assert_true(asked > 0);
	sql_connection_set_cancel(client.connection, (struct histree_work){ 0 });
	assert_int_equal(ask(&client, "SELECT count(*) FROM rows('*', 0, 19999, 10)"), 10 * ATTRIBUTES);
	assert_int_equal(sqlite3_close(client.db), SQLITE_OK);
}

static int load_sqlite(void **state)
{
	(void)state;
	return sqlite_load(NULL) == HISTREE_OK ? 0 : -1;
}

TEST_FILE(load_sqlite, NULL)
