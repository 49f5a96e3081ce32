// SPDX-License-Identifier: MIT
/*
 * verb_critical_path.c - `histree critical-path`: who had a thread's time in hand, step by step or added up.
 *
 * What a thread waited for, step by step, or added up.
 */
#include "cli/verb_critical_path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "cli/option.h"
#include "cli/picture_file.h"
#include "cli/report.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "histree/critical_path.h"
#include "histree/history.h"

/* ---- path thread --------------------------------------------------------------------------------------------- */

static enum cli_exit read_tid(const char *text, int32_t *tid)
{
	char *end;
	errno = 0;
	long number = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || number < HISTREE_KERNEL_TID || number > INT32_MAX)
		return report_exit(CLI_USAGE, "'%s' is no thread: give its number, such as 42, or HOST/42", text);
	*tid = (int32_t)number;
	return CLI_OK;
}

static bool has_thread(const struct histree_history_host *host, const char *tid)
{
	histree_quark threads, found;
	if (host->history == NULL)
		return false;
	const struct histree_attributes *attributes = histree_history_attributes(host->history);
	return histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &threads) == HISTREE_OK &&
	       histree_attributes_child(attributes, threads, tid, strlen(tid), &found) == HISTREE_OK;
}

/* The only host that has the thread. */
static enum cli_exit find_host(const struct histree_history *history, const char *tid, size_t *out)
{
	size_t having = 0, count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	for (size_t i = count; i-- > 0;) {
		if (!has_thread(&hosts[i], tid))
			continue;
		*out = i;
		having++;
	}
	if (having > 1)
		return report_exit(CLI_USAGE, "%zu hosts have a thread %s: say which, as in %s/%s", having, tid,
				   hosts[*out].name, tid);
	if (having == 0)
		host_part_missing(history);
	return having == 1 ? CLI_OK : report_exit(CLI_NOTHING, "no host has a thread %s", tid);
}

/* HOST/TID, or the number alone where that is enough. */
enum cli_exit path_thread_read(const char *text, struct histree_history *history, size_t *host, int32_t *tid)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	const char *slash = strrchr(text, '/');
	size_t size = slash != NULL ? (size_t)(slash - text) : 0;
	*host = 0;
	enum cli_exit code = read_tid(count > 0 && slash != NULL ? slash + 1 : text, tid);
	if (code != CLI_OK || count == 0)
		return code;
	if (slash == NULL)
		return find_host(history, text, host);
	while (*host < count && (strlen(hosts[*host].name) != size || memcmp(hosts[*host].name, text, size) != 0))
		++*host;
	if (*host == count)
		return report_exit(CLI_NOTHING, "'%s': there is no such host; 'histree info' lists them", text);
	if (hosts[*host].history == NULL && hosts[*host].why != NULL)
		return report_exit(CLI_INPUT, "'%s': the host is missing: %s", text, hosts[*host].why);
	return CLI_OK;
}

void path_thread_warn_again(struct histree_cursor *path, size_t host, int32_t tid, histree_time start,
			    histree_time to)
{
	const histree_time life = histree_critical_path_life(path, host, tid, to);
	if (life > start)
		report_exit(CLI_OK,
			    "thread %" PRId32 " ends, and the number is another thread's from %" PRId64
			    " on: '--from %" PRId64 "' asks for that one",
			    tid, life, life);
}

/* ---- path totals --------------------------------------------------------------------------------------------- */

static int by_thread(const void *one, const void *other)
{
	const struct path_total *a = one, *b = other;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->life != b->life)
		return a->life < b->life ? -1 : 1;
	return a->state < b->state ? -1 : a->state > b->state;
}

static int by_time(const void *one, const void *other)
{
	const struct path_total *a = one, *b = other;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return by_thread(one, other);
}

/* Those of one thread and state become one; so there are no more than there are such pairs, twice. */
static void merge(struct path_totals *totals)
{
	size_t kept = 0;
	if (totals->count > 0)
		qsort(totals->all, totals->count, sizeof(*totals->all), by_thread);
	for (size_t i = 0; i < totals->count; i++) {
		struct path_total *next = &totals->all[i];
		if (kept > 0 && by_thread(&totals->all[kept - 1], next) == 0) {
			totals->all[kept - 1].ns += next->ns;
			totals->all[kept - 1].steps += next->steps;
		} else {
			totals->all[kept++] = *next;
		}
	}
	totals->count = kept;
}

bool path_totals_add(struct path_totals *totals, const struct path_total *one)
{
	if (totals->count == totals->capacity && totals->count > 0)
		merge(totals);
	if (totals->count * 2 >= totals->capacity &&
	    !array_reserve(&totals->all, &totals->capacity, totals->count * 2 + 1024))
		return false;
	totals->all[totals->count++] = *one;
	totals->ns += one->ns;
	return true;
}

void path_totals_sort(struct path_totals *totals)
{
	merge(totals);
	if (totals->count > 0)
		qsort(totals->all, totals->count, sizeof(*totals->all), by_time);
}

void path_totals_clear(struct path_totals *totals)
{
	totals->count = 0;
	totals->ns = 0;
}

void path_totals_release(struct path_totals *totals)
{
	free(totals->all);
	*totals = (struct path_totals){ 0 };
}

/* ---- verb critical path -------------------------------------------------------------------------------------- */

enum { NAME_SIZE = 256 };

struct path_options {
	struct cli_question question;
	struct picture_choice picture;
	const char *rules;
	bool totals;
};

const char *const path_rule_names[] = { "trace-compass", "own", NULL };

static const struct cli_option options[] = {
	CLI_OPTION_CHOICE(
		"rules", "RULES", struct path_options, rules, path_rule_names,
		"follow the rules of trace-compass, or our own, as histree why does; default: trace-compass"),
	CLI_OPTION_FLAG("totals", 0, struct path_options, totals,
			"add up the time on the path by thread and state, the longest first"),
	CLI_OPTIONS_PICTURE(struct path_options, picture, "draw the path", "the rows"),
	{ 0 },
};

struct printing {
	struct histree_cursor *path;
	const struct histree_history_host *hosts; /* NULL: one, */
	char *host;                               /* which is called so */
	struct row_writer rows;
	struct path_totals totals;
	struct histree_path_request request;
};

static void put_host(struct printing *printing, size_t host)
{
	row_text(&printing->rows, printing->hosts != NULL ? printing->hosts[host].name : printing->host);
}

static void put_thread(struct printing *printing, size_t host, int32_t tid, histree_time time)
{
	char name[NAME_SIZE];
	size_t size = histree_critical_path_name(printing->path, host, tid, time, name, sizeof(name));
	put_host(printing, host);
	row_number(&printing->rows, tid);
	row_bytes(&printing->rows, name, size < sizeof(name) ? size : sizeof(name) - 1);
}

/* ---- steps -------------------------------------------------------------------------------------------------- */

static enum cli_exit put_step(struct printing *printing, const struct histree_path_step *step)
{
	struct row_writer *rows = &printing->rows;
	row_text(rows, step->is_arrow ? "arrow" : "state");
	row_number(rows, step->start);
	row_number(rows, step->end);
	row_duration(rows, (uint64_t)step->end - (uint64_t)step->start);
	put_thread(printing, step->host, step->tid, step->start);
	row_text(rows, histree_graph_state_name(step->state));
	if (step->is_arrow)
		put_thread(printing, step->to_host, step->to_tid, step->end);
	while (rows->column < rows->column_count)
		row_null(rows);
	row_end(rows);
	return CLI_OK;
}

/* ---- totals ------------------------------------------------------------------------------------------------- */

static enum cli_exit add_total(struct printing *printing, const struct histree_path_step *step)
{
	const struct path_total total = {
		.host = step->host,
		.tid = step->tid,
		.life = histree_critical_path_life(printing->path, step->host, step->tid, step->start),
		.state = step->state,
		.ns = (uint64_t)step->end - (uint64_t)step->start,
		.steps = 1,
	};
	return step->is_arrow || path_totals_add(&printing->totals, &total) ? CLI_OK : report_no_memory();
}

static double percent_of(const struct printing *printing, const struct path_total *total)
{
	return printing->totals.ns > 0 ? 100 * (double)total->ns / (double)printing->totals.ns : 0;
}

static void put_totals(struct printing *printing)
{
	struct row_writer *rows = &printing->rows;
	path_totals_sort(&printing->totals);
	for (size_t i = 0; i < printing->totals.count; i++) {
		const struct path_total *total = &printing->totals.all[i];
		put_thread(printing, total->host, total->tid, total->life);
		row_text(rows, histree_graph_state_name(total->state));
		row_duration(rows, total->ns);
		row_unsigned(rows, total->steps);
		row_percent(rows, percent_of(printing, total));
		row_end(rows);
	}
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum cli_exit walk(struct printing *printing,
			  enum cli_exit (*take)(struct printing *, const struct histree_path_step *))
{
	struct histree_path_step step;
	struct histree_error error;
	enum histree_status status = HISTREE_END;
	bool is_begun = false;
	while (!rows_are_full(&printing->rows) &&
	       (status = histree_cursor_next(printing->path, &error)) == HISTREE_OK) {
		step = *histree_cursor_path_step(printing->path);
		enum cli_exit code = take(printing, &step);
		if (!is_begun)
			path_thread_warn_again(printing->path, printing->request.host, printing->request.tid,
					       step.start, printing->request.to);
		is_begun = true;
		if (code != CLI_OK)
			return code;
	}
	return status >= HISTREE_OK ? CLI_OK : report_error(&error);
}

static const struct row_column total_columns[] = {
	{ .name = "host", .width = 12, .when = ROW_HOSTS },
	{ .name = "tid", .width = 8, .to_the_right = true },
	{ .name = "name", .width = 20 },
	{ .name = "state", .width = 12 },
	{ .name = "duration", .width = 10, .to_the_right = true },
	{ .name = "steps", .width = 8, .to_the_right = true },
	{ .name = "percent", .width = 8, .to_the_right = true },
};

static const struct row_column step_columns[] = {
	{ .name = "kind", .width = 5 },
	{ .name = "start", .width = 19, .to_the_right = true },
	{ .name = "end", .width = 19, .to_the_right = true },
	{ .name = "duration", .width = 10, .to_the_right = true, .when = ROW_PEOPLE },
	{ .name = "host", .width = 12, .when = ROW_HOSTS },
	{ .name = "tid", .width = 8, .to_the_right = true },
	{ .name = "name", .width = 20 },
	{ .name = "state", .width = 12 },
	{ .name = "to_host", .width = 12, .when = ROW_HOSTS },
	{ .name = "to_tid", .width = 8, .to_the_right = true },
	{ .name = "to_name", .width = 20, .when = ROW_PEOPLE },
};

static enum cli_exit print(struct printing *printing, const struct path_options *chosen)
{
	const unsigned kind = ROWS_NAMED | (printing->hosts != NULL ? ROWS_OF_HOSTS : 0);
	enum cli_exit code =
		chosen->totals ? rows_open(&printing->rows, &chosen->question, ROW_COLUMNS(total_columns), kind)
			       : rows_open(&printing->rows, &chosen->question, ROW_COLUMNS(step_columns), kind);
	if (code == CLI_OK)
		code = walk(printing, chosen->totals ? add_total : put_step);
	if (code == CLI_OK && chosen->totals)
		put_totals(printing);
	return (enum cli_exit)rows_close(&printing->rows, code);
}

/* ---- pictures ----------------------------------------------------------------------------------------------- */

struct drawing {
	struct histree_history *history;
	struct histree_draw_path_options options;
};

static enum histree_status draw(void *context, picture_write *write, void *file, struct histree_error *error)
{
	const struct drawing *drawing = context;
	return histree_draw_path(drawing->history, &drawing->options, write, file, error);
}

/* ------------------------------------------------------------------------------------------------------------- */

/* Which path of which thread, and its picture. */
static enum cli_exit choose(struct drawing *drawing, const char *thread, const struct path_options *chosen)
{
	const struct time_span span = time_span_of_history(histree_history_info(drawing->history));
	struct histree_draw_path_options *path = &drawing->options;
	enum cli_exit code = path_thread_read(thread, drawing->history, &path->host, &path->tid);
	if (code == CLI_OK)
		code = question_range(&chosen->question, &span, &path->from, &path->to);
	if (chosen->rules != NULL && strcmp(chosen->rules, "own") == 0)
		path->rules = HISTREE_PATH_RULES_OWN;
	/* The last edge ends one after the history. */
	if (chosen->question.to == NULL)
		path->to = span.end + 1;
	return code;
}

static enum cli_exit answer(struct printing *printing, const struct drawing *drawing,
			    const struct path_options *chosen)
{
	struct histree_error error;
	const struct histree_draw_path_options *path = &drawing->options;
	enum histree_status status = histree_critical_path_create(drawing->history, &printing->path, &error);
	printing->request = (struct histree_path_request){
		.rules = path->rules, .host = path->host, .tid = path->tid, .from = path->from, .to = path->to
	};
	if (status == HISTREE_OK)
		status = histree_critical_path_start(printing->path, &printing->request, &error);
	return status == HISTREE_OK ? print(printing, chosen) : report_error(&error);
}

static const struct path_options defaults = { .question = { .analysis = "graph" } };

static int critical_path_run(void *said, const struct cli_words *words)
{
	struct path_options *chosen = said;
	struct printing printing = { 0 };
	struct histree_history *history = NULL;
	struct target target;
	struct drawing drawing = { .history = NULL };
	size_t host_count;
	int status;
	status = picture_choice_read(&chosen->picture, &drawing.options.format, &drawing.options.width,
				     &drawing.options.height);
	if (status != CLI_OK)
		return status;
	status = target_open_history(&target, words->words[0], chosen->question.analysis, &history);
	drawing.history = history;
	if (status == CLI_OK)
		status = choose(&drawing, words->words[1], chosen);
	if (status == CLI_OK) {
		printing.hosts = histree_history_hosts(history, &host_count);
		printing.host = target_host_name(&target);
		status = printing.host == NULL ? report_no_memory()
			 : chosen->picture.output != NULL
				 ? picture_file_draw(chosen->picture.output, draw, &drawing)
				 : answer(&printing, &drawing, chosen);
	}
	if (status == CLI_OK)
		status = host_part_missing(history);
	histree_cursor_free(printing.path);
	path_totals_release(&printing.totals);
	free(printing.host);
	histree_history_close(history);
	target_close(&target);
	return status;
}

const struct cli_verb verb_critical_path = {
	.name = "critical-path",
	.summary = "print what a thread waited for, and what that waited for in turn",
	.arguments = "STORE THREAD",
	.words_min = 2,
	.words_max = 2,
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS_RANGE | ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(ANALYSIS) | ASKS(FORMAT),
	.says = { [ASK_TO] = "; the path ends with the first change of the thread after it",
		  [ASK_ANALYSIS] = "; default: graph" },
	.options = options,
	.options_size = sizeof(struct path_options),
	.defaults = &defaults,
	.run = critical_path_run,
};
