// SPDX-License-Identifier: MIT
/*
 * relation.c - a relation as an ArrowArrayStream: its question, and its batches, one after the other.
 *
 * Two kinds are implemented here: attributes, and segments with their times and a column for each field.
 */
#include "columns/relation.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/table.h"
#include "columns/columns_batch.h"
#include "histree/columns.h"

/* ---- relation ------------------------------------------------------------------------------------------------ */

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
	relation->work = options->work;
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

/* Append a column to the layout.  Returns its number. */
static int relation_add(struct relation *relation, struct columns_column column)
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
	if (cancel_asked(&relation->work))
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

/* ---- columns attributes -------------------------------------------------------------------------------------- */

enum columns_attributes_part { QUARK, PARENT, NAME, PATH, DEPTH, COLUMNS_ATTRIBUTES_PARTS };

struct attributes_source {
	struct relation base;
	const struct histree_attributes *attributes;
	histree_quark next;
	int column[COLUMNS_ATTRIBUTES_PARTS];
	struct columns_texts names, paths; /* of the batch being filled */
	char *text;                        /* room for one */
	size_t text_capacity;
	struct columns_repair room;
};

static struct attributes_source *columns_attributes_source_of(struct relation *base)
{
	return (struct attributes_source *)base;
}

typedef size_t text_of(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
		       size_t capacity);

static enum histree_status add_text(struct attributes_source *source, struct columns_texts *texts, text_of *write,
				    struct histree_error *error)
{
	size_t size = write(source->attributes, source->next, source->text, source->text_capacity);
	if (size >= source->text_capacity) {
		if (!array_reserve(&source->text, &source->text_capacity, size + 1))
			return error_memory(error, "a path");
		write(source->attributes, source->next, source->text, source->text_capacity);
	}
	const void *bytes = source->text;
	enum histree_status status = columns_repair(&source->room, &bytes, &size, error);
	return status == HISTREE_OK ? columns_texts_add(texts, bytes, size, error) : status;
}

static uint32_t depth_of(const struct histree_attributes *attributes, histree_quark quark)
{
	uint32_t depth = 0;
	while ((quark = histree_attributes_parent(attributes, quark)) != HISTREE_ROOT)
		depth++;
	return depth;
}

static enum histree_status columns_attributes_fill_row(struct attributes_source *source,
						       struct columns_batch *batch, struct histree_error *error)
{
	const int *column = source->column;
	histree_quark parent = HISTREE_ROOT;
	enum histree_status status = HISTREE_OK;
	if (column[PARENT] != COLUMN_NONE)
		parent = histree_attributes_parent(source->attributes, source->next);
	relation_put_uint32(batch, column[QUARK], source->next);
	relation_put_or_null(batch, column[PARENT], parent == HISTREE_ROOT ? 0 : parent, parent != HISTREE_ROOT);
	if (column[NAME] != COLUMN_NONE)
		status = add_text(source, &source->names, histree_attributes_name, error);
	if (status == HISTREE_OK && column[PATH] != COLUMN_NONE)
		status = add_text(source, &source->paths, histree_attributes_path, error);
	if (column[DEPTH] != COLUMN_NONE)
		relation_put_uint32(batch, column[DEPTH], depth_of(source->attributes, source->next));
	batch->rows++;
	source->next++;
	return status;
}

static enum histree_status next_attributes(struct relation *base, struct columns_batch *batch,
					   struct histree_error *error)
{
	struct attributes_source *source = columns_attributes_source_of(base);
	uint32_t count = histree_attributes_count(source->attributes);
	columns_texts_release(&source->names);
	columns_texts_release(&source->paths);
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && source->next < count && batch->rows < base->layout.rows_max) {
		status = cancel_check(&base->work, source->next, error);
		if (status == HISTREE_OK)
			status = columns_attributes_fill_row(source, batch, error);
	}
	return status == HISTREE_OK && source->next == count ? HISTREE_END : status;
}

static void release_attributes(struct relation *base)
{
	struct attributes_source *source = columns_attributes_source_of(base);
	columns_texts_release(&source->names);
	columns_texts_release(&source->paths);
	free(source->text);
	free(source->room.bytes);
}

static enum histree_status open_attributes(struct relation *base, const struct relation_question *question,
					   struct histree_error *error)
{
	struct attributes_source *source = columns_attributes_source_of(base);
	const struct relation_part parts[COLUMNS_ATTRIBUTES_PARTS] = {
		[QUARK] = { HISTREE_ARROW_QUARK, { "quark", COLUMN_UINT32, false, NULL } },
		[PARENT] = { HISTREE_ARROW_PARENT, { "parent", COLUMN_UINT32, true, NULL } },
		[NAME] = { HISTREE_ARROW_NAME, { "name", COLUMN_TEXT, false, &source->names } },
		[PATH] = { HISTREE_ARROW_PATH, { "path", COLUMN_TEXT, false, &source->paths } },
		[DEPTH] = { HISTREE_ARROW_DEPTH, { "depth", COLUMN_UINT32, false, NULL } },
	};
	enum histree_status status =
		relation_configure(base, question->options, parts, COLUMNS_ATTRIBUTES_PARTS, "", error);
	if (status != HISTREE_OK)
		return status;
	relation_add_parts(base, parts, COLUMNS_ATTRIBUTES_PARTS, source->column);
	source->attributes = question->attributes;
	source->names.size_max = source->paths.size_max = relation_text_bytes(question->options);
	return HISTREE_OK;
}

enum histree_status histree_attributes_arrow(const struct histree_attributes *attributes,
					     const struct histree_arrow_options *options,
					     struct ArrowArrayStream *out, struct histree_error *error)
{
	static const struct relation_kind kind = { .size = sizeof(struct attributes_source),
						   .open = open_attributes,
						   .next = next_attributes,
						   .release = release_attributes };
	const struct relation_question question = { .attributes = attributes, .options = options };
	return relation_open(&kind, &question, out, error);
}

/* ---- columns segments ---------------------------------------------------------------------------------------- */

enum { FIELDS_MAX = HISTREE_SEGMENT_FIELDS_MAX };

enum columns_segments_part { START, END, DURATION, COLUMNS_SEGMENTS_PARTS };

struct segments_source {
	struct relation base;
	struct histree_cursor *iter;
	int column[COLUMNS_SEGMENTS_PARTS];
	size_t field_count;
	struct {
		int column;
		enum histree_type type;
		char *name;                            /* if it is not that of the field */
		struct columns_dictionary *dictionary; /* of a string */
	} fields[FIELDS_MAX];
};

static struct segments_source *columns_segments_source_of(struct relation *base)
{
	return (struct segments_source *)base;
}

/* ---- rows --------------------------------------------------------------------------------------------- */

static enum histree_status fill_field(struct segments_source *source, struct columns_batch *batch, size_t field,
				      const struct histree_value *value, struct histree_error *error)
{
	size_t column = (size_t)source->fields[field].column, row = batch->rows;
	void *values = batch->values[column];
	bool is_null = value == NULL || value->type != source->fields[field].type;
	batch->valid[column][row] = !is_null;
	switch (source->fields[field].type) {
	case HISTREE_INT:
		((int32_t *)values)[row] = is_null ? 0 : value->int32;
		break;
	case HISTREE_LONG:
		((int64_t *)values)[row] = is_null ? 0 : value->int64;
		break;
	case HISTREE_DOUBLE:
		((double *)values)[row] = is_null ? 0 : value->real;
		break;
	case HISTREE_BOOL:
		((uint8_t *)values)[row] = is_null ? 0 : value->boolean;
		break;
	default:
		((uint32_t *)values)[row] = 0;
		return is_null ? HISTREE_OK
			       : columns_dictionary_id(source->fields[field].dictionary, value->bytes, value->size,
						       &((uint32_t *)values)[row], error);
	}
	return HISTREE_OK;
}

static enum histree_status columns_segments_fill_row(struct segments_source *source, struct columns_batch *batch,
						     const struct histree_segment *segment,
						     struct histree_error *error)
{
	uint64_t ns = histree_segment_duration(segment);
	relation_put_int64(batch, source->column[START], segment->start);
	relation_put_int64(batch, source->column[END], segment->end);
	relation_put_int64(batch, source->column[DURATION], ns > INT64_MAX ? INT64_MAX : (int64_t)ns);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < source->field_count && status == HISTREE_OK; i++)
		if (source->fields[i].column != COLUMN_NONE)
			status = fill_field(source, batch, i,
					    segment->content != NULL ? &segment->content[i] : NULL, error);
	batch->rows++;
	return status;
}

static enum histree_status next_segments(struct relation *base, struct columns_batch *batch,
					 struct histree_error *error)
{
	struct segments_source *source = columns_segments_source_of(base);
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && batch->rows < base->layout.rows_max) {
		status = histree_cursor_next(source->iter, error);
		if (status == HISTREE_OK)
			status = columns_segments_fill_row(source, batch, histree_cursor_segment(source->iter),
							   error);
	}
	return status;
}

/* ---- the source --------------------------------------------------------------------------------------- */

static struct histree_loss segments_loss(const struct relation *base)
{
	return histree_cursor_loss(((const struct segments_source *)base)->iter);
}

static void release_segments(struct relation *base)
{
	struct segments_source *source = columns_segments_source_of(base);
	histree_cursor_free(source->iter);
	for (size_t i = 0; i < source->field_count; i++) {
		free(source->fields[i].name);
		if (source->fields[i].dictionary != NULL)
			columns_dictionary_release(source->fields[i].dictionary);
		free(source->fields[i].dictionary);
	}
}

/* A field that is called as a column that every segment has gets a name of its own. */
static bool has_taken_name(const struct histree_segment_field *field)
{
	return strcasecmp(field->name, "start") == 0 || strcasecmp(field->name, "end") == 0 ||
	       strcasecmp(field->name, "duration") == 0;
}

static enum columns_kind kind_of(enum histree_type type)
{
	return type == HISTREE_INT      ? COLUMN_INT32
	       : type == HISTREE_LONG   ? COLUMN_INT64
	       : type == HISTREE_DOUBLE ? COLUMN_REAL
	       : type == HISTREE_BOOL   ? COLUMN_BOOL
					: COLUMN_WORD;
}

/* What a field may be a column as; its name is the source's, if it is not that of the field. */
static enum histree_status name_field(struct segments_source *source, size_t i,
				      const struct histree_segment_field *field, struct relation_part *out,
				      struct histree_error *error)
{
	*out = (struct relation_part){ HISTREE_ARROW_FIELD(i), { field->name, kind_of(field->type), true, NULL } };
	source->fields[i].column = COLUMN_NONE;
	source->fields[i].type = field->type;
	if (!has_taken_name(field))
		return HISTREE_OK;
	if (asprintf(&source->fields[i].name, "field_%s", field->name) < 0) {
		source->fields[i].name = NULL;
		return error_memory(error, "columns");
	}
	out->column.name = source->fields[i].name;
	return HISTREE_OK;
}

static enum histree_status add_dictionary(struct segments_source *source, size_t i, struct relation_part *part,
					  size_t text_bytes, struct histree_error *error)
{
	if (part->column.kind != COLUMN_WORD || !relation_wants(&source->base, part))
		return HISTREE_OK;
	struct columns_dictionary *dictionary = calloc(1, sizeof(*dictionary));
	if (dictionary == NULL)
		return error_memory(error, "columns");
	source->fields[i].dictionary = dictionary;
	dictionary->texts.size_max = text_bytes;
	part->column.texts = &dictionary->texts;
	return HISTREE_OK;
}

static enum histree_status add_columns(struct segments_source *source, const struct histree_segment_schema *schema,
				       const struct histree_arrow_options *options, struct histree_error *error)
{
	struct relation_part parts[COLUMNS_SEGMENTS_PARTS + FIELDS_MAX] = {
		[START] = { HISTREE_ARROW_START, { "start", COLUMN_TIME, false, NULL } },
		[END] = { HISTREE_ARROW_END, { "end", COLUMN_TIME, false, NULL } },
		[DURATION] = { HISTREE_ARROW_DURATION, { "duration", COLUMN_INT64, false, NULL } },
	};
	int numbers[COLUMNS_SEGMENTS_PARTS + FIELDS_MAX];
	const size_t count = COLUMNS_SEGMENTS_PARTS + schema->field_count;
	enum histree_status status = HISTREE_OK;
	source->field_count = schema->field_count;
	for (size_t i = 0; i < schema->field_count && status == HISTREE_OK; i++)
		status = name_field(source, i, &schema->fields[i], &parts[COLUMNS_SEGMENTS_PARTS + i], error);
	if (status == HISTREE_OK)
		status = relation_configure(&source->base, options, parts, count, "", error);
	for (size_t i = 0; i < schema->field_count && status == HISTREE_OK; i++)
		status = add_dictionary(source, i, &parts[COLUMNS_SEGMENTS_PARTS + i], relation_text_bytes(options),
					error);
	if (status != HISTREE_OK)
		return status;
	relation_add_parts(&source->base, parts, count, numbers);
	memcpy(source->column, numbers, sizeof(source->column));
	for (size_t i = 0; i < schema->field_count; i++)
		source->fields[i].column = numbers[COLUMNS_SEGMENTS_PARTS + i];
	return HISTREE_OK;
}

static enum histree_status open_segments(struct relation *base, const struct relation_question *question,
					 struct histree_error *error)
{
	struct segments_source *source = columns_segments_source_of(base);
	struct histree_segment_query own = question->query != NULL ? *question->query : HISTREE_SEGMENTS_ALL;
	enum histree_status status = add_columns(source, &histree_segment_store_info(question->segments)->schema,
						 question->options, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(question->segments, &source->iter, error);
	if (base->work.go_on != NULL)
		own.work = base->work;
	return status == HISTREE_OK ? histree_segments_start(source->iter, &own, NULL, error) : status;
}

enum histree_status histree_segments_arrow(struct histree_segment_store *store,
					   const struct histree_segment_query *query,
					   const struct histree_arrow_options *options,
					   struct ArrowArrayStream *out, struct histree_error *error)
{
	static const struct relation_kind kind = { .size = sizeof(struct segments_source),
						   .open = open_segments,
						   .next = next_segments,
						   .loss = segments_loss,
						   .release = release_segments };
	const struct relation_question question = { .segments = store, .query = query, .options = options };
	return relation_open(&kind, &question, out, error);
}
