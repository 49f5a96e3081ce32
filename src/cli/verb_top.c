// SPDX-License-Identifier: MIT
/*
 * verb_top.c - what threads did with their time, added up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time_text.h"
#include "cli/host_part.h"
#include "cli/name_list.h"
#include "cli/progress.h"
#include "cli/switch_counts.h"
#include "cli/target.h"
#include "cli/time_option.h"
#include "cli/verb.h"
#include "histree/time_use.h"

struct top_options {
	const char *analysis, *format, *from, *to, *by, *where, *columns, *sort;
	uint64_t limit;
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

/* In the order of enum histree_use_key: as they are asked for, and the columns. */
static const char *const key_names[HISTREE_USE_KEY_COUNT] = { "thread", "process",     "name",  "cpu",
							      "state",  "system-call", "had-by" };
static const struct row_column key_columns[HISTREE_USE_KEY_COUNT] = {
	{ .name = "thread", .width = 8, .to_the_right = true },
	{ .name = "process", .width = 8, .to_the_right = true },
	{ .name = "name", .width = 16 },
	{ .name = "cpu", .width = 4, .to_the_right = true },
	{ .name = "state", .width = 11 },
	{ .name = "system_call", .width = 16 },
	{ .name = "had_by", .width = 8, .to_the_right = true },
};

enum { COLUMNS_MAX = 1 + HISTREE_USE_KEY_COUNT + 2 + HISTREE_USE_COUNT + 2 + 6 };

struct printing {
	unsigned by;
	bool has_switches, has_longest;
	int sort; /* -1: as the rows come */
	struct switch_counts switches;
	const struct histree_history_host *hosts; /* NULL: one, */
	char *host;                               /* which is called so */
	struct row_writer rows;
	struct row_column columns[COLUMNS_MAX];
	size_t column_count;
	uint64_t ns; /* of all rows */
};

/* ---- options ------------------------------------------------------------------------------------------------ */

/* In expressions, where a minus is one, and in columns a key has "_" for "-": either is understood. */
static bool is_key(const char *name, const char *word, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (name[i] != (word[i] == '_' ? '-' : word[i]))
			return false;
	return name[size] == '\0';
}

/* Each row is of one host, so that "host" adds no key. */
static bool read_key(const char *word, size_t size, unsigned *by)
{
	if (size == strlen("host") && memcmp(word, "host", size) == 0)
		return true;
	for (unsigned key = 0; key < HISTREE_USE_KEY_COUNT; key++)
		if (is_key(key_names[key], word, size)) {
			*by |= 1U << key;
			return true;
		}
	return false;
}

static enum cli_exit read_keys(const char *text, unsigned *by)
{
	*by = 0;
	for (const char *word = text, *end; *text != '\0'; word = end + 1) {
		end = strchrnul(word, ',');
		if (!read_key(word, (size_t)(end - word), by))
			return report_exit(CLI_USAGE,
					   "'--by': '%.*s' is none of thread, process, name, cpu, state, "
					   "system-call, had-by and host",
					   (int)(end - word), word);
		if (*end == '\0')
			return CLI_OK;
	}
	return report_exit(CLI_USAGE,
			   "'--by' needs at least one of thread, process, name, cpu, state, system-call, "
			   "had-by and host");
}

static enum cli_exit read_columns(const char *text, struct printing *printing)
{
	for (const char *word = text; word != NULL; word = *word == ',' ? word + 1 : NULL) {
		const char *end = strchrnul(word, ',');
		const size_t size = (size_t)(end - word);
		if (size == strlen("switches") && memcmp(word, "switches", size) == 0)
			printing->has_switches = true;
		else if (size == strlen("longest") && memcmp(word, "longest", size) == 0)
			printing->has_longest = true;
		else
			return report_exit(CLI_USAGE, "'--columns': '%.*s' is neither switches nor longest",
					   (int)size, word);
		word = end;
	}
	if (printing->has_switches && printing->by != HISTREE_BY(THREAD))
		return report_exit(CLI_USAGE, "'--columns switches' needs '--by thread': threads are switched");
	return CLI_OK;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

static bool has(const struct printing *printing, enum histree_use_key key)
{
	return (printing->by & 1U << key) != 0;
}

static bool has_hosts(const struct printing *printing, const struct row_format *format)
{
	return printing->hosts != NULL || printing->by == 0 || !format->for_people;
}

/* The name of a thread stands beside it, unless it is a key of its own. */
static bool names_threads(const struct printing *printing)
{
	return has(printing, HISTREE_USE_BY_THREAD) && !has(printing, HISTREE_USE_BY_NAME);
}

/* Idle is what CPUs are, not threads. */
static bool shows(const struct printing *printing, enum histree_use use)
{
	return use != HISTREE_USE_IDLE || has(printing, HISTREE_USE_BY_CPU);
}

static void add_column(struct printing *printing, struct row_column column)
{
	printing->columns[printing->column_count++] = column;
}

static void choose_columns(struct printing *printing, const struct row_format *format)
{
	const struct row_column duration = { .name = "duration", .width = 11, .to_the_right = true };
	if (has_hosts(printing, format))
		add_column(printing, (struct row_column){ .name = "host", .width = 12 });
	for (enum histree_use_key key = 0; key < HISTREE_USE_KEY_COUNT; key++) {
		if (has(printing, key))
			add_column(printing, key_columns[key]);
		if (key == HISTREE_USE_BY_THREAD && names_threads(printing))
			add_column(printing, key_columns[HISTREE_USE_BY_NAME]);
	}
	if (has(printing, HISTREE_USE_BY_HAD_BY))
		add_column(printing, (struct row_column){ .name = "had_by_name", .width = 16 });
	for (enum histree_use use = 0; use < HISTREE_USE_COUNT && !has(printing, HISTREE_USE_BY_STATE); use++)
		if (shows(printing, use)) {
			struct row_column column = duration;
			column.name = histree_use_name(use);
			add_column(printing, column);
		}
	if (has(printing, HISTREE_USE_BY_STATE))
		add_column(printing, duration);
	add_column(printing, (struct row_column){ .name = "count", .width = 8, .to_the_right = true });
	if (has(printing, HISTREE_USE_BY_STATE))
		add_column(printing, (struct row_column){ .name = "percent", .width = 7, .to_the_right = true });
	if (printing->has_switches) {
		add_column(printing, (struct row_column){ .name = "voluntary", .width = 9, .to_the_right = true });
		add_column(printing,
			   (struct row_column){ .name = "involuntary", .width = 11, .to_the_right = true });
	}
	static const char *const longest[] = { "longest_wait", "longest_wait_start", "longest_block",
					       "longest_block_start" };
	for (size_t i = 0; i < sizeof(longest) / sizeof(*longest) && printing->has_longest; i++)
		add_column(printing, (struct row_column){
					     .name = longest[i], .width = i % 2 ? 19 : 13, .to_the_right = true });
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

static uint64_t sum_of(const struct histree_use_row *row)
{
	uint64_t sum = 0;
	for (enum histree_use use = 0; use < HISTREE_USE_COUNT; use++)
		sum += row->ns[use];
	return sum;
}

static void put_times(struct printing *printing, const struct histree_use_row *row)
{
	struct row_writer *rows = &printing->rows;
	const uint64_t sum = sum_of(row);
	if (has(printing, HISTREE_USE_BY_STATE)) {
		row_duration(rows, sum);
		row_unsigned(rows, row->count);
		double share = printing->ns > 0 ? (double)sum / (double)printing->ns : 0;
		row_percent(rows, 100 * share);
		return;
	}
	for (enum histree_use use = 0; use < HISTREE_USE_COUNT; use++)
		if (shows(printing, use))
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

static void put_more(struct printing *printing, const struct histree_use_row *row)
{
	struct row_writer *rows = &printing->rows;
	if (printing->has_switches) {
		const int32_t tid = row->keys[HISTREE_USE_BY_THREAD].int32;
		const struct switch_count count = switch_counts_of(&printing->switches, row->host, tid);
		row_unsigned(rows, count.voluntary);
		row_unsigned(rows, count.involuntary);
	}
	if (printing->has_longest) {
		put_longest(rows, &row->longest_wait);
		put_longest(rows, &row->longest_block);
	}
}

static void put_row(struct printing *printing, const struct histree_use_row *row)
{
	struct row_writer *rows = &printing->rows;
	if (has_hosts(printing, rows->format))
		row_text(rows, printing->hosts != NULL ? printing->hosts[row->host].name : printing->host);
	for (enum histree_use_key key = 0; key < HISTREE_USE_KEY_COUNT; key++) {
		if (has(printing, key))
			put_key(rows, key, &row->keys[key]);
		if (key == HISTREE_USE_BY_THREAD && names_threads(printing))
			row_text(rows, row->name);
	}
	if (has(printing, HISTREE_USE_BY_HAD_BY))
		row_text(rows, row->had_by_name);
	put_times(printing, row);
	put_more(printing, row);
	row_end(rows);
}

/* ---- order -------------------------------------------------------------------------------------------------- */

struct sorted_row {
	uint64_t key;
	size_t number; /* in the order without --sort, which decides among equals */
};

static enum cli_exit choose_sort(const char *name, const struct printing *printing, int *sort)
{
	*sort = -1;
	for (int i = 0; name != NULL && i < SORT_NUMBER; i++)
		if (strcmp(sort_names[i], name) == 0)
			*sort = i;
	if ((*sort == SORT_WAIT || *sort == SORT_BLOCK) && !printing->has_longest)
		return report_exit(CLI_USAGE, "'--sort %s' needs '--columns longest'", name);
	if (*sort >= SORT_VOLUNTARY && !printing->has_switches)
		return report_exit(CLI_USAGE, "'--sort %s' needs '--columns switches'", name);
	return CLI_OK;
}

static uint64_t sort_key(const struct printing *printing, const struct histree_use_row *row, int sort)
{
	if (sort < 0)
		return 0;
	if (sort < HISTREE_USE_COUNT)
		return row->ns[sort];
	if (sort < SORT_VOLUNTARY)
		return sort == SORT_COUNT  ? row->count
		       : sort == SORT_WAIT ? row->longest_wait.ns
					   : row->longest_block.ns;
	const int32_t tid = row->keys[HISTREE_USE_BY_THREAD].int32;
	const struct switch_count count = switch_counts_of(&printing->switches, row->host, tid);
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
static struct sorted_row *sort_rows(const struct printing *printing, const struct histree_use_row *rows,
				    size_t count)
{
	struct sorted_row *sorted = malloc((count + 1) * sizeof(*sorted));
	for (size_t i = 0; sorted != NULL && i < count; i++)
		sorted[i] = (struct sorted_row){ sort_key(printing, &rows[i], printing->sort), i };
	if (sorted != NULL && count > 1 && printing->sort >= 0)
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

static enum cli_exit print(struct printing *printing, const struct histree_time_use *use,
			   const struct histree_history *history, const struct top_options *chosen)
{
	const struct row_format *format = row_format_find(chosen->format);
	size_t count;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	struct sorted_row *sorted = sort_rows(printing, rows, count);
	struct output *output = sorted != NULL ? output_create(STDOUT_FILENO) : NULL;
	if (output == NULL) {
		free(sorted);
		return report_no_memory();
	}
	choose_columns(printing, format);
	row_writer_begin(&printing->rows, format, output, printing->columns, printing->column_count);
	if (format->for_people && count > 0) {
		for (size_t i = 0; i < printing->column_count; i++)
			row_text(&printing->rows, printing->columns[i].name);
		row_end(&printing->rows);
	}
	for (size_t i = 0; i < count; i++)
		printing->ns += sum_of(&rows[i]);
	for (size_t i = 0; i < count && (chosen->limit == 0 || i < chosen->limit); i++)
		put_row(printing, &rows[sorted[i].number]);
	free(sorted);
	row_writer_finish(&printing->rows);
	enum cli_exit code = count > 0 ? CLI_OK : report_nothing(chosen, history);
	if (printing->switches.has_gaps)
		report("warning: events are missing in that time, so that there may have been more switches");
	if (histree_time_use_is_damaged(use) || printing->switches.is_damaged)
		code = host_part_damaged(history);
	return cli_end(output, code);
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum cli_exit ask(struct printing *printing, const struct target *target, struct histree_history *history,
			 const struct top_options *chosen)
{
	struct histree_time_use_request request = { .by = printing->by,
						    .where = chosen->where,
						    .longest = printing->has_longest,
						    .cancel = { .go_on = progress_goes_on } };
	struct histree_error error = { 0 };
	struct histree_time_use *use = NULL;
	const struct time_span span = time_span_of_history(histree_history_info(history));
	size_t host_count;
	enum cli_exit code = time_option_range(chosen->from, chosen->to, &span, &request.from, &request.to);
	if (code != CLI_OK)
		return code;
	printing->hosts = histree_history_hosts(history, &host_count);
	printing->host = target_host_name(target);
	if (printing->host == NULL)
		return report_no_memory();
	if (printing->has_switches)
		code = switch_counts_read(&printing->switches, target, request.from, request.to);
	if (code != CLI_OK)
		return code;
	progress_catch_signals();
	enum histree_status status = histree_time_use_create(history, &request, &use, &error);
	if (status == HISTREE_ERR_CANCELLED)
		progress_raise_signal();
	code = status == HISTREE_OK ? print(printing, use, history, chosen) : report_error(&error);
	histree_time_use_free(use);
	return code;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct top_options chosen = { .by = "thread" };
	struct printing printing = { 0 };
	struct histree_history *history = NULL;
	struct target target;
	struct cli_words words;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	enum cli_exit code = read_keys(chosen.by, &printing.by);
	if (code == CLI_OK)
		code = read_columns(chosen.columns, &printing);
	if (code == CLI_OK)
		code = choose_sort(chosen.sort, &printing, &printing.sort);
	if (code != CLI_OK)
		return code;
	code = target_open_history(&target, words.words[0], chosen.analysis, &history);
	if (code == CLI_OK)
		code = ask(&printing, &target, history, &chosen);
	free(printing.host);
	switch_counts_release(&printing.switches);
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
