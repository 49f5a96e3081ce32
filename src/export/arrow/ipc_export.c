// SPDX-License-Identifier: MIT
/*
 * ipc_export.c - Arrow IPC, of any stream.
 *
 * The dictionaries of a stream come before the batches that need them, as far as they have grown.  Those of a file
 * come once, after all batches: a reader of files finds them by the footer, and the last batch has all that others
 * have. So a file has no deltas, which not every reader knows.
 */
#include "export/arrow/ipc_export.h"

#include <stdlib.h>

#include "base/error.h"
#include "export/arrow/ipc_message.h"
#include "export/export_output.h"

enum { LEVEL_DEFAULT = 1, LEVEL_MAX = 19 };

struct ipc_export {
	const struct histree_ipc_options *options;
	struct ArrowArrayStream *stream;
	struct ArrowSchema schema;
	struct ipc_fields fields;
	struct export_output output;
	struct ipc_output ipc;
	struct ipc_body body;
	struct ipc_blocks dictionaries, batches;
	struct ArrowArray last; /* the batch before, whose dictionaries are compared with those of the next */
	struct histree_export_counts counts;
};

/* ---- batches ------------------------------------------------------------------------------------------ */

static enum histree_status check_batch(const struct ipc_export *export, const struct ArrowArray *batch,
				       struct histree_error *error)
{
	if (batch->n_children != (int64_t) export->fields.count)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch has %lld columns; its schema has %zu",
				 (long long)batch->n_children, export->fields.count);
	if (batch->null_count != 0 && batch->n_buffers > 0 && batch->buffers[0] != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a batch has rows that are null as a whole");
	for (size_t i = 0; i < export->fields.count; i++) {
		const struct ArrowArray *column = batch->children[i];
		if (column->length < batch->offset + batch->length ||
		    (column->dictionary != NULL) != export->fields.fields[i].has_dictionary)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "column '%s' of a batch is not as its schema says",
					 export->fields.fields[i].name);
	}
	return HISTREE_OK;
}

static enum histree_status put_dictionaries(struct ipc_export *export, const struct ArrowArray *batch,
					    struct histree_error *error)
{
	const struct ArrowArray *before = export->last.release != NULL ? &export->last : NULL;
	if (export->options->is_stream)
		return ipc_dictionaries_stream(&export->ipc, &export->fields, &export->body, batch, before, error);
	return before != NULL ? ipc_dictionaries_check(&export->fields, batch, before, error) : HISTREE_OK;
}

static enum histree_status put_batch(struct ipc_export *export, const struct ArrowArray *batch,
				     struct histree_error *error)
{
	enum histree_status status = check_batch(export, batch, error);
	if (status == HISTREE_OK)
		status = put_dictionaries(export, batch, error);
	ipc_body_clear(&export->body);
	for (size_t i = 0; i < export->fields.count && status == HISTREE_OK; i++)
		status = ipc_body_add(&export->body, &export->fields.fields[i].type, batch->children[i],
				      batch->offset, batch->length, error);
	if (status == HISTREE_OK)
		status = ipc_output_batch(&export->ipc, &export->body, batch->length,
					  export->options->is_stream ? NULL : &export->batches, error);
	ipc_body_clear(&export->body);
	return status;
}

static void tell(struct ipc_export *export, const struct ArrowArray *batch)
{
	const struct histree_ipc_options *options = export->options;
	export->counts.rows += (uint64_t)batch->length;
	export->counts.row_groups++;
	export->counts.bytes = export->ipc.at;
	export->counts.loss = histree_arrow_loss(export->stream);
	if (options->progress != NULL)
		options->progress(options->progress_context, &export->counts);
}

static enum histree_status put_batches(struct ipc_export *export, struct histree_error *error)
{
	struct ArrowArray batch;
	enum histree_status status;
	while ((status = export_stream_next(export->stream, &export->options->cancel, &batch, error)) ==
	       HISTREE_OK) {
		status = put_batch(export, &batch, error);
		if (export->last.release != NULL)
			export->last.release(&export->last);
		export->last = batch;
		if (status != HISTREE_OK)
			return status;
		tell(export, &batch);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static enum histree_status put_all(struct ipc_export *export, struct histree_error *error)
{
	bool is_stream = export->options->is_stream;
	const struct ArrowArray *last = &export->last;
	enum histree_status status = ipc_output_init(&export->ipc, &export->output, error);
	if (status == HISTREE_OK && !is_stream)
		status = ipc_output_magic(&export->ipc, error);
	if (status == HISTREE_OK)
		status = ipc_output_schema(&export->ipc, &export->fields, error);
	if (status == HISTREE_OK)
		status = put_batches(export, error);
	if (status == HISTREE_OK && !is_stream)
		status = ipc_dictionaries_file(&export->ipc, &export->fields, &export->body,
					       last->release != NULL ? last : NULL, &export->dictionaries, error);
	if (status == HISTREE_OK)
		status = ipc_output_end(&export->ipc, error);
	if (status == HISTREE_OK && !is_stream)
		status = ipc_output_footer(&export->ipc, &export->fields, &export->dictionaries, &export->batches,
					   error);
	export->counts.bytes = export->ipc.at;
	export->counts.files = 1;
	export->counts.loss = histree_arrow_loss(export->stream);
	return status;
}

static enum histree_status choose_compression(struct ipc_export *export, struct histree_error *error)
{
	int level = export->options->level != 0 ? export->options->level : LEVEL_DEFAULT;
	if (!export->options->is_compressed)
		return HISTREE_OK;
	if (!zstd_is_there)
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"compression needs zstd, which this library was built without (Debian: libzstd-dev)");
	if (level < 1 || level > LEVEL_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "level %d of zstd: there are 1 to %d", level,
				 LEVEL_MAX);
	export->body.zstd = zstd_packer_create(level);
	return export->body.zstd != NULL ? HISTREE_OK : error_memory(error, "compression");
}

static enum histree_status begin(struct ipc_export *export, const struct io *io, const char *path,
				 struct histree_error *error)
{
	enum histree_status status = export_stream_schema(export->stream, &export->schema, error);
	if (status == HISTREE_OK)
		status = ipc_fields_read(&export->fields, &export->schema, error);
	if (status == HISTREE_OK)
		status = choose_compression(export, error);
	if (status != HISTREE_OK)
		return status;
	if (path != NULL)
		return export_output_open(&export->output, io, path, error);
	export_output_use(&export->output, export->options->descriptor);
	return HISTREE_OK;
}

static void release(struct ipc_export *export)
{
	struct zstd_packer *zstd = export->body.zstd;
	ipc_output_release(&export->ipc);
	ipc_body_release(&export->body);
	zstd_packer_free(zstd);
	ipc_fields_release(&export->fields);
	free(export->dictionaries.blocks);
	free(export->batches.blocks);
	if (export->last.release != NULL)
		export->last.release(&export->last);
	if (export->schema.release != NULL)
		export->schema.release(&export->schema);
	export->stream->release(export->stream);
}

enum histree_status ipc_export(const struct io *io, struct ArrowArrayStream *stream, const char *path,
			       const struct histree_ipc_options *options, struct histree_error *error)
{
	static const struct histree_ipc_options defaults;
	struct ipc_export export = { .options = options != NULL ? options : &defaults, .stream = stream };
	enum histree_status status = begin(&export, io, path, error);
	if (status == HISTREE_OK) {
		status = put_all(&export, error);
		status = export_output_finish(&export.output, status, error);
	}
	release(&export);
	if (export.options->counts != NULL)
		*export.options->counts = export.counts;
	return status;
}

enum histree_status histree_export_arrow(struct ArrowArrayStream *stream, const char *path,
					 const struct histree_ipc_options *options, struct histree_error *error)
{
	return ipc_export(&io_posix, stream, path, options, error);
}
