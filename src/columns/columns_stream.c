// SPDX-License-Identifier: MIT
#include "columns/columns_stream.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"

struct columns_stream {
	struct columns_source *source;
	struct columns_pool *pool;
	struct histree_error error;
	enum histree_status status; /* HISTREE_OK; HISTREE_END: the source has no more; or what it failed with */
};

/* ---- the layout --------------------------------------------------------------------------------------- */

enum histree_status columns_source_configure(struct columns_source *source,
					     const struct histree_arrow_options *options, uint64_t known,
					     uint64_t *wanted, struct histree_error *error)
{
	static const struct histree_arrow_options defaults;
	if (options == NULL)
		options = &defaults;
	*wanted = options->columns != 0 ? options->columns & known : known;
	source->cancel = options->cancel;
	source->layout.rows_max =
		options->batch_rows != 0 ? options->batch_rows : (uint32_t)HISTREE_ARROW_BATCH_ROWS_MAX;
	if (options->batch_rows > HISTREE_ARROW_BATCH_ROWS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "batches of %u rows: they may have 1 to %d",
				 options->batch_rows, HISTREE_ARROW_BATCH_ROWS_MAX);
	if (options->text_bytes > COLUMNS_TEXTS_BYTES_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "%zu bytes for the texts of a column: they may take %zu", options->text_bytes,
				 COLUMNS_TEXTS_BYTES_MAX);
	if (*wanted == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "none of the columns is wanted (0x%llx of 0x%llx)",
				 (unsigned long long)options->columns, (unsigned long long)known);
	return HISTREE_OK;
}

int columns_source_add(struct columns_source *source, struct columns_column column)
{
	assert(source->layout.count < COLUMNS_MAX);
	source->layout.columns[source->layout.count] = column;
	return (int)source->layout.count++;
}

/* ---- the callbacks ------------------------------------------------------------------------------------ */

static int code_of(enum histree_status status)
{
	switch (status) {
	case HISTREE_OK:
		return 0;
	case HISTREE_ERR_MEMORY:
		return ENOMEM;
	case HISTREE_ERR_CANCELLED:
		return ECANCELED;
	case HISTREE_ERR_ARGUMENT:
		return EINVAL;
	default:
		return EIO;
	}
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct columns_stream *self = stream->private_data;
	return code_of(columns_schema(&self->source->layout, out, &self->error));
}

/* One more batch; none, with HISTREE_END, if the source had no more rows. */
static enum histree_status make_batch(struct columns_stream *self, struct ArrowArray *out)
{
	struct columns_source *source = self->source;
	struct columns_batch batch;
	if (cancel_asked(&source->cancel))
		return error_set(&self->error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
	enum histree_status status = columns_batch_begin(self->pool, &source->layout, &batch, &self->error);
	if (status != HISTREE_OK)
		return status;
	status = source->fill(source, &batch, &self->error);
	if (status < 0 || batch.rows == 0) {
		columns_batch_drop(&batch);
		return status;
	}
	enum histree_status finished = columns_batch_finish(&batch, out, &self->error);
	return finished != HISTREE_OK ? finished : status;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct columns_stream *self = stream->private_data;
	*out = (struct ArrowArray){ 0 };
	if (self->status == HISTREE_OK)
		self->status = make_batch(self, out);
	return self->status < 0 ? code_of(self->status) : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	const struct columns_stream *self = stream->private_data;
	return self->error.message[0] != '\0' ? self->error.message : NULL;
}

static void free_stream(struct columns_stream *self)
{
	columns_pool_leave(self->pool);
	self->source->free(self->source);
	free(self);
}

static void release(struct ArrowArrayStream *stream)
{
	free_stream(stream->private_data);
	stream->private_data = NULL;
	stream->release = NULL;
}

enum histree_status columns_stream_open(struct columns_source *source, struct ArrowArrayStream *out,
					struct histree_error *error)
{
	struct columns_stream *self = calloc(1, sizeof(*self));
	if (self == NULL) {
		source->free(source);
		return error_memory(error, "columns");
	}
	self->source = source;
	enum histree_status status = columns_pool_create(&source->layout, &self->pool, error);
	if (status != HISTREE_OK) {
		free_stream(self);
		return status;
	}
	*out = (struct ArrowArrayStream){
		.get_schema = get_schema,
		.get_next = get_next,
		.get_last_error = get_last_error,
		.release = release,
		.private_data = self,
	};
	return HISTREE_OK;
}

uint64_t histree_arrow_damage(const struct ArrowArrayStream *stream)
{
	if (stream->release != release)
		return 0;
	const struct columns_stream *self = stream->private_data;
	return self->source->damage != NULL ? self->source->damage(self->source) : 0;
}
