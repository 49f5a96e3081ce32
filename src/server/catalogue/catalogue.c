// SPDX-License-Identifier: MIT
/*
 * catalogue.c - traces and experiments that clients open; one thread prepares their datasets and warms them, one at
 * a time, in the order in which they were asked for.
 */
#include "server/catalogue/catalogue.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crew.h"
#include "base/error.h"
#include "base/table.h"
#include "server/catalogue/bookmarks.h"
#include "server/catalogue/dataset.h"

/* ---- served traces ------------------------------------------------------------------------------------------- */

enum { FOLDERS_DEEP_MAX = 8, FOLDERS_SEEN_MAX = 10000, FILES_SEEN_MAX = 10000, TRACES_MAX = 1000 };

struct search {
	served_traces_visit *visit;
	void *context;
	size_t name_at; /* in a path */
	unsigned folders, files, traces;
	bool saw_all;
};

static bool has_file(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat facts;
	int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
	return length < (int)sizeof(path) && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* Returns whether there is a trace or a store, which has nothing below it to look for. */
static bool search_take(struct search *search, const char *path, bool is_store)
{
	if (!is_store && !histree_is_trace(path))
		return false;
	search->traces++;
	search->visit(search->context, &(struct served_trace){ path, path + search->name_at, is_store });
	return true;
}

static int is_looked_at(const struct dirent *entry)
{
	return (entry->d_type == DT_DIR || entry->d_type == DT_REG) && entry->d_name[0] != '.';
}

/* The beginning of each is read: of a folder with very many, not of all. */
static void look_at_file(struct search *search, const char *path)
{
	if (search->files == FILES_SEEN_MAX || search->traces == TRACES_MAX) {
		search->saw_all = false;
		return;
	}
	search->files++;
	(void)search_take(search, path, false);
}

static void look_into(struct search *search, const char *folder, unsigned depth)
{
	struct dirent **entries;
	if (depth > FOLDERS_DEEP_MAX || search->folders == FOLDERS_SEEN_MAX || search->traces == TRACES_MAX) {
		search->saw_all = false;
		return;
	}
	search->folders++;
	if (search_take(search, folder, has_file(folder, "manifest.json")))
		return;
	int count = scandir(folder, &entries, is_looked_at, alphasort);
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];
		bool is_whole =
			snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) < (int)sizeof(path);
		if (is_whole && entries[i]->d_type == DT_REG)
			look_at_file(search, path);
		else if (is_whole)
			look_into(search, path, depth + 1);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/*
 * Visits them folder by folder, by name, as they are on the disk now.  Links are not followed.  Looks a few folders
 * deep and at a bounded number of them, and returns false if there are more.
 */
static bool served_traces_each(const struct allowed_paths *allowed, served_traces_visit *visit, void *context)
{
	struct search search = { .visit = visit, .context = context, .saw_all = true };
	for (size_t i = 0; i < allowed->count; i++) {
		struct stat facts;
		search.name_at = (size_t)(path_name(allowed->paths[i]) - allowed->paths[i]);
		if (stat(allowed->paths[i], &facts) == 0 && S_ISREG(facts.st_mode))
			look_at_file(&search, allowed->paths[i]);
		else
			look_into(&search, allowed->paths[i], 0);
	}
	return search.saw_all;
}

/* ---- builder ------------------------------------------------------------------------------------------------- */

struct builder {
	pthread_t thread;
	void (*warm)(struct dataset *dataset);
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	struct dataset **waiting; /* [0] is next, or under way */
	size_t count, capacity;
	bool stopping;
};

/* The next dataset, which stays in the list so that it can be cancelled; NULL at the end. */
static struct dataset *next_dataset(struct builder *builder)
{
	pthread_mutex_lock(&builder->lock);
	while (builder->count == 0 && !builder->stopping)
		pthread_cond_wait(&builder->changed, &builder->lock);
	struct dataset *dataset = builder->count > 0 ? builder->waiting[0] : NULL;
	pthread_mutex_unlock(&builder->lock);
	return dataset;
}

static void *build(void *context)
{
	struct builder *builder = context;
	/*
	 * What a user waits for at the page goes before what is made for later, and before a build.  On Linux each
	 * thread has a niceness of its own, and the threads that a build starts inherit it.
	 */
	enum { NICE = 10 };
	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	struct dataset *dataset;
	while ((dataset = next_dataset(builder)) != NULL) {
		if (dataset_status(dataset) == DATASET_RUNNING)
			dataset_prepare(dataset);
		if (dataset_status(dataset) == DATASET_READY)
			builder->warm(dataset);
		pthread_mutex_lock(&builder->lock);
		assert(builder->count > 0 && builder->waiting[0]->holders > 0);
		builder->count--;
		memmove(builder->waiting, builder->waiting + 1, builder->count * sizeof(*builder->waiting));
		pthread_mutex_unlock(&builder->lock);
		dataset_release(dataset);
	}
	return NULL;
}

/*
 * Starts the thread.  `warm` is called with each dataset that is ready, to make what its first viewer would wait
 * for.
 */
static enum histree_status builder_create(void (*warm)(struct dataset *dataset), struct builder **out,
					  struct histree_error *error)
{
	*out = NULL;
	struct builder *builder = calloc(1, sizeof(*builder));
	if (builder == NULL)
		return error_memory(error, "the builder");
	builder->warm = warm;
	pthread_mutex_init(&builder->lock, NULL);
	pthread_cond_init(&builder->changed, NULL);
	if (!thread_create(&builder->thread, build, builder)) {
		pthread_cond_destroy(&builder->changed);
		pthread_mutex_destroy(&builder->lock);
		free(builder);
		return error_memory(error, "a thread");
	}
	*out = builder;
	return HISTREE_OK;
}

/* The builder holds the dataset until it is done with it. */
static enum histree_status builder_add(struct builder *builder, struct dataset *dataset,
				       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&builder->lock);
	if (array_reserve(&builder->waiting, &builder->capacity, builder->count + 1))
		builder->waiting[builder->count++] = dataset_hold(dataset);
	else
		status = error_memory(error, "a build");
	pthread_cond_signal(&builder->changed);
	pthread_mutex_unlock(&builder->lock);
	return status;
}

/* Cancels what is under way, waits for its end and frees the builder.  NULL is allowed. */
static void builder_free(struct builder *builder)
{
	if (builder == NULL)
		return;
	pthread_mutex_lock(&builder->lock);
	builder->stopping = true;
	for (size_t i = 0; i < builder->count; i++)
		dataset_cancel(builder->waiting[i]);
	pthread_cond_signal(&builder->changed);
	pthread_mutex_unlock(&builder->lock);
	pthread_join(builder->thread, NULL);
	assert(builder->count == 0);
	free(builder->waiting);
	pthread_cond_destroy(&builder->changed);
	pthread_mutex_destroy(&builder->lock);
	free(builder);
}

/* ---- catalogue ----------------------------------------------------------------------------------------------- */

static size_t catalogue_index(const struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid);

static void catalogue_drop(struct catalogue *catalogue, enum catalogue_kind kind, size_t index);

/* ---- catalogue find ------------------------------------------------------------------------------------------ */

/* ---- looking ----------------------------------------------------------------------------------------- */

void catalogue_each(struct catalogue *catalogue, enum catalogue_kind kind, catalogue_visit *visit, void *context)
{
	pthread_mutex_lock(&catalogue->lock);
	for (size_t i = 0; i < catalogue->kinds[kind].count; i++)
		visit(context, catalogue, catalogue->kinds[kind].entries[i]);
	pthread_mutex_unlock(&catalogue->lock);
}

bool catalogue_find(struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid, catalogue_visit *visit,
		    void *context)
{
	pthread_mutex_lock(&catalogue->lock);
	const struct catalogue_entry *entry = catalogue_locked(catalogue, kind, uuid);
	if (entry != NULL)
		visit(context, catalogue, entry);
	pthread_mutex_unlock(&catalogue->lock);
	return entry != NULL;
}

struct dataset *catalogue_dataset(struct catalogue *catalogue, const char *uuid)
{
	pthread_mutex_lock(&catalogue->lock);
	const struct catalogue_entry *entry = catalogue_locked(catalogue, CATALOGUE_EXPERIMENTS, uuid);
	struct dataset *dataset = entry != NULL ? dataset_hold(entry->dataset) : NULL;
	pthread_mutex_unlock(&catalogue->lock);
	return dataset;
}

/* ---- removing ---------------------------------------------------------------------------------------- */

static bool is_in_experiment(const struct catalogue *catalogue, const char *trace_uuid)
{
	const struct catalogue_entries *experiments = &catalogue->kinds[CATALOGUE_EXPERIMENTS];
	for (size_t i = 0; i < experiments->count; i++)
		for (size_t k = 0; k < experiments->entries[i]->trace_uuid_count; k++)
			if (strcmp(experiments->entries[i]->trace_uuids[k], trace_uuid) == 0)
				return true;
	return false;
}

enum catalogue_result catalogue_remove(struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid,
				       catalogue_visit *visit, void *context)
{
	enum catalogue_result result = CATALOGUE_OK;
	pthread_mutex_lock(&catalogue->lock);
	size_t index = catalogue_index(catalogue, kind, uuid);
	if (index == catalogue->kinds[kind].count)
		result = CATALOGUE_UNKNOWN;
	else if (kind == CATALOGUE_TRACES && is_in_experiment(catalogue, uuid))
		result = CATALOGUE_IN_USE;
	if (result != CATALOGUE_UNKNOWN)
		visit(context, catalogue, catalogue->kinds[kind].entries[index]);
	if (result == CATALOGUE_OK)
		catalogue_drop(catalogue, kind, index);
	pthread_mutex_unlock(&catalogue->lock);
	return result;
}

/* ---- catalogue entries --------------------------------------------------------------------------------------- */

/* A thread holds the lock, which can only be the caller; each entry holds its dataset. */
static void catalogue_assert(struct catalogue *catalogue)
{
	assert(pthread_mutex_trylock(&catalogue->lock) == EBUSY);
	for (size_t kind = 0; kind < CATALOGUE_KIND_COUNT; kind++) {
		const struct catalogue_entries *entries = &catalogue->kinds[kind];
		assert(entries->count <= CATALOGUE_ENTRIES_MAX);
		for (size_t i = 0; i < entries->count; i++)
			assert(entries->entries[i]->dataset->holders > 0);
	}
}

/* Frees an entry; NULL is allowed. */
static void catalogue_entry_free(struct catalogue_entry *entry)
{
	if (entry == NULL)
		return;
	for (size_t i = 0; i < entry->trace_uuid_count; i++)
		free(entry->trace_uuids[i]);
	free(entry->trace_uuids);
	dataset_release(entry->dataset);
	free(entry->name);
	free(entry->path);
	free(entry);
}

/* Where the traces may be that a store names; NULL: anywhere. */
static const struct allowed_paths *catalogue_readable(const struct catalogue *catalogue)
{
	return catalogue->trusts_stores ? NULL : &catalogue->allowed;
}

/* Makes an entry, which takes the dataset even on failure.  Returns NULL if memory runs out. */
static struct catalogue_entry *catalogue_entry_create(const char *uuid, const char *name, struct dataset *dataset)
{
	struct catalogue_entry *entry = calloc(1, sizeof(*entry));
	if (entry == NULL) {
		dataset_release(dataset);
		return NULL;
	}
	memcpy(entry->uuid, uuid, UUID_TEXT_SIZE);
	entry->dataset = dataset;
	entry->name = strdup(name);
	if (entry->name != NULL)
		return entry;
	catalogue_entry_free(entry);
	return NULL;
}

/* Returns the index of the entry, or how many there are if it is not one of them. */
static size_t catalogue_index(const struct catalogue *catalogue, enum catalogue_kind kind, const char *uuid)
{
	const struct catalogue_entries *entries = &catalogue->kinds[kind];
	size_t i = 0;
	while (i < entries->count && strcmp(entries->entries[i]->uuid, uuid) != 0)
		i++;
	return i;
}

const struct catalogue_entry *catalogue_locked(const struct catalogue *catalogue, enum catalogue_kind kind,
					       const char *uuid)
{
	size_t index = catalogue_index(catalogue, kind, uuid);
	return index < catalogue->kinds[kind].count ? catalogue->kinds[kind].entries[index] : NULL;
}

static const struct catalogue_entry *catalogue_find_name(const struct catalogue *catalogue,
							 enum catalogue_kind kind, const char *name)
{
	const struct catalogue_entries *entries = &catalogue->kinds[kind];
	for (size_t i = 0; i < entries->count; i++)
		if (strcmp(entries->entries[i]->name, name) == 0)
			return entries->entries[i];
	return NULL;
}

static bool is_named(const struct catalogue *catalogue, const struct dataset *dataset)
{
	for (size_t kind = 0; kind < CATALOGUE_KIND_COUNT; kind++)
		for (size_t i = 0; i < catalogue->kinds[kind].count; i++)
			if (catalogue->kinds[kind].entries[i]->dataset == dataset)
				return true;
	return false;
}

/* Adds an entry, and takes it even on failure.  `entry` is NULL if making it ran out of memory. */
static enum histree_status catalogue_enter(struct catalogue *catalogue, enum catalogue_kind kind,
					   struct catalogue_entry *entry, struct histree_error *error)
{
	struct catalogue_entries *entries = &catalogue->kinds[kind];
	enum histree_status status = HISTREE_OK;
	assert(entry == NULL || catalogue_index(catalogue, kind, entry->uuid) == entries->count);
	if (entry == NULL || !array_reserve(&entries->entries, &entries->capacity, entries->count + 1))
		status = error_memory(error, "a trace");
	else if (entries->count >= CATALOGUE_ENTRIES_MAX)
		status = error_set(error, HISTREE_ERR_TOO_LARGE, "%d traces or experiments are open; close some",
				   CATALOGUE_ENTRIES_MAX);
	if (status == HISTREE_OK)
		entries->entries[entries->count++] = entry;
	else if (entry != NULL && !is_named(catalogue, entry->dataset))
		dataset_cancel(entry->dataset);
	if (status != HISTREE_OK)
		catalogue_entry_free(entry);
	catalogue_assert(catalogue);
	return status;
}

/* Forgets the entry at an index; a build that no other user wants is cancelled. */
static void catalogue_drop(struct catalogue *catalogue, enum catalogue_kind kind, size_t index)
{
	struct catalogue_entries *entries = &catalogue->kinds[kind];
	catalogue_assert(catalogue);
	assert(index < entries->count);
	struct catalogue_entry *entry = entries->entries[index];
	entries->count--;
	memmove(entries->entries + index, entries->entries + index + 1,
		(entries->count - index) * sizeof(*entries->entries));
	if (!is_named(catalogue, entry->dataset))
		dataset_cancel(entry->dataset);
	catalogue_entry_free(entry);
}

/* ---- catalogue open ------------------------------------------------------------------------------------------ */

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

/* STORES/NAME-UUID.histree, of characters without a special meaning. */
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
	const char *definitions[CONFIGURATIONS_MAX];
	for (size_t i = 0; i < catalogue->configuration_count; i++)
		definitions[i] = catalogue->configurations[i].path;
	enum histree_status status =
		dataset_create(traces, count, store, catalogue_readable(catalogue), out, error);
	if (status == HISTREE_OK && count > 0 && !dataset_define(*out, definitions, catalogue->configuration_count))
		status = error_memory(error, "a trace");
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

/* Returns whether an entry is there that a request may simply be given again: a build that failed is begun anew. */
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

/* ---- configurations ------------------------------------------------------------------------------------------ */

/* Copies the texts, with these for what is not said.  Returns false if memory runs out. */
static bool configuration_copy(struct configuration *out, const struct configuration *wanted, const char *id,
			       const char *path)
{
	const char *const from[] = { wanted->type, id, wanted->name != NULL ? wanted->name : id,
				     wanted->description != NULL ? wanted->description : "", path };
	const char **const to[] = { &out->type, &out->id, &out->name, &out->description, &out->path };
	size_t size = 0;
	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]); i++)
		size += strlen(from[i]) + 1;
	char *at = out->memory = malloc(size);
	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]) && at != NULL; i++) {
		*to[i] = at;
		at = stpcpy(at, from[i]) + 1;
	}
	return at != NULL;
}

static size_t configuration_index(const struct catalogue *catalogue, const char *type, const char *id)
{
	size_t i = 0;
	while (i < catalogue->configuration_count && (strcmp(catalogue->configurations[i].type, type) != 0 ||
						      strcmp(catalogue->configurations[i].id, id) != 0))
		i++;
	return i;
}

bool catalogue_configurations(struct catalogue *catalogue, const char *type, const char *id,
			      configuration_visit *visit, void *context)
{
	bool is_any = false;
	pthread_mutex_lock(&catalogue->lock);
	for (size_t i = 0; i < catalogue->configuration_count; i++) {
		const struct configuration *one = &catalogue->configurations[i];
		if (strcmp(one->type, type) != 0 || (id != NULL && strcmp(one->id, id) != 0))
			continue;
		visit(context, one);
		is_any = true;
	}
	pthread_mutex_unlock(&catalogue->lock);
	return is_any;
}

/* Whether an entry that comes before this one, or is of the kind before, has the same dataset. */
static bool is_shared_before(const struct catalogue *catalogue, size_t kind, size_t index)
{
	const struct dataset *dataset = catalogue->kinds[kind].entries[index]->dataset;
	for (size_t k = 0; k <= kind; k++)
		for (size_t i = 0; i < (k < kind ? catalogue->kinds[k].count : index); i++)
			if (catalogue->kinds[k].entries[i]->dataset == dataset)
				return true;
	return false;
}

/* All that have a dataset get another one of the same traces, in the same store. */
static enum histree_status renew_dataset(struct catalogue *catalogue, struct dataset *old,
					 struct histree_error *error)
{
	struct dataset *dataset;
	enum histree_status status = begin_dataset(catalogue, (const char *const *)old->traces, old->trace_count,
						   old->store_path, &dataset, error);
	if (status != HISTREE_OK)
		return status;
	dataset_hold(old);
	for (size_t kind = 0; kind < CATALOGUE_KIND_COUNT; kind++)
		for (size_t i = 0; i < catalogue->kinds[kind].count; i++) {
			struct catalogue_entry *entry = catalogue->kinds[kind].entries[i];
			if (entry->dataset != old)
				continue;
			dataset_release(entry->dataset);
			entry->dataset = dataset_hold(dataset);
		}
	dataset_release(old);
	dataset_release(dataset);
	return HISTREE_OK;
}

/* What was made of traces is prepared anew, for what it lacks now. */
static enum histree_status renew_datasets(struct catalogue *catalogue, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t kind = 0; kind < CATALOGUE_KIND_COUNT; kind++)
		for (size_t i = 0; i < catalogue->kinds[kind].count && status == HISTREE_OK; i++) {
			const struct catalogue_entry *entry = catalogue->kinds[kind].entries[i];
			if (entry->dataset->trace_count > 0 && is_usable(entry) &&
			    !is_shared_before(catalogue, kind, i))
				status = renew_dataset(catalogue, entry->dataset, error);
		}
	return status;
}

/* Takes the configuration, even on failure. */
static enum histree_status configuration_enter(struct catalogue *catalogue, struct configuration *made,
					       struct histree_error *error)
{
	const size_t index = configuration_index(catalogue, made->type, made->id);
	enum histree_status status = HISTREE_OK;
	if (index == CONFIGURATIONS_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "there are %d configurations already: delete one",
				   CONFIGURATIONS_MAX);
	else if (!array_reserve(&catalogue->configurations, &catalogue->configuration_capacity, index + 1))
		status = error_memory(error, "a configuration");
	if (status != HISTREE_OK) {
		free(made->memory);
		return status;
	}
	if (index < catalogue->configuration_count)
		free(catalogue->configurations[index].memory);
	else
		catalogue->configuration_count++;
	catalogue->configurations[index] = *made;
	return HISTREE_OK;
}

static void tell_nobody(void *context, const struct histree_analysis_info *analysis)
{
	(void)context, (void)analysis;
}

enum catalogue_result catalogue_configure(struct catalogue *catalogue, const struct configuration *wanted,
					  configuration_visit *visit, void *context, struct histree_error *error)
{
	struct configuration made;
	char *resolved = realpath(wanted->path, NULL);
	if (resolved == NULL)
		return CATALOGUE_NO_PATH;
	const char *paths[] = { resolved }, *id = wanted->id != NULL ? wanted->id : path_name(wanted->path);
	const bool is_allowed = allowed_paths_contain(&catalogue->allowed, resolved);
	enum histree_status status = HISTREE_ERR_ARGUMENT;
	if (is_allowed)
		status = histree_analyses_defined(paths, 1, tell_nobody, NULL, error);
	if (status == HISTREE_OK && !configuration_copy(&made, wanted, id, resolved))
		status = error_memory(error, "a configuration");
	free(resolved);
	if (status != HISTREE_OK)
		return is_allowed ? CATALOGUE_FAILED : CATALOGUE_FORBIDDEN;
	pthread_mutex_lock(&catalogue->lock);
	status = configuration_enter(catalogue, &made, error);
	if (status == HISTREE_OK)
		status = renew_datasets(catalogue, error);
	if (status == HISTREE_OK)
		visit(context, &made);
	pthread_mutex_unlock(&catalogue->lock);
	return status == HISTREE_OK ? CATALOGUE_OK : CATALOGUE_FAILED;
}

bool catalogue_forget_configuration(struct catalogue *catalogue, const char *type, const char *id,
				    configuration_visit *visit, void *context)
{
	pthread_mutex_lock(&catalogue->lock);
	const size_t index = configuration_index(catalogue, type, id);
	const bool is_there = index < catalogue->configuration_count;
	if (is_there) {
		visit(context, &catalogue->configurations[index]);
		free(catalogue->configurations[index].memory);
		catalogue->configuration_count--;
		memmove(catalogue->configurations + index, catalogue->configurations + index + 1,
			(catalogue->configuration_count - index) * sizeof(*catalogue->configurations));
	}
	pthread_mutex_unlock(&catalogue->lock);
	return is_there;
}

/* ---- catalogue create ---------------------------------------------------------------------------------------- */

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
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%s' is a file that is no trace; a store is a folder ('histree build' says what "
				 "it reads)",
				 path);
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
	for (size_t i = 0; i < catalogue->configuration_count; i++)
		free(catalogue->configurations[i].memory);
	free(catalogue->configurations);
	allowed_paths_release(&catalogue->allowed);
	free(catalogue->stores);
	pthread_mutex_destroy(&catalogue->lock);
	free(catalogue);
}
