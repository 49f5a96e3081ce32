// SPDX-License-Identifier: MIT
#include "export/parquet/parquet_column.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct named_format {
	const char *format;
	struct parquet_type type;
};

static const struct named_format formats[] = {
	{ "b", { .kind = PARQUET_BOOLEAN } },
	{ "c", { .kind = PARQUET_INT32, .bits = 8, .is_signed = true } },
	{ "C", { .kind = PARQUET_INT32, .bits = 8 } },
	{ "s", { .kind = PARQUET_INT32, .bits = 16, .is_signed = true } },
	{ "S", { .kind = PARQUET_INT32, .bits = 16 } },
	{ "i", { .kind = PARQUET_INT32, .bits = 32, .is_signed = true } },
	{ "I", { .kind = PARQUET_INT32, .bits = 32 } },
	{ "l", { .kind = PARQUET_INT64, .bits = 64, .is_signed = true } },
	{ "L", { .kind = PARQUET_INT64, .bits = 64 } },
	{ "g", { .kind = PARQUET_DOUBLE } },
	{ "u", { .kind = PARQUET_TEXT } },
	{ "U", { .kind = PARQUET_TEXT } },
};

/* "tsn:UTC" and its like: a unit, and a time zone or none. */
static bool time_type(const char *format, struct parquet_type *type)
{
	if (strncmp(format, "ts", 2) != 0 || format[2] == '\0' || format[3] != ':')
		return false;
	const char *unit = strchr("mun", format[2]);
	if (unit == NULL)
		return false;
	*type = (struct parquet_type){
		.kind = PARQUET_INT64,
		.bits = 64,
		.is_signed = true,
		.is_utc = format[4] != '\0', /* instants, in whichever zone they are shown */
		.unit = *unit == 'm'   ? PARQUET_MILLIS
			: *unit == 'u' ? PARQUET_MICROS
				       : PARQUET_NANOS,
	};
	return true;
}

static bool find_type(const char *format, struct parquet_type *type)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(format, formats[i].format) == 0) {
			*type = formats[i].type;
			return true;
		}
	}
	return time_type(format, type);
}

enum histree_status parquet_column_init(struct parquet_column *column, const struct ArrowSchema *schema,
					struct histree_error *error)
{
	*column = (struct parquet_column){ .is_nullable = (schema->flags & ARROW_FLAG_NULLABLE) != 0 };
	const char *name = schema->name != NULL ? schema->name : "";
	const struct ArrowSchema *texts = schema->dictionary;
	const char *format = texts != NULL ? texts->format : schema->format;
	if (!find_type(format, &column->type))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s': a Parquet file of histree has no type for '%s' of Arrow; leave the "
				 "column out, or cast it to an integer, a double, a text or a timestamp",
				 name, format);
	struct parquet_type position = column->type;
	if (texts != NULL && (column->type.kind != PARQUET_TEXT || !find_type(schema->format, &position) ||
			      position.bits == 0 || position.unit != PARQUET_NO_TIME))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s': a dictionary of '%s' by '%s' is no dictionary of texts by integers; "
				 "hand its values over without a dictionary",
				 name, format, schema->format);
	column->format = texts != NULL ? schema->format[0] : column->type.unit != PARQUET_NO_TIME ? 'l' : format[0];
	column->is_dictionary = texts != NULL;
	column->is_large = format[0] == 'U';
	column->name = strdup(name);
	return column->name == NULL ? error_memory(error, "the name of a column") : HISTREE_OK;
}

void parquet_column_release(struct parquet_column *column)
{
	free(column->name);
	free(column->narrow);
	free(column->wide);
	free(column->present);
	free(column->known);
	parquet_texts_release(&column->texts);
	*column = (struct parquet_column){ 0 };
}

void parquet_column_clear(struct parquet_column *column)
{
	column->null_count = 0;
	free(column->present);
	column->present = NULL;
	column->present_capacity = 0;
	parquet_texts_clear(&column->texts);
	column->known_count = 0;
	column->batch = 0;
}

void parquet_column_shrink(struct parquet_column *column)
{
	free(column->narrow);
	free(column->wide);
	free(column->known);
	column->narrow = NULL;
	column->wide = NULL;
	column->known = NULL;
	column->capacity = column->known_capacity = column->known_count = 0;
}

void parquet_column_begin_batch(struct parquet_column *column)
{
	column->batch++;
}

static bool bit_at(const uint8_t *bits, size_t at)
{
	return (bits[at / 8] >> (at % 8) & 1) != 0;
}

/* From now on there is a byte for each row. */
static bool need_present(struct parquet_column *column, size_t rows, size_t count)
{
	bool is_first = column->present == NULL;
	if (!array_reserve(&column->present, &column->present_capacity, rows + count))
		return false;
	if (is_first)
		memset(column->present, 1, rows);
	return true;
}

static enum histree_status mark_null(struct parquet_column *column, size_t rows, size_t i, size_t count,
				     struct histree_error *error)
{
	if (!column->is_nullable)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s' has a null, though its schema says that it has none", column->name);
	if (column->present == NULL) {
		if (!need_present(column, rows, count))
			return error_memory(error, "the nulls of a row group");
		memset(column->present + rows, 1, count);
	}
	column->present[rows + i] = 0;
	column->null_count++;
	return HISTREE_OK;
}

static enum histree_status append_validity(struct parquet_column *column, size_t rows, const uint8_t *valid,
					   size_t from, size_t count, struct histree_error *error)
{
	if (valid == NULL) {
		if (column->present != NULL) {
			if (!need_present(column, rows, count))
				return error_memory(error, "the nulls of a row group");
			memset(column->present + rows, 1, count);
		}
		return HISTREE_OK;
	}
	size_t nulls = 0;
	if (!need_present(column, rows, count))
		return error_memory(error, "the nulls of a row group");
	uint8_t *present = column->present + rows;
	for (size_t i = 0; i < count; i++) {
		present[i] = bit_at(valid, from + i);
		nulls += !present[i];
	}
	if (nulls > 0 && !column->is_nullable)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "column '%s' has a null, though its schema says that it has none", column->name);
	column->null_count += nulls;
	return HISTREE_OK;
}

static void append_numbers(struct parquet_column *column, size_t rows, const void *values, size_t from,
			   size_t count)
{
	uint32_t *narrow = column->narrow + (column->narrow != NULL ? rows : 0);
#define COPY(type)                                                \
	do {                                                      \
		const type *source = (const type *)values + from; \
		for (size_t i = 0; i < count; i++)                \
			narrow[i] = (uint32_t)(int32_t)source[i]; \
	} while (0)
	switch (column->format) {
	case 'b':
		for (size_t i = 0; i < count; i++)
			narrow[i] = bit_at(values, from + i);
		break;
	case 'c':
		COPY(int8_t);
		break;
	case 'C':
		COPY(uint8_t);
		break;
	case 's':
		COPY(int16_t);
		break;
	case 'S':
		COPY(uint16_t);
		break;
	case 'i':
	case 'I':
		memcpy(narrow, (const uint32_t *)values + from, count * sizeof(uint32_t));
		break;
	default:
		memcpy(column->wide + rows, (const uint64_t *)values + from, count * sizeof(uint64_t));
	}
#undef COPY
}

/* What lies under a null can be anything; zeros pack best, and no comparison meets rubbish. */
static void clear_nulls(struct parquet_column *column, size_t rows, size_t count)
{
	for (size_t i = rows; i < rows + count; i++) {
		if (column->present[i])
			continue;
		if (parquet_is_wide(column->type.kind))
			column->wide[i] = 0;
		else
			column->narrow[i] = 0;
	}
}

static enum histree_status get_text(const struct parquet_column *column, const struct ArrowArray *array, size_t at,
				    struct parquet_text *text, struct histree_error *error)
{
	int64_t begin, end;
	if (column->is_large) {
		const int64_t *offsets = array->buffers[1];
		begin = offsets[at], end = offsets[at + 1];
	} else {
		const int32_t *offsets = array->buffers[1];
		begin = offsets[at], end = offsets[at + 1];
	}
	if (begin < 0 || end < begin || end - begin > INT32_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "column '%s': a text from byte %lld to %lld",
				 column->name, (long long)begin, (long long)end);
	*text = (struct parquet_text){ (const char *)array->buffers[2] + begin, (size_t)(end - begin) };
	return HISTREE_OK;
}

/* A text that is new is no other in the dictionary of the stream; any other may be there already. */
static enum histree_status add_text(struct parquet_column *column, const struct parquet_text *text, bool is_new,
				    uint32_t *id, struct histree_error *error)
{
	*id = is_new ? parquet_texts_add(&column->texts, text) : parquet_texts_find_or_add(&column->texts, text);
	return *id == PARQUET_TEXTS_NONE ? error_memory(error, "the texts of a row group") : HISTREE_OK;
}

static enum histree_status append_texts(struct parquet_column *column, size_t rows, const struct ArrowArray *array,
					size_t from, size_t count, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		struct parquet_text text;
		column->narrow[rows + i] = 0;
		if (column->present != NULL && !column->present[rows + i])
			continue;
		status = get_text(column, array, from + i, &text, error);
		if (status == HISTREE_OK)
			status = add_text(column, &text, false, &column->narrow[rows + i], error);
	}
	return status;
}

/* The position that a row has in the dictionary.  UINT64_MAX for what is negative. */
static uint64_t position_at(char format, const void *values, size_t at)
{
	int64_t position;
	switch (format) {
	case 'c':
		position = ((const int8_t *)values)[at];
		break;
	case 'C':
		return ((const uint8_t *)values)[at];
	case 's':
		position = ((const int16_t *)values)[at];
		break;
	case 'S':
		return ((const uint16_t *)values)[at];
	case 'i':
		position = ((const int32_t *)values)[at];
		break;
	case 'I':
		return ((const uint32_t *)values)[at];
	case 'l':
		position = ((const int64_t *)values)[at];
		break;
	default:
		return ((const uint64_t *)values)[at];
	}
	return position < 0 ? UINT64_MAX : (uint64_t)position;
}

/*
 * Look at a string of the dictionary for the first time in a batch.  It is most often the one that was there in the
 * batch before, so that a comparison is enough.
 */
static enum histree_status look_up(struct parquet_column *column, const struct ArrowArray *dictionary,
				   size_t position, struct histree_error *error)
{
	struct parquet_known_text *known = &column->known[position];
	const uint8_t *valid = dictionary->null_count != 0 ? dictionary->buffers[0] : NULL;
	size_t at = position + (size_t)dictionary->offset;
	struct parquet_text text;
	bool was_known = known->batch != 0;
	known->batch = column->batch;
	if (valid != NULL && !bit_at(valid, at)) {
		known->id = PARQUET_NULL_TEXT;
		return HISTREE_OK;
	}
	enum histree_status status = get_text(column, dictionary, at, &text, error);
	if (status != HISTREE_OK)
		return status;
	if (was_known && known->id != PARQUET_NULL_TEXT) {
		const struct parquet_text *before = &column->texts.texts[known->id];
		if (before->size == text.size &&
		    (text.size == 0 || memcmp(before->bytes, text.bytes, text.size) == 0))
			return HISTREE_OK;
		column->dictionary_changes = true;
	}
	return add_text(column, &text, !column->dictionary_changes, &known->id, error);
}

static enum histree_status append_positions(struct parquet_column *column, size_t rows,
					    const struct ArrowArray *array, size_t from, size_t count,
					    struct histree_error *error)
{
	const struct ArrowArray *dictionary = array->dictionary;
	if (dictionary == NULL || dictionary->length < 0 || dictionary->length > INT32_MAX ||
	    (dictionary->length > 0 && dictionary->n_buffers < 3))
		return error_set(error, HISTREE_ERR_ARGUMENT, "column '%s' has no dictionary of texts",
				 column->name);
	size_t length = (size_t)dictionary->length;
	if (!array_reserve(&column->known, &column->known_capacity, length))
		return error_memory(error, "the dictionary of a column");
	if (length > column->known_count) {
		memset(column->known + column->known_count, 0,
		       (length - column->known_count) * sizeof(*column->known));
		column->known_count = length;
	}
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		column->narrow[rows + i] = 0;
		if (column->present != NULL && !column->present[rows + i])
			continue;
		uint64_t position = position_at(column->format, array->buffers[1], from + i);
		if (position >= length)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "column '%s': a row has number %lld of a dictionary of %zu texts",
					 column->name, (long long)position, length);
		const struct parquet_known_text *known = &column->known[position];
		if (known->batch != column->batch)
			status = look_up(column, dictionary, (size_t)position, error);
		if (status == HISTREE_OK && known->id == PARQUET_NULL_TEXT)
			status = mark_null(column, rows, i, count, error);
		else
			column->narrow[rows + i] = known->id;
	}
	return status;
}

static bool reserve(struct parquet_column *column, size_t rows)
{
	if (parquet_is_wide(column->type.kind))
		return array_reserve(&column->wide, &column->capacity, rows);
	return array_reserve(&column->narrow, &column->capacity, rows);
}

enum histree_status parquet_column_append(struct parquet_column *column, size_t rows,
					  const struct ArrowArray *array, size_t from, size_t count,
					  struct histree_error *error)
{
	bool has_texts = column->type.kind == PARQUET_TEXT && !column->is_dictionary;
	if (array->length < 0 || array->offset < 0 || from > (size_t)array->length ||
	    count > (size_t)array->length - from || array->n_buffers < (has_texts ? 3 : 2) ||
	    (count > 0 && array->buffers[1] == NULL))
		return error_set(error, HISTREE_ERR_ARGUMENT, "column '%s' is shorter than the batch that it is of",
				 column->name);
	if (count == 0)
		return HISTREE_OK;
	if (!reserve(column, rows + count))
		return error_memory(error, "a row group");
	from += (size_t)array->offset;
	const uint8_t *valid = array->null_count != 0 ? array->buffers[0] : NULL;
	enum histree_status status = append_validity(column, rows, valid, from, count, error);
	if (status != HISTREE_OK)
		return status;
	if (has_texts)
		return append_texts(column, rows, array, from, count, error);
	if (column->is_dictionary)
		return append_positions(column, rows, array, from, count, error);
	append_numbers(column, rows, array->buffers[1], from, count);
	if (valid != NULL)
		clear_nulls(column, rows, count);
	return HISTREE_OK;
}
