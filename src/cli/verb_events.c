// SPDX-License-Identifier: MIT
/*
 * verb_events.c - the events of the trace that a store was built from, a row each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/table.h"
#include "cli/option.h"
#include "cli/progress.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "histree/events.h"
#include "histree/states.h"

struct events_options {
	struct cli_question question;
};

static const struct cli_option options[] = { { 0 } };

struct listing {
	struct target target;
	struct histree_events *events;
	struct histree_cursor *reader;
	struct histree_cursor *query;
	const char *const *types;
	const struct histree_event_host *hosts; /* NULL: there is one */
	size_t host_count;
	histree_time start; /* of the trace */
	histree_time from, to;
	struct row_writer rows;
	struct thread_run *runs; /* by host, CPU and time: when the threads of --thread ran */
	size_t run_count, run_capacity;
	uint32_t switch_type; /* of the event by which a run ends */
	bool is_of_threads;
};

/* A thread had a CPU. */
struct thread_run {
	uint32_t host;
	int32_t cpu;
	histree_time start, end;
};

/* ---- the events of threads ------------------------------------------------------------------------------- */

static int by_place(const void *one, const void *other)
{
	const struct thread_run *a = one, *b = other;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

struct running {
	struct listing *listing;
	const struct thread_words *words;
	struct histree_history *history;
	uint32_t host;
	histree_quark *quarks;
	size_t count, capacity;
};

static bool add_quark(void *context, histree_quark quark)
{
	struct running *running = context;
	if (!array_reserve(&running->quarks, &running->capacity, running->count + 1))
		return false;
	running->quarks[running->count++] = quark;
	return true;
}

static bool add_run(const struct running *running, const struct histree_interval *state)
{
	struct listing *listing = running->listing;
	char path[64];
	struct thread_run run = { .host = running->host, .start = state->start, .end = state->end };
	if (state->value.type != HISTREE_INT ||
	    !thread_words_have(running->words, running->host, state->value.int32, state->start))
		return true;
	histree_attributes_path(histree_history_attributes(running->history), state->quark, path, sizeof(path));
	if (sscanf(path, "CPUs/%" SCNd32, &run.cpu) != 1)
		return true;
	if (!array_reserve(&listing->runs, &listing->run_capacity, listing->run_count + 1))
		return false;
	listing->runs[listing->run_count++] = run;
	return true;
}

/* What ran on the CPUs of a host says it. */
static enum cli_exit read_runs_of_host(struct running *running, histree_time from, histree_time to)
{
	const struct histree_history_info *info = histree_history_info(running->history);
	const struct histree_region region = { .quarks = running->quarks,
					       .quark_count = running->count,
					       .from = from > info->start ? from : info->start,
					       .to = to < info->end ? to : info->end };
	struct histree_cursor *query = NULL;
	struct histree_error error = { 0 };
	if (running->count == 0 || region.from > region.to)
		return CLI_OK;
	enum histree_status status = histree_query_create(running->history, &query, &error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, &error);
	bool has_memory = true;
	while (status == HISTREE_OK && has_memory && (status = histree_cursor_next(query, &error)) == HISTREE_OK)
		has_memory = add_run(running, histree_cursor_interval(query));
	histree_cursor_free(query);
	if (!has_memory)
		return report_no_memory();
	return status == HISTREE_END ? CLI_OK : report_error(&error);
}

static enum cli_exit read_runs(struct listing *listing, const char *text)
{
	struct thread_words words = { 0 };
	struct histree_history *history = NULL;
	struct histree_error error = { 0 };
	size_t type_count, host_count = 0;
	if (target_history(&listing->target, NULL, true, &history, &error) != HISTREE_OK)
		return report_error(&error);
	const struct histree_history_host *hosts = histree_history_hosts(history, &host_count);
	enum cli_exit code = thread_words_read(&words, text, &listing->target, history);
	for (size_t i = 0; i < (hosts != NULL ? host_count : 1) && code == CLI_OK; i++) {
		struct running running = { .listing = listing,
					   .words = &words,
					   .history = hosts != NULL ? hosts[i].history : history,
					   .host = (uint32_t)i };
		if (running.history == NULL)
			continue;
		if (histree_attributes_match(histree_history_attributes(running.history), HISTREE_ROOT,
					     "CPUs/*/Current_thread", add_quark, &running, &error) < 0)
			code = report_error(&error);
		/* A run may have begun before. */
		if (code == CLI_OK)
			code = read_runs_of_host(&running, listing->from, listing->to);
		free(running.quarks);
	}
	if (listing->run_count > 0)
		qsort(listing->runs, listing->run_count, sizeof(*listing->runs), by_place);
	listing->is_of_threads = true;
	listing->switch_type = UINT32_MAX;
	const char *const *types = histree_events_types(listing->events, &type_count);
	for (size_t i = 0; i < type_count; i++)
		if (strcmp(types[i], "sched_switch") == 0 || strcmp(types[i], "sched:sched_switch") == 0)
			listing->switch_type = (uint32_t)i;
	thread_words_release(&words);
	histree_history_close(history);
	return code;
}

/* The switch by which a thread leaves its CPU is the first moment of the next one, and an event of both. */
static bool is_of_threads(const struct listing *listing, const struct histree_event *event)
{
	const struct thread_run wanted = { .host = event->host, .cpu = event->cpu, .start = event->time };
	size_t first = 0, count = listing->run_count;
	while (count > 0) { /* the last run that began by then */
		const size_t half = count / 2;
		if (by_place(&listing->runs[first + half], &wanted) <= 0) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	for (size_t back = 1; back <= 2 && back <= first; back++) {
		const struct thread_run *run = &listing->runs[first - back];
		if (run->host != wanted.host || run->cpu != wanted.cpu)
			break;
		if (event->time <= run->end || (event->type == listing->switch_type && event->time == run->end + 1))
			return true;
	}
	return false;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* An event, as it is printed. */
struct event_row {
	uint64_t number;
	histree_time time;
	const char *host, *type, *contents, *fields;
	struct histree_value cpu;
};

static void put_fields(struct row_writer *rows, const void *row)
{
	row_json(rows, ((const struct event_row *)row)->fields);
}

/* The fields as an object have room in JSON alone. */
static const struct row_column columns[] = {
	ROW_RIGHT("number", 8, CELL_UNSIGNED, struct event_row, number),
	ROW_RIGHT("time", 18, CELL_CLOCK, struct event_row, time),
	ROW_LEFT("host", 12, CELL_TEXT, struct event_row, host),
	ROW_RIGHT("cpu", 3, CELL_VALUE, struct event_row, cpu),
	ROW_LEFT("type", 24, CELL_TEXT, struct event_row, type),
	ROW_LEFT("contents", 0, CELL_TEXT, struct event_row, contents),
	{ .name = "fields", .when = ROW_JSON, .put = put_fields },
};

enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), COLUMN_OF_HOST = 2 };

static bool put_event(struct listing *listing, const struct histree_event *event)
{
	struct event_row row = {
		.number = event->number,
		.time = event->time,
		.host = listing->hosts != NULL ? listing->hosts[event->host].name : NULL,
		.cpu = event->cpu < 0 ? histree_null() : histree_int(event->cpu),
		.type = listing->types[event->type],
		.contents = histree_event_reader_contents(listing->reader),
		.fields = "",
	};
	if (row.contents != NULL && listing->rows.format == &row_format_json)
		row.fields = histree_event_reader_json(listing->reader);
	if (row.contents == NULL || row.fields == NULL)
		return false;
	row_put(&listing->rows, &row);
	return true;
}

static enum cli_exit print_events(struct listing *listing)
{
	struct histree_error error = { 0 };
	const struct histree_event_range range = { HISTREE_WINDOW_ALL, { listing->from, listing->to, false } };
	enum histree_status status = histree_event_query_start(listing->query, &range, &error);
	while (status == HISTREE_OK && !rows_are_full(&listing->rows)) {
		status = histree_cursor_next(listing->query, &error);
		if (status == HISTREE_OK && listing->is_of_threads &&
		    !is_of_threads(listing, histree_cursor_event(listing->query)))
			continue;
		if (status == HISTREE_OK && !put_event(listing, histree_cursor_event(listing->query)))
			return report_no_memory();
	}
	return status < 0 ? report_error(&error) : CLI_OK;
}

/* The rest was answered for. */
static enum cli_exit report_missing(const struct listing *listing)
{
	enum cli_exit status = CLI_OK;
	for (size_t i = 0; i < listing->host_count; i++)
		if (listing->hosts[i].why != NULL)
			status = report_exit(CLI_INPUT, "incomplete: the events of host '%s' are missing: %s",
					     listing->hosts[i].name, listing->hosts[i].why);
	return status;
}

/* The name of an event is its type, and a field of that name need not be there. */
static enum cli_exit report_no_events(const struct listing *listing, const char *where)
{
	const char *absent = where != NULL ? histree_event_query_absent(listing->query) : NULL;
	if (absent == NULL)
		return report_none("events", where);
	return report_exit(CLI_NOTHING,
			   "there are no such events: none of those that were read has a field '%.60s'%s", absent,
			   strcasecmp(absent, "name") == 0 || strcasecmp(absent, "event") == 0
				   ? "; the name of an event is its 'type', as in 'type == sched_switch'"
				   : "");
}

static int print(struct listing *listing, const struct cli_question *question)
{
	struct row_column own[COLUMNS];
	memcpy(own, columns, sizeof(columns));
	own[COLUMN_OF_HOST].is_hidden = listing->hosts == NULL;
	enum cli_exit status = rows_open(&listing->rows, question, own, COLUMNS, ROWS_PLAIN);
	row_say_day(&listing->rows, listing->start);
	if (status != CLI_OK)
		return status;
	status = print_events(listing);
	if (status == CLI_OK)
		status = report_missing(listing);
	if (status == CLI_OK && listing->rows.row_count == 0)
		status = report_no_events(listing, question->where);
	return rows_close(&listing->rows, status);
}

/* ---- the verb -------------------------------------------------------------------------------------------- */

/* *where: the expression with the condition of --host; NULL: as it is. */
static enum cli_exit find_host(const struct listing *listing, const struct cli_question *question, char **where)
{
	char names[256] = "";
	if (question->host == NULL)
		return CLI_OK;
	for (size_t i = 0; i < listing->host_count; i++) {
		name_list_add(names, sizeof(names), listing->hosts[i].name);
		if (strcmp(listing->hosts[i].name, question->host) != 0)
			continue;
		*where = host_part_where(question->host, question->where);
		return *where != NULL ? CLI_OK : report_no_memory();
	}
	if (listing->hosts == NULL)
		return report_exit(CLI_USAGE, "'--host': '%s' does not have several hosts", listing->target.path);
	return report_exit(CLI_USAGE, "'--host': '%s' has no host '%s'; it has %s", listing->target.path,
			   question->host, names);
}

static enum cli_exit open_events(struct listing *listing, const struct cli_words *words,
				 const struct cli_question *question)
{
	struct histree_error error = { 0 };
	size_t type_count;
	if (target_open(&listing->target, words->words[0], &error) != HISTREE_OK)
		return report_error(&error);
	if (listing->target.store == NULL) {
		report("'%s' is a file; only a store has events", words->words[0]);
		return CLI_USAGE;
	}
	enum histree_status status = histree_events_open(listing->target.store, &listing->events, &error);
	if (status == HISTREE_NOT_FOUND) {
		report("'%s' has no index of events", words->words[0]);
		return CLI_NOTHING;
	}
	if (status == HISTREE_OK)
		status = histree_event_reader_create(listing->events, &listing->reader, &error);
	if (status != HISTREE_OK)
		return report_error(&error);
	listing->types = histree_events_types(listing->events, &type_count);
	listing->hosts = histree_events_hosts(listing->events, &listing->host_count);
	const struct histree_store_info *info = histree_store_info(listing->target.store);
	const struct time_span span = { .start = info->start, .end = info->end, .what = "trace" };
	listing->start = info->start;
	enum cli_exit exit = question_range(question, &span, &listing->from, &listing->to);
	if (exit == CLI_OK && question->from == NULL && question->at == NULL)
		listing->from = INT64_MIN;
	if (exit == CLI_OK && question->to == NULL && question->at == NULL)
		listing->to = INT64_MAX;
	if (exit != CLI_OK)
		return exit;
	char *where = NULL;
	exit = find_host(listing, question, &where);
	if (exit != CLI_OK)
		return exit;
	status = histree_event_query_create(listing->events, listing->reader,
					    where != NULL ? where : question->where, span.start, span.end,
					    &listing->query, &error);
	free(where);
	if (status != HISTREE_OK)
		return report_error(&error);
	histree_event_query_set_cancel(listing->query, (struct histree_work){ .go_on = progress_goes_on });
	return question->thread != NULL ? read_runs(listing, question->thread) : CLI_OK;
}

static int events_run(void *said, const struct cli_words *words)
{
	struct events_options *chosen = said;
	struct listing listing = { 0 };
	int status = open_events(&listing, words, &chosen->question);
	if (status == CLI_OK)
		status = print(&listing, &chosen->question);
	histree_cursor_free(listing.query);
	histree_cursor_free(listing.reader);
	histree_events_close(listing.events);
	free(listing.runs);
	target_close(&listing.target);
	return status;
}

const struct cli_verb verb_events = {
	.name = "events",
	.summary = "list events of the trace",
	.arguments = "STORE",
	.words_min = 1,
	.words_max = 1,
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS_RANGE | ASKS(AT) | ASKS(WHERE) | ASKS(THREAD) | ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(HOST) |
		ASKS(FORMAT),
	.says = { [ASK_WHERE] = ", as in 'type matches sys_enter && args[2] > 4096'",
		  [ASK_THREAD] = ": events of CPUs while these had them" },
	.options = options,
	.options_size = sizeof(struct events_options),
	.run = events_run,
};
