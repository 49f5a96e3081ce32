/* SPDX-License-Identifier: MIT */
/*
 * union_history.h - a history of several hosts made up from a seed: workloads of any kind in files of any variant,
 * or in memory, and the array of what all of them together must hold.
 */
#ifndef SUPPORT_UNION_HISTORY_H
#define SUPPORT_UNION_HISTORY_H

#include "histree/history.h"
#include "support/reference.h"
#include "support/workload.h"

enum { UNION_HOSTS_MAX = 7, UNION_PATH_SIZE = 80 };

/* A zeroed one can be released. */
struct union_history {
	size_t host_count;
	struct workload workloads[UNION_HOSTS_MAX];
	char paths[UNION_HOSTS_MAX][UNION_PATH_SIZE]; /* "": in memory */
	struct histree_history *history;
	struct reference reference; /* but for the folders of hosts that are missing, which it says nothing of */
	size_t missing_count;
	histree_quark missing[UNION_HOSTS_MAX]; /* their folders */
	bool lends;                             /* somebody else answers for a host */
};

struct union_wishes {
	const struct workload_kind *kind; /* of the first host */
	uint64_t seed;
	const char *path; /* of the files, to which a number is added; NULL: all in memory */
	size_t cache_bytes;
	bool may_miss; /* some hosts are missing or have no history */
	bool may_lend; /* somebody else answers for some hosts (local_source.h) */
};

/* False: something went wrong, which `fault` says. */
bool union_history_make(struct union_history *made, const struct union_wishes *wishes, char fault[512]);

/* Closes the history and removes the files. */
void union_history_release(struct union_history *made);

#endif
