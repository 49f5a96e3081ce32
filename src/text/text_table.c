// SPDX-License-Identifier: MIT
#include "text/text_table.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "text/text_format.h"

enum { PIECE_SIZE = 256 << 10 };

const char *const text_format_names[] = { "tsv", "csv", "json", NULL };

/* In the order of their names. */
static const struct text_format *const formats[] = { &text_format_tsv, &text_format_csv, &text_format_json };

/* ---- columns --------------------------------------------------------------------------------------- */

size_t text_table_column(const struct text_table *table, const char *name)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (strcmp(table->columns[i], name) == 0)
			return i;
	return TEXT_NO_COLUMN;
}

struct text_cell *text_table_cell(struct text_table *table, size_t column)
{
	return column < table->column_count ? &table->cells[column] : &table->absent;
}

size_t text_table_add_column(struct text_table *table, const char *name, size_t size, struct histree_error *error)
{
	if (table->column_count == TEXT_COLUMNS_MAX) {
		text_table_fault(table, TEXT_NO_COLUMN, error, "more than %d columns", TEXT_COLUMNS_MAX);
		return TEXT_NO_COLUMN;
	}
	if (size > TEXT_NAME_MAX) {
		text_table_fault(table, TEXT_NO_COLUMN, error, "column '%.40s...' has a name of more than %d bytes",
				 name, TEXT_NAME_MAX);
		return TEXT_NO_COLUMN;
	}
	const char *copy = arena_copy(&table->names, name, size);
	size_t count = table->column_count + 1;
	if (copy == NULL || !array_reserve(&table->columns, &table->column_capacity, count) ||
	    !array_reserve(&table->cells, &table->cell_capacity, count)) {
		error_memory(error, "the columns of a text");
		return TEXT_NO_COLUMN;
	}
	table->columns[table->column_count] = copy;
	table->cells[table->column_count] = table->absent;
	return table->column_count++;
}

enum histree_status text_table_fault(const struct text_table *table, size_t column, struct histree_error *error,
				     const char *format, ...)
{
	char what[400];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	char from[48] = "";
	if (table->lines_from > 0)
		snprintf(from, sizeof(from), " from byte %" PRIu64 " on", table->lines_from);
	if (column == TEXT_NO_COLUMN || column >= table->column_count)
		return error_set(error, HISTREE_ERR_FORMAT, "'%.150s', line %" PRIu64 "%s: %s", table->input.path,
				 table->line, from, what);
	if (table->format->separator == '\0')
		return error_set(error, HISTREE_ERR_FORMAT, "'%.150s', line %" PRIu64 "%s, \"%.40s\": %s",
				 table->input.path, table->line, from, table->columns[column], what);
	return error_set(error, HISTREE_ERR_FORMAT, "'%.150s', line %" PRIu64 "%s, column %zu (%.40s): %s",
			 table->input.path, table->line, from, column + 1, table->columns[column], what);
}

/* ---- bytes ----------------------------------------------------------------------------------------- */

/* Have more of the text behind what is there; a row that fills all of it makes it grow. */
static enum histree_status refill(struct text_table *table, struct histree_error *error)
{
	size_t left = table->filled - table->used, got;
	if (table->used > 0)
		memmove(table->bytes, table->bytes + table->used, left);
	table->used = 0;
	table->filled = left;
	if (left > TEXT_LINE_MAX)
		return text_table_fault(table, TEXT_NO_COLUMN, error, "is longer than %d MiB%s",
					TEXT_LINE_MAX >> 20,
					table->format == &text_format_csv ? ", or a quote in it has no end" : "");
	/* One more for a zero behind the last line, which need not have a line feed. */
	size_t wanted = left + (left > PIECE_SIZE ? left : PIECE_SIZE);
	if (table->capacity < wanted + 1 && !array_reserve(&table->bytes, &table->capacity, wanted + 1))
		return error_memory(error, "a line of text");
	enum histree_status status =
		text_input_read(&table->input, table->bytes + left, table->capacity - 1 - left, &got, error);
	table->at_end = status == HISTREE_OK && got == 0;
	table->filled += got;
	return status;
}

static uint64_t count_lines(const char *bytes, size_t size)
{
	uint64_t count = 0;
	for (const char *at = bytes, *end = bytes + size; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
		count++;
	return count;
}

/* Take the next row, without the end of its line, which `split` may overwrite.  HISTREE_END: there is none. */
static enum histree_status take_row(struct text_table *table, char **row, size_t *size, struct histree_error *error)
{
	char *end;
	table->scanned = 0;
	table->line = table->lines + 1;
	for (;;) {
		size_t left = table->filled - table->used;
		*row = table->bytes + table->used;
		end = left > 0 ? table->format->row_end(*row, left, table->scanned) : NULL;
		if (end != NULL || table->at_end)
			break;
		table->scanned = left;
		enum histree_status status = refill(table, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (end == NULL && table->used == table->filled)
		return HISTREE_END;
	*size = end != NULL ? (size_t)(end - *row) : table->filled - table->used;
	table->row_at = table->input.at - (table->filled - table->used);
	table->lines += 1 + (table->format == &text_format_csv ? count_lines(*row, *size) : 0);
	table->used += *size + (end != NULL);
	if (*size > 0 && (*row)[*size - 1] == '\r')
		--*size;
	return HISTREE_OK;
}

/* ---- the beginning --------------------------------------------------------------------------------- */

static enum histree_status refuse(const struct text_table *table, struct histree_error *error, const char *what)
{
	return error_set(error, HISTREE_ERR_FORMAT, "'%.200s' %s", table->input.path, what);
}

/* What is no text is told by its first bytes. */
static const char *why_no_text(const char *bytes, size_t size)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *why;
	} others[] = {
		{ "\x1f\x8b", 2, "is compressed by gzip; unpack it first, with 'gzip -dc'" },
		{ "\x28\xb5\x2f\xfd", 4, "is compressed by zstd; unpack it first, with 'zstd -dc'" },
		{ "\xfd\x37zXZ", 5, "is compressed by xz; unpack it first, with 'xz -dc'" },
		{ "BZh", 3, "is compressed by bzip2; unpack it first, with 'bzip2 -dc'" },
		{ "\xff\xfe", 2, "is in UTF-16; make it UTF-8 first, with 'iconv -f UTF-16'" },
		{ "\xfe\xff", 2, "is in UTF-16; make it UTF-8 first, with 'iconv -f UTF-16'" },
	};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (size >= others[i].size && memcmp(bytes, others[i].bytes, others[i].size) == 0)
			return others[i].why;
	return NULL;
}

/* JSON begins with a bracket; the names of columns have tabs or commas between them. */
static const struct text_format *format_of(const char *bytes, size_t size)
{
	size_t at = 0;
	while (at < size && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n'))
		at++;
	if (at < size && (bytes[at] == '{' || bytes[at] == '['))
		return &text_format_json;
	const char *end = at < size ? memchr(bytes + at, '\n', size - at) : NULL;
	size_t line = end != NULL ? (size_t)(end - bytes) : size;
	if (memchr(bytes, '\t', line) != NULL)
		return &text_format_tsv;
	return memchr(bytes, ',', line) != NULL ? &text_format_csv : NULL;
}

static const struct text_format *format_named(const char *name)
{
	for (size_t i = 0; text_format_names[i] != NULL; i++)
		if (strcmp(text_format_names[i], name) == 0)
			return formats[i];
	return NULL;
}

static enum histree_status choose_format(struct text_table *table, const char *name, struct histree_error *error)
{
	if (name != NULL) {
		table->format = format_named(name);
		return table->format != NULL
			       ? HISTREE_OK
			       : error_set(error, HISTREE_ERR_ARGUMENT,
					   "'%.40s' is no format of a text; there are tsv, csv and json", name);
	}
	table->format = format_of(table->bytes, table->filled);
	return table->format != NULL ? HISTREE_OK
				     : refuse(table, error,
					      "is no table: its first line has no tabs or commas between the names "
					      "of columns, and is no JSON object ('--format tsv' of histree writes "
					      "such a table)");
}

/* The first piece of the text shows what it is. */
static enum histree_status look(struct text_table *table, const char *format, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && !table->at_end && table->filled < PIECE_SIZE &&
	       (table->filled == 0 || memchr(table->bytes, '\n', table->filled) == NULL))
		status = refill(table, error);
	if (status != HISTREE_OK)
		return status;
	const char *why = why_no_text(table->bytes, table->filled);
	if (table->filled == 0)
		why = "is empty";
	if (why != NULL)
		return refuse(table, error, why);
	if (table->filled >= 3 && memcmp(table->bytes, "\xef\xbb\xbf", 3) == 0)
		table->used = 3;
	if (memchr(table->bytes, '\0', table->filled < 4096 ? table->filled : 4096) != NULL && format == NULL)
		return refuse(table, error, "is no text: it has zeros among its first bytes");
	return choose_format(table, format, error);
}

/* The names of columns, from a line that has them. */
static enum histree_status name_columns(struct text_table *table, char *line, size_t size,
					struct histree_error *error)
{
	char separator = table->format->separator;
	for (char *name = line, *end = line + size; name <= end;) {
		bool is_quoted = separator == ',' && name < end && *name == '"';
		char *behind = is_quoted ? memchr(name + 1, '"', (size_t)(end - name - 1)) : name;
		char *next = memchr(behind != NULL ? behind : name, separator,
				    (size_t)(end - (behind != NULL ? behind : name)));
		size_t length = (size_t)((next != NULL ? next : end) - name);
		if (is_quoted && length >= 2 && name[length - 1] == '"') {
			name++;
			length -= 2;
		}
		char copy[TEXT_NAME_MAX + 1];
		snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
		if (length == 0 || length > TEXT_NAME_MAX || strlen(copy) != length)
			return text_table_fault(table, TEXT_NO_COLUMN, error,
						"column %zu has no name, or one of more than %d bytes",
						table->column_count + 1, TEXT_NAME_MAX);
		if (text_table_column(table, copy) != TEXT_NO_COLUMN)
			return text_table_fault(table, TEXT_NO_COLUMN, error, "two columns are called '%.40s'",
						copy);
		if (text_table_add_column(table, copy, length, error) == TEXT_NO_COLUMN)
			return error != NULL ? error->status : HISTREE_ERR_FORMAT;
		name = next != NULL ? next + 1 : end + 1;
	}
	return HISTREE_OK;
}

static enum histree_status read_header(struct text_table *table, struct histree_error *error)
{
	char *line;
	size_t size;
	enum histree_status status;
	do
		status = take_row(table, &line, &size, error);
	while (status == HISTREE_OK && size == 0);
	if (status != HISTREE_OK)
		return status == HISTREE_END ? refuse(table, error, "is empty") : status;
	table->header = malloc(size);
	if (table->header == NULL)
		return error_memory(error, "the columns of a text");
	memcpy(table->header, line, size);
	table->header_size = size;
	return name_columns(table, line, size, error);
}

/* The names that the caller has. */
static enum histree_status take_names(struct text_table *table, const char *columns, struct histree_error *error)
{
	char *names = strdup(columns);
	if (names == NULL)
		return error_memory(error, "the columns of a text");
	for (char *at = names; table->format->separator == '\t' && (at = strchr(at, ',')) != NULL;)
		*at = '\t';
	enum histree_status status = name_columns(table, names, strlen(names), error);
	if (status == HISTREE_ERR_FORMAT)
		status = error_set(error, HISTREE_ERR_ARGUMENT,
				   "'%.100s' are no names of columns: each has one of its own, with commas between",
				   columns);
	free(names);
	return status;
}

enum histree_status text_table_open(struct text_table *table, const struct io *io, const char *path,
				    const char *format, const char *columns, struct histree_error *error)
{
	struct histree_error own;
	*table = (struct text_table){ 0 };
	if (error == NULL)
		error = &own;
	enum histree_status status = text_input_open(&table->input, io, path, error);
	if (status == HISTREE_OK)
		status = look(table, format, error);
	if (status == HISTREE_OK && table->format->separator != '\0')
		status = columns != NULL ? take_names(table, columns, error) : read_header(table, error);
	if (status != HISTREE_OK)
		text_table_close(table);
	table->first_at = table->input.at - (table->filled - table->used);
	table->first_lines = table->lines;
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

enum histree_status text_table_next(struct text_table *table, struct histree_error *error)
{
	struct histree_error own;
	enum histree_status status;
	if (error == NULL)
		error = &own;
	do {
		char *row;
		size_t size;
		status = take_row(table, &row, &size, error);
		if (status != HISTREE_OK)
			return status;
		bool is_header = size == table->header_size && table->header != NULL &&
				 memcmp(row, table->header, size) == 0;
		status = size == 0 || is_header ? HISTREE_NOT_FOUND : table->format->split(table, row, size, error);
	} while (status == HISTREE_NOT_FOUND);
	return status;
}

enum histree_status text_table_seek(struct text_table *table, uint64_t row_at, struct histree_error *error)
{
	if (!table->input.is_file || row_at > table->input.size)
		return error_set(error, HISTREE_ERR_FORMAT, "'%.200s' has no byte %" PRIu64, table->input.path,
				 row_at);
	table->input.at = row_at;
	table->used = table->filled = 0;
	table->at_end = false;
	table->lines = row_at == table->first_at ? table->first_lines : 0;
	table->lines_from = row_at == table->first_at ? 0 : row_at;
	return HISTREE_OK;
}

void text_table_close(struct text_table *table)
{
	text_input_close(&table->input);
	json_decref(table->row);
	arena_release(&table->names);
	free(table->columns);
	free(table->cells);
	free(table->header);
	free(table->bytes);
	*table = (struct text_table){ .input.file = -1 };
}
