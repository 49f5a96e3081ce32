/* SPDX-License-Identifier: MIT */
/*
 * shard_files.h - the same states as one file, and as a store of several hosts with a shard each.
 *
 *	FOLDER/one.sht			all of them
 *	FOLDER/shards.histree		the store; that of host 3 is in hosts/host-3 in it
 *
 * A host has 100 attributes, below a folder of its name, whose states, 1 ms long on average, follow one another.
 * No two hosts change at one time, as clocks of hosts have nothing in common.
 */
#ifndef BENCH_SHARDS_SHARD_FILES_H
#define BENCH_SHARDS_SHARD_FILES_H

#include "histree/histree.h"

enum { HOSTS_MAX = 1024, ATTRIBUTES = 100, PATH_SIZE = 4096 };

/* Ends the program with a sentence if something failed. */
void check(enum histree_status status, const struct histree_error *error);

/* Make what is not there yet. */
void shard_files_make(const char *folder, uint32_t hosts, uint64_t states);

void shard_files_one(const char *folder, char *path);
void shard_files_store(const char *folder, char *path);
void shard_files_shard(const char *folder, uint32_t host, char *path);

#endif
