// SPDX-License-Identifier: MIT
/*
 * dataset.c - the open parts of a store, and the paths that the server may open.
 *
 * A path is compared after all links in it are resolved.
 */
#include "server/catalogue/dataset.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/table.h"
#include "base/trace_word.h"
#include "histree/build.h"
#include "histree/events.h"
#include "histree/status.h"
#include "histree/store.h"
#include "view/view.h"

/* ---- allowed paths ------------------------------------------------------------------------------------------- */

enum { FOLDERS_DEEP_MAX = 8, FOLDERS_SEEN_MAX = 10000 };

/* The path without links; of a store that is not there yet, that of what its build has published. */
static char *resolve(const char *path)
{
	struct histree_store *store;
	char *resolved = realpath(path, NULL);
	if (resolved != NULL || errno != ENOENT)
		return resolved;
	if (histree_store_open(path, &store, NULL) == HISTREE_OK) {
		resolved = realpath(histree_store_info(store)->path, NULL);
		histree_store_close(store);
	}
	errno = ENOENT;
	return resolved;
}

enum histree_status allowed_paths_add(struct allowed_paths *allowed, const char *path, struct histree_error *error)
{
	if (!array_reserve(&allowed->paths, &allowed->capacity, allowed->count + 1))
		return error_memory(error, "a path");
	char *resolved = resolve(path);
	if (resolved == NULL)
		return error_set(error, HISTREE_ERR_IO, "'%s': %s", path, strerror(errno));
	allowed->paths[allowed->count++] = resolved;
	return HISTREE_OK;
}

bool allowed_paths_contain(const struct allowed_paths *allowed, const char *resolved)
{
	for (size_t i = 0; i < allowed->count; i++) {
		size_t size = strlen(allowed->paths[i]);
		bool is_root = size == 1;
		if (strncmp(resolved, allowed->paths[i], size) == 0 &&
		    (is_root || resolved[size] == '\0' || resolved[size] == '/'))
			return true;
	}
	return false;
}

/* Resolves the path first.  The address of a live trace is never allowed. */
static bool allowed_paths_allow(const struct allowed_paths *allowed, const char *path)
{
	if (strstr(path, "://") != NULL)
		return false;
	char *resolved = realpath(trace_word_path(path), NULL);
	bool is_allowed = resolved != NULL && allowed_paths_contain(allowed, resolved);
	free(resolved);
	return is_allowed;
}

void allowed_paths_release(struct allowed_paths *allowed)
{
	for (size_t i = 0; i < allowed->count; i++)
		free(allowed->paths[i]);
	free(allowed->paths);
	*allowed = (struct allowed_paths){ 0 };
}

static bool is_file_in(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat facts;
	int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
	return length < (int)sizeof(path) && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* `seen` counts down. */
static bool has_trace(const char *folder, unsigned depth, unsigned *seen)
{
	if (histree_is_trace(folder))
		return true;
	DIR *entries = depth<FOLDERS_DEEP_MAX && * seen> 0 ? opendir(folder) : NULL;
	if (entries == NULL)
		return false;
	--*seen;
	bool found = false;
	for (const struct dirent *entry; !found && (entry = readdir(entries)) != NULL;) {
		char path[PATH_MAX];
		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= (int)sizeof(path))
			continue;
		if (entry->d_type == DT_DIR)
			found = has_trace(path, depth + 1, seen);
		else if (entry->d_type == DT_REG && *seen > 0 && --*seen > 0)
			found = histree_is_trace(path);
	}
	closedir(entries);
	return found;
}

enum path_kind path_kind_of(const char *path)
{
	struct stat facts;
	if (stat(path, &facts) != 0)
		return PATH_NOTHING;
	if (!S_ISDIR(facts.st_mode))
		return histree_is_trace(path) ? PATH_TRACE : PATH_FILE;
	if (is_file_in(path, "manifest.json"))
		return PATH_STORE;
	unsigned seen = FOLDERS_SEEN_MAX;
	return has_trace(path, 0, &seen) ? PATH_TRACE : PATH_FOLDER;
}

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* ---- dataset ------------------------------------------------------------------------------------------------- */

static enum histree_status dataset_hosts_open(struct dataset *dataset, struct histree_error *error);

/* ---- dataset ------------------------------------------------------------------------------------------------- */

static char **copy_texts(const char *const *texts, size_t count)
{
	char **copies = calloc(count + 1, sizeof(*copies));
	for (size_t i = 0; copies != NULL && i < count; i++) {
		copies[i] = strdup(texts[i]);
		if (copies[i] != NULL)
			continue;
		while (i > 0)
			free(copies[--i]);
		free(copies);
		return NULL;
	}
	return copies;
}

enum histree_status dataset_create(const char *const *traces, size_t trace_count, const char *store_path,
				   const struct allowed_paths *readable, struct dataset **out,
				   struct histree_error *error)
{
	*out = NULL;
	struct dataset *dataset = calloc(1, sizeof(*dataset));
	if (dataset == NULL)
		return error_memory(error, "a trace");
	dataset->holders = 1;
	dataset->status = DATASET_RUNNING;
	dataset->readable = readable;
	pthread_mutex_init(&dataset->views_lock, NULL);
	pthread_cond_init(&dataset->view_made, NULL);
	dataset->traces = copy_texts(traces, trace_count);
	dataset->trace_count = dataset->traces != NULL ? trace_count : 0;
	dataset->store_path = strdup(store_path);
	if (dataset->traces == NULL || dataset->store_path == NULL) {
		dataset_release(dataset);
		return error_memory(error, "a trace");
	}
	*out = dataset;
	return HISTREE_OK;
}

bool dataset_define(struct dataset *dataset, const char *const *definitions, size_t count)
{
	assert(dataset->definitions == NULL);
	dataset->definitions = copy_texts(definitions, count);
	dataset->definition_count = dataset->definitions != NULL ? count : 0;
	return dataset->definitions != NULL;
}

struct dataset *dataset_hold(struct dataset *dataset)
{
	int holders = atomic_fetch_add_explicit(&dataset->holders, 1, memory_order_relaxed);
	assert(holders > 0);
	return dataset;
}

static void close_store(struct dataset *dataset)
{
	for (size_t i = 0; i < dataset->host_count; i++)
		dataset_release(dataset->hosts[i].own);
	free(dataset->hosts);
	dataset->hosts = NULL;
	dataset->host_count = 0;
	for (size_t i = 0; i < dataset->history_count && dataset->whole == NULL; i++)
		histree_history_close(dataset->histories[i]);
	free(dataset->histories);
	free(dataset->analyses);
	free(dataset->segments);
	dataset->histories = NULL;
	dataset->stacks = dataset->calls = NULL;
	dataset->analyses = dataset->segments = NULL;
	dataset->history_count = dataset->segments_count = 0;
	histree_events_close(dataset->trace_events);
	dataset->trace_events = NULL;
	histree_store_close(dataset->store);
	dataset->store = NULL;
}

void dataset_release(struct dataset *dataset)
{
	if (dataset == NULL)
		return;
	/* The last one sees what all the others did before they let go. */
	int holders = atomic_fetch_sub_explicit(&dataset->holders, 1, memory_order_acq_rel);
	assert(holders > 0);
	if (holders > 1)
		return;
	for (size_t i = 0; i < DATASET_VIEWS_MAX; i++) {
		assert(!dataset->views[i].is_being_made);
		if (dataset->views[i].view != NULL)
			dataset->views[i].kind->free(dataset->views[i].view);
	}
	close_store(dataset);
	for (size_t i = 0; i < dataset->trace_count; i++)
		free(dataset->traces[i]);
	free(dataset->traces);
	for (size_t i = 0; i < dataset->definition_count; i++)
		free(dataset->definitions[i]);
	free(dataset->definitions);
	free(dataset->store_path);
	pthread_cond_destroy(&dataset->view_made);
	pthread_mutex_destroy(&dataset->views_lock);
	free(dataset);
}

enum dataset_status dataset_status(const struct dataset *dataset)
{
	/* Pairs with the store in dataset_prepare(): a thread that sees "ready" sees the histories. */
	return (enum dataset_status)atomic_load_explicit(&dataset->status, memory_order_acquire);
}

void dataset_cancel(struct dataset *dataset)
{
	dataset->cancelled = true;
}

/* ---- preparing --------------------------------------------------------------------------------------- */

static bool is_of_our_traces(const struct dataset *dataset, const struct histree_store_info *info)
{
	if (info->trace_count != dataset->trace_count)
		return false;
	for (size_t i = 0; i < info->trace_count; i++) {
		bool is_ours = strcmp(info->traces[i], dataset->traces[i]) == 0;
		for (size_t k = 0; k < dataset->trace_count && !is_ours && info->host_count > 0; k++)
			is_ours = strcmp(info->traces[i], dataset->traces[k]) == 0; /* by host there */
		if (!is_ours)
			return false;
	}
	return true;
}

/* A server has the rows of views in memory as well, and keeps to 256 MB with those of 10^6 threads. */
static const struct histree_open_options open_options = { .cache_bytes = 32 << 20 };

static bool has_room(struct dataset *dataset, size_t histories, size_t segments)
{
	dataset->histories = calloc(histories + 1, sizeof(struct histree_history *));
	dataset->analyses = calloc(histories + 1, sizeof(char *));
	dataset->segments = calloc(segments + 1, sizeof(char *));
	return dataset->histories != NULL && dataset->analyses != NULL && dataset->segments != NULL;
}

static void find_stacks(struct dataset *dataset)
{
	dataset->stacks = histree_stack_history(dataset->histories, dataset->history_count, true);
	dataset->calls = histree_stack_history(dataset->histories, dataset->history_count, false);
}

static enum histree_status open_histories(struct dataset *dataset, struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	if (!has_room(dataset, info->history_count, info->segments_count))
		return error_memory(error, "a trace");
	for (size_t i = 0; i < info->history_count; i++) {
		struct histree_history *history;
		enum histree_status status = histree_store_history(dataset->store, info->histories[i].analysis,
								   true, &open_options, &history, error);
		if (status != HISTREE_OK)
			return status;
		/* One that is still being made may get what it has not. */
		if (info->complete && histree_history_info(history)->attribute_count == 0) {
			histree_history_close(history);
			continue;
		}
		dataset->histories[dataset->history_count] = history;
		dataset->analyses[dataset->history_count++] = info->histories[i].analysis;
	}
	find_stacks(dataset);
	return HISTREE_OK;
}

/* Who cannot be opened is asked for, and then says why. */
static bool holds_segments(struct histree_store *store, const char *analysis)
{
	struct histree_segment_store *segments;
	if (histree_store_segments(store, analysis, true, NULL, &segments, NULL) != HISTREE_OK)
		return true;
	const struct histree_segment_store_info *info = histree_segment_store_info(segments);
	const bool has_any = info->segment_count > 0 || histree_segment_store_loss(segments).nodes > 0;
	histree_segment_store_close(segments);
	return has_any;
}

static void list_segments(struct dataset *dataset)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	for (size_t i = 0; i < info->segments_count; i++)
		if (holds_segments(dataset->store, info->segments[i].analysis))
			dataset->segments[dataset->segments_count++] = info->segments[i].analysis;
}

/* What a client may open it may read; a store may name any path, and is not believed. */
static bool may_read_traces(const struct dataset *dataset)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	if (dataset->readable == NULL || (dataset->trace_count > 0 && is_of_our_traces(dataset, info)))
		return true;
	for (size_t i = 0; i < info->trace_count; i++)
		if (!allowed_paths_allow(dataset->readable, info->traces[i]))
			return false;
	return true;
}

static enum histree_status open_store(struct dataset *dataset, struct histree_error *error)
{
	enum histree_status status = histree_store_open(dataset->store_path, &dataset->store, error);
	if (status == HISTREE_OK)
		status = open_histories(dataset, error);
	/* States can be shown without events. */
	if (status == HISTREE_OK && histree_events_open(dataset->store, &dataset->trace_events, NULL) != HISTREE_OK)
		dataset->trace_events = NULL;
	if (status == HISTREE_OK)
		dataset->may_read_traces = may_read_traces(dataset);
	if (status == HISTREE_OK)
		list_segments(dataset);
	if (status == HISTREE_OK)
		status = dataset_hosts_open(dataset, error);
	if (status != HISTREE_OK)
		close_store(dataset);
	return status;
}

static void take_progress(void *context, const struct histree_progress *progress)
{
	struct dataset *dataset = context;
	dataset->events = progress->rows;
	dataset->bytes_done = progress->bytes;
	dataset->bytes_total = progress->bytes_total;
	dataset->elapsed_ns = progress->elapsed_ns;
}

static bool is_wanted(void *context)
{
	return dataset_is_wanted(context);
}

/* Of what histree has by itself, or of a file of definitions. */
static enum histree_status build_store(struct dataset *dataset, bool adds, const char *definition,
				       struct histree_error *error)
{
	struct histree_build_options options = {
		.traces = (const char *const *)dataset->traces,
		.trace_count = dataset->trace_count,
		.store = dataset->store_path,
		.definitions = &definition,
		.definition_count = definition != NULL,
		.force = !adds,
		.add = adds,
		.work = { is_wanted, dataset, take_progress },
	};
	enum histree_status status = histree_build(&options, error);
	return status == HISTREE_PARTIAL ? HISTREE_OK : status;
}

/* A store that we made of the same traces before is good. */
static bool has_store(struct dataset *dataset)
{
	if (open_store(dataset, NULL) != HISTREE_OK)
		return false;
	if (is_of_our_traces(dataset, histree_store_info(dataset->store)))
		return true;
	close_store(dataset);
	return false;
}

static bool is_made(const struct histree_store_info *info, const char *analysis)
{
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, analysis) == 0)
			return true;
	for (size_t i = 0; i < info->segments_count; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			return true;
	for (size_t i = 0; i < info->lacking_count; i++) /* the trace has nothing of it */
		if (strcmp(info->lacking[i], analysis) == 0)
			return true;
	return false;
}

struct lacking {
	const struct histree_store_info *info;
	bool any;
};

static void look_for(void *context, const struct histree_analysis_info *analysis)
{
	struct lacking *lacking = context;
	lacking->any |= !is_made(lacking->info, analysis->name);
}

/*
 * What is lacking, of histree's own or of a file of definitions, is added; if that fails, as its traces are not
 * there any more, what there is is shown.
 */
static enum histree_status add_what_is_lacking(struct dataset *dataset, const char *definition,
					       struct histree_error *error)
{
	/* Whether an older histree made it, which had fewer analyses, or made fewer by itself. */
	struct lacking lacking = { .info = histree_store_info(dataset->store) };
	struct histree_analysis_info analysis;
	for (size_t i = 0; definition == NULL && is_made(lacking.info, "kernel") && histree_analysis(i, &analysis);
	     i++)
		if (analysis.by_default && analysis.events != NULL)
			look_for(&lacking, &analysis);
	if (definition != NULL && histree_analyses_defined(&definition, 1, look_for, &lacking, NULL) != HISTREE_OK)
		return HISTREE_OK;
	if (!lacking.any || build_store(dataset, true, definition, NULL) != HISTREE_OK)
		return HISTREE_OK;
	close_store(dataset);
	return open_store(dataset, error);
}

void dataset_prepare(struct dataset *dataset)
{
	assert(dataset_status(dataset) == DATASET_RUNNING && dataset->store == NULL);
	enum histree_status status = HISTREE_OK;
	bool has_one = dataset->trace_count > 0 && has_store(dataset);
	if (has_one)
		status = add_what_is_lacking(dataset, NULL, &dataset->error);
	else if (dataset->trace_count > 0)
		status = dataset->cancelled ? error_set(&dataset->error, HISTREE_ERR_CANCELLED, "cancelled")
					    : build_store(dataset, false, NULL, &dataset->error);
	if (dataset->store == NULL && status == HISTREE_OK)
		status = open_store(dataset, &dataset->error);
	for (size_t i = 0; i < dataset->definition_count && status == HISTREE_OK; i++)
		status = add_what_is_lacking(dataset, dataset->definitions[i], &dataset->error);
	enum dataset_status now = status == HISTREE_OK              ? DATASET_READY
				  : status == HISTREE_ERR_CANCELLED ? DATASET_CANCELLED
								    : DATASET_FAILED;
	assert((now == DATASET_READY) == (dataset->store != NULL));
	atomic_store_explicit(&dataset->status, now, memory_order_release);
}

/* ---- once ready -------------------------------------------------------------------------------------- */

bool dataset_has_segments(const struct dataset *dataset, const char *analysis)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	for (size_t i = 0; i < info->segments_count; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			return true;
	return false;
}

struct histree_history *dataset_history(const struct dataset *dataset, const char *analysis)
{
	assert(dataset_status(dataset) == DATASET_READY);
	for (size_t i = 0; i < dataset->history_count; i++)
		if (strcmp(dataset->analyses[i], analysis) == 0)
			return dataset->histories[i];
	return NULL;
}

bool dataset_is_wanted(const struct dataset *dataset)
{
	return dataset->whole != NULL ? !dataset->whole->cancelled : !dataset->cancelled;
}

histree_time dataset_start(const struct dataset *dataset)
{
	return histree_store_info(dataset->whole != NULL ? dataset->whole->store : dataset->store)->start;
}

/* Returns the slot of a view, or the first free one: views are never given up, so the free ones come last. */
static struct dataset_view *find_slot(struct dataset *dataset, const struct view_kind *kind)
{
	size_t i = 0;
	while (dataset->views[i].kind != NULL && dataset->views[i].kind != kind)
		i++;
	assert(i < DATASET_VIEWS_MAX - 1);
	return &dataset->views[i];
}

enum histree_status dataset_view(struct dataset *dataset, const struct view_kind *kind, void **out,
				 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*out = NULL;
	pthread_mutex_lock(&dataset->views_lock);
	struct dataset_view *kept = find_slot(dataset, kind);
	while (kept->is_being_made)
		pthread_cond_wait(&dataset->view_made, &dataset->views_lock);
	if (kept->view == NULL) {
		*kept = (struct dataset_view){ .kind = kind, .is_being_made = true };
		pthread_mutex_unlock(&dataset->views_lock);
		void *made;
		status = kind->make(dataset, &made, error);
		pthread_mutex_lock(&dataset->views_lock);
		assert(kept->is_being_made && kept->view == NULL);
		kept->view = status == HISTREE_OK ? made : NULL;
		kept->is_being_made = false;
		pthread_cond_broadcast(&dataset->view_made);
	}
	*out = kept->view;
	pthread_mutex_unlock(&dataset->views_lock);
	return status;
}

bool dataset_view_is_pending(struct dataset *dataset, const struct view_kind *kind)
{
	pthread_mutex_lock(&dataset->views_lock);
	const struct dataset_view *kept = find_slot(dataset, kind);
	bool is_pending = kept->kind == NULL || kept->is_being_made;
	pthread_mutex_unlock(&dataset->views_lock);
	return is_pending;
}

/* ---- dataset hosts ------------------------------------------------------------------------------------------- */

/* The host of that name in a history of several, which nearly always is at its place; NULL: not found. */
static const struct histree_history_host *find_host(const struct histree_history *history, size_t index,
						    const char *name)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (index < count && strcmp(hosts[index].name, name) == 0)
		return &hosts[index];
	for (size_t i = 0; i < count; i++)
		if (strcmp(hosts[i].name, name) == 0)
			return &hosts[i];
	return NULL;
}

/* What cannot be opened is said of the host, and keeps no other one from being shown. */
static enum histree_status open_host(struct dataset *dataset, size_t index, struct histree_error *error)
{
	struct dataset_host *host = &dataset->hosts[index];
	const struct histree_store_info *info = histree_store_info(dataset->store);
	struct dataset *own;
	host->name = info->hosts[index].name;
	host->why = info->hosts[index].why;
	if (host->why != NULL)
		return HISTREE_OK;
	enum histree_status status = dataset_create(NULL, 0, info->path, dataset->readable, &own, error);
	if (status != HISTREE_OK)
		return status;
	own->whole = dataset;
	status = histree_store_host(dataset->store, index, &own->store, error);
	if (status == HISTREE_OK &&
	    !has_room(own, dataset->history_count, histree_store_info(own->store)->segments_count))
		status = error_memory(error, "a trace");
	if (status == HISTREE_OK) {
		for (size_t i = 0; i < dataset->history_count; i++) {
			const struct histree_history_host *one =
				find_host(dataset->histories[i], index, dataset->hosts[index].name);
			if (one == NULL || one->history == NULL || one->count == 0)
				continue;
			own->histories[own->history_count] = one->history;
			own->analyses[own->history_count++] = dataset->analyses[i];
		}
		find_stacks(own);
		list_segments(own);
		own->may_read_traces = dataset->may_read_traces;
		if (histree_events_open(own->store, &own->trace_events, NULL) != HISTREE_OK)
			own->trace_events = NULL;
		own->status = DATASET_READY;
		host->own = own;
		return HISTREE_OK;
	}
	dataset_release(own);
	if (status == HISTREE_ERR_MEMORY)
		return status;
	host->why = "its store was there, and can no longer be opened";
	return HISTREE_OK;
}

/* Opens the hosts of a dataset whose store and histories are open; a dataset of one host has no list of hosts. */
static enum histree_status dataset_hosts_open(struct dataset *dataset, struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	enum histree_status status = HISTREE_OK;
	if (info->host_count == 0)
		return HISTREE_OK;
	dataset->hosts = calloc(info->host_count, sizeof(*dataset->hosts));
	if (dataset->hosts == NULL)
		return error_memory(error, "the hosts of a store");
	dataset->host_count = info->host_count;
	for (size_t i = 0; i < info->host_count && status == HISTREE_OK; i++)
		status = open_host(dataset, i, error);
	return status;
}

struct dataset_place dataset_place_of(const struct dataset *dataset, struct histree_history *history)
{
	for (size_t i = 0; dataset->whole != NULL && i < dataset->whole->history_count; i++) {
		size_t count;
		struct histree_history *whole = dataset->whole->histories[i];
		const struct histree_history_host *hosts = histree_history_hosts(whole, &count);
		for (size_t k = 0; k < count; k++)
			if (hosts[k].history == history)
				return (struct dataset_place){ whole, hosts[k].folder + 1 };
	}
	return (struct dataset_place){ history, 0 };
}

histree_quark dataset_host_folder(const struct dataset *dataset, size_t host, const struct histree_history *history,
				  const char **why)
{
	const struct histree_history_host *found = find_host(history, host, dataset->hosts[host].name);
	*why = dataset->hosts[host].why != NULL ? dataset->hosts[host].why : found != NULL ? found->why : NULL;
	return found != NULL ? found->folder : HISTREE_ROOT;
}
