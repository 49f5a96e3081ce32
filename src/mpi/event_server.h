/* SPDX-License-Identifier: MIT */
/*
 * event_server.h - the events of a rank's hosts, for rank 0: indexes, and readers of traces that stay open.
 *
 *	EVENTS	host			whether its clocks are in order, and the bytes of its index; or why not
 *	READ	reader, serial, host, first number, count, paths of values, and for types which texts are wanted
 *					serial, status, and event_rows.h; fewer than `count` where that is much
 *	LEAVE	reader			no section
 *
 * A reader is made when it is first read with.
 */
#ifndef MPI_EVENT_SERVER_H
#define MPI_EVENT_SERVER_H

#include "mpi/event_rows.h"
#include "mpi/section.h"
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

/* Takes a step; returns false if it is none of these. */
bool event_server_step(struct event_server *server, const struct shard_set *set, uint8_t step,
		       struct byte_reader *request, struct message *reply);

/* Drops all readers: the question is over. */
void event_server_reset(struct event_server *server);
void event_server_release(struct event_server *server);

#endif
