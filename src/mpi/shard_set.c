// SPDX-License-Identifier: MIT
/*
 * shard_set.c - which hosts a store has, where this rank finds them, and which of them it answers for.
 */
#include "mpi/shard_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/table.h"
#include "base/error.h"

void shard_set_describe(const struct histree_store_info *info, struct message *out)
{
	bool of_one = info->host_count == 0;
	message_number(out, of_one ? 1 : info->host_count);
	for (size_t i = 0; i < info->host_count; i++) {
		message_string(out, info->hosts[i].name);
		message_string(out, info->hosts[i].folder);
		message_number(out, info->hosts[i].event_count);
		message_signed(out, info->hosts[i].start);
		message_signed(out, info->hosts[i].end);
	}
	if (of_one) {
		message_string(out, "");
		message_string(out, "");
		message_number(out, info->event_count);
		message_signed(out, info->start);
		message_signed(out, info->end);
	}
}

static enum histree_status read_hosts(struct shard_set *set, struct byte_reader *reader,
				      struct histree_error *error)
{
	uint64_t count = read_varint(reader);
	if (reader->failed || count > byte_reader_left(reader))
		return error_set(error, HISTREE_ERR_FORMAT, "the list of hosts is damaged");
	set->hosts = calloc((size_t)count + 1, sizeof(*set->hosts));
	if (set->hosts == NULL)
		return error_memory(error, "the hosts");
	for (; set->count < count; set->count++) {
		struct shard_host *host = &set->hosts[set->count];
		host->name = message_text_copy(read_text(reader));
		host->folder = message_text_copy(read_text(reader));
		host->event_count = read_varint(reader);
		host->start = read_signed(reader);
		host->end = read_signed(reader);
		if (host->name == NULL || host->folder == NULL) {
			set->count++;
			return error_memory(error, "the hosts");
		}
	}
	return reader->failed ? error_set(error, HISTREE_ERR_FORMAT, "the list of hosts is damaged") : HISTREE_OK;
}

/* Whether a store is the one that the manifest means. */
static bool is_meant(const struct shard_host *host, const struct histree_store_info *info)
{
	return info->complete && info->host_count == 0 && info->event_count == host->event_count &&
	       info->start == host->start && info->end == host->end;
}

static void look_at(struct shard_host *host, const char *folder, enum shard_place place)
{
	struct histree_error error = { 0 };
	char *path = NULL;
	bool of_one = *host->folder == '\0' && place == SHARD_IN_STORE;
	if (host->store != NULL || asprintf(&path, of_one ? "%s" : "%s/%s", folder, host->folder) < 0)
		return;
	if (place == SHARD_LOCAL && access(path, F_OK) != 0) {
		/* It need not be there. */
	} else if (!of_one && access(path, F_OK) != 0) { /* as histree_store_host() says it */
		snprintf(host->why, sizeof(host->why),
			 "there is no store '%s': put its folder back, or make all of it again with 'histree "
			 "rebuild'",
			 path);
	} else if (histree_store_open(path, &host->store, &error) != HISTREE_OK) {
		snprintf(host->why, sizeof(host->why), "%s", error.message);
	} else if (!of_one && !is_meant(host, histree_store_info(host->store))) {
		snprintf(host->why, sizeof(host->why), "'%s' is of another build", path);
		histree_store_close(host->store);
		host->store = NULL;
	} else {
		host->place = place;
	}
	free(path);
}

enum histree_status shard_set_find(struct shard_set *set, const char *path, const char *local,
				   struct byte_reader *description, struct histree_error *error)
{
	*set = (struct shard_set){ .path = path, .local = local };
	enum histree_status status = read_hosts(set, description, error);
	for (size_t i = 0; i < set->count && status == HISTREE_OK; i++) {
		if (local != NULL)
			look_at(&set->hosts[i], local, SHARD_LOCAL);
		look_at(&set->hosts[i], path, SHARD_IN_STORE);
	}
	return status;
}

void shard_set_keep(struct shard_set *set, const bool *mine)
{
	for (size_t i = 0; i < set->count; i++) {
		struct shard_host *host = &set->hosts[i];
		if (!mine[i]) {
			histree_store_close(host->store);
			host->store = NULL;
		}
	}
}

void shard_set_release(struct shard_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		histree_store_close(set->hosts[i].store);
		free(set->hosts[i].name);
		free(set->hosts[i].folder);
	}
	free(set->hosts);
	*set = (struct shard_set){ 0 };
}
