// SPDX-License-Identifier: MIT
/*
 * viewer_export.c - a file for a viewer, of a history, segments or events.
 *
 * Several hosts are in one file: each is walked over by itself, as if it were the only one.  Viewers know processes
 * by their numbers, and two hosts have the same ones: those of a host are raised by 2^22, more than which Linux has
 * not, for each host before it, and names of processes and groups begin with that of the host.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "export/viewer/viewer_walk.h"

/* ---- hosts ------------------------------------------------------------------------------------------------- */

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
		viewer_walk_lose(&one->walk,
				 (struct histree_loss){ .nodes = host->why != NULL && request->quarks == NULL });
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

/* How many hosts the content of a request has; 0: it is of one host. */
static size_t viewer_host_count(const struct histree_viewer_request *request)
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

static enum histree_status viewer_walk_hosts(struct viewer_walk *walk)
{
	const struct histree_viewer_request *request = walk->request;
	size_t count;
	const struct histree_history_host *hosts =
		request->history != NULL ? histree_history_hosts(request->history, &count) : NULL;
	const struct histree_segment_part *parts =
		request->segments != NULL ? histree_segment_store_parts(request->segments, &count) : NULL;
	count = viewer_host_count(request);
	walk->file->host_count = (uint32_t)count;
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

/* ---- the file ---------------------------------------------------------------------------------------------- */

/* Progress is asked for and shown once in this many steps. */
enum { STEPS_EVERY = 4096 };

bool viewer_walk_goes_on(struct viewer_walk *walk, histree_time time)
{
	const struct histree_viewer_request *request = walk->request;
	struct viewer_file *file = walk->file;
	if (file->output->status != HISTREE_OK)
		viewer_walk_fail(walk, file->output->status);
	if (file->status != HISTREE_OK || ++walk->since_shown < STEPS_EVERY)
		return file->status == HISTREE_OK;
	walk->since_shown = 0;
	if (request->work.go_on != NULL && !request->work.go_on(request->work.context))
		viewer_walk_fail(walk, error_set(file->error, HISTREE_ERR_CANCELLED, "cancelled"));
	double length = (double)request->to - (double)request->from + 1;
	double share = ((double)time - (double)request->from) / length;
	if (walk->share_of > 0)
		share = walk->share_from + share * walk->share_of;
	const struct histree_progress now = { .share = share < 0   ? 0
						       : share > 1 ? 1
								   : share,
					      .rows = walk->counts->rows };
	if (request->work.progress != NULL)
		request->work.progress(request->work.context, &now);
	return file->status == HISTREE_OK;
}

static enum histree_status check_request(const struct histree_viewer_request *request, struct histree_error *error)
{
	int contents = (request->history != NULL) + (request->segments != NULL) + (request->events != NULL);
	if (contents != 1)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a viewer is shown a history, segments or events: one of them");
	if (request->from > request->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %lld to %lld", (long long)request->from,
				 (long long)request->to);
	if (request->history == NULL)
		return HISTREE_OK;
	const struct histree_history_info *info = histree_history_info(request->history);
	if (request->from < info->start || request->to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "an export from %lld to %lld; the history goes from %lld to %lld",
				 (long long)request->from, (long long)request->to, (long long)info->start,
				 (long long)info->end);
	return HISTREE_OK;
}

static const char *title_of(const struct histree_viewer_request *request)
{
	if (request->title != NULL)
		return request->title;
	if (request->history != NULL)
		return histree_history_info(request->history)->provider;
	return request->segments != NULL ? histree_segment_store_info(request->segments)->schema.provider
					 : "events";
}

static enum histree_status write_file(const struct histree_viewer_request *request, struct export_output *output,
				      struct histree_export_counts *counts, struct histree_error *error)
{
	static const struct viewer_format *const formats[] = {
		[HISTREE_VIEWER_CHROME] = &viewer_chrome, [HISTREE_VIEWER_PERFETTO] = &viewer_perfetto
	};
	const struct viewer_head head = { .title = title_of(request), .origin = request->origin };
	struct viewer_file file;
	struct viewer_walk walk = { .request = request, .file = &file, .counts = counts };
	if (viewer_file_begin(&file, formats[request->format], output, &head, error) == HISTREE_OK) {
		if (viewer_host_count(request) > 0)
			viewer_walk_hosts(&walk);
		else if (request->history != NULL)
			viewer_walk_states(&walk);
		else if (request->segments != NULL)
			viewer_walk_segments(&walk);
		else
			viewer_walk_events(&walk);
	}
	enum histree_status status = viewer_file_end(&file);
	counts->rows = file.rows;
	counts->bytes = output->size;
	counts->files = 1;
	return status;
}

enum histree_status viewer_export(const struct histree_viewer_request *request, const struct io *io,
				  const char *path, struct histree_error *error)
{
	struct histree_error own; /* a walk may look at what was said */
	struct histree_export_counts counts = { 0 };
	struct export_output output;
	error = error != NULL ? error : &own;
	enum histree_status status = check_request(request, error);
	if (status != HISTREE_OK)
		return status;
	if (path == NULL)
		export_output_use(&output, request->descriptor);
	else if ((status = export_output_open(&output, io, path, error)) != HISTREE_OK)
		return status;
	status = write_file(request, &output, &counts, error);
	if (request->counts != NULL)
		*request->counts = counts;
	return export_output_finish(&output, status, error);
}

enum histree_status histree_export_viewer(const struct histree_viewer_request *request, const char *path,
					  struct histree_error *error)
{
	return viewer_export(request, &io_posix, path, error);
}
