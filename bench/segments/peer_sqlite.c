// SPDX-License-Identifier: MIT
/*
 * peer_sqlite.c - SQLite: a table, and an index for each order that covers it, made when all segments are there.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "segments/segment_peer.h"

struct sqlite_peer {
	sqlite3 *database;
	sqlite3_stmt *insert, *select;
	const char *path;
};

static bool done(const struct sqlite_peer *peer, int code)
{
	if (code != SQLITE_OK && code != SQLITE_DONE)
		fprintf(stderr, "segments: sqlite: %s\n", sqlite3_errmsg(peer->database));
	return code == SQLITE_OK || code == SQLITE_DONE;
}

static bool create(const char *path, void **out)
{
	struct sqlite_peer *peer = calloc(1, sizeof(*peer));
	*out = peer;
	if (peer == NULL)
		return false;
	peer->path = path;
	return done(peer, sqlite3_open(path, &peer->database)) &&
	       done(peer,
		    sqlite3_exec(peer->database,
				 "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -131072;"
				 "CREATE TABLE segments (first INTEGER, last INTEGER); BEGIN",
				 NULL, NULL, NULL)) &&
	       done(peer, sqlite3_prepare_v2(peer->database, "INSERT INTO segments VALUES (?, ?)", -1,
					     &peer->insert, NULL));
}

static bool add(void *body, int64_t start, int64_t end)
{
	struct sqlite_peer *peer = body;
	sqlite3_bind_int64(peer->insert, 1, start);
	sqlite3_bind_int64(peer->insert, 2, end);
	bool added = done(peer, sqlite3_step(peer->insert));
	sqlite3_reset(peer->insert);
	return added;
}

static bool finish(void *body, uint64_t *bytes_on_disk)
{
	struct sqlite_peer *peer = body;
	struct stat facts;
	if (!done(peer, sqlite3_exec(peer->database,
				     "COMMIT; CREATE INDEX starts ON segments (first, last);"
				     "CREATE INDEX ends ON segments (last, first);"
				     "CREATE INDEX durations ON segments (last - first, first, last)",
				     NULL, NULL, NULL)) ||
	    stat(peer->path, &facts) != 0)
		return false;
	*bytes_on_disk = (uint64_t)facts.st_size;
	return true;
}

static bool begin(void *body, enum segment_peer_order order)
{
	static const char *const queries[PEER_ORDERS] = {
		"SELECT first, last FROM segments NOT INDEXED",
		"SELECT first, last FROM segments ORDER BY first, last",
		"SELECT first, last FROM segments ORDER BY last, first",
		"SELECT first, last FROM segments ORDER BY last - first, first",
	};
	struct sqlite_peer *peer = body;
	sqlite3_finalize(peer->select);
	return done(peer, sqlite3_prepare_v2(peer->database, queries[order], -1, &peer->select, NULL));
}

static bool next(void *body, int64_t *start, int64_t *end)
{
	struct sqlite_peer *peer = body;
	int code = sqlite3_step(peer->select);
	if (code != SQLITE_ROW) {
		done(peer, code);
		return false;
	}
	*start = sqlite3_column_int64(peer->select, 0);
	*end = sqlite3_column_int64(peer->select, 1);
	return true;
}

static void peer_free(void *body)
{
	struct sqlite_peer *peer = body;
	if (peer == NULL)
		return;
	sqlite3_finalize(peer->insert);
	sqlite3_finalize(peer->select);
	sqlite3_close(peer->database);
	free(peer);
}

const struct segment_peer segment_peer_sqlite = {
	.name = "SQLite",
	.count_max = 1000000,
	.random_count_max = 1000000,
	.create = create,
	.add = add,
	.finish = finish,
	.begin = begin,
	.next = next,
	.free = peer_free,
};
