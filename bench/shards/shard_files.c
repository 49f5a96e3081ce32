// SPDX-License-Identifier: MIT
#include "shards/shard_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/hash_index.h"
#include "store_folder/manifest.h"

enum { STEP_NS = 10000 }; /* from one change of a host to its next */

void check(enum histree_status status, const struct histree_error *error)
{
	if (status >= HISTREE_OK)
		return;
	fprintf(stderr, "shards: %s\n", error->message);
	exit(1);
}

void shard_files_one(const char *folder, char *path)
{
	snprintf(path, PATH_SIZE, "%s/one.sht", folder);
}

void shard_files_store(const char *folder, char *path)
{
	snprintf(path, PATH_SIZE, "%s/shards.histree", folder);
}

void shard_files_shard(const char *folder, uint32_t host, char *path)
{
	snprintf(path, PATH_SIZE, "%s/shards.histree/hosts/host-%" PRIu32 "/bench.sht", folder, host);
}

/* ---- histories -------------------------------------------------------------------------------------------- */

/* In one file a host has a folder; in its own, the union gives it one. */
static void name_attributes(struct histree_state_system *system, uint32_t host, bool has_folder,
			    histree_quark *quarks)
{
	struct histree_error error;
	histree_quark folder = HISTREE_ROOT;
	char name[64];
	snprintf(name, sizeof(name), "host-%" PRIu32, host);
	if (has_folder) {
		check(histree_state_attribute(system, HISTREE_ROOT, name, &folder, &error), &error);
		check(histree_state_folder(system, folder, &error), &error);
	}
	for (uint32_t i = 0; i < ATTRIBUTES; i++) {
		snprintf(name, sizeof(name), "%" PRIu32, i);
		check(histree_state_attribute(system, folder, name, &quarks[i], &error), &error);
	}
}

/* The states of a host are the same whoever is beside it, and all histories end at one time. */
static void make_history(const char *path, uint32_t first, uint32_t count, uint32_t of, uint64_t states)
{
	const struct histree_history_options options = { .path = path, .provider = "bench" };
	struct histree_state_system *system;
	struct histree_error error;
	histree_quark *quarks = calloc((size_t)count * ATTRIBUTES, sizeof(*quarks));
	struct random *random = calloc(count, sizeof(*random));
	if (quarks == NULL || random == NULL)
		exit(1);
	check(histree_state_create(&options, &system, &error), &error);
	for (uint32_t i = 0; i < count; i++) {
		random[i].state = first + i + 1;
		name_attributes(system, first + i, count > 1, quarks + (size_t)i * ATTRIBUTES);
	}
	for (uint64_t step = 0; step < states; step++)
		for (uint32_t i = 0; i < count; i++) {
			histree_quark quark = quarks[(size_t)i * ATTRIBUTES + random_below(&random[i], ATTRIBUTES)];
			int32_t value = (int32_t)random_below(&random[i], 6);
			histree_time t = (histree_time)(step * STEP_NS + (uint64_t)(first + i) * STEP_NS / of);
			check(histree_state_modify(system, t, quark, histree_int(value), &error), &error);
		}
	check(histree_state_close(system, (histree_time)(states * STEP_NS), &error), &error);
	histree_state_free(system);
	free(quarks);
	free(random);
}

/* ---- stores ----------------------------------------------------------------------------------------------- */

static void make_folder(const char *path)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return;
	perror(path);
	exit(1);
}

static void write_manifest(const char *folder, struct histree_store_info *info, uint64_t identity, uint64_t states)
{
	const struct histree_store_history history = { .analysis = "bench",
						       .file = "bench.sht",
						       .identity = identity };
	char path[PATH_SIZE + 128];
	struct histree_error error;
	info->index_identity = identity; /* of an index that nobody asks for */
	info->made_by = "a benchmark";
	info->complete = true;
	info->end = (histree_time)(states * STEP_NS);
	info->histories = &history;
	info->history_count = 1;
	snprintf(path, sizeof(path), "%s/%s", folder, MANIFEST_FILE);
	check(manifest_write(&io_posix, path, info, &error), &error);
}

static void make_host(const char *store, uint32_t host, uint32_t of, uint64_t states)
{
	char folder[PATH_SIZE + 64], path[PATH_SIZE + 80], name[32];
	snprintf(name, sizeof(name), "host-%" PRIu32, host);
	snprintf(folder, sizeof(folder), "%s/hosts/%s", store, name);
	snprintf(path, sizeof(path), "%s/bench.sht", folder);
	struct histree_history *history;
	struct histree_error error;
	make_folder(folder);
	make_history(path, host, 1, of, states);
	check(histree_history_open(path, NULL, &history, &error), &error);
	write_manifest(folder, &(struct histree_store_info){ .host = name },
		       histree_history_info(history)->identity, states);
	histree_history_close(history);
}

static void make_store(const char *path, uint32_t hosts, uint64_t states)
{
	static struct histree_store_host list[HOSTS_MAX];
	static char names[HOSTS_MAX][32], folders[HOSTS_MAX][48];
	char folder[PATH_SIZE + 16];
	snprintf(folder, sizeof(folder), "%s/hosts", path);
	make_folder(path);
	make_folder(folder);
	for (uint32_t i = 0; i < hosts; i++) {
		make_host(path, i, hosts, states);
		snprintf(names[i], sizeof(names[i]), "host-%" PRIu32, i);
		snprintf(folders[i], sizeof(folders[i]), "hosts/host-%" PRIu32, i);
		list[i] = (struct histree_store_host){ .name = names[i],
						       .folder = folders[i],
						       .end = (histree_time)(states * STEP_NS) };
	}
	write_manifest(path, &(struct histree_store_info){ .hosts = list, .host_count = hosts }, 0, states);
}

void shard_files_make(const char *folder, uint32_t hosts, uint64_t states)
{
	char path[PATH_SIZE];
	shard_files_one(folder, path);
	if (access(path, F_OK) != 0)
		make_history(path, 0, hosts, hosts, states);
	shard_files_store(folder, path);
	if (access(path, F_OK) != 0)
		make_store(path, hosts, states);
}
