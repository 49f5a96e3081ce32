// SPDX-License-Identifier: MIT
/*
 * load_rows.c - rows of states become records: an attribute's number, how long it lasted (intervals only), the file
 * and the line, and the value.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "item/value_codec.h"
#include "pipeline/load_inside.h"
#include "state/attribute_path.h"

/* ---- paths ----------------------------------------------------------------------------------------- */

/* A component from `at` on: returns where it ends, and sets its name, in `room` if there is a backslash in it. */
static const char *take_component(const char *at, const char *end, char *room, const char **name, size_t *size)
{
	const char *from = at;
	while (at < end && *at != '/' && *at != '\\')
		at++;
	*name = from;
	*size = (size_t)(at - from);
	if (at == end || *at == '/')
		return at;
	for (*name = room, *size = 0, at = from; at < end && *at != '/'; at++) {
		if (*at == '\\' && (++at == end || (*at != '/' && *at != '\\')))
			return NULL;
		if (*size == ATTRIBUTE_NAME_SIZE_MAX)
			return NULL;
		room[(*size)++] = *at;
	}
	return at;
}

static enum histree_status path_fault(struct load *load)
{
	char text[64];
	size_t column = load->columns.path;
	return text_table_fault(&load->text, column, load->error,
				"%s is no path: names of at most 65535 bytes with '/' between them; in a name a "
				"slash is '\\/' and a backslash '\\\\'",
				text_cell_quote(text_table_cell(&load->text, column), text));
}

static enum histree_status add_path(struct load *load, const char *path, size_t size, histree_quark *out)
{
	char room[ATTRIBUTE_NAME_SIZE_MAX];
	const char *at = path, *end = path + size, *name;
	*out = HISTREE_ROOT;
	for (;;) {
		size_t name_size;
		at = take_component(at, end, room, &name, &name_size);
		if (at == NULL || name_size == 0 || name_size > ATTRIBUTE_NAME_SIZE_MAX)
			return path_fault(load);
		enum histree_status status =
			attribute_tree_add(&load->names, *out, name, name_size, out, load->error);
		if (status != HISTREE_OK)
			return status;
		if (at == end)
			return HISTREE_OK;
		at++;
	}
}

/* What is to be known of each attribute has its room, and says nothing yet. */
static enum histree_status add_attributes(struct load *load)
{
	uint32_t count = load->names.base.count;
	if (!table_reserve(&load->attribute_table, &load->attributes, &load->attribute_capacity, count))
		return error_memory(load->error, "the attributes");
	while (load->attribute_count < count)
		load->attributes[load->attribute_count++] = (struct load_attribute){ .type = HISTREE_NULL };
	return HISTREE_OK;
}

static enum histree_status find_attribute(struct load *load, histree_quark *out)
{
	struct text_cell *cell = text_table_cell(&load->text, load->columns.path);
	*out = load->last_quark;
	if ((cell->kind != TEXT_PLAIN && cell->kind != TEXT_STRING) || !text_cell_unescape_path(cell))
		return path_fault(load);
	if (load->last_path != NULL && cell->size == load->last_path_size &&
	    memcmp(cell->bytes, load->last_path, cell->size) == 0)
		return HISTREE_OK;
	enum histree_status status = add_path(load, cell->bytes, cell->size, out);
	if (status == HISTREE_OK)
		status = add_attributes(load);
	if (status != HISTREE_OK)
		return status;
	if (!array_reserve(&load->last_path, &load->last_path_capacity, cell->size + 1))
		return error_memory(load->error, "a path");
	memcpy(load->last_path, cell->bytes, cell->size);
	load->last_path_size = cell->size;
	load->last_quark = *out;
	return HISTREE_OK;
}

/* ---- types ----------------------------------------------------------------------------------------- */

/* Values that do not say their types may be numbers of several kinds; those that do have one. */
static enum histree_status learn_type(struct load *load, histree_quark quark, const struct histree_value *value,
				      bool is_typed)
{
	struct load_attribute *attribute = &load->attributes[quark];
	attribute->has_rows = true;
	if (value->type == HISTREE_NULL || value->type == HISTREE_UNKNOWN)
		return HISTREE_OK;
	enum histree_type known = (enum histree_type)attribute->type;
	enum histree_type common = load_common_type(known, value->type);
	if (is_typed && known != HISTREE_NULL && known != value->type)
		common = HISTREE_NULL;
	if (common == HISTREE_NULL) {
		text_table_fault(&load->text, load->columns.value, load->error,
				 "this is of type %s, and the attribute had values of type %s before: it has one "
				 "type only%s",
				 histree_type_name(value->type), histree_type_name(known),
				 is_typed ? "" : ", which a column 'type' can say");
		if (load->error != NULL)
			load->error->status = HISTREE_ERR_TYPE;
		return HISTREE_ERR_TYPE;
	}
	attribute->type = (uint8_t)common;
	return HISTREE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static enum histree_status read_time(struct load *load, size_t column, histree_time *out)
{
	char text[64];
	const struct text_cell *cell = text_table_cell(&load->text, column);
	if (text_cell_integer(cell, out) && *out != INT64_MAX)
		return HISTREE_OK;
	return text_table_fault(&load->text, column, load->error,
				"%s is no time in ns (a whole number of 64 bits, below the greatest)",
				text_cell_quote(cell, text));
}

static void note_times(struct load *load, histree_time start, histree_time end)
{
	if (!load->has_times || start < load->start)
		load->start = start;
	if (!load->has_times || end > load->end)
		load->end = end;
	load->has_times = true;
}

/* The times of the row; what a history begins with has none. */
static enum histree_status read_times(struct load *load, histree_time *start, histree_time *end)
{
	const struct load_columns *columns = &load->columns;
	enum histree_status status = HISTREE_OK;
	*start = *end = INT64_MIN;
	if (load->file == 0)
		return HISTREE_OK;
	if (load->kind == LOAD_CHANGES) {
		status = read_time(load, columns->time, start);
		*end = *start;
	} else {
		status = read_time(load, columns->start, start);
		if (status == HISTREE_OK)
			status = read_time(load, columns->end, end);
		if (status == HISTREE_OK && *start > *end)
			return text_table_fault(&load->text, columns->end, load->error,
						"the interval ends before it starts");
	}
	if (status == HISTREE_OK)
		note_times(load, *start, *end);
	return status;
}

enum histree_status load_state_row(struct load *load)
{
	histree_time start, end;
	histree_quark quark;
	struct histree_value value;
	bool is_typed;
	enum histree_status status = read_times(load, &start, &end);
	if (status == HISTREE_OK)
		status = find_attribute(load, &quark);
	if (status == HISTREE_OK)
		status = load_value(load, &value, &is_typed);
	if (status == HISTREE_OK)
		status = learn_type(load, quark, &value, is_typed);
	if (status != HISTREE_OK)
		return status;
	uint8_t *room = record_sort_room(load->sort, 4 * VARINT_SIZE_MAX + value_encoded_size(&value), load->error);
	if (room == NULL)
		return load->error->status;
	uint8_t *at = put_varint(room, quark);
	if (load->kind == LOAD_INTERVALS)
		at = put_varint(at, (uint64_t)end - (uint64_t)start);
	at = value_encode(load_place_put(at, load), &value);
	record_sort_add(load->sort, record_key_signed(end), (size_t)(at - room));
	return HISTREE_OK;
}
