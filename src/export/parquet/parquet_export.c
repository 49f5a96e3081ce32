// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_export.h"

#include "base/cancel.h"
#include "export/export_stream.h"
#include "export/parquet/parquet_folder.h"
#include "export/parquet/parquet_slices.h"

static void tell(const struct histree_parquet_options *options, const struct histree_export_counts *counts)
{
	if (options->progress != NULL)
		options->progress(options->progress_context, counts);
}

static enum histree_status write_batches(struct ArrowArrayStream *stream, struct parquet_writer *writer,
					 const struct histree_parquet_options *options, struct histree_error *error)
{
	struct ArrowArray batch;
	enum histree_status status;
	while ((status = export_stream_next(stream, &options->cancel, &batch, error)) == HISTREE_OK) {
		uint64_t groups = writer->counts.row_groups;
		parquet_writer_begin_batch(writer);
		status = parquet_writer_add(writer, &batch, 0, batch.length > 0 ? (size_t)batch.length : 0, error);
		batch.release(&batch);
		if (status != HISTREE_OK)
			return status;
		if (writer->counts.row_groups != groups)
			tell(options, &writer->counts);
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
			writer->counts.damaged_nodes = histree_arrow_damage(stream);
		}
		status = export_output_finish(&output, status, error);
	}
	if (status == HISTREE_OK) {
		writer->counts.damaged_nodes = histree_arrow_damage(stream);
		tell(options, &writer->counts);
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
	while ((status = export_stream_next(stream, &options->cancel, &batch, error)) == HISTREE_OK) {
		status = parquet_slices_add(slices, &batch, error);
		batch.release(&batch);
		if (status != HISTREE_OK)
			break;
		tell(options, &slices->counts);
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
		status = parquet_slices_init(&slices, io, folder.temporary, &schema, options, error);
		if (status == HISTREE_OK)
			status = write_slices(stream, &slices, &options->file, error);
		status = parquet_folder_finish(&folder, status, error);
	}
	if (status == HISTREE_OK) {
		slices.counts.damaged_nodes = histree_arrow_damage(stream);
		tell(&options->file, &slices.counts);
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
	return parquet_codec_has_zstd();
}
