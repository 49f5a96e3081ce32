// SPDX-License-Identifier: MIT
/*
 * viewer_hosts.c - several hosts in one file: each is walked over by itself, as if it were the only one.
 *
 * Viewers know processes by their numbers, and two hosts have the same ones: those of a host are raised by 2^22,
 * more than which Linux has not, for each host before it, and names of processes and groups begin with that of the
 * host.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "export/viewer/viewer_walk.h"

/* What two walks of one kind differ in. */
struct host_walk {
	struct viewer_walk walk;
	struct histree_viewer_request request;
	struct histree_segment_query query; /* of segments: with a filter by host */
	histree_quark *quarks;
	const char *host;
	bool (*host_filter)(void *context, const char *host);
	void *host_context;
};

/* The attributes of the host among those that are wanted. */
static enum histree_status choose_quarks(struct host_walk *one, const struct histree_history_host *host,
					 struct histree_error *error)
{
	struct histree_viewer_request *request = &one->request;
	size_t first = 0, count = 0;
	if (request->quarks == NULL)
		return HISTREE_OK;
	while (first < request->quark_count && request->quarks[first] <= host->folder)
		first++;
	while (first + count < request->quark_count && request->quarks[first + count] <= host->folder + host->count)
		count++;
	one->quarks = malloc((count + 1) * sizeof(*one->quarks));
	if (one->quarks == NULL)
		return error_memory(error, "the tracks of the export");
	for (size_t i = 0; i < count; i++)
		one->quarks[i] = request->quarks[first + i] - host->folder - 1;
	request->quarks = one->quarks;
	request->quark_count = count;
	return HISTREE_OK;
}

static struct histree_segment_store *part_of(struct histree_segment_store *store, const char *host)
{
	size_t count = 0;
	const struct histree_segment_part *parts =
		store != NULL ? histree_segment_store_parts(store, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		if (strcmp(parts[i].name, host) == 0)
			return parts[i].store;
	return NULL;
}

static enum histree_status walk_states(struct host_walk *one, const struct histree_history_host *host)
{
	struct histree_viewer_request *request = &one->request;
	if (host->history == NULL) {
		one->walk.counts->damaged_nodes += host->why != NULL && request->quarks == NULL;
		return one->walk.file->status;
	}
	const struct histree_history_info *info = histree_history_info(host->history);
	request->history = host->history;
	request->from = request->from > info->start ? request->from : info->start;
	request->to = request->to < info->end ? request->to : info->end;
	request->wakeups = part_of(request->wakeups, host->name);
	request->flows = part_of(request->flows, host->name);
	enum histree_status status = choose_quarks(one, host, one->walk.file->error);
	if (status != HISTREE_OK)
		return viewer_walk_fail(&one->walk, status);
	if (request->from > request->to || (request->quarks != NULL && request->quark_count == 0))
		return one->walk.file->status;
	return viewer_walk_states(&one->walk);
}

/* ---- segments --------------------------------------------------------------------------------------------- */

static bool is_this_host(void *context, const char *host)
{
	struct host_walk *one = context;
	return strcmp(host, one->host) == 0 &&
	       (one->host_filter == NULL || one->host_filter(one->host_context, host));
}

static struct histree_history *history_of(struct histree_history *history, const char *host)
{
	size_t count = 0;
	const struct histree_history_host *hosts = history != NULL ? histree_history_hosts(history, &count) : NULL;
	for (size_t i = 0; i < count; i++)
		if (strcmp(hosts[i].name, host) == 0)
			return hosts[i].history;
	return NULL;
}

static enum histree_status walk_segments(struct host_walk *one, const char *host)
{
	struct histree_viewer_request *request = &one->request;
	one->query = request->query != NULL ? *request->query : HISTREE_SEGMENTS_ALL;
	one->host = host;
	one->host_filter = one->query.host_filter;
	one->host_context = one->query.host_context;
	one->query.host_filter = is_this_host;
	one->query.host_context = one;
	request->query = &one->query;
	request->names = history_of(request->names, host);
	return viewer_walk_segments(&one->walk);
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static enum histree_status check_count(const struct viewer_walk *walk, size_t count)
{
	return count <= VIEWER_HOSTS_MAX ? HISTREE_OK
					 : error_set(walk->file->error, HISTREE_ERR_TOO_LARGE,
						     "a file for a viewer has numbers for the processes of %d "
						     "hosts, and these are %zu; "
						     "export some of them by patterns, or by a filter",
						     VIEWER_HOSTS_MAX, count);
}

size_t viewer_host_count(const struct histree_viewer_request *request)
{
	size_t count = 0;
	if (request->history != NULL)
		histree_history_hosts(request->history, &count);
	else if (request->segments != NULL)
		histree_segment_store_parts(request->segments, &count);
	else
		histree_events_hosts(request->events, &count);
	return count;
}

enum histree_status viewer_walk_hosts(struct viewer_walk *walk)
{
	const struct histree_viewer_request *request = walk->request;
	size_t count;
	const struct histree_history_host *hosts =
		request->history != NULL ? histree_history_hosts(request->history, &count) : NULL;
	const struct histree_segment_part *parts =
		request->segments != NULL ? histree_segment_store_parts(request->segments, &count) : NULL;
	count = viewer_host_count(request);
	if (check_count(walk, count) != HISTREE_OK)
		return viewer_walk_fail(walk, HISTREE_ERR_TOO_LARGE);
	if (hosts == NULL && parts == NULL) /* each event says its own, and they are in one order */
		return viewer_walk_events(walk);
	bool has_any = false;
	for (size_t i = 0; i < count && walk->file->status == HISTREE_OK; i++) {
		struct host_walk one = { .walk = *walk, .request = *request };
		one.walk.request = &one.request;
		one.walk.share_from = (double)i / (double)count;
		one.walk.share_of = 1 / (double)count;
		viewer_file_host(walk->file, (uint32_t)i + 1, hosts != NULL ? hosts[i].name : parts[i].name);
		if (hosts != NULL)
			walk_states(&one, &hosts[i]);
		else
			walk_segments(&one, parts[i].name);
		walk->since_shown = one.walk.since_shown;
		free(one.quarks);
		/* A host need not have what another one has. */
		if (walk->file->status == HISTREE_NOT_FOUND)
			walk->file->status = HISTREE_OK;
		has_any = has_any || hosts == NULL || walk->file->rows > 0;
		viewer_file_catch_up(walk->file);
	}
	if (walk->file->status == HISTREE_OK && !has_any)
		viewer_walk_fail(walk, error_set(walk->file->error, HISTREE_NOT_FOUND,
						 "the history has no states that a viewer could show"));
	return walk->file->status;
}
