/* SPDX-License-Identifier: MIT */
/*
 * host_server.h - what a rank has of its hosts, for rank 0: histories, segment stores and events that stay open,
 * and the streams of rows that rank 0 reads of them (stream.h).
 */
#ifndef MPI_HOST_SERVER_H
#define MPI_HOST_SERVER_H

#include "mpi/columns.h"
#include "mpi/link.h"
#include "mpi/shard_set.h"

struct served_thing;
struct served_stream;

/* A zeroed one has no hosts. */
struct host_server {
	struct shard_set *set;
	struct histree_cancel cancel; /* whether the answer is still wanted */
	struct served_thing *things;
	struct served_stream *streams;
	size_t thing_count, thing_capacity, stream_count, stream_capacity;
	struct column_writer writer;
	struct message answer; /* the bytes of the one that is being made */
};

/* Answers a request.  A step that it does not understand has an answer that says so. */
void host_server_answer(struct host_server *server, struct byte_reader *request, struct message *reply);

/* Drops all streams: the question is over. */
void host_server_reset(struct host_server *server);
void host_server_release(struct host_server *server);

#endif
