// SPDX-License-Identifier: MIT
/*
 * experiment_plan.c - the hosts of the traces of a build.
 *
 * Options that name no hosts request a single store, unless traces state that they belong to different hosts.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/trace_word.h"
#include "pipeline/hosts/experiment.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"
#include "trace/trace.h"
#include "trace/trace_list.h"

enum { FOLDERS_DEEP_MAX = 32 };

/* ---- one host -------------------------------------------------------------------------------------------- */

/* Whether there are two groups of one name. */
static bool has_two_starts(const struct trace_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		for (size_t j = 0; j < i; j++)
			if (groups->groups[i].facts.hostname[0] != '\0' &&
			    strcmp(groups->groups[i].facts.hostname, groups->groups[j].facts.hostname) == 0)
				return true;
	return false;
}

/* What one trace says of hosts need not be read for this.  A file of which several kinds read a part is one. */
static bool is_one_trace(const struct histree_build_options *options)
{
	struct trace_list list = { 0 };
	enum histree_status status = HISTREE_OK;
	if (options->trace_count == 1)
		status = trace_list_find(&list, options->traces[0], NULL);
	bool is_one = status == HISTREE_OK && list.count > 0;
	for (size_t i = 1; i < list.count; i++)
		is_one = is_one && strcmp(list.entries[i].path, list.entries[0].path) == 0;
	trace_list_release(&list);
	return is_one;
}

/* Two starts of one machine are one host after the other, if they are not at the same time: their times tell. */
static bool are_of_one_host(const struct histree_build_options *options)
{
	struct trace *trace = NULL;
	if (is_one_trace(options))
		return true;
	if (trace_hosts_check_paths(options->traces, options->trace_count, NULL) == HISTREE_ERR_ARGUMENT)
		return false;
	struct trace_groups groups = { 0 };
	enum histree_status status = trace_groups_find(&groups, options->traces, options->trace_count, NULL);
	bool has_starts = has_two_starts(&groups);
	trace_groups_release(&groups);
	if (status != HISTREE_OK || !has_starts)
		return true; /* what cannot be read is reported by who reads it */
	status = trace_open(options->traces, options->trace_count, &trace, NULL);
	trace_close(trace);
	return status != HISTREE_ERR_ARGUMENT;
}

/* ---- hosts ----------------------------------------------------------------------------------------------- */

static enum histree_status find_groups(struct histree_experiment *experiment, struct histree_error *error)
{
	const struct histree_build_options *options = &experiment->options;
	for (size_t i = 0; i < options->host_count; i++) {
		enum histree_status status = trace_groups_add(&experiment->groups, options->hosts[i].name,
							      options->hosts[i].path, error);
		if (status != HISTREE_OK)
			return status;
	}
	return trace_groups_find(&experiment->groups, options->traces, options->trace_count, error);
}

/* One trace cannot be of two hosts. */
static enum histree_status check_places(const struct trace_groups *groups, struct histree_error *error)
{
	struct trace_places places = { 0 };
	bool has_memory = true;
	for (size_t i = 0; i < groups->count; i++)
		for (size_t j = 0; j < groups->groups[i].path_count && has_memory; j++)
			has_memory = trace_places_add(&places, groups->groups[i].paths[j], groups->groups[i].name);
	const struct trace_place *twice = has_memory ? trace_places_of_two_hosts(&places) : NULL;
	enum histree_status status = has_memory ? HISTREE_OK : error_memory(error, "the hosts of traces");
	if (twice != NULL)
		status = error_set(error, HISTREE_ERR_ARGUMENT,
				   "'%s' is named as a trace of host '%.96s' and of host '%.96s': it can be of one "
				   "only; name it once",
				   twice->given, twice[-1].host, twice->host);
	trace_places_release(&places);
	return status;
}

/* What is below a path; links to folders are not followed. */
static uint64_t bytes_below(const char *path, unsigned depth)
{
	struct stat facts;
	if ((depth == 0 ? stat(path, &facts) : lstat(path, &facts)) != 0)
		return 0;
	DIR *entries = S_ISDIR(facts.st_mode) && depth < FOLDERS_DEEP_MAX ? opendir(path) : NULL;
	if (entries == NULL)
		return S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
	uint64_t bytes = 0;
	for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
		char *inside = NULL;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    asprintf(&inside, "%s/%s", path, entry->d_name) < 0)
			continue;
		bytes += bytes_below(inside, depth + 1);
		free(inside);
	}
	closedir(entries);
	return bytes;
}

static enum histree_status list_hosts(struct histree_experiment *experiment, struct histree_error *error)
{
	const struct trace_groups *groups = &experiment->groups;
	experiment->hosts = arena_allocate(&experiment->arena, (groups->count + 1) * sizeof(*experiment->hosts),
					   _Alignof(struct histree_experiment_host));
	experiment->clocks = arena_allocate(&experiment->arena, (groups->count + 1) * sizeof(*experiment->clocks),
					    _Alignof(struct histree_clock));
	if (experiment->hosts == NULL || experiment->clocks == NULL)
		return error_memory(error, "the hosts of traces");
	for (size_t i = 0; i < groups->count; i++) {
		const struct trace_group *group = &groups->groups[i];
		char folder[HOST_FOLDER_SIZE];
		if (!host_folder_name(group->name, folder))
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "'%s' is too long for the name of a folder: give the host another one, "
					 "'--host NAME=%s'",
					 group->name, group->paths[0]);
		experiment->hosts[i] = (struct histree_experiment_host){
			.name = group->name,
			.folder = arena_copy(&experiment->arena, folder, strlen(folder)),
			.paths = (const char *const *)group->paths,
			.path_count = group->path_count,
			.neighbour = i,
		};
		if (experiment->hosts[i].folder == NULL)
			return error_memory(error, "the hosts of traces");
		for (size_t j = 0; j < group->path_count; j++)
			experiment->hosts[i].bytes += bytes_below(trace_word_path(group->paths[j]), 0);
	}
	experiment->count = groups->count;
	return HISTREE_OK;
}

size_t experiment_find_host(const struct histree_experiment *experiment, const char *name)
{
	size_t i = 0;
	while (i < experiment->count && strcmp(experiment->hosts[i].name, name) != 0)
		i++;
	return i;
}

const struct histree_clock *experiment_given_clock(const struct histree_experiment *experiment, const char *host)
{
	const struct histree_build_options *options = &experiment->options;
	for (size_t i = 0; i < options->clock_count; i++)
		if (strcmp(options->clocks[i].host, host) == 0)
			return &options->clocks[i].clock;
	return NULL;
}

static enum histree_status no_such_host(const struct histree_experiment *experiment, const char *what,
					const char *name, struct histree_error *error)
{
	char names[256] = "";
	size_t length = 0;
	for (size_t i = 0; i < experiment->count && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i == 0 ? "" : ", ",
					   experiment->hosts[i].name);
	return error_set(error, HISTREE_ERR_ARGUMENT, "'%s': no trace is of a host '%.96s'; there %s %s%s", what,
			 name, experiment->count == 1 ? "is" : "are", names, length >= sizeof(names) ? "..." : "");
}

/* An option that names a host must name an existing one, and only one clock for it. */
static enum histree_status check_names(struct histree_experiment *experiment, struct histree_error *error)
{
	const struct histree_build_options *options = &experiment->options;
	for (size_t i = 0; i < options->clock_count; i++) {
		const char *host = options->clocks[i].host;
		if (experiment_find_host(experiment, host) == experiment->count)
			return no_such_host(experiment, "--clock", host, error);
		for (size_t j = 0; j < i; j++)
			if (strcmp(options->clocks[j].host, host) == 0)
				return error_set(error, HISTREE_ERR_ARGUMENT,
						 "'--clock': host '%.96s' is given two clocks", host);
	}
	if (options->reference == NULL)
		return HISTREE_OK;
	size_t found = experiment_find_host(experiment, options->reference);
	if (found == experiment->count)
		return no_such_host(experiment, "--reference", options->reference, error);
	experiment->reference = (uint32_t)found;
	return HISTREE_OK;
}

static enum histree_status check_live(const struct histree_build_options *options, struct histree_error *error)
{
	for (size_t i = 0; i < options->host_count; i++)
		if (trace_is_address(options->hosts[i].path))
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "'%s': a live trace is read alone, and by the name that it says itself",
					 options->hosts[i].path);
	for (size_t i = 0; i < options->trace_count; i++)
		if (trace_is_address(options->traces[i]) &&
		    (options->host_count > 0 || options->clock_count > 0 || options->reference != NULL))
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "'%s': a live trace is read alone, by its own clock", options->traces[i]);
	return HISTREE_OK;
}

enum histree_status experiment_plan(struct histree_experiment *experiment, struct histree_error *error)
{
	const struct histree_build_options *options = &experiment->options;
	enum histree_status status = check_live(options, error);
	if (status == HISTREE_OK && options->host_count == 0 && are_of_one_host(options)) {
		if (options->clock_count == 0 && options->reference == NULL)
			return HISTREE_OK;
	}
	if (status == HISTREE_OK)
		status = find_groups(experiment, error);
	if (status == HISTREE_OK)
		status = check_places(&experiment->groups, error);
	if (status == HISTREE_OK && experiment->groups.count > MANIFEST_HOSTS_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT,
				   "the traces are of %zu hosts, and a store can have %d", experiment->groups.count,
				   MANIFEST_HOSTS_MAX);
	if (status == HISTREE_OK)
		status = list_hosts(experiment, error);
	if (status == HISTREE_OK)
		status = check_names(experiment, error);
	if (status != HISTREE_OK)
		return status;

	/* What is made in memory is one history, and several hosts have several. */
	enum histree_backend_kind backend = experiment->options.backend;
	if (experiment->count < 2 || backend == HISTREE_BACKEND_DISK || backend == HISTREE_BACKEND_PARTIAL)
		return HISTREE_OK;
	return error_set(
		error, HISTREE_ERR_ARGUMENT,
		"the traces are of %zu hosts, '%.64s', '%.64s'...: only a store has several; build each of them "
		"by itself, or a store of all with '--backend disk' or '--backend partial'",
		experiment->count, experiment->hosts[0].name, experiment->hosts[1].name);
}

const char **experiment_traces(const struct histree_experiment *experiment, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < experiment->count; i++)
		*count += experiment->hosts[i].path_count;
	const char **traces = calloc(*count + 1, sizeof(*traces));
	*count = 0;
	for (size_t i = 0; traces != NULL && i < experiment->count; i++)
		for (size_t j = 0; j < experiment->hosts[i].path_count; j++)
			traces[(*count)++] = experiment->hosts[i].paths[j];
	return traces;
}
