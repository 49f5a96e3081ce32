/* SPDX-License-Identifier: MIT */
/*
 * host_server.h - what a rank has of its hosts, for rank 0: events, states, sums and segments.
 *
 * The events of a rank's hosts, for rank 0: indexes, and readers of traces that stay open.
 *
 * 	EVENTS	host			whether its clocks are in order, and the bytes of its index; or why not
 * 	READ	reader, serial, host, first number, count, paths of values, and for types which texts are wanted
 * 					serial, status, and columns.h; fewer than `count` where that is much
 * 	LEAVE	reader			no section
 *
 * A reader is made when it is first read with.
 *
 * The states of a rank's hosts, for rank 0: histories that stay open, and queries of them.
 *
 * 	HISTORY	host, analysis		number, and its description (histree/history_source.h); or why not
 * 	STATES	query, history, part, region	the first states
 * 	MORE	query			more, as a section of STATES
 * 	DROP	query			no section
 *
 * A region is the attributes (a count plus one, or 0 for all, and differences), the number of times and their
 * differences, and the range if there is none.  Numbers are varints.  States are the query, a status, the
 * statistics of the query so far, and answer.h, in which an attribute has no path, and its number in place
 * of a host. HISTREE_OK says that there are more, HISTREE_END that there are none.
 *
 * The segments of a rank's hosts, for rank 0: stores that stay open, and iterators that are
 * gone on with as more is asked for.
 *
 * Steps of a request (link.h):
 *
 * 	OPEN	host, analysis		its store and its overviews: numbers, infos, schemas; or why not
 * 	START	cursor, store, query	the first segments
 * 	NEXT	cursor			more
 * 	CLOSE	cursor
 *
 * All but CLOSE have a section.  Segments are a status, then columns.h:
 * HISTREE_OK says that there are more, HISTREE_END that there are none, HISTREE_PARTIAL that some are lost behind
 * these.
 */
#ifndef MPI_HOST_SERVER_H
#define MPI_HOST_SERVER_H

#include "mpi/answer.h"
#include "mpi/columns.h"
#include "mpi/link.h"
#include "mpi/shard_set.h"

struct served_events;
struct served_reader;

/* A zeroed one is empty. */
struct event_server {
	struct served_events *events;
	struct served_reader *readers;
	size_t events_count, events_capacity, reader_count, reader_capacity;
	struct event_rows_writer writer;
	uint8_t *wanted; /* of types: texts */
	size_t wanted_capacity;
	struct histree_cancel cancel; /* whether the answer is still wanted */
};

struct served_history;
struct served_query;

/* A zeroed one is empty. */
struct state_server {
	struct served_history *histories;
	struct served_query *queries;
	size_t history_count, history_capacity, query_count, query_capacity;
	struct chunk_writer writer;
	struct histree_cancel cancel; /* whether the answer is still wanted */
};

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
