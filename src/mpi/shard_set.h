/* SPDX-License-Identifier: MIT */
/*
 * shard_set.h - the hosts of a store that a rank answers for, and their histories.
 *
 * A rank looks for the store of a host in its local folder first, then in the store itself.  What it finds must be
 * what the manifest means: the host, its times and the number of its events.
 *
 * The histories of an analysis become one, the union of this rank's hosts, over the times of all hosts: so it says
 * of its hosts what the union of all would say.
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
	struct histree_store *store; /* NULL: this rank has none */
	bool is_mine;
	char why[sizeof(((struct histree_error *)NULL)->message)]; /* why there is none */
};

/* The histories of one analysis. */
struct shard_analysis {
	char *name;
	struct histree_history_part *parts; /* of my hosts, until they are united */
	uint32_t *hosts;                    /* of the parts: index in the set */
	size_t count;
	bool has_times;
	histree_time start, end;         /* of my hosts */
	struct histree_history *history; /* NULL: not united yet, or I have none */
};

struct shard_set {
	const char *path, *local; /* borrowed */
	struct shard_host *hosts;
	size_t count, mine;
	struct shard_analysis *analyses;
	size_t analysis_count, analysis_capacity;
};

/* Writes the hosts of a store into a message: on rank 0, for all. */
void shard_set_describe(const struct histree_store_info *info, struct message *out);

/* Reads such a description, and looks for each host. */
enum histree_status shard_set_find(struct shard_set *set, const char *path, const char *local,
				   struct byte_reader *description, struct histree_error *error);

/* Keeps these hosts, and lets go of the others. */
void shard_set_keep(struct shard_set *set, const bool *mine);

/* Opens the histories of an analysis, if it has not done so. */
enum histree_status shard_set_open(struct shard_set *set, const char *analysis, struct shard_analysis **out,
				   struct histree_error *error);

/* Makes one history of them over these times; *out is NULL if this rank has no host. */
enum histree_status shard_set_history(struct shard_set *set, const char *analysis, histree_time start,
				      histree_time end, const struct shard_analysis **analysis_out,
				      struct histree_history **out, struct histree_error *error);

/*
 * Gets the history that an analysis made of a host of this rank; it is the set's.  HISTREE_NOT_FOUND: it made none.
 */
enum histree_status shard_set_host_history(struct shard_set *set, const char *analysis, size_t host,
					   struct histree_history **out, struct histree_error *error);

/* Returns the index in the set of the host that an attribute belongs to. */
uint32_t shard_set_host_of(const struct shard_analysis *analysis, histree_quark quark);

void shard_set_release(struct shard_set *set);

#endif
