// SPDX-License-Identifier: MIT
#include "cli/interval_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/time_text.h"

enum { PLAIN_COLUMNS = INTERVAL_COLUMNS - 2 };

void interval_rows_begin(struct interval_rows *rows, const struct row_format *format, struct output *output,
			 const struct histree_history *history, const struct attribute_list *list, bool with_labels)
{
	interval_rows_begin_wide(rows, format, output, history, attribute_list_width(list, INTERVAL_PATH_WIDTH_MAX),
				 with_labels);
}

void interval_rows_begin_wide(struct interval_rows *rows, const struct row_format *format, struct output *output,
			      const struct histree_history *history, unsigned width, bool with_labels)
{
	const struct row_column columns[INTERVAL_COLUMNS] = {
		{ .name = "path", .width = width },
		{ .name = "start", .width = 19, .to_the_right = true },
		{ .name = "end", .width = 19, .to_the_right = true },
		{ .name = "type", .width = 6 },
		{ .name = "value", .width = 19 },
		{ .name = "clock" },
		{ .name = "lasts", .width = 10, .to_the_right = true },
	};
	size_t count = PLAIN_COLUMNS;
	memcpy(rows->columns, columns, sizeof(columns));
	rows->has_labels = with_labels && format == &row_format_json;
	if (format->for_people)
		count = INTERVAL_COLUMNS;
	else if (rows->has_labels)
		rows->columns[count++] = (struct row_column){ .name = "label" };
	row_writer_begin(&rows->rows, format, output, rows->columns, count);
	rows->history = history;
	rows->has_table = false;
	rows->words = NULL;
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
	if (rows->words != NULL)
		return rows->words(rows->words_context, value);
	if (!rows->has_table || rows->quark != attribute->quark)
		rows->table = histree_labels_of(rows->history, attribute->quark);
	rows->has_table = true;
	rows->quark = attribute->quark;
	return histree_label_words(rows->table, value);
}

static void put_value(struct interval_rows *rows, const struct listed_attribute *attribute,
		      const struct histree_value *value)
{
	const char *words = rows->rows.format->for_people ? words_of(rows, attribute, value) : NULL;
	bool fits = value->type != HISTREE_STRING || value->size <= HISTREE_LABEL_TEXT_MAX;
	if (words != NULL && fits && value->type != HISTREE_DOUBLE && value->type != HISTREE_CUSTOM)
		row_labelled(&rows->rows, value, words);
	else if (value->type == HISTREE_CUSTOM)
		put_hexadecimal(rows, value->bytes, value->size);
	else
		row_value(&rows->rows, value);
}

static void put_label(struct interval_rows *rows, const struct listed_attribute *attribute,
		      const struct histree_value *value)
{
	const char *words = words_of(rows, attribute, value);
	if (words != NULL)
		row_text(&rows->rows, words);
	else
		row_null(&rows->rows);
}

void interval_rows_take(void *context, const struct listed_attribute *attribute,
			const struct histree_interval *interval)
{
	struct interval_rows *interval_rows = context;
	struct row_writer *rows = &interval_rows->rows;
	row_path(rows, attribute->path, attribute->path_size);
	row_number(rows, interval->start);
	row_number(rows, interval->end);
	row_text(rows, histree_type_name(interval->value.type));
	put_value(interval_rows, attribute, &interval->value);
	if (interval_rows->has_labels)
		put_label(interval_rows, attribute, &interval->value);
	if (rows->format->for_people) {
		char text[TIME_TEXT_SIZE];
		row_bytes(rows, text, time_format_clock(interval->start, text));
		row_bytes(rows, text,
			  time_format_duration((uint64_t)interval->end - (uint64_t)interval->start + 1, text));
	}
	row_end(rows);
}

void interval_rows_finish(struct interval_rows *rows)
{
	row_writer_finish(&rows->rows);
	free(rows->hexadecimal);
	rows->hexadecimal = NULL;
}
