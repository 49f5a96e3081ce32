// SPDX-License-Identifier: MIT
/*
 * row_writer.c - rows of cells in each format, and intervals or cells of pixels as rows.
 *
 * Text is aligned columns for people, two spaces apart.  Padding is written before the next cell, so that no line
 * ends in blanks.  Control characters are escaped, so that the content of a trace cannot control the terminal.
 *
 * TSV and CSV are a header line, then one line a row; they differ in the separator, the end of a line and the way
 * these are escaped in texts.  JSON is one array, one object a row, one row a line (RFC 8259).  HTML is a table of
 * a page, for people.
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
#include <unistd.h>

#include "base/json_text.h"
#include "base/number_text.h"
#include "base/table.h"
#include "cli/answer.h"
#include "cli/attribute_list.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "histree/attributes.h"
#include "view/view.h"

/* ---- row writer ---------------------------------------------------------------------------------------------- */

/* In the order of their names. */
static const struct row_format *const formats[] = {
	&row_format_text,
	&row_format_tsv,
	&row_format_csv,
	&row_format_json,
};

const struct row_format *row_format_find(const char *name)
{
	const int number = name != NULL ? cli_choice_number(row_format_names, name) : 0;
	return row_format_names[number] != NULL ? formats[number] : &row_format_text;
}

static void leave_out(struct row_writer *rows, size_t column)
{
	rows->left_out[column / 64] |= UINT64_C(1) << column % 64;
}

static bool is_left_out(const struct row_writer *rows, size_t column)
{
	return (rows->left_out[column / 64] >> column % 64 & 1) != 0;
}

static bool is_for(const struct row_format *format, const struct row_column *column, unsigned kind)
{
	switch (column->when) {
	case ROW_ALL:
		return !column->is_hidden;
	case ROW_PEOPLE:
		return !column->is_hidden && format->for_people;
	case ROW_PROGRAMS:
		return !column->is_hidden && !format->for_people;
	case ROW_JSON:
		return !column->is_hidden && format == &row_format_json;
	case ROW_HOSTS:
		return !column->is_hidden && (!format->for_people || (kind & ROWS_OF_HOSTS) != 0);
	}
	return false;
}

/* The cells before these are written without a look at anything else. */
static void find_quick(struct row_writer *rows)
{
	rows->quick = 0;
	while (!rows->is_named && !rows_are_full(rows) && rows->quick < rows->column_count &&
	       !is_left_out(rows, rows->quick))
		rows->quick++;
}

static void prepare(struct row_writer *rows, const struct row_format *format, struct output *output,
		    const struct row_column *columns, size_t column_count, unsigned kind)
{
	assert(column_count <= ROW_COLUMNS_MAX);
	*rows = (struct row_writer){ .format = format,
				     .output = output,
				     .columns = columns,
				     .column_count = column_count,
				     .is_named = (kind & ROWS_NAMED) != 0,
				     .row_max = UINT64_MAX };
	for (size_t i = 0; i < column_count; i++)
		if (!is_for(format, &columns[i], kind))
			leave_out(rows, i);
	find_quick(rows);
}

void row_writer_begin(struct row_writer *rows, const struct row_format *format, struct output *output,
		      const struct row_column *columns, size_t column_count, unsigned kind)
{
	prepare(rows, format, output, columns, column_count, kind);
	format->begin(rows);
}

static bool is_in(const char *list, const char *name)
{
	const size_t size = strlen(name);
	for (const char *word = list;; word++) {
		const size_t length = strcspn(word, ",");
		if (length == size && memcmp(word, name, size) == 0)
			return true;
		word += length;
		if (*word == '\0')
			return false;
	}
}

/* Each name of the list must be one of a column that this format has. */
static enum cli_exit choose_columns(struct row_writer *rows, const char *list)
{
	for (const char *word = list, *end;; word = end + 1) {
		bool is_found = false;
		end = strchrnul(word, ',');
		for (size_t i = 0; i < rows->column_count && !is_found; i++)
			is_found = !is_left_out(rows, i) && strlen(rows->columns[i].name) == (size_t)(end - word) &&
				   memcmp(rows->columns[i].name, word, (size_t)(end - word)) == 0;
		if (!is_found) {
			const int size = (int)(end - word);
			char names[512] = "";
			for (size_t i = 0; i < rows->column_count; i++)
				if (!is_left_out(rows, i))
					name_list_add(names, sizeof(names), rows->columns[i].name);
			return report_exit(CLI_USAGE, "'--columns': there is no column '%.*s'; the columns are %s",
					   size, word, names);
		}
		if (*end == '\0')
			break;
	}
	for (size_t i = 0; i < rows->column_count; i++)
		if (!is_in(list, rows->columns[i].name))
			leave_out(rows, i);
	find_quick(rows);
	return CLI_OK;
}

enum cli_exit rows_open(struct row_writer *rows, const struct cli_question *question,
			const struct row_column *columns, size_t column_count, unsigned kind)
{
	return rows_open_on(rows, output_create_paged(), question, columns, column_count, kind);
}

enum cli_exit rows_open_on(struct row_writer *rows, struct output *output, const struct cli_question *question,
			   const struct row_column *columns, size_t column_count, unsigned kind)
{
	prepare(rows, row_format_find(question->format), output, columns, column_count, kind | ROWS_NAMED);
	rows->is_bold = rows->format == &row_format_text && pager_shows_bold();
	rows->is_usual = question->limit == 0 && rows->format == &row_format_text && question->usual_limit != 0;
	if (question->limit != 0)
		rows->row_max = question->limit;
	else if (rows->is_usual)
		rows->row_max = question->usual_limit;
	find_quick(rows);
	if (output == NULL)
		return report_no_memory();
	enum cli_exit code = question->columns != NULL ? choose_columns(rows, question->columns) : CLI_OK;
	if (code == CLI_OK) {
		rows->format->begin(rows);
	} else {
		output_free(output);
		rows->output = NULL;
	}
	return code;
}

void rows_say_rest(const struct row_writer *rows, uint64_t all)
{
	if (!rows->is_usual || rows->row_count < rows->row_max || (all != 0 && all <= rows->row_max))
		return;
	output_flush(rows->output);
	if (all != 0)
		report("%" PRIu64 " of %" PRIu64 " rows; '--limit %" PRIu64 "' prints all", rows->row_count, all,
		       all);
	else
		report("the first %" PRIu64 " rows; '--limit N' prints more, and '--format tsv' all",
		       rows->row_count);
}

int rows_close(struct row_writer *rows, int status)
{
	if (rows->output == NULL)
		return status;
	rows->format->finish(rows);
	return cli_end(rows->output, status);
}

/* Whether the next cell is written; if not, it is over with that. */
static inline bool takes_cell(struct row_writer *rows)
{
	if (rows->column >= rows->quick) {
		/* A cell that may have to be left out, or be below the names of the columns. */
		if (is_left_out(rows, rows->column) || rows_are_full(rows)) {
			rows->column++;
			return false;
		}
		if (rows->is_named)
			row_names(rows);
		rows->written++;
		return true;
	}
	rows->written++;
	return true;
}

static void put_cell(struct row_writer *rows, const struct row_column *column, const void *row)
{
	const void *member = (const char *)row + column->offset;
	const char *text;
	switch (column->cell) {
	case CELL_PUT:
		column->put(rows, member);
		break;
	case CELL_TEXT:
		memcpy(&text, member, sizeof(text));
		row_text_or_null(rows, text);
		break;
	case CELL_CHARS:
		row_text(rows, member);
		break;
	case CELL_INT:
		row_number(rows, *(const int32_t *)member);
		break;
	case CELL_NUMBER:
		row_number(rows, *(const int64_t *)member);
		break;
	case CELL_UNSIGNED:
		row_unsigned(rows, *(const uint64_t *)member);
		break;
	case CELL_SIZE:
		row_size(rows, (int64_t) * (const uint64_t *)member);
		break;
	case CELL_REAL:
		row_real(rows, *(const double *)member);
		break;
	case CELL_PERCENT:
		row_percent(rows, *(const double *)member);
		break;
	case CELL_CLOCK:
		row_clock(rows, *(const histree_time *)member);
		break;
	case CELL_DURATION:
		row_duration(rows, *(const uint64_t *)member);
		break;
	case CELL_VALUE:
		row_value(rows, member);
		break;
	case CELL_GROUP:
		if (rows->format->for_people && ((const struct histree_value *)member)->type == HISTREE_NULL)
			row_text(rows, "(unknown)");
		else
			row_value(rows, member);
		break;
	case CELL_NS:
		row_text(rows, "ns");
		break;
	case CELL_FLAG:
		row_bool(rows, *(const bool *)member);
		break;
	}
}

void row_put(struct row_writer *rows, const void *row)
{
	while (rows->column < rows->column_count) {
		const size_t column = rows->column;
		if (is_left_out(rows, column) || rows_are_full(rows))
			rows->column++;
		else
			put_cell(rows, &rows->columns[column], row);
		assert(rows->column == column + 1);
	}
	row_end(rows);
}

void row_number(struct row_writer *rows, int64_t number)
{
	if (!takes_cell(rows))
		return;
	char text[NUMBER_TEXT_SIZE];
	rows->format->plain(rows, text, number_format_signed(number, text));
	rows->column++;
}

void row_unsigned(struct row_writer *rows, uint64_t number)
{
	if (!takes_cell(rows))
		return;
	char text[NUMBER_TEXT_SIZE];
	rows->format->plain(rows, text, number_format_unsigned(number, text));
	rows->column++;
}

void row_real(struct row_writer *rows, double number)
{
	if (!takes_cell(rows))
		return;
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

/* A label has few bytes, and so has a text that has one: histree/attributes.h. */
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

void row_state_value(struct row_writer *rows, const struct histree_value *value, const char *words)
{
	const bool fits = value->type != HISTREE_STRING || value->size <= HISTREE_LABEL_TEXT_MAX;
	if (words != NULL && rows->format->for_people && fits && value->type != HISTREE_DOUBLE &&
	    value->type != HISTREE_CUSTOM)
		row_labelled(rows, value, words);
	else
		row_value(rows, value);
}

void row_bar(struct row_writer *rows, uint64_t number, uint64_t max)
{
	static const char longest[] = "########################################";
	double length = max > 0 ? (double)number / (double)max * (double)strlen(longest) : 0;
	row_bytes(rows, longest, length > 0 && length < 1 ? 1 : (size_t)length);
}

void row_bool(struct row_writer *rows, bool truth)
{
	if (!takes_cell(rows))
		return;
	rows->format->plain(rows, truth ? "true" : "false", truth ? 4 : 5);
	rows->column++;
}

void row_json(struct row_writer *rows, const char *json)
{
	if (!takes_cell(rows))
		return;
	rows->format->plain(rows, json, strlen(json));
	rows->column++;
}

void row_null(struct row_writer *rows)
{
	if (!takes_cell(rows))
		return;
	rows->format->null(rows);
	rows->column++;
}

void row_bytes(struct row_writer *rows, const char *bytes, size_t size)
{
	if (!takes_cell(rows))
		return;
	rows->format->text(rows, bytes, size, ROW_TEXT);
	rows->column++;
}

void row_text(struct row_writer *rows, const char *text)
{
	row_bytes(rows, text, strlen(text));
}

void row_text_or_null(struct row_writer *rows, const char *text)
{
	if (text != NULL)
		row_text(rows, text);
	else
		row_null(rows);
}

static int64_t day_of(histree_time time)
{
	const int64_t ns = INT64_C(86400) * 1000000000;
	return time / ns - (time % ns < 0);
}

void row_say_day(struct row_writer *rows, histree_time time)
{
	rows->has_day = rows->format->for_people;
	rows->day_at = time;
}

void row_clock(struct row_writer *rows, histree_time time)
{
	char text[TIME_TEXT_SIZE];
	if (!rows->format->for_people)
		row_number(rows, time);
	else if (rows->has_day && day_of(time) != day_of(rows->day_at))
		row_bytes(rows, text, time_format_date(time, text));
	else
		row_bytes(rows, text, time_format_clock(time, text));
}

void row_path(struct row_writer *rows, const char *path, size_t size)
{
	if (!takes_cell(rows))
		return;
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
	if (!takes_cell(rows))
		return;
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
	if (rows->written > 0) {
		rows->format->end(rows);
		if (++rows->row_count >= rows->row_max)
			rows->quick = 0;
	}
	rows->column = rows->written = rows->gap = 0;
}

/* The first clock that has room for it says the day. */
static void put_name(struct row_writer *rows, const struct row_column *column, bool *day_is_due)
{
	char date[TIME_TEXT_SIZE], name[64];
	time_format_date(rows->day_at, date);
	const int size = snprintf(name, sizeof(name), "%s %.10s", column->name, date);
	const bool has_day = *day_is_due && column->cell == CELL_CLOCK && (unsigned)size <= column->width &&
			     !is_left_out(rows, rows->column);
	*day_is_due = *day_is_due && !has_day;
	row_text(rows, has_day ? name : column->name);
}

/* They are no row. */
void row_names(struct row_writer *rows)
{
	const bool is_due = rows->format->for_people && rows->row_count == 0;
	const size_t column = rows->column;
	bool day_is_due = rows->has_day && time_has_day(rows->day_at);
	rows->is_named = false;
	find_quick(rows);
	if (!is_due)
		return;
	rows->column = 0;
	output_text(rows->output, rows->is_bold ? "\033[1m" : "");
	for (size_t i = 0; i < rows->column_count; i++)
		put_name(rows, &rows->columns[i], &day_is_due);
	output_text(rows->output, rows->is_bold ? "\033[m" : "");
	row_end(rows);
	rows->row_count = 0;
	rows->column = column;
	find_quick(rows);
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
	size_t count = 0;
	for (size_t i = 0; i < rows->column_count; i++) {
		if (is_left_out(rows, i))
			continue;
		if (count++ > 0)
			output_char(rows->output, rows->format->separator);
		output_text(rows->output, rows->columns[i].name);
	}
	output_text(rows->output, rows->format->line_end);
}

/* Writes an empty cell; every other cell begins with this too. */
static void row_separated_null(struct row_writer *rows)
{
	if (rows->written > 1)
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
	if (rows->written > 1)
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
	output_text(rows->output, rows->written <= 1 ? "<tr>" : "");
	output_format(rows->output, rows->columns[rows->column].to_the_right ? "<%s class=\"number\">" : "<%s>",
		      kind);
}

static void row_html_begin(struct row_writer *rows)
{
	output_text(rows->output, "<table>\n<thead>");
	for (; rows->column < rows->column_count; rows->column++) {
		const char *name = rows->columns[rows->column].name;
		if (is_left_out(rows, rows->column))
			continue;
		rows->written++;
		begin_cell(rows, "th");
		html_text(rows->output, name, strlen(name));
		output_text(rows->output, "</th>");
	}
	rows->column = rows->written = 0;
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

static const struct row_column interval_columns[INTERVAL_COLUMNS] = {
	{ .name = "path" },
	{ .name = "pixel", .width = 5, .to_the_right = true },
	{ .name = "start", .width = 18, .to_the_right = true, .cell = CELL_CLOCK },
	{ .name = "end", .width = 18, .to_the_right = true, .cell = CELL_CLOCK },
	{ .name = "type", .width = 6 },
	{ .name = "value", .width = 19 },
	{ .name = "other_type", .width = 6 },
	{ .name = "other", .width = 19 },
	{ .name = "label", .when = ROW_JSON },
	{ .name = "other_label", .when = ROW_JSON },
	{ .name = "lasts", .width = 10, .to_the_right = true, .when = ROW_PEOPLE },
};

static bool is_of(const char *name, enum interval_kind kind)
{
	const bool is_of_cells = strcmp(name, "pixel") == 0 || strncmp(name, "other", strlen("other")) == 0;
	return kind == INTERVAL_CELLS || !is_of_cells;
}

enum cli_exit interval_rows_open(struct interval_rows *rows, struct output *output,
				 const struct cli_question *question, const struct histree_history *history,
				 const struct attribute_list *list, enum interval_kind kind)
{
	size_t count = 0;
	*rows = (struct interval_rows){ .history = history };
	for (size_t i = 0; i < INTERVAL_COLUMNS; i++)
		if (is_of(interval_columns[i].name, kind))
			rows->columns[count++] = interval_columns[i];
	rows->columns[0].width = attribute_list_width(list, INTERVAL_PATH_WIDTH_MAX);
	enum cli_exit code = rows_open_on(&rows->rows, output, question, rows->columns, count, ROWS_PLAIN);
	row_say_day(&rows->rows, histree_history_info(history)->start);
	rows->has_words = rows->rows.format->for_people || rows->rows.format == &row_format_json;
	return code;
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
	if (value->type == HISTREE_CUSTOM)
		put_hexadecimal(rows, value->bytes, value->size);
	else
		row_state_value(&rows->rows, value, words);
}

static void put_state(struct interval_rows *interval_rows, histree_time start, histree_time end,
		      const struct histree_value *value, const char *words)
{
	struct row_writer *rows = &interval_rows->rows;
	row_clock(rows, start);
	row_clock(rows, end);
	row_text(rows, histree_type_name(value->type));
	put_value(interval_rows, value, words);
}

static void put_length(struct row_writer *rows, histree_time start, histree_time end)
{
	row_duration(rows, (uint64_t)end - (uint64_t)start + 1);
}

/* Programs that want no words have no more columns, of what may be millions of rows. */
void interval_rows_take(void *context, const struct listed_attribute *attribute,
			const struct histree_interval *interval)
{
	struct interval_rows *rows = context;
	const char *words = rows->has_words ? words_of(rows, attribute, &interval->value) : NULL;
	row_path(&rows->rows, attribute->path, attribute->path_size);
	put_state(rows, interval->start, interval->end, &interval->value, words);
	if (rows->has_words) {
		row_text_or_null(&rows->rows, words);
		put_length(&rows->rows, interval->start, interval->end);
	}
	rows->rows.column = rows->rows.column_count;
	row_end(&rows->rows);
}

void interval_rows_take_cell(void *context, const struct listed_attribute *attribute, const struct pixel_cell *cell)
{
	struct interval_rows *rows = context;
	row_path(&rows->rows, attribute->path, attribute->path_size);
	row_number(&rows->rows, cell->pixel);
	put_state(rows, cell->start, cell->end, &cell->value, cell->label);
	if (cell->has_other) {
		row_text(&rows->rows, histree_type_name(cell->other.type));
		put_value(rows, &cell->other, cell->other_label);
	} else {
		row_null(&rows->rows);
		row_null(&rows->rows);
	}
	row_text_or_null(&rows->rows, cell->label);
	row_text_or_null(&rows->rows, cell->other_label);
	put_length(&rows->rows, cell->start, cell->end);
	row_end(&rows->rows);
}

int interval_rows_close(struct interval_rows *rows, int status)
{
	free(rows->hexadecimal);
	rows->hexadecimal = NULL;
	return rows_close(&rows->rows, status);
}
