/* SPDX-License-Identifier: MIT */
/*
 * segment_server.h - the segments of a rank's hosts, for rank 0: stores that stay open, and iterators that are
 * gone on with as more is asked for.
 *
 * Steps of a request (section.h):
 *
 *	OPEN	host, analysis		its store and its overviews: numbers, infos, schemas; or why not
 *	START	cursor, store, query	the first segments
 *	NEXT	cursor			more
 *	CLOSE	cursor
 *
 * All but CLOSE have a section.  Segments are a status, then segment_columns.h:
 * HISTREE_OK says that there are more, HISTREE_END that there are none, HISTREE_PARTIAL that some are lost behind
 * these.
 */
#ifndef MPI_SEGMENT_SERVER_H
#define MPI_SEGMENT_SERVER_H

#include "mpi/event_server.h"
#include "mpi/segment_columns.h"
#include "mpi/shard_set.h"
#include "mpi/state_server.h"

struct served_store;
struct served_cursor;

/* A zeroed one is empty. */
struct segment_server {
	struct shard_set *set;
	struct served_store *stores;
	struct served_cursor *cursors;
	size_t store_count, store_capacity, cursor_count, cursor_capacity;
	struct segment_columns_writer writer;
	struct histree_cancel cancel; /* whether the answer is still wanted */
	struct event_server events;   /* which come by the same messages, as do: */
	struct state_server states;
};

/* Answers a request.  What it does not understand has a section that says so. */
void segment_server_answer(struct segment_server *server, struct byte_reader *request, struct message *reply);

/* Drops all iterators, queries and readers: the question is over. */
void segment_server_reset(struct segment_server *server);
void segment_server_release(struct segment_server *server);

#endif
