// SPDX-License-Identifier: MIT
/*
 * verb_why.c - `histree why`: why a thread was not done earlier, for a person.
 *
 * Its time by cause and by thread and its longest waits are tables from what a critical path says, with the
 * commands that show more.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number_text.h"
#include "cli/option.h"
#include "cli/overview_page.h"
#include "cli/progress.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "cli/verb_completion.h"
#include "cli/verb_critical_path.h"
#include "histree/critical_path.h"

/* Which of these a state on the path is, of the thread itself or of one that it waited for. */
enum why_cause {
	WHY_RAN,
	WHY_WAITING,
	WHY_NETWORK,
	WHY_DISK,
	WHY_TIMER,
	WHY_INTERRUPT,
	WHY_BLOCKED,
	WHY_UNKNOWN,
};

#define WHY_CAUSE_COUNT 8

struct why_sum {
	uint64_t itself_ns, others_ns, steps;
};

/* From the end of a time at which the thread ran to the next one. */
struct why_wait {
	histree_time start, end;
	struct path_total mostly; /* what took most of it */
	bool is_woken;            /* by this thread */
	size_t waker_host;
	int32_t waker;
};

struct why_waits {
	struct histree_cursor *path;
	size_t host;
	int32_t tid;
	histree_time life; /* since when it has had the number */
	size_t wait_max;
	bool is_begun;
	histree_time start, end; /* of the steps */
	uint64_t ns;
	struct why_sum causes[WHY_CAUSE_COUNT];
	struct path_totals totals;
	struct why_wait *waits; /* the longest, sorted */
	size_t wait_count;
	uint64_t all_waits; /* how many there were */
	/* The wait that goes on. */
	struct why_wait wait;
	bool is_waiting;
	struct path_totals wait_totals;
};

enum why_table { WHY_CAUSES, WHY_THREADS, WHY_WAITS };

/* What they are made of. */
struct why_tables {
	struct histree_cursor *path;              /* which knows the names of threads */
	const struct histree_history_host *hosts; /* NULL: one, */
	char *host;                               /* which is called so */
	struct why_waits waits;
	uint64_t row_max; /* of threads */
};

static inline double why_percent(uint64_t ns, uint64_t all)
{
	return all > 0 ? 100 * (double)ns / (double)all : 0;
}

/* ---- why waits ----------------------------------------------------------------------------------------------- */

/* Begins with nothing; returns false if memory is out. */
static bool why_waits_init(struct why_waits *waits, struct histree_cursor *path, size_t host, int32_t tid,
			   size_t wait_max)
{
	*waits = (struct why_waits){ .path = path, .host = host, .tid = tid, .wait_max = wait_max };
	waits->waits = calloc(wait_max + 1, sizeof(*waits->waits));
	return waits->waits != NULL;
}

static void why_waits_release(struct why_waits *waits)
{
	path_totals_release(&waits->totals);
	path_totals_release(&waits->wait_totals);
	free(waits->waits);
	*waits = (struct why_waits){ 0 };
}

static enum why_cause why_cause_of(enum histree_graph_state state)
{
	switch (state) {
	case HISTREE_GRAPH_RUNNING:
		return WHY_RAN;
	case HISTREE_GRAPH_PREEMPTED:
		return WHY_WAITING;
	case HISTREE_GRAPH_NETWORK:
		return WHY_NETWORK;
	case HISTREE_GRAPH_BLOCK_DEVICE:
		return WHY_DISK;
	case HISTREE_GRAPH_TIMER:
		return WHY_TIMER;
	case HISTREE_GRAPH_INTERRUPTED:
		return WHY_INTERRUPT;
	case HISTREE_GRAPH_BLOCKED:
		return WHY_BLOCKED;
	case HISTREE_GRAPH_UNKNOWN:
	case HISTREE_GRAPH_DEFAULT:
		break;
	}
	return WHY_UNKNOWN;
}

static uint64_t length(const struct why_wait *wait)
{
	return (uint64_t)wait->end - (uint64_t)wait->start;
}

/* Keeps the longest waits, sorted by length and then by time. */
static void keep_wait(struct why_waits *waits)
{
	size_t at = waits->wait_count;
	while (at > 0 && length(&waits->waits[at - 1]) < length(&waits->wait))
		at--;
	if (at == waits->wait_max)
		return;
	waits->wait_count += waits->wait_count < waits->wait_max;
	memmove(&waits->waits[at + 1], &waits->waits[at], (waits->wait_count - at - 1) * sizeof(*waits->waits));
	waits->waits[at] = waits->wait;
}

static void end_wait(struct why_waits *waits)
{
	if (!waits->is_waiting)
		return;
	waits->is_waiting = false;
	path_totals_sort(&waits->wait_totals);
	if (waits->wait_totals.count == 0)
		return;
	waits->all_waits++;
	waits->wait.mostly = waits->wait_totals.all[0];
	keep_wait(waits);
}

static bool go_on_waiting(struct why_waits *waits, const struct histree_path_step *step,
			  const struct path_total *total)
{
	if (!waits->is_waiting) {
		waits->is_waiting = true;
		waits->wait = (struct why_wait){ .start = step->start };
		path_totals_clear(&waits->wait_totals);
	}
	waits->wait.end = step->end;
	if (step->is_arrow && step->to_tid == waits->tid && step->to_host == waits->host) {
		waits->wait.is_woken = true;
		waits->wait.waker = step->tid;
		waits->wait.waker_host = step->host;
	}
	return total->ns == 0 || path_totals_add(&waits->wait_totals, total);
}

/* The time of an arrow is that of a packet under way, and that of who waits for it. */
static bool why_waits_add(struct why_waits *waits, const struct histree_path_step *step)
{
	const size_t host = step->is_arrow ? step->to_host : step->host;
	const int32_t tid = step->is_arrow ? step->to_tid : step->tid;
	const struct path_total total = {
		.host = host,
		.tid = tid,
		.life = histree_critical_path_life(waits->path, host, tid,
						   step->is_arrow ? step->end : step->start),
		.state = step->state,
		.ns = (uint64_t)step->end - (uint64_t)step->start,
		.steps = 1,
	};
	waits->life = waits->is_begun ? waits->life : total.life;
	bool is_itself = total.tid == waits->tid && total.host == waits->host && total.life == waits->life;
	struct why_sum *sum = &waits->causes[why_cause_of(step->state)];
	*(is_itself ? &sum->itself_ns : &sum->others_ns) += total.ns;
	sum->steps += total.ns > 0;
	waits->ns += total.ns;
	waits->start = waits->is_begun ? waits->start : step->start;
	waits->end = step->end;
	waits->is_begun = true;
	if (total.ns > 0 && !path_totals_add(&waits->totals, &total))
		return false;
	if (!step->is_arrow && is_itself && step->state == HISTREE_GRAPH_RUNNING) {
		end_wait(waits);
		return true;
	}
	return go_on_waiting(waits, step, &total);
}

/* After the last step. */
static void why_waits_end(struct why_waits *waits)
{
	end_wait(waits);
	path_totals_sort(&waits->totals);
}

/* ---- why tables ---------------------------------------------------------------------------------------------- */

enum { WHY_TABLES_NAME_SIZE = 256 };

/* By number; NULL ends them. */
static const char *const why_table_names[] = { "causes", "threads", "waits", NULL };

static const struct {
	const char *name, *words;
} causes[WHY_CAUSE_COUNT] = {
	[WHY_RAN] = { "ran", "ran" },
	[WHY_WAITING] = { "waiting", "waited for a CPU" },
	[WHY_NETWORK] = { "network", "waited for a packet" },
	[WHY_DISK] = { "disk", "waited for a disk" },
	[WHY_TIMER] = { "timer", "waited for a timer" },
	[WHY_INTERRUPT] = { "interrupt", "waited for an interrupt" },
	[WHY_BLOCKED] = { "blocked", "waited, for what is not known" },
	[WHY_UNKNOWN] = { "unknown", "what it did is not known" },
};

/* A row of any of the tables. */
struct why_row {
	struct why_sum sum;
	histree_time start;
	uint64_t ns, steps;
	double percent;
	int32_t tid;
	enum why_cause did;
	const char *host, *name;
	const char *waker_host; /* NULL: it was not woken */
	struct histree_value waker;
	char name_text[WHY_TABLES_NAME_SIZE];
};

static const char *host_of(const struct why_tables *tables, size_t host)
{
	return tables->hosts != NULL ? tables->hosts[host].name : tables->host;
}

static void put_cause(struct row_writer *rows, const void *did)
{
	const enum why_cause cause = *(const enum why_cause *)did;
	row_text(rows, rows->format->for_people ? causes[cause].words : causes[cause].name);
}

#define RIGHT(text, columns, kind, at) ROW_RIGHT(text, columns, kind, struct why_row, at)
#define DID(text) ROW_LEFT_PUT(text, 30, put_cause, struct why_row, did)
#define THREAD(columns)                                                                \
	ROW_HOST("host", 12, struct why_row, host), RIGHT("thread", 8, CELL_INT, tid), \
		ROW_LEFT("name", columns, CELL_TEXT, struct why_row, name)
static const struct row_column cause_columns[] = {
	DID("cause"),
	RIGHT("itself", 11, CELL_DURATION, sum.itself_ns),
	RIGHT("others", 11, CELL_DURATION, sum.others_ns),
	RIGHT("percent", 8, CELL_PERCENT, percent),
	RIGHT("steps", 8, CELL_UNSIGNED, sum.steps),
};

static const struct row_column thread_columns[] = {
	THREAD(20),
	DID("did"),
	RIGHT("duration", 11, CELL_DURATION, ns),
	RIGHT("percent", 8, CELL_PERCENT, percent),
	RIGHT("steps", 8, CELL_UNSIGNED, steps),
};

static const struct row_column wait_columns[] = {
	RIGHT("start", 18, CELL_CLOCK, start),
	RIGHT("duration", 11, CELL_DURATION, ns),
	THREAD(16),
	DID("did"),
	RIGHT("percent", 8, CELL_PERCENT, percent),
	ROW_HOST("woken_by_host", 13, struct why_row, waker_host),
	RIGHT("woken_by", 9, CELL_VALUE, waker),
};
#undef THREAD
#undef DID
#undef RIGHT

static void name_thread(const struct why_tables *tables, struct why_row *row, const struct path_total *total)
{
	histree_critical_path_name(tables->path, total->host, total->tid, total->life, row->name_text,
				   sizeof(row->name_text));
	row->host = host_of(tables, total->host);
	row->tid = total->tid;
	row->name = total->tid == HISTREE_IDLE_TID ? "(idle)" : row->name_text;
	row->did = why_cause_of(total->state);
}

static void put_causes(const struct why_tables *tables, struct row_writer *rows)
{
	for (unsigned cause = 0; cause < WHY_CAUSE_COUNT; cause++) {
		const struct why_sum *sum = &tables->waits.causes[cause];
		const struct why_row row = { .sum = *sum,
					     .did = (enum why_cause)cause,
					     .percent = why_percent(sum->itself_ns + sum->others_ns,
								    tables->waits.ns) };
		if (sum->steps > 0)
			row_put(rows, &row);
	}
}

static void put_threads(const struct why_tables *tables, struct row_writer *rows)
{
	const struct path_totals *totals = &tables->waits.totals;
	for (size_t i = 0; i < totals->count && i < tables->row_max; i++) {
		const struct path_total *total = &totals->all[i];
		struct why_row row = { .ns = total->ns,
				       .steps = total->steps,
				       .percent = why_percent(total->ns, tables->waits.ns) };
		name_thread(tables, &row, total);
		row_put(rows, &row);
	}
}

static void put_waits(const struct why_tables *tables, struct row_writer *rows)
{
	for (size_t i = 0; i < tables->waits.wait_count; i++) {
		const struct why_wait *wait = &tables->waits.waits[i];
		struct why_row row = { .start = wait->start, .ns = length(wait), .waker = histree_null() };
		row.percent = why_percent(wait->mostly.ns, row.ns);
		if (wait->is_woken) {
			row.waker_host = host_of(tables, wait->waker_host);
			row.waker = histree_int(wait->waker);
		}
		name_thread(tables, &row, &wait->mostly);
		row_put(rows, &row);
	}
}

static const struct table_kind {
	const struct row_column *columns;
	size_t count;
	void (*put)(const struct why_tables *tables, struct row_writer *rows);
} all[] = {
	[WHY_CAUSES] = { ROW_COLUMNS(cause_columns), put_causes },
	[WHY_THREADS] = { ROW_COLUMNS(thread_columns), put_threads },
	[WHY_WAITS] = { ROW_COLUMNS(wait_columns), put_waits },
};

/* ---- verb why ------------------------------------------------------------------------------------------------ */

enum { ROWS = 8, VERB_WHY_NAME_SIZE = 256, CONDITION_SIZE = 600 };

struct why_options {
	struct cli_question question;
	const char *table, *rules;
};

static const struct cli_option options[] = {
	CLI_OPTION_CHOICE(
		"rules", "RULES", struct why_options, rules, path_rule_names,
		"follow the rules of trace-compass, as histree critical-path does, or our own; default: own"),
	{ .name = "like-tc",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct why_options, rules),
	  .means = "trace-compass" },
	CLI_OPTION_CHOICE("table", "TABLE", struct why_options, table, why_table_names,
			  "print this table only: causes, threads or waits; default: all for text, else causes"),
	{ 0 },
};

struct why {
	const struct target *target;
	struct histree_history *history;
	const struct why_options *chosen;
	const char *thread; /* as it was said */
	struct histree_path_request request;
	struct why_tables tables;
	bool is_like_tc;
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

#define VERB_WHY_RIGHT(text, columns)                                \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}
static void put_section(const struct why *why, struct overview_page *page, enum why_table which, const char *title)
{
	overview_page_section(page, title);
	overview_page_table(page, all[which].columns, all[which].count,
			    why->tables.hosts != NULL ? ROWS_OF_HOSTS : ROWS_PLAIN);
	all[which].put(&why->tables, &page->rows);
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
	static const struct row_column columns[] = { VERB_WHY_RIGHT("times", 8),
						     VERB_WHY_RIGHT("duration", 11),
						     VERB_WHY_RIGHT("longest at", 18),
						     { .name = "why", .width = 40 } };
	uint64_t count = 0;
	for (size_t i = 0; i < HISTREE_PATH_RULE_COUNT; i++)
		count += departures[i].count;
	if (count == 0)
		return;
	overview_page_section(page, "Where this differs from Trace Compass");
	overview_page_table(page, ROW_COLUMNS(columns), ROWS_PLAIN);
	for (size_t i = 0; i < HISTREE_PATH_RULE_COUNT; i++) {
		if (departures[i].count == 0)
			continue;
		row_unsigned(&page->rows, departures[i].count);
		row_duration(&page->rows, departures[i].ns);
		row_clock(&page->rows, departures[i].longest_start);
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
	const char *rules = why->is_like_tc ? "" : " --rules own";
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
	if (why->chosen->question.from != NULL || why->chosen->question.to != NULL)
		snprintf(where, sizeof(where), " --from %" PRId64 " --to %" PRId64, why->tables.waits.start,
			 why->tables.waits.end);
	snprintf(words, sizeof(words), " %s%s%s -o why.svg", thread, rules, where);
	overview_page_command(page, "critical-path", why->target->path, words);
	if (why->tables.waits.causes[WHY_WAITING].steps == 0 || !has_kernel(why->target))
		return;
	overview_page_sentence(page, "Who had the CPU meanwhile:");
	put_condition(why, condition, sizeof(condition));
	snprintf(words, sizeof(words), "%s --by had-by --where %s", where, condition);
	overview_page_command(page, "top", why->target->path, words);
}

static void put_page(const struct why *why, struct output *output)
{
	struct overview_page page;
	char name[VERB_WHY_NAME_SIZE], title[2 * VERB_WHY_NAME_SIZE];
	histree_critical_path_name(why->tables.path, why->request.host, why->request.tid, why->tables.waits.start,
				   name, sizeof(name));
	snprintf(title, sizeof(title), "Why %s (thread %s) took so long", name[0] != '\0' ? name : "it",
		 why->thread);
	overview_page_begin(&page, output, false, title);
	put_summary(why, &page);
	put_section(why, &page, WHY_CAUSES, "By cause");
	put_section(why, &page, WHY_THREADS, "Who, and what they did");
	if (why->tables.waits.wait_count > 0)
		put_section(why, &page, WHY_WAITS, "Longest waits, and what most of each was");
	if (!why->is_like_tc)
		put_departures(why, &page);
	put_commands(why, &page);
	overview_page_end(&page);
}

static int print_table(const struct why *why)
{
	enum why_table which = WHY_CAUSES;
	struct row_writer rows;
	while (why->chosen->table != NULL && strcmp(why_table_names[which], why->chosen->table) != 0)
		which++;
	enum cli_exit code = rows_open(&rows, &why->chosen->question, all[which].columns, all[which].count,
				       ROWS_NAMED | (why->tables.hosts != NULL ? ROWS_OF_HOSTS : 0));
	if (code == CLI_OK)
		row_names(&rows);
	if (code == CLI_OK)
		all[which].put(&why->tables, &rows);
	return rows_close(&rows, code);
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum cli_exit walk(struct why *why)
{
	struct histree_error error = { 0 };
	enum histree_status status = histree_critical_path_create(why->history, &why->tables.path, &error);
	if (status == HISTREE_OK)
		status = histree_critical_path_start(why->tables.path, &why->request, &error);
	if (status == HISTREE_OK && !why_waits_init(&why->tables.waits, why->tables.path, why->request.host,
						    why->request.tid, why->chosen->question.limit))
		return report_no_memory();
	while (status == HISTREE_OK) {
		status = histree_cursor_next(why->tables.path, &error);
		if (status == HISTREE_OK &&
		    !why_waits_add(&why->tables.waits, histree_cursor_path_step(why->tables.path)))
			return report_no_memory();
	}
	if (status == HISTREE_ERR_CANCELLED)
		progress_raise_signal();
	if (status != HISTREE_END)
		return report_error(&error);
	why_waits_end(&why->tables.waits);
	path_thread_warn_again(why->tables.path, why->request.host, why->request.tid, why->tables.waits.start,
			       why->request.to);
	return CLI_OK;
}

static enum cli_exit print(const struct why *why)
{
	const struct cli_question *question = &why->chosen->question;
	if (why->chosen->table != NULL || question->columns != NULL ||
	    !row_format_find(question->format)->for_people)
		return (enum cli_exit)print_table(why);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	put_page(why, output);
	return (enum cli_exit)cli_end(output, CLI_OK);
}

static enum cli_exit answer(struct why *why)
{
	size_t host_count;
	const struct time_span span = time_span_of_history(histree_history_info(why->history));
	struct histree_path_request *request = &why->request;
	enum cli_exit code = path_thread_read(why->thread, why->history, &request->host, &request->tid);
	if (code == CLI_OK)
		code = question_range(&why->chosen->question, &span, &request->from, &request->to);
	if (code != CLI_OK)
		return code;
	/* The last edge ends one after the history. */
	if (why->chosen->question.to == NULL)
		request->to = span.end + 1;
	request->rules = why->is_like_tc ? HISTREE_PATH_RULES_TRACE_COMPASS : HISTREE_PATH_RULES_OWN;
	request->work.go_on = progress_goes_on;
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

static const struct why_options defaults = { .question = { .analysis = "graph", .limit = ROWS } };

static int why_run(void *said, const struct cli_words *words)
{
	struct why_options *chosen = said;
	struct target target;
	struct why why = {
		.target = &target,
		.chosen = chosen,
		.thread = words->words[1],
		.tables = { .row_max = chosen->question.limit },
		.is_like_tc = chosen->rules != NULL && strcmp(chosen->rules, "trace-compass") == 0,
	};
	enum cli_exit code = target_open_history(&target, words->words[0], chosen->question.analysis, &why.history);
	if (code == CLI_OK)
		code = answer(&why);
	target_say_missing(&target, chosen->question.analysis);
	why_waits_release(&why.tables.waits);
	histree_cursor_free(why.tables.path);
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
	.asks = ASKS_RANGE | ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(ANALYSIS) | ASKS(FORMAT),
	.says = { [ASK_LIMIT] = ", threads and waits; default: 8",
		  [ASK_COLUMNS] = ", of the table",
		  [ASK_ANALYSIS] = "; default: graph" },
	.options = options,
	.options_size = sizeof(struct why_options),
	.defaults = &defaults,
	.run = why_run,
};
