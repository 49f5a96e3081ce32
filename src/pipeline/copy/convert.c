// SPDX-License-Identifier: MIT
#include "histree/convert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/io_copy.h"
#include "event_index/event_index.h"
#include "overview/overview_writer.h"
#include "pipeline/copy/convert.h"
#include "pipeline/copy/file_work.h"
#include "pipeline/hosts_summary.h"
#include "segment/segment_overviews.h"
#include "state/history_copy.h"
#include "store_folder/store_folder.h"
#include "store_folder/manifest.h"

struct convert {
	const struct histree_convert_options *options;
	const struct io *io;
	struct arena arena;
	const char *from, *to; /* the folders of the store, or of that of one host, and of what is made of it */
	struct histree_store_info info; /* of the latter */
	struct file_work work;
	bool lost; /* whether something of the history is */
	struct histree_error *error;
};

/* ---- one history ---------------------------------------------------------------------------------------- */

static void note_loss(void *context, const struct histree_interval *interval)
{
	struct convert *convert = context;
	(void)interval;
	convert->lost = true;
}

/* The share of a history's work that copying is; the rest is its overviews. */
static const double copying = 0.7;

static bool copy_goes_on(void *context, double share)
{
	const struct convert *convert = context;
	return file_work_goes_on(&convert->work, share * copying);
}

static bool overviews_go_on(void *context, double share)
{
	const struct convert *convert = context;
	return file_work_goes_on(&convert->work, copying + share * (1 - copying));
}

static enum histree_status convert_history(struct convert *convert, const char *path, const char *out)
{
	static const struct histree_open_options plain = { .no_overviews = true };
	const struct copy_watch watch = { .lost = note_loss, .go_on = copy_goes_on, .context = convert };
	struct histree_history *history;
	convert->lost = false;
	enum histree_status status = histree_history_open(path, &plain, &history, convert->error);
	if (status != HISTREE_OK)
		return status;
	if (!histree_history_info(history)->complete)
		status = error_set(convert->error, HISTREE_ERR_INCOMPLETE,
				   "'%s' is not complete; 'histree repair' makes a complete history of it", path);
	if (status == HISTREE_OK)
		status = history_copy(convert->io, history, out, &convert->options->tree, &watch, convert->error);
	histree_history_close(history);
	if (status == HISTREE_OK && convert->lost)
		status = error_set(convert->error, HISTREE_ERR_FORMAT,
				   "'%s' is damaged; 'histree repair' makes a sound store of the rest", path);
	if (status != HISTREE_OK || convert->options->no_overviews)
		return status;
	const struct overview_options overviews = { .threads = convert->options->tree.threads,
						    .go_on = overviews_go_on,
						    .context = convert };
	return overviews_write(convert->io, out, &overviews, convert->error);
}

/* ---- a store -------------------------------------------------------------------------------------------- */

static char *join(struct arena *arena, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = arena_allocate(arena, size, 1);
	if (path != NULL)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

/* A file that need not be there. */
static enum histree_status copy_file(struct convert *convert, const char *path, const char *out)
{
	enum histree_status status = io_copy(convert->io, path, out, convert->error);
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

/* A segment store is the same in its new place, and so are its overviews. */
static enum histree_status copy_segments(struct convert *convert, const char *path, const char *out)
{
	enum histree_status status = copy_file(convert, path, out);
	for (uint32_t number = 1; status == HISTREE_OK && !convert->options->no_overviews; number++) {
		char *overview = segment_overview_path(path, number), *copy = segment_overview_path(out, number);
		status = overview != NULL && copy != NULL ? io_copy(convert->io, overview, copy, convert->error)
							  : error_memory(convert->error, "a path");
		free(overview);
		free(copy);
	}
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

/* One file of the store, by a function that knows how. */
static enum histree_status make_one(struct convert *convert, const char *file,
				    enum histree_status (*make)(struct convert *convert, const char *path,
								const char *out))
{
	const char *path = join(&convert->arena, convert->from, file);
	const char *out = join(&convert->arena, convert->to, file);
	enum histree_status status = HISTREE_OK;
	if (path == NULL || out == NULL)
		status = error_memory(convert->error, "a path");
	if (status == HISTREE_OK) {
		file_work_begin(&convert->work, path);
		status = file_work_goes_on(&convert->work, 0)
				 ? make(convert, path, out)
				 : error_set(convert->error, HISTREE_ERR_CANCELLED, "cancelled");
	}
	return status;
}

/* Histories are other files now, and have other identities. */
static enum histree_status make_histories(struct convert *convert)
{
	struct histree_store_info *info = &convert->info;
	size_t size = (info->history_count + 1) * sizeof(struct histree_store_history);
	struct histree_store_history *histories =
		arena_allocate(&convert->arena, size, _Alignof(struct histree_store_history));
	if (histories == NULL)
		return error_memory(convert->error, "a store");
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < info->history_count && status == HISTREE_OK; i++) {
		histories[i] = info->histories[i];
		status = make_one(convert, histories[i].file, convert_history);
		if (status == HISTREE_OK)
			status = store_file_identify(convert->io, convert->to, histories[i].file,
						     &histories[i].identity, convert->error);
	}
	info->histories = histories;
	return status;
}

static enum histree_status plan(struct convert *convert, const char *folder, const struct histree_store_info *info)
{
	for (size_t i = 0; i < info->history_count + info->segments_count; i++) {
		const char *file = i < info->history_count ? info->histories[i].file
							   : info->segments[i - info->history_count].file;
		const char *path = join(&convert->arena, folder, file);
		if (path == NULL)
			return error_memory(convert->error, "a path");
		file_work_plan(&convert->work, path);
	}
	return HISTREE_OK;
}

static enum histree_status write_manifest(struct convert *convert, const char *folder,
					  struct histree_store_info *info)
{
	/* No build with those options would make this store. */
	info->options = NULL;
	char *path = join(&convert->arena, folder, MANIFEST_FILE);
	return path != NULL ? manifest_write(convert->io, path, info, convert->error)
			    : error_memory(convert->error, "a path");
}

/* The store of one host, wherever it is. */
static enum histree_status make_files(struct convert *convert)
{
	const struct histree_store_info *info = &convert->info;
	enum histree_status status = make_histories(convert);
	for (size_t i = 0; i < info->segments_count && status == HISTREE_OK; i++)
		status = make_one(convert, info->segments[i].file, copy_segments);
	if (status == HISTREE_OK)
		status = make_one(convert, EVENT_INDEX_FILE, copy_file);
	return status == HISTREE_OK ? write_manifest(convert, convert->to, &convert->info) : status;
}

static enum histree_status make_one_host(struct convert *convert)
{
	enum histree_status status = plan(convert, convert->from, &convert->info);
	return status == HISTREE_OK ? make_files(convert) : status;
}

/* ---- several hosts --------------------------------------------------------------------------------------- */

static enum histree_status make_host(struct convert *convert, const struct histree_store *store,
				     const char *building, struct histree_store_host *of, size_t index)
{
	const struct io *io = convert->io;
	struct histree_store *host;
	enum histree_status status = histree_store_host(store, index, &host, convert->error);
	if (status != HISTREE_OK)
		return status;
	convert->info = *histree_store_info(host);
	convert->from = convert->info.path;
	convert->to = join(&convert->arena, building, of->folder);
	const char *inside = convert->to != NULL ? join(&convert->arena, convert->to, MANIFEST_FILE) : NULL;
	if (inside == NULL)
		status = error_memory(convert->error, "a path");
	else if (io->mkdir(io->context, convert->to, 0777) != 0 && errno != EEXIST)
		status = error_set(convert->error, HISTREE_ERR_IO, "cannot make '%s': %s", convert->to,
				   strerror(errno));
	if (status == HISTREE_OK)
		status = make_files(convert);
	/* The names of its files are on disk before those of all. */
	if (status == HISTREE_OK)
		status = io_sync_folder_of(io, inside, convert->error);
	if (status == HISTREE_OK)
		of->identity = host_folder_identity(&convert->info);
	else if (status != HISTREE_ERR_CANCELLED)
		error_prefix(convert->error, "host '%s'", of->name);
	histree_store_close(host);
	return status;
}

/* All of them must be there: of what is damaged, a sound store comes first. */
static enum histree_status check_hosts(struct convert *convert, const struct histree_store *store)
{
	const struct histree_store_info *info = histree_store_info(store);
	for (size_t i = 0; i < info->host_count; i++) {
		struct histree_store *host;
		enum histree_status status = histree_store_host(store, i, &host, convert->error);
		if (status == HISTREE_OK)
			status = plan(convert, histree_store_info(host)->path, histree_store_info(host));
		histree_store_close(host);
		if (status == HISTREE_ERR_MEMORY)
			return status;
		if (status != HISTREE_OK)
			return error_set(convert->error, status,
					 "'%s' lacks the store of host '%s'; 'histree repair' makes a store of the "
					 "others, and 'histree verify' says what is wrong",
					 info->path, info->hosts[i].name);
	}
	return HISTREE_OK;
}

static enum histree_status make_hosts(struct convert *convert, const char *building)
{
	struct histree_store *store;
	struct histree_store_host *hosts;
	enum histree_status status = histree_store_open(convert->options->path, &store, convert->error);
	if (status != HISTREE_OK)
		return status;
	struct histree_store_info all = *histree_store_info(store);
	size_t size = all.host_count * sizeof(struct histree_store_host);
	hosts = arena_allocate(&convert->arena, size, _Alignof(struct histree_store_host));
	if (hosts != NULL)
		memcpy(hosts, all.hosts, size);
	else
		status = error_memory(convert->error, "a store");
	all.hosts = hosts;
	if (status == HISTREE_OK)
		status = check_hosts(convert, store);
	if (status == HISTREE_OK)
		status = hosts_folder_make(convert->io, building, convert->error);
	for (size_t i = 0; i < all.host_count && status == HISTREE_OK; i++)
		status = make_host(convert, store, building, &hosts[i], i);
	if (status == HISTREE_OK)
		status = write_manifest(convert, building, &all);
	histree_store_close(store);
	return status;
}

/* ---- a store of one host, or of several -------------------------------------------------------------------- */

/* What the manifest of all means by it would be another store. */
static enum histree_status check_is_no_host(struct convert *convert)
{
	const struct histree_convert_options *options = convert->options;
	if (convert->info.host == NULL || !host_folder_is_inside(options->out))
		return HISTREE_OK;
	return error_set(convert->error, HISTREE_ERR_ARGUMENT,
			 "'%s' is of a host in a store of several, whose manifest means it as it is: convert the "
			 "store of all, or choose another place with '--output'",
			 options->out);
}

static enum histree_status convert_store(struct convert *convert)
{
	const struct histree_convert_options *options = convert->options;
	const struct histree_store_info *info = &convert->info;
	struct store_folder folder;
	const char *manifest = join(&convert->arena, options->path, MANIFEST_FILE);
	enum histree_status status = manifest != NULL ? manifest_read(convert->io, manifest, &convert->arena,
								      &convert->info, convert->error)
						      : error_memory(convert->error, "a path");
	if (status == HISTREE_NOT_FOUND)
		return error_set(convert->error, HISTREE_ERR_FORMAT, "'%s' is no store: it has no " MANIFEST_FILE,
				 options->path);
	if (status == HISTREE_OK && !info->complete)
		status = error_set(convert->error, HISTREE_ERR_INCOMPLETE,
				   "'%s' is not complete; 'histree repair' makes a complete store of it",
				   options->path);
	if (status == HISTREE_OK)
		status = check_is_no_host(convert);
	if (status == HISTREE_OK)
		status = store_folder_check_source(options->out, options->path, convert->error);
	if (status == HISTREE_OK)
		status = store_folder_begin(&folder, convert->io, options->out, options->force, false,
					    convert->error);
	if (status != HISTREE_OK)
		return status;
	convert->from = options->path;
	convert->to = folder.building;
	if (info->host_count > 0)
		status = make_hosts(convert, folder.building);
	else
		status = make_one_host(convert);
	if (status == HISTREE_OK)
		status = store_folder_publish(&folder, convert->error);
	store_folder_release(&folder);
	return status;
}

/* What is left of a file that failed is nobody's, but what was there before it is. */
static enum histree_status convert_file(struct convert *convert)
{
	const struct histree_convert_options *options = convert->options;
	struct stat facts;
	if (stat(options->out, &facts) == 0)
		return error_set(convert->error, HISTREE_ERR_EXISTS, "'%s' exists already", options->out);
	file_work_plan(&convert->work, options->path);
	file_work_begin(&convert->work, options->path);
	enum histree_status status = convert_history(convert, options->path, options->out);
	if (status != HISTREE_OK)
		convert->io->unlink(convert->io->context, options->out);
	return status;
}

enum histree_status pipeline_convert(const struct histree_convert_options *options, const struct io *io,
				     struct histree_error *error)
{
	struct convert convert = {
		.options = options,
		.io = io,
		.error = error,
		.work = { .cancel = options->cancel,
			  .progress = options->progress,
			  .context = options->progress_context },
	};
	struct stat facts;
	if (stat(options->path, &facts) != 0)
		return error_set(error, HISTREE_ERR_IO, "'%s': %s", options->path, strerror(errno));
	enum histree_status status = S_ISDIR(facts.st_mode) ? convert_store(&convert) : convert_file(&convert);
	arena_release(&convert.arena);
	return status;
}

enum histree_status histree_convert(const struct histree_convert_options *options, struct histree_error *error)
{
	return pipeline_convert(options, &io_posix, error);
}
