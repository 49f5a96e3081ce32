// SPDX-License-Identifier: MIT
#include "state/history_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/search.h"
#include "state/attributes.h"
#include "store/overview_faults.h"

size_t numbers_path_size(const char *history)
{
	return strlen(history) + sizeof(".numbers");
}

void numbers_path(const char *history, char *room)
{
	snprintf(room, numbers_path_size(history), "%s.numbers", history);
}

/* The text is part of the format. */
void numbers_provider(const struct histree_history_info *of, unsigned states_log2, char *room, size_t size)
{
	snprintf(room, size, "numbers of %016" PRIx64 ", by 2^%u states", of->identity, states_log2);
}

/* ---- opening --------------------------------------------------------------------------------------------- */

static enum histree_status add_entry(struct number_level *level, struct number_entry entry,
				     struct histree_error *error)
{
	if (!array_reserve(&level->entries, &level->capacity, level->count + 1))
		return error_memory(error, "an overview");
	level->entries[level->count++] = entry;
	return HISTREE_OK;
}

/* Attribute L of the root begins a level, and those of L are its children until the next one begins. */
static enum histree_status read_levels(struct history_numbers *numbers, uint32_t attribute_count,
				       struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(numbers->history);
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	histree_quark level_own = HISTREE_ROOT;
	enum histree_status status = HISTREE_OK;
	for (histree_quark own = 0; own < attributes->count && status == HISTREE_OK; own++) {
		struct attribute_name name = source->name(attributes, own, &near);
		histree_quark parent = source->parent(attributes, own, &near);
		bool begins = parent == HISTREE_ROOT && numbers->level_count < NUMBERS_LEVELS_MAX &&
			      name.number == numbers->level_count + 1;
		struct number_level *level =
			numbers->level_count > 0 ? &numbers->levels[numbers->level_count - 1] : NULL;
		bool goes_on = parent != HISTREE_ROOT && parent == level_own && name.number < attribute_count &&
			       (level->count == 0 || name.number > level->entries[level->count - 1].quark);
		if (name.text != NULL || !(begins || goes_on))
			return error_set(error, HISTREE_ERR_FORMAT,
					 "attribute %" PRIu32 " is not one of a number overview", own);
		if (begins) {
			level_own = own;
			numbers->level_count++;
		} else {
			status = add_entry(level, (struct number_entry){ name.number, own }, error);
		}
	}
	return status;
}

/* What is no such text is not printed again as it was. */
static bool read_provider(const char *provider, const struct histree_history_info *of, unsigned *states_log2)
{
	char again[sizeof(of->provider)];
	uint64_t identity;
	if (sscanf(provider, "numbers of %" SCNx64 ", by 2^%u states", &identity, states_log2) != 2)
		return false;
	numbers_provider(of, *states_log2, again, sizeof(again));
	return strcmp(provider, again) == 0 && *states_log2 <= NUMBERS_STATES_LOG2_MAX;
}

static enum histree_status open_numbers(struct history_numbers *numbers, const char *path,
					const struct histree_history_info *of, size_t cache_bytes,
					struct histree_error *error)
{
	const struct histree_open_options options = { .cache_bytes = cache_bytes, .no_overviews = true };
	*numbers = (struct history_numbers){ 0 };
	enum histree_status status = histree_history_open(path, &options, &numbers->history, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(numbers->history);
	if (info->provider_version != NUMBERS_VERSION || !info->complete || info->start != of->start ||
	    info->end != of->end || !read_provider(info->provider, of, &numbers->states_log2))
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s' is of another history", path);
	return status == HISTREE_OK ? read_levels(numbers, of->attribute_count, error) : status;
}

enum histree_status history_numbers_open(struct history_numbers *numbers, const char *path,
					 const struct histree_history_info *of, size_t cache_bytes,
					 struct histree_error *error)
{
	char *name = malloc(numbers_path_size(path));
	if (name == NULL)
		return error_memory(error, "a path");
	numbers_path(path, name);
	enum histree_status status = open_numbers(numbers, name, of, cache_bytes, NULL);
	if (status != HISTREE_OK)
		history_numbers_close(numbers);
	free(name);
	return status == HISTREE_ERR_MEMORY ? error_memory(error, "an overview") : HISTREE_OK;
}

void history_numbers_close(struct history_numbers *numbers)
{
	histree_history_close(numbers->history);
	for (uint32_t i = 0; i < numbers->level_count; i++)
		free(numbers->levels[i].entries);
	*numbers = (struct history_numbers){ 0 };
}

/* ---- verifying ------------------------------------------------------------------------------------------- */

enum histree_status history_numbers_verify(const struct io *io, const char *path,
					   const struct histree_history_info *of, struct overview_faults *faults,
					   struct histree_error *error)
{
	enum { CACHE_BYTES = 1 << 20 };
	struct history_numbers numbers;
	struct histree_error fault = { 0 };
	uint64_t before = faults->count;
	char *name = malloc(numbers_path_size(path));
	if (name == NULL)
		return error_memory(error, "a path");
	numbers_path(path, name);
	enum histree_status status = HISTREE_OK;
	if (overview_is_there(io, name)) {
		faults->path = name;
		status = open_numbers(&numbers, name, of, CACHE_BYTES, &fault);
		if (status == HISTREE_OK)
			status = histree_history_verify(numbers.history, overview_faults_report, faults, &fault);
		history_numbers_close(&numbers);
		status = overview_faults_judge(faults, before, status, &fault, error);
	}
	free(name);
	return status;
}

/* ---- finding --------------------------------------------------------------------------------------------- */

struct sought {
	const struct number_entry *entries;
	histree_quark quark;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->entries[index].quark < sought->quark;
}

static const struct number_entry *find_entry(const struct number_level *level, histree_quark quark)
{
	const struct sought sought = { level->entries, quark };
	size_t at = search_first(0, level->count, level->count / 2, is_before, &sought);
	return at < level->count && level->entries[at].quark == quark ? &level->entries[at] : NULL;
}

uint32_t history_numbers_find(const struct history_numbers *numbers, histree_quark quark,
			      histree_quark own[NUMBERS_LEVELS_MAX])
{
	const struct number_entry *entry;
	uint32_t count = 0;
	while (count < numbers->level_count && (entry = find_entry(&numbers->levels[count], quark)) != NULL)
		own[count++] = entry->own;
	return count;
}
