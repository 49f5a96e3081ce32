// SPDX-License-Identifier: MIT
/*
 * verb_why.c - `histree why`: why a thread was not done earlier: a page for people, or one of its tables; and the
 * critical path itself, step by step, added up, or as a picture.
 *
 * All of it is one path in the graph of which thread waited for which.  The tables are sums of its steps: its time
 * by cause and by thread, and its longest waits.  Memory for sums grows with the pairs of threads and states, not
 * with the steps.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number_text.h"
#include "base/search.h"
#include "base/table.h"
#include "cli/option.h"
#include "cli/overview_page.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "histree/critical_path.h"
#include "histree/history.h"

enum { NAME_SIZE = 256 };

/* The choices of --rules, in the order of enum histree_path_rules. */
static const char *const rule_names[] = { "trace-compass", "own", NULL };

/* ---- the path that is asked for ------------------------------------------------------------------------------ */

struct path_asked {
	struct target target;
	struct histree_history *history;
	const struct histree_history_host *hosts; /* NULL: one, */
	char *host;                               /* which is called so */
	char thread[NAME_SIZE];                   /* its number, after the host if there are several */
	struct histree_path_request request;
	struct histree_cursor *path;
};

/*
 * Says so if another thread has the number at the end than at `start`, where the path begins: that ends where the
 * first of them does.
 */
static void path_warn_again(const struct path_asked *asked, histree_time start)
{
	const struct histree_path_request *request = &asked->request;
	const histree_time life = histree_critical_path_life(asked->path, request->host, request->tid, request->to);
	if (life > start)
		report("thread %" PRId32 " ends, and the number is another thread's from %" PRId64
		       " on: '--from %" PRId64 "' asks for that one",
		       request->tid, life, life);
}

/* Reads which thread is meant, of --host if that is given; its host is that of the whole history. */
static enum cli_exit path_thread(const struct path_asked *asked, const char *text,
				 const struct cli_question *question, struct named_thread *named)
{
	const struct histree_path_request *request = &asked->request;
	struct histree_history *part;
	enum cli_exit code = host_part_of_question(&asked->target, asked->history, question, &part);
	if (code == CLI_OK)
		code = thread_words_one(text, &asked->target, part, request->from, request->to, named);
	if (code != CLI_OK || part == asked->history)
		return code;
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(asked->history, &count);
	for (size_t i = 0; i < count; i++)
		if (hosts[i].history == part)
			named->host = (long)i;
	return code;
}

/* Opens the history and reads which path of which thread is meant; path_close() also after failure. */
static enum cli_exit path_open(struct path_asked *asked, const struct cli_words *words,
			       const struct cli_question *question, enum histree_path_rules rules)
{
	size_t count;
	struct histree_path_request *request = &asked->request;
	enum cli_exit code =
		target_open_history(&asked->target, words->words[0], question->analysis, &asked->history);
	if (code != CLI_OK)
		return code;
	const struct time_span span = time_span_of_history(histree_history_info(asked->history));
	struct named_thread named;
	code = question_range(question, &span, &request->from, &request->to);
	if (code == CLI_OK)
		code = path_thread(asked, words->words[1], question, &named);
	if (code != CLI_OK)
		return code;
	request->host = (size_t)named.host;
	request->tid = named.tid;
	if (question->from == NULL && named.from > request->from && named.from <= request->to)
		request->from = named.from; /* another one had the number before */
	/* The last edge ends one after the history. */
	if (question->to == NULL)
		request->to = span.end + 1;
	request->rules = rules;
	asked->hosts = histree_history_hosts(asked->history, &count);
	asked->host = target_host_name(&asked->target);
	snprintf(asked->thread, sizeof(asked->thread), "%s%s%" PRId32,
		 asked->hosts != NULL ? asked->hosts[request->host].name : "", asked->hosts != NULL ? "/" : "",
		 request->tid);
	return asked->host != NULL ? CLI_OK : report_no_memory();
}

static enum histree_status path_start(struct path_asked *asked, struct histree_error *error)
{
	enum histree_status status = histree_critical_path_create(asked->history, &asked->path, error);
	return status == HISTREE_OK ? histree_critical_path_start(asked->path, &asked->request, error) : status;
}

static void path_close(struct path_asked *asked)
{
	histree_cursor_free(asked->path);
	free(asked->host);
	histree_history_close(asked->history);
	target_close(&asked->target);
}

static const char *host_of(const struct path_asked *asked, size_t host)
{
	return asked->hosts != NULL ? asked->hosts[host].name : asked->host;
}

/* ---- totals of a path ---------------------------------------------------------------------------------------- */

/* The time of one thread in one state. */
struct path_total {
	size_t host;
	int32_t tid;
	histree_time life; /* since when it has had the number */
	enum histree_graph_state state;
	uint64_t ns, steps;
};

/* Zeroed, it is empty. */
struct path_totals {
	struct path_total *all;
	size_t count, capacity;
	uint64_t ns; /* of all */
};

COMPARE(by_thread, struct path_total, BY(host) BY(tid) BY(life) BY(state))

COMPARE(by_time, struct path_total, BY_MOST(ns) BY(host) BY(tid) BY(life) BY(state))

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

/* Returns false if memory runs out. */
static bool path_totals_add(struct path_totals *totals, const struct path_total *one)
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

/* Makes the totals of each thread and state one, the longest first. */
static void path_totals_sort(struct path_totals *totals)
{
	merge(totals);
	if (totals->count > 0)
		qsort(totals->all, totals->count, sizeof(*totals->all), by_time);
}

/* ---- what a thread did --------------------------------------------------------------------------------------- */

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
	WHY_CAUSE_COUNT,
};

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

/* ---- the path, step by step ---------------------------------------------------------------------------------- */

/* A step, or a total, as it is printed. */
struct path_row {
	const char *kind, *state;
	histree_time start, end;
	uint64_t ns, steps;
	double percent;
	const char *host, *to_host;
	int32_t tid;
	struct histree_value to_tid;
	const char *name, *to_name; /* NULL: it is no arrow */
};

#define LEFT(text, columns, kind, at) ROW_LEFT(text, columns, kind, struct path_row, at)
#define RIGHT(text, columns, kind, at) ROW_RIGHT(text, columns, kind, struct path_row, at)
static const struct row_column total_columns[] = {
	ROW_HOST("host", 12, struct path_row, host), RIGHT("tid", 8, CELL_INT, tid),
	LEFT("name", 20, CELL_TEXT, name),           LEFT("state", 30, CELL_TEXT, state),
	RIGHT("duration", 10, CELL_DURATION, ns),    RIGHT("steps", 8, CELL_UNSIGNED, steps),
	RIGHT("percent", 8, CELL_PERCENT, percent),
};

static const struct row_column step_columns[] = {
	LEFT("kind", 5, CELL_TEXT, kind),
	RIGHT("start", 18, CELL_CLOCK, start),
	RIGHT("end", 18, CELL_CLOCK, end),
	{ .name = "duration",
	  .width = 10,
	  .to_the_right = true,
	  .when = ROW_PEOPLE,
	  .cell = CELL_DURATION,
	  .offset = offsetof(struct path_row, ns) },
	ROW_HOST("host", 12, struct path_row, host),
	RIGHT("tid", 8, CELL_INT, tid),
	LEFT("name", 20, CELL_TEXT, name),
	LEFT("state", 30, CELL_TEXT, state),
	ROW_HOST("to_host", 12, struct path_row, to_host),
	RIGHT("to_tid", 8, CELL_VALUE, to_tid),
	{ .name = "to_name",
	  .width = 20,
	  .when = ROW_PEOPLE,
	  .cell = CELL_TEXT,
	  .offset = offsetof(struct path_row, to_name) },
};
#undef RIGHT
#undef LEFT

struct printing {
	struct path_asked *asked;
	struct row_writer rows;
	struct path_totals totals;
};

/*
 * For people, in the words of the other tables, and nothing of an arrow that is no packet; but by the rules of
 * Trace Compass in its own.
 */
static const char *state_words(const struct printing *printing, enum histree_graph_state state, bool is_arrow)
{
	if (!printing->rows.format->for_people || printing->asked->request.rules != HISTREE_PATH_RULES_OWN)
		return histree_graph_state_name(state);
	if (is_arrow)
		return state == HISTREE_GRAPH_NETWORK ? "packet" : "";
	return causes[why_cause_of(state)].words;
}

static enum cli_exit put_step(struct printing *printing, const struct histree_path_step *step)
{
	const struct path_asked *asked = printing->asked;
	char name[NAME_SIZE], to_name[NAME_SIZE];
	struct path_row row = { .kind = step->is_arrow ? "arrow" : "state",
				.state = state_words(printing, step->state, step->is_arrow),
				.start = step->start,
				.end = step->end,
				.ns = (uint64_t)step->end - (uint64_t)step->start,
				.host = host_of(asked, step->host),
				.tid = step->tid,
				.name = name,
				.to_tid = histree_null() };
	histree_critical_path_name(asked->path, step->host, step->tid, step->start, name, NAME_SIZE);
	if (step->is_arrow) {
		row.to_host = host_of(asked, step->to_host);
		row.to_tid = histree_int(step->to_tid);
		row.to_name = to_name;
		histree_critical_path_name(asked->path, step->to_host, step->to_tid, step->end, to_name, NAME_SIZE);
	}
	row_put(&printing->rows, &row);
	return CLI_OK;
}

static enum cli_exit add_total(struct printing *printing, const struct histree_path_step *step)
{
	const struct path_total total = {
		.host = step->host,
		.tid = step->tid,
		.life = histree_critical_path_life(printing->asked->path, step->host, step->tid, step->start),
		.state = step->state,
		.ns = (uint64_t)step->end - (uint64_t)step->start,
		.steps = 1,
	};
	return step->is_arrow || path_totals_add(&printing->totals, &total) ? CLI_OK : report_no_memory();
}

static enum cli_exit path_walk(struct printing *printing,
			       enum cli_exit (*take)(struct printing *, const struct histree_path_step *))
{
	struct histree_error error;
	enum histree_status status = HISTREE_END;
	bool is_begun = false;
	while (!rows_are_full(&printing->rows) &&
	       (status = histree_cursor_next(printing->asked->path, &error)) == HISTREE_OK) {
		const struct histree_path_step step = *histree_cursor_path_step(printing->asked->path);
		enum cli_exit code = take(printing, &step);
		if (!is_begun)
			path_warn_again(printing->asked, step.start);
		is_begun = true;
		if (code != CLI_OK)
			return code;
	}
	return status >= HISTREE_OK ? CLI_OK : report_error(&error);
}

/* The steps, or what they add up to. */
static enum cli_exit path_print(struct printing *printing, const struct cli_question *question, bool adds_up)
{
	struct histree_error error;
	const unsigned kind = printing->asked->hosts != NULL ? ROWS_OF_HOSTS : 0;
	if (path_start(printing->asked, &error) != HISTREE_OK)
		return report_error(&error);
	enum cli_exit code = adds_up ? rows_open(&printing->rows, question, ROW_COLUMNS(total_columns), kind)
				     : rows_open(&printing->rows, question, ROW_COLUMNS(step_columns), kind);
	row_say_day(&printing->rows, histree_history_info(printing->asked->history)->start);
	if (code == CLI_OK)
		code = path_walk(printing, adds_up ? add_total : put_step);
	if (code == CLI_OK && adds_up) {
		path_totals_sort(&printing->totals);
		for (size_t i = 0; i < printing->totals.count; i++) {
			const struct path_total *total = &printing->totals.all[i];
			char name[NAME_SIZE];
			struct path_row row = { .state = state_words(printing, total->state, false),
						.host = host_of(printing->asked, total->host),
						.tid = total->tid,
						.name = name,
						.ns = total->ns,
						.steps = total->steps,
						.percent = row_percent_of(total->ns, printing->totals.ns) };
			histree_critical_path_name(printing->asked->path, total->host, total->tid, total->life,
						   name, NAME_SIZE);
			row_put(&printing->rows, &row);
		}
	}
	if (code == CLI_OK)
		rows_say_rest(&printing->rows, adds_up ? printing->totals.count : 0);
	return (enum cli_exit)rows_close(&printing->rows, code);
}

struct drawing {
	struct histree_history *history;
	struct histree_draw_path_options options;
};

static enum histree_status path_draw(void *context, picture_write *write, void *file, struct histree_error *error)
{
	const struct drawing *drawing = context;
	return histree_draw_path(drawing->history, &drawing->options, write, file, error);
}

/* ---- waits of a path ----------------------------------------------------------------------------------------- */

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

/* Zeroed except for what is asked, and room for the longest waits. */
struct why_waits {
	const struct path_asked *asked;
	histree_time life; /* since when the thread has had the number */
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

static uint64_t length(const struct why_wait *wait)
{
	return (uint64_t)wait->end - (uint64_t)wait->start;
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

	/* Keeps the longest waits, sorted by length and then by time. */
	size_t at = waits->wait_count;
	while (at > 0 && length(&waits->waits[at - 1]) < length(&waits->wait))
		at--;
	if (at != waits->wait_max) {
		waits->wait_count += waits->wait_count < waits->wait_max;
		memmove(&waits->waits[at + 1], &waits->waits[at],
			(waits->wait_count - at - 1) * sizeof(*waits->waits));
		waits->waits[at] = waits->wait;
	}
}

/* The time of an arrow is that of a packet in transit, and also that of the thread that waits for it. */
static bool why_waits_add(struct why_waits *waits, const struct histree_path_step *step)
{
	const size_t host = step->is_arrow ? step->to_host : step->host;
	const int32_t tid = step->is_arrow ? step->to_tid : step->tid;
	const struct path_total total = {
		.host = host,
		.tid = tid,
		.life = histree_critical_path_life(waits->asked->path, host, tid,
						   step->is_arrow ? step->end : step->start),
		.state = step->state,
		.ns = (uint64_t)step->end - (uint64_t)step->start,
		.steps = 1,
	};
	waits->life = waits->is_begun ? waits->life : total.life;
	const struct histree_path_request *request = &waits->asked->request;
	bool is_itself = total.tid == request->tid && total.host == request->host && total.life == waits->life;
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

	if (!waits->is_waiting) {
		waits->is_waiting = true;
		waits->wait = (struct why_wait){ .start = step->start };
		waits->wait_totals.count = 0;
	}
	waits->wait.end = step->end;
	if (step->is_arrow && step->to_tid == waits->asked->request.tid &&
	    step->to_host == waits->asked->request.host) {
		waits->wait.is_woken = true;
		waits->wait.waker = step->tid;
		waits->wait.waker_host = step->host;
	}
	return total.ns == 0 || path_totals_add(&waits->wait_totals, &total);
}

/* ---- tables of why ------------------------------------------------------------------------------------------- */

enum why_table { WHY_CAUSES, WHY_THREADS, WHY_WAITS, WHY_STEPS, WHY_TOTALS };

/* By number; NULL ends them. */
static const char *const why_table_names[] = { "causes", "threads", "waits", "steps", "totals", NULL };

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
	char name_text[NAME_SIZE];
};

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

static void name_thread(const struct why_waits *waits, struct why_row *row, const struct path_total *total)
{
	histree_critical_path_name(waits->asked->path, total->host, total->tid, total->life, row->name_text,
				   sizeof(row->name_text));
	row->host = host_of(waits->asked, total->host);
	row->tid = total->tid;
	row->name = total->tid == HISTREE_IDLE_TID ? "(idle)" : row->name_text;
	row->did = why_cause_of(total->state);
}

static void put_causes(const struct why_waits *waits, struct row_writer *rows)
{
	for (unsigned cause = 0; cause < WHY_CAUSE_COUNT; cause++) {
		const struct why_sum *sum = &waits->causes[cause];
		const struct why_row row = { .sum = *sum,
					     .did = (enum why_cause)cause,
					     .percent =
						     row_percent_of(sum->itself_ns + sum->others_ns, waits->ns) };
		if (sum->steps > 0)
			row_put(rows, &row);
	}
}

static void put_threads(const struct why_waits *waits, struct row_writer *rows)
{
	const struct path_totals *totals = &waits->totals;
	for (size_t i = 0; i < totals->count && i < waits->wait_max; i++) {
		const struct path_total *total = &totals->all[i];
		struct why_row row = { .ns = total->ns,
				       .steps = total->steps,
				       .percent = row_percent_of(total->ns, waits->ns) };
		name_thread(waits, &row, total);
		row_put(rows, &row);
	}
}

static void put_waits(const struct why_waits *waits, struct row_writer *rows)
{
	for (size_t i = 0; i < waits->wait_count; i++) {
		const struct why_wait *wait = &waits->waits[i];
		struct why_row row = { .start = wait->start, .ns = length(wait), .waker = histree_null() };
		row.percent = row_percent_of(wait->mostly.ns, row.ns);
		if (wait->is_woken) {
			row.waker_host = host_of(waits->asked, wait->waker_host);
			row.waker = histree_int(wait->waker);
		}
		name_thread(waits, &row, &wait->mostly);
		row_put(rows, &row);
	}
}

static const struct table_kind {
	const struct row_column *columns;
	size_t count;
	void (*put)(const struct why_waits *waits, struct row_writer *rows);
} tables[] = {
	[WHY_CAUSES] = { ROW_COLUMNS(cause_columns), put_causes },
	[WHY_THREADS] = { ROW_COLUMNS(thread_columns), put_threads },
	[WHY_WAITS] = { ROW_COLUMNS(wait_columns), put_waits },
};

/* ---- verb why ------------------------------------------------------------------------------------------------ */

enum { ROWS = 8, STEPS = 20, CONDITION_SIZE = 600 };

struct why_options {
	struct cli_question question;
	struct picture_choice picture;
	const char *table, *rules;
};

static const struct cli_option why_option_rows[] = {
	CLI_OPTION_CHOICE("table", "TABLE", struct why_options, table, why_table_names,
			  "print this table only: causes, threads or waits; or the critical path: its steps in the "
			  "order of time, or their totals by thread and state; default: all for text, else causes"),
	{ .name = "totals", .kind = CLI_FLAG, .member = offsetof(struct why_options, table), .means = "totals" },
	CLI_OPTION_CHOICE("rules", "RULES", struct why_options, rules, rule_names,
			  "follow the rules of trace-compass, or our own; default: own"),
	{ .name = "like-tc",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct why_options, rules),
	  .means = "trace-compass" },
	CLI_OPTIONS_PICTURE(struct why_options, picture, "draw the path", "the rows"),
	{ 0 },
};

struct why {
	struct path_asked asked;
	const struct why_options *chosen;
	struct why_waits waits;
	bool is_like_tc;
};

static const char *const rule_words[HISTREE_PATH_RULE_COUNT] = {
	[HISTREE_PATH_WOKEN_AGAIN] = "it was woken, and woken again before it had a CPU: it waited for a CPU",
	[HISTREE_PATH_FROM_IDLE] =
		"woken by an idle CPU, or by the kernel at work for no thread: a wait, not their work",
	[HISTREE_PATH_FROM_ITSELF] = "woken by itself: a wait for something else",
	[HISTREE_PATH_SENT_BEFORE] = "the packet was under way before it began to wait: not its sender's work",
	[HISTREE_PATH_WAIT_KEPT] = "others were blocked, and what woke them is not known: a wait of theirs",
	[HISTREE_PATH_BEGINS_LATER] = "who woke it began only later: a wait until then",
};

/* ---- the page of why ----------------------------------------------------------------------------------------- */

static void put_section(const struct why *why, struct overview_page *page, enum why_table which, const char *title)
{
	overview_page_section(page, title);
	overview_page_table(page, tables[which].columns, tables[which].count,
			    why->asked.hosts != NULL ? ROWS_OF_HOSTS : ROWS_PLAIN);
	tables[which].put(&why->waits, &page->rows);
	overview_page_table_end(page);
}

static void put_rule(struct row_writer *rows, const void *row)
{
	const struct histree_path_departure *departures = rows->context;
	row_text(rows, rule_words[(const struct histree_path_departure *)row - departures]);
}

static void put_departures(const struct why *why, struct overview_page *page)
{
	static const struct row_column columns[] = {
		ROW_RIGHT("times", 8, CELL_UNSIGNED, struct histree_path_departure, count),
		ROW_RIGHT("duration", 11, CELL_DURATION, struct histree_path_departure, ns),
		ROW_RIGHT("longest at", 18, CELL_CLOCK, struct histree_path_departure, longest_start),
		{ .name = "why", .width = 40, .put = put_rule },
	};
	const struct histree_path_departure *departures = histree_critical_path_departures(why->asked.path);
	bool is_begun = false;
	for (size_t i = 0; i < HISTREE_PATH_RULE_COUNT; i++) {
		if (departures[i].count == 0)
			continue;
		if (!is_begun) {
			overview_page_section(page, "Where this differs from Trace Compass");
			overview_page_table(page, ROW_COLUMNS(columns), ROWS_PLAIN);
			page->rows.context = departures;
			is_begun = true;
		}
		row_put(&page->rows, &departures[i]);
	}
	if (is_begun)
		overview_page_table_end(page);
}

static void put_commands(const struct why *why, struct overview_page *page)
{
	char words[2048], where[256] = "", thread[512], condition[2 * CONDITION_SIZE];
	const char *rules = why->is_like_tc ? " --rules trace-compass" : "";
	const struct why_wait *wait = why->waits.wait_count > 0 ? &why->waits.waits[0] : NULL;
	shell_word_copy(thread, sizeof(thread), why->asked.thread);
	overview_page_section(page, "More");
	if (wait != NULL) {
		snprintf(words, sizeof(words), " %s --table steps%s --from %" PRId64 " --to %" PRId64, thread,
			 rules, wait->start, wait->end);
		overview_page_sentence(page, "The longest wait step by step, and all of it as a picture:");
	} else {
		overview_page_sentence(page, "All of it step by step, and as a picture:");
		snprintf(words, sizeof(words), " %s --table steps%s", thread, rules);
	}
	overview_page_command(page, "why", why->asked.target.path, words);
	if (why->chosen->question.from != NULL || why->chosen->question.to != NULL)
		snprintf(where, sizeof(where), " --from %" PRId64 " --to %" PRId64, why->waits.start,
			 why->waits.end);
	snprintf(words, sizeof(words), " %s%s%s -o why.svg", thread, rules, where);
	overview_page_command(page, "why", why->asked.target.path, words);
	if (why->waits.causes[WHY_WAITING].steps == 0 || !target_has_history(&why->asked.target, "kernel"))
		return;
	overview_page_sentence(page, "Who had the CPU meanwhile:");

	/* That a CPU was waited for by the thread, and no other of its number; as a word. */
	char text[CONDITION_SIZE];
	char *host = why->asked.hosts != NULL ? host_part_condition(why->asked.hosts[why->asked.request.host].name)
					      : NULL;
	snprintf(text, sizeof(text), "%s%sthread == %" PRId32 " && state == waiting", host != NULL ? host : "",
		 host != NULL ? " && " : "", why->asked.request.tid);
	free(host);
	shell_word_copy(condition, sizeof(condition), text);

	snprintf(words, sizeof(words), "%s --by had-by --where %s", where, condition);
	overview_page_command(page, "top", why->asked.target.path, words);
}

static enum why_table table_asked(const struct why_options *chosen)
{
	return chosen->table != NULL ? (enum why_table)cli_choice_number(why_table_names, chosen->table)
				     : WHY_CAUSES;
}

static int print_table(const struct why *why)
{
	const enum why_table which = table_asked(why->chosen);
	struct row_writer rows;
	enum cli_exit code = rows_open(&rows, &why->chosen->question, tables[which].columns, tables[which].count,
				       why->asked.hosts != NULL ? ROWS_OF_HOSTS : 0);
	if (code == CLI_OK)
		tables[which].put(&why->waits, &rows);
	return rows_close(&rows, code);
}

static enum cli_exit why_walk(struct why *why)
{
	struct histree_error error = { 0 };
	struct why_waits *waits = &why->waits;
	enum histree_status status = path_start(&why->asked, &error);
	while (status == HISTREE_OK && (status = histree_cursor_next(why->asked.path, &error)) == HISTREE_OK)
		if (!why_waits_add(waits, histree_cursor_path_step(why->asked.path)))
			return report_no_memory();
	if (status != HISTREE_END)
		return progress_outcome(status, NULL, &error);
	end_wait(waits);
	path_totals_sort(&waits->totals);
	path_warn_again(&why->asked, waits->start);
	return CLI_OK;
}

static enum cli_exit why_print(const struct why *why)
{
	const struct cli_question *question = &why->chosen->question;
	if (why->chosen->table != NULL || question->columns != NULL ||
	    !row_format_find(question->format)->for_people)
		return (enum cli_exit)print_table(why);
	struct output *output = output_create_paged();
	if (output == NULL)
		return report_no_memory();

	struct overview_page page;
	char name[NAME_SIZE], title[3 * NAME_SIZE];
	histree_critical_path_name(why->asked.path, why->asked.request.host, why->asked.request.tid,
				   why->waits.start, name, sizeof(name));
	snprintf(title, sizeof(title), "Why %s (thread %s) took so long", name[0] != '\0' ? name : "it",
		 why->asked.thread);
	overview_page_begin(&page, output, false, title);

	char start[OVERVIEW_PAGE_FROM_SIZE], lasts[TIME_TEXT_SIZE], ran[TIME_TEXT_SIZE], waited[TIME_TEXT_SIZE];
	const struct why_waits *waits = &why->waits;
	const uint64_t ran_ns = waits->causes[WHY_RAN].itself_ns;
	overview_page_from(waits->start, start);
	time_format_duration(waits->ns, lasts);
	time_format_duration(ran_ns, ran);
	time_format_duration(waits->ns - ran_ns, waited);
	overview_page_sentence(
		&page,
		"%s from %s: it ran %s (%.1f %%), and waited %s, in %" PRIu64
		" wait%s. What it waited for is followed to those who ended the wait, and counted as "
		"what these did.",
		lasts, start, ran, row_percent_of(ran_ns, waits->ns), waited, waits->all_waits,
		waits->all_waits == 1 ? "" : "s");

	put_section(why, &page, WHY_CAUSES, "By cause");
	put_section(why, &page, WHY_THREADS, "Who, and what they did");
	if (why->waits.wait_count > 0)
		put_section(why, &page, WHY_WAITS, "Longest waits, and what most of each was");
	if (!why->is_like_tc)
		put_departures(why, &page);
	put_commands(why, &page);
	overview_page_end(&page);

	return (enum cli_exit)cli_end(output, CLI_OK);
}

static const struct why_options why_defaults = { .question = { .analysis = "graph" } };

/* Of the path itself, without its sums. */
static enum cli_exit path_show(struct path_asked *asked, struct why_options *chosen,
			       struct histree_draw_path_options *picture)
{
	struct drawing drawing = { asked->history, *picture };
	if (chosen->picture.output != NULL) {
		drawing.options.host = asked->request.host;
		drawing.options.tid = asked->request.tid;
		drawing.options.from = asked->request.from;
		drawing.options.to = asked->request.to;
		drawing.options.rules = asked->request.rules;
		return picture_file_draw(chosen->picture.output, path_draw, &drawing);
	}
	struct printing printing = { .asked = asked };
	chosen->question.usual_limit = STEPS;
	const enum cli_exit code = path_print(&printing, &chosen->question, table_asked(chosen) == WHY_TOTALS);
	free(printing.totals.all);
	return code;
}

/* The path added up, as a page or as one of its tables. */
static enum cli_exit why_show(struct why *why)
{
	why->waits.waits = calloc(why->waits.wait_max + 1, sizeof(*why->waits.waits));
	progress_catch_signals();
	enum cli_exit code = why->waits.waits != NULL ? why_walk(why) : report_no_memory();
	if (code == CLI_OK)
		code = why_print(why);
	free(why->waits.totals.all);
	free(why->waits.wait_totals.all);
	free(why->waits.waits);
	return code;
}

static int why_run(void *said, const struct cli_words *words)
{
	struct why_options *chosen = said;
	struct histree_draw_path_options picture = { 0 };
	const bool is_path = chosen->picture.output != NULL || table_asked(chosen) >= WHY_STEPS;
	if (!is_path && chosen->question.limit == 0)
		chosen->question.limit = ROWS;
	struct why why = {
		.chosen = chosen,
		.waits = { .asked = &why.asked, .wait_max = chosen->question.limit },
		.is_like_tc = chosen->rules != NULL && strcmp(chosen->rules, "trace-compass") == 0,
	};
	enum cli_exit code = picture_choice_read(&chosen->picture, &picture.look);
	if (code != CLI_OK)
		return code;
	code = path_open(&why.asked, words, &chosen->question,
			 why.is_like_tc ? HISTREE_PATH_RULES_TRACE_COMPASS : HISTREE_PATH_RULES_OWN);
	why.asked.request.work.go_on = progress_goes_on;
	if (code == CLI_OK)
		code = is_path ? path_show(&why.asked, chosen, &picture) : why_show(&why);
	if (code == CLI_OK)
		code = host_part_missing(why.asked.history);
	target_say_missing(&why.asked.target, chosen->question.analysis);
	path_close(&why.asked);
	return code;
}

static const struct cli_old_verb old_verbs[] = {
	{ .name = "critical-path", .means = { { "table", "steps" }, { "rules", "trace-compass" } } },
	{ 0 },
};

const struct cli_verb verb_why = {
	.name = "why",
	.summary = "say why a thread took so long: what it waited for, by cause and by thread",
	.arguments = { "STORE THREAD", 2, 2 },
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS_RANGE | ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(ANALYSIS) | ASKS(HOST) | ASKS(FORMAT),
	.says = { [ASK_HOST] = ", in which THREAD is looked for; the path goes on through the others",
		  [ASK_LIMIT] = " of threads and waits, or of steps or totals; default: 8; of steps and "
				"totals 20 in text, else all",
		  [ASK_TO] = "; by the rules of trace-compass, the path ends with the thread's next change",
		  [ASK_COLUMNS] = "; without --table, of causes",
		  [ASK_ANALYSIS] = "; default: graph" },
	CLI_OPTIONS(why_option_rows, struct why_options),
	.defaults = &why_defaults,
	.run = why_run,
	.old = old_verbs,
};
