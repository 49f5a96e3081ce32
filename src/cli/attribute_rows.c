// SPDX-License-Identifier: MIT
/*
 * attribute_rows.c - what `histree info` lists: the attributes of a history or the fields of segments; labels, as
 * rows that `histree load --label-file` reads again; and all analyses that there are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/attribute_list.h"
#include "cli/report.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "cli/verb_info.h"
#include "histree/build.h"
#include "histree/history.h"

/* ---- label rows ---------------------------------------------------------------------------------------------- */

enum { COLUMNS = 10 };

static const struct row_column label_columns[COLUMNS] = {
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

/* Print them all.  Returns the exit status: CLI_NOTHING if there are no labels. */
static int label_rows_print(const struct histree_history *history, const struct cli_question *question)
{
	struct row_writer rows;
	size_t count;
	const struct histree_label_table *tables = histree_labels(history, &count);
	enum cli_exit code = rows_open(&rows, question, label_columns, COLUMNS, ROWS_PLAIN);
	if (code != CLI_OK)
		return code;
	for (size_t i = 0; i < count; i++)
		for (const char *const *pattern = tables[i].patterns; *pattern != NULL; pattern++)
			put_table(&rows, &tables[i], *pattern);
	if (count == 0)
		report("the history does not say what its values mean; 'histree load --label-file' can say it");
	return rows_close(&rows, count > 0 ? CLI_OK : CLI_NOTHING);
}

/* ---- attributes of a history ----------------------------------------------------------------------------- */

static void put_quark(struct row_writer *rows, const void *attribute)
{
	row_unsigned(rows, ((const struct listed_attribute *)attribute)->quark);
}

static void put_path(struct row_writer *rows, const void *member)
{
	const struct listed_attribute *attribute = member;
	row_path(rows, attribute->path, attribute->path_size);
}

static const struct row_column attribute_columns[] = {
	{ .name = "quark", .width = 8, .to_the_right = true, .put = put_quark },
	{ .name = "path", .put = put_path },
};

static int list_attributes(const struct target *target, const struct info_options *chosen,
			   const struct cli_words *words)
{
	struct histree_history *history;
	struct attribute_list list = { 0 };
	struct histree_error error = { 0 };
	if (target_history(target, chosen->question.analysis, true, &history, &error) != HISTREE_OK)
		return report_error(&error);
	const struct histree_history_info *info = histree_history_info(history);
	target_warn_of_version(target, info->provider, info->provider_version);
	if (chosen->labels) {
		int printed = label_rows_print(history, &chosen->question);
		histree_history_close(history);
		return printed;
	}
	int status = chosen->name == NULL
			     ? thread_words_match(&list, target, history, words->words + 1, words->count - 1,
						  ALL_ATTRIBUTES)
			     : attribute_list_search(&list, history, words->words + 1, words->count - 1,
						     chosen->name, !chosen->children);
	/* A trace of tracks says in which order its processes and threads are shown. */
	if (strcmp(info->provider, "tracks") == 0 &&
	    !attribute_list_sort_by_tree(&list, histree_history_attributes(history)))
		status = report_no_memory();
	if (status == CLI_OK || status == CLI_NOTHING) {
		struct row_writer rows;
		enum cli_exit code =
			rows_open(&rows, &chosen->question, ROW_COLUMNS(attribute_columns), ROWS_PLAIN);
		for (size_t i = 0; i < list.count && code == CLI_OK; i++)
			row_put(&rows, &list.attributes[i]);
		status = rows_close(&rows, code != CLI_OK ? (int)code : status);
	}
	attribute_list_release(&list);
	histree_history_close(history);
	return status;
}

/* ---- fields of segments ---------------------------------------------------------------------------------- */

struct field_row {
	const char *name, *type;
	uint64_t segment_count; /* people see it once, programs in each row */
};

static const struct row_column field_columns[] = {
	ROW_LEFT("field", 16, CELL_TEXT, struct field_row, name),
	ROW_LEFT("type", 0, CELL_TEXT, struct field_row, type),
	{ .name = "segment_count",
	  .when = ROW_PROGRAMS,
	  .cell = CELL_UNSIGNED,
	  .offset = offsetof(struct field_row, segment_count) },
};

static int print_fields(const struct histree_segment_store_info *info, const struct cli_question *question)
{
	const uint64_t count = info->segment_count;
	const struct field_row times[] = { { "start", "time", count },
					   { "end", "time", count },
					   { "duration", "duration", count } };
	struct row_writer rows;
	enum cli_exit code = rows_open(&rows, question, ROW_COLUMNS(field_columns), ROWS_PLAIN);
	if (code != CLI_OK)
		return code;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		row_put(&rows, &times[i]);
	for (size_t i = 0; i < info->schema.field_count; i++)
		row_put(&rows, &(struct field_row){ info->schema.fields[i].name,
						    histree_type_name(info->schema.fields[i].type), count });
	if (rows.format->for_people)
		output_format(rows.output, "(of %" PRIu64 " segments)\n", count);
	return rows_close(&rows, CLI_OK);
}

static int list_fields(const struct target *target, const struct info_options *chosen,
		       const struct cli_words *words)
{
	struct histree_segment_store *store;
	struct histree_error error = { 0 };
	if (chosen->labels)
		return report_exit(CLI_USAGE, "'--labels' is for states, but '%s' has segments",
				   chosen->question.analysis);
	if (chosen->name != NULL)
		return report_exit(CLI_USAGE, "'--name' is for attributes, but '%s' has segments",
				   chosen->question.analysis);
	if (words->count > 1)
		return report_exit(CLI_USAGE,
				   "'%s': '%s' has segments, whose fields are listed without a PATTERN; 'histree "
				   "segments --where' chooses among segments",
				   words->words[1], chosen->question.analysis);
	if (target_segments(target, chosen->question.analysis, true, &store, &error) != HISTREE_OK)
		return report_error(&error);
	const struct histree_segment_schema *schema = &histree_segment_store_info(store)->schema;
	target_warn_of_version(target, schema->provider, schema->provider_version);
	int status = print_fields(histree_segment_store_info(store), &chosen->question);
	histree_segment_store_close(store);
	return status;
}

/* ------------------------------------------------------------------------------------------------------------ */

int info_list_run(void *said, const struct cli_words *words)
{
	struct info_options *chosen = said;
	int status;
	struct target target;
	struct histree_error error = { 0 };
	if (chosen->children && chosen->name == NULL)
		return report_exit(
			CLI_USAGE,
			"'--children' goes with '--name'; 'PATH/*' stands for what is one level below PATH");
	if (target_open(&target, words->words[0], &error) != HISTREE_OK)
		status = report_error(&error);
	else if (chosen->charts)
		status = chart_rows_print(&target, &chosen->question);
	else if (target_find_segments(&target, chosen->question.analysis) != NULL)
		status = list_fields(&target, chosen, words);
	else
		status = list_attributes(&target, chosen, words);
	target_close(&target);
	return status;
}

/* ---- analyses ------------------------------------------------------------------------------------------------ */

static void put_version(struct row_writer *rows, const void *version)
{
	row_unsigned(rows, *(const uint32_t *)version);
}

static const struct row_column analysis_columns[] = {
	ROW_LEFT("name", 16, CELL_TEXT, struct histree_analysis_info, name),
	ROW_RIGHT_PUT("version", 3, put_version, struct histree_analysis_info, version),
	ROW_LEFT("summary", 0, CELL_TEXT, struct histree_analysis_info, summary),
};

static void put_analysis(void *rows, const struct histree_analysis_info *analysis)
{
	row_put(rows, analysis);
}

static int print_analyses(const struct info_options *chosen)
{
	struct row_writer rows;
	struct histree_error error = { 0 };
	struct histree_analysis_info analysis;
	enum cli_exit code = rows_open(&rows, &chosen->question, ROW_COLUMNS(analysis_columns), ROWS_PLAIN);
	if (code == CLI_OK && histree_analyses_defined(chosen->definitions.texts, chosen->definitions.count,
						       put_analysis, &rows, &error) < 0)
		code = report_error(&error);
	for (size_t i = 0; code == CLI_OK && chosen->definitions.count == 0 && histree_analysis(i, &analysis); i++)
		row_put(&rows, &analysis);
	const char *shipped;
	for (size_t i = 0;
	     code == CLI_OK && chosen->definitions.count == 0 && (shipped = histree_analysis_shipped(i)) != NULL;
	     i++)
		if (histree_analyses_defined(&shipped, 1, put_analysis, &rows, &error) < 0)
			code = report_error(&error);
	return rows_close(&rows, code);
}

int info_analyses_run(void *said, const struct cli_words *words)
{
	(void)words;
	struct info_options *chosen = said;
	int status = print_analyses(chosen);
	cli_texts_release(&chosen->definitions);
	return status;
}
