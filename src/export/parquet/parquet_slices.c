// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_slices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/error.h"

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

enum histree_status parquet_slices_init(struct parquet_slices *slices, const struct io *io, const char *folder,
					const struct ArrowSchema *schema,
					const struct histree_partition_options *options,
					struct histree_error *error)
{
	*slices = (struct parquet_slices){
		.io = io,
		.folder = folder,
		.length = options->slice,
		.options = options->file,
		.schema = schema,
		.start = -1,
	};
	slices->options.progress = NULL;
	slices->options.counts = NULL;
	if ((size_t)options->slice >= sizeof(lengths) / sizeof(*lengths))
		return error_set(error, HISTREE_ERR_ARGUMENT, "slices of time are days, hours, minutes or seconds");
	for (int i = 0; i < schema->n_children; i++) {
		const struct ArrowSchema *column = schema->children[i];
		if (column->name != NULL && strcmp(column->name, "start") == 0 &&
		    strncmp(column->format, "tsn:", 4) == 0 && (column->flags & ARROW_FLAG_NULLABLE) == 0)
			slices->start = i;
	}
	if (slices->start < 0)
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"rows are put into slices of time by a column 'start' of timestamps in ns, which is "
			"not there; ask for it, or write one file");
	return HISTREE_OK;
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
	size_t low = 0, high = slices->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (slices->slices[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
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

static int64_t slice_of(int64_t time, int64_t length)
{
	return time / length - (time % length < 0);
}

enum histree_status parquet_slices_add(struct parquet_slices *slices, const struct ArrowArray *batch,
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
		int64_t number = slice_of(times[from], length);
		/* Unsigned, so that a slice at either end of all times is none too long. */
		uint64_t begin = (uint64_t)number * (uint64_t)length;
		for (to = from + 1; to < count && (uint64_t)times[to] - begin < (uint64_t)length; to++)
			;
		status = add_run(slices, number, batch, from, to - from, error);
	}
	return status;
}

enum histree_status parquet_slices_end(struct parquet_slices *slices, enum histree_status status,
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
