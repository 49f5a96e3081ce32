// SPDX-License-Identifier: MIT
/*
 * row_writer.c - rows of cells in each format, and intervals or cells of pixels as rows.
 *
 * Text is aligned columns for people, two spaces apart.  Padding is written before the next cell, so that no line
 * ends in blanks.  Control characters are escaped: the content of a trace must not drive the terminal.
 *
 * TSV and CSV are a header line, then one line a row; they differ in the separator, the end of a line and how a
 * text is kept from looking like either.  JSON is one array, one object a row, one row a line (RFC 8259).  HTML
 * is a table of a page, for people.
 */
#include "cli/row_writer.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "cli/attribute_list.h"
#include "cli/html_text.h"
#include "cli/output.h"
#include "cli/pixel_cells.h"
#include "histree/labels.h"
#include "histree/view.h"

/* ---- row writer ---------------------------------------------------------------------------------------------- */

/* ---- row writer ---------------------------------------------------------------------------------------------- */

const char *const row_format_names[] = { "text", "tsv", "csv", "json", NULL };

/* In the order of their names. */
static const struct row_format *const formats[] = {
	&row_format_text,
	&row_format_tsv,
	&row_format_csv,
	&row_format_json,
};

const struct row_format *row_format_find(const char *name)
{
	for (size_t i = 0; name != NULL && row_format_names[i] != NULL; i++)
		if (strcmp(row_format_names[i], name) == 0)
			return formats[i];
	return &row_format_text;
}

void row_writer_begin(struct row_writer *rows, const struct row_format *format, struct output *output,
		      const struct row_column *columns, size_t column_count)
{
	*rows = (struct row_writer){
		.format = format,
		.output = output,
		.columns = columns,
		.column_count = column_count,
	};
	format->begin(rows);
}

void row_number(struct row_writer *rows, int64_t number)
{
	char text[NUMBER_TEXT_SIZE];
	rows->format->plain(rows, text, number_format_signed(number, text));
	rows->column++;
}

void row_unsigned(struct row_writer *rows, uint64_t number)
{
	char text[NUMBER_TEXT_SIZE];
	rows->format->plain(rows, text, number_format_unsigned(number, text));
	rows->column++;
}

void row_real(struct row_writer *rows, double number)
{
	char text[NUMBER_TEXT_SIZE];
	size_t size = number_format_real(number, text);
	/* In JSON '-0' is an integer, and these have one zero. */
	if (number == 0 && signbit(number) && rows->format == &row_format_json)
		rows->format->plain(rows, "-0.0", strlen("-0.0"));
	else if (isfinite(number))
		rows->format->plain(rows, text, size);
	else /* JSON has no such number, only its name. */
		rows->format->text(rows, text, size, ROW_TEXT);
	rows->column++;
}

void row_percent(struct row_writer *rows, double percent)
{
	char text[NUMBER_TEXT_SIZE];
	const double rounded = round(10 * percent) / 10;
	if (!rows->format->for_people) {
		row_real(rows, rounded);
		return;
	}
	snprintf(text, sizeof(text), "%.1f", rounded);
	row_text(rows, text);
}

void row_duration(struct row_writer *rows, uint64_t ns)
{
	char text[TIME_TEXT_SIZE];
	if (rows->format->for_people)
		row_bytes(rows, text, time_format_duration(ns, text));
	else
		row_unsigned(rows, ns);
}

void row_size(struct row_writer *rows, int64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	char text[32];
	double number = (double)bytes;
	size_t unit = 0;
	if (!rows->format->for_people) {
		row_number(rows, bytes);
		return;
	}
	while ((number >= 1024 || number <= -1024) && unit + 1 < sizeof(units) / sizeof(*units)) {
		number /= 1024;
		unit++;
	}
	snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", number, units[unit]);
	row_text(rows, text);
}

/* A label has few bytes, and so has a text that has one: histree/labels.h. */
static void row_labelled(struct row_writer *rows, const struct histree_value *value, const char *words)
{
	char text[2 * HISTREE_LABEL_TEXT_MAX + 8];
	int size;
	if (value->type == HISTREE_STRING)
		size = snprintf(text, sizeof(text), "%.*s %s", (int)value->size, (const char *)value->bytes, words);
	else if (value->type == HISTREE_BOOL)
		size = snprintf(text, sizeof(text), "%s %s", value->boolean ? "true" : "false", words);
	else
		size = snprintf(text, sizeof(text), "%" PRId64 " %s",
				value->type == HISTREE_INT ? value->int32 : value->int64, words);
	row_bytes(rows, text, size < (int)sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

void row_bar(struct row_writer *rows, uint64_t number, uint64_t max)
{
	static const char longest[] = "########################################";
	double length = max > 0 ? (double)number / (double)max * (double)strlen(longest) : 0;
	row_bytes(rows, longest, length > 0 && length < 1 ? 1 : (size_t)length);
}

void row_bool(struct row_writer *rows, bool truth)
{
	rows->format->plain(rows, truth ? "true" : "false", truth ? 4 : 5);
	rows->column++;
}

void row_json(struct row_writer *rows, const char *json)
{
	rows->format->plain(rows, json, strlen(json));
	rows->column++;
}

void row_null(struct row_writer *rows)
{
	rows->format->null(rows);
	rows->column++;
}

void row_bytes(struct row_writer *rows, const char *bytes, size_t size)
{
	rows->format->text(rows, bytes, size, ROW_TEXT);
	rows->column++;
}

void row_text(struct row_writer *rows, const char *text)
{
	row_bytes(rows, text, strlen(text));
}

void row_path(struct row_writer *rows, const char *path, size_t size)
{
	rows->format->text(rows, path, size, ROW_PATH);
	rows->column++;
}

void row_value(struct row_writer *rows, const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_INT:
		row_number(rows, value->int32);
		break;
	case HISTREE_LONG:
		row_number(rows, value->int64);
		break;
	case HISTREE_DOUBLE:
		row_real(rows, value->real);
		break;
	case HISTREE_BOOL:
		row_bool(rows, value->boolean);
		break;
	case HISTREE_STRING:
		row_bytes(rows, value->bytes, value->size);
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_CUSTOM:
		row_null(rows);
		break;
	}
}

void row_numbers(struct row_writer *rows, const uint64_t *numbers, size_t count)
{
	const char *const *array = rows->format->array;
	rows->format->plain(rows, array[0], strlen(array[0]));
	for (size_t i = 0; i < count; i++) {
		char text[NUMBER_TEXT_SIZE];
		if (i > 0)
			output_text(rows->output, array[1]);
		output_bytes(rows->output, text, number_format_unsigned(numbers[i], text));
	}
	output_text(rows->output, array[2]);
	rows->column++;
}

void row_end(struct row_writer *rows)
{
	assert(rows->column == rows->column_count);
	rows->format->end(rows);
	rows->column = 0;
	rows->gap = 0;
	rows->row_count++;
}

void row_names(struct row_writer *rows)
{
	if (!rows->format->for_people || rows->row_count > 0)
		return;
	for (size_t i = 0; i < rows->column_count; i++)
		row_text(rows, rows->columns[i].name);
	row_end(rows);
	rows->row_count = 0;
}

void row_writer_finish(struct row_writer *rows)
{
	rows->format->finish(rows);
}

/* ---- row text ------------------------------------------------------------------------------------------------ */

static void row_text_begin(struct row_writer *rows)
{
	(void)rows;
}

/* Begins a cell that is `width` characters wide, and notes how many spaces come before the next one. */
static void align(struct row_writer *rows, size_t width)
{
	const struct row_column *column = &rows->columns[rows->column];
	size_t padding = width < column->width ? column->width - width : 0;
	if (width == 0) {
		rows->gap += padding + 2;
		return;
	}
	output_spaces(rows->output, rows->gap + (column->to_the_right ? padding : 0));
	rows->gap = 2 + (column->to_the_right ? 0 : padding);
}

static void row_text_plain(struct row_writer *rows, const char *bytes, size_t size)
{
	align(rows, size);
	output_bytes(rows->output, bytes, size);
}

/* Writes what is shown instead of the byte at `at` and returns its size; 0 if the byte is shown as it is. */
static size_t escape_of(char escape[CONTROL_ESCAPE_SIZE], const char *bytes, size_t size, size_t at,
			enum row_text_kind kind)
{
	if (bytes[at] == '\\' && kind != ROW_PATH) {
		escape[0] = escape[1] = '\\';
		return 2;
	}
	return control_text_at(bytes, size, at) ? control_text_escape(bytes[at], escape) : 0;
}

/* Returns the width on a terminal, one for each character: continuation bytes of UTF-8 have no width. */
static size_t width_of(const char *bytes, size_t size, enum row_text_kind kind)
{
	size_t width = 0;
	for (size_t i = 0; i < size; i++) {
		char escape[CONTROL_ESCAPE_SIZE];
		size_t escape_size = escape_of(escape, bytes, size, i, kind);
		width += escape_size > 0 ? escape_size : ((unsigned char)bytes[i] & 0xc0) != 0x80;
	}
	return width;
}

static void row_text_text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	align(rows, width_of(bytes, size, kind));
	size_t done = 0;
	for (size_t i = 0; i < size; i++) {
		char escape[CONTROL_ESCAPE_SIZE];
		size_t escape_size = escape_of(escape, bytes, size, i, kind);
		if (escape_size == 0)
			continue;
		output_bytes(rows->output, bytes + done, i - done);
		output_bytes(rows->output, escape, escape_size);
		done = i + 1;
	}
	output_bytes(rows->output, bytes + done, size - done);
}

static void row_text_null(struct row_writer *rows)
{
	align(rows, 0);
}

static void row_text_end(struct row_writer *rows)
{
	output_char(rows->output, '\n');
}

const struct row_format row_format_text = {
	.for_people = true,
	.array = { "", " ", "" },
	.begin = row_text_begin,
	.plain = row_text_plain,
	.text = row_text_text,
	.null = row_text_null,
	.end = row_text_end,
	.finish = row_text_begin,
};

/* ---- row separated ------------------------------------------------------------------------------------------- */

static void header(struct row_writer *rows)
{
	for (size_t i = 0; i < rows->column_count; i++) {
		if (i > 0)
			output_char(rows->output, rows->format->separator);
		output_text(rows->output, rows->columns[i].name);
	}
	output_text(rows->output, rows->format->line_end);
}

/* Writes an empty cell; every other cell begins with this too. */
static void row_separated_null(struct row_writer *rows)
{
	if (rows->column > 0)
		output_char(rows->output, rows->format->separator);
}

static void row_separated_plain(struct row_writer *rows, const char *bytes, size_t size)
{
	row_separated_null(rows);
	output_bytes(rows->output, bytes, size);
}

static void row_separated_end(struct row_writer *rows)
{
	output_text(rows->output, rows->format->line_end);
}

static void row_separated_finish(struct row_writer *rows)
{
	(void)rows;
}

/* Returns the letter that follows the backslash in the escape sequence of a byte; 0 if the byte needs none. */
static char tsv_escape(char c, enum row_text_kind kind)
{
	switch (c) {
	case '\\':
		return kind == ROW_PATH ? '\0' : '\\';
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	default:
		return '\0';
	}
}

static void tsv_text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	row_separated_null(rows);
	size_t done = 0;
	for (size_t i = 0; i < size; i++) {
		char letter = tsv_escape(bytes[i], kind);
		if (letter == '\0')
			continue;
		output_bytes(rows->output, bytes + done, i - done);
		output_char(rows->output, '\\');
		output_char(rows->output, letter);
		done = i + 1;
	}
	output_bytes(rows->output, bytes + done, size - done);
}

static bool csv_needs_quotes(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\n' || bytes[i] == '\r')
			return true;
	return false;
}

static void csv_text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	(void)kind;
	if (!csv_needs_quotes(bytes, size)) {
		row_separated_plain(rows, bytes, size);
		return;
	}
	row_separated_null(rows);
	output_char(rows->output, '"');
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '"')
			output_char(rows->output, '"');
		output_char(rows->output, bytes[i]);
	}
	output_char(rows->output, '"');
}

const struct row_format row_format_tsv = {
	.array = { "", " ", "" },
	.separator = '\t',
	.line_end = "\n",
	.begin = header,
	.plain = row_separated_plain,
	.text = tsv_text,
	.null = row_separated_null,
	.end = row_separated_end,
	.finish = row_separated_finish,
};

const struct row_format row_format_csv = {
	.array = { "", " ", "" },
	.separator = ',',
	.line_end = "\r\n",
	.begin = header,
	.plain = row_separated_plain,
	.text = csv_text,
	.null = row_separated_null,
	.end = row_separated_end,
	.finish = row_separated_finish,
};

/* ---- row json ------------------------------------------------------------------------------------------------ */

static void row_json_begin(struct row_writer *rows)
{
	output_char(rows->output, '[');
}

/* Writes everything before the value of a cell.  Names of columns are plain ASCII. */
static void name(struct row_writer *rows)
{
	if (rows->column > 0)
		output_char(rows->output, ',');
	else
		output_text(rows->output, rows->row_count > 0 ? ",\n{" : "\n{");
	output_char(rows->output, '"');
	output_text(rows->output, rows->columns[rows->column].name);
	output_bytes(rows->output, "\":", 2);
}

static void row_json_plain(struct row_writer *rows, const char *bytes, size_t size)
{
	name(rows);
	output_bytes(rows->output, bytes, size);
}

static void row_json_text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	(void)kind;
	name(rows);
	output_char(rows->output, '"');
	while (size > 0) {
		struct json_piece piece = json_piece_next(bytes, size);
		output_bytes(rows->output, bytes, piece.plain);
		output_bytes(rows->output, piece.escape, piece.escape_size);
		bytes += piece.taken;
		size -= piece.taken;
	}
	output_char(rows->output, '"');
}

static void row_json_null(struct row_writer *rows)
{
	row_json_plain(rows, "null", 4);
}

static void row_json_end(struct row_writer *rows)
{
	output_char(rows->output, '}');
}

static void row_json_finish(struct row_writer *rows)
{
	output_text(rows->output, rows->row_count > 0 ? "\n]\n" : "]\n");
}

const struct row_format row_format_json = {
	.array = { "[", ",", "]" },
	.begin = row_json_begin,
	.plain = row_json_plain,
	.text = row_json_text,
	.null = row_json_null,
	.end = row_json_end,
	.finish = row_json_finish,
};

/* ---- row html ------------------------------------------------------------------------------------------------ */

static void begin_cell(struct row_writer *rows, const char *kind)
{
	output_text(rows->output, rows->column == 0 ? "<tr>" : "");
	output_format(rows->output, rows->columns[rows->column].to_the_right ? "<%s class=\"number\">" : "<%s>",
		      kind);
}

static void row_html_begin(struct row_writer *rows)
{
	output_text(rows->output, "<table>\n<thead>");
	for (; rows->column < rows->column_count; rows->column++) {
		const char *name = rows->columns[rows->column].name;
		begin_cell(rows, "th");
		html_text(rows->output, name, strlen(name));
		output_text(rows->output, "</th>");
	}
	rows->column = 0;
	output_text(rows->output, "</tr></thead>\n<tbody>\n");
}

static void row_html_plain(struct row_writer *rows, const char *bytes, size_t size)
{
	begin_cell(rows, "td");
	output_bytes(rows->output, bytes, size);
	output_text(rows->output, "</td>");
}

static void row_html_text(struct row_writer *rows, const char *bytes, size_t size, enum row_text_kind kind)
{
	(void)kind;
	begin_cell(rows, "td");
	html_text(rows->output, bytes, size);
	output_text(rows->output, "</td>");
}

static void row_html_null(struct row_writer *rows)
{
	row_html_plain(rows, "", 0);
}

static void row_html_end(struct row_writer *rows)
{
	output_text(rows->output, "</tr>\n");
}

static void row_html_finish(struct row_writer *rows)
{
	output_text(rows->output, "</tbody>\n</table>\n");
}

const struct row_format row_format_html = {
	.for_people = true,
	.array = { "", " ", "" },
	.begin = row_html_begin,
	.plain = row_html_plain,
	.text = row_html_text,
	.null = row_html_null,
	.end = row_html_end,
	.finish = row_html_finish,
};

/* ---- interval rows ------------------------------------------------------------------------------------------- */

static const struct row_column path_column = { .name = "path" };

static const struct row_column pixel_column = { .name = "pixel", .width = 5, .to_the_right = true };

static const struct row_column state_columns[] = { { .name = "start", .width = 19, .to_the_right = true },
						   { .name = "end", .width = 19, .to_the_right = true },
						   { .name = "type", .width = 6 },
						   { .name = "value", .width = 19 } };

static const struct row_column other_columns[] = { { .name = "other_type", .width = 6 },
						   { .name = "other", .width = 19 } };

static const struct row_column people_columns[] = { { .name = "clock" },
						    { .name = "lasts", .width = 10, .to_the_right = true } };

static const struct row_column label_columns[] = { { .name = "label" }, { .name = "other_label" } };

static size_t add_columns(struct interval_rows *rows, size_t count, const struct row_column *columns, size_t more)
{
	memcpy(rows->columns + count, columns, more * sizeof(*columns));
	return count + more;
}

void interval_rows_begin(struct interval_rows *rows, const struct row_format *format, struct output *output,
			 const struct histree_history *history, const struct attribute_list *list,
			 enum interval_kind kind)
{
	bool are_cells = kind == INTERVAL_CELLS;
	size_t count = add_columns(rows, 0, &path_column, 1);
	rows->columns[0].width = attribute_list_width(list, INTERVAL_PATH_WIDTH_MAX);
	if (are_cells)
		count = add_columns(rows, count, &pixel_column, 1);
	count = add_columns(rows, count, state_columns, 4);
	if (are_cells)
		count = add_columns(rows, count, other_columns, 2);
	rows->has_labels = kind != INTERVAL_PLAIN && format == &row_format_json;
	if (format->for_people)
		count = add_columns(rows, count, people_columns, 2);
	else if (rows->has_labels)
		count = add_columns(rows, count, label_columns, are_cells ? 2 : 1);
	row_writer_begin(&rows->rows, format, output, rows->columns, count);
	rows->history = history;
	rows->has_table = false;
	rows->hexadecimal = NULL;
	rows->hexadecimal_capacity = 0;
}

static void put_hexadecimal(struct interval_rows *rows, const unsigned char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	if (!array_reserve(&rows->hexadecimal, &rows->hexadecimal_capacity, 2 * size)) {
		rows->rows.output->failure = ENOMEM; /* what follows is dropped, and cli_end() says so */
		return;
	}
	for (size_t i = 0; i < size; i++) {
		rows->hexadecimal[2 * i] = digits[bytes[i] >> 4];
		rows->hexadecimal[2 * i + 1] = digits[bytes[i] & 15];
	}
	row_bytes(&rows->rows, rows->hexadecimal, 2 * size);
}

/* Rows of one attribute follow each other: its table is looked up once. */
static const char *words_of(struct interval_rows *rows, const struct listed_attribute *attribute,
			    const struct histree_value *value)
{
	if (!rows->has_table || rows->quark != attribute->quark)
		rows->table = histree_labels_of(rows->history, attribute->quark);
	rows->has_table = true;
	rows->quark = attribute->quark;
	return histree_label_words(rows->table, value);
}

static void put_value(struct interval_rows *rows, const struct histree_value *value, const char *words)
{
	bool fits = value->type != HISTREE_STRING || value->size <= HISTREE_LABEL_TEXT_MAX;
	if (words != NULL && rows->rows.format->for_people && fits && value->type != HISTREE_DOUBLE &&
	    value->type != HISTREE_CUSTOM)
		row_labelled(&rows->rows, value, words);
	else if (value->type == HISTREE_CUSTOM)
		put_hexadecimal(rows, value->bytes, value->size);
	else
		row_value(&rows->rows, value);
}

static void put_label(struct interval_rows *rows, const char *words)
{
	if (words != NULL)
		row_text(&rows->rows, words);
	else
		row_null(&rows->rows);
}

static void put_times_for_people(struct row_writer *rows, histree_time start, histree_time end)
{
	char text[TIME_TEXT_SIZE];
	if (!rows->format->for_people)
		return;
	row_bytes(rows, text, time_format_clock(start, text));
	row_bytes(rows, text, time_format_duration((uint64_t)end - (uint64_t)start + 1, text));
}

void interval_rows_take(void *context, const struct listed_attribute *attribute,
			const struct histree_interval *interval)
{
	struct interval_rows *interval_rows = context;
	struct row_writer *rows = &interval_rows->rows;
	bool has_words = rows->format->for_people || interval_rows->has_labels;
	const char *words = has_words ? words_of(interval_rows, attribute, &interval->value) : NULL;
	row_path(rows, attribute->path, attribute->path_size);
	row_number(rows, interval->start);
	row_number(rows, interval->end);
	row_text(rows, histree_type_name(interval->value.type));
	put_value(interval_rows, &interval->value, words);
	if (interval_rows->has_labels)
		put_label(interval_rows, words);
	put_times_for_people(rows, interval->start, interval->end);
	row_end(rows);
}

void interval_rows_take_cell(void *context, const struct listed_attribute *attribute, const struct pixel_cell *cell)
{
	struct interval_rows *interval_rows = context;
	struct row_writer *rows = &interval_rows->rows;
	row_path(rows, attribute->path, attribute->path_size);
	row_number(rows, cell->pixel);
	row_number(rows, cell->start);
	row_number(rows, cell->end);
	row_text(rows, histree_type_name(cell->value.type));
	put_value(interval_rows, &cell->value, cell->label);
	if (cell->has_other) {
		row_text(rows, histree_type_name(cell->other.type));
		put_value(interval_rows, &cell->other, cell->other_label);
	} else {
		row_null(rows);
		row_null(rows);
	}
	if (interval_rows->has_labels) {
		put_label(interval_rows, cell->label);
		put_label(interval_rows, cell->other_label);
	}
	put_times_for_people(rows, cell->start, cell->end);
	row_end(rows);
}

void interval_rows_finish(struct interval_rows *rows)
{
	row_writer_finish(&rows->rows);
	free(rows->hexadecimal);
	rows->hexadecimal = NULL;
}
