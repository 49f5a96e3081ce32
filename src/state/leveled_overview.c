// SPDX-License-Identifier: MIT
#include "state/leveled_overview.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/overview_faults.h"

size_t leveled_overview_path_size(const struct leveled_kind *kind, const char *history)
{
	return strlen(history) + strlen(kind->name) + sizeof(".");
}

void leveled_overview_path(const struct leveled_kind *kind, const char *history, char *room)
{
	snprintf(room, leveled_overview_path_size(kind, history), "%s.%s", history, kind->name);
}

static char *path_of(const struct leveled_kind *kind, const char *history, struct histree_error *error)
{
	char *path = malloc(leveled_overview_path_size(kind, history));
	if (path == NULL)
		error_memory(error, "a path");
	else
		leveled_overview_path(kind, history, path);
	return path;
}

/* The text is part of the format. */
void leveled_overview_provider(const struct leveled_kind *kind, const struct histree_history_info *of,
			       unsigned log2, char *room, size_t size)
{
	snprintf(room, size, "%s of %016" PRIx64 ", by 2^%u %s", kind->name, of->identity, log2, kind->unit);
}

/* ---- opening --------------------------------------------------------------------------------------------- */

/* What is no such text is not printed again as it was. */
static bool read_provider(const char *provider, const struct leveled_kind *kind,
			  const struct histree_history_info *of, unsigned *log2)
{
	char again[sizeof(of->provider)];
	uint64_t identity;
	if (sscanf(provider, "%*s of %" SCNx64 ", by 2^%u", &identity, log2) != 2)
		return false;
	leveled_overview_provider(kind, of, *log2, again, sizeof(again));
	return strcmp(provider, again) == 0;
}

static enum histree_status read_opened(struct leveled_overview *overview, const struct leveled_kind *kind,
				       const char *path, const struct histree_history_info *of,
				       struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(overview->history);
	if (info->provider_version != kind->version || !info->complete || info->start != of->start ||
	    info->end != of->end || !read_provider(info->provider, kind, of, &overview->log2))
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' is of another history", path);
	enum histree_status status = overview_levels_read(overview->history, of->attribute_count, overview->levels,
							  LEVELED_LEVELS_MAX, &overview->level_count, error);
	if (status != HISTREE_OK)
		return status;
	if (overview->level_count == 0 || overview->log2 < kind->log2_min || overview->log2 > kind->log2_max ||
	    overview->log2 + (overview->level_count - 1) * LEVELED_STEP_LOG2 > kind->last_log2_max)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' has no such levels", path);
	return HISTREE_OK;
}

static enum histree_status open_overview(struct leveled_overview *overview, const struct leveled_kind *kind,
					 const char *path, const struct histree_history_info *of,
					 size_t cache_bytes, struct histree_error *error)
{
	const struct histree_open_options options = { .cache_bytes = cache_bytes, .no_overviews = true };
	*overview = (struct leveled_overview){ 0 };
	enum histree_status status = histree_history_open(path, &options, &overview->history, error);
	return status == HISTREE_OK ? read_opened(overview, kind, path, of, error) : status;
}

enum histree_status leveled_overview_attach(struct leveled_overview *overview, const struct leveled_kind *kind,
					    struct histree_history *history, const struct histree_history_info *of,
					    struct histree_error *error)
{
	*overview = (struct leveled_overview){ .history = history };
	enum histree_status status = read_opened(overview, kind, "an overview", of, error);
	if (status != HISTREE_OK)
		leveled_overview_close(overview);
	return status;
}

enum histree_status leveled_overview_open(struct leveled_overview *overview, const struct leveled_kind *kind,
					  const char *path, const struct histree_history_info *of,
					  size_t cache_bytes, struct histree_error *error)
{
	char *name = path_of(kind, path, error);
	if (name == NULL)
		return HISTREE_ERR_MEMORY;
	enum histree_status status = open_overview(overview, kind, name, of, cache_bytes, NULL);
	if (status != HISTREE_OK)
		leveled_overview_close(overview);
	free(name);
	return status == HISTREE_ERR_MEMORY ? error_memory(error, "an overview") : HISTREE_OK;
}

void leveled_overview_close(struct leveled_overview *overview)
{
	histree_history_close(overview->history);
	overview_levels_release(overview->levels, overview->level_count);
	*overview = (struct leveled_overview){ 0 };
}

/* ---- verifying ------------------------------------------------------------------------------------------- */

enum histree_status leveled_overview_verify(const struct leveled_kind *kind, const struct io *io, const char *path,
					    const struct histree_history_info *of, struct overview_faults *faults,
					    struct histree_error *error)
{
	enum { CACHE_BYTES = 1 << 20 };
	struct leveled_overview overview;
	struct histree_error fault = { 0 };
	uint64_t before = faults->count;
	char *name = path_of(kind, path, error);
	if (name == NULL)
		return HISTREE_ERR_MEMORY;
	enum histree_status status = HISTREE_OK;
	if (overview_is_there(io, name)) {
		faults->path = name;
		status = open_overview(&overview, kind, name, of, CACHE_BYTES, &fault);
		if (status == HISTREE_OK)
			status = histree_history_verify(overview.history, overview_faults_report, faults, &fault);
		leveled_overview_close(&overview);
		status = overview_faults_judge(faults, before, status, &fault, error);
	}
	free(name);
	return status;
}

/* ---- finding --------------------------------------------------------------------------------------------- */

uint32_t leveled_overview_find(const struct leveled_overview *overview, histree_quark quark,
			       histree_quark own[LEVELED_LEVELS_MAX])
{
	const struct level_entry *entry;
	uint32_t count = 0;
	while (count < overview->level_count &&
	       (entry = overview_level_find(&overview->levels[count], quark)) != NULL)
		own[count++] = entry->own;
	return count;
}
