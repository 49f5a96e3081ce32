// SPDX-License-Identifier: MIT
/*
 * experiment_host.c - the store of one host of several.
 *
 * Its files depend on its traces, its clock, the options and how many hosts there are; not on what is built beside
 * it, nor on who builds it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/build_host.h"
#include "pipeline/experiment_inside.h"
#include "pipeline/hosts_summary.h"
#include "pipeline/leftover.h"
#include "store_folder/manifest.h"

/* ---- what is there --------------------------------------------------------------------------------------- */

/* Whether what a store says of itself is what this host is to become. */
static bool is_meant(const struct histree_experiment *experiment, const struct histree_experiment_host *host,
		     const struct histree_store_info *info)
{
	bool is_same = info->host_count == 0 && info->host != NULL && strcmp(info->host, host->name) == 0 &&
		       info->options != NULL && strcmp(info->options, experiment->host_recipe) == 0 &&
		       info->trace_count == host->path_count;
	for (size_t i = 0; is_same && i < host->path_count; i++)
		is_same = leftover_is_same_trace(info->traces[i], host->paths[i]);
	return is_same && (!experiment->has_clocks || host_clock_is_same(info->clock, host->clock));
}

/* Whether there is such a store in a folder of STORE.building, complete or not as is wanted. */
static bool is_there(const struct histree_experiment *experiment, const struct histree_experiment_host *host,
		     const char *suffix, bool complete)
{
	struct arena arena = { 0 };
	struct histree_store_info info;
	char *path = NULL;
	bool found = asprintf(&path, "%s/%s%s/" MANIFEST_FILE, experiment->building, host->folder, suffix) >= 0 &&
		     manifest_read(experiment->io, path, &arena, &info, NULL) == HISTREE_OK &&
		     is_meant(experiment, host, &info) && (info.complete || !complete);
	free(path);
	arena_release(&arena);
	return found;
}

void experiment_look_at_host(struct histree_experiment *experiment, size_t index)
{
	struct histree_experiment_host *host = &experiment->hosts[index];
	host->is_built = is_there(experiment, host, "", true);
}

/* ---- building -------------------------------------------------------------------------------------------- */

enum histree_status experiment_build_host(struct histree_experiment *experiment, size_t index, uint32_t threads,
					  const struct memory_share *memory,
					  const struct histree_experiment_watch *watch, struct histree_error *error)
{
	struct histree_experiment_host *host = &experiment->hosts[index];
	struct histree_build_options options = experiment->options;
	const struct build_host of = {
		.name = host->name,
		.clock = host->clock,
		.is_one_of_many = true,
		.tables_max = memory->tables,
	};
	char *store = NULL;
	if (host->is_built)
		return HISTREE_OK;
	enum histree_status status = hosts_folder_make(experiment->io, experiment->building, error);
	if (status == HISTREE_OK && asprintf(&store, "%s/%s", experiment->building, host->folder) < 0)
		status = error_memory(error, "a path");
	if (status != HISTREE_OK)
		return status;
	options.traces = host->paths;
	options.trace_count = host->path_count;
	options.store = store;
	options.force = true;
	options.resume = experiment->options.resume && is_there(experiment, host, ".building", false);
	options.host_count = options.clock_count = 0;
	options.no_clocks = false;
	options.reference = NULL;
	options.threads = threads;
	options.tree.threads = 0;
	options.tree.memory_max = memory->memory_max;
	options.progress = watch != NULL ? watch->progress : NULL;
	options.progress_context = watch != NULL ? watch->progress_context : NULL;
	options.cancel = watch != NULL ? watch->cancel : (struct histree_cancel){ 0 };
	status = build_one_host(&options, experiment->io, &of, error);
	host->is_built = status == HISTREE_OK || status == HISTREE_PARTIAL;
	if (status != HISTREE_OK && status != HISTREE_ERR_CANCELLED)
		error_prefix(error, "host '%s'", host->name);
	free(store);
	return status;
}

enum histree_status histree_experiment_build_host(struct histree_experiment *experiment, size_t host,
						  const struct histree_experiment_watch *watch,
						  struct histree_error *error)
{
	if (host >= experiment->count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there are %zu hosts, and no host number %zu",
				 experiment->count, host);
	uint32_t threads = experiment->options.threads;
	const struct memory_share alone =
		memory_share(experiment->options.tree.memory_max, experiment->count, 1, 0);
	return experiment_build_host(experiment, host, threads != 0 ? threads : 1, &alone, watch, error);
}
