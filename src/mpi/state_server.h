/* SPDX-License-Identifier: MIT */
/*
 * state_server.h - the states of a rank's hosts, for rank 0: histories that stay open, and queries of them.
 *
 *	HISTORY	host, analysis		number, and its description (histree/history_source.h); or why not
 *	STATES	query, history, part, region	the first states
 *	MORE	query			more, as a section of STATES
 *	DROP	query			no section
 *
 * A region is the attributes (a count plus one, or 0 for all, and differences), the number of times and their
 * differences, and the range if there is none.  Numbers are varints.  States are the query, a status, the
 * statistics of the query so far, and answer_chunk.h, in which an attribute has no path, and its number in place
 * of a host. HISTREE_OK says that there are more, HISTREE_END that there are none.
 */
#ifndef MPI_STATE_SERVER_H
#define MPI_STATE_SERVER_H

#include "mpi/answer_chunk.h"
#include "mpi/section.h"
#include "mpi/shard_set.h"

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

/* Takes a step; returns false if it is none of these. */
bool state_server_step(struct state_server *server, struct shard_set *set, uint8_t step,
		       struct byte_reader *request, struct message *reply);

/* Returns a history by its number; NULL: there is none. */
struct histree_history *state_server_history(const struct state_server *server, uint64_t number);

/* Drops all queries: the question is over. */
void state_server_reset(struct state_server *server);
void state_server_release(struct state_server *server);

#endif
