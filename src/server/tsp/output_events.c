// SPDX-License-Identifier: MIT
/*
 * output_events.c - the events as a table, read from the trace.
 *
 * Viewers know the time of a line by the column that is called exactly "Timestamp ns".
 */
#include "server/model/event_list.h"
#include "server/tsp/output.h"
#include "server/tsp/table_reply.h"

static void columns(const struct output_call *output)
{
	static const struct table_column headers[EVENT_COLUMNS] = {
		[EVENT_CLOCK] = { "Timestamp", "time of the day, UTC", "STRING" },
		[EVENT_CPU] = { "CPU", "where it was recorded", "NUMBER" },
		[EVENT_TYPE] = { "Event type", "its name", "STRING" },
		[EVENT_CONTENTS] = { "Contents", "its fields", "STRING" },
		[EVENT_TIME] = { "Timestamp ns", "nanoseconds since the epoch", "TIMESTAMP" },
		[EVENT_HOST] = { "Host", "the machine that it is of", "STRING" },
	};
	table_reply_columns(output->call->reply, headers, event_list_columns(output->view));
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* The first line of the answer.  By time it is the first event at or after it, the last one if there is none. */
static enum histree_status find_first(struct event_list *list, const struct table_request *request, uint64_t *first,
				      struct histree_error *error)
{
	*first = request->index;
	if (!request->by_time)
		return HISTREE_OK;
	enum histree_status status = event_list_find(list, request->time, first, error);
	if (status == HISTREE_OK && *first == list->count && list->count > 0)
		(*first)--;
	return status;
}

/* HISTREE_NOT_FOUND: a search found nothing, which is an answer without lines. */
static enum histree_status find_lines(const struct call *call, struct event_list *list,
				      const struct table_request *request, uint64_t *first,
				      struct histree_error *error)
{
	enum histree_status status = find_first(list, request, first, error);
	if (status == HISTREE_OK && request->direction != TABLE_STAYS)
		status = event_list_search(list, &request->match, *first, request->direction == TABLE_PREVIOUS,
					   reply_cancel(call->reply), first, error);
	return status;
}

struct line_writer {
	struct reply *reply;
	const struct table_request *request;
	const struct event_line *line;
	char room[EVENT_CELL_SIZE];
};

static const char *cell_of(void *context, unsigned column)
{
	struct line_writer *writer = context;
	return event_line_cell(writer->line, (enum event_column)column, writer->room);
}

static void write_line(void *context, const struct event_line *line)
{
	struct line_writer *writer = context;
	writer->line = line;
	table_reply_line(writer->reply, writer->request, line->number, cell_of, writer);
}

static void lines(const struct output_call *output)
{
	struct reply *reply = output->call->reply;
	struct event_list *list = output->view;
	struct table_request request;
	struct histree_error error = { 0 };
	uint64_t first;
	if (!table_request_read(output->call, event_list_columns(list), &request))
		goto out;
	enum histree_status status = find_lines(output->call, list, &request, &first, &error);
	struct line_writer writer = { .reply = reply, .request = &request };
	if (status >= 0)
		table_reply_begin(reply, &request, list->count, status == HISTREE_NOT_FOUND ? 0 : first);
	if (status == HISTREE_OK)
		status = event_list_read(list, first, request.count, write_line, &writer, &error);
	if (status < 0)
		reply_failure(reply, &error);
out:
	table_request_release(&request);
}

const struct output output_events = {
	.id = "org.eclipse.tracecompass.internal.provisional.tmf.core.model.events.TmfEventTableDataProvider",
	.name = "Events",
	.description = "The events of the trace, one a line",
	.type = OUTPUT_TABLE,
	.applies = event_list_applies,
	.make = event_list_make,
	.free = event_list_free,
	.columns = columns,
	.lines = lines,
};
