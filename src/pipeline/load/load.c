// SPDX-License-Identifier: MIT
/*
 * load.c - makes a store from tables of states, changes or segments (docs/design/08-traces.md).
 *
 * Rows are read, then a file is made from them, then overviews.  For four million changes of 2,000 attributes these
 * steps take the shares of the time below.  A load without overviews has no last step.
 *
 * Labels come from a text, too: with the columns pattern, value and name, and optionally to, type, key, light,
 * dark, height and meaning.  The rows of a pattern are a table; tables come in the order of their first rows.
 */
#include "pipeline/load/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/registry.h"
#include "base/bytes.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/io.h"
#include "base/monotonic.h"
#include "base/table.h"
#include "histree/build.h"
#include "histree/segments.h"
#include "overview/overview_writer.h"
#include "pipeline/build_plan.h"
#include "state/attributes.h"
#include "state/labels.h"
#include "state/ongoing_states.h"
#include "store/record_sort.h"
#include "store_folder/manifest.h"
#include "store_folder/store_folder.h"
#include "text/text_table.h"

/* ---- progress ------------------------------------------------------------------------------------------------ */

static void add_bytes(const char *path, uint64_t *bytes, bool *are_known)
{
	struct stat facts;
	*are_known = *are_known && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
	*bytes += *are_known ? (uint64_t)facts.st_size : 0;
}

/* Returns how many bytes the texts have that the options name; 0 if one of them is no regular file. */
static uint64_t load_bytes_total(const struct histree_load_options *options)
{
	uint64_t bytes = 0;
	bool are_known = true;
	if (options->initial != NULL)
		add_bytes(options->initial, &bytes, &are_known);
	for (size_t i = 0; i < options->file_count; i++)
		add_bytes(options->files[i], &bytes, &are_known);
	return are_known ? bytes : 0;
}

/* The same for the overviews of a history: returns whether the caller wants more. */
static bool load_goes_on(void *context, double share)
{
	const struct load *load = context;
	load_show(load, share);
	return !cancel_asked(&load->options->work);
}

/* ---- labels -------------------------------------------------------------------------------------------------- */

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

static enum histree_status load_labels_read_text(struct label_reading *reading, size_t column, bool is_path,
						 const char **out)
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
	enum histree_status status = load_labels_read_text(reading, column, false, &text);
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
	return load_labels_read_text(reading, column, false, &label->text);
}

static enum histree_status read_label(struct label_reading *reading, struct histree_label *label)
{
	const struct label_columns *columns = &reading->columns;
	*label = (struct histree_label){ .is_hidden = false };
	enum histree_status status = read_value(reading, label);
	if (status == HISTREE_OK)
		status = load_labels_read_text(reading, columns->name, false, &label->style.name);
	if (status == HISTREE_OK)
		status = load_labels_read_text(reading, columns->key, false, &label->style.key);
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
	enum histree_status status = load_labels_read_text(reading, reading->columns.pattern, true, &pattern);
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
	enum histree_status status = load_labels_read_text(reading, reading->columns.meaning, false, &text);
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

static enum histree_status load_labels_find_columns(struct label_reading *reading)
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

static enum histree_status load_labels_read_rows(struct label_reading *reading)
{
	enum histree_status status = HISTREE_OK;
	size_t columns_known = 0;
	while (status == HISTREE_OK) {
		status = text_table_next(&reading->text, reading->load->error);
		if (status == HISTREE_OK && reading->text.column_count != columns_known) {
			columns_known = reading->text.column_count;
			status = load_labels_find_columns(reading);
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
	struct told_list copy = { .count = 0 };
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
		status = told_encode(&told_labels, copy.tables, copy.count, &load->labels, &load->label_size,
				     load->error);
	/* What is wrong is in the file. */
	if (status == HISTREE_ERR_ARGUMENT) {
		error_prefix(load->error, "'%.150s'", load->options->labels);
		status = load->error->status = HISTREE_ERR_FORMAT;
	}
	told_list_release(&copy);
	free(tables);
	return status;
}

/* Read those of the options, if there are any, into `labels`. */
static enum histree_status load_read_labels(struct load *load)
{
	struct label_reading reading = { .load = load };
	if (load->options->labels == NULL)
		return HISTREE_OK;
	enum histree_status status =
		text_table_open(&reading.text, load->io, load->options->labels, NULL, NULL, load->error);
	if (status != HISTREE_OK)
		return status;
	status = load_labels_read_rows(&reading);
	if (status == HISTREE_OK)
		status = encode(&reading);
	text_table_close(&reading.text);
	for (size_t i = 0; i < reading.count; i++)
		free(reading.patterns[i].labels);
	free(reading.patterns);
	arena_release(&reading.texts);
	return status;
}

/* ---- texts ----------------------------------------------------------------------------------------- */

static void load_find_columns(struct load *load)
{
	const struct text_table *text = &load->text;
	load->columns = (struct load_columns){
		.path = text_table_column(text, "path"),
		.start = text_table_column(text, "start"),
		.end = text_table_column(text, "end"),
		.time = text_table_column(text, "time"),
		.value = text_table_column(text, "value"),
		.type = text_table_column(text, "type"),
	};
}

/* What rows with these columns are. */
static enum load_kind kind_of(const struct load_columns *columns)
{
	bool has_path = columns->path != TEXT_NO_COLUMN, has_value = columns->value != TEXT_NO_COLUMN;
	bool has_span = columns->start != TEXT_NO_COLUMN && columns->end != TEXT_NO_COLUMN;
	bool has_time = columns->time != TEXT_NO_COLUMN;
	if (has_path && has_value && has_span && !has_time)
		return LOAD_INTERVALS;
	if (has_path && has_value && has_time && !has_span)
		return LOAD_CHANGES;
	return has_span && !has_path && !has_time ? LOAD_SEGMENTS : LOAD_NOTHING;
}

static enum histree_status unknown_kind(struct load *load)
{
	return text_table_fault(&load->text, TEXT_NO_COLUMN, load->error,
				"its columns are none that can be loaded: path, start, end and value are states as "
				"intervals; path, time and value are changes; start and end without a path are "
				"segments ('--names' says how those of a text without a line of names are called)");
}

static enum histree_status another_kind(struct load *load)
{
	static const char *const names[] = { "nothing", "intervals", "changes", "segments" };
	return text_table_fault(
		&load->text, TEXT_NO_COLUMN, load->error,
		"this text has %s, and the one before it %s: load each kind into a store of its own",
		names[kind_of(&load->columns)], names[load->kind]);
}

/* The columns of a text, once they are known: in JSON with its first row. */
static enum histree_status check_columns(struct load *load)
{
	load_find_columns(load);
	if (load->file == 0) {
		bool is_complete = load->columns.path != TEXT_NO_COLUMN && load->columns.value != TEXT_NO_COLUMN;
		return is_complete ? HISTREE_OK
				   : text_table_fault(&load->text, TEXT_NO_COLUMN, load->error,
						      "states to begin with have columns path and value, as "
						      "'histree states --at TIME --format tsv' writes them");
	}
	enum load_kind kind = kind_of(&load->columns);
	if (kind == LOAD_NOTHING)
		return unknown_kind(load);
	if (kind != LOAD_CHANGES && load->options->initial != NULL)
		return error_set(load->error, HISTREE_ERR_ARGUMENT,
				 "'%s' has no changes: only a history of changes can begin with other states",
				 load->text.input.path);
	if (load->kind == LOAD_NOTHING)
		load->kind = kind;
	if (load->kind != kind)
		return another_kind(load);
	return HISTREE_OK;
}

static enum histree_status load_read_rows(struct load *load)
{
	enum histree_status status = HISTREE_OK;
	size_t columns_known = 0;
	for (uint64_t count = 0; status == HISTREE_OK; count++) {
		status = text_table_next(&load->text, load->error);
		if (status != HISTREE_OK)
			break;
		/* A row of JSON may have a column that none had before, such as a type. */
		if (count == 0)
			status = check_columns(load);
		else if (load->text.column_count != columns_known)
			load_find_columns(load);
		columns_known = load->text.column_count;
		if (status == HISTREE_OK)
			status = load->kind == LOAD_SEGMENTS ? load_segment_row(load) : load_state_row(load);
		load->result.rows++;
		if (status == HISTREE_OK)
			status = load_go_on(load, count);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status load_read_text(struct load *load, const char *path, size_t number)
{
	const struct histree_load_options *options = load->options;
	load->file = number;
	load->columns_seen = 0;
	enum histree_status status = text_table_open(&load->text, load->io, path, options->format,
						     number > 0 ? options->columns : NULL, load->error);
	if (status != HISTREE_OK)
		return status;
	status = load_read_rows(load);
	load->result.bytes += load->text.input.at;
	text_table_close(&load->text);
	return status;
}

/* What a history begins with comes first; that it has changes is known only then. */
static enum histree_status read_texts(struct load *load)
{
	const struct histree_load_options *options = load->options;
	enum histree_status status = HISTREE_OK;
	if (options->initial != NULL) {
		load->kind = LOAD_CHANGES;
		status = load_read_text(load, options->initial, 0);
	}
	for (size_t i = 0; i < options->file_count && status == HISTREE_OK; i++)
		status = load_read_text(load, options->files[i], i + 1);
	if (status == HISTREE_OK && !load->has_times)
		status = error_set(load->error, HISTREE_ERR_FORMAT, "'%s' has no rows: there is nothing to load",
				   options->files[0]);
	free(load->last_path);
	load->last_path = NULL;
	return status;
}

/* ---- the store ------------------------------------------------------------------------------------- */

static enum histree_status choose_times(struct load *load)
{
	const struct histree_load_options *options = load->options;
	if ((options->has_start || options->has_end) && load->kind == LOAD_SEGMENTS)
		return error_set(load->error, HISTREE_ERR_ARGUMENT,
				 "a segment store has no start and no end but those of its segments");
	if (options->labels != NULL && load->kind == LOAD_SEGMENTS)
		return error_set(load->error, HISTREE_ERR_ARGUMENT,
				 "labels are of states, and a segment store has none");
	if (options->has_start && options->start > load->start)
		return error_set(load->error, HISTREE_ERR_TIME_RANGE,
				 "the first row is of %" PRId64 ", before the start that was asked for, %" PRId64,
				 load->start, options->start);
	if (options->has_end && options->end < load->end)
		return error_set(load->error, HISTREE_ERR_TIME_RANGE,
				 "the last row is of %" PRId64 ", after the end that was asked for, %" PRId64,
				 load->end, options->end);
	if (options->has_end && options->end == INT64_MAX)
		return error_set(load->error, HISTREE_ERR_TIME_RANGE,
				 "a history ends before the last time there is");
	load->start = options->has_start ? options->start : load->start;
	load->end = options->has_end ? options->end : load->end;
	return HISTREE_OK;
}

static enum histree_status make_file(struct load *load, const char *path)
{
	load->phase = LOAD_MAKING;
	if (load->kind == LOAD_SEGMENTS)
		return load_make_segments(load, path);
	const struct overview_options overviews = { .memory_max = load->memory.history,
						    .threads = load->options->tree.threads,
						    .go_on = load_goes_on,
						    .context = load };
	enum histree_status status = load_make_history(load, path);
	record_sort_free(load->sort);
	load->sort = NULL;
	load->phase = LOAD_OVERVIEWS;
	if (status == HISTREE_OK && !load->options->no_overviews)
		status = overviews_write(load->io, path, &overviews, load->error);
	return status;
}

static enum histree_status write_manifest(struct load *load, const char *file, int64_t begun_ns)
{
	uint64_t identity;
	enum histree_status status = store_folder_identify(&load->folder, file, &identity, load->error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_store_history history = { .analysis = load_analysis(load),
						       .analysis_version = load_version(load),
						       .file = file,
						       .identity = identity };
	const struct histree_store_segments segments = { .analysis = load_analysis(load),
							 .analysis_version = load_version(load),
							 .file = file,
							 .identity = identity };
	const struct histree_store_info info = {
		.made_by = "histree " HISTREE_VERSION,
		.histories = &history,
		.history_count = load->kind != LOAD_SEGMENTS,
		.segments = &segments,
		.segments_count = load->kind == LOAD_SEGMENTS,
		.complete = true,
		.start = load->start,
		.end = load->end,
		.build_ns = monotonic_ns() - begun_ns,
	};
	char *path = store_folder_path(&load->folder, MANIFEST_FILE);
	status = path != NULL ? manifest_write(load->io, path, &info, load->error)
			      : error_memory(load->error, "a path");
	free(path);
	return status;
}

/* Tables that outgrow memory, and what is sorted, are beside the store's files. */
static enum histree_status load_in_folder(struct load *load, const char *inside)
{
	int64_t begun_ns = monotonic_ns();
	if (!table_space_init(&load->tables, inside, load->memory.tables))
		return error_memory(load->error, "a path");
	attribute_tree_use_space(&load->names, &load->tables);
	load->attribute_table.space = &load->tables;
	enum histree_status status =
		record_sort_create(load->io, inside, load->memory.history, &load->sort, load->error);
	if (status != HISTREE_OK)
		return status;
	char *path = NULL, *file = NULL;
	status = load_read_labels(load);
	if (status == HISTREE_OK)
		status = read_texts(load);
	if (status == HISTREE_OK)
		status = choose_times(load);
	if (status == HISTREE_OK)
		status = record_sort_finish(load->sort, load->error);
	if (status == HISTREE_OK)
		load->result.sorted_bytes = record_sort_spilled_bytes(load->sort);
	if (status == HISTREE_OK &&
	    (asprintf(&file, "%s.%s", load_analysis(load), load->kind == LOAD_SEGMENTS ? "seg" : "sht") < 0 ||
	     (path = store_folder_path(&load->folder, file)) == NULL))
		status = error_memory(load->error, "a path");
	if (status == HISTREE_OK)
		status = make_file(load, path);
	if (status == HISTREE_OK)
		status = write_manifest(load, file, begun_ns);
	if (status == HISTREE_OK)
		status = store_folder_publish(&load->folder, load->error);
	free(path);
	free(file);
	return status;
}

static enum histree_status load_run_through(struct load *load)
{
	const struct histree_load_options *options = load->options;
	enum histree_status status =
		store_folder_begin(&load->folder, load->io, options->store, options->force, false, load->error);
	if (status != HISTREE_OK)
		return status;
	char *inside = store_folder_path(&load->folder, MANIFEST_FILE);
	status = inside != NULL ? load_in_folder(load, inside) : error_memory(load->error, "a path");
	text_table_close(&load->text);
	record_sort_free(load->sort);
	attribute_tree_release(&load->names);
	table_release(&load->attribute_table, load->attributes);
	table_space_release(&load->tables);
	arena_release(&load->field_names);
	free(load->labels);
	free(load->last_path);
	free(inside);
	store_folder_release(&load->folder);
	return status;
}

/* A file in the store has the name. */
static bool is_name(const char *analysis)
{
	return analysis == NULL || (analysis[0] != '\0' && analysis[0] != '.' && strlen(analysis) < 64 &&
				    strchr(analysis, '/') == NULL);
}

enum histree_status pipeline_load(const struct histree_load_options *options, const struct io *io,
				  struct histree_load_result *result, struct histree_error *error)
{
	struct histree_error own;
	if (options->file_count == 0 || options->store == NULL || options->store[0] == '\0')
		return error_set(error, HISTREE_ERR_ARGUMENT, "a load needs a text and a name for the store");
	if (!is_name(options->analysis))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%.40s' is no name of an analysis: 1 to 63 bytes without '/', the first no '.'",
				 options->analysis);
	struct load load = {
		.options = options,
		.io = io,
		.error = error != NULL ? error : &own,
		.folder = { .lock = -1 },
		.memory = memory_plan(options->tree.memory_max, 1, 0),
		.text = { .input.file = -1 },
		.last_quark = HISTREE_ROOT,
		.bytes_total = load_bytes_total(options),
	};
	load.memory.segments = load.memory.history;
	attribute_tree_init(&load.names);
	enum histree_status status = load_run_through(&load);
	if (result != NULL)
		*result = load.result;
	return status;
}

enum histree_status histree_load(const struct histree_load_options *options, struct histree_load_result *result,
				 struct histree_error *error)
{
	return pipeline_load(options, &io_posix, result, error);
}
