// SPDX-License-Identifier: MIT
#include "mpi/shard_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"

/* ---- which hosts there are ------------------------------------------------------------------------------ */

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

/* A terminated copy, to be freed; NULL without memory. */
static char *copy_text(struct byte_reader *reader)
{
	return message_text_copy(read_text(reader));
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
		host->name = copy_text(reader);
		host->folder = copy_text(reader);
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
	set->mine = 0;
	for (size_t i = 0; i < set->count; i++) {
		struct shard_host *host = &set->hosts[i];
		host->is_mine = mine[i];
		set->mine += mine[i];
		if (!mine[i]) {
			histree_store_close(host->store);
			host->store = NULL;
		}
	}
}

/* ---- their histories ------------------------------------------------------------------------------------ */

static void close_parts(struct shard_analysis *analysis)
{
	for (size_t i = 0; i < analysis->count && analysis->parts != NULL; i++)
		histree_history_close(analysis->parts[i].history);
	free(analysis->parts);
	analysis->parts = NULL;
}

static void widen(struct shard_analysis *analysis, const struct histree_history_info *info)
{
	if (!analysis->has_times || info->start < analysis->start)
		analysis->start = info->start;
	if (!analysis->has_times || info->end > analysis->end)
		analysis->end = info->end;
	analysis->has_times = true;
}

/* What cannot be opened is a part that says why; a host without this analysis is one that says nothing. */
static void open_part(struct shard_analysis *analysis, struct shard_host *host, uint32_t index)
{
	struct histree_error error = { 0 };
	struct histree_history_part *part = &analysis->parts[analysis->count];
	*part = (struct histree_history_part){ .name = host->name };
	analysis->hosts[analysis->count++] = index;
	if (host->store == NULL) {
		part->why = host->why;
		return;
	}
	enum histree_status status =
		histree_store_history(host->store, analysis->name, true, NULL, &part->history, &error);
	if (status == HISTREE_OK)
		widen(analysis, histree_history_info(part->history));
	else if (status != HISTREE_NOT_FOUND) {
		snprintf(host->why, sizeof(host->why), "%s", error.message);
		part->why = host->why;
	}
}

static struct shard_analysis *find_analysis(struct shard_set *set, const char *name)
{
	for (size_t i = 0; i < set->analysis_count; i++)
		if (strcmp(set->analyses[i].name, name) == 0)
			return &set->analyses[i];
	return NULL;
}

enum histree_status shard_set_open(struct shard_set *set, const char *name, struct shard_analysis **out,
				   struct histree_error *error)
{
	*out = find_analysis(set, name);
	if (*out != NULL)
		return HISTREE_OK;
	struct shard_analysis analysis = {
		.name = strdup(name),
		.parts = calloc(set->mine + 1, sizeof(*analysis.parts)),
		.hosts = calloc(set->mine + 1, sizeof(*analysis.hosts)),
	};
	if (analysis.name == NULL || analysis.parts == NULL || analysis.hosts == NULL ||
	    !array_reserve(&set->analyses, &set->analysis_capacity, set->analysis_count + 1)) {
		free(analysis.name);
		free(analysis.parts);
		free(analysis.hosts);
		return error_memory(error, "the histories");
	}
	for (size_t i = 0; i < set->count; i++)
		if (set->hosts[i].is_mine)
			open_part(&analysis, &set->hosts[i], (uint32_t)i);
	set->analyses[set->analysis_count] = analysis;
	*out = &set->analyses[set->analysis_count++];
	return HISTREE_OK;
}

enum histree_status shard_set_history(struct shard_set *set, const char *name, histree_time start, histree_time end,
				      const struct shard_analysis **analysis_out, struct histree_history **out,
				      struct histree_error *error)
{
	struct shard_analysis *analysis;
	*out = NULL;
	enum histree_status status = shard_set_open(set, name, &analysis, error);
	if (status != HISTREE_OK)
		return status;
	*analysis_out = analysis;
	if (analysis->history == NULL && analysis->parts != NULL && analysis->has_times) {
		struct histree_history_part *parts = analysis->parts;
		analysis->parts = NULL; /* they are taken, whatever comes of it */
		if (*set->hosts[analysis->hosts[0]].name == '\0')
			analysis->history = parts[0].history;
		else
			status = histree_history_unite_within(parts, analysis->count, start, end,
							      &analysis->history, error);
		free(parts);
	}
	*out = analysis->history;
	return status;
}

/* The part of a host is there before the union and in it. */
static struct histree_history *part_of(const struct shard_analysis *analysis, size_t index, const char **why)
{
	size_t count;
	*why = NULL;
	if (analysis->history == NULL) {
		*why = analysis->parts != NULL ? analysis->parts[index].why : NULL;
		return analysis->parts != NULL ? analysis->parts[index].history : NULL;
	}
	const struct histree_history_host *hosts = histree_history_hosts(analysis->history, &count);
	if (hosts == NULL)
		return analysis->history;
	*why = hosts[index].why;
	return hosts[index].history;
}

enum histree_status shard_set_host_history(struct shard_set *set, const char *name, size_t host,
					   struct histree_history **out, struct histree_error *error)
{
	struct shard_analysis *analysis;
	const char *why = NULL;
	*out = NULL;
	enum histree_status status = shard_set_open(set, name, &analysis, error);
	for (size_t i = 0; status == HISTREE_OK && i < analysis->count && *out == NULL && why == NULL; i++)
		if (analysis->hosts[i] == host)
			*out = part_of(analysis, i, &why);
	if (status == HISTREE_OK && why != NULL)
		return error_set(error, HISTREE_ERR_IO, "%s", why);
	return status == HISTREE_OK && *out == NULL ? HISTREE_NOT_FOUND : status;
}

uint32_t shard_set_host_of(const struct shard_analysis *analysis, histree_quark quark)
{
	return analysis->hosts[histree_history_host_of(analysis->history, quark)];
}

void shard_set_release(struct shard_set *set)
{
	for (size_t i = 0; i < set->analysis_count; i++) {
		close_parts(&set->analyses[i]);
		histree_history_close(set->analyses[i].history);
		free(set->analyses[i].hosts);
		free(set->analyses[i].name);
	}
	for (size_t i = 0; i < set->count; i++) {
		histree_store_close(set->hosts[i].store);
		free(set->hosts[i].name);
		free(set->hosts[i].folder);
	}
	free(set->analyses);
	free(set->hosts);
	*set = (struct shard_set){ 0 };
}
