// SPDX-License-Identifier: MIT
/*
 * export_format.c - the formats of 'histree export', one row each: its name, its ending, and how it is written.
 */
#include "cli/export_format.h"

#include <string.h>
#include <unistd.h>

#include "cli/export_source.h"

/* How many rows there will be is an estimate: the last hundredth is never sure. */
static void show(void *context, const struct histree_progress *now)
{
	struct export_run *run = context;
	struct histree_progress guessed = *now;
	if (now->share < 0)
		guessed.share = (double)now->rows / ((double)run->rows + 1);
	if (now->share < 0 && guessed.share > 0.99)
		guessed.share = 0.99;
	progress_show_share(run->progress, &guessed);
}

struct histree_work export_work(struct export_run *run)
{
	return (struct histree_work){ progress_goes_on, run, show };
}

/* ---- viewers ---------------------------------------------------------------------------------------------- */

static enum histree_status run_viewer(struct export_run *run, enum histree_viewer_format format,
				      struct histree_error *error)
{
	const struct export_source *source = run->source;
	const struct histree_viewer_request request = {
		.format = format,
		.from = source->from,
		.to = source->to,
		.origin = source->origin,
		.history = source->history,
		.quarks = source->quarks,
		.quark_count = source->quark_count,
		.wakeups = source->wakeups,
		.flows = source->flows,
		.names = source->names,
		.segments = source->segments,
		.query = source->segments != NULL ? &source->chosen.query : NULL,
		.events = source->events,
		.where = source->events != NULL ? source->where : NULL,
		.end = source->trace_end,
		.descriptor = STDOUT_FILENO,
		.work = export_work(run),
		.counts = &run->counts,
	};
	return histree_export_viewer(&request, run->path, error);
}

static enum histree_status run_chrome(struct export_run *run, struct histree_error *error)
{
	return run_viewer(run, HISTREE_VIEWER_CHROME, error);
}

static enum histree_status run_perfetto(struct export_run *run, struct histree_error *error)
{
	return run_viewer(run, HISTREE_VIEWER_PERFETTO, error);
}

/* ---- columns ---------------------------------------------------------------------------------------------- */

static enum histree_status open_stream(struct export_run *run, struct ArrowArrayStream *stream,
				       struct histree_error *error)
{
	const struct histree_work work = export_work(run);
	return export_columns_open(run->source, run->columns, run->column_names, &work, stream, &run->rows, error);
}

static enum histree_status run_csv(struct export_run *run, struct histree_error *error)
{
	const struct histree_csv_options options = { .dictionaries_grow = true,
						     .descriptor = STDOUT_FILENO,
						     .work = export_work(run),
						     .counts = &run->counts };
	struct ArrowArrayStream stream;
	enum histree_status status = open_stream(run, &stream, error);
	return status == HISTREE_OK ? histree_export_csv(&stream, run->path, &options, error) : status;
}

static enum histree_status run_ipc(struct export_run *run, bool is_stream, struct histree_error *error)
{
	const struct histree_ipc_options options = { .is_stream = is_stream,
						     .is_compressed = run->is_compressed,
						     .descriptor = STDOUT_FILENO,
						     .work = export_work(run),
						     .counts = &run->counts };
	struct ArrowArrayStream stream;
	enum histree_status status = open_stream(run, &stream, error);
	return status == HISTREE_OK ? histree_export_arrow(&stream, run->path, &options, error) : status;
}

static enum histree_status run_arrow(struct export_run *run, struct histree_error *error)
{
	return run_ipc(run, false, error);
}

static enum histree_status run_arrow_stream(struct export_run *run, struct histree_error *error)
{
	return run_ipc(run, true, error);
}

static enum histree_status run_parquet(struct export_run *run, struct histree_error *error)
{
	const struct histree_parquet_options options = {
		.compression = run->is_uncompressed ? HISTREE_PARQUET_UNCOMPRESSED
			       : run->is_compressed ? HISTREE_PARQUET_ZSTD
						    : HISTREE_PARQUET_DEFAULT_COMPRESSION,
		.descriptor = STDOUT_FILENO,
		.work = export_work(run),
		.counts = &run->counts,
	};
	const struct export_source *source = run->source;
	const char *analysis = source->history != NULL ? histree_history_info(source->history)->provider
			       : source->segments != NULL
				       ? histree_segment_store_info(source->segments)->schema.provider
				       : "events";
	const struct histree_partition_options partition = {
		.analysis = analysis, .slice = run->slice, .replace = run->replaces, .file = options
	};
	struct ArrowArrayStream stream;
	enum histree_status status = open_stream(run, &stream, error);
	if (status != HISTREE_OK)
		return status;
	return run->is_partitioned ? histree_export_partitions(&stream, run->path, &partition, error)
				   : histree_export_parquet(&stream, run->path, &options, error);
}

/* ---- the table -------------------------------------------------------------------------------------------- */

const char *const export_format_names[] = { "arrow", "arrow-stream", "parquet",  "sqlite",
					    "csv",   "chrome",       "perfetto", NULL };

static const struct export_format formats[] = {
	{ .name = "arrow",
	  .endings = { ".arrow", ".feather", ".ipc" },
	  .place = EXPORT_BINARY,
	  .takes_columns = true,
	  .takes_compression = true,
	  .run = run_arrow },
	{ .name = "arrow-stream",
	  .endings = { ".arrows" },
	  .place = EXPORT_BINARY,
	  .takes_columns = true,
	  .takes_compression = true,
	  .run = run_arrow_stream },
	{ .name = "parquet",
	  .endings = { ".parquet" },
	  .place = EXPORT_BINARY,
	  .leaves_out = HISTREE_ARROW_DURATION, /* end - start + 1, in half the bytes of all the rest */
	  .takes_partition = true,
	  .takes_columns = true,
	  .takes_compression = true,
	  .run = run_parquet },
	{ .name = "sqlite",
	  .endings = { ".sqlite", ".sqlite3", ".db" },
	  .place = EXPORT_BY_NAME,
	  .run = export_database },
	{ .name = "csv", .endings = { ".csv" }, .place = EXPORT_TEXT, .takes_columns = true, .run = run_csv },
	{ .name = "chrome", .endings = { ".json" }, .place = EXPORT_TEXT, .for_viewer = true, .run = run_chrome },
	{ .name = "perfetto",
	  .endings = { ".pftrace", ".perfetto-trace", ".perfetto" },
	  .place = EXPORT_BINARY,
	  .for_viewer = true,
	  .run = run_perfetto },
};

static bool ends_in(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);
	return size > end_size && strcmp(text + size - end_size, end) == 0;
}

static bool is_meant(const struct export_format *format, const char *name, const char *path)
{
	if (name != NULL)
		return strcmp(name, format->name) == 0;
	for (size_t i = 0; path != NULL && i < sizeof(format->endings) / sizeof(*format->endings); i++)
		if (format->endings[i] != NULL && ends_in(path, format->endings[i]))
			return true;
	return false;
}

const struct export_format *export_format_find(const char *name, const char *path)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (is_meant(&formats[i], name, path))
			return &formats[i];
	return NULL;
}
