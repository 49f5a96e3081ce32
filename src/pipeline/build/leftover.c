// SPDX-License-Identifier: MIT
#include "pipeline/build/leftover.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "store_folder/manifest.h"

/* Whether two paths lead to one trace, as far as that can be told now. */
bool leftover_is_same_trace(const char *one, const char *other)
{
	if (strcmp(one, other) == 0)
		return true;
	char *a = realpath(one, NULL), *b = realpath(other, NULL);
	bool same = a != NULL && b != NULL && strcmp(a, b) == 0;
	free(a);
	free(b);
	return same;
}

static const char *other_trace(const struct histree_store_info *info, const struct histree_build_options *options)
{
	for (size_t i = 0; i < options->trace_count; i++)
		if (i >= info->trace_count || !leftover_is_same_trace(info->traces[i], options->traces[i]))
			return options->traces[i];
	return info->trace_count > options->trace_count ? info->traces[options->trace_count] : NULL;
}

/* A store that is complete is not made again: it must be the one that is asked for. */
static enum histree_status check_same(const struct store_folder *folder, const struct histree_store_info *info,
				      const struct histree_build_options *options, const char *recipe,
				      struct histree_error *error)
{
	const char *trace = other_trace(info, options);
	if (trace != NULL)
		return error_set(error, HISTREE_ERR_EXISTS,
				 "'%s' is complete and of other traces ('%s' is not the same): --resume with "
				 "those gives it its name, --force without --resume begins again",
				 folder->building, trace);
	/* Older stores do not say their options. */
	if (info->options == NULL || strcmp(info->options, recipe) == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_EXISTS,
			 "'%s' is complete and was made with '%s', not with '%s': --resume with those options "
			 "gives it its name, --force without --resume begins again",
			 folder->building, info->options, recipe);
}

/* Each of them is gone on with as what it was begun as. */
static enum histree_status check_one_host(const struct store_folder *folder, const struct histree_store_info *info,
					  struct histree_error *error)
{
	if (info->host_count == 0)
		return HISTREE_OK;
	return error_set(
		error, HISTREE_ERR_EXISTS,
		"'%s' was begun as a store of %zu hosts, and the traces are of one: --resume with all of them "
		"goes on with it, --force without --resume begins again",
		folder->building, info->host_count);
}

enum histree_status leftover_check_options(const struct store_folder *folder, const struct histree_store_info *info,
					   const char *recipe, struct histree_error *error)
{
	if (info->options == NULL || strcmp(info->options, recipe) == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_EXISTS,
			 "'%s' was begun with '%s', not with '%s': --resume with those options goes on with it, "
			 "--force without --resume begins again",
			 folder->building, info->options, recipe);
}

static enum histree_status forget_identities(const struct store_folder *folder, const char *path,
					     const struct histree_store_info *read, struct histree_error *error)
{
	struct histree_store_info info = *read;
	struct histree_store_history *histories = calloc(info.history_count + 1, sizeof(*histories));
	if (histories == NULL)
		return error_memory(error, "the manifest");
	for (size_t i = 0; i < info.history_count; i++) {
		histories[i] = info.histories[i];
		histories[i].identity = 0;
	}
	info.histories = histories;
	enum histree_status status = manifest_write(folder->io, path, &info, error);
	free(histories);
	return status;
}

enum histree_status leftover_look(const struct store_folder *folder, const struct histree_build_options *options,
				  const char *recipe, struct leftover *out, struct histree_error *error)
{
	*out = (struct leftover){ .end = INT64_MIN };
	if (!folder->keep)
		return HISTREE_OK;
	struct arena arena = { 0 };
	struct histree_store_info info;
	char *path = store_folder_path(folder, MANIFEST_FILE);
	enum histree_status status = HISTREE_OK;
	if (path == NULL)
		status = error_memory(error, "a path");
	else if (manifest_read(folder->io, path, &arena, &info, NULL) == HISTREE_OK) {
		*out = (struct leftover){ .end = info.end, .is_complete = info.complete };
		status = check_one_host(folder, &info, error);
		if (status == HISTREE_OK)
			status = info.complete ? check_same(folder, &info, options, recipe, error)
					       : leftover_check_options(folder, &info, recipe, error);
		if (status == HISTREE_OK && !info.complete)
			status = forget_identities(folder, path, &info, error);
	}
	arena_release(&arena);
	free(path);
	return status;
}
