/* SPDX-License-Identifier: MIT */
/*
 * host_remote.h - on rank 0: the data of hosts on other ranks, as histories, segment stores and events that can be
 * read and united like those of files.
 *
 * Each is a source of the library, whose cursors are streams (stream.h).
 */
#ifndef MPI_HOST_REMOTE_H
#define MPI_HOST_REMOTE_H

#include "histree/events.h"
#include "histree/history.h"
#include "histree/segments.h"
#include "mpi/stream.h"

struct known_thing;

/* A zeroed one has no ranks. */
struct remotes {
	struct streams streams;
	/* What ranks have said of their histories and stores, for the questions to come. */
	struct known_thing *known;
	size_t known_count, known_capacity;
	/* The condition of the question as its words say it, which ranks try on segments as well; NULL: none. */
	const char *where;
	histree_time start, end;
	const char *only_field; /* the one whose values the question looks at besides times; NULL: all */
};

/* Returns false without memory. */
bool remotes_begin(struct remotes *remotes, struct asker *asker);

/* Open what an analysis made of a host, an index in the set of the rank. */
enum histree_status remotes_history(struct remotes *remotes, int rank, size_t host, const char *analysis,
				    struct histree_history **out, struct histree_error *error);
enum histree_status remotes_segments(struct remotes *remotes, int rank, size_t host, const char *analysis,
				     struct histree_segment_store **out, struct histree_error *error);
enum histree_status remotes_events(struct remotes *remotes, int rank, size_t host, struct histree_events **out,
				   struct histree_error *error);

/* All that was opened has been closed. */
void remotes_release(struct remotes *remotes);

#endif
