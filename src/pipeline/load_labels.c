// SPDX-License-Identifier: MIT
/*
 * load_labels.c - what values mean, from a text: columns pattern, value and name, and if there are any to, type,
 * key, light, dark, height and meaning.  The rows of a pattern are a table; tables come in the order of their
 * first rows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "pipeline/load_inside.h"
#include "state/labels.h"

struct label_columns {
	size_t pattern, value, to, type, name, key, light, dark, height, meaning;
};

struct labelled_pattern {
	const char *patterns[2]; /* it, and NULL */
	enum histree_meaning meaning;
	struct histree_label *labels;
	size_t count, capacity;
};

struct label_reading {
	struct load *load;
	struct text_table text;
	struct label_columns columns;
	struct arena texts;
	struct labelled_pattern *patterns;
	size_t count, capacity;
};

static enum histree_status fault(struct label_reading *reading, size_t column, const char *wanted)
{
	char text[64];
	return text_table_fault(&reading->text, column, reading->load->error, "%s is not %s",
				text_cell_quote(text_table_cell(&reading->text, column), text), wanted);
}

/* ---- cells ------------------------------------------------------------------------------------------------ */

static enum histree_status read_text(struct label_reading *reading, size_t column, bool is_path, const char **out)
{
	struct text_cell *cell = text_table_cell(&reading->text, column);
	*out = "";
	if (text_cell_is_empty(cell))
		return HISTREE_OK;
	bool is_text = cell->kind == TEXT_PLAIN || cell->kind == TEXT_STRING;
	if (!is_text || !(is_path ? text_cell_unescape_path(cell) : text_cell_unescape(cell)) ||
	    cell->size > HISTREE_LABEL_TEXT_MAX || memchr(cell->bytes, '\0', cell->size) != NULL)
		return fault(reading, column, "a text of up to 255 bytes");
	*out = arena_copy(&reading->texts, cell->bytes, cell->size);
	return *out != NULL ? HISTREE_OK : error_memory(reading->load->error, "labels");
}

/* "#rrggbb", or without the sign. */
static enum histree_status read_colour(struct label_reading *reading, size_t column, uint32_t *out, bool *has)
{
	const char *text;
	enum histree_status status = read_text(reading, column, false, &text);
	*has = status == HISTREE_OK && *text != '\0';
	if (!*has)
		return status;
	text += *text == '#';
	if (strlen(text) != 6 || strspn(text, "0123456789abcdefABCDEF") != 6)
		return fault(reading, column, "a colour such as #2a6cb8");
	*out = (uint32_t)strtoul(text, NULL, 16);
	return HISTREE_OK;
}

/* The palette has one for a label that has none; one that has one has it on dark ground too. */
static enum histree_status read_colours(struct label_reading *reading, struct histree_label *label)
{
	bool has_light, has_dark = false;
	struct histree_style *style = &label->style;
	enum histree_status status = read_colour(reading, reading->columns.light, &style->light, &has_light);
	if (status == HISTREE_OK)
		status = read_colour(reading, reading->columns.dark, &style->dark, &has_dark);
	if (has_light && !has_dark)
		style->dark = style->light;
	if (has_dark && !has_light)
		style->light = style->dark;
	label->has_no_colour = !has_light && !has_dark;
	return status;
}

static enum histree_status read_height(struct label_reading *reading, struct histree_label *label)
{
	struct text_cell *cell = text_table_cell(&reading->text, reading->columns.height);
	label->style.height = 1;
	if (text_cell_is_empty(cell))
		return HISTREE_OK;
	if (!text_cell_real(cell, &label->style.height) || !(label->style.height >= 0 && label->style.height <= 1))
		return fault(reading, reading->columns.height, "a height from 0 to 1");
	return HISTREE_OK;
}

/* ---- values ----------------------------------------------------------------------------------------------- */

static bool is_said_to_be_text(const struct label_reading *reading, struct text_table *text)
{
	const struct text_cell *cell = text_table_cell(text, reading->columns.type);
	bool has_type = cell->kind == TEXT_PLAIN || cell->kind == TEXT_STRING;
	return has_type && strcmp(cell->bytes, "string") == 0;
}

static enum histree_status read_to(struct label_reading *reading, struct histree_label *label)
{
	struct text_cell *cell = text_table_cell(&reading->text, reading->columns.to);
	label->last = label->first;
	if (text_cell_is_empty(cell))
		return HISTREE_OK;
	if (!text_cell_integer(cell, &label->last) || label->last < label->first)
		return fault(reading, reading->columns.to, "a whole number that is at least the value");
	return HISTREE_OK;
}

static enum histree_status read_value(struct label_reading *reading, struct histree_label *label)
{
	size_t column = reading->columns.value;
	struct text_cell *cell = text_table_cell(&reading->text, column);
	bool truth, is_string = cell->kind == TEXT_STRING || is_said_to_be_text(reading, &reading->text);
	if (!is_string && text_cell_is_empty(cell)) {
		label->kind = HISTREE_LABEL_OTHERS;
		return HISTREE_OK;
	}
	label->kind = HISTREE_LABEL_NUMBERS;
	if (!is_string && text_cell_integer(cell, &label->first))
		return read_to(reading, label);
	if (!is_string && text_cell_bool(cell, &truth)) {
		label->first = label->last = truth;
		return HISTREE_OK;
	}
	double real;
	if (!is_string && text_cell_real(cell, &real))
		return fault(reading, column, "a whole number, a truth or a string: a double has no label");
	label->kind = HISTREE_LABEL_TEXT;
	return read_text(reading, column, false, &label->text);
}

static enum histree_status read_label(struct label_reading *reading, struct histree_label *label)
{
	const struct label_columns *columns = &reading->columns;
	*label = (struct histree_label){ .is_hidden = false };
	enum histree_status status = read_value(reading, label);
	if (status == HISTREE_OK)
		status = read_text(reading, columns->name, false, &label->style.name);
	if (status == HISTREE_OK)
		status = read_text(reading, columns->key, false, &label->style.key);
	if (status == HISTREE_OK)
		status = read_colours(reading, label);
	if (status == HISTREE_OK)
		status = read_height(reading, label);
	if (status != HISTREE_OK)
		return status;
	label->is_hidden = *label->style.name == '\0';
	label->is_code = label->kind != HISTREE_LABEL_OTHERS;
	if (*label->style.key == '\0')
		label->style.key = label->style.name;
	return HISTREE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

static enum histree_status find_pattern(struct label_reading *reading, struct labelled_pattern **out)
{
	const char *pattern;
	enum histree_status status = read_text(reading, reading->columns.pattern, true, &pattern);
	if (status != HISTREE_OK)
		return status;
	for (size_t i = reading->count; i-- > 0;) /* rows of one pattern mostly follow one another */
		if (strcmp(reading->patterns[i].patterns[0], pattern) == 0) {
			*out = &reading->patterns[i];
			return HISTREE_OK;
		}
	if (reading->count == HISTREE_LABEL_TABLES_MAX)
		return fault(reading, reading->columns.pattern, "one of the first 200 patterns, which is the most");
	if (!array_reserve(&reading->patterns, &reading->capacity, reading->count + 1))
		return error_memory(reading->load->error, "labels");
	*out = &reading->patterns[reading->count++];
	**out = (struct labelled_pattern){ .patterns = { pattern, NULL } };
	return HISTREE_OK;
}

/* One row of a pattern that says it is enough. */
static enum histree_status read_meaning(struct label_reading *reading, enum histree_meaning *out)
{
	const char *text;
	enum histree_status status = read_text(reading, reading->columns.meaning, false, &text);
	if (status != HISTREE_OK || *text == '\0')
		return status;
	for (int i = 0; i < HISTREE_MEANING_COUNT; i++)
		if (strcmp(text, histree_meaning_name((enum histree_meaning)i)) == 0) {
			*out = (enum histree_meaning)i;
			return HISTREE_OK;
		}
	return fault(reading, reading->columns.meaning,
		     "thread-status, cpu-status, tid, irq, softirq-status, frequency or empty");
}

static enum histree_status read_row(struct label_reading *reading)
{
	struct labelled_pattern *pattern = NULL;
	struct histree_label label;
	enum histree_status status = find_pattern(reading, &pattern);
	if (status == HISTREE_OK)
		status = read_label(reading, &label);
	if (status == HISTREE_OK)
		status = read_meaning(reading, &pattern->meaning);
	if (status != HISTREE_OK)
		return status;
	if (pattern->count == LABELS_MAX)
		return text_table_fault(&reading->text, TEXT_NO_COLUMN, reading->load->error,
					"a pattern has at most %d labels", LABELS_MAX);
	if (!array_reserve(&pattern->labels, &pattern->capacity, pattern->count + 1))
		return error_memory(reading->load->error, "labels");
	pattern->labels[pattern->count++] = label;
	return HISTREE_OK;
}

static enum histree_status find_columns(struct label_reading *reading)
{
	const struct text_table *text = &reading->text;
	reading->columns = (struct label_columns){
		.pattern = text_table_column(text, "pattern"),
		.value = text_table_column(text, "value"),
		.to = text_table_column(text, "to"),
		.type = text_table_column(text, "type"),
		.name = text_table_column(text, "name"),
		.key = text_table_column(text, "key"),
		.light = text_table_column(text, "light"),
		.dark = text_table_column(text, "dark"),
		.height = text_table_column(text, "height"),
		.meaning = text_table_column(text, "meaning"),
	};
	if (reading->columns.pattern != TEXT_NO_COLUMN && reading->columns.name != TEXT_NO_COLUMN)
		return HISTREE_OK;
	return text_table_fault(text, TEXT_NO_COLUMN, reading->load->error,
				"labels have columns pattern, value and name, and may have to, type, key, light, "
				"dark, height and meaning");
}

static enum histree_status read_rows(struct label_reading *reading)
{
	enum histree_status status = HISTREE_OK;
	size_t columns_known = 0;
	while (status == HISTREE_OK) {
		status = text_table_next(&reading->text, reading->load->error);
		if (status == HISTREE_OK && reading->text.column_count != columns_known) {
			columns_known = reading->text.column_count;
			status = find_columns(reading);
		}
		if (status == HISTREE_OK)
			status = read_row(reading);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- the section ------------------------------------------------------------------------------------------ */

static enum histree_status encode(struct label_reading *reading)
{
	struct load *load = reading->load;
	struct label_tables copy = { 0 };
	struct histree_label_table *tables = calloc(reading->count + 1, sizeof(*tables));
	enum histree_status status = tables != NULL ? HISTREE_OK : error_memory(load->error, "labels");
	for (size_t i = 0; i < reading->count && tables != NULL; i++)
		tables[i] = (struct histree_label_table){
			.name = reading->patterns[i].patterns[0],
			.meaning = reading->patterns[i].meaning,
			.patterns = reading->patterns[i].patterns,
			.labels = reading->patterns[i].labels,
			.label_count = reading->patterns[i].count,
			.uses_palette = true,
		};
	if (status == HISTREE_OK)
		status = label_tables_copy(tables, reading->count, &copy, load->error);
	if (status == HISTREE_OK)
		status = label_section_encode(&copy, &load->labels, &load->label_size, load->error);
	/* What is wrong is in the file. */
	if (status == HISTREE_ERR_ARGUMENT) {
		error_prefix(load->error, "'%.150s'", load->options->labels);
		status = load->error->status = HISTREE_ERR_FORMAT;
	}
	label_tables_release(&copy);
	free(tables);
	return status;
}

enum histree_status load_read_labels(struct load *load)
{
	struct label_reading reading = { .load = load };
	if (load->options->labels == NULL)
		return HISTREE_OK;
	enum histree_status status =
		text_table_open(&reading.text, load->io, load->options->labels, NULL, NULL, load->error);
	if (status != HISTREE_OK)
		return status;
	status = read_rows(&reading);
	if (status == HISTREE_OK)
		status = encode(&reading);
	text_table_close(&reading.text);
	for (size_t i = 0; i < reading.count; i++)
		free(reading.patterns[i].labels);
	free(reading.patterns);
	arena_release(&reading.texts);
	return status;
}

enum histree_status load_set_labels(const struct load *load, const struct interval_sink *sink)
{
	return load->label_size > 0
		       ? sink->set_section(sink->context, TOLD_LABELS, load->labels, load->label_size, load->error)
		       : HISTREE_OK;
}
