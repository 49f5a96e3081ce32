// SPDX-License-Identifier: MIT
/*
 * label_rows.c - the labels of a history as rows that `histree load --labels` reads again.
 */
#include "cli/label_rows.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/verb.h"

enum { COLUMNS = 10 };

static const struct row_column columns[COLUMNS] = {
	{ .name = "pattern", .width = 24 },
	{ .name = "value", .width = 6, .to_the_right = true },
	{ .name = "to", .width = 10, .to_the_right = true },
	{ .name = "type", .width = 6 },
	{ .name = "name", .width = 20 },
	{ .name = "key", .width = 16 },
	{ .name = "light", .width = 7 },
	{ .name = "dark", .width = 7 },
	{ .name = "height", .width = 6 },
	{ .name = "meaning" },
};

static void put_integer(struct row_writer *rows, bool is_there, int64_t number)
{
	if (is_there)
		row_number(rows, number);
	else
		row_null(rows);
}

static void put_value(struct row_writer *rows, const struct histree_label *label)
{
	bool is_number = label->kind == HISTREE_LABEL_NUMBERS, is_long;
	if (label->kind == HISTREE_LABEL_TEXT)
		row_text(rows, label->text);
	else
		put_integer(rows, is_number, label->first);
	put_integer(rows, is_number && label->first != label->last, label->last);
	is_long = label->first < INT32_MIN || label->last > INT32_MAX;
	if (label->kind == HISTREE_LABEL_OTHERS)
		row_null(rows);
	else
		row_text(rows, histree_type_name(label->kind == HISTREE_LABEL_TEXT ? HISTREE_STRING
						 : is_long                         ? HISTREE_LONG
										   : HISTREE_INT));
}

static void put_colour(struct row_writer *rows, bool is_there, uint32_t colour)
{
	char text[16];
	if (!is_there) {
		row_null(rows);
		return;
	}
	snprintf(text, sizeof(text), "#%06x", (unsigned)colour & 0xffffff);
	row_text(rows, text);
}

/* A label that is not drawn has a value, and nothing more. */
static void put_label(struct row_writer *rows, const char *pattern, const struct histree_label_table *table,
		      const struct histree_label *label)
{
	row_path(rows, pattern, strlen(pattern));
	put_value(rows, label);
	if (label->is_hidden) {
		for (int i = 0; i < 5; i++)
			row_null(rows);
	} else {
		row_text(rows, label->style.name);
		row_text(rows, label->style.key);
		put_colour(rows, !label->has_no_colour, label->style.light);
		put_colour(rows, !label->has_no_colour, label->style.dark);
		row_real(rows, label->style.height);
	}
	if (table->meaning != HISTREE_MEANS_ANYTHING)
		row_text(rows, histree_meaning_name(table->meaning));
	else
		row_null(rows);
	row_end(rows);
}

/* Where other values have no colour, a row says that they are not drawn. */
static void put_table(struct row_writer *rows, const struct histree_label_table *table, const char *pattern)
{
	static const struct histree_label others_are_hidden = { .kind = HISTREE_LABEL_OTHERS, .is_hidden = true };
	bool has_others = false;
	for (size_t i = 0; i < table->label_count; i++) {
		put_label(rows, pattern, table, &table->labels[i]);
		has_others = table->labels[i].kind == HISTREE_LABEL_OTHERS;
	}
	if (!table->uses_palette && !has_others)
		put_label(rows, pattern, table, &others_are_hidden);
}

int label_rows_print(const struct histree_history *history, const struct row_format *format)
{
	struct row_writer rows;
	size_t count;
	const struct histree_label_table *tables = histree_labels(history, &count);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	row_writer_begin(&rows, format, output, columns, COLUMNS);
	for (size_t i = 0; i < count; i++)
		for (const char *const *pattern = tables[i].patterns; *pattern != NULL; pattern++)
			put_table(&rows, &tables[i], *pattern);
	row_writer_finish(&rows);
	if (count == 0)
		report("nothing is said of what the values mean; 'histree load --labels' can say it");
	return cli_end(output, count > 0 ? CLI_OK : CLI_NOTHING);
}
