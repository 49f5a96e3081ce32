// SPDX-License-Identifier: MIT
/*
 * peer_sqlite.c - SQLite: one table, clustered by (quark, end), which is WITHOUT ROWID.
 *
 * No journal, no sync, one transaction, prepared statements.  Numbers and texts as SQLite's own.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "peers/ordered_peer.h"
#include "peers/peer.h"

struct sqlite_peer {
	struct ordered_peer ordered;
	sqlite3 *database;
	sqlite3_stmt *states; /* of an attribute that end at a time or later */
	histree_quark quark;  /* that it was asked for last */
};

static enum histree_status failure(const struct sqlite_peer *peer, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_IO, "sqlite: %s", sqlite3_errmsg(peer->database));
}

/* ---- build ---------------------------------------------------------------------------------------------- */

static int bind_value(sqlite3_stmt *insert, int column, const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		return sqlite3_bind_null(insert, column);
	case HISTREE_INT:
		return sqlite3_bind_int(insert, column, value->int32);
	case HISTREE_LONG:
		return sqlite3_bind_int64(insert, column, value->int64);
	case HISTREE_DOUBLE:
		return sqlite3_bind_double(insert, column, value->real);
	case HISTREE_BOOL:
		return sqlite3_bind_int(insert, column, value->boolean);
	case HISTREE_STRING:
		return sqlite3_bind_text(insert, column, value->bytes, (int)value->size, SQLITE_STATIC);
	case HISTREE_CUSTOM:
		return sqlite3_bind_blob(insert, column, value->bytes, (int)value->size, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

static int put(sqlite3_stmt *insert, const struct histree_interval *interval)
{
	sqlite3_bind_int64(insert, 1, interval->quark);
	sqlite3_bind_int64(insert, 2, interval->end);
	sqlite3_bind_int64(insert, 3, interval->start);
	sqlite3_bind_int(insert, 4, interval->value.type);
	int code = bind_value(insert, 5, &interval->value);
	if (code == SQLITE_OK)
		code = sqlite3_step(insert);
	sqlite3_reset(insert);
	return code;
}

static enum histree_status fill(struct sqlite_peer *peer, const struct interval_source *source,
				struct histree_error *error)
{
	sqlite3_stmt *insert = NULL;
	int code =
		sqlite3_prepare_v2(peer->database, "INSERT INTO state VALUES (?, ?, ?, ?, ?)", -1, &insert, NULL);
	struct interval_cursor cursor;
	interval_cursor_begin(&cursor, source);
	struct histree_interval interval;
	bool done = code == SQLITE_OK;
	while (done && interval_cursor_next(&cursor, &interval))
		done = put(insert, &interval) == SQLITE_DONE;
	done = done && sqlite3_exec(peer->database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK &&
	       sqlite3_prepare_v2(
		       peer->database,
		       "SELECT start, end, type, value FROM state WHERE quark = ? AND end >= ? ORDER BY end", -1,
		       &peer->states, NULL) == SQLITE_OK;
	enum histree_status status = done ? HISTREE_OK : failure(peer, error);
	sqlite3_finalize(insert);
	return status;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

static struct histree_value value_of(sqlite3_stmt *row, enum histree_type type)
{
	struct histree_value value = { .type = type };
	switch (type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		value.int32 = sqlite3_column_int(row, 3);
		break;
	case HISTREE_LONG:
		value.int64 = sqlite3_column_int64(row, 3);
		break;
	case HISTREE_DOUBLE:
		value.real = sqlite3_column_double(row, 3);
		break;
	case HISTREE_BOOL:
		value.boolean = sqlite3_column_int(row, 3) != 0;
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		value.bytes = sqlite3_column_blob(row, 3);
		value.size = (uint32_t)sqlite3_column_bytes(row, 3);
		break;
	}
	return value;
}

static enum histree_status next(void *self, struct histree_interval *out, struct histree_error *error)
{
	struct sqlite_peer *peer = self;
	int code = sqlite3_step(peer->states);
	if (code == SQLITE_DONE)
		return HISTREE_END;
	if (code != SQLITE_ROW)
		return failure(peer, error);
	*out = (struct histree_interval){
		.start = sqlite3_column_int64(peer->states, 0),
		.end = sqlite3_column_int64(peer->states, 1),
		.quark = peer->quark,
		.value = value_of(peer->states, (enum histree_type)sqlite3_column_int(peer->states, 2)),
	};
	return HISTREE_OK;
}

static enum histree_status seek(void *self, histree_quark quark, histree_time end, struct histree_interval *out,
				struct histree_error *error)
{
	struct sqlite_peer *peer = self;
	sqlite3_reset(peer->states);
	sqlite3_bind_int64(peer->states, 1, quark);
	sqlite3_bind_int64(peer->states, 2, end);
	peer->quark = quark;
	return next(self, out, error);
}

static enum histree_status sqlite_ask(void *self, enum bench_shape shape, const struct histree_region *question,
				      struct bench_answer *answer, struct histree_error *error)
{
	(void)shape;
	return ordered_peer_ask(&((struct sqlite_peer *)self)->ordered, self, question, answer, error);
}

/* ------------------------------------------------------------------------------------------------------------ */

static void sqlite_free(void *self)
{
	struct sqlite_peer *peer = self;
	if (peer == NULL)
		return;
	sqlite3_finalize(peer->states);
	sqlite3_close(peer->database);
	free(peer);
}

static bool open_database(struct sqlite_peer *peer, const struct peer_setup *setup)
{
	char path[4096], begin[512];
	int length = snprintf(path, sizeof(path), "%s/states.db", setup->folder);
	if (length < 0 || (size_t)length >= sizeof(path) || sqlite3_open(path, &peer->database) != SQLITE_OK)
		return false;
	/* A negative cache_size is in KiB. */
	snprintf(begin, sizeof(begin),
		 "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
		 "PRAGMA cache_size = -%zu; BEGIN;"
		 "CREATE TABLE state (quark INT, end INT, start INT, type INT, value, PRIMARY KEY (quark, end)) "
		 "WITHOUT ROWID",
		 setup->cache_bytes / 1024);
	return sqlite3_exec(peer->database, begin, NULL, NULL, NULL) == SQLITE_OK;
}

static enum histree_status sqlite_build(const struct peer_setup *setup, void **out, struct histree_error *error)
{
	struct sqlite_peer *peer = calloc(1, sizeof(*peer));
	*out = NULL;
	if (peer == NULL)
		return error_memory(error, "sqlite");
	peer->ordered = (struct ordered_peer){ seek, next, setup->source->attribute_count };
	enum histree_status status =
		open_database(peer, setup) ? fill(peer, setup->source, error) : failure(peer, error);
	if (status != HISTREE_OK) {
		sqlite_free(peer);
		return status;
	}
	*out = peer;
	return HISTREE_OK;
}

const struct peer peer_sqlite = {
	.name = "SQLite",
	.build = sqlite_build,
	.ask = sqlite_ask,
	.free = sqlite_free,
};
