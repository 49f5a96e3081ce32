// SPDX-License-Identifier: MIT
/*
 * peer_lmdb.c - LMDB: a B+-tree in a memory map, key = (quark, end) big-endian, record = start, type, value.
 *
 * One transaction, because a second one would copy the pages that it changes; one sync, at its end; pages written
 * in the map itself, which is its cache and cannot be bounded.
 */
#include <lmdb.h>
#include <stdlib.h>

#include "base/error.h"
#include "peers/ordered_peer.h"
#include "peers/peer.h"

#define MAP_BYTES ((size_t)64 << 30) /* address space, not memory */

struct lmdb_peer {
	struct ordered_peer ordered;
	MDB_env *environment;
	MDB_dbi table;
	MDB_txn *transaction;
	MDB_cursor *cursor;
};

static enum histree_status failure(struct histree_error *error, int code)
{
	return error_set(error, HISTREE_ERR_IO, "lmdb: %s", mdb_strerror(code));
}

/* ---- build ---------------------------------------------------------------------------------------------- */

static int put(struct lmdb_peer *peer, const struct histree_interval *interval)
{
	uint8_t key[ORDERED_KEY_SIZE], header[ORDERED_RECORD_HEADER];
	const void *value;
	size_t value_size;
	ordered_key(key, interval->quark, interval->end);
	ordered_record_header(header, interval, &value, &value_size);
	MDB_val name = { sizeof(key), key }, record = { sizeof(header) + value_size, NULL };
	int code = mdb_put(peer->transaction, peer->table, &name, &record, MDB_RESERVE);
	if (code != 0)
		return code;
	memcpy(record.mv_data, header, sizeof(header));
	memcpy((uint8_t *)record.mv_data + sizeof(header), value, value_size);
	return 0;
}

static int fill(struct lmdb_peer *peer, const struct interval_source *source)
{
	int code = mdb_txn_begin(peer->environment, NULL, 0, &peer->transaction);
	if (code == 0)
		code = mdb_dbi_open(peer->transaction, NULL, MDB_CREATE, &peer->table);
	struct interval_cursor cursor;
	interval_cursor_begin(&cursor, source);
	struct histree_interval interval;
	while (code == 0 && interval_cursor_next(&cursor, &interval))
		code = put(peer, &interval);
	if (code != 0)
		return code;
	MDB_txn *done = peer->transaction;
	peer->transaction = NULL;
	code = mdb_txn_commit(done);
	if (code == 0)
		code = mdb_env_sync(peer->environment, 1);
	if (code == 0)
		code = mdb_txn_begin(peer->environment, NULL, MDB_RDONLY, &peer->transaction);
	if (code == 0)
		code = mdb_cursor_open(peer->transaction, peer->table, &peer->cursor);
	return code;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

static enum histree_status move(struct lmdb_peer *peer, MDB_val *name, MDB_cursor_op operation,
				struct histree_interval *out, struct histree_error *error)
{
	MDB_val record;
	int code = mdb_cursor_get(peer->cursor, name, &record, operation);
	if (code == MDB_NOTFOUND)
		return HISTREE_END;
	if (code != 0)
		return failure(error, code);
	ordered_interval(name->mv_data, record.mv_data, record.mv_size, out);
	return HISTREE_OK;
}

static enum histree_status seek(void *self, histree_quark quark, histree_time end, struct histree_interval *out,
				struct histree_error *error)
{
	uint8_t key[ORDERED_KEY_SIZE];
	ordered_key(key, quark, end);
	return move(self, &(MDB_val){ sizeof(key), key }, MDB_SET_RANGE, out, error);
}

static enum histree_status next(void *self, struct histree_interval *out, struct histree_error *error)
{
	return move(self, &(MDB_val){ 0 }, MDB_NEXT, out, error);
}

static enum histree_status lmdb_ask(void *self, enum bench_shape shape, const struct histree_region *question,
				    struct bench_answer *answer, struct histree_error *error)
{
	(void)shape;
	return ordered_peer_ask(&((struct lmdb_peer *)self)->ordered, self, question, answer, error);
}

/* ------------------------------------------------------------------------------------------------------------ */

/* Of the pages in use: the file is as long as the map, and mostly a hole. */
static uint64_t lmdb_bytes(const void *self)
{
	const struct lmdb_peer *peer = self;
	MDB_envinfo info;
	MDB_stat stat;
	if (mdb_env_info(peer->environment, &info) != 0 || mdb_env_stat(peer->environment, &stat) != 0)
		return 0;
	return (info.me_last_pgno + 1) * (uint64_t)stat.ms_psize;
}

static void lmdb_free(void *self)
{
	struct lmdb_peer *peer = self;
	if (peer == NULL)
		return;
	if (peer->cursor != NULL)
		mdb_cursor_close(peer->cursor);
	if (peer->transaction != NULL)
		mdb_txn_abort(peer->transaction);
	mdb_env_close(peer->environment);
	free(peer);
}

static enum histree_status lmdb_build(const struct peer_setup *setup, void **out, struct histree_error *error)
{
	struct lmdb_peer *peer = calloc(1, sizeof(*peer));
	*out = NULL;
	if (peer == NULL)
		return error_memory(error, "lmdb");
	peer->ordered = (struct ordered_peer){ seek, next, setup->source->attribute_count };
	int code = mdb_env_create(&peer->environment);
	if (code == 0)
		code = mdb_env_set_mapsize(peer->environment, MAP_BYTES);
	if (code == 0)
		code = mdb_env_open(peer->environment, setup->folder, MDB_NOSYNC | MDB_WRITEMAP | MDB_NOLOCK, 0644);
	if (code == 0)
		code = fill(peer, setup->source);
	if (code != 0) {
		lmdb_free(peer);
		return failure(error, code);
	}
	*out = peer;
	return HISTREE_OK;
}

const struct peer peer_lmdb = {
	.name = "LMDB",
	.build = lmdb_build,
	.ask = lmdb_ask,
	.bytes = lmdb_bytes,
	.free = lmdb_free,
};
