// SPDX-License-Identifier: MIT
/*
 * text_table.c - tables of text, row by row (TSV, CSV, JSON), from a file, a pipe or standard input.
 *
 * JSON is one object a line, alone or as an element of an array with each element on its own line.
 *
 * Other texts have rows of tab-separated or comma-separated values (RFC 4180).
 *
 * A cell is cut out of its row in place: the byte after it becomes a zero.
 */
#include "text/text_table.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "base/table.h"
#include "histree/status.h"
#include "histree/value.h"

/* The path of standard input. */
#define TEXT_STANDARD_INPUT "-"

/* ---- text input ---------------------------------------------------------------------------------------------- */

static enum histree_status failed(const struct text_input *input, const char *what, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_IO, "cannot %s '%s': %s", what, input->path, strerror(errno));
}

enum histree_status text_input_open(struct text_input *input, const struct io *io, const char *path,
				    struct histree_error *error)
{
	struct stat facts;
	*input = (struct text_input){ .io = io, .path = path, .file = -1 };
	if (strcmp(path, TEXT_STANDARD_INPUT) == 0) {
		input->path = "standard input";
		input->file = STDIN_FILENO;
		input->is_standard = true;
		return HISTREE_OK;
	}
	if (stat(path, &facts) != 0)
		return failed(input, "open", error);
	if (S_ISDIR(facts.st_mode))
		return error_set(error, HISTREE_ERR_IO, "'%s' is a folder: name the files in it", path);
	input->is_file = S_ISREG(facts.st_mode);
	/* The table of file calls never waits for a pipe, which is what is wanted of one here. */
	input->file = input->is_file ? io->open(io->context, path, O_RDONLY, 0) : open(path, O_RDONLY | O_CLOEXEC);
	if (input->file < 0)
		return failed(input, "open", error);
	input->size = input->is_file ? (uint64_t)facts.st_size : 0;
	return HISTREE_OK;
}

enum histree_status text_input_read(struct text_input *input, void *bytes, size_t room, size_t *size,
				    struct histree_error *error)
{
	const struct io *io = input->io;
	ssize_t done;
	*size = 0;
	do
		done = input->is_file ? io->pread(io->context, input->file, bytes, room, (off_t)input->at)
				      : read(input->file, bytes, room);
	while (done < 0 && errno == EINTR);
	if (done < 0)
		return failed(input, "read", error);
	*size = (size_t)done;
	input->at += *size;
	return HISTREE_OK;
}

void text_input_close(struct text_input *input)
{
	if (input->file >= 0 && input->is_file)
		input->io->close(input->io->context, input->file);
	else if (input->file >= 0 && !input->is_standard)
		close(input->file);
	input->file = -1;
}

/* ---- text table ---------------------------------------------------------------------------------------------- */

static size_t text_table_add_column(struct text_table *table, const char *name, size_t size,
				    struct histree_error *error);

/* ---- text cell ----------------------------------------------------------------------------------------------- */

static bool has_bytes(const struct text_cell *cell)
{
	return cell->kind == TEXT_PLAIN || cell->kind == TEXT_STRING;
}

bool text_cell_is_empty(const struct text_cell *cell)
{
	return cell->kind == TEXT_ABSENT || cell->kind == TEXT_NULL ||
	       (cell->kind == TEXT_PLAIN && cell->size == 0);
}

/* ---- numbers --------------------------------------------------------------------------------------- */

/* A zero within the bytes ends no number. */
static bool is_whole(const struct text_cell *cell)
{
	return has_bytes(cell) && cell->size > 0 && memchr(cell->bytes, '\0', cell->size) == NULL;
}

bool text_cell_integer(const struct text_cell *cell, int64_t *out)
{
	*out = cell->integer;
	return cell->kind == TEXT_INTEGER || (is_whole(cell) && number_parse_signed(cell->bytes, out));
}

static bool is_named_real(const char *text, double *out)
{
	static const struct {
		const char *name;
		double real;
	} named[] = { { "nan", NAN }, { "inf", INFINITY }, { "-inf", -INFINITY } };
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		*out = named[i].real;
		if (strcmp(text, named[i].name) == 0)
			return true;
	}
	return false;
}

bool text_cell_real(const struct text_cell *cell, double *out)
{
	*out = cell->kind == TEXT_INTEGER ? (double)cell->integer : cell->real;
	if (cell->kind == TEXT_INTEGER || cell->kind == TEXT_REAL)
		return true;
	if (!is_whole(cell))
		return false;
	/* What a double has no room for is no number that it could be. */
	return (number_parse_real(cell->bytes, out) && isfinite(*out)) || is_named_real(cell->bytes, out);
}

bool text_cell_bool(const struct text_cell *cell, bool *out)
{
	*out = cell->kind == TEXT_BOOL && cell->boolean;
	if (cell->kind == TEXT_BOOL)
		return true;
	if (!is_whole(cell))
		return false;
	*out = strcmp(cell->bytes, "true") == 0;
	return *out || strcmp(cell->bytes, "false") == 0;
}

/* ---- escapes --------------------------------------------------------------------------------------- */

/* The byte that a letter after a backslash stands for; 0: none. */
static char escaped_byte(char letter)
{
	switch (letter) {
	case 't':
		return '\t';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	default:
		return '\0';
	}
}

/* Whether each backslash is followed by what it can stand before. */
static bool has_escapes_only(const struct text_cell *cell, bool is_path)
{
	const char *at = cell->bytes, *end = at + cell->size;
	for (; (at = memchr(at, '\\', (size_t)(end - at))) != NULL; at += 2) {
		char letter = end - at > 1 ? at[1] : '\0';
		if (letter != '\\' && escaped_byte(letter) == '\0' && !(is_path && letter == '/'))
			return false;
	}
	return true;
}

static bool unescape(struct text_cell *cell, bool is_path)
{
	char *to = cell->is_escaped && cell->size > 0 ? memchr(cell->bytes, '\\', cell->size) : NULL;
	if (to == NULL)
		return true;
	if (!has_escapes_only(cell, is_path))
		return false;
	cell->is_escaped = false;
	for (const char *from = to, *end = cell->bytes + cell->size; from < end; from++) {
		char byte = *from == '\\' ? escaped_byte(from[1]) : '\0';
		bool is_own = *from == '\\' && byte == '\0'; /* of a backslash, or of the slash of a path */
		if (is_own && is_path)
			*to++ = '\\';
		from += *from == '\\';
		*to++ = byte != '\0' ? byte : *from;
	}
	*to = '\0';
	cell->size = (size_t)(to - cell->bytes);
	return true;
}

bool text_cell_unescape(struct text_cell *cell)
{
	return unescape(cell, false);
}

bool text_cell_unescape_path(struct text_cell *cell)
{
	return unescape(cell, true);
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool text_cell_hexadecimal(struct text_cell *cell)
{
	if (!has_bytes(cell) || cell->size % 2 != 0)
		return false;
	for (size_t i = 0; i < cell->size; i += 2) {
		int high = digit_of(cell->bytes[i]), low = digit_of(cell->bytes[i + 1]);
		if (high < 0 || low < 0)
			return false;
		cell->bytes[i / 2] = (char)(high << 4 | low);
	}
	cell->size /= 2;
	return true;
}

/* ---- what it is by itself -------------------------------------------------------------------------- */

static struct histree_value integer_value(int64_t number)
{
	return number >= INT32_MIN && number <= INT32_MAX ? histree_int((int32_t)number) : histree_long(number);
}

/* Whether a text is how the number is written. */
static bool is_plain_integer(const struct text_cell *cell, int64_t number)
{
	char text[NUMBER_TEXT_SIZE];
	size_t size = number_format_signed(number, text);
	return size == cell->size && memcmp(text, cell->bytes, size) == 0;
}

/* "1.5", "-2e9"; not ".5", "007.5" or "+1". */
static bool looks_real(const char *text)
{
	text += *text == '-';
	return *text >= '0' && *text <= '9' && !(text[0] == '0' && text[1] >= '0' && text[1] <= '9');
}

static struct histree_value plain_value(const struct text_cell *cell)
{
	int64_t number;
	double real;
	bool truth;
	if (cell->size == 0)
		return histree_null();
	if (text_cell_integer(cell, &number) && is_plain_integer(cell, number))
		return integer_value(number);
	if (strpbrk(cell->bytes, ".eEnf") != NULL && text_cell_real(cell, &real) &&
	    (looks_real(cell->bytes) || !isfinite(real)))
		return histree_double(real);
	if (text_cell_bool(cell, &truth))
		return histree_bool(truth);
	return histree_string_n(cell->bytes, cell->size);
}

struct histree_value text_cell_value(const struct text_cell *cell)
{
	switch (cell->kind) {
	case TEXT_BOOL:
		return histree_bool(cell->boolean);
	case TEXT_INTEGER:
		return integer_value(cell->integer);
	case TEXT_REAL:
		return histree_double(cell->real);
	case TEXT_STRING:
		return histree_string_n(cell->bytes, cell->size);
	case TEXT_PLAIN:
		return plain_value(cell);
	case TEXT_ABSENT:
	case TEXT_NULL:
	case TEXT_NESTED:
		break;
	}
	return histree_null();
}

const char *text_cell_quote(const struct text_cell *cell, char text[64])
{
	switch (cell->kind) {
	case TEXT_BOOL:
		return cell->boolean ? "true" : "false";
	case TEXT_INTEGER:
		snprintf(text, 64, "%" PRId64, cell->integer);
		return text;
	case TEXT_REAL:
		snprintf(text, 64, "%g", cell->real);
		return text;
	case TEXT_PLAIN:
	case TEXT_STRING:
		snprintf(text, 64, cell->size > 40 ? "'%.40s...'" : "'%.40s'", cell->size > 0 ? cell->bytes : "");
		return text;
	case TEXT_NESTED:
		return "a list or an object";
	case TEXT_ABSENT:
		break;
	case TEXT_NULL:
		return "null";
	}
	return "nothing";
}

/* ---- text json ----------------------------------------------------------------------------------------------- */

/* How much a parser may allocate for one row. */
enum { ROW_WEIGHT_MAX = 64 << 20, ROW_WEIGHED_FROM = 64 << 10 };

static char *text_json_line_end(char *bytes, size_t size, size_t scanned)
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
	case JSON_STRING: /* the reader of the cell may change its bytes, which are not shared */
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

static enum histree_status split_json(struct text_table *table, char *bytes, size_t size,
				      struct histree_error *error)
{
	bytes = trim(bytes, &size);
	if (size == 0)
		return HISTREE_NOT_FOUND;
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
	.row_end = text_json_line_end,
	.split = split_json,
};

/* ---- text separated ------------------------------------------------------------------------------------------ */

static char *text_separated_line_end(char *bytes, size_t size, size_t scanned)
{
	return memchr(bytes + scanned, '\n', size - scanned);
}

static enum histree_status count_fault(const struct text_table *table, size_t count, struct histree_error *error)
{
	return text_table_fault(table, TEXT_NO_COLUMN, error, "has %zu column%s, and the names are %zu", count,
				count == 1 ? "" : "s", table->column_count);
}

static void set_cell(struct text_table *table, size_t column, char *bytes, size_t size)
{
	bytes[size] = '\0';
	table->cells[column] = (struct text_cell){ .kind = TEXT_PLAIN, .bytes = bytes, .size = size };
}

/* How many cells there would be, for a message: what follows may be long. */
static size_t count_more(const char *bytes, const char *end, char separator)
{
	size_t count = 1;
	while ((bytes = memchr(bytes, separator, (size_t)(end - bytes))) != NULL) {
		bytes++;
		count++;
	}
	return count;
}

static enum histree_status split_tsv(struct text_table *table, char *bytes, size_t size,
				     struct histree_error *error)
{
	char *end = bytes + size;
	for (size_t column = 0; column < table->column_count; column++) {
		char *next = memchr(bytes, '\t', (size_t)(end - bytes));
		bool is_last = column + 1 == table->column_count;
		if (is_last != (next == NULL))
			return count_fault(table, column + count_more(bytes, end, '\t'), error);
		set_cell(table, column, bytes, (size_t)((next != NULL ? next : end) - bytes));
		table->cells[column].is_escaped = true;
		bytes = next != NULL ? next + 1 : end;
	}
	return HISTREE_OK;
}

const struct text_format text_format_tsv = {
	.name = "tsv",
	.separator = '\t',
	.row_end = text_separated_line_end,
	.split = split_tsv,
};

/* ---- commas and quotes ------------------------------------------------------------------------------- */

/*
 * A row ends at the first line feed that an even number of quotes precede: quotes come in pairs, those that mean a
 * quote too.
 */
static char *quoted_row_end(char *bytes, size_t size, size_t scanned)
{
	char *at = bytes, *end = bytes + size, *line = memchr(bytes, '\n', size);
	(void)scanned; /* whether it is within quotes depends on all that precedes it */
	for (;;) {
		char *quote = memchr(at, '"', (size_t)((line != NULL ? line : end) - at));
		if (quote == NULL)
			return line;
		char *other = memchr(quote + 1, '"', (size_t)(end - quote - 1));
		if (other == NULL)
			return NULL;
		at = other + 1;
		if (line != NULL && line < at)
			line = memchr(at, '\n', (size_t)(end - at));
	}
}

/* A cell that begins with a quote.  Returns what is behind it, NULL if it has no end or goes on behind that. */
static char *take_quoted(struct text_table *table, size_t column, char *bytes, char *end)
{
	char *from = bytes + 1, *to = bytes;
	for (;;) {
		char *quote = memchr(from, '"', (size_t)(end - from));
		if (quote == NULL)
			return NULL;
		memmove(to, from, (size_t)(quote - from));
		to += quote - from;
		from = quote + 1;
		if (from == end || *from != '"')
			break;
		*to++ = *from++;
	}
	if (from < end && *from != ',')
		return NULL;
	set_cell(table, column, bytes, (size_t)(to - bytes));
	return from;
}

static enum histree_status split_csv(struct text_table *table, char *bytes, size_t size,
				     struct histree_error *error)
{
	char *end = bytes + size;
	for (size_t column = 0; column < table->column_count; column++) {
		char *behind;
		bool is_quoted = bytes < end && *bytes == '"';
		if (is_quoted) {
			behind = take_quoted(table, column, bytes, end);
			if (behind == NULL)
				return text_table_fault(table, column, error,
							"a quote without its end, or something behind it; a quote "
							"within quotes is written twice");
		} else {
			behind = memchr(bytes, ',', (size_t)(end - bytes));
			behind = behind != NULL ? behind : end;
			if (memchr(bytes, '"', (size_t)(behind - bytes)) != NULL)
				return text_table_fault(table, column, error,
							"a quote in a cell that does not begin with one; put the "
							"cell in quotes, and write the quote twice");
		}
		bool is_last = column + 1 == table->column_count;
		if (is_last != (behind == end))
			return count_fault(table, column + count_more(behind, end, ','), error);
		if (!is_quoted)
			set_cell(table, column, bytes, (size_t)(behind - bytes));
		bytes = behind < end ? behind + 1 : end;
	}
	return HISTREE_OK;
}

const struct text_format text_format_csv = {
	.name = "csv",
	.separator = ',',
	.row_end = quoted_row_end,
	.split = split_csv,
};

/* ---- text table ---------------------------------------------------------------------------------------------- */

enum { PIECE_SIZE = 256 << 10 };

/* The names of formats: tsv, csv, json, and NULL. */
static const char *const text_format_names[] = { "tsv", "csv", "json", NULL };

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

/* Returns the index of a name, which is added if it is new; TEXT_NO_COLUMN, and the error, if that cannot be. */
static size_t text_table_add_column(struct text_table *table, const char *name, size_t size,
				    struct histree_error *error)
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

/*
 * Take the next row, without the end of its line, which `split` may overwrite.  Returns HISTREE_END after the
 * last one.
 */
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

/* Recognises a file that is not text by its first bytes. */
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
	if (format != NULL) {
		table->format = format_named(format);
		return table->format != NULL
			       ? HISTREE_OK
			       : error_set(error, HISTREE_ERR_ARGUMENT,
					   "'%.40s' is no format of a text; there are tsv, csv and json", format);
	}
	table->format = format_of(table->bytes, table->filled);
	return table->format != NULL ? HISTREE_OK
				     : refuse(table, error,
					      "is no table: its first line has no tabs or commas between the names "
					      "of columns, and is no JSON object ('--format tsv' of histree writes "
					      "such a table)");
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
