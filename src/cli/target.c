// SPDX-License-Identifier: MIT
/*
 * target.c - opens what STORE names on the command line: the folder of a store, or one history file.
 */
#include "cli/target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "histree/build.h"

static target_opener *the_opener;
static void *the_context;

void target_set_opener(target_opener *opener, void *context)
{
	the_opener = opener;
	the_context = context;
}

enum histree_status target_open_store(void *unused, const char *path, struct histree_store **out,
				      struct histree_error *error)
{
	(void)unused;
	return the_opener != NULL ? the_opener(the_context, path, out, error)
				  : histree_store_open(path, out, error);
}

static char *without_slashes(const char *path)
{
	size_t size = strlen(path);
	while (size > 1 && path[size - 1] == '/')
		size--;
	return strndup(path, size);
}

enum histree_status target_open(struct target *target, const char *path, struct histree_error *error)
{
	*target = (struct target){ .path = without_slashes(path) };
	if (target->path == NULL)
		return error_memory(error, "the name of the store");
	struct stat status;
	if (stat(target->path, &status) == 0 && !S_ISDIR(status.st_mode))
		return HISTREE_OK;
	return target_open_store(NULL, target->path, &target->store, error);
}

enum histree_status target_salvage(const struct target *target, const char *analysis, struct histree_history **out,
				   struct histree_error *error)
{
	static const struct histree_open_options salvage = { .salvage = true };
	if (target->store != NULL)
		return histree_store_history(target->store, analysis, true, &salvage, out, error);
	return histree_history_open(target->path, &salvage, out, error);
}

enum histree_status target_history(const struct target *target, const char *analysis, bool any_version,
				   struct histree_history **out, struct histree_error *error)
{
	*out = NULL;
	if (target->store != NULL)
		return histree_store_history(target->store, analysis, any_version, NULL, out, error);
	enum histree_status status = histree_history_open(target->path, NULL, out, error);
	if (status != HISTREE_OK || analysis == NULL)
		return status;
	const char *provider = histree_history_info(*out)->provider;
	if (strcmp(provider, analysis) == 0)
		return HISTREE_OK;
	error_set(error, HISTREE_NOT_FOUND, "'%s' is a history of analysis '%s', not of '%s'", target->path,
		  provider, analysis);
	histree_history_close(*out);
	*out = NULL;
	return HISTREE_NOT_FOUND;
}

enum histree_status target_segments(const struct target *target, const char *analysis, bool any_version,
				    struct histree_segment_store **out, struct histree_error *error)
{
	if (target->store != NULL)
		return histree_store_segments(target->store, analysis, any_version, NULL, out, error);
	return histree_segment_store_open(target->path, NULL, out, error);
}

const struct histree_store_segments *target_find_segments(const struct target *target, const char *analysis)
{
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	for (size_t i = 0; info != NULL && analysis != NULL && i < info->segments_count; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			return &info->segments[i];
	return NULL;
}

/* What the manifest says is what a build is compared with. */
static uint32_t version_in_store(const struct histree_store_info *info, const char *analysis, uint32_t version)
{
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, analysis) == 0)
			return info->histories[i].analysis_version;
	for (size_t i = 0; i < info->segments_count; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			return info->segments[i].analysis_version;
	return version;
}

void target_warn_of_version(const struct target *target, const char *analysis, uint32_t version)
{
	struct histree_analysis_info known;
	if (target->store != NULL)
		version = version_in_store(histree_store_info(target->store), analysis, version);
	for (size_t i = 0; histree_analysis(i, &known); i++) {
		if (strcmp(known.name, analysis) != 0 || known.version == version)
			continue;
		report("warning: '%s' was made by version %u of analysis '%s', and this is version %u, which may "
		       "give other states%s%s%s",
		       target->path, version, analysis, known.version,
		       target->store != NULL ? "; make it again with 'histree rebuild " : "",
		       target->store != NULL ? target->path : "", target->store != NULL ? "'" : "");
	}
}

enum cli_exit target_open_history(struct target *target, const char *path, const char *analysis,
				  struct histree_history **out)
{
	*out = NULL;
	struct histree_error error = { 0 };
	enum histree_status status = target_open(target, path, &error);
	if (status == HISTREE_OK)
		status = target_history(target, analysis, true, out, &error);
	if (status != HISTREE_OK)
		return report_error(&error);
	const struct histree_history_info *info = histree_history_info(*out);
	target_warn_of_version(target, info->provider, info->provider_version);
	return CLI_OK;
}

char *target_host_name(const struct target *target)
{
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	if (info != NULL && info->host != NULL)
		return strdup(info->host);
	const char *path = info != NULL && info->trace_count > 0 ? info->traces[0] : target->path;
	size_t size = strlen(path);
	while (size > 1 && path[size - 1] == '/')
		size--;
	size_t start = size;
	while (start > 0 && path[start - 1] != '/')
		start--;
	return strndup(path + start, size - start);
}

void target_say_missing(const struct target *target, const char *analysis)
{
	static const char lacks[] = ": the trace has no"; /* as in struct analysis.missing */
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	const size_t size = strlen(analysis);
	for (size_t i = 0; info != NULL && i < info->warning_count; i++) {
		const char *name = strstr(info->warnings[i], analysis); /* after that of a host */
		if (name != NULL && strncmp(name + size, lacks, sizeof(lacks) - 1) == 0)
			report("warning: %s", info->warnings[i]);
	}
}

void target_close(struct target *target)
{
	histree_store_close(target->store);
	free(target->path);
	*target = (struct target){ 0 };
}
