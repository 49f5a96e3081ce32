// SPDX-License-Identifier: MIT
/*
 * verb_numbers.c - the least, mean and greatest number of attributes over a range, or over each part of it; or by
 * how much they grew in it.
 *
 * Of the number of a thread that several threads had one after another, each of those that lived in the range has
 * rows of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"
#include "base/error.h"
#include "cli/attribute_list.h"
#include "cli/number_changes.h"
#include "cli/option.h"
#include "cli/progress.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "histree/lookup.h"
#include "histree/rows.h"

enum { PATH_WIDTH_MAX = 40, THREAD_WIDTH = 24 };

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

/* An attribute, or what one of the threads was that had its number one after another: a part of the range. */
struct number_row {
	const struct listed_attribute *attribute;
	const struct histree_thread *life; /* NULL: the only one of its number, or no thread */
	bool is_part;                      /* of the attribute: what is in the time of its life */
	histree_time from, to;
};

struct printing {
	struct histree_history *history;
	struct histree_query *query;
	struct thread_lives lives;
	struct number_row *numbers;
	size_t number_count, number_capacity;
	bool has_lives; /* some number was used again: there is a column of threads */
	struct row_writer rows;
	histree_time from, to;
	uint32_t parts;
	bool is_damaged;
};

/* ---- rows by the lives of threads --------------------------------------------------------------------------- */

static int compare_tids(const void *one, const void *other)
{
	const int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
	return (a > b) - (a < b);
}

/* Returns how many different numbers of threads the paths name. */
static size_t list_tids(const struct histree_history *history, const struct attribute_list *list, int32_t *tids)
{
	size_t count = 0, kept = 0;
	for (size_t i = 0; i < list->count; i++) {
		struct thread_row row;
		if (thread_row_of_path(history, list->attributes[i].path, &row))
			tids[count++] = row.tid;
	}
	if (count > 0)
		qsort(tids, count, sizeof(*tids), compare_tids);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || tids[kept - 1] != tids[i])
			tids[kept++] = tids[i];
	return kept;
}

/* The lives are in the history of the kernel; without one, a number is a number. */
static enum histree_status read_lives(struct printing *printing, const struct target *target, const int32_t *tids,
				      size_t count, struct histree_error *error)
{
	struct histree_history *kernel = NULL;
	struct histree_error ignored;
	if (count == 0)
		return HISTREE_OK;
	if (target->store != NULL && target_history(target, NULL, true, &kernel, &ignored) != HISTREE_OK)
		kernel = NULL;
	enum histree_status status =
		thread_lives_read_of(&printing->lives, kernel != NULL ? kernel : printing->history, tids, count,
				     (struct histree_cancel){ .go_on = progress_goes_on }, error);
	histree_history_close(kernel);
	return status;
}

static bool add_number(struct printing *printing, const struct listed_attribute *attribute,
		       const struct histree_thread *life, bool is_part)
{
	if (!array_reserve(&printing->numbers, &printing->number_capacity, printing->number_count + 1))
		return false;
	struct number_row row = { attribute, life, is_part, printing->from, printing->to };
	if (is_part && life->from > row.from)
		row.from = life->from;
	if (is_part && life->to < row.to)
		row.to = life->to;
	printing->has_lives = printing->has_lives || life != NULL;
	if (row.from <= row.to)
		printing->numbers[printing->number_count++] = row;
	return true;
}

static bool add_attribute(struct printing *printing, const struct listed_attribute *attribute)
{
	struct thread_row row;
	const struct histree_thread *life = NULL;
	const size_t host = histree_history_host_of(printing->history, attribute->quark);
	if (thread_row_of_path(printing->history, attribute->path, &row))
		life = thread_lives_of_row(&printing->lives, host, &row, printing->from);
	if (life == NULL || row.is_its_own)
		return add_number(printing, attribute, life, false);
	while (add_number(printing, attribute, life, true)) {
		if (life->to >= printing->to)
			return true;
		life = thread_lives_of_row(&printing->lives, host, &row, life->to + 1);
	}
	return false;
}

static enum histree_status list_numbers(struct printing *printing, const struct target *target,
					const struct attribute_list *list, struct histree_error *error)
{
	int32_t *tids = calloc(list->count + 1, sizeof(*tids));
	if (tids == NULL)
		return error_memory(error, "the threads");
	const size_t count = list_tids(printing->history, list, tids);
	enum histree_status status = read_lives(printing, target, tids, count, error);
	free(tids);
	for (size_t i = 0; i < list->count && status == HISTREE_OK; i++)
		if (!add_attribute(printing, &list->attributes[i]))
			status = error_memory(error, "the threads");
	return status;
}

static void put_thread(const struct printing *printing, struct row_writer *rows, const struct number_row *row)
{
	char name[THREAD_LIVES_NAME_SIZE];
	if (printing->has_lives && row->life == NULL)
		row_null(rows);
	if (!printing->has_lives || row->life == NULL)
		return;
	thread_lives_name(row->life, name, sizeof(name));
	row_text(rows, name);
}

/* ---- least, mean and greatest ------------------------------------------------------------------------------- */

static enum histree_status ask(struct printing *printing, histree_quark quark, histree_time from, histree_time to,
			       struct histree_numbers *out, struct histree_error *error)
{
	enum histree_status status = histree_lookup_numbers(printing->query, quark, from, to, out, error);
	if (histree_query_stats(printing->query).nodes_damaged > 0)
		printing->is_damaged = true;
	return status;
}

static void put_row(struct printing *printing, const struct number_row *row, histree_time from, histree_time to,
		    const struct histree_numbers *numbers)
{
	struct row_writer *rows = &printing->rows;
	row_names(rows);
	row_path(rows, row->attribute->path, row->attribute->path_size);
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
	put_thread(printing, rows, row);
	row_end(rows);
}

/* What has no numbers in the whole range has no rows. */
static enum histree_status put_number(struct printing *printing, const struct number_row *row,
				      struct histree_error *error)
{
	struct histree_numbers numbers;
	enum histree_status status = ask(printing, row->attribute->quark, row->from, row->to, &numbers, error);
	if (status != HISTREE_OK || numbers.states == 0)
		return status;
	if (printing->parts == 1)
		put_row(printing, row, row->from, row->to, &numbers);
	for (uint32_t part = 0; printing->parts > 1 && part < printing->parts && status == HISTREE_OK; part++) {
		histree_time from = histree_pixel_start(printing->from, printing->to, printing->parts, part);
		histree_time to = histree_pixel_start(printing->from, printing->to, printing->parts, part + 1) - 1;
		from = from > row->from ? from : row->from;
		to = to < row->to ? to : row->to;
		if (to < from) /* a range of fewer ns than parts, or a thread that lived in others */
			continue;
		status = ask(printing, row->attribute->quark, from, to, &numbers, error);
		if (status == HISTREE_OK)
			put_row(printing, row, from, to, &numbers);
	}
	return status;
}

static enum cli_exit put_all(struct printing *printing)
{
	struct histree_error error;
	for (size_t i = 0; i < printing->number_count; i++)
		if (put_number(printing, &printing->numbers[i], &error) != HISTREE_OK)
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
		{ .name = "thread", .width = THREAD_WIDTH },
	};
	const size_t column_count = sizeof(columns) / sizeof(*columns) - !printing->has_lives;
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	row_writer_begin(&printing->rows, row_format_find(format), output, columns, column_count);
	enum cli_exit code = put_all(printing);
	row_writer_finish(&printing->rows);
	return cli_end(output, code != CLI_OK ? (int)code : status);
}

/* ---- changes ------------------------------------------------------------------------------------------------ */

struct change_row {
	const struct number_row *of;
	struct number_change change;
};

static int by_quark(const void *one, const void *other)
{
	const struct change_row *a = one, *b = other;
	return (a->of->attribute->quark > b->of->attribute->quark) -
	       (a->of->attribute->quark < b->of->attribute->quark);
}

/* Attributes are listed by their paths, which is the order of equal ones. */
static int by_change(const void *one, const void *other)
{
	const struct change_row *a = one, *b = other;
	int order = number_change_compare(&a->change, &b->change);
	return order != 0 ? order : (a->of > b->of) - (a->of < b->of);
}

static enum histree_status read_part(struct printing *printing, struct change_row *row, struct histree_error *error)
{
	bool is_damaged = false;
	histree_time from = printing->from, to = printing->to;
	number_change_cut(row->of->life, &from, &to);
	enum histree_status status =
		number_changes_read(printing->history, &row->change, 1, from, to, &is_damaged, error);
	printing->is_damaged = printing->is_damaged || is_damaged;
	return status;
}

/* Those that are not of a part of the range are read together. */
static enum histree_status read_changes(struct printing *printing, struct change_row *rows,
					struct number_change *changes, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t count = 0, next = 0;
	if (printing->number_count > 0)
		qsort(rows, printing->number_count, sizeof(*rows), by_quark);
	for (size_t i = 0; i < printing->number_count && status == HISTREE_OK; i++) {
		rows[i].change.quark = rows[i].of->attribute->quark;
		if (rows[i].of->is_part)
			status = read_part(printing, &rows[i], error);
		else
			changes[count++].quark = rows[i].change.quark;
	}
	if (status == HISTREE_OK)
		status = number_changes_read(printing->history, changes, count, printing->from, printing->to,
					     &printing->is_damaged, error);
	for (size_t i = 0; i < printing->number_count && status == HISTREE_OK; i++)
		if (!rows[i].of->is_part)
			rows[i].change = changes[next++];
	return status;
}

/* Keeps the rows that have a number at the end, or may have had one; returns how many. */
static size_t sort_changes(struct change_row *rows, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (rows[i].change.after.type != HISTREE_NULL)
			rows[kept++] = rows[i];
	if (kept > 0)
		qsort(rows, kept, sizeof(*rows), by_change);
	return kept;
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
		{ .name = "thread", .width = THREAD_WIDTH },
	};
	const size_t column_count = sizeof(columns) / sizeof(*columns) - !printing->has_lives;
	struct row_writer writer;
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	row_writer_begin(&writer, row_format_find(chosen->format), output, columns, column_count);
	for (size_t i = 0; i < count && (chosen->top == 0 || i < chosen->top); i++) {
		const struct histree_value change = number_change_value(&rows[i].change);
		row_names(&writer);
		row_path(&writer, rows[i].of->attribute->path, rows[i].of->attribute->path_size);
		row_number(&writer, rows[i].of->from);
		row_number(&writer, rows[i].of->to);
		put_value(&writer, &rows[i].change.before);
		put_value(&writer, &rows[i].change.after);
		row_value(&writer, &change);
		put_thread(printing, &writer, rows[i].of);
		row_end(&writer);
	}
	row_writer_finish(&writer);
	return cli_end(output, count > 0 ? CLI_OK : report_exit(CLI_NOTHING, "there are no numbers"));
}

static int print_changes(struct printing *printing, const struct attribute_list *list,
			 const struct numbers_options *chosen)
{
	struct histree_error error;
	const size_t count = printing->number_count;
	struct number_change *changes = calloc(count + 1, sizeof(*changes));
	struct change_row *rows = calloc(count + 1, sizeof(*rows));
	int status = CLI_OK;
	if (changes == NULL || rows == NULL)
		status = report_no_memory();
	for (size_t i = 0; i < count && status == CLI_OK; i++)
		rows[i].of = &printing->numbers[i];
	if (status == CLI_OK && read_changes(printing, rows, changes, &error) != HISTREE_OK)
		status = report_error(&error);
	if (status == CLI_OK)
		status = put_changes(rows, sort_changes(rows, count), list, printing, chosen);
	if ((status == CLI_OK || status == CLI_NOTHING) && printing->is_damaged)
		status = host_part_damaged(printing->history);
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
	const bool has_list =
		printing.query != NULL && (status == CLI_OK || (status == CLI_NOTHING && list.count > 0));
	if (has_list && list_numbers(&printing, &target, &list, &error) != HISTREE_OK)
		status = report_error(&error);
	else if (has_list)
		status = chosen.change ? print_changes(&printing, &list, &chosen)
				       : print(&printing, &list, chosen.format, status);
	free(printing.numbers);
	thread_lives_release(&printing.lives);
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
