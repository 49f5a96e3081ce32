// SPDX-License-Identifier: MIT
/*
 * verb_top.c - `histree top`: what threads did with their time, added up, in the requested columns.
 *
 * How often each thread was switched from in a window is a difference of running sums, so that the cost does not
 * depend on the length of the window.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number_text.h"
#include "cli/attribute_list.h"
#include "cli/number_changes.h"
#include "cli/option.h"
#include "cli/progress.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "histree/time_use.h"

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

enum { TOP_COLUMNS_MAX = 1 + HISTREE_USE_KEY_COUNT + 2 + HISTREE_USE_COUNT + 2 + 6 };

struct top_rows {
	unsigned by; /* HISTREE_BY() of keys */
	bool has_switches, has_longest;
	struct switch_counts switches;
	const struct histree_history_host *hosts; /* NULL: one, */
	char *host;                               /* which is called so */
	uint64_t ns;                              /* of all rows: what they have a share of */
	struct row_writer rows;
	struct row_column columns[TOP_COLUMNS_MAX];
	size_t column_count;
};

/* ---- switch counts ------------------------------------------------------------------------------------------- */

static int by_quark(const void *one, const void *other)
{
	const struct number_change *a = one, *b = other;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

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

static const struct row_column key_columns[HISTREE_USE_KEY_COUNT] = {
	{ .name = "thread", .width = 8, .to_the_right = true },
	{ .name = "process", .width = 8, .to_the_right = true },
	{ .name = "name", .width = 16 },
	{ .name = "cpu", .width = 4, .to_the_right = true },
	{ .name = "state", .width = 11 },
	{ .name = "system_call", .width = 16 },
	{ .name = "had_by", .width = 8, .to_the_right = true },
};

static bool has(const struct top_rows *top, enum histree_use_key key)
{
	return (top->by & 1U << key) != 0;
}

static bool has_hosts(const struct top_rows *top, const struct row_format *format)
{
	return top->hosts != NULL || top->by == 0 || !format->for_people;
}

/* The name of a thread stands beside it, unless it is a key of its own. */
static bool names_threads(const struct top_rows *top)
{
	return has(top, HISTREE_USE_BY_THREAD) && !has(top, HISTREE_USE_BY_NAME);
}

/* Idle is what CPUs are, not threads. */
static bool shows(const struct top_rows *top, enum histree_use use)
{
	return use != HISTREE_USE_IDLE || has(top, HISTREE_USE_BY_CPU);
}

static void add_column(struct top_rows *top, struct row_column column)
{
	top->columns[top->column_count++] = column;
}

static void choose_columns(struct top_rows *top, const struct row_format *format)
{
	const struct row_column duration = { .name = "duration", .width = 11, .to_the_right = true };
	if (has_hosts(top, format))
		add_column(top, (struct row_column){ .name = "host", .width = 12 });
	for (enum histree_use_key key = 0; key < HISTREE_USE_KEY_COUNT; key++) {
		if (has(top, key))
			add_column(top, key_columns[key]);
		if (key == HISTREE_USE_BY_THREAD && names_threads(top))
			add_column(top, key_columns[HISTREE_USE_BY_NAME]);
	}
	if (has(top, HISTREE_USE_BY_HAD_BY))
		add_column(top, (struct row_column){ .name = "had_by_name", .width = 16 });
	for (enum histree_use use = 0; use < HISTREE_USE_COUNT && !has(top, HISTREE_USE_BY_STATE); use++)
		if (shows(top, use)) {
			struct row_column column = duration;
			column.name = histree_use_name(use);
			add_column(top, column);
		}
	if (has(top, HISTREE_USE_BY_STATE))
		add_column(top, duration);
	add_column(top, (struct row_column){ .name = "count", .width = 8, .to_the_right = true });
	if (has(top, HISTREE_USE_BY_STATE))
		add_column(top, (struct row_column){ .name = "percent", .width = 7, .to_the_right = true });
	if (top->has_switches) {
		add_column(top, (struct row_column){ .name = "voluntary", .width = 9, .to_the_right = true });
		add_column(top, (struct row_column){ .name = "involuntary", .width = 11, .to_the_right = true });
	}
	static const char *const longest[] = { "longest_wait", "longest_wait_start", "longest_block",
					       "longest_block_start" };
	for (size_t i = 0; i < sizeof(longest) / sizeof(*longest) && top->has_longest; i++)
		add_column(top, (struct row_column){
					.name = longest[i], .width = i % 2 ? 19 : 13, .to_the_right = true });
}

/* Chooses the columns; for people, their names are written if `has_names`. */
static void top_rows_begin(struct top_rows *top, const struct row_format *format, struct output *output,
			   bool has_names)
{
	choose_columns(top, format);
	row_writer_begin(&top->rows, format, output, top->columns, top->column_count);
	if (!format->for_people || !has_names)
		return;
	for (size_t i = 0; i < top->column_count; i++)
		row_text(&top->rows, top->columns[i].name);
	row_end(&top->rows);
}

static void put_key(struct row_writer *rows, enum histree_use_key key, const struct histree_value *value)
{
	if (key == HISTREE_USE_BY_STATE && value->type == HISTREE_INT)
		row_text(rows, histree_use_name((enum histree_use)value->int32));
	else if (value->type == HISTREE_UNKNOWN)
		row_text(rows, "?");
	else if (value->type == HISTREE_NULL && rows->format->for_people)
		row_text(rows, "-");
	else
		row_value(rows, value);
}

/* Returns the total time of a row. */
static uint64_t top_rows_sum(const struct histree_use_row *row)
{
	uint64_t sum = 0;
	for (enum histree_use use = 0; use < HISTREE_USE_COUNT; use++)
		sum += row->ns[use];
	return sum;
}

static void put_times(struct top_rows *top, const struct histree_use_row *row)
{
	struct row_writer *rows = &top->rows;
	const uint64_t sum = top_rows_sum(row);
	if (has(top, HISTREE_USE_BY_STATE)) {
		row_duration(rows, sum);
		row_unsigned(rows, row->count);
		double share = top->ns > 0 ? (double)sum / (double)top->ns : 0;
		row_percent(rows, 100 * share);
		return;
	}
	for (enum histree_use use = 0; use < HISTREE_USE_COUNT; use++)
		if (shows(top, use))
			row_duration(rows, row->ns[use]);
	row_unsigned(rows, row->count);
}

static void put_longest(struct row_writer *rows, const struct histree_use_longest *longest)
{
	row_duration(rows, longest->ns);
	char text[TIME_TEXT_SIZE];
	if (longest->ns > 0 && rows->format->for_people)
		row_bytes(rows, text, time_format_clock(longest->start, text));
	else if (longest->ns > 0)
		row_number(rows, longest->start);
	else if (rows->format->for_people)
		row_text(rows, "-");
	else
		row_null(rows);
}

static void put_more(struct top_rows *top, const struct histree_use_row *row)
{
	struct row_writer *rows = &top->rows;
	if (top->has_switches) {
		const struct switch_count count = switch_counts_of(&top->switches, row);
		row_unsigned(rows, count.voluntary);
		row_unsigned(rows, count.involuntary);
	}
	if (top->has_longest) {
		put_longest(rows, &row->longest_wait);
		put_longest(rows, &row->longest_block);
	}
}

static void top_rows_put(struct top_rows *top, const struct histree_use_row *row)
{
	struct row_writer *rows = &top->rows;
	if (has_hosts(top, rows->format))
		row_text(rows, top->hosts != NULL ? top->hosts[row->host].name : top->host);
	for (enum histree_use_key key = 0; key < HISTREE_USE_KEY_COUNT; key++) {
		if (has(top, key))
			put_key(rows, key, &row->keys[key]);
		if (key == HISTREE_USE_BY_THREAD && names_threads(top))
			row_text(rows, row->name);
	}
	if (has(top, HISTREE_USE_BY_HAD_BY))
		row_text(rows, row->had_by_name);
	put_times(top, row);
	put_more(top, row);
	row_end(rows);
}

/* ---- verb top ------------------------------------------------------------------------------------------------ */

struct top_options {
	const char *analysis, *format, *from, *to, *by, *where, *columns, *sort;
	uint64_t limit;
	int order; /* what `sort` is: a number of sort_names; -1: as the rows come */
};

/* What rows may be sorted by: uses of time, in the order of enum histree_use, and what comes after them. */
enum { SORT_COUNT = HISTREE_USE_COUNT, SORT_WAIT, SORT_BLOCK, SORT_VOLUNTARY, SORT_INVOLUNTARY, SORT_NUMBER };

static const char *const sort_names[SORT_NUMBER + 1] = {
	"user",    "system", "interrupted",  "idle",          "waiting",   "blocked",     "other",
	"unknown", "count",  "longest_wait", "longest_block", "voluntary", "involuntary", NULL
};

static const struct cli_option options[] = {
	{ .name = "from",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct top_options, from),
	  .help = "begin at this time; default: the start of the history" },
	{ .name = "to",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct top_options, to),
	  .help = "end at this time; default: the end of the history" },
	{ .name = "by",
	  .argument = "KEYS",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct top_options, by),
	  .help = "print one row for each thread, process, name, cpu, state, system-call, had-by (who had the CPU "
		  "that others waited for) or host, or for each of several of them, with commas; default: thread" },
	{ .name = "where",
	  .argument = "EXPRESSION",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct top_options, where),
	  .help = "count only what passes this expression over host, thread, process, name, cpu, state, "
		  "system_call and had_by" },
	{ .name = "columns",
	  .argument = "COLUMNS",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct top_options, columns),
	  .help = "print more of each row: switches (of threads: voluntary, involuntary) or longest (waits for a "
		  "CPU, "
		  "times blocked), or both with a comma" },
	{ .name = "sort",
	  .argument = "COLUMN",
	  .kind = CLI_CHOICE,
	  .member = offsetof(struct top_options, sort),
	  .choices = sort_names,
	  .help = "print rows with the most in this column first: user, system, waiting, blocked and so on, count, "
		  "longest_wait, longest_block, voluntary or involuntary; default: what ran longest" },
	{ .name = "limit",
	  .letter = 'n',
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct top_options, limit),
	  .help = "print at most N rows, the first ones",
	  .min = 1,
	  .max = UINT32_MAX },
	CLI_OPTION_ANALYSIS(struct top_options, "read the history of this analysis; default: kernel"),
	CLI_OPTION_FORMAT(struct top_options),
	{ 0 },
};

/* ---- options ------------------------------------------------------------------------------------------------ */

static enum cli_exit read_keys(const char *text, unsigned *by)
{
	struct histree_error error = { 0 };
	return histree_use_keys_read(text, by, &error) == HISTREE_OK
		       ? CLI_OK
		       : report_exit(CLI_USAGE, "'--by': %s", error.message);
}

static enum cli_exit read_columns(const char *text, struct top_rows *top)
{
	for (const char *word = text; word != NULL; word = *word == ',' ? word + 1 : NULL) {
		const char *end = strchrnul(word, ',');
		const size_t size = (size_t)(end - word);
		if (size == strlen("switches") && memcmp(word, "switches", size) == 0)
			top->has_switches = true;
		else if (size == strlen("longest") && memcmp(word, "longest", size) == 0)
			top->has_longest = true;
		else
			return report_exit(CLI_USAGE, "'--columns': '%.*s' is neither switches nor longest",
					   (int)size, word);
		word = end;
	}
	if (top->has_switches && top->by != HISTREE_BY(THREAD))
		return report_exit(CLI_USAGE, "'--columns switches' needs '--by thread': threads are switched");
	return CLI_OK;
}

/* ---- order -------------------------------------------------------------------------------------------------- */

struct sorted_row {
	uint64_t key;
	size_t number; /* in the order without --sort, which decides among equals */
};

static enum cli_exit choose_sort(const char *name, const struct top_rows *top, int *sort)
{
	*sort = -1;
	for (int i = 0; name != NULL && i < SORT_NUMBER; i++)
		if (strcmp(sort_names[i], name) == 0)
			*sort = i;
	if ((*sort == SORT_WAIT || *sort == SORT_BLOCK) && !top->has_longest)
		return report_exit(CLI_USAGE, "'--sort %s' needs '--columns longest'", name);
	if (*sort >= SORT_VOLUNTARY && !top->has_switches)
		return report_exit(CLI_USAGE, "'--sort %s' needs '--columns switches'", name);
	return CLI_OK;
}

static uint64_t sort_key(struct top_rows *top, const struct histree_use_row *row, int sort)
{
	if (sort < 0)
		return 0;
	if (sort < HISTREE_USE_COUNT)
		return row->ns[sort];
	if (sort < SORT_VOLUNTARY)
		return sort == SORT_COUNT  ? row->count
		       : sort == SORT_WAIT ? row->longest_wait.ns
					   : row->longest_block.ns;
	const struct switch_count count = switch_counts_of(&top->switches, row);
	return sort == SORT_VOLUNTARY ? count.voluntary : count.involuntary;
}

static int by_sort_key(const void *left, const void *right)
{
	const struct sorted_row *a = left, *b = right;
	if (a->key != b->key)
		return a->key < b->key ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Returns NULL without memory. */
static struct sorted_row *sort_rows(struct top_rows *top, const struct histree_use_row *rows, size_t count,
				    int order)
{
	struct sorted_row *sorted = malloc((count + 1) * sizeof(*sorted));
	for (size_t i = 0; sorted != NULL && i < count; i++)
		sorted[i] = (struct sorted_row){ sort_key(top, &rows[i], order), i };
	if (sorted != NULL && count > 1 && order >= 0)
		qsort(sorted, count, sizeof(*sorted), by_sort_key);
	return sorted;
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum cli_exit report_nothing(const struct top_options *chosen, const struct histree_history *history)
{
	char states[128] = "", names[256] = "";
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (chosen->where == NULL)
		return report_exit(CLI_NOTHING, "there is no thread in that time");
	for (size_t i = 0; i < count; i++)
		name_list_add(names, sizeof(names), hosts[i].name);
	for (int use = 0; use < HISTREE_USE_COUNT; use++)
		name_list_add(states, sizeof(states), histree_use_name(use));
	return report_exit(CLI_NOTHING, "nothing passes '%s'; %s%s%sstates: %s", chosen->where,
			   count > 0 ? "hosts: " : "", names, count > 0 ? "; " : "", states);
}

static enum cli_exit print(struct top_rows *top, const struct histree_time_use *use,
			   const struct histree_history *history, const struct top_options *chosen)
{
	const struct row_format *format = row_format_find(chosen->format);
	size_t count;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	struct sorted_row *sorted = sort_rows(top, rows, count, chosen->order);
	struct output *output = sorted != NULL ? output_create(STDOUT_FILENO) : NULL;
	if (output == NULL) {
		free(sorted);
		return report_no_memory();
	}
	for (size_t i = 0; i < count; i++)
		top->ns += top_rows_sum(&rows[i]);
	top_rows_begin(top, format, output, count > 0);
	for (size_t i = 0; i < count && (chosen->limit == 0 || i < chosen->limit); i++)
		top_rows_put(top, &rows[sorted[i].number]);
	free(sorted);
	row_writer_finish(&top->rows);
	enum cli_exit code = count > 0 ? CLI_OK : report_nothing(chosen, history);
	if (top->switches.has_gaps)
		report("warning: events are missing in that time, so that there may have been more switches");
	if (histree_time_use_loss(use).nodes > 0 || top->switches.is_damaged)
		code = host_part_damaged(history);
	return cli_end(output, code);
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

/* Its row is only of threads that were sent there: it was no CPU that did nothing. */
static void say_of_cpus(const struct top_rows *top, const struct histree_time_use *use,
			const struct histree_history *history)
{
	char names[128] = "";
	size_t count, found = 0;
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
		name_list_add(names, sizeof(names), name);
		found++;
	}
	if (found > 0)
		report("warning: not recorded: CPU%s %s, of which there are no events: nobody knows what threads "
		       "did "
		       "there",
		       found > 1 ? "s" : "", names);
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum cli_exit ask(struct top_rows *top, const struct target *target, struct histree_history *history,
			 const struct top_options *chosen)
{
	struct histree_time_use_request request = { .by = top->by,
						    .where = chosen->where,
						    .longest = top->has_longest,
						    .cancel = { .go_on = progress_goes_on } };
	struct histree_error error = { 0 };
	struct histree_time_use *use = NULL;
	const struct time_span span = time_span_of_history(histree_history_info(history));
	size_t host_count;
	enum cli_exit code = time_option_range(chosen->from, chosen->to, &span, &request.from, &request.to);
	if (code != CLI_OK)
		return code;
	top->hosts = histree_history_hosts(history, &host_count);
	top->host = target_host_name(target);
	if (top->host == NULL)
		return report_no_memory();
	if (top->has_switches)
		code = switch_counts_read(&top->switches, target, request.from, request.to);
	if (code != CLI_OK)
		return code;
	progress_catch_signals();
	enum histree_status status = histree_time_use_create(history, &request, &use, &error);
	if (status == HISTREE_ERR_CANCELLED)
		progress_raise_signal();
	code = status == HISTREE_OK ? print(top, use, history, chosen) : report_error(&error);
	if (status == HISTREE_OK)
		say_of_cpus(top, use, history);
	histree_time_use_free(use);
	return code;
}

/* Who asks for processes learns whose threads are taken for processes, as the build said it (kernel_provider.c). */
static void say_of_processes(const struct target *target, const struct top_options *chosen, unsigned by)
{
	const bool asks = (by & HISTREE_BY(PROCESS)) != 0 ||
			  (chosen->where != NULL && strstr(chosen->where, "process") != NULL);
	if (!asks || target->store == NULL)
		return;
	const struct histree_store_info *info = histree_store_info(target->store);
	for (size_t i = 0; i < info->warning_count; i++)
		if (strstr(info->warnings[i], "no event says of which process") != NULL)
			report("warning: %s", info->warnings[i]);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct top_options chosen = { .by = "thread" };
	struct top_rows top = { 0 };
	struct histree_history *history = NULL;
	struct target target;
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	enum cli_exit code = read_keys(chosen.by, &top.by);
	if (code == CLI_OK)
		code = read_columns(chosen.columns, &top);
	if (code == CLI_OK)
		code = choose_sort(chosen.sort, &top, &chosen.order);
	if (code != CLI_OK)
		return code;
	code = target_open_history(&target, words.words[0], chosen.analysis, &history);
	if (code == CLI_OK)
		code = ask(&top, &target, history, &chosen);
	if (code == CLI_OK || code == CLI_NOTHING)
		say_of_processes(&target, &chosen, top.by);
	if (code == CLI_OK || code == CLI_NOTHING)
		target_say_missing(&target, chosen.analysis != NULL ? chosen.analysis : "kernel");
	free(top.host);
	switch_counts_release(&top.switches);
	histree_history_close(history);
	target_close(&target);
	return code;
}

const struct cli_verb verb_top = {
	.name = "top",
	.summary = "say how long threads ran, waited for a CPU and were blocked",
	.arguments = "STORE",
	.words_min = 1,
	.words_max = 1,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
