// SPDX-License-Identifier: MIT
#include "state/history_sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/overview_faults.h"

size_t sums_path_size(const char *history)
{
	return strlen(history) + sizeof(".sums");
}

void sums_path(const char *history, char *room)
{
	snprintf(room, sums_path_size(history), "%s.sums", history);
}

/* The text is part of the format. */
void sums_provider(const struct histree_history_info *of, unsigned width_log2, char *room, size_t size)
{
	snprintf(room, size, "sums of %016" PRIx64 ", by 2^%u ns", of->identity, width_log2);
}

/* What is no such text is not printed again as it was. */
static bool read_provider(const char *provider, const struct histree_history_info *of, unsigned *width_log2)
{
	char again[sizeof(of->provider)];
	uint64_t identity;
	if (sscanf(provider, "sums of %" SCNx64 ", by 2^%u ns", &identity, width_log2) != 2)
		return false;
	sums_provider(of, *width_log2, again, sizeof(again));
	return strcmp(provider, again) == 0;
}

static enum histree_status open_sums(struct history_sums *sums, const char *path,
				     const struct histree_history_info *of, size_t cache_bytes,
				     struct histree_error *error)
{
	const struct histree_open_options options = { .cache_bytes = cache_bytes, .no_overviews = true };
	*sums = (struct history_sums){ 0 };
	enum histree_status status = histree_history_open(path, &options, &sums->history, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(sums->history);
	if (info->provider_version != SUMS_VERSION || !info->complete || info->start != of->start ||
	    info->end != of->end || !read_provider(info->provider, of, &sums->width_log2))
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s' is of another history", path);
	if (status == HISTREE_OK)
		status = overview_levels_read(sums->history, of->attribute_count, sums->levels, SUMS_LEVELS_MAX,
					      &sums->level_count, error);
	bool is_too_wide = status == HISTREE_OK &&
			   (sums->level_count == 0 || sums->width_log2 == 0 ||
			    sums->width_log2 + (sums->level_count - 1) * SUMS_STEP_LOG2 > SUMS_WIDTH_LOG2_MAX);
	return is_too_wide ? error_set(error, HISTREE_ERR_FORMAT, "'%s' has no such cells", path) : status;
}

enum histree_status history_sums_open(struct history_sums *sums, const char *path,
				      const struct histree_history_info *of, size_t cache_bytes,
				      struct histree_error *error)
{
	char *name = malloc(sums_path_size(path));
	if (name == NULL)
		return error_memory(error, "a path");
	sums_path(path, name);
	enum histree_status status = open_sums(sums, name, of, cache_bytes, NULL);
	if (status != HISTREE_OK)
		history_sums_close(sums);
	free(name);
	return status == HISTREE_ERR_MEMORY ? error_memory(error, "an overview") : HISTREE_OK;
}

enum histree_status history_sums_verify(const struct io *io, const char *path,
					const struct histree_history_info *of, struct overview_faults *faults,
					struct histree_error *error)
{
	enum { CACHE_BYTES = 1 << 20 };
	struct history_sums sums;
	struct histree_error fault = { 0 };
	uint64_t before = faults->count;
	char *name = malloc(sums_path_size(path));
	if (name == NULL)
		return error_memory(error, "a path");
	sums_path(path, name);
	enum histree_status status = HISTREE_OK;
	if (overview_is_there(io, name)) {
		faults->path = name;
		status = open_sums(&sums, name, of, CACHE_BYTES, &fault);
		if (status == HISTREE_OK)
			status = histree_history_verify(sums.history, overview_faults_report, faults, &fault);
		history_sums_close(&sums);
		status = overview_faults_judge(faults, before, status, &fault, error);
	}
	free(name);
	return status;
}

void history_sums_close(struct history_sums *sums)
{
	histree_history_close(sums->history);
	overview_levels_release(sums->levels, sums->level_count);
	*sums = (struct history_sums){ 0 };
}
