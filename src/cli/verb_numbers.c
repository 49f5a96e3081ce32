// SPDX-License-Identifier: MIT
/*
 * verb_numbers.c - the least, mean and greatest number of attributes over a range, or over each part of it; or by
 * how much they grew in it.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cli/attribute_list.h"
#include "cli/target.h"
#include "cli/number_changes.h"
#include "cli/option.h"
#include "cli/verb.h"
#include "histree/lookup.h"
#include "histree/rows.h"

enum { PATH_WIDTH_MAX = 40 };

struct numbers_options {
	const char *analysis, *format, *from, *to;
	uint64_t parts, top;
	bool change;
};

static const struct cli_option options[] = {
	{ .name = "from",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct numbers_options, from),
	  .help = "take the numbers from this time on; default: the start of the history" },
	{ .name = "to",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct numbers_options, to),
	  .help = "take the numbers up to this time, inclusive; default: the end of the history" },
	{ .name = "parts",
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct numbers_options, parts),
	  .help = "cut the range into N parts of equal length, with a row for each",
	  .min = 1,
	  .max = HISTREE_PIXELS_MAX },
	{ .name = "change",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct numbers_options, change),
	  .help = "print by how much numbers grew from --from to --to, the greatest first: of running sums, what "
		  "was "
		  "counted in between" },
	{ .name = "top",
	  .letter = 'n',
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct numbers_options, top),
	  .help = "of --change, print only the first N",
	  .min = 1,
	  .max = INT64_MAX },
	CLI_OPTION_ANALYSIS(struct numbers_options,
			    "read the history of this analysis; default: kernel, or the first"),
	CLI_OPTION_FORMAT(struct numbers_options),
	{ 0 },
};

struct printing {
	struct histree_history *history;
	struct histree_query *query;
	struct row_writer rows;
	histree_time from, to;
	uint32_t parts;
	bool is_damaged;
};

static enum histree_status ask(struct printing *printing, histree_quark quark, histree_time from, histree_time to,
			       struct histree_numbers *out, struct histree_error *error)
{
	enum histree_status status = histree_lookup_numbers(printing->query, quark, from, to, out, error);
	if (histree_query_stats(printing->query).nodes_damaged > 0)
		printing->is_damaged = true;
	return status;
}

static void put_row(struct printing *printing, const struct listed_attribute *attribute, histree_time from,
		    histree_time to, const struct histree_numbers *numbers)
{
	struct row_writer *rows = &printing->rows;
	row_names(rows);
	row_path(rows, attribute->path, attribute->path_size);
	row_number(rows, from);
	row_number(rows, to);
	row_unsigned(rows, numbers->states);
	row_value(rows, &numbers->min);
	if (numbers->states > 0)
		row_real(rows, numbers->mean);
	else
		row_null(rows);
	row_value(rows, &numbers->max);
	row_duration(rows, numbers->number_ns);
	row_duration(rows, numbers->unknown_ns);
	row_duration(rows, numbers->other_ns);
	row_end(rows);
}

/* An attribute without numbers in the whole range has no rows. */
static enum histree_status put_attribute(struct printing *printing, const struct listed_attribute *attribute,
					 struct histree_error *error)
{
	struct histree_numbers numbers;
	enum histree_status status = ask(printing, attribute->quark, printing->from, printing->to, &numbers, error);
	if (status != HISTREE_OK || numbers.states == 0)
		return status;
	if (printing->parts == 1)
		put_row(printing, attribute, printing->from, printing->to, &numbers);
	for (uint32_t part = 0; printing->parts > 1 && part < printing->parts && status == HISTREE_OK; part++) {
		histree_time from = histree_pixel_start(printing->from, printing->to, printing->parts, part);
		histree_time next = histree_pixel_start(printing->from, printing->to, printing->parts, part + 1);
		if (next == from) /* a range of fewer ns than parts */
			continue;
		status = ask(printing, attribute->quark, from, next - 1, &numbers, error);
		if (status == HISTREE_OK)
			put_row(printing, attribute, from, next - 1, &numbers);
	}
	return status;
}

static enum cli_exit put_all(struct printing *printing, const struct attribute_list *list)
{
	struct histree_error error;
	for (size_t i = 0; i < list->count; i++)
		if (put_attribute(printing, &list->attributes[i], &error) != HISTREE_OK)
			return report_error(&error);
	if (printing->is_damaged)
		return host_part_damaged(printing->history);
	return printing->rows.row_count > 0 ? CLI_OK : report_exit(CLI_NOTHING, "there are no numbers");
}

static int print(struct printing *printing, const struct attribute_list *list, const char *format, int status)
{
	const struct row_column columns[] = {
		{ .name = "path", .width = attribute_list_width(list, PATH_WIDTH_MAX) },
		{ .name = "start", .width = 19, .to_the_right = true },
		{ .name = "end", .width = 19, .to_the_right = true },
		{ .name = "states", .width = 9, .to_the_right = true },
		{ .name = "min", .width = 12, .to_the_right = true },
		{ .name = "mean", .width = 12, .to_the_right = true },
		{ .name = "max", .width = 12, .to_the_right = true },
		{ .name = "number_ns", .width = 10, .to_the_right = true },
		{ .name = "unknown_ns", .width = 10, .to_the_right = true },
		{ .name = "other_ns", .width = 10, .to_the_right = true },
	};
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	row_writer_begin(&printing->rows, row_format_find(format), output, columns,
			 sizeof(columns) / sizeof(*columns));
	enum cli_exit code = put_all(printing, list);
	row_writer_finish(&printing->rows);
	return cli_end(output, code != CLI_OK ? (int)code : status);
}

/* ---- changes ------------------------------------------------------------------------------------------------ */

struct change_row {
	const struct listed_attribute *attribute;
	struct number_change change;
};

static int by_quark(const void *one, const void *other)
{
	const struct number_change *a = one, *b = other;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

/* Attributes are listed by their paths, which is the order of equal ones. */
static int by_change(const void *one, const void *other)
{
	const struct change_row *a = one, *b = other;
	int order = number_change_compare(&a->change, &b->change);
	return order != 0 ? order : (a->attribute > b->attribute) - (a->attribute < b->attribute);
}

/* Rows of the attributes that have a number at the end, or may have had one; returns how many. */
static size_t make_rows(const struct attribute_list *list, const struct number_change *changes,
			struct change_row *rows)
{
	size_t count = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct listed_attribute *attribute = &list->attributes[i];
		const struct number_change *change = bsearch(&(struct number_change){ .quark = attribute->quark },
							     changes, list->count, sizeof(*changes), by_quark);
		if (change->after.type != HISTREE_NULL)
			rows[count++] = (struct change_row){ attribute, *change };
	}
	if (count > 0)
		qsort(rows, count, sizeof(*rows), by_change);
	return count;
}

static void put_value(struct row_writer *rows, const struct histree_value *value)
{
	if (value->type == HISTREE_UNKNOWN)
		row_null(rows);
	else
		row_value(rows, value);
}

static int put_changes(const struct change_row *rows, size_t count, const struct attribute_list *list,
		       const struct printing *printing, const struct numbers_options *chosen)
{
	const struct row_column columns[] = {
		{ .name = "path", .width = attribute_list_width(list, PATH_WIDTH_MAX) },
		{ .name = "start", .width = 19, .to_the_right = true },
		{ .name = "end", .width = 19, .to_the_right = true },
		{ .name = "before", .width = 14, .to_the_right = true },
		{ .name = "after", .width = 14, .to_the_right = true },
		{ .name = "change", .width = 14, .to_the_right = true },
	};
	struct row_writer writer;
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	row_writer_begin(&writer, row_format_find(chosen->format), output, columns,
			 sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < count && (chosen->top == 0 || i < chosen->top); i++) {
		const struct histree_value change = number_change_value(&rows[i].change);
		row_names(&writer);
		row_path(&writer, rows[i].attribute->path, rows[i].attribute->path_size);
		row_number(&writer, printing->from);
		row_number(&writer, printing->to);
		put_value(&writer, &rows[i].change.before);
		put_value(&writer, &rows[i].change.after);
		row_value(&writer, &change);
		row_end(&writer);
	}
	row_writer_finish(&writer);
	return cli_end(output, count > 0 ? CLI_OK : report_exit(CLI_NOTHING, "there are no numbers"));
}

static int print_changes(const struct printing *printing, struct histree_history *history,
			 const struct attribute_list *list, const struct numbers_options *chosen)
{
	struct histree_error error;
	struct number_change *changes = calloc(list->count + 1, sizeof(*changes));
	struct change_row *rows = calloc(list->count + 1, sizeof(*rows));
	bool is_damaged = false;
	int status = CLI_OK;
	if (changes == NULL || rows == NULL)
		status = report_no_memory();
	for (size_t i = 0; i < list->count && status == CLI_OK; i++)
		changes[i].quark = list->attributes[i].quark;
	if (status == CLI_OK && list->count > 0)
		qsort(changes, list->count, sizeof(*changes), by_quark);
	if (status == CLI_OK && number_changes_read(history, changes, list->count, printing->from, printing->to,
						    &is_damaged, &error) != HISTREE_OK)
		status = report_error(&error);
	if (status == CLI_OK)
		status = put_changes(rows, make_rows(list, changes, rows), list, printing, chosen);
	if ((status == CLI_OK || status == CLI_NOTHING) && is_damaged)
		status = host_part_damaged(history);
	free(changes);
	free(rows);
	return status;
}

/* ---- the verb ----------------------------------------------------------------------------------------------- */

static enum cli_exit check_options(const struct numbers_options *chosen)
{
	if (chosen->change && chosen->parts != 1)
		return report_exit(CLI_USAGE, "'--change' is of the whole range, not of '--parts'");
	if (!chosen->change && chosen->top != 0)
		return report_exit(CLI_USAGE, "'--top' is of '--change'");
	return CLI_OK;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct numbers_options chosen = { .parts = 1 };
	struct cli_words words;
	struct histree_error error;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct target target;
	struct attribute_list list = { 0 };
	struct histree_history *history = NULL;
	struct printing printing = { .parts = (uint32_t)chosen.parts };
	status = check_options(&chosen);
	if (status != CLI_OK)
		return status;
	status = target_open_history(&target, words.words[0], chosen.analysis, &history);
	if (status == CLI_OK) {
		const struct time_span span = time_span_of_history(histree_history_info(history));
		status = time_option_range(chosen.from, chosen.to, &span, &printing.from, &printing.to);
	}
	printing.history = history;
	if (status == CLI_OK && histree_query_create(history, &printing.query, &error) != HISTREE_OK)
		status = report_error(&error);
	if (status == CLI_OK)
		status = attribute_list_match(&list, history, words.words + 1, words.count - 1,
					      ATTRIBUTES_WITH_STATES);
	if (printing.query != NULL && (status == CLI_OK || (status == CLI_NOTHING && list.count > 0)))
		status = chosen.change ? print_changes(&printing, history, &list, &chosen)
				       : print(&printing, &list, chosen.format, status);
	attribute_list_release(&list);
	histree_query_free(printing.query);
	histree_history_close(history);
	target_close(&target);
	return status;
}

const struct cli_verb verb_numbers = {
	.name = "numbers",
	.summary = "print the least, mean and greatest number that attributes had",
	.arguments = "STORE PATTERN...",
	.words_min = 2,
	.words_max = CLI_WORDS_ANY,
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.options = options,
	.run = run,
};
