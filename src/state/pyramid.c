// SPDX-License-Identifier: MIT
/*
 * pyramid.c - the pyramids beside a history: found, opened if they are of it, and closed.
 */
#include "state/pyramid.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/history.h"
#include "state/attributes.h"
#include "store/overview_faults.h"

enum { NUMBERS_LOG2_MAX = 24, WIDTH_LOG2_MAX = 60 };

const struct pyramid_kind pyramid_kinds[PYRAMIDS] = {
	[PYRAMID_ROWS] = { .name = "overview", .version = 2 },
	[PYRAMID_NUMBERS] = { .name = "numbers",
			      .unit = "states",
			      .version = 1,
			      .log2_max = NUMBERS_LOG2_MAX,
			      .last_log2_max = NUMBERS_LOG2_MAX + PYRAMID_STEP_LOG2 * PYRAMID_STEPS_MAX,
			      .node_size = 8 << 10 }, /* a level is read for a few states */
	[PYRAMID_SUMS] = { .name = "sums",
			   .unit = "ns",
			   .version = 1,
			   .log2_min = 1,
			   .log2_max = WIDTH_LOG2_MAX,
			   .last_log2_max = WIDTH_LOG2_MAX,
			   .node_size = 8 << 10,
			   .cells_enough = 17 },
	[PYRAMID_CUBE] = { .name = "cube",
			   .unit = "ns",
			   .version = 1,
			   .log2_max = WIDTH_LOG2_MAX,
			   .last_log2_max = WIDTH_LOG2_MAX + PYRAMID_STEP_LOG2 * PYRAMID_STEPS_MAX,
			   .node_size = 256 << 10,
			   .cells_enough = 16,
			   .has_rest = true },
};

static bool is_rows(enum pyramid_id id)
{
	return pyramid_kinds[id].unit == NULL;
}

uint32_t pyramid_files_max(enum pyramid_id id)
{
	return is_rows(id) ? PYRAMID_LEVELS_MAX : 1;
}

/* ---- finding --------------------------------------------------------------------------------------------- */

struct sought {
	const struct pyramid_entry *entries;
	histree_quark quark;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->entries[index].quark < sought->quark;
}

const struct pyramid_entry *pyramid_level_find(const struct pyramid_level *level, histree_quark quark)
{
	assert(level->count == 0 || level->history != NULL);
	const struct sought sought = { level->entries, quark };
	size_t at = search_first(0, level->count, level->count / 2, is_before, &sought);
	return at < level->count && level->entries[at].quark == quark ? &level->entries[at] : NULL;
}

uint32_t pyramid_find(const struct pyramid *pyramid, histree_quark quark, histree_quark own[PYRAMID_LEVELS_MAX])
{
	const struct pyramid_entry *entry;
	uint32_t count = 0;
	while (count < pyramid->level_count && (entry = pyramid_level_find(&pyramid->levels[count], quark)) != NULL)
		own[count++] = entry->own;
	return count;
}

uint32_t pyramid_find_width(const struct pyramid *pyramid, histree_quark quark, uint64_t cell_ns,
			    const struct pyramid_entry **entry)
{
	for (uint32_t i = pyramid->level_count; i-- > 0;) {
		*entry = pyramid_level_find(&pyramid->levels[i], quark);
		if (*entry != NULL && UINT64_C(1) << (*entry)->width_log2 <= cell_ns)
			return i;
	}
	return UINT32_MAX;
}

/* ---- cells ------------------------------------------------------------------------------------------------- */

static uint64_t length_of(const struct pyramid_grid *grid)
{
	return (uint64_t)grid->end - (uint64_t)grid->origin;
}

static unsigned width_of(const struct pyramid_grid *grid, uint32_t level)
{
	return grid->width_log2 + level * PYRAMID_STEP_LOG2;
}

struct pyramid_grid pyramid_grid(enum pyramid_id id, const struct histree_history_info *of, unsigned width_log2)
{
	const struct pyramid_kind *kind = &pyramid_kinds[id];
	struct pyramid_grid grid = { of->start, of->end, width_log2, 1, kind->has_rest };
	while (grid.level_count < PYRAMID_STEPS_MAX && width_of(&grid, grid.level_count) <= kind->last_log2_max &&
	       pyramid_grid_cells(&grid, grid.level_count - 1) > kind->cells_enough)
		grid.level_count++;
	return grid;
}

uint64_t pyramid_grid_cells(const struct pyramid_grid *grid, uint32_t level)
{
	const unsigned width = width_of(grid, level);
	return width < 64 ? (length_of(grid) >> width) + 1 : 1;
}

void pyramid_grid_times(const struct pyramid_grid *grid, uint32_t level, uint64_t cell, histree_time *start,
			histree_time *end)
{
	const unsigned width = width_of(grid, level);
	const uint64_t first = width < 64 ? cell << width : 0;
	const uint64_t ahead = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
	assert(cell < pyramid_grid_cells(grid, level));
	const uint64_t left = length_of(grid) - first;
	*start = (histree_time)((uint64_t)grid->origin + first);
	*end = (histree_time)((uint64_t)*start + (left < ahead ? left : ahead));
}

bool pyramid_grid_inside(const struct pyramid_grid *grid, histree_time from, histree_time to, uint64_t *first,
			 uint64_t *after)
{
	assert(from >= grid->origin && from <= to && to <= grid->end);
	const uint64_t start = (uint64_t)from - (uint64_t)grid->origin,
		       mask = (UINT64_C(1) << grid->width_log2) - 1;
	const uint64_t end = (uint64_t)to - (uint64_t)grid->origin;
	const bool is_whole = (end & mask) == mask || (grid->has_rest && to == grid->end);
	*first = start == 0 ? 0 : (start >> grid->width_log2) + 1;
	*after = (end >> grid->width_log2) + is_whole;
	return *first < *after;
}

enum histree_status pyramid_grid_walk(const struct pyramid_grid *grid, uint64_t first, uint64_t after,
				      enum histree_status (*take)(void *context, uint32_t level, uint64_t first,
								  uint64_t after, struct histree_error *error),
				      void *context, struct histree_error *error)
{
	const uint64_t step = 1 << PYRAMID_STEP_LOG2;
	enum histree_status status = HISTREE_OK;
	for (uint32_t level = 0; first < after && status == HISTREE_OK; level++) {
		assert(level < grid->level_count && after <= pyramid_grid_cells(grid, level));
		const bool is_to_end = grid->has_rest && after == pyramid_grid_cells(grid, level);
		const uint64_t next_first = (first + step - 1) / step;
		const uint64_t next_after = is_to_end ? (after + step - 1) / step : after / step;
		if (level + 1 == grid->level_count || next_first >= next_after)
			return take(context, level, first, after, error);
		if (first < next_first * step)
			status = take(context, level, first, next_first * step, error);
		if (status == HISTREE_OK && next_after * step < after)
			status = take(context, level, next_after * step, after, error);
		first = next_first;
		after = next_after;
	}
	return status;
}

/* ---- whose it is ------------------------------------------------------------------------------------------- */

size_t pyramid_path_size(const char *history)
{
	return strlen(history) + sizeof(".overview4294967295"); /* the longest of all */
}

void pyramid_path(enum pyramid_id id, const char *history, uint32_t level, char *room)
{
	const int size = snprintf(room, pyramid_path_size(history), "%s.%s", history, pyramid_kinds[id].name);
	assert(size > 0 && (size_t)size < pyramid_path_size(history));
	if (is_rows(id))
		sprintf(room + size, "%" PRIu32, level);
}

static char *make_path(const char *history, struct histree_error *error)
{
	char *path = malloc(pyramid_path_size(history));
	if (path == NULL)
		error_memory(error, "a path");
	return path;
}

/* The text is part of the format. */
void pyramid_provider(enum pyramid_id id, const struct histree_history_info *of, unsigned log2, char *room,
		      size_t size)
{
	const struct pyramid_kind *kind = &pyramid_kinds[id];
	const int used = snprintf(room, size, "%s of %016" PRIx64, kind->name, of->identity);
	if (kind->unit != NULL)
		snprintf(room + used, size - (size_t)used, ", by 2^%u %s", log2, kind->unit);
}

/* Rows of version 1 told a history from others by how much it has, and are older than their name. */
static void older_provider(const struct histree_history_info *of, char *room, size_t size)
{
	snprintf(room, size, "digest of %" PRIu64 " states, %" PRIu64 " bytes", of->interval_count, of->file_bytes);
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
	if (is_older)
		older_provider(of, again, sizeof(again));
	else
		pyramid_provider(id, of, *log2, again, sizeof(again));
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

/* The levels from `count` on are not there any more, and their file is closed. */
static void drop_levels(struct pyramid *pyramid, uint32_t count)
{
	while (pyramid->level_count > count) {
		assert(pyramid->level_count <= PYRAMID_LEVELS_MAX);
		struct pyramid_level *level = &pyramid->levels[--pyramid->level_count];
		if (pyramid->level_count == 0 || level->history != level[-1].history)
			histree_history_close(level->history);
		free(level->entries);
		*level = (struct pyramid_level){ 0 };
	}
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
		drop_levels(pyramid, before);
	return status;
}

static enum histree_status open_file(struct pyramid *pyramid, enum pyramid_id id, const char *path,
				     const struct histree_history_info *of, size_t cache_bytes,
				     struct histree_error *error)
{
	const struct histree_open_options options = { .cache_bytes = cache_bytes, .no_overviews = true };
	struct histree_history *history;
	enum histree_status status = histree_history_open(path, &options, &history, error);
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

void pyramid_close(struct pyramid *pyramid)
{
	drop_levels(pyramid, 0);
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
		status = histree_history_verify(pyramid.levels[0].history, overview_faults_report, faults, &fault);
	pyramid_close(&pyramid);
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
