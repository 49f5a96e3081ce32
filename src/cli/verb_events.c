// SPDX-License-Identifier: MIT
/*
 * verb_events.c - the events of the trace that a store was built from, a row each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/option.h"
#include "cli/progress.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "histree/events.h"

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
	struct histree_history *kernel; /* that says who had the CPUs; NULL: not needed, or not there */
	struct thread_words threads;    /* of --thread */
	bool is_of_threads;
};

/* ---- the events of threads ------------------------------------------------------------------------------- */

/* The history of the kernel says who had the CPUs; without one, an expression has the fields of events alone. */
static enum cli_exit take_threads(struct listing *listing, const char *text)
{
	struct histree_error error = { 0 };
	if (target_history(&listing->target, NULL, true, &listing->kernel, &error) != HISTREE_OK)
		return text != NULL ? report_error(&error) : CLI_OK;
	if (histree_event_query_take_threads(listing->query, listing->kernel, &error) != HISTREE_OK)
		return report_error(&error);
	listing->is_of_threads = text != NULL;
	return text != NULL ? thread_words_read(&listing->threads, text, &listing->target, listing->kernel)
			    : CLI_OK;
}

/* A switch is an event of both threads. */
static enum histree_status is_of_threads(struct listing *listing, const struct histree_event *event, bool *is_one,
					 struct histree_error *error)
{
	struct histree_event_owner owner;
	const enum histree_status status = histree_event_query_owner(listing->query, &owner, error);
	*is_one = status == HISTREE_OK &&
		  (thread_words_have(&listing->threads, event->host, 0, owner.tid, event->time) ||
		   (owner.left != owner.tid &&
		    thread_words_have(&listing->threads, event->host, 0, owner.left, event->time - 1)));
	return status;
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
		bool is_wanted = true;
		status = histree_cursor_next(listing->query, &error);
		const struct histree_event *event = histree_cursor_event(listing->query);
		if (status == HISTREE_OK && listing->is_of_threads)
			status = is_of_threads(listing, event, &is_wanted, &error);
		if (status == HISTREE_OK && is_wanted && !put_event(listing, event))
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

/* A field of the expression need not be there. */
static enum cli_exit report_nothing(const struct listing *listing, const char *where)
{
	const char *absent = where != NULL ? histree_event_query_absent(listing->query) : NULL;
	if (absent == NULL)
		return report_no_events(where);
	const char *hint = "";
	if (strcasecmp(absent, "name") == 0 || strcasecmp(absent, "event") == 0)
		hint = "; the name of an event is its 'type', as in 'type == sched_switch'";
	else if (strcasecmp(absent, "thread") == 0 || strcasecmp(absent, "process") == 0)
		hint = ", and no states of the kernel say which threads had the CPUs; 'histree add STORE kernel' "
		       "makes them";
	return report_exit(CLI_NOTHING,
			   "there are no such events: none of those that were read has a field '%.60s'%s", absent,
			   hint);
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
		status = report_nothing(listing, question->where);
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
	return question->thread != NULL || histree_event_query_names_threads(listing->query)
		       ? take_threads(listing, question->thread)
		       : CLI_OK;
}

static int events_run(void *said, const struct cli_words *words)
{
	struct events_options *chosen = said;
	struct listing listing = { 0 };
	int status = open_events(&listing, words, &chosen->question);
	if (status == CLI_OK)
		status = print(&listing, &chosen->question);
	thread_words_release(&listing.threads);
	histree_cursor_free(listing.query);
	histree_cursor_free(listing.reader);
	histree_events_close(listing.events);
	histree_history_close(listing.kernel);
	target_close(&listing.target);
	return status;
}

const struct cli_verb verb_events = {
	.name = "events",
	.summary = "list events of the trace",
	.arguments = { "STORE", 1, 1 },
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS_RANGE | ASKS(AT) | ASKS(WHERE) | ASKS(THREAD) | ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(HOST) |
		ASKS(FORMAT),
	.says = { [ASK_WHERE] = ", as in 'type matches sys_enter && args[2] > 4096'",
		  [ASK_THREAD] = ": events of CPUs while these had them" },
	CLI_OPTIONS(options, struct events_options),
	.run = events_run,
};
