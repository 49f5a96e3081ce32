// SPDX-License-Identifier: MIT
/*
 * verb_info.c - 'histree info': the facts of a store, a history or a segment store, in columns or as JSON.
 */
#include <unistd.h>

#include "cli/fact_list.h"
#include "cli/target.h"
#include "cli/verb.h"

struct info_options {
	const char *analysis, *format;
};

static const struct cli_option options[] = {
	CLI_OPTION_ANALYSIS(struct info_options, "read only what this analysis made; default: everything"),
	CLI_OPTION_FORMAT(struct info_options),
	{ 0 },
};

struct informing {
	const struct row_format *format;
	struct output *output;
	struct row_writer rows;
	bool has_begun;
	bool is_learning; /* for programs: all is gone through once before, for the columns */
	struct row_column columns[FACTS_MAX];
	size_t column_count;
	struct fact_list facts; /* of what is printed next */
};

/* ---- text: a block of lines for the store, and one for each history ------------------------------------ */

static const struct row_column text_columns[] = {
	{ .name = "fact", .width = 24 },
	{ .name = "value", .width = 20 },
	{ .name = "note" },
};

static void put_label(struct row_writer *rows, const char *name)
{
	char label[32];
	size_t size = 0;
	for (; name[size] != '\0' && size < sizeof(label); size++)
		label[size] = name[size] == '_' ? ' ' : name[size];
	row_bytes(rows, label, size);
}

static void put_line(struct row_writer *rows, const struct fact *fact)
{
	put_label(rows, fact->name);
	fact_put(fact, rows);
	row_text(rows, fact->note);
	row_end(rows);
}

/* Prints a line for each line of the text, and none for an empty text. */
static void put_lines(struct row_writer *rows, const struct fact *fact)
{
	const char *label = fact->name;
	for (const char *line = fact->text; *line != '\0'; label = "") {
		size_t size = strcspn(line, "\n");
		put_label(rows, label);
		row_bytes(rows, line, size);
		row_null(rows);
		row_end(rows);
		line += size + (line[size] == '\n');
	}
}

static void put_bars(struct row_writer *rows, const struct fact *fact)
{
	uint64_t max = 0;
	for (size_t i = 0; i < fact->number_count; i++)
		if (fact->numbers[i] > max)
			max = fact->numbers[i];
	put_label(rows, fact->name);
	row_null(rows);
	row_text(rows, fact->note);
	row_end(rows);
	for (size_t i = 0; i < fact->number_count; i++) {
		char label[32];
		if (fact->kind == FACT_SHARES)
			snprintf(label, sizeof(label), "%10zu - %3zu %%", 100 * i / fact->number_count,
				 100 * (i + 1) / fact->number_count);
		else
			snprintf(label, sizeof(label), "%10zu", i);
		row_text(rows, label);
		row_unsigned(rows, fact->numbers[i]);
		row_bar(rows, fact->numbers[i], max);
		row_end(rows);
	}
}

static void print_block(struct informing *informing)
{
	struct row_writer *rows = &informing->rows;
	if (informing->has_begun)
		output_char(informing->output, '\n');
	else
		row_writer_begin(rows, informing->format, informing->output, text_columns, 3);
	for (size_t i = 0; i < informing->facts.count; i++) {
		const struct fact *fact = &informing->facts.facts[i];
		if (fact->kind == FACT_NUMBERS || fact->kind == FACT_SHARES)
			put_bars(rows, fact);
		else if (fact->kind == FACT_TEXT)
			put_lines(rows, fact);
		else
			put_line(rows, fact);
	}
	informing->has_begun = true;
}

/* ---- tsv, csv, json: one row a history or segment store, which begins with the facts of its store ---------- */

static const struct fact *find_fact(const struct fact_list *facts, const char *name)
{
	for (size_t i = 0; i < facts->count; i++)
		if (strcmp(facts->facts[i].name, name) == 0)
			return &facts->facts[i];
	return NULL;
}

/* The columns are those facts that any of the rows has. */
static void learn_columns(struct informing *informing)
{
	for (size_t i = 0; i < informing->facts.count; i++) {
		const char *name = informing->facts.facts[i].name;
		size_t column = 0;
		while (column < informing->column_count && strcmp(informing->columns[column].name, name) != 0)
			column++;
		if (column == informing->column_count)
			informing->columns[informing->column_count++] = (struct row_column){ .name = name };
	}
}

static void print_row(struct informing *informing)
{
	if (!informing->has_begun)
		row_writer_begin(&informing->rows, informing->format, informing->output, informing->columns,
				 informing->column_count);
	for (size_t i = 0; i < informing->column_count; i++) {
		const struct fact *fact = find_fact(&informing->facts, informing->columns[i].name);
		if (fact != NULL)
			fact_put(fact, &informing->rows);
		else
			row_null(&informing->rows);
	}
	row_end(&informing->rows);
	informing->has_begun = true;
}

/* ------------------------------------------------------------------------------------------------------------ */

static enum cli_exit take_facts(struct informing *informing)
{
	if (informing->facts.no_memory)
		return report_no_memory();
	if (informing->is_learning)
		learn_columns(informing);
	else if (informing->format->for_people)
		print_block(informing);
	else
		print_row(informing);
	fact_list_release(&informing->facts);
	return CLI_OK;
}

static enum cli_exit inform_history(struct informing *informing, const struct target *target, const char *analysis,
				    const struct histree_store_history *in_store)
{
	struct histree_history *history;
	struct histree_error error = { 0 };
	if (target_history(target, analysis, true, &history, &error) != HISTREE_OK)
		return report_error(&error);
	if (in_store != NULL && !informing->format->for_people)
		fact_list_add_store(&informing->facts, histree_store_info(target->store));
	fact_list_add_history(&informing->facts, histree_history_info(history), in_store);
	/* Columns that scripts know by their numbers stay where they are. */
	if (informing->format->for_people || informing->format == &row_format_json)
		fact_list_add_labels(&informing->facts, history);
	enum cli_exit code = take_facts(informing);
	const struct histree_history_info *info = histree_history_info(history);
	if (!informing->is_learning)
		target_warn_of_version(target, info->provider, info->provider_version);
	histree_history_close(history);
	return code;
}

static enum cli_exit inform_segments(struct informing *informing, const struct target *target,
				     const struct histree_store_segments *in_store)
{
	struct histree_segment_store *store;
	struct histree_error error = { 0 };
	if (target_segments(target, in_store->analysis, true, &store, &error) != HISTREE_OK)
		return report_error(&error);
	if (!informing->format->for_people)
		fact_list_add_store(&informing->facts, histree_store_info(target->store));
	const struct histree_segment_overviews_info overviews = histree_segment_store_overviews(store);
	fact_list_add_segments(&informing->facts, histree_segment_store_info(store), &overviews, in_store);
	enum cli_exit code = take_facts(informing);
	if (!informing->is_learning)
		target_warn_of_version(target, in_store->analysis, in_store->analysis_version);
	histree_segment_store_close(store);
	return code;
}

static bool has_analysis(const struct target *target, const char *analysis)
{
	const struct histree_store_info *info = histree_store_info(target->store);
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(analysis, info->histories[i].analysis) == 0)
			return true;
	return target_find_segments(target, analysis) != NULL;
}

/* Prints what one analysis made, or all of them.  For an unknown name, the library says which there are. */
static enum cli_exit inform_parts(struct informing *informing, const struct target *target, const char *analysis)
{
	if (target->store == NULL || (analysis != NULL && !has_analysis(target, analysis)))
		return inform_history(informing, target, analysis, NULL);
	const struct histree_store_info *info = histree_store_info(target->store);
	enum cli_exit code = CLI_OK;
	for (size_t i = 0; i < info->history_count && code == CLI_OK; i++)
		if (analysis == NULL || strcmp(analysis, info->histories[i].analysis) == 0)
			code = inform_history(informing, target, info->histories[i].analysis, &info->histories[i]);
	for (size_t i = 0; i < info->segments_count && code == CLI_OK; i++)
		if (analysis == NULL || strcmp(analysis, info->segments[i].analysis) == 0)
			code = inform_segments(informing, target, &info->segments[i]);
	return code;
}

static enum cli_exit inform(struct informing *informing, const struct target *target, const char *analysis)
{
	enum cli_exit code = CLI_OK;
	informing->is_learning = !informing->format->for_people;
	if (informing->is_learning) {
		code = inform_parts(informing, target, analysis);
	} else if (target->store != NULL && (analysis == NULL || has_analysis(target, analysis))) {
		fact_list_add_store(&informing->facts, histree_store_info(target->store));
		code = take_facts(informing);
	}
	informing->is_learning = false;
	return code == CLI_OK ? inform_parts(informing, target, analysis) : code;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct info_options chosen = { 0 };
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct informing informing = {
		.format = row_format_find(chosen.format),
		.output = output_create(STDOUT_FILENO),
	};
	if (informing.output == NULL)
		return report_no_memory();
	struct target target;
	struct histree_error error = { 0 };
	enum cli_exit code;
	if (target_open(&target, words.words[0], &error) != HISTREE_OK)
		code = report_error(&error);
	else
		code = inform(&informing, &target, chosen.analysis);
	if (informing.has_begun)
		row_writer_finish(&informing.rows);
	fact_list_release(&informing.facts);
	target_close(&target);
	return cli_end(informing.output, code);
}

const struct cli_verb verb_info = {
	.name = "info",
	.summary = "say what a store holds, how it was made and how its trees look",
	.arguments = "STORE",
	.words_min = 1,
	.words_max = 1,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
