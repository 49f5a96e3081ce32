// SPDX-License-Identifier: MIT
#include "state/history_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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

static enum histree_status read_opened(struct history_numbers *numbers, const char *path,
				       const struct histree_history_info *of, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(numbers->history);
	if (info->provider_version != NUMBERS_VERSION || !info->complete || info->start != of->start ||
	    info->end != of->end || !read_provider(info->provider, of, &numbers->states_log2))
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' is of another history", path);
	return overview_levels_read(numbers->history, of->attribute_count, numbers->levels, NUMBERS_LEVELS_MAX,
				    &numbers->level_count, error);
}

static enum histree_status open_numbers(struct history_numbers *numbers, const char *path,
					const struct histree_history_info *of, size_t cache_bytes,
					struct histree_error *error)
{
	const struct histree_open_options options = { .cache_bytes = cache_bytes, .no_overviews = true };
	*numbers = (struct history_numbers){ 0 };
	enum histree_status status = histree_history_open(path, &options, &numbers->history, error);
	return status == HISTREE_OK ? read_opened(numbers, path, of, error) : status;
}

enum histree_status history_numbers_attach(struct history_numbers *numbers, struct histree_history *history,
					   const struct histree_history_info *of, struct histree_error *error)
{
	*numbers = (struct history_numbers){ .history = history };
	enum histree_status status = read_opened(numbers, "a number overview", of, error);
	if (status != HISTREE_OK)
		history_numbers_close(numbers);
	return status;
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
	overview_levels_release(numbers->levels, numbers->level_count);
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

uint32_t history_numbers_find(const struct history_numbers *numbers, histree_quark quark,
			      histree_quark own[NUMBERS_LEVELS_MAX])
{
	const struct level_entry *entry;
	uint32_t count = 0;
	while (count < numbers->level_count &&
	       (entry = overview_level_find(&numbers->levels[count], quark)) != NULL)
		own[count++] = entry->own;
	return count;
}
