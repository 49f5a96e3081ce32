// SPDX-License-Identifier: MIT
/*
 * convert.c - a store of another kind of tree: a copy (store_copy.h) of all of it, or of nothing.  What is damaged
 * is refused, and so is what is not complete: a repair comes first.
 */
#include "pipeline/copy/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/io.h"
#include "overview/overview_writer.h"
#include "pipeline/copy/store_copy.h"
#include "segment/segment_overviews.h"
#include "state/history_copy.h"
#include "store_folder/manifest.h"

static void note_loss(void *context, const struct histree_interval *interval)
{
	struct store_copy *copy = context;
	(void)interval;
	copy->found.lost++;
}

/* The share of a history's work that copying is; the rest is its overviews. */
static const double copying = 0.7;

static bool copy_goes_on(void *context, double share)
{
	const struct store_copy *copy = context;
	return file_work_goes_on(&copy->work, share * copying);
}

static bool overviews_go_on(void *context, double share)
{
	const struct store_copy *copy = context;
	return file_work_goes_on(&copy->work, copying + share * (1 - copying));
}

static enum histree_status convert_history(struct store_copy *copy, const struct histree_store_history *meant,
					   const char *path, const char *out)
{
	static const struct histree_open_options plain = { .no_overviews = true };
	const struct histree_convert_options *options = copy->options;
	const struct copy_watch watch = { .lost = note_loss, .go_on = copy_goes_on, .context = copy };
	struct histree_history *history;
	(void)meant;
	copy->found.lost = 0;
	enum histree_status status = histree_history_open(path, &plain, &history, copy->error);
	if (status != HISTREE_OK)
		return status;
	if (!histree_history_info(history)->complete)
		status = error_set(copy->error, HISTREE_ERR_INCOMPLETE,
				   "'%s' is not complete; 'histree repair' makes a complete history of it", path);
	if (status == HISTREE_OK)
		status = history_copy(copy->io, history, out, &options->tree, &watch, copy->error);
	histree_history_close(history);
	if (status == HISTREE_OK && copy->found.lost > 0)
		status = error_set(copy->error, HISTREE_ERR_FORMAT,
				   "'%s' is damaged; 'histree repair' makes a sound store of the rest", path);
	if (status != HISTREE_OK || options->no_overviews)
		return status;
	const struct overview_options overviews = { .threads = options->tree.threads,
						    .go_on = overviews_go_on,
						    .context = copy };
	return overviews_write(copy->io, out, &overviews, copy->error);
}

/* A file that need not be there. */
static enum histree_status copy_file(struct store_copy *copy, const char *path, const char *out)
{
	enum histree_status status = io_copy(copy->io, path, out, copy->error);
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

/* A segment store is the same in its new place, and so are its overviews. */
static enum histree_status copy_segments(struct store_copy *copy, const struct histree_store_segments *meant,
					 const char *path, const char *out)
{
	const struct histree_convert_options *options = copy->options;
	enum histree_status status = copy_file(copy, path, out);
	(void)meant;
	for (uint32_t number = 1; status == HISTREE_OK && !options->no_overviews; number++) {
		char *overview = segment_overview_path(path, number), *new = segment_overview_path(out, number);
		status = overview != NULL && new != NULL ? io_copy(copy->io, overview, new, copy->error)
							 : error_memory(copy->error, "a path");
		free(overview);
		free(new);
	}
	return status == HISTREE_NOT_FOUND ? HISTREE_OK : status;
}

static enum histree_status take_manifest(struct store_copy *copy, const char *folder, enum histree_status status)
{
	if (status == HISTREE_NOT_FOUND)
		return error_set(copy->error, HISTREE_ERR_FORMAT, "'%s' is no store: it has no " MANIFEST_FILE,
				 folder);
	if (status == HISTREE_OK && !copy->was_complete)
		status = error_set(copy->error, HISTREE_ERR_INCOMPLETE,
				   "'%s' is not complete; 'histree repair' makes a complete store of it", folder);
	/* No build with those options would make the new store. */
	copy->info.options = NULL;
	return status;
}

static const struct copy_filter converting = {
	.verb = "convert",
	.manifest = take_manifest,
	.history = convert_history,
	.segments = copy_segments,
	.index = copy_file,
};

/* What is left of a file that failed is nobody's, but what was there before it is. */
static enum histree_status convert_file(struct store_copy *copy)
{
	struct stat facts;
	if (stat(copy->out, &facts) == 0)
		return error_set(copy->error, HISTREE_ERR_EXISTS, "'%s' exists already", copy->out);
	file_work_plan(&copy->work, copy->path);
	file_work_begin(&copy->work, copy->path);
	enum histree_status status = convert_history(copy, NULL, copy->path, copy->out);
	if (status != HISTREE_OK)
		copy->io->unlink(copy->io->context, copy->out);
	return status;
}

enum histree_status pipeline_convert(const struct histree_convert_options *options, const struct io *io,
				     struct histree_error *error)
{
	struct histree_error message = { 0 };
	struct store_copy copy = {
		.filter = &converting,
		.options = options,
		.path = options->path,
		.out = options->out,
		.force = options->force,
		.io = io,
		.error = &message,
		.work = { .cancel = options->cancel,
			  .progress = options->progress,
			  .context = options->progress_context },
	};
	struct stat facts;
	if (stat(options->path, &facts) != 0)
		return error_set(error, HISTREE_ERR_IO, "'%s': %s", options->path, strerror(errno));
	enum histree_status status = S_ISDIR(facts.st_mode) ? store_copy_make(&copy) : convert_file(&copy);
	store_copy_release(&copy);
	if (error != NULL && status != HISTREE_OK)
		*error = message;
	return status;
}

enum histree_status histree_convert(const struct histree_convert_options *options, struct histree_error *error)
{
	return pipeline_convert(options, &io_posix, error);
}
