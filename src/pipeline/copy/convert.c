// SPDX-License-Identifier: MIT
/*
 * convert.c - makes a store of a store: with another kind of tree, or of a part of its time and rows.
 *
 * A conversion copies all of a store or of the part, or nothing.  A damaged or incomplete store is refused: it must
 * be repaired first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "histree/attributes.h"
#include "histree/segments.h"
#include "histree/states.h"
#include "overview/overview_writer.h"
#include "pipeline/copy/store_copy.h"
#include "query/thread.h"
#include "segment/segment_memory.h"
#include "segment/segment_overviews.h"
#include "state/history_copy.h"
#include "store_folder/manifest.h"

/* ---- convert ------------------------------------------------------------------------------------------------- */

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

/* ---- a part ----------------------------------------------------------------------------------------------- */

/* The time of a part that a store, or a history, has.  Returns false if it has none. */
static bool clip(const struct histree_convert_options *options, histree_time *from, histree_time *to)
{
	if (!options->is_part)
		return true;
	if (options->from > *to || options->to < *from)
		return false;
	*from = options->from > *from ? options->from : *from;
	*to = options->to < *to ? options->to : *to;
	return true;
}

static enum histree_status open_history(struct store_copy *copy, const struct histree_store_history *history,
					struct histree_history **out)
{
	static const struct histree_open_options plain = { .no_overviews = true };
	const char *path = store_copy_path(&copy->arena, copy->path, history->file);
	return path != NULL ? histree_history_open(path, &plain, out, copy->error)
			    : error_memory(copy->error, "a path");
}

/* Opens the history of the store that says what threads are called; *out stays NULL if there is none. */
static enum histree_status open_kernel(struct store_copy *copy, struct histree_history **out)
{
	for (size_t i = 0; i < copy->info.history_count; i++)
		if (histree_thread_analysis_is(copy->info.histories[i].analysis))
			return open_history(copy, &copy->info.histories[i], out);
	return HISTREE_OK;
}

/* Writes which rows of a history an expression leaves, by quark.  HISTREE_NOT_FOUND: none. */
static enum histree_status find_rows(struct store_copy *copy, struct histree_state_filter *filter,
				     struct histree_history *history, const struct copy_part *part, bool *rows)
{
	struct histree_selection selection;
	struct histree_region region;
	const uint32_t count = histree_history_info(history)->attribute_count;
	histree_selection_begin(&selection, history);
	selection.window = (struct histree_window){ .from = part->from, .to = part->to };
	enum histree_status status = histree_state_filter_select(filter, &selection, copy->error);
	size_t wanted = 0;
	if (status == HISTREE_OK && histree_selection_region(&selection, &region)) {
		for (histree_quark quark = 0; quark < count; quark++)
			rows[quark] = region.quarks == NULL;
		for (size_t i = 0; i < region.quark_count && region.quarks != NULL; i++)
			rows[region.quarks[i]] = true;
		for (histree_quark quark = 0; quark < count; quark++)
			wanted += rows[quark] &&
				  !histree_attributes_is_folder(histree_history_attributes(history), quark);
	}
	histree_selection_release(&selection);
	return status == HISTREE_OK && wanted == 0 ? HISTREE_NOT_FOUND : status;
}

/* Chooses the rows of a history; *rows is the caller's to free. */
static enum histree_status choose_rows(struct store_copy *copy, struct histree_history *history,
				       const struct copy_part *part, bool **rows)
{
	const struct histree_convert_options *options = copy->options;
	struct histree_state_filter *filter = NULL;
	struct histree_history *kernel = NULL;
	if (options->rows == NULL)
		return HISTREE_OK;
	*rows = calloc((size_t)histree_history_info(history)->attribute_count + 1, sizeof(**rows));
	if (*rows == NULL)
		return error_memory(copy->error, "a part of a history");
	enum histree_status status = histree_state_filter_create(history, options->rows, &filter, copy->error);
	if (status == HISTREE_OK && !histree_state_filter_is_of_rows(filter))
		status = error_set(copy->error, HISTREE_ERR_ARGUMENT,
				   "'%s' is about states: a part has rows, which have a path, quark, thread, "
				   "process, name and host",
				   options->rows);
	if (status == HISTREE_OK && histree_state_filter_lacks_threads(filter))
		status = open_kernel(copy, &kernel);
	if (status == HISTREE_OK && kernel != NULL)
		histree_state_filter_take_threads(filter, kernel);
	if (status == HISTREE_OK)
		histree_state_filter_call_host(filter, copy->host);
	if (status == HISTREE_OK)
		status = find_rows(copy, filter, history, part, *rows);
	histree_state_filter_free(filter);
	histree_history_close(kernel);
	return status;
}

static enum histree_status convert_part(struct store_copy *copy, struct histree_history *history, const char *out,
					const struct copy_watch *watch)
{
	const struct histree_convert_options *options = copy->options;
	const struct histree_history_info *info = histree_history_info(history);
	struct copy_part part = { .from = info->start, .to = info->end };
	bool *rows = NULL;
	if (!clip(options, &part.from, &part.to))
		return HISTREE_NOT_FOUND;
	enum histree_status status = choose_rows(copy, history, &part, &rows);
	part.rows = rows;
	if (status == HISTREE_OK)
		status = history_copy(copy->io, history, out, &options->tree, &part, watch, copy->error);
	free(rows);
	return status;
}

/* Segments of threads of which a part has no row are not of it. */
struct thread_segments {
	struct histree_history *history;     /* that of the kernel, else one that knows numbers of threads alone */
	struct histree_state_filter *filter; /* NULL: all are wanted */
	size_t field;                        /* that is the thread */
	size_t process;                      /* of spans, the field that is its process; else SIZE_MAX */
};

static bool is_of_part(void *context, const struct histree_segment *segment)
{
	const struct thread_segments *threads = context;
	const int64_t tid = histree_value_integer(&segment->content[threads->field]);
	const int64_t pid =
		threads->process != SIZE_MAX ? histree_value_integer(&segment->content[threads->process]) : 0;
	return histree_state_filter_may_match_thread(threads->filter, 0, pid == (int32_t)pid ? (int32_t)pid : 0,
						     tid == (int32_t)tid ? (int32_t)tid : 0, segment->start);
}

/* To be released also after failure. */
static enum histree_status choose_threads(struct store_copy *copy, const struct histree_segment_store *from,
					  struct thread_segments *threads)
{
	const struct histree_convert_options *options = copy->options;
	struct histree_selection selection;
	enum histree_status status = HISTREE_OK;
	if (options->rows == NULL || histree_segment_store_field(from, "tid", &threads->field) != HISTREE_OK)
		return HISTREE_OK;
	threads->process = SIZE_MAX;
	if (strcmp(histree_segment_store_info(from)->schema.provider, "track-spans") == 0)
		status = histree_segment_store_field(from, "pid", &threads->process);
	if (status != HISTREE_OK)
		return status;
	status = open_kernel(copy, &threads->history);
	if (status == HISTREE_OK && threads->history == NULL && copy->info.history_count > 0)
		status = open_history(copy, &copy->info.histories[0], &threads->history);
	if (status != HISTREE_OK || threads->history == NULL)
		return status;
	status = histree_state_filter_create(threads->history, options->rows, &threads->filter, copy->error);
	histree_selection_begin(&selection, threads->history);
	selection.window = (struct histree_window){ .from = options->from, .to = options->to };
	if (status == HISTREE_OK) {
		histree_state_filter_call_host(threads->filter, copy->host);
		status = histree_state_filter_select(threads->filter, &selection, copy->error);
	}
	histree_selection_release(&selection);
	return status;
}

/* The segments that meet the part, as long as they were. */
static enum histree_status convert_some_segments(struct store_copy *copy, const char *path, const char *out)
{
	const struct histree_convert_options *options = copy->options;
	struct thread_segments threads = { 0 };
	struct histree_segment_store *from, *to = NULL;
	struct histree_cursor *cursor = NULL;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.from = options->from;
	query.to = options->to;
	query.work = copy->work.caller;
	enum histree_status status = histree_segment_store_open(path, NULL, &from, copy->error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_segment_store_info *info = histree_segment_store_info(from);
	const struct histree_segment_store_options made = { .path = out,
							    .schema = info->schema,
							    .node_size = info->node_size };
	status = choose_threads(copy, from, &threads);
	query.filter = threads.filter != NULL ? is_of_part : NULL;
	query.filter_context = &threads;
	if (status == HISTREE_OK)
		status = segment_store_create(copy->io, &made, &to, copy->error);
	if (status == HISTREE_OK)
		status = histree_segments_create(from, &cursor, copy->error);
	if (status == HISTREE_OK)
		status = histree_segments_start(cursor, &query, NULL, copy->error);
	while (status == HISTREE_OK && (status = histree_cursor_next(cursor, copy->error)) == HISTREE_OK)
		status = histree_segment_store_add(to, histree_cursor_segment(cursor), copy->error);
	if (status == HISTREE_END)
		status = histree_cursor_loss(cursor).nodes == 0
				 ? histree_segment_store_finish(to, copy->error)
				 : error_set(copy->error, HISTREE_ERR_FORMAT,
					     "'%s' is damaged; 'histree copy --repair' makes a sound store of the "
					     "rest",
					     path);
	histree_cursor_free(cursor);
	if (status == HISTREE_OK && !options->no_overviews)
		status = histree_segment_store_make_overviews(to, copy->work.caller, copy->error);
	histree_segment_store_close(to);
	histree_segment_store_close(from);
	histree_state_filter_free(threads.filter);
	histree_history_close(threads.history);
	return status;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

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
				   "'%s' is not complete; 'histree copy --repair' makes a complete history of it",
				   path);
	if (status == HISTREE_OK)
		status = convert_part(copy, history, out, &watch);
	histree_history_close(history);
	if (status == HISTREE_OK && copy->found.lost > 0)
		status =
			error_set(copy->error, HISTREE_ERR_FORMAT,
				  "'%s' is damaged; 'histree copy --repair' makes a sound store of the rest", path);
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
static enum histree_status convert_copy_segments(struct store_copy *copy,
						 const struct histree_store_segments *meant, const char *path,
						 const char *out)
{
	const struct histree_convert_options *options = copy->options;
	(void)meant;
	if (options->is_part)
		return convert_some_segments(copy, path, out);
	enum histree_status status = copy_file(copy, path, out);
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
				   "'%s' is not complete; 'histree copy --repair' makes a complete store of it",
				   folder);
	/* No build with those options would make the new store. */
	copy->info.options = NULL;
	if (status == HISTREE_OK && !clip(copy->options, &copy->info.start, &copy->info.end) && copy->host == NULL)
		return error_set(copy->error, HISTREE_ERR_ARGUMENT, "'%s' has nothing of that time", folder);
	return status;
}

/* Of several hosts, some may have nothing of a part. */
static enum histree_status check_is_something(struct store_copy *copy)
{
	const struct histree_convert_options *options = copy->options;
	if (options->rows != NULL && copy->found.histories == 0)
		return error_set(copy->error, HISTREE_NOT_FOUND, "no row of '%s' passes '%s'", copy->path,
				 options->rows);
	return HISTREE_OK;
}

static const struct copy_filter converting = {
	.verb = "copy",
	.manifest = take_manifest,
	.history = convert_history,
	.segments = convert_copy_segments,
	.index = copy_file,
	.end = check_is_something,
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
	if (status == HISTREE_NOT_FOUND)
		return error_set(copy->error, HISTREE_ERR_ARGUMENT, "'%s' has nothing of that part", copy->path);
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
		.work = { .caller = options->work },
	};
	struct stat facts;
	if (stat(options->path, &facts) != 0)
		return errno == ENOENT ? error_set(error, HISTREE_ERR_IO,
						   "there is neither a store nor a file '%s'", options->path)
				       : error_set(error, HISTREE_ERR_IO, "'%s' cannot be read: %s", options->path,
						   strerror(errno));
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
