// SPDX-License-Identifier: MIT
/*
 * peer_store.c - our four stores; the one on disk also with batches grouped in one dimension (thesis 5.4.3).
 */
#include <stdio.h>
#include <stdlib.h>

#include "histree/segments.h"
#include "segment/segment_schema.h"
#include "segment_tree/segment_writer.h"
#include "segments/segment_peer.h"

struct store_peer {
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	/* Grouped in one dimension, which the public interface does not offer. */
	struct block_file *file;
	struct segment_writer *writer;
	const char *path;
};

static bool done(enum histree_status status, const struct histree_error *error)
{
	if (status < 0)
		fprintf(stderr, "segments: %s\n", error->message);
	return status == HISTREE_OK;
}

static bool create_store(enum histree_segment_store_kind kind, const char *path, void **out)
{
	struct histree_error error;
	struct store_peer *peer = calloc(1, sizeof(*peer));
	const struct histree_segment_store_options options = { .kind = kind, .path = path };
	*out = peer;
	return peer != NULL && done(histree_segment_store_create(&options, &peer->store, &error), &error);
}

static bool create_disk(const char *path, void **out)
{
	return create_store(HISTREE_SEGMENTS_DISK, path, out);
}

static bool create_array(const char *path, void **out)
{
	return create_store(HISTREE_SEGMENTS_ARRAY, path, out);
}

static bool create_lazy(const char *path, void **out)
{
	return create_store(HISTREE_SEGMENTS_LAZY, path, out);
}

static bool create_map(const char *path, void **out)
{
	return create_store(HISTREE_SEGMENTS_MAP, path, out);
}

static bool add(void *body, int64_t start, int64_t end)
{
	struct store_peer *peer = body;
	struct histree_error error;
	const struct histree_segment segment = { .start = start, .end = end };
	return done(histree_segment_store_add(peer->store, &segment, &error), &error);
}

static bool open_iter(struct store_peer *peer, uint64_t *bytes_on_disk, struct histree_error *error)
{
	*bytes_on_disk = histree_segment_store_info(peer->store)->file_bytes;
	return done(histree_segments_create(peer->store, &peer->iter, error), error);
}

static bool finish(void *body, uint64_t *bytes_on_disk)
{
	struct store_peer *peer = body;
	struct histree_error error;
	return done(histree_segment_store_finish(peer->store, &error), &error) &&
	       open_iter(peer, bytes_on_disk, &error);
}

static bool begin(void *body, enum segment_peer_order order)
{
	static const enum histree_segment_order orders[PEER_ORDERS] = {
		HISTREE_SEGMENTS_UNSORTED,
		HISTREE_SEGMENTS_BY_START,
		HISTREE_SEGMENTS_BY_END,
		HISTREE_SEGMENTS_BY_DURATION,
	};
	struct store_peer *peer = body;
	struct histree_error error;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = orders[order];
	return done(histree_segments_start(peer->iter, &query, NULL, &error), &error);
}

static bool next(void *body, int64_t *start, int64_t *end)
{
	struct store_peer *peer = body;
	struct histree_error error;
	if (!done(histree_cursor_next(peer->iter, &error), &error))
		return false;
	*start = histree_cursor_segment(peer->iter)->start;
	*end = histree_cursor_segment(peer->iter)->end;
	return true;
}

static void peer_free(void *body)
{
	struct store_peer *peer = body;
	if (peer == NULL)
		return;
	histree_cursor_free(peer->iter);
	histree_segment_store_close(peer->store);
	segment_writer_free(peer->writer);
	block_file_close(peer->file);
	free(peer);
}

/* ---- grouped in one dimension ----------------------------------------------------------------------------- */

static bool create_grouped(const char *path, enum segment_grouping grouping, void **out)
{
	struct histree_error error;
	struct store_peer *peer = calloc(1, sizeof(*peer));
	*out = peer;
	if (peer == NULL || !done(block_file_create(&io_posix, path, 64 << 10, &peer->file, &error), &error) ||
	    !done(segment_writer_create(peer->file, NULL, 0, 0, &peer->writer, &error), &error))
		return false;
	segment_writer_group(peer->writer, grouping);
	peer->path = path;
	return true;
}

static bool create_by_start(const char *path, void **out)
{
	return create_grouped(path, SEGMENTS_GROUPED_BY_START, out);
}

static bool create_by_duration(const char *path, void **out)
{
	return create_grouped(path, SEGMENTS_GROUPED_BY_DURATION, out);
}

static bool add_grouped(void *body, int64_t start, int64_t end)
{
	struct store_peer *peer = body;
	struct histree_error error;
	const struct histree_segment segment = { .start = start, .end = end };
	return done(segment_writer_add(peer->writer, &segment, &error), &error);
}

static bool finish_grouped(void *body, uint64_t *bytes_on_disk)
{
	struct store_peer *peer = body;
	struct histree_error error;
	const struct histree_segment_store_info info = { .schema = { .provider = "" } };
	if (!done(segment_writer_finish(peer->writer, &error), &error) ||
	    !done(segment_schema_write(&info, peer->file, &error), &error) ||
	    !done(block_file_complete(peer->file, &error), &error))
		return false;
	segment_writer_free(peer->writer);
	peer->writer = NULL;
	return done(histree_segment_store_open(peer->path, NULL, &peer->store, &error), &error) &&
	       open_iter(peer, bytes_on_disk, &error);
}

#define STORE(NAME, MAX, RANDOM_MAX, CREATE, ADD, FINISH)                                                 \
	{                                                                                                 \
		.name = (NAME), .count_max = (MAX), .random_count_max = (RANDOM_MAX), .create = (CREATE), \
		.add = (ADD), .finish = (FINISH), .begin = begin, .next = next, .free = peer_free         \
	}

const struct segment_peer segment_peer_disk = STORE("disk", UINT64_MAX, UINT64_MAX, create_disk, add, finish);
const struct segment_peer segment_peer_disk_by_start =
	STORE("disk, by start", 10000000, 10000000, create_by_start, add_grouped, finish_grouped);
const struct segment_peer segment_peer_disk_by_duration =
	STORE("disk, by duration", 10000000, 10000000, create_by_duration, add_grouped, finish_grouped);
const struct segment_peer segment_peer_array = STORE("array", 10000000, 100000, create_array, add, finish);
const struct segment_peer segment_peer_lazy = STORE("lazy array", 10000000, 10000000, create_lazy, add, finish);
const struct segment_peer segment_peer_map = STORE("map", 1000000, 1000000, create_map, add, finish);
