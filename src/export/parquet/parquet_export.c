// SPDX-License-Identifier: MIT
/*
 * parquet_export.c - stores as files and folders of Parquet.
 *
 * A folder appears as a whole: OUT/analysis=NAME is made as OUT/.analysis=NAME.part.  Engines ignore names that
 * begin with a full stop, so that they do not read half of it.
 *
 * Files are slices of time: each row goes into the slice in which it starts.  States come in nearly the order of
 * time, so that few slices are written at once.  The numbers of open slices and of rows in memory are bounded; if a
 * slice recurs after its file was closed, it gets another one.
 */
#include "export/export_output.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"
#include "export/parquet/parquet_writer.h"
#include "histree/export.h"

struct parquet_folder {
	const struct io *io;
	char *path, *temporary;
	bool replaces; /* there is one that goes when this one is whole */
};

struct parquet_slice {
	int64_t number;                /* of the time, in slices since the epoch */
	uint32_t part;                 /* files that it has */
	uint64_t used;                 /* number of the run of rows that came last */
	uint64_t batch;                /* number of the batch that it knows of */
	char *folder;                  /* NULL: not made yet */
	struct parquet_writer *writer; /* NULL: no file is open */
	struct export_output output;
};

struct parquet_slices {
	const struct io *io;
	const char *folder; /* borrowed */
	enum histree_partition_slice length;
	struct histree_parquet_options options; /* of a file */
	const struct ArrowSchema *schema;       /* borrowed */
	int start;                              /* the column that says when a row starts */
	struct parquet_slice *slices;
	size_t count, capacity, last;
	unsigned open_count;
	uint64_t runs, batch;
	size_t row_count; /* in memory */
	struct histree_export_counts counts;
};

/* ---- parquet folder ------------------------------------------------------------------------------------------ */

/* Remove files with names of ours; other files stay, and the folder with them. */
static void remove_files(const struct io *io, const char *folder, bool is_top)
{
	DIR *opened = opendir(folder);
	const struct dirent *entry;
	while (opened != NULL && (entry = readdir(opened)) != NULL) {
		char *path = NULL;
		bool is_ours = fnmatch(is_top ? "*=*" : "part-*.parquet*", entry->d_name, FNM_PERIOD) == 0;
		if (!is_ours || asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			continue;
		if (is_top)
			remove_files(io, path, false);
		else
			io->unlink(io->context, path);
		free(path);
	}
	if (opened != NULL)
		closedir(opened);
	io->rmdir(io->context, folder);
}

static bool is_there(const char *path)
{
	struct stat facts;
	return lstat(path, &facts) == 0;
}

static void release(struct parquet_folder *folder)
{
	free(folder->path);
	free(folder->temporary);
	*folder = (struct parquet_folder){ 0 };
}

static enum histree_status make_entry(const struct io *io, const char *path, bool may_be_there,
				      struct histree_error *error)
{
	if (io->mkdir(io->context, path, 0777) == 0 || (may_be_there && errno == EEXIST))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", path, strerror(errno));
}

/*
 * Begin it; what a killed run has left of it goes.  An older one is HISTREE_ERR_EXISTS if it is not to be replaced.
 */
static enum histree_status parquet_folder_begin(struct parquet_folder *folder, const struct io *io,
						const char *path, const char *analysis, bool replace,
						struct histree_error *error)
{
	*folder = (struct parquet_folder){ .io = io };
	if (analysis[0] == '\0' || strchr(analysis, '/') != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%s' is no name of an analysis", analysis);
	if (asprintf(&folder->path, "%s/analysis=%s", path, analysis) < 0)
		folder->path = NULL;
	else if (asprintf(&folder->temporary, "%s/.analysis=%s.part", path, analysis) < 0)
		folder->temporary = NULL;
	enum histree_status status = HISTREE_OK;
	if (folder->temporary == NULL)
		status = error_memory(error, "a path");
	else if (is_there(folder->path) && !replace)
		status = error_set(error, HISTREE_ERR_EXISTS, "'%s' exists already; remove it, or have it replaced",
				   folder->path);
	else if (is_there(folder->temporary))
		remove_files(io, folder->temporary, true);
	if (status == HISTREE_OK)
		status = make_entry(io, path, true, error);
	if (status == HISTREE_OK)
		status = make_entry(io, folder->temporary, false, error);
	folder->replaces = status == HISTREE_OK && is_there(folder->path);
	if (status != HISTREE_OK)
		release(folder);
	return status;
}

/* Give it its name, or, with another `status` than HISTREE_OK, remove it.  Returns `status` or what failed here. */
static enum histree_status parquet_folder_finish(struct parquet_folder *folder, enum histree_status status,
						 struct histree_error *error)
{
	const struct io *io = folder->io;
	if (status == HISTREE_OK) {
		int failed = folder->replaces ? io->exchange(io->context, folder->temporary, folder->path)
					      : io->rename(io->context, folder->temporary, folder->path);
		if (failed != 0)
			status = error_set(error, HISTREE_ERR_IO, "cannot rename '%s' to '%s': %s",
					   folder->temporary, folder->path, strerror(errno));
		else
			status = io_sync_folder_of(io, folder->path, error);
		/* What has the temporary name now is the older one, if there was one. */
		if (status == HISTREE_OK && folder->replaces) {
			remove_files(io, folder->temporary, true);
			if (is_there(folder->temporary))
				status =
					error_set(error, HISTREE_ERR_IO,
						  "'%s' is complete, but files of others remain in '%s', which was "
						  "there before; remove it",
						  folder->path, folder->temporary);
			release(folder);
			return status;
		}
	}
	if (status != HISTREE_OK)
		remove_files(io, folder->temporary, true);
	release(folder);
	return status;
}

/* ---- parquet slices ------------------------------------------------------------------------------------------ */

enum { OPEN_MAX = 64, ROWS_MAX = 2 << 20 };

static const struct {
	const char *name, *format; /* for strftime(); no colon, which engines would write as %3A */
	int64_t seconds;
} lengths[] = {
	[HISTREE_SLICE_HOUR] = { "hour", "%Y-%m-%dT%H", 3600 },
	[HISTREE_SLICE_DAY] = { "day", "%Y-%m-%d", 86400 },
	[HISTREE_SLICE_MINUTE] = { "minute", "%Y-%m-%dT%H-%M", 60 },
	[HISTREE_SLICE_SECOND] = { "second", "%Y-%m-%dT%H-%M-%S", 1 },
};

static const int64_t second_ns = 1000000000;

/* Returns the column with the times at which rows start, or happen; -1: there is no such column. */
static int start_column(const struct ArrowSchema *schema)
{
	static const char *const names[] = { "start", "time" };
	for (size_t name = 0; name < sizeof(names) / sizeof(*names); name++)
		for (int i = 0; i < schema->n_children; i++) {
			const struct ArrowSchema *column = schema->children[i];
			if (column->name != NULL && strcmp(column->name, names[name]) == 0 &&
			    strncmp(column->format, "tsn:", 4) == 0 && (column->flags & ARROW_FLAG_NULLABLE) == 0)
				return i;
		}
	return -1;
}

/* The time of the first row of a slice is that of all names in it. */
static enum histree_status make_folder(struct parquet_slices *slices, struct parquet_slice *slice,
				       struct histree_error *error)
{
	char text[64];
	struct tm parts;
	time_t time = (time_t)(slice->number * lengths[slices->length].seconds);
	if (gmtime_r(&time, &parts) == NULL ||
	    strftime(text, sizeof(text), lengths[slices->length].format, &parts) == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "no calendar has second %lld since the epoch",
				 (long long)time);
	if (asprintf(&slice->folder, "%s/%s=%s", slices->folder, lengths[slices->length].name, text) < 0) {
		slice->folder = NULL;
		return error_memory(error, "a path");
	}
	if (slices->io->mkdir(slices->io->context, slice->folder, 0777) == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", slice->folder, strerror(errno));
}

/* Complete the file of a slice, or drop it. */
static enum histree_status close_slice(struct parquet_slices *slices, struct parquet_slice *slice,
				       enum histree_status status, struct histree_error *error)
{
	if (slice->writer == NULL)
		return status;
	slices->row_count -= slice->writer->row_count;
	if (status == HISTREE_OK)
		status = parquet_writer_end(slice->writer, error);
	slices->counts.row_groups += slice->writer->counts.row_groups;
	slices->counts.bytes += slice->writer->counts.bytes;
	slices->counts.files++;
	slices->open_count--;
	parquet_writer_free(slice->writer);
	slice->writer = NULL;
	return export_output_finish(&slice->output, status, error);
}

static enum histree_status open_slice(struct parquet_slices *slices, struct parquet_slice *slice,
				      struct histree_error *error)
{
	char *path;
	enum histree_status status = slice->folder == NULL ? make_folder(slices, slice, error) : HISTREE_OK;
	if (status != HISTREE_OK)
		return status;
	if (asprintf(&path, "%s/part-%u.parquet", slice->folder, slice->part) < 0)
		return error_memory(error, "a path");
	status = export_output_open(&slice->output, slices->io, path, error);
	free(path);
	if (status != HISTREE_OK)
		return status;
	status = parquet_writer_create(&slice->writer, slices->schema, &slices->options, &slice->output, error);
	if (status != HISTREE_OK)
		return export_output_finish(&slice->output, status, error);
	slice->part++;
	slices->open_count++;
	return HISTREE_OK;
}

/* Complete the file that got no row for the longest time. */
static enum histree_status close_oldest(struct parquet_slices *slices, struct histree_error *error)
{
	struct parquet_slice *oldest = NULL;
	for (size_t i = 0; i < slices->count; i++) {
		struct parquet_slice *slice = &slices->slices[i];
		if (slice->writer != NULL && (oldest == NULL || slice->used < oldest->used))
			oldest = slice;
	}
	return close_slice(slices, oldest, HISTREE_OK, error);
}

/* Write the rows of the slice that has most of them. */
static enum histree_status flush_largest(struct parquet_slices *slices, struct histree_error *error)
{
	struct parquet_slice *largest = NULL;
	for (size_t i = 0; i < slices->count; i++) {
		struct parquet_slice *slice = &slices->slices[i];
		if (slice->writer != NULL &&
		    (largest == NULL || slice->writer->row_count > largest->writer->row_count))
			largest = slice;
	}
	slices->row_count -= largest->writer->row_count;
	enum histree_status status = parquet_writer_flush(largest->writer, error);
	parquet_writer_shrink(largest->writer);
	return status;
}

/* Find the slice with this number, or make it.  Rows that follow each other are mostly of one slice. */
static enum histree_status find_slice(struct parquet_slices *slices, int64_t number, struct parquet_slice **out,
				      struct histree_error *error)
{
	if (slices->last < slices->count && slices->slices[slices->last].number == number) {
		*out = &slices->slices[slices->last];
		return HISTREE_OK;
	}
	const size_t low = SEARCH(i, 0, slices->count, slices->slices[i].number < number);
	slices->last = low;
	if (low == slices->count || slices->slices[low].number != number) {
		if (!array_reserve(&slices->slices, &slices->capacity, slices->count + 1))
			return error_memory(error, "a slice of time");
		/* Writers reach their outputs, which move with the slices. */
		memmove(&slices->slices[low + 1], &slices->slices[low],
			(slices->count - low) * sizeof(*slices->slices));
		slices->slices[low] = (struct parquet_slice){ .number = number };
		slices->count++;
		for (size_t i = 0; i < slices->count; i++)
			if (slices->slices[i].writer != NULL)
				slices->slices[i].writer->output = &slices->slices[i].output;
	}
	*out = &slices->slices[low];
	return HISTREE_OK;
}

static enum histree_status add_run(struct parquet_slices *slices, int64_t number, const struct ArrowArray *batch,
				   size_t from, size_t count, struct histree_error *error)
{
	struct parquet_slice *slice = NULL;
	enum histree_status status = find_slice(slices, number, &slice, error);
	if (status != HISTREE_OK)
		return status;
	slice->used = ++slices->runs;
	if (slice->writer == NULL) {
		if (slices->open_count == OPEN_MAX)
			status = close_oldest(slices, error);
		if (status == HISTREE_OK)
			status = open_slice(slices, slice, error);
		slice->batch = 0;
	}
	if (status != HISTREE_OK)
		return status;
	if (slice->batch != slices->batch)
		parquet_writer_begin_batch(slice->writer);
	slice->batch = slices->batch;
	slices->row_count -= slice->writer->row_count;
	status = parquet_writer_add(slice->writer, batch, from, count, error);
	slices->row_count += slice->writer->row_count;
	if (status == HISTREE_OK && slices->row_count > ROWS_MAX)
		status = flush_largest(slices, error);
	return status;
}

static enum histree_status parquet_slices_add(struct parquet_slices *slices, const struct ArrowArray *batch,
					      struct histree_error *error)
{
	int64_t length = lengths[slices->length].seconds * second_ns;
	const struct ArrowArray *start = batch->n_children > slices->start ? batch->children[slices->start] : NULL;
	if (start == NULL || batch->length < 0 || batch->offset < 0 || start->offset < 0 || start->n_buffers < 2 ||
	    start->length < batch->offset + batch->length || (batch->length > 0 && start->buffers[1] == NULL))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch of the stream is not as its schema says");
	if (batch->length == 0)
		return HISTREE_OK;
	const int64_t *times = (const int64_t *)start->buffers[1] + start->offset + batch->offset;
	size_t count = (size_t)batch->length;
	enum histree_status status = HISTREE_OK;
	slices->batch++;
	slices->counts.rows += count;
	for (size_t from = 0, to; from < count && status == HISTREE_OK; from = to) {
		int64_t number = times[from] / length - (times[from] % length < 0);
		/* Unsigned, so that a slice at either end of all times does not overflow. */
		uint64_t begin = (uint64_t)number * (uint64_t)length;
		for (to = from + 1; to < count && (uint64_t)times[to] - begin < (uint64_t)length; to++)
			;
		status = add_run(slices, number, batch, from, to - from, error);
	}
	return status;
}

/* Complete all files, or, with another `status` than HISTREE_OK, drop them.  Returns `status` or what failed. */
static enum histree_status parquet_slices_end(struct parquet_slices *slices, enum histree_status status,
					      struct histree_error *error)
{
	for (size_t i = 0; i < slices->count; i++) {
		status = close_slice(slices, &slices->slices[i], status, error);
		free(slices->slices[i].folder);
	}
	free(slices->slices);
	slices->slices = NULL;
	slices->count = 0;
	return status;
}

/* ---- parquet export ------------------------------------------------------------------------------------------ */

static enum histree_status write_batches(struct ArrowArrayStream *stream, struct parquet_writer *writer,
					 const struct histree_parquet_options *options, struct histree_error *error)
{
	struct ArrowArray batch;
	enum histree_status status;
	while ((status = export_stream_next(stream, &options->work, &batch, error)) == HISTREE_OK) {
		uint64_t groups = writer->counts.row_groups;
		parquet_writer_begin_batch(writer);
		status = parquet_writer_add(writer, &batch, 0, batch.length > 0 ? (size_t)batch.length : 0, error);
		batch.release(&batch);
		if (status != HISTREE_OK)
			return status;
		if (writer->counts.row_groups != groups)
			export_tell(&options->work, &writer->counts);
	}
	return status == HISTREE_END ? parquet_writer_end(writer, error) : status;
}

enum histree_status parquet_export(struct ArrowArrayStream *stream, const struct io *io, const char *path,
				   const struct histree_parquet_options *options, struct histree_error *error)
{
	static const struct histree_parquet_options default_options;
	struct parquet_writer *writer = NULL;
	struct ArrowSchema schema;
	struct export_output output;
	if (options == NULL)
		options = &default_options;
	enum histree_status status = export_stream_schema(stream, &schema, error);
	if (status != HISTREE_OK) {
		stream->release(stream);
		return status;
	}
	if (path == NULL)
		export_output_use(&output, options->descriptor);
	else
		status = export_output_open(&output, io, path, error);
	if (status == HISTREE_OK) {
		status = parquet_writer_create(&writer, &schema, options, &output, error);
		if (status == HISTREE_OK)
			status = write_batches(stream, writer, options, error);
		if (writer != NULL) {
			writer->counts.files = 1;
			writer->counts.loss = histree_arrow_loss(stream);
		}
		status = export_output_finish(&output, status, error);
	}
	if (status == HISTREE_OK) {
		writer->counts.loss = histree_arrow_loss(stream);
		export_tell(&options->work, &writer->counts);
		if (options->counts != NULL)
			*options->counts = writer->counts;
	}
	parquet_writer_free(writer);
	schema.release(&schema);
	stream->release(stream);
	return status;
}

enum histree_status histree_export_parquet(struct ArrowArrayStream *stream, const char *path,
					   const struct histree_parquet_options *options,
					   struct histree_error *error)
{
	return parquet_export(stream, &io_posix, path, options, error);
}

static enum histree_status write_slices(struct ArrowArrayStream *stream, struct parquet_slices *slices,
					const struct histree_parquet_options *options, struct histree_error *error)
{
	struct ArrowArray batch;
	enum histree_status status;
	while ((status = export_stream_next(stream, &options->work, &batch, error)) == HISTREE_OK) {
		status = parquet_slices_add(slices, &batch, error);
		batch.release(&batch);
		if (status != HISTREE_OK)
			break;
		export_tell(&options->work, &slices->counts);
	}
	return parquet_slices_end(slices, status == HISTREE_END ? HISTREE_OK : status, error);
}

enum histree_status parquet_export_partitions(struct ArrowArrayStream *stream, const struct io *io,
					      const char *path, const struct histree_partition_options *options,
					      struct histree_error *error)
{
	struct parquet_folder folder;
	struct parquet_slices slices;
	struct ArrowSchema schema;
	enum histree_status status = export_stream_schema(stream, &schema, error);
	if (status != HISTREE_OK) {
		stream->release(stream);
		return status;
	}
	status = parquet_folder_begin(&folder, io, path, options->analysis, options->replace, error);
	if (status == HISTREE_OK) {
		/*
		 * Fails with HISTREE_ERR_ARGUMENT if no column says when rows start.  After a failure there is
		 * nothing to end.
		 */
		slices = (struct parquet_slices){
			.io = io,
			.folder = folder.temporary,
			.length = options->slice,
			.options = options->file,
			.schema = &schema,
			.start = start_column(&schema),
		};
		slices.options.work.progress = NULL;
		slices.options.counts = NULL;
		if ((size_t)options->slice >= sizeof(lengths) / sizeof(*lengths))
			status = error_set(error, HISTREE_ERR_ARGUMENT,
					   "slices of time are days, hours, minutes or seconds");
		else if (slices.start < 0)
			status = error_set(error, HISTREE_ERR_ARGUMENT,
					   "rows are put into slices of time by a column 'start' or 'time' of "
					   "timestamps in ns, "
					   "which is not there; ask for it, or write one file");
		else
			status = HISTREE_OK;

		if (status == HISTREE_OK)
			status = write_slices(stream, &slices, &options->file, error);
		status = parquet_folder_finish(&folder, status, error);
	}
	if (status == HISTREE_OK) {
		slices.counts.loss = histree_arrow_loss(stream);
		export_tell(&options->file.work, &slices.counts);
		if (options->file.counts != NULL)
			*options->file.counts = slices.counts;
	}
	schema.release(&schema);
	stream->release(stream);
	return status;
}

enum histree_status histree_export_partitions(struct ArrowArrayStream *stream, const char *folder,
					      const struct histree_partition_options *options,
					      struct histree_error *error)
{
	return parquet_export_partitions(stream, &io_posix, folder, options, error);
}

bool histree_export_has_zstd(void)
{
	return zstd_is_there;
}
