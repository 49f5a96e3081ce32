// SPDX-License-Identifier: MIT
#include "cli/row_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number_text.h"
#include "base/time_text.h"

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
void row_labelled(struct row_writer *rows, const struct histree_value *value, const char *words)
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
