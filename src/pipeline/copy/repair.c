// SPDX-License-Identifier: MIT
/*
 * repair.c - what can be read of a damaged store becomes a new one.
 *
 * One file of a store is repaired.
 *
 * A store of several hosts is repaired: each has a store of its own, and what is left of it is one
 * again.
 *
 * A host that has nothing that can be read is left out.  Where the manifest of all is lost, the stores that are in
 * its folder of hosts say themselves whose they are.
 */
#include "pipeline/copy/repair.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/io.h"
#include "base/io_copy.h"
#include "event_index/event_index.h"
#include "histree/build.h"
#include "histree/lookup.h"
#include "histree/repair.h"
#include "histree/store.h"
#include "histree/time_in_state.h"
#include "overview/overview_writer.h"
#include "pipeline/copy/file_work.h"
#include "pipeline/hosts_summary.h"
#include "segment/segment_backend.h"
#include "segment/segment_overviews.h"
#include "segment/segment_repair.h"
#include "state/history.h"
#include "state/history_copy.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"
#include "trace/trace.h"

static enum histree_status repair_warn(struct repair *repair, const char *warning);
static enum histree_status repair_read_manifest(struct repair *repair, const char *folder);
static enum histree_status repair_plan(struct repair *repair, const char *from);
static enum histree_status repair_write_manifest(struct repair *repair, const char *folder);
static enum histree_status repair_one_host(struct repair *repair, const char *from, const char *to);
static void repair_release(struct repair *repair);

/* ---- repair files -------------------------------------------------------------------------------------------- */

static void report_lost(void *context, const struct histree_interval *interval)
{
	struct repair *repair = context;
	const struct histree_repair_options *options = repair->options;
	repair->lost++;
	if (options->lost != NULL)
		options->lost(options->context, repair->analysis, repair->attributes, interval);
}

/* Tell the caller of something that is damaged. */
static void repair_found_damage(void *context, const char *what)
{
	struct repair *repair = context;
	const struct histree_repair_options *options = repair->options;
	char text[3 * sizeof(repair->error->message)];
	repair->faults++;
	if (options->damage == NULL)
		return;
	snprintf(text, sizeof(text), "%s%s%s%s%s", repair->host != NULL ? repair->host : "",
		 repair->host != NULL ? ": " : "", repair->analysis != NULL ? repair->analysis : "",
		 repair->analysis != NULL ? ": " : "", what);
	options->damage(options->context, text);
}

/* Returns the path of a file in a folder, which the repair keeps; NULL if memory is out. */
static char *repair_path(struct arena *arena, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = arena_allocate(arena, size, 1);
	if (path != NULL)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

static bool goes_on(void *context, double share)
{
	const struct repair *repair = context;
	return file_work_goes_on(&repair->work, share);
}

/* ---- overviews ------------------------------------------------------------------------------------------ */

/* In an overview nothing is lost, but a store is made that has sound ones. */
static void repair_found_oddity(void *context, const char *what)
{
	struct repair *repair = context;
	uint64_t faults = repair->faults;
	repair_found_damage(repair, what);
	repair->faults = faults;
	repair->lacks_overviews = true;
}

/* What the words of the build say; those of a file alone are not known. */
static bool wants_overviews(const struct repair *repair)
{
	return repair->info.options == NULL || strstr(repair->info.options, "--no-overviews") == NULL;
}

/* ---- one history ---------------------------------------------------------------------------------------- */

/* What is of another store is left there: it can be repaired as a file of its own. */
static enum histree_status not_meant(struct repair *repair, const char *path)
{
	return error_set(
		repair->error, HISTREE_ERR_FORMAT,
		"'%s' is of another store or build, and left out; 'histree repair' makes a sound file of it "
		"alone",
		path);
}

/* Whether what overviews of numbers and of sums say is what their history does. */
static enum histree_status verify_contents(struct repair *repair, const char *path)
{
	struct histree_history *history;
	enum histree_status status = histree_history_open(path, NULL, &history, repair->error);
	if (status == HISTREE_OK)
		status = histree_numbers_verify(history, repair_found_oddity, repair, repair->error);
	if (status == HISTREE_OK)
		status = histree_sums_verify(history, repair_found_oddity, repair, repair->error);
	histree_history_close(history);
	return status;
}

/* HISTREE_ERR_FORMAT: something is damaged. */
static enum histree_status verify_history(struct repair *repair, struct histree_history *history, const char *path)
{
	enum histree_status status = histree_history_verify(history, repair_found_damage, repair, repair->error);
	if (status == HISTREE_OK)
		status = history_verify_overviews(history, repair_found_oddity, repair, repair->error);
	return status == HISTREE_OK && repair->faults == 0 ? verify_contents(repair, path) : status;
}

static bool overviews_go_on(void *context, double share)
{
	(void)share; /* the copy, which is most of the work, is done */
	return goes_on(context, 1);
}

static enum histree_status make_overviews(struct repair *repair, const char *path)
{
	const struct overview_options options = { .go_on = overviews_go_on, .context = repair };
	return overviews_write(repair->io, path, &options, repair->error);
}

/*
 * Make a sound file of what can be read of one.  HISTREE_ERR_FORMAT or HISTREE_ERR_INCOMPLETE: it cannot be opened,
 * or is not the one that the manifest means; `meant` may be NULL.
 */
static enum histree_status repair_history(struct repair *repair, const struct histree_store_history *meant,
					  const char *path, const char *out)
{
	static const struct histree_open_options salvage = { .salvage = true };
	const struct copy_watch watch = { .lost = report_lost, .go_on = goes_on, .context = repair };
	struct histree_history *damaged;
	file_work_begin(&repair->work, path);
	enum histree_status status = histree_history_open(path, &salvage, &damaged, repair->error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(damaged);
	if (meant != NULL && !manifest_means_history(&repair->info, meant, info)) {
		histree_history_close(damaged);
		return not_meant(repair, path);
	}
	repair->attributes = histree_history_attributes(damaged);
	repair->analysis_version = info->provider_version;
	if (repair->analysis == NULL)
		repair->analysis = arena_copy(&repair->arena, info->provider, strlen(info->provider));
	if (!info->complete)
		repair_found_damage(repair, "it was never completed: it ends where it was published last");
	status = verify_history(repair, damaged, path);
	if (status == HISTREE_OK || status == HISTREE_ERR_FORMAT)
		status = history_copy(repair->io, damaged, out, NULL, &watch, repair->error);
	if (info->end > repair->info.end)
		repair->info.end = info->end;
	histree_history_close(damaged);
	return status == HISTREE_OK && wants_overviews(repair) ? make_overviews(repair, out) : status;
}

/* ---- one segment store ---------------------------------------------------------------------------------- */

static void report_lost_segments(void *context, const struct histree_segment_loss *loss)
{
	struct repair *repair = context;
	const struct histree_repair_options *options = repair->options;
	repair->lost_nodes++;
	if (options->lost_segments != NULL)
		options->lost_segments(options->context, repair->analysis, loss);
}

static enum histree_status verify_segments(struct repair *repair, struct histree_segment_store *store,
					   const char *path)
{
	enum histree_status status =
		histree_segment_store_verify(store, repair_found_damage, repair, repair->error);
	if (status != HISTREE_OK)
		return status;
	return segment_overviews_verify(repair->io, path, histree_segment_store_info(store), store,
					repair_found_oddity, repair, repair->error);
}

static enum histree_status make_segment_overviews(struct repair *repair, const char *path)
{
	struct histree_segment_store *store;
	enum histree_status status = segment_store_open(repair->io, path, NULL, &store, repair->error);
	if (status == HISTREE_OK)
		status = histree_segment_store_make_overviews(store, repair->work.cancel, repair->error);
	histree_segment_store_close(store);
	return status;
}

static enum histree_status repair_segments(struct repair *repair, const struct histree_store_segments *meant,
					   const char *path, const char *out)
{
	static const struct histree_segment_open_options salvage = { .salvage = true,
								     .tables = HISTREE_TABLES_NEVER };
	struct histree_segment_store *damaged;
	file_work_begin(&repair->work, path);
	if (!file_work_goes_on(&repair->work, 0))
		return error_set(repair->error, HISTREE_ERR_CANCELLED, "cancelled");
	enum histree_status status = histree_segment_store_open(path, &salvage, &damaged, repair->error);
	if (status != HISTREE_OK)
		return status;
	if (meant != NULL && meant->identity != 0 &&
	    meant->identity != histree_segment_store_info(damaged)->identity) {
		histree_segment_store_close(damaged);
		return not_meant(repair, path);
	}
	const struct histree_segment_schema *schema = &histree_segment_store_info(damaged)->schema;
	repair->analysis_version = schema->provider_version;
	if (repair->analysis == NULL)
		repair->analysis = arena_copy(&repair->arena, schema->provider, strlen(schema->provider));
	status = verify_segments(repair, damaged, path);
	if (status == HISTREE_OK || status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO)
		status = segment_repair(
			repair->io, damaged, out,
			&(struct segment_repair_report){ .lost = report_lost_segments, .context = repair },
			repair->error);
	histree_segment_store_close(damaged);
	return status == HISTREE_OK && wants_overviews(repair) ? make_segment_overviews(repair, out) : status;
}

/* ---- the index of events -------------------------------------------------------------------------------- */

/* Whether it is sound, and the one that the manifest means.  HISTREE_ERR_FORMAT: it is not. */
static enum histree_status check_index(struct repair *repair, const char *path, uint64_t *identity)
{
	struct event_index index;
	enum histree_status status = event_index_read(repair->io, path, &index, repair->error);
	if (status != HISTREE_OK)
		return status;
	bool is_meant = index.event_count == repair->info.event_count &&
			(repair->info.index_identity == 0 || index.identity == repair->info.index_identity);
	*identity = index.identity;
	event_index_release(&index);
	return is_meant ? HISTREE_OK : not_meant(repair, path);
}

/* Copy an index of events that is sound and the one that is meant; the new manifest then means it too. */
static enum histree_status repair_index(struct repair *repair, const char *path, const char *out)
{
	uint64_t identity = 0;
	enum histree_status status = check_index(repair, path, &identity);
	repair->analysis = NULL;
	repair->info.index_identity = 0;
	if (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_VERSION || status == HISTREE_ERR_TOO_LARGE) {
		repair_found_damage(repair, repair->error->message);
		return HISTREE_OK;
	}
	if (status == HISTREE_OK)
		status = io_copy(repair->io, path, out, repair->error);
	if (status == HISTREE_OK)
		repair->info.index_identity = identity;
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

/* ---- repair hosts -------------------------------------------------------------------------------------------- */

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

/* The same for the stores of several hosts.  A host of which nothing can be read is left out, with a word of it. */
static enum histree_status repair_hosts(struct repair *all, const char *from, const char *to)
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

/* ---- repair -------------------------------------------------------------------------------------------------- */

static enum histree_status add_history(struct repair *repair, struct histree_store_history history)
{
	if (!array_reserve(&repair->histories, &repair->histories_capacity, repair->history_count + 1))
		return error_memory(repair->error, "repairing");
	repair->histories[repair->history_count++] = history;
	return HISTREE_OK;
}

static enum histree_status add_segments(struct repair *repair, struct histree_store_segments segments)
{
	if (!array_reserve(&repair->segments, &repair->segments_capacity, repair->segments_count + 1))
		return error_memory(repair->error, "repairing");
	repair->segments[repair->segments_count++] = segments;
	return HISTREE_OK;
}

/* The new manifest warns of it. */
static enum histree_status repair_warn(struct repair *repair, const char *warning)
{
	const char *copy = arena_copy(&repair->arena, warning, strlen(warning));
	if (copy == NULL ||
	    !array_reserve(&repair->warnings, &repair->warnings_capacity, repair->warning_count + 1))
		return error_memory(repair->error, "repairing");
	repair->warnings[repair->warning_count++] = copy;
	return HISTREE_OK;
}

static bool has_suffix(const char *name, size_t length, const char *suffix)
{
	return length > 4 && strcmp(name + length - 4, suffix) == 0;
}

/* A history or a segment store that is in the folder; of each there are no more than a manifest may name. */
static enum histree_status add_found(struct repair *repair, const char *name)
{
	size_t length = strlen(name);
	bool is_history = has_suffix(name, length, ".sht");
	size_t count = is_history ? repair->history_count : repair->segments_count;
	if (!is_history && !has_suffix(name, length, ".seg"))
		return HISTREE_OK;
	if (count == MANIFEST_ANALYSES_MAX)
		return error_set(
			repair->error, HISTREE_ERR_TOO_LARGE,
			"'%s' and %d others are in the folder: more than a store has; 'histree repair' makes "
			"a sound file of each alone",
			name, MANIFEST_ANALYSES_MAX);
	const char *file = arena_copy(&repair->arena, name, length);
	const char *analysis = arena_copy(&repair->arena, name, length - 4);
	if (file == NULL || analysis == NULL)
		return error_memory(repair->error, "repairing");
	return is_history
		       ? add_history(repair, (struct histree_store_history){ .analysis = analysis, .file = file })
		       : add_segments(repair,
				      (struct histree_store_segments){ .analysis = analysis, .file = file });
}

/* Without a manifest, the histories and segment stores that are in the folder say themselves what they are. */
static enum histree_status find_histories(struct repair *repair, const char *folder)
{
	DIR *entries = opendir(folder);
	if (entries == NULL)
		return error_set(repair->error, HISTREE_ERR_IO, "cannot open '%s': %s", folder, strerror(errno));
	enum histree_status status = HISTREE_OK;
	for (struct dirent *entry; status == HISTREE_OK && (entry = readdir(entries)) != NULL;)
		status = add_found(repair, entry->d_name);
	closedir(entries);
	return status;
}

/* Read what there is to repair; without a manifest, files say themselves what they are. */
static enum histree_status repair_read_manifest(struct repair *repair, const char *folder)
{
	const char *path = repair_path(&repair->arena, folder, MANIFEST_FILE);
	if (path == NULL)
		return error_memory(repair->error, "repairing");
	struct histree_store_info *info = &repair->info;
	enum histree_status status = manifest_read(repair->io, path, &repair->arena, info, repair->error);
	if (status == HISTREE_NOT_FOUND || status == HISTREE_ERR_FORMAT) {
		*info = (struct histree_store_info){ .made_by = "histree " HISTREE_VERSION };
		repair->lost_manifest = true;
		repair_found_damage(repair, repair->error->message);
		status = repair_warn(repair, "the manifest was lost: nothing is known of the trace");
		return status == HISTREE_OK ? find_histories(repair, folder) : status;
	}
	for (size_t i = 0; i < info->warning_count && status == HISTREE_OK; i++)
		status = repair_warn(repair, info->warnings[i]);
	for (size_t i = 0; i < info->history_count && status == HISTREE_OK; i++)
		status = add_history(repair, info->histories[i]);
	for (size_t i = 0; i < info->segments_count && status == HISTREE_OK; i++)
		status = add_segments(repair, info->segments[i]);
	return status;
}

/*
 * What comes of a file that was repaired, whose new one has `identity` then.  One that cannot be opened at all, or
 * is not there, is left out, with a word of it; HISTREE_NOT_FOUND then.
 */
static enum histree_status keep_or_leave(struct repair *repair, const char *to, const char *path, const char *file,
					 uint64_t *identity, enum histree_status status)
{
	bool is_missing = status == HISTREE_ERR_IO && access(path, F_OK) != 0;
	if (status == HISTREE_OK)
		return store_file_identify(repair->io, to, file, identity, repair->error);
	if (status != HISTREE_ERR_FORMAT && status != HISTREE_ERR_INCOMPLETE && !is_missing)
		return status;
	repair_found_damage(repair, repair->error->message);
	status = repair_warn(repair, repair->error->message);
	return status == HISTREE_OK ? HISTREE_NOT_FOUND : status;
}

static enum histree_status repair_one_history(struct repair *repair, const char *from, const char *to,
					      struct histree_store_history *history)
{
	const char *path = repair_path(&repair->arena, from, history->file);
	const char *out = repair_path(&repair->arena, to, history->file);
	repair->analysis = history->analysis;
	enum histree_status status = path == NULL || out == NULL ? error_memory(repair->error, "repairing")
								 : repair_history(repair, history, path, out);
	status = keep_or_leave(repair, to, path, history->file, &history->identity, status);
	if (repair->lost_manifest)
		history->analysis_version = repair->analysis_version;
	return status;
}

static enum histree_status repair_one_segment_store(struct repair *repair, const char *from, const char *to,
						    struct histree_store_segments *segments)
{
	const char *path = repair_path(&repair->arena, from, segments->file);
	const char *out = repair_path(&repair->arena, to, segments->file);
	repair->analysis = segments->analysis;
	enum histree_status status = path == NULL || out == NULL ? error_memory(repair->error, "repairing")
								 : repair_segments(repair, segments, path, out);
	status = keep_or_leave(repair, to, path, segments->file, &segments->identity, status);
	if (repair->lost_manifest)
		segments->analysis_version = repair->analysis_version;
	return status;
}

/* Expect the work on the files that were listed. */
static enum histree_status repair_plan(struct repair *repair, const char *from)
{
	for (size_t i = 0; i < repair->history_count + repair->segments_count; i++) {
		const char *file = i < repair->history_count ? repair->histories[i].file
							     : repair->segments[i - repair->history_count].file;
		const char *path = repair_path(&repair->arena, from, file);
		if (path == NULL)
			return error_memory(repair->error, "repairing");
		file_work_plan(&repair->work, path);
	}
	return HISTREE_OK;
}

static enum histree_status repair_all_files(struct repair *repair, const char *from, const char *to)
{
	size_t histories = 0, segments = 0;
	for (size_t i = 0; i < repair->history_count; i++) {
		struct histree_store_history history = repair->histories[i];
		enum histree_status status = repair_one_history(repair, from, to, &history);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			repair->histories[histories++] = history;
	}
	for (size_t i = 0; i < repair->segments_count; i++) {
		struct histree_store_segments store = repair->segments[i];
		enum histree_status status = repair_one_segment_store(repair, from, to, &store);
		if (status < 0)
			return status;
		if (status == HISTREE_OK)
			repair->segments[segments++] = store;
	}
	repair->history_count = histories;
	repair->segments_count = segments;
	if (histories + segments == 0)
		return error_set(repair->error, HISTREE_ERR_FORMAT, "'%s': no history in it can be repaired", from);
	return HISTREE_OK;
}

/* Nobody knows what an index of events is of without a manifest, and a store that grows has none. */
static enum histree_status repair_any_index(struct repair *repair, const char *from, const char *to)
{
	const struct histree_store_info *info = &repair->info;
	bool is_meant = info->complete && (info->index_identity != 0 || info->manifest_version == 1);
	if (!is_meant)
		return HISTREE_OK;
	const char *path = repair_path(&repair->arena, from, EVENT_INDEX_FILE);
	const char *out = repair_path(&repair->arena, to, EVENT_INDEX_FILE);
	enum histree_status status = path != NULL && out != NULL ? repair_index(repair, path, out)
								 : error_memory(repair->error, "repairing");
	return status;
}

static enum histree_status add_counts(struct repair *repair)
{
	char text[96];
	snprintf(text, sizeof(text), "repaired: %llu intervals are lost and said to be unknown",
		 (unsigned long long)repair->lost);
	enum histree_status status = repair->faults > 0 ? repair_warn(repair, text) : HISTREE_OK;
	snprintf(text, sizeof(text), "repaired: the segments of %llu damaged nodes are lost",
		 (unsigned long long)repair->lost_nodes);
	return status == HISTREE_OK && repair->lost_nodes > 0 ? repair_warn(repair, text) : status;
}

/* Write the manifest of a complete store. */
static enum histree_status repair_write_manifest(struct repair *repair, const char *folder)
{
	struct histree_store_info *info = &repair->info;
	const char *path = repair_path(&repair->arena, folder, MANIFEST_FILE);
	info->complete = true;
	info->partial = info->partial || repair->faults > 0;
	info->warnings = repair->warnings;
	info->warning_count = repair->warning_count;
	return path != NULL ? manifest_write(repair->io, path, info, repair->error)
			    : error_memory(repair->error, "repairing");
}

/* Make sound files of those of a store, and their manifest, in a folder that is there. */
static enum histree_status repair_one_host(struct repair *repair, const char *from, const char *to)
{
	struct histree_store_info *info = &repair->info;
	enum histree_status status = repair_all_files(repair, from, to);
	if (status == HISTREE_OK)
		status = repair_any_index(repair, from, to);
	if (status == HISTREE_OK)
		status = add_counts(repair);
	info->histories = repair->histories;
	info->history_count = repair->history_count;
	info->segments = repair->segments;
	info->segments_count = repair->segments_count;
	return status == HISTREE_OK ? repair_write_manifest(repair, to) : status;
}

static void repair_release(struct repair *repair)
{
	free(repair->histories);
	free(repair->segments);
	free((void *)repair->warnings);
	arena_release(&repair->arena);
}

/* Whether the store is of several hosts, as its manifest says, or its folder where that is lost. */
static bool has_hosts(struct repair *repair)
{
	struct stat facts;
	const char *hosts =
		repair->lost_manifest ? repair_path(&repair->arena, repair->options->path, HOSTS_FOLDER) : NULL;
	return repair->info.host_count > 0 || (hosts != NULL && stat(hosts, &facts) == 0 && S_ISDIR(facts.st_mode));
}

/* What the manifest of all means by it would be another store. */
static enum histree_status check_is_no_host(struct repair *repair)
{
	const struct histree_repair_options *options = repair->options;
	if (!host_folder_is_inside(options->out))
		return HISTREE_OK;
	return error_set(repair->error, HISTREE_ERR_ARGUMENT,
			 "'%s' is of a host in a store of several, whose manifest means it as it is: repair the "
			 "store of all, or choose another place with '--output'",
			 options->out);
}

static enum histree_status repair_store(struct repair *repair)
{
	const struct histree_repair_options *options = repair->options;
	struct store_folder folder;
	enum histree_status status = repair_read_manifest(repair, options->path);
	if (status == HISTREE_OK)
		status = check_is_no_host(repair);
	if (status == HISTREE_OK)
		status = store_folder_check_source(options->out, options->path, repair->error);
	if (status == HISTREE_OK)
		status =
			store_folder_begin(&folder, repair->io, options->out, options->force, false, repair->error);
	if (status != HISTREE_OK)
		return status;
	bool was_complete = repair->info.complete;
	if (has_hosts(repair)) {
		status = repair_hosts(repair, options->path, folder.building);
	} else {
		status = repair_plan(repair, options->path);
		if (status == HISTREE_OK)
			status = repair_one_host(repair, options->path, folder.building);
	}
	/* There is nothing to mend in a complete store that is sound: no copy of it is left. */
	if (status == HISTREE_OK && was_complete && repair->faults == 0 && !repair->lacks_overviews)
		status = error_set(repair->error, HISTREE_NOT_FOUND, "'%s' is sound", options->path);
	if (status == HISTREE_OK)
		status = store_folder_publish(&folder, repair->error);
	store_folder_release(&folder);
	return status;
}

/* The store, or what a build that was cut off left of it.  Returns NULL, with errno, if there is neither. */
static const char *find_path(struct repair *repair, const char *path, struct stat *facts)
{
	if (stat(path, facts) == 0)
		return path;
	int cause = errno;
	char *building = store_folder_building(path);
	bool is_there = building != NULL && stat(building, facts) == 0;
	char *found = is_there ? arena_copy(&repair->arena, building, strlen(building)) : NULL;
	free(building);
	errno = cause;
	return found;
}

/* A history or a segment store; whatever is neither is refused as a history. */
static enum histree_status repair_any_file(struct repair *repair)
{
	const struct histree_repair_options *options = repair->options;
	file_work_plan(&repair->work, options->path);
	enum histree_status status = repair_history(repair, NULL, options->path, options->out);
	if (status == HISTREE_ERR_CANCELLED)
		repair->io->unlink(repair->io->context, options->out);
	if (status != HISTREE_ERR_FORMAT)
		return status;
	struct histree_error refusal = *repair->error;
	status = repair_segments(repair, NULL, options->path, options->out);
	if (status == HISTREE_ERR_FORMAT)
		*repair->error = refusal;
	return status;
}

enum histree_status pipeline_repair(const struct histree_repair_options *options, const struct io *io,
				    struct histree_error *error)
{
	struct histree_error message; /* always there: some become warnings of the new store */
	struct histree_repair_options wanted = *options;
	struct repair repair = {
		.options = &wanted,
		.io = io,
		.error = &message,
		.work = { .cancel = options->cancel, .progress = options->progress, .context = options->context },
	};
	struct stat facts;
	enum histree_status status;
	wanted.path = find_path(&repair, options->path, &facts);
	if (wanted.path == NULL)
		status =
			error_set(&message, HISTREE_ERR_IO, "cannot open '%s': %s", options->path, strerror(errno));
	else if (S_ISDIR(facts.st_mode))
		status = repair_store(&repair);
	else
		status = repair_any_file(&repair);
	if (status == HISTREE_OK && repair.faults > 0)
		status = error_set(&message, HISTREE_PARTIAL, "'%s': %llu faults, %llu intervals are lost",
				   options->path, (unsigned long long)repair.faults,
				   (unsigned long long)repair.lost);
	repair_release(&repair);
	if (error != NULL && status != HISTREE_OK)
		*error = message;
	return status;
}

enum histree_status histree_repair(const struct histree_repair_options *options, struct histree_error *error)
{
	return pipeline_repair(options, &io_posix, error);
}
