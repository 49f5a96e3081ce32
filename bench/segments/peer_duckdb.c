// SPDX-License-Identifier: MIT
/*
 * peer_duckdb.c - DuckDB: a table in the order in which the segments come, asked in SQL with one thread.  Its
 * answers are whole before the first segment can be had.
 */
#include <duckdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "segments/segment_peer.h"

struct duckdb_peer {
	const char *path;
	duckdb_database database;
	duckdb_connection connection;
	duckdb_appender appender;
	duckdb_data_chunk chunk; /* on its way in, then on its way out */
	int64_t *starts, *ends;  /* of the chunk */
	idx_t at, count;
	duckdb_result answer;
	bool answers;
};

static bool failed(const char *text)
{
	fprintf(stderr, "segments: duckdb: %s\n", text != NULL ? text : "it failed without a word");
	return false;
}

static bool execute(struct duckdb_peer *peer, const char *sql)
{
	duckdb_result result;
	bool done = duckdb_query(peer->connection, sql, &result) == DuckDBSuccess ||
		    failed(duckdb_result_error(&result));
	duckdb_destroy_result(&result);
	return done;
}

static void look_into_chunk(struct duckdb_peer *peer)
{
	peer->starts = duckdb_vector_get_data(duckdb_data_chunk_get_vector(peer->chunk, 0));
	peer->ends = duckdb_vector_get_data(duckdb_data_chunk_get_vector(peer->chunk, 1));
	peer->at = 0;
}

static void drop_chunk(struct duckdb_peer *peer)
{
	if (peer->chunk != NULL)
		duckdb_destroy_data_chunk(&peer->chunk);
	peer->chunk = NULL;
	peer->at = peer->count = 0;
}

static void drop_answer(struct duckdb_peer *peer)
{
	drop_chunk(peer);
	if (peer->answers)
		duckdb_destroy_result(&peer->answer);
	peer->answers = false;
}

static bool create(const char *path, void **out)
{
	struct duckdb_peer *peer = calloc(1, sizeof(*peer));
	duckdb_config config = NULL;
	*out = peer;
	if (peer == NULL)
		return false;
	peer->path = path;
	bool done = duckdb_create_config(&config) == DuckDBSuccess &&
		    duckdb_set_config(config, "threads", "1") == DuckDBSuccess &&
		    duckdb_open_ext(path, &peer->database, config, NULL) == DuckDBSuccess &&
		    duckdb_connect(peer->database, &peer->connection) == DuckDBSuccess;
	duckdb_destroy_config(&config);
	if (!done || !execute(peer, "CREATE TABLE segments (first BIGINT, last BIGINT)") ||
	    duckdb_appender_create(peer->connection, NULL, "segments", &peer->appender) != DuckDBSuccess)
		return failed("no table");
	duckdb_logical_type types[2] = { duckdb_create_logical_type(DUCKDB_TYPE_BIGINT),
					 duckdb_create_logical_type(DUCKDB_TYPE_BIGINT) };
	peer->chunk = duckdb_create_data_chunk(types, 2);
	duckdb_destroy_logical_type(&types[0]);
	duckdb_destroy_logical_type(&types[1]);
	look_into_chunk(peer);
	return true;
}

static bool append(struct duckdb_peer *peer)
{
	duckdb_data_chunk_set_size(peer->chunk, peer->at);
	if (duckdb_append_data_chunk(peer->appender, peer->chunk) != DuckDBSuccess)
		return failed(duckdb_appender_error(peer->appender));
	duckdb_data_chunk_reset(peer->chunk);
	look_into_chunk(peer);
	return true;
}

static bool add(void *body, int64_t start, int64_t end)
{
	struct duckdb_peer *peer = body;
	peer->starts[peer->at] = start;
	peer->ends[peer->at++] = end;
	return peer->at < duckdb_vector_size() || append(peer);
}

static bool finish(void *body, uint64_t *bytes_on_disk)
{
	struct duckdb_peer *peer = body;
	struct stat facts;
	if (!append(peer) || duckdb_appender_close(peer->appender) != DuckDBSuccess ||
	    !execute(peer, "CHECKPOINT") || stat(peer->path, &facts) != 0)
		return failed("not all was written");
	drop_chunk(peer);
	*bytes_on_disk = (uint64_t)facts.st_size;
	return true;
}

static bool begin(void *body, enum segment_peer_order order)
{
	static const char *const queries[PEER_ORDERS] = {
		"SELECT first, last FROM segments",
		"SELECT first, last FROM segments ORDER BY first, last",
		"SELECT first, last FROM segments ORDER BY last, first",
		"SELECT first, last FROM segments ORDER BY last - first, first",
	};
	struct duckdb_peer *peer = body;
	drop_answer(peer);
	peer->answers = true;
	return duckdb_query(peer->connection, queries[order], &peer->answer) == DuckDBSuccess ||
	       failed(duckdb_result_error(&peer->answer));
}

static bool next(void *body, int64_t *start, int64_t *end)
{
	struct duckdb_peer *peer = body;
	if (peer->at == peer->count) {
		drop_chunk(peer);
		peer->chunk = duckdb_fetch_chunk(peer->answer);
		if (peer->chunk == NULL)
			return false;
		peer->count = duckdb_data_chunk_get_size(peer->chunk);
		if (peer->count == 0)
			return false;
		look_into_chunk(peer);
	}
	*start = peer->starts[peer->at];
	*end = peer->ends[peer->at++];
	return true;
}

static void peer_free(void *body)
{
	struct duckdb_peer *peer = body;
	if (peer == NULL)
		return;
	drop_answer(peer);
	if (peer->appender != NULL)
		duckdb_appender_destroy(&peer->appender);
	duckdb_disconnect(&peer->connection);
	duckdb_close(&peer->database);
	free(peer);
}

const struct segment_peer segment_peer_duckdb = {
	.name = "DuckDB",
	.count_max = 10000000,
	.random_count_max = 10000000,
	.create = create,
	.add = add,
	.finish = finish,
	.begin = begin,
	.next = next,
	.free = peer_free,
};
