// SPDX-License-Identifier: MIT
/*
 * catalogue_open.c - traces and experiments that clients open.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "server/catalogue/catalogue_inside.h"

static bool entry_add_uuid(struct catalogue_entry *entry, size_t *capacity, const char *uuid)
{
	if (!array_reserve(&entry->trace_uuids, capacity, entry->trace_uuid_count + 1))
		return false;
	char *copy = strdup(uuid);
	if (copy == NULL)
		return false;
	entry->trace_uuids[entry->trace_uuid_count++] = copy;
	return true;
}

/* STORES/NAME-UUID.histree, of characters that mean nothing to anyone. */
static bool store_path(const struct catalogue *catalogue, const char *name, const char *uuid, char path[PATH_MAX])
{
	char plain[64];
	size_t size = 0;
	for (; name[size] != '\0' && size < sizeof(plain) - 1; size++) {
		bool is_plain = (name[size] >= 'a' && name[size] <= 'z') ||
				(name[size] >= 'A' && name[size] <= 'Z') ||
				(name[size] >= '0' && name[size] <= '9') || (size > 0 && strchr("-._", name[size]));
		plain[size] = is_plain ? name[size] : '_';
	}
	plain[size] = '\0';
	return snprintf(path, PATH_MAX, "%s/%s-%.8s.histree", catalogue->stores, plain, uuid) < PATH_MAX;
}

/* A dataset to be built of traces, or of the store at `store`, which is there.  Handed to the builder. */
static enum histree_status begin_dataset(struct catalogue *catalogue, const char *const *traces, size_t count,
					 const char *store, struct dataset **out, struct histree_error *error)
{
	enum histree_status status =
		dataset_create(traces, count, store, catalogue_readable(catalogue), out, error);
	if (status == HISTREE_OK)
		status = builder_add(catalogue->builder, *out, error);
	if (status != HISTREE_OK) {
		dataset_release(*out);
		*out = NULL;
	}
	return status;
}

static enum histree_status begin_trace(struct catalogue *catalogue, const char *name, const char *path,
				       enum path_kind kind, const char *uuid, struct dataset **out,
				       struct histree_error *error)
{
	char store[PATH_MAX];
	if (kind == PATH_STORE)
		return begin_dataset(catalogue, NULL, 0, path, out, error);
	if (!store_path(catalogue, name, uuid, store))
		return error_set(error, HISTREE_ERR_ARGUMENT, "the path of a store would be too long");
	return begin_dataset(catalogue, &path, 1, store, out, error);
}

/* Whether an entry is there that a request may simply be given again: a build that failed is begun anew. */
static bool is_usable(const struct catalogue_entry *entry)
{
	enum dataset_status status = dataset_status(entry->dataset);
	return status == DATASET_READY || status == DATASET_RUNNING;
}

static enum catalogue_result check_path(const struct catalogue *catalogue, const char *path, char **resolved,
					enum path_kind *kind)
{
	*resolved = realpath(path, NULL);
	if (*resolved == NULL)
		return CATALOGUE_NO_PATH;
	if (!allowed_paths_contain(&catalogue->allowed, *resolved))
		return CATALOGUE_FORBIDDEN;
	*kind = path_kind_of(*resolved);
	if (*kind == PATH_NOTHING)
		return CATALOGUE_NO_PATH;
	return *kind == PATH_STORE || *kind == PATH_TRACE ? CATALOGUE_OK : CATALOGUE_NO_TRACE;
}

/* Give an entry, new or old, a dataset that is being prepared. */
static enum catalogue_result enter_trace(struct catalogue *catalogue, const char *name, const char *path,
					 const char *resolved, enum path_kind path_kind, const char *uuid,
					 struct histree_error *error)
{
	struct dataset *dataset;
	if (begin_trace(catalogue, path_name(resolved), resolved, path_kind, uuid, &dataset, error) != HISTREE_OK)
		return CATALOGUE_FAILED;
	size_t index = catalogue_index(catalogue, CATALOGUE_TRACES, uuid);
	if (index < catalogue->kinds[CATALOGUE_TRACES].count) {
		struct catalogue_entry *entry = catalogue->kinds[CATALOGUE_TRACES].entries[index];
		dataset_release(entry->dataset);
		entry->dataset = dataset;
		return CATALOGUE_OK;
	}
	struct catalogue_entry *entry = catalogue_entry_create(uuid, name, dataset);
	if (entry != NULL && (entry->path = strdup(path)) == NULL) {
		catalogue_entry_free(entry);
		entry = NULL;
	}
	return catalogue_enter(catalogue, CATALOGUE_TRACES, entry, error) == HISTREE_OK ? CATALOGUE_OK
											: CATALOGUE_FAILED;
}

enum catalogue_result catalogue_add_trace(struct catalogue *catalogue, const char *name, const char *path,
					  catalogue_visit *visit, void *context, struct histree_error *error)
{
	if (name == NULL || *name == '\0')
		name = path_name(path);
	char uuid[UUID_TEXT_SIZE];
	struct uuid_maker maker = uuid_begin("trace");
	uuid_add(&maker, name);
	uuid_add(&maker, path);
	uuid_end(&maker, uuid);

	pthread_mutex_lock(&catalogue->lock);
	enum catalogue_result result = CATALOGUE_OK;
	const struct catalogue_entry *entry = catalogue_locked(catalogue, CATALOGUE_TRACES, uuid);
	const struct catalogue_entry *namesake = catalogue_find_name(catalogue, CATALOGUE_TRACES, name);
	char *resolved = NULL;
	enum path_kind kind = PATH_NOTHING;
	if (entry == NULL || !is_usable(entry))
		result = check_path(catalogue, path, &resolved, &kind);
	if (result == CATALOGUE_OK && entry == NULL && namesake != NULL) {
		result = CATALOGUE_CLASH;
		entry = namesake;
	} else if (result == CATALOGUE_OK && (entry == NULL || !is_usable(entry))) {
		result = enter_trace(catalogue, name, path, resolved, kind, uuid, error);
		entry = catalogue_locked(catalogue, CATALOGUE_TRACES, uuid);
	}
	if (result == CATALOGUE_OK || result == CATALOGUE_CLASH)
		visit(context, catalogue, entry);
	pthread_mutex_unlock(&catalogue->lock);
	free(resolved);
	return result;
}

/* One trace: its dataset.  Several: one of all their files, which may be of several hosts. */
static enum histree_status experiment_dataset(struct catalogue *catalogue,
					      const struct catalogue_entry *const *traces, size_t count,
					      const char *name, const char *uuid, struct dataset **out,
					      struct histree_error *error)
{
	char store[PATH_MAX];
	const char *paths[CATALOGUE_TRACES_MAX];
	*out = NULL;
	if (count == 1) {
		*out = dataset_hold(traces[0]->dataset);
		return HISTREE_OK;
	}
	for (size_t i = 0; i < count; i++) {
		if (traces[i]->dataset->trace_count != 1)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "'%s' is a store; an experiment of several traces is made of traces",
					 traces[i]->name);
		paths[i] = traces[i]->dataset->traces[0];
	}
	if (!store_path(catalogue, name, uuid, store))
		return error_set(error, HISTREE_ERR_ARGUMENT, "the path of a store would be too long");
	return begin_dataset(catalogue, paths, count, store, out, error);
}

static enum catalogue_result enter_experiment(struct catalogue *catalogue, const char *name, const char *uuid,
					      const struct catalogue_entry *const *traces, size_t count,
					      struct histree_error *error)
{
	struct dataset *dataset;
	if (experiment_dataset(catalogue, traces, count, name, uuid, &dataset, error) != HISTREE_OK)
		return CATALOGUE_FAILED;
	struct catalogue_entry *entry = catalogue_entry_create(uuid, name, dataset);
	size_t capacity = 0;
	for (size_t i = 0; entry != NULL && i < count; i++) {
		if (!entry_add_uuid(entry, &capacity, traces[i]->uuid)) {
			catalogue_entry_free(entry);
			entry = NULL;
		}
	}
	return catalogue_enter(catalogue, CATALOGUE_EXPERIMENTS, entry, error) == HISTREE_OK ? CATALOGUE_OK
											     : CATALOGUE_FAILED;
}

enum catalogue_result catalogue_add_experiment(struct catalogue *catalogue, const char *name,
					       const char *const *uuids, size_t count, catalogue_visit *visit,
					       void *context, struct histree_error *error)
{
	const struct catalogue_entry *traces[CATALOGUE_TRACES_MAX];
	char uuid[UUID_TEXT_SIZE];
	struct uuid_maker maker = uuid_begin("experiment");
	uuid_add(&maker, name);
	if (count == 0 || count > CATALOGUE_TRACES_MAX)
		return CATALOGUE_UNKNOWN;

	pthread_mutex_lock(&catalogue->lock);
	enum catalogue_result result = CATALOGUE_OK;
	for (size_t i = 0; i < count && result == CATALOGUE_OK; i++) {
		traces[i] = catalogue_locked(catalogue, CATALOGUE_TRACES, uuids[i]);
		result = traces[i] != NULL ? CATALOGUE_OK : CATALOGUE_UNKNOWN;
		uuid_add(&maker, uuids[i]);
	}
	uuid_end(&maker, uuid);
	const struct catalogue_entry *entry = catalogue_locked(catalogue, CATALOGUE_EXPERIMENTS, uuid);
	const struct catalogue_entry *namesake = catalogue_find_name(catalogue, CATALOGUE_EXPERIMENTS, name);
	if (result == CATALOGUE_OK && entry == NULL && namesake != NULL) {
		result = CATALOGUE_CLASH;
		entry = namesake;
	} else if (result == CATALOGUE_OK && (entry == NULL || !is_usable(entry))) {
		if (entry != NULL)
			catalogue_drop(catalogue, CATALOGUE_EXPERIMENTS,
				       catalogue_index(catalogue, CATALOGUE_EXPERIMENTS, uuid));
		result = enter_experiment(catalogue, name, uuid, traces, count, error);
		entry = catalogue_locked(catalogue, CATALOGUE_EXPERIMENTS, uuid);
	}
	if (result == CATALOGUE_OK || result == CATALOGUE_CLASH)
		visit(context, catalogue, entry);
	pthread_mutex_unlock(&catalogue->lock);
	return result;
}

bool catalogue_each_served(const struct catalogue *catalogue, served_traces_visit *visit, void *context)
{
	return served_traces_each(&catalogue->allowed, visit, context);
}
