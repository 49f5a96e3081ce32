/* SPDX-License-Identifier: MIT */
/*
 * host_server.h - which hosts of a store this rank answers for, and its answers to rank 0.
 *
 * A rank looks for the store of a host in its local folder first, then in the store itself.  The store that it
 * finds must be the one in the manifest: the host, its times and the number of its events must agree.
 *
 * For rank 0, a rank keeps the histories, segment stores and events of its hosts open, and the streams of rows that
 * rank 0 reads from them (stream.h).
 */
#ifndef MPI_HOST_SERVER_H
#define MPI_HOST_SERVER_H

#include "histree/store.h"
#include "mpi/link.h"
#include "mpi/stream.h"

/* Where a rank finds the store of a host; the nearest is the greatest. */
enum shard_place { SHARD_NOWHERE, SHARD_IN_STORE, SHARD_LOCAL };

struct shard_host {
	char *name, *folder; /* of a store of one host: "" */
	uint64_t event_count;
	histree_time start, end;
	enum shard_place place;
	struct histree_store *store;                               /* NULL: this rank has none */
	char why[sizeof(((struct histree_error *)NULL)->message)]; /* why there is none */
};

struct shard_set {
	const char *path, *local; /* borrowed */
	struct shard_host *hosts;
	size_t count;
};

/* Writes the hosts of a store into a message: on rank 0, for all. */
void shard_set_describe(const struct histree_store_info *info, struct byte_buffer *out);

/* Reads such a description, and looks for each host. */
enum histree_status shard_set_find(struct shard_set *set, const char *path, const char *local,
				   struct byte_reader *description, struct histree_error *error);

/* Keeps these hosts, and lets go of the others. */
void shard_set_keep(struct shard_set *set, const bool *mine);
void shard_set_release(struct shard_set *set);

struct served_thing;
struct served_stream;

/* A zeroed one has no hosts. */
struct host_server {
	struct shard_set *set;
	struct histree_work work; /* whether the answer is still wanted */
	struct served_thing *things;
	struct served_stream *streams;
	size_t thing_count, thing_capacity, stream_count, stream_capacity;
	struct column_writer writer;
	struct byte_buffer answer; /* the bytes of the one that is being made */
};

/* Answers a request.  A step that it does not understand has an answer that says so. */
void host_server_answer(struct host_server *server, struct byte_reader *request, struct byte_buffer *reply);

/* Drops all streams: the question is over. */
void host_server_reset(struct host_server *server);
void host_server_release(struct host_server *server);

#endif
