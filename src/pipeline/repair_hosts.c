// SPDX-License-Identifier: MIT
/*
 * repair_hosts.c - a store of several hosts is repaired: each has a store of its own, and what is left of it is one
 * again.
 *
 * A host that has nothing that can be read is left out.  Where the manifest of all is lost, the stores that are in
 * its folder of hosts say themselves whose they are.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/io_copy.h"
#include "pipeline/hosts_summary.h"
#include "pipeline/repair_inside.h"
#include "store_folder/host_folder.h"
#include "store_folder/manifest.h"

enum { WARNINGS_MAX = 1000 }; /* of all hosts, which their own stores have too */

struct host_repair {
	struct repair repair;
	struct histree_store_host host; /* as the manifest of all says it; it may know its name only */
	const char *from;               /* its folder */
	const char *const *traces;
	bool is_left_out;
	size_t place; /* among those that are kept */
};

struct hosts_repair {
	struct repair *all;
	struct host_repair *hosts;
	size_t count;
};

/* ---- what there is --------------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct host_repair *)a)->host.folder, ((const struct host_repair *)b)->host.folder);
}

static enum histree_status count_folders(struct hosts_repair *hosts, const char *folder, DIR *entries)
{
	struct repair *all = hosts->all;
	size_t capacity = 0;
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
		size_t length = strlen(entry->d_name);
		bool is_host = entry->d_name[0] != '.' &&
			       (length < 9 || strcmp(entry->d_name + length - 9, ".building") != 0);
		if (!is_host || hosts->count == MANIFEST_HOSTS_MAX)
			continue;
		if (hosts->count == capacity) {
			capacity = capacity == 0 ? 16 : 2 * capacity;
			struct host_repair *larger = realloc(hosts->hosts, capacity * sizeof(*larger));
			if (larger == NULL)
				return error_memory(all->error, "repairing");
			hosts->hosts = larger;
		}
		const char *name = arena_copy(&all->arena, entry->d_name, length);
		const char *inside = repair_path(&all->arena, HOSTS_FOLDER, entry->d_name);
		const char *from = repair_path(&all->arena, folder, entry->d_name);
		if (name == NULL || inside == NULL || from == NULL)
			return error_memory(all->error, "repairing");
		hosts->hosts[hosts->count++] = (struct host_repair){
			.host = { .name = name, .folder = inside, .end = -1 },
			.from = from,
		};
	}
	return HISTREE_OK;
}

/* Without a manifest, in the order of their folders. */
static enum histree_status find_hosts(struct hosts_repair *hosts, const char *from)
{
	struct repair *all = hosts->all;
	const char *folder = repair_path(&all->arena, from, HOSTS_FOLDER);
	DIR *entries = folder != NULL ? opendir(folder) : NULL;
	if (entries == NULL)
		return error_set(all->error, HISTREE_ERR_IO, "cannot open '%s/" HOSTS_FOLDER "': %s", from,
				 strerror(errno));
	enum histree_status status = count_folders(hosts, folder, entries);
	closedir(entries);
	if (status == HISTREE_OK && hosts->count > 1)
		qsort(hosts->hosts, hosts->count, sizeof(*hosts->hosts), compare_entries);
	for (size_t i = 0; i < hosts->count; i++)
		hosts->hosts[i].host.neighbour = i;
	return status;
}

static enum histree_status list_hosts(struct hosts_repair *hosts, const char *from)
{
	const struct histree_store_info *info = &hosts->all->info;
	hosts->hosts = calloc(info->host_count, sizeof(*hosts->hosts));
	if (hosts->hosts == NULL)
		return error_memory(hosts->all->error, "repairing");
	hosts->count = info->host_count;
	size_t trace = 0;
	for (size_t i = 0; i < hosts->count; i++) {
		struct host_repair *host = &hosts->hosts[i];
		host->host = info->hosts[i];
		host->traces = &info->traces[trace];
		trace += host->host.trace_count;
		host->from = repair_path(&hosts->all->arena, from, host->host.folder);
		if (host->from == NULL)
			return error_memory(hosts->all->error, "repairing");
	}
	return HISTREE_OK;
}

/* ---- one host -------------------------------------------------------------------------------------------- */

static enum histree_status leave_out(struct hosts_repair *hosts, struct host_repair *host, const char *why)
{
	char text[sizeof(hosts->all->error->message) + 320];
	snprintf(text, sizeof(text), "host '%s' is left out: %s", host->host.name, why);
	host->is_left_out = true;
	repair_found_damage(hosts->all, text);
	return repair_warn(hosts->all, text);
}

/* A link could lead to anybody's files. */
static bool is_folder(const char *path)
{
	struct stat facts;
	return lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Of a build that was cut off, a host that was not complete has the name that it had meanwhile. */
static void find_folder(struct hosts_repair *hosts, struct host_repair *host)
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
static void tell_from_all(struct host_repair *host)
{
	struct histree_store_info *info = &host->repair.info;
	info->host = host->host.name;
	info->clock = host->host.clock;
	info->traces = host->traces;
	info->trace_count = host->host.trace_count;
}

/* Without a manifest of all, the stores have it. */
static enum histree_status tell_from_host(struct hosts_repair *hosts, struct host_repair *host)
{
	const struct histree_store_info *info = &host->repair.info;
	char expected[HOST_FOLDER_SIZE];
	if (info->host == NULL || !host_folder_name(info->host, expected) ||
	    strcmp(expected, host->host.folder) != 0)
		return leave_out(hosts, host, "its folder is not that of the host that its store is of");
	host->host.name = info->host;
	host->host.clock = info->clock;
	host->host.trace_count = info->trace_count;
	host->traces = info->traces;
	return HISTREE_OK;
}

/* Whether the store is that of the host, by its name and clock; it may have been repaired or converted since. */
static enum histree_status check_meant(struct hosts_repair *hosts, struct host_repair *host)
{
	const struct histree_store_info *info = &host->repair.info;
	if (info->host_count > 0)
		return leave_out(hosts, host, "its store is one of several hosts itself");
	if (info->host == NULL || strcmp(info->host, host->host.name) != 0 ||
	    !host_clock_is_same(info->clock, host->host.clock))
		return leave_out(hosts, host, "its store is that of another host, or has another clock");
	if (host->host.identity != 0 && info->complete && host_folder_identity(info) != host->host.identity)
		repair_found_oddity(&host->repair,
				    "its store has other files than the manifest of all means; its name and clock "
				    "are the same, and it is taken");
	return HISTREE_OK;
}

/* Learn what there is of a host, and how much work that is. */
static enum histree_status look_at(struct hosts_repair *hosts, struct host_repair *host)
{
	const struct repair *all = hosts->all;
	struct repair *repair = &host->repair;
	*repair = (struct repair){
		.options = all->options, .io = all->io, .error = all->error, .host = host->host.name
	};
	find_folder(hosts, host);
	if (!is_folder(host->from))
		return leave_out(hosts, host, "it has no store");
	enum histree_status status = repair_read_manifest(repair, host->from);
	if (status == HISTREE_ERR_VERSION || status == HISTREE_ERR_IO || status == HISTREE_ERR_TOO_LARGE)
		return leave_out(hosts, host, all->error->message);
	if (status != HISTREE_OK)
		return status;
	if (repair->lost_manifest)
		tell_from_all(host);
	status = all->lost_manifest ? tell_from_host(hosts, host) : check_meant(hosts, host);
	return status == HISTREE_OK && !host->is_left_out ? repair_plan(repair, host->from) : status;
}

/* A host without a history or segments is one of which nothing is left. */
static enum histree_status repair_host(struct hosts_repair *hosts, struct host_repair *host, const char *to)
{
	struct repair *all = hosts->all, *repair = &host->repair;
	const char *out = repair_path(&all->arena, to, host->host.folder);
	const char *inside = out != NULL ? repair_path(&all->arena, out, MANIFEST_FILE) : NULL;
	if (inside == NULL)
		return error_memory(all->error, "repairing");
	if (all->io->mkdir(all->io->context, out, 0777) != 0 && errno != EEXIST)
		return error_set(all->error, HISTREE_ERR_IO, "cannot make '%s': %s", out, strerror(errno));
	if (all->options->host != NULL)
		all->options->host(all->options->context, host->host.name);
	size_t warnings = repair->warning_count;
	repair->work = all->work;
	enum histree_status status = repair_one_host(repair, host->from, out);
	all->work = repair->work;
	if (status == HISTREE_ERR_FORMAT && repair->history_count + repair->segments_count == 0) {
		all->io->rmdir(all->io->context, out);
		return leave_out(hosts, host, "no history in it can be repaired");
	}
	all->lost += repair->lost;
	all->lost_nodes += repair->lost_nodes;
	all->faults += repair->faults;
	all->lacks_overviews = all->lacks_overviews || repair->lacks_overviews;
	for (size_t i = warnings; i < repair->warning_count && status == HISTREE_OK; i++) {
		char text[sizeof(all->error->message) + 320];
		snprintf(text, sizeof(text), "host '%s': %s", host->host.name, repair->warnings[i]);
		if (all->warning_count < WARNINGS_MAX)
			status = repair_warn(all, text);
	}
	return status == HISTREE_OK ? io_sync_folder_of(all->io, inside, all->error) : status;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

/* Those that are kept, with their traces. */
static enum histree_status sum_up(struct hosts_repair *hosts, const char *to)
{
	struct repair *all = hosts->all;
	struct histree_store_info *info = &all->info;
	struct hosts_summary summary;
	size_t count = 0, traces = 0;
	for (size_t i = 0; i < hosts->count; i++) {
		struct host_repair *host = &hosts->hosts[i];
		host->place = host->is_left_out ? SIZE_MAX : count++;
		traces += host->is_left_out ? 0 : host->host.trace_count;
	}
	if (count == 0)
		return error_set(all->error, HISTREE_ERR_FORMAT, "'%s': no host in it can be repaired",
				 all->options->path);
	struct histree_store_host *kept =
		arena_allocate(&all->arena, count * sizeof(*kept), _Alignof(struct histree_store_host));
	const char **paths = arena_allocate(&all->arena, (traces + 1) * sizeof(*paths), _Alignof(char *));
	if (kept == NULL || paths == NULL)
		return error_memory(all->error, "repairing");
	enum histree_status status = hosts_summary_begin(&summary, &all->arena, info, kept, count, all->error);
	info->event_count = info->clock_steps_back = info->discarded_events = info->discarded_packets = 0;
	info->repeated_packets = info->gap_count = 0;
	info->traces = paths;
	info->trace_count = traces;
	for (size_t i = 0; i < hosts->count && status == HISTREE_OK; i++) {
		const struct host_repair *host = &hosts->hosts[i];
		if (host->is_left_out)
			continue;
		size_t neighbour = hosts->hosts[host->host.neighbour].place;
		kept[host->place] = host->host;
		kept[host->place].neighbour = neighbour != SIZE_MAX ? neighbour : host->place;
		for (size_t j = 0; j < host->host.trace_count; j++)
			*paths++ = host->traces[j];
		hosts_summary_add(&summary, host->place, &host->repair.info);
	}
	return status == HISTREE_OK ? repair_write_manifest(all, to) : status;
}

enum histree_status repair_hosts(struct repair *all, const char *from, const char *to)
{
	struct hosts_repair hosts = { .all = all };
	enum histree_status status = all->lost_manifest ? find_hosts(&hosts, from) : list_hosts(&hosts, from);
	for (size_t i = 0; i < hosts.count && status == HISTREE_OK; i++) {
		status = look_at(&hosts, &hosts.hosts[i]);
		all->work.bytes_total += hosts.hosts[i].repair.work.bytes_total;
	}
	if (status == HISTREE_OK)
		status = hosts_folder_make(all->io, to, all->error);
	for (size_t i = 0; i < hosts.count && status == HISTREE_OK; i++)
		if (!hosts.hosts[i].is_left_out)
			status = repair_host(&hosts, &hosts.hosts[i], to);
	if (status == HISTREE_OK)
		status = sum_up(&hosts, to);
	for (size_t i = 0; i < hosts.count; i++)
		repair_release(&hosts.hosts[i].repair);
	free(hosts.hosts);
	return status;
}
