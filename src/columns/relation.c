// SPDX-License-Identifier: MIT
/*
 * relation.c - a relation as an ArrowArrayStream: what is asked of it, and its batches, one after the other.
 */
#include "columns/relation.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"

struct relation_stream {
	struct relation *relation;
	struct columns_pool *pool;
	struct histree_error error;
	enum histree_status status; /* HISTREE_OK; HISTREE_END: the relation has no more; or what it failed with */
};

/* ---- the layout --------------------------------------------------------------------------------------- */

/* Returns whether a list of names, with commas between them, has this one. */
static bool has_name(const char *list, const char *name)
{
	const size_t size = strlen(name);
	while (list != NULL) {
		if (strncmp(list, name, size) == 0 && (list[size] == ',' || list[size] == '\0'))
			return true;
		list = strchr(list, ',');
		list += list != NULL;
	}
	return false;
}

bool relation_wants(const struct relation *relation, const struct relation_part *part)
{
	return relation->names != NULL ? has_name(relation->names, part->column.name)
				       : (relation->wanted & part->bit) != 0;
}

static enum histree_status no_column(const struct relation_part *parts, size_t count, const char *word, size_t size,
				     const char *hint, struct histree_error *error)
{
	char names[400] = "";
	size_t length = 0;
	for (size_t i = 0; i < count && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i > 0 ? ", " : "",
					   parts[i].column.name);
	return error_set(error, HISTREE_ERR_ARGUMENT, "there is no column '%.*s'; there are %s%s",
			 (int)(size < 100 ? size : 100), word, names, hint);
}

/* Each name of the list has to be one of a column. */
static enum histree_status check_names(const struct relation_part *parts, size_t count, const char *list,
				       const char *hint, struct histree_error *error)
{
	while (*list != '\0') {
		const size_t size = strcspn(list, ",");
		size_t i = 0;
		while (i < count &&
		       (strlen(parts[i].column.name) != size || memcmp(parts[i].column.name, list, size) != 0))
			i++;
		if (i == count)
			return no_column(parts, count, list, size, hint, error);
		list += size + (list[size] == ',');
	}
	return HISTREE_OK;
}

enum histree_status relation_configure(struct relation *relation, const struct histree_arrow_options *options,
				       const struct relation_part *parts, size_t count, const char *hint,
				       struct histree_error *error)
{
	uint64_t known = 0;
	bool wants_some = false;
	for (size_t i = 0; i < count; i++)
		known |= parts[i].bit;
	relation->names = options->names;
	relation->wanted = options->columns != 0 ? options->columns & known : known;
	relation->cancel = options->cancel;
	relation->layout.rows_max =
		options->batch_rows != 0 ? options->batch_rows : (uint32_t)HISTREE_ARROW_BATCH_ROWS_MAX;
	if (options->batch_rows > HISTREE_ARROW_BATCH_ROWS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "batches of %u rows: they may have 1 to %d",
				 options->batch_rows, HISTREE_ARROW_BATCH_ROWS_MAX);
	if (options->text_bytes > COLUMNS_TEXTS_BYTES_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "%zu bytes for the texts of a column: they may take %zu", options->text_bytes,
				 COLUMNS_TEXTS_BYTES_MAX);
	if (options->names != NULL && check_names(parts, count, options->names, hint, error) != HISTREE_OK)
		return HISTREE_ERR_ARGUMENT;
	for (size_t i = 0; i < count; i++)
		wants_some = wants_some || relation_wants(relation, &parts[i]);
	if (!wants_some)
		return error_set(error, HISTREE_ERR_ARGUMENT, "none of the columns is wanted (0x%llx of 0x%llx)",
				 (unsigned long long)options->columns, (unsigned long long)known);
	return HISTREE_OK;
}

int relation_add(struct relation *relation, struct columns_column column)
{
	assert(relation->layout.count < COLUMNS_MAX);
	relation->layout.columns[relation->layout.count] = column;
	return (int)relation->layout.count++;
}

void relation_add_parts(struct relation *relation, const struct relation_part *parts, size_t count, int *numbers)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] =
			relation_wants(relation, &parts[i]) ? relation_add(relation, parts[i].column) : COLUMN_NONE;
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
	struct relation_stream *self = stream->private_data;
	return code_of(columns_schema(&self->relation->layout, out, &self->error));
}

/* One more batch; none, with HISTREE_END, if the relation had no more rows. */
static enum histree_status make_batch(struct relation_stream *self, struct ArrowArray *out)
{
	struct relation *relation = self->relation;
	struct columns_batch batch;
	if (cancel_asked(&relation->cancel))
		return error_set(&self->error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted");
	enum histree_status status = columns_batch_begin(self->pool, &relation->layout, &batch, &self->error);
	if (status != HISTREE_OK)
		return status;
	status = relation->kind->next(relation, &batch, &self->error);
	if (status < 0 || batch.rows == 0) {
		columns_batch_drop(&batch);
		return status;
	}
	enum histree_status finished = columns_batch_finish(&batch, out, &self->error);
	return finished != HISTREE_OK ? finished : status;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct relation_stream *self = stream->private_data;
	*out = (struct ArrowArray){ 0 };
	if (self->status == HISTREE_OK)
		self->status = make_batch(self, out);
	return self->status < 0 ? code_of(self->status) : 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
	const struct relation_stream *self = stream->private_data;
	return self->error.message[0] != '\0' ? self->error.message : NULL;
}

static void relation_free(struct relation *relation)
{
	relation->kind->release(relation);
	free(relation);
}

static void release(struct ArrowArrayStream *stream)
{
	struct relation_stream *self = stream->private_data;
	columns_pool_leave(self->pool);
	relation_free(self->relation);
	free(self);
	stream->private_data = NULL;
	stream->release = NULL;
}

static enum histree_status open_stream(struct relation *relation, struct ArrowArrayStream *out,
				       struct histree_error *error)
{
	struct relation_stream *self = calloc(1, sizeof(*self));
	enum histree_status status = self != NULL ? columns_pool_create(&relation->layout, &self->pool, error)
						  : error_memory(error, "columns");
	if (status != HISTREE_OK) {
		free(self);
		return status;
	}
	self->relation = relation;
	*out = (struct ArrowArrayStream){
		.get_schema = get_schema,
		.get_next = get_next,
		.get_last_error = get_last_error,
		.release = release,
		.private_data = self,
	};
	return HISTREE_OK;
}

enum histree_status relation_open(const struct relation_kind *kind, const struct relation_question *question,
				  struct ArrowArrayStream *out, struct histree_error *error)
{
	static const struct histree_arrow_options defaults;
	struct relation_question own = *question;
	struct relation *relation = calloc(1, kind->size);
	*out = (struct ArrowArrayStream){ 0 };
	if (relation == NULL)
		return error_memory(error, "columns");
	assert(kind->size >= sizeof(*relation) && kind->open != NULL && kind->next != NULL &&
	       kind->release != NULL);
	relation->kind = kind;
	if (own.options == NULL)
		own.options = &defaults;
	enum histree_status status = kind->open(relation, &own, error);
	if (status == HISTREE_OK)
		status = open_stream(relation, out, error);
	if (status != HISTREE_OK)
		relation_free(relation);
	return status;
}

struct histree_loss histree_arrow_loss(const struct ArrowArrayStream *stream)
{
	if (stream->release != release)
		return (struct histree_loss){ 0 };
	const struct relation_stream *self = stream->private_data;
	return self->relation->kind->loss != NULL ? self->relation->kind->loss(self->relation)
						  : (struct histree_loss){ 0 };
}
