// SPDX-License-Identifier: MIT
/*
 * load_segments.c - rows of segments become records, and these a segment store.
 *
 * A record: how long the segment lasted, the file and the line, and a value for each field that the text had by
 * then.  What stands in TSV and CSV is kept as text until the types of all values of a field are known.
 */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "item/value_codec.h"
#include "pipeline/load_inside.h"
#include "segment/segment_backend.h"

/* What is written with more bytes is text, whatever it looks like. */
enum { NUMBER_BYTES_MAX = 16 * NUMBER_TEXT_SIZE };

/* ---- fields ---------------------------------------------------------------------------------------- */

static bool is_time(const char *name)
{
	return strcmp(name, "start") == 0 || strcmp(name, "end") == 0 || strcmp(name, "duration") == 0;
}

/* The fields of texts are told apart by their names. */
static enum histree_status add_field(struct load *load, size_t column)
{
	const char *name = load->text.columns[column];
	size_t field = 0;
	while (field < load->field_count && strcmp(load->fields[field].name, name) != 0)
		field++;
	if (field == HISTREE_SEGMENT_FIELDS_MAX)
		return text_table_fault(&load->text, column, load->error,
					"segments have at most %d fields besides start, end and duration",
					HISTREE_SEGMENT_FIELDS_MAX);
	if (field == load->field_count) {
		const char *copy = arena_copy(&load->field_names, name, strlen(name));
		if (copy == NULL)
			return error_memory(load->error, "the fields of segments");
		load->fields[load->field_count++] = (struct load_field){ .name = copy, .type = HISTREE_NULL };
	}
	load->field_columns[field] = column;
	return HISTREE_OK;
}

/* In JSON, a row may have columns that none had before it. */
static enum histree_status look_at_columns(struct load *load)
{
	enum histree_status status = HISTREE_OK;
	if (load->columns_seen == 0)
		for (size_t i = 0; i < HISTREE_SEGMENT_FIELDS_MAX; i++)
			load->field_columns[i] = TEXT_NO_COLUMN;
	for (; load->columns_seen < load->text.column_count && status == HISTREE_OK; load->columns_seen++)
		if (!is_time(load->text.columns[load->columns_seen]))
			status = add_field(load, load->columns_seen);
	return status;
}

/* Whatever has no type in common with others is text. */
static void learn_type(struct load_field *field, const struct histree_value *value)
{
	enum histree_type common = load_common_type(field->type, value->type);
	bool is_nothing = field->type == HISTREE_NULL && value->type == HISTREE_NULL;
	field->type = common == HISTREE_NULL && !is_nothing ? HISTREE_STRING : common;
}

static enum histree_status take_value(struct load *load, size_t field, struct histree_value *out)
{
	struct text_cell *cell = text_table_cell(&load->text, load->field_columns[field]);
	*out = histree_null();
	if (text_cell_is_empty(cell))
		return HISTREE_OK;
	if (cell->kind == TEXT_NESTED)
		return text_table_fault(&load->text, load->field_columns[field], load->error,
					"a list or an object is no value of a field");
	if (!text_cell_unescape(cell))
		return text_table_fault(&load->text, load->field_columns[field], load->error,
					"a backslash in TSV is written twice");
	bool is_text = cell->kind == TEXT_PLAIN && cell->size > NUMBER_BYTES_MAX;
	*out = is_text ? histree_string_n(cell->bytes, cell->size) : text_cell_value(cell);
	learn_type(&load->fields[field], out);
	if (cell->kind == TEXT_PLAIN)
		*out = histree_string_n(cell->bytes, cell->size);
	return HISTREE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static enum histree_status read_time(struct load *load, size_t column, histree_time *out)
{
	char text[64];
	const struct text_cell *cell = text_table_cell(&load->text, column);
	if (text_cell_integer(cell, out))
		return HISTREE_OK;
	return text_table_fault(&load->text, column, load->error, "%s is no time in ns (a whole number of 64 bits)",
				text_cell_quote(cell, text));
}

enum histree_status load_segment_row(struct load *load)
{
	struct histree_value values[HISTREE_SEGMENT_FIELDS_MAX];
	histree_time start, end;
	enum histree_status status = look_at_columns(load);
	if (status == HISTREE_OK)
		status = read_time(load, load->columns.start, &start);
	if (status == HISTREE_OK)
		status = read_time(load, load->columns.end, &end);
	if (status == HISTREE_OK && start > end)
		status = text_table_fault(&load->text, load->columns.end, load->error,
					  "the segment ends before it starts");
	size_t size = 4 * VARINT_SIZE_MAX;
	for (size_t i = 0; i < load->field_count && status == HISTREE_OK; i++) {
		status = take_value(load, i, &values[i]);
		size += value_encoded_size(&values[i]);
	}
	if (status != HISTREE_OK)
		return status;
	uint8_t *room = record_sort_room(load->sort, size, load->error);
	if (room == NULL)
		return load->error->status;
	uint8_t *at = load_place_put(put_varint(room, (uint64_t)end - (uint64_t)start), load);
	at = put_varint(at, load->field_count);
	for (size_t i = 0; i < load->field_count; i++)
		at = value_encode(at, &values[i]);
	record_sort_add(load->sort, record_key_signed(end), (size_t)(at - room));
	if (!load->has_times || start < load->start)
		load->start = start;
	if (!load->has_times || end > load->end)
		load->end = end;
	load->has_times = true;
	return HISTREE_OK;
}

/* ---- the store ------------------------------------------------------------------------------------- */

/* A value as text; `room` is for numbers. */
static struct histree_value as_text(const struct histree_value *value, char room[NUMBER_TEXT_SIZE])
{
	switch (value->type) {
	case HISTREE_INT:
		return histree_string_n(room, number_format_signed(value->int32, room));
	case HISTREE_LONG:
		return histree_string_n(room, number_format_signed(value->int64, room));
	case HISTREE_DOUBLE:
		return histree_string_n(room, number_format_real(value->real, room));
	case HISTREE_BOOL:
		return histree_string(value->boolean ? "true" : "false");
	default:
		return *value;
	}
}

/* A value of a field as one of the field's type; `room` is for numbers. */
static struct histree_value convert(const struct histree_value *value, enum histree_type type,
				    char room[NUMBER_TEXT_SIZE])
{
	if (value->type == HISTREE_NULL)
		return *value;
	if (type == HISTREE_STRING)
		return as_text(value, room);
	if (value->type != HISTREE_STRING)
		return load_widen(value, type);
	/* A number or a bool, as all values of the field were seen to be. */
	char text[NUMBER_BYTES_MAX + 1];
	assert(value->size <= NUMBER_BYTES_MAX);
	memcpy(text, value->bytes, value->size);
	text[value->size] = '\0';
	const struct text_cell cell = { .kind = TEXT_PLAIN, .bytes = text, .size = value->size };
	const struct histree_value found = text_cell_value(&cell);
	return load_widen(&found, type);
}

static enum histree_status add_segments(struct load *load, struct histree_segment_store *store)
{
	struct sorted_record record;
	enum histree_status status;
	char rooms[HISTREE_SEGMENT_FIELDS_MAX][NUMBER_TEXT_SIZE];
	for (uint64_t count = 0; (status = record_sort_next(load->sort, &record, load->error)) == HISTREE_OK;
	     count++) {
		struct histree_value content[HISTREE_SEGMENT_FIELDS_MAX] = { 0 };
		struct byte_reader reader = byte_reader(record.bytes, record.size);
		histree_time end = (histree_time)record_key_signed((int64_t)record.key);
		uint64_t duration = read_varint(&reader);
		struct load_place place = load_place_get(&reader);
		uint64_t fields = read_varint(&reader);
		for (size_t i = 0; i < fields && i < load->field_count; i++) {
			struct histree_value value = value_decode(&reader);
			content[i] = convert(&value, load->fields[i].type, rooms[i]);
		}
		const struct histree_segment segment = { .start = (histree_time)((uint64_t)end - duration),
							 .end = end,
							 .content = content };
		status = histree_segment_store_add(store, &segment, load->error);
		if (status != HISTREE_OK) {
			load_prefix(load, &place);
			return status;
		}
		status = load_go_on(load, count);
		if (status != HISTREE_OK)
			return status;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status load_make_segments(struct load *load, const char *path)
{
	struct histree_segment_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	for (size_t i = 0; i < load->field_count; i++) {
		enum histree_type type = load->fields[i].type;
		fields[i] = (struct histree_segment_field){ .name = load->fields[i].name,
							    .type = type != HISTREE_NULL ? type : HISTREE_STRING };
	}
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_DISK,
		.path = path,
		.schema = {
			.provider = load_analysis(load),
			.provider_version = load_version(load),
			.fields = fields,
			.field_count = load->field_count,
		},
		.memory_max = load->memory.segments,
	};
	struct histree_segment_store *store = NULL;
	enum histree_status status = segment_store_create(load->io, &options, &store, load->error);
	if (status == HISTREE_OK)
		status = add_segments(load, store);
	if (status == HISTREE_OK)
		status = histree_segment_store_finish(store, load->error);
	if (status == HISTREE_OK && !load->options->no_overviews)
		status = histree_segment_store_make_overviews(store, load->options->cancel, load->error);
	histree_segment_store_close(store);
	return status;
}
