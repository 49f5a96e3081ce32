// SPDX-License-Identifier: MIT
/*
 * build_add.c - a build that adds analyses to a store.
 *
 * It makes a store of the new ones in STORE.building, as any build does, and before its manifest says that it is
 * complete, the files of the old store get a second name in that folder.  Then the two folders exchange their
 * names.  So the store is the old one or the new one at any time, and no file of the old one is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/registry.h"
#include "base/error.h"
#include "base/io.h"
#include "pipeline/build/build.h"
#include "store_folder/manifest.h"

/* ---- the old store ------------------------------------------------------------------------------------------- */

static enum histree_status check_whole(const struct build *build, const struct histree_store_info *old)
{
	if (!old->complete)
		return error_set(build->error, HISTREE_ERR_INCOMPLETE,
				 "'%s' is not complete: 'histree build --resume' goes on with it", old->path);
	if (old->host_count > 0 || build->host->is_one_of_many != (build->host->old_store != NULL))
		return error_set(build->error, HISTREE_ERR_TRACE,
				 "'%s' is a store of %zu hosts, and '%s' is of one: say all of their traces",
				 old->path, old->host_count, build->options->traces[0]);
	if (trace_is_address(build->options->traces[0]))
		return error_set(build->error, HISTREE_ERR_ARGUMENT,
				 "'%s': a live trace cannot be read again, so that nothing can be added to '%s'",
				 build->options->traces[0], old->path);
	return HISTREE_OK;
}

enum histree_status build_open_old(struct build *build)
{
	if (!build->options->add)
		return HISTREE_OK;
	const char *path = build->host->old_store != NULL ? build->host->old_store : build->options->store;
	enum histree_status status = histree_store_open(path, &build->old_store, build->error);
	if (status == HISTREE_OK)
		build->old = histree_store_info(build->old_store);
	return status == HISTREE_OK ? check_whole(build, build->old) : status;
}

bool build_has_already(const struct build *build, const char *analysis)
{
	const struct histree_store_info *old = build->old;
	for (size_t i = 0; old != NULL && i < old->history_count; i++)
		if (strcmp(old->histories[i].analysis, analysis) == 0)
			return true;
	for (size_t i = 0; old != NULL && i < old->segments_count; i++)
		if (strcmp(old->segments[i].analysis, analysis) == 0)
			return true;
	return false;
}

bool build_knows_already(const struct build *build, const char *analysis)
{
	for (size_t i = 0; build->old != NULL && i < build->old->lacking_count; i++)
		if (strcmp(build->old->lacking[i], analysis) == 0)
			return true;
	return build_has_already(build, analysis);
}

/* ---- whether it is of the same trace ------------------------------------------------------------------------- */

/* The index of events says of each where it is in which file, so that no other trace has the same one. */
static bool is_same_trace(const struct histree_store_info *old, const struct histree_store_info *new)
{
	bool has_indexes = old->index_identity != 0 && new->index_identity != 0;
	return old->event_count == new->event_count && old->start == new->start && old->end == new->end &&
	       (!has_indexes || old->index_identity == new->index_identity);
}

static enum histree_status not_the_same(const struct build *build, const struct histree_store_info *new)
{
	return error_set(
		build->error, HISTREE_ERR_TRACE,
		"'%s' is not the trace that '%s' was made of, as it was then: that had %llu events from %lld "
		"to %lld, and this has %llu from %lld to %lld; 'histree copy --rebuild' makes all of the store "
		"again",
		build->options->traces[0], build->old->path, (unsigned long long)build->old->event_count,
		(long long)build->old->start, (long long)build->old->end, (unsigned long long)new->event_count,
		(long long)new->start, (long long)new->end);
}

/* ---- its files ----------------------------------------------------------------------------------------------- */

/* What the new store has by itself, as has what a build holds it by. */
static bool is_made_anew(const char *name)
{
	return strcmp(name, MANIFEST_FILE) == 0 || strcmp(name, EVENT_INDEX_FILE) == 0 || strcmp(name, "lock") == 0;
}

/* Where a file has one name only, it is copied. */
static enum histree_status take_path(const struct build *build, const char *old, const char *new)
{
	const struct io *io = build->io;
	if (io->link != NULL && io->link(io->context, old, new) == 0)
		return HISTREE_OK;
	enum histree_status status = io_copy(io, old, new, build->error);
	return status == HISTREE_NOT_FOUND ? error_set(build->error, HISTREE_ERR_IO, "'%s' is gone", old) : status;
}

/* The files that are taken. */
struct taking {
	const struct build *build;
	enum histree_status status;
};

static bool take_file(void *names, const char *name)
{
	struct taking *taking = names;
	const struct build *build = taking->build;
	char *old = NULL, *new = NULL;
	struct stat facts;
	if (is_made_anew(name))
		return true;
	new = store_folder_path(&build->folder, name);
	if (new == NULL || asprintf(&old, "%s/%s", build->old->path, name) < 0)
		taking->status = error_memory(build->error, "a path");
	else if (lstat(old, &facts) == 0 && S_ISREG(facts.st_mode))
		taking->status = take_path(build, old, new);
	free(old);
	free(new);
	return taking->status == HISTREE_OK;
}

/* ---- its manifest -------------------------------------------------------------------------------------------- */

static bool is_on(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], text) == 0)
			return true;
	return false;
}

/* Append texts that are not on the list.  There is room for them. */
static size_t join(const char **list, size_t count, const char *const *more, size_t more_count)
{
	for (size_t i = 0; i < more_count; i++)
		if (!is_on(more[i], list, count))
			list[count++] = more[i];
	return count;
}

/* What there was comes first. */
enum histree_status build_join_manifests(struct build *build, struct histree_store_info *info, struct arena *arena)
{
	const struct histree_store_info *old = build->old;
	const size_t history_count = old->history_count + info->history_count;
	const size_t segments_count = old->segments_count + info->segments_count;
	struct histree_store_history *histories = arena_allocate(arena, (history_count + 1) * sizeof(*histories),
								 _Alignof(struct histree_store_history));
	struct histree_store_segments *segments = arena_allocate(arena, (segments_count + 1) * sizeof(*segments),
								 _Alignof(struct histree_store_segments));
	const char **warnings = arena_allocate(
		arena, (old->warning_count + info->warning_count + 1) * sizeof(*warnings), _Alignof(const char *));
	const char **lacking = arena_allocate(
		arena, (old->lacking_count + info->lacking_count + 1) * sizeof(*lacking), _Alignof(const char *));
	if (histories == NULL || segments == NULL || warnings == NULL || lacking == NULL)
		return error_memory(build->error, "the manifest");
	if (!is_same_trace(old, info))
		return not_the_same(build, info);
	for (size_t i = 0; i < history_count; i++)
		histories[i] = i < old->history_count ? old->histories[i] : info->histories[i - old->history_count];
	for (size_t i = 0; i < segments_count; i++)
		segments[i] = i < old->segments_count ? old->segments[i] : info->segments[i - old->segments_count];
	info->warning_count = join(warnings, join(warnings, 0, old->warnings, old->warning_count), info->warnings,
				   info->warning_count);
	size_t lacking_count = 0;
	for (size_t i = 0; i < old->lacking_count; i++) {
		bool is_made = false;
		for (size_t at = 0; at < build->job_count; at++)
			is_made |= strcmp(registry_name(build->jobs[at].entry), old->lacking[i]) == 0;
		if (!is_made)
			lacking[lacking_count++] = old->lacking[i];
	}
	info->lacking_count = join(lacking, lacking_count, info->lacking, info->lacking_count);
	info->histories = histories;
	info->history_count = history_count;
	info->segments = segments;
	info->segments_count = segments_count;
	info->warnings = warnings;
	info->lacking = lacking;
	info->options = old->options;
	info->build_ns += old->build_ns;
	struct taking taking = { .build = build };
	enum histree_status status = io_list(build->io, build->old->path, take_file, &taking, build->error);
	return status == HISTREE_OK ? taking.status : status;
}
