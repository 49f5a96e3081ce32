// SPDX-License-Identifier: MIT
#include "histree/repair.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "segment/segment_repair.h"
#include "state/history_repair.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"

struct repair {
	const struct histree_repair_options *options;
	struct arena arena;
	struct histree_store_info info; /* of the store to make */
	struct histree_store_history *histories;
	size_t history_count, histories_capacity;
	struct histree_store_segments *segments;
	size_t segments_count, segments_capacity;
	const char **warnings;
	size_t warning_count, warnings_capacity;
	const struct histree_attributes *attributes; /* of the history being repaired */
	const char *analysis;
	uint32_t analysis_version;
	bool lost_manifest;  /* histories say themselves what they are */
	uint64_t lost;       /* pieces, of all histories */
	uint64_t lost_nodes; /* of all segment stores */
	uint64_t faults;
	struct histree_error *error;
};

static void report_lost(void *context, const struct histree_interval *interval)
{
	struct repair *repair = context;
	const struct histree_repair_options *options = repair->options;
	repair->lost++;
	if (options->lost != NULL)
		options->lost(options->context, repair->analysis, repair->attributes, interval);
}

static void report_damage(void *context, const char *what)
{
	struct repair *repair = context;
	const struct histree_repair_options *options = repair->options;
	char text[sizeof(repair->error->message) + 64];
	repair->faults++;
	if (options->damage == NULL)
		return;
	snprintf(text, sizeof(text), "%s%s%s", repair->analysis != NULL ? repair->analysis : "",
		 repair->analysis != NULL ? ": " : "", what);
	options->damage(options->context, text);
}

static char *join(struct arena *arena, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = arena_allocate(arena, size, 1);
	if (path != NULL)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

/* ---- one history ---------------------------------------------------------------------------------------- */

static enum histree_status repair_file(struct repair *repair, const char *path, const char *out)
{
	static const struct histree_open_options salvage = { .salvage = true };
	struct histree_history *damaged;
	enum histree_status status = histree_history_open(path, &salvage, &damaged, repair->error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(damaged);
	repair->attributes = histree_history_attributes(damaged);
	repair->analysis_version = info->provider_version;
	if (repair->analysis == NULL)
		repair->analysis = arena_copy(&repair->arena, info->provider, strlen(info->provider));
	if (!info->complete)
		report_damage(repair, "it was never completed: it ends where it was published last");
	status = histree_history_verify(damaged, report_damage, repair, repair->error);
	if (status == HISTREE_OK || status == HISTREE_ERR_FORMAT)
		status = history_repair(&io_posix, damaged, out,
					&(struct repair_report){ .lost = report_lost, .context = repair },
					repair->error);
	if (info->end > repair->info.end)
		repair->info.end = info->end;
	histree_history_close(damaged);
	return status;
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

static enum histree_status repair_segments_file(struct repair *repair, const char *path, const char *out)
{
	static const struct histree_segment_open_options salvage = { .salvage = true,
								     .tables = HISTREE_TABLES_NEVER };
	struct histree_segment_store *damaged;
	enum histree_status status = histree_segment_store_open(path, &salvage, &damaged, repair->error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_segment_schema *schema = &histree_segment_store_info(damaged)->schema;
	repair->analysis_version = schema->provider_version;
	if (repair->analysis == NULL)
		repair->analysis = arena_copy(&repair->arena, schema->provider, strlen(schema->provider));
	status = histree_segment_store_verify(damaged, report_damage, repair, repair->error);
	if (status == HISTREE_OK || status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO)
		status = segment_repair(
			&io_posix, damaged, out,
			&(struct segment_repair_report){ .lost = report_lost_segments, .context = repair },
			repair->error);
	histree_segment_store_close(damaged);
	return status;
}

/* ---- a store -------------------------------------------------------------------------------------------- */

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

static enum histree_status warn(struct repair *repair, const char *warning)
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

/* Without a manifest, the histories and segment stores that are in the folder say themselves what they are. */
static enum histree_status find_histories(struct repair *repair, const char *folder)
{
	DIR *entries = opendir(folder);
	if (entries == NULL)
		return error_set(repair->error, HISTREE_ERR_IO, "cannot open '%s': %s", folder, strerror(errno));
	enum histree_status status = HISTREE_OK;
	for (struct dirent *entry; status == HISTREE_OK && (entry = readdir(entries)) != NULL;) {
		size_t length = strlen(entry->d_name);
		bool is_history = has_suffix(entry->d_name, length, ".sht");
		if (!is_history && !has_suffix(entry->d_name, length, ".seg"))
			continue;
		const char *file = arena_copy(&repair->arena, entry->d_name, length);
		const char *analysis = arena_copy(&repair->arena, entry->d_name, length - 4);
		if (file == NULL || analysis == NULL)
			status = error_memory(repair->error, "repairing");
		else if (is_history)
			status = add_history(repair,
					     (struct histree_store_history){ .analysis = analysis, .file = file });
		else
			status = add_segments(
				repair, (struct histree_store_segments){ .analysis = analysis, .file = file });
	}
	closedir(entries);
	return status;
}

static enum histree_status read_manifest(struct repair *repair, const char *folder)
{
	const char *path = join(&repair->arena, folder, MANIFEST_FILE);
	if (path == NULL)
		return error_memory(repair->error, "repairing");
	struct histree_store_info *info = &repair->info;
	enum histree_status status = manifest_read(&io_posix, path, &repair->arena, info, repair->error);
	if (status == HISTREE_NOT_FOUND || status == HISTREE_ERR_FORMAT) {
		*info = (struct histree_store_info){ .made_by = "histree " HISTREE_VERSION };
		repair->lost_manifest = true;
		report_damage(repair, repair->error->message);
		status = warn(repair, "the manifest was lost: nothing is known of the trace");
		return status == HISTREE_OK ? find_histories(repair, folder) : status;
	}
	for (size_t i = 0; i < info->warning_count && status == HISTREE_OK; i++)
		status = warn(repair, info->warnings[i]);
	for (size_t i = 0; i < info->history_count && status == HISTREE_OK; i++)
		status = add_history(repair, info->histories[i]);
	for (size_t i = 0; i < info->segments_count && status == HISTREE_OK; i++)
		status = add_segments(repair, info->segments[i]);
	return status;
}

/* A file that cannot be opened at all is left out, with a word of it; HISTREE_NOT_FOUND then. */
static enum histree_status leave_out(struct repair *repair, enum histree_status status)
{
	if (status != HISTREE_ERR_FORMAT && status != HISTREE_ERR_INCOMPLETE)
		return status;
	report_damage(repair, repair->error->message);
	status = warn(repair, repair->error->message);
	return status == HISTREE_OK ? HISTREE_NOT_FOUND : status;
}

/* One file of the store, of an analysis, by a function that knows what it is. */
static enum histree_status repair_one(struct repair *repair, const char *from, const struct store_folder *to,
				      const char *analysis, const char *file,
				      enum histree_status (*repair_by)(struct repair *repair, const char *path,
								       const char *out))
{
	const char *path = join(&repair->arena, from, file);
	char *out = store_folder_path(to, file);
	repair->analysis = analysis;
	enum histree_status status = path == NULL || out == NULL ? error_memory(repair->error, "repairing")
								 : repair_by(repair, path, out);
	free(out);
	return status == HISTREE_OK ? status : leave_out(repair, status);
}

static enum histree_status repair_histories(struct repair *repair, const char *from, const struct store_folder *to)
{
	size_t kept = 0;
	for (size_t i = 0; i < repair->history_count; i++) {
		struct histree_store_history history = repair->histories[i];
		enum histree_status status =
			repair_one(repair, from, to, history.analysis, history.file, repair_file);
		if (status < 0)
			return status;
		if (status != HISTREE_OK)
			continue;
		if (repair->lost_manifest)
			history.analysis_version = repair->analysis_version;
		status = store_folder_identify(to, history.file, &history.identity, repair->error);
		if (status != HISTREE_OK)
			return status;
		repair->histories[kept++] = history;
	}
	repair->history_count = kept;
	return HISTREE_OK;
}

static enum histree_status repair_segments(struct repair *repair, const char *from, const struct store_folder *to)
{
	size_t kept = 0;
	for (size_t i = 0; i < repair->segments_count; i++) {
		struct histree_store_segments segments = repair->segments[i];
		enum histree_status status =
			repair_one(repair, from, to, segments.analysis, segments.file, repair_segments_file);
		if (status < 0)
			return status;
		if (status != HISTREE_OK)
			continue;
		if (repair->lost_manifest)
			segments.analysis_version = repair->analysis_version;
		status = store_folder_identify(to, segments.file, &segments.identity, repair->error);
		if (status != HISTREE_OK)
			return status;
		repair->segments[kept++] = segments;
	}
	repair->segments_count = kept;
	if (repair->history_count + kept == 0)
		return error_set(repair->error, HISTREE_ERR_FORMAT, "'%s': no history in it can be repaired", from);
	return HISTREE_OK;
}

static enum histree_status write_manifest(struct repair *repair, const struct store_folder *folder)
{
	struct histree_store_info *info = &repair->info;
	char text[96];
	snprintf(text, sizeof(text), "repaired: %llu intervals are lost and said to be unknown",
		 (unsigned long long)repair->lost);
	enum histree_status status = repair->faults > 0 ? warn(repair, text) : HISTREE_OK;
	snprintf(text, sizeof(text), "repaired: the segments of %llu damaged nodes are lost",
		 (unsigned long long)repair->lost_nodes);
	if (status == HISTREE_OK && repair->lost_nodes > 0)
		status = warn(repair, text);
	char *path = store_folder_path(folder, MANIFEST_FILE);
	if (status == HISTREE_OK && path == NULL)
		status = error_memory(repair->error, "repairing");
	info->complete = true;
	info->partial = info->partial || repair->faults > 0;
	info->histories = repair->histories;
	info->history_count = repair->history_count;
	info->segments = repair->segments;
	info->segments_count = repair->segments_count;
	info->warnings = repair->warnings;
	info->warning_count = repair->warning_count;
	if (status == HISTREE_OK)
		status = manifest_write(&io_posix, path, info, repair->error);
	free(path);
	return status;
}

static enum histree_status repair_store(struct repair *repair)
{
	const struct histree_repair_options *options = repair->options;
	struct store_folder folder;
	enum histree_status status = read_manifest(repair, options->path);
	if (status != HISTREE_OK)
		return status;
	status = store_folder_begin(&folder, &io_posix, options->out, options->force, false, repair->error);
	if (status != HISTREE_OK)
		return status;
	bool was_complete = repair->info.complete;
	status = repair_histories(repair, options->path, &folder);
	if (status == HISTREE_OK)
		status = repair_segments(repair, options->path, &folder);
	/* There is nothing to mend in a complete store that is sound: no copy of it is left. */
	if (status == HISTREE_OK && was_complete && repair->faults == 0)
		status = error_set(repair->error, HISTREE_NOT_FOUND, "'%s' is sound", options->path);
	if (status == HISTREE_OK)
		status = write_manifest(repair, &folder);
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
	enum histree_status status = repair_file(repair, options->path, options->out);
	if (status != HISTREE_ERR_FORMAT)
		return status;
	struct histree_error refusal = *repair->error;
	status = repair_segments_file(repair, options->path, options->out);
	if (status == HISTREE_ERR_FORMAT)
		*repair->error = refusal;
	return status;
}

enum histree_status histree_repair(const struct histree_repair_options *options, struct histree_error *error)
{
	struct histree_error message; /* always there: some become warnings of the new store */
	struct histree_repair_options wanted = *options;
	struct repair repair = { .options = &wanted, .error = &message };
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
	free(repair.histories);
	free(repair.segments);
	free((void *)repair.warnings);
	arena_release(&repair.arena);
	if (error != NULL && status != HISTREE_OK)
		*error = message;
	return status;
}
