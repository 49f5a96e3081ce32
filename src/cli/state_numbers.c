// SPDX-License-Identifier: MIT
/*
 * state_numbers.c - `states --numbers`: the least, mean and greatest number of attributes over a range, or over
 * each part of it; or by how much they grew in it.
 *
 * If several threads had a number one after another, each that lived in the range has rows of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "cli/attribute_list.h"
#include "cli/number_changes.h"
#include "cli/option.h"
#include "cli/progress.h"
#include "cli/state_where.h"
#include "cli/target.h"
#include "cli/thread_lives.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "cli/verb_states.h"
#include "histree/events.h"
#include "histree/states.h"

enum { PATH_WIDTH_MAX = 40, THREAD_WIDTH = 24 };

/* An attribute, or what one of the threads was that had its number one after another: a part of the range. */
struct number_row {
	const struct listed_attribute *attribute;
	const struct histree_thread *life; /* NULL: the only one of its number, or no thread */
	bool is_part;                      /* of the attribute: what is in the time of its life */
	histree_time from, to;
};

struct printing {
	struct histree_history *history;
	struct histree_cursor *query;
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
				     (struct histree_work){ .go_on = progress_goes_on }, error);
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

static void put_path(struct row_writer *rows, const void *member)
{
	const struct listed_attribute *attribute = *(const struct listed_attribute *const *)member;
	row_path(rows, attribute->path, attribute->path_size);
}

static void put_thread(struct row_writer *rows, const void *member)
{
	const struct histree_thread *life = *(const struct histree_thread *const *)member;
	char name[THREAD_LIVES_NAME_SIZE];
	if (life != NULL)
		thread_lives_name(life, name, sizeof(name));
	row_text_or_null(rows, life != NULL ? name : NULL);
}

/* The first column is as wide as the paths, and the last one is there where numbers were used again. */
static enum cli_exit open_rows(struct row_writer *rows, const struct cli_question *question,
			       const struct printing *printing, const struct attribute_list *list,
			       struct row_column *columns, size_t count)
{
	columns[0].width = attribute_list_width(list, PATH_WIDTH_MAX);
	columns[count - 1].is_hidden = !printing->has_lives;
	const enum cli_exit code = rows_open(rows, question, columns, count, ROWS_PLAIN);
	row_say_day(rows, histree_history_info(printing->history)->start);
	return code;
}

/* ---- least, mean and greatest ------------------------------------------------------------------------------- */

static enum histree_status ask(struct printing *printing, histree_quark quark, histree_time from, histree_time to,
			       struct histree_numbers *out, struct histree_error *error)
{
	enum histree_status status = histree_lookup_numbers(printing->query, quark, from, to, out, error);
	if (histree_cursor_loss(printing->query).nodes > 0)
		printing->is_damaged = true;
	return status;
}

struct least_row {
	struct number_row of;
	struct histree_numbers numbers;
};

static void put_mean(struct row_writer *rows, const void *member)
{
	const struct histree_numbers *numbers = member;
	if (numbers->states > 0)
		row_real(rows, numbers->mean);
	else
		row_null(rows);
}

#define RIGHT(text, columns, kind, at) ROW_RIGHT(text, columns, kind, struct least_row, at)
static const struct row_column least_columns[] = {
	{ .name = "path", .put = put_path, .offset = offsetof(struct least_row, of.attribute) },
	RIGHT("start", 18, CELL_CLOCK, of.from),
	RIGHT("end", 18, CELL_CLOCK, of.to),
	RIGHT("states", 9, CELL_UNSIGNED, numbers.states),
	RIGHT("min", 12, CELL_VALUE, numbers.min),
	{ .name = "mean",
	  .width = 12,
	  .to_the_right = true,
	  .put = put_mean,
	  .offset = offsetof(struct least_row, numbers) },
	RIGHT("max", 12, CELL_VALUE, numbers.max),
	RIGHT("number_ns", 10, CELL_DURATION, numbers.number_ns),
	RIGHT("unknown_ns", 10, CELL_DURATION, numbers.unknown_ns),
	RIGHT("other_ns", 10, CELL_DURATION, numbers.other_ns),
	{ .name = "thread",
	  .width = THREAD_WIDTH,
	  .put = put_thread,
	  .offset = offsetof(struct least_row, of.life) },
};
#undef RIGHT

/* What has no numbers in the whole range has no rows. */
static enum histree_status put_number(struct printing *printing, const struct number_row *row,
				      struct histree_error *error)
{
	struct least_row put = { .of = *row };
	enum histree_status status = ask(printing, row->attribute->quark, row->from, row->to, &put.numbers, error);
	if (status != HISTREE_OK || put.numbers.states == 0)
		return status;
	if (printing->parts == 0)
		row_put(&printing->rows, &put);
	for (uint32_t part = 0; part < printing->parts && status == HISTREE_OK; part++) {
		const histree_time from = histree_pixel_start(printing->from, printing->to, printing->parts, part);
		const histree_time next =
			histree_pixel_start(printing->from, printing->to, printing->parts, part + 1);
		put.of.from = from > row->from ? from : row->from;
		put.of.to = next - 1 < row->to ? next - 1 : row->to;
		if (put.of.to < put.of.from) /* a range of fewer ns than parts, or a thread that lived in others */
			continue;
		status = ask(printing, row->attribute->quark, put.of.from, put.of.to, &put.numbers, error);
		if (status == HISTREE_OK)
			row_put(&printing->rows, &put);
	}
	return status;
}

static enum cli_exit put_all(struct printing *printing)
{
	struct histree_error error;
	for (size_t i = 0; i < printing->number_count && !rows_are_full(&printing->rows); i++)
		if (put_number(printing, &printing->numbers[i], &error) != HISTREE_OK)
			return report_error(&error);
	if (printing->is_damaged)
		return host_part_damaged(printing->history);
	return printing->rows.row_count > 0 ? CLI_OK : report_exit(CLI_NOTHING, "there are no numbers");
}

static int print(struct printing *printing, const struct attribute_list *list, const struct cli_question *question,
		 int status)
{
	struct row_column columns[sizeof(least_columns) / sizeof(*least_columns)];
	memcpy(columns, least_columns, sizeof(columns));
	enum cli_exit code = open_rows(&printing->rows, question, printing, list, ROW_COLUMNS(columns));
	if (code == CLI_OK)
		code = put_all(printing);
	return rows_close(&printing->rows, code != CLI_OK ? (int)code : status);
}

/* ---- changes ------------------------------------------------------------------------------------------------ */

/* As it is printed. */
struct grown_row {
	struct number_row of;
	size_t number; /* of the row, which are in the order of paths */
	struct number_change change;
	struct histree_value grown;
};

#define RIGHT(text, columns, kind, at) ROW_RIGHT(text, columns, kind, struct grown_row, at)
static const struct row_column grown_columns[] = {
	{ .name = "path", .put = put_path, .offset = offsetof(struct grown_row, of.attribute) },
	RIGHT("start", 18, CELL_CLOCK, of.from),
	RIGHT("end", 18, CELL_CLOCK, of.to),
	RIGHT("before", 14, CELL_VALUE, change.before),
	RIGHT("after", 14, CELL_VALUE, change.after),
	RIGHT("change", 14, CELL_VALUE, grown),
	{ .name = "thread",
	  .width = THREAD_WIDTH,
	  .put = put_thread,
	  .offset = offsetof(struct grown_row, of.life) },
};
#undef RIGHT

static int by_change(const void *one, const void *other)
{
	const struct grown_row *a = one, *b = other;
	const int order = number_change_compare(&a->change, &b->change);
	return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

/* The rows that have a number at the end, or may have had one; *count, which was 0, is how many. */
static enum cli_exit read_grown(struct printing *printing, struct grown_row *rows, struct number_change *changes,
				size_t *count)
{
	struct histree_error error;
	for (size_t i = 0; i < printing->number_count; i++) {
		const struct number_row *row = &printing->numbers[i];
		changes[i] = (struct number_change){ .quark = row->attribute->quark,
						     .life = row->is_part ? row->life : NULL };
	}
	if (number_changes_read(printing->history, changes, printing->number_count, printing->from, printing->to,
				&printing->is_damaged, &error) != HISTREE_OK)
		return report_error(&error);
	for (size_t i = 0; i < printing->number_count; i++)
		if (changes[i].after.type != HISTREE_NULL)
			rows[(*count)++] = (struct grown_row){ .of = printing->numbers[i],
							       .number = i,
							       .change = changes[i],
							       .grown = number_change_value(&changes[i]) };
	if (*count > 0)
		qsort(rows, *count, sizeof(*rows), by_change);
	return CLI_OK;
}

static int print_changes(struct printing *printing, const struct attribute_list *list,
			 const struct cli_question *question)
{
	size_t count = 0;
	struct number_change *changes = calloc(printing->number_count + 1, sizeof(*changes));
	struct grown_row *rows = calloc(printing->number_count + 1, sizeof(*rows));
	struct row_column columns[sizeof(grown_columns) / sizeof(*grown_columns)];
	memcpy(columns, grown_columns, sizeof(columns));
	int status =
		changes == NULL || rows == NULL ? report_no_memory() : read_grown(printing, rows, changes, &count);
	if (status == CLI_OK) {
		enum cli_exit code = open_rows(&printing->rows, question, printing, list, ROW_COLUMNS(columns));
		for (size_t i = 0; i < count && code == CLI_OK; i++)
			row_put(&printing->rows, &rows[i]);
		if (code == CLI_OK && count == 0)
			code = report_exit(CLI_NOTHING, "there are no numbers");
		status = rows_close(&printing->rows, code);
	}
	if ((status == CLI_OK || status == CLI_NOTHING) && printing->is_damaged)
		status = host_part_damaged(printing->history);
	free(changes);
	free(rows);
	return status;
}

/* ---- what was not recorded ---------------------------------------------------------------------------------- */

/* Attributes that come of one kind of event. */
static const struct {
	const char *attribute, *event, *option;
} sources[] = {
	{ "Frequency", "cpu_frequency", "power:cpu_frequency" },
};

static bool has_event(const struct histree_events *events, const char *name)
{
	size_t count;
	const char *const *types = histree_events_types(events, &count);
	for (size_t i = 0; i < count; i++)
		if (strstr(types[i], name) != NULL)
			return true;
	return false;
}

/* A pattern that matches nothing may ask for what the trace has no events of. */
static void say_not_recorded(const struct target *target, const struct cli_words *words)
{
	struct histree_events *events = NULL;
	struct histree_error error;
	if (target->store == NULL || histree_events_open(target->store, &events, &error) != HISTREE_OK)
		return;
	for (size_t i = 1; i < words->count; i++)
		for (size_t k = 0; k < sizeof(sources) / sizeof(*sources); k++)
			if (strstr(words->words[i], sources[k].attribute) != NULL &&
			    !has_event(events, sources[k].event))
				report("'%s': not recorded: the trace has no events for it (%s): record them with "
				       "'perf record -e', or 'lttng enable-event -k' and '_' for ':'",
				       words->words[i], sources[k].option);
	histree_events_close(events);
}

/* ------------------------------------------------------------------------------------------------------------- */

int state_numbers_run(void *said, const struct cli_words *words)
{
	struct states_options *chosen = said;
	struct histree_error error;
	int status;
	struct target target;
	struct attribute_list list = { 0 };
	struct histree_history *history = NULL;
	struct printing printing = { .parts = (uint32_t)chosen->question.parts };
	status = target_open_history(&target, words->words[0], chosen->question.analysis, &history);
	if (status == CLI_OK) {
		const struct time_span span = time_span_of_history(histree_history_info(history));
		status = question_range(&chosen->question, &span, &printing.from, &printing.to);
	}
	printing.history = history;
	if (status == CLI_OK && histree_query_create(history, &printing.query, &error) != HISTREE_OK)
		status = report_error(&error);
	if (status == CLI_OK)
		status = thread_words_match(&list, &target, history, words->words + 1, words->count - 1,
					    ATTRIBUTES_WITH_STATES);
	if (status == CLI_NOTHING)
		say_not_recorded(&target, words);
	if (list.count > 0 && printing.query != NULL && (status == CLI_OK || status == CLI_NOTHING)) {
		const struct state_where where = { &chosen->question, &target, history };
		const enum cli_exit code = state_where_rows(&where, &list, printing.from, printing.to);
		status = code != CLI_OK ? (int)code : status;
	}
	const bool has_list =
		printing.query != NULL && (status == CLI_OK || (status == CLI_NOTHING && list.count > 0));
	if (has_list && list_numbers(&printing, &target, &list, &error) != HISTREE_OK)
		status = report_error(&error);
	else if (has_list)
		status = chosen->growth ? print_changes(&printing, &list, &chosen->question)
					: print(&printing, &list, &chosen->question, status);
	free(printing.numbers);
	thread_lives_release(&printing.lives);
	attribute_list_release(&list);
	histree_cursor_free(printing.query);
	histree_history_close(history);
	target_close(&target);
	return status;
}
