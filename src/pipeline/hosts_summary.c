// SPDX-License-Identifier: MIT
/*
 * hosts_summary.c - the manifest of a store of several hosts: the histories and segments that they have, with their
 * counts added up, and the description of each host.
 */
#include "pipeline/hosts_summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"

enum histree_status hosts_summary_begin(struct hosts_summary *summary, struct arena *arena,
					struct histree_store_info *info, struct histree_store_host *hosts,
					size_t count, struct histree_error *error)
{
	*summary = (struct hosts_summary){ .info = info, .hosts = hosts };
	summary->histories = arena_allocate(arena, MANIFEST_ANALYSES_MAX * sizeof(*summary->histories),
					    _Alignof(struct histree_store_history));
	summary->segments = arena_allocate(arena, MANIFEST_ANALYSES_MAX * sizeof(*summary->segments),
					   _Alignof(struct histree_store_segments));
	summary->lacking =
		arena_allocate(arena, MANIFEST_ANALYSES_MAX * sizeof(*summary->lacking), _Alignof(const char *));
	if (summary->histories == NULL || summary->segments == NULL || summary->lacking == NULL)
		return error_memory(error, "the manifest");
	info->hosts = hosts;
	info->host_count = count;
	info->histories = summary->histories;
	info->segments = summary->segments;
	info->lacking = summary->lacking;
	info->history_count = info->segments_count = info->lacking_count = 0;
	return HISTREE_OK;
}

static struct histree_store_history *history_of(const struct hosts_summary *summary, const char *analysis)
{
	for (size_t i = 0; i < summary->info->history_count; i++)
		if (strcmp(summary->histories[i].analysis, analysis) == 0)
			return &summary->histories[i];
	return NULL;
}

static struct histree_store_segments *segments_of(const struct hosts_summary *summary, const char *analysis)
{
	for (size_t i = 0; i < summary->info->segments_count; i++)
		if (strcmp(summary->segments[i].analysis, analysis) == 0)
			return &summary->segments[i];
	return NULL;
}

bool hosts_summary_has(const struct hosts_summary *summary, const char *analysis)
{
	return history_of(summary, analysis) != NULL || segments_of(summary, analysis) != NULL;
}

/* Which files it means is said by the manifest of each host. */
static void add_analyses(struct hosts_summary *summary, const struct histree_store_info *host)
{
	struct histree_store_info *info = summary->info;
	for (size_t i = 0; i < host->history_count; i++) {
		struct histree_store_history *history = history_of(summary, host->histories[i].analysis);
		if (history != NULL) {
			history->state_changes_refused += host->histories[i].state_changes_refused;
			continue;
		}
		if (info->history_count == MANIFEST_ANALYSES_MAX)
			break;
		history = &summary->histories[info->history_count++];
		*history = host->histories[i];
		history->identity = 0;
	}
	for (size_t i = 0; i < host->segments_count; i++) {
		struct histree_store_segments *segments = segments_of(summary, host->segments[i].analysis);
		if (segments != NULL) {
			segments->without_start += host->segments[i].without_start;
			segments->without_end += host->segments[i].without_end;
			continue;
		}
		if (info->segments_count == MANIFEST_ANALYSES_MAX)
			break;
		segments = &summary->segments[info->segments_count++];
		*segments = host->segments[i];
		segments->identity = 0;
	}
}

void hosts_summary_add(struct hosts_summary *summary, size_t index, const struct histree_store_info *host)
{
	struct histree_store_info *all = summary->info;
	struct histree_store_host *one = &summary->hosts[index];
	one->start = host->start;
	one->end = host->end;
	one->event_count = host->event_count;
	one->identity = host_folder_identity(host);
	all->start = index == 0 || host->start < all->start ? host->start : all->start;
	all->end = index == 0 || host->end > all->end ? host->end : all->end;
	all->partial = all->partial || host->partial;
	all->event_count += host->event_count;
	all->clock_steps_back += host->clock_steps_back;
	all->discarded_events += host->discarded_events;
	all->discarded_packets += host->discarded_packets;
	all->repeated_packets += host->repeated_packets;
	all->gap_count += host->gap_count;
	add_analyses(summary, host);

	/* What some hosts have no events for, and no host has. */
	struct histree_store_info *info = summary->info;
	size_t kept = 0;
	for (size_t i = 0; i < host->lacking_count; i++) {
		bool is_known = false;
		for (size_t at = 0; at < info->lacking_count; at++)
			is_known |= strcmp(summary->lacking[at], host->lacking[i]) == 0;
		if (!is_known && info->lacking_count < MANIFEST_ANALYSES_MAX)
			summary->lacking[info->lacking_count++] = host->lacking[i];
	}
	for (size_t i = 0; i < info->lacking_count; i++)
		if (!hosts_summary_has(summary, summary->lacking[i]))
			summary->lacking[kept++] = summary->lacking[i];
	info->lacking_count = kept;
}

bool host_clock_is_same(const struct histree_clock *a, const struct histree_clock *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return a->from == b->from && a->to == b->to && a->fraction == b->fraction && a->rate == b->rate &&
	       a->quality == b->quality;
}

enum histree_status hosts_folder_make(const struct io *io, const char *store, struct histree_error *error)
{
	char *path = NULL;
	if (asprintf(&path, "%s/" HOSTS_FOLDER, store) < 0)
		return error_memory(error, "a path");
	bool made = io->mkdir(io->context, path, 0777) == 0 || errno == EEXIST;
	enum histree_status status =
		made ? HISTREE_OK : error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", path, strerror(errno));
	free(path);
	return status;
}
