// SPDX-License-Identifier: MIT
/*
 * text_json.c - rows of JSON: one object a line, alone or as an element of an array that has each on a line.
 */
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/json_weight.h"
#include "text/text_format.h"
#include "text/text_table.h"

/* A parser may ask for so much for one row. */
enum { ROW_WEIGHT_MAX = 64 << 20, ROW_WEIGHED_FROM = 64 << 10 };

static char *line_end(char *bytes, size_t size, size_t scanned)
{
	return memchr(bytes + scanned, '\n', size - scanned);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Leave out blanks at both ends, brackets around all rows, and the comma behind a row. */
static char *trim(char *bytes, size_t *size)
{
	char *end = bytes + *size;
	while (end > bytes && is_blank(end[-1]))
		end--;
	while (bytes < end && is_blank(*bytes))
		bytes++;
	if (bytes < end && *bytes == '[')
		bytes++;
	while (bytes < end && is_blank(*bytes))
		bytes++;
	if (end > bytes && end[-1] == ']')
		end--;
	while (end > bytes && is_blank(end[-1]))
		end--;
	if (end > bytes && end[-1] == ',')
		end--;
	*size = (size_t)(end - bytes);
	return bytes;
}

static struct text_cell cell_of(json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_TRUE:
	case JSON_FALSE:
		return (struct text_cell){ .kind = TEXT_BOOL, .boolean = json_is_true(value) };
	case JSON_INTEGER:
		return (struct text_cell){ .kind = TEXT_INTEGER, .integer = json_integer_value(value) };
	case JSON_REAL:
		return (struct text_cell){ .kind = TEXT_REAL, .real = json_real_value(value) };
	case JSON_STRING: /* whoever reads the cell may change its bytes, which are ours alone */
		return (struct text_cell){ .kind = TEXT_STRING,
					   .bytes = (char *)(uintptr_t)json_string_value(value),
					   .size = json_string_length(value) };
	case JSON_ARRAY:
	case JSON_OBJECT:
		return (struct text_cell){ .kind = TEXT_NESTED };
	case JSON_NULL:
		break;
	}
	return (struct text_cell){ .kind = TEXT_NULL };
}

static enum histree_status parse(struct text_table *table, const char *bytes, size_t size,
				 struct histree_error *error)
{
	json_error_t fault;
	if (size > ROW_WEIGHED_FROM && json_weight(bytes, size) > ROW_WEIGHT_MAX)
		return text_table_fault(table, TEXT_NO_COLUMN, error, "has too many values for one row");
	json_decref(table->row);
	table->row = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &fault);
	if (table->row == NULL)
		return text_table_fault(table, TEXT_NO_COLUMN, error,
					"character %d: %.160s; each line has one whole JSON object ('jq -c' "
					"writes such lines)",
					fault.column, fault.text);
	if (!json_is_object(table->row))
		return text_table_fault(table, TEXT_NO_COLUMN, error, "is no JSON object");
	return HISTREE_OK;
}

static enum histree_status split_json(struct text_table *table, char *bytes, size_t size,
				      struct histree_error *error)
{
	bytes = trim(bytes, &size);
	if (size == 0)
		return HISTREE_NOT_FOUND;
	enum histree_status status = parse(table, bytes, size, error);
	if (status != HISTREE_OK)
		return status;
	for (size_t i = 0; i < table->column_count; i++)
		table->cells[i] = (struct text_cell){ .kind = TEXT_ABSENT };
	const char *name;
	json_t *value;
	size_t expected = 0; /* rows mostly have the same names in the same order */
	json_object_foreach(table->row, name, value)
	{
		size_t column = expected;
		if (column >= table->column_count || strcmp(table->columns[column], name) != 0)
			column = text_table_column(table, name);
		if (column == TEXT_NO_COLUMN)
			column = text_table_add_column(table, name, strlen(name), error);
		if (column == TEXT_NO_COLUMN)
			return error->status;
		table->cells[column] = cell_of(value);
		expected = column + 1;
	}
	return HISTREE_OK;
}

const struct text_format text_format_json = {
	.name = "json",
	.row_end = line_end,
	.split = split_json,
};
