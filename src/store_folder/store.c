// SPDX-License-Identifier: MIT
/*
 * store.c - an open store, of one host or of several: its histories, segments and events.
 *
 * A store of several hosts is an ordinary store for each of them, presented as one.
 *
 * A host whose store is missing or damaged remains a host: the others answer, and it reports why it does not.
 *
 * To wait for a history that grows, the store is opened again and again, because an open store never changes.
 */
#include "store_folder/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "analysis/definition/definition_files.h"
#include "analysis/registry.h"
#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/monotonic.h"
#include "histree/store.h"
#include "partial/partial_history.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"

static char *store_join(struct arena *arena, const char *folder, const char *name);
static enum histree_status store_open_inside(const char *path, struct histree_store **out,
					     struct histree_error *error);

/* ---- store hosts --------------------------------------------------------------------------------------------- */

/* ---- opening --------------------------------------------------------------------------------------------- */

static bool is_link(const char *path)
{
	struct stat facts;
	return lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
}

/* Neither it nor what a build that was cut off left of it. */
static bool is_missing(const char *path)
{
	struct stat facts;
	char *building = NULL;
	bool is_there = stat(path, &facts) == 0 ||
			(asprintf(&building, "%s.building", path) >= 0 && stat(building, &facts) == 0);
	free(building);
	return !is_there;
}

/* An untrusted store must not lead out of its folder. */
static enum histree_status check_no_links(const char *path, struct histree_error *error)
{
	char *building = NULL, *folder = strdup(path);
	if (folder == NULL || asprintf(&building, "%s.building", path) < 0) {
		free(folder);
		return error_memory(error, "a path");
	}
	*strrchr(folder, '/') = '\0';
	bool is_bad = is_link(folder) || is_link(path) || is_link(building);
	free(building);
	free(folder);
	return is_bad ? error_set(error, HISTREE_ERR_FORMAT,
				  "'%s' is a symbolic link, or is in one, and the stores of hosts have to be in "
				  "that of "
				  "all: move its folder here",
				  path)
		      : HISTREE_OK;
}

/* Whether it is the store that the manifest of all means. */
static enum histree_status check_meant(const struct histree_store_host *host,
				       const struct histree_store_info *found, struct histree_error *error)
{
	if (found->host_count > 0)
		return error_set(
			error, HISTREE_ERR_FORMAT,
			"'%s' is a store of several hosts itself, in one of several: it is not of this build",
			found->path);
	bool is_other =
		found->host == NULL || strcmp(found->host, host->name) != 0 ||
		(host->identity != 0 && (!found->complete || host_folder_identity(found) != host->identity));
	return is_other ? error_set(
				  error, HISTREE_ERR_FORMAT,
				  "'%s' is not the store that the manifest of all hosts means, but that of another "
				  "host or build; build the store again",
				  found->path)
			: HISTREE_OK;
}

static enum histree_status open_host(const struct histree_store *store, size_t index, struct histree_store **out,
				     struct histree_error *error)
{
	struct arena arena = { 0 };
	const struct histree_store_host *host = &store->info.hosts[index];
	*out = NULL;
	char *path = store_join(&arena, store->info.path, host->folder);
	enum histree_status status = path != NULL ? check_no_links(path, error) : error_memory(error, "a path");
	if (status == HISTREE_OK && is_missing(path))
		status = error_set(error, HISTREE_ERR_IO,
				   "there is no store '%s': put its folder back, or make all of it again with "
				   "'histree copy --rebuild'",
				   path);
	if (status == HISTREE_OK)
		status = store_open_inside(path, out, error);
	if (status == HISTREE_OK)
		status = check_meant(host, &(*out)->info, error);
	if (status != HISTREE_OK) {
		histree_store_close(*out);
		*out = NULL;
	}
	arena_release(&arena);
	return status;
}

enum histree_status histree_store_host(const struct histree_store *store, size_t index, struct histree_store **out,
				       struct histree_error *error)
{
	*out = NULL;
	if (index >= store->info.host_count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%s' has %zu hosts, and no host number %zu",
				 store->info.path, store->info.host_count, index);
	enum histree_status status = open_host(store, index, out, error);
	if (status < 0)
		error_prefix(error, "host '%s'", store->info.hosts[index].name);
	return status;
}

/* ---- what the analyses made ------------------------------------------------------------------------------ */

static bool has_history(const struct histree_store_info *info, const char *analysis)
{
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, analysis) == 0)
			return true;
	return false;
}

static bool has_segments(const struct histree_store_info *info, const char *analysis)
{
	for (size_t i = 0; i < info->segments_count; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			return true;
	return false;
}

/* While it is built, its manifest lists hosts only. */
static enum histree_status list_parts(struct histree_store *store, struct histree_error *error)
{
	struct histree_store_info *info = &store->info;
	size_t histories = 1, segments = 1;
	for (size_t i = 0; i < info->host_count; i++) {
		const struct histree_store *host = store->stores[i];
		histories += host != NULL ? host->info.history_count : 0;
		segments += host != NULL ? host->info.segments_count : 0;
	}
	struct histree_store_history *of_histories = arena_allocate(
		&store->arena, histories * sizeof(*of_histories), _Alignof(struct histree_store_history));
	struct histree_store_segments *of_segments = arena_allocate(&store->arena, segments * sizeof(*of_segments),
								    _Alignof(struct histree_store_segments));
	if (of_histories == NULL || of_segments == NULL)
		return error_memory(error, "a store");
	info->histories = of_histories;
	info->segments = of_segments;
	for (size_t i = 0; i < info->host_count; i++) {
		const struct histree_store_info *host = store->stores[i] != NULL ? &store->stores[i]->info : NULL;
		for (size_t j = 0; host != NULL && j < host->history_count; j++)
			if (!has_history(info, host->histories[j].analysis))
				of_histories[info->history_count++] = host->histories[j];
		for (size_t j = 0; host != NULL && j < host->segments_count; j++)
			if (!has_segments(info, host->segments[j].analysis))
				of_segments[info->segments_count++] = host->segments[j];
	}
	return HISTREE_OK;
}

/*
 * Open the stores of the hosts of a store whose manifest was read, and list what their analyses made where the
 * manifest does not.  Only memory can make it fail: of a host that cannot be opened, the list says why.
 */
static enum histree_status store_hosts_open(struct histree_store *store, struct histree_error *error)
{
	struct histree_store_info *info = &store->info;
	struct histree_store_host *hosts = arena_allocate(&store->arena, info->host_count * sizeof(*hosts),
							  _Alignof(struct histree_store_host));
	store->stores = calloc(info->host_count, sizeof(*store->stores));
	if (hosts == NULL || store->stores == NULL)
		return error_memory(error, "a store");
	memcpy(hosts, info->hosts, info->host_count * sizeof(*hosts));
	info->hosts = hosts;
	for (size_t i = 0; i < info->host_count; i++) {
		struct histree_error why;
		enum histree_status status = open_host(store, i, &store->stores[i], &why);
		if (status == HISTREE_OK && !info->complete) {
			hosts[i].start = store->stores[i]->info.start;
			hosts[i].end = store->stores[i]->info.end;
			hosts[i].event_count = store->stores[i]->info.event_count;
			continue;
		}
		if (status == HISTREE_OK)
			continue;
		bool is_to_come = !info->complete && status == HISTREE_ERR_IO;
		const char *sentence = is_to_come ? "it is not built yet" : why.message;
		hosts[i].why = arena_copy(&store->arena, sentence, strlen(sentence));
		if (hosts[i].why == NULL)
			return error_memory(error, "a store");
	}
	if (info->complete)
		return HISTREE_OK;
	/* Its manifest may know of a time only that nothing was read yet. */
	bool is_first = true;
	for (size_t i = 0; i < info->host_count; i++) {
		const struct histree_store_host *host = &info->hosts[i];
		if (host->start > host->end)
			continue;
		info->start = is_first || host->start < info->start ? host->start : info->start;
		info->end = is_first || host->end > info->end ? host->end : info->end;
		is_first = false;
	}
	return list_parts(store, error);
}

/* ---- unions ---------------------------------------------------------------------------------------------- */

/*
 * What to do with a host whose file was not opened: HISTREE_OK if the others answer without it.  Its analysis is
 * missing (HISTREE_NOT_FOUND) without fault if the manifest of the host does not list it.  A version that is
 * another one, or no memory, is nothing that a host alone has.
 */
static enum histree_status judge(enum histree_status status)
{
	bool is_of_all =
		status == HISTREE_ERR_VERSION || status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_ARGUMENT;
	return is_of_all ? status : HISTREE_OK;
}

/* Copies why a part is missing, which the caller frees with the list. */
static bool note_why(char **sentences, size_t index, const char *why)
{
	sentences[index] = strdup(why);
	return sentences[index] != NULL;
}

static void free_sentences(char **sentences, size_t count)
{
	for (size_t i = 0; sentences != NULL && i < count; i++)
		free(sentences[i]);
	free(sentences);
}

/* No host is left that could answer: report what is wrong with the first one. */
static enum histree_status nothing_left(const struct histree_store *store, char *const *sentences,
					struct histree_error *error)
{
	const struct histree_store_info *info = &store->info;
	size_t first = 0;
	while (first < info->host_count && sentences[first] == NULL)
		first++;
	if (first == info->host_count)
		return HISTREE_OK;
	return error_set(error, info->complete ? HISTREE_ERR_FORMAT : HISTREE_NOT_FOUND,
			 "'%s': none of its %zu hosts can be read; '%s': %s", info->path, info->host_count,
			 info->hosts[first].name, sentences[first]);
}

/* A host that is missing was traced as well: the times of all stay what the manifest says. */
static enum histree_status unite(const struct histree_store_info *info, const struct histree_history_part *parts,
				 struct histree_history **out, struct histree_error *error)
{
	histree_time start = INT64_MAX, end = INT64_MIN;
	for (size_t i = 0; i < info->host_count; i++) {
		const struct histree_store_host *host = &info->hosts[i];
		if (parts[i].why == NULL || host->end < host->start)
			continue;
		start = host->start < start ? host->start : start;
		end = host->end > end ? host->end : end;
	}
	return histree_history_unite_within(parts, info->host_count, start, end, out, error);
}

/* The unions of the results of each analysis over all hosts. */
static enum histree_status store_hosts_history(struct histree_store *store, const char *analysis, bool any_version,
					       const struct histree_open_options *options,
					       struct histree_history **out, struct histree_error *error)
{
	const struct histree_store_info *info = &store->info;
	struct histree_history_part *parts = calloc(info->host_count, sizeof(*parts));
	char **sentences = calloc(info->host_count, sizeof(*sentences));
	enum histree_status status =
		parts != NULL && sentences != NULL ? HISTREE_OK : error_memory(error, "the hosts of a store");
	size_t opened = 0;
	for (size_t i = 0; i < info->host_count && status == HISTREE_OK; i++) {
		struct histree_error why;
		enum histree_status found = HISTREE_OK;
		parts[i].name = info->hosts[i].name;
		bool is_missing = store->open_history == NULL && store->stores[i] == NULL;
		if (store->open_history != NULL)
			found = store->open_history(store->open_history_context, i, analysis, options,
						    &parts[i].history, &why);
		else if (!is_missing && has_history(&store->stores[i]->info, analysis))
			found = histree_store_history(store->stores[i], analysis, any_version, options,
						      &parts[i].history, &why);
		opened += parts[i].history != NULL;
		if (found == HISTREE_NOT_FOUND && store->open_history != NULL)
			continue; /* the host needs no history */
		if (found == HISTREE_OK && !is_missing)
			continue;
		status = judge(found);
		if (status != HISTREE_OK && error != NULL)
			*error = why;
		if (status == HISTREE_OK && !note_why(sentences, i, is_missing ? info->hosts[i].why : why.message))
			status = error_memory(error, "the hosts of a store");
		parts[i].why = sentences != NULL ? sentences[i] : NULL;
	}
	if (status == HISTREE_OK && opened == 0)
		status = nothing_left(store, sentences, error);
	if (status == HISTREE_OK)
		status = unite(info, parts, out, error);
	else
		for (size_t i = 0; parts != NULL && i < info->host_count; i++)
			histree_history_close(parts[i].history);
	free_sentences(sentences, info->host_count);
	free(parts);
	return status;
}

void histree_store_set_history_opener(struct histree_store *store, histree_history_opener *opener, void *context)
{
	store->open_history = opener;
	store->open_history_context = context;
}

void histree_store_set_segment_opener(struct histree_store *store, histree_segment_opener *opener, void *context)
{
	store->open_segments = opener;
	store->open_segments_context = context;
}

void histree_store_set_event_opener(struct histree_store *store, histree_event_opener *opener, void *context)
{
	store->open_events = opener;
	store->open_events_context = context;
}

histree_event_opener *histree_store_event_opener(const struct histree_store *store, void **context)
{
	*context = store->open_events_context;
	return store->open_events;
}

static enum histree_status store_hosts_segments(struct histree_store *store, const char *analysis, bool any_version,
						const struct histree_segment_open_options *options,
						struct histree_segment_store **out, struct histree_error *error)
{
	const struct histree_store_info *info = &store->info;
	struct histree_segment_part *parts = calloc(info->host_count, sizeof(*parts));
	char **sentences = calloc(info->host_count, sizeof(*sentences));
	enum histree_status status =
		parts != NULL && sentences != NULL ? HISTREE_OK : error_memory(error, "the hosts of a store");
	size_t opened = 0, count = 0;
	for (size_t i = 0; i < info->host_count && status == HISTREE_OK; i++) {
		struct histree_segment_part *part = &parts[count];
		struct histree_error why;
		enum histree_status found = HISTREE_OK;
		bool is_missing = store->open_segments == NULL && store->stores[i] == NULL;
		if (store->open_segments != NULL)
			found = store->open_segments(store->open_segments_context, i, analysis, &part->store, &why);
		else if (!is_missing && !has_segments(&store->stores[i]->info, analysis))
			found = HISTREE_NOT_FOUND;
		if (found == HISTREE_NOT_FOUND)
			continue; /* the host needs no segments */
		count++;
		part->name = info->hosts[i].name;
		if (!is_missing && store->open_segments == NULL)
			found = histree_store_segments(store->stores[i], analysis, any_version, options,
						       &part->store, &why);
		opened += part->store != NULL;
		if (found == HISTREE_OK && !is_missing)
			continue;
		status = judge(found);
		if (status != HISTREE_OK && error != NULL)
			*error = why;
		if (status == HISTREE_OK && !note_why(sentences, i, is_missing ? info->hosts[i].why : why.message))
			status = error_memory(error, "the hosts of a store");
		part->why = sentences != NULL ? sentences[i] : NULL;
	}
	if (status == HISTREE_OK && opened == 0)
		status = nothing_left(store, sentences, error);
	if (status == HISTREE_OK)
		status = histree_segment_store_unite(parts, count, out, error);
	else
		for (size_t i = 0; parts != NULL && i < count; i++)
			histree_segment_store_close(parts[i].store);
	free_sentences(sentences, info->host_count);
	free(parts);
	return status;
}

/* ---- store wait ---------------------------------------------------------------------------------------------- */

/* A store that does not exist yet may come; one that cannot be read will not get better. */
static bool may_come(enum histree_status status)
{
	return status == HISTREE_ERR_IO || status == HISTREE_NOT_FOUND;
}

/* Look once.  *again is set if there is more to wait for. */
static enum histree_status look(const char *path, const char *analysis, const struct histree_store_wait *wait,
				const struct histree_open_options *options, struct histree_history **out,
				bool *again, struct histree_error *error)
{
	struct histree_store *store;
	enum histree_status status = histree_store_open(path, &store, error);
	*again = may_come(status);
	if (status != HISTREE_OK)
		return status;
	bool building = histree_store_info(store)->building;
	status = histree_store_history(store, analysis, false, options, out, error);
	histree_store_close(store);
	*again = may_come(status) && building;
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_info *info = histree_history_info(*out);
	if (info->complete || info->end >= wait->until)
		return HISTREE_OK;
	*again = building;
	status = error_set(error, HISTREE_ERR_INCOMPLETE,
			   "'%s': its build was cut off at %lld; 'histree build --resume' goes on with it", path,
			   (long long)info->end);
	histree_history_close(*out);
	*out = NULL;
	return status;
}

enum histree_status histree_store_wait(const char *path, const char *analysis,
				       const struct histree_store_wait *wait,
				       const struct histree_open_options *options, struct histree_history **out,
				       struct histree_error *error)
{
	static const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	int64_t begun = monotonic_ns();
	bool was_cut_off = false;
	*out = NULL;
	for (;;) {
		bool again;
		enum histree_status status = look(path, analysis, wait, options, out, &again, error);
		/* A build that ends while we look seems cut off, once. */
		bool is_cut_off = status == HISTREE_ERR_INCOMPLETE && !again;
		if (status == HISTREE_OK || (!again && (!is_cut_off || was_cut_off)))
			return status;
		was_cut_off = is_cut_off;
		if (cancel_asked(&wait->work))
			return error_set(error, HISTREE_ERR_CANCELLED, "cancelled");
		if (wait->timeout_ns >= 0 && monotonic_ns() - begun >= wait->timeout_ns)
			return error_set(error, HISTREE_NOT_FOUND,
					 "'%s' is not there yet, or has not got so far; wait longer", path);
		nanosleep(&pause, NULL);
	}
}

/* ---- store --------------------------------------------------------------------------------------------------- */

/* Returns folder/name; NULL if memory runs out. */
static char *store_join(struct arena *arena, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = arena_allocate(arena, size, 1);
	if (path != NULL)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

/* Whether all but the manifest may be there. */
static bool has_files_of_store(const char *path)
{
	static const char *const names[] = { HOSTS_FOLDER, "events.idx" };
	struct stat facts;
	bool has_some = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !has_some; i++) {
		char *file = NULL;
		if (asprintf(&file, "%s/%s", path, names[i]) < 0)
			return false;
		has_some = stat(file, &facts) == 0;
		free(file);
	}
	return has_some;
}

/* Why a folder has no manifest. */
static enum histree_status no_store(const char *path, struct histree_error *error)
{
	struct stat facts;
	if (stat(path, &facts) != 0)
		return error_set(error, HISTREE_ERR_IO, "there is no store '%s'; make one with 'histree build'",
				 path);
	if (!S_ISDIR(facts.st_mode))
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' is no store: a store is a folder", path);
	return error_set(error, HISTREE_ERR_FORMAT, "'%s' is no store: it has no " MANIFEST_FILE "; %s", path,
			 has_files_of_store(path)
				 ? "'histree copy --repair' makes a store of the files that are there"
				 : "of a trace, 'histree build' makes one");
}

/* Write the sentence of what the trace has no events for. */
static enum histree_status say_what_is_lacking(struct histree_store *store, struct histree_error *error)
{
	char names[1024], *sentence = NULL;
	registry_lacking(store->info.lacking, store->info.lacking_count, names, sizeof(names));
	if (names[0] == '\0')
		return HISTREE_OK;
	const int size =
		asprintf(&sentence,
			 "the trace has no events for %s: to have these, record what is in parentheses, with "
			 "'perf record -e', or 'lttng enable-event -k' and '_' for ':'",
			 names);
	store->info.lacks = size >= 0 ? arena_copy(&store->arena, sentence, (size_t)size) : NULL;
	if (size >= 0)
		free(sentence);
	return store->info.lacks != NULL ? HISTREE_OK : error_memory(error, "a store");
}

/* HISTREE_NOT_FOUND: the folder has no manifest. */
static enum histree_status load(struct histree_store *store, const char *path, struct histree_error *error)
{
	char *folder = arena_copy(&store->arena, path, strlen(path));
	char *manifest = store_join(&store->arena, path, MANIFEST_FILE);
	if (folder == NULL || manifest == NULL)
		return error_memory(error, "a store");
	enum histree_status status = manifest_read(&io_posix, manifest, &store->arena, &store->info, error);
	store->info.path = folder;
	store->info.building = status == HISTREE_OK && !store->info.complete && store_folder_is_held(folder);
	return status == HISTREE_OK ? say_what_is_lacking(store, error) : status;
}

/* Open a store that is one of a host: it has no hosts itself. */
static enum histree_status store_open_inside(const char *path, struct histree_store **out,
					     struct histree_error *error)
{
	*out = NULL;
	struct histree_store *store = calloc(1, sizeof(*store));
	if (store == NULL)
		return error_memory(error, "a store");
	store->asked = arena_copy(&store->arena, path, strlen(path));
	enum histree_status status =
		store->asked != NULL ? load(store, path, error) : error_memory(error, "a store");
	if (status == HISTREE_NOT_FOUND) {
		char *building = store_folder_building(path);
		status = building != NULL ? load(store, building, error) : error_memory(error, "a path");
		free(building);
		/* It may have taken its name just now. */
		if (status == HISTREE_NOT_FOUND)
			status = load(store, path, error);
	}
	if (status == HISTREE_NOT_FOUND)
		status = no_store(path, error);
	if (status != HISTREE_OK) {
		histree_store_close(store);
		return status;
	}
	*out = store;
	return HISTREE_OK;
}

enum histree_status histree_store_open(const char *path, struct histree_store **out, struct histree_error *error)
{
	enum histree_status status = store_open_inside(path, out, error);
	if (status == HISTREE_OK && (*out)->info.host_count > 0)
		status = store_hosts_open(*out, error);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	histree_store_close(*out);
	*out = NULL;
	return status;
}

void histree_store_close(struct histree_store *store)
{
	if (store == NULL)
		return;
	for (size_t i = 0; store->stores != NULL && i < store->info.host_count; i++)
		histree_store_close(store->stores[i]);
	free(store->stores);
	arena_release(&store->arena);
	free(store);
}

const struct histree_store_info *histree_store_info(const struct histree_store *store)
{
	return &store->info;
}

static const struct histree_store_history *find_history(const struct histree_store_info *info, const char *analysis)
{
	const char *name = analysis != NULL ? analysis : "kernel";
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, name) == 0)
			return &info->histories[i];
	return analysis == NULL && info->history_count > 0 ? &info->histories[0] : NULL;
}

static bool is_lacking(const struct histree_store_info *info, const char *analysis)
{
	for (size_t i = 0; i < info->lacking_count; i++)
		if (strcmp(info->lacking[i], analysis) == 0)
			return true;
	return false;
}

/* What makes an analysis that a store does not have. */
static void name_the_way(const struct histree_store_info *info, const char *analysis, char *way, size_t size)
{
	const struct registry_entry *entry = registry_find(analysis);
	if (entry != NULL && is_lacking(info, analysis))
		snprintf(way, size, "its trace has no events for that%s%s",
			 entry->events != NULL ? ": record " : "", entry->events != NULL ? entry->events : "");
	else if (info->history_count == 1 && strcmp(info->histories[0].analysis, "tracks") == 0 &&
		 strcmp(analysis, "graph") == 0)
		snprintf(way, size,
			 "'histree segments %s track-spans --by name --of self' adds up the time of its spans, and "
			 "of a kernel's trace 'histree add %s graph' makes it",
			 info->path, info->path);
	else if (entry != NULL)
		snprintf(way, size, "'histree add %s %s' makes it", info->path, analysis);
	else if (definition_is_shipped(analysis))
		snprintf(way, size, "'histree add %s -x %s' makes it", info->path, analysis);
	else
		snprintf(way, size, "'histree info --analyses' lists what there is");
}

static enum histree_status no_history(const struct histree_store_info *info, const char *analysis,
				      struct histree_error *error)
{
	char names[512] = "", way[512];
	size_t length = 0;
	if (info->host_count > 0 && !info->complete && info->history_count == 0)
		return error_set(
			error, HISTREE_NOT_FOUND,
			"'%s' has no host that is built yet; if the build was cut off, 'histree build --resume' "
			"goes on with it",
			info->path);
	if (info->history_count == 0 && info->segments_count == 0 && info->index_identity != 0)
		return error_set(error, HISTREE_NOT_FOUND,
				 "'%s' has the events of its trace, which 'histree events' lists, and no states of "
				 "them: no analysis was built; 'histree info' says what each needs",
				 info->path);
	for (size_t i = 0; i < info->history_count && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i == 0 ? "" : ", ",
					   info->histories[i].analysis);
	if (analysis == NULL)
		analysis = "kernel";
	name_the_way(info, analysis, way, sizeof(way));
	return error_set(error, HISTREE_NOT_FOUND, "'%s' has no analysis '%s', %s%s; %s", info->path, analysis,
			 length > 0 ? "only " : "and none at all", names, way);
}

/* A history of an analysis that this library does not have is still a history. */
static enum histree_status check_analysis(const char *path, const char *analysis, uint32_t version,
					  struct histree_error *error)
{
	const struct registry_entry *entry = registry_find(analysis);
	if (entry == NULL || registry_version(entry) == version)
		return HISTREE_OK;
	return error_set(
		error, HISTREE_ERR_VERSION,
		"'%s' was built by analysis %s version %u, and this is version %u; build it again with --force",
		path, analysis, version, registry_version(entry));
}

static enum histree_status open_in(const char *folder, const char *file, const struct histree_open_options *options,
				   struct histree_history **out, struct histree_error *error)
{
	struct arena arena = { 0 };
	char *path = store_join(&arena, folder, file);
	enum histree_status status =
		path != NULL ? histree_history_open(path, options, out, error) : error_memory(error, "a path");
	arena_release(&arena);
	return status;
}

/* What a partial history has left out is in the traces of its store. */
static enum histree_status attach_trace(const struct histree_store_info *info,
					const struct histree_open_options *options,
					struct histree_history **history, struct histree_error *error)
{
	const struct partial_attachment attachment = {
		.traces = info->traces,
		.trace_count = info->trace_count,
		.store = info->path,
		.clock = info->clock,
		.null_empty_stacks = info->null_empty_stacks,
		.cache_bytes = options != NULL ? options->cache_bytes : 0,
	};
	if (!histree_history_info(*history)->partial)
		return HISTREE_OK;
	enum histree_status status = partial_history_attach(*history, &attachment, error);
	if (status == HISTREE_OK)
		return status;
	histree_history_close(*history);
	*history = NULL;
	return status;
}

/* The build may have ended since the store was opened, and its folder taken its name. */
static bool may_have_moved(const struct histree_store *store)
{
	return strcmp(store->info.path, store->asked) != 0;
}

/* Returns the store that now has the name of this one; NULL if there is none, or it is this one. */
static struct histree_store *successor_of(const struct histree_store *store)
{
	struct histree_error error;
	struct histree_store *now;
	if (store->is_successor || histree_store_open(store->asked, &now, &error) != HISTREE_OK)
		return NULL;
	now->is_successor = true;
	return now;
}

static enum histree_status another_build(const struct histree_store *store, const char *file,
					 struct histree_error *error)
{
	return error_set(
		error, HISTREE_ERR_FORMAT,
		"'%s/%s' is not the file that the manifest of its store means, but that of another store or "
		"build; open the store again, or build it again",
		store->info.path, file);
}

enum histree_status histree_store_history(struct histree_store *store, const char *analysis, bool any_version,
					  const struct histree_open_options *options, struct histree_history **out,
					  struct histree_error *error)
{
	*out = NULL;
	const struct histree_store_info *info = &store->info;
	const struct histree_store_history *history = find_history(info, analysis);
	if (history == NULL)
		return no_history(info, analysis, error);
	if (info->host_count > 0)
		return store_hosts_history(store, history->analysis, any_version, options, out, error);
	enum histree_status status =
		any_version ? HISTREE_OK
			    : check_analysis(info->path, history->analysis, history->analysis_version, error);
	if (status != HISTREE_OK)
		return status;
	status = open_in(info->path, history->file, options, out, error);
	if (status == HISTREE_ERR_IO && may_have_moved(store))
		status = open_in(store->asked, history->file, options, out, error);
	if (status != HISTREE_OK)
		return status;
	if (manifest_means_history(info, history, histree_history_info(*out)))
		return attach_trace(info, options, out, error);
	histree_history_close(*out);
	*out = NULL;
	status = another_build(store, history->file, error);
	struct histree_store *now = successor_of(store);
	if (now != NULL)
		status = histree_store_history(now, analysis, any_version, options, out, error);
	histree_store_close(now);
	return status;
}

static enum histree_status no_segments(const struct histree_store_info *info, const char *analysis,
				       struct histree_error *error)
{
	char names[512] = "", way[512];
	size_t length = 0;
	for (size_t i = 0; i < info->segments_count && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i == 0 ? "" : ", ",
					   info->segments[i].analysis);
	if (find_history(info, analysis) != NULL)
		return error_set(error, HISTREE_NOT_FOUND,
				 "'%s' makes states, which 'histree states' prints; segments of '%s': %s", analysis,
				 info->path, length > 0 ? names : "none");
	name_the_way(info, analysis, way, sizeof(way));
	return error_set(error, HISTREE_NOT_FOUND, "'%s' has no segments '%s', %s%s; %s", info->path, analysis,
			 length > 0 ? "only " : "and none at all", names, way);
}

static enum histree_status open_segments_in(const char *folder, const char *file,
					    const struct histree_segment_open_options *options,
					    struct histree_segment_store **out, struct histree_error *error)
{
	struct arena arena = { 0 };
	char *path = store_join(&arena, folder, file);
	enum histree_status status = path != NULL ? histree_segment_store_open(path, options, out, error)
						  : error_memory(error, "a path");
	arena_release(&arena);
	return status;
}

enum histree_status histree_store_segments(struct histree_store *store, const char *analysis, bool any_version,
					   const struct histree_segment_open_options *options,
					   struct histree_segment_store **out, struct histree_error *error)
{
	*out = NULL;
	const struct histree_store_info *info = &store->info;
	const struct histree_store_segments *found = NULL;
	for (size_t i = 0; i < info->segments_count && found == NULL; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			found = &info->segments[i];
	if (found == NULL)
		return no_segments(info, analysis, error);
	if (info->host_count > 0)
		return store_hosts_segments(store, analysis, any_version, options, out, error);
	enum histree_status status =
		any_version ? HISTREE_OK
			    : check_analysis(info->path, found->analysis, found->analysis_version, error);
	if (status != HISTREE_OK)
		return status;
	status = open_segments_in(info->path, found->file, options, out, error);
	if (status == HISTREE_ERR_IO && may_have_moved(store))
		status = open_segments_in(store->asked, found->file, options, out, error);
	if (status != HISTREE_OK || found->identity == 0 ||
	    found->identity == histree_segment_store_info(*out)->identity)
		return status;
	histree_segment_store_close(*out);
	*out = NULL;
	status = another_build(store, found->file, error);
	struct histree_store *now = successor_of(store);
	if (now != NULL)
		status = histree_store_segments(now, analysis, any_version, options, out, error);
	histree_store_close(now);
	return status;
}
