// SPDX-License-Identifier: MIT
#include "histree/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/registry.h"
#include "base/arena.h"
#include "base/error.h"
#include "partial/partial_history.h"
#include "store_folder/host_folder.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"
#include "store_folder/store_inside.h"

char *store_join(struct arena *arena, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = arena_allocate(arena, size, 1);
	if (path != NULL)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

/* Whether all but the manifest may be there. */
static bool has_files_of_store(const char *path)
{
	static const char *const names[] = { HOSTS_FOLDER, "events.idx" };
	struct stat facts;
	bool has_some = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !has_some; i++) {
		char *file = NULL;
		if (asprintf(&file, "%s/%s", path, names[i]) < 0)
			return false;
		has_some = stat(file, &facts) == 0;
		free(file);
	}
	return has_some;
}

/* Why a folder has no manifest. */
static enum histree_status no_store(const char *path, struct histree_error *error)
{
	struct stat facts;
	if (stat(path, &facts) != 0)
		return error_set(error, HISTREE_ERR_IO, "there is no store '%s'; make one with 'histree build'",
				 path);
	if (!S_ISDIR(facts.st_mode))
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' is no store: a store is a folder", path);
	return error_set(error, HISTREE_ERR_FORMAT, "'%s' is no store: it has no " MANIFEST_FILE "; %s", path,
			 has_files_of_store(path) ? "'histree repair' makes a store of the files that are there"
						  : "of a trace, 'histree build' makes one");
}

/* HISTREE_NOT_FOUND: the folder has no manifest. */
static enum histree_status load(struct histree_store *store, const char *path, struct histree_error *error)
{
	char *folder = arena_copy(&store->arena, path, strlen(path));
	char *manifest = store_join(&store->arena, path, MANIFEST_FILE);
	if (folder == NULL || manifest == NULL)
		return error_memory(error, "a store");
	enum histree_status status = manifest_read(&io_posix, manifest, &store->arena, &store->info, error);
	store->info.path = folder;
	store->info.building = status == HISTREE_OK && !store->info.complete && store_folder_is_held(folder);
	return status;
}

enum histree_status store_open_inside(const char *path, struct histree_store **out, struct histree_error *error)
{
	*out = NULL;
	struct histree_store *store = calloc(1, sizeof(*store));
	if (store == NULL)
		return error_memory(error, "a store");
	store->asked = arena_copy(&store->arena, path, strlen(path));
	enum histree_status status =
		store->asked != NULL ? load(store, path, error) : error_memory(error, "a store");
	if (status == HISTREE_NOT_FOUND) {
		char *building = store_folder_building(path);
		status = building != NULL ? load(store, building, error) : error_memory(error, "a path");
		free(building);
		/* It may have taken its name just now. */
		if (status == HISTREE_NOT_FOUND)
			status = load(store, path, error);
	}
	if (status == HISTREE_NOT_FOUND)
		status = no_store(path, error);
	if (status != HISTREE_OK) {
		histree_store_close(store);
		return status;
	}
	*out = store;
	return HISTREE_OK;
}

enum histree_status histree_store_open(const char *path, struct histree_store **out, struct histree_error *error)
{
	enum histree_status status = store_open_inside(path, out, error);
	if (status == HISTREE_OK && (*out)->info.host_count > 0)
		status = store_hosts_open(*out, error);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	histree_store_close(*out);
	*out = NULL;
	return status;
}

void histree_store_close(struct histree_store *store)
{
	if (store == NULL)
		return;
	store_hosts_close(store);
	arena_release(&store->arena);
	free(store);
}

const struct histree_store_info *histree_store_info(const struct histree_store *store)
{
	return &store->info;
}

static const struct histree_store_history *find_history(const struct histree_store_info *info, const char *analysis)
{
	const char *name = analysis != NULL ? analysis : "kernel";
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, name) == 0)
			return &info->histories[i];
	return analysis == NULL && info->history_count > 0 ? &info->histories[0] : NULL;
}

/* What makes an analysis that a store does not have. */
static void name_the_way(const char *analysis, char *way, size_t size)
{
	if (registry_find(analysis) != NULL)
		snprintf(way, size, "build it with '-a %s'", analysis);
	else
		snprintf(way, size, "'histree analyses' lists what there is");
}

static enum histree_status no_history(const struct histree_store_info *info, const char *analysis,
				      struct histree_error *error)
{
	char names[256] = "", way[64];
	size_t length = 0;
	if (info->host_count > 0 && !info->complete && info->history_count == 0)
		return error_set(
			error, HISTREE_NOT_FOUND,
			"'%s' has no host that is built yet; if the build was cut off, 'histree build --resume' "
			"goes on with it",
			info->path);
	if (info->history_count == 0 && info->segments_count == 0 && info->index_identity != 0)
		return error_set(error, HISTREE_NOT_FOUND,
				 "'%s' has the events of its trace, which 'histree events' lists, and no states of "
				 "them: no analysis was built; 'histree info' says what each needs",
				 info->path);
	for (size_t i = 0; i < info->history_count && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i == 0 ? "" : ", ",
					   info->histories[i].analysis);
	if (analysis == NULL)
		analysis = "kernel";
	name_the_way(analysis, way, sizeof(way));
	return error_set(error, HISTREE_NOT_FOUND, "'%s' has no analysis '%s', %s%s; %s", info->path, analysis,
			 length > 0 ? "only " : "and none at all", names, way);
}

/* A history of an analysis that this library does not have is still a history. */
static enum histree_status check_analysis(const char *path, const char *analysis, uint32_t version,
					  struct histree_error *error)
{
	const struct registry_entry *entry = registry_find(analysis);
	if (entry == NULL || registry_version(entry) == version)
		return HISTREE_OK;
	return error_set(
		error, HISTREE_ERR_VERSION,
		"'%s' was built by analysis %s version %u, and this is version %u; build it again with --force",
		path, analysis, version, registry_version(entry));
}

static enum histree_status open_in(const char *folder, const char *file, const struct histree_open_options *options,
				   struct histree_history **out, struct histree_error *error)
{
	struct arena arena = { 0 };
	char *path = store_join(&arena, folder, file);
	enum histree_status status =
		path != NULL ? histree_history_open(path, options, out, error) : error_memory(error, "a path");
	arena_release(&arena);
	return status;
}

/* What a partial history has left out is in the traces of its store. */
static enum histree_status attach_trace(const struct histree_store_info *info,
					const struct histree_open_options *options,
					struct histree_history **history, struct histree_error *error)
{
	const struct partial_attachment attachment = {
		.traces = info->traces,
		.trace_count = info->trace_count,
		.store = info->path,
		.clock = info->clock,
		.null_empty_stacks = info->null_empty_stacks,
		.cache_bytes = options != NULL ? options->cache_bytes : 0,
	};
	if (!histree_history_info(*history)->partial)
		return HISTREE_OK;
	enum histree_status status = partial_history_attach(*history, &attachment, error);
	if (status == HISTREE_OK)
		return status;
	histree_history_close(*history);
	*history = NULL;
	return status;
}

/* The build may have ended since the store was opened, and its folder taken its name. */
static bool may_have_moved(const struct histree_store *store)
{
	return strcmp(store->info.path, store->asked) != 0;
}

/* Returns the store that is there now, under the name of this one; NULL if there is none, or this is it. */
static struct histree_store *successor_of(const struct histree_store *store)
{
	struct histree_error error;
	struct histree_store *now;
	if (store->is_successor || histree_store_open(store->asked, &now, &error) != HISTREE_OK)
		return NULL;
	now->is_successor = true;
	return now;
}

static enum histree_status another_build(const struct histree_store *store, const char *file,
					 struct histree_error *error)
{
	return error_set(
		error, HISTREE_ERR_FORMAT,
		"'%s/%s' is not the file that the manifest of its store means, but that of another store or "
		"build; open the store again, or build it again",
		store->info.path, file);
}

enum histree_status histree_store_history(struct histree_store *store, const char *analysis, bool any_version,
					  const struct histree_open_options *options, struct histree_history **out,
					  struct histree_error *error)
{
	*out = NULL;
	const struct histree_store_info *info = &store->info;
	const struct histree_store_history *history = find_history(info, analysis);
	if (history == NULL)
		return no_history(info, analysis, error);
	if (info->host_count > 0)
		return store_hosts_history(store, history->analysis, any_version, options, out, error);
	enum histree_status status =
		any_version ? HISTREE_OK
			    : check_analysis(info->path, history->analysis, history->analysis_version, error);
	if (status != HISTREE_OK)
		return status;
	status = open_in(info->path, history->file, options, out, error);
	if (status == HISTREE_ERR_IO && may_have_moved(store))
		status = open_in(store->asked, history->file, options, out, error);
	if (status != HISTREE_OK)
		return status;
	if (manifest_means_history(info, history, histree_history_info(*out)))
		return attach_trace(info, options, out, error);
	histree_history_close(*out);
	*out = NULL;
	status = another_build(store, history->file, error);
	struct histree_store *now = successor_of(store);
	if (now != NULL)
		status = histree_store_history(now, analysis, any_version, options, out, error);
	histree_store_close(now);
	return status;
}

static enum histree_status no_segments(const struct histree_store_info *info, const char *analysis,
				       struct histree_error *error)
{
	char names[256] = "", way[64];
	size_t length = 0;
	for (size_t i = 0; i < info->segments_count && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i == 0 ? "" : ", ",
					   info->segments[i].analysis);
	if (find_history(info, analysis) != NULL)
		return error_set(error, HISTREE_NOT_FOUND,
				 "'%s' makes states, which 'query' and 'ls' show; segments of '%s': %s", analysis,
				 info->path, length > 0 ? names : "none");
	name_the_way(analysis, way, sizeof(way));
	return error_set(error, HISTREE_NOT_FOUND, "'%s' has no segments '%s', %s%s; %s", info->path, analysis,
			 length > 0 ? "only " : "and none at all", names, way);
}

static enum histree_status open_segments_in(const char *folder, const char *file,
					    const struct histree_segment_open_options *options,
					    struct histree_segment_store **out, struct histree_error *error)
{
	struct arena arena = { 0 };
	char *path = store_join(&arena, folder, file);
	enum histree_status status = path != NULL ? histree_segment_store_open(path, options, out, error)
						  : error_memory(error, "a path");
	arena_release(&arena);
	return status;
}

enum histree_status histree_store_segments(struct histree_store *store, const char *analysis, bool any_version,
					   const struct histree_segment_open_options *options,
					   struct histree_segment_store **out, struct histree_error *error)
{
	*out = NULL;
	const struct histree_store_info *info = &store->info;
	const struct histree_store_segments *found = NULL;
	for (size_t i = 0; i < info->segments_count && found == NULL; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			found = &info->segments[i];
	if (found == NULL)
		return no_segments(info, analysis, error);
	if (info->host_count > 0)
		return store_hosts_segments(store, analysis, any_version, options, out, error);
	enum histree_status status =
		any_version ? HISTREE_OK
			    : check_analysis(info->path, found->analysis, found->analysis_version, error);
	if (status != HISTREE_OK)
		return status;
	status = open_segments_in(info->path, found->file, options, out, error);
	if (status == HISTREE_ERR_IO && may_have_moved(store))
		status = open_segments_in(store->asked, found->file, options, out, error);
	if (status != HISTREE_OK || found->identity == 0 ||
	    found->identity == histree_segment_store_info(*out)->identity)
		return status;
	histree_segment_store_close(*out);
	*out = NULL;
	status = another_build(store, found->file, error);
	struct histree_store *now = successor_of(store);
	if (now != NULL)
		status = histree_store_segments(now, analysis, any_version, options, out, error);
	histree_store_close(now);
	return status;
}
