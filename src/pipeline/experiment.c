// SPDX-License-Identifier: MIT
/*
 * experiment.c - a build of several hosts from its beginning to its end.
 *
 * Each host is built as if it were alone, into a store of its own inside of STORE.building, which is a store that
 * is not complete from when the clocks are known.  What is complete of it is kept whatever happens; the manifest
 * that says that all of it is comes last (docs/design/0053-experiment-builds.md).
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/build_recipe.h"
#include "pipeline/experiment_inside.h"
#include "pipeline/leftover.h"
#include "pipeline/publish_clock.h"
#include "store_folder/folder_removal.h"
#include "store_folder/host_folder.h"
#include "store_folder/manifest.h"

/* ---- a copy of the options ------------------------------------------------------------------------------- */

static bool copy_text(struct arena *arena, const char **text)
{
	if (*text != NULL)
		*text = arena_copy(arena, *text, strlen(*text));
	return *text != NULL;
}

static bool copy_texts(struct arena *arena, const char *const **texts, size_t count)
{
	const char **copy = arena_allocate(arena, (count + 1) * sizeof(*copy), _Alignof(char *));
	for (size_t i = 0; copy != NULL && i < count; i++) {
		copy[i] = (*texts)[i];
		if (!copy_text(arena, &copy[i]))
			return false;
	}
	*texts = copy;
	return copy != NULL;
}

static bool copy_hosts(struct arena *arena, struct histree_build_options *options)
{
	struct histree_build_host *hosts = arena_allocate(arena, (options->host_count + 1) * sizeof(*hosts),
							  _Alignof(struct histree_build_host));
	struct histree_build_clock *clocks = arena_allocate(arena, (options->clock_count + 1) * sizeof(*clocks),
							    _Alignof(struct histree_build_clock));
	bool is_copied = hosts != NULL && clocks != NULL;
	for (size_t i = 0; is_copied && i < options->host_count; i++) {
		hosts[i] = options->hosts[i];
		is_copied = copy_text(arena, &hosts[i].name) && copy_text(arena, &hosts[i].path);
	}
	for (size_t i = 0; is_copied && i < options->clock_count; i++) {
		clocks[i] = options->clocks[i];
		is_copied = copy_text(arena, &clocks[i].host) &&
			    (clocks[i].neighbour == NULL || copy_text(arena, &clocks[i].neighbour));
	}
	options->hosts = hosts;
	options->clocks = clocks;
	return is_copied;
}

static bool copy_options(struct histree_experiment *experiment, const struct histree_build_options *from)
{
	struct arena *arena = &experiment->arena;
	struct histree_build_options *options = &experiment->options;
	*options = *from;
	return (from->store == NULL || copy_text(arena, &options->store)) &&
	       (from->reference == NULL || copy_text(arena, &options->reference)) &&
	       (from->tree.variant == NULL || copy_text(arena, &options->tree.variant)) &&
	       copy_texts(arena, &options->traces, from->trace_count) &&
	       (from->analyses == NULL || copy_texts(arena, &options->analyses, from->analysis_count)) &&
	       (from->definitions == NULL || copy_texts(arena, &options->definitions, from->definition_count)) &&
	       copy_hosts(arena, options);
}

enum histree_status experiment_init(const struct histree_build_options *options, const struct io *io,
				    struct histree_experiment **out, struct histree_error *error)
{
	struct histree_experiment *experiment = calloc(1, sizeof(*experiment));
	*out = experiment;
	if (experiment == NULL)
		return error_memory(error, "the hosts of a build");
	experiment->io = io;
	experiment->folder.lock = -1;
	experiment->begun_ns = publish_clock_now();
	return copy_options(experiment, options) ? HISTREE_OK : error_memory(error, "the options of a build");
}

/* ---- what was there before ------------------------------------------------------------------------------- */

static bool has_hosts(const struct histree_experiment *experiment, const struct histree_store_info *info)
{
	bool are_same = info->host_count == experiment->count;
	for (size_t i = 0; are_same && i < experiment->count; i++)
		are_same = strcmp(info->hosts[i].name, experiment->hosts[i].name) == 0;
	return are_same;
}

static enum histree_status has_traces(const struct histree_experiment *experiment,
				      const struct histree_store_info *info, bool *out, struct histree_error *error)
{
	size_t count;
	const char **traces = experiment_traces(experiment, &count);
	if (traces == NULL)
		return error_memory(error, "the hosts of traces");
	*out = info->trace_count == count;
	for (size_t i = 0; *out && i < count; i++)
		*out = leftover_is_same_trace(info->traces[i], traces[i]);
	free(traces);
	return HISTREE_OK;
}

/* The clocks that an earlier build of the same traces has found are those of this one. */
static enum histree_status take_clocks(struct histree_experiment *experiment, const struct histree_store_info *info,
				       struct histree_error *error)
{
	for (size_t i = 0; i < experiment->count; i++) {
		struct histree_experiment_host *host = &experiment->hosts[i];
		host->neighbour = info->hosts[i].neighbour;
		if (info->hosts[i].clock == NULL)
			continue;
		experiment->clocks[i] = *info->hosts[i].clock;
		host->clock = &experiment->clocks[i];
	}
	experiment->has_clocks = true;
	experiment->warnings =
		arena_allocate(&experiment->arena, (info->warning_count + 1) * sizeof(char *), _Alignof(char *));
	if (experiment->warnings == NULL)
		return error_memory(error, "clocks");
	/* While a store of several hosts is not complete, its warnings are those about clocks. */
	for (size_t i = 0; i < info->warning_count && !info->complete; i++) {
		const char *warning = arena_copy(&experiment->arena, info->warnings[i], strlen(info->warnings[i]));
		if (warning == NULL)
			return error_memory(error, "clocks");
		experiment->warnings[experiment->warning_count++] = warning;
	}
	return HISTREE_OK;
}

static enum histree_status check_leftover(struct histree_experiment *experiment,
					  const struct histree_store_info *info, struct histree_error *error)
{
	bool are_same = false;
	if (info->host_count == 0)
		return error_set(
			error, HISTREE_ERR_EXISTS,
			"'%s' was begun as a store of one host, and the traces are of %zu: --force without "
			"--resume begins again",
			experiment->building, experiment->count);
	enum histree_status status = leftover_check_options(&experiment->folder, info, experiment->recipe, error);
	if (status == HISTREE_OK)
		status = has_traces(experiment, info, &are_same, error);
	if (status != HISTREE_OK)
		return status;
	are_same = are_same && has_hosts(experiment, info);
	if (info->complete && !are_same)
		return error_set(
			error, HISTREE_ERR_EXISTS,
			"'%s' is complete and of other traces: --resume with those gives it its name, --force "
			"without --resume begins again",
			experiment->building);
	experiment->is_complete = info->complete;
	return are_same ? take_clocks(experiment, info, error) : HISTREE_OK;
}

static enum histree_status look_at_leftover(struct histree_experiment *experiment, struct histree_error *error)
{
	struct arena arena = { 0 };
	struct histree_store_info info;
	enum histree_status status = HISTREE_OK;
	char *path = experiment_path(experiment, MANIFEST_FILE);
	if (path == NULL)
		return error_memory(error, "a path");
	/* What cannot be read is as good as nothing, but for the hosts that are beside it. */
	if (manifest_read(experiment->io, path, &arena, &info, NULL) == HISTREE_OK)
		status = check_leftover(experiment, &info, error);
	arena_release(&arena);
	return status;
}

/* Hosts that were asked for once, and are not now. */
static enum histree_status leave_out_others(struct histree_experiment *experiment, struct histree_error *error)
{
	const char **folders = calloc(experiment->count, sizeof(*folders));
	if (folders == NULL)
		return error_memory(error, "the hosts of a build");
	for (size_t i = 0; i < experiment->count; i++)
		folders[i] = experiment->hosts[i].folder;
	folder_remove_other_hosts(experiment->io, experiment->building, folders, experiment->count);
	free(folders);
	return HISTREE_OK;
}

static enum histree_status own_folder(struct histree_experiment *experiment, struct histree_error *error)
{
	const struct histree_build_options *options = &experiment->options;
	enum histree_status status = store_folder_begin(&experiment->folder, experiment->io, options->store,
							options->force, options->resume, error);
	if (status != HISTREE_OK)
		return status;
	experiment->owns = true;
	if (experiment->folder.keep)
		status = look_at_leftover(experiment, error);
	if (status == HISTREE_OK && !experiment->is_complete)
		status = leave_out_others(experiment, error);
	return status;
}

char *experiment_path(struct histree_experiment *experiment, const char *name)
{
	size_t size = strlen(experiment->building) + 1 + strlen(name);
	char *path = arena_allocate(&experiment->arena, size + 1, 1);
	if (path != NULL) {
		strcpy(path, experiment->building);
		strcat(strcat(path, "/"), name);
	}
	return path;
}

static enum histree_status make_recipes(struct histree_experiment *experiment, struct histree_error *error)
{
	struct histree_build_options of_host = experiment->options;
	of_host.clock_count = 0;
	of_host.no_clocks = false;
	of_host.reference = NULL;
	enum histree_status status = build_recipe(&experiment->options, &experiment->recipe, error);
	return status == HISTREE_OK ? build_recipe(&of_host, &experiment->host_recipe, error) : status;
}

enum histree_status experiment_begin(struct histree_experiment *experiment, bool own, struct histree_error *error)
{
	experiment->building = store_folder_building(experiment->options.store);
	if (experiment->building == NULL)
		return error_memory(error, "a path");
	enum histree_status status = make_recipes(experiment, error);
	if (status == HISTREE_OK && own)
		status = own_folder(experiment, error);
	for (size_t i = 0; i < experiment->count && status == HISTREE_OK; i++)
		experiment_look_at_host(experiment, i);
	return status;
}

/* ---- the steps ------------------------------------------------------------------------------------------- */

enum histree_status histree_experiment_open(const struct histree_build_options *options, bool own,
					    struct histree_experiment **out, struct histree_error *error)
{
	struct histree_experiment *experiment = NULL;
	*out = NULL;
	if (options->store == NULL || options->store[0] == '\0' || options->trace_count + options->host_count == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a build needs a trace and a name for the store");
	enum histree_status status = experiment_init(options, &io_posix, &experiment, error);
	if (status == HISTREE_OK)
		status = experiment_plan(experiment, error);
	if (status == HISTREE_OK && experiment->count < 2)
		status = error_set(error, HISTREE_NOT_FOUND, "all traces are of one host");
	if (status == HISTREE_OK)
		status = experiment_begin(experiment, own, error);
	if (status == HISTREE_OK)
		*out = experiment;
	else
		histree_experiment_free(experiment);
	return status;
}

const struct histree_experiment_host *histree_experiment_hosts(const struct histree_experiment *experiment,
							       size_t *count)
{
	*count = experiment->count;
	return experiment->hosts;
}

enum histree_status histree_experiment_complete(struct histree_experiment *experiment, struct histree_error *error)
{
	bool is_partial = false;
	struct histree_error why = { 0 };
	enum histree_status status = HISTREE_OK;
	if (!experiment->owns)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the store is completed by who owns its folder");
	if (!experiment->is_complete)
		status = experiment_write_manifest(experiment, &is_partial, &why, error);
	if (status == HISTREE_OK)
		status = store_folder_publish(&experiment->folder, error);
	if (status != HISTREE_OK || !is_partial)
		return status;
	return error_set(error, HISTREE_PARTIAL, "%s", why.message);
}

/* A host that was published before its build ended is worth something too. */
static bool has_something(struct histree_experiment *experiment)
{
	for (size_t i = 0; i < experiment->count; i++) {
		if (experiment->hosts[i].is_built)
			return true;
		char *path = experiment_path(experiment, experiment->hosts[i].folder);
		struct histree_store *store = NULL;
		enum histree_status status = path != NULL ? histree_store_open(path, &store, NULL) : HISTREE_OK;
		histree_store_close(store);
		if (status == HISTREE_OK)
			return true;
	}
	return false;
}

void histree_experiment_free(struct histree_experiment *experiment)
{
	if (experiment == NULL)
		return;
	if (experiment->owns) {
		experiment->folder.keep = experiment->folder.keep || has_something(experiment);
		store_folder_release(&experiment->folder);
	}
	trace_groups_release(&experiment->groups);
	free(experiment->building);
	free(experiment->recipe);
	free(experiment->host_recipe);
	arena_release(&experiment->arena);
	free(experiment);
}
