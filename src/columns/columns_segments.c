// SPDX-License-Identifier: MIT
/*
 * Segments as columns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "columns/columns_batch.h"
#include "columns/columns_stream.h"
#include "histree/arrow.h"

enum { FIELDS_MAX = HISTREE_SEGMENT_FIELDS_MAX };

struct segments_source {
	struct columns_source base;
	struct histree_segment_iter *iter;
	uint64_t losses; /* met so far */
	int start, end, duration;
	size_t field_count;
	struct {
		int column;
		enum histree_type type;
		char *name;                            /* if it is not that of the field */
		struct columns_dictionary *dictionary; /* of a string */
	} fields[FIELDS_MAX];
};

static struct segments_source *source_of(struct columns_source *base)
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
	size_t row = batch->rows;
	if (source->start != COLUMN_NONE)
		((int64_t *)batch->values[source->start])[row] = segment->start;
	if (source->end != COLUMN_NONE)
		((int64_t *)batch->values[source->end])[row] = segment->end;
	if (source->duration != COLUMN_NONE) {
		uint64_t ns = histree_segment_duration(segment);
		((int64_t *)batch->values[source->duration])[row] = ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
	}
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < source->field_count && status == HISTREE_OK; i++)
		if (source->fields[i].column != COLUMN_NONE)
			status = fill_field(source, batch, i,
					    segment->content != NULL ? &segment->content[i] : NULL, error);
	batch->rows++;
	return status;
}

static enum histree_status fill(struct columns_source *base, struct columns_batch *batch,
				struct histree_error *error)
{
	struct segments_source *source = source_of(base);
	struct histree_segment segment;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && batch->rows < base->layout.rows_max) {
		status = histree_segment_iter_next(source->iter, &segment, error);
		if (status == HISTREE_OK) {
			status = fill_row(source, batch, &segment, error);
		} else if (status == HISTREE_PARTIAL) {
			source->losses++;
			status = HISTREE_OK;
		}
	}
	return status;
}

/* ---- the source --------------------------------------------------------------------------------------- */

static uint64_t damage(const struct columns_source *base)
{
	return ((const struct segments_source *)base)->losses;
}

static void free_source(struct columns_source *base)
{
	struct segments_source *source = source_of(base);
	histree_segment_iter_free(source->iter);
	for (size_t i = 0; i < source->field_count; i++) {
		free(source->fields[i].name);
		if (source->fields[i].dictionary != NULL)
			columns_dictionary_release(source->fields[i].dictionary);
		free(source->fields[i].dictionary);
	}
	free(source);
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

static enum histree_status add_field(struct segments_source *source, size_t i,
				     const struct histree_segment_field *field, size_t text_bytes,
				     struct histree_error *error)
{
	struct columns_column column = { .name = field->name, .kind = kind_of(field->type), .is_nullable = true };
	if (has_taken_name(field)) {
		if (asprintf(&source->fields[i].name, "field_%s", field->name) < 0) {
			source->fields[i].name = NULL;
			return error_memory(error, "columns");
		}
		column.name = source->fields[i].name;
	}
	if (column.kind == COLUMN_WORD) {
		struct columns_dictionary *dictionary = calloc(1, sizeof(*dictionary));
		if (dictionary == NULL)
			return error_memory(error, "columns");
		source->fields[i].dictionary = dictionary;
		dictionary->texts.size_max = text_bytes;
		column.texts = &dictionary->texts;
	}
	source->fields[i].column = columns_source_add(&source->base, column);
	return HISTREE_OK;
}

static enum histree_status add_columns(struct segments_source *source, const struct histree_segment_schema *schema,
				       uint64_t wanted, size_t text_bytes, struct histree_error *error)
{
	const struct {
		uint64_t bit;
		const char *name;
		enum columns_kind kind;
		int *column;
	} all[] = {
		{ HISTREE_ARROW_START, "start", COLUMN_TIME, &source->start },
		{ HISTREE_ARROW_END, "end", COLUMN_TIME, &source->end },
		{ HISTREE_ARROW_DURATION, "duration", COLUMN_INT64, &source->duration },
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		*all[i].column =
			(wanted & all[i].bit) != 0
				? columns_source_add(&source->base, (struct columns_column){ .name = all[i].name,
											     .kind = all[i].kind })
				: COLUMN_NONE;
	source->field_count = schema->field_count;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < schema->field_count && status == HISTREE_OK; i++) {
		source->fields[i].column = COLUMN_NONE;
		source->fields[i].type = schema->fields[i].type;
		if ((wanted & HISTREE_ARROW_FIELD(i)) != 0)
			status = add_field(source, i, &schema->fields[i], text_bytes, error);
	}
	return status;
}

static enum histree_status begin(struct segments_source *source, struct histree_segment_store *store,
				 const struct histree_segment_query *query,
				 const struct histree_arrow_options *options, struct histree_error *error)
{
	const struct histree_segment_schema *schema = &histree_segment_store_info(store)->schema;
	struct histree_segment_query own = query != NULL ? *query : HISTREE_SEGMENTS_ALL;
	uint64_t known = HISTREE_ARROW_START | HISTREE_ARROW_END | HISTREE_ARROW_DURATION, wanted;
	known |= HISTREE_ARROW_FIELD(schema->field_count) - HISTREE_ARROW_FIELD(0);
	enum histree_status status = columns_source_configure(&source->base, options, known, &wanted, error);
	if (status == HISTREE_OK)
		status = add_columns(source, schema, wanted, columns_text_bytes(options), error);
	if (status == HISTREE_OK)
		status = histree_segment_iter_create(store, &source->iter, error);
	if (source->base.cancel.go_on != NULL)
		own.cancel = source->base.cancel;
	if (status == HISTREE_OK)
		status = histree_segment_iter_start(source->iter, &own, NULL, error);
	return status;
}

enum histree_status histree_segments_arrow(struct histree_segment_store *store,
					   const struct histree_segment_query *query,
					   const struct histree_arrow_options *options,
					   struct ArrowArrayStream *out, struct histree_error *error)
{
	*out = (struct ArrowArrayStream){ 0 };
	struct segments_source *source = calloc(1, sizeof(*source));
	if (source == NULL)
		return error_memory(error, "columns");
	source->base.fill = fill;
	source->base.damage = damage;
	source->base.free = free_source;
	enum histree_status status = begin(source, store, query, options, error);
	if (status == HISTREE_OK)
		return columns_stream_open(&source->base, out, error);
	free_source(&source->base);
	return status;
}
