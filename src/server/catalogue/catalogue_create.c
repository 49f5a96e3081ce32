// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/catalogue/catalogue_inside.h"

/* ---- the stores of the command line ------------------------------------------------------------------ */

/* "many-threads" of ".../many-threads.histree". */
static char *store_name(const char *path)
{
	const char *name = path_name(path);
	size_t size = strlen(name), suffix = strlen(".histree");
	if (size > suffix && strcmp(name + size - suffix, ".histree") == 0)
		size -= suffix;
	return strndup(name, size);
}

static void take_uuid(void *context, const struct catalogue *catalogue, const struct catalogue_entry *entry)
{
	(void)catalogue;
	memcpy(context, entry->uuid, UUID_TEXT_SIZE);
}

/* Adds a number to the name if another store has it. */
static enum histree_status free_name(const struct catalogue *catalogue, char **name, struct histree_error *error)
{
	for (unsigned number = 2; catalogue_find_name(catalogue, CATALOGUE_TRACES, *name) != NULL; number++) {
		char *numbered;
		if (asprintf(&numbered, "%s (%u)", *name, number) < 0)
			return error_memory(error, "a name");
		free(*name);
		*name = numbered;
	}
	return HISTREE_OK;
}

/* Opened at once, so that what is wrong with it is said when the server starts. */
static enum histree_status add_store(struct catalogue *catalogue, const char *path, struct histree_error *error)
{
	char uuid[UUID_TEXT_SIZE];
	const char *uuids[] = { uuid };
	struct dataset *dataset;
	char *name = store_name(path);
	enum histree_status status =
		name != NULL ? free_name(catalogue, &name, error) : error_memory(error, "a name");
	if (status == HISTREE_OK)
		status = dataset_create(NULL, 0, path, catalogue_readable(catalogue), &dataset, error);
	if (status != HISTREE_OK)
		goto out;
	dataset_prepare(dataset);
	if (dataset_status(dataset) != DATASET_READY) {
		if (error != NULL)
			*error = dataset->error;
		status = dataset->error.status;
		dataset_release(dataset);
		goto out;
	}
	struct uuid_maker maker = uuid_begin("trace");
	const struct histree_store_info *info = histree_store_info(dataset->store);
	const char *shown = info->trace_count == 1 ? info->traces[0] : path;
	uuid_add(&maker, name);
	uuid_add(&maker, shown);
	uuid_end(&maker, uuid);
	char *shown_path = strdup(shown);
	struct catalogue_entry *entry = catalogue_entry_create(uuid, name, dataset);
	if (entry == NULL || shown_path == NULL) {
		free(shown_path);
		catalogue_entry_free(entry);
		status = error_memory(error, "a store");
		goto out;
	}
	entry->path = shown_path;
	pthread_mutex_lock(&catalogue->lock);
	status = catalogue_enter(catalogue, CATALOGUE_TRACES, entry, error);
	pthread_mutex_unlock(&catalogue->lock);
	if (status == HISTREE_OK)
		status = builder_add(catalogue->builder, dataset, error);
	if (status == HISTREE_OK &&
	    catalogue_add_experiment(catalogue, name, uuids, 1, take_uuid, uuid, error) != CATALOGUE_OK)
		status = error_memory(error, "a store");
out:
	free(name);
	return status;
}

static enum histree_status add_path(struct catalogue *catalogue, const char *path, const char *resolved,
				    struct histree_error *error)
{
	enum path_kind kind = path_kind_of(resolved);
	if (kind == PATH_FILE)
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%s' is a file; a store is a folder", path);
	return kind == PATH_STORE ? add_store(catalogue, resolved, error) : HISTREE_OK;
}

enum histree_status catalogue_create(const struct catalogue_options *options, struct catalogue **out,
				     struct histree_error *error)
{
	*out = NULL;
	struct catalogue *catalogue = calloc(1, sizeof(*catalogue));
	if (catalogue == NULL)
		return error_memory(error, "the catalogue");
	pthread_mutex_init(&catalogue->lock, NULL);
	catalogue->trusts_stores = options->trusts_stores;
	enum histree_status status = builder_create(options->warm, &catalogue->builder, error);
	if (status == HISTREE_OK && (catalogue->stores = realpath(options->stores, NULL)) == NULL)
		status = error_set(error, HISTREE_ERR_IO,
				   "there is no folder '%s' for stores; make it, or name another", options->stores);
	/* All of them before any store is opened: its traces may be below a path that comes after it. */
	for (size_t i = 0; i < options->path_count && status == HISTREE_OK; i++)
		status = allowed_paths_add(&catalogue->allowed, options->paths[i], error);
	for (size_t i = 0; i < options->path_count && status == HISTREE_OK; i++)
		status = add_path(catalogue, options->paths[i], catalogue->allowed.paths[i], error);
	if (status != HISTREE_OK) {
		catalogue_free(catalogue);
		return status;
	}
	*out = catalogue;
	return HISTREE_OK;
}

void catalogue_free(struct catalogue *catalogue)
{
	if (catalogue == NULL)
		return;
	builder_free(catalogue->builder);
	for (size_t kind = 0; kind < CATALOGUE_KIND_COUNT; kind++) {
		for (size_t i = 0; i < catalogue->kinds[kind].count; i++)
			catalogue_entry_free(catalogue->kinds[kind].entries[i]);
		free(catalogue->kinds[kind].entries);
	}
	allowed_paths_release(&catalogue->allowed);
	free(catalogue->stores);
	pthread_mutex_destroy(&catalogue->lock);
	free(catalogue);
}
