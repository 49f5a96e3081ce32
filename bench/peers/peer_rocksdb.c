// SPDX-License-Identifier: MIT
/*
 * peer_rocksdb.c - RocksDB: a log-structured merge tree, key = (quark, end) big-endian, record = start, type,
 * value.
 *
 * No write-ahead log, batches of a thousand, lz4, compacted to one level before the first question, which is part
 * of the build.  One background thread.
 */
#include <rocksdb/c.h>
#include <stdlib.h>

#include "base/error.h"
#include "peers/ordered_peer.h"
#include "peers/peer.h"

enum { BATCH_INTERVALS = 1000, RECORD_MAX = 64 * 1024 };

struct rocksdb_peer {
	struct ordered_peer ordered;
	rocksdb_options_t *options;
	rocksdb_block_based_table_options_t *table_options;
	rocksdb_cache_t *cache;
	rocksdb_writeoptions_t *writing;
	rocksdb_readoptions_t *reading;
	rocksdb_t *database;
	rocksdb_iterator_t *iterator;
};

/* Takes what RocksDB says of a failure. */
static enum histree_status failure(struct histree_error *error, char *text)
{
	enum histree_status status = error_set(error, HISTREE_ERR_IO, "rocksdb: %s", text);
	rocksdb_free(text);
	return status;
}

/* ---- build ---------------------------------------------------------------------------------------------- */

static void set_options(struct rocksdb_peer *peer, size_t cache_bytes)
{
	peer->options = rocksdb_options_create();
	rocksdb_options_set_create_if_missing(peer->options, 1);
	rocksdb_options_set_compression(peer->options, rocksdb_lz4_compression);
	rocksdb_options_set_max_background_jobs(peer->options, 1);
	peer->cache = rocksdb_cache_create_lru(cache_bytes);
	peer->table_options = rocksdb_block_based_options_create();
	rocksdb_block_based_options_set_block_cache(peer->table_options, peer->cache);
	rocksdb_options_set_block_based_table_factory(peer->options, peer->table_options);
	peer->writing = rocksdb_writeoptions_create();
	rocksdb_writeoptions_disable_WAL(peer->writing, 1);
	peer->reading = rocksdb_readoptions_create();
}

static enum histree_status put(rocksdb_writebatch_t *batch, const struct histree_interval *interval,
			       struct histree_error *error)
{
	uint8_t key[ORDERED_KEY_SIZE], record[ORDERED_RECORD_HEADER + RECORD_MAX];
	const void *value;
	size_t value_size;
	ordered_key(key, interval->quark, interval->end);
	ordered_record_header(record, interval, &value, &value_size);
	if (value_size > RECORD_MAX)
		return error_set(error, HISTREE_ERR_TOO_LARGE, "rocksdb: a value of %zu bytes", value_size);
	memcpy(record + ORDERED_RECORD_HEADER, value, value_size);
	rocksdb_writebatch_put(batch, (const char *)key, sizeof(key), (const char *)record,
			       ORDERED_RECORD_HEADER + value_size);
	return HISTREE_OK;
}

static enum histree_status fill(struct rocksdb_peer *peer, const struct interval_source *source,
				struct histree_error *error)
{
	rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
	struct interval_cursor cursor;
	interval_cursor_begin(&cursor, source);
	struct histree_interval interval;
	enum histree_status status = HISTREE_OK;
	char *text = NULL;
	while (status == HISTREE_OK && text == NULL && interval_cursor_next(&cursor, &interval)) {
		status = put(batch, &interval, error);
		if (cursor.index % BATCH_INTERVALS == 0 || cursor.index == source->interval_count) {
			rocksdb_write(peer->database, peer->writing, batch, &text);
			rocksdb_writebatch_clear(batch);
		}
	}
	rocksdb_writebatch_destroy(batch);
	if (status != HISTREE_OK || text != NULL)
		return text != NULL ? failure(error, text) : status;
	rocksdb_flushoptions_t *flushing = rocksdb_flushoptions_create();
	rocksdb_flushoptions_set_wait(flushing, 1);
	rocksdb_flush(peer->database, flushing, &text);
	rocksdb_flushoptions_destroy(flushing);
	if (text != NULL)
		return failure(error, text);
	rocksdb_compact_range(peer->database, NULL, 0, NULL, 0);
	peer->iterator = rocksdb_create_iterator(peer->database, peer->reading);
	return HISTREE_OK;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

static enum histree_status give(const struct rocksdb_peer *peer, struct histree_interval *out,
				struct histree_error *error)
{
	if (!rocksdb_iter_valid(peer->iterator)) {
		char *text = NULL;
		rocksdb_iter_get_error(peer->iterator, &text);
		return text != NULL ? failure(error, text) : HISTREE_END;
	}
	size_t key_size, record_size;
	const char *key = rocksdb_iter_key(peer->iterator, &key_size);
	const char *record = rocksdb_iter_value(peer->iterator, &record_size);
	ordered_interval((const uint8_t *)key, (const uint8_t *)record, record_size, out);
	return HISTREE_OK;
}

static enum histree_status seek(void *self, histree_quark quark, histree_time end, struct histree_interval *out,
				struct histree_error *error)
{
	struct rocksdb_peer *peer = self;
	uint8_t key[ORDERED_KEY_SIZE];
	ordered_key(key, quark, end);
	rocksdb_iter_seek(peer->iterator, (const char *)key, sizeof(key));
	return give(peer, out, error);
}

static enum histree_status next(void *self, struct histree_interval *out, struct histree_error *error)
{
	struct rocksdb_peer *peer = self;
	rocksdb_iter_next(peer->iterator);
	return give(peer, out, error);
}

static enum histree_status rocksdb_ask(void *self, enum bench_shape shape, const struct histree_region *question,
				       struct bench_answer *answer, struct histree_error *error)
{
	(void)shape;
	return ordered_peer_ask(&((struct rocksdb_peer *)self)->ordered, self, question, answer, error);
}

/* ------------------------------------------------------------------------------------------------------------ */

static void rocksdb_peer_free(void *self)
{
	struct rocksdb_peer *peer = self;
	if (peer == NULL)
		return;
	if (peer->iterator != NULL)
		rocksdb_iter_destroy(peer->iterator);
	if (peer->database != NULL)
		rocksdb_close(peer->database);
	rocksdb_readoptions_destroy(peer->reading);
	rocksdb_writeoptions_destroy(peer->writing);
	rocksdb_options_destroy(peer->options);
	rocksdb_block_based_options_destroy(peer->table_options);
	rocksdb_cache_destroy(peer->cache);
	free(peer);
}

static enum histree_status rocksdb_build(const struct peer_setup *setup, void **out, struct histree_error *error)
{
	struct rocksdb_peer *peer = calloc(1, sizeof(*peer));
	*out = NULL;
	if (peer == NULL)
		return error_memory(error, "rocksdb");
	peer->ordered = (struct ordered_peer){ seek, next, setup->source->attribute_count };
	set_options(peer, setup->cache_bytes);
	char *text = NULL;
	peer->database = rocksdb_open(peer->options, setup->folder, &text);
	enum histree_status status = text != NULL ? failure(error, text) : fill(peer, setup->source, error);
	if (status != HISTREE_OK) {
		rocksdb_peer_free(peer);
		return status;
	}
	*out = peer;
	return HISTREE_OK;
}

const struct peer peer_rocksdb = {
	.name = "RocksDB",
	.build = rocksdb_build,
	.ask = rocksdb_ask,
	.free = rocksdb_peer_free,
};
