// SPDX-License-Identifier: MIT
#include "state/history_overviews.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/search.h"
#include "state/attributes.h"
#include "store/overview_faults.h"

size_t overview_path_size(const char *history)
{
	return strlen(history) + sizeof(".overview4294967295");
}

void overview_path(const char *history, uint32_t number, char *room)
{
	snprintf(room, overview_path_size(history), "%s.overview%" PRIu32, history, number);
}

void overview_provider(const struct histree_history_info *of, char *room, size_t size)
{
	snprintf(room, size, "overview of %016" PRIx64, of->identity);
}

/* Overviews of version 1 told a history from others by how much it has, and are older than their name. */
static void older_provider(const struct histree_history_info *of, char *room, size_t size)
{
	snprintf(room, size, "digest of %" PRIu64 " states, %" PRIu64 " bytes", of->interval_count, of->file_bytes);
}

/* ---- opening --------------------------------------------------------------------------------------------- */

static enum histree_status add_entry(struct history_overview *overview, size_t *capacity,
				     struct overview_entry entry, struct histree_error *error)
{
	if (!array_reserve(&overview->entries, capacity, (size_t)overview->count + 1))
		return error_memory(error, "an overview");
	overview->entries[overview->count++] = entry;
	return HISTREE_OK;
}

/* HISTREE_ERR_FORMAT: it has names that are not those of an overview. */
static enum histree_status read_entries(struct history_overview *overview, uint32_t attribute_count,
					struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(overview->history);
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	size_t capacity = 0;
	for (histree_quark own = 0; own < attributes->count; own++) {
		histree_quark parent = source->parent(attributes, own, &near);
		if (parent == HISTREE_ROOT)
			continue;
		struct attribute_name name = source->name(attributes, own, &near);
		struct attribute_name width = source->name(attributes, parent, &near);
		bool is_width = width.text == NULL && width.number <= OVERVIEW_WIDTH_LOG2_MAX &&
				source->parent(attributes, parent, &near) == HISTREE_ROOT;
		if (!is_width || name.text != NULL || name.number >= attribute_count ||
		    (overview->count > 0 && name.number <= overview->entries[overview->count - 1].quark))
			return error_set(error, HISTREE_ERR_FORMAT,
					 "attribute %" PRIu32 " is not one of an overview", own);
		struct overview_entry entry = { name.number, own, width.number };
		enum histree_status status = add_entry(overview, &capacity, entry, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static void close_overview(struct history_overview *overview)
{
	histree_history_close(overview->history);
	free(overview->entries);
	*overview = (struct history_overview){ 0 };
}

/* Whether the file that was opened is an overview of this history. */
static bool is_of(const struct histree_history_info *info, const struct histree_history_info *of)
{
	char provider[sizeof(info->provider)];
	bool is_known = info->provider_version == OVERVIEW_VERSION || info->provider_version == 1;
	if (info->provider_version == 1)
		older_provider(of, provider, sizeof(provider));
	else
		overview_provider(of, provider, sizeof(provider));
	return is_known && strcmp(info->provider, provider) == 0 && info->complete && info->start == of->start &&
	       info->end == of->end;
}

static enum histree_status open_overview(struct history_overview *overview, const char *path,
					 const struct histree_history_info *of, size_t cache_bytes,
					 struct histree_error *error)
{
	const struct histree_open_options options = { .cache_bytes = cache_bytes, .no_overviews = true };
	enum histree_status status = histree_history_open(path, &options, &overview->history, error);
	if (status == HISTREE_OK && !is_of(histree_history_info(overview->history), of))
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s' is of another history", path);
	return status == HISTREE_OK ? read_entries(overview, of->attribute_count, error) : status;
}

enum histree_status history_overviews_open(struct history_overviews *overviews, const char *path,
					   const struct histree_history_info *of, size_t cache_bytes,
					   struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	char *name = malloc(overview_path_size(path));
	if (name == NULL)
		return error_memory(error, "a path");
	while (status == HISTREE_OK && overviews->count < OVERVIEWS_MAX) {
		struct history_overview *overview = &overviews->overviews[overviews->count];
		overview_path(path, overviews->count + 1, name);
		status = open_overview(overview, name, of, cache_bytes, NULL);
		if (status == HISTREE_OK)
			overviews->count++;
		else
			close_overview(overview);
	}
	free(name);
	return status == HISTREE_ERR_MEMORY ? error_memory(error, "an overview") : HISTREE_OK;
}

enum histree_status history_overviews_attach(struct history_overviews *overviews, struct histree_history *history,
					     const struct histree_history_info *of, struct histree_error *error)
{
	struct history_overview *overview = &overviews->overviews[overviews->count];
	enum histree_status status = HISTREE_OK;
	*overview = (struct history_overview){ .history = history };
	if (!is_of(histree_history_info(history), of))
		status = error_set(error, HISTREE_ERR_FORMAT, "an overview is of another history");
	if (status == HISTREE_OK)
		status = read_entries(overview, of->attribute_count, error);
	if (status == HISTREE_OK)
		overviews->count++;
	else
		close_overview(overview);
	return status;
}

/* ---- verifying ------------------------------------------------------------------------------------------- */

static enum histree_status verify_overview(const char *path, const struct histree_history_info *of,
					   struct overview_faults *faults, struct histree_error *error)
{
	enum { CACHE_BYTES = 1 << 20 };
	struct history_overview overview = { 0 };
	struct histree_error fault = { 0 };
	uint64_t before = faults->count;
	faults->path = path;
	enum histree_status status = open_overview(&overview, path, of, CACHE_BYTES, &fault);
	if (status == HISTREE_OK)
		status = histree_history_verify(overview.history, overview_faults_report, faults, &fault);
	close_overview(&overview);
	return overview_faults_judge(faults, before, status, &fault, error);
}

enum histree_status history_overviews_verify(const struct io *io, const char *path,
					     const struct histree_history_info *of, struct overview_faults *faults,
					     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	char *name = malloc(overview_path_size(path));
	if (name == NULL)
		return error_memory(error, "a path");
	for (uint32_t number = 1; number <= OVERVIEWS_MAX && status == HISTREE_OK; number++) {
		overview_path(path, number, name);
		if (overview_is_there(io, name))
			status = verify_overview(name, of, faults, error);
	}
	free(name);
	return status;
}

/* ---- finding --------------------------------------------------------------------------------------------- */

struct sought {
	const struct overview_entry *entries;
	histree_quark quark;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->entries[index].quark < sought->quark;
}

static const struct overview_entry *find_entry(const struct history_overview *overview, histree_quark quark)
{
	const struct sought sought = { overview->entries, quark };
	size_t at = search_first(0, overview->count, overview->count / 2, is_before, &sought);
	return at < overview->count && overview->entries[at].quark == quark ? &overview->entries[at] : NULL;
}

uint32_t history_overviews_find(const struct history_overviews *overviews, histree_quark quark, uint64_t cell_ns,
				const struct overview_entry **entry)
{
	for (uint32_t i = overviews->count; i-- > 0;) {
		*entry = find_entry(&overviews->overviews[i], quark);
		if (*entry != NULL && UINT64_C(1) << (*entry)->width_log2 <= cell_ns)
			return i;
	}
	return UINT32_MAX;
}

void history_overviews_close(struct history_overviews *overviews)
{
	while (overviews->count > 0)
		close_overview(&overviews->overviews[--overviews->count]);
}
