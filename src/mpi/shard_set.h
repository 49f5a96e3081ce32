/* SPDX-License-Identifier: MIT */
/*
 * shard_set.h - the hosts of a store that a rank answers for.
 *
 * A rank looks for the store of a host in its local folder first, then in the store itself.  What it finds must be
 * what the manifest means: the host, its times and the number of its events.
 */
#ifndef MPI_SHARD_SET_H
#define MPI_SHARD_SET_H

#include "histree/store.h"
#include "mpi/link.h"

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
void shard_set_describe(const struct histree_store_info *info, struct message *out);

/* Reads such a description, and looks for each host. */
enum histree_status shard_set_find(struct shard_set *set, const char *path, const char *local,
				   struct byte_reader *description, struct histree_error *error);

/* Keeps these hosts, and lets go of the others. */
void shard_set_keep(struct shard_set *set, const bool *mine);

void shard_set_release(struct shard_set *set);

#endif
