// SPDX-License-Identifier: MIT
/*
 * verb_top.c - `histree top`: what threads did with their time, added up, in the requested columns.
 *
 * The number of times that each thread was switched out in a window is a difference of running sums, so the cost
 * does not depend on the length of the window.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "cli/attribute_list.h"
#include "cli/number_changes.h"
#include "cli/option.h"
#include "cli/progress.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "histree/time_use.h"
#include "view/view.h"

struct switch_counts {
	struct histree_history *history; /* NULL: nothing was read */
	struct switch_host {
		struct histree_history *history; /* of one host; NULL: it has no such history */
		struct number_change *changes;   /* by quark */
		size_t count;
	} * hosts;
	size_t host_count;
	histree_time from, to;     /* the window, as far as there is a history */
	bool is_damaged, has_gaps; /* in the window: then there were more */
};

/* Returns 0 for a thread, whose row is by thread, that was not switched from; what cannot be read is damage. */
struct switch_count {
	uint64_t voluntary, involuntary;
};

struct top_rows {
	unsigned by; /* HISTREE_BY() of keys */
	bool has_switches, has_longest;
	struct switch_counts switches;
	const struct histree_history_host *hosts; /* NULL: one, */
	char *host;                               /* which is called so */
	uint64_t ns;                              /* of all rows: what they have a share of */
	histree_time from, to;                    /* what the rows are about, or one of --parts of it */
	uint64_t row_count;                       /* of all parts */
	bool has_parts, is_damaged, has_gaps;
	char unrecorded[128]; /* CPUs that are not recorded */
	size_t unrecorded_count;
};

/* A row, with all that any column may have. */
struct top_row {
	struct histree_use_row use;
	const char *host;
	uint64_t ns;
	double percent;
	double at_once; /* on average */
	histree_time start, end;
	struct switch_count switches;
};

/* ---- switch counts ------------------------------------------------------------------------------------------- */

COMPARE(by_quark, struct number_change, BY(quark))

/* Returns the attributes of a pattern in changes[*count] and after it; with NULL, they are counted only. */
struct found_sums {
	struct number_change *changes;
	size_t count;
};

static bool add_sum(void *context, histree_quark quark)
{
	struct found_sums *found = context;
	if (found->changes != NULL)
		found->changes[found->count].quark = quark;
	found->count++;
	return true;
}

static enum histree_status find_sums(const struct histree_attributes *attributes, struct found_sums *found,
				     struct histree_error *error)
{
	static const char *const patterns[] = { "Threads/*/voluntary", "Threads/*/involuntary", "gaps" };
	enum histree_status status = HISTREE_OK;
	found->count = 0;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns) && status >= HISTREE_OK; i++)
		status = histree_attributes_match(attributes, HISTREE_ROOT, patterns[i], add_sum, found, error);
	return status < 0 ? status : HISTREE_OK;
}

/* The sums before the window and at its end; before the trace they were 0. */
static enum histree_status read_sums(struct switch_host *host, histree_time from, histree_time to, bool *is_damaged,
				     struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(host->history);
	const bool is_whole = from <= info->start;
	to = to < info->end ? to : info->end;
	if (from > to || to < info->start) {
		host->count = 0;
		return HISTREE_OK;
	}
	enum histree_status status = number_changes_read(host->history, host->changes, host->count,
							 is_whole ? to : from - 1, to, is_damaged, error);
	for (size_t i = 0; i < host->count && is_whole; i++)
		host->changes[i].before = histree_null();
	return status;
}

static uint64_t change_of(const struct switch_host *host, histree_quark quark)
{
	const struct number_change *change =
		host->count == 0 ? NULL
				 : bsearch(&(struct number_change){ .quark = quark }, host->changes, host->count,
					   sizeof(*host->changes), by_quark);
	if (change == NULL)
		return 0;
	const struct histree_value value = number_change_value(change);
	return value.type == HISTREE_LONG ? (uint64_t)value.int64 : 0;
}

static enum histree_status read_host(struct switch_counts *counts, struct switch_host *host, histree_time from,
				     histree_time to, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(host->history);
	struct found_sums found = { .changes = NULL };
	bool is_damaged = false;
	histree_quark gaps;
	enum histree_status status = find_sums(attributes, &found, error);
	if (status != HISTREE_OK)
		return status;
	host->changes = found.changes = calloc(found.count + 1, sizeof(*found.changes));
	if (host->changes == NULL) {
		snprintf(error->message, sizeof(error->message), "out of memory for the sums of switches");
		return HISTREE_ERR_MEMORY;
	}
	status = find_sums(attributes, &found, error);
	host->count = found.count;
	qsort(host->changes, host->count, sizeof(*host->changes), by_quark);
	if (status == HISTREE_OK)
		status = read_sums(host, from, to, &is_damaged, error);
	counts->is_damaged |= is_damaged;
	if (status == HISTREE_OK && histree_attributes_find(attributes, HISTREE_ROOT, "gaps", &gaps) == HISTREE_OK)
		counts->has_gaps |= change_of(host, gaps) > 0;
	return status;
}

/*
 * Reads the counts of a window, which may reach beyond the trace.  A store without the analysis is reported, with
 * the way out.  switch_counts_release() also after failure.
 */
static enum cli_exit switch_counts_read(struct switch_counts *counts, const struct target *target,
					histree_time from, histree_time to)
{
	struct histree_error error = { 0 };
	size_t count;
	enum histree_status status = target_history(target, "switches", false, &counts->history, &error);
	if (status == HISTREE_NOT_FOUND)
		return report_exit(CLI_USAGE,
				   "'%s' does not know how often threads were switched; 'histree add %s "
				   "switches' counts it",
				   target->path, target->path);
	if (status != HISTREE_OK)
		return report_error(&error);
	const struct histree_history_host *hosts = histree_history_hosts(counts->history, &count);
	const struct histree_history_info *info = histree_history_info(counts->history);
	counts->from = from > info->start ? from : info->start;
	counts->to = to < info->end ? to : info->end;
	counts->hosts = calloc(count + 1, sizeof(*counts->hosts));
	if (counts->hosts == NULL)
		return report_no_memory();
	counts->host_count = count > 0 ? count : 1;
	for (size_t i = 0; i < counts->host_count && status == HISTREE_OK; i++) {
		struct switch_host *host = &counts->hosts[i];
		host->history = count > 0 ? hosts[i].history : counts->history;
		counts->is_damaged |= host->history == NULL && hosts[i].why != NULL;
		if (host->history != NULL)
			status = read_host(counts, host, from, to, &error);
	}
	return status == HISTREE_OK ? CLI_OK : report_error(&error);
}

static void switch_counts_release(struct switch_counts *counts)
{
	for (size_t i = 0; i < counts->host_count; i++)
		free(counts->hosts[i].changes);
	free(counts->hosts);
	histree_history_close(counts->history);
	*counts = (struct switch_counts){ 0 };
}

/* A life that begins or ends in the window gets only what was counted within it. */
static struct switch_host count_life(struct switch_counts *counts, const struct switch_host *host,
				     struct number_change *changes, size_t change_count, histree_time from,
				     histree_time to)
{
	struct switch_host life = { .history = host->history, .changes = changes, .count = change_count };
	struct histree_error error = { 0 };
	bool is_damaged = false;
	from = from > counts->from ? from : counts->from;
	to = to < counts->to ? to : counts->to;
	if (life.count > 1)
		qsort(changes, life.count, sizeof(*changes), by_quark);
	if (read_sums(&life, from, to, &is_damaged, &error) != HISTREE_OK) {
		is_damaged = true;
		life.count = 0;
	}
	counts->is_damaged |= is_damaged;
	return life;
}

static struct switch_count switch_counts_of(struct switch_counts *counts, const struct histree_use_row *row)
{
	struct switch_count out = { 0 };
	struct switch_host life, *of = &counts->hosts[row->host];
	struct number_change changes[2];
	histree_quark quarks[2];
	size_t count = 0;
	if (row->host >= counts->host_count || of->history == NULL)
		return out;
	const struct histree_attributes *attributes = histree_history_attributes(of->history);
	for (size_t i = 0; i < 2; i++) {
		char path[64];
		snprintf(path, sizeof(path), "Threads/%" PRId32 "/%s", row->keys[HISTREE_USE_BY_THREAD].int32,
			 i == 0 ? "voluntary" : "involuntary");
		if (histree_attributes_find(attributes, HISTREE_ROOT, path, &quarks[i]) == HISTREE_OK)
			changes[count++] = (struct number_change){ .quark = quarks[i] };
	}
	if (row->from > counts->from || row->to < counts->to) {
		life = count_life(counts, of, changes, count, row->from, row->to);
		of = &life;
	}
	out.voluntary = change_of(of, quarks[0]);
	out.involuntary = change_of(of, quarks[1]);
	return out;
}

/* ---- top rows ------------------------------------------------------------------------------------------------ */

static bool has(const struct top_rows *top, enum histree_use_key key)
{
	return (top->by & 1U << key) != 0;
}

static void put_key(struct row_writer *rows, const void *member)
{
	const struct histree_value *value = member;
	if (value->type == HISTREE_UNKNOWN)
		row_text(rows, "?");
	else if (value->type == HISTREE_NULL && rows->format->for_people)
		row_text(rows, "-");
	else
		row_value(rows, value);
}

static void put_state(struct row_writer *rows, const void *member)
{
	const struct histree_value *value = member;
	if (value->type == HISTREE_INT)
		row_text(rows, histree_use_name((enum histree_use)value->int32));
	else
		put_key(rows, value);
}

static void put_start(struct row_writer *rows, const void *member)
{
	const struct histree_use_longest *longest = member;
	if (longest->ns > 0)
		row_clock(rows, longest->start);
	else if (rows->format->for_people)
		row_text(rows, "-");
	else
		row_null(rows);
}

/* For programs, every digit: the sum of the parts is the whole. */
static void put_at_once(struct row_writer *rows, const void *member)
{
	char text[32];
	const double at_once = *(const double *)member;
	if (!rows->format->for_people) {
		row_real(rows, at_once);
		return;
	}
	snprintf(text, sizeof(text), "%.3f", at_once);
	row_text(rows, text);
}

enum {
	COLUMN_START,
	COLUMN_END,
	COLUMN_HOST,
	COLUMN_THREAD,
	COLUMN_PROCESS,
	COLUMN_NAME_OF, /* a thread or process, unless the name is a key of its own */
	COLUMN_NAME,
	COLUMN_CPU,
	COLUMN_STATE,
	COLUMN_CALL,
	COLUMN_HAD_BY,
	COLUMN_HAD_BY_NAME,
	COLUMN_USE,
	COLUMN_DURATION = COLUMN_USE + HISTREE_USE_COUNT,
	COLUMN_COUNT,
	COLUMN_PERCENT,
	COLUMN_AT_ONCE,
	COLUMN_VOLUNTARY,
	COLUMN_INVOLUNTARY,
	COLUMN_LONGEST,
	TOP_COLUMNS = COLUMN_LONGEST + 4
};

#define OF(at) .offset = offsetof(struct top_row, at)
#define LEFT(text, columns, ...)                            \
	{                                                   \
		.name = text, .width = columns, __VA_ARGS__ \
	}
#define RIGHT(text, columns, ...) LEFT(text, columns, .to_the_right = true, __VA_ARGS__)
#define USE(which, text) [COLUMN_USE + which] = RIGHT(text, 11, .cell = CELL_DURATION, OF(use.ns[which]))
static const struct row_column top_columns[TOP_COLUMNS] = {
	[COLUMN_START] = RIGHT("start", 18, .cell = CELL_CLOCK, OF(start)),
	[COLUMN_END] = RIGHT("end", 18, .when = ROW_PROGRAMS, .cell = CELL_CLOCK, OF(end)),
	[COLUMN_HOST] = LEFT("host", 12, .when = ROW_HOSTS, .cell = CELL_TEXT, OF(host)),
	[COLUMN_THREAD] = RIGHT("thread", 8, .put = put_key, OF(use.keys[HISTREE_USE_BY_THREAD])),
	[COLUMN_PROCESS] = RIGHT("process", 8, .put = put_key, OF(use.keys[HISTREE_USE_BY_PROCESS])),
	[COLUMN_NAME_OF] = LEFT("name", 16, .cell = CELL_TEXT, OF(use.name)),
	[COLUMN_NAME] = LEFT("name", 16, .put = put_key, OF(use.keys[HISTREE_USE_BY_NAME])),
	[COLUMN_CPU] = RIGHT("cpu", 4, .put = put_key, OF(use.keys[HISTREE_USE_BY_CPU])),
	[COLUMN_STATE] = LEFT("state", 11, .put = put_state, OF(use.keys[HISTREE_USE_BY_STATE])),
	[COLUMN_CALL] = LEFT("system_call", 16, .put = put_key, OF(use.keys[HISTREE_USE_BY_SYSTEM_CALL])),
	[COLUMN_HAD_BY] = RIGHT("had_by", 8, .put = put_key, OF(use.keys[HISTREE_USE_BY_HAD_BY])),
	[COLUMN_HAD_BY_NAME] = LEFT("had_by_name", 16, .cell = CELL_TEXT, OF(use.had_by_name)),
	USE(HISTREE_USE_USER, "user"),
	USE(HISTREE_USE_SYSTEM, "system"),
	USE(HISTREE_USE_INTERRUPTED, "interrupted"),
	USE(HISTREE_USE_IDLE, "idle"),
	USE(HISTREE_USE_WAITING, "waiting"),
	USE(HISTREE_USE_BLOCKED, "blocked"),
	USE(HISTREE_USE_OTHER, "other"),
	USE(HISTREE_USE_UNKNOWN, "unknown"),
	[COLUMN_DURATION] = RIGHT("duration", 11, .cell = CELL_DURATION, OF(ns)),
	[COLUMN_COUNT] = RIGHT("count", 8, .cell = CELL_UNSIGNED, OF(use.count)),
	[COLUMN_PERCENT] = RIGHT("percent", 7, .cell = CELL_PERCENT, OF(percent)),
	[COLUMN_AT_ONCE] = RIGHT("at_once", 9, .put = put_at_once, OF(at_once)),
	[COLUMN_VOLUNTARY] = RIGHT("voluntary", 9, .cell = CELL_UNSIGNED, OF(switches.voluntary)),
	[COLUMN_INVOLUNTARY] = RIGHT("involuntary", 11, .cell = CELL_UNSIGNED, OF(switches.involuntary)),
	[COLUMN_LONGEST] = RIGHT("longest_wait", 13, .cell = CELL_DURATION, OF(use.longest_wait.ns)),
	RIGHT("longest_wait_start", 19, .put = put_start, OF(use.longest_wait)),
	RIGHT("longest_block", 13, .cell = CELL_DURATION, OF(use.longest_block.ns)),
	RIGHT("longest_block_start", 19, .put = put_start, OF(use.longest_block)),
};
#undef USE
#undef RIGHT
#undef LEFT
#undef OF

/* The keys of the rows, and what else was requested; only CPUs are idle, not threads. */
static bool is_hidden(const struct top_rows *top, size_t column)
{
	const bool by_state = has(top, HISTREE_USE_BY_STATE);
	switch (column) {
	case COLUMN_START:
	case COLUMN_END:
		return !top->has_parts;
	case COLUMN_HOST:
	case COLUMN_COUNT:
		return false;
	case COLUMN_NAME_OF:
		return has(top, HISTREE_USE_BY_NAME) ||
		       !(has(top, HISTREE_USE_BY_THREAD) || has(top, HISTREE_USE_BY_PROCESS));
	case COLUMN_HAD_BY_NAME:
		return !has(top, HISTREE_USE_BY_HAD_BY);
	case COLUMN_THREAD:
		return !has(top, HISTREE_USE_BY_THREAD);
	case COLUMN_PROCESS:
		return !has(top, HISTREE_USE_BY_PROCESS);
	case COLUMN_USE + HISTREE_USE_IDLE:
		return by_state || !has(top, HISTREE_USE_BY_CPU);
	case COLUMN_DURATION:
	case COLUMN_PERCENT:
	case COLUMN_AT_ONCE:
		return !by_state;
	case COLUMN_VOLUNTARY:
	case COLUMN_INVOLUNTARY:
		return !top->has_switches;
	}
	if (column >= COLUMN_LONGEST)
		return !top->has_longest;
	return column < COLUMN_USE ? !has(top, (enum histree_use_key)(column - COLUMN_NAME) + HISTREE_USE_BY_NAME)
				   : by_state;
}

/* ---- verb top ------------------------------------------------------------------------------------------------ */

struct top_options {
	struct cli_question question;
	const char *more;
	int order; /* a number of sort_names; -1: as the rows come */
};

/* What rows may be sorted by: amounts of a row (view.h), and how often a thread was switched from. */
enum { SORT_VOLUNTARY = HISTREE_USE_AMOUNT_BLOCK + 1, SORT_INVOLUNTARY, SORT_NUMBER };

static const char *const sort_names[SORT_NUMBER] = {
	[HISTREE_USE_USER] = "user",
	[HISTREE_USE_SYSTEM] = "system",
	[HISTREE_USE_INTERRUPTED] = "interrupted",
	[HISTREE_USE_IDLE] = "idle",
	[HISTREE_USE_WAITING] = "waiting",
	[HISTREE_USE_BLOCKED] = "blocked",
	[HISTREE_USE_OTHER] = "other",
	[HISTREE_USE_UNKNOWN] = "unknown",
	[HISTREE_USE_AMOUNT_COUNT] = "count",
	[HISTREE_USE_AMOUNT_WAIT] = "longest_wait",
	[HISTREE_USE_AMOUNT_BLOCK] = "longest_block",
	[SORT_VOLUNTARY] = "voluntary",
	[SORT_INVOLUNTARY] = "involuntary",
};

static const struct cli_option options[] = {
	CLI_OPTION_TEXT(
		"more", "WHAT", struct top_options, more,
		"count more for each row: switches (of threads: voluntary, involuntary) or longest (waits for a "
		"CPU, times blocked), or both with a comma"),
	{ 0 },
};

/* ---- options ------------------------------------------------------------------------------------------------ */

/* Whether a list has nothing but words of --more, as --columns had once. */
static bool is_more(const char *list)
{
	return list != NULL && (strcmp(list, "switches") == 0 || strcmp(list, "longest") == 0 ||
				strcmp(list, "switches,longest") == 0 || strcmp(list, "longest,switches") == 0);
}

static enum cli_exit read_more(struct top_options *chosen, struct top_rows *top)
{
	if (is_more(chosen->question.columns) && chosen->more == NULL) {
		chosen->more = chosen->question.columns;
		chosen->question.columns = NULL;
	}
	for (const char *word = chosen->more; word != NULL; word = *word == ',' ? word + 1 : NULL) {
		const char *end = strchrnul(word, ',');
		const size_t size = (size_t)(end - word);
		if (size == strlen("switches") && memcmp(word, "switches", size) == 0)
			top->has_switches = true;
		else if (size == strlen("longest") && memcmp(word, "longest", size) == 0)
			top->has_longest = true;
		else
			return report_exit(CLI_USAGE, "'--more': '%.*s' is neither switches nor longest", (int)size,
					   word);
		word = end;
	}
	if (top->has_switches && top->by != HISTREE_BY(THREAD))
		return report_exit(CLI_USAGE, "'--more switches' needs '--by thread': threads are switched");
	return CLI_OK;
}

/* ---- order -------------------------------------------------------------------------------------------------- */

static enum cli_exit choose_sort(const char *name, const struct top_rows *top, int *sort)
{
	char names[256] = "";
	*sort = -1;
	for (int i = 0; name != NULL && i < SORT_NUMBER; i++) {
		if (sort_names[i] == NULL)
			continue;
		name_list_add(names, sizeof(names), sort_names[i]);
		if (strcmp(sort_names[i], name) == 0)
			*sort = i;
	}
	if (name != NULL && *sort < 0)
		return report_exit(CLI_USAGE, "'--sort': '%s' is not one of %s", name, names);
	if ((*sort == HISTREE_USE_AMOUNT_WAIT || *sort == HISTREE_USE_AMOUNT_BLOCK) && !top->has_longest)
		return report_exit(CLI_USAGE, "'--sort %s' needs '--more longest'", name);
	if (*sort >= SORT_VOLUNTARY && !top->has_switches)
		return report_exit(CLI_USAGE, "'--sort %s' needs '--more switches'", name);
	return CLI_OK;
}

/* What rows are sorted by. */
struct top_order {
	struct top_rows *top;
	int sort;
};

static uint64_t amount_of(void *context, const struct histree_use_row *row)
{
	const struct top_order *order = context;
	if (order->sort < SORT_VOLUNTARY)
		return histree_use_row_amount(row, order->sort);
	const struct switch_count count = switch_counts_of(&order->top->switches, row);
	return order->sort == SORT_VOLUNTARY ? count.voluntary : count.involuntary;
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum cli_exit report_nothing(const struct top_options *chosen, const struct histree_history *history)
{
	char states[128] = "", names[256] = "";
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (chosen->question.where == NULL)
		return report_exit(CLI_NOTHING, "there is no thread in that time");
	for (size_t i = 0; i < count; i++)
		name_list_add(names, sizeof(names), hosts[i].name);
	for (int use = 0; use < HISTREE_USE_COUNT; use++)
		name_list_add(states, sizeof(states), histree_use_name(use));
	return report_exit(CLI_NOTHING, "nothing passes '%s'; %s%s%sstates: %s", chosen->question.where,
			   count > 0 ? "hosts: " : "", names, count > 0 ? "; " : "", states);
}

/* The table, which has no output before there is an answer: what is wrong with the question is said first. */
struct top_table {
	struct row_writer writer;
	struct row_column columns[TOP_COLUMNS];
};

static enum cli_exit open_table(struct top_table *table, const struct top_rows *top,
				const struct top_options *chosen)
{
	memcpy(table->columns, top_columns, sizeof(table->columns));
	for (size_t i = 0; i < TOP_COLUMNS; i++)
		table->columns[i].is_hidden = is_hidden(top, i);
	const enum cli_exit code = rows_open(&table->writer, &chosen->question, table->columns, TOP_COLUMNS,
					     top->hosts != NULL || top->by == 0 ? ROWS_OF_HOSTS : 0);
	if (code == CLI_OK && top->has_parts)
		row_say_day(&table->writer, top->from);
	return code;
}

static enum cli_exit print_rows(struct top_rows *top, struct row_writer *writer, const struct histree_time_use *use,
				const struct top_options *chosen)
{
	size_t count;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	struct top_order order = { .top = top, .sort = chosen->order };
	struct histree_use_ordered *ordered =
		histree_time_use_order(use, chosen->order >= 0 ? amount_of : NULL, &order,
				       question_order_is_down(question_order(&chosen->question), true));
	if (ordered == NULL)
		return report_no_memory();
	top->ns = 0;
	for (size_t i = 0; i < count; i++)
		top->ns += histree_use_row_amount(&rows[i], HISTREE_USE_AMOUNT_TIME);
	for (size_t i = 0; i < count && !rows_are_full(writer); i++) {
		struct top_row row = { .use = *ordered[i].row,
				       .host = top->hosts != NULL ? top->hosts[ordered[i].row->host].name
								  : top->host,
				       .start = top->from,
				       .end = top->to };
		row.ns = histree_use_row_amount(ordered[i].row, HISTREE_USE_AMOUNT_TIME);
		row.percent = top->ns > 0 ? 100 * ((double)row.ns / (double)top->ns) : 0;
		row.at_once = (double)row.ns / ((double)(top->to - top->from) + 1);
		if (top->has_switches)
			row.switches = switch_counts_of(&top->switches, ordered[i].row);
		row_put(writer, &row);
	}
	free(ordered);
	top->row_count += count;
	top->is_damaged |= histree_time_use_loss(use).nodes > 0 || top->switches.is_damaged;
	return CLI_OK;
}

/* ---- CPUs that are not recorded ----------------------------------------------------------------------------- */

/* For a CPU without events, the history has no thread that it runs (kernel_cpu_is_recorded()). */
static bool is_recorded(const struct histree_attributes *attributes, int32_t cpu)
{
	histree_quark group, node, thread;
	char name[16];
	snprintf(name, sizeof(name), "%" PRId32, cpu);
	return histree_attributes_find(attributes, HISTREE_ROOT, "CPUs", &group) != HISTREE_OK ||
	       (histree_attributes_find(attributes, group, name, &node) == HISTREE_OK &&
		histree_attributes_find(attributes, node, "Current_thread", &thread) == HISTREE_OK);
}

static bool is_listed(const char *names, const char *name)
{
	const size_t size = strlen(name);
	for (const char *at = strstr(names, name); at != NULL; at = strstr(at + 1, name))
		if ((at == names || at[-1] == ' ') && (at[size] == '\0' || at[size] == ','))
			return true;
	return false;
}

/* Its row is only of threads that were sent there: it was no CPU that did nothing. */
static void note_cpus(struct top_rows *top, const struct histree_time_use *use,
		      const struct histree_history *history)
{
	size_t count;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	for (size_t i = 0; top->by == HISTREE_BY(CPU) && i < count; i++) {
		const struct histree_value *cpu = &rows[i].keys[HISTREE_USE_BY_CPU];
		const struct histree_history *own = top->hosts != NULL ? top->hosts[rows[i].host].history : history;
		char name[160];
		if (cpu->type != HISTREE_INT || own == NULL ||
		    is_recorded(histree_history_attributes(own), cpu->int32))
			continue;
		snprintf(name, sizeof(name), "%s%s%" PRId32,
			 top->hosts != NULL ? top->hosts[rows[i].host].name : "", top->hosts != NULL ? ":" : "",
			 cpu->int32);
		if (is_listed(top->unrecorded, name))
			continue;
		name_list_add(top->unrecorded, sizeof(top->unrecorded), name);
		top->unrecorded_count++;
	}
}

/* ------------------------------------------------------------------------------------------------------------- */

/* Prints the rows of top->from to top->to. */
static enum cli_exit ask_part(struct top_rows *top, const struct target *target, struct histree_history *history,
			      const char *where, const struct top_options *chosen, struct top_table *table)
{
	const struct histree_time_use_request request = { .by = top->by,
							  .from = top->from,
							  .to = top->to,
							  .where = where,
							  .longest = top->has_longest,
							  .work = { .go_on = progress_goes_on } };
	struct histree_error error = { 0 };
	struct histree_time_use *use = NULL;
	enum cli_exit code = CLI_OK;
	if (top->has_switches)
		code = switch_counts_read(&top->switches, target, request.from, request.to);
	if (code == CLI_OK) {
		const enum histree_status status = histree_time_use_create(history, &request, &use, &error);
		code = status != HISTREE_OK           ? progress_outcome(status, NULL, &error)
		       : table->writer.output != NULL ? CLI_OK
						      : open_table(table, top, chosen);
	}
	if (code == CLI_OK)
		code = print_rows(top, &table->writer, use, chosen);
	if (code == CLI_OK)
		note_cpus(top, use, history);
	histree_time_use_free(use);
	top->has_gaps |= top->switches.has_gaps;
	switch_counts_release(&top->switches);
	return code;
}

static enum cli_exit ask_parts(struct top_rows *top, const struct target *target, struct histree_history *history,
			       const char *where, const struct top_options *chosen, struct top_table *table)
{
	const uint32_t parts = top->has_parts ? (uint32_t)chosen->question.parts : 1;
	const histree_time from = top->from, to = top->to;
	enum cli_exit code = CLI_OK;
	for (uint32_t part = 0; part < parts && code == CLI_OK && !rows_are_full(&table->writer); part++) {
		top->from = histree_pixel_start(from, to, parts, part);
		top->to = histree_pixel_start(from, to, parts, part + 1) - 1;
		if (top->from <= top->to) /* else the range has fewer ns than parts */
			code = ask_part(top, target, history, where, chosen, table);
	}
	return code;
}

static enum cli_exit print(struct top_rows *top, const struct target *target, struct histree_history *history,
			   const char *where, const struct top_options *chosen)
{
	struct top_table table = { .writer.row_max = UINT64_MAX };
	enum cli_exit code = ask_parts(top, target, history, where, chosen, &table);
	rows_say_rest(&table.writer, top->row_count);
	if (code == CLI_OK && top->row_count == 0)
		code = report_nothing(chosen, history);
	if (top->has_gaps)
		report("warning: events are missing in that time, so there may have been more switches");
	if ((code == CLI_OK || code == CLI_NOTHING) && top->is_damaged)
		code = host_part_damaged(history);
	code = (enum cli_exit)rows_close(&table.writer, code);
	if (top->unrecorded_count > 0)
		report("warning: not recorded: CPU%s %s, of which there are no events, so it is not known what "
		       "threads did there",
		       top->unrecorded_count > 1 ? "s" : "", top->unrecorded);
	return code;
}

static enum cli_exit ask(struct top_rows *top, const struct target *target, struct histree_history *history,
			 const struct top_options *chosen)
{
	const struct time_span span = time_span_of_history(histree_history_info(history));
	size_t host_count;
	enum cli_exit code = question_range(&chosen->question, &span, &top->from, &top->to);
	if (code != CLI_OK)
		return code;
	top->hosts = histree_history_hosts(history, &host_count);
	top->host = target_host_name(target);
	if (top->host == NULL)
		return report_no_memory();
	struct histree_history *part;
	char *where = NULL;
	code = host_part_of_question(target, history, &chosen->question, &part);
	if (code == CLI_OK)
		code = thread_words_where(&chosen->question, target, history, &where);
	if (code != CLI_OK)
		return code;
	progress_catch_signals();
	code = print(top, target, history, where != NULL ? where : chosen->question.where, chosen);
	free(where);
	return code;
}

static const struct top_options defaults = { .question = { .usual_limit = 10 } };

static int top_run(void *said, const struct cli_words *words)
{
	struct top_options *chosen = said;
	struct top_rows top = { 0 };
	struct histree_history *history = NULL;
	struct target target;

	struct histree_error error = { 0 };
	top.has_parts = chosen->question.parts != 0;
	if (chosen->question.by == NULL)
		chosen->question.by = top.has_parts ? "state" : "thread";
	if (top.has_parts)
		chosen->question.usual_limit = 0;
	enum cli_exit code = histree_use_keys_read(chosen->question.by, &top.by, &error) == HISTREE_OK
				     ? CLI_OK
				     : report_exit(CLI_USAGE, "'--by': %s", error.message);

	if (code == CLI_OK)
		code = read_more(chosen, &top);
	if (code == CLI_OK)
		code = choose_sort(question_order(&chosen->question).key, &top, &chosen->order);
	if (code != CLI_OK)
		return code;
	code = target_open_history(&target, words->words[0], chosen->question.analysis, &history);
	if (code == CLI_OK)
		code = ask(&top, &target, history, chosen);
	if (code == CLI_OK || code == CLI_NOTHING) {
		/*
		 * Who asks for processes learns whose threads are taken for processes, as the build said it
		 * (kernel_provider.c).
		 */
		const bool asks =
			(top.by & HISTREE_BY(PROCESS)) != 0 ||
			(chosen->question.where != NULL && strstr(chosen->question.where, "process") != NULL);
		if (asks)
			target_say_warnings(&target, "no event says of which process", "");
		target_say_missing(&target,
				   chosen->question.analysis != NULL ? chosen->question.analysis : "kernel");
	}
	free(top.host);

	histree_history_close(history);
	target_close(&target);
	return code;
}

const struct cli_verb verb_top = {
	.name = "top",
	.summary = "say how long threads ran, waited for a CPU and were blocked",
	.arguments = { "STORE", 1, 1 },
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS_RANGE | ASKS(WHERE) | ASKS(THREAD) | ASKS(BY) | ASKS(PARTS) | ASKS(SORT) | ASKS(REVERSE) |
		ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(ANALYSIS) | ASKS(HOST) | ASKS(FORMAT),
	.says = { [ASK_WHERE] = " over host, thread, process, name, cpu, state, system_call and had_by",
		  [ASK_BY] =
			  ", or of several, separated by commas: thread, process, name, cpu, state, system-call, "
			  "had-by (who had the CPU that others waited for) or host; default: thread, with --parts "
			  "state",
		  [ASK_SORT] = "; KEY is user, system, waiting, blocked and so on, count, longest_wait, "
			       "longest_block, voluntary or involuntary; default: what ran longest",
		  [ASK_LIMIT] = "; default: 10 in text, else all; with --parts all",
		  [ASK_ANALYSIS] = "; default: kernel" },
	CLI_OPTIONS(options, struct top_options),
	.defaults = &defaults,
	.run = top_run,
};
