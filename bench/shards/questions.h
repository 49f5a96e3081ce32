/* SPDX-License-Identifier: MIT */
/*
 * questions.h - what a history of hosts is asked, by the library and in SQL; and where in it the hosts are.
 */
#ifndef BENCH_SHARDS_QUESTIONS_H
#define BENCH_SHARDS_QUESTIONS_H

#include <sqlite3.h>

#include "base/hash_index.h"
#include "shards/shard_files.h"

/* A history that is asked.  Attribute i of host h is first + h * each + i. */
struct asked {
	struct histree_store *store; /* NULL: the history is a file */
	struct histree_history *history;
	struct histree_cursor *query;
	struct histree_cursor *rows;
	sqlite3 *db;
	sqlite3_stmt *single, *moment, *range;
	histree_quark first, each;
	uint32_t hosts;
	histree_time end;

	struct random random;
	uint64_t found, visited, loaded; /* states or cells; nodes */
};

/* Open a file or a store, with a cache of so many bytes (0: the default), to be asked of these hosts. */
void asked_open(struct asked *asked, const char *path, size_t cache_bytes, unsigned threads);

/* Ask about other hosts from here on. */
void asked_place(struct asked *asked, histree_quark first, histree_quark each, uint32_t hosts);
void asked_close(struct asked *asked);

struct question {
	const char *name;
	void (*ask)(struct asked *asked);
	unsigned times;  /* in a round */
	bool is_of_all;  /* it has all hosts, whoever is asked */
	bool has_counts; /* of nodes */
};

extern const struct question questions[];
extern const size_t question_count;

#endif
