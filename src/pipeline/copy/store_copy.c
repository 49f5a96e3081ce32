// SPDX-License-Identifier: MIT
/*
 * store_copy.c - the walk of all copies: each file of a store goes through a filter, for one host after the other.
 *
 * A folder takes its name when it is complete.
 */
#include "pipeline/copy/store_copy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"
#include "event_index/event_index.h"
#include "histree/status.h"
#include "histree/store.h"
#include "pipeline/hosts_summary.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"

char *store_copy_path(struct arena *arena, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = arena_allocate(arena, size, 1);
	if (path != NULL)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

/* ---- how far it is ------------------------------------------------------------------------------------------- */

/* A missing manifest has no version: the caller reports it. */
static uint64_t bytes_of(const char *path)
{
	struct stat facts;
	return stat(path, &facts) == 0 && facts.st_size > 0 ? (uint64_t)facts.st_size : 0;
}

void file_work_plan(struct file_work *work, const char *path)
{
	work->bytes_total += bytes_of(path);
}

void file_work_begin(struct file_work *work, const char *path)
{
	work->bytes_done += work->bytes_here;
	work->bytes_here = bytes_of(path);
}

bool file_work_goes_on(const struct file_work *work, double share)
{
	const struct histree_work *caller = &work->caller;
	if (caller->progress != NULL && work->bytes_total > 0) {
		double bytes = (double)work->bytes_done + (double)work->bytes_here * share;
		double whole = (double)work->bytes_total;
		const struct histree_progress now = { .share = bytes < whole ? bytes / whole : 1,
						      .bytes = (uint64_t)bytes,
						      .bytes_total = work->bytes_total };
		caller->progress(caller->context, &now);
	}
	return !cancel_asked(caller);
}

/* ---- what there is ------------------------------------------------------------------------------------------- */

static enum histree_status add_history(struct store_copy *copy, struct histree_store_history history)
{
	if (!array_reserve(&copy->histories, &copy->histories_capacity, copy->history_count + 1))
		return error_memory(copy->error, "a store");
	copy->histories[copy->history_count++] = history;
	return HISTREE_OK;
}

static enum histree_status add_segments(struct store_copy *copy, struct histree_store_segments segments)
{
	if (!array_reserve(&copy->segments, &copy->segments_capacity, copy->segments_count + 1))
		return error_memory(copy->error, "a store");
	copy->segments[copy->segments_count++] = segments;
	return HISTREE_OK;
}

enum histree_status store_copy_warn(struct store_copy *copy, const char *warning)
{
	const char *kept = arena_copy(&copy->arena, warning, strlen(warning));
	if (kept == NULL || !array_reserve(&copy->warnings, &copy->warnings_capacity, copy->warning_count + 1))
		return error_memory(copy->error, "a store");
	copy->warnings[copy->warning_count++] = kept;
	return HISTREE_OK;
}

static bool has_suffix(const char *name, size_t length, const char *suffix)
{
	return length > 4 && strcmp(name + length - 4, suffix) == 0;
}

/* A history or a segment store that is in the folder; of each there are no more than a manifest may name. */
static enum histree_status take_found(struct store_copy *copy, const char *name)
{
	size_t length = strlen(name);
	bool is_history = has_suffix(name, length, ".sht");
	size_t count = is_history ? copy->history_count : copy->segments_count;
	if (!is_history && !has_suffix(name, length, ".seg"))
		return HISTREE_OK;
	if (count == MANIFEST_ANALYSES_MAX)
		return error_set(copy->error, HISTREE_ERR_TOO_LARGE,
				 "'%s' and %d others are in the folder: more than a store has; 'histree copy "
				 "--repair' makes "
				 "a sound file of each alone",
				 name, MANIFEST_ANALYSES_MAX);
	const char *file = arena_copy(&copy->arena, name, length);
	const char *analysis = arena_copy(&copy->arena, name, length - 4);
	if (file == NULL || analysis == NULL)
		return error_memory(copy->error, "a store");
	return is_history
		       ? add_history(copy, (struct histree_store_history){ .analysis = analysis, .file = file })
		       : add_segments(copy, (struct histree_store_segments){ .analysis = analysis, .file = file });
}

struct finding {
	struct store_copy *copy;
	enum histree_status status;
};

static bool add_found(void *names, const char *name)
{
	struct finding *finding = names;
	finding->status = take_found(finding->copy, name);
	return finding->status == HISTREE_OK;
}

enum histree_status store_copy_find_files(struct store_copy *copy, const char *folder)
{
	struct finding finding = { .copy = copy };
	enum histree_status status = io_list(copy->io, folder, add_found, &finding, copy->error);
	return status == HISTREE_OK ? finding.status : status;
}

/* Read what there is to copy. */
static enum histree_status read_manifest(struct store_copy *copy, const char *folder)
{
	struct histree_store_info *info = &copy->info;
	const char *path = store_copy_path(&copy->arena, folder, MANIFEST_FILE);
	if (path == NULL)
		return error_memory(copy->error, "a store");
	enum histree_status status = manifest_read(copy->io, path, &copy->arena, info, copy->error);
	if (status != HISTREE_OK)
		*info = (struct histree_store_info){ .made_by = "histree " HISTREE_VERSION };
	copy->was_complete = info->complete;
	for (size_t i = 0; i < info->warning_count && status == HISTREE_OK; i++)
		status = store_copy_warn(copy, info->warnings[i]);
	for (size_t i = 0; i < info->history_count && status == HISTREE_OK; i++)
		status = add_history(copy, info->histories[i]);
	for (size_t i = 0; i < info->segments_count && status == HISTREE_OK; i++)
		status = add_segments(copy, info->segments[i]);
	return copy->filter->manifest(copy, folder, status);
}

/* ---- the files of a store ---------------------------------------------------------------------------------- */

/*
 * The result for a file that was made, which has `identity` then.  A lenient filter skips a file that cannot be
 * opened at all, or is missing, with a warning; the result is then HISTREE_NOT_FOUND.
 */
static enum histree_status keep_or_leave(struct store_copy *copy, const char *to, const char *path,
					 const char *file, uint64_t *identity, enum histree_status status)
{
	if (status == HISTREE_OK)
		return store_file_identify(copy->io, to, file, identity, copy->error);
	bool is_missing = status == HISTREE_ERR_IO && access(path, F_OK) != 0;
	bool is_lost = status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_INCOMPLETE || is_missing;
	if (!copy->filter->is_lenient || !is_lost)
		return status;
	copy->filter->damage(copy, copy->error->message);
	status = store_copy_warn(copy, copy->error->message);
	return status == HISTREE_OK ? HISTREE_NOT_FOUND : status;
}

/* One file begins. */
static enum histree_status begin_file(struct store_copy *copy, const char *analysis, const char *path,
				      const char *out)
{
	copy->analysis = analysis;
	if (path == NULL || out == NULL)
		return error_memory(copy->error, "a path");
	file_work_begin(&copy->work, path);
	return file_work_goes_on(&copy->work, 0) ? HISTREE_OK
						 : error_set(copy->error, HISTREE_ERR_CANCELLED, "cancelled");
}

static enum histree_status copy_history(struct store_copy *copy, const char *from, const char *to,
					struct histree_store_history *history)
{
	const char *path = store_copy_path(&copy->arena, from, history->file);
	const char *out = store_copy_path(&copy->arena, to, history->file);
	enum histree_status status = begin_file(copy, history->analysis, path, out);
	if (status == HISTREE_OK)
		status = copy->filter->history(copy, history, path, out);
	status = keep_or_leave(copy, to, path, history->file, &history->identity, status);
	if (copy->lost_manifest)
		history->analysis_version = copy->analysis_version;
	return status;
}

static enum histree_status copy_store_segments(struct store_copy *copy, const char *from, const char *to,
					       struct histree_store_segments *segments)
{
	const char *path = store_copy_path(&copy->arena, from, segments->file);
	const char *out = store_copy_path(&copy->arena, to, segments->file);
	enum histree_status status = begin_file(copy, segments->analysis, path, out);
	if (status == HISTREE_OK)
		status = copy->filter->segments(copy, segments, path, out);
	status = keep_or_leave(copy, to, path, segments->file, &segments->identity, status);
	if (copy->lost_manifest)
		segments->analysis_version = copy->analysis_version;
	return status;
}

/* Without a manifest it is not known to which trace an index of events belongs, and a growing store has none. */
static enum histree_status copy_index(struct store_copy *copy, const char *from, const char *to)
{
	const struct histree_store_info *info = &copy->info;
	bool is_meant = copy->was_complete && (info->index_identity != 0 || info->manifest_version == 1);
	const char *path = store_copy_path(&copy->arena, from, EVENT_INDEX_FILE);
	const char *out = store_copy_path(&copy->arena, to, EVENT_INDEX_FILE);
	if (!is_meant)
		return HISTREE_OK;
	copy->analysis = NULL;
	return path != NULL && out != NULL ? copy->filter->index(copy, path, out)
					   : error_memory(copy->error, "a path");
}

/* Expect the work on the files that were listed. */
static enum histree_status plan_files(struct store_copy *copy, const char *from)
{
	for (size_t i = 0; i < copy->history_count + copy->segments_count; i++) {
		const char *file = i < copy->history_count ? copy->histories[i].file
							   : copy->segments[i - copy->history_count].file;
		const char *path = store_copy_path(&copy->arena, from, file);
		if (path == NULL)
			return error_memory(copy->error, "a path");
		file_work_plan(&copy->work, path);
	}
	return HISTREE_OK;
}

static enum histree_status copy_files(struct store_copy *copy, const char *from, const char *to)
{
	size_t histories = 0, segments = 0;
	for (size_t i = 0; i < copy->history_count; i++) {
		struct histree_store_history history = copy->histories[i];
		enum histree_status status = copy_history(copy, from, to, &history);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			copy->histories[histories++] = history;
	}
	for (size_t i = 0; i < copy->segments_count; i++) {
		struct histree_store_segments store = copy->segments[i];
		enum histree_status status = copy_store_segments(copy, from, to, &store);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			copy->segments[segments++] = store;
	}
	copy->history_count = copy->found.histories = histories;
	copy->segments_count = segments;
	return HISTREE_OK;
}

/* Write the manifest of a complete store. */
static enum histree_status write_manifest(struct store_copy *copy, const char *folder)
{
	struct histree_store_info *info = &copy->info;
	const char *path = store_copy_path(&copy->arena, folder, MANIFEST_FILE);
	info->complete = true;
	info->partial = info->partial || copy->found.faults > 0;
	info->warnings = copy->warnings;
	info->warning_count = copy->warning_count;
	return path != NULL ? manifest_write(copy->io, path, info, copy->error)
			    : error_memory(copy->error, "a path");
}

/* Make the files of a store, and their manifest, in a folder that is there. */
static enum histree_status copy_one_host(struct store_copy *copy, const char *from, const char *to)
{
	struct histree_store_info *info = &copy->info;
	enum histree_status status = copy_files(copy, from, to);
	if (status == HISTREE_OK && copy->filter->is_lenient && copy->history_count + copy->segments_count == 0)
		status = error_set(copy->error, HISTREE_ERR_FORMAT, "'%s': no history in it can be repaired", from);
	if (status == HISTREE_OK)
		status = copy_index(copy, from, to);
	if (status == HISTREE_OK && copy->filter->finish != NULL)
		status = copy->filter->finish(copy);
	info->histories = copy->histories;
	info->history_count = copy->history_count;
	info->segments = copy->segments;
	info->segments_count = copy->segments_count;
	return status == HISTREE_OK ? write_manifest(copy, to) : status;
}

/* ---- several hosts --------------------------------------------------------------------------------------- */

enum { WARNINGS_MAX = 1000 }; /* of all hosts, which their own stores have too */

struct host_copy {
	struct store_copy copy;
	struct histree_store_host host; /* as the manifest of all says it; it may know its name only */
	const char *from;               /* its folder */
	const char *const *traces;
	bool is_left_out;
	size_t place; /* among those that are kept */
};

struct hosts_copy {
	struct store_copy *all;
	struct host_copy *hosts;
	size_t count, capacity;
	const char *folder; /* that they are in, while they are looked for */
	enum histree_status status;
};

COMPARE(compare_entries, struct host_copy, BY_TEXT(host.folder))

static bool add_host(void *names, const char *name)
{
	struct hosts_copy *hosts = names;
	struct store_copy *all = hosts->all;
	const size_t length = strlen(name);
	const bool is_host = name[0] != '.' && (length < 9 || strcmp(name + length - 9, ".building") != 0);
	if (!is_host || hosts->count == MANIFEST_HOSTS_MAX)
		return true;
	const char *copy = arena_copy(&all->arena, name, length);
	const char *inside = store_copy_path(&all->arena, HOSTS_FOLDER, name);
	const char *from = store_copy_path(&all->arena, hosts->folder, name);
	if (copy == NULL || inside == NULL || from == NULL ||
	    !array_reserve(&hosts->hosts, &hosts->capacity, hosts->count + 1)) {
		hosts->status = error_memory(all->error, "a store");
		return false;
	}
	hosts->hosts[hosts->count++] = (struct host_copy){
		.host = { .name = copy, .folder = inside, .end = -1 },
		.from = from,
	};
	return true;
}

/* Without a manifest, in the order of their folders. */
static enum histree_status find_hosts(struct hosts_copy *hosts, const char *from)
{
	struct store_copy *all = hosts->all;
	hosts->folder = store_copy_path(&all->arena, from, HOSTS_FOLDER);
	if (hosts->folder == NULL)
		return error_memory(all->error, "a store");
	enum histree_status status = io_list(all->io, hosts->folder, add_host, hosts, all->error);
	if (status == HISTREE_OK)
		status = hosts->status;
	if (status == HISTREE_OK && hosts->count > 1)
		qsort(hosts->hosts, hosts->count, sizeof(*hosts->hosts), compare_entries);
	for (size_t i = 0; i < hosts->count; i++)
		hosts->hosts[i].host.neighbour = i;
	return status;
}

static enum histree_status list_hosts(struct hosts_copy *hosts, const char *from)
{
	const struct histree_store_info *info = &hosts->all->info;
	hosts->hosts = calloc(info->host_count, sizeof(*hosts->hosts));
	if (hosts->hosts == NULL)
		return error_memory(hosts->all->error, "a store");
	hosts->count = info->host_count;
	size_t trace = 0;
	for (size_t i = 0; i < hosts->count; i++) {
		struct host_copy *host = &hosts->hosts[i];
		host->host = info->hosts[i];
		host->traces = &info->traces[trace];
		trace += host->host.trace_count;
		host->from = store_copy_path(&hosts->all->arena, from, host->host.folder);
		if (host->from == NULL)
			return error_memory(hosts->all->error, "a store");
	}
	return HISTREE_OK;
}

/* It cannot be copied, for this reason. */
static enum histree_status leave_out(struct hosts_copy *hosts, struct host_copy *host, enum histree_status status,
				     const char *why)
{
	struct store_copy *all = hosts->all;
	char text[sizeof(all->error->message) + 320];
	if (!all->filter->is_lenient)
		return error_set(
			all->error, status,
			"'%s' lacks the store of host '%s'; 'histree copy --repair' makes a store of the others, "
			"and 'histree verify' says what is wrong",
			all->path, host->host.name);
	snprintf(text, sizeof(text), "host '%s' is left out: %s", host->host.name, why);
	host->is_left_out = true;
	all->filter->damage(all, text);
	return store_copy_warn(all, text);
}

/* A link could lead to anybody's files. */
static bool is_folder(const char *path)
{
	struct stat facts;
	return lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Whether the folder of the hosts is elsewhere. */
static bool has_link(struct store_copy *all)
{
	const char *folder = store_copy_path(&all->arena, all->path, HOSTS_FOLDER);
	return folder == NULL || !is_folder(folder);
}

/* Of a build that was cut off, a host that was not complete has the name that it had meanwhile. */
static void find_folder(struct hosts_copy *hosts, struct host_copy *host)
{
	size_t size = strlen(host->from) + sizeof(".building");
	char *building = is_folder(host->from) ? NULL : arena_allocate(&hosts->all->arena, size, 1);
	if (building == NULL)
		return;
	snprintf(building, size, "%s.building", host->from);
	if (is_folder(building))
		host->from = building;
}

/* What the manifest of all says of a host whose own is lost. */
static void tell_from_all(struct host_copy *host)
{
	struct histree_store_info *info = &host->copy.info;
	info->host = host->host.name;
	info->clock = host->host.clock;
	info->traces = host->traces;
	info->trace_count = host->host.trace_count;
}

/* Without a manifest of all, the stores have it. */
static enum histree_status tell_from_host(struct hosts_copy *hosts, struct host_copy *host)
{
	const struct histree_store_info *info = &host->copy.info;
	char expected[HOST_FOLDER_SIZE];
	if (info->host == NULL || !host_folder_name(info->host, expected) ||
	    strcmp(expected, host->host.folder) != 0)
		return leave_out(hosts, host, HISTREE_ERR_FORMAT,
				 "its folder is not that of the host that its store is of");
	host->host.name = info->host;
	host->host.clock = info->clock;
	host->host.trace_count = info->trace_count;
	host->traces = info->traces;
	return HISTREE_OK;
}

/* Whether the store is that of the host, by its name and clock; it may have been repaired or converted since. */
static enum histree_status check_meant(struct hosts_copy *hosts, struct host_copy *host)
{
	const struct histree_store_info *info = &host->copy.info;
	if (info->host_count > 0)
		return leave_out(hosts, host, HISTREE_ERR_FORMAT, "its store is one of several hosts itself");
	if (info->host == NULL || strcmp(info->host, host->host.name) != 0 ||
	    !host_clock_is_same(info->clock, host->host.clock))
		return leave_out(hosts, host, HISTREE_ERR_FORMAT,
				 "its store is that of another host, or has another clock");
	if (host->host.identity == 0 || !info->complete || host_folder_identity(info) == host->host.identity)
		return HISTREE_OK;
	if (!hosts->all->filter->is_lenient)
		return leave_out(hosts, host, HISTREE_ERR_FORMAT, "its store is that of another build");
	hosts->all->filter->oddity(
		&host->copy, "its store has other files than the manifest of all means; its name and clock are "
			     "the same, and it is taken");
	return HISTREE_OK;
}

/* Whether the walk goes on without a host whose manifest was read with this outcome. */
static bool is_without(const struct copy_filter *filter, enum histree_status status)
{
	if (!filter->is_lenient)
		return status < 0 && status != HISTREE_ERR_MEMORY;
	return status == HISTREE_ERR_VERSION || status == HISTREE_ERR_IO || status == HISTREE_ERR_TOO_LARGE;
}

/* Learn what there is of a host, and how much work that is. */
static enum histree_status look_at(struct hosts_copy *hosts, struct host_copy *host)
{
	struct store_copy *all = hosts->all, *copy = &host->copy;
	*copy = (struct store_copy){
		.filter = all->filter,
		.options = all->options,
		.path = host->from,
		.io = all->io,
		.error = all->error,
		.host = host->host.name,
	};
	find_folder(hosts, host);
	if (!is_folder(host->from) || (!all->filter->is_lenient && has_link(all)))
		return leave_out(hosts, host, HISTREE_ERR_IO, "it has no store");
	enum histree_status status = read_manifest(copy, host->from);
	if (is_without(all->filter, status))
		return leave_out(hosts, host, status, all->error->message);
	if (status != HISTREE_OK)
		return status;
	if (copy->lost_manifest)
		tell_from_all(host);
	status = all->lost_manifest ? tell_from_host(hosts, host) : check_meant(hosts, host);
	return status == HISTREE_OK && !host->is_left_out ? plan_files(copy, host->from) : status;
}

static void add_findings(struct copy_findings *all, const struct copy_findings *of_host)
{
	all->histories += of_host->histories;
	all->lost += of_host->lost;
	all->lost_nodes += of_host->lost_nodes;
	all->faults += of_host->faults;
	all->lacks_overviews = all->lacks_overviews || of_host->lacks_overviews;
}

/* A host without a history or segments is one of which nothing is left. */
static enum histree_status copy_host(struct hosts_copy *hosts, struct host_copy *host, const char *to)
{
	struct store_copy *all = hosts->all, *copy = &host->copy;
	const char *out = store_copy_path(&all->arena, to, host->host.folder);
	const char *inside = out != NULL ? store_copy_path(&all->arena, out, MANIFEST_FILE) : NULL;
	if (inside == NULL)
		return error_memory(all->error, "a store");
	if (all->io->mkdir(all->io->context, out, 0777) != 0 && errno != EEXIST)
		return error_set(all->error, HISTREE_ERR_IO, "cannot make '%s': %s", out, strerror(errno));
	if (all->filter->host != NULL)
		all->filter->host(copy);
	size_t warnings = copy->warning_count;
	copy->work = all->work;
	enum histree_status status = copy_one_host(copy, host->from, out);
	all->work = copy->work;
	if (status < 0 && !all->filter->is_lenient && status != HISTREE_ERR_CANCELLED)
		error_prefix(all->error, "host '%s'", host->host.name);
	if (status == HISTREE_ERR_FORMAT && all->filter->is_lenient &&
	    copy->history_count + copy->segments_count == 0) {
		all->io->rmdir(all->io->context, out);
		return leave_out(hosts, host, HISTREE_ERR_FORMAT, "no history in it can be repaired");
	}
	add_findings(&all->found, &copy->found);
	for (size_t i = warnings; i < copy->warning_count && status == HISTREE_OK; i++) {
		char text[sizeof(all->error->message) + 320];
		snprintf(text, sizeof(text), "host '%s': %s", host->host.name, copy->warnings[i]);
		if (all->warning_count < WARNINGS_MAX)
			status = store_copy_warn(all, text);
	}
	return status == HISTREE_OK ? io_sync_folder_of(all->io, inside, all->error) : status;
}

/* Those that are kept, with their traces. */
static enum histree_status sum_up(struct hosts_copy *hosts, const char *to)
{
	struct store_copy *all = hosts->all;
	struct histree_store_info *info = &all->info;
	struct hosts_summary summary;
	size_t count = 0, traces = 0;
	for (size_t i = 0; i < hosts->count; i++) {
		struct host_copy *host = &hosts->hosts[i];
		host->place = host->is_left_out ? SIZE_MAX : count++;
		traces += host->is_left_out ? 0 : host->host.trace_count;
	}
	if (count == 0)
		return error_set(all->error, HISTREE_ERR_FORMAT, "'%s': no host in it can be repaired", all->path);
	struct histree_store_host *kept =
		arena_allocate(&all->arena, count * sizeof(*kept), _Alignof(struct histree_store_host));
	const char **paths = arena_allocate(&all->arena, (traces + 1) * sizeof(*paths), _Alignof(char *));
	if (kept == NULL || paths == NULL)
		return error_memory(all->error, "a store");
	enum histree_status status = hosts_summary_begin(&summary, &all->arena, info, kept, count, all->error);
	info->event_count = info->clock_steps_back = info->discarded_events = info->discarded_packets = 0;
	info->repeated_packets = info->gap_count = 0;
	info->traces = paths;
	info->trace_count = traces;
	for (size_t i = 0; i < hosts->count && status == HISTREE_OK; i++) {
		const struct host_copy *host = &hosts->hosts[i];
		if (host->is_left_out)
			continue;
		size_t neighbour = hosts->hosts[host->host.neighbour].place;
		kept[host->place] = host->host;
		kept[host->place].neighbour = neighbour != SIZE_MAX ? neighbour : host->place;
		for (size_t j = 0; j < host->host.trace_count; j++)
			*paths++ = host->traces[j];
		hosts_summary_add(&summary, host->place, &host->copy.info);
	}
	return status == HISTREE_OK ? write_manifest(all, to) : status;
}

/* The same for the stores of several hosts.  A host of which nothing can be read is left out, with a word of it. */
static enum histree_status copy_hosts(struct store_copy *all, const char *from, const char *to)
{
	struct hosts_copy hosts = { .all = all };
	enum histree_status status = all->lost_manifest ? find_hosts(&hosts, from) : list_hosts(&hosts, from);
	for (size_t i = 0; i < hosts.count && status == HISTREE_OK; i++) {
		status = look_at(&hosts, &hosts.hosts[i]);
		all->work.bytes_total += hosts.hosts[i].copy.work.bytes_total;
	}
	if (status == HISTREE_OK)
		status = hosts_folder_make(all->io, to, all->error);
	for (size_t i = 0; i < hosts.count && status == HISTREE_OK; i++)
		if (!hosts.hosts[i].is_left_out)
			status = copy_host(&hosts, &hosts.hosts[i], to);
	if (status == HISTREE_OK)
		status = sum_up(&hosts, to);
	for (size_t i = 0; i < hosts.count; i++)
		store_copy_release(&hosts.hosts[i].copy);
	free(hosts.hosts);
	return status;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

/* Whether the store is of several hosts, as its manifest says, or its folder where that is lost. */
static bool has_hosts(struct store_copy *copy)
{
	struct stat facts;
	const char *hosts = copy->lost_manifest ? store_copy_path(&copy->arena, copy->path, HOSTS_FOLDER) : NULL;
	return copy->info.host_count > 0 || (hosts != NULL && stat(hosts, &facts) == 0 && S_ISDIR(facts.st_mode));
}

/* What the manifest of all means by it would be another store. */
static enum histree_status check_is_no_host(const struct store_copy *copy)
{
	if (!host_folder_is_inside(copy->out))
		return HISTREE_OK;
	return error_set(
		copy->error, HISTREE_ERR_ARGUMENT,
		"'%s' is of a host in a store of several, whose manifest means it as it is: %s the store of "
		"all, or choose another place with '--output'",
		copy->out, copy->filter->verb);
}

static enum histree_status copy_store(struct store_copy *copy, const char *to)
{
	if (has_hosts(copy))
		return copy_hosts(copy, copy->path, to);
	enum histree_status status = plan_files(copy, copy->path);
	return status == HISTREE_OK ? copy_one_host(copy, copy->path, to) : status;
}

enum histree_status store_copy_make(struct store_copy *copy)
{
	struct store_folder folder;
	enum histree_status status = read_manifest(copy, copy->path);
	if (status == HISTREE_OK)
		status = check_is_no_host(copy);
	if (status == HISTREE_OK)
		status = store_folder_check_source(copy->out, copy->path, copy->error);
	if (status == HISTREE_OK)
		status = store_folder_begin(&folder, copy->io, copy->out, copy->force, false, copy->error);
	if (status != HISTREE_OK)
		return status;
	status = copy_store(copy, folder.building);
	if (status == HISTREE_OK && copy->filter->end != NULL)
		status = copy->filter->end(copy);
	if (status == HISTREE_OK)
		status = store_folder_publish(&folder, copy->error);
	store_folder_release(&folder);
	return status;
}

void store_copy_release(struct store_copy *copy)
{
	free(copy->histories);
	free(copy->segments);
	free((void *)copy->warnings);
	arena_release(&copy->arena);
}
