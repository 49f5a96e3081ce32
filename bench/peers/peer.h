/* SPDX-License-Identifier: MIT */
/*
 * peer.h - something that keeps intervals and answers queries, measured next to the others in one run.
 *
 * A peer is used as its manual says for this kind of work: loaded in the order in which the intervals end, in
 * large transactions, without a log, with the same cache as everyone, and asked in one thread.  A new peer is
 * one file peer_*.c and one line in peer.c.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "cli/bench.h"
#include "histree/history.h"
#include "peers/interval_source.h"

struct peer_setup {
	const struct interval_source *source;
	const char *folder; /* empty, the peer's own; what is in it counts as its size */
	size_t cache_bytes;
	struct histree_tree_options tree; /* of histree */
};

struct peer {
	const char *name;
	/* Take in every interval; *out is then ready for questions.  On failure there is nothing to free. */
	enum histree_status (*build)(const struct peer_setup *setup, void **out, struct histree_error *error);
	enum histree_status (*ask)(void *self, enum bench_shape shape, const struct histree_region *question,
				   struct bench_answer *answer, struct histree_error *error);
	uint64_t (*bytes)(const void *self); /* that it takes, where its files do not say; else NULL */
	void (*free)(void *self);
};

/* Those that this program was built with; NULL at the end. */
extern const struct peer *const peers[];

const struct peer *peer_find(const char *name);

extern const struct peer peer_histree, peer_array, peer_tide;
#ifdef HAVE_LMDB
extern const struct peer peer_lmdb;
#endif
#ifdef HAVE_ROCKSDB
extern const struct peer peer_rocksdb;
#endif
#ifdef HAVE_SQLITE
extern const struct peer peer_sqlite;
#endif
#ifdef HAVE_DUCKDB
extern const struct peer peer_duckdb;
#endif

#endif
