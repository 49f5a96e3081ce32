// SPDX-License-Identifier: MIT
/*
 * interval_rows.c - intervals, or cells of pixels, as rows in each format.
 */
#include "cli/interval_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/time_text.h"

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
