// SPDX-License-Identifier: MIT
#include "pipeline/repair.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "event_index/event_index.h"
#include "pipeline/repair_inside.h"
#include "store_folder/host_folder.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"

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

enum histree_status repair_warn(struct repair *repair, const char *warning)
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

enum histree_status repair_read_manifest(struct repair *repair, const char *folder)
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

enum histree_status repair_plan(struct repair *repair, const char *from)
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

enum histree_status repair_write_manifest(struct repair *repair, const char *folder)
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

enum histree_status repair_one_host(struct repair *repair, const char *from, const char *to)
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

void repair_release(struct repair *repair)
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
