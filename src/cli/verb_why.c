// SPDX-License-Identifier: MIT
/*
 * verb_why.c - why a thread was not done earlier, for a person: its time by cause and by thread, its longest
 * waits, and the commands that show more.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time_text.h"
#include "cli/host_part.h"
#include "cli/overview_page.h"
#include "cli/path_thread.h"
#include "cli/progress.h"
#include "cli/shell_word.h"
#include "cli/target.h"
#include "cli/time_option.h"
#include "cli/verb.h"
#include "cli/why_tables.h"

enum { ROWS = 8, NAME_SIZE = 256, CONDITION_SIZE = 600 };

struct why_options {
	const char *analysis, *format, *table, *from, *to;
	uint64_t rows;
	bool like_tc;
};

static const struct cli_option options[] = {
	{ .name = "from",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct why_options, from),
	  .help = "begin at this time; default: the start of the history" },
	{ .name = "to",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct why_options, to),
	  .help = "end at this time; default: the end of the history" },
	{ .name = "rows",
	  .letter = 'n',
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct why_options, rows),
	  .help = "print at most N threads and waits; default: 8",
	  .min = 1,
	  .max = 1000000 },
	{ .name = "like-tc",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct why_options, like_tc),
	  .help = "follow the rules of Trace Compass to the letter, as histree critical-path does" },
	{ .name = "table",
	  .argument = "TABLE",
	  .kind = CLI_CHOICE,
	  .member = offsetof(struct why_options, table),
	  .choices = why_table_names,
	  .help = "print this table only: causes, threads or waits; default: all for text, else causes" },
	CLI_OPTION_ANALYSIS(struct why_options, "read the history of this analysis; default: graph"),
	CLI_OPTION_FORMAT(struct why_options),
	{ 0 },
};

struct why {
	const struct target *target;
	struct histree_history *history;
	const struct why_options *chosen;
	const char *thread; /* as it was said */
	struct histree_path_request request;
	struct why_tables tables;
};

static const char *const rule_words[HISTREE_PATH_RULE_COUNT] = {
	[HISTREE_PATH_WOKEN_AGAIN] = "it was woken, and woken again before it had a CPU: it waited for a CPU",
	[HISTREE_PATH_FROM_IDLE] = "woken by an idle CPU or the kernel at work for nobody: a wait, not their work",
	[HISTREE_PATH_FROM_ITSELF] = "woken by itself: a wait for something else",
	[HISTREE_PATH_SENT_BEFORE] = "the packet was under way before it began to wait: not its sender's work",
	[HISTREE_PATH_WAIT_KEPT] = "others were blocked and nobody is known who woke them: a wait of theirs",
	[HISTREE_PATH_BEGINS_LATER] = "who woke it began only later: a wait until then",
};

/* ---- the page ----------------------------------------------------------------------------------------------- */

#define RIGHT(text, columns)                                         \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}

static void put_section(const struct why *why, struct overview_page *page, enum why_table which, const char *title)
{
	struct row_column columns[WHY_COLUMNS_MAX];
	size_t count = why_table_columns(&why->tables, &row_format_text, which, columns);
	overview_page_section(page, title);
	overview_page_table(page, columns, count);
	why_table_put(&why->tables, which, &page->rows);
	overview_page_table_end(page);
}

static void put_summary(const struct why *why, struct overview_page *page)
{
	char start[TIME_TEXT_SIZE], lasts[TIME_TEXT_SIZE], ran[TIME_TEXT_SIZE], waited[TIME_TEXT_SIZE];
	const struct why_waits *waits = &why->tables.waits;
	const uint64_t ran_ns = waits->causes[WHY_RAN].itself_ns;
	time_format_date(waits->start, start);
	time_format_duration(waits->ns, lasts);
	time_format_duration(ran_ns, ran);
	time_format_duration(waits->ns - ran_ns, waited);
	overview_page_sentence(
		page,
		"%s from %s on (UTC): it ran %s (%.1f %%), and waited %s, in %" PRIu64
		" wait%s. What it waited for is followed to those who ended the wait, and counted as "
		"what these did.",
		lasts, start, ran, why_percent(ran_ns, waits->ns), waited, waits->all_waits,
		waits->all_waits == 1 ? "" : "s");
}

static void put_departures(const struct why *why, struct overview_page *page)
{
	const struct histree_path_departure *departures = histree_critical_path_departures(why->tables.path);
	static const struct row_column columns[] = {
		RIGHT("times", 8), RIGHT("duration", 11), RIGHT("longest at", 18), { .name = "why", .width = 40 }
	};
	uint64_t count = 0;
	for (size_t i = 0; i < HISTREE_PATH_RULE_COUNT; i++)
		count += departures[i].count;
	if (count == 0)
		return;
	overview_page_section(page, "Where this differs from Trace Compass");
	overview_page_table(page, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < HISTREE_PATH_RULE_COUNT; i++) {
		if (departures[i].count == 0)
			continue;
		row_unsigned(&page->rows, departures[i].count);
		row_duration(&page->rows, departures[i].ns);
		why_put_time(&page->rows, departures[i].longest_start);
		row_text(&page->rows, rule_words[i]);
		row_end(&page->rows);
	}
	overview_page_table_end(page);
}

static bool has_kernel(const struct target *target)
{
	if (target->store == NULL)
		return false;
	const struct histree_store_info *info = histree_store_info(target->store);
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, "kernel") == 0)
			return true;
	return false;
}

/* That a CPU was waited for by the thread, and no other of its number; as a word. */
static void put_condition(const struct why *why, char *word, size_t size)
{
	char text[CONDITION_SIZE];
	char *host =
		why->tables.hosts != NULL ? host_part_condition(why->tables.hosts[why->request.host].name) : NULL;
	snprintf(text, sizeof(text), "%s%sthread == %" PRId32 " && state == waiting", host != NULL ? host : "",
		 host != NULL ? " && " : "", why->request.tid);
	free(host);
	shell_word_copy(word, size, text);
}

static void put_commands(const struct why *why, struct overview_page *page)
{
	char words[2048], where[256] = "", thread[512], condition[2 * CONDITION_SIZE];
	const char *rules = why->chosen->like_tc ? "" : " --rules own";
	const struct why_wait *wait = why->tables.waits.wait_count > 0 ? &why->tables.waits.waits[0] : NULL;
	shell_word_copy(thread, sizeof(thread), why->thread);
	overview_page_section(page, "More");
	if (wait != NULL) {
		snprintf(words, sizeof(words), " %s%s --from %" PRId64 " --to %" PRId64, thread, rules, wait->start,
			 wait->end);
		overview_page_sentence(page, "The longest wait step by step, and all of it as a picture:");
		overview_page_command(page, "critical-path", why->target->path, words);
	} else {
		overview_page_sentence(page, "All of it step by step, and as a picture:");
		snprintf(words, sizeof(words), " %s%s", thread, rules);
		overview_page_command(page, "critical-path", why->target->path, words);
	}
	if (why->chosen->from != NULL || why->chosen->to != NULL)
		snprintf(where, sizeof(where), " --from %" PRId64 " --to %" PRId64, why->tables.waits.start,
			 why->tables.waits.end);
	snprintf(words, sizeof(words), " %s%s%s -o why.svg", thread, rules, where);
	overview_page_command(page, "critical-path", why->target->path, words);
	if (why->tables.waits.causes[WHY_NO_CPU].steps == 0 || !has_kernel(why->target))
		return;
	overview_page_sentence(page, "Who had the CPU meanwhile:");
	put_condition(why, condition, sizeof(condition));
	snprintf(words, sizeof(words), "%s --by had-by --where %s", where, condition);
	overview_page_command(page, "top", why->target->path, words);
}

static void put_page(const struct why *why, struct output *output)
{
	struct overview_page page;
	char name[NAME_SIZE], title[2 * NAME_SIZE];
	histree_critical_path_name(why->tables.path, why->request.host, why->request.tid, name, sizeof(name));
	snprintf(title, sizeof(title), "Why %s (thread %s) took so long", name[0] != '\0' ? name : "it",
		 why->thread);
	overview_page_begin(&page, output, false, title);
	put_summary(why, &page);
	put_section(why, &page, WHY_CAUSES, "By cause");
	put_section(why, &page, WHY_THREADS, "Who, and what they did");
	if (why->tables.waits.wait_count > 0)
		put_section(why, &page, WHY_WAITS, "Longest waits, and what most of each was");
	if (!why->chosen->like_tc)
		put_departures(why, &page);
	put_commands(why, &page);
	overview_page_end(&page);
}

static void put_table(const struct why *why, struct output *output, const struct row_format *format)
{
	enum why_table which = WHY_CAUSES;
	struct row_writer rows;
	struct row_column columns[WHY_COLUMNS_MAX];
	while (why->chosen->table != NULL && strcmp(why_table_names[which], why->chosen->table) != 0)
		which++;
	size_t count = why_table_columns(&why->tables, format, which, columns);
	row_writer_begin(&rows, format, output, columns, count);
	row_names(&rows);
	why_table_put(&why->tables, which, &rows);
	row_writer_finish(&rows);
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum cli_exit walk(struct why *why)
{
	struct histree_path_step step;
	struct histree_error error = { 0 };
	enum histree_status status = histree_critical_path_create(why->history, &why->tables.path, &error);
	if (status == HISTREE_OK)
		status = histree_critical_path_begin(why->tables.path, &why->request, &error);
	if (status == HISTREE_OK &&
	    !why_waits_init(&why->tables.waits, why->request.host, why->request.tid, why->chosen->rows))
		return report_no_memory();
	while (status == HISTREE_OK) {
		status = histree_critical_path_next(why->tables.path, &step, &error);
		if (status == HISTREE_OK && !why_waits_add(&why->tables.waits, &step))
			return report_no_memory();
	}
	if (status == HISTREE_ERR_CANCELLED)
		progress_raise_signal();
	if (status != HISTREE_END)
		return report_error(&error);
	why_waits_end(&why->tables.waits);
	return CLI_OK;
}

static enum cli_exit print(const struct why *why)
{
	const struct row_format *format = row_format_find(why->chosen->format);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	if (format->for_people && why->chosen->table == NULL)
		put_page(why, output);
	else
		put_table(why, output, format);
	return (enum cli_exit)cli_end(output, CLI_OK);
}

static enum cli_exit answer(struct why *why)
{
	size_t host_count;
	const struct time_span span = time_span_of_history(histree_history_info(why->history));
	struct histree_path_request *request = &why->request;
	enum cli_exit code = path_thread_read(why->thread, why->history, &request->host, &request->tid);
	if (code == CLI_OK)
		code = time_option_range(why->chosen->from, why->chosen->to, &span, &request->from, &request->to);
	if (code != CLI_OK)
		return code;
	/* The last edge ends one after the history. */
	if (why->chosen->to == NULL)
		request->to = span.end + 1;
	request->rules = why->chosen->like_tc ? HISTREE_PATH_RULES_TRACE_COMPASS : HISTREE_PATH_RULES_OWN;
	request->cancel.go_on = progress_goes_on;
	why->tables.hosts = histree_history_hosts(why->history, &host_count);
	why->tables.host = target_host_name(why->target);
	if (why->tables.host == NULL)
		return report_no_memory();
	progress_catch_signals();
	code = walk(why);
	if (code == CLI_OK)
		code = print(why);
	return code == CLI_OK ? host_part_missing(why->history) : code;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct why_options chosen = { .analysis = "graph", .rows = ROWS };
	struct cli_words words;
	struct target target;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	struct why why = {
		.target = &target, .chosen = &chosen, .thread = words.words[1], .tables = { .row_max = chosen.rows }
	};
	enum cli_exit code = target_open_history(&target, words.words[0], chosen.analysis, &why.history);
	if (code == CLI_OK)
		code = answer(&why);
	why_waits_release(&why.tables.waits);
	histree_critical_path_free(why.tables.path);
	free(why.tables.host);
	histree_history_close(why.history);
	target_close(&target);
	return code;
}

const struct cli_verb verb_why = {
	.name = "why",
	.summary = "say why a thread took so long: what it waited for, by cause and by thread",
	.arguments = "STORE THREAD",
	.words_min = 2,
	.words_max = 2,
	.complete = CLI_COMPLETE_PATH,
	.options = options,
	.run = run,
};
