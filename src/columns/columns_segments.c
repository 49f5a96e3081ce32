// SPDX-License-Identifier: MIT
/*
 * columns_segments.c - segments as columns: their times, and a column for each field.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "columns/columns_batch.h"
#include "columns/relation.h"
#include "histree/columns.h"

enum { FIELDS_MAX = HISTREE_SEGMENT_FIELDS_MAX };

enum part { START, END, DURATION, PARTS };

struct segments_source {
	struct relation base;
	struct histree_cursor *iter;
	int column[PARTS];
	size_t field_count;
	struct {
		int column;
		enum histree_type type;
		char *name;                            /* if it is not that of the field */
		struct columns_dictionary *dictionary; /* of a string */
	} fields[FIELDS_MAX];
};

static struct segments_source *source_of(struct relation *base)
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

static enum histree_status fill_row(struct segments_source *source, struct columns_batch *batch,
				    const struct histree_segment *segment, struct histree_error *error)
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
	struct segments_source *source = source_of(base);
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && batch->rows < base->layout.rows_max) {
		status = histree_cursor_next(source->iter, error);
		if (status == HISTREE_OK)
			status = fill_row(source, batch, histree_cursor_segment(source->iter), error);
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
	struct segments_source *source = source_of(base);
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
	struct relation_part parts[PARTS + FIELDS_MAX] = {
		[START] = { HISTREE_ARROW_START, { "start", COLUMN_TIME, false, NULL } },
		[END] = { HISTREE_ARROW_END, { "end", COLUMN_TIME, false, NULL } },
		[DURATION] = { HISTREE_ARROW_DURATION, { "duration", COLUMN_INT64, false, NULL } },
	};
	int numbers[PARTS + FIELDS_MAX];
	const size_t count = PARTS + schema->field_count;
	enum histree_status status = HISTREE_OK;
	source->field_count = schema->field_count;
	for (size_t i = 0; i < schema->field_count && status == HISTREE_OK; i++)
		status = name_field(source, i, &schema->fields[i], &parts[PARTS + i], error);
	if (status == HISTREE_OK)
		status = relation_configure(&source->base, options, parts, count, "", error);
	for (size_t i = 0; i < schema->field_count && status == HISTREE_OK; i++)
		status = add_dictionary(source, i, &parts[PARTS + i], relation_text_bytes(options), error);
	if (status != HISTREE_OK)
		return status;
	relation_add_parts(&source->base, parts, count, numbers);
	memcpy(source->column, numbers, sizeof(source->column));
	for (size_t i = 0; i < schema->field_count; i++)
		source->fields[i].column = numbers[PARTS + i];
	return HISTREE_OK;
}

static enum histree_status open_segments(struct relation *base, const struct relation_question *question,
					 struct histree_error *error)
{
	struct segments_source *source = source_of(base);
	struct histree_segment_query own = question->query != NULL ? *question->query : HISTREE_SEGMENTS_ALL;
	enum histree_status status = add_columns(source, &histree_segment_store_info(question->segments)->schema,
						 question->options, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(question->segments, &source->iter, error);
	if (base->cancel.go_on != NULL)
		own.cancel = base->cancel;
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
