// SPDX-License-Identifier: MIT
/*
 * leveled_overview.c - pyramids beside a history: levels of cells, each of eight of the level below.
 */
#include "state/leveled_overview.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "histree/history.h"
#include "state/attributes.h"
#include "store/overview_faults.h"

/* ---- overview levels ----------------------------------------------------------------------------------------- */

static enum histree_status add_entry(struct overview_level *level, struct level_entry entry,
				     struct histree_error *error)
{
	if (!array_reserve(&level->entries, &level->capacity, level->count + 1))
		return error_memory(error, "an overview");
	level->entries[level->count++] = entry;
	return HISTREE_OK;
}

/* Attribute L of the root begins a level, and those of L are its children until the next one begins. */
static enum histree_status overview_levels_read(struct histree_history *overview, uint32_t attribute_count,
						struct overview_level *levels, uint32_t levels_max,
						uint32_t *level_count, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(overview);
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	histree_quark level_own = HISTREE_ROOT;
	*level_count = 0;
	enum histree_status status = HISTREE_OK;
	for (histree_quark own = 0; own < attributes->count && status == HISTREE_OK; own++) {
		struct attribute_name name = source->name(attributes, own, &near);
		histree_quark parent = source->parent(attributes, own, &near);
		bool begins =
			parent == HISTREE_ROOT && *level_count < levels_max && name.number == *level_count + 1;
		struct overview_level *level = *level_count > 0 ? &levels[*level_count - 1] : NULL;
		bool goes_on = parent != HISTREE_ROOT && parent == level_own && name.number < attribute_count &&
			       (level->count == 0 || name.number > level->entries[level->count - 1].quark);
		if (name.text != NULL || !(begins || goes_on))
			return error_set(error, HISTREE_ERR_FORMAT,
					 "attribute %" PRIu32 " is not one of an overview with levels", own);
		if (begins) {
			level_own = own;
			(*level_count)++;
		} else {
			status = add_entry(level, (struct level_entry){ name.number, own }, error);
		}
	}
	return status;
}

static void overview_levels_release(struct overview_level *levels, uint32_t level_count)
{
	for (uint32_t i = 0; i < level_count; i++)
		free(levels[i].entries);
}

/* ---- finding --------------------------------------------------------------------------------------------- */

struct sought {
	const struct level_entry *entries;
	histree_quark quark;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->entries[index].quark < sought->quark;
}

const struct level_entry *overview_level_find(const struct overview_level *level, histree_quark quark)
{
	const struct sought sought = { level->entries, quark };
	size_t at = search_first(0, level->count, level->count / 2, is_before, &sought);
	return at < level->count && level->entries[at].quark == quark ? &level->entries[at] : NULL;
}

/* ---- leveled overview ---------------------------------------------------------------------------------------- */

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

/* ---- history numbers ----------------------------------------------------------------------------------------- */

const struct leveled_kind numbers_kind = {
	.name = "numbers",
	.unit = "states",
	.version = NUMBERS_VERSION,
	.log2_max = NUMBERS_STATES_LOG2_MAX,
	.last_log2_max = NUMBERS_STATES_LOG2_MAX + LEVELED_STEP_LOG2 * LEVELED_LEVELS_MAX,
	.node_size = 8 << 10, /* a level is read for a few states */
};

/* ---- history sums -------------------------------------------------------------------------------------------- */

const struct leveled_kind sums_kind = {
	.name = "sums",
	.unit = "ns",
	.version = SUMS_VERSION,
	.log2_min = 1,
	.log2_max = SUMS_WIDTH_LOG2_MAX,
	.last_log2_max = SUMS_WIDTH_LOG2_MAX,
	.node_size = 8 << 10, /* a level is read for a few states */
};
