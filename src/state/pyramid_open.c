// SPDX-License-Identifier: MIT
/*
 * pyramid_open.c - opens the files of pyramids beside a history, if they belong to it, and verifies them.
 */
#include "state/pyramid_open.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "histree/history.h"
#include "state/attributes.h"
#include "state/history.h"
#include "store/block_file.h"
#include "store/overview_faults.h"

static bool is_rows(enum pyramid_id id)
{
	return pyramid_kinds[id].unit == NULL;
}

static char *make_path(const char *history, struct histree_error *error)
{
	char *path = malloc(pyramid_path_size(history));
	if (path == NULL)
		error_memory(error, "a path");
	return path;
}

/* What is no such text is not printed again as it was. */
static bool is_of(const struct histree_history_info *info, enum pyramid_id id,
		  const struct histree_history_info *of, unsigned *log2)
{
	const bool is_older = is_rows(id) && info->provider_version == 1;
	char again[sizeof(of->provider)];
	uint64_t identity;
	*log2 = 0;
	if ((info->provider_version != pyramid_kinds[id].version && !is_older) || !info->complete ||
	    info->start != of->start || info->end != of->end ||
	    (!is_rows(id) && sscanf(info->provider, "%*s of %" SCNx64 ", by 2^%u", &identity, log2) != 2))
		return false;
	if (is_older) {
		/* They told a history from others by how much it has, and are older than their name. */
		snprintf(again, sizeof(again), "digest of %" PRIu64 " states, %" PRIu64 " bytes",
			 of->interval_count, of->file_bytes);
	} else {
		pyramid_provider(id, of, *log2, again, sizeof(again));
	}
	return strcmp(info->provider, again) == 0;
}

/* ---- the attributes of a file ------------------------------------------------------------------------------ */

static enum histree_status add_entry(struct pyramid_level *level, struct pyramid_entry entry,
				     struct histree_error *error)
{
	if (!array_reserve(&level->entries, &level->capacity, level->count + 1))
		return error_memory(error, "an overview");
	level->entries[level->count++] = entry;
	return HISTREE_OK;
}

/*
 * Attribute L of the root begins a level, and those of L are its children until the next one begins; of rows, the
 * attributes of the root are widths, and all of their children are one level.
 */
static enum histree_status read_entries(struct pyramid *pyramid, enum pyramid_id id,
					struct histree_history *history, uint32_t attribute_count,
					struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	const struct attribute_source *source = attributes->source;
	const uint32_t first = pyramid->level_count - 1; /* which has the history, and no entries */
	struct attribute_range near = { 0 };
	histree_quark group = HISTREE_ROOT;
	uint32_t groups = 0;
	enum histree_status status = HISTREE_OK;
	for (histree_quark own = 0; own < attributes->count && status == HISTREE_OK; own++) {
		const struct attribute_name name = source->name(attributes, own, &near);
		const histree_quark parent = source->parent(attributes, own, &near);
		struct pyramid_level *level = &pyramid->levels[pyramid->level_count - 1];
		struct pyramid_entry entry = { name.number, own, pyramid->log2 + (groups - 1) * PYRAMID_STEP_LOG2 };
		bool is_one = parent == group && groups > 0;
		if (parent == HISTREE_ROOT && is_rows(id))
			continue;
		if (parent == HISTREE_ROOT && groups < PYRAMID_STEPS_MAX && name.text == NULL &&
		    name.number == groups + 1) {
			pyramid->level_count = first + ++groups;
			pyramid->levels[pyramid->level_count - 1].history = history;
			group = own;
			continue;
		}
		if (is_rows(id)) {
			const struct attribute_name width = source->name(attributes, parent, &near);
			entry.width_log2 = width.number;
			is_one = width.text == NULL && width.number <= PYRAMID_ROWS_WIDTH_LOG2_MAX &&
				 source->parent(attributes, parent, &near) == HISTREE_ROOT;
		}
		if (!is_one || name.text != NULL || name.number >= attribute_count ||
		    (level->count > 0 && name.number <= level->entries[level->count - 1].quark))
			return error_set(error, HISTREE_ERR_FORMAT,
					 "attribute %" PRIu32 " is not one of an overview", own);
		status = add_entry(level, entry, error);
	}
	if (status == HISTREE_OK && !is_rows(id) && groups == 0)
		return error_set(error, HISTREE_ERR_FORMAT, "an overview has no levels");
	return status;
}

static bool has_levels(const struct pyramid *pyramid, enum pyramid_id id)
{
	const struct pyramid_kind *kind = &pyramid_kinds[id];
	return is_rows(id) ||
	       (pyramid->log2 >= kind->log2_min && pyramid->log2 <= kind->log2_max &&
		pyramid->log2 + (pyramid->level_count - 1) * PYRAMID_STEP_LOG2 <= kind->last_log2_max);
}

/* The history becomes the levels that it has, or is closed. */
static enum histree_status take_file(struct pyramid *pyramid, enum pyramid_id id, struct histree_history *history,
				     const char *path, const struct histree_history_info *of,
				     struct histree_error *error)
{
	const uint32_t before = pyramid->level_count;
	enum histree_status status = HISTREE_OK;
	assert(before < PYRAMID_LEVELS_MAX);
	pyramid->levels[pyramid->level_count++].history = history;
	if (!is_of(histree_history_info(history), id, of, &pyramid->log2))
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s' is of another history", path);
	if (status == HISTREE_OK)
		status = read_entries(pyramid, id, history, of->attribute_count, error);
	if (status == HISTREE_OK && !has_levels(pyramid, id))
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s' has no such levels", path);
	if (status != HISTREE_OK)
		pyramid_drop_levels(pyramid, before);
	return status;
}

static enum histree_status open_file(struct pyramid *pyramid, enum pyramid_id id, const char *path,
				     const struct histree_history_info *of, size_t cache_bytes,
				     struct histree_error *error)
{
	const struct histree_open_options options = { .cache_bytes = cache_bytes };
	struct block_file *file;
	struct histree_history *history = NULL;
	enum histree_status status = block_file_open(&io_posix, path, &file, error);
	if (status == HISTREE_OK)
		status = history_open_file(file, &options, &history, error);
	return status == HISTREE_OK ? take_file(pyramid, id, history, path, of, error) : status;
}

/* ------------------------------------------------------------------------------------------------------------ */

enum histree_status pyramid_attach(struct pyramid *pyramid, enum pyramid_id id, struct histree_history *history,
				   const struct histree_history_info *of, struct histree_error *error)
{
	return take_file(pyramid, id, history, "an overview", of, error);
}

enum histree_status pyramid_open(struct pyramid *pyramid, enum pyramid_id id, const char *path,
				 const struct histree_history_info *of, size_t cache_bytes,
				 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	char *name = make_path(path, error);
	if (name == NULL)
		return HISTREE_ERR_MEMORY;
	for (uint32_t file = 1; file <= pyramid_files_max(id) && status == HISTREE_OK; file++) {
		pyramid_path(id, path, file, name);
		status = open_file(pyramid, id, name, of, cache_bytes, NULL);
	}
	free(name);
	return status == HISTREE_ERR_MEMORY ? error_memory(error, "an overview") : HISTREE_OK;
}

/* ---- verifying --------------------------------------------------------------------------------------------- */

static enum histree_status verify_file(enum pyramid_id id, const char *path, const struct histree_history_info *of,
				       struct overview_faults *faults, struct histree_error *error)
{
	enum { CACHE_BYTES = 1 << 20 };
	struct pyramid pyramid = { .level_count = 0 };
	struct histree_error fault = { 0 };
	const uint64_t before = faults->count;
	faults->path = path;
	enum histree_status status = open_file(&pyramid, id, path, of, CACHE_BYTES, &fault);
	if (status == HISTREE_OK)
		status = history_verify_file(pyramid.levels[0].history, overview_faults_report, faults, &fault);
	pyramid_drop_levels(&pyramid, 0);
	return overview_faults_judge(faults, before, status, &fault, error);
}

enum histree_status pyramids_verify(const struct io *io, const char *path, const struct histree_history_info *of,
				    struct overview_faults *faults, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	char *name = make_path(path, error);
	if (name == NULL)
		return HISTREE_ERR_MEMORY;
	for (unsigned id = 0; id < PYRAMIDS; id++)
		for (uint32_t file = 1; file <= pyramid_files_max(id) && status == HISTREE_OK; file++) {
			pyramid_path(id, path, file, name);
			if (overview_is_there(io, name))
				status = verify_file(id, name, of, faults, error);
		}
	free(name);
	return status;
}
