/* SPDX-License-Identifier: MIT */
/*
 * hosts_summary.h - the manifest of a store of several hosts, added up from the manifests of the hosts.
 */
#ifndef PIPELINE_HOSTS_SUMMARY_H
#define PIPELINE_HOSTS_SUMMARY_H

#include "base/arena.h"
#include "base/io.h"
#include "histree/store.h"

/* Lists are in an arena of the caller's. */
struct hosts_summary {
	struct histree_store_info *info; /* that is filled in */
	struct histree_store_host *hosts;
	struct histree_store_history *histories;
	struct histree_store_segments *segments;
	const char **lacking;
};

/* `hosts` has the names, folders and clocks, in an arena that outlives the summary. */
enum histree_status hosts_summary_begin(struct hosts_summary *summary, struct arena *arena,
					struct histree_store_info *info, struct histree_store_host *hosts,
					size_t count, struct histree_error *error);

/* The store of a host is made: its times, counts and analyses are part of all. */
void hosts_summary_add(struct hosts_summary *summary, size_t index, const struct histree_store_info *host);

/* Returns whether an analysis made a history or segments of a host. */
bool hosts_summary_has(const struct hosts_summary *summary, const char *analysis);

/* NULL: no clock. */
bool host_clock_is_same(const struct histree_clock *a, const struct histree_clock *b);

/* Make the folder that the stores of the hosts are in.  It may be there. */
enum histree_status hosts_folder_make(const struct io *io, const char *store, struct histree_error *error);

#endif
