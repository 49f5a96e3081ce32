// SPDX-License-Identifier: MIT
#include "histree/convert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "event_index/event_index.h"
#include "overview/overview_writer.h"
#include "pipeline/convert.h"
#include "state/history_copy.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"

struct convert {
	const struct histree_convert_options *options;
	const struct io *io;
	struct arena arena;
	struct histree_store_info info; /* of the store to make */
	struct store_folder folder;
	struct histree_error *error;
};

/* ---- one history ---------------------------------------------------------------------------------------- */

static void note_loss(void *context, const struct histree_interval *interval)
{
	bool *lost = context;
	(void)interval;
	*lost = true;
}

static bool overviews_go_on(void *context, double share)
{
	const struct convert *convert = context;
	(void)share;
	return !cancel_asked(&convert->options->cancel);
}

static enum histree_status convert_history(struct convert *convert, const char *path, const char *out)
{
	static const struct histree_open_options plain = { .no_overviews = true };
	struct histree_history *history;
	bool lost = false;
	enum histree_status status = histree_history_open(path, &plain, &history, convert->error);
	if (status != HISTREE_OK)
		return status;
	if (!histree_history_info(history)->complete)
		status = error_set(convert->error, HISTREE_ERR_INCOMPLETE,
				   "'%s' is not complete; 'histree repair' makes a complete history of it", path);
	if (status == HISTREE_OK)
		status = history_copy(convert->io, history, out, &convert->options->tree,
				      &(struct loss_report){ .lost = note_loss, .context = &lost }, convert->error);
	histree_history_close(history);
	if (status == HISTREE_OK && lost)
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

static enum histree_status copy_bytes(const struct io *io, int from, int to, uint64_t size,
				      struct histree_error *error)
{
	enum { PIECE = 1 << 20 };
	uint8_t *piece = malloc(PIECE);
	enum histree_status status = piece != NULL ? HISTREE_OK : error_memory(error, "a copy");
	for (uint64_t done = 0; done < size && status == HISTREE_OK;) {
		size_t part = size - done < PIECE ? (size_t)(size - done) : PIECE;
		status = io_read_all(io, from, piece, part, done, error);
		if (status == HISTREE_OK)
			status = io_write_all(io, to, piece, part, done, error);
		done += part;
	}
	free(piece);
	return status == HISTREE_OK ? io_sync(io, to, error) : status;
}

/* A file that need not be there, byte by byte. */
static enum histree_status copy_file(struct convert *convert, const char *path, const char *out)
{
	const struct io *io = convert->io;
	off_t size = 0;
	int from = io->open(io->context, path, O_RDONLY, 0);
	if (from < 0 && errno == ENOENT)
		return HISTREE_OK;
	int to = from < 0 ? -1 : io->open(io->context, out, O_WRONLY | O_CREAT | O_EXCL, 0666);
	enum histree_status status = HISTREE_OK;
	if (from < 0 || to < 0 || io->size(io->context, from, &size) != 0)
		status = error_set(convert->error, HISTREE_ERR_IO, "cannot copy '%s': %s", path, strerror(errno));
	else
		status = copy_bytes(io, from, to, (uint64_t)size, convert->error);
	if (from >= 0)
		io->close(io->context, from);
	if (to >= 0)
		io->close(io->context, to);
	return status;
}

/* One file of the store, by a function that knows how. */
static enum histree_status make_one(struct convert *convert, const char *file,
				    enum histree_status (*make)(struct convert *convert, const char *path,
								const char *out))
{
	if (cancel_asked(&convert->options->cancel))
		return error_set(convert->error, HISTREE_ERR_CANCELLED, "cancelled");
	const char *path = join(&convert->arena, convert->options->path, file);
	char *out = store_folder_path(&convert->folder, file);
	enum histree_status status =
		path != NULL && out != NULL ? make(convert, path, out) : error_memory(convert->error, "a path");
	free(out);
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
			status = store_folder_identify(&convert->folder, histories[i].file, &histories[i].identity,
						       convert->error);
	}
	info->histories = histories;
	return status;
}

static enum histree_status make_files(struct convert *convert)
{
	const struct histree_store_info *info = &convert->info;
	enum histree_status status = make_histories(convert);
	for (size_t i = 0; i < info->segments_count && status == HISTREE_OK; i++)
		status = make_one(convert, info->segments[i].file, copy_file);
	if (status == HISTREE_OK)
		status = make_one(convert, EVENT_INDEX_FILE, copy_file);
	if (status != HISTREE_OK)
		return status;
	/* No build with those options would make this store. */
	convert->info.options = NULL;
	char *path = store_folder_path(&convert->folder, MANIFEST_FILE);
	status = path != NULL ? manifest_write(convert->io, path, info, convert->error)
			      : error_memory(convert->error, "a path");
	free(path);
	return status;
}

static enum histree_status convert_store(struct convert *convert)
{
	const struct histree_convert_options *options = convert->options;
	const char *manifest = join(&convert->arena, options->path, MANIFEST_FILE);
	enum histree_status status = manifest != NULL ? manifest_read(convert->io, manifest, &convert->arena,
								      &convert->info, convert->error)
						      : error_memory(convert->error, "a path");
	if (status == HISTREE_NOT_FOUND)
		return error_set(convert->error, HISTREE_ERR_FORMAT, "'%s' is no store: it has no " MANIFEST_FILE,
				 options->path);
	if (status == HISTREE_OK && !convert->info.complete)
		status = error_set(convert->error, HISTREE_ERR_INCOMPLETE,
				   "'%s' is not complete; 'histree repair' makes a complete store of it",
				   options->path);
	if (status == HISTREE_OK)
		status = store_folder_begin(&convert->folder, convert->io, options->out, options->force, false,
					    convert->error);
	if (status != HISTREE_OK)
		return status;
	status = make_files(convert);
	if (status == HISTREE_OK)
		status = store_folder_publish(&convert->folder, convert->error);
	store_folder_release(&convert->folder);
	return status;
}

/* What is left of a file that failed is nobody's, but what was there before it is. */
static enum histree_status convert_file(struct convert *convert)
{
	const struct histree_convert_options *options = convert->options;
	struct stat facts;
	if (stat(options->out, &facts) == 0)
		return error_set(convert->error, HISTREE_ERR_EXISTS, "'%s' exists already", options->out);
	enum histree_status status = convert_history(convert, options->path, options->out);
	if (status != HISTREE_OK)
		convert->io->unlink(convert->io->context, options->out);
	return status;
}

enum histree_status pipeline_convert(const struct histree_convert_options *options, const struct io *io,
				     struct histree_error *error)
{
	struct convert convert = { .options = options, .io = io, .error = error, .folder = { .lock = -1 } };
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
